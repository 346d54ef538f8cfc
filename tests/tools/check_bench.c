/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-bench as a user runs it, on small synthetic streets. */
#include "tests/tools/programs.h"

#include <glib/gstdio.h>
#include <string.h>

START_TEST(bench_times_every_implementation)
{
  json_t *root = run_json("STX_BENCH", "--size 200x90 --quick --time 1 --threads 2 --json");
  json_t *row, *rows = json_object_get(root, "rows");
  static const char *const stages[] = {
      "rectify", "sgm", "colmean", "satdp", "fulldp", "rdp", "colmean+satdp", "pipeline"};
  int seen[G_N_ELEMENTS(stages)] = {0};
  size_t i;
  json_array_foreach(rows, i, row)
  {
    const char *stage = json_string_value(json_object_get(row, "stage"));
    for (size_t s = 0; s < G_N_ELEMENTS(stages); s++)
      seen[s] += strcmp(stage, stages[s]) == 0;
    ck_assert(json_is_false(json_object_get(row, "differs")));
    ck_assert_double_gt(number_at(row, "median_ms"), 0);
    ck_assert_double_le(number_at(row, "minimum_ms"), number_at(row, "median_ms"));
  }
  for (size_t s = 0; s < G_N_ELEMENTS(stages); s++)
    ck_assert_msg(seen[s] > 0, "no row for %s", stages[s]);
  ck_assert_uint_eq(json_array_size(json_object_get(root, "limits")), 2);
  json_decref(root);
}
END_TEST

/* For a first look: one size and one size of cells. */
START_TEST(quick_is_one_of_each)
{
  json_t *root = run_json("STX_BENCH", "overlay --quick --time 1 --threads 1 --json");
  json_t *row, *rows = json_object_get(root, "rows");
  size_t i;
  ck_assert_uint_gt(json_array_size(rows), 0);
  json_array_foreach(rows, i, row)
  {
    ck_assert_double_eq(number_at(row, "width"), 1242);
    ck_assert_double_eq(number_at(row, "cell"), 8);
  }
  json_decref(root);
}
END_TEST

/* A line per number of rows, median and epsilon: with epsilon segments fall and errors rise. */
static void check_levels(const char *folder)
{
  char *path = g_build_filename(folder, "rdp-levels.csv", NULL), *content;
  ck_assert(g_file_get_contents(path, &content, NULL, NULL));
  char **lines = g_strsplit(content, "\n", -1);
  ck_assert_ptr_nonnull(strstr(lines[0], "epsilon_px,segments,levels,levels_squared,deepest,"));
  ck_assert_uint_eq(g_strv_length(lines), 1 + 2 * 4 * 2 * 15 + 1);
  unsigned long long before = 0;
  double error_before = 0;
  for (int i = 1; i <= 2 * 4 * 2 * 15; i++) {
    int columns, rows, median;
    double epsilon, error;
    unsigned long long segments, levels, squared, deepest;
    ck_assert_int_eq(sscanf(lines[i], "street,%d,%d,%d,%lf,%llu,%llu,%llu,%llu,%lf", &columns,
                         &rows, &median, &epsilon, &segments, &levels, &squared, &deepest, &error),
        9);
    ck_assert_int_eq(columns, i <= 4 * 2 * 15 ? 96 : 72);
    ck_assert(segments >= (unsigned)columns);
    ck_assert(levels * levels <= squared * (unsigned)columns && levels <= deepest * columns);
    if (i % 15 != 1) {
      ck_assert_msg(segments <= before, "%s: more segments", lines[i]);
      ck_assert_msg(error >= error_before * 0.98, "%s: less error", lines[i]);
    }
    before = segments;
    error_before = error;
  }
  g_strfreev(lines);
  g_free(content);
  g_remove(path);
  g_free(path);
}

/* The bytes that the reference moves for columns of one kind: rate times median. More of them are
 * more segments. */
static double bytes_of(const char *content, int columns, int rows, const char *kind)
{
  char *start = g_strdup_printf("\nstreet,%d,%d,%s,c,1,", columns, rows, kind);
  const char *line = strstr(content, start);
  int runs;
  double median, minimum, rate;
  ck_assert_msg(line != NULL, "no line %s", start + 1);
  ck_assert_int_eq(
      sscanf(line + strlen(start), "%d,%lf,%lf,%lf", &runs, &median, &minimum, &rate), 4);
  g_free(start);
  return rate * median;
}

/* As many times as the program prints rows, and kinds of columns that are what they are called. */
static void check_times(const char *folder, const char *output)
{
  char *path = g_build_filename(folder, "rdp-times.csv", NULL), *content;
  ck_assert(g_file_get_contents(path, &content, NULL, NULL));
  static const char *const kinds[] = {"best", "average", "worst", "noise"};
  static const int lengths[] = {256, 512, 1024, 4096};
  for (size_t n = 0; n < G_N_ELEMENTS(lengths); n++)
    for (size_t kind = 1; kind < G_N_ELEMENTS(kinds); kind++) {
      double fewer = bytes_of(content, 96, lengths[n], kinds[kind - 1]);
      double more = bytes_of(content, 96, lengths[n], kinds[kind]);
      ck_assert_msg(more > 1.00001 * fewer, "%d rows: %s %.7g, %s %.7g", lengths[n],
          kinds[kind - 1], fewer, kinds[kind], more);
    }
  guint rows = 0, lines = 0;
  for (const char *at = output; (at = strstr(at, "| rdp |")) != NULL; at++)
    rows++;
  for (const char *at = content; *at != '\0'; at++)
    lines += *at == '\n';
  ck_assert_uint_eq(lines, rows + 1);
  g_free(content);
  g_remove(path);
  g_free(path);
}

START_TEST(bench_writes_figures)
{
  char *folder = g_dir_make_tmp("stx-XXXXXX", NULL), *output, *errors;
  char *arguments =
      g_strdup_printf("rdp --time 1 --markdown --size 96x48 --size 72x40 --figures %s", folder);
  int status = run_program("STX_BENCH", arguments, &output, &errors);
  ck_assert_msg(status == 0, "%s", errors);
  check_levels(folder);
  check_times(folder, output);
  ck_assert_int_eq(g_rmdir(folder), 0);
  expect_error("STX_BENCH", arguments, "rdp-times.csv: No such file");
  expect_error("STX_BENCH", "sgm --figures .", "--figures is for the stage rdp");
  g_free(arguments);
  g_free(folder);
  g_free(output);
  g_free(errors);
}
END_TEST

/* The programs of this process get the driver that has no GPU behind it, if this build has it. */
static bool use_emulated_gpu(void)
{
  const char *folder = g_getenv("STX_FAKE_CUDA");
  if (folder == NULL)
    return false;
  g_setenv("LD_LIBRARY_PATH", folder, TRUE);
  g_setenv("STX_FAKE_CUDA_LEAKS", "1", TRUE);
  return true;
}

#define GPU "--backend cuda --sets 2 --warm-up 0 --time 1 --size 32x16 "

/* Every stage gives the reference's bytes, launched and as a graph, or the program fails. */
START_TEST(bench_times_the_gpu)
{
  if (!use_emulated_gpu())
    return;
  json_t *root = run_json("STX_BENCH", GPU "--quick --json");
  json_t *row, *rows = json_object_get(root, "rows");
  static const char *const stages[] = {"rectify", "sgm", "colmean", "satdp", "fulldp", "rdp",
      "overlay", "colmean+satdp", "pipeline"};
  int seen[2][G_N_ELEMENTS(stages)] = {{0}}, papers = 0;
  size_t i;
  json_array_foreach(rows, i, row)
  {
    const char *stage = json_string_value(json_object_get(row, "stage"));
    for (size_t s = 0; s < G_N_ELEMENTS(stages); s++)
      seen[json_is_true(json_object_get(row, "graph"))][s] += strcmp(stage, stages[s]) == 0;
    const char *name = json_string_value(json_object_get(row, "implementation"));
    const bool paper = strcmp(name, "cuda-paper") == 0 && strcmp(stage, "rdp") == 0;
    ck_assert_msg(paper || strcmp(name, "cuda") == 0, "%s: implementation %s", stage, name);
    papers += paper;
    ck_assert(json_is_false(json_object_get(row, "differs")));
    ck_assert_double_eq(number_at(row, "input_sets"), 2);
    ck_assert_double_gt(number_at(row, "median_ms"), 0);
  }
  for (size_t s = 0; s < G_N_ELEMENTS(stages); s++)
    ck_assert_msg(seen[0][s] > 0 && seen[0][s] == seen[1][s], "%d and %d rows for %s", seen[0][s],
        seen[1][s], stages[s]);
  ck_assert_uint_eq(json_array_size(json_object_get(root, "limits")), 0);
  ck_assert_int_eq(papers, 2 * 2); /* two kinds of columns, launched and as a graph */
  ck_assert_double_gt(number_at(root, "device.copy_gb_s"), 0);
  json_decref(root);
}
END_TEST

START_TEST(bench_compares_cpu_and_gpu)
{
  if (!use_emulated_gpu())
    return;
  char *output, *errors;
  int status =
      run_program("STX_BENCH", GPU "--backend all colmean+satdp --markdown", &output, &errors);
  ck_assert_msg(status == 0, "%s", errors);
  ck_assert_ptr_nonnull(strstr(output, "| colmean+satdp | cuda |  | 32x16 | 8x8 | depth only |"));
  ck_assert_ptr_nonnull(strstr(output, "| colmean+satdp | cuda graph |  | 32x16 | 4x4 |"));
  ck_assert_ptr_nonnull(strstr(output, "| colmean+satdp | best | 1 | 32x16 | 8x8 | depth only |"));
  ck_assert_ptr_nonnull(strstr(output, "* Limit, GPU: copy "));
  g_free(output);
  g_free(errors);
}
END_TEST

START_TEST(bench_reports_a_gpu_that_fails)
{
  if (!use_emulated_gpu()) {
    expect_error("STX_BENCH", "--backend cuda", "no GPU to time: this build has no CUDA");
    return;
  }
  g_setenv("STX_FAKE_CUDA_LOST", "100", TRUE);
  expect_error("STX_BENCH", GPU "satdp", "CUDA_ERROR");
  g_unsetenv("STX_FAKE_CUDA_LOST");
  g_setenv("STX_FAKE_CUDA_DEVICES", "0", TRUE);
  expect_error("STX_BENCH", GPU "satdp", "no GPU to time: ");
}
END_TEST

START_TEST(bench_refuses_what_it_cannot_use)
{
  expect_error("STX_BENCH", "sgn", "no stage 'sgn': choose from rectify");
  expect_error("STX_BENCH", "--size 12", "--size=12: write it as WxH");
  expect_error("STX_BENCH", "--size 0x5", "width");
  expect_error("STX_BENCH", "--backend gpu", "--backend=gpu: choose one of cpu, cuda, all");
  expect_error("STX_BENCH", "--sets -1", "--sets=-1");
  expect_error("STX_BENCH", "--warm-up -2", "--warm-up=-2");
  expect_error("STX_BENCH", "--left a.png", "--left and --right belong together");
  expect_error("STX_BENCH", "--left a.png --left b.png --right c.png", "belong together");
  expect_error("STX_BENCH", "--left a.png --right b.png", "a.png: No such file");
}
END_TEST

static const StxTest tests[] = {
    {&bench_times_every_implementation},
    {&quick_is_one_of_each},
    {&bench_writes_figures},
    {&bench_times_the_gpu},
    {&bench_compares_cpu_and_gpu},
    {&bench_reports_a_gpu_that_fails},
    {&bench_refuses_what_it_cannot_use},
};
STX_TESTING_MAIN("bench", tests)
