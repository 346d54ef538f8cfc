/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/canvas/canvas_case.h"

#include "tests/common/oracle.h"
#include "tests/common/overlay/overlay_frames.h"

#include <string.h>

const StxInk canvas_white = {{255, 255, 255}, 1};

StxCanvasParams canvas_params(const char *format, int width, int height)
{
  return (StxCanvasParams){width, height, stx_pixel_format(format), STX_MATRIX_BT709, true};
}

StxCanvas *canvas_new(const StxCanvasParams *params)
{
  StxError error = {""};
  ck_assert_msg(stx_canvas_check(params, &error), "%s", error.text);
  return stx_canvas_init(stx_guarded_alloc(stx_canvas_size(params)), params);
}

void canvas_free(StxCanvas *canvas)
{
  stx_guarded_free(canvas);
}

static void lay(const StxCanvas *canvas, const StxFrame *frame, const char *name, int threads)
{
  const StxCanvasImpl *impl =
      strcmp(name, "c") == 0 ? oracle(&stx_canvas_impls) : stx_impl_named(&stx_canvas_impls, name);
  StxPlace place = {.threads = threads};
  const void *tiles = threads > 1 ? stx_canvas_tiles(canvas) : NULL;
  ck_assert(impl->lay(canvas, tiles, frame, &place, NULL));
}

uint64_t canvas_lay_hash(const StxCanvas *canvas, const char *impl, int threads)
{
  const StxCanvasParams *params = stx_canvas_params(canvas);
  StxOverlayParams like = overlay_plain(params->format->name, params->width, params->height, 8);
  StxRandom random = {42};
  StxImage8 plane[3];
  StxFrame frame;
  uint64_t hash = STX_HASH_BEGIN;
  overlay_frame_new(&like, 5, plane, &frame);
  for (int p = 0; p < overlay_frame_planes(&like); p++)
    stx_fill8(&plane[p], STX_FILL_NOISE, &random);
  lay(canvas, &frame, impl, threads);
  for (int p = 0; p < overlay_frame_planes(&like); p++)
    for (int y = 0; y < plane[p].height; y++)
      hash = stx_hash(hash, stx_row8(&plane[p], y), (size_t)plane[p].width);
  overlay_frame_free(&like, plane);
  return hash;
}

/* An RGB frame of one value, with the canvas on it. */
static StxImage8 lay_on(const StxCanvas *canvas, int value)
{
  const StxCanvasParams *params = stx_canvas_params(canvas);
  StxImage8 image = stx_test_image8(3 * params->width, params->height, 7);
  StxFrame frame = {{image.data}, {image.stride}};
  for (int row = 0; row < params->height; row++)
    memset(stx_row8(&image, row), value, 3 * (size_t)params->width);
  lay(canvas, &frame, "c", 1);
  return image;
}

void canvas_pixel(const StxCanvas *canvas, int value, int x, int y, uint8_t rgb[3])
{
  STX_AUTO(StxImage8) image = lay_on(canvas, value);
  memcpy(rgb, stx_row8(&image, y) + 3 * x, 3);
}

int canvas_cover(const StxCanvas *canvas, int x, int y)
{
  uint8_t rgb[3];
  canvas_pixel(canvas, 0, x, y, rgb);
  return rgb[0];
}

/* ---- Any shape ---------------------------------------------------------------------------- */

static double any(StxRandom *random, int size)
{
  return stx_random_below(random, 64 * (size + 40)) / 64. - 20;
}

static StxSpot any_spot(const StxCanvasParams *params, StxRandom *random)
{
  double x = any(random, params->width), y = any(random, params->height);
  return (StxSpot){x, y};
}

void canvas_draw_any(StxCanvas *canvas, StxRandom *random)
{
  static const char *const texts[] = {"12.5 m", "Q\xC2\xB2_", "\xFF&@"};
  const StxCanvasParams *params = stx_canvas_params(canvas);
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
    stx_canvas_box(canvas, box, width, ink);
    break;
  case 1:
    stx_canvas_outline(canvas, box, 2 * width, width, ink);
    break;
  case 2:
    stx_canvas_line(canvas, spots, 5, width, ink);
    break;
  case 3:
    stx_canvas_circle(canvas, spots[0], 1 + any(random, 40), width, ink);
    break;
  case 4:
    stx_canvas_dot(canvas, spots[0], 3 * width, ink);
    break;
  case 5:
    stx_canvas_polygon(canvas, spots, 5, ink);
    break;
  default:
    stx_canvas_text(canvas, texts[stx_random_below(random, 3)], 5 + 3 * width, spots[0],
        (StxAnchor)stx_random_below(random, 9), ink, halo);
  }
}
