/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* occupancy: the table of fields, the state, how the grid moves, and what is added to it. */
#include "common/occupancy/occupancy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory/memory.h"
#include "common/metres_private.h"
#include "common/occupancy/occupancy_private.h"
#include "common/rotation.h"

#define WAITS 5            /* frames in a row of which the motion is not known */
#define LATE .25           /* of the time between frames: a motion of another time */
#define NO_TIME_STEP .1    /* s: between frames without a time */
#define SAYS_SOMETHING 200 /* thousandths of log-odds: less is unknown */

/* ---- Fields --------------------------------------------------------------------------------- */

#define FIELD(kind, member) STX_FIELD(kind, StxOccupancyParams, member)
#define METRES(member, least, most) FIELD(DOUBLE, member), .low = least, .high = most, .unit = "m"

static const StxFieldChoice motions[] = {
    {STX_OCCUPANCY_GIVEN, "given", "From GstStxMotionMeta; frames without it stand alone", NULL},
    {STX_OCCUPANCY_NONE, "none", "Standing still", NULL},
    {STX_OCCUPANCY_ALONE, "alone", "No memory", NULL},
    {0, NULL, NULL, NULL},
};
static const StxField fields[] = {
    {"resolution", "Resolution", "Side of a cell, metres", METRES(resolution, .05, 10)},
    {"size", "Size", "Side of the grid, metres", METRES(size, 10, 400)},
    {"lead", "Lead", "Grid centre ahead of the sensor, metres", METRES(lead, -250, 250)},
    {"max-distance", "Farthest distance", "Distance up to which measurements count, metres",
        METRES(max_distance, 1, 250)},
    {"uncertainty", "Uncertainty", "Standard deviation of an object's disparity, pixels",
        FIELD(DOUBLE, uncertainty), .high = 10, .unit = "px"},
    {"min-height", "Least height", "Height of the lowest obstacle, metres",
        METRES(min_height, 0, 2)},
    {"clearance", "Clearance", "Clear height above the ground, metres", METRES(clearance, .2, 100)},
    {"motion", "Motion", "Motion of the sensor", FIELD(CHOICE, motion), .choices = motions},
    {"memory", "Memory", "Half-life of unconfirmed cells, seconds (0 = forever)",
        FIELD(DOUBLE, memory), .high = 3600, .unit = "s"},
};
static const StxOccupancyParams defaults = STX_OCCUPANCY_DEFAULTS;
STX_FIELDS_CHECK(stx_occupancy_check)
const StxFields stx_occupancy_fields = {
    STX_FIELDS_OF(fields), &defaults, .check = stx_occupancy_check_any};

static const StxImplInfo impls[] = {{"omp", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}};
const StxImplTable stx_occupancy_impls = {impls, 1, sizeof impls[0]};

int stx_occupancy_side(const StxOccupancyParams *params)
{
  return (int)ceil(params->size / params->resolution - 1e-9);
}

bool stx_occupancy_check(const StxOccupancyParams *params, StxError *error)
{
  if (!stx_fields_check(&stx_occupancy_fields, params, error))
    return false;
  if (params->min_height > params->clearance)
    return stx_fail(error,
        "min-height is %g m, above the clearance of %g m: nothing would be in "
        "the way",
        params->min_height, params->clearance);
  return stx_occupancy_side(params) <= STX_OCCUPANCY_MAX_SIDE ||
         stx_fail(error,
             "a grid of %g m in cells of %g m has %d cells along a side: %d at most; choose a "
             "larger resolution or a smaller size",
             params->size, params->resolution, stx_occupancy_side(params), STX_OCCUPANCY_MAX_SIDE);
}

/* ---- State ---------------------------------------------------------------------------------- */

StxOccupancy *stx_occupancy_new(void)
{
  StxOccupancy *state = calloc(1, sizeof *state);
  if (state == NULL)
    return NULL;
  for (int i = -OCCUPANCY_LIMIT; i <= OCCUPANCY_LIMIT; i++)
    state->value_of[i + OCCUPANCY_LIMIT] = abs(i) < SAYS_SOMETHING
                                               ? STX_OCCUPANCY_UNKNOWN
                                               : (int8_t)lround(100 / (1 + exp(-i / 1000.0)));
  return state;
}

void stx_occupancy_free(StxOccupancy *state)
{
  if (state == NULL)
    return;
  free(state->memory);
  free(state->frame_memory);
  free(state);
}

void stx_occupancy_reset(StxOccupancy *state)
{
  state->begun = false;
}

static size_t lay_out_cells(StxOccupancy *state, char *memory, size_t cells)
{
  StxLayout layout = {memory, 0};
  STX_TAKE(&layout, state->odds, cells);
  STX_TAKE(&layout, state->spare, cells);
  STX_TAKE(&layout, state->values, cells);
  STX_TAKE(&layout, state->points, cells);
  return layout.size;
}

static size_t lay_out_frame(StxOccupancy *state, char *memory, size_t stixels, size_t columns)
{
  StxLayout layout = {memory, 0};
  STX_TAKE(&layout, state->things, stixels);
  STX_TAKE(&layout, state->column, columns);
  return layout.size;
}

/* Puts new memory in the place of this one. */
static bool exchange(void **memory, size_t size, StxError *error)
{
  void *made = stx_allocate(size);
  if (made == NULL) {
    stx_fail(error, "there is no memory for an occupancy grid: %zu bytes are needed", size);
    return stx_fail_as(error, STX_ERROR_MEMORY);
  }
  free(*memory);
  *memory = made;
  return true;
}

bool stx_occupancy_prepare(StxOccupancy *state, const StxOccupancyParams *params, size_t stixels,
    size_t columns, StxError *error)
{
  if (!stx_occupancy_check(params, error))
    return false;
  if (stixels > STX_OCCUPANCY_MAX_RECORDS || columns > STX_OCCUPANCY_MAX_COLUMNS)
    return stx_fail(error, "%zu stixels in %zu columns: %d in %d at most", stixels, columns,
        STX_OCCUPANCY_MAX_RECORDS, STX_OCCUPANCY_MAX_COLUMNS);
  int side = stx_occupancy_side(params);
  if (stixels > state->room || columns > state->columns) {
    StxOccupancy measured;
    stixels = stixels > state->room ? stixels : state->room;
    columns = columns > state->columns ? columns : state->columns;
    size_t size = lay_out_frame(&measured, NULL, stixels, columns);
    if (!exchange(&state->frame_memory, size, error))
      return false;
    lay_out_frame(state, state->frame_memory, stixels, columns);
    state->room = stixels;
    state->columns = columns;
  }
  if (side != state->side) {
    StxOccupancy measured;
    size_t cells = (size_t)side * (size_t)side;
    if (!exchange(&state->memory, lay_out_cells(&measured, NULL, cells), error))
      return false;
    lay_out_cells(state, state->memory, cells);
    state->begun = false;
  }
  if (params->resolution != state->params.resolution)
    state->begun = false;
  state->side = side;
  state->params = *params;
  return true;
}

/* ---- What is refused ------------------------------------------------------------------------ */

static bool check_motion(const StxMotion *motion, StxError *error)
{
  double sum = 0;
  if (motion == NULL || motion->state != STX_MOTION_KNOWN)
    return true;
  for (int i = 0; i < 9; i++)
    sum += motion->rotation[i] + (i < 3 ? motion->translation[i] : 0);
  if (!isfinite(sum))
    return stx_fail(error, "the sensor's motion has a number that is not finite");
  return stx_is_rotation(motion->rotation) ||
         stx_fail(error, "the sensor's motion has a rotation that is none: its rows must be of "
                         "length 1, at right angles; that of a sensor which does not turn is "
                         "1 0 0 0 1 0 0 0 1");
}

static bool check_frame(const StxOccupancy *state, const StxOccupancyFrame *frame, StxError *error)
{
  if (frame->point_count > 0 && (frame->points == NULL || frame->labels == NULL))
    return stx_fail(error, "there are %zu points, but no %s", frame->point_count,
        frame->points == NULL ? "pointer to them" : "labels: put lidar-ground before it");
  if (!check_motion(frame->motion, error))
    return false;
  if (frame->count == 0 && frame->width == 0)
    return true;
  StxStixelsRoom room = {
      state->room, state->columns, "an occupancy grid is", "an occupancy grid needs", false};
  return stx_stixels_check(frame->stixels, frame->count,
      (int[]){frame->width, frame->height, frame->stixel_width}, &frame->camera, &room, error);
}

/* ---- Where the sensor is -------------------------------------------------------------------- */

/* The grid is empty, and the axes are the sensor's. */
static void begin(StxOccupancy *state, bool fixed)
{
  memset(state->odds, 0, sizeof *state->odds * (size_t)state->side * (size_t)state->side);
  state->x = state->y = state->yaw = 0;
  state->first_x = state->first_y = NAN;
  state->motion.state = STX_MOTION_FIRST;
  state->unknown = 0;
  state->fixed = fixed;
  state->epoch += fixed || state->epoch == 0;
  state->begun = true;
}

static double length(const double *v)
{
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Follows a motion that is given. Returns why it could not be followed, or NULL. */
static const char *follow(StxOccupancy *state, const StxOccupancyFrame *frame, double step)
{
  const StxMotion *motion = frame->motion;
  if (motion->state == STX_MOTION_FIRST)
    return "the motion begins anew";
  if (motion->state == STX_MOTION_KNOWN) {
    bool timed = frame->interval != STX_OCCUPANCY_NO_TIME && frame->interval != 0 &&
                 frame->time != STX_OCCUPANCY_NO_TIME && state->time != STX_OCCUPANCY_NO_TIME;
    if (timed && fabs((double)frame->interval * 1e-9 - step) > LATE * step)
      return "frames between were lost, and their motion with them";
    if (length(motion->translation) > state->params.size)
      return "the sensor moved by more than the size of the grid";
    state->motion = *motion;
    state->unknown = 0;
  } else if (state->motion.state != STX_MOTION_KNOWN || ++state->unknown > WAITS)
    return "the motion could not be found";
  /* The sensor's way in the plane, in its axes of before, and its new heading. */
  const double *r = state->motion.rotation, *t = state->motion.translation;
  double right = -(r[0] * t[0] + r[3] * t[1] + r[6] * t[2]);
  double ahead = -(r[2] * t[0] + r[5] * t[1] + r[8] * t[2]);
  double c = cos(state->yaw), s = sin(state->yaw);
  state->x += c * ahead + s * right;
  state->y += s * ahead - c * right;
  state->yaw = remainder(state->yaw + atan2(-r[6], r[8]), 2 * M_PI);
  return NULL;
}

/* Returns why a stream that went on could not be followed, or NULL. */
static const char *move(StxOccupancy *state, const StxOccupancyFrame *frame, double step)
{
  StxOccupancyMotion kind = state->params.motion;
  bool alone =
      kind == STX_OCCUPANCY_ALONE || (kind == STX_OCCUPANCY_GIVEN && frame->motion == NULL);
  if (alone || !state->begun || !state->fixed) {
    begin(state, !alone);
    return NULL;
  }
  const char *lost = kind == STX_OCCUPANCY_GIVEN ? follow(state, frame, step) : NULL;
  if (lost != NULL)
    begin(state, true);
  return lost;
}

/* ---- The grid ------------------------------------------------------------------------------- */

/* Row by row what stays in the grid, if it begins so many cells farther along x and y. */
static void shift(StxOccupancy *state, double by_x, double by_y)
{
  double side = state->side;
  size_t n = (size_t)state->side;
  int16_t *odds = state->odds;
  memset(state->spare, 0, sizeof *odds * n * n);
  if (fabs(by_x) < side && fabs(by_y) < side) {
    int x = (int)by_x, y = (int)by_y, kept = state->side - abs(x);
    for (int row = y < 0 ? -y : 0; row < state->side && row + y < state->side; row++)
      memcpy(&state->spare[(size_t)row * n + (size_t)(x < 0 ? -x : 0)],
          &odds[(size_t)(row + y) * n + (size_t)(x > 0 ? x : 0)], sizeof *odds * (size_t)kept);
  }
  state->odds = state->spare;
  state->spare = odds;
}

/* The grid follows the sensor. */
static void recentre(StxOccupancy *state)
{
  const StxOccupancyParams *params = &state->params;
  double half = state->side * params->resolution / 2;
  double x = floor((state->x + cos(state->yaw) * params->lead - half) / params->resolution + .5);
  double y = floor((state->y + sin(state->yaw) * params->lead - half) / params->resolution + .5);
  if (!isnan(state->first_x) && (x != state->first_x || y != state->first_y))
    shift(state, x - state->first_x, y - state->first_y);
  state->first_x = x;
  state->first_y = y;
}

static void add(StxOccupancy *state, const StxOccupancyFrame *frame)
{
  double cell = state->params.resolution, c = cos(state->yaw), s = sin(state->yaw);
  for (int row = 0; row < state->side; row++)
    for (int column = 0; column < state->side; column++) {
      size_t i = (size_t)row * (size_t)state->side + (size_t)column;
      double x = (state->first_x + column + .5) * cell - state->x;
      double y = (state->first_y + row + .5) * cell - state->y;
      Spot spot = {c * x + s * y, c * y - s * x};
      int odds = state->odds[i];
      if (frame->width > 0)
        odds += stx_occupancy_by_stixels(state, frame, &spot);
      if (frame->point_count > 0)
        odds += stx_occupancy_by_scan(state, i, &spot);
      odds = odds > OCCUPANCY_LIMIT ? OCCUPANCY_LIMIT : odds;
      state->odds[i] = (int16_t)(odds < OCCUPANCY_LEAST ? OCCUPANCY_LEAST : odds);
    }
}

static void tell(StxOccupancy *state, const char *lost, StxOccupancyResult *result)
{
  size_t cells = (size_t)state->side * (size_t)state->side;
  for (size_t i = 0; i < cells; i++)
    state->values[i] = state->value_of[state->odds[i] + OCCUPANCY_LIMIT];
  *result = (StxOccupancyResult){.cells = state->values,
      .width = state->side,
      .height = state->side,
      .resolution = state->params.resolution,
      .origin_x = state->first_x * state->params.resolution,
      .origin_y = state->first_y * state->params.resolution,
      .fixed = state->fixed,
      .epoch = state->epoch,
      .x = state->x,
      .y = state->y,
      .yaw = state->yaw,
      .lost = lost};
}

bool stx_occupancy_update(StxOccupancy *state, const StxOccupancyFrame *frame,
    StxOccupancyResult *result, StxError *error)
{
  *result = (StxOccupancyResult){0};
  if (state->side == 0)
    return stx_fail(error, "an occupancy grid has to be prepared before its first frame");
  if (!check_frame(state, frame, error))
    return false;
  bool timed = frame->time != STX_OCCUPANCY_NO_TIME && state->time != STX_OCCUPANCY_NO_TIME &&
               frame->time > state->time;
  double step = timed ? (double)(frame->time - state->time) * 1e-9 : NO_TIME_STEP;
  bool again = state->begun && state->fixed && frame->motion != NULL &&
               frame->motion->state == STX_MOTION_STILL;
  const char *lost = again ? NULL : move(state, frame, step);
  if (!again) {
    recentre(state);
    size_t cells = (size_t)state->side * (size_t)state->side;
    bool forgets = state->params.memory > 0;
    int32_t kept = forgets ? (int32_t)(exp2(-step / state->params.memory) * 32768) : 32768;
    for (size_t i = 0; i < cells && forgets; i++)
      state->odds[i] = (int16_t)(state->odds[i] * kept / 32768);
    if (frame->width > 0)
      stx_occupancy_look_at_stixels(state, frame);
    if (frame->point_count > 0)
      stx_occupancy_look_at_scan(state, frame);
    add(state, frame);
    state->time = frame->time;
  }
  tell(state, lost, result);
  return true;
}

static uint8_t gray_of(int8_t value)
{
  return value < 0    ? STX_OCCUPANCY_GRAY_UNKNOWN
         : value < 50 ? STX_OCCUPANCY_GRAY_FREE
                      : STX_OCCUPANCY_GRAY_OCCUPIED;
}

void stx_occupancy_draw(const StxOccupancyResult *grid, const StxImage8 *picture)
{
  for (int row = 0; row < grid->height; row++)
    for (int column = 0; column < grid->width; column++)
      stx_row8(picture, grid->height - 1 - row)[column] =
          gray_of(grid->cells[(size_t)row * (size_t)grid->width + (size_t)column]);
}
