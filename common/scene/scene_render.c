/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pictures and truth.
 *
 * The picture is cut into tiles; each lists, nearest first, the objects whose projected bounds
 * touch it, so that a pixel's ray meets about five boxes instead of hundreds and stops at the
 * first object that begins behind what it has already met. Threads take blocks of rows: first one
 * contact per pixel (with a row above and below), then colours. Where a pixel's contact differs
 * from a neighbour's, four more rays on a rotated grid smooth the outline.
 *
 * Tried and rejected: four rays everywhere (3 times slower, the surfaces are band limited anyway);
 * a buffer of contacts for the whole frame (saves the two extra rows per block, costs 24 bytes per
 * pixel).
 */
#include "common/parallel.h"
#include "common/scene/scene_private.h"

#include <math.h>

#define NEAR_PLANE .05
#define SAMPLES 4
#define KEY_RAIN 920   /* of scene_key */
#define EXPOSED 8      /* frames with the same exposure, in the rain */
#define RAIN_NOISE 3.f /* times the usual */
#define DROP_ROWS 24   /* of a band in which a column may have a streak */

static const double SAMPLE_U[SAMPLES] = {-.125, .375, -.375, .125},
                    SAMPLE_V[SAMPLES] = {-.375, -.125, .125, .375};

/* ---- Tiles ---------------------------------------------------------------------------------- */

/* Bounds in the picture, pixels; depth from the camera's plane. */
typedef struct {
  double u0, u1, v0, v1, near;
} Bounds;

static void project(const StxScene *scene, const double p[3], Bounds *bounds)
{
  const StxCamera *camera = &scene->params.camera;
  double u = camera->cx + camera->focal * p[0] / p[2], v = camera->cy + camera->focal * p[1] / p[2];
  bounds->u0 = scene_min(bounds->u0, u);
  bounds->u1 = scene_max(bounds->u1, u);
  bounds->v0 = scene_min(bounds->v0, v);
  bounds->v1 = scene_max(bounds->v1, v);
}

/* Projects the corners in front of the camera, and where edges pass the near plane. */
static Bounds bounds_of(const StxScene *scene, int eye, const SceneObject *object,
    const double lo[3], const double hi[3])
{
  Bounds bounds = {INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY};
  double p[8][3];
  for (int i = 0; i < 8; i++) {
    double world[3];
    stx_scene_corner(object, lo, hi, i, world);
    stx_scene_from_eye(scene, (StxSceneEye)eye, world, p[i]); /* right, down, depth */
    bounds.near = scene_min(bounds.near, p[i][2]);
    if (p[i][2] >= NEAR_PLANE)
      project(scene, p[i], &bounds);
  }
  for (int i = 0; i < 8 && bounds.near < NEAR_PLANE; i++)
    for (int bit = 1; bit < 8; bit *= 2) {
      const double *a = p[i], *b = p[i ^ bit];
      if (a[2] >= NEAR_PLANE && b[2] < NEAR_PLANE) {
        double s = (a[2] - NEAR_PLANE) / (a[2] - b[2]);
        double cut[3] = {a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), NEAR_PLANE};
        project(scene, cut, &bounds);
      }
    }
  return bounds;
}

/* Pixels whose samples may lie within the bounds (outlines are sampled half a pixel around). */
static SceneCover cover_of(const StxScene *scene, const Bounds *bounds)
{
  const SceneCover *sight = &scene->sight;
  if (!(bounds->u1 > sight->x0 - 1 && bounds->u0 < sight->x1 + 1 && bounds->v1 > sight->y0 - 1 &&
          bounds->v0 < sight->y1 + 1))
    return (SceneCover){1, 0, 1, 0};
  return (SceneCover){(int16_t)scene_clamp(bounds->u0 - 1, sight->x0, sight->x1),
      (int16_t)scene_clamp(bounds->u1 + 1, sight->x0, sight->x1),
      (int16_t)scene_clamp(bounds->v0 - 1, sight->y0, sight->y1),
      (int16_t)scene_clamp(bounds->v1 + 1, sight->y0, sight->y1)};
}

static int tile_of(const StxScene *scene, int x, int y)
{
  return (y - scene->sight.y0) / scene->tile_h * scene->tiles_x +
         (x - scene->sight.x0) / scene->tile_w;
}

static void make_tiles(StxScene *scene, int eye)
{
  if (scene->eye == eye)
    return;
  uint16_t order[SCENE_MAX_OBJECTS];
  for (int i = 0; i < scene->objects; i++) {
    SceneObject *object = &scene->object[i];
    Bounds bounds = bounds_of(scene, eye, object, object->lo, object->hi);
    object->near = bounds.near;
    scene->object_cover[i] = cover_of(scene, &bounds);
    if (scene->object_cover[i].x0 > scene->object_cover[i].x1)
      continue;
    for (int k = object->first_part; k < object->first_part + object->parts; k++) {
      double lo[3], hi[3];
      stx_scene_part_bounds(&scene->part[k], lo, hi);
      bounds = bounds_of(scene, eye, object, lo, hi);
      scene->cover[k] = cover_of(scene, &bounds);
    }
  }
  stx_scene_sort(scene, order);
  for (int i = 0; i < scene->tiles_x * scene->tiles_y; i++)
    scene->tile_count[i] = 0;
  for (int i = 0; i < scene->objects; i++) {
    const SceneCover *cover = &scene->object_cover[order[i]];
    if (cover->x0 > cover->x1)
      continue;
    int first = tile_of(scene, cover->x0, cover->y0), last = tile_of(scene, cover->x1, cover->y1);
    for (int y = first / scene->tiles_x; y <= last / scene->tiles_x; y++)
      for (int x = first % scene->tiles_x; x <= last % scene->tiles_x; x++) {
        size_t tile = (size_t)(y * scene->tiles_x + x);
        scene->tile_list[tile * SCENE_MAX_OBJECTS + scene->tile_count[tile]++] = order[i];
      }
  }
  scene->eye = eye;
}

/* ---- Contacts -------------------------------------------------------------------------------- */

/* The ray of a row's first pixel and where the row meets the ground. */
static SceneProbe row_probe(const StxScene *scene, int eye, double v)
{
  StxSceneRay ray = stx_scene_ray(scene, (StxSceneEye)eye, 0, v);
  SceneProbe probe = stx_scene_probe(scene, &ray);
  probe.eye = eye;
  probe.v = v;
  return probe;
}

/* Turns the row's ray to column u. While the car goes straight on, only x changes with it. */
static void aim(const StxScene *scene, SceneProbe *probe, double u)
{
  const StxCamera *camera = &scene->params.camera;
  if (scene->turned)
    probe->ray = stx_scene_ray(scene, (StxSceneEye)probe->eye, u, probe->v);
  else
    probe->ray.direction[0] = (u - camera->cx) / camera->focal;
}

/* Turns the row's probe to column u and casts it with the list of the tile around (x, y). */
static SceneContact cast_at(const StxScene *scene, SceneProbe *probe, double u, int x, int y)
{
  aim(scene, probe, u);
  if (scene->turned) {
    SceneProbe turned = stx_scene_probe(scene, &probe->ray);
    probe->road = turned.road;
    probe->walk = turned.walk;
  }
  SceneContact contact = stx_scene_ground_cast(scene, probe);
  size_t tile = (size_t)tile_of(scene, x, y);
  stx_scene_cast_pixel(scene, &probe->ray, x, y, scene->tile_list + tile * SCENE_MAX_OBJECTS,
      scene->tile_count[tile], &contact);
  if (scene->params.kind == STX_SCENE_CHESSBOARD)
    stx_scene_board_cast(scene, &probe->ray, &contact);
  return contact;
}

static void cast_row(const StxScene *scene, int eye, int y, SceneContact *row)
{
  SceneProbe probe = row_probe(scene, eye, y);
  for (int x = 0; x < scene->params.width; x++)
    row[x] = cast_at(scene, &probe, x, x, y);
}

/* ---- Contacts of a real camera --------------------------------------------------------------- */

/* The place in the rectified picture that a pixel shows; NULL: none. */
static const float *place_of(const StxScene *scene, int eye, int x, int y)
{
  const float *place = scene->real[eye].place[(size_t)y * (size_t)scene->params.width + (size_t)x];
  return isnan(place[0]) ? NULL : place;
}

/* Casts the ray through any point of the rectified picture, and leaves it in the probe. */
static SceneContact cast_through(
    const StxScene *scene, int eye, double u, double v, SceneProbe *probe)
{
  const SceneCover *sight = &scene->sight;
  *probe = row_probe(scene, eye, v);
  return cast_at(scene, probe, u,
      (int)scene_clamp((double)scene_floor(u + .5), sight->x0, sight->x1),
      (int)scene_clamp((double)scene_floor(v + .5), sight->y0, sight->y1));
}

static void cast_real_row(const StxScene *scene, int eye, int y, SceneContact *row)
{
  for (int x = 0; x < scene->params.width; x++) {
    const float *place = place_of(scene, eye, x, y);
    SceneProbe probe;
    row[x] = place != NULL ? cast_through(scene, eye, place[0], place[1], &probe)
                           : (SceneContact){.t = INFINITY, .object = HIT_NOTHING};
  }
}

/* True at an outline or an edge. Leaves of one tree do not count: they are ragged by nature. */
static bool differs(const StxScene *scene, const SceneContact *a, const SceneContact *b)
{
  if (a->object != b->object)
    return true;
  if (a->object == HIT_PIT)
    return a->face != b->face;
  if (a->object < 0 || scene->part[a->part].material == MATERIAL_LEAVES)
    return false;
  return a->part != b->part || a->face != b->face;
}

/* ---- Colours to bytes ------------------------------------------------------------------------ */

static uint8_t to_byte(float value)
{
  return (uint8_t)(value <= 0 ? 0 : value >= 255 ? 255 : (int)(value + .5f));
}

/* Gray levels that a drop adds to a pixel: in some bands of rows a column has a streak. */
static float streak(const StxScene *scene, int eye, int x, int y)
{
  uint64_t key = scene_key(scene->params.seed, KEY_RAIN + 1 + (unsigned)eye, (int64_t)scene->frame);
  uint64_t bits = scene_key(key, (unsigned)x, y / DROP_ROWS);
  int first = (int)(bits >> 8 & 7), rows = 8 + (int)(bits >> 16 & 7), at = y % DROP_ROWS - first;
  return (bits & 31) == 0 && at >= 0 && at < rows ? 20 + (float)(bits >> 24 & 31) : 0;
}

static void write_pixel(
    const StxScene *scene, uint64_t key, int x, const float value[3], int channels, uint8_t *row)
{
  float noisy[3] = {value[0], value[1], value[2]};
  if (scene->params.noise > 0) {
    float noise = (float)scene->params.noise * (stx_scene_traits(scene)->rain ? RAIN_NOISE : 1);
    uint64_t bits = scene_mix(key + (uint64_t)x * 0x9e3779b97f4a7c15u);
    for (int i = 0; i < 3; i++)
      noisy[i] += noise * scene_deviate(bits, i);
  }
  if (channels == 1)
    row[x] = to_byte(.299f * noisy[0] + .587f * noisy[1] + .114f * noisy[2]);
  else
    for (int i = 0; i < 3; i++)
      row[3 * x + i] = to_byte(noisy[i]);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Shared by the threads of one picture. */
typedef struct {
  StxScene *scene;
  int eye, channels;
  const StxImage8 *image;
} Job;

/* The colour of what was met counts a SAMPLES-th, or all. */
static void add_colour(const Job *job, const SceneContact *contact, const StxSceneRay *ray,
    float share, float value[3])
{
  SceneColour colour = stx_scene_shade(job->scene, contact, ray);
  for (int i = 0; i < 3; i++) { /* soft shoulder, then gamma 2: linear light → 0 … 255 */
    float light = 1.5f * colour[i];
    light = light * (1 + light * (1 / 5.3f)) / (1 + light);
    value[i] += share * (255 * sqrtf(light > 0 ? light : 0));
  }
}

/* The distance of a real camera's next pixel from this one, in the rectified picture. */
static void find_step(const Job *job, int x, int y, int dx, int dy, double step[2])
{
  const StxSceneParams *params = &job->scene->params;
  bool back = x + dx >= params->width || y + dy >= params->height;
  const float *here = place_of(job->scene, job->eye, x, y), *other = NULL;
  if (!back || (x >= dx && y >= dy))
    other = place_of(job->scene, job->eye, back ? x - dx : x + dx, back ? y - dy : y + dy);
  for (int i = 0; i < 2; i++)
    step[i] = other == NULL ? (i == 0 ? dx : dy) : (back ? -1 : 1) * (double)(other[i] - here[i]);
}

static void smooth_real_outline(const Job *job, int x, int y, const float place[2], float value[3])
{
  double across[2], down[2];
  find_step(job, x, y, 1, 0, across);
  find_step(job, x, y, 0, 1, down);
  for (int k = 0; k < SAMPLES; k++) {
    SceneProbe probe;
    double u = place[0] + SAMPLE_U[k] * across[0] + SAMPLE_V[k] * down[0];
    double v = place[1] + SAMPLE_U[k] * across[1] + SAMPLE_V[k] * down[1];
    SceneContact contact = cast_through(job->scene, job->eye, u, v, &probe);
    add_colour(job, &contact, &probe.ray, 1.f / SAMPLES, value);
  }
}

static void colour_real(
    const Job *job, int x, int y, const SceneContact *contact, bool outline, float value[3])
{
  const float *place = place_of(job->scene, job->eye, x, y);
  if (place == NULL)
    return;
  StxSceneRay ray = stx_scene_ray(job->scene, (StxSceneEye)job->eye, place[0], place[1]);
  if (outline)
    smooth_real_outline(job, x, y, place, value);
  else
    add_colour(job, contact, &ray, 1, value);
}

/* row points into contacts of which the rows above and below exist (or are itself at the rim). */
static void colour_row(const Job *job, int y, const SceneContact *row, const SceneContact *above,
    const SceneContact *below)
{
  StxScene *scene = job->scene;
  int width = scene->params.width;
  bool real = scene->params.calibration != NULL, rain = stx_scene_traits(scene)->rain;
  uint64_t exposed = scene_key(scene->params.seed, KEY_RAIN, (int64_t)(scene->frame / EXPOSED));
  float gain = rain ? (float)scene_between(&exposed, .5, 1.4) : 1; /* another every few frames */
  SceneProbe probe = row_probe(scene, job->eye, y), samples[SAMPLES];
  for (int k = 0; k < SAMPLES; k++)
    samples[k] = row_probe(scene, job->eye, y + SAMPLE_V[k]);
  uint64_t key =
      scene_key(scene_key(scene->params.seed, 3 + (unsigned)job->eye, (int64_t)scene->frame), 0, y);
  for (int x = 0; x < width; x++) {
    const SceneContact *c = &row[x];
    bool outline = differs(scene, c, &above[x]) || differs(scene, c, &below[x]) ||
                   (x > 0 && differs(scene, c, c - 1)) ||
                   (x + 1 < width && differs(scene, c, c + 1));
    float value[3] = {0, 0, 0};
    if (real) {
      colour_real(job, x, y, c, outline, value);
    } else if (outline) {
      for (int k = 0; k < SAMPLES; k++) {
        SceneContact contact = cast_at(scene, &samples[k], x + SAMPLE_U[k], x, y);
        add_colour(job, &contact, &samples[k].ray, 1.f / SAMPLES, value);
      }
    } else {
      aim(scene, &probe, x);
      add_colour(job, c, &probe.ray, 1, value);
    }
    if (rain) {
      float drop = streak(scene, job->eye, x, y);
      for (int i = 0; i < 3; i++)
        value[i] = gain * value[i] + drop;
    }
    write_pixel(scene, key, x, value, job->channels, stx_row8(job->image, y));
  }
}

static SceneContact *own_rows(StxScene *scene, int worker)
{
  return scene->rows + (size_t)worker * (SCENE_BLOCK + 2) * (size_t)scene->params.width;
}

static void colour_block(void *data, int i, int worker)
{
  const Job *job = data;
  StxScene *scene = job->scene;
  int height = scene->params.height, y0 = i * SCENE_BLOCK;
  int y1 = y0 + SCENE_BLOCK < height ? y0 + SCENE_BLOCK : height;
  int first = y0 > 0 ? y0 - 1 : 0, last = y1 < height ? y1 : height - 1;
  ptrdiff_t width = scene->params.width;
  SceneContact *rows = own_rows(scene, worker);
  for (int y = first; y <= last; y++)
    (scene->params.calibration != NULL ? cast_real_row : cast_row)(
        scene, job->eye, y, rows + (y - first) * width);
  for (int y = y0; y < y1; y++) {
    const SceneContact *row = rows + (y - first) * width;
    colour_row(job, y, row, y > 0 ? row - width : row, y + 1 < height ? row + width : row);
  }
}

void stx_scene_render(StxScene *scene, StxSceneEye eye, int channels, const StxImage8 *image)
{
  make_tiles(scene, (int)eye);
  Job job = {scene, (int)eye, channels, image};
  int blocks = (scene->params.height + SCENE_BLOCK - 1) / SCENE_BLOCK;
  stx_parallel(scene->threads, blocks, colour_block, &job);
}

/* ---- Truth ----------------------------------------------------------------------------------- */

typedef struct {
  StxScene *scene;
  const StxImage16 *disparity; /* or NULL */
  const StxImage8 *labels;     /* or NULL */
} Truth;

static void truth_row(void *data, int y, int worker)
{
  const Truth *truth = data;
  StxScene *scene = truth->scene;
  const StxImage16 *disparity = truth->disparity;
  const StxImage8 *labels = truth->labels;
  SceneContact *row = own_rows(scene, worker);
  const StxCamera *camera = &scene->params.camera;
  cast_row(scene, STX_SCENE_LEFT, y, row);
  for (int x = 0; x < scene->params.width; x++) {
    double steps = camera->focal * camera->baseline / row[x].t * STX_DISPARITY_ONE + .5;
    if (disparity != NULL)
      stx_row16(disparity, y)[x] = steps < 65536 ? (uint16_t)steps : STX_DISPARITY_UNKNOWN;
    if (labels == NULL)
      continue;
    StxSceneRay ray = stx_scene_ray(scene, STX_SCENE_LEFT, x, y);
    stx_row8(labels, y)[x] =
        (uint8_t)stx_scene_label(scene, &row[x], ray.origin[0] + row[x].t * ray.direction[0]);
  }
}

void stx_scene_truth(StxScene *scene, const StxImage16 *disparity, const StxImage8 *labels)
{
  make_tiles(scene, STX_SCENE_LEFT);
  Truth truth = {scene, disparity, labels};
  stx_parallel(scene->threads, scene->params.height, truth_row, &truth);
}
