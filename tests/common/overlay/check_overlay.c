/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing: literal bytes, variants, records that are not valid. Looks: tests/frames. */
#include "tests/common/overlay/overlay_frames.h"

#include <math.h>
#include <string.h>

/* ---- Literal pixels ----------------------------------------------------------------------- */

STX_TEST(blends_a_car_half_into_rgb)
{
  /* Car is (0, 0, 142): (100·128 + 0 + 128) >> 8 = 50, (100·128 + 142·128 + 128) >> 8 = 121. */
  StxOverlayParams params = overlay_plain("RGB", 3, 2, 1);
  StxStixel car = overlay_stixel(1, 1, 1, STX_KIND_OBJECT, 13, 5);
  params.alpha = .5;
  STX_AUTO(OverlayFrame) f = overlay_frame(&params, 2, 100);
  StxOverlayResult result = overlay_draw(&params, &f.frame, &car, 1);
  ck_assert_uint_eq(result.drawn, 1);
  ck_assert_uint_eq(result.skipped, 0);
  overlay_expect_bytes(
      stx_row8(&f.plane[0], 0), (int[]){100, 100, 100, 100, 100, 100, 100, 100, 100}, 9, "row 0");
  overlay_expect_bytes(
      stx_row8(&f.plane[0], 1), (int[]){100, 100, 100, 50, 50, 121, 100, 100, 100}, 9, "row 1");
}

STX_TEST(orders_the_bytes_as_the_format_says)
{
  /* Bicycle is (119, 11, 32); a byte of alpha or padding keeps its 7. */
  static const struct {
    const char *name;
    int bytes[4], n;
  } cases[] = {
      {"RGB", {119, 11, 32}, 3},
      {"BGR", {32, 11, 119}, 3},
      {"RGBA", {119, 11, 32, 7}, 4},
      {"BGRx", {32, 11, 119, 7}, 4},
      {"xRGB", {7, 119, 11, 32}, 4},
      {"ABGR", {7, 32, 11, 119}, 4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxOverlayParams params = overlay_plain(cases[i].name, 1, 1, 1);
    StxStixel bicycle = overlay_stixel(0, 0, 0, STX_KIND_OBJECT, 18, 5);
    STX_AUTO(OverlayFrame) f = overlay_drawn(&params, 5, 7, &bicycle, 1);
    overlay_expect_bytes(f.frame.data[0], cases[i].bytes, cases[i].n, cases[i].name);
  }
}

STX_TEST(converts_colours_by_matrix_and_range)
{
  /* Rider is pure red (255, 0, 0), road (128, 64, 128). Worked out from the standards' Kr, Kb. */
  static const struct {
    StxMatrix matrix;
    bool full_range;
    int label, yuv[3];
  } cases[] = {
      {STX_MATRIX_BT601, true, 12, {76, 85, 255}},
      {STX_MATRIX_BT601, false, 12, {81, 90, 240}},
      {STX_MATRIX_BT709, false, 12, {63, 102, 240}},
      {STX_MATRIX_BT2020, false, 12, {74, 97, 240}},
      {STX_MATRIX_BT709, true, 0, {82, 153, 157}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxOverlayParams params = overlay_plain("Y444", 1, 1, 1);
    uint8_t bytes[3];
    params.matrix = cases[i].matrix;
    params.full_range = cases[i].full_range;
    overlay_draw_pixel(
        params, overlay_stixel(0, 0, 0, STX_KIND_OBJECT, cases[i].label, 5), 9, bytes);
    overlay_expect_bytes(bytes, cases[i].yuv, 3, "yuv");
  }
}

STX_TEST(averages_chroma_over_the_block)
{
  /* 3×3 pixels of NV12, full range, BT.601; red (Y 76, U 85, V 255) on the middle pixel only.
   * Its block is a quarter covered: keep (256 + 256 + 256 + 0) / 4 = 192,
   * U: (100·192 + (3·128 + 85·256 + 128) / 4) >> 8 = (19200 + 5568) >> 8 = 96,
   * V: (100·192 + (3·128 + 255·256 + 128) / 4) >> 8 = (19200 + 16448) >> 8 = 139. */
  StxOverlayParams params = overlay_plain("NV12", 3, 3, 1);
  StxStixel red = overlay_stixel(1, 1, 1, STX_KIND_OBJECT, 12, 5);
  STX_AUTO(OverlayFrame) f = overlay_drawn(&params, 1, 100, &red, 1);
  overlay_expect_bytes(stx_row8(&f.plane[0], 1), (int[]){100, 76, 100}, 3, "luma");
  overlay_expect_bytes(stx_row8(&f.plane[1], 0), (int[]){96, 139, 100, 100}, 4, "chroma row 0");
  overlay_expect_bytes(stx_row8(&f.plane[1], 1), (int[]){100, 100, 100, 100}, 4, "chroma row 1");
  /* The corner pixel is alone in its block: its colour replaces the sample. */
  red.column = red.top = red.bottom = 2;
  overlay_draw(&params, &f.frame, &red, 1);
  overlay_expect_bytes(stx_row8(&f.plane[1], 1), (int[]){100, 100, 85, 255}, 4, "corner");
}

STX_TEST(draws_between_the_chroma_of_packed_pixels)
{
  /* Three pixels, red (Y 76, U 85, V 255) on the middle one, which is half of the first block:
   * keep (256 + 0) / 2 = 128, U: (100·128 + (128 + 85·256 + 128) / 2) >> 8 = 93, V: 178. The byte
   * for the luma of a fourth pixel stays. */
  static const struct {
    const char *name;
    int bytes[8];
  } cases[] = {
      {"YUY2", {100, 93, 76, 178, 100, 100, 100, 100}},
      {"YVYU", {100, 178, 76, 93, 100, 100, 100, 100}},
      {"UYVY", {93, 100, 178, 76, 100, 100, 100, 100}},
      {"VYUY", {178, 100, 93, 76, 100, 100, 100, 100}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxOverlayParams params = overlay_plain(cases[i].name, 3, 1, 1);
    StxStixel red = overlay_stixel(1, 0, 0, STX_KIND_OBJECT, 12, 5);
    STX_AUTO(OverlayFrame) f = overlay_drawn(&params, 1, 100, &red, 1);
    overlay_expect_bytes(f.frame.data[0], cases[i].bytes, 8, cases[i].name);
  }
}

/* ---- Variants ----------------------------------------------------------------------------- */

STX_TEST(every_implementation_gives_the_same_bytes)
{
  static StxStixel records[90 * 1100];
  static const int sizes[][3] = {{7, 5, 2}, {701, 751, 8}, {1100, 533, 32}};
  StxRandom random = {5};
  for (int f = 0; f < OVERLAY_FORMATS; f++) {
    const int *size = sizes[f % 3];
    StxOverlayParams params = overlay_plain(overlay_format_names[f], size[0], size[1], size[2]);
    size_t count = overlay_random_stixels(&params, &random, records);
    params.mode = (StxOverlayMode)(f % STX_OVERLAY_MODES);
    params.camera = (StxCamera){.focal = 700, .cy = 300, .baseline = .5};
    params.dim = f % 2 * .7;
    params.outlines = true;
    params.alpha = .3;
    STX_AUTO(OverlayFrame) expected = overlay_drawn(&params, 1, 77, records, count);
    for (int threads = 1; threads <= 5; threads += 2) {
      STX_AUTO(OverlayFrame) actual = overlay_frame(&params, 1, 77);
      overlay_draw_with("omp", threads, &params, &actual.frame, records, count);
      for (int p = 0; p < overlay_frame_planes(&params); p++)
        stx_expect_same_image8(&expected.plane[p], &actual.plane[p], params.format->name);
    }
  }
}

STX_TEST(a_band_may_begin_inside_an_outline)
{
  /* 240×1200 pixels are two bands, the second from row 600; outlines are 2 pixels thick. */
  StxOverlayParams params = overlay_plain("RGB", 240, 1200, 8);
  StxStixel slanted = overlay_stixel(3, 599, 640, STX_KIND_SEGMENT, 0, 60);
  slanted.disparity_bottom = 1;
  params.mode = STX_OVERLAY_DISTANCE;
  params.outlines = true;
  STX_AUTO(OverlayFrame) expected = overlay_drawn(&params, 0, 77, &slanted, 1);
  const StxImage8 *plane = &expected.plane[0];
  ck_assert_mem_eq(stx_row8(plane, 599) + 72, stx_row8(plane, 600) + 72, 24);
  STX_AUTO(OverlayFrame) actual = overlay_frame(&params, 0, 77);
  overlay_draw_with("omp", 2, &params, &actual.frame, &slanted, 1);
  stx_expect_same_image8(plane, &actual.plane[0], "two bands");
}

/* ---- Bad records -------------------------------------------------------------------------- */

STX_TEST(skips_and_counts_bad_records)
{
  StxOverlayParams params = overlay_plain("RGB", 4, 8, 2);
  StxStixel records[] = {
      overlay_stixel(0, 6, 7, STX_KIND_GROUND, 0, 3),  /* good */
      overlay_stixel(0, 7, 7, STX_KIND_OBJECT, 13, 3), /* overlaps the one before */
      overlay_stixel(0, 4, 6, STX_KIND_OBJECT, 13, 3), /* shares its top row alone */
      overlay_stixel(2, 0, 7, STX_KIND_OBJECT, 13, 3), /* only columns 0 and 1 */
      overlay_stixel(0, 5, 4, STX_KIND_OBJECT, 13, 3), /* upside down */
      overlay_stixel(1, 5, 8, STX_KIND_OBJECT, 13, 3), /* below the image */
      overlay_stixel(1, 4, 7, (StxKind)5, 13, 3),      /* unknown kind */
      overlay_stixel(1, 4, 7, STX_KIND_OBJECT, 13, NAN),
      overlay_stixel(1, 4, 7, STX_KIND_OBJECT, 13, -INFINITY),
      overlay_stixel(1, 4, 7, STX_KIND_OBJECT, 200, 3), /* an unknown label is only grey: good */
      overlay_stixel(0, 0, 5, STX_KIND_SKY, 10, 0),     /* out of order, but above: good */
  };
  STX_AUTO(OverlayFrame) f = overlay_frame(&params, 3, 9);
  StxOverlayResult result =
      overlay_draw(&params, &f.frame, records, sizeof records / sizeof records[0]);
  ck_assert_uint_eq(result.drawn, 3);
  ck_assert_uint_eq(result.skipped, 8);
  overlay_expect_bytes(
      stx_row8(&f.plane[0], 0), (int[]){70, 130, 180, 70, 130, 180, 9, 9, 9}, 9, "sky");
  overlay_expect_bytes(stx_row8(&f.plane[0], 7), (int[]){128, 64, 128, 128, 64, 128, 150, 150, 150},
      9, "road and grey");
}

STX_TEST(random_bytes_harm_nobody)
{
  StxRandom random = {3};
  for (int round = 0; round < 400; round++) {
    int width = 1 + stx_random_below(&random, 70), height = 1 + stx_random_below(&random, 50);
    StxOverlayParams params = overlay_plain(overlay_format_names[round % OVERLAY_FORMATS], width,
        height, 1 + stx_random_below(&random, 9));
    size_t count = (size_t)stx_random_below(&random, 300);
    STX_GUARDED StxStixel *records = stx_guarded_alloc(count * sizeof *records);
    params.mode = (StxOverlayMode)(round % STX_OVERLAY_MODES);
    params.camera = (StxCamera){.focal = 700, .cy = 300, .baseline = .5};
    params.dim = round % 4 / 4.;
    params.outlines = round % 2;
    params.columns = 1 + stx_random_below(&random, 2 * params.columns);
    params.frame_width *= 1 + round % 4;
    params.frame_height *= 1 + round % 4;
    overlay_garbage(&params, count, &random, records);
    STX_AUTO(OverlayFrame) f = overlay_frame(&params, stx_random_below(&random, 5), 0);
    StxOverlayResult result = overlay_draw(&params, &f.frame, records, count);
    ck_assert_uint_eq(result.drawn + result.skipped, count);
  }
}

STX_TEST(no_records_leave_the_frame_alone)
{
  for (int format = 0; format < OVERLAY_FORMATS; format++) {
    StxOverlayParams params = overlay_plain(overlay_format_names[format], 13, 7, 4);
    StxRandom random = {11};
    uint8_t before[13 * 7 * 4];
    STX_AUTO(OverlayFrame) f = overlay_frame(&params, 0, 0);
    for (int p = 0; p < overlay_frame_planes(&params); p++)
      stx_fill8(&f.plane[p], STX_FILL_NOISE, &random);
    memcpy(before, f.plane[0].data, (size_t)f.plane[0].width * f.plane[0].height);
    ck_assert_uint_eq(overlay_draw(&params, &f.frame, NULL, 0).drawn, 0);
    ck_assert_mem_eq(before, f.plane[0].data, (size_t)f.plane[0].width * f.plane[0].height);
  }
}
