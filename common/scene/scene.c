/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parameters, the camera, and the step from one frame to the next (see scene.h).
 */
#include "common/scene/scene_private.h"

#include <math.h>
#include <stdlib.h>

StxCamera stx_scene_camera(int width, int height)
{
  return (StxCamera){.focal = .58 * width,
      .cx = .5 * (width - 1),
      .cy = .46 * height,
      .baseline = .54,
      .height = 1.65};
}

/* ---- Parameters ----------------------------------------------------------------------------- */

#define STORED(kind, member) STX_STORED(kind, StxSceneParams, member)
#define SIDE(member) STORED(INT, member), .low = 1, .high = STX_SCENE_MAX_SIZE, .unit = "pixels"
#define RATE(member) STORED(INT, member), .low = 1, .high = 0x7fffffff
#define CAMERA(member, least, most) STORED(DOUBLE, camera.member), .low = least, .high = most

static const StxFieldChoice terrains[] = {
    {STX_SCENE_GENTLE, "gentle", "Slopes of up to 5.2 %"},
    {STX_SCENE_FLAT, "flat", "A plane"},
    {STX_SCENE_SLOPED, "sloped", "One slope of 8 to 12 %, with which the car does not tilt"},
    {STX_SCENE_HILLY, "hilly", "8 to 12 % up and down in turns: crests and valleys"},
    {0},
};

static const StxField fields[] = {
    {.field = "scene width", SIDE(width)},
    {.field = "scene height", SIDE(height)},
    {.field = "scene frame rate numerator", RATE(fps_n)},
    {.field = "scene frame rate denominator", RATE(fps_d)},
    {"speed", "Speed", "Speed of the car that carries the camera, m/s", "scene speed",
        STORED(DOUBLE, speed), .high = 100, .unit = "m/s"},
    {"noise", "Sensor noise",
        "Standard deviation of the noise in the pictures, grey levels; independent in left and "
        "right",
        "scene noise", STORED(DOUBLE, noise), .high = 32, .unit = "grey levels"},
    {"terrain", "Terrain", "How the road rises and falls", "scene terrain", STORED(CHOICE, terrain),
        .choices = terrains, .type_name = "GstStreetSceneSrcTerrain"},
    {"threads", "Threads", "Threads that render, 0 = one per core", "scene threads",
        STORED(INT, threads), .high = 256},
    {.field = "camera focal", CAMERA(focal, 1e-3, 1e6), .unit = "pixels"},
    {.field = "camera cx", CAMERA(cx, -1e6, 1e6), .unit = "pixels"},
    {.field = "camera cy", CAMERA(cy, -1e6, 1e6), .unit = "pixels"},
    {.field = "camera baseline", CAMERA(baseline, .01, 10), .unit = "m"},
    {.field = "camera height", CAMERA(height, .3, 10), .unit = "m"},
    {.field = "camera pitch", CAMERA(pitch, -.5, .5), .unit = "rad"},
};
static const StxSceneParams defaults = STX_SCENE_DEFAULTS;
const StxFields stx_scene_fields = {STX_FIELDS_OF(fields), &defaults};

static StxSceneParams complete(const StxSceneParams *params)
{
  StxSceneParams full = *params;
  if (full.camera.focal == 0)
    full.camera = stx_scene_camera(full.width, full.height);
  if (full.fps_n == 0 && full.fps_d == 0) {
    full.fps_n = 10;
    full.fps_d = 1;
  }
  return full;
}

/* ---- Life ----------------------------------------------------------------------------------- */

static void fill_noise(StxScene *scene)
{
  for (int i = 0; i < SCENE_NOISE * SCENE_NOISE; i++)
    scene->noise[i] = (float)(scene_key(scene->params.seed, 2, i) >> 56) / 127.5f - 1;
}

static bool allocate(StxScene *scene)
{
  int width = scene->params.width, height = scene->params.height;
  scene->threads = stx_threads(scene->params.threads);
  scene->tile_w = width / 40 > 32 ? width / 40 : 32;
  scene->tile_h = height / 24 > 16 ? height / 24 : 16;
  scene->tiles_x = (width + scene->tile_w - 1) / scene->tile_w;
  scene->tiles_y = (height + scene->tile_h - 1) / scene->tile_h;
  size_t tiles = (size_t)scene->tiles_x * (size_t)scene->tiles_y;
  scene->tile_count = malloc(tiles * sizeof *scene->tile_count);
  scene->tile_list = malloc(tiles * SCENE_MAX_OBJECTS * sizeof *scene->tile_list);
  scene->rows =
      malloc((size_t)scene->threads * (SCENE_BLOCK + 2) * (size_t)width * sizeof *scene->rows);
  return scene->tile_count != NULL && scene->tile_list != NULL && scene->rows != NULL;
}

StxScene *stx_scene_new(const StxSceneParams *params, StxError *error)
{
  StxSceneParams full = complete(params);
  if (!stx_fields_check(&stx_scene_fields, &full, error))
    return NULL;
  StxScene *scene = calloc(1, sizeof *scene);
  if (scene != NULL)
    scene->params = full;
  if (scene == NULL || !allocate(scene)) {
    stx_fail(error, "out of memory for a scene of %d x %d pixels", full.width, full.height);
    stx_scene_free(scene);
    return NULL;
  }
  fill_noise(scene);
  stx_scene_move(scene, 0);
  return scene;
}

void stx_scene_free(StxScene *scene)
{
  if (scene == NULL)
    return;
  free(scene->tile_count);
  free(scene->tile_list);
  free(scene->rows);
  free(scene);
}

const StxSceneParams *stx_scene_params(const StxScene *scene)
{
  return &scene->params;
}

/* ---- Frames --------------------------------------------------------------------------------- */

/* Elevation of the viewing direction: the slope on which the car stands, less the pitch. */
static void aim(StxScene *scene)
{
  double pitch = scene->params.camera.pitch, slope = scene->stance;
  double sine = scene_sine(pitch), cosine = scene_cosine(pitch);
  double length = sqrt(1 + slope * slope);
  scene->forward_y = (slope * cosine - sine) / length;
  scene->forward_z = (cosine + slope * sine) / length;
}

void stx_scene_move(StxScene *scene, uint64_t frame)
{
  const StxSceneParams *params = &scene->params;
  scene->frame = frame;
  scene->time = (double)frame * params->fps_d / params->fps_n;
  scene->travelled = scene->time * params->speed;
  stx_scene_ground_layout(scene);
  aim(scene);
  stx_scene_layout(scene);
  scene->eye = -1;
}

StxSceneRay stx_scene_ray(const StxScene *scene, StxSceneEye eye, double u, double v)
{
  const StxCamera *camera = &scene->params.camera;
  double a = (u - camera->cx) / camera->focal, b = (v - camera->cy) / camera->focal;
  double s = scene->forward_y, c = scene->forward_z;
  return (StxSceneRay){{eye == STX_SCENE_RIGHT ? camera->baseline : 0, camera->height, 0},
      {a, s - b * c, c + b * s}};
}

SceneProbe stx_scene_probe(const StxScene *scene, const StxSceneRay *ray)
{
  return (SceneProbe){*ray, stx_scene_ground_meet(scene, ray, 0),
      stx_scene_ground_meet(scene, ray, SCENE_KERB_HEIGHT)};
}

StxSceneHit stx_scene_cast(const StxScene *scene, const StxSceneRay *ray)
{
  SceneProbe probe = stx_scene_probe(scene, ray);
  SceneContact contact = stx_scene_ground_cast(scene, &probe);
  stx_scene_cast_all(scene, ray, &contact);
  int label = stx_scene_label(scene, &contact, ray->origin[0] + contact.t * ray->direction[0]);
  return (StxSceneHit){
      contact.t, label, contact.object >= 0 ? scene->object[contact.object].instance : 0};
}
