/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Geometry: lenses there and back, and two cameras that become a pair. */
#include "common/rectify/rectify.h"
#include "common/calibration/calibration_lens.h"
#include "common/rotation.h"
#include "tests/common/calibration/calibration_case.h"
#include "tests/testing.h"

#include <math.h>
#include <string.h>

/* ---- Rotations ---------------------------------------------------------------------------- */

STX_TEST(rotations_and_their_vectors)
{
  const double vectors[][3] = {
      {0, 0, 0}, {.1, -.2, .3}, {1e-9, 0, 0}, {3.1, 0, .1}, {0, -3.14, 0}, {0, 0, 2}};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    double r[9], back[3];
    stx_rotation_from_vector(vectors[i], r);
    ck_assert(stx_is_rotation(r));
    stx_rotation_to_vector(r, back);
    for (int j = 0; j < 3; j++)
      ck_assert_double_eq_tol(back[j], vectors[i][j], 1e-9);
  }
  double quarter[9];
  stx_rotation_from_vector((const double[]){0, 0, M_PI / 2}, quarter);
  const double expected[] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  for (int j = 0; j < 9; j++)
    ck_assert_double_eq_tol(quarter[j], expected[j], 1e-12);
}

STX_TEST(rotations_of_few_digits)
{
  double r[9] = {.9999, .0141, 0, -.0141, .9999, 0, 0, 0, 1.0004}, t[9], product[9];
  ck_assert(stx_is_rotation(r));
  stx_rotation_clean(r);
  stx_matrix_transpose(r, t);
  stx_matrix_product(r, t, product);
  for (int i = 0; i < 9; i++)
    ck_assert_double_eq_tol(product[i], i % 4 == 0, 1e-12);
  ck_assert(!stx_is_rotation((const double[]){1, 0, 0, 0, 1, 0, 0, 0, -1}));
  ck_assert(!stx_is_rotation((const double[]){1, .01, 0, 0, 1, 0, 0, 0, 1}));
}

/* ---- Lenses ------------------------------------------------------------------------------- */

static const StxLens lenses[] = {{500, 510, 320, 240, STX_LENS_BROWN, {0}},
    {500, 510, 320, 240, STX_LENS_BROWN, {-.3, .1, .001, -.002, .01}},
    {500, 510, 320, 240, STX_LENS_BROWN, {.3, .05, .001, -.002, .001, .4, .1, .002}},
    {500, 510, 320, 240, STX_LENS_BROWN,
        {-.1, .01, .001, -.002, 0, 0, 0, 0, .003, -.001, .002, .001, .02, -.03}},
    {300, 310, 320, 240, STX_LENS_FISHEYE, {-.02, .01, -.003, .0005}}};
#define LENSES (sizeof lenses / sizeof lenses[0])

STX_TEST(there_and_back)
{
  for (size_t i = 0; i < LENSES; i++) {
    StxPreparedLens lens = stx_lens_prepare(&lenses[i]);
    for (int y = 0; y <= 480; y += 40)
      for (int x = 0; x <= 640; x += 40) {
        double pixel[2] = {x, y}, ray[3], back[2];
        ck_assert_msg(stx_lens_unproject(&lens, pixel, ray), "lens %zu at (%d, %d)", i, x, y);
        ck_assert_double_eq_tol(ray[0] * ray[0] + ray[1] * ray[1] + ray[2] * ray[2], 1, 1e-9);
        ck_assert(stx_lens_project(&lens, ray, back));
        ck_assert_double_eq_tol(back[0], x, 1e-5);
        ck_assert_double_eq_tol(back[1], y, 1e-5);
      }
  }
}

/* Calculated by hand: (x, y) = (.2, −.1), r² = .05. */
STX_TEST(literal_positions)
{
  const double ray[3] = {.4, -.2, 2};
  double pixel[2];
  StxPreparedLens brown = stx_lens_prepare(&lenses[1]);
  ck_assert(stx_lens_project(&brown, ray, pixel));
  double q = 1 - .3 * .05 + .1 * .0025 + .01 * .000125;
  ck_assert_double_eq_tol(pixel[0], 320 + 500 * (.2 * q + 2 * .001 * -.02 - .002 * .13), 1e-9);
  ck_assert_double_eq_tol(pixel[1], 240 + 510 * (-.1 * q + .001 * .07 - 2 * .002 * -.02), 1e-9);
  StxPreparedLens fisheye = stx_lens_prepare(&lenses[4]);
  ck_assert(stx_lens_project(&fisheye, ray, pixel));
  double r = sqrt(.05), t = atan(r), t2 = t * t;
  double bent =
      t * (1 - .02 * t2 + .01 * t2 * t2 - .003 * t2 * t2 * t2 + .0005 * t2 * t2 * t2 * t2);
  ck_assert_double_eq_tol(pixel[0], 320 + 300 * .2 * bent / r, 1e-9);
  ck_assert_double_eq_tol(pixel[1], 240 - 310 * .1 * bent / r, 1e-9);
}

/* The sensor's plane, tilted about x, then y: p is the direction in its frame. */
STX_TEST(literal_tilt)
{
  const StxLens lens = {500, 510, 320, 240, STX_LENS_BROWN, {[12] = .02, [13] = -.03}};
  double about_x[9], about_y[9], r[9], p[3], pixel[2];
  stx_rotation_from_vector((const double[]){-.02, 0, 0}, about_x);
  stx_rotation_from_vector((const double[]){0, .03, 0}, about_y);
  stx_matrix_product(about_y, about_x, r);
  stx_matrix_apply(r, (const double[]){.2, -.1, 1}, p);
  StxPreparedLens prepared = stx_lens_prepare(&lens);
  ck_assert(stx_lens_project(&prepared, (const double[]){.4, -.2, 2}, pixel));
  ck_assert_double_eq_tol(pixel[0], 320 + 500 * (r[8] * p[0] / p[2] - r[2]), 1e-9);
  ck_assert_double_eq_tol(pixel[1], 240 + 510 * (r[8] * p[1] / p[2] - r[5]), 1e-9);
  ck_assert(fabs(pixel[0] - 420) > .1);
}

/* r − .3·r³ turns back at r = 1/sqrt(.9). */
STX_TEST(reach)
{
  StxLens lens = {.fx = 1, .fy = 1, .d = {-.3}};
  StxPreparedLens prepared = stx_lens_prepare(&lens);
  double pixel[2];
  ck_assert_double_eq_tol(prepared.reach, 1 / sqrt(.9), .002);
  ck_assert(stx_lens_project(&prepared, (const double[]){1.05, 0, 1}, pixel));
  ck_assert(!stx_lens_project(&prepared, (const double[]){1.06, 0, 1}, pixel));
  ck_assert(!stx_lens_project(&prepared, (const double[]){0, 0, -1}, pixel));
  ck_assert(!stx_lens_unproject(&prepared, (const double[]){5, 0}, (double[3]){0}));
  StxLens behind = {.fx = 1, .fy = 1, .model = STX_LENS_FISHEYE};
  prepared = stx_lens_prepare(&behind);
  ck_assert(stx_lens_project(&prepared, (const double[]){1, 0, -1}, pixel));
  ck_assert_double_eq_tol(pixel[0], 3 * M_PI / 4, 1e-9);
}

/* ---- Pairs -------------------------------------------------------------------------------- */

/* Two cameras with lenses that stand a little askew. */
static StxCalibration askew(StxLensModel model)
{
  StxCalibration c = {.format = "made"};
  for (int i = 0; i < 2; i++) {
    c.camera[i] = (StxCalibratedCamera){
        .lens = lenses[model == STX_LENS_FISHEYE ? 4 : 1], .width = 640, .height = 480};
    c.camera[i].lens.cx += 7 * i;
  }
  stx_rotation_from_vector((const double[]){.01, -.03, .02}, c.r);
  memcpy(c.t, (const double[]){-.12, .004, -.003}, sizeof c.t);
  return c;
}

/* The position of a point of the left camera's frame in the rectified picture of a camera whose
 * frame it is given in. */
static void place_in(const StxRectifyView *view, const double point[3], double at[2])
{
  double turned[3];
  stx_matrix_apply(view->r, point, turned);
  at[0] = view->fx * turned[0] / turned[2] + view->cx;
  at[1] = view->fy * turned[1] / turned[2] + view->cy;
}

static void get_views(const StxCalibration *c, const StxRectifyParams *params, int width,
    int height, StxRectifyView views[2], StxCamera *camera)
{
  StxCamera other;
  StxError error;
  ck_assert_msg(
      stx_rectify_view(c, params, 0, width, height, &views[0], camera, &error), "%s", error.text);
  ck_assert_msg(
      stx_rectify_view(c, params, 1, width, height, &views[1], &other, &error), "%s", error.text);
  ck_assert_int_eq(memcmp(camera, &other, sizeof other), 0);
}

STX_TEST(rows_agree_and_disparities_are_metric)
{
  for (int model = 0; model < 2; model++)
    for (int mode = -1; mode < 2; mode++) {
      StxCalibration c = askew((StxLensModel)model);
      StxRectifyView views[2];
      StxCamera camera;
      get_views(&c, &(StxRectifyParams){0, 0, mode}, 640, 480, views, &camera);
      ck_assert_double_eq_tol(camera.baseline, sqrt(.12 * .12 + .004 * .004 + .003 * .003), 1e-12);
      for (int i = 0; i < 40; i++) {
        const double point[3] = {-1 + .05 * i, .5 - .02 * i, 2 + .5 * i};
        double right[3], turned[3], at[2][2];
        stx_matrix_apply(c.r, point, right);
        for (int j = 0; j < 3; j++)
          right[j] += c.t[j];
        place_in(&views[0], point, at[0]);
        place_in(&views[1], right, at[1]);
        stx_matrix_apply(views[0].r, point, turned);
        ck_assert_double_eq_tol(at[0][1], at[1][1], 1e-7);
        ck_assert_double_eq_tol(
            at[0][0] - at[1][0], camera.focal * camera.baseline / turned[2], 1e-7);
      }
    }
}

/* Samples of both maps that are not seen. */
static int count_outside(const StxRectifyView views[2])
{
  int outside = 0;
  for (int i = 0; i < 2; i++) {
    STX_GUARDED void *memory = stx_guarded_alloc(stx_rectify_map_bytes(&views[i], 0, 0));
    stx_rectify_map_fill(&views[i], 0, 0, memory, 1);
    StxRectifyMap map = stx_rectify_map_in(&views[i], 0, 0, memory);
    for (int j = 0; j < map.width * map.height; j++)
      outside += map.place[j] == STX_RECTIFY_OUTSIDE;
  }
  return outside;
}

/* Nothing is to be done for a pair without distortion that looks straight ahead. */
STX_TEST(an_ideal_pair_stays_as_it_is)
{
  StxCalibration c = askew(STX_LENS_BROWN);
  for (int i = 0; i < 2; i++)
    c.camera[i].lens = (StxLens){.fx = 500, .fy = 500, .cx = 319.5, .cy = 239.5};
  stx_rotation_from_vector((const double[]){0, 0, 0}, c.r);
  memcpy(c.t, (const double[]){-.12, 0, 0}, sizeof c.t);
  for (int alpha = -1; alpha < 2; alpha++) {
    StxRectifyView views[2];
    StxCamera camera;
    get_views(&c, &(StxRectifyParams){0, 0, alpha}, 640, 480, views, &camera);
    ck_assert_double_eq_tol(camera.focal, 500, 1e-9);
    ck_assert_double_eq_tol(camera.cx, 319.5, 1e-9);
    ck_assert_double_eq_tol(camera.cy, 239.5, 1e-9);
    ck_assert_double_eq_tol(camera.baseline, .12, 1e-12);
  }
}

STX_TEST(alpha_says_what_is_shown)
{
  for (int model = 0; model < 2; model++) {
    StxCalibration c = askew((StxLensModel)model);
    StxRectifyView views[2];
    StxCamera crop, half, all, own;
    get_views(&c, &(StxRectifyParams){0, 0, 0}, 640, 480, views, &crop);
    ck_assert_int_eq(count_outside(views), 0);
    get_views(&c, &(StxRectifyParams){0, 0, .5}, 640, 480, views, &half);
    ck_assert_int_gt(count_outside(views), 100);
    get_views(&c, &(StxRectifyParams){0, 0, 1}, 640, 480, views, &all);
    ck_assert_double_eq_tol(half.focal, (crop.focal + all.focal) / 2, 1e-9);
    for (int i = 0; i < 4; i++) { /* the corners of the left picture */
      StxPreparedLens lens = stx_lens_prepare(&c.camera[0].lens);
      double ray[3], at[2];
      ck_assert(stx_lens_unproject(&lens, (const double[]){i % 2 * 639, i / 2 * 479}, ray));
      place_in(&views[0], ray, at);
      ck_assert(at[0] > -.01 && at[0] < 639.01 && at[1] > -.01 && at[1] < 479.01);
    }
    get_views(&c, &(StxRectifyParams){0, 0, -1}, 640, 480, views, &own);
    ck_assert_double_eq_tol(own.focal, c.camera[0].lens.fy, 1e-9);
  }
}

/* ---- Sizes -------------------------------------------------------------------------------- */

STX_TEST(pictures_of_half_the_size)
{
  StxCalibration c = askew(STX_LENS_BROWN);
  StxRectifyView full[2], half[2];
  StxCamera camera, smaller;
  get_views(&c, &(StxRectifyParams){0, 0, 0}, 640, 480, full, &camera);
  get_views(&c, &(StxRectifyParams){0, 0, 0}, 320, 240, half, &smaller);
  ck_assert_int_eq(half[0].width, 320);
  ck_assert_int_eq(half[0].height, 240);
  ck_assert_double_eq_tol(half[0].scale, .5, 1e-15);
  ck_assert_double_eq_tol(half[0].lens.fx, 250, 1e-9);
  ck_assert_double_eq_tol(half[0].lens.cx, 159.75, 1e-9);
  ck_assert_double_eq_tol(smaller.focal, camera.focal / 2, 1);
  ck_assert_double_eq_tol(smaller.baseline, camera.baseline, 1e-15);
}

STX_TEST(kitti_has_a_size_of_its_own)
{
  StxCalibration c;
  StxError error;
  StxRectifyView views[2];
  StxCamera camera;
  ck_assert(calibration_case_load(CASE_KITTI, NULL, -1, 0, 0, 0, &c, &error));
  get_views(&c, &(StxRectifyParams)STX_RECTIFY_DEFAULTS, 1392, 512, views, &camera);
  ck_assert_int_eq(views[1].width, 1242);
  ck_assert_int_eq(views[1].height, 375);
  ck_assert_double_eq_tol(camera.focal, 720, 1e-9);
  ck_assert_double_eq_tol(camera.cx, 610, 1e-9);
  ck_assert_double_eq_tol(camera.baseline, 374.4 / 720, 1e-9);
  get_views(&c, &(StxRectifyParams){.width = 621}, 1392, 512, views, &camera);
  ck_assert_int_eq(views[1].height, 188);
  ck_assert_double_eq_tol(camera.focal, 360, 1e-9);
  get_views(&c, &(StxRectifyParams)STX_RECTIFY_DEFAULTS, 696, 256, views, &camera);
  ck_assert_int_eq(views[1].width, 621);
}

static void refuse(const StxCalibration *c, StxRectifyParams params, int width, int height,
    const char *word, const char *more)
{
  StxRectifyView view;
  StxCamera camera;
  StxError error;
  ck_assert(!stx_rectify_view(c, &params, 0, width, height, &view, &camera, &error));
  stx_expect_words(&error, word);
  stx_expect_words(&error, more);
}

STX_TEST(refusals)
{
  StxCalibration c = askew(STX_LENS_BROWN), kitti;
  StxError error;
  ck_assert(calibration_case_load(CASE_KITTI, NULL, -1, 0, 0, 0, &kitti, &error));
  refuse(&c, (StxRectifyParams){0}, 640, 360, "640x360", "640x480");
  refuse(&c, (StxRectifyParams){0}, 12, 9, "12x9", "16");
  refuse(&c, (StxRectifyParams){0}, 65536, 49152, "65536x49152", "16384");
  refuse(&c, (StxRectifyParams){.width = 8}, 640, 480, "rectified pictures are 8x6", "16");
  refuse(&c, (StxRectifyParams){.width = -1}, 640, 480, "width", "-1");
  refuse(&c, (StxRectifyParams){.alpha = 1.5}, 640, 480, "alpha", "1.5");
  refuse(&kitti, (StxRectifyParams){.width = 640, .height = 480}, 1392, 512, "640x480", "1242x375");
  StxCalibration unnamed = c;
  for (int i = 0; i < 2; i++)
    unnamed.camera[i].width = unnamed.camera[i].height = 0;
  refuse(&unnamed, (StxRectifyParams){0}, 320, 240, "(320, 240)", "320x240");
  StxCalibration wide = askew(STX_LENS_FISHEYE); /* to the sides farther than 84 degrees */
  for (int i = 0; i < 2; i++)
    wide.camera[i].lens = (StxLens){200, 200, 320, 240, STX_LENS_FISHEYE, {0}};
  refuse(&wide, (StxRectifyParams){0}, 640, 480, "half the world", "alpha=-1");
  StxRectifyView views[2];
  StxCamera camera;
  get_views(&wide, &(StxRectifyParams){.alpha = -1}, 640, 480, views, &camera);
  ck_assert_double_eq_tol(camera.focal, 200, 1e-9);
  StxCalibration huge = c;
  huge.camera[0].lens.fy = huge.camera[1].lens.fy = 1e200;
  refuse(
      &huge, (StxRectifyParams){.alpha = -1}, 640, 480, "focal length 1e+200", "no real cameras");
  stx_rotation_from_vector((const double[]){0, 2.5, 0}, c.r);
  refuse(&c, (StxRectifyParams){0}, 640, 480, "left camera", "side by side");
}

STX_TEST(without_a_size_in_the_file)
{
  StxCalibration c = askew(STX_LENS_BROWN);
  StxRectifyView views[2];
  StxCamera camera;
  for (int i = 0; i < 2; i++)
    c.camera[i].width = c.camera[i].height = 0;
  get_views(&c, &(StxRectifyParams){0}, 640, 480, views, &camera);
  ck_assert_int_eq(views[0].width, 640);
  ck_assert_double_eq_tol(views[0].scale, 1, 1e-15);
  get_views(&c, &(StxRectifyParams){.width = 400, .height = 400}, 640, 480, views, &camera);
  ck_assert_int_eq(views[0].width, 400);
  ck_assert_int_eq(count_outside(views), 0);
}
