/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parameters, cameras, and the step from one frame to the next (see scene.h).
 *
 * Real cameras: the rectified pair of the calibration is the pair that looks along the street. The
 * left camera stands in it as rectification says; the right one as R between the cameras has it, so
 * that a pair which is rectified wrongly is seen to be. Every pixel's direction is found once, as a
 * place in the rectified picture, and rounded to 1/256 pixel there: functions of libm may differ in
 * their last bit.
 */
#include "common/scene/scene_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/parallel.h"
#include "common/rotation.h"

#define LEAST_DEPTH .1    /* of a direction: what lies farther out than 84 degrees is not seen */
#define WEAVE_LENGTH 20.0 /* m, from one side to the other */
#define KEY_WEAVE 910     /* of scene_key */
#define KEY_BRAKING 911
#define MOST_SIGHT 16000 /* pixels from the corner of the rectified picture, for int16_t */

/* ---- Places ------------------------------------------------------------------------------- */

static double rounded(double at)
{
  return floor(at * 256 + .5) / 256;
}

static void find_place(const StxCamera *camera, const SceneReal *real, const double back[9], int x,
    int y, float *place)
{
  const double pixel[2] = {x, y};
  double ray[3], ahead[3];
  place[0] = place[1] = NAN;
  if (!stx_lens_unproject(&real->lens, pixel, ray))
    return;
  stx_matrix_apply(back, ray, ahead);
  if (!(ahead[2] > LEAST_DEPTH))
    return;
  double u = rounded(camera->cx + camera->focal * ahead[0] / ahead[2]);
  double v = rounded(camera->cy + camera->focal * ahead[1] / ahead[2]);
  if (fabs(u) < MOST_SIGHT && fabs(v) < MOST_SIGHT) {
    place[0] = (float)u;
    place[1] = (float)v;
  }
}

static void find_row(void *data, int row, int worker)
{
  StxScene *scene = data;
  const StxSceneParams *params = &scene->params;
  SceneReal *real = &scene->real[row / params->height];
  int y = row % params->height;
  double back[9];
  stx_matrix_transpose(real->turn, back);
  for (int x = 0; x < params->width; x++)
    find_place(&params->camera, real, back, x, y,
        real->place[(size_t)y * (size_t)params->width + (size_t)x]);
}

/* The rectified picture itself, for the truth, and all that the cameras see. */
static void find_sight(StxScene *scene)
{
  SceneCover *sight = &scene->sight;
  size_t count = (size_t)scene->params.width * (size_t)scene->params.height;
  for (size_t i = 0; i < 2 * count; i++) {
    const float *place = scene->real[i / count].place[i % count];
    if (isnan(place[0]))
      continue;
    int x = (int)scene_floor(place[0] + .5), y = (int)scene_floor(place[1] + .5);
    sight->x0 = (int16_t)(x < sight->x0 ? x : sight->x0);
    sight->x1 = (int16_t)(x > sight->x1 ? x : sight->x1);
    sight->y0 = (int16_t)(y < sight->y0 ? y : sight->y0);
    sight->y1 = (int16_t)(y > sight->y1 ? y : sight->y1);
  }
}

/* ---- Cameras ------------------------------------------------------------------------------ */

static bool rectify(const StxCalibration *calibration, int width, int height,
    StxRectifyView view[2], StxCamera *pair, StxError *error)
{
  const StxRectifyParams params = {.width = width, .height = height};
  return stx_rectify_view(calibration, &params, 0, width, height, &view[0], pair, error) &&
         stx_rectify_view(calibration, &params, 1, width, height, &view[1], pair, error);
}

bool stx_scene_rectified(
    const StxCalibration *calibration, int width, int height, StxCamera *camera, StxError *error)
{
  StxRectifyView view[2];
  return rectify(calibration, width, height, view, camera, error);
}

static bool find_cameras(StxScene *scene, StxError *error)
{
  StxSceneParams *params = &scene->params;
  StxRectifyView view[2];
  StxCamera pair;
  if (!rectify(&scene->calibration, params->width, params->height, view, &pair, error))
    return false;
  for (int i = 0; i < 2; i++) {
    scene->real[i].lens = stx_lens_prepare(&view[i].lens);
    stx_matrix_transpose(view[i].r, scene->real[i].turn);
  }
  if (!scene->calibration.rectified)
    stx_matrix_product(scene->calibration.r, scene->real[0].turn, scene->real[1].turn);
  pair.height = params->camera.height;
  pair.pitch = params->camera.pitch;
  params->camera = pair;
  return stx_fields_check(&stx_scene_fields, params, error);
}

/* Takes the cameras, the rectified pair (params.camera) and `sight` from params.calibration. */
static bool open_real(StxScene *scene, StxError *error)
{
  StxSceneParams *params = &scene->params;
  size_t count = (size_t)params->width * (size_t)params->height;
  scene->calibration = *params->calibration;
  params->calibration = &scene->calibration;
  if (!find_cameras(scene, error))
    return false;
  for (int i = 0; i < 2; i++) {
    scene->real[i].place = malloc(count * sizeof *scene->real[i].place);
    if (scene->real[i].place == NULL)
      return stx_fail(
          error, "out of memory for lenses of %d x %d pixels", params->width, params->height);
  }
  stx_parallel(scene->threads, 2 * params->height, find_row, scene);
  find_sight(scene);
  return true;
}

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
#define BOARD(kind, member, least, most) STORED(kind, board.member), .low = least, .high = most
#define CAMERA(member, least, most) STORED(DOUBLE, camera.member), .low = least, .high = most

static const StxFieldChoice terrains[] = {
    {STX_SCENE_GENTLE, "gentle", "To 5.2 %"},
    {STX_SCENE_FLAT, "flat", "Plane"},
    {STX_SCENE_SLOPED, "sloped", "8 to 12 %, the car does not tilt"},
    {STX_SCENE_HILLY, "hilly", "8 to 12 % up and down"},
    {0},
};

static const StxFieldChoice kinds[] = {
    {STX_SCENE_STREET, "street", "Street"},
    {STX_SCENE_CHESSBOARD, "chessboard", "Chessboard in changing poses"},
    {STX_SCENE_HAZARDS, "hazards", "Small things and holes on the lane"},
    {STX_SCENE_TURNS, "turns", "Car that weaves within its lane"},
    {STX_SCENE_BRAKING, "braking", "Car and traffic ahead that brake, stand and start"},
    {STX_SCENE_ONCOMING, "oncoming", "More and faster oncoming traffic"},
    {STX_SCENE_CROSSING, "crossing", "People who cross the street, no traffic"},
    {STX_SCENE_OCCLUSIONS, "occlusions", "Oncoming vans and buses that hide people"},
    {STX_SCENE_RAIN, "rain", "More noise, streaks and changes of exposure"},
    {0},
};

static const StxField fields[] = {
    {.field = "scene width", SIDE(width)},
    {.field = "scene height", SIDE(height)},
    {.field = "scene frame rate numerator", RATE(fps_n)},
    {.field = "scene frame rate denominator", RATE(fps_d)},
    {"speed", "Speed", "Speed of the car, m/s", "scene speed", STORED(DOUBLE, speed), .high = 100,
        .unit = "m/s"},
    {"noise", "Sensor noise", "Standard deviation of picture noise, grey levels", "scene noise",
        STORED(DOUBLE, noise), .high = 32, .unit = "grey levels"},
    {"terrain", "Terrain", "Terrain", "scene terrain", STORED(CHOICE, terrain), .choices = terrains,
        .type_name = "GstStreetSceneSrcTerrain"},
    {"scene", "Scene", "Scene", "scene", STORED(CHOICE, kind), .choices = kinds,
        .type_name = "GstStreetSceneSrcScene"},
    {"board-columns", "Board columns", "Inner corners of the chessboard, across", "board columns",
        BOARD(INT, columns, 3, 40)},
    {"board-rows", "Board rows", "Inner corners of the chessboard, down", "board rows",
        BOARD(INT, rows, 3, 40)},
    {"board-square", "Board square", "Side of a square of the chessboard, metres", "board square",
        BOARD(DOUBLE, square, .001, 10), .unit = "m"},
    {"board-hold", "Board hold", "Frames per pose of the chessboard", "board hold",
        BOARD(INT, hold, 1, 1000000)},
    {"threads", "Threads", "CPU threads (0 = one per core)", "scene threads", STORED(INT, threads),
        .high = 256},
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
  StxCamera usual = stx_scene_camera(full.width, full.height);
  if (full.calibration != NULL) {
    usual.height = full.camera.height > 0 ? full.camera.height : usual.height;
    usual.pitch = full.camera.pitch;
  }
  if (full.calibration != NULL || full.camera.focal == 0)
    full.camera = usual;
  if (full.fps_n == 0 && full.fps_d == 0) {
    full.fps_n = 10;
    full.fps_d = 1;
  }
  if (full.board.columns == 0 && full.board.rows == 0 && full.board.square == 0 &&
      full.board.hold == 0)
    full.board = defaults.board;
  return full;
}

/* ---- Life ----------------------------------------------------------------------------------- */

static bool allocate(StxScene *scene)
{
  int width = scene->sight.x1 - scene->sight.x0 + 1, height = scene->sight.y1 - scene->sight.y0 + 1;
  scene->tile_w = width / 40 > 32 ? width / 40 : 32;
  scene->tile_h = height / 24 > 16 ? height / 24 : 16;
  scene->tiles_x = (width + scene->tile_w - 1) / scene->tile_w;
  scene->tiles_y = (height + scene->tile_h - 1) / scene->tile_h;
  size_t tiles = (size_t)scene->tiles_x * (size_t)scene->tiles_y;
  scene->tile_count = malloc(tiles * sizeof *scene->tile_count);
  scene->tile_list = malloc(tiles * SCENE_MAX_OBJECTS * sizeof *scene->tile_list);
  scene->rows = malloc((size_t)scene->threads * (SCENE_BLOCK + 2) * (size_t)scene->params.width *
                       sizeof *scene->rows);
  return scene->tile_count != NULL && scene->tile_list != NULL && scene->rows != NULL;
}

StxScene *stx_scene_new(const StxSceneParams *params, StxError *error)
{
  StxSceneParams full = complete(params);
  if (!stx_fields_check(&stx_scene_fields, &full, error))
    return NULL;
  StxScene *scene = calloc(1, sizeof *scene);
  bool good = scene != NULL;
  if (good) {
    scene->params = full;
    scene->threads = stx_threads(full.threads);
    scene->sight = (SceneCover){0, (int16_t)(full.width - 1), 0, (int16_t)(full.height - 1)};
    if (full.calibration != NULL && !open_real(scene, error)) {
      stx_scene_free(scene);
      return NULL;
    }
    good = allocate(scene);
  }
  if (!good) {
    stx_fail(error, "out of memory for a scene of %d x %d pixels", full.width, full.height);
    stx_scene_free(scene);
    return NULL;
  }
  for (int i = 0; i < SCENE_NOISE * SCENE_NOISE; i++)
    scene->noise[i] = (float)(scene_key(full.seed, 2, i) >> 56) / 127.5f - 1;
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
  for (int i = 0; i < 2; i++)
    free(scene->real[i].place);
  free(scene);
}

const StxSceneParams *stx_scene_params(const StxScene *scene)
{
  return &scene->params;
}

/* ---- What a scene has ----------------------------------------------------------------------- */

const SceneTraits *stx_scene_traits(const StxScene *scene)
{
#define USUAL .ahead = .62, .oncoming = .6, .pace = 1, .parked = .62, .walkers = .3
  static const SceneTraits traits[] = {
      [STX_SCENE_STREET] = {USUAL},
      [STX_SCENE_CHESSBOARD] = {USUAL},
      [STX_SCENE_HAZARDS] =
          {.oncoming = .6, .pace = 1, .parked = .62, .walkers = .3, .hazards = true},
      [STX_SCENE_TURNS] = {USUAL, .weave = .8},
      [STX_SCENE_BRAKING] = {USUAL, .brakes = true},
      [STX_SCENE_ONCOMING] = {.oncoming = .9, .pace = 1.6, .parked = .62, .walkers = .3},
      [STX_SCENE_CROSSING] = {.parked = .62, .walkers = .3, .cross = true},
      [STX_SCENE_OCCLUSIONS] = {.oncoming = .8, .pace = 1, .tall = 1, .walkers = .7},
      [STX_SCENE_RAIN] = {USUAL, .rain = true},
  };
#undef USUAL
  return &traits[scene->params.kind];
}

#define CRUISE 2.0 /* s */
#define STAND 1.0
#define BRAKE 4.0 /* m/s² */
#define START 2.5

/* Returns the drive at `time`: it goes on, brakes to a stand, waits and starts, repeatedly. */
static SceneDrive braking_drive(double v, double time)
{
  const double last[] = {CRUISE, v / BRAKE, STAND, v / START}, from[] = {v, v, 0, 0},
               to[] = {v, 0, 0, v};
  double cycle = last[0] + last[1] + last[2] + last[3];
  double cycles = (double)scene_floor(time / cycle), left = time - cycles * cycle;
  SceneDrive drive = {cycles * v * (last[0] + .5 * last[1] + .5 * last[3]), v};
  for (int i = 0; i < 4 && left > 0; i++) {
    double t = scene_min(left, last[i]);
    drive.speed = last[i] > 0 ? from[i] + (to[i] - from[i]) * t / last[i] : v;
    drive.way += .5 * (from[i] + drive.speed) * t;
    left -= t;
  }
  return drive;
}

SceneDrive stx_scene_drive(const StxScene *scene, double early)
{
  double v = scene->params.speed;
  if (!stx_scene_traits(scene)->brakes)
    return (SceneDrive){scene->time * v, v};
  uint64_t key = scene_key(scene->params.seed, KEY_BRAKING, 0);
  double begin = early + scene_between(&key, 0, 4);
  SceneDrive drive = braking_drive(v, begin + scene->time);
  drive.way -= braking_drive(v, begin).way;
  return drive;
}

/* Where the car is between the lines at a knot: to one side, then to the other. */
static double weave_at(const StxScene *scene, int64_t knot)
{
  uint64_t key = scene_key(scene->params.seed, KEY_WEAVE, knot);
  double most = stx_scene_traits(scene)->weave, x = scene_between(&key, .5 * most, most);
  return knot & 1 ? -x : x;
}

/* From knot to knot a polynomial, so that the car's direction follows without a sine: `slope`, to
 * the right for each metre ahead. */
static double weave(StxScene *scene)
{
  int64_t knot = scene_floor(scene->travelled / WEAVE_LENGTH);
  double t = scene->travelled / WEAVE_LENGTH - (double)knot;
  double x = weave_at(scene, knot), step = weave_at(scene, knot + 1) - x;
  scene->aside = x + step * t * t * t * (10 - t * (15 - 6 * t));
  return 30 * step / WEAVE_LENGTH * t * t * (1 - t) * (1 - t);
}

/* ---- Frames --------------------------------------------------------------------------------- */

/* Puts the car where it is in a frame. */
static void stand(StxScene *scene, uint64_t frame)
{
  const StxSceneParams *params = &scene->params;
  scene->frame = frame;
  scene->time = (double)frame * params->fps_d / params->fps_n;
  scene->travelled = stx_scene_drive(scene, 0).way;
  stx_scene_ground_layout(scene);
  /* Elevation of the viewing direction: the slope on which the car stands, less the pitch. */
  double sine = scene_sine(params->camera.pitch), cosine = scene_cosine(params->camera.pitch);
  double slope = scene->stance, length = sqrt(1 + slope * slope);
  scene->forward_y = (slope * cosine - sine) / length;
  scene->forward_z = (cosine + slope * sine) / length;
  slope = stx_scene_traits(scene)->weave > 0 ? weave(scene) : 0;
  length = sqrt(1 + slope * slope);
  double s = slope / length, c = 1 / length, y = scene->forward_y, z = scene->forward_z;
  const double axis[3][3] = {{c, 0, -s}, {s * y, -z, c * y}, {s * z, y, c * z}};
  memcpy(scene->axis, axis, sizeof axis);
  scene->turned = s != 0;
}

/* Goes to a frame by way of the one before. */
static void find_motion(StxScene *scene, uint64_t frame)
{
  scene->motion = (StxMotion){.state = frame > 0 ? STX_MOTION_KNOWN : STX_MOTION_FIRST};
  stand(scene, frame > 0 ? frame - 1 : 0);
  double before[3][3], from[3] = {scene->aside, 0, scene->travelled};
  memcpy(before, scene->axis, sizeof before);
  if (frame == 0)
    return;
  stand(scene, frame);
  from[0] -= scene->aside;
  from[2] -= scene->travelled;
  from[1] = stx_scene_road(scene, from[2]);
  for (int i = 0; i < 3; i++) {
    scene->motion.translation[i] = scene_dot(scene->axis[i], from);
    for (int k = 0; k < 3; k++)
      scene->motion.rotation[3 * i + k] = scene_dot(scene->axis[i], before[k]);
  }
}

void stx_scene_move(StxScene *scene, uint64_t frame)
{
  const StxSceneParams *params = &scene->params;
  find_motion(scene, frame);
  stx_scene_layout(scene);
  if (params->kind == STX_SCENE_CHESSBOARD)
    stx_scene_board_place(scene);
  scene->eye = -1;
}

size_t stx_scene_hazards(const StxScene *scene, const StxSceneHazard **list)
{
  *list = scene->hazard;
  return (size_t)scene->hazards;
}

StxMotion stx_scene_motion(const StxScene *scene)
{
  return scene->motion;
}

StxSceneRay stx_scene_ray(const StxScene *scene, StxSceneEye eye, double u, double v)
{
  const StxCamera *camera = &scene->params.camera;
  double a = (u - camera->cx) / camera->focal, b = (v - camera->cy) / camera->focal;
  double right = eye == STX_SCENE_RIGHT ? camera->baseline : 0;
  const double(*axis)[3] = scene->axis;
  StxSceneRay ray = {{scene->aside + right * axis[0][0], camera->height, right * axis[0][2]}, {0}};
  for (int i = 0; i < 3; i++)
    ray.direction[i] = a * axis[0][i] + b * axis[1][i] + axis[2][i];
  return ray;
}

void stx_scene_hits(const StxScene *scene, StxSceneEye eye, const double (*points)[2], size_t count,
    StxSceneHit *hits)
{
  for (size_t i = 0; i < count; i++) {
    StxSceneRay ray = stx_scene_ray(scene, eye, points[i][0], points[i][1]);
    hits[i] = stx_scene_cast(scene, &ray);
  }
}

void stx_scene_from_eye(
    const StxScene *scene, StxSceneEye eye, const double world[3], double out[3])
{
  const StxCamera *camera = &scene->params.camera;
  const double from[3] = {world[0] - scene->aside, world[1] - camera->height, world[2]};
  for (int i = 0; i < 3; i++)
    out[i] = scene_dot(scene->axis[i], from);
  out[0] -= eye == STX_SCENE_RIGHT ? camera->baseline : 0;
}

bool stx_scene_project(
    const StxScene *scene, StxSceneEye eye, const double point[3], double pixel[2])
{
  const StxCamera *camera = &scene->params.camera;
  double from[3];
  stx_scene_from_eye(scene, eye, point, from);
  if (scene->params.calibration != NULL) {
    double turned[3];
    stx_matrix_apply(scene->real[eye].turn, from, turned);
    return from[2] > 0 && stx_lens_project(&scene->real[eye].lens, turned, pixel);
  }
  pixel[0] = camera->cx + camera->focal * from[0] / from[2];
  pixel[1] = camera->cy + camera->focal * from[1] / from[2];
  return from[2] > 0;
}

SceneProbe stx_scene_probe(const StxScene *scene, const StxSceneRay *ray)
{
  return (SceneProbe){.ray = *ray,
      .road = stx_scene_ground_meet(scene, ray, 0),
      .walk = stx_scene_ground_meet(scene, ray, SCENE_KERB_HEIGHT)};
}

StxSceneHit stx_scene_cast(const StxScene *scene, const StxSceneRay *ray)
{
  SceneProbe probe = stx_scene_probe(scene, ray);
  SceneContact contact = stx_scene_ground_cast(scene, &probe);
  stx_scene_cast_all(scene, ray, &contact);
  if (scene->params.kind == STX_SCENE_CHESSBOARD)
    stx_scene_board_cast(scene, ray, &contact);
  int label = stx_scene_label(scene, &contact, ray->origin[0] + contact.t * ray->direction[0]);
  StxSceneHit hit = {.t = contact.t, .label = label};
  if (contact.object < 0)
    return hit;
  const SceneObject *object = &scene->object[contact.object];
  const double speed[3] = {object->speed[0], 0, object->speed[1]};
  hit.instance = object->instance;
  hit.speed[0] = scene_dot(scene->axis[0], speed);
  hit.speed[1] = scene_dot(scene->axis[2], speed);
  return hit;
}
