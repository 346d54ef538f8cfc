/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-bench lidar as a user runs it, on scans of the synthetic street. */
#include "tests/tools/programs.h"

#include <glib/gstdio.h>
#include <string.h>

#include "common/ground/ground.h"
#include "examples/shared/lidar_scans.h"

#define BEAMS 16

/* ---- A folder like SemanticKITTI's --------------------------------------------------------- */

static void save(
    const char *folder, const char *sub, const char *name, const void *data, size_t size)
{
  char *sequence = g_build_filename("sequences", "00", sub, NULL);
  char *path = path_in(folder, sequence, name);
  g_free(sequence);
  ck_assert(g_file_set_contents(path, data, (gssize)size, NULL));
  g_free(path);
}

/* The street's first scan as files in a new folder, and in memory. */
static char *make_folder(LidarScan *scan)
{
  StxError error;
  LidarSet set;
  char *folder = g_dir_make_tmp("stx-XXXXXX", NULL);
  ck_assert_msg(lidar_set_open_street(&set, 1, BEAMS, 1, &error), "%s", error.text);
  ck_assert_msg(lidar_set_load(&set, 0, scan, &error), "%s", error.text);
  lidar_set_close(&set);
  save(folder, "velodyne", "000000.bin", scan->points, scan->count * 4 * sizeof(float));
  save(folder, "labels", "000000.label", scan->labels, scan->count * sizeof(uint32_t));
  return folder;
}

/* ---- stx-bench lidar ----------------------------------------------------------------------- */

/* Each code with and without clusters, on one thread and on two. */
STX_TEST(bench_times_every_implementation)
{
  json_t *root = run_json("STX_BENCH", "lidar --beams 16 --time 1 --threads 2 --json");
  json_t *row, *rows = json_object_get(root, "rows");
  int clusters = 0, references = 0;
  size_t i;
  json_array_foreach(rows, i, row)
  {
    const char *name = json_string_value(json_object_get(row, "implementation"));
    ck_assert_str_eq(json_string_value(json_object_get(row, "input")), "street, 16 beams");
    ck_assert(json_is_false(json_object_get(row, "differs")));
    ck_assert_double_ge(number_at(row, "runs"), 3);
    ck_assert_double_gt(number_at(row, "minimum_ms"), 0);
    ck_assert_double_le(number_at(row, "minimum_ms"), number_at(row, "median_ms"));
    clusters += strcmp(json_string_value(json_object_get(row, "stage")), "ground+clusters") == 0;
    if (strcmp(name, "omp") == 0 && number_at(row, "threads") == 1) {
      references++;
      ck_assert_double_eq(number_at(row, "times_reference"), 1);
    }
  }
  size_t usable = 0;
  for (size_t k = 0; k < stx_ground_impls.count; k++)
    usable += stx_impl_usable(stx_impl_at(&stx_ground_impls, k));
  ck_assert_uint_eq(json_array_size(rows), 2 * 2 * usable);
  ck_assert_int_eq(clusters, (int)json_array_size(rows) / 2);
  ck_assert_int_eq(references, 2);
  json_decref(root);
}

STX_TEST(bench_prints_tables)
{
  LidarScan scan;
  char *folder = make_folder(&scan), *output, *errors;
  char *arguments = g_strdup_printf("lidar --scans %s --time 1 --threads 1 --markdown", folder);
  char *words = g_strdup_printf("\n| ground+clusters | omp | 1 | %zu |  | 1 scan | ", scan.count);
  int status = run_program("STX_BENCH", arguments, &output, &errors);
  ck_assert_msg(status == 0, "%s", errors);
  ck_assert_msg(strstr(output, words) != NULL, "no '%s' in %s", words, output);
  g_free(words);
  g_free(output);
  g_free(errors);
  g_free(arguments);
  lidar_scan_free(&scan);
  remove_folder(folder);
}

typedef struct {
  char experiment[16], code[16], step[16];
  int value, threads;
  size_t points;
  double ms;
} Line;

static Line read_line(const char *text)
{
  Line line;
  ck_assert_msg(
      sscanf(text, "\"street, 16 beams\",%15[^,],%d,%zu,%15[^,],%d,%15[^,],%lf", line.experiment,
          &line.value, &line.points, line.code, &line.threads, line.step, &line.ms) == 7,
      "'%s'", text);
  return line;
}

/* Of each value: whole and in steps on one thread and two, and the reference. The least times of
 * the steps cannot be more than the least of their sum. */
static void check_steps(const char *content)
{
  char **lines = g_strsplit(content, "\n", -1);
  size_t count = g_strv_length(lines) - 1, full = 0;
  double sum = 0, all = 0;
  ck_assert_uint_eq(count, 1 + 14 * (1 + 2 * 8));
  for (size_t i = count - 1; i > 0; i--) {
    Line line = read_line(lines[i]);
    full = line.points > full ? line.points : full;
    if (strcmp(line.experiment, "points") == 0)
      ck_assert_uint_eq(line.points, full * (size_t)line.value / 100);
    else
      ck_assert_uint_eq(line.points, full);
    ck_assert_double_ge(line.ms, 0);
    if (strcmp(line.step, "all steps") == 0) {
      all = line.ms;
      ck_assert_msg(sum > 0 && sum <= all * 1.001, "%s: steps take %g", lines[i], sum);
      sum = 0;
    } else if (strcmp(line.step, "whole") != 0)
      sum += line.ms;
  }
  ck_assert_double_gt(all, 0);
  g_strfreev(lines);
}

STX_TEST(steps_are_timed_over_points_sectors_and_bins)
{
  char *output, *errors;
  int status = run_program("LIDAR_STEPS", "--beams 16 --time 1 --threads 2", &output, &errors);
  ck_assert_msg(status == 0, "%s", errors);
  check_steps(output);
  g_free(output);
  g_free(errors);
}

STX_TEST(bench_refuses_what_it_cannot_use)
{
  expect_error("STX_BENCH", "lidar ground", "what is 'ground'?");
  expect_error("STX_BENCH", "lidar --threads -1", "--threads=-1");
  expect_error("STX_BENCH", "lidar --time -1", "--time=-1");
  expect_error("STX_BENCH", "lidar --frames -1", "--frames=-1");
  expect_error("STX_BENCH", "lidar --beams 129", "--beams=129");
  expect_error("STX_BENCH", "lidar --sets -1", "--sets=-1");
  expect_error("STX_BENCH", "lidar --backend gpu", "--backend=gpu: choose one of cpu, cuda, all");
  expect_error("STX_BENCH", "lidar --scans . --beams 16", "--beams is for the synthetic street");
  expect_error("STX_BENCH", "lidar --scans /no/such/folder", "no scans in /no/such/folder");
}

/* Launched and as a graph, with the reference's labels, or the program fails. */
STX_TEST(bench_times_the_gpu)
{
  const char *driver = g_getenv("STX_FAKE_CUDA");
  if (driver == NULL) {
    expect_error("STX_BENCH", "lidar --backend cuda", "no GPU to time: this build has no CUDA");
    return;
  }
  g_setenv("LD_LIBRARY_PATH", driver, TRUE);
  g_setenv("STX_FAKE_CUDA_LEAKS", "1", TRUE);
  json_t *root = run_json("STX_BENCH", "lidar --beams 1 --time 1 --sets 2 --backend cuda --json");
  json_t *row, *rows = json_object_get(root, "rows");
  int graphs = 0;
  size_t i;
  json_array_foreach(rows, i, row)
  {
    ck_assert_str_eq(json_string_value(json_object_get(row, "implementation")), "cuda");
    ck_assert(json_is_false(json_object_get(row, "differs")));
    ck_assert_double_gt(number_at(row, "minimum_ms"), 0);
    graphs += json_is_true(json_object_get(row, "graph"));
  }
  ck_assert_uint_eq(json_array_size(rows), 4);
  ck_assert_int_eq(graphs, 2);
  json_decref(root);
}
