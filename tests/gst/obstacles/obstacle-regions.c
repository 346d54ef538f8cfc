/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Obstacles as programs for video analytics read them: with GStreamer's own functions alone, behind
 * elements that know nothing of stixels. Detections and trackings want GStreamer 1.24; before that
 * the plugin has none.
 */
#include <gst/video/video.h>
#if HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif
#include <math.h>

#include "tests/gst/fixtures/obstacles_fixture.h"

typedef GstVideoRegionOfInterestMeta Region;

static GstBuffer *frame_of(Stage *fixture, gint width, gint height, gdouble distance)
{
  return obstacles_run(fixture, obstacles_picture(width, height, distance, 0));
}

static Region *region_of(GstBuffer *buffer)
{
  gpointer state = NULL;

  return (Region *)gst_buffer_iterate_meta_filtered(
      buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
}

static void expect_box(const Region *region, guint x, guint y, guint w, guint h)
{
  fail_unless(region != NULL, "no region of interest");
  ck_assert_msg(region->x == x && region->y == y && region->w == w && region->h == h,
      "%u, %u, %u×%u, expected %u, %u, %u×%u", region->x, region->y, region->w, region->h, x, y, w,
      h);
}

static gdouble number(Region *region, const char *param, const char *field)
{
  const GstStructure *structure = gst_video_region_of_interest_meta_get_param(region, param);
  gdouble value;

  fail_unless(structure != NULL, "no %s", param);
  fail_unless(gst_structure_get_double(structure, field, &value), "no %s in %s", field, param);
  return value;
}

static gboolean has(Region *region, const char *param, const char *field)
{
  const GstStructure *structure = gst_video_region_of_interest_meta_get_param(region, param);

  return structure != NULL && gst_structure_has_field(structure, field);
}

static void expect_near(gdouble value, gdouble expected, gdouble tolerance)
{
  ck_assert_msg(fabs(value - expected) <= tolerance, "%g, expected %g", value, expected);
}

/* ---- Boxes --------------------------------------------------------------------------------- */

/* The box at 8 m covers columns 24 … 39 and rows 11 … 27 of 64×48 pixels; in frames of other sizes
 * the pixels that it touches. */
static const struct {
  gint width, height;
  const char *caps;
  guint x, y, w, h;
} frames[] = {
    {64, 48, OBSTACLES_VIDEO_CAPS(64, 48), 24, 11, 16, 17},
    {128, 96, OBSTACLES_VIDEO_CAPS(128, 96), 48, 22, 32, 34},
    {32, 48, OBSTACLES_VIDEO_CAPS(32, 48), 12, 11, 8, 17},
    {96, 24, OBSTACLES_VIDEO_CAPS(96, 24), 36, 5, 24, 9},
    {65, 47, OBSTACLES_VIDEO_CAPS(65, 47), 24, 10, 17, 18},
    {1, 1, OBSTACLES_VIDEO_CAPS(1, 1), 0, 0, 1, 1},
};

STX_TEST_LOOP(boxes_are_in_pixels_of_the_frame, G_N_ELEMENTS(frames))
{
  g_auto(Stage) fixture = obstacles_begin("stixel-obstacles", frames[_i].caps);
  gdouble width = frames[_i].width, height = frames[_i].height;
  g_autoptr(GstBuffer) frame = frame_of(&fixture, frames[_i].width, frames[_i].height, 8);
  Region *region = region_of(frame);

  expect_box(region, frames[_i].x, frames[_i].y, frames[_i].w, frames[_i].h);
  expect_near(number(region, "detection", "x_min") * width, region->x, 1e-9);
  expect_near(number(region, "detection", "x_max") * width, region->x + region->w, 1e-9);
  expect_near(number(region, "detection", "y_min") * height, region->y, 1e-9);
  expect_near(number(region, "detection", "y_max") * height, region->y + region->h, 1e-9);
}

/* The parts that other elements keep: GStreamer 1.22's converters and scalers drop the
 * parameters. */
static void expect_kept(const char *line, gboolean whole)
{
  g_auto(Stage) fixture = obstacles_begin(line, OBSTACLES_VIDEO_CAPS(128, 96));
  g_autoptr(GstBuffer) frame = frame_of(&fixture, 128, 96, 8);
  Region *region = region_of(frame);

  expect_box(region, whole ? 48 : 24, whole ? 22 : 11, whole ? 32 : 16, whole ? 34 : 17);
  ck_assert_str_eq(g_quark_to_string(region->roi_type), "car");
#if !HAVE_ANALYTICS
  ck_assert_int_eq(region->id, 1);
#endif
  if (whole)
    expect_near(number(region, "stx-obstacle", "distance"), 8, .1);
}

STX_TEST(regions_go_through_stock_elements)
{
  expect_kept("stixel-obstacles ! queue ! tee ! queue ! identity", TRUE);
  expect_kept("stixel-obstacles ! videoconvert ! capsfilter caps=video/x-raw,format=NV12 ! "
              "videoscale ! capsfilter caps=video/x-raw,width=64,height=48",
      FALSE);
  expect_kept("identity name=before ! videoconvert ! capsfilter caps=video/x-raw,format=NV12 ! "
              "stixel-obstacles",
      TRUE);
}

/* Earlier changes of the frame are taken into account: scaled here, cut below. */
STX_TEST(regions_know_of_scalers)
{
  g_auto(Stage) fixture = obstacles_begin(
      "videoscale ! capsfilter caps=video/x-raw,width=64,height=96,pixel-aspect-ratio=4/1 ! "
      "stixel-obstacles",
      OBSTACLES_VIDEO_CAPS(128, 48));
  g_autoptr(GstBuffer) frame = frame_of(&fixture, 128, 48, 8);

  expect_box(region_of(frame), 24, 22, 16, 34);
  stx_test_expect_silence(fixture.bus);
}

/* The part that shows, from column 40 (or 60) and row 8 on. */
STX_TEST(regions_know_of_crops)
{
  static const guint lefts[] = {40, 60}, boxes[][4] = {{8, 3, 32, 17}, {0, 3, 20, 17}};
  g_auto(Stage) fixture = obstacles_begin("stixel-obstacles", OBSTACLES_VIDEO_CAPS(60, 32));

  for (guint i = 0; i < 2; i++) {
    GstBuffer *picture = obstacles_picture(128, 48, 8, 0);
    g_autoptr(GstBuffer) frame = NULL;
    GstVideoCropMeta *crop;

    gst_buffer_add_video_meta(picture, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_RGB, 128, 48);
    crop = gst_buffer_add_video_crop_meta(picture);
    crop->x = lefts[i];
    crop->y = 8;
    crop->width = 60;
    crop->height = 32;
    frame = obstacles_run(&fixture, picture);
    expect_box(region_of(frame), boxes[i][0], boxes[i][1], boxes[i][2], boxes[i][3]);
  }
  stx_test_expect_silence(fixture.bus);
}

/* If their place in the frame is unknown, they have metres and no boxes. */
STX_TEST(no_region_is_guessed)
{
  g_auto(Stage) fixture = obstacles_begin("stixel-obstacles", OBSTACLES_VIDEO_CAPS(64, 96));

  for (guint i = 0; i < 2; i++) {
    g_autoptr(GstBuffer) frame = frame_of(&fixture, 64, 48, 8); /* and not as the caps say */
    g_autoptr(GArray) obstacles = obstacles_of(frame);

    ck_assert_uint_eq(obstacles->len, 1);
    ck_assert(region_of(frame) == NULL);
  }
  stx_test_expect_warning(fixture.bus, "no regions of interest");
}

/* ---- What they say ------------------------------------------------------------------------- */

STX_TEST(regions_say_what_and_where)
{
  g_auto(Stage) fixture = obstacles_begin("stixel-obstacles", OBSTACLES_VIDEO_CAPS(64, 48));
  g_autoptr(GstBuffer) frame = frame_of(&fixture, 64, 48, 8);
  Region *region = region_of(frame);
  const GstStructure *own;
  gboolean inside;
  gint label, id;
  guint number_of;

  own = gst_video_region_of_interest_meta_get_param(region, "stx-obstacle");
  ck_assert(gst_structure_get_int(
      gst_video_region_of_interest_meta_get_param(region, "detection"), "label_id", &label));
  ck_assert(gst_structure_get_int(
      gst_video_region_of_interest_meta_get_param(region, "object_id"), "id", &id));
  ck_assert(gst_structure_get_uint(own, "id", &number_of));
  ck_assert(gst_structure_get_boolean(own, "in-corridor", &inside));
  ck_assert_int_eq(label, 13);
  ck_assert_int_eq(id, 1);
  ck_assert_uint_eq(number_of, 1);
  ck_assert(inside);
  ck_assert_str_eq(gst_structure_get_string(own, "label"), "≈ 8.0 m");
  expect_near(number(region, "stx-obstacle", "distance"), 8, .01);
  expect_near(number(region, "stx-obstacle", "x"), 0, .01);
  expect_near(number(region, "stx-obstacle", "width"), 2, .05);
  expect_near(number(region, "stx-obstacle", "height"), 2, .15);
  ck_assert(!has(region, "stx-obstacle", "closing-speed")); /* seen once */
  ck_assert(!has(region, "stx-obstacle", "time-to-contact"));
}

#if HAVE_ANALYTICS
/* The classification behind the one that is shown. */
static void expect_state(GstBuffer *frame, const char *state)
{
  GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta(frame);
  GstAnalyticsClsMtd mtd;
  gpointer seen = NULL;

  for (guint i = 0; i < 2; i++)
    ck_assert(gst_analytics_relation_meta_get_direct_related(relations, (guint)region_of(frame)->id,
        GST_ANALYTICS_REL_TYPE_RELATE_TO, gst_analytics_cls_mtd_get_mtd_type(), &seen, &mtd));
  ck_assert_str_eq(g_quark_to_string(gst_analytics_cls_mtd_get_quark(&mtd, 0)), state);
}
#endif

/* The box comes nearer by 5 m/s, of which the camera goes 5 or none. */
STX_TEST_LOOP(regions_say_how_things_move, 2)
{
  static const char *const states[] = {"standing", "oncoming"};
  g_auto(Stage) fixture =
      obstacles_begin(_i == 0 ? "stixel-obstacles speed=5" : "stixel-obstacles speed=0",
          OBSTACLES_VIDEO_CAPS(64, 48));
  Region *region;

  for (guint n = 0; n < 19; n++) {
    GstBuffer *picture = obstacles_picture(64, 48, 14 - .5 * n, n * OBSTACLES_FRAME);
    g_autoptr(GstBuffer) frame = obstacles_run(&fixture, picture);

    region = region_of(frame);
    ck_assert(n > 0 || !has(region, "stx-obstacle", "state"));
    if (n < 18)
      continue;
    ck_assert_str_eq(
        gst_structure_get_string(
            gst_video_region_of_interest_meta_get_param(region, "stx-obstacle"), "state"),
        states[_i]);
    expect_near(number(region, "stx-obstacle", "velocity-z"), -5 * _i, 1);
#if HAVE_ANALYTICS
    expect_state(frame, states[_i]);
#endif
  }
}

/* To a tenth of a metre where that matters; of so small a camera not surely. */
STX_TEST(far_things_have_whole_metres)
{
  g_auto(Stage) fixture = obstacles_begin("stixel-obstacles", OBSTACLES_VIDEO_CAPS(64, 48));
  g_autoptr(GstBuffer) frame = frame_of(&fixture, 64, 48, 16);
  const GstStructure *own =
      gst_video_region_of_interest_meta_get_param(region_of(frame), "stx-obstacle");

  ck_assert_str_eq(gst_structure_get_string(own, "label"), "≈ 16 m");
}

/* Unknown values are left out. */
STX_TEST(what_is_unknown_is_left_out)
{
  g_auto(Stage) fixture =
      obstacles_begin("stixel-obstacles follow=false", OBSTACLES_VIDEO_CAPS(64, 48));
  GstBuffer *picture = stx_test_buffer(64 * 48 * 3, 0, 0, OBSTACLES_FRAME);
  g_autoptr(GstBuffer) frame = NULL;
  g_autoptr(GstBuffer) stixels = obstacles_stixels(8, STX_LABEL_NONE, 0);
  Region *region;

  gst_buffer_add_stx_stixel_meta(picture, stixels, &obstacles_info);
  frame = obstacles_run(&fixture, picture);
  region = region_of(frame);
  ck_assert_str_eq(g_quark_to_string(region->roi_type), "obstacle");
  ck_assert(!has(region, "detection", "label_id"));
  ck_assert(gst_video_region_of_interest_meta_get_param(region, "object_id") == NULL);
}

/* A second element in a row replaces what the first one has attached, and nothing of others. */
STX_TEST(regions_of_others_stay)
{
  g_auto(Stage) fixture =
      obstacles_begin("stixel-obstacles ! stixel-obstacles", OBSTACLES_VIDEO_CAPS(64, 48));
  GstBuffer *picture = obstacles_picture(64, 48, 8, 0), *frame;

  gst_buffer_add_video_region_of_interest_meta(picture, "face", 1, 2, 3, 4);
  frame = obstacles_run(&fixture, picture);
  ck_assert_uint_eq(gst_buffer_get_n_meta(frame, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE), 2);
  ck_assert_str_eq(g_quark_to_string(region_of(frame)->roi_type), "face");
  gst_buffer_unref(frame);
  frame = frame_of(&fixture, 64, 48, 0);
  ck_assert(region_of(frame) == NULL);
  gst_buffer_unref(frame);
}

/* ---- Detections ---------------------------------------------------------------------------- */

#if HAVE_ANALYTICS
static void expect_tracked(
    GstAnalyticsRelationMeta *relations, GstAnalyticsODMtd *detection, guint64 frame)
{
  GstAnalyticsTrackingMtd tracking;
  GstClockTime first, last;
  gboolean lost;
  guint64 id;

  ck_assert(gst_analytics_relation_meta_get_direct_related(relations, detection->id,
      GST_ANALYTICS_REL_TYPE_RELATE_TO, gst_analytics_tracking_mtd_get_mtd_type(), NULL,
      &tracking));
  ck_assert(gst_analytics_tracking_mtd_get_info(&tracking, &id, &first, &last, &lost));
  ck_assert_uint_eq(id, 1);
  ck_assert_uint_eq(first, 0);
  ck_assert_uint_eq(last, frame * OBSTACLES_FRAME);
  ck_assert(!lost);
}

/* The text that GStreamer's objectdetectionoverlay writes on the box. */
static void expect_shown(
    GstAnalyticsRelationMeta *relations, GstAnalyticsODMtd *detection, const char *text)
{
  GstAnalyticsClsMtd shown;

  ck_assert(gst_analytics_relation_meta_get_direct_related(relations, detection->id,
      GST_ANALYTICS_REL_TYPE_RELATE_TO, gst_analytics_cls_mtd_get_mtd_type(), NULL, &shown));
  ck_assert_uint_eq(gst_analytics_cls_mtd_get_length(&shown), 1);
  ck_assert_str_eq(g_quark_to_string(gst_analytics_cls_mtd_get_quark(&shown, 0)), text);
  expect_near(gst_analytics_cls_mtd_get_level(&shown, 0), .75, .01);
}

static void expect_detected(GstBuffer *frame, guint index)
{
  GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta(frame);
  GstAnalyticsODMtd detection;
  gpointer state = NULL;
  gint x, y, w, h;
  gfloat confidence;

  fail_unless(relations != NULL, "no relations");
  ck_assert(gst_analytics_relation_meta_iterate(
      relations, &state, gst_analytics_od_mtd_get_mtd_type(), &detection));
  ck_assert(gst_analytics_od_mtd_get_location(&detection, &x, &y, &w, &h, &confidence));
  ck_assert_str_eq(g_quark_to_string(gst_analytics_od_mtd_get_obj_type(&detection)), "car");
  expect_near(confidence, .75, .01);
  expect_box(region_of(frame), (guint)x, (guint)y, (guint)w, (guint)h);
  ck_assert_int_eq(region_of(frame)->id, (gint)detection.id);
  expect_tracked(relations, &detection, index);
  expect_shown(relations, &detection, "car ≈ 8.0 m");
  ck_assert(!gst_analytics_relation_meta_iterate(
      relations, &state, gst_analytics_od_mtd_get_mtd_type(), &detection));
}

STX_TEST(detections_are_tracked)
{
  g_auto(Stage) fixture = obstacles_begin("stixel-obstacles ! queue", OBSTACLES_VIDEO_CAPS(64, 48));

  for (guint i = 0; i < 3; i++) {
    GstBuffer *picture = obstacles_picture(64, 48, 8, i * OBSTACLES_FRAME);
    g_autoptr(GstBuffer) frame = obstacles_run(&fixture, picture);

    expect_detected(frame, i);
  }
}
#endif

/* ---- Free space ---------------------------------------------------------------------------- */

#if HAVE_TENSORS
/* The mask of a frame, whose every byte is region 0 or 1. */
static GstBuffer *mask_of(GstBuffer *frame, guint width, guint height)
{
  GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta(frame);
  GstAnalyticsSegmentationMtd segmentation;
  GstAnalyticsClsMtd names;
  gpointer state = NULL;
  guint w, h;
  gint x, y;
  GstBuffer *mask;
  const GstVideoMeta *layout;

  fail_unless(
      relations != NULL && gst_analytics_relation_meta_iterate(relations, &state,
                               gst_analytics_segmentation_mtd_get_mtd_type(), &segmentation),
      "no segmentation");
  ck_assert(gst_analytics_relation_meta_get_direct_related(relations, segmentation.id,
      GST_ANALYTICS_REL_TYPE_RELATE_TO, gst_analytics_cls_mtd_get_mtd_type(), NULL, &names));
  ck_assert_str_eq(g_quark_to_string(gst_analytics_cls_mtd_get_quark(&names, 1)), "free space");
  ck_assert_uint_eq(gst_analytics_segmentation_mtd_get_region_id(&segmentation, 1), 1);
  mask = gst_analytics_segmentation_mtd_get_mask(&segmentation, &x, &y, &w, &h);
  layout = gst_buffer_get_video_meta(mask);
  ck_assert(x == 0 && y == 0 && w == width && h == height);
  ck_assert(layout->format == GST_VIDEO_FORMAT_GRAY8 && layout->stride[0] == (gint)width);
  ck_assert(layout->width == width && layout->height == height);
  return mask;
}

/* Below the box, and beside it to the horizon: columns 24 ... 39 from row 28 on, others from 16 on,
 * in a frame of twice the size. */
STX_TEST(free_space_is_a_mask)
{
  g_auto(Stage) fixture =
      obstacles_begin("stixel-obstacles free-space-mask=true", OBSTACLES_VIDEO_CAPS(128, 96));
  g_autoptr(GstBuffer) frame = frame_of(&fixture, 128, 96, 8);
  g_autoptr(GstBuffer) mask = mask_of(frame, 128, 96);
  guint8 expected[96 * 128];

  for (gint y = 0; y < 96; y++)
    for (gint x = 0; x < 128; x++)
      expected[y * 128 + x] = y >= 2 * (x >= 48 && x < 80 ? 28 : 16);
  stx_test_expect_bytes(mask, expected, sizeof expected, "free space");
  stx_test_expect_silence(fixture.bus);
}
#else
STX_TEST(a_mask_needs_a_newer_gstreamer)
{
  g_auto(Stage) fixture =
      obstacles_begin("stixel-obstacles free-space-mask=true", OBSTACLES_VIDEO_CAPS(64, 48));

  for (guint i = 0; i < 2; i++)
    gst_buffer_unref(frame_of(&fixture, 64, 48, 8));
  stx_test_expect_warning(fixture.bus, "GStreamer before 1.26");
}
#endif
