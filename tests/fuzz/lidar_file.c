/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * common/lidar_file/lidar_file.h: whatever the bytes are, an error, or all the points that were
 * announced, from exactly the memory that was asked for.
 */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "common/lidar_file/lidar_file.h"

static void check_probe(const StxLidarFile *file, size_t size, StxLidarFormat format)
{
  bool same = format == STX_LIDAR_AUTO || file->format == format;
  stx_fuzz_expect(file->format != STX_LIDAR_AUTO && same, "another format");
  stx_fuzz_expect(file->data <= size && file->packed <= size, "points beyond the file");
  stx_fuzz_expect(file->scratch_size <= 88 * size, "more scratch than the file makes");
  size_t most = file->encoding == STX_LIDAR_LZF ? 6 * file->scratch_size : 6 * size;
  stx_fuzz_expect(16 * file->points <= most, "more points than the file holds");
}

static void read_as(const uint8_t *bytes, size_t size, StxLidarFormat format)
{
  StxLidarFile file;
  StxError error = {""};
  if (!stx_lidar_file_probe(bytes, size, format, &file, &error)) {
    stx_fuzz_expect_text(error.text);
    return;
  }
  check_probe(&file, size, format);
  float *points = malloc(file.points > 0 ? 16 * file.points : 1);
  void *scratch = malloc(file.scratch_size > 0 ? file.scratch_size : 1);
  stx_fuzz_expect(points != NULL && scratch != NULL, "no memory");
  if (!stx_lidar_file_read(&file, bytes, points, scratch, &error))
    stx_fuzz_expect_text(error.text);
  free(points);
  free(scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  for (int format = STX_LIDAR_AUTO; format < STX_LIDAR_FORMAT_COUNT; format++)
    read_as(data, size, (StxLidarFormat)format);
  return 0;
}

bool stx_fuzz_seed(size_t number, StxBytes *seed)
{
  static const size_t counts[] = {0, 1, 6};
  float points[4 * 6];
  if (number / 3 >= stx_lidar_kind_count)
    return false;
  stx_lidar_case_points(points, 6, 1);
  stx_lidar_case_write(seed, &stx_lidar_kinds[number / 3], points, counts[number % 3]);
  return true;
}

static const char *const words[] = {"0", "-1", "255", "4294967296", "1152921504606846975",
    "18446744073709551616", "nan", "1e999", "list", "vertex", "\n", " ", "\r\n", "#",
    "\xFF\xFF\xFF\xFF", "x", "intensity", "binary_compressed", "ascii", "1.2345678901234567890123",
    NULL};
const StxFuzzTarget stx_fuzz_target = {words, 300000};
