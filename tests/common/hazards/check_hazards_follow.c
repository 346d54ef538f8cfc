/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Confirmation over time: all orders in which frames show a thing against the definition, literal
 * streams that begin anew or repeat a frame, and places that move with the camera. */
#include "common/hazards/hazards_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/hazards/hazards_case.h"

#define STEPS 8
#define UNITS HAZARDS_UNITS

static const StxMotion ahead = {.state = STX_MOTION_KNOWN,
    .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
    .translation = {.1, 0, -.8}};
static const StxMotion first = {.state = STX_MOTION_FIRST}, few = {.state = STX_MOTION_TOO_FEW};
static const StxMotion disagree = {.state = STX_MOTION_DISAGREE},
                       still = {.state = STX_MOTION_STILL};

static const StxHazardsFrame nowhere = {.camera = {.focal = 700, .baseline = .5},
    .time = STX_HAZARDS_NO_TIME,
    .interval = STX_HAZARDS_NO_TIME};

static StxHazardsSeen seen_at(double x, double z, double nats)
{
  return (StxHazardsSeen){.record = {.x = (float)x,
                              .y = 1.6f,
                              .z = (float)z,
                              .width = .4f,
                              .height = .1f,
                              .flags = STX_OBSTACLE_SMALL},
      .near = z,
      .far = z,
      .evidence = (uint16_t)lrint(nats * UNITS)};
}

/* One that stands while the camera goes `ahead`, in frame `i`. */
static StxHazardsSeen standing(int i, double nats)
{
  return seen_at(.1 * i - .3, 15 - .8 * i, nats);
}

static StxHazardsParams params_of(int confirm)
{
  StxHazardsParams params = STX_HAZARDS_DEFAULTS;
  params.confirm = confirm;
  return params;
}

static size_t follow(StxHazardsPlaces *places, const StxHazardsParams *params,
    const StxMotion *motion, const StxHazardsSeen *seen, size_t count, StxObstacle *hazards)
{
  StxHazardsFrame frame = nowhere;
  frame.motion = motion;
  return stx_hazards_follow(places, params, &frame, seen, count, hazards);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* By the definition: frames among the last `confirm` + 1 that show it. */
static bool is_due(unsigned shown, int now, int confirm)
{
  int count = 0;
  for (int k = now; k >= 0 && k >= now - confirm; k--)
    count += shown >> k & 1;
  return (shown >> now & 1) && count >= confirm;
}

/* Frames since it was first shown, with no more than `confirm` − 1 in between that did not. */
static unsigned age_of(unsigned shown, int now, int confirm)
{
  int begin = now;
  for (int k = now - 1; k >= 0 && k >= begin - confirm; k--)
    if (shown >> k & 1)
      begin = k;
  return (unsigned)(now - begin);
}

/* All orders of frames that show it or do not; a second thing, in all frames, changes nothing. */
STX_TEST_LOOP(it_takes_so_many_frames, 6)
{
  static StxHazardsPlaces places;
  const StxHazardsParams params = params_of(_i + 1);
  for (unsigned shown = 0; shown < 1u << STEPS; shown++) {
    memset(&places, 0, sizeof places);
    for (int i = 0; i < STEPS; i++) {
      StxHazardsSeen seen[2] = {seen_at(4 + .1 * i, 15 - .8 * i, 18)};
      StxObstacle hazards[2];
      size_t count = 1;
      if (shown >> i & 1)
        seen[count++] = standing(i, 18);
      size_t told = follow(&places, &params, &ahead, seen, count, hazards);
      bool other = i >= params.confirm - 1, due = is_due(shown, i, params.confirm);
      ck_assert_msg(told == (size_t)(other + due), "order %x, frame %d: %zu", shown, i, told);
      if (other)
        ck_assert_uint_eq(hazards[0].age, (unsigned)i);
      if (due)
        ck_assert_uint_eq(hazards[other].age, age_of(shown, i, params.confirm));
      if (due && other)
        ck_assert_uint_ne(hazards[0].id, hazards[1].id);
    }
  }
}

/* The evidence of all frames that count is `confirm` times `evidence`, 36 nats. */
STX_TEST(evidence_adds_up)
{
  static const struct {
    double nats[4];
    bool told;
  } cases[] = {{{18, 0, 18}, true}, {{9, 0, 26.9}, false}, {{9, 0, 27}, true}, {{12, 12, 12}, true},
      {{12, 12, 11.9}, false}, {{99, 0, 0, 99}, false}, {{36, 9, 9, 9}, false}, {{99, 0, 9}, true}};
  const StxHazardsParams params = params_of(2);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    STX_MALLOCED StxHazardsPlaces *places = calloc(1, sizeof *places);
    StxObstacle hazard;
    size_t told = 0;
    double sum = 0;
    int last = cases[k].nats[3] > 0 ? 3 : 2;
    for (int i = 0; i <= last; i++) {
      StxHazardsSeen seen = standing(i, cases[k].nats[i]);
      told = follow(places, &params, &ahead, &seen, cases[k].nats[i] > 0, &hazard);
      sum += i >= last - 2 ? cases[k].nats[i] : 0;
    }
    ck_assert_msg(told == cases[k].told, "case %zu", k);
    if (told)
      ck_assert_msg(fabs(hazard.confidence - (1 - 18 / sum)) < .01, "confidence of case %zu", k);
  }
}

/* ---- Streams --------------------------------------------------------------------------------- */

typedef struct {
  int picture; /* the place of the thing */
  StxMotion motion;
  uint64_t time, interval; /* 100 ms */
  bool told;
} Step;

STX_TEST(streams_begin_anew)
{
  const Step steps[] = {
      {0, first, 0, 0, false}, {1, ahead, 1, 1, true}, {2, ahead, 2, 1, true},
      {3, first, 3, 0, false}, /* a new stream */
      {0, few, 4, 1, false},   /* motions that were not found */
      {1, ahead, 5, 1, true}, {0, disagree, 6, 1, false}, {1, ahead, 7, 1, true},
      {3, ahead, 9, 1, false},                            /* a frame was lost, and its motion */
      {0, first, 10, 0, false}, {0, still, 10, 0, false}, /* the same again counts once, */
      {0, still, 11, 1, false}, {1, ahead, 12, 1, true},
      {1, still, 13, 1, true}, /*   and what it had shown it shows */
      {2, ahead, 14, 1, true}, {0, first, 0, 0, false},
      {3, ahead, 1, 1, false}, /* it is not where it should be */
  };
  const StxHazardsParams params = params_of(2);
  STX_MALLOCED StxHazardsPlaces *places = calloc(1, sizeof *places);
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    StxHazardsSeen seen = standing(steps[i].picture, 20);
    StxHazardsFrame frame = nowhere;
    StxObstacle hazard;
    frame.motion = &steps[i].motion;
    frame.time = 100000000 * steps[i].time;
    frame.interval = 100000000 * steps[i].interval;
    size_t told = stx_hazards_follow(places, &params, &frame, &seen, 1, &hazard);
    ck_assert_msg(told == steps[i].told, "step %zu: %zu", i, told);
  }
}

/* A frame that has none before it is enough for so much evidence, and less for one with more. */
STX_TEST(the_first_frame_needs_more)
{
  const StxHazardsParams params = params_of(3);
  STX_MALLOCED StxHazardsPlaces *places = calloc(1, sizeof *places);
  StxHazardsSeen seen[] = {standing(0, 53.9), seen_at(3, 9, 54), seen_at(-3, 9, 17)};
  StxObstacle hazards[3];
  ck_assert_uint_eq(follow(places, &params, &first, seen, 3, hazards), 1);
  ck_assert(hazards->x == 3 && hazards->age == 0 && hazards->id == 1);
  ck_assert_float_eq(hazards->confidence, .5f);
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* A turn of .1 rad to the left moves all to the right. */
STX_TEST(places_turn_with_the_camera)
{
  const double c = cos(.1), s = sin(.1);
  const StxMotion left = {.state = STX_MOTION_KNOWN, .rotation = {c, 0, s, 0, 1, 0, -s, 0, c}};
  const StxMotion right = {.state = STX_MOTION_KNOWN, .rotation = {c, 0, -s, 0, 1, 0, s, 0, c}};
  const StxHazardsParams params = params_of(2);
  StxHazardsSeen before = seen_at(-.4, 12, 20), after = seen_at(-.4 * c + 12 * s, 12 * c, 20);
  STX_MALLOCED StxHazardsPlaces *places = calloc(1, sizeof *places);
  StxObstacle hazard;
  follow(places, &params, &first, &before, 1, &hazard);
  ck_assert_uint_eq(follow(places, &params, &left, &after, 1, &hazard), 1);
  follow(places, &params, &first, &before, 1, &hazard);
  ck_assert_uint_eq(follow(places, &params, &right, &after, 1, &hazard), 0);
}

/* Each has the history of the place nearest to it; of two there the first keeps its number. */
STX_TEST(each_record_has_the_nearest_place)
{
  const StxHazardsParams params = params_of(2);
  StxHazardsSeen before[] = {seen_at(0, 10, 20), seen_at(.5, 10.2, 30)};
  StxHazardsSeen after[] = {
      seen_at(.55, 9.4, 20), seen_at(.1, 9.4, 20), seen_at(.2, 9.6, 20), seen_at(3, 9, 30)};
  STX_MALLOCED StxHazardsPlaces *places = calloc(1, sizeof *places);
  StxObstacle hazards[4];
  follow(places, &params, &first, before, 2, hazards);
  ck_assert_uint_eq(follow(places, &params, &ahead, after, 4, hazards), 3);
  ck_assert(hazards[0].x == .55f && hazards[1].x == .1f && hazards[2].x == .2f);
  for (int i = 0; i < 3; i++)
    ck_assert_uint_eq(hazards[i].id, (unsigned)i + 1);
  ck_assert(hazards[0].confidence > hazards[1].confidence); /* 50 nats in all, not 40 */
  ck_assert_uint_eq(follow(places, &params, &still, after, 3, hazards), 3);
  for (int i = 0; i < 3; i++)
    ck_assert_uint_eq(hazards[i].id, (unsigned)i + 1);
}

/* A kerb is best seen now here, now there; holes and things do not confirm each other. */
STX_TEST(what_is_long_may_be_anywhere_along_it)
{
  const StxHazardsParams params = params_of(2);
  StxHazardsSeen kerb = seen_at(1.5, 6, 40), hole = standing(1, 17);
  STX_MALLOCED StxHazardsPlaces *places = calloc(1, sizeof *places);
  StxObstacle hazard;
  kerb.far = 12;
  hole.record.flags = STX_OBSTACLE_HOLE;
  follow(places, &params, &first, &kerb, 1, &hazard);
  kerb = seen_at(1.6, 10, 40);
  ck_assert_uint_eq(follow(places, &params, &ahead, &kerb, 1, &hazard), 1);
  kerb = seen_at(1.7, 13, 40);
  ck_assert_uint_eq(follow(places, &params, &ahead, &kerb, 1, &hazard), 0);
  StxHazardsSeen thing = standing(0, 20);
  follow(places, &params, &first, &thing, 1, &hazard);
  ck_assert_uint_eq(follow(places, &params, &ahead, &hole, 1, &hazard), 0);
  hole = standing(2, 36); /* has its own tests behind it, and needs no other frame */
  hole.record.flags = STX_OBSTACLE_HOLE;
  places->count = 0;
  ck_assert_uint_eq(follow(places, &params, &ahead, &hole, 1, &hazard), 1);
  ck_assert(hazard.confidence == .75f && hazard.age == 0 && hazard.id > 0);
}

/* More things than there are places for. */
STX_TEST(places_are_limited)
{
  const StxHazardsParams params = params_of(2);
  STX_MALLOCED StxHazardsSeen *seen = calloc(STX_HAZARDS_MAX, sizeof *seen);
  STX_MALLOCED StxObstacle *hazards = calloc(STX_HAZARDS_MAX, sizeof *hazards);
  STX_MALLOCED StxHazardsPlaces *places = calloc(1, sizeof *places);
  for (int frame = 0; frame < 4; frame++) {
    for (int i = 0; i < STX_HAZARDS_MAX; i++)
      seen[i] = seen_at(3. * i, 5 + 20 * frame, 20);
    ck_assert_uint_eq(follow(places, &params, &ahead, seen, STX_HAZARDS_MAX, hazards), 0);
    ck_assert_uint_le(places->count, HAZARDS_PLACES);
  }
}

/* ---- Whole frames ---------------------------------------------------------------------------- */

/* Without a motion each frame counts for itself; with one, the second. */
STX_TEST(frames_confirm_each_other)
{
  StxHazardsParams params = STX_HAZARDS_DEFAULTS;
  STX_AUTO(StxHazards) *state = stx_hazards_new();
  HazardsCase c[2] = {HAZARDS_CASE(.z = 9, .height = .2), HAZARDS_CASE(.z = 8, .height = .2)};
  const StxMotion metre = {.state = STX_MOTION_KNOWN,
      .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
      .translation = {0, 0, -1}};
  params.evidence = 150; /* of one such frame: more, but less than twice as much */
  for (int with = 0; with < 2; with++)
    for (int i = 0; i < 2; i++) {
      STX_AUTO(HazardsPictures) pictures = hazards_pictures(&c[i]);
      const StxHazardsImpl *impl = stx_impl_pick(&stx_hazards_impls, STX_BACKEND_AUTO);
      StxHazardsResult result;
      pictures.frame.time = pictures.frame.interval = STX_HAZARDS_NO_TIME;
      pictures.frame.motion = with ? &metre : NULL;
      ck_assert(stx_hazards_find(state, &params, &pictures.frame, impl, 1, &result, NULL));
      ck_assert_uint_eq(result.count, !with || i > 0);
      ck_assert_uint_eq(result.count > 0 ? result.hazards->id : 0, with && i > 0);
    }
}
