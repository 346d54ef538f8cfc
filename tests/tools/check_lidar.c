/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval lidar and stx-bench lidar as a user runs them, on scans of the synthetic street. */
#include "tests/tools/programs.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "common/ground/ground.h"
#include "examples/shared/lidar_scans.h"
#include "examples/shared/png_io.h"

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

/* ---- stx-eval lidar ------------------------------------------------------------------------ */

static json_t *eval(const char *where, const char *options)
{
  char *arguments = g_strdup_printf("lidar %s --json %s", where, options);
  json_t *root = run_json("STX_EVAL", arguments);
  g_free(arguments);
  return root;
}

/* Every point is ground, obstacle or neither, and counts or does not. */
static void check_counts(json_t *root, size_t scans)
{
  json_t *part, *list = json_object_get(root, "scans");
  double counted = 0, of_ranges = 0;
  size_t i;
  ck_assert_uint_eq(json_array_size(list), scans);
  json_array_foreach(list, i, part)
  {
    double points = number_at(part, "points");
    ck_assert_double_gt(points, 0);
    ck_assert_double_eq(
        number_at(part, "ground") + number_at(part, "obstacles") + number_at(part, "outside"),
        points);
    ck_assert_double_eq(number_at(part, "counted") + number_at(part, "ignored"), points);
    counted += number_at(part, "counted");
  }
  json_array_foreach(json_object_get(root, "ranges"), i, part) of_ranges +=
      number_at(part, "counted");
  ck_assert_double_eq(number_at(root, "total.counted"), counted);
  ck_assert_double_eq(of_ranges, counted);
}

STX_TEST(eval_counts_every_point)
{
  json_t *b = eval("--street", "--beams 16 --frames 2");
  json_t *a = eval("--street", "--beams 16 --frames 2 --protocol a");
  check_counts(b, 2);
  check_counts(a, 2);
  ck_assert_double_gt(number_at(b, "total.f1_mean"), 90);
  ck_assert_double_le(number_at(b, "total.f1_worst"), number_at(b, "total.f1_mean"));
  ck_assert_double_lt(number_at(b, "total.iou"), number_at(b, "total.f1"));
  ck_assert_double_gt(number_at(a, "total.counted"), number_at(b, "total.counted"));
  json_decref(a);
  json_decref(b);
}

/* Ranges are those of the scan as recorded, wherever it is moved. */
STX_TEST(eval_keeps_ranges)
{
  json_t *level = eval("--street", "--beams 16 --frames 1");
  json_t *moved = eval("--street", "--beams 16 --frames 1 --pitch 20 --roll 9 --raise 0.5");
  json_t *range, *ranges = json_object_get(level, "ranges");
  size_t i;
  json_array_foreach(ranges, i, range)
  {
    json_t *other = json_array_get(json_object_get(moved, "ranges"), i);
    ck_assert_double_eq(number_at(other, "counted"), number_at(range, "counted"));
  }
  ck_assert_double_ne(number_at(moved, "total.f1"), number_at(level, "total.f1"));
  json_decref(moved);
  json_decref(level);
}

/* Every measure of one line of the text. */
STX_TEST(eval_prints_what_it_counts)
{
  char *output, *errors;
  json_t *root = eval("--street", "--beams 16 --frames 1");
  int status = run_program("STX_EVAL", "lidar --street --beams 16 --frames 1", &output, &errors);
  ck_assert_msg(status == 0, "%s", errors);
  char *words = g_strdup_printf("F1 per scan: mean %.2f, worst", number_at(root, "total.f1_mean"));
  ck_assert_msg(strstr(output, words) != NULL, "no '%s' in %s", words, output);
  g_free(words);
  words = g_strdup_printf("%.0f counted + ", number_at(root, "total.counted"));
  ck_assert_msg(strstr(output, words) != NULL, "no '%s' in %s", words, output);
  g_free(words);
  g_free(output);
  g_free(errors);
  json_decref(root);
}

/* Files give what the street gave; without ground in the truth, all ground found is false. */
STX_TEST(eval_reads_folders)
{
  static const char *const same[] = {"counted", "precision", "recall", "f1", "iou"};
  LidarScan scan;
  char *folder = make_folder(&scan);
  json_t *street = eval("--street", "--beams 16 --frames 1"), *files = eval(folder, "");
  check_counts(files, 1);
  for (size_t i = 0; i < G_N_ELEMENTS(same); i++) {
    char *path = g_strconcat("total.", same[i], NULL);
    ck_assert_double_eq(number_at(files, path), number_at(street, path));
    g_free(path);
  }
  json_decref(files);
  for (size_t i = 0; i < scan.count; i++)
    scan.labels[i] = 7 << 16 | STX_SCENE_POINT_BUILDING;
  save(folder, "labels", "000000.label", scan.labels, scan.count * sizeof(uint32_t));
  files = eval(folder, "");
  check_counts(files, 1);
  ck_assert_double_eq(number_at(files, "total.precision"), 0);
  ck_assert_double_eq(number_at(files, "total.counted"), (double)scan.count);
  ck_assert(json_is_null(json_object_get(json_object_get(files, "total"), "recall")));
  json_decref(files);
  json_decref(street);
  lidar_scan_free(&scan);
  remove_folder(folder);
}

/* Labels of another program: the truth itself is never wrong; less of it has a recall of half. */
STX_TEST(eval_judges_other_programs)
{
  LidarScan scan;
  StxError error;
  LidarSet set;
  char *folder = make_folder(&scan), *options = g_strdup_printf("--labels %s", folder);
  char *file = path_in(folder, "00", "000000.label");
  size_t ground = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < scan.count; i++)
      if (stx_point_is_ground(scan.labels[i]) && pass == 1 && ground++ % 2 == 0)
        scan.labels[i] = STX_POINT_OBSTACLE;
    ck_assert(g_file_set_contents(
        file, (char *)scan.labels, (gssize)(scan.count * sizeof(uint32_t)), NULL));
    json_t *root = eval(folder, options);
    check_counts(root, 1);
    ck_assert_double_eq(number_at(root, "total.precision"), 100);
    ck_assert_double_eq_tol(number_at(root, "total.recall"), pass == 0 ? 100 : 50, 0.01);
    json_decref(root);
  }
  ck_assert(g_file_set_contents(file, "1234", 4, NULL));
  ck_assert_msg(lidar_set_open(&set, folder, &error), "%s", error.text);
  ck_assert(!lidar_set_load_labels(&set, 0, folder, &scan, &error));
  ck_assert_msg(strstr(error.text, "has 4 bytes, but") != NULL, "%s", error.text);
  lidar_set_close(&set);
  g_free(file);
  g_free(options);
  lidar_scan_free(&scan);
  remove_folder(folder);
}

/* ---- Pictures of scans ---------------------------------------------------------------------- */

#define SIDE 1000 /* pixels of 10 cm */

/* Luma of the colours of true positives, truth, false negatives, false positives, ignored. */
enum { FOUND = 136, OTHER = 255, MISSED = 132, FALSE_GROUND = 126, IGNORED = 98 };

/* The picture of the folder's scan with the labels that it has now, to be freed. */
static StxImage8 draw(const char *folder, const LidarScan *scan)
{
  StxImage8 picture;
  StxError error;
  char *path = g_build_filename(folder, "00_000000.bin.png", NULL);
  char *options = g_strdup_printf("--pictures %s", folder);
  save(folder, "labels", "000000.label", scan->labels, scan->count * sizeof(uint32_t));
  json_decref(eval(folder, options));
  ck_assert_msg(png_load_gray8(path, &picture, &error), "%s", error.text);
  ck_assert_int_eq(picture.width, SIDE);
  ck_assert_int_eq(picture.height, SIDE);
  g_free(options);
  g_free(path);
  return picture;
}

/* x goes up, y to the left. */
static bool pixel_of(const float *point, size_t *pixel)
{
  int up = (int)floor((double)point[0] * 10), left = (int)floor((double)point[1] * 10);
  if (abs(2 * up + 1) >= SIDE || abs(2 * left + 1) >= SIDE)
    return false;
  *pixel = (size_t)(SIDE / 2 - 1 - up) * SIDE + (size_t)(SIDE / 2 - 1 - left);
  return true;
}

/* Nothing but these two colours, both of them (`b` 0: one), and black where no point lies. */
static void check_picture(const StxImage8 *picture, const LidarScan *scan, int a, int b)
{
  uint8_t *seen = g_new0(uint8_t, SIDE * SIDE);
  int counts[256] = {0};
  for (size_t i = 0; i < scan->count; i++) {
    size_t pixel;
    if (pixel_of(scan->points + 4 * i, &pixel))
      seen[pixel] = 1;
  }
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++) {
      int value = stx_row8(picture, y)[x];
      counts[value]++;
      ck_assert_msg((value != 0) == (seen[y * SIDE + x] != 0), "at %d, %d: %d", x, y, value);
    }
  ck_assert_int_gt(counts[a], 0);
  ck_assert(b == 0 || counts[b] > 0);
  ck_assert_int_eq(counts[0] + counts[a] + (b > 0 ? counts[b] : 0), SIDE * SIDE);
  g_free(seen);
}

/* Where points that count and others share a pixel, those that count are seen. */
static void check_order(const char *folder, LidarScan *scan)
{
  for (size_t i = 0; i < scan->count; i++)
    scan->labels[i] = i % 2 == 0 ? 0 : STX_SCENE_POINT_BUILDING;
  StxImage8 picture = draw(folder, scan);
  for (size_t i = 1; i < scan->count; i += 2) {
    size_t pixel;
    if (pixel_of(scan->points + 4 * i, &pixel))
      ck_assert_int_ne(picture.data[pixel], IGNORED);
  }
  free(picture.data);
}

STX_TEST(eval_draws_scans)
{
  static const struct {
    uint32_t label;
    int a, b;
  } cases[] = {
      {40, FOUND, MISSED}, {STX_SCENE_POINT_BUILDING, OTHER, FALSE_GROUND}, {0, IGNORED, 0}};
  LidarScan scan;
  char *folder = make_folder(&scan);
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    for (size_t k = 0; k < scan.count; k++)
      scan.labels[k] = cases[i].label;
    StxImage8 picture = draw(folder, &scan);
    check_picture(&picture, &scan, cases[i].a, cases[i].b);
    free(picture.data);
  }
  check_order(folder, &scan);
  lidar_scan_free(&scan);
  remove_folder(folder);
}

STX_TEST(eval_has_the_fields_as_options)
{
  static const char *const same[] = {"counted", "precision", "recall", "f1", "iou"};
  char *options = options_of(&stx_ground_fields);
  char *more = g_strconcat("--beams 16 --frames 1 --pitch 3 ", options, NULL);
  json_t *plain = eval("--street", "--beams 16 --frames 1 --pitch 3"),
         *all = eval("--street", more);
  for (size_t i = 0; i < G_N_ELEMENTS(same); i++) {
    char *path = g_strconcat("total.", same[i], NULL);
    ck_assert_double_eq(number_at(all, path), number_at(plain, path));
    g_free(path);
  }
  json_t *tilted = eval("--street", "--beams 16 --frames 1 --pitch 3 --no-level");
  ck_assert_double_ne(number_at(tilted, "total.f1"), number_at(plain, "total.f1"));
  json_decref(tilted);
  json_decref(plain);
  json_decref(all);
  g_free(more);
  g_free(options);
}

STX_TEST(eval_names_what_is_wrong_with_files)
{
  LidarScan scan;
  char *folder = make_folder(&scan), *arguments = g_strdup_printf("lidar %s", folder);
  save(folder, "labels", "000000.label", scan.labels, scan.count * sizeof(uint32_t) - 2);
  char *words = g_strdup_printf("000000.label has %zu bytes, but %zu points need %zu",
      scan.count * 4 - 2, scan.count, scan.count * 4);
  expect_error("STX_EVAL", arguments, words);
  save(folder, "velodyne", "000000.bin", scan.points, scan.count * 16 - 3);
  expect_error("STX_EVAL", arguments, "bytes");
  char *path = path_in(folder, "sequences/00/labels", "000000.label");
  ck_assert_int_eq(g_remove(path), 0);
  expect_error("STX_EVAL", arguments, "looked for velodyne/*.bin with labels/*.label");
  expect_error("STX_EVAL", "lidar /no/such/folder", "no scans in /no/such/folder");
  g_free(path);
  g_free(words);
  g_free(arguments);
  lidar_scan_free(&scan);
  remove_folder(folder);
}

STX_TEST(eval_refuses_what_it_cannot_use)
{
  expect_error("STX_EVAL", "lidar", "either a folder or --street");
  expect_error("STX_EVAL", "lidar --street .", "either a folder or --street");
  expect_error("STX_EVAL", "lidar a b", "one folder, please");
  expect_error("STX_EVAL", "lidar --street --protocol c", "--protocol=c: choose one of b, a");
  expect_error("STX_EVAL", "lidar --street --backend gpu", "--backend=gpu: choose one of");
  expect_error("STX_EVAL", "lidar --street --repeat 0", "--repeat=0");
  expect_error("STX_EVAL", "lidar --street --frames -1", "--frames=-1");
  expect_error("STX_EVAL", "lidar --street --threads 999", "--threads=999");
  expect_error("STX_EVAL", "lidar --street --sectors 0", "sectors is 0, must be 1 to 4096");
  expect_error("STX_EVAL", "lidar --street --r-min -1", "r_min is -1, must be 0 to 250 m");
  expect_error("STX_EVAL", "lidar --street --r-max 0.5", "r_max");
  expect_error("STX_EVAL", "lidar --street --beams 129", "beams");
  expect_error("STX_EVAL", "lidar --street --beams 1 --frames 1 --pictures /dev/null/such",
      "/dev/null/such/");
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
    ck_assert_str_eq(json_string_value(json_object_get(row, "scans")), "street, 16 beams");
    ck_assert(json_is_false(json_object_get(row, "differs")));
    ck_assert_double_ge(number_at(row, "runs"), 3);
    ck_assert_double_gt(number_at(row, "minimum_ms"), 0);
    ck_assert_double_le(number_at(row, "minimum_ms"), number_at(row, "median_ms"));
    clusters += json_is_true(json_object_get(row, "clusters"));
    if (strcmp(name, "c") == 0) {
      references++;
      ck_assert_double_eq(number_at(row, "times_reference"), 1);
    }
  }
  size_t usable = 0;
  for (size_t k = 0; k < stx_ground_impls.count; k++)
    usable += stx_impl_usable(stx_impl_at(&stx_ground_impls, k));
  ck_assert_uint_eq(json_array_size(rows), 2 * (2 * (usable - 1) + 1));
  ck_assert_int_eq(clusters, (int)json_array_size(rows) / 2);
  ck_assert_int_eq(references, 2);
  json_decref(root);
}

STX_TEST(bench_prints_tables)
{
  LidarScan scan;
  char *folder = make_folder(&scan), *output, *errors;
  char *arguments = g_strdup_printf("lidar --scans %s --time 1 --threads 1 --markdown", folder);
  char *words = g_strdup_printf("\n| 1 scan | %zu | yes | c | 1 | ", scan.count);
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

/* Packets of two sensors: all of their shots that see something, and a rate that fits the time. */
STX_TEST(bench_decodes_packets)
{
  char *output, *errors;
  int status = run_program("STX_BENCH", "lidar --packets --time 1 --markdown", &output, &errors);
  ck_assert_msg(status == 0, "%s", errors);
  for (int sensor = 0; sensor < 2; sensor++) {
    const char *line = strstr(output, sensor ? "\n| ouster | " : "\n| vlp-16 | ");
    unsigned packets, points;
    double median, least, rate;
    ck_assert_msg(line != NULL && sscanf(line + 12, "%u | %u | %lf | %lf | %lf |", &packets,
                                      &points, &median, &least, &rate) == 5,
        "%s", output);
    ck_assert_uint_eq(packets, sensor ? 64 : 75);
    ck_assert_uint_gt(points, 20000);
    ck_assert(least <= median && fabs(rate * median * 1e3 / points - 1) < .05);
  }
  g_free(output);
  g_free(errors);
  expect_error("STX_BENCH", "lidar --packets --json", "--packets");
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

STX_TEST(bench_writes_experiments)
{
  char *folder = g_dir_make_tmp("stx-XXXXXX", NULL), *output, *errors, *content;
  char *arguments = g_strdup_printf("lidar --beams 16 --time 1 --threads 2 --figures %s", folder);
  char *path = g_build_filename(folder, "lidar-steps.csv", NULL);
  int status = run_program("STX_BENCH", arguments, &output, &errors);
  ck_assert_msg(status == 0, "%s", errors);
  ck_assert(g_file_get_contents(path, &content, NULL, NULL));
  check_steps(content);
  remove_folder(folder);
  expect_error("STX_BENCH", arguments, "lidar-steps.csv: No such file");
  g_free(content);
  g_free(path);
  g_free(arguments);
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
  expect_error("STX_BENCH", "lidar --figures . --json", "--figures is for the CPU");
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
