/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/lidar_file/lidar_file_case.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Kinds --------------------------------------------------------------------------------- */

static const StxLidarColumn none[] = {{NULL}};
static const StxLidarColumn plain[] = {{"x", 'F', 4, 1, 0}, {"y", 'F', 4, 1, 1},
    {"z", 'F', 4, 1, 2}, {"intensity", 'F', 4, 1, 3}, {NULL}};
static const StxLidarColumn doubles[] = {
    {"x", 'F', 8, 1, 0}, {"y", 'F', 8, 1, 1}, {"z", 'F', 8, 1, 2}, {NULL}};
static const StxLidarColumn mixed[] = {{"I", 'U', 1, 1, 3}, {"rgb", 'U', 4, 1, -1},
    {"z", 'I', 1, 1, 2}, {"normal", 'F', 4, 3, -1}, {"y", 'F', 8, 1, 1}, {"_", 'U', 1, 3, -1},
    {"_", 'U', 2, 1, -1}, {"x", 'F', 4, 1, 0}, {NULL}};
static const StxLidarColumn single[] = {{"red", 'U', 1, 1, -1}, {"Z", 'I', 2, 1, 2},
    {"y", 'F', 8, 1, 1}, {"Scalar_Intensity", 'U', 2, 1, 3}, {"nx", 'F', 4, 1, -1},
    {"X", 'F', 4, 1, 0}, {"label", 'I', 4, 1, -1}, {NULL}};
static const StxLidarColumn wide[] = {{"reflectance", 'U', 8, 1, 3}, {"z", 'I', 8, 1, 2},
    {"t", 'U', 8, 1, -1}, {"y", 'F', 4, 1, 1}, {"x", 'F', 8, 1, 0}, {NULL}};

const StxLidarKind stx_lidar_kinds[] = {
    {"kitti", STX_LIDAR_KITTI, STX_LIDAR_LITTLE, none},
    {"nuscenes", STX_LIDAR_NUSCENES, STX_LIDAR_LITTLE, none},
    {"pcd-ascii", STX_LIDAR_PCD, STX_LIDAR_TEXT, plain},
    {"pcd-ascii-mixed", STX_LIDAR_PCD, STX_LIDAR_TEXT, mixed},
    {"pcd-ascii-flat", STX_LIDAR_PCD, STX_LIDAR_TEXT, doubles},
    {"pcd-binary", STX_LIDAR_PCD, STX_LIDAR_LITTLE, plain},
    {"pcd-binary-mixed", STX_LIDAR_PCD, STX_LIDAR_LITTLE, mixed},
    {"pcd-binary-single", STX_LIDAR_PCD, STX_LIDAR_LITTLE, single},
    {"pcd-binary-wide", STX_LIDAR_PCD, STX_LIDAR_LITTLE, wide},
    {"pcd-lzf", STX_LIDAR_PCD, STX_LIDAR_LZF, plain},
    {"pcd-lzf-mixed", STX_LIDAR_PCD, STX_LIDAR_LZF, mixed},
    {"pcd-lzf-wide", STX_LIDAR_PCD, STX_LIDAR_LZF, wide},
};
const size_t stx_lidar_kind_count = sizeof stx_lidar_kinds / sizeof stx_lidar_kinds[0];

bool stx_lidar_case_is_flat(const StxLidarKind *kind)
{
  bool flat = kind->columns[0].name != NULL;
  for (const StxLidarColumn *column = kind->columns; column->name != NULL; column++)
    flat = flat && column->channel != 3;
  return flat;
}

void stx_lidar_case_points(float *points, size_t count, uint32_t seed)
{
  for (size_t i = 0; i < count; i++) {
    uint32_t bits = seed = seed * 1664525 + 1013904223;
    points[4 * i] = (float)((int)(bits >> 8 & 1023) - 512) / 4;
    points[4 * i + 1] = (float)((int)(bits >> 18 & 1023) - 512) / 4;
    points[4 * i + 2] = (float)((int)(bits >> 24) % 201 - 100);
    points[4 * i + 3] = (float)((bits >> 16) % 201);
  }
}

/* ---- Bytes --------------------------------------------------------------------------------- */

void stx_bytes_put(StxBytes *bytes, const void *data, size_t size)
{
  if (bytes->data == NULL || size > bytes->room - bytes->size) {
    bytes->room = 2 * bytes->room + size + 1;
    bytes->data = realloc(bytes->data, bytes->room);
    if (bytes->data == NULL)
      abort();
  }
  if (size > 0)
    memcpy(bytes->data + bytes->size, data, size);
  bytes->size += size;
}

void stx_bytes_print(StxBytes *bytes, const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  stx_bytes_put(bytes, text, (size_t)length);
}

/* The lowest `size` bytes of the number. */
static void put_integer(StxBytes *bytes, uint64_t value, int size)
{
  for (int i = 0; i < size; i++) {
    uint8_t byte = (uint8_t)(value >> 8 * i);
    stx_bytes_put(bytes, &byte, 1);
  }
}

static void put_value(StxBytes *bytes, const StxLidarColumn *column, double value)
{
  uint64_t bits = (uint64_t)(int64_t)value;
  float narrow = (float)value;
  uint32_t low;
  if (column->type == 'F' && column->size == 8) {
    memcpy(&bits, &value, sizeof bits);
  } else if (column->type == 'F') {
    memcpy(&low, &narrow, sizeof low);
    bits = low;
  }
  put_integer(bytes, bits, column->size);
}

/* The content of a column that is none of a point's. */
static double filler(const StxLidarColumn *column, const float *point)
{
  return column->channel >= 0 ? (double)point[column->channel] : 7;
}

/* ---- Points -------------------------------------------------------------------------------- */

static void put_text(StxBytes *bytes, const StxLidarKind *kind, const float *points, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    for (const StxLidarColumn *column = kind->columns; column->name != NULL; column++)
      for (int k = 0; k < column->count; k++)
        stx_bytes_print(bytes, "%.9g ", filler(column, points + 4 * i));
    stx_bytes_print(bytes, "\n");
  }
}

static void put_records(
    StxBytes *bytes, const StxLidarKind *kind, const float *points, size_t count)
{
  for (size_t i = 0; i < count; i++)
    for (const StxLidarColumn *column = kind->columns; column->name != NULL; column++)
      for (int k = 0; k < column->count; k++)
        put_value(bytes, column, filler(column, points + 4 * i));
}

/* LZF: takes the longest of the places where the same three bytes were last, one per hash. */
static void pack_lzf(StxBytes *to, const uint8_t *from, size_t size)
{
  size_t last[256], literals = 0;
  memset(last, 0xFF, sizeof last);
  for (size_t at = 0; at <= size;) {
    size_t length = 0, back = 0;
    if (at + 2 < size) {
      size_t *place = &last[(from[at] * 7 + from[at + 1] * 5 + from[at + 2]) % 256];
      back = at - *place;
      if (*place < at && back <= 8192)
        while (length < 264 && at + length < size && from[*place + length] == from[at + length])
          length++;
      *place = at;
    }
    if (literals > 0 && (length >= 3 || literals == 32 || at == size)) {
      put_integer(to, literals - 1, 1);
      stx_bytes_put(to, from + at - literals, literals);
      literals = 0;
    }
    if (length < 3) {
      literals++;
      at++;
      continue;
    }
    uint64_t high = (back - 1) >> 8;
    put_integer(to, (length < 9 ? length - 2 : 7) << 5 | high, 1);
    if (length >= 9)
      put_integer(to, length - 9, 1);
    put_integer(to, back - 1, 1);
    at += length;
  }
}

static void put_packed(StxBytes *bytes, const StxLidarKind *kind, const float *points, size_t count)
{
  StxBytes arrays = {0}, packed = {0};
  for (const StxLidarColumn *column = kind->columns; column->name != NULL; column++)
    for (size_t i = 0; i < count; i++)
      for (int k = 0; k < column->count; k++)
        put_value(&arrays, column, filler(column, points + 4 * i));
  pack_lzf(&packed, arrays.data, arrays.size);
  put_integer(bytes, packed.size, 4);
  put_integer(bytes, arrays.size, 4);
  stx_bytes_put(bytes, packed.data, packed.size);
  free(arrays.data);
  free(packed.data);
}

static void put_bin(StxBytes *bytes, const float *points, size_t count, bool ring)
{
  static const StxLidarColumn column = {"", 'F', 4, 1, 0};
  for (size_t i = 0; i < count; i++) {
    for (int c = 0; c < 4; c++)
      put_value(bytes, &column, (double)points[4 * i + (size_t)c]);
    if (ring)
      put_value(bytes, &column, (double)(i % 32));
  }
}

/* ---- Headers ------------------------------------------------------------------------------- */

static void put_pcd_header(StxBytes *bytes, const StxLidarKind *kind, size_t count)
{
  static const char *const data[] = {[STX_LIDAR_TEXT] = "ascii",
      [STX_LIDAR_LITTLE] = "binary",
      [STX_LIDAR_LZF] = "binary_compressed"};
  stx_bytes_print(bytes, "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS");
  for (const StxLidarColumn *column = kind->columns; column->name != NULL; column++)
    stx_bytes_print(bytes, " %s", column->name);
  stx_bytes_print(bytes, "\nSIZE");
  for (const StxLidarColumn *column = kind->columns; column->name != NULL; column++)
    stx_bytes_print(bytes, " %d", column->size);
  stx_bytes_print(bytes, "\nTYPE");
  for (const StxLidarColumn *column = kind->columns; column->name != NULL; column++)
    stx_bytes_print(bytes, " %c", column->type);
  stx_bytes_print(bytes, "\nCOUNT");
  for (const StxLidarColumn *column = kind->columns; column->name != NULL; column++)
    stx_bytes_print(bytes, " %d", column->count);
  stx_bytes_print(bytes, "\nWIDTH %zu\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS %zu\nDATA %s\n",
      count, count, data[kind->encoding]);
}

void stx_lidar_case_write(
    StxBytes *bytes, const StxLidarKind *kind, const float *points, size_t count)
{
  bytes->size = 0;
  if (kind->format == STX_LIDAR_KITTI || kind->format == STX_LIDAR_NUSCENES) {
    put_bin(bytes, points, count, kind->format == STX_LIDAR_NUSCENES);
    return;
  }
  put_pcd_header(bytes, kind, count);
  if (kind->encoding == STX_LIDAR_TEXT)
    put_text(bytes, kind, points, count);
  else if (kind->encoding == STX_LIDAR_LZF)
    put_packed(bytes, kind, points, count);
  else
    put_records(bytes, kind, points, count);
}
