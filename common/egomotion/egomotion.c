/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* egomotion: the state, and what a frame goes through. */
#include "common/egomotion/egomotion.h"
#include "common/egomotion/egomotion_private.h"
#include "common/parallel.h"

#include <stdlib.h>
#include <string.h>

#define JUMP 1000000000u /* ns: across a longer gap nothing is compared */
#define CHUNK_ROWS 16    /* of the half picture */
#define LEAST_AGREE 20   /* points, for a motion */
#define LEAST_SHARE 3    /* … and one in so many of those matched */
#define ODD 3            /* frames until the offset of disparities is given up */
#define LASTS 20         /* … that the next one has at least */

/* ---- Implementations ------------------------------------------------------------------------- */

static bool look(StxEgomotion *, const StxEgomotionFrame *, const EgoSearch *search, StxError *);

#define FUNCTIONS(isa)                                                                             \
  look, ego_match_host, NULL, stx_egomotion_half_##isa, stx_egomotion_relief_##isa,                \
      stx_egomotion_corners_##isa, stx_egomotion_costs_##isa, stx_egomotion_patch_##isa,           \
      stx_egomotion_sums_##isa, stx_egomotion_equations_##isa
STX_HOST_TABLE(EgoImpl, stx_egomotion, FUNCTIONS);

const EgoImpl *ego_host_impl(void)
{
  return stx_impl_pick(&stx_egomotion_impls, STX_BACKEND_AUTO);
}

/* ---- State ----------------------------------------------------------------------------------- */

StxEgomotion *stx_egomotion_new(void)
{
  return calloc(1, sizeof(StxEgomotion));
}

void stx_egomotion_free(StxEgomotion *state)
{
  if (state == NULL)
    return;
  free(state->memory);
  free(state);
}

void stx_egomotion_reset(StxEgomotion *state)
{
  state->begun = false;
}

static void take_image(StxLayout *layout, StxImage8 *image, int width, int height)
{
  ptrdiff_t stride = (ptrdiff_t)stx_align((size_t)width);
  *image = (StxImage8){
      stx_take(layout, (size_t)stride * (size_t)height + EGO_SPACE), stride, width, height};
}

void ego_take_results(
    StxLayout *layout, size_t cells, EgoLook **look, EgoCell **found, EgoMatch **matches)
{
  STX_TAKE(layout, *look, 1);
  STX_TAKE(layout, *found, cells);
  STX_TAKE(layout, *matches, STX_EGOMOTION_MAX_POINTS);
}

/* Returns the size. */
static size_t lay_out(StxEgomotion *state, char *memory)
{
  StxLayout layout = {memory, 0};
  const int width = state->width, height = state->height;
  const bool on_host = state->impl->info.memory == STX_MEMORY_HOST;
  size_t cells = (size_t)state->cells_across * (size_t)state->cells_down;
  for (int i = 0; i < 2 && on_host; i++) {
    take_image(&layout, &state->full[i], width, height);
    take_image(&layout, &state->half[i], width / 2, height / 2);
    take_image(&layout, &state->relief[i], width / 2, height / 2);
  }
  if (on_host) {
    STX_TAKE(&layout, state->scores, cells);
    STX_TAKE(&layout, state->places, cells);
  }
  ego_take_results(&layout, cells, &state->look, &state->cells, &state->matches);
  STX_TAKE(&layout, state->corners, STX_EGOMOTION_MAX_POINTS);
  STX_TAKE(&layout, state->points, STX_EGOMOTION_MAX_POINTS);
  STX_TAKE(&layout, state->seen, STX_EGOMOTION_MAX_POINTS);
  return layout.size;
}

bool stx_egomotion_prepare_for(
    StxEgomotion *state, const StxEgomotionImpl *impl, int width, int height, StxError *error)
{
  if (width < 1 || height < 1 || width > STX_EGOMOTION_MAX_SIZE || height > STX_EGOMOTION_MAX_SIZE)
    return stx_fail(error, "pictures of %d × %d pixels: each must be 1 to %d", width, height,
        STX_EGOMOTION_MAX_SIZE);
  if (state->memory != NULL && state->width == width && state->height == height &&
      state->impl->info.memory == impl->info.memory) {
    state->impl = impl;
    return true;
  }
  StxEgomotion next = {.impl = impl, .width = width, .height = height};
  next.cells_across = (width / 2 + EGO_CELL - 1) / EGO_CELL;
  next.cells_down = (height / 2 + EGO_CELL - 1) / EGO_CELL;
  size_t size = lay_out(&next, NULL);
  next.memory = aligned_alloc(STX_ALIGN, size);
  if (next.memory == NULL)
    return stx_fail(error, "no memory for the motion of %d × %d pixels", width, height);
  memset(next.memory, 0, size);
  lay_out(&next, next.memory);
  free(state->memory);
  *state = next;
  return true;
}

bool stx_egomotion_prepare(
    StxEgomotion *state, StxBackend backend, int width, int height, StxError *error)
{
  const EgoImpl *impl = stx_impl_pick(&stx_egomotion_impls, backend);
  if (impl == NULL)
    return stx_fail(error, "the host computes motion with auto or omp");
  return stx_egomotion_prepare_for(state, impl, width, height, error);
}

size_t stx_egomotion_device_bytes(const StxEgomotionImpl *impl, int width, int height)
{
  return impl->device_bytes != NULL ? impl->device_bytes(width, height) : 0;
}

/* ---- Pictures and corners -------------------------------------------------------------------- */

typedef struct {
  StxEgomotion *state;
  int k; /* of the relief */
} Job;

static void make_pictures(void *data, int piece, int worker)
{
  StxEgomotion *s = ((Job *)data)->state;
  const int height = s->height / 2, row = piece * CHUNK_ROWS;
  s->impl->half(&s->full[s->now], &s->half[s->now], row,
      row + CHUNK_ROWS < height ? row + CHUNK_ROWS : height);
}

/* The factor of the relief, from the mean difference across. */
static int contrast_of(const StxImage8 *half)
{
  int64_t sum = 0;
  for (int y = 2; y < half->height; y += 4) {
    const uint8_t *row = stx_row8(half, y);
    int line = 0;
    for (int x = 1; x < half->width - 1; x++)
      line += abs(row[x + 1] - row[x - 1]);
    sum += line;
  }
  return ego_contrast(sum, half->width, half->height);
}

static void make_relief(void *data, int piece, int worker)
{
  StxEgomotion *s = ((Job *)data)->state;
  const int height = s->height / 2, row = piece * CHUNK_ROWS;
  s->impl->relief(&s->half[s->now], &s->relief[s->now], ((Job *)data)->k, row,
      row + CHUNK_ROWS < height ? row + CHUNK_ROWS : height);
}

static void find_corners(void *data, int row, int worker)
{
  StxEgomotion *s = ((Job *)data)->state;
  const size_t first = (size_t)row * (size_t)s->cells_across;
  int32_t *scores = s->scores + first;
  int16_t(*places)[2] = s->places + first;
  s->impl->corners(&s->half[s->now], row, scores, places);
  for (int i = 0; i < s->cells_across; i++)
    s->cells[first + (size_t)i] =
        scores[i] > 0 ? (EgoCell){places[i][0], places[i][1], 0} : (EgoCell){0, 0, 0};
}

/* EgoImpl.look on the host. */
static bool look(
    StxEgomotion *s, const StxEgomotionFrame *frame, const EgoSearch *search, StxError *error)
{
  const int pieces = (s->height / 2 + CHUNK_ROWS - 1) / CHUNK_ROWS;
  Job job = {s, 0};
  bool same = s->begun; /* as the picture before, to the byte */
  for (int y = 0; y < s->height; y++) {
    const uint8_t *from = stx_row8(&frame->left, y);
    same = same && memcmp(stx_row8(&s->full[!s->now], y), from, (size_t)s->width) == 0;
    memcpy(stx_row8(&s->full[s->now], y), from, (size_t)s->width);
  }
  s->look->differs = !same;
  if (!s->look->differs)
    return true;
  stx_parallel(frame->threads, pieces, make_pictures, &job);
  job.k = contrast_of(&s->half[s->now]);
  stx_parallel(frame->threads, pieces, make_relief, &job);
  stx_parallel(frame->threads, s->cells_down, find_corners, &job);
  return search == NULL || s->impl->match(s, frame, search, error);
}

/* Is corner `number` of `found` one of those that are looked at? So many of all, evenly. */
static bool is_taken(int number, int found)
{
  const int most = STX_EGOMOTION_MAX_POINTS;
  return found <= most || (int64_t)(number + 1) * most / found > (int64_t)number * most / found;
}

/* Those with a disparity. */
static void take_corners(StxEgomotion *s, const StxEgomotionFrame *frame)
{
  const int cells = s->cells_across * s->cells_down;
  int found = 0;
  s->corner_count = 0;
  for (int i = 0; i < cells; i++)
    found += s->cells[i].x > 0;
  for (int i = 0, number = 0; i < cells; i++) {
    const EgoCell *cell = &s->cells[i];
    if (cell->x == 0 || !is_taken(number++, found))
      continue;
    EgoCorner corner = {cell->x, cell->y, cell->disparity};
    if (frame->device == NULL)
      corner.disparity = ego_disparity(&frame->disparity, frame->depth, 2 * corner.x, 2 * corner.y);
    if (corner.disparity > 0)
      s->corners[s->corner_count++] = corner;
  }
}

/* ---- A frame --------------------------------------------------------------------------------- */

static bool check_frame(const StxEgomotion *s, const StxEgomotionFrame *frame, StxError *error)
{
  const int w = s->width, h = s->height;
  const StxCamera *camera = &frame->camera;
  if (s->memory == NULL)
    return stx_fail(error, "motion was not prepared");
  if ((s->impl->info.memory == STX_MEMORY_HOST) != (frame->device == NULL))
    return stx_fail(error, "motion is prepared for %s, but the pictures are elsewhere",
        frame->device == NULL ? "a device" : "the host");
  if (frame->left.width != w || frame->left.height != h || frame->disparity.width != w ||
      frame->disparity.height != h)
    return stx_fail(error,
        "the picture has %d × %d pixels, the disparity %d × %d: the state is prepared for %d × %d",
        frame->left.width, frame->left.height, frame->disparity.width, frame->disparity.height, w,
        h);
  if (!stx_camera_is_metric(camera) || (camera->missing & (STX_CAMERA_CX | STX_CAMERA_CY)))
    return stx_fail(error, "motion needs the camera's %s, which is not known",
        camera->focal <= 0                ? "focal length"
        : camera->baseline <= 0           ? "baseline"
        : camera->missing & STX_CAMERA_CX ? "cx"
                                          : "cy");
  return true;
}

/* Does the stream go on? If so, `share` becomes the time since the frame before over that before
 * it, where both are known; else 1. */
static bool goes_on(StxEgomotion *s, const StxEgomotionFrame *frame, double *share)
{
  *share = 1;
  if (!s->begun || !stx_camera_is_same(&s->camera, &frame->camera))
    return false;
  if (s->time == STX_EGOMOTION_NO_TIME || frame->time == STX_EGOMOTION_NO_TIME)
    return true;
  if (frame->time < s->time || frame->time - s->time >= JUMP)
    return false;
  uint64_t step = frame->time - s->time;
  if (step > 0 && s->last_step > 0)
    *share = (double)step / (double)s->last_step;
  return true;
}

/* The state of motion.h that follows from the points. */
static void judge(StxEgomotion *s, const EgoPose *pose, const double deviation[6], StxMotion *m)
{
  m->points = (uint32_t)s->point_count;
  m->state = m->points < LEAST_AGREE                                        ? STX_MOTION_TOO_FEW
             : m->agree < LEAST_AGREE || m->agree * LEAST_SHARE < m->points ? STX_MOTION_DISAGREE
                                                                            : STX_MOTION_KNOWN;
  if (m->state != STX_MOTION_KNOWN)
    return;
  memcpy(m->rotation, pose->r, sizeof pose->r);
  memcpy(m->translation, pose->t, sizeof pose->t);
  memcpy(m->deviation, deviation, 6 * sizeof *deviation);
}

/* Finds the motion, with the results of `search` unless it is NULL. */
static bool find_motion(StxEgomotion *s, const StxEgomotionFrame *frame, EgoPose pose,
    EgoSearch *search, StxEgomotionResult *result, StxError *error)
{
  EgoBend bend = s->bend;
  double deviation[6] = {0};
  StxMotion *motion = &result->motion;
  s->point_count = 0;
  if (search != NULL &&
      !ego_match(s, frame, search, &pose, &bend, deviation, &motion->agree, error))
    return false;
  judge(s, &pose, deviation, motion);
  s->known = motion->state == STX_MOTION_KNOWN;
  s->pose = pose;
  if (s->known)
    s->bend = bend;
  /* Gives up the known offset of disparities if frames in turn do not agree with it: the cameras
   * were turned against each other. Where much moves by itself, it lasts at least a while. */
  const bool odd = motion->points >= LEAST_AGREE && 5 * motion->agree < 4 * motion->points;
  s->odd = s->odd < 0 || odd ? s->odd + 1 : 0;
  if (s->odd >= ODD) {
    ego_bend_begin(&s->bend);
    s->odd = -LASTS;
  }
  result->count = (size_t)s->point_count;
  return true;
}

/* Looks at the frame, and finds its motion if the stream goes on. */
static bool see(StxEgomotion *s, const StxEgomotionFrame *frame, bool on, double share,
    StxEgomotionResult *result, StxError *error)
{
  EgoPose pose = s->known ? s->pose : ego_still();
  for (int i = 0; i < 3 && s->known; i++)
    pose.t[i] *= share;
  EgoSearch search;
  const bool searches = on && ego_search_begin(s, frame, &pose, &search);
  s->begun = on;
  if (!s->impl->look(s, frame, searches ? &search : NULL, error))
    return false;
  if (on)
    return !s->look->differs ||
           find_motion(s, frame, pose, searches ? &search : NULL, result, error);
  s->begun = true;
  s->known = false;
  s->last_step = 0;
  s->odd = 0;
  s->camera = frame->camera;
  ego_bend_begin(&s->bend);
  return true;
}

bool stx_egomotion_frame(
    StxEgomotion *s, const StxEgomotionFrame *frame, StxEgomotionResult *result, StxError *error)
{
  double share;
  *result = (StxEgomotionResult){
      .motion.state = STX_MOTION_FIRST, .points = s->points, .interval = STX_EGOMOTION_NO_TIME};
  if (!check_frame(s, frame, error))
    return false;
  void *memory = frame->device != NULL ? frame->device->memory : NULL;
  s->begun = s->begun && s->device_memory == memory; /* else the frame before is gone */
  s->device_memory = memory;
  const bool on = goes_on(s, frame, &share);
  const bool timed = on && s->time != STX_EGOMOTION_NO_TIME && frame->time != STX_EGOMOTION_NO_TIME;
  if (!see(s, frame, on, share, result, error)) {
    stx_egomotion_reset(s);
    *result = (StxEgomotionResult){.motion.state = STX_MOTION_FIRST};
    return false;
  }
  if (timed)
    result->interval = frame->time - s->time;
  if (on && !s->look->differs) {
    result->motion.state = STX_MOTION_STILL;
    s->time = frame->time;
    return true;
  }
  ego_bend_mean(&s->bend, &s->camera, s->width, &result->offset, &result->offset_deviation);
  take_corners(s, frame);
  s->last_step = timed ? frame->time - s->time : 0;
  s->time = frame->time;
  s->now = !s->now;
  return true;
}
