/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/colormap/colormap_case.h"

static const struct {
  StxColormapMode mode;
  StxColormapNumbers numbers;
  StxDisparityEncoding encoding;
  const char *format;
} kinds[COLORMAP_CASES] = {
    {STX_COLORMAP_DISPARITY, STX_COLORMAP_OF_MAP, STX_DISPARITY_KITTI, "RGB"},
    {STX_COLORMAP_DISPARITY, STX_COLORMAP_OF_MAP, STX_DISPARITY_OPENCV, "BGRA"},
    {STX_COLORMAP_DEPTH, STX_COLORMAP_OF_MAP, STX_DISPARITY_DEPTH_MM, "xRGB"},
    {STX_COLORMAP_DEPTH, STX_COLORMAP_OF_MAP, STX_DISPARITY_CITYSCAPES, "RGBx"},
    {STX_COLORMAP_CONFIDENCE, STX_COLORMAP_OF_BYTE, STX_DISPARITY_KITTI, "BGR"},
    {STX_COLORMAP_COST, STX_COLORMAP_OF_PART, STX_DISPARITY_KITTI, "ABGR"},
    {STX_COLORMAP_CONFIDENCE, STX_COLORMAP_OF_SURE, STX_DISPARITY_OPENCV, "RGBA"},
};

/* Numbers of all sizes, those that are next to "unknown" often. */
static void fill(const StxImage16 *map, StxRandom *random)
{
  static const uint16_t edges[] = {0, 0, 1, 2, 32767, 32768, 65534, 65535};
  STX_EACH_PIXEL (x, y, map->width, map->height) {
    int kind = stx_random_below(random, 4);
    stx_row16(map, y)[x] = kind == 0   ? edges[stx_random_below(random, 8)]
                           : kind == 1 ? (uint16_t)stx_random(random)
                                       : (uint16_t)stx_random_below(random, 20000);
  }
}

static void make_tables(ColormapCase *c)
{
  StxColormapSpan span = stx_colormap_span(&c->params);
  c->table = stx_guarded_alloc(sizeof *c->table);
  stx_colormap_table(&c->params, span, c->format, c->table);
}

ColormapCase colormap_case_new(int kind, uint64_t seed, int most)
{
  StxRandom random = {seed + 100 * (uint64_t)kind};
  ColormapCase c = {.params = STX_COLORMAP_DEFAULTS};
  int padding = stx_random_below(&random, 3);
  c.width = seed == 0 || seed == 2 ? 1 : 1 + stx_random_below(&random, most);
  c.height = seed <= 1 ? 1 : 1 + stx_random_below(&random, most);
  c.square = stx_random_below(&random, STX_COLORMAP_SQUARES + 1);
  c.params.mode = kinds[kind].mode;
  c.params.numbers = kinds[kind].numbers;
  c.params.encoding = kinds[kind].encoding;
  c.params.focal_baseline = 380;
  c.format = stx_pixel_format(kinds[kind].format);
  make_tables(&c);
  if (c.params.numbers >= STX_COLORMAP_OF_BYTE) {
    c.input.bytes = stx_test_image8(c.width, c.height, padding);
    stx_fill8(&c.input.bytes, STX_FILL_NOISE, &random);
  }
  if (c.params.numbers == STX_COLORMAP_OF_BYTE)
    return c;
  c.input.map = stx_test_image16(c.width, c.height, 2 * padding);
  fill(&c.input.map, &random);
  return c;
}

void colormap_case_free(ColormapCase *c)
{
  if (c->input.bytes.data != NULL)
    stx_test_image8_free(&c->input.bytes);
  if (c->input.map.data != NULL)
    stx_test_image16_free(&c->input.map);
  stx_guarded_free(c->table);
}

int colormap_case_pixel(const ColormapCase *c)
{
  return c->format->plane[0].pixel_stride;
}
