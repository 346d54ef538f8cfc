/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scans as a camera sees them: literal places, odd points, the order of points. Looks:
 * tests/frames.
 */
#include "common/scanview/scanview.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/extrinsics/extrinsics.h"
#include "tests/common/canvas/canvas_case.h"

#define WIDTH 640
#define HEIGHT 200

static StxScanviewParams params;
static StxScanviewLens lens;

/* In the place of the camera: x of the scan is the optical axis. */
static void reset(void)
{
  const StxExtrinsics extrinsics = {0};
  params = (StxScanviewParams)STX_SCANVIEW_DEFAULTS;
  lens = (StxScanviewLens){.camera = {.focal = 500, .cx = 319.5, .cy = 99.5}};
  stx_extrinsics_matrix(&extrinsics, lens.extrinsics);
}

/* ---- Dots ---------------------------------------------------------------------------------- */

static size_t dots_of(const StxScan *scan, const StxCanvasDot **dots, const float **depths)
{
  static void *memory;
  free(memory);
  memory = aligned_alloc(STX_ALIGN, stx_align(stx_scanview_size(scan->count)));
  return stx_scanview_dots(&params, &lens, WIDTH, HEIGHT, scan, memory, dots, depths);
}

static bool is_seen(float x, float y, float z, float *u, float *v)
{
  const float point[4] = {x, y, z, 0};
  const StxCanvasDot *dots;
  const float *depths;
  if (dots_of(&(StxScan){point, NULL, 1}, &dots, &depths) == 0)
    return false;
  *u = dots[0].x - .5f;
  *v = dots[0].y - .5f;
  ck_assert_float_eq_tol(depths[0], x + (float)lens.extrinsics[11], 1e-5f);
  return true;
}

static void expect_place(float x, float y, float z, float u, float v)
{
  float at_u, at_v;
  ck_assert_msg(
      is_seen(x, y, z, &at_u, &at_v), "(%g, %g, %g) is not seen", (double)x, (double)y, (double)z);
  ck_assert_float_eq_tol(at_u, u, 1e-3f);
  ck_assert_float_eq_tol(at_v, v, 1e-3f);
}

STX_TEST(points_lie_where_the_camera_sees_them)
{
  const StxExtrinsics above = {.x = -1, .z = .5};
  reset();
  expect_place(10, 0, 0, 319.5f, 99.5f);
  expect_place(10, 2, 0, 219.5f, 99.5f);  /* to the left */
  expect_place(10, -2, 1, 419.5f, 49.5f); /* to the right and up */
  expect_place(50, 0, -5, 319.5f, 149.5f);
  stx_extrinsics_matrix(&above, lens.extrinsics);
  expect_place(11, 0, 0, 319.5f, 74.5f);
}

STX_TEST(what_cannot_be_seen_is_passed_over)
{
  const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f};
  const StxCanvasDot *dots;
  float u, v;
  reset();
  ck_assert(!is_seen(-10, 0, 0, &u, &v));
  ck_assert(!is_seen(.099f, 0, 0, &u, &v));
  ck_assert(is_seen(.11f, 0, 0, &u, &v));
  ck_assert(is_seen(10, 6.6f, 0, &u, &v)); /* ten pixels out: its dot may reach in */
  ck_assert(!is_seen(10, 7, 0, &u, &v));
  ck_assert(!is_seen(10, 0, -3, &u, &v));
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
    ck_assert(odd[i] == 3e38f || !is_seen(odd[i], 0, 0, &u, &v));
    ck_assert(!is_seen(10, odd[i], 0, &u, &v));
    ck_assert(!is_seen(10, 0, odd[i], &u, &v));
  }
  ck_assert_uint_eq(dots_of(&(StxScan){NULL, NULL, 0}, &dots, NULL), 0);
}

enum { POINTS = 400 };
static float points[POINTS][4];
static uint32_t labels[POINTS];

static void swap_points(int a, int b)
{
  float point[4];
  uint32_t label = labels[a];
  memcpy(point, points[a], sizeof point);
  memcpy(points[a], points[b], sizeof point);
  memcpy(points[b], point, sizeof point);
  labels[a] = labels[b];
  labels[b] = label;
}

/* The farthest first, in whatever order they come; of equally far ones likewise. */
STX_TEST(the_order_of_points_does_not_matter)
{
  static StxCanvasDot first[POINTS];
  const StxCanvasDot *dots;
  const float *depths;
  StxRandom random = {5};
  reset();
  for (int i = 0; i < POINTS; i++) { /* many are equally far, some in the same place */
    points[i][0] = 1 + (float)stx_random_below(&random, 20);
    points[i][1] = (float)(stx_random_below(&random, 7) - 3) * points[i][0] / 10;
    labels[i] = 99 | (uint32_t)stx_random_below(&random, 5) << 16;
  }
  for (int run = 0; run < 4; run++) {
    ck_assert_uint_eq(dots_of(&(StxScan){points[0], labels, POINTS}, &dots, &depths), POINTS);
    for (int i = 1; i < POINTS; i++)
      ck_assert_float_ge(depths[i - 1], depths[i]);
    for (int i = 0; i < POINTS; i++) {
      first[i] = run == 0 ? dots[i] : first[i];
      ck_assert(first[i].x == dots[i].x && first[i].y == dots[i].y);
      ck_assert(memcmp(&first[i].colour, &dots[i].colour, sizeof(StxRgb)) == 0);
    }
    for (int i = POINTS - 1; i > 0; i--)
      swap_points(i, stx_random_below(&random, i + 1));
  }
}
