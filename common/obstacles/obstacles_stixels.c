/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands in a frame of stixels, and what of it belongs together. */
#include "common/obstacles/obstacles_private.h"

#include <math.h>
#include <stdlib.h>

#define SLOPE_LENGTH 20  /* m: beyond what is seen the road goes on as its last so many */
#define OCCLUDED_GAP 1.5 /* m: across what stands before it, a thing goes on for so far */

/* ---- What is refused ------------------------------------------------------------------------ */

static bool check_camera(const StxCamera *camera, StxError *error)
{
  const char *missing = !(camera->focal > 0)              ? "focal length"
                        : !(camera->baseline > 0)         ? "baseline"
                        : camera->missing & STX_CAMERA_CX ? "principal point's column, cx,"
                                                          : NULL;
  if (missing == NULL)
    return true;
  return stx_fail(error,
      "obstacles are in metres, but the camera's %s is unknown: set calibration=FILE or the "
      "properties focal, cx and baseline where the stixels come from",
      missing);
}

static bool check_stixel(const StxObstaclesFrame *frame, size_t i, int columns, StxError *error)
{
  const StxStixel *s = &frame->stixels[i], *before = i > 0 ? s - 1 : NULL;
  if (s->kind == STX_KIND_SEGMENT)
    return stx_fail(error,
        "stixel %zu is a segment, which knows neither ground nor objects: "
        "obstacles need stixels of sat-dp-stixels, not of rdp-columns",
        i);
  if (s->column >= columns || s->top > s->bottom || s->bottom >= frame->height)
    return stx_fail(error,
        "stixel %zu lies in column %d, rows %d to %d: outside of %d columns, %d "
        "rows",
        i, s->column, s->top, s->bottom, columns, frame->height);
  if (before != NULL &&
      (before->column > s->column || (before->column == s->column && before->top <= s->bottom)))
    return stx_fail(error,
        "stixel %zu comes before its place: they must be sorted by column, then "
        "from the bottom up",
        i);
  return true;
}

bool stx_obstacles_check_frame(
    const StxObstacles *state, const StxObstaclesFrame *frame, StxError *error)
{
  if (frame->width < 1 || frame->height < 1 || frame->stixel_width < 1)
    return stx_fail(error, "image of %d x %d pixels in columns of %d: all must be 1 or more",
        frame->width, frame->height, frame->stixel_width);
  int columns = (frame->width - 1) / frame->stixel_width + 1;
  if (frame->count > state->records || (size_t)columns > state->directions)
    return stx_fail(error, "%zu stixels in %d columns: room was made for %zu in %zu", frame->count,
        columns, state->records, state->directions);
  if (frame->count > 0 && frame->stixels == NULL)
    return stx_fail(error, "there are %zu stixels, but no pointer to them", frame->count);
  if (!check_camera(&frame->camera, error))
    return false;
  for (size_t i = 0; i < frame->count; i++)
    if (!check_stixel(frame, i, columns, error))
      return false;
  return true;
}

/* ---- The ground ----------------------------------------------------------------------------- */

static double row_of(const StxCamera *camera, const StxObstaclesFrame *frame)
{
  return camera->missing & STX_CAMERA_CY ? .5 * (frame->height - 1) : camera->cy;
}

/* Adds the heights of one ground stixel at every whole metre that it covers. */
static void add_ground(StxObstacles *state, const StxObstaclesFrame *frame, const StxStixel *s)
{
  const StxCamera *camera = &frame->camera;
  double near = s->disparity_bottom, far = s->disparity_top,
         scale = camera->focal * camera->baseline;
  if (!(near > far) || !(far >= 0) || !isfinite(near) || s->bottom == s->top)
    return;
  double reach = far > 0 ? scale / far : INFINITY, cy = row_of(camera, frame);
  double rows = (s->bottom - s->top) / (near - far);
  int first = (int)fmin(ceil(scale / near), OBSTACLES_GROUND);
  for (int z = first > 1 ? first : 1; z < OBSTACLES_GROUND && z <= reach; z++) {
    double row = s->bottom - (near - scale / z) * rows;
    state->ground[z] += (float)((row - cy) * z / camera->focal);
    state->weights[z] += 1;
  }
}

/* Goes on with the slope of up to SLOPE_LENGTH metres, from `from` on, to the end of the table that
 * lies in direction `step`. */
static void extend_ground(float *ground, int from, int other, int step)
{
  int length = abs(other - from) < SLOPE_LENGTH ? abs(other - from) : SLOPE_LENGTH;
  float slope = length > 0 ? (ground[from] - ground[from - step * length]) / (float)length : 0;
  for (int z = from + step; z >= 0 && z < OBSTACLES_GROUND; z += step)
    ground[z] = ground[z - step] + slope;
}

/* Fills what no stixel covers; false if that is all. */
static bool fill_ground(float *ground, const float *weights)
{
  int first = 0, last = 0;
  for (int z = 1; z < OBSTACLES_GROUND; z++) {
    if (!(weights[z] > 0))
      continue;
    ground[z] /= weights[z];
    for (int i = last + 1; last > 0 && i < z; i++)
      ground[i] = ground[last] + (ground[z] - ground[last]) * (float)(i - last) / (float)(z - last);
    first = first > 0 ? first : z;
    last = z;
  }
  if (first == 0)
    return false;
  extend_ground(ground, first, last, -1);
  extend_ground(ground, last, first, 1);
  return true;
}

/* The road by whole metres ahead, in y. */
static void find_ground(StxObstacles *state, const StxObstaclesFrame *frame)
{
  const StxCamera *camera = &frame->camera;
  for (int z = 0; z < OBSTACLES_GROUND; z++)
    state->ground[z] = state->weights[z] = 0;
  for (size_t i = 0; i < frame->count; i++)
    if (frame->stixels[i].kind == STX_KIND_GROUND)
      add_ground(state, frame, &frame->stixels[i]);
  if (fill_ground(state->ground, state->weights))
    return;
  bool known = stx_camera_has_ground(camera);
  for (int z = 0; z < OBSTACLES_GROUND; z++)
    state->ground[z] =
        known ? (float)(camera->height / cos(camera->pitch) - z * tan(camera->pitch)) : NAN;
}

static float ground_at(const StxObstacles *state, double z)
{
  int i = z < OBSTACLES_GROUND - 1 ? (int)z : OBSTACLES_GROUND - 2;
  double part = fmin(z - i, 1);
  return (float)(state->ground[i] + part * (double)(state->ground[i + 1] - state->ground[i]));
}

/* ---- Pieces --------------------------------------------------------------------------------- */

static bool is_known(float disparity)
{
  return disparity > 0 && isfinite(disparity);
}

/* False if it is no object, not measured, or too low to be in the way. */
static bool make_piece(
    const StxObstacles *state, const StxObstaclesFrame *frame, size_t i, Piece *piece)
{
  const StxStixel *s = &frame->stixels[i];
  const StxCamera *camera = &frame->camera;
  if (s->kind != STX_KIND_OBJECT || !is_known(s->disparity_bottom))
    return false;
  double d = is_known(s->disparity_top)
                 ? .5 * ((double)s->disparity_bottom + (double)s->disparity_top)
                 : (double)s->disparity_bottom;
  double z = camera->focal * camera->baseline / d, scale = z / camera->focal;
  double left = (double)s->column * frame->stixel_width - .5, cy = row_of(camera, frame);
  double right = fmin(left + frame->stixel_width, frame->width - .5);
  double ground = (double)ground_at(state, z);
  *piece = (Piece){.record = (uint32_t)i,
      .left = (float)((left - camera->cx) * scale),
      .right = (float)((right - camera->cx) * scale),
      .z = (float)z,
      .range = (float)z,
      .top = (float)((s->top - .5 - cy) * scale),
      .bottom = (float)((s->bottom + .5 - cy) * scale),
      .ground = (float)ground,
      .weight = (float)((right - left) * (s->bottom - s->top + 1)),
      .confidence = s->confidence,
      .column = s->column,
      .label = s->label};
  return !(ground - (double)piece->top < .5 * state->params.min_height);
}

static bool stands(const StxObstacles *state, const Piece *piece)
{
  return !(piece->ground - piece->bottom > (float)state->params.clearance);
}

static void find_pieces(StxObstacles *state, const StxObstaclesFrame *frame, int columns)
{
  int column = 0;
  state->count = 0;
  for (size_t i = 0; i < frame->count; i++) {
    Piece *piece = &state->pieces[state->count];
    for (; column <= frame->stixels[i].column; column++)
      state->starts[column] = (uint32_t)state->count;
    if (make_piece(state, frame, i, piece)) {
      piece->group = (uint32_t)state->count;
      state->count++;
    }
  }
  for (; column <= columns; column++)
    state->starts[column] = (uint32_t)state->count;
}

/* ---- What belongs together ------------------------------------------------------------------ */

/* Vehicles, and people with what they ride, are told apart less surely than the rest. */
static int family_of(uint8_t label)
{
  static const uint8_t families[19] = {0, 0, 2, 2, 2, 3, 3, 3, 4, 0, 0, 5, 5, 6, 6, 6, 6, 5, 5};
  return label < 19 ? families[label] : 0;
}

static bool classes_agree(const Piece *a, const Piece *b)
{
  int of_a = family_of(a->label), of_b = family_of(b->label);
  return of_a == 0 || of_b == 0 || of_a == of_b;
}

static bool depths_agree(
    const StxObstacles *state, const StxCamera *camera, const Piece *a, const Piece *b)
{
  double z = fmin(a->z, b->z), step = state->params.disparity_step;
  double noise = z * z / (camera->focal * camera->baseline) * step;
  return fabsf(a->z - b->z) <= (float)(state->params.depth_step + noise);
}

static bool share_height(const Piece *a, const Piece *b)
{
  return a->ground - a->bottom < b->ground - b->top && b->ground - b->bottom < a->ground - a->top;
}

static uint32_t root_of(Piece *pieces, uint32_t i)
{
  for (; pieces[i].group != i; i = pieces[i].group)
    pieces[i].group = pieces[pieces[i].group].group;
  return i;
}

static void join(Piece *pieces, uint32_t a, uint32_t b)
{
  a = root_of(pieces, a);
  b = root_of(pieces, b);
  pieces[a > b ? a : b].group = a < b ? a : b;
}

/* Joins a piece to those of one column to its right; says whether there was one, and whether all
 * that is there stands nearer and hides what is behind. */
static bool join_across(
    StxObstacles *state, const StxCamera *camera, uint32_t i, uint32_t column, bool *hidden)
{
  bool joined = false;
  *hidden = false;
  for (uint32_t k = state->starts[column]; k < state->starts[column + 1]; k++) {
    const Piece *a = &state->pieces[i], *b = &state->pieces[k];
    bool same_height = isnan(a->ground + b->ground) || share_height(a, b);
    if (!depths_agree(state, camera, a, b)) {
      *hidden = *hidden || (same_height && b->z < a->z);
    } else if (same_height && classes_agree(a, b)) {
      join(state->pieces, i, k);
      joined = true;
    }
  }
  return joined;
}

static void join_to_the_right(
    StxObstacles *state, const StxCamera *camera, uint32_t i, uint32_t columns)
{
  const Piece *piece = &state->pieces[i];
  double width = (double)(piece->right - piece->left), open = 0, all = 0;
  for (uint32_t c = piece->column + 1u; c < columns; c++) {
    bool hidden;
    if (join_across(state, camera, i, c, &hidden))
      return;
    open += hidden ? 0 : width;
    all += width;
    if (open > state->params.gap || all > fmax(OCCLUDED_GAP, state->params.gap))
      return;
  }
}

/* Joins what stands upon another thing as far away. */
static void join_upwards(StxObstacles *state, const StxCamera *camera, uint32_t column)
{
  for (uint32_t i = state->starts[column]; i + 1 < state->starts[column + 1]; i++)
    for (uint32_t k = i + 1; k < state->starts[column + 1]; k++) {
      const Piece *a = &state->pieces[i], *b = &state->pieces[k];
      if (depths_agree(state, camera, a, b) && classes_agree(a, b))
        join(state->pieces, i, k);
    }
}

/* ---- Free space ----------------------------------------------------------------------------- */

static StxFreeSpace free_until(
    const StxObstacles *state, const StxObstaclesFrame *frame, uint32_t column, bool seen)
{
  const Piece *best = NULL;
  for (uint32_t i = state->starts[column]; i < state->starts[column + 1]; i++)
    if (stands(state, &state->pieces[i]) && (best == NULL || state->pieces[i].z < best->z))
      best = &state->pieces[i];
  state->nearest[column] = best != NULL ? (uint32_t)(best - state->pieces) : OBSTACLES_NONE;
  if (best == NULL)
    return (StxFreeSpace){NAN, seen ? INFINITY : NAN, 0, STX_FREE_NO_OBSTACLE};
  return (StxFreeSpace){.5f * (best->left + best->right), best->z,
      frame->stixels[best->record].bottom, STX_FREE_NO_OBSTACLE};
}

/* Whether a column shows ground. */
static void find_free_space(StxObstacles *state, const StxObstaclesFrame *frame, uint32_t columns)
{
  size_t i = 0;
  for (uint32_t c = 0; c < columns; c++) {
    bool seen = false;
    for (; i < frame->count && frame->stixels[i].column == c; i++)
      seen = seen || (frame->stixels[i].kind == STX_KIND_GROUND &&
                         is_known(frame->stixels[i].disparity_bottom));
    state->free_space[c] = free_until(state, frame, c, seen);
  }
}

void stx_obstacles_stand(StxObstacles *state, const StxObstaclesFrame *frame)
{
  uint32_t columns = (uint32_t)((frame->width - 1) / frame->stixel_width + 1);
  find_ground(state, frame);
  find_pieces(state, frame, (int)columns);
  for (uint32_t c = 0; c < columns; c++) {
    join_upwards(state, &frame->camera, c);
    for (uint32_t i = state->starts[c]; i < state->starts[c + 1]; i++)
      join_to_the_right(state, &frame->camera, i, columns);
  }
  for (uint32_t i = 0; i < state->count; i++)
    state->pieces[i].group = root_of(state->pieces, i);
  find_free_space(state, frame, columns);
}
