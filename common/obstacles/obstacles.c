/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* obstacles: the table of fields, the state, and what a frame goes through. */
#include "common/obstacles/obstacles.h"
#include "common/obstacles/obstacles_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JUMP 1.0          /* s: across a longer gap nothing is followed */
#define STEREO_NOISE 0.25 /* px of disparity, a standard deviation */
#define REPEATS 2         /* most frames in a row that repeat one and are not marked so */
#define CUT .4            /* times the usual continuity: less is another scene (a cut) */
#define CUT_UNMATCHED .6  /* the same for frames whose points do not tell the camera's motion */
#define USUAL .2          /* the usual continuity at first: that of frames which are far apart */
#define LATELY .2         /* of the usual continuity, what counts of the last frame */
#define WAITS 5           /* frames in a row of which the camera's motion is not known */
#define LATE .25        /* of the time between frames: a motion of another time is that of others */
#define CLUSTERS 65536  /* numbers of a scan's clusters */
#define GIVEN_TURN .005 /* rad/s: standard deviation of a motion that the parameters give */
#define GIVEN_SPEED .1  /* m/s: likewise */
#define GIVEN_SHARE .02 /* a share of the motion that is added to both */
#define NOISE 0.05      /* m: what distances are off by in any case */

/* ---- Fields ---------------------------------------------------------------------------------- */

#define FIELD(kind, member) STX_FIELD(kind, StxObstaclesParams, member)
#define METRES(member, least, most) FIELD(DOUBLE, member), .low = least, .high = most, .unit = "m"

static const StxField fields[] = {
    {"max-distance", "Farthest distance", "Distance of the farthest obstacles, metres",
        METRES(max_distance, 1, STX_OBSTACLES_MAX_RANGE)},
    {"min-height", "Least height", "Height of the lowest obstacle, metres",
        METRES(min_height, 0, 10)},
    {"min-width", "Least width", "Width of the narrowest obstacle, metres",
        METRES(min_width, 0, 10)},
    {"clearance", "Clearance", "Clear height above the ground, metres", METRES(clearance, 0, 100)},
    {"depth-step", "Step in depth", "Largest depth step within an obstacle, metres",
        METRES(depth_step, 0, 100)},
    {"disparity-step", "Step in disparity", "Stereo noise added to depth-step, pixels of disparity",
        FIELD(DOUBLE, disparity_step), .high = 100, .unit = "px"},
    {"max-length", "Greatest length", "Length at which things lower than 2.2 m are split, metres",
        METRES(max_length, 0.1, 1000)},
    {"gap", "Gap", "Widest gap within an obstacle, metres", METRES(gap, 0, 100)},
    {"min-count", "Least number", "Fewest stixels or points of an obstacle", FIELD(INT, min_count),
        .low = 1, .high = 1000000},
    {"max-obstacles", "Most obstacles", "Nearest per frame", FIELD(INT, max_obstacles), .low = 1,
        .high = STX_OBSTACLES_MAX},
    {"sectors", "Sectors", "Free-space sectors of a scan", FIELD(INT, sectors), .low = 1,
        .high = STX_OBSTACLES_MAX_SECTORS},
    {"corridor-width", "Corridor's width", "Width of the corridor, metres (0 = none)",
        METRES(corridor_width, 0, 100)},
    {"corridor-length", "Corridor's length", "Length of the corridor, metres",
        METRES(corridor_length, 0, STX_OBSTACLES_MAX_RANGE)},
    {"corridor-offset", "Corridor's offset", "Corridor centre to the right of the sensor, metres",
        METRES(corridor_offset, -100, 100)},
    {"follow", "Follow", "Track obstacles: ids and speeds", FIELD(BOOL, follow)},
    {"max-unseen", "Longest absence", "Missed frames before a track ends", FIELD(INT, max_unseen),
        .high = 1000},
    {"gate", "Gate", "Largest distance of an obstacle from its predicted place, metres",
        METRES(gate, 0.01, 100)},
    {"speed", "Speed",
        "Speed of the camera along its axis in m/s, for frames that bring no known motion of the "
        "camera (-1 = unknown)",
        FIELD(DOUBLE, speed), .high = 100, .negative = "unknown", .unit = "m/s"},
    {"yaw-rate", "Yaw rate", "With speed: how fast the camera turns to the right, rad/s",
        FIELD(DOUBLE, yaw_rate), .low = -4, .high = 4, .unit = "rad/s"},
};
static const StxObstaclesParams defaults = STX_OBSTACLES_DEFAULTS;
const StxFields stx_obstacles_fields = {STX_FIELDS_OF(fields), &defaults};

bool stx_obstacles_check(const StxObstaclesParams *params, StxError *error)
{
  return stx_fields_check(&stx_obstacles_fields, params, error);
}

/* ---- State ----------------------------------------------------------------------------------- */

StxObstacles *stx_obstacles_new(void)
{
  StxObstacles *state = calloc(1, sizeof *state);
  if (state != NULL) {
    state->next_id = 1;
    state->continuity = USUAL;
  }
  return state;
}

void stx_obstacles_free(StxObstacles *state)
{
  if (state == NULL)
    return;
  free(state->memory);
  free(state->tracks);
  free(state->parts);
  for (int i = 0; i < 2; i++) {
    free(state->first[i]);
    free(state->flow[i]);
  }
  free(state);
}

void stx_obstacles_reset(StxObstacles *state)
{
  state->begun = false;
}

/* Memory that stixels or a scan need, in the same place; returns its end. */
static size_t take_either(StxObstacles *state, StxLayout layout)
{
  StxLayout other = layout;
  size_t records = state->records;
  STX_TAKE(&layout, state->joints, OBSTACLES_JOINTS * records + 1);
  STX_TAKE(&layout, state->spare_joints, OBSTACLES_JOINTS * records + 1);
  state->room_for_spans = (records > CLUSTERS ? records : CLUSTERS) + 2;
  STX_TAKE(&other, state->part, records + 1);
  STX_TAKE(&other, state->cells, records + 1);
  STX_TAKE(&other, state->fine, 2 * OBSTACLES_FINE * OBSTACLES_FINE);
  STX_TAKE(&other, state->edges, 2 * OBSTACLES_FINE * OBSTACLES_FINE);
  STX_TAKE(&other, state->spans, state->room_for_spans);
  STX_TAKE(&other, state->largest, state->room_for_spans);
  return layout.size > other.size ? layout.size : other.size;
}

/* Memory of one frame; returns its size. */
static size_t lay_out(StxObstacles *state, char *memory)
{
  StxLayout layout = {memory, 0};
  size_t obstacles = (size_t)state->params.max_obstacles, records = state->records;
  size_t directions = state->directions;
  STX_TAKE(&layout, state->pieces, records + 1);
  STX_TAKE(&layout, state->items, records + 1);
  STX_TAKE(&layout, state->groups, records + 1);
  STX_TAKE(&layout, state->spare, records + 1);
  STX_TAKE(&layout, state->members, records + 1);
  STX_TAKE(&layout, state->starts, directions + 1);
  STX_TAKE(&layout, state->nearest, directions);
  STX_TAKE(&layout, state->free_space, directions);
  STX_TAKE(&layout, state->ground, OBSTACLES_GRID * OBSTACLES_GRID);
  STX_TAKE(&layout, state->weights, OBSTACLES_GRID * OBSTACLES_GRID);
  STX_TAKE(&layout, state->obstacle, obstacles);
  STX_TAKE(&layout, state->velocity, obstacles);
  STX_TAKE(&layout, state->observed, obstacles);
  STX_TAKE(&layout, state->sums, obstacles);
  STX_TAKE(&layout, state->points, OBSTACLES_POINTS);
  STX_TAKE(&layout, state->stixel_sums, state->stixels + 1);
  STX_TAKE(&layout, state->stixel_velocity, state->stixels + 1);
  STX_TAKE(&layout, state->entered, obstacles);
  STX_TAKE(&layout, state->prices, obstacles);
  STX_TAKE(&layout, state->owner, obstacles);
  STX_TAKE(&layout, state->covered, obstacles);
  STX_TAKE(&layout, state->expected, 2 * obstacles);
  STX_TAKE(&layout, state->choices, 2 * obstacles);
  STX_TAKE(&layout, state->waiting, 2 * obstacles);
  return take_either(state, layout);
}

/* Room for as many tracks as obstacles of two frames. */
static bool make_room(StxObstacles *state, size_t tracks)
{
  if (tracks > state->room_for_tracks) {
    Track *larger = realloc(state->tracks, tracks * sizeof *larger);
    if (larger == NULL)
      return false;
    state->tracks = larger;
  }
  state->room_for_tracks = tracks;
  state->tracked = state->tracked < tracks ? state->tracked : tracks;
  return true;
}

/* Room for the stixels of this frame; what is known of those before stays. */
static bool make_flows(StxObstacles *state)
{
  size_t columns = state->directions + 1, stixels = state->stixels;
  if (columns <= state->room_for_columns && stixels <= state->room_for_flows)
    return true;
  stixels += stixels / 2;
  Part *parts = realloc(state->parts, (2 * stixels + 1) * sizeof *parts);
  if (parts == NULL)
    return false;
  state->parts = parts;
  for (int i = 0; i < 2; i++) {
    uint32_t *first = realloc(state->first[i], columns * sizeof *first);
    state->first[i] = first != NULL ? first : state->first[i];
    Flow *flow = realloc(state->flow[i], (stixels + 1) * sizeof *flow);
    state->flow[i] = flow != NULL ? flow : state->flow[i];
    if (first == NULL || flow == NULL)
      return false;
  }
  state->room_for_columns = columns;
  state->room_for_flows = stixels;
  return true;
}

bool stx_obstacles_prepare(StxObstacles *state, const StxObstaclesParams *params, size_t records,
    size_t directions, StxError *error)
{
  if (!stx_obstacles_check(params, error))
    return false;
  if (records > STX_OBSTACLES_MAX_RECORDS)
    return stx_fail(
        error, "%zu stixels or points, must be 0 to %d", records, STX_OBSTACLES_MAX_RECORDS);
  if (directions > STX_OBSTACLES_MAX_COLUMNS)
    return stx_fail(
        error, "%zu columns of stixels, must be 0 to %d", directions, STX_OBSTACLES_MAX_COLUMNS);
  StxObstacles next = *state;
  size_t sectors = (size_t)params->sectors;
  next.params = *params;
  next.records = records > state->records ? records : state->records;
  size_t most = directions > sectors ? directions : sectors;
  next.directions = most > state->directions ? most : state->directions;
  next.stixels = directions > 0 && records > state->stixels ? records : state->stixels;
  size_t size = lay_out(&next, NULL);
  if (size > state->size) {
    /* Frames bring a few more again and again: half more, or the heap fills with old blocks. */
    size = stx_align(size + size / 2);
    void *memory = aligned_alloc(STX_ALIGN, size);
    if (memory == NULL)
      return stx_fail(error, "no memory for obstacles of %zu stixels or points", records);
    free(next.memory);
    next.memory = memory;
    next.size = size;
    state->memory = NULL;
    state->size = 0;
  }
  lay_out(&next, next.memory);
  *state = next;
  if (!make_room(state, 2 * (size_t)params->max_obstacles))
    return stx_fail(error, "no memory for %d obstacles", params->max_obstacles);
  return make_flows(state) || stx_fail(error, "no memory for %zu stixels", state->stixels);
}

/* ---- A frame --------------------------------------------------------------------------------- */

/* Nothing is followed from before. */
static void restart(StxObstacles *state)
{
  state->tracked = state->part_count = state->before = 0;
  state->waited = 0;
  state->stood = false;
  state->last_motion.state = STX_MOTION_FIRST;
}

/* Before the last frame, or long after what is followed. */
static bool is_late(const StxObstacles *state, uint64_t time)
{
  if (time == STX_OBSTACLES_NO_TIME || state->time == STX_OBSTACLES_NO_TIME)
    return false;
  return time < state->latest || (double)(time - state->time) / 1e9 >= JUMP;
}

/* Seconds since the last frame, 0 if that is not known; notes whether the stream goes on. The first
 * step after times that stood still is that of several frames: it is not known, either. */
static double step_in_time(StxObstacles *state, uint64_t time, bool goes_on, bool *restarted)
{
  bool known = time != STX_OBSTACLES_NO_TIME && state->time != STX_OBSTACLES_NO_TIME;
  double dt = known && time > state->time ? (double)(time - state->time) / 1e9 : 0;
  bool stands = known && time == state->time, stood = state->stood;
  *restarted = !state->begun || !goes_on || is_late(state, time);
  if (*restarted)
    restart(state);
  state->stood = stands && !*restarted;
  state->begun = true;
  if (time != STX_OBSTACLES_NO_TIME || *restarted)
    state->time = time;
  return *restarted || stood ? 0 : dt;
}

/* ---- The camera's motion -------------------------------------------------------------------- */

/* Is this a repeated picture? After more than REPEATS in a row, the camera itself stands still. */
static bool repeats(StxObstacles *state, const StxObstaclesFrame *frame)
{
  if (frame->motion != NULL) {
    state->repeated = 0;
    return frame->motion->state == STX_MOTION_STILL;
  }
  uint64_t hash = UINT64_C(14695981039346656037);
  const unsigned char *bytes = (const unsigned char *)frame->stixels;
  for (size_t i = 0; i < frame->count * sizeof *frame->stixels; i++)
    hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
  bool same = frame->count > 0 && hash == state->hash;
  state->repeated = same ? state->repeated + 1 : 0;
  state->hash = hash;
  return same && state->repeated <= REPEATS;
}

/* Finds the camera's motion; while it is unknown the last one is kept for a few frames. False:
 * begin anew. */
static bool find_motion(StxObstacles *state, const StxObstaclesFrame *frame, StxMotion *motion)
{
  *motion = *frame->motion;
  if (motion->state == STX_MOTION_FIRST || motion->state == STX_MOTION_STILL)
    return motion->state == STX_MOTION_STILL;
  if (motion->state == STX_MOTION_KNOWN) {
    state->last_motion = *motion;
    state->waited = 0;
    return true;
  }
  if (state->last_motion.state != STX_MOTION_KNOWN || state->waited++ >= WAITS)
    return false;
  *motion = state->last_motion;
  motion->state = frame->motion->state;
  return true;
}

/* The motion since the last frame by speed and yaw rate, along an arc. Its pitch is not known. */
static StxMotion given_motion(const StxObstacles *state, uint64_t time, bool again, bool late)
{
  bool timed = time != STX_OBSTACLES_NO_TIME && state->time != STX_OBSTACLES_NO_TIME;
  double dt = timed && !late ? (double)(time - state->time) / 1e9 : 0;
  double turn = state->params.yaw_rate * dt, way = state->params.speed * dt;
  double c = cos(turn), s = sin(turn);
  StxMotion motion = {.state = !state->begun || late ? STX_MOTION_FIRST
                               : again               ? STX_MOTION_STILL
                               : dt > 0              ? STX_MOTION_KNOWN
                                                     : STX_MOTION_TOO_FEW,
      .rotation = {c, 0, -s, 0, 1, 0, s, 0, c},
      .translation = {way * sin(turn / 2), 0, -way * cos(turn / 2)}};
  for (int i = 0; i < 6; i++)
    motion.deviation[i] =
        i < 3 ? GIVEN_TURN * dt + GIVEN_SHARE * fabs(turn) : GIVEN_SPEED * dt + GIVEN_SHARE * way;
  return motion;
}

static void take_given(
    StxObstacles *state, uint64_t time, bool again, bool late, StxObstaclesResult *result)
{
  StxMotion *given = &state->given;
  *given = given_motion(state, time, again, late);
  bool timed = time != STX_OBSTACLES_NO_TIME && state->time != STX_OBSTACLES_NO_TIME;
  bool goes_on = timed && given->state != STX_MOTION_FIRST;
  result->given = given->state != STX_MOTION_TOO_FEW ? given : NULL;
  result->given_interval = goes_on ? time - state->time : STX_OBSTACLES_NO_TIME;
}

static void watch_corridor(StxObstacles *state, StxObstaclesResult *result)
{
  /* Blind: nothing is known of any direction; then the corridor is as unseen as without a frame. */
  bool any = false, was = state->occupied, blind = true;
  for (size_t d = 0; d < result->directions; d++)
    blind = blind && isnan(result->free_space[d].z);
  for (uint32_t i = 0; i < state->obstacles; i++) {
    if (!(state->obstacle[i].flags & STX_OBSTACLE_IN_CORRIDOR))
      continue;
    bool enters = !state->params.follow && !was && !any;
    for (size_t t = 0; t < state->tracked; t++)
      if (state->tracks[t].place == i) {
        enters = state->tracks[t].out > state->params.max_unseen;
        state->tracks[t].out = -1;
        break;
      }
    if (enters)
      state->entered[result->entered_count++] = (uint16_t)i;
    any = true;
  }
  for (size_t t = 0; t < state->tracked; t++)
    state->tracks[t].out += state->tracks[t].out <= state->params.max_unseen;
  state->corridor_out = any ? 0 : state->corridor_out + (!blind && state->corridor_out < INT32_MAX);
  state->occupied = any || (was && (blind || state->corridor_out <= state->params.max_unseen));
  result->corridor_occupied = state->occupied;
  result->corridor_cleared = was && !state->occupied;
}

static void foretell(StxObstacles *state, double dt, const StxMotion *motion)
{
  if (!state->params.follow)
    state->tracked = 0;
  stx_obstacles_foretell(state, dt, motion);
}

static void finish(StxObstacles *state, size_t directions, double dt, const StxMotion *motion,
    const Noise *noise, StxObstaclesResult *result)
{
  stx_obstacles_know_nothing(state);
  if (state->params.follow)
    stx_obstacles_follow(state, dt, motion, noise);
  result->obstacles = state->obstacle;
  result->count = state->obstacles;
  result->free_space = state->free_space;
  result->directions = directions;
  result->members = state->members;
  result->velocities = motion != NULL ? state->velocity : NULL;
  result->left_out = state->left_out;
  result->entered = state->entered;
  watch_corridor(state, result);
}

/* The motion does not cover frames that were lost in between: the camera is taken to have gone on
 * evenly. */
static void stretch(StxMotion *motion, double factor)
{
  for (int i = 0; i < 9; i++) {
    double unit = i % 4 == 0;
    motion->rotation[i] = unit + factor * (motion->rotation[i] - unit);
  }
  for (int i = 0; i < 3; i++)
    motion->translation[i] *= factor;
  for (int i = 0; i < 6; i++)
    motion->deviation[i] *= factor;
}

/* Is it another scene: does much less of it continue what was seen before than is usual? Not if
 * points were matched with the frame before; sooner if they should have been. */
static bool is_cut(StxObstacles *state, const StxMotion *motion)
{
  bool known = motion != NULL && motion->state == STX_MOTION_KNOWN;
  double least = motion == NULL || known ? CUT : CUT_UNMATCHED;
  double now = stx_obstacles_continuity(state), usual = state->continuity;
  if (now < 0 || state->again)
    return false;
  state->continuity += LATELY * (now - usual);
  return now < least * usual && !(known && motion->agree > 0);
}

static void find(StxObstacles *state, const StxObstaclesFrame *frame, StxMotion *motion, double dt,
    StxObstaclesResult *result)
{
  Noise noise = {NOISE, STEREO_NOISE / (frame->camera.focal * frame->camera.baseline)};
  StxObstaclesFrame with = *frame;
  StxMotion matched = motion != NULL ? *motion : (StxMotion){.state = STX_MOTION_FIRST};
  bool timed = frame->interval > 0 && frame->interval != STX_OBSTACLES_NO_TIME;
  double span = timed && dt > 0 ? (double)frame->interval / 1e9 : dt;
  with.motion = motion != NULL ? &matched : NULL;
  if (motion != NULL && fabs(span - dt) > LATE * dt)
    stretch(motion, dt / span);
  foretell(state, dt, motion);
  stx_obstacles_stand(state, frame);
  if (is_cut(state, motion)) {
    restart(state);
    result->restarted = true;
    dt = 0;
    if (motion != NULL)
      motion->state = matched.state = state->given.state = STX_MOTION_FIRST;
    result->given_interval = STX_OBSTACLES_NO_TIME;
    stx_obstacles_stand(state, frame);
  }
  stx_obstacles_measure(state, frame);
  if (motion != NULL)
    stx_obstacles_observe(state, &with, span);
  finish(state, (size_t)state->columns, dt, motion, &noise, result);
  if (motion == NULL)
    return;
  with.motion = motion;
  stx_obstacles_flow(state, &with, dt);
  result->stixel_velocities = state->stixel_velocity;
  result->stixels = frame->count;
}

bool stx_obstacles_of_stixels(StxObstacles *state, const StxObstaclesFrame *frame,
    StxObstaclesResult *result, StxError *error)
{
  *result = (StxObstaclesResult){0};
  if (!stx_obstacles_check_frame(state, frame, error))
    return false;
  StxMotion motion;
  StxObstaclesFrame with = *frame;
  bool late = is_late(state, frame->time), repeated = repeats(state, frame) && !late;
  bool known = frame->motion != NULL && frame->motion->state != STX_MOTION_TOO_FEW &&
               frame->motion->state != STX_MOTION_DISAGREE;
  if (state->params.speed >= 0 && !known) { /* the parameters' motion, for want of a better one */
    take_given(state, frame->time, repeated, late, result);
    with.motion = &state->given;
    with.point_count = 0;
    with.interval = 0;
    frame = &with;
  }
  bool goes_on = !state->of_scan && stx_camera_is_same(&state->camera, &frame->camera) &&
                 state->width == frame->width && state->height == frame->height &&
                 state->stixel_width == frame->stixel_width &&
                 state->guided == (frame->motion != NULL);
  state->of_scan = false;
  state->camera = frame->camera;
  state->width = frame->width;
  state->height = frame->height;
  state->stixel_width = frame->stixel_width;
  state->columns = (frame->width - 1) / frame->stixel_width + 1;
  state->guided = frame->motion != NULL;
  bool again = repeated && state->begun && goes_on;
  state->again = again;
  if (frame->motion != NULL)
    stx_obstacles_place(state, frame);
  goes_on = goes_on && (frame->motion == NULL || find_motion(state, frame, &motion));
  double dt = again ? 0 : step_in_time(state, frame->time, goes_on, &result->restarted);
  if (result->restarted && frame->motion != NULL)
    motion = (StxMotion){.state = STX_MOTION_FIRST};
  state->latest = frame->time != STX_OBSTACLES_NO_TIME ? frame->time : state->latest;
  memset(state->members, 0xFF, frame->count * sizeof *state->members);
  find(state, frame, frame->motion != NULL ? &motion : NULL, dt, result);
  return true;
}

bool stx_obstacles_of_scan(
    StxObstacles *state, const StxObstaclesScan *scan, StxObstaclesResult *result, StxError *error)
{
  *result = (StxObstaclesResult){0};
  if (scan->count > state->records)
    return stx_fail(
        error, "%zu points: the state is prepared for %zu", scan->count, state->records);
  if (state->memory == NULL)
    return stx_fail(error, "obstacles were not prepared");
  if (scan->count > 0 && (scan->points == NULL || scan->labels == NULL))
    return stx_fail(error, "there are %zu points, but no pointer to %s", scan->count,
        scan->points == NULL ? "them" : "their labels");
  double dt = step_in_time(state, scan->time, state->of_scan, &result->restarted);
  state->latest = scan->time != STX_OBSTACLES_NO_TIME ? scan->time : state->latest;
  state->of_scan = true;
  state->guided = state->again = false;
  state->columns = state->stixel_width = 0;
  memset(state->members, 0xFF, scan->count * sizeof *state->members);
  foretell(state, dt, NULL);
  stx_obstacles_cluster(state, scan);
  stx_obstacles_measure(state, NULL);
  finish(state, (size_t)state->params.sectors, dt, NULL, &(Noise){NOISE, 0}, result);
  return true;
}
