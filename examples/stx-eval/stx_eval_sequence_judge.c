/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Obstacles of a real street beside what the camera's own motion and a labelled scan say. */
#include <math.h>

#include "examples/shared/table.h"
#include "examples/stx-eval/stx_eval_sequence.h"

#define WIDE 1.5 /* m/s */
#define FAR 3.0
#define LIFE_FRAMES 10   /* in which lives are counted: from each tenth frame anew */
#define STAY_FRAMES 7    /* in which an id should be seen */
#define VIEW_NEAREST 1   /* m: what is nearer has left the view, */
#define VIEW_FARTHEST 50 /*   and what is farther comes and goes with the noise of stereo */
#define MOVES 250        /* labels above it are of what moves */
#define LEAST_POINTS 5   /* of an obstacle, that it has a label */
#define THING_POINTS 30  /* of a labelled thing, that it counts */
#define THING_NEAREST 4  /* m */
#define THING_FARTHEST 40
#define THING_FIRST 10 /* labels of vehicles and people */
#define THING_LAST 32
#define DEPTH_OFF .1 /* of the depth: it is the same thing */

/* An id in all frames. */
typedef struct {
  guint frames;   /* in which it was seen; */
  uint64_t last;  /*   the number of the last; */
  double x, y, z; /*   where, of its middle */
  bool left;      /* it was not seen any more when it was out of view */
} Life;

struct SequenceJudge {
  SequenceScore *score;
  FILE *log;
  GHashTable *lives; /* of each id its frames, of the last ten or fewer; */
  GArray *ended;     /* those of the tens before */
  GHashTable *whole; /* of each id its Life */
};

SequenceJudge *sequence_judge_new(SequenceScore *score, FILE *log)
{
  SequenceJudge *judge = g_new0(SequenceJudge, 1);
  judge->score = score;
  judge->log = log;
  judge->lives = g_hash_table_new(g_direct_hash, g_direct_equal);
  judge->ended = g_array_new(FALSE, FALSE, sizeof(guint));
  judge->whole = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
  return judge;
}

static void end_lives(SequenceJudge *judge)
{
  GHashTableIter at;
  gpointer frames;
  g_hash_table_iter_init(&at, judge->lives);
  while (g_hash_table_iter_next(&at, NULL, &frames)) {
    guint life = GPOINTER_TO_UINT(frames);
    g_array_append_val(judge->ended, life);
  }
  g_hash_table_remove_all(judge->lives);
}

static void live_on(SequenceJudge *judge, const StxObstacle *o)
{
  gpointer id = GUINT_TO_POINTER(o->id);
  Life *life = g_hash_table_lookup(judge->whole, id);
  g_hash_table_insert(judge->lives, id, (char *)g_hash_table_lookup(judge->lives, id) + 1);
  if (life == NULL) {
    life = g_new0(Life, 1);
    g_hash_table_insert(judge->whole, id, life);
  }
  *life = (Life){.frames = life->frames + 1,
      .last = judge->score->frames,
      .x = (double)o->x,
      .y = (double)o->y - .5 * (double)o->height,
      .z = (double)o->z};
}

/* Of what was seen a frame ago and is not now: would it still be in view, if it stood? */
static void look_for_the_lost(SequenceJudge *judge, const EvalFrame *frame, const StxMotion *motion)
{
  const double *r = motion->rotation, *t = motion->translation;
  const StxCamera *camera = &frame->camera;
  GHashTableIter at;
  Life *life;
  g_hash_table_iter_init(&at, judge->whole);
  while (g_hash_table_iter_next(&at, NULL, (gpointer *)&life)) {
    if (life->last + 1 != judge->score->frames)
      continue;
    double x = r[0] * life->x + r[1] * life->y + r[2] * life->z + t[0];
    double z = r[6] * life->x + r[7] * life->y + r[8] * life->z + t[2];
    double u = camera->focal * x / z + camera->cx;
    life->left = z < VIEW_NEAREST || z > VIEW_FARTHEST || u < 0 || u >= frame->left.width;
  }
}

/* The share of ids that are seen in STAY_FRAMES or more (E. L. Kaplan, P. Meier, 1958): one that is
 * seen to the end of the sequence or left the view counts only for the frames that it was seen in.
 */
static double share_that_stays(const SequenceJudge *judge)
{
  double share = 1;
  for (guint frames = 1; frames < STAY_FRAMES; frames++) {
    uint64_t there = 0, ended = 0;
    GHashTableIter at;
    const Life *life;
    g_hash_table_iter_init(&at, judge->whole);
    while (g_hash_table_iter_next(&at, NULL, (gpointer *)&life)) {
      there += life->frames >= frames;
      ended += life->frames == frames && !life->left && life->last < judge->score->frames;
    }
    share *= there > 0 ? 1 - (double)ended / (double)there : NAN;
  }
  return share;
}

/* ---- What the scan says --------------------------------------------------------------------- */

/* Points of the scan in an obstacle's box. */
typedef struct {
  uint64_t points, moving, road;
} Inside;

static bool is_inside(const EvalPoint *p, const StxObstacle *o)
{
  return p->x >= o->left && p->x <= o->right && p->y >= o->top && p->y <= o->bottom;
}

static bool is_road(uint32_t label)
{
  uint32_t kind = label & 0xFFFF;
  return kind == 40 || kind == 44 || kind == 60;
}

static Inside look_inside(const EvalFrame *frame, const StxObstacle *o)
{
  Inside inside = {0};
  for (size_t i = 0; i < frame->point_count; i++) {
    const EvalPoint *p = &frame->points[i];
    if (!is_inside(p, o))
      continue;
    inside.points++;
    inside.moving += (p->label & 0xFFFF) > MOVES;
    inside.road += is_road(p->label);
  }
  return inside;
}

/* ---- Speeds --------------------------------------------------------------------------------- */

void eval_speed_over_ground(
    const StxMotion *motion, double dt, const StxObstacle *o, double speed[SPEED_COUNT])
{
  const double *r = motion->rotation, *t = motion->translation;
  double now[3] = {(double)o->x, (double)o->y - .5 * (double)o->height, (double)o->z};
  double before[3] = {0};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      before[i] += r[3 * k + i] * (now[k] - t[k]);
  speed[SPEED_CLOSING] = (double)o->closing_speed + (now[2] - before[2]) / dt;
  speed[SPEED_LATERAL] = (double)o->lateral_speed - (now[0] - before[0]) / dt;
}

bool eval_speed_add(SpeedScore *score, const double speed[SPEED_COUNT])
{
  bool any = false;
  score->standing++;
  for (int k = 0; k < SPEED_COUNT; k++) {
    double off = fabs(speed[k]);
    score->said[k] += !isnan(off);
    score->wide[k] += off > WIDE;
    score->far[k] += off > FAR;
    any = any || off > WIDE;
  }
  return any;
}

static void judge_speed(const SequenceJudge *judge, const EvalFrame *frame, const StxMotion *motion,
    double dt, const StxObstacle *o)
{
  double off[SPEED_COUNT];
  eval_speed_over_ground(motion, dt, o, off);
  if (eval_speed_add(&judge->score->speed[eval_range_of((double)o->z)], off) && judge->log != NULL)
    fprintf(judge->log,
        "frame %s: obstacle %u of age %u at %.1f m, %.1f m aside, columns %d to %d%s: "
        "stands, but goes %.1f m/s back and %.1f m/s to the right\n",
        frame->name, o->id, o->age, (double)o->z, (double)o->x, o->first_column, o->last_column,
        o->flags & STX_OBSTACLE_CUT ? ", cut off" : "", off[SPEED_CLOSING], off[SPEED_LATERAL]);
}

/* ---- Things that are labelled --------------------------------------------------------------- */

typedef struct {
  uint32_t label;
  uint64_t points, found;
  double depth;
} Labelled;

static bool is_thing(uint32_t label)
{
  uint32_t kind = label & 0xFFFF;
  return kind >= THING_FIRST && kind <= THING_LAST && label >> 16 > 0;
}

static bool is_in_obstacle(const EvalPoint *p, const StxObstaclesResult *result)
{
  bool in = false;
  for (size_t i = 0; i < result->count && !in; i++) {
    const StxObstacle *o = &result->obstacles[i];
    double off = DEPTH_OFF * (double)p->depth + .5;
    in = is_inside(p, o) && (double)p->depth > (double)o->z - off &&
         (double)p->depth < (double)(o->z + o->depth) + off;
  }
  return in;
}

static void judge_things(
    SequenceScore *score, const EvalFrame *frame, const StxObstaclesResult *result)
{
  GHashTable *things = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
  GHashTableIter at;
  Labelled *thing;
  for (size_t i = 0; i < frame->point_count; i++) {
    const EvalPoint *p = &frame->points[i];
    if (!is_thing(p->label))
      continue;
    thing = g_hash_table_lookup(things, GUINT_TO_POINTER(p->label));
    if (thing == NULL) {
      thing = g_new0(Labelled, 1);
      g_hash_table_insert(things, GUINT_TO_POINTER(p->label), thing);
    }
    thing->points++;
    thing->depth += (double)p->depth;
    thing->found += is_in_obstacle(p, result);
  }
  g_hash_table_iter_init(&at, things);
  while (g_hash_table_iter_next(&at, NULL, (gpointer *)&thing)) {
    double depth = thing->depth / (double)thing->points;
    if (thing->points < THING_POINTS || depth < THING_NEAREST || depth > THING_FARTHEST)
      continue;
    score->things++;
    score->found += 2 * thing->found > thing->points;
  }
  g_hash_table_unref(things);
}

/* ---- A frame -------------------------------------------------------------------------------- */

/* Standing things have no speed over ground. */
static void judge_stixels(SequenceScore *score, const StxObstaclesResult *result, size_t place)
{
  for (size_t i = 0; result->stixel_velocities != NULL && i < result->stixels; i++) {
    const StxVelocity *v = &result->stixel_velocities[i];
    if (result->members[i] != place)
      continue;
    score->stixels++;
    score->known += isfinite(v->x + v->z);
    score->wrong += fabsf(v->x) > (float)WIDE || fabsf(v->z) > (float)WIDE;
  }
}

static void judge_obstacle(SequenceJudge *judge, const EvalFrame *frame, const StxMotion *motion,
    double dt, const StxObstaclesResult *result, size_t place)
{
  const StxObstacle *o = &result->obstacles[place];
  SequenceScore *score = judge->score;
  Inside inside = look_inside(frame, o);
  bool judged = frame->points == NULL || inside.points >= LEAST_POINTS;
  bool moves = 2 * inside.moving > inside.points;
  if (o->id > 0)
    live_on(judge, o);
  score->moving += judged && moves;
  score->on_road += judged && 2 * inside.road > inside.points;
  if (!judged || moves || motion->state != STX_MOTION_KNOWN || !(dt > 0))
    return;
  judge_speed(judge, frame, motion, dt, o);
  judge_stixels(score, result, place);
}

void sequence_judge(SequenceJudge *judge, const EvalFrame *frame, const StxMotion *motion,
    double dt, const StxObstaclesResult *result)
{
  if (judge->score->frames++ % LIFE_FRAMES == 0)
    end_lives(judge);
  judge->score->obstacles += result->count;
  judge->score->labelled = frame->points != NULL;
  for (size_t i = 0; i < result->count; i++)
    judge_obstacle(judge, frame, motion, dt, result, i);
  look_for_the_lost(judge, frame, motion);
  judge_things(judge->score, frame, result);
}

static int compare(const void *a, const void *b)
{
  const guint x = *(const guint *)a, y = *(const guint *)b;
  return (x > y) - (x < y);
}

/* The median of the lives, each as often as `weighed` says: once, or in each of its frames. */
static double median(const GArray *lives, bool weighed)
{
  uint64_t all = 0, sum = 0;
  for (guint i = 0; i < lives->len; i++)
    all += weighed ? g_array_index(lives, guint, i) : 1;
  for (guint i = 0; i < lives->len; i++)
    if (2 * (sum += weighed ? g_array_index(lives, guint, i) : 1) >= all)
      return g_array_index(lives, guint, i);
  return NAN;
}

void sequence_judge_finish(SequenceJudge *judge)
{
  end_lives(judge);
  g_array_sort(judge->ended, compare);
  judge->score->ids = judge->ended->len;
  judge->score->life = median(judge->ended, false);
  judge->score->life_of_most = median(judge->ended, true);
  judge->score->stay = share_that_stays(judge);
  g_array_unref(judge->ended);
  g_hash_table_unref(judge->whole);
  g_hash_table_unref(judge->lives);
  g_free(judge);
}

/* ---- Report --------------------------------------------------------------------------------- */

static json_t *share(uint64_t part, uint64_t all)
{
  return table_json(all > 0 ? (double)part / (double)all : NAN);
}

json_t *eval_speed_json(const SpeedScore *s, const char *name)
{
  json_t *row = json_pack("{s:s, s:I}", "range", name, "standing", (json_int_t)s->standing);
  static const char *const kinds[] = {"closing", "lateral"};
  for (int k = 0; k < SPEED_COUNT; k++)
    json_object_set_new(row, kinds[k],
        json_pack("{s:o, s:o, s:o}", "said", share(s->said[k], s->standing), "off_1_5",
            share(s->wide[k], s->said[k]), "off_3", share(s->far[k], s->said[k])));
  return row;
}

static void add(SpeedScore *all, const SpeedScore *part)
{
  all->standing += part->standing;
  for (int k = 0; k < SPEED_COUNT; k++) {
    all->said[k] += part->said[k];
    all->wide[k] += part->wide[k];
    all->far[k] += part->far[k];
  }
}

/* One row for each range, and one for all. */
static json_t *speeds_json(const SequenceScore *score)
{
  json_t *rows = json_array();
  SpeedScore all = {0};
  for (int i = 0; i < EVAL_RANGES; i++) {
    char name[32];
    if (i + 1 < EVAL_RANGES)
      g_snprintf(name, sizeof name, "%g-%g m", eval_ranges[i], eval_ranges[i + 1]);
    else
      g_snprintf(name, sizeof name, "> %g m", eval_ranges[i]);
    json_array_append_new(rows, eval_speed_json(&score->speed[i], name));
    add(&all, &score->speed[i]);
  }
  json_array_append_new(rows, eval_speed_json(&all, "all"));
  return rows;
}

static void print_text(FILE *out, const json_t *root)
{
  static const TableCell cells[] = {{"standing", 1, 9, 0}, {"closing.said", 100, 8, 1, "%"},
      {"closing.off_1_5", 100, 8, 1, "%"}, {"closing.off_3", 100, 8, 1, "%"},
      {"lateral.said", 100, 8, 1, "%"}, {"lateral.off_1_5", 100, 8, 1, "%"},
      {"lateral.off_3", 100, 8, 1, "%"}, {NULL}};
  static const TableCell counts[] = {{"frames", 1, 9, 0}, {"obstacles", 1, 9, 0},
      {"moving", 1, 9, 0}, {"on_road", 1, 9, 0}, {"recall", 100, 8, 1, "%"}, {"ids", 1, 9, 0},
      {"life", 1, 9, 1}, {"life_of_most", 1, 9, 1}, {"stay", 100, 8, 1, "%"},
      {"stixels_known", 100, 8, 1, "%"}, {"stixels_off_1_5", 100, 8, 1, "%"}, {"ms", 1, 9, 3},
      {NULL}};
  const json_t *rows = json_object_get(root, "speeds"), *row;
  size_t i;
  fprintf(out, "%s\n\n%-12s%10s%10s%10s%10s%10s%10s%10s\n",
      json_string_value(json_object_get(root, "data")), "speeds of", "standing", "closing",
      ">1.5 m/s", ">3 m/s", "lateral", ">1.5 m/s", ">3 m/s");
  json_array_foreach(rows, i, row)
      table_line(out, 12, json_string_value(json_object_get(row, "range")), row, cells);
  fprintf(out, "\n%-12s%10s%10s%10s%10s%10s%10s%10s%10s%10s%10s%10s%10s\n", "", "frames",
      "obstacles", "moving", "on road", "recall", "ids", "life", "of most", "stay", "stixels",
      ">1.5 m/s", "ms");
  table_line(out, 12, "", root, counts);
}

void sequence_print(FILE *out, const char *name, const SequenceScore *score, bool json)
{
  json_t *root =
      json_pack("{s:s, s:I, s:b, s:I, s:I, s:I, s:I, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
          "data", name, "frames", (json_int_t)score->frames, "labelled", score->labelled,
          "obstacles", (json_int_t)score->obstacles, "moving", (json_int_t)score->moving, "on_road",
          (json_int_t)score->on_road, "things", (json_int_t)score->things, "recall",
          share(score->found, score->things), "ids", (json_int_t)score->ids, "life",
          table_json(score->life), "life_of_most", table_json(score->life_of_most), "stay",
          table_json(score->stay), "stixels_known", share(score->known, score->stixels),
          "stixels_off_1_5", share(score->wrong, score->known), "ms",
          table_json(score->ms / (double)score->frames), "speeds", speeds_json(score));
  if (json) {
    table_dump(out, root);
  } else {
    print_text(out, root);
    json_decref(root);
  }
}
