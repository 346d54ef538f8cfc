/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of LiDAR points made by the tests: writers of every format and variety that
 * common/lidar_file/lidar_file.h reads. Uses no libcheck, so that the fuzzer can make its seeds
 * with it.
 */
#pragma once

#include "common/lidar_file/lidar_file.h"

#include <stdlib.h>

/* A file in memory that grows. Zero it to begin with; its data are freed at the end. */
typedef struct {
  uint8_t *data;
  size_t size, room;
} StxBytes;

/* For STX_AUTO (StxBytes), tests/testing.h. */
static inline void stx_auto_StxBytes(StxBytes *bytes)
{
  free(bytes->data);
}

void stx_bytes_put(StxBytes *bytes, const void *data, size_t size);
void stx_bytes_print(StxBytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A field: its name, PCD's TYPE and SIZE, COUNT, and the channel (0…3: x y z intensity) that it
 * holds; -1: something else. */
typedef struct {
  const char *name;
  char type;
  int size, count, channel;
} StxLidarColumn;

/* A kind of file. `columns` ends with a name of NULL; files without a header have none. */
typedef struct {
  const char *name;
  StxLidarFormat format;
  StxLidarEncoding encoding;
  const StxLidarColumn *columns;
} StxLidarKind;

extern const StxLidarKind stx_lidar_kinds[];
extern const size_t stx_lidar_kind_count;

/* Points that every kind can hold exactly: x and y multiples of 1/4, z of −100…100, intensity of
 * 0…200. (Kinds without an intensity give 0.) */
void stx_lidar_case_points(float *points, size_t count, uint32_t seed);

/* A file of that kind with these points. */
void stx_lidar_case_write(
    StxBytes *bytes, const StxLidarKind *kind, const float *points, size_t count);

/* True if the kind has no intensity. */
bool stx_lidar_case_is_flat(const StxLidarKind *kind);
