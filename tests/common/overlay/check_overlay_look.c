/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the pictures mean: colours of distance, outlines, legend, and the parameters. */
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

START_TEST(near_is_red_and_far_is_blue)
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
END_TEST

START_TEST(scales_are_linear_in_disparity_or_depth)
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
END_TEST

START_TEST(slanted_stixels_change_colour_row_by_row)
{
  /* Disparities 0 … 60 over 61 rows: row y looks like a flat stixel of disparity y. */
  StxOverlayParams params = overlay_plain("RGB", 1, 61, 1);
  StxStixel slanted = overlay_stixel(0, 0, 60, STX_KIND_SEGMENT, STX_LABEL_NONE, 0);
  StxImage8 plane[3];
  StxFrame frame;
  params.mode = STX_OVERLAY_DISTANCE;
  slanted.disparity_bottom = 60;
  overlay_frame_new(&params, 1, plane, &frame);
  overlay_frame_fill(&params, plane, 0);
  overlay_draw(&params, &frame, &slanted, 1);
  for (int y = 1; y <= 60; y++) {
    uint8_t flat[3];
    distance_pixel(params, (float)y, flat);
    stx_expect_same(flat, stx_row8(&plane[0], y), 3, "row of a slanted stixel");
  }
  overlay_frame_free(&params, plane);
}
END_TEST

/* ---- Outlines and legend ------------------------------------------------------------------ */

START_TEST(outlines_are_the_top_row_and_the_left_column_of_objects)
{
  StxOverlayParams params = overlay_plain("RGB", 8, 8, 8);
  StxStixel records[] = {overlay_stixel(0, 4, 7, STX_KIND_GROUND, 0, 3),
      overlay_stixel(0, 0, 3, STX_KIND_OBJECT, 13, 3)};
  StxImage8 plane[3];
  StxFrame frame;
  params.outlines = true;
  overlay_frame_new(&params, 0, plane, &frame);
  overlay_frame_fill(&params, plane, 200);
  overlay_draw(&params, &frame, records, 2);
  const uint8_t body[3] = {0, 0, 142}, road[3] = {128, 64, 128};
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 8; x++) {
      const uint8_t *pixel = stx_row8(&plane[0], y) + 3 * x;
      bool outline = y < 4 && (y == 0 || x == 0);
      const uint8_t *fill = y < 4 ? body : road;
      ck_assert_msg((memcmp(pixel, fill, 3) != 0) == outline, "pixel %d, %d", x, y);
    }
  overlay_frame_free(&params, plane);
}
END_TEST

/* A record that covers 8x8 pixels of 200 with an outline around its top and left. */
static void draw_faded(
    const StxOverlayParams *params, StxOverlay *overlay, uint8_t corner[3], uint8_t body[3])
{
  const StxOverlayImpl *impl = stx_impl_named(&stx_overlay_impls, "c");
  const StxStixel record = overlay_stixel(0, 0, 7, STX_KIND_OBJECT, 13, 3);
  StxImage8 plane[3];
  StxFrame frame;
  overlay_frame_new(params, 0, plane, &frame);
  overlay_frame_fill(params, plane, 200);
  void *scratch = stx_guarded_alloc(impl->scratch_size(params, 1, 1));
  stx_overlay_draw_all(impl, overlay, &frame, &record, 1, scratch, 1);
  memcpy(corner, stx_row8(&plane[0], 0), 3);
  memcpy(body, stx_row8(&plane[0], 5) + 3 * 5, 3);
  stx_guarded_free(scratch);
  overlay_frame_free(params, plane);
}

/* Half as strong: bodies of alpha 1 with weight 128 of 256, the upper outline of 150 with 75. */
START_TEST(fades_bodies_and_outlines_alike)
{
  StxOverlayParams params = overlay_plain("RGB", 8, 8, 8);
  params.outlines = true;
  void *memory = stx_guarded_alloc(stx_overlay_size(&params));
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
  stx_guarded_free(memory);
}
END_TEST

/* Number of bytes of a blank frame that drawing `records` changes. */
static int changed_bytes(const StxOverlayParams *params, const StxStixel *records, size_t count)
{
  StxImage8 plane[3];
  StxFrame frame;
  int changed = 0;
  overlay_frame_new(params, 0, plane, &frame);
  overlay_frame_fill(params, plane, 200);
  overlay_draw(params, &frame, records, count);
  for (int y = 0; y < plane[0].height; y++)
    for (int i = 0; i < plane[0].width; i++)
      changed += stx_row8(&plane[0], y)[i] != 200;
  overlay_frame_free(params, plane);
  return changed;
}

START_TEST(the_legend_lists_what_is_there)
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
END_TEST

/* The box of what drawing it alone changes of a grey frame, and how many of `colour` it makes. */
static int draw_legend(StxOverlayParams params, StxRgb colour, int box[4])
{
  StxStixel records[20];
  StxImage8 plane[3];
  StxFrame frame;
  int found = 0;
  for (int k = 0; k < 20; k++)
    records[k] = overlay_stixel(k, 0, 0, (StxKind)(k % 4), k < 19 ? k : STX_LABEL_NONE, 3);
  params.alpha = 0;
  overlay_frame_new(&params, 0, plane, &frame);
  overlay_frame_fill(&params, plane, 200);
  overlay_draw(&params, &frame, records, 20);
  box[0] = box[1] = 9999;
  box[2] = box[3] = -1;
  for (int y = 0; y < plane[0].height; y++)
    for (int x = 0; x < plane[0].width / 3; x++) {
      const uint8_t *at = stx_row8(&plane[0], y) + 3 * x;
      found += memcmp(at, &colour, 3) == 0;
      if (at[0] == 200 && at[1] == 200 && at[2] == 200)
        continue;
      box[0] = x < box[0] ? x : box[0];
      box[1] = y < box[1] ? y : box[1];
      box[2] = x > box[2] ? x : box[2];
      box[3] = y > box[3] ? y : box[3];
    }
  overlay_frame_free(&params, plane);
  return found;
}

/* In its corner, with a colour of each mode, and within two fifths of the width, a scale within a
 * quarter. */
START_TEST(the_legend_lies_in_its_corner)
{
  const StxRgb colours[STX_OVERLAY_MODES] = {[STX_OVERLAY_DISTANCE] = stx_colour_kind(STX_KIND_SKY),
      [STX_OVERLAY_KIND] = stx_colour_kind(STX_KIND_GROUND),
      [STX_OVERLAY_CLASS] = stx_colour_class(18),
      [STX_OVERLAY_HEIGHT] = stx_colour(STX_MEANS_UNKNOWN),
      [STX_OVERLAY_CONFIDENCE] = stx_palette_colour(STX_PALETTE_VIRIDIS, 255),
      [STX_OVERLAY_COST] = stx_palette_colour(STX_PALETTE_VIRIDIS, 0),
      [STX_OVERLAY_TRUTH] = stx_colour(STX_MEANS_MISPLACED)};
  for (int legend = STX_LEGEND_TOP_LEFT; legend <= STX_LEGEND_BOTTOM_RIGHT; legend++)
    for (int mode = 0; mode < STX_OVERLAY_MODES; mode++) {
      StxOverlayParams params = overlay_plain("RGB", 639 + legend, 481 + legend, 8);
      bool right = legend == STX_LEGEND_TOP_RIGHT || legend == STX_LEGEND_BOTTOM_RIGHT;
      bool low = legend == STX_LEGEND_BOTTOM_LEFT || legend == STX_LEGEND_BOTTOM_RIGHT;
      int box[4];
      params.legend = (StxLegend)legend;
      params.mode = (StxOverlayMode)mode;
      params.camera = (StxCamera){.focal = 700, .baseline = .5};
      ck_assert_int_gt(draw_legend(params, colours[mode], box), 8);
      ck_assert_int_eq((box[0] + box[2]) / 2 > params.width / 2, right);
      ck_assert_int_eq((box[1] + box[3]) / 2 > params.height / 2, low);
      double share = (box[2] - box[0] + 1.) / params.width;
      ck_assert_double_le(share, stx_overlay_has_scale(params.mode) ? .25 : .4);
      params.show = 1u << STX_KIND_OBJECT;
      if (mode == STX_OVERLAY_DISTANCE)
        ck_assert_int_eq(draw_legend(params, colours[mode], box), 0); /* no sky is drawn */
    }
}
END_TEST

START_TEST(the_legend_finds_room_at_every_size)
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
        StxImage8 plane[3];
        StxFrame frame;
        overlay_frame_new(&params, 1, plane, &frame);
        overlay_draw(&params, &frame, records, count);
        overlay_frame_free(&params, plane);
      }
}
END_TEST

/* ---- Parameters --------------------------------------------------------------------------- */

static void expect_refusal(StxOverlayParams params, const char *word)
{
  StxError error = {""};
  ck_assert(!stx_overlay_check(&params, &error));
  ck_assert_msg(strstr(error.text, word) != NULL, "'%s' does not say %s", error.text, word);
}

START_TEST(refuses_what_it_cannot_draw_and_says_why)
{
  StxOverlayParams good = overlay_plain("RGB", 1242, 375, 8), bad = good;
  ck_assert(stx_overlay_check(&good, NULL));
  ck_assert_ptr_null(stx_pixel_format("P010_10LE"));
#define REFUSES(member, value, word) (bad = good, bad.member = (value), expect_refusal(bad, word))
  REFUSES(format, NULL, "format");
  REFUSES(width, 0, "width is 0");
  REFUSES(height, 40000, "height is 40000");
  REFUSES(stixel_width, -1, "stixel-width is -1");
  REFUSES(columns, 0, "columns is 0");
  REFUSES(alpha, 1.5, "alpha is 1.5");
  REFUSES(alpha, NAN, "alpha");
  REFUSES(max_disparity, 0, "max-disparity is 0");
  REFUSES(max_distance, 2000, "max-distance is 2000");
  REFUSES(scale, STX_SCALE_DEPTH, "focal length");
  REFUSES(mode, STX_OVERLAY_HEIGHT, "mode=height needs the camera");
  REFUSES(mode, (StxOverlayMode)9, "mode is 9");
  REFUSES(dim, 2, "dim is 2");
  REFUSES(line_width, 65, "line-width is 65");
  REFUSES(placement, ((StxPlacement){.xx = -1, .yy = 1, .width = 1242}), "mirrored");
  REFUSES(placement, ((StxPlacement){.xy = 1, .yx = 1, .width = 1242}), "turned");
  REFUSES(frame_height, 500, "1242x375");
  REFUSES(frame_height, 500, "1242x500");
#undef REFUSES
  good.frame_width = 621;
  good.frame_height = 188;
  ck_assert(stx_overlay_check(&good, NULL));
}
END_TEST

static const StxTest tests[] = {
    {&near_is_red_and_far_is_blue},
    {&scales_are_linear_in_disparity_or_depth},
    {&slanted_stixels_change_colour_row_by_row},
    {&outlines_are_the_top_row_and_the_left_column_of_objects},
    {&fades_bodies_and_outlines_alike},
    {&the_legend_lists_what_is_there},
    {&the_legend_lies_in_its_corner},
    {&the_legend_finds_room_at_every_size},
    {&refuses_what_it_cannot_draw_and_says_why},
};
STX_TESTING_MAIN("overlay_look", tests)
