/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pose of a sensor: literal ones, and files of KITTI. */
#include "tests/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/extrinsics/extrinsics.h"

#define QUARTER 1.57079632679489661923

static void expect_point(const double matrix[12], const double from[3], const double to[3])
{
  for (int row = 0; row < 3; row++) {
    const double *m = matrix + 4 * row;
    double value = m[0] * from[0] + m[1] * from[1] + m[2] * from[2] + m[3];
    ck_assert_msg(fabs(value - to[row]) < 1e-9, "row %d: (%g, %g, %g) becomes %g instead of %g",
        row, from[0], from[1], from[2], value, to[row]);
  }
}

/* ---- Six numbers -------------------------------------------------------------------------- */

STX_TEST(axes_and_places)
{
  static const struct {
    StxExtrinsics extrinsics;
    double from[3], to[3]; /* ahead, left, up; right, down, ahead */
  } cases[] = {
      {{0}, {5, 2, 1}, {-2, -1, 5}}, {{.x = 3, .y = .5, .z = -.25}, {5, 2, 1}, {-2.5, -.75, 8}},
      {{.yaw = QUARTER}, {5, 2, 1}, {-5, -1, -2}}, /* what it has ahead lies to the left */
      {{.pitch = QUARTER}, {5, 2, 1}, {-2, 5, 1}}, /* … lies below */
      {{.roll = QUARTER}, {5, 2, 1}, {1, -2, 5}},  /* what it has to its left lies above */
      {{.z = 1, .yaw = QUARTER, .pitch = QUARTER}, {5, 2, 1}, {-1, 4, -2}}, /* yaw after pitch */
      {{.pitch = QUARTER, .roll = QUARTER}, {5, 2, 1}, {1, 5, 2}},          /* pitch after roll */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double matrix[12], scan[12];
    const double *to = cases[i].to;
    stx_extrinsics_matrix(&cases[i].extrinsics, matrix);
    expect_point(matrix, cases[i].from, to);
    stx_extrinsics_to_scan_axes(matrix, scan);
    expect_point(scan, cases[i].from, (double[3]){to[2], -to[0], -to[1]});
  }
}

/* ---- Files -------------------------------------------------------------------------------- */

static StxExtrinsicsFile load(const char *text, int pair, double matrix[12], StxError *error)
{
  char path[] = "/tmp/stx-extrinsics-XXXXXX";
  int file = mkstemp(path);
  ck_assert_int_ge(file, 0);
  ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
  close(file);
  StxExtrinsicsFile result = stx_extrinsics_load(path, pair, matrix, error);
  unlink(path);
  return result;
}

#define GRAY "P0: 2 0 5 0 0 2 6 0 0 0 1 0\n"
#define COLOUR "P2: 2 0 5 1 0 2 6 .5 0 0 1 .125\n"
#define TR "0 -1 0 .5 0 0 -1 -.25 1 0 0 -1\n"

STX_TEST(reads_kitti)
{
  static const struct {
    const char *text;
    int pair;
    double to[3]; /* of (10, 2, 1) */
  } cases[] = {
      {"Tr: " TR, -1, {-1.5, -1.25, 9}},
      {GRAY "Tr: " TR COLOUR, 0, {-1.5, -1.25, 9}},
      {GRAY COLOUR "Tr: " TR, 2, {-1.3125, -1.375, 9.125}},
      {GRAY COLOUR "Tr: " TR, -1, {-1.3125, -1.375, 9.125}},
      {GRAY "R0_rect: 0 1 0 -1 0 0 0 0 1\nTr_velo_to_cam: " TR, -1, {-1.25, 1.5, 9}},
      {"  Tr: 0 -1 0 .5 0 0 -1 -.25 1 0 0 -1\r\nTr_velo_to_cam: 7\n", -1, {-1.5, -1.25, 9}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double matrix[12];
    StxError error = {""};
    ck_assert_msg(load(cases[i].text, cases[i].pair, matrix, &error) == STX_EXTRINSICS_FOUND,
        "file %zu: %s", i, error.text);
    expect_point(matrix, (double[3]){10, 2, 1}, cases[i].to);
  }
}

STX_TEST(says_what_is_wrong)
{
  static const struct {
    const char *text;
    StxExtrinsicsFile result;
    const char *word;
  } cases[] = {
      {GRAY COLOUR "Trail: 1 2 3\n", STX_EXTRINSICS_MISSING, NULL},
      {"Tr: 1 2 3\n", STX_EXTRINSICS_FAILED, ":1: \"Tr:\" has 3 numbers; expected 12"},
      {"Tr: 1 2 3 4 5 6 7 8 9 10 11 12 13", STX_EXTRINSICS_FAILED, "has 13 numbers"},
      {"\nTr: 1 2 nan\n", STX_EXTRINSICS_FAILED, ":2: number 3 of \"Tr:\""},
      {"Tr: 1 2 x\n", STX_EXTRINSICS_FAILED, "number 3"},
      {"R0_rect: 1\nTr: " TR, STX_EXTRINSICS_FAILED, "\"R0_rect:\" has 1 numbers; expected 9"},
      {"P0: 1\nTr: " TR, STX_EXTRINSICS_FAILED, "\"P0:\" has 1 numbers"},
      {"P0: 0 0 5 0 0 2 6 0 0 0 1 0\nTr: " TR, STX_EXTRINSICS_FAILED, "focal length in \"P0:\""},
      {"", STX_EXTRINSICS_FAILED, "stx-extrinsics-"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double matrix[12] = {7};
    StxError error = {""};
    ck_assert_int_eq(load(cases[i].text, -1, matrix, &error), cases[i].result);
    ck_assert(matrix[0] == 7);
    if (cases[i].word != NULL)
      stx_expect_words(&error, cases[i].word);
  }
}
