/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hazards: the table of fields, memory, and what a frame goes through. */
#include "common/hazards/hazards.h"
#include "common/hazards/hazards_private.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory/memory.h"
#include "common/parallel.h"

/* ---- Fields ---------------------------------------------------------------------------------- */

#define FIELD(kind, member) STX_FIELD(kind, StxHazardsParams, member)
#define METRES(member, least, most) FIELD(DOUBLE, member), .low = least, .high = most, .unit = "m"

static const StxField fields[] = {
    {"max-distance", "Farthest distance", "Distance of the farthest hazards, metres",
        METRES(max_distance, 2, 100)},
    {"min-height", "Least height", "Smallest height or depth, metres", METRES(min_height, 0.01, 1)},
    {"max-height", "Greatest height", "Height of the highest hazard, metres",
        METRES(max_height, 0.05, 2)},
    {"min-width", "Least width", "Width of the narrowest hazard, metres", METRES(min_width, 0, 10)},
    {"window", "Window", "Width of a tested patch, metres", METRES(window, 0.05, 2)},
    {"evidence", "Evidence", "Smallest log likelihood ratio of a hazard to bare road, nats",
        FIELD(DOUBLE, evidence), .low = 1, .high = 2000, .unit = "nat"},
    {"confirm", "Confirm",
        "Of the last frames, one more than this, so many have to show a small thing, if the "
        "camera's motion is known",
        FIELD(INT, confirm), .low = 1, .high = STX_HAZARDS_MOST_FRAMES},
    {"max-hazards", "Most hazards", "Most hazards per frame, the nearest", FIELD(INT, max_hazards),
        .low = 1, .high = STX_HAZARDS_MAX},
};
static const StxHazardsParams defaults = STX_HAZARDS_DEFAULTS;
STX_FIELDS_CHECK(stx_hazards_check)
const StxFields stx_hazards_fields = {
    STX_FIELDS_OF(fields), &defaults, .check = stx_hazards_check_any};

bool stx_hazards_check(const StxHazardsParams *params, StxError *error)
{
  if (!stx_fields_check(&stx_hazards_fields, params, error))
    return false;
  if (params->min_height > params->max_height)
    return stx_fail(error, "min_height is %g m, must be at most max_height, which is %g m",
        params->min_height, params->max_height);
  return true;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

struct StxHazards {
  void *memory;
  size_t size; /* bytes of it */
  StxHazardsWork work;
  double *scratch; /* of the ground: tiles, and points of three numbers each */
  uint32_t *stack;
  StxHazardsPlaces places;
  StxHazardsSeen seen[STX_HAZARDS_MAX];
  StxObstacle hazards[STX_HAZARDS_MAX];
};

StxHazards *stx_hazards_new(void)
{
  return calloc(1, sizeof(StxHazards));
}

void stx_hazards_reset(StxHazards *state)
{
  state->places.count = 0;
  state->places.confirm = 0;
}

void stx_hazards_free(StxHazards *state)
{
  if (state != NULL)
    free(state->memory);
  free(state);
}

/* Takes all arrays, or measures them. */
static size_t lay_out(StxHazards *state, char *memory, int threads)
{
  StxHazardsWork *work = &state->work;
  StxLayout layout = {.memory = memory};
  size_t tiles = (size_t)work->tiles.across * (size_t)work->tiles.down;
  size_t rows = (size_t)(work->height - work->top), cells = rows * (size_t)work->cells;
  STX_TAKE(
      &layout, work->costs, rows * (size_t)((work->cells + BLOCK - 1) / BLOCK) * BLOCK * LEVELS);
  STX_TAKE(&layout, work->nearer, cells);
  STX_TAKE(&layout, work->up, cells);
  STX_TAKE(&layout, work->down, cells);
  STX_TAKE(&layout, state->stack, cells);
  STX_TAKE(&layout, work->ground, rows * (size_t)work->width);
  STX_TAKE(&layout, work->half, rows);
  STX_TAKE(&layout, work->least, rows);
  STX_TAKE(&layout, work->lower, rows);
  STX_TAKE(&layout, work->tiles.offset, tiles + 1);
  STX_TAKE(&layout, state->scratch, 4 * tiles + 1);
  for (int i = 0; i < threads; i++)
    work->scratch[i] = stx_take(&layout, hazards_scratch(work->width, work->cells));
  return layout.size;
}

/* The plane is not known yet: rows for what it may be at most. */
static bool make_room(StxHazards *state, int threads, StxError *error)
{
  size_t size = lay_out(state, NULL, threads);
  if (size > state->size) {
    free(state->memory);
    state->size = 0;
    state->memory = stx_allocate(size);
    if (state->memory == NULL)
      return stx_fail(error, "not enough memory for hazards of %d x %d pixels", state->work.width,
          state->work.height);
    state->size = size;
  }
  lay_out(state, state->memory, threads);
  return true;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

void stx_hazards_flatten(const uint8_t *row, int width, int16_t *flat)
{
  int sum = 0;
  for (int i = -MEAN_HALF; i <= MEAN_HALF; i++)
    sum += row[i < 0 ? 0 : i < width ? i : width - 1];
  for (int x = 0; x < width; x++) {
    flat[x] = (int16_t)(MEAN * row[x] - sum);
    int out = x - MEAN_HALF, in = x + MEAN_HALF + 1;
    sum += row[in < width ? in : width - 1] - row[out < 0 ? 0 : out];
  }
}

void stx_hazards_mark_clipped(const uint8_t *row, int width, uint8_t *clipped)
{
  for (int x = 0; x < width; x++) {
    uint8_t most = 0;
    for (int k = x - CLIPPED_REACH; k <= x + CLIPPED_REACH; k++)
      if (k >= 0 && k < width && row[k] > most)
        most = row[k];
    clipped[x] = most >= CLIPPED;
  }
}

/* Finds the row from which things may be near enough, if ground tiles are off by 4 pixels. */
static void find_rows(StxHazardsWork *work)
{
  const StxCamera *camera = &work->frame->camera;
  double least = camera->focal * camera->baseline / work->params->max_distance;
  work->first = work->height;
  while (work->first > 0) {
    double d = fmax(hazards_plane(&work->plane, 0, work->first - 1),
        hazards_plane(&work->plane, work->width - 1, work->first - 1));
    if (!(d > least - 2))
      break;
    work->first--;
  }
  work->top = work->first - (ROWS - 1) > 0 ? work->first - (ROWS - 1) : 0;
}

/* The ground's mean disparity, for the rows. */
static void measure_rows(StxHazardsWork *work)
{
  const StxHazardsParams *params = work->params;
  double baseline = work->frame->camera.baseline;
  for (int row = work->top; row < work->height; row++) {
    double d = fmax(hazards_plane(&work->plane, work->plane.cx, row), 1);
    double half = (params->window * d / baseline / CELL - 1) / 2;
    double least = .8 * params->min_height * d / baseline;
    work->half[row - work->top] = (uint8_t)fmin(fmax(rint(half), 1), MOST_HALF);
    work->least[row - work->top] = (uint8_t)fmin(fmax(ceil(least), LEAST), ROWS);
  }
}

/* ---- Noise ----------------------------------------------------------------------------------- */

/* The median over all cells whose ground is seen of what the pictures differ by there. */
static void measure_noise(StxHazardsWork *work)
{
  uint32_t count[MOST_DIFFERENCE + 1] = {0}, all = 0, below = 0;
  for (int row = work->first; row < work->height; row++)
    for (int cell = MOST_HALF; cell < work->cells - MOST_HALF; cell++) {
      size_t at = hazards_at(work, row, cell);
      if (work->nearer[at] > HIDDEN)
        continue;
      int pixels = CELL * (2 * work->half[row - work->top] + 1);
      count[*hazards_cost(work, row, cell, ON_GROUND) / pixels]++;
      all++;
    }
  work->noise = 0;
  while (work->noise < MOST_DIFFERENCE && 2 * (below += count[work->noise]) < all)
    work->noise++;
  work->noise = work->noise > MEAN / 2 ? work->noise : MEAN / 2;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

typedef struct {
  StxHazardsWork *work;
  void (*row)(const StxHazardsWork *work, int row, int worker);
  int first;
} Loop;

static void ground_piece(void *data, int i, int worker)
{
  StxHazardsWork *work = data;
  stx_hazards_ground_row(work, work->top + i);
}

static void row_piece(void *data, int i, int worker)
{
  const Loop *loop = data;
  loop->row(loop->work, loop->first + i, worker);
}

static bool check_frame(const StxHazardsFrame *frame, StxError *error)
{
  const StxImage16 *map = &frame->disparity;
  const StxImage8 *pictures[] = {&frame->left, &frame->right};
  static const char *const names[] = {"left", "right"};
  for (int i = 0; i < 2; i++)
    if (pictures[i]->width != map->width || pictures[i]->height != map->height)
      return stx_fail(error, "the %s picture has %d x %d pixels, its disparity map %d x %d",
          names[i], pictures[i]->width, pictures[i]->height, map->width, map->height);
  if (map->width > STX_HAZARDS_MAX_SIZE || map->height > STX_HAZARDS_MAX_SIZE)
    return stx_fail(error, "%d x %d pixels, must be at most %d x %d", map->width, map->height,
        STX_HAZARDS_MAX_SIZE, STX_HAZARDS_MAX_SIZE);
  if (!stx_camera_is_metric(&frame->camera) || frame->camera.missing & STX_CAMERA_CX)
    return stx_fail(error, "hazards need the camera: %s is not known",
        !(frame->camera.focal > 0)      ? "its focal length"
        : !(frame->camera.baseline > 0) ? "its baseline"
                                        : "cx");
  return true;
}

/* Steps 1 to 6, the number of records. */
static size_t see(StxHazards *state, const StxHazardsImpl *impl, int threads, bool *ground)
{
  StxHazardsWork *work = &state->work;
  *ground = work->tiles.across >= 2 && work->tiles.down >= 2 &&
            stx_hazards_find_ground(work, state->scratch);
  if (!*ground)
    return 0;
  find_rows(work);
  measure_rows(work);
  for (int j = 0; j < ROWS; j++) { /* by how many levels faces and tilted ground are off */
    work->face[j] = (int)fmin(lrint(4 * work->plane.down * (j + .5)), LEVELS);
    for (int t = 0; t < TILTS; t++)
      work->tilt[t][j] = (int)lrint((t - 1) * j / 3.0);
  }
  work->faces = 0;
  while (work->faces < ROWS && work->face[work->faces] <= ON_GROUND - FACE_NEAR)
    work->faces++;
  Loop costs = {work, impl->costs, work->top}, tests = {work, impl->tests, work->first};
  stx_parallel(threads, work->height - work->top, ground_piece, work);
  stx_hazards_align(work, threads);
  stx_parallel(threads, work->height - work->top, row_piece, &costs);
  measure_noise(work);
  stx_parallel(threads, work->height - work->first, row_piece, &tests);
  return stx_hazards_group(
      work, state->stack, stx_hazards_least(work->params, work->frame), state->seen);
}

/* Step 7. Without a motion all records count. */
static size_t confirm(StxHazards *state, size_t count)
{
  const StxHazardsWork *work = &state->work;
  if (work->frame->motion != NULL)
    return stx_hazards_follow(
        &state->places, work->params, work->frame, state->seen, count, state->hazards);
  stx_hazards_reset(state);
  for (size_t i = 0; i < count; i++)
    state->hazards[i] = state->seen[i].record;
  return count;
}

bool stx_hazards_find(StxHazards *state, const StxHazardsParams *params,
    const StxHazardsFrame *frame, const StxHazardsImpl *impl, int threads, StxHazardsResult *result,
    StxError *error)
{
  StxHazardsWork *work = &state->work;
  size_t most = (size_t)params->max_hazards;
  *result = (StxHazardsResult){.hazards = state->hazards};
  if (!check_frame(frame, error))
    return false;
  work->params = params;
  work->frame = frame;
  work->width = frame->disparity.width;
  work->height = frame->disparity.height;
  work->cells = work->width / CELL;
  work->top = 0;
  threads = threads < STX_HAZARDS_WORKERS ? threads : STX_HAZARDS_WORKERS;
  stx_hazards_tile(&work->tiles, frame);
  if (!make_room(state, threads, error))
    return false;
  size_t count = confirm(state, see(state, impl, threads, &result->ground));
  result->noise = result->ground ? (double)work->noise / MEAN : 0;
  result->count = count < most ? count : most;
  result->left_out = count - result->count;
  return true;
}

/* ---- Implementations ------------------------------------------------------------------------- */

#define FUNCTIONS(isa) stx_hazards_costs_##isa, stx_hazards_tests_##isa
STX_HOST_TABLE(StxHazardsImpl, stx_hazards, FUNCTIONS);
