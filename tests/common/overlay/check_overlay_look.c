/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The meaning of the pictures: colours of distance, outlines, legend, and the parameters. Numbers
 * of records as colours, what is uncertain, outlines alone, and frames of which the image is a
 * part.
 */
#include "tests/common/overlay/overlay_frames.h"

#include <math.h>
#include <string.h>

/* ---- Distance ----------------------------------------------------------------------------- */

static void distance_pixel(StxOverlayParams params, float disparity, uint8_t bytes[3])
{
  params.mode = STX_OVERLAY_DISTANCE;
  overlay_draw_pixel(
      params, overlay_stixel(0, 0, 0, STX_KIND_OBJECT, STX_LABEL_NONE, disparity), 0, bytes);
}

STX_TEST(near_is_red_and_far_is_blue)
{
  StxOverlayParams params = overlay_plain("RGB", 1, 1, 1);
  uint8_t near[3], far[3], nearer[3], unknown[3];
  distance_pixel(params, 64, near);
  distance_pixel(params, .01f, far);
  distance_pixel(params, 500, nearer);
  distance_pixel(params, 0, unknown);
  ck_assert_int_gt(near[0], 2 * near[2]);
  ck_assert_int_gt(far[2], 2 * far[0]);
  ck_assert_mem_eq(near, nearer, 3);
  ck_assert(unknown[0] == unknown[1] && unknown[1] == unknown[2]);
}

STX_TEST(scales_are_linear_in_disparity_or_depth)
{
  /* f·B = 400 px·m. Half of 64 px is half way in disparity; 25 of 50 m, 16 px, half way in depth.
   * AUTO means depth as soon as the camera is known. */
  StxOverlayParams params = overlay_plain("RGB", 1, 1, 1);
  uint8_t half_disparity[3], half_depth[3], automatic[3];
  distance_pixel(params, 32, half_disparity);
  params.camera = (StxCamera){.focal = 800, .baseline = .5};
  params.scale = STX_SCALE_DEPTH;
  distance_pixel(params, 16, half_depth);
  ck_assert_mem_eq(half_disparity, half_depth, 3);
  params.scale = STX_SCALE_AUTO;
  distance_pixel(params, 16, automatic);
  ck_assert_mem_eq(automatic, half_depth, 3);
  params.scale = STX_SCALE_DISPARITY;
  distance_pixel(params, 32, automatic);
  ck_assert_mem_eq(automatic, half_disparity, 3);
}

STX_TEST(slanted_stixels_change_colour_row_by_row)
{
  /* Disparities 0 … 60 over 61 rows: row y looks like a flat stixel of disparity y. */
  StxOverlayParams params = overlay_plain("RGB", 1, 61, 1);
  StxStixel slanted = overlay_stixel(0, 0, 60, STX_KIND_SEGMENT, STX_LABEL_NONE, 0);
  params.mode = STX_OVERLAY_DISTANCE;
  slanted.disparity_bottom = 60;
  STX_AUTO(OverlayFrame) f = overlay_drawn(&params, 1, 0, &slanted, 1);
  for (int y = 1; y <= 60; y++) {
    uint8_t flat[3];
    distance_pixel(params, (float)y, flat);
    stx_expect_same(flat, stx_row8(&f.plane[0], y), 3, "row of a slanted stixel");
  }
}

/* ---- Outlines and legend ------------------------------------------------------------------ */

STX_TEST(outlines_are_the_top_row_and_the_left_column_of_objects)
{
  StxOverlayParams params = overlay_plain("RGB", 8, 8, 8);
  StxStixel records[] = {overlay_stixel(0, 4, 7, STX_KIND_GROUND, 0, 3),
      overlay_stixel(0, 0, 3, STX_KIND_OBJECT, 13, 3)};
  params.outlines = true;
  STX_AUTO(OverlayFrame) f = overlay_drawn(&params, 0, 200, records, 2);
  const uint8_t body[3] = {0, 0, 142}, road[3] = {128, 64, 128};
  STX_EACH_PIXEL (x, y, 8, 8) {
    const uint8_t *pixel = stx_row8(&f.plane[0], y) + 3 * x;
    bool outline = y < 4 && (y == 0 || x == 0);
    const uint8_t *fill = y < 4 ? body : road;
    ck_assert_msg((memcmp(pixel, fill, 3) != 0) == outline, "pixel %d, %d", x, y);
  }
}

/* A record that covers 8x8 pixels of 200 with an outline around its top and left. */
static void draw_faded(
    const StxOverlayParams *params, StxOverlay *overlay, uint8_t corner[3], uint8_t body[3])
{
  const StxOverlayImpl *impl = stx_impl_named(&stx_overlay_impls, "c");
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

/* Number of bytes of a blank frame that drawing `records` changes. */
static int changed_bytes(const StxOverlayParams *params, const StxStixel *records, size_t count)
{
  int changed = 0;
  STX_AUTO(OverlayFrame) f = overlay_drawn(params, 0, 200, records, count);
  for (int y = 0; y < f.plane[0].height; y++)
    for (int i = 0; i < f.plane[0].width; i++)
      changed += stx_row8(&f.plane[0], y)[i] != 200;
  return changed;
}

STX_TEST(the_legend_lists_what_is_there)
{
  StxOverlayParams params = overlay_plain("RGB", 640, 480, 8);
  StxStixel hidden[] = {overlay_stixel(0, 470, 479, STX_KIND_GROUND, 0, 3),
      overlay_stixel(1, 470, 479, STX_KIND_OBJECT, 13, 3)};
  params.alpha = 0;
  params.legend = STX_LEGEND_TOP_RIGHT;
  ck_assert_int_eq(changed_bytes(&params, NULL, 0), 0);
  int one = changed_bytes(&params, hidden, 1), two = changed_bytes(&params, hidden, 2);
  ck_assert_int_gt(one, 500);
  ck_assert_int_gt(two, one + 500);
  params.show = 1u << STX_KIND_GROUND;
  ck_assert_int_eq(changed_bytes(&params, hidden, 2), one);
  params.mode = STX_OVERLAY_DISTANCE;
  ck_assert_int_gt(changed_bytes(&params, NULL, 0), 5000);
  params.legend = STX_LEGEND_NONE;
  ck_assert_int_eq(changed_bytes(&params, NULL, 0), 0);
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

/* f·B = 400 px·m; the horizon is row 100 of an image of 200 rows, the camera 1.5 m high. */
static StxOverlayParams street(void)
{
  StxOverlayParams params = overlay_plain("RGB", 8, 200, 8);
  params.camera = (StxCamera){.focal = 800, .cx = 4, .cy = 100, .baseline = .5, .height = 1.5};
  return params;
}

/* The pixel in the middle of the column at row y of a frame of 0. */
static void look(const StxOverlayParams *params, const StxStixel *record, int y, uint8_t bytes[3])
{
  STX_AUTO(OverlayFrame) f = overlay_drawn(params, 0, 0, record, 1);
  memcpy(bytes, stx_row8(&f.plane[0], y) + params->frame_width / 2 * 3, 3);
}

/* ---- Height -------------------------------------------------------------------------------- */

/* The height that the colour of row y stands for, as a share of max-height: mode CONFIDENCE gives a
 * record of confidence c the colour of the share c. */
static void expect_height(StxOverlayParams params, StxStixel record, int y, double share)
{
  uint8_t height[3], same[3];
  params.mode = STX_OVERLAY_HEIGHT;
  params.outlines = false;
  look(&params, &record, y, height);
  params.mode = STX_OVERLAY_CONFIDENCE;
  record.confidence = (float)share;
  look(&params, &record, y, same);
  stx_expect_same(same, height, 3, "height");
}

STX_TEST(height_is_that_of_each_row_above_the_road)
{
  /* At 16 px things are 25 m away, and a row is 25/800 m. Row 100, the horizon, is as high as the
   * camera. 32 rows higher is 1 m more. */
  StxOverlayParams params = street();
  StxStixel thing = overlay_stixel(0, 0, 140, STX_KIND_OBJECT, 13, 16);
  expect_height(params, thing, 100, 1.5 / 4);
  expect_height(params, thing, 68, 2.5 / 4);
  expect_height(params, thing, 140, .25 / 4);
  expect_height(params, thing, 0, 1);
  /* Looking down by 3 degrees, a point on the optical axis 25 m ahead is 1.31 m lower. */
  params.camera.pitch = 3 * 3.14159265358979 / 180;
  expect_height(params, thing, 100, (1.5 - 25 * .0523) / 4);
  /* Above the camera, whose height is unknown. */
  params.camera.pitch = params.camera.height = 0;
  expect_height(params, thing, 68, 1. / 4);
}

STX_TEST(a_flat_road_has_the_lowest_colour_from_the_horizon_to_the_bonnet)
{
  /* Rows from the horizon are linear in disparity: (row - 100) * baseline / height. */
  StxOverlayParams params = street();
  StxStixel road = overlay_stixel(0, 103, 199, STX_KIND_GROUND, 0, 1);
  road.disparity_bottom = 33;
  for (int y = 103; y < 200; y++)
    expect_height(params, road, y, 0);
}

STX_TEST(what_has_no_number_is_grey)
{
  StxOverlayParams params = street();
  uint8_t bytes[3];
  StxStixel record = overlay_stixel(0, 50, 140, STX_KIND_OBJECT, 13, 0);
  params.mode = STX_OVERLAY_HEIGHT;
  look(&params, &record, 100, bytes);
  ck_assert(bytes[0] == bytes[1] && bytes[1] == bytes[2] && bytes[0] > 0);
  params.mode = STX_OVERLAY_COST;
  record.cost = NAN;
  look(&params, &record, 100, bytes);
  ck_assert(bytes[0] == bytes[1] && bytes[1] == bytes[2] && bytes[0] > 0);
}

STX_TEST(cost_and_confidence_end_where_they_say)
{
  StxOverlayParams params = street();
  StxStixel record = overlay_stixel(0, 50, 140, STX_KIND_OBJECT, 13, 16);
  uint8_t full[3], more[3], cost[3], half[3];
  params.mode = STX_OVERLAY_COST;
  record.cost = 20;
  look(&params, &record, 100, full);
  record.cost = 500;
  look(&params, &record, 100, more);
  ck_assert_mem_eq(full, more, 3);
  record.cost = 10;
  look(&params, &record, 100, cost);
  ck_assert_mem_ne(full, cost, 3);
  params.mode = STX_OVERLAY_CONFIDENCE;
  record.confidence = .5f;
  look(&params, &record, 100, half);
  ck_assert_mem_eq(half, cost, 3);
}

/* ---- Dimming and outlines ------------------------------------------------------------------ */

STX_TEST(what_is_uncertain_is_fainter)
{
  /* A car, (0, 0, 142) on 0: of confidence 1, 3/7 and 0 in seven steps; dim 1 leaves nothing of the
   * last, dim 0.5 half of it. */
  static const struct {
    float confidence;
    double dim;
    int blue;
  } cases[] = {{1, 1, 142}, {3.f / 7, 1, 61}, {0, 1, 0}, {0, .5, 71}, {NAN, .5, 71}, {0, 0, 142}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxOverlayParams params = street();
    StxStixel record = overlay_stixel(0, 50, 140, STX_KIND_OBJECT, 13, 16);
    uint8_t bytes[3];
    params.dim = cases[i].dim;
    record.confidence = cases[i].confidence;
    look(&params, &record, 100, bytes);
    ck_assert_int_eq(bytes[2], cases[i].blue);
    record.kind = STX_KIND_SKY;
    look(&params, &record, 100, bytes);
    ck_assert_int_eq(bytes[2], 142);
  }
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
      expect_part(params, cases[i].at, "c");
      expect_part(params, cases[i].at, "omp");
    }
}
