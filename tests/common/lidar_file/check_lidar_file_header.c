/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that are known by their first bytes, and all others, which are not. */
#include "tests/testing.h"

#include "common/lidar_file/lidar_file.h"
#include "tests/common/lidar_file/lidar_file_case.h"

#include <stdlib.h>
#include <string.h>

#define POINTS 7

static bool has_header(StxLidarFormat format)
{
  return format == STX_LIDAR_PCD || format == STX_LIDAR_PLY;
}

/* However little of it there is, it is nothing else; all of it is enough. */
static void expect_known(const StxLidarKind *kind)
{
  StxLidarFormat expected = has_header(kind->format) ? kind->format : STX_LIDAR_AUTO;
  float points[4 * POINTS];
  StxBytes bytes = {0};
  stx_lidar_case_points(points, POINTS, 5);
  stx_lidar_case_write(&bytes, kind, points, POINTS);
  bool known = false;
  for (size_t size = 0; size <= bytes.size; size++) {
    uint8_t *part = stx_guarded_alloc(size);
    memcpy(part, bytes.data, size);
    StxLidarFormat format = stx_lidar_file_recognize(part, size);
    ck_assert_msg(format == (known                   ? expected
                                : format == expected ? expected
                                                     : STX_LIDAR_AUTO),
        "%zu bytes of %s are %s", size, kind->name, stx_lidar_format_name(format));
    known = known || (format == expected && has_header(expected));
    stx_guarded_free(part);
  }
  ck_assert_msg(known == has_header(expected), "%s is not known", kind->name);
  free(bytes.data);
}

START_TEST(every_kind_of_file)
{
  for (size_t i = 0; i < stx_lidar_kind_count; i++)
    expect_known(&stx_lidar_kinds[i]);
}
END_TEST

static const struct {
  const char *text;
  StxLidarFormat format;
} headers[] = {
    {"# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z rgb\n", STX_LIDAR_PCD},
    {"# .PCD v.5\nVERSION .5\nCOLUMNS x y z\n", STX_LIDAR_PCD},
    {"FIELDS intensity X Y Z\r\nSIZE", STX_LIDAR_PCD},
    {"\n# written by hand\n\n  fields x y z\n", STX_LIDAR_PCD},
    {"# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z", STX_LIDAR_AUTO},
    {"# .PCD v0.7 - Point Cloud Data file format\n", STX_LIDAR_AUTO},
    {"VERSION 0.7\nFIELDS normal_x normal_y\n", STX_LIDAR_AUTO},
    {"VERSION 0.7\nSIZE 4 4 4\nFIELDS x y z\n", STX_LIDAR_AUTO},
    {"ply\nformat ascii 1.0\n", STX_LIDAR_PLY},
    {"ply\r\nformat binary_little_endian 1.0\r\n", STX_LIDAR_PLY},
    {"ply\ncomment a\nobj_info b\n\nformat binary_big_endian 1.0\nelement", STX_LIDAR_PLY},
    {"ply\nformat ascii 1.0", STX_LIDAR_AUTO},
    {"ply\nformat ascii 2.0\n", STX_LIDAR_AUTO},
    {"ply\nformat paper 1.0\n", STX_LIDAR_AUTO},
    {"ply\nwood and how to format ascii 1.0\n", STX_LIDAR_AUTO},
    {"plywood\nformat ascii 1.0\n", STX_LIDAR_AUTO},
    {"PLY\nformat ascii 1.0\n", STX_LIDAR_AUTO},
    {"data of three years\nfields x y z\n", STX_LIDAR_AUTO},
    {"Version 1.0\nFields of wheat\n", STX_LIDAR_AUTO},
    {"#!/bin/sh\nversion=1 fields\n", STX_LIDAR_AUTO},
    {"{\"version\":1}\n", STX_LIDAR_AUTO},
    {"\xff\xd8\xff\xe0\0\x10JFIF\n", STX_LIDAR_AUTO},
    {"\n\n\n", STX_LIDAR_AUTO},
    {"", STX_LIDAR_AUTO},
};

START_TEST(literal_headers)
{
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    const char *text = headers[i].text;
    StxLidarFormat format = stx_lidar_file_recognize(text, strlen(text));
    ck_assert_msg(format == headers[i].format, "\"%s\" is %s", text, stx_lidar_format_name(format));
  }
}
END_TEST

static const StxTest tests[] = {{&every_kind_of_file}, {&literal_headers}};
STX_TESTING_MAIN("lidar_file_header", tests)
