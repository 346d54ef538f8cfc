/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/sheet/sheet_case.h"

#include "tests/common/overlay/overlay_frames.h"

#include <string.h>

const StxInk sheet_white = {{255, 255, 255}, 1};

StxSheetParams sheet_params(const char *format, int width, int height)
{
  return (StxSheetParams){width, height, stx_pixel_format(format), STX_MATRIX_BT709, true};
}

StxSheet *sheet_new(const StxSheetParams *params)
{
  StxError error = {""};
  ck_assert_msg(stx_sheet_check(params, &error), "%s", error.text);
  return stx_sheet_init(stx_guarded_alloc(stx_sheet_size(params)), params);
}

void sheet_free(StxSheet *sheet)
{
  stx_guarded_free(sheet);
}

static void lay(const StxSheet *sheet, const StxFrame *frame, const char *name, int threads)
{
  const StxSheetImpl *impl = stx_impl_named(&stx_sheet_impls, name);
  StxPlace place = {.threads = threads};
  const void *tiles = threads > 1 ? stx_sheet_tiles(sheet) : NULL;
  ck_assert(impl->lay(sheet, tiles, frame, &place, NULL));
}

uint64_t sheet_lay_hash(const StxSheet *sheet, const char *impl, int threads)
{
  const StxSheetParams *params = stx_sheet_params(sheet);
  StxOverlayParams like = overlay_plain(params->format->name, params->width, params->height, 8);
  StxRandom random = {42};
  StxImage8 plane[3];
  StxFrame frame;
  uint64_t hash = STX_HASH_BEGIN;
  overlay_frame_new(&like, 5, plane, &frame);
  for (int p = 0; p < overlay_frame_planes(&like); p++)
    stx_fill8(&plane[p], STX_FILL_NOISE, &random);
  lay(sheet, &frame, impl, threads);
  for (int p = 0; p < overlay_frame_planes(&like); p++)
    for (int y = 0; y < plane[p].height; y++)
      hash = stx_hash(hash, stx_row8(&plane[p], y), (size_t)plane[p].width);
  overlay_frame_free(&like, plane);
  return hash;
}

/* An RGB frame of one value, with the sheet on it. */
static StxImage8 lay_on(const StxSheet *sheet, int value)
{
  const StxSheetParams *params = stx_sheet_params(sheet);
  StxImage8 image = stx_test_image8(3 * params->width, params->height, 7);
  StxFrame frame = {{image.data}, {image.stride}};
  for (int row = 0; row < params->height; row++)
    memset(stx_row8(&image, row), value, 3 * (size_t)params->width);
  lay(sheet, &frame, "c", 1);
  return image;
}

void sheet_pixel(const StxSheet *sheet, int value, int x, int y, uint8_t rgb[3])
{
  StxImage8 image = lay_on(sheet, value);
  memcpy(rgb, stx_row8(&image, y) + 3 * x, 3);
  stx_test_image8_free(&image);
}

int sheet_drawn(const StxSheet *sheet, int left, int top, int right, int bottom)
{
  static const uint8_t bare[3] = {100, 100, 100};
  StxImage8 image = lay_on(sheet, bare[0]);
  int count = 0;
  for (int y = top; y <= bottom; y++)
    for (int x = left; x <= right; x++)
      count += memcmp(stx_row8(&image, y) + 3 * x, bare, 3) != 0;
  stx_test_image8_free(&image);
  return count;
}

int sheet_find(const StxSheet *sheet, StxRgb colour)
{
  StxImage8 image = lay_on(sheet, 0);
  int count = 0;
  for (int y = 0; y < image.height; y++)
    for (int x = 0; x < image.width; x += 3)
      count += memcmp(stx_row8(&image, y) + x, &colour, 3) == 0;
  stx_test_image8_free(&image);
  return count;
}

int sheet_cover(const StxSheet *sheet, int x, int y)
{
  uint8_t rgb[3];
  sheet_pixel(sheet, 0, x, y, rgb);
  return rgb[0];
}

/* ---- Any shape ---------------------------------------------------------------------------- */

static double any(StxRandom *random, int size)
{
  return stx_random_below(random, 64 * (size + 40)) / 64. - 20;
}

static StxSpot any_spot(const StxSheetParams *params, StxRandom *random)
{
  double x = any(random, params->width), y = any(random, params->height);
  return (StxSpot){x, y};
}

void sheet_draw_any(StxSheet *sheet, StxRandom *random)
{
  static const char *const texts[] = {"12.5 m", "Q\xC2\xB2_", "\xFF&@"};
  const StxSheetParams *params = stx_sheet_params(sheet);
  StxInk ink = {stx_palette_colour(STX_PALETTE_TURBO, stx_random_below(random, 256)),
      stx_random_below(random, 257) / 256.};
  StxInk halo = {stx_colour(STX_MEANS_HALO), .7};
  StxSpot spots[5];
  for (int i = 0; i < 5; i++)
    spots[i] = any_spot(params, random);
  StxBox box = {spots[0].x, spots[0].y, 1 + any(random, 20), 1 + any(random, 20)};
  double width = .5 + stx_random_below(random, 64) / 16.;
  switch (stx_random_below(random, 7)) {
  case 0:
    stx_sheet_box(sheet, box, width, ink);
    break;
  case 1:
    stx_sheet_outline(sheet, box, 2 * width, width, ink);
    break;
  case 2:
    stx_sheet_line(sheet, spots, 5, width, ink);
    break;
  case 3:
    stx_sheet_arc(sheet, spots[0], 1 + any(random, 40), spots[1].x, spots[1].y / 3, width, ink);
    break;
  case 4:
    stx_sheet_dot(sheet, spots[0], 3 * width, ink);
    break;
  case 5:
    stx_sheet_polygon(sheet, spots, 5, ink);
    break;
  default:
    stx_sheet_text(sheet, texts[stx_random_below(random, 3)], 5 + 3 * width, spots[0],
        (StxAnchor)stx_random_below(random, 9), ink, halo);
  }
}
