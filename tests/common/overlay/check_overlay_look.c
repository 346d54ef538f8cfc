/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fading, legends at every size, the parameters, and frames of which the image is a part. Colours,
 * outlines and marks: tests/frames.
 */
#include "tests/common/overlay/overlay_frames.h"

#include <math.h>
#include <string.h>

/* ---- Outlines and legend ------------------------------------------------------------------ */

/* A record that covers 8x8 pixels of 200 with an outline around its top and left. */
static void draw_faded(
    const StxOverlayParams *params, StxOverlay *overlay, uint8_t corner[3], uint8_t body[3])
{
  const StxOverlayImpl *impl = stx_impl_named(&stx_overlay_impls, "omp");
  const StxStixel record = overlay_stixel(0, 0, 7, STX_KIND_OBJECT, 13, 3);
  STX_AUTO(OverlayFrame) f = overlay_frame(params, 0, 200);
  STX_GUARDED void *scratch = stx_guarded_alloc(impl->scratch_size(params, 1, 1));
  stx_overlay_draw_all(impl, overlay, &f.frame, &record, 1, scratch, 1);
  memcpy(corner, stx_row8(&f.plane[0], 0), 3);
  memcpy(body, stx_row8(&f.plane[0], 5) + 3 * 5, 3);
}

/* Half as strong: bodies of alpha 1 with weight 128 of 256, the upper outline of 150 with 75. */
STX_TEST(fades_bodies_and_outlines_alike)
{
  StxOverlayParams params = overlay_plain("RGB", 8, 8, 8);
  params.outlines = true;
  STX_GUARDED void *memory = stx_guarded_alloc(stx_overlay_size(&params));
  StxOverlay *overlay = stx_overlay_init(memory, &params);
  uint8_t corner[3], body[3];
  ck_assert(!stx_overlay_fade(overlay, 1));
  ck_assert(stx_overlay_fade(overlay, .5));
  ck_assert(!stx_overlay_fade(overlay, .5));
  draw_faded(&params, overlay, corner, body);
  overlay_expect_bytes(body, (int[]){100, 100, 171}, 3, "half a body");
  overlay_expect_bytes(corner, (int[]){141, 141, 152}, 3, "half an outline");
  ck_assert(stx_overlay_fade(overlay, 0));
  draw_faded(&params, overlay, corner, body);
  overlay_expect_bytes(body, (int[]){200, 200, 200}, 3, "no body");
  overlay_expect_bytes(corner, (int[]){200, 200, 200}, 3, "no outline");
  ck_assert(stx_overlay_fade(overlay, 1));
  draw_faded(&params, overlay, corner, body);
  overlay_expect_bytes(body, (int[]){0, 0, 142}, 3, "a body again");
}

STX_TEST(the_legend_finds_room_at_every_size)
{
  static const int sizes[][2] = {
      {1, 1}, {60, 900}, {97, 101}, {161, 121}, {321, 241}, {1242, 375}, {2048, 1024}, {375, 1242}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (int legend = STX_LEGEND_NONE; legend <= STX_LEGEND_BOTTOM_RIGHT; legend++)
      for (int mode = STX_OVERLAY_DISTANCE; mode < STX_OVERLAY_MODES; mode++) {
        StxOverlayParams params = overlay_plain("NV12", sizes[i][0], sizes[i][1], 1);
        StxStixel records[20];
        size_t count = params.columns < 20 ? params.columns : 20;
        for (size_t k = 0; k < count; k++)
          records[k] = overlay_stixel((int)k, 0, 0, (StxKind)(k % 4), (int)k, 3);
        params.camera = (StxCamera){.focal = 700, .baseline = .5};
        params.mode = (StxOverlayMode)mode;
        params.legend = (StxLegend)legend;
        params.max_distance = 1 + (double)(i * 137);
        STX_AUTO(OverlayFrame) f = overlay_drawn(&params, 1, 0, records, count);
      }
}

/* ---- Parameters --------------------------------------------------------------------------- */

STX_TEST(refuses_what_it_cannot_draw_and_says_why)
{
  StxOverlayParams good = overlay_plain("RGB", 1242, 375, 8);
  ck_assert(stx_overlay_check(&good, NULL));
  ck_assert_ptr_null(stx_pixel_format("P010_10LE"));
#define REFUSES(...) STX_REFUSES(stx_overlay_check, good, __VA_ARGS__)
  REFUSES(format, NULL, "format");
  REFUSES(columns, 0, "columns is 0");
  REFUSES(scale, STX_SCALE_DEPTH, "focal length");
  REFUSES(mode, STX_OVERLAY_HEIGHT, "mode=height needs the camera");
  REFUSES(placement, ((StxPlacement){.xx = -1, .yy = 1, .width = 1242}), "mirrored");
  REFUSES(placement, ((StxPlacement){.xy = 1, .yx = 1, .width = 1242}), "turned");
  REFUSES(frame_height, 500, "1242x375");
  REFUSES(frame_height, 500, "1242x500");
  good.frame_width = 621;
  good.frame_height = 188;
  ck_assert(stx_overlay_check(&good, NULL));
}

/* ---- Parts of an image --------------------------------------------------------------------- */

/* The label that frame pixel (x, y) shows, one byte of its colour, by the definition; 9: none. */
static int expected_label(
    const StxOverlayParams *p, const StxStixel *records, size_t count, int x, int y)
{
  double u = floor((x + .5 - p->placement.x0) / p->placement.xx);
  double v = floor((y + .5 - p->placement.y0) / p->placement.yy);
  if (u < 0 || v < 0 || u >= p->width || v >= p->height)
    return -1;
  for (size_t i = 0; i < count; i++)
    if (records[i].column == (int)u / p->stixel_width && records[i].top <= v &&
        v <= records[i].bottom)
      return records[i].label;
  return -1;
}

static void expect_part(StxOverlayParams params, StxPlacement at, const char *impl)
{
  static StxStixel records[40 * 40];
  StxRandom random = {1};
  uint8_t colours[20][3];
  size_t count = overlay_random_stixels(&params, &random, records);
  at.width = params.frame_width;
  at.height = params.frame_height;
  params.placement = at;
  for (int k = 0; k < 20; k++)
    overlay_draw_pixel(overlay_plain("RGB", 1, 1, 1),
        overlay_stixel(0, 0, 0, STX_KIND_OBJECT, k, 5), 0, colours[k]);
  STX_AUTO(OverlayFrame) f = overlay_frame(&params, 0, 9);
  overlay_draw_with(impl, 2, &params, &f.frame, records, count);
  STX_EACH_PIXEL (x, y, params.frame_width, params.frame_height) {
    int label = expected_label(&params, records, count, x, y);
    const uint8_t nobody[3] = {9, 9, 9};
    const uint8_t *expected = label < 0 ? nobody : colours[label < 19 ? label : 19];
    ck_assert_msg(memcmp(stx_row8(&f.plane[0], y) + 3 * x, expected, 3) == 0, "pixel %d, %d", x, y);
  }
}

STX_TEST(a_part_of_the_image_shows_its_stixels)
{
  static const struct {
    int width, height; /* of the frame */
    StxPlacement at;
  } cases[] = {
      {20, 10, {.xx = 1, .yy = 1, .x0 = -7, .y0 = -11}},      /* cut out */
      {60, 50, {.xx = 1, .yy = 1, .x0 = 9, .y0 = 13}},        /* with borders */
      {50, 21, {.xx = 2.5, .yy = 1.5, .x0 = -31, .y0 = -20}}, /* cut and scaled */
      {9, 40, {.xx = .25, .yy = 1.25, .x0 = 1, .y0 = -3}},    /* squeezed */
      {5, 5, {.xx = 1, .yy = 1, .x0 = 100, .y0 = 0}},         /* not in the frame */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (int width = 1; width < 9; width += 3) {
      StxOverlayParams params = overlay_plain("RGB", 33, 27, width);
      params.frame_width = cases[i].width;
      params.frame_height = cases[i].height;
      expect_part(params, cases[i].at, "omp");
      expect_part(params, cases[i].at, "omp");
    }
}
