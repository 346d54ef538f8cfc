/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stx-eval lidar: how well ground is told from obstacles, against labels of SemanticKITTI's kind.
 *
 * Protocol B (S. Lee et al., "Patchwork++", IROS 2022): ground is road, parking, sidewalk, other
 * ground, lane marking and terrain; vegetation, outliers and what has no label do not count.
 * Protocol A: vegetation counts too, as ground below −1.29 m.
 */
#include "examples/stx-eval/stx_eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/colour/colour.h"
#include "common/ground/ground.h"
#include "examples/shared/clock.h"
#include "examples/shared/lidar_scans.h"
#include "examples/shared/options.h"
#include "examples/shared/png_io.h"
#include "examples/shared/table.h"

#define OUTLIER 1 /* 0: without a label */
#define VEGETATION 70
#define VEGETATION_LOW (-1.29f) /* m, protocol A */

/* The truth of a point. */
typedef enum { TRUTH_IGNORED, TRUTH_GROUND, TRUTH_OTHER } PointTruth;

/* Ranges that are told apart, metres: from each to the next. */
static const double ranges[] = {0, 10, 20, 30, 50, INFINITY};
enum { RANGES = sizeof ranges / sizeof ranges[0] - 1 };

typedef struct {
  uint64_t true_ground, false_ground, missed, true_other;
} Counts;

typedef struct {
  char name[64];
  uint64_t points, ignored;
  StxGroundResult result;
  Counts range[RANGES], all;
  double ms;
} ScanResult;

typedef struct {
  StxGroundParams params;
  char *folder, *protocol, *backend, *pictures, *labels;
  gboolean street, json;
  gint64 seed;
  int beams, frames, repeat, threads;
  double raise, roll, pitch;
  bool protocol_a;
  const StxGroundImpl *impl;
} Options;

/* ---- Measures ----------------------------------------------------------------------------- */

static double share(uint64_t part, uint64_t all)
{
  return all > 0 ? 100.0 * (double)part / (double)all : NAN;
}

static double precision(const Counts *c)
{
  return share(c->true_ground, c->true_ground + c->false_ground);
}

static double recall(const Counts *c)
{
  return share(c->true_ground, c->true_ground + c->missed);
}

static double f1(const Counts *c)
{
  return share(2 * c->true_ground, 2 * c->true_ground + c->false_ground + c->missed);
}

static double iou(const Counts *c)
{
  return share(c->true_ground, c->true_ground + c->false_ground + c->missed);
}

static uint64_t counted(const Counts *c)
{
  return c->true_ground + c->false_ground + c->missed + c->true_other;
}

static void add_counts(Counts *sum, const Counts *more)
{
  sum->true_ground += more->true_ground;
  sum->false_ground += more->false_ground;
  sum->missed += more->missed;
  sum->true_other += more->true_other;
}

static PointTruth truth_of(const Options *o, uint32_t label, const float *point)
{
  uint32_t point_class = label & 0xFFFF;
  if (point_class <= OUTLIER || (point_class == VEGETATION && !o->protocol_a))
    return TRUTH_IGNORED;
  if (point_class == VEGETATION)
    return point[2] < VEGETATION_LOW ? TRUTH_GROUND : TRUTH_OTHER;
  return stx_point_is_ground(label) ? TRUTH_GROUND : TRUTH_OTHER;
}

static uint8_t range_of(const float *point)
{
  double range = hypot(point[0], point[1]);
  uint8_t i = 0;
  while (i < RANGES - 1 && range >= ranges[i + 1])
    i++;
  return i;
}

/* truth, range, labels: one for each point. */
static void score(size_t count, const PointTruth *truth, const uint8_t *range,
    const uint32_t *labels, ScanResult *result)
{
  for (size_t i = 0; i < count; i++) {
    bool ground = stx_point_is_ground(labels[i]);
    Counts *c = &result->range[range[i]];
    if (truth[i] == TRUTH_IGNORED)
      result->ignored++;
    else if (truth[i] == TRUTH_GROUND)
      ground ? c->true_ground++ : c->missed++;
    else
      ground ? c->false_ground++ : c->true_other++;
  }
  for (int i = 0; i < RANGES; i++)
    add_counts(&result->all, &result->range[i]);
}

/* ---- The picture -------------------------------------------------------------------------- */

#define SIDE 1000
#define PIXELS_PER_M 10.0

/* In the order in which they lie over each other. */
typedef enum { IGNORED, TRUE_OTHER, TRUE_GROUND, MISSED, FALSE_GROUND, OUTCOMES } Outcome;

static const StxMeaning meanings[OUTCOMES] = {[IGNORED] = STX_MEANS_IGNORED,
    [TRUE_OTHER] = STX_MEANS_TRUTH,
    [TRUE_GROUND] = STX_MEANS_TRUE_POSITIVE,
    [MISSED] = STX_MEANS_FALSE_NEGATIVE,
    [FALSE_GROUND] = STX_MEANS_FALSE_POSITIVE};

static Outcome outcome_of(PointTruth truth, bool ground)
{
  if (truth == TRUTH_IGNORED)
    return IGNORED;
  if (truth == TRUTH_GROUND)
    return ground ? TRUE_GROUND : MISSED;
  return ground ? FALSE_GROUND : TRUE_OTHER;
}

/* The pixel where a point lies; false: outside. */
static bool pixel_of(const float *point, size_t *pixel)
{
  double row = SIDE / 2 - floor((double)point[0] * PIXELS_PER_M) - 1;
  double column = SIDE / 2 - floor((double)point[1] * PIXELS_PER_M) - 1;
  if (!(row >= 0 && row < SIDE && column >= 0 && column < SIDE))
    return false;
  *pixel = (size_t)row * SIDE + (size_t)column;
  return true;
}

/*
 * Writes a PNG of the scan from above, x up and y to the left, 1000 × 1000 pixels of 10 cm around
 * the sensor: ground that was found green, what is no ground white, what is and was not found blue,
 * what was taken for ground red, points that do not count gray. What is wrong lies over what is
 * right, and that over what does not count. truth, labels: one for each point.
 */
static bool save_picture(const char *path, const LidarScan *scan, const PointTruth *truth,
    const uint32_t *labels, StxError *error)
{
  uint8_t *rgb = g_new0(uint8_t, 3 * SIDE * SIDE), *highest = g_new0(uint8_t, SIDE * SIDE);
  for (size_t i = 0; i < scan->count; i++) {
    size_t pixel;
    Outcome outcome = outcome_of(truth[i], stx_point_is_ground(labels[i]));
    if (!pixel_of(scan->points + 4 * i, &pixel) || highest[pixel] > outcome)
      continue;
    highest[pixel] = (uint8_t)outcome;
    StxRgb colour = stx_colour(meanings[outcome]);
    memcpy(rgb + 3 * pixel, &colour, 3);
  }
  bool good = png_save_rgb(path, rgb, SIDE, SIDE, error);
  g_free(highest);
  g_free(rgb);
  return good;
}

/* ---- One scan ----------------------------------------------------------------------------- */

static bool label_scan(
    const Options *o, const LidarScan *scan, uint32_t *labels, ScanResult *result, StxError *error)
{
  size_t size = o->impl->scratch_size(&o->params, scan->count, o->threads);
  void *scratch = aligned_alloc(STX_ALIGN, stx_align(size));
  if (scratch == NULL)
    return stx_fail(error, "not enough memory: %zu bytes of scratch", size);
  for (int run = 0; run < o->repeat; run++) {
    double begin = now_ms();
    o->impl->run(&o->params, scan->points, scan->count, labels, &result->result, scratch,
        &(StxPlace){.threads = o->threads}, NULL);
    double ms = now_ms() - begin;
    result->ms = run == 0 || ms < result->ms ? ms : result->ms;
  }
  free(scratch);
  return true;
}

/* Counts what another program says of the scan, in place of its true labels; its time is not
 * known. */
static bool load_labels(const Options *o, LidarSet *set, size_t index, LidarScan *scan,
    ScanResult *result, StxError *error)
{
  result->ms = NAN;
  if (!lidar_set_load_labels(set, index, o->labels, scan, error))
    return false;
  for (size_t i = 0; i < scan->count; i++) {
    bool ground = stx_point_is_ground(scan->labels[i]);
    bool none = (scan->labels[i] & 0xFFFF) == STX_POINT_NONE;
    result->result.ground += ground;
    result->result.outside += none;
    result->result.obstacles += !ground && !none;
  }
  return true;
}

/* Truth and ranges belong to the scan as it was recorded: they are looked up before it is moved. */
static bool eval_scan(
    const Options *o, LidarSet *set, size_t index, ScanResult *result, StxError *error)
{
  LidarScan scan;
  if (!lidar_set_load(set, index, &scan, error))
    return false;
  g_strlcpy(result->name, scan.name, sizeof result->name);
  result->points = scan.count;
  uint32_t *labels = g_new(uint32_t, scan.count + 1);
  PointTruth *truth = g_new(PointTruth, scan.count + 1);
  uint8_t *range = g_new(uint8_t, scan.count + 1);
  for (size_t i = 0; i < scan.count; i++) {
    truth[i] = truth_of(o, scan.labels[i], scan.points + 4 * i);
    range[i] = range_of(scan.points + 4 * i);
  }
  lidar_scan_move(&scan, o->raise, o->roll, o->pitch);
  bool good = o->labels != NULL ? load_labels(o, set, index, &scan, result, error)
                                : label_scan(o, &scan, labels, result, error);
  const uint32_t *found = o->labels != NULL ? scan.labels : labels;
  if (good)
    score(scan.count, truth, range, found, result);
  char *picture = eval_picture_path(o->pictures, scan.name);
  if (good && picture != NULL)
    good = save_picture(picture, &scan, truth, found, error);
  g_free(picture);
  g_free(range);
  g_free(truth);
  g_free(labels);
  lidar_scan_free(&scan);
  return good;
}

/* ---- Report ------------------------------------------------------------------------------- */

typedef struct {
  ScanResult sum;
  double f1_mean, f1_worst, iou_mean;
  const char *worst;
} Total;

static Total total_of(const ScanResult *scans, size_t count)
{
  Total t = {.f1_worst = INFINITY};
  for (size_t i = 0; i < count; i++) {
    const ScanResult *s = &scans[i];
    t.sum.points += s->points;
    t.sum.ignored += s->ignored;
    t.sum.result.ground += s->result.ground;
    t.sum.result.obstacles += s->result.obstacles;
    t.sum.result.outside += s->result.outside;
    t.sum.ms += s->ms / (double)count;
    t.f1_mean += f1(&s->all) / (double)count;
    t.iou_mean += iou(&s->all) / (double)count;
    if (f1(&s->all) < t.f1_worst) {
      t.f1_worst = f1(&s->all);
      t.worst = s->name;
    }
    add_counts(&t.sum.all, &s->all);
    for (int r = 0; r < RANGES; r++)
      add_counts(&t.sum.range[r], &s->range[r]);
  }
  return t;
}

/* Precision and the like are % of the points that count. */
static void add_measures(json_t *row, const Counts *c)
{
  json_object_set_new(row, "precision", table_json(precision(c)));
  json_object_set_new(row, "recall", table_json(recall(c)));
  json_object_set_new(row, "f1", table_json(f1(c)));
  json_object_set_new(row, "iou", table_json(iou(c)));
  json_object_set_new(row, "counted", json_integer((json_int_t)counted(c)));
}

static json_t *report_of(
    const Options *o, const LidarSet *set, const ScanResult *scans, size_t count, const Total *t)
{
  json_t *list = json_array(), *of_ranges = json_array();
  for (size_t i = 0; i < count; i++) {
    const ScanResult *s = &scans[i];
    json_t *row = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:o}", "name", s->name,
        "points", (json_int_t)s->points, "ground", (json_int_t)s->result.ground, "obstacles",
        (json_int_t)s->result.obstacles, "outside", (json_int_t)s->result.outside, "ignored",
        (json_int_t)s->ignored, "clusters", (json_int_t)s->result.clusters, "height",
        (double)s->result.height, "ms", table_json(s->ms));
    add_measures(row, &s->all);
    json_array_append_new(list, row);
  }
  for (int r = 0; r < RANGES; r++) {
    json_t *row = json_pack("{s:f}", "from", ranges[r]);
    add_measures(row, &t->sum.range[r]);
    json_array_append_new(of_ranges, row);
  }
  json_t *total = json_pack("{s:o, s:o, s:o, s:o}", "f1_mean", table_json(t->f1_mean), "f1_worst",
      table_json(t->f1_worst), "iou_mean", table_json(t->iou_mean), "ms", table_json(t->sum.ms));
  add_measures(total, &t->sum.all);
  return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "data", set->name, "protocol",
      o->protocol_a ? "A" : "B", "implementation",
      o->labels != NULL ? o->labels : o->impl->info.name, "scans", list, "ranges", of_ranges,
      "total", total);
}

#define MEASURE_CELLS                                                                              \
  {"precision", 1, 10, 2}, {"recall", 1, 8, 2}, {"f1", 1, 8, 2},                                   \
  {                                                                                                \
    "iou", 1, 8, 2                                                                                 \
  }

/* Beyond r_max nothing is ground. */
static void print_ranges(const json_t *root)
{
  static const TableCell cells[] = {{"counted", 1, 9, 0}, MEASURE_CELLS, {NULL}};
  const json_t *row;
  char name[32];
  size_t r;
  printf("\n%-22s %9s %10s %8s %8s %8s\n", "range", "counted", "precision", "recall", "F1", "IoU");
  json_array_foreach(json_object_get(root, "ranges"), r, row)
  {
    g_snprintf(name, sizeof name, isinf(ranges[r + 1]) ? "from %g m" : "%g to %g m", ranges[r],
        ranges[r + 1]);
    if (json_integer_value(json_object_get(row, "counted")) > 0)
      table_line(stdout, 22, name, row, cells);
  }
  table_line(stdout, 22, "all", json_object_get(root, "total"), cells);
}

static void print_text(const json_t *root, size_t count, const Total *t)
{
  static const TableCell cells[] = {{"points", 1, 9, 0}, {"ground", 1, 9, 0},
      {"obstacles", 1, 9, 0}, {"outside", 1, 9, 0}, MEASURE_CELLS, {"height", 1, 7, 2},
      {"clusters", 1, 8, 0}, {"ms", 1, 8, 2}, {NULL}};
  const json_t *row;
  size_t i;
  printf("%s: %zu scans, protocol %s, %s\n\n", json_string_value(json_object_get(root, "data")),
      count, json_string_value(json_object_get(root, "protocol")),
      json_string_value(json_object_get(root, "implementation")));
  printf("%-22s %9s %9s %9s %9s %10s %8s %8s %8s %7s %8s %8s\n", "scan", "points", "ground",
      "obstacle", "outside", "precision", "recall", "F1", "IoU", "height", "clusters", "ms");
  json_array_foreach(json_object_get(root, "scans"), i, row)
      table_line(stdout, 22, json_string_value(json_object_get(row, "name")), row, cells);
  printf("\n%llu points = %u ground + %u obstacle + %u not classified; %llu counted + %llu "
         "ignored\n",
      (unsigned long long)t->sum.points, t->sum.result.ground, t->sum.result.obstacles,
      t->sum.result.outside, (unsigned long long)counted(&t->sum.all),
      (unsigned long long)t->sum.ignored);
  print_ranges(root);
  printf("\nF1 per scan: mean %.2f, worst %.2f (%s); IoU mean %.2f; %.2f ms per scan\n", t->f1_mean,
      t->f1_worst, t->worst, t->iou_mean, t->sum.ms);
}

static bool evaluate(const Options *o, LidarSet *set, StxError *error)
{
  size_t count = o->frames > 0 && (size_t)o->frames < set->count ? (size_t)o->frames : set->count;
  ScanResult *scans = g_new0(ScanResult, count);
  bool good = true;
  for (size_t i = 0; good && i < count; i++)
    good = eval_scan(o, set, i, &scans[i], error);
  if (good) {
    Total total = total_of(scans, count);
    json_t *root = report_of(o, set, scans, count, &total);
    if (o->json) {
      table_dump(stdout, root);
    } else {
      print_text(root, count, &total);
      json_decref(root);
    }
  }
  g_free(scans);
  return good;
}

/* ---- Command line ------------------------------------------------------------------------- */

static GOptionContext *make_context(Options *o)
{
  const GOptionEntry entries[] = {
      {"street", 0, 0, G_OPTION_ARG_NONE, &o->street, "the synthetic street, no folder", NULL},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &o->seed, "of the street (1)", "N"},
      {"beams", 0, 0, G_OPTION_ARG_INT, &o->beams, "of the street's sensor (64)", "N"},
      {"frames", 0, 0, G_OPTION_ARG_INT, &o->frames, "at most N (0: all; street: 10)", "N"},
      {"protocol", 0, 0, G_OPTION_ARG_STRING, &o->protocol,
          "b (default): vegetation is ignored, or a: low vegetation is ground", "P"},
      {"raise", 0, 0, G_OPTION_ARG_DOUBLE, &o->raise, "as if the sensor stood so much lower", "M"},
      {"roll", 0, 0, G_OPTION_ARG_DOUBLE, &o->roll, "tilt the scans about x", "DEG"},
      {"pitch", 0, 0, G_OPTION_ARG_DOUBLE, &o->pitch, "tilt the scans about y", "DEG"},
      {"pictures", 0, 0, G_OPTION_ARG_FILENAME, &o->pictures,
          "write a picture of each scan from above there: ground found green, missed blue, false "
          "red",
          "DIR"},
      {"labels", 0, 0, G_OPTION_ARG_FILENAME, &o->labels,
          "judge another program: DIR/SEQUENCE/NAME.label for SEQUENCE/velodyne/NAME.bin", "DIR"},
      {"backend", 0, 0, G_OPTION_ARG_STRING, &o->backend, "auto, omp or c", "B"},
      {"threads", 0, 0, G_OPTION_ARG_INT, &o->threads, "0: all cores", "N"},
      {"repeat", 0, 0, G_OPTION_ARG_INT, &o->repeat, "runs per scan; the fastest counts", "N"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "print JSON", NULL},
      {NULL},
  };
  GOptionContext *context = g_option_context_new("[FOLDER] - measures ground in LiDAR scans");
  g_option_context_set_summary(context,
      "FOLDER holds SemanticKITTI's layout: velodyne/*.bin with labels/*.label, itself, in\n"
      "sub-folders or in sequences/. Defaults are those of lidar-ground.");
  g_option_context_add_main_entries(context, entries, NULL);
  options_add_group(context, &(OptionGroup){"ground", "Ground:", "the ground segmentation",
                                 {{&stx_ground_fields, &o->params}}});
  return context;
}

static bool apply(Options *o, StxError *error)
{
  static const StxBackend backends[] = {STX_BACKEND_AUTO, STX_BACKEND_OMP, STX_BACKEND_C};
  static const char *const backend_names[] = {"auto", "omp", "c", NULL};
  static const char *const protocols[] = {"b", "a", NULL};
  int backend =
      options_choose("backend", o->backend != NULL ? o->backend : "auto", backend_names, error);
  int protocol =
      options_choose("protocol", o->protocol != NULL ? o->protocol : "b", protocols, error);
  if (backend < 0 || protocol < 0)
    return false;
  if (o->repeat < 1)
    return stx_fail(error, "--repeat=%d: must be at least 1", o->repeat);
  if (o->frames < 0)
    return stx_fail(error, "--frames=%d: must be at least 0 (0: all)", o->frames);
  if (!options_check_threads(o->threads, error))
    return false;
  o->threads = stx_threads(o->threads);
  o->protocol_a = protocol == 1;
  o->impl = stx_impl_pick(&stx_ground_impls, backends[backend]);
  return stx_ground_check(&o->params, error);
}

static bool parse(Options *o, int argc, char **argv, StxError *error)
{
  if (!options_parse(make_context(o), &argc, &argv, error))
    return false;
  if (argc > 2)
    return stx_fail(error, "one folder, please, not %d (see --help)", argc - 1);
  if ((argc == 2) == (o->street != FALSE))
    return stx_fail(error, "give either a folder or --street (see --help)");
  if (o->street && o->labels != NULL)
    return stx_fail(error, "--labels needs a folder of scans, not --street");
  o->folder = argc == 2 ? g_strdup(argv[1]) : NULL;
  return apply(o, error);
}

static bool open_scans(const Options *o, LidarSet *set, StxError *error)
{
  return o->street ? lidar_set_open_street(set, (uint64_t)o->seed, o->beams,
                         o->frames > 0 ? (size_t)o->frames : 10, error)
                   : lidar_set_open(set, o->folder, error);
}

bool eval_lidar(int argc, char **argv, StxError *error)
{
  Options o = {.params = STX_GROUND_DEFAULTS, .seed = 1, .beams = 64, .repeat = 1};
  LidarSet set;
  bool good = parse(&o, argc, argv, error) && open_scans(&o, &set, error);
  if (good) {
    good = evaluate(&o, &set, error);
    lidar_set_close(&set);
  }
  g_free(o.folder);
  g_free(o.protocol);
  g_free(o.backend);
  g_free(o.pictures);
  g_free(o.labels);
  return good;
}
