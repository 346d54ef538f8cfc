/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stx-eval boxes: the score of StixelNExT's evaluation. A stixel is right if at least half of its
 * points lie in the box of a labelled thing, grown by 1.2 around its middle.
 *
 * Boxes are made of the labelled points that the left camera sees of an instance: as wide and high
 * as these, and as deep, but at least as deep as such things are, away from the camera.
 */
#include <glib.h>
#include <math.h>

#include "examples/shared/options.h"
#include "examples/shared/table.h"
#include "examples/stx-eval/stx_eval.h"

#define GROWN 1.2
#define HALF .5
#define LEAST_POINTS 3
#define LEAST_VEHICLE 1.6 /* m: how deep a thing is at least */
#define LEAST_PERSON .6
#define NEAREST 4 /* m: where boxes and stixels count */
#define STEPS 5   /* of confidences, from 0 on */
#define STEP .2

typedef struct {
  StxPipelineSettings pipeline;
  gboolean json;
  char *calibration;
  double farthest;
  int threads;
} Options;

/* Along the line of sight and across it, in the camera's axes. */
typedef struct {
  uint32_t label;
  size_t points;
  double ahead_x, ahead_z; /* where it is seen, of length 1 */
  double near, far;        /* along that */
  double left, right;      /* across */
  double top, bottom;      /* y */
  bool hit[STEPS];
} Box;

/* By the least confidence that counts. Everything adds up. */
typedef struct {
  uint64_t frames, boxes;
  uint64_t stixels[STEPS], things[STEPS], right[STEPS]; /* things: that show labelled ones */
  uint64_t hit[STEPS];
} Score;

/* ---- Boxes ---------------------------------------------------------------------------------- */

static bool is_thing(uint32_t label)
{
  uint32_t kind = label & 0xFFFF;
  return label >> 16 > 0 && ((kind >= 10 && kind <= 32) || kind >= 252);
}

static double least_depth(uint32_t label)
{
  uint32_t kind = label & 0xFFFF;
  bool slim =
      kind == 11 || kind == 15 || (kind >= 30 && kind <= 32) || (kind >= 253 && kind <= 255);
  return slim ? LEAST_PERSON : LEAST_VEHICLE;
}

static void place_of(const StxCamera *camera, double u, double v, double z, double place[3])
{
  place[0] = (u - camera->cx) * z / camera->focal;
  place[1] = (v - camera->cy) * z / camera->focal;
  place[2] = z;
}

static double along(const Box *box, const double p[3])
{
  return box->ahead_x * p[0] + box->ahead_z * p[2];
}

static double across(const Box *box, const double p[3])
{
  return box->ahead_z * p[0] - box->ahead_x * p[2];
}

/* The box of an instance whose line of sight is known. */
static void grow_to(Box *box, const double p[3])
{
  box->near = fmin(box->near, along(box, p));
  box->far = fmax(box->far, along(box, p));
  box->left = fmin(box->left, across(box, p));
  box->right = fmax(box->right, across(box, p));
  box->top = fmin(box->top, p[1]);
  box->bottom = fmax(box->bottom, p[1]);
}

static Box *box_of(GArray *boxes, uint32_t label)
{
  for (guint i = 0; i < boxes->len; i++)
    if (g_array_index(boxes, Box, i).label == label)
      return &g_array_index(boxes, Box, i);
  Box box = {.label = label, .near = INFINITY, .left = INFINITY, .top = INFINITY};
  box.far = box.right = box.bottom = -INFINITY;
  g_array_append_val(boxes, box);
  return &g_array_index(boxes, Box, boxes->len - 1);
}

/* First where each is seen, then how large it is. */
static void find_boxes(const EvalFrame *frame, double farthest, GArray *boxes)
{
  double p[3];
  g_array_set_size(boxes, 0);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < frame->point_count; i++) {
      const EvalPoint *point = &frame->points[i];
      if (!is_thing(point->label))
        continue;
      Box *box = box_of(boxes, point->label);
      place_of(&frame->camera, point->x, point->y, (double)point->depth, p);
      if (pass > 0)
        grow_to(box, p);
      else {
        box->points++;
        box->ahead_x += p[0];
        box->ahead_z += p[2];
      }
    }
    for (guint i = 0; pass == 0 && i < boxes->len; i++) {
      Box *box = &g_array_index(boxes, Box, i);
      double length = sqrt(box->ahead_x * box->ahead_x + box->ahead_z * box->ahead_z);
      box->ahead_x /= length;
      box->ahead_z /= length;
    }
  }
  for (guint i = boxes->len; i-- > 0;) {
    Box *box = &g_array_index(boxes, Box, i);
    box->far = fmax(box->far, box->near + least_depth(box->label));
    if (box->points < LEAST_POINTS || box->near < NEAREST || box->near > farthest)
      g_array_remove_index_fast(boxes, i);
  }
}

static bool is_between(double value, double low, double high)
{
  double middle = (low + high) / 2, reach = GROWN * (high - low) / 2;
  return fabs(value - middle) <= reach;
}

static bool is_inside(const Box *box, const double p[3])
{
  return is_between(along(box, p), box->near, box->far) &&
         is_between(across(box, p), box->left, box->right) &&
         is_between(p[1], box->top, box->bottom);
}

/* ---- Stixels -------------------------------------------------------------------------------- */

/* One point for each row, in the middle of the column. */
static bool is_right(const StxPipelineOutput *output, const StxStixel *s, const Box *box)
{
  double u = (s->column + .5) * output->grid.cell_width - .5;
  int rows = s->bottom - s->top + 1, inside = 0;
  for (int v = s->top; v <= s->bottom; v++) {
    double part = rows > 1 ? (double)(v - s->top) / (rows - 1) : 0;
    double disparity =
        (double)s->disparity_top + part * (double)(s->disparity_bottom - s->disparity_top);
    double p[3];
    place_of(&output->camera, u, v, output->camera.focal * output->camera.baseline / disparity, p);
    inside += is_inside(box, p);
  }
  return inside >= HALF * rows;
}

/* Are most of the labelled points that a stixel covers those of things that have boxes? */
static bool shows_thing(const EvalFrame *frame, const GArray *boxes, const StxStixel *s, int width)
{
  size_t all = 0, things = 0;
  for (size_t i = 0; i < frame->point_count; i++) {
    const EvalPoint *p = &frame->points[i];
    if (p->x / width != s->column || p->y < s->top || p->y > s->bottom)
      continue;
    all++;
    for (guint b = 0; b < boxes->len; b++)
      things += g_array_index(boxes, Box, b).label == p->label;
  }
  return all > 0 && 2 * things > all;
}

static void judge_stixel(const EvalFrame *frame, const StxPipelineOutput *output, GArray *boxes,
    const StxStixel *s, Score *score)
{
  bool right = false, shows = shows_thing(frame, boxes, s, output->grid.cell_width);
  for (guint b = 0; b < boxes->len; b++) {
    Box *box = &g_array_index(boxes, Box, b);
    if (!is_right(output, s, box))
      continue;
    right = true;
    for (int k = 0; k < STEPS; k++)
      box->hit[k] |= (double)s->confidence >= k * STEP;
  }
  for (int k = 0; k < STEPS && (double)s->confidence >= k * STEP; k++) {
    score->stixels[k]++;
    score->right[k] += right;
    score->things[k] += shows || right;
  }
}

static void judge(const Options *o, const EvalFrame *frame, const StxPipelineOutput *output,
    GArray *boxes, Score *score)
{
  double scale = output->camera.focal * output->camera.baseline;
  find_boxes(frame, o->farthest, boxes);
  for (size_t i = 0; i < output->count; i++) {
    const StxStixel *s = &output->stixels[i];
    double z = scale / (double)s->disparity_bottom;
    if (s->kind == STX_KIND_OBJECT && s->disparity_bottom > 0 && s->disparity_top > 0 &&
        z >= NEAREST && z <= o->farthest)
      judge_stixel(frame, output, boxes, s, score);
  }
  for (guint b = 0; b < boxes->len; b++)
    for (int k = 0; k < STEPS; k++)
      score->hit[k] += g_array_index(boxes, Box, b).hit[k];
  score->boxes += boxes->len;
  score->frames++;
}

/* ---- Report --------------------------------------------------------------------------------- */

static double share(uint64_t part, uint64_t all)
{
  return all > 0 ? (double)part / (double)all : NAN;
}

static json_t *step_json(const Score *score, int k)
{
  return json_pack("{sf sI sI sI so so so}", "confidence", k * STEP, "stixels",
      (json_int_t)score->stixels[k], "things", (json_int_t)score->things[k], "right",
      (json_int_t)score->right[k], "precision",
      table_json(share(score->right[k], score->stixels[k])), "precision_of_things",
      table_json(share(score->right[k], score->things[k])), "recall",
      table_json(share(score->hit[k], score->boxes)));
}

static void print(const char *name, const Score *score, bool json)
{
  static const TableCell columns[] = {{"stixels", 1, 9, 0, NULL}, {"precision", 100, 9, 1, " %"},
      {"things", 1, 9, 0, NULL}, {"precision_of_things", 100, 9, 1, " %"},
      {"recall", 100, 9, 1, " %"}, {NULL}};
  json_t *steps = json_array();
  for (int k = 0; k < STEPS; k++)
    json_array_append_new(steps, step_json(score, k));
  json_t *root = json_pack("{ss sI sI so}", "data", name, "frames", (json_int_t)score->frames,
      "boxes", (json_int_t)score->boxes, "confidences", steps);
  if (json) {
    table_dump(stdout, root);
    return;
  }
  printf("%s, %llu frames, %llu boxes\n\n%-12s %9s %11s %9s %11s %11s\n", name,
      (unsigned long long)score->frames, (unsigned long long)score->boxes, "confidence", "stixels",
      "precision", "things", "precision", "recall");
  for (int k = 0; k < STEPS; k++) {
    char from[16];
    g_snprintf(from, sizeof from, "from %.1f", k * STEP);
    table_line(stdout, 12, from, json_array_get(steps, (size_t)k), columns);
  }
  json_decref(root);
}

/* ---- Frames --------------------------------------------------------------------------------- */

static bool run_frame(
    const Options *o, DataSet *set, size_t index, GArray *boxes, Score *score, StxError *error)
{
  EvalFrame frame;
  StxPipelineOutput output;
  if (!set->load(set, index, &frame, error))
    return false;
  StxPipelineInput input = {.left = frame.left, .right = frame.right, .camera = frame.camera};
  StxPipeline *pipeline =
      stx_pipeline_new(&o->pipeline, frame.left.width, frame.left.height, error);
  bool good = pipeline != NULL && stx_pipeline_run(pipeline, &input, &output, error);
  if (good)
    judge(o, &frame, &output, boxes, score);
  stx_pipeline_free(pipeline);
  eval_frame_free(&frame);
  return good;
}

static bool run(const Options *o, const char *folder, StxError *error)
{
  DataSet set;
  Score score = {0};
  if (!eval_open_scans(&set, folder, o->calibration, error))
    return false;
  GArray *boxes = g_array_new(FALSE, FALSE, sizeof(Box));
  bool good = true;
  for (size_t i = 0; good && i < set.count; i++)
    good = run_frame(o, &set, i, boxes, &score, error);
  if (good)
    print(set.name, &score, o->json);
  g_array_unref(boxes);
  set.close(&set);
  return good;
}

static GOptionContext *make_context(Options *o)
{
  const GOptionEntry entries[] = {
      {"calibration", 0, 0, G_OPTION_ARG_FILENAME, &o->calibration,
          "in place of each sequence's calib.txt", "FILE"},
      {"farthest", 0, 0, G_OPTION_ARG_DOUBLE, &o->farthest,
          "stixels and boxes count up to here, metres (30)", "METRES"},
      {"threads", 0, 0, G_OPTION_ARG_INT, &o->threads, "0: all cores", "N"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "print JSON", NULL},
      {NULL},
  };
  GOptionContext *context = g_option_context_new("FOLDER - the score of StixelNExT's evaluation");
  g_option_context_set_summary(context,
      "Pairs with labelled scans in the folders of KITTI's odometry: how many object stixels lie\n"
      "in boxes of labelled vehicles and people, and how many boxes have such stixels.");
  g_option_context_add_main_entries(context, entries, NULL);
  return context;
}

bool eval_boxes(int argc, char **argv, StxError *error)
{
  Options o = {.pipeline = eval_defaults(), .farthest = 30};
  bool good = options_parse(make_context(&o), &argc, &argv, error);
  if (good && argc != 2)
    good = stx_fail(error, "%s (see --help)",
        argc < 2 ? "say a folder with labelled scans" : "one folder with labelled scans");
  if (good && !(o.farthest > NEAREST && o.farthest <= 250))
    good = stx_fail(error, "--farthest=%g: above %d, up to 250 m", o.farthest, NEAREST);
  good = good && options_check_threads(o.threads, error);
  o.pipeline.threads = stx_threads(o.threads);
  good = good && run(&o, argv[1], error);
  g_free(o.calibration);
  return good;
}
