/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands in a frame of stixels, and how far it is free. */
#include "common/obstacles/obstacles_private.h"

#include <math.h>

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

/* ---- Pieces --------------------------------------------------------------------------------- */

static bool is_known(float disparity)
{
  return disparity > 0 && isfinite(disparity);
}

/* Objects may lean: near is what their lower end is, and their own place what their middle is. */
static Piece piece_of(const StxObstacles *state, const StxObstaclesFrame *frame, const StxStixel *s)
{
  const StxCamera *camera = &frame->camera;
  double metre = camera->focal * camera->baseline, low = (double)s->disparity_bottom;
  double high = is_known(s->disparity_top) ? (double)s->disparity_top : low;
  double left = (double)s->column * frame->stixel_width - .5;
  double right = fmin(left + frame->stixel_width, frame->width - .5);
  double z = metre / low, cy = stx_obstacles_centre_row(camera, frame);
  return (Piece){.z = (float)z,
      .range = (float)z,
      .middle = (float)(2 * metre / (low + high)),
      .z_top = (float)(metre / high),
      .left = (float)((left - camera->cx) * z / camera->focal),
      .right = (float)((right - camera->cx) * z / camera->focal),
      .top = (float)((s->top - .5 - cy) * metre / high / camera->focal),
      .bottom = (float)((s->bottom + .5 - cy) * z / camera->focal),
      .ground = stx_obstacles_road_at(state, z),
      .weight = (float)((right - left) * (s->bottom - s->top + 1)),
      .confidence = s->confidence,
      .column = s->column,
      .label = s->label,
      .cut = s->top == 0};
}

/* False if it is no object, not measured, or too low to be in the way. */
static bool make_piece(StxObstacles *state, const StxObstaclesFrame *frame, size_t i, Piece *piece)
{
  const StxStixel *s = &frame->stixels[i];
  if (s->kind != STX_KIND_OBJECT || !is_known(s->disparity_bottom))
    return false;
  *piece = piece_of(state, frame, s);
  piece->record = (uint32_t)i;
  piece->group = (uint32_t)state->count;
  piece->near = piece->far = piece->middle;
  piece->group_left = piece->left;
  piece->group_right = piece->right;
  piece->high = piece->ground - piece->top;
  return !((double)piece->high < .5 * state->params.min_height);
}

static void find_pieces(StxObstacles *state, const StxObstaclesFrame *frame, int columns)
{
  int column = 0;
  state->count = 0;
  for (size_t i = 0; i < frame->count; i++) {
    for (; column <= frame->stixels[i].column; column++)
      state->starts[column] = (uint32_t)state->count;
    state->count += make_piece(state, frame, i, &state->pieces[state->count]);
  }
  for (; column <= columns; column++)
    state->starts[column] = (uint32_t)state->count;
}

/* ---- Free space ----------------------------------------------------------------------------- */

static StxFreeSpace free_until(
    const StxObstacles *state, const StxObstaclesFrame *frame, uint32_t column, bool seen)
{
  const Piece *best = NULL;
  for (uint32_t i = state->starts[column]; i < state->starts[column + 1]; i++)
    if (stx_obstacles_is_low(state, &state->pieces[i]) &&
        (best == NULL || state->pieces[i].z < best->z))
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
  stx_obstacles_find_road(state, frame);
  find_pieces(state, frame, (int)columns);
  stx_obstacles_group(state, &frame->camera, columns);
  find_free_space(state, frame, columns);
}
