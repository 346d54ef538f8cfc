/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/luma/luma_case.h"

static const char *const names[LUMA_CASE_FORMATS] = {"YUY2", "UYVY", "YVYU", "VYUY", "AYUV", "VUYA",
    "P010_10LE", "P012_LE", "P016_LE", "GRAY16_LE", "GRAY16_BE", "I420_10LE", "I422_10LE", "RGB",
    "BGR", "RGBx", "BGRx", "xRGB", "xBGR", "RGBA", "BGRA", "ARGB", "ABGR"};

/* Leaves `bits` bits of each word. */
static void dim(const LumaCase *c, int bits)
{
  unsigned mask = (1u << bits) - 1;
  STX_EACH_PIXEL (x, y, c->picture.width, c->picture.height) {
    uint8_t *pixel = stx_row8(&c->picture, y) + 2 * x;
    pixel[c->format->at[0]] &= (uint8_t)mask;
    pixel[c->format->at[1]] &= (uint8_t)(mask >> 8);
  }
}

LumaCase luma_case_new(int format, uint64_t seed, int most)
{
  StxRandom random = {seed};
  int limit = seed == 0 ? 1 : most;
  int width = 1 + stx_random_below(&random, limit), height = 1 + stx_random_below(&random, limit);
  LumaCase c = {.format = stx_luma_format(names[format])};
  c.picture = stx_test_image8(
      width * c.format->pixel, height, c.format->pixel * stx_random_below(&random, 3));
  stx_fill8(&c.picture, STX_FILL_NOISE, &random);
  c.picture.width = width;
  if (c.format->kind == STX_LUMA_WORDS) {
    dim(&c, 8 + stx_random_below(&random, 9));
    c.bits = stx_random_below(&random, 2) * (8 + stx_random_below(&random, 9));
  }
  return c;
}

void luma_case_free(LumaCase *c)
{
  STX_AUTO(StxImage8) bytes = c->picture;
  bytes.width *= c->format->pixel;
}
