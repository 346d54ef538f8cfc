/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval paper as a user runs it, on a small synthetic street. */
#include "tests/tools/programs.h"

#include <math.h>
#include <string.h>

#define STREET "--size 416x160"
#define SMALL STREET " --seeds 1"
#define SCENES 5
#define ROWS                                                                                       \
  (2 * 2 * 5) /* of a data set with labels: cells, settings, models from depth and labels */
#define PRECISION 1e-5 /* what JSON keeps */

/* Of every how many rows another run of the program is asked for: each is a second when sanitized,
 * which all models, settings and scenes have seen after a few. */
#ifdef __SANITIZE_ADDRESS__
#define CHECK_EVERY 7
#else
#define CHECK_EVERY 1
#endif

static json_t *paper(const char *options)
{
  char *arguments = g_strconcat("paper " SMALL " --json ", options, NULL);
  json_t *root = run_json("STX_EVAL", arguments);
  g_free(arguments);
  return root;
}

static const char *text_at(const json_t *row, const char *key)
{
  const char *text = json_string_value(json_object_get(row, key));
  ck_assert_msg(text != NULL, "no text at %s", key);
  return text;
}

static bool is(const json_t *row, const char *key, const char *value)
{
  return strcmp(text_at(row, key), value) == 0;
}

static json_t *rows_of(json_t *root, const char *list, size_t count)
{
  json_t *rows = json_object_get(root, list);
  ck_assert_msg(
      json_array_size(rows) == count, "%s: %zu rows, not %zu", list, json_array_size(rows), count);
  return rows;
}

/* ---- Tables 2 and 3 -------------------------------------------------------------------------- */

/* What a row of the comparison measures is what the program measures with these options. */
static void expect_measures(json_t *row, json_t *total)
{
  static const char *const pairs[][2] = {{"error_or", "non_occluded.stixels.error_or"},
      {"error_and", "non_occluded.stixels.error_and"}, {"input_or", "non_occluded.filled.error_or"},
      {"input_and", "non_occluded.filled.error_and"}, {"error_all_or", "all.stixels.error_or"},
      {"input_all_and", "all.filled.error_and"}, {"ratio_and", "non_occluded.ratio_and"},
      {"pixels_per_stixel", "pixels_per_stixel"}, {"stixels_per_frame", "stixels_per_frame"},
      {"iou_cells", "iou_cells.mean"}};
  for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++)
    ck_assert_double_eq_tol(number_at(row, pairs[i][0]), number_at(total, pairs[i][1]),
        PRECISION * (1 + fabs(number_at(row, pairs[i][0]))));
  if (is(row, "model", "rdp"))
    return;
  ck_assert_double_eq_tol(
      number_at(row, "iou_kinds"), number_at(total, "iou_kinds.mean"), PRECISION);
  ck_assert_double_eq_tol(
      number_at(row, "pairs_evaluated"), number_at(total, "pairs_evaluated"), PRECISION);
}

static const char *terrain_of(const json_t *row)
{
  const char *name = text_at(row, "data");
  return strncmp(name, "flat", 4) == 0     ? " --terrain flat"
         : strncmp(name, "sloped", 6) == 0 ? " --terrain sloped"
         : strncmp(name, "hilly", 5) == 0  ? " --terrain hilly"
                                           : "";
}

/* The same by another way: the seeds after the study's are those of the tables. */
static void check_row(json_t *row)
{
  bool printed = is(row, "settings", "paper"), labels = is(row, "labels", "true");
  const char *model = is(row, "model", "gaussian") ? "satdp" : text_at(row, "model");
  char *options = g_strdup_printf(
      "--street " STREET " --seed 2 --frames 1 --threads 1 --json --cell %d --model %s%s%s%s%s",
      (int)number_at(row, "cell"), model, terrain_of(row),
      strstr(text_at(row, "data"), "piecewise") != NULL ? " --ground piecewise" : "",
      labels ? " --semantics truth" : "",
      printed ? " --reduction mean --fill-width 0 --no-confidence --no-sky --object-sigma-slope 0"
              : "");
  json_t *root = run_json("STX_EVAL", options);
  expect_measures(row, json_object_get(root, "total"));
  if (labels)
    ck_assert_double_eq_tol(
        number_at(row, "iou_classes"), number_at(root, "total.iou_classes.mean"), PRECISION);
  ck_assert(json_is_null(json_object_get(row, "iou_classes")) == !labels);
  json_decref(root);
  g_free(options);
}

/* Segments know no labels. */
START_TEST(compares_every_model)
{
  json_t *root = paper("--tables comparison"), *row, *frame;
  json_t *rows = rows_of(root, "comparison", SCENES * ROWS),
         *frames = rows_of(root, "frames", SCENES * ROWS);
  size_t i, others, alike = 0;
  double last = 0;
  json_array_foreach(rows, i, row)
  {
    if (i % CHECK_EVERY == 0)
      check_row(row);
    alike += number_at(row, "stixels_per_frame") == last;
    last = number_at(row, "stixels_per_frame");
    ck_assert_double_gt(number_at(row, "ms_sgm"), 0);
    ck_assert_double_gt(number_at(row, is(row, "model", "rdp") ? "ms_rdp" : "ms_satdp"), 0);
    frame = json_array_get(frames, i); /* one frame: the same numbers */
    ck_assert(is(frame, "frame", "seed 2") && is(frame, "model", text_at(row, "model")));
    ck_assert_double_eq(number_at(frame, "error_or"), number_at(row, "error_or"));
    for (others = 0; others < i; others++) {
      json_t *other = json_array_get(rows, others);
      ck_assert(
          !(is(row, "data", text_at(other, "data")) && is(row, "model", text_at(other, "model")) &&
              is(row, "settings", text_at(other, "settings")) &&
              is(row, "labels", text_at(other, "labels")) &&
              number_at(row, "cell") == number_at(other, "cell")));
    }
  }
  ck_assert_uint_lt(alike, json_array_size(rows) / 10); /* or a mix-up could not be seen */
  rows_of(root, "growth", 0);
  rows_of(root, "study", 0);
  json_decref(root);
}
END_TEST

/* ---- Growth --------------------------------------------------------------------------------- */

typedef struct {
  double rows[5], us[5];
  size_t count;
} Curve;

/* The times of one code; what prunes looks at less. */
static Curve curve_of(json_t *rows, const char *model, bool pruned)
{
  Curve curve = {.count = 0};
  json_t *row;
  size_t i;
  json_array_foreach(rows, i, row)
  {
    if (!is(row, "model", model) || json_is_true(json_object_get(row, "pruned")) != pruned)
      continue;
    ck_assert_uint_lt(curve.count, 5);
    curve.rows[curve.count] = number_at(row, "rows");
    curve.us[curve.count] = number_at(row, "us_per_column");
    ck_assert_double_gt(curve.us[curve.count++], 0);
    ck_assert(is(row, "code", "c") == !pruned);
    double looked_at = number_at(row, "pairs_evaluated");
    ck_assert(pruned ? looked_at > 0 && looked_at < 1 : looked_at == 1);
  }
  ck_assert_uint_eq(curve.count, 5);
  return curve;
}

/* The slope through the logarithms, from the sums that the books give. */
static double slope(const Curve *curve, size_t from)
{
  double n = (double)(curve->count - from), x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = from; i < curve->count; i++) {
    double lx = log(curve->rows[i]), ly = log(curve->us[i]);
    x += lx;
    y += ly;
    xx += lx * lx;
    xy += lx * ly;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

static void check_exponents(json_t *row, const Curve *curve)
{
  ck_assert_double_eq_tol(number_at(row, "exponent"), slope(curve, 0), 1e-3);
  ck_assert_double_eq_tol(number_at(row, "exponent_last"), slope(curve, 2), 1e-3);
}

START_TEST(shows_how_time_grows)
{
  static const double rows_expected[] = {10, 20, 40, 80, 160};
  json_t *root = paper("--tables growth"), *row;
  json_t *rows = rows_of(root, "growth", 4 * 5), *exponents = rows_of(root, "exponents", 4);
  size_t i;
  json_array_foreach(exponents, i, row)
  {
    Curve curve =
        curve_of(rows, text_at(row, "model"), json_is_true(json_object_get(row, "pruned")));
    for (int k = 0; k < 5; k++)
      ck_assert_double_eq(curve.rows[k], rows_expected[k]);
    check_exponents(row, &curve);
  }
  /* Processor time of a loop over 160 cells against a look at two sums. */
  Curve ours = curve_of(rows, "gaussian", false),
        theirs = curve_of(rows, "gaussian-uniform", false);
  ck_assert_double_gt(theirs.us[4], 2 * ours.us[4]);
  json_decref(root);
}
END_TEST

/* ---- Study ---------------------------------------------------------------------------------- */

static void check_study(json_t *rows, const char *parameter, const char *value, const char *options)
{
  char *arguments = g_strdup_printf(
      "--street " STREET " --seed 1 --frames 1 --threads 1 --json --cell 8 %s", options);
  json_t *root = run_json("STX_EVAL", arguments), *row;
  int found = 0;
  size_t i;
  json_array_foreach(rows, i, row)
  {
    if (!is(row, "parameter", parameter) || !is(row, "value", value) || !is(row, "labels", "none"))
      continue;
    if (!is(row, "model", strstr(options, "uniform") != NULL ? "gaussian-uniform" : "gaussian"))
      continue;
    found++;
    ck_assert_double_eq_tol(number_at(row, "error_and"),
        number_at(root, "total.non_occluded.stixels.error_and"), PRECISION);
    ck_assert_double_eq_tol(
        number_at(row, "pixels_per_stixel"), number_at(root, "total.pixels_per_stixel"), 1e-2);
  }
  ck_assert_msg(found == 1, "%s=%s stands there %d times", parameter, value, found);
  json_decref(root);
  g_free(arguments);
}

/* Seeds from 1 on. The same parameter never has its default and another value at once. */
START_TEST(studies_parameters)
{
  json_t *root = paper("--tables study"), *rows = json_object_get(root, "study"), *row;
  size_t i;
  ck_assert_uint_gt(json_array_size(rows), 50);
  check_study(rows, "defaults", "", "");
  check_study(rows, "defaults", "", "--model gaussian-uniform");
  check_study(rows, "stixel-cost", "10", "--stixel-cost 10");
  check_study(rows, "reduction", "mean", "--reduction mean");
  check_study(rows, "fill-width", "0", "--fill-width 0");
  check_study(rows, "sky", "off", "--no-sky");
  check_study(rows, "confidence", "off", "--no-confidence");
  check_study(
      rows, "outlier-share-object", "0.3", "--model gaussian-uniform --outlier-share-object 0.3");
  json_array_foreach(rows, i, row)
  {
    ck_assert_double_gt(number_at(row, "pixels_per_stixel"), 0);
    ck_assert(is(row, "parameter", "defaults") || !is(row, "value", text_at(row, "default")));
  }
  json_decref(root);
}
END_TEST

/* ---- Data and output ------------------------------------------------------------------------- */

/* A folder comes first and shows the growth. */
START_TEST(reads_folders)
{
  char *folder = make_street_folder(416, 160);
  char *arguments = g_strdup_printf("--tables comparison 'One frame=%s'", folder);
  json_t *root = paper(arguments), *rows = rows_of(root, "comparison", (1 + SCENES) * ROWS);
  ck_assert(is(json_array_get(rows, 0), "data", "One frame"));
  ck_assert(is(json_array_get(rows, ROWS), "data", "street"));
  json_decref(root);
  g_free(arguments);
  arguments = g_strdup_printf("--tables growth 'One frame=%s'", folder);
  root = paper(arguments);
  ck_assert(is(json_array_get(json_object_get(root, "growth"), 0), "data", "One frame"));
  json_decref(root);
  g_free(arguments);
  remove_folder(folder);
}
END_TEST

static size_t lines_of(const char *folder, const char *name, const char *head)
{
  char *path = g_build_filename(folder, name, NULL), *content;
  ck_assert_msg(g_file_get_contents(path, &content, NULL, NULL), "no %s", path);
  ck_assert_msg(g_str_has_prefix(content, head), "%s: %s", name, content);
  char **lines = g_strsplit(content, "\n", -1), **cells = g_strsplit(lines[0], ",", -1);
  size_t count = g_strv_length(lines) - 1, columns = g_strv_length(cells);
  for (size_t i = 1; i < count; i++) {
    char **line = g_strsplit(lines[i], ",", -1);
    ck_assert_uint_eq(g_strv_length(line), columns);
    g_strfreev(line);
  }
  g_strfreev(cells);
  g_strfreev(lines);
  g_free(content);
  g_free(path);
  return count;
}

/* Tables for a page, and the same rows as files. */
START_TEST(writes_tables)
{
  char *folder = g_dir_make_tmp("stx-XXXXXX", NULL), *output, *errors;
  char *arguments = g_strdup_printf("paper " SMALL " --tables comparison --csv %s", folder);
  char *page = g_strconcat(arguments, " --markdown", NULL);
  ck_assert_int_eq(run_program("STX_EVAL", page, &output, &errors), 0);
  ck_assert_ptr_nonnull(
      strstr(output, "<!-- table errors -->\n| data | cells | from | or: input |"));
  ck_assert_ptr_nonnull(strstr(output, "\n|---|---|---|--:|"));
  ck_assert_ptr_nonnull(strstr(output, "\n| street | 4×4 | labels | "));
  ck_assert_ptr_null(strstr(output, "table growth"));
  ck_assert_uint_eq(lines_of(folder, "stixels-comparison.csv", "data,cell,settings,labels,model,"),
      1 + SCENES * ROWS);
  ck_assert_uint_eq(
      lines_of(folder, "stixels-frames.csv", "data,cell,settings,labels,model,frame,"),
      1 + SCENES * ROWS);
  g_free(output);
  g_free(errors);
  char *growth = g_strdup_printf("paper " SMALL " --tables growth --csv %s", folder);
  ck_assert_int_eq(run_program("STX_EVAL", growth, &output, &errors), 0);
  lines_of(folder, "stixels-exponents.csv",
      "data,model,code,pruned,exponent,exponent_last\n"
      "street,gaussian,c,no,");
  g_free(growth);
  remove_folder(folder);
  g_free(output);
  g_free(errors);
  expect_error("STX_EVAL", arguments, "stixels-comparison.csv: No such file");
  g_free(page);
  g_free(arguments);
}
END_TEST

START_TEST(refuses_what_it_cannot_use)
{
  expect_error("STX_EVAL", "paper some/folder", "what is 'some/folder'? Give NAME=FOLDER");
  expect_error("STX_EVAL", "paper =folder", "what is '=folder'?");
  expect_error("STX_EVAL", "paper name=", "what is 'name='?");
  expect_error("STX_EVAL", "paper KITTI=/no/such/folder", "/no/such/folder");
  expect_error("STX_EVAL", "paper --tables none", "--tables=none: choose one of all");
  expect_error("STX_EVAL", "paper --seeds 0", "--seeds=0: must be 1 to 1000");
  expect_error("STX_EVAL", "paper --repeat 0", "--repeat=0");
  expect_error("STX_EVAL", "paper --threads 257", "--threads=257");
  expect_error("STX_EVAL", "paper --size 416", "--size");
  expect_error("STX_EVAL", "paper --size 0x160", "0");
  expect_error("STX_EVAL", "paper --json --markdown", "--json or --markdown");
}
END_TEST

static const StxTest tests[] = {
    {&compares_every_model},
    {&shows_how_time_grows},
    {&studies_parameters},
    {&reads_folders},
    {&writes_tables},
    {&refuses_what_it_cannot_use},
};
STX_TESTING_MAIN("paper", tests)
