/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pixels: maps by hand, maps of lenses, and every implementation against the reference. Geometry:
 * check_rectify_model.c. */
#include "tests/common/oracle.h"
#include "tests/common/rectify/rectify_case.h"

#include <stdio.h>

/* ---- By hand ------------------------------------------------------------------------------ */

static void expect_row(const StxImage8 *image, int y, const uint8_t *expected)
{
  for (int x = 0; x < image->width; x++)
    ck_assert_msg(stx_row8(image, y)[x] == expected[x], "(%d, %d) is %d, expected %d", x, y,
        stx_row8(image, y)[x], expected[x]);
}

STX_TEST(literal_positions)
{
  const uint32_t places[] = {0, 1, 0 | 1 << 16, 1 | 1 << 16, STX_RECTIFY_OUTSIDE, 1 | 1 << 16};
  const uint16_t fractions[] = {0, 32, 16 | 48 << 8, 64 | 64 << 8, 0, 1};
  uint8_t pixels[] = {0, 100, 200, 10, 110, 210, 255, 255, 1}, out[6];
  StxRectifyMap map = {6, 1, 3, 3, places, fractions};
  StxImage8 source = {pixels, 3, 3, 3}, target = {out, 6, 6, 1};
  rectify_run_reference(&map, &(StxRectifySample){1, {77}}, &source, &target);
  /* 10·48·16 + 110·16·16 + 255·64·48 = 819200 … + 2048 >> 12; the last one 110·63 + 210, by 64. */
  expect_row(&target, 0, (const uint8_t[]){0, 150, 200, 1, 77, 112});
}

STX_TEST(literal_samples_of_four_bytes)
{
  const uint32_t places[] = {0, STX_RECTIFY_OUTSIDE};
  const uint16_t fractions[] = {32 | 32 << 8, 0};
  uint8_t pixels[] = {0, 10, 20, 30, 4, 10, 20, 31, 0, 10, 20, 32, 4, 10, 24, 33}, out[8];
  StxRectifyMap map = {2, 1, 2, 2, places, fractions};
  StxImage8 source = {pixels, 8, 2, 2}, target = {out, 8, 2, 1};
  rectify_run_reference(&map, &(StxRectifySample){4, {1, 2, 3, 4}}, &source, &target);
  const uint8_t expected[] = {2, 10, 21, 32, 1, 2, 3, 4};
  ck_assert_mem_eq(out, expected, 8);
}

STX_TEST(identity_changes_nothing)
{
  StxRandom random = {1};
  StxRectifyView view = rectify_plain_view(37, 21);
  for (int shift = 0; shift < 2; shift++) {
    STX_AUTO(StxRectifyMap) map = rectify_new_map(&view, shift, shift);
    STX_AUTO(StxImage8) source = stx_test_image8(map.width, map.height, 3);
    STX_AUTO(StxImage8) target = stx_test_image8(map.width, map.height, 5);
    stx_fill8(&source, STX_FILL_NOISE, &random);
    rectify_run_reference(&map, &(StxRectifySample){1, {0}}, &source, &target);
    stx_expect_same_image8(&source, &target, "identity");
  }
}

/* A principal point further left moves the picture to the left; what comes in is not seen. */
STX_TEST(shift_of_half_a_pixel)
{
  StxRectifyView view = rectify_plain_view(16, 16);
  view.cx -= .5;
  view.cy += 2;
  STX_AUTO(StxRectifyMap) map = rectify_new_map(&view, 0, 0);
  STX_EACH_PIXEL (x, y, 16, 16) {
    bool seen = x < 15 && y >= 2;
    uint32_t at = (uint32_t)x | (uint32_t)(y - 2) << 16;
    ck_assert_uint_eq(map.place[16 * y + x], seen ? at : STX_RECTIFY_OUTSIDE);
    ck_assert_uint_eq(map.fraction[16 * y + x], seen ? 32 : 0);
  }
}

STX_TEST(last_row_and_column_have_neighbours)
{
  StxRectifyView view = rectify_plain_view(16, 17);
  STX_AUTO(StxRectifyMap) map = rectify_new_map(&view, 0, 0);
  ck_assert_uint_eq(map.place[15], 14);
  ck_assert_uint_eq(map.fraction[15], 64);
  ck_assert_uint_eq(map.place[16 * 16], 15 << 16);
  ck_assert_uint_eq(map.fraction[16 * 16], 64 << 8);
}

/* Chroma of odd sizes: seen where its pixel is, moved to the outermost samples beyond them. */
STX_TEST(subsampled_planes)
{
  StxRectifyView view = rectify_plain_view(17, 16);
  view.cx += .5; /* everything half a pixel to the right: a quarter of a sample */
  StxRectifyMap map = rectify_new_map(&view, 1, 1);
  ck_assert_int_eq(map.width, 9);
  ck_assert_int_eq(map.source_width, 9);
  ck_assert_int_eq(map.height, 8);
  ck_assert_uint_eq(map.place[0], 0); /* pixel 0, sample −1/4 */
  ck_assert_uint_eq(map.fraction[0], 0);
  ck_assert_uint_eq(map.place[1], 0);
  ck_assert_uint_eq(map.fraction[1], 48);
  ck_assert_uint_eq(map.place[8], 7);
  ck_assert_uint_eq(map.fraction[8], 48);
  rectify_free_map(&map);
  view.cx += .5; /* pixel −1/2 */
  map = rectify_new_map(&view, 1, 1);
  ck_assert_uint_eq(map.place[0], 0);
  rectify_free_map(&map);
  view.cx += .5;
  map = rectify_new_map(&view, 1, 1);
  ck_assert_uint_eq(map.place[0], STX_RECTIFY_OUTSIDE);
  rectify_free_map(&map);
}

/* ---- Implementations ---------------------------------------------------------------------- */

/* A plane of samples of several bytes, upside down if `flips`. */
static StxImage8 new_plane(int width, int height, int bytes, int padding, bool flips)
{
  StxImage8 plane = stx_test_image8(width * bytes, height, padding);
  if (flips) {
    plane.data = stx_row8(&plane, height - 1);
    plane.stride = -plane.stride;
  }
  return plane;
}

static void free_plane(StxImage8 *plane, bool flips)
{
  if (flips) {
    plane->data = stx_row8(plane, plane->height - 1);
    plane->stride = -plane->stride;
  }
  stx_test_image8_free(plane);
}

static void compare(const StxRectifyImpl *impl, const StxRectifyMap *map,
    const StxRectifySample *sample, const StxImage8 *source, const StxImage8 *expected, bool flips)
{
  static const int threads[] = {1, 2, 7};
  for (int i = 0; i < 3; i++) {
    const StxPlace place = {.threads = threads[i]};
    StxImage8 target = new_plane(map->width, map->height, sample->bytes, 7, flips);
    char what[80];
    snprintf(what, sizeof what, "%s, %d bytes, %d threads, %dx%d", impl->info.name, sample->bytes,
        threads[i], map->width, map->height);
    ck_assert(impl->run(map, sample, source, &target, &place, NULL));
    stx_expect_same_image8(expected, &target, what);
    free_plane(&target, flips);
  }
}

static void check_case(StxRandom *random, int bytes)
{
  StxRectifyView view = rectify_random_view(random);
  STX_AUTO(StxRectifyMap) map =
      rectify_new_map(&view, stx_random_below(random, 2), stx_random_below(random, 2));
  StxRectifySample sample = {bytes, {1, 200, 3, 255}};
  bool flips = stx_random_below(random, 2);
  StxImage8 source =
      new_plane(map.source_width, map.source_height, bytes, stx_random_below(random, 9), flips);
  StxImage8 expected = new_plane(map.width, map.height, bytes, 0, false);
  stx_fill8(&source, stx_random_below(random, STX_FILL_COUNT), random);
  rectify_run_reference(&map, &sample, &source, &expected);
  STX_EACH_IMPL (StxRectifyImpl, impl, &stx_rectify_impls)
    compare(impl, &map, &sample, &source, &expected, flips);
  free_plane(&source, flips);
  free_plane(&expected, false);
}

STX_TEST(every_implementation_gives_the_same_bytes)
{
  StxRandom random = {5};
  for (int turn = 0; turn < 200; turn++)
    check_case(&random, 1 + turn % 4);
}

/* A stride that has no place in 16 bits. */
STX_TEST(very_long_strides)
{
  StxRectifyView view = rectify_plain_view(40, 16);
  view.cx += .3;
  STX_AUTO(StxRectifyMap) map = rectify_new_map(&view, 0, 0);
  StxRandom random = {9};
  STX_AUTO(StxImage8) source = stx_test_image8(40, 16, 40000),
                      expected = stx_test_image8(40, 16, 0);
  stx_fill8(&source, STX_FILL_NOISE, &random);
  rectify_run_reference(&map, &(StxRectifySample){1, {9}}, &source, &expected);
  compare(stx_impl_pick(&stx_rectify_impls, STX_BACKEND_OMP), &map, &(StxRectifySample){1, {9}},
      &source, &expected, false);
}

/* ---- Packed 4:2:2 -------------------------------------------------------------------------- */

static void expect_packed(const StxRectifyMap *pixels, const StxRectifyMap *colours, int luma,
    const uint8_t *pixels_in, const uint8_t *expected)
{
  const StxRectifyImpl *impl = oracle(&stx_rectify_impls);
  const StxPlace place = {.threads = 1};
  uint8_t out[8];
  StxImage8 source = {(uint8_t *)pixels_in, 8, 4, 2}, target = {out, 8, 3, 1};
  ck_assert(impl->run_packed(
      pixels, colours, &(StxRectifyPacked){luma, {7, 9}}, &source, &target, &place, NULL));
  ck_assert_mem_eq(out, expected, 8);
}

/* Three pixels, of which the second one is not seen, out of four. */
STX_TEST(literal_packed_pixels)
{
  const uint32_t places[] = {1, STX_RECTIFY_OUTSIDE, 2 | 0 << 16},
                 pairs[] = {0, STX_RECTIFY_OUTSIDE};
  const uint16_t fractions[] = {32, 0, 64 | 64 << 8}, pair_fractions[] = {16 | 32 << 8, 0};
  const uint8_t yuyv[] = {10, 100, 20, 200, 30, 140, 40, 240, 11, 104, 21, 204, 31, 144, 41, 244};
  const uint8_t uyvy[] = {100, 10, 200, 20, 140, 30, 240, 40, 104, 11, 204, 21, 144, 31, 244, 41};
  StxRectifyMap pixels = {3, 1, 4, 2, places, fractions};
  StxRectifyMap colours = {2, 1, 2, 2, pairs, pair_fractions};
  /* (20 + 30)/2; (100·48 + 140·16)/64 = 110, below 114, in the middle 112; 210, 214. */
  expect_packed(&pixels, &colours, 0, yuyv, (const uint8_t[]){25, 112, 7, 212, 41, 9, 0, 9});
  expect_packed(&pixels, &colours, 1, uyvy, (const uint8_t[]){112, 25, 212, 7, 9, 41, 9, 0});
}

static void compare_packed(const StxRectifyImpl *impl, const RectifyPackedMaps *maps,
    const StxRectifyPacked *packed, const StxImage8 *source, const StxImage8 *expected, bool flips)
{
  for (int threads = 1; threads <= 7; threads += 3) {
    const StxPlace place = {.threads = threads};
    StxImage8 target = new_plane(expected->width, expected->height, 1, 5, flips);
    char what[80];
    snprintf(what, sizeof what, "%s, packed, luma %d, %d threads, %dx%d", impl->info.name,
        packed->luma, threads, maps->pixels.width, maps->pixels.height);
    ck_assert(
        impl->run_packed(&maps->pixels, &maps->colours, packed, source, &target, &place, NULL));
    stx_expect_same_image8(expected, &target, what);
    free_plane(&target, flips);
  }
}

static void check_packed(StxRandom *random, int luma)
{
  StxRectifyView view = rectify_random_view(random);
  RectifyPackedMaps maps = rectify_new_packed_maps(&view);
  StxRectifyPacked packed = {luma, {3, 200}};
  bool flips = stx_random_below(random, 2);
  StxImage8 source = new_plane(rectify_packed_bytes(view.source_width), view.source_height, 1,
      stx_random_below(random, 9), flips);
  StxImage8 expected = new_plane(rectify_packed_bytes(view.width), view.height, 1, 0, false);
  stx_fill8(&source, stx_random_below(random, STX_FILL_COUNT), random);
  rectify_run_planes(&maps, &packed, &source, &expected);
  STX_EACH_IMPL (StxRectifyImpl, impl, &stx_rectify_impls)
    compare_packed(impl, &maps, &packed, &source, &expected, flips);
  free_plane(&source, flips);
  free_plane(&expected, false);
  rectify_free_packed_maps(&maps);
}

/* The reference, too: what its planes give one by one, it gives together. */
STX_TEST(packed_pixels_are_those_of_their_planes)
{
  StxRandom random = {6};
  for (int turn = 0; turn < 100; turn++)
    check_packed(&random, turn % 2);
}

STX_TEST(packed_pixels_with_very_long_strides)
{
  StxRectifyView view = rectify_plain_view(41, 16);
  view.cx += .3;
  RectifyPackedMaps maps = rectify_new_packed_maps(&view);
  StxRectifyPacked packed = {1, {0, 128}};
  StxRandom random = {9};
  STX_AUTO(StxImage8) source = stx_test_image8(84, 16, 40000),
                      expected = stx_test_image8(84, 16, 0);
  stx_fill8(&source, STX_FILL_NOISE, &random);
  rectify_run_planes(&maps, &packed, &source, &expected);
  compare_packed(stx_impl_pick(&stx_rectify_impls, STX_BACKEND_OMP), &maps, &packed, &source,
      &expected, false);
  rectify_free_packed_maps(&maps);
}
