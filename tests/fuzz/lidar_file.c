/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzing of common/lidar_file/lidar_file.h: whatever the bytes are, an error, or all the points
 * that were announced, from exactly the memory that was asked for. Finds most with the address
 * sanitizer.
 *
 * Linked with tests/fuzz/replay.c it is a test of the suite, which needs no clang. With libFuzzer:
 *
 *   build/tests/fuzz-lidar-file --write-corpus corpus
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -DSTX_BUILD_X86=1 -I. tests/fuzz/lidar_file.c
 * \ common/lidar_file*.c common/stx.c common/cpu.c -lm -o fuzz && ./fuzz -max_len=4096 corpus
 */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/lidar_file/lidar_file.h"

static void expect(bool good, const char *what, const StxError *error)
{
  if (good)
    return;
  fprintf(stderr, "%s: \"%s\"\n", what, error->text);
  abort();
}

static void check_probe(const StxLidarFile *file, size_t size, StxLidarFormat format)
{
  const StxError none = {""};
  expect(file->format != STX_LIDAR_AUTO && (format == STX_LIDAR_AUTO || file->format == format),
      "another format", &none);
  expect(file->data <= size && file->packed <= size, "points beyond the file", &none);
  expect(file->scratch_size <= 88 * size, "more scratch than the file makes", &none);
  size_t most = file->encoding == STX_LIDAR_LZF ? 6 * file->scratch_size : 6 * size;
  expect(16 * file->points <= most, "more points than the file holds", &none);
}

static void check_error(const StxError *error)
{
  expect(error->text[0] != 0, "no reason", error);
  /* What goes to GStreamer's messages has to be UTF-8; the rest of a text is ours. */
  for (const char *at = error->text; *at != 0; at++)
    expect((uint8_t)*at >= ' ' && *at != 127, "unprintable", error);
}

static void read_as(const uint8_t *bytes, size_t size, StxLidarFormat format)
{
  StxLidarFile file;
  StxError error = {""};
  if (!stx_lidar_file_probe(bytes, size, format, &file, &error)) {
    check_error(&error);
    return;
  }
  check_probe(&file, size, format);
  float *points = malloc(file.points > 0 ? 16 * file.points : 1);
  void *scratch = malloc(file.scratch_size > 0 ? file.scratch_size : 1);
  expect(points != NULL && scratch != NULL, "no memory", &error);
  if (!stx_lidar_file_read(&file, bytes, points, scratch, &error))
    check_error(&error);
  free(points);
  free(scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  for (int format = STX_LIDAR_AUTO; format <= STX_LIDAR_PLY; format++)
    read_as(data, size, (StxLidarFormat)format);
  return 0;
}
