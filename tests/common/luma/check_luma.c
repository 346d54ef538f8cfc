/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Luma: pixels by hand, sums of colours by brute force, and every implementation against the
 * reference. */
#include "tests/common/luma/luma_case.h"
#include "tests/common/oracle.h"

#include <stdio.h>
#include <string.h>

static const StxLumaImpl *reference(void)
{
  return oracle(&stx_luma_impls);
}

static void run(const StxLumaImpl *impl, const LumaCase *c, const StxImage8 *gray, int threads)
{
  STX_GUARDED void *scratch = stx_guarded_alloc(STX_LUMA_SCRATCH);
  ck_assert(impl->run(
      c->format, c->bits, &c->picture, gray, scratch, &(StxPlace){.threads = threads}, NULL));
}

/* ---- By hand ------------------------------------------------------------------------------- */

typedef struct {
  const char *format;
  int bits, width;
  uint8_t bytes[16], gray[4];
} Literal;

static const Literal literals[] = {
    {"YUY2", 0, 4, {10, 1, 20, 2, 30, 3, 40, 4}, {10, 20, 30, 40}},
    {"YVYU", 0, 2, {10, 1, 20, 2}, {10, 20}},
    {"UYVY", 0, 4, {1, 10, 2, 20, 3, 30, 4, 40}, {10, 20, 30, 40}},
    {"VYUY", 0, 1, {1, 10}, {10}},
    {"AYUV", 0, 2, {9, 10, 1, 2, 9, 20, 1, 2}, {10, 20}},
    {"VUYA", 0, 2, {1, 2, 10, 9, 1, 2, 20, 9}, {10, 20}},
    {"P010_10LE", 0, 2, {0xC0, 10, 0x40, 20}, {10, 20}},
    {"GRAY16_LE", 16, 3, {0xFF, 10, 0, 0, 0xFF, 0xFF}, {10, 0, 255}},
    {"GRAY16_BE", 16, 3, {10, 0xFF, 0, 0, 0xFF, 0xFF}, {10, 0, 255}},
    /* 4095 is white of 12 bits; 4096 and more should not be, and are white, too. */
    {"GRAY16_LE", 12, 4, {0xFF, 0x0F, 0x00, 0x10, 0xFF, 0xFF, 0x80, 0x00}, {255, 255, 255, 8}},
    {"GRAY16_LE", 10, 4, {0xFF, 0x03, 0x00, 0x04, 0x08, 0x00, 0x03, 0x00}, {255, 255, 2, 0}},
    {"GRAY16_BE", 8, 3, {0x00, 0xFF, 0x01, 0x00, 0, 7}, {255, 255, 7}},
    /* As many bits as the largest needs. */
    {"GRAY16_LE", 0, 2, {0xFF, 0x0F, 0x10, 0x00}, {255, 1}},
    {"GRAY16_LE", 0, 2, {0x00, 0x10, 0x10, 0x00}, {128, 0}},
    {"GRAY16_LE", 0, 2, {200, 0, 7, 0}, {200, 7}},
    {"GRAY16_LE", 0, 2, {255, 0, 7, 0}, {255, 7}},
    {"GRAY16_BE", 0, 2, {0x80, 0, 0x40, 0xFF}, {128, 64}},
    {"GRAY16_BE", 0, 3, {0, 0, 0, 0, 0, 0}, {0, 0, 0}},
    /* The format says it: the largest value and what the user says of gray do not count. */
    {"I420_10LE", 0, 2, {0x04, 0x00, 0xFF, 0x00}, {1, 63}},
    {"I422_10LE", 16, 2, {0xFF, 0x03, 0x00, 0x02}, {255, 128}},
    {"RGB", 0, 4, {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255}, {76, 149, 28, 255}},
    {"BGR", 0, 2, {255, 0, 0, 0, 0, 255}, {28, 76}},
    {"RGBx", 0, 2, {255, 0, 0, 99, 0, 255, 0, 99}, {76, 149}},
    {"xRGB", 0, 2, {99, 255, 0, 0, 99, 0, 255, 0}, {76, 149}},
    {"BGRA", 0, 2, {255, 0, 0, 99, 0, 0, 255, 99}, {28, 76}},
    {"ABGR", 0, 2, {99, 255, 0, 0, 99, 0, 0, 255}, {28, 76}},
};

static void check_literal(const Literal *l)
{
  LumaCase c = {stx_luma_format(l->format), l->bits, {(uint8_t *)l->bytes, 16, l->width, 1}};
  ck_assert_ptr_nonnull(c.format);
  STX_EACH_IMPL (StxLumaImpl, impl, &stx_luma_impls) {
    STX_AUTO(StxImage8) gray = stx_test_image8(l->width, 1, 3);
    run(impl, &c, &gray, 1);
    stx_expect_same(l->gray, gray.data, (size_t)l->width, l->format);
  }
}

STX_TEST(pixels_by_hand)
{
  for (size_t i = 0; i < sizeof literals / sizeof literals[0]; i++)
    check_literal(&literals[i]);
}

STX_TEST(no_other_formats)
{
  static const char *const others[] = {
      "", "GRAY8", "I420", "NV12", "YUY", "YUY22", "v210", "RGB16"};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    ck_assert_ptr_null(stx_luma_format(others[i]));
}

/* Every name in the list is a format, and every format is in the list. */
STX_TEST(the_list_is_whole)
{
  char names[] = STX_LUMA_FORMATS;
  size_t count = 0;
  for (char *name = strtok(names, ", "); name != NULL; name = strtok(NULL, ", "), count++)
    ck_assert_msg(stx_luma_format(name) != NULL, "%s", name);
  ck_assert_uint_eq(count, LUMA_CASE_FORMATS);
}

/* Every colour of a coarse cube is within 1.5 of .299 R + .587 G + .114 B. */
STX_TEST(colours_are_weighted)
{
  for (int r = 0; r < 256; r += 15)
    for (int g = 0; g < 256; g += 15)
      for (int b = 0; b < 256; b += 15) {
        uint8_t pixel[3] = {(uint8_t)r, (uint8_t)g, (uint8_t)b}, gray = 0;
        LumaCase c = {stx_luma_format("RGB"), 0, {pixel, 3, 1, 1}};
        run(reference(), &c, &(StxImage8){&gray, 1, 1, 1}, 1);
        double exact = .299 * r + .587 * g + .114 * b;
        ck_assert_msg(gray > exact - 1.5 && gray < exact + .5, "%d %d %d: %d", r, g, b, gray);
      }
}

/* ---- The others ---------------------------------------------------------------------------- */

static void compare_all(const LumaCase *c, uint64_t seed)
{
  STX_AUTO(StxImage8) expected = stx_test_image8(c->picture.width, c->picture.height, 0);
  run(reference(), c, &expected, 1);
  STX_EACH_IMPL (StxLumaImpl, impl, &stx_luma_impls) {
    char what[128];
    snprintf(what, sizeof what, "%s of %s, bits %d, seed %llu", impl->info.name, c->format->name,
        c->bits, (unsigned long long)seed);
    for (int threads = 1; threads <= 7; threads += 3) {
      STX_AUTO(StxImage8) gray = stx_test_image8(c->picture.width, c->picture.height, threads);
      run(impl, c, &gray, threads);
      stx_expect_same_image8(&expected, &gray, what);
    }
  }
}

STX_TEST(all_implementations_agree)
{
  for (int format = 0; format < LUMA_CASE_FORMATS; format++)
    for (uint64_t seed = 0; seed < 8; seed++) {
      STX_AUTO(LumaCase) c = luma_case_new(format, seed, 140);
      compare_all(&c, seed);
    }
}
