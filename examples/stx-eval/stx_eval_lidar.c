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

#include "common/ground/ground.h"
#include "examples/shared/clock.h"
#include "examples/shared/options.h"
#include "examples/stx-eval/stx_eval_lidar.h"

#define OUTLIER 1 /* 0: without a label */
#define VEGETATION 70
#define VEGETATION_LOW (-1.29f) /* m, protocol A */

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
  char *folder, *protocol, *backend, *pictures;
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
    bool ground = labels[i] == STX_POINT_GROUND;
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
  bool good = label_scan(o, &scan, labels, result, error);
  if (good)
    score(scan.count, truth, range, labels, result);
  char *picture = eval_picture_path(o->pictures, scan.name);
  if (good && picture != NULL)
    good = lidar_save_picture(picture, &scan, truth, labels, error);
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

static void print_measures(const Counts *c)
{
  if (c->true_ground + c->false_ground + c->missed == 0)
    printf("%10s %8s %8s %8s", "-", "-", "-", "-");
  else
    printf("%10.2f %8.2f %8.2f %8.2f", precision(c), recall(c), f1(c), iou(c));
}

/* Beyond r_max nothing is ground. */
static void print_ranges(const Total *t)
{
  printf("\n%-22s %9s %10s %8s %8s %8s\n", "range", "counted", "precision", "recall", "F1", "IoU");
  for (int r = 0; r < RANGES; r++) {
    char name[32];
    if (counted(&t->sum.range[r]) == 0)
      continue;
    g_snprintf(name, sizeof name, isinf(ranges[r + 1]) ? "from %g m" : "%g to %g m", ranges[r],
        ranges[r + 1]);
    printf("%-22s %9llu ", name, (unsigned long long)counted(&t->sum.range[r]));
    print_measures(&t->sum.range[r]);
    printf("\n");
  }
  printf("%-22s %9llu ", "all", (unsigned long long)counted(&t->sum.all));
  print_measures(&t->sum.all);
  printf("\n");
}

static void print_text(
    const Options *o, const LidarSet *set, const ScanResult *scans, size_t count, const Total *t)
{
  printf("%s: %zu scans, protocol %s, %s\n\n", set->name, count, o->protocol_a ? "A" : "B",
      o->impl->info.name);
  printf("%-22s %9s %9s %9s %9s %10s %8s %8s %8s %7s %8s %8s\n", "scan", "points", "ground",
      "obstacle", "outside", "precision", "recall", "F1", "IoU", "height", "clusters", "ms");
  for (size_t i = 0; i < count; i++) {
    const ScanResult *s = &scans[i];
    printf("%-22s %9llu %9u %9u %9u ", s->name, (unsigned long long)s->points, s->result.ground,
        s->result.obstacles, s->result.outside);
    print_measures(&s->all);
    printf(" %7.2f %8u %8.2f\n", (double)s->result.height, s->result.clusters, s->ms);
  }
  printf("\n%llu points = %u ground + %u obstacle + %u not classified; %llu counted + %llu "
         "ignored\n",
      (unsigned long long)t->sum.points, t->sum.result.ground, t->sum.result.obstacles,
      t->sum.result.outside, (unsigned long long)counted(&t->sum.all),
      (unsigned long long)t->sum.ignored);
  print_ranges(t);
  printf("\nF1 per scan: mean %.2f, worst %.2f (%s); IoU mean %.2f; %.2f ms per scan\n", t->f1_mean,
      t->f1_worst, t->worst, t->iou_mean, t->sum.ms);
}

/* JSON has no NaN. */
static void print_number(const char *name, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  printf("\"%s\": %s, ", name,
      isfinite(value) ? g_ascii_formatd(text, sizeof text, "%.4f", value) : "null");
}

static void print_counts(const Counts *c)
{
  print_number("precision", precision(c));
  print_number("recall", recall(c));
  print_number("f1", f1(c));
  print_number("iou", iou(c));
  printf("\"counted\": %llu", (unsigned long long)counted(c));
}

static void print_json(
    const Options *o, const LidarSet *set, const ScanResult *scans, size_t count, const Total *t)
{
  char *name = g_strescape(set->name, NULL);
  printf("{\"data\": \"%s\", \"protocol\": \"%s\", \"implementation\": \"%s\",\n \"scans\": [\n",
      name, o->protocol_a ? "A" : "B", o->impl->info.name);
  for (size_t i = 0; i < count; i++) {
    printf("  {\"name\": \"%s\", \"points\": %llu, \"ground\": %u, \"obstacles\": %u, "
           "\"outside\": %u, \"ignored\": %llu, \"clusters\": %u, ",
        scans[i].name, (unsigned long long)scans[i].points, scans[i].result.ground,
        scans[i].result.obstacles, scans[i].result.outside, (unsigned long long)scans[i].ignored,
        scans[i].result.clusters);
    print_number("height", (double)scans[i].result.height);
    print_number("ms", scans[i].ms);
    print_counts(&scans[i].all);
    printf("}%s\n", i + 1 < count ? "," : "");
  }
  printf(" ],\n \"ranges\": [\n");
  for (int r = 0; r < RANGES; r++) {
    printf("  {\"from\": %g, ", ranges[r]);
    print_counts(&t->sum.range[r]);
    printf("}%s\n", r + 1 < RANGES ? "," : "");
  }
  printf(" ],\n \"total\": {");
  print_number("f1_mean", t->f1_mean);
  print_number("f1_worst", t->f1_worst);
  print_number("iou_mean", t->iou_mean);
  print_number("ms", t->sum.ms);
  print_counts(&t->sum.all);
  printf("}}\n");
  g_free(name);
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
    (o->json ? print_json : print_text)(o, set, scans, count, &total);
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
  return good;
}
