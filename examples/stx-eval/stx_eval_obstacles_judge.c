/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which obstacles are which objects of the truth. */
#include "examples/stx-eval/stx_eval_obstacles.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#define OBJECTS 512 /* of a frame */
#define INSTANCES 65536
#define DEPTH_BINS 1000 /* of .1 m */
#define BELOW 4         /* samples one below the other: 16 pixels */
#define OVERLAP 0.5     /* intersection over union of what is found with what is there */
#define DEPTH_OFF 0.1   /* of the depth: where something stands is there */
#define FORGOTTEN 1.0   /* s: an id that was seen before is not asked for */
#define SPEED_AFTER 1.0 /* s: then a speed should be right */
#define MOVES 1.0       /* m/s over ground; */
#define STANDS .3       /*   what is slower stands */
#define NEARS 1.0       /* m/s: what comes nearer so fast has a time to contact */
#define MIXED .2        /* of an obstacle's samples: it is not only what stands */

/* An object in this frame. */
typedef struct {
  Thing thing;
  unsigned instance;
  float z; /* a tenth of what is seen of it is nearer */
  float speed[2];
  uint32_t depths[DEPTH_BINS];
  uint64_t samples, seen;
  int across, column, run; /* columns that count; the last column, and its samples so far */
  uint32_t obstacle;       /* that is it, or UINT32_MAX */
  bool counts;
} Object;

/* An object in all frames. */
typedef struct {
  uint32_t id; /* 0: not found yet */
  double since, since_z, last_time, last_z;
} Known;

/* An obstacle in this frame: its samples, its columns of samples, and those of them in which
 * something stands at its place. */
typedef struct {
  uint32_t samples, across, standing, moving;
  int column, stood; /* the last of each */
  uint32_t shared[OBJECTS];
} Claim;

struct ObstacleJudge {
  ObstacleLimits limits;
  FILE *log;
  double last, dt; /* of the frame before, seconds; from there to this one */
  const StxMotion *motion;
  const StxObstaclesResult *result;
  Object object[OBJECTS];
  int objects;
  int16_t index[THINGS][INSTANCES]; /* of an object in this frame, or -1 */
  Known known[THINGS][INSTANCES];
  Claim *claims;
  size_t room;
  uint32_t *sizes, *shares; /* samples of every piece; those of one object */
  size_t room_for_pieces;
};

ObstacleJudge *obstacle_judge_new(const ObstacleLimits *limits, FILE *log)
{
  ObstacleJudge *judge = g_new0(ObstacleJudge, 1);
  judge->limits = *limits;
  judge->log = log;
  return judge;
}

void obstacle_judge_free(ObstacleJudge *judge)
{
  if (judge != NULL) {
    g_free(judge->claims);
    g_free(judge->sizes);
    g_free(judge->shares);
  }
  g_free(judge);
}

/* ---- What there is ------------------------------------------------------------------------- */

/* The object of a sample, or NULL. */
static Object *object_of(ObstacleJudge *judge, const Sample *s)
{
  if (s->thing < THING_VEHICLE)
    return NULL;
  int16_t *index = &judge->index[s->thing][s->instance];
  if (*index < 0 && judge->objects < OBJECTS) {
    *index = (int16_t)judge->objects++;
    Object *o = &judge->object[*index];
    memset(o, 0, sizeof *o);
    o->thing = (Thing)s->thing;
    o->instance = s->instance;
    o->speed[0] = s->speed[0];
    o->speed[1] = s->speed[1];
    o->column = -1;
    o->obstacle = UINT32_MAX;
  }
  return *index < 0 ? NULL : &judge->object[*index];
}

static void add_to_object(Object *o, const Sample *s, int x)
{
  o->samples++;
  o->seen += s->seen;
  o->depths[s->z < .1f * DEPTH_BINS ? (int)(s->z * 10) : DEPTH_BINS - 1]++;
  o->run = o->column == x ? o->run + 1 : 1;
  o->across += o->run == BELOW;
  o->column = x;
}

static float near_face(const Object *o)
{
  uint64_t sum = 0;
  int bin = 0;
  while (bin < DEPTH_BINS - 1 && (sum += o->depths[bin]) * 10 <= o->samples)
    bin++;
  return .1f * ((float)bin + .5f);
}

static bool stands_there(const ObstacleJudge *judge, const Sample *s, float depth)
{
  return s->thing >= THING_OTHER &&
         (fabsf(s->z - depth) <= (float)DEPTH_OFF * s->z ||
             fabs(1 / (double)s->z - 1 / (double)depth) <= judge->limits.pixel);
}

static void add_to_claim(Claim *claim, bool stands, int x)
{
  claim->samples++;
  claim->across += claim->column != x + 1;
  claim->column = x + 1;
  if (!stands)
    return;
  claim->standing += claim->stood != x + 1;
  claim->stood = x + 1;
}

static void look_at(
    ObstacleJudge *judge, const ObstacleTruth *truth, const uint16_t *members, const float *depths)
{
  for (int x = 0; x < truth->across; x++)
    for (int y = 0; y < truth->down; y++) {
      size_t i = (size_t)x * (size_t)truth->down + (size_t)y;
      const Sample *s = &truth->samples[i];
      Object *o = object_of(judge, s);
      if (o != NULL)
        add_to_object(o, s, x);
      if (members[i] == STX_FREE_NO_OBSTACLE)
        continue;
      Claim *claim = &judge->claims[members[i]];
      add_to_claim(claim, stands_there(judge, s, depths[i]), x);
      claim->moving += hypotf(s->speed[0], s->speed[1]) >= (float)STANDS;
      if (o != NULL)
        claim->shared[o - judge->object]++;
    }
}

static void find_objects(ObstacleJudge *judge, const ObstacleTruth *truth, const uint16_t *members,
    const float *depths, size_t obstacles)
{
  if (obstacles > judge->room) {
    judge->room = obstacles;
    judge->claims = g_renew(Claim, judge->claims, judge->room);
  }
  if (obstacles > 0)
    memset(judge->claims, 0, obstacles * sizeof *judge->claims);
  judge->objects = 0;
  memset(judge->index, 0xFF, sizeof judge->index);
  look_at(judge, truth, members, depths);
  for (int k = 0; k < judge->objects; k++) {
    Object *o = &judge->object[k];
    const ObstacleLimits *limits = &judge->limits;
    o->z = near_face(o);
    o->counts = (double)o->z >= limits->nearest && (double)o->z <= limits->farthest &&
                o->samples >= limits->samples && o->across >= limits->across &&
                2 * o->seen >= o->samples;
  }
}

/* ---- What could be found --------------------------------------------------------------------- */

/* Samples of every piece; returns the number of pieces. */
static size_t measure_pieces(ObstacleJudge *judge, const uint32_t *pieces, size_t samples)
{
  size_t count = 0;
  for (size_t i = 0; i < samples; i++)
    count = pieces[i] != NO_PIECE && pieces[i] >= count ? pieces[i] + 1 : count;
  if (count > judge->room_for_pieces) {
    judge->room_for_pieces = count;
    judge->sizes = g_renew(uint32_t, judge->sizes, count);
    judge->shares = g_renew(uint32_t, judge->shares, count);
  }
  for (size_t i = 0; i < count; i++)
    judge->sizes[i] = 0;
  for (size_t i = 0; i < samples; i++)
    if (pieces[i] != NO_PIECE)
      judge->sizes[pieces[i]]++;
  return count;
}

/* Is there a choice of pieces that would be found? It shares more than OVERLAP of the union if what
 * it shares, less OVERLAP times what it has besides, is more than OVERLAP times the object: the
 * best choice takes every piece that adds to that. */
static bool is_possible(ObstacleJudge *judge, const ObstacleTruth *truth, const uint32_t *pieces,
    size_t count, const Object *o)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    judge->shares[i] = 0;
  for (size_t i = 0; i < (size_t)truth->across * (size_t)truth->down; i++)
    if (pieces[i] != NO_PIECE && truth->samples[i].instance == o->instance &&
        truth->samples[i].thing == o->thing)
      judge->shares[pieces[i]]++;
  for (size_t i = 0; i < count; i++)
    sum += fmax(0, judge->shares[i] - OVERLAP * (judge->sizes[i] - judge->shares[i]));
  return sum > OVERLAP * (double)o->samples;
}

static void count_possible(
    ObstacleJudge *judge, const ObstacleTruth *truth, const uint32_t *pieces, ObstacleScore *score)
{
  size_t samples = (size_t)truth->across * (size_t)truth->down;
  size_t count = pieces != NULL ? measure_pieces(judge, pieces, samples) : 0;
  for (int k = 0; k < judge->objects; k++) {
    const Object *o = &judge->object[k];
    if (o->counts)
      score->thing[o->thing].possible +=
          pieces == NULL || is_possible(judge, truth, pieces, count, o);
  }
}

/* ---- What was found ------------------------------------------------------------------------ */

/* More than half of a union is shared with one obstacle at most, and one object. */
static void match(ObstacleJudge *judge, size_t obstacles)
{
  for (size_t p = 0; p < obstacles; p++)
    for (int k = 0; k < judge->objects; k++) {
      const Claim *claim = &judge->claims[p];
      double both = claim->shared[k];
      if (both > OVERLAP * ((double)judge->object[k].samples + claim->samples - both))
        judge->object[k].obstacle = (uint32_t)p;
    }
}

static void log_object(
    const ObstacleJudge *judge, const Object *o, uint64_t frame, const char *what)
{
  if (judge->log != NULL)
    fprintf(judge->log, "frame %llu: %s %u at %.1f m, %llu samples in %d columns, %s\n",
        (unsigned long long)frame, o->thing == THING_PERSON ? "person" : "vehicle", o->instance,
        (double)o->z, (unsigned long long)o->samples, o->across, what);
}

/* As far away as the truth counts it: ahead, of a scan the range. */
static double distance_of(const StxObstacle *o)
{
  return o->source == STX_OBSTACLE_LIDAR ? hypot((double)o->x, (double)o->z) : (double)o->z;
}

static int bin_of(double steps)
{
  return steps < ERROR_BINS - 1 ? (int)steps : ERROR_BINS - 1;
}

/* By the truth: it stands, moves or comes on; unknown in between. */
static StxMoves state_of(const float speed[2])
{
  double over_ground = hypot((double)speed[0], (double)speed[1]);
  return over_ground < STANDS                                             ? STX_MOVES_NOT
         : over_ground < MOVES || fabs((double)speed[1] + MOVES) < STANDS ? STX_MOVES_UNKNOWN
         : speed[1] < 0 && -speed[1] > (float)MOVES                       ? STX_MOVES_ONCOMING
                                                                          : STX_MOVES_ON;
}

static void count_state(
    const ObstacleJudge *judge, const StxObstacle *found, StxMoves truth, ObstacleScore *score)
{
  const StxObstaclesResult *result = judge->result;
  if (result->velocities == NULL || truth == STX_MOVES_UNKNOWN || found->age == 0)
    return;
  uint8_t said = result->velocities[found - result->obstacles].moves;
  score->state[truth].all++;
  score->state[truth].said += said != STX_MOVES_UNKNOWN;
  score->state[truth].right += said == truth;
}

static void log_speed(const ObstacleJudge *judge, const Object *o, const StxObstacle *found,
    const double speed[SPEED_COUNT], uint64_t frame)
{
  char text[120];
  snprintf(text, sizeof text, "id %u: goes %.1f %.1f and not %.1f %.1f m/s", found->id,
      speed[SPEED_LATERAL], -speed[SPEED_CLOSING], (double)o->speed[0], (double)o->speed[1]);
  log_object(judge, o, frame, text);
}

static void count_moving(const ObstacleJudge *judge, const Object *o, const StxObstacle *found,
    uint64_t frame, ThingScore *score)
{
  double speed[SPEED_COUNT];
  if (hypotf(o->speed[0], o->speed[1]) < (float)MOVES)
    return;
  eval_speed_over_ground(judge->motion, judge->dt, found, speed);
  double off = hypot(
      speed[SPEED_LATERAL] - (double)o->speed[0], -speed[SPEED_CLOSING] - (double)o->speed[1]);
  score->moving++;
  if (isnan(off))
    return;
  score->said++;
  score->moving_errors[bin_of(off * 100)]++;
  if (off > 1.5)
    log_speed(judge, o, found, speed, frame);
}

/* As if it went on as it does: the truth of that. */
static void count_contact(
    const ObstacleJudge *judge, const Object *o, const StxObstacle *found, ThingScore *score)
{
  StxObstacle still = *found;
  double speed[SPEED_COUNT];
  still.closing_speed = still.lateral_speed = 0;
  eval_speed_over_ground(judge->motion, judge->dt, &still, speed);
  double closing = -speed[SPEED_CLOSING] - (double)o->speed[1];
  double said = (double)stx_obstacle_time_to_contact(found);
  if (judge->result->velocities != NULL)
    said = (double)judge->result->velocities[found - judge->result->obstacles].contact;
  if (closing < NEARS || !isfinite(said))
    return;
  score->contacts++;
  score->contact_errors[bin_of(fabs(said / ((double)o->z / closing) - 1) * 1000)]++;
}

static void count_speed(const ObstacleJudge *judge, const Known *known, const Object *o,
    const StxObstacle *found, double seconds, uint64_t frame, ThingScore *score)
{
  double speed = (known->last_z - (double)o->z) / (seconds - known->last_time);
  if (seconds - known->since < SPEED_AFTER || found->flags & STX_OBSTACLE_CUT ||
      found->source == STX_OBSTACLE_LIDAR)
    return;
  count_moving(judge, o, found, frame, score);
  count_contact(judge, o, found, score);
  if (!isfinite(found->closing_speed))
    return;
  score->speeds++;
  score->speed_error += fabs(speed - (double)found->closing_speed);
}

static void count_found(ObstacleJudge *judge, const Object *o, const StxObstacle *found,
    double seconds, uint64_t frame, ThingScore *score)
{
  Known *known = &judge->known[o->thing][o->instance];
  double off = fabs(distance_of(found) - (double)o->z) / (double)o->z * 1000;
  score->errors[off < ERROR_BINS - 1 ? (int)off : ERROR_BINS - 1]++;
  score->found++;
  if (known->id > 0 && seconds - known->last_time < FORGOTTEN) {
    score->again++;
    score->kept += known->id == found->id;
    if (known->id != found->id)
      log_object(judge, o, frame, "has another id");
    count_speed(judge, known, o, found, seconds, frame, score);
  } else {
    known->since = seconds;
    known->since_z = (double)o->z;
  }
  known->id = found->id;
  known->last_time = seconds;
  known->last_z = (double)o->z;
}

/* Counts the speed over ground of an obstacle that stands: it should be 0. */
static void count_standing(
    const ObstacleJudge *judge, const StxObstacle *o, const Claim *claim, ObstacleScore *score)
{
  double speed[SPEED_COUNT];
  if (o->source == STX_OBSTACLE_LIDAR || claim->moving > MIXED * claim->samples ||
      judge->motion->state != STX_MOTION_KNOWN)
    return;
  eval_speed_over_ground(judge->motion, judge->dt, o, speed);
  count_state(judge, o, STX_MOVES_NOT, score);
  if (eval_speed_add(&score->standing, speed) && judge->log != NULL)
    fprintf(judge->log,
        "frame %llu: obstacle %u of age %u at %.1f m, columns %d to %d, stands, but goes %.1f "
        "%.1f m/s\n",
        (unsigned long long)score->frames, o->id, o->age, (double)o->z, o->first_column,
        o->last_column, speed[SPEED_LATERAL], -speed[SPEED_CLOSING]);
}

/* Is it mostly of an object that counts, or of several, without being one of them? */
static bool is_part(const ObstacleJudge *judge, size_t p)
{
  const Claim *claim = &judge->claims[p];
  int swallowed = 0;
  bool part = false;
  for (int k = 0; k < judge->objects; k++) {
    const Object *o = &judge->object[k];
    if (o->obstacle == p)
      return false;
    part = part || (o->counts && claim->shared[k] > .5 * claim->samples);
    swallowed += o->counts && claim->shared[k] > .5 * (double)o->samples;
  }
  return part || swallowed > 1;
}

static void count_obstacles(
    const ObstacleJudge *judge, const StxObstaclesResult *result, ObstacleScore *score)
{
  for (size_t p = 0; p < result->count; p++) {
    const StxObstacle *o = &result->obstacles[p];
    const Claim *claim = &judge->claims[p];
    if (distance_of(o) > judge->limits.farthest)
      continue;
    bool ghost = claim->standing < .5 * claim->across, part = !ghost && is_part(judge, p);
    score->obstacles++;
    score->ghosts += ghost;
    score->parts += part;
    if (!ghost)
      count_standing(judge, o, claim, score);
    if (judge->log != NULL && (ghost || part))
      fprintf(judge->log, "frame %llu: obstacle %u at %.1f m, columns %d to %d, is %s\n",
          (unsigned long long)score->frames, o->id, distance_of(o), o->first_column, o->last_column,
          ghost ? "nothing" : "a part");
  }
}

void obstacle_judge(ObstacleJudge *judge, const ObstacleTruth *truth, const uint16_t *members,
    const uint32_t *pieces, const float *depths, const StxObstaclesResult *result, double seconds,
    ObstacleScore *score)
{
  judge->motion = &truth->motion;
  judge->result = result;
  judge->dt = seconds - judge->last;
  judge->last = seconds;
  find_objects(judge, truth, members, depths, result->count);
  count_possible(judge, truth, pieces, score);
  match(judge, result->count);
  for (int k = 0; k < judge->objects; k++) {
    const Object *o = &judge->object[k];
    ThingScore *thing = &score->thing[o->thing];
    if (!o->counts)
      continue;
    thing->counted++;
    if (o->obstacle == UINT32_MAX) {
      log_object(judge, o, score->frames, "is missed");
      continue;
    }
    const StxObstacle *found = &result->obstacles[o->obstacle];
    count_found(judge, o, found, seconds, score->frames, thing);
    if (state_of(o->speed) != STX_MOVES_NOT)
      count_state(judge, found, state_of(o->speed), score);
  }
  count_obstacles(judge, result, score);
  score->frames++;
}

void obstacle_judge_motion(const StxMotion *found, const StxMotion *truth, ObstacleScore *score)
{
  double turn[3], shift[3];
  if (found->state != STX_MOTION_KNOWN)
    return;
  eval_motion_difference(found, truth, turn, shift);
  score->motions++;
  for (int i = 0; i < 3; i++) {
    score->motion_error[0] += turn[i] * turn[i];
    score->motion_error[1] += shift[i] * shift[i];
  }
}
