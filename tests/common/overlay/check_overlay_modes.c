/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of records as colours, what is uncertain, outlines alone, and frames of which the image
 * is a part. */
#include "tests/common/overlay/overlay_frames.h"

#include <math.h>
#include <string.h>

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
  StxImage8 plane[3];
  StxFrame frame;
  overlay_frame_new(params, 0, plane, &frame);
  overlay_frame_fill(params, plane, 0);
  overlay_draw(params, &frame, record, 1);
  memcpy(bytes, stx_row8(&plane[0], y) + params->frame_width / 2 * 3, 3);
  overlay_frame_free(params, plane);
}

/* ---- Height -------------------------------------------------------------------------------- */

/* Metres of a record's top as the share of max-height that its colour stands for: the record of
 * confidence c has in mode CONFIDENCE the colour of the share c. */
static void expect_height(StxOverlayParams params, StxStixel record, double share)
{
  uint8_t height[3], same[3];
  params.mode = STX_OVERLAY_HEIGHT;
  look(&params, &record, record.bottom, height);
  params.mode = STX_OVERLAY_CONFIDENCE;
  record.confidence = (float)share;
  look(&params, &record, record.bottom, same);
  stx_expect_same(same, height, 3, "height");
}

START_TEST(height_is_that_of_the_upper_edge_above_the_road)
{
  /* At 16 px things are 25 m away, and a row is 25/800 m. Between the pixels of rows 99 and 100, at
   * the horizon, is the height of the camera, less half a row. 32 rows higher is 1 m more. */
  StxOverlayParams params = street();
  double half = .5 / 32;
  expect_height(params, overlay_stixel(0, 100, 140, STX_KIND_OBJECT, 13, 16), (1.5 + half) / 4);
  expect_height(params, overlay_stixel(0, 68, 140, STX_KIND_OBJECT, 13, 16), (2.5 + half) / 4);
  expect_height(params, overlay_stixel(0, 0, 140, STX_KIND_OBJECT, 13, 16), 1);
  /* Looking down by 3 degrees, what lies on the optical axis 25 m ahead is 1.31 m lower. */
  params.camera.pitch = 3 * 3.14159265358979 / 180;
  expect_height(
      params, overlay_stixel(0, 100, 140, STX_KIND_OBJECT, 13, 16), (1.5 + half - 25 * .0523) / 4);
  /* Above the camera where nobody knows how high it is. */
  params.camera.pitch = params.camera.height = 0;
  expect_height(params, overlay_stixel(0, 68, 140, STX_KIND_OBJECT, 13, 16), (1 + half) / 4);
}
END_TEST

START_TEST(what_has_no_number_is_grey)
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
END_TEST

START_TEST(cost_and_confidence_end_where_they_say)
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
END_TEST

/* ---- Dimming and outlines ------------------------------------------------------------------ */

START_TEST(what_is_uncertain_is_fainter)
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
END_TEST

START_TEST(without_filling_only_outlines_are_left)
{
  StxOverlayParams params = street();
  StxStixel car = overlay_stixel(0, 50, 140, STX_KIND_OBJECT, 13, 16);
  uint8_t inside[3], edge[3], below[3];
  params.outlines = true;
  params.fill = false;
  params.line_width = 2;
  look(&params, &car, 100, inside);
  look(&params, &car, 51, edge);
  look(&params, &car, 52, below);
  overlay_expect_bytes(inside, (int[]){0, 0, 0}, 3, "inside");
  overlay_expect_bytes(edge, (int[]){0, 0, 142}, 3, "second row");
  overlay_expect_bytes(below, (int[]){0, 0, 0}, 3, "third row");
}
END_TEST

/* ---- Parts of an image --------------------------------------------------------------------- */

/* Whom frame pixel (x, y) shows, one byte of his colour, by the definition; 9: nobody. */
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
  StxImage8 plane[3];
  StxFrame frame;
  uint8_t colours[20][3];
  size_t count = overlay_random_stixels(&params, &random, records);
  at.width = params.frame_width;
  at.height = params.frame_height;
  params.placement = at;
  for (int k = 0; k < 20; k++)
    overlay_draw_pixel(overlay_plain("RGB", 1, 1, 1),
        overlay_stixel(0, 0, 0, STX_KIND_OBJECT, k, 5), 0, colours[k]);
  overlay_frame_new(&params, 0, plane, &frame);
  overlay_frame_fill(&params, plane, 9);
  overlay_draw_with(impl, 2, &params, &frame, records, count);
  for (int y = 0; y < params.frame_height; y++)
    for (int x = 0; x < params.frame_width; x++) {
      int label = expected_label(&params, records, count, x, y);
      const uint8_t nobody[3] = {9, 9, 9};
      const uint8_t *expected = label < 0 ? nobody : colours[label < 19 ? label : 19];
      ck_assert_msg(memcmp(stx_row8(&plane[0], y) + 3 * x, expected, 3) == 0, "pixel %d, %d", x, y);
    }
  overlay_frame_free(&params, plane);
}

START_TEST(a_part_of_the_image_shows_its_stixels)
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
END_TEST

static const StxTest tests[] = {
    {&height_is_that_of_the_upper_edge_above_the_road},
    {&what_has_no_number_is_grey},
    {&cost_and_confidence_end_where_they_say},
    {&what_is_uncertain_is_fainter},
    {&without_filling_only_outlines_are_left},
    {&a_part_of_the_image_shows_its_stixels},
};
STX_TESTING_MAIN("overlay_modes", tests)
