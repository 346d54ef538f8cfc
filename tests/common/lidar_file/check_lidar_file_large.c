/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of points that are large, built to be slow, or recorded. */
#include "tests/common/lidar_file/lidar_file_case.h"
#include "tests/testing.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

/* Probes and reads; the caller frees. */
static float *read_points(const StxBytes *bytes, StxLidarFile *file)
{
  StxError error;
  bool good = stx_lidar_file_probe(bytes->data, bytes->size, STX_LIDAR_AUTO, file, &error);
  ck_assert_msg(good, "%s", error.text);
  float *points = malloc(16 * file->points + 1);
  STX_MALLOCED void *scratch = malloc(file->scratch_size + 1);
  ck_assert(points != NULL && scratch != NULL);
  good = stx_lidar_file_read(file, bytes->data, points, scratch, &error);
  ck_assert_msg(good, "%s", error.text);
  return points;
}

/* Ten million points of three bytes, and of text. */
STX_TEST(ten_million_points)
{
  static const size_t count = 10 * 1000 * 1000;
  static const char *const kinds[] = {"binary", "ascii"};
  for (size_t k = 0; k < 2; k++) {
    STX_AUTO(StxBytes) bytes = {0};
    StxLidarFile file;
    stx_bytes_print(
        &bytes, "FIELDS x y z\nSIZE 1 1 1\nTYPE I I I\nPOINTS %zu\nDATA %s\n", count, kinds[k]);
    for (size_t i = 0; i < count; i++) {
      char digit = (char)('0' + i % 10);
      char text[] = {digit, ' ', digit, ' ', digit, '\n'};
      char record[] = {(char)(digit - '0'), (char)(digit - '0'), (char)(digit - '0')};
      stx_bytes_put(&bytes, k == 0 ? record : text, k == 0 ? sizeof record : sizeof text);
    }
    STX_MALLOCED float *points = read_points(&bytes, &file);
    ck_assert_uint_eq(file.points, count);
    for (size_t i = 0; i < count; i++) {
      float digit = (float)(i % 10);
      const float *point = points + 4 * i;
      if (point[0] != digit || point[1] != digit || point[2] != digit || point[3] != 0)
        ck_abort_msg("%s: point %zu is %g %g %g %g", kinds[k], i, (double)point[0],
            (double)point[1], (double)point[2], (double)point[3]);
    }
  }
}

/* ---- Recorded scans ------------------------------------------------------------------------ */

static void load(const char *path, StxBytes *bytes)
{
  char buffer[1 << 16];
  size_t got;
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s", path);
  bytes->size = 0;
  while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
    stx_bytes_put(bytes, buffer, got);
  fclose(file);
}

/* A recorded scan is taken for what it is and comes back byte by byte; and again through every kind
 * of float32 file. */
STX_TEST(recorded_scans_come_back)
{
  char pattern[512];
  glob_t found;
  STX_AUTO(StxBytes) bytes = {0}, copy = {0};
  StxLidarFile file;
  snprintf(pattern, sizeof pattern, "%s/semantickitti/sequences/*/velodyne/*.bin",
      stx_test_data() != NULL ? stx_test_data() : "");
  if (stx_test_data() == NULL || glob(pattern, 0, NULL, &found) != 0) {
    printf("skipped: no data\n");
    return;
  }
  for (size_t i = 0; i < found.gl_pathc; i++) {
    load(found.gl_pathv[i], &bytes);
    STX_MALLOCED float *points = read_points(&bytes, &file);
    ck_assert_int_eq((int)file.format, (int)STX_LIDAR_KITTI);
    ck_assert_uint_eq(16 * file.points, bytes.size);
    stx_expect_same(bytes.data, points, bytes.size, found.gl_pathv[i]);
    for (size_t k = 0; k < stx_lidar_kind_count && i == 0; k++) {
      const StxLidarKind *kind = &stx_lidar_kinds[k];
      bool same = kind->columns[0].name == NULL ||
                  (kind->columns[3].type == 'F' && kind->columns[3].size == 4 &&
                      kind->columns[3].channel == 3);
      if (!same)
        continue;
      stx_lidar_case_write(&copy, kind, points, file.points);
      StxLidarFile other;
      STX_MALLOCED float *again = read_points(&copy, &other);
      ck_assert_int_eq((int)other.format, (int)kind->format);
      stx_expect_same(points, again, bytes.size, kind->name);
    }
  }
  globfree(&found);
}
