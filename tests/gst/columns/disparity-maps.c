/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * downsample-transpose: maps of a few numbers of every encoding, cell by cell; what does not fit is
 * refused with a reason.
 */
#include "tests/gst/fixtures/util.h"

#include <math.h>

#include "common/stixel.h"

#define FRAME (100 * GST_MSECOND)

/* ---- Small maps ---------------------------------------------------------------------------- */

#define FLOATS                                                                                     \
  "other/tensors,format=static,num_tensors=1,types=float32,framerate=10/1,dimensions=(string)"

/* Columns of one row of cells of one pixel. */
static void expect_cells(const gchar *line, const gchar *caps, const void *map, gsize size,
    const guint16 *expected, guint count)
{
  g_autoptr(Harness) harness = gst_harness_new_parse(line);
  g_autoptr(GstBuffer) columns = NULL;
  guint16 disparity[16];

  gst_harness_set_src_caps_str(harness, caps);
  columns = stx_test_buffer(size, 0, 0, FRAME);
  gst_buffer_fill(columns, 0, map, size);
  gst_harness_push(harness, columns);
  columns = gst_harness_pull(harness);
  ck_assert_msg(columns != NULL, "%s: no columns", line);
  gst_buffer_extract(columns, 0, disparity, count * sizeof *disparity);
  for (guint i = 0; i < count; i++)
    ck_assert_msg(disparity[i] == expected[i], "%s: disparity %u is %u, expected %u", line, i,
        disparity[i], expected[i]);
}

#define CELLS "downsample-transpose stixel-width=1 stixel-height=1 fill-width=0 backend="

STX_TEST(tensors_of_both_shapes)
{
  static const gfloat map[] = {1, NAN, -3, INFINITY, 0, .25f, 300, 1e-40f};
  static const guint16 pixels[] = {256, 0, 0, 0, 0, 64, 65535, 0};
  static const guint16 depths[] = {12800, 0, 0, 0, 0, 51200, 43, 0}; /* 50 pixels at 1 m */
  static const gchar *const backends[] = {CELLS "auto ", CELLS "omp "};

  for (guint i = 0; i < G_N_ELEMENTS(backends); i++) {
    g_autofree gchar *line =
        g_strconcat(backends[i], "disparity-encoding=depth-m focal=500 baseline=0.1", NULL);

    expect_cells(backends[i], FLOATS "8:1:1:1", map, sizeof map, pixels, 8);
    expect_cells(backends[i], FLOATS "8:1", map, sizeof map, pixels, 8);
    expect_cells(backends[i], FLOATS "1:8:1:1", map, sizeof map, pixels, 8);
    expect_cells(line, FLOATS "1:8:1:1", map, sizeof map, depths, 8);
  }
}

/* A wall of one disparity that 256 steps in a pixel cannot tell, through both segmentations. */
STX_TEST(disparities_above_256_pixels)
{
  static const gchar *const segmentations[] = {"rdp-columns", "sat-dp-stixels ground=estimate"};
  static const struct {
    gint steps;
    gfloat wall, stixel;
  } cases[] = {{256, 300, 65535.f / 256}, {128, 300, 300}, {64, 1000.25f, 1000.25f},
      {32, 2000.5f, 2000.5f}, {16, 4000, 4000}};

  for (guint i = 0; i < G_N_ELEMENTS(cases) * 2; i++) {
    g_autofree gchar *line =
        g_strdup_printf("downsample-transpose focal=4000 baseline=0.1 disparity-steps=%d ! %s",
            cases[i / 2].steps, segmentations[i % 2]);
    g_autoptr(Harness) harness = gst_harness_new_parse(line);
    GstBuffer *map = stx_test_buffer(32 * 16 * 4, 0, 0, FRAME);
    g_autoptr(GstBuffer) buffer = NULL;
    StxStixel stixel;

    for (gsize at = 0; at < 32 * 16 * 4; at += 4)
      gst_buffer_fill(map, at, &cases[i / 2].wall, 4);
    gst_harness_set_src_caps_str(harness, FLOATS "32:16:1:1");
    gst_harness_push(harness, map);
    buffer = gst_harness_pull(harness);
    ck_assert_msg(buffer != NULL, "%s: no stixels", line);
    ck_assert_int_eq(gst_buffer_get_size(buffer), 4 * sizeof stixel);
    gst_buffer_extract(buffer, 0, &stixel, sizeof stixel);
    ck_assert_msg(fabsf(stixel.disparity_top - cases[i / 2].stixel) < .01f &&
                      fabsf(stixel.disparity_bottom - cases[i / 2].stixel) < .01f,
        "%s: %g … %g pixels", line, stixel.disparity_top, stixel.disparity_bottom);
  }
}

#define SIXTEENTHS                                                                                 \
  "video/x-raw,format=GRAY16_LE,width=6,height=1,framerate=10/1,"                                  \
  "disparity-encoding=opencv"

/* Values below the least are unknown, before the offset is added; a negative least makes OpenCV's 0
 * and less known. */
STX_TEST(least_and_offset)
{
  static const gint16 map[] = {-80, -16, 0, 8, 64, 160}; /* -5, -1, 0, .5, 4, 10 pixels */
  static const guint16 least[] = {0, 0, 0, 0, 1024, 2560};
  static const guint16 offset[] = {0, 0, 0, 896, 1792, 3328};
  static const guint16 negative[] = {0, 512, 768, 896, 1792, 3328};
  static const guint16 inwards[] = {0, 0, 0, 0, 512, 2048};
  static const guint16 scaled[] = {0, 0, 0, 0, 2304, 5376};

  expect_cells(CELLS "auto min-disparity=1", SIXTEENTHS, map, sizeof map, least, 6);
  expect_cells(CELLS "auto disparity-offset=3", SIXTEENTHS, map, sizeof map, offset, 6);
  expect_cells(
      CELLS "auto disparity-offset=3 min-disparity=-2", SIXTEENTHS, map, sizeof map, negative, 6);
  expect_cells(CELLS "omp disparity-offset=-2", SIXTEENTHS, map, sizeof map, inwards, 6);
  expect_cells(CELLS "omp disparity-offset=1 disparity-scale=2 min-disparity=3", SIXTEENTHS, map,
      sizeof map, scaled, 6);
}

/* A wall at 2.5 m, which a network saw in pictures of half the camera's size. Its disparities are
 * pixels of those, or of the whole picture; the camera and metres are right in both cases. */
STX_TEST(maps_of_another_size_than_the_camera)
{
  static const struct {
    gfloat wall;
    const gchar *scale;
  } cases[] = {{10, "1"}, {20, "0.5"}};

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree gchar *line =
        g_strdup_printf("downsample-transpose disparity-scale=%s ! rdp-columns", cases[i].scale);
    g_autoptr(Harness) harness = gst_harness_new_parse(line);
    GstBuffer *map = stx_test_buffer(32 * 16 * 4, 0, 0, FRAME);
    g_autoptr(GstBuffer) buffer = NULL;
    gdouble focal = 0, baseline = 0;
    StxStixel stixel;
    g_autoptr(GstCaps) caps = NULL;

    for (gsize at = 0; at < 32 * 16 * 4; at += 4)
      gst_buffer_fill(map, at, &cases[i].wall, 4);
    gst_harness_set_src_caps_str(harness,
        FLOATS "32:16:1:1,camera-focal=500.0,"
               "camera-baseline=0.1,camera-image-width=64,camera-image-height=32");
    gst_harness_push(harness, map);
    buffer = gst_harness_pull(harness);
    ck_assert_msg(buffer != NULL, "%s: no stixels", line);
    caps = gst_pad_get_current_caps(harness->sinkpad);
    gst_structure_get(gst_caps_get_structure(caps, 0), "camera-focal", G_TYPE_DOUBLE, &focal,
        "camera-baseline", G_TYPE_DOUBLE, &baseline, NULL);
    gst_buffer_extract(buffer, 0, &stixel, sizeof stixel);
    ck_assert_msg(fabs(focal * baseline / stixel.disparity_bottom - 2.5) < .001,
        "%s: %g m · px, %g pixels", line, focal * baseline, stixel.disparity_bottom);
  }
}

STX_TEST(nothing_known_is_all_unknown)
{
  gfloat map[12];
  static const guint16 unknown[12];

  for (guint i = 0; i < 12; i++)
    map[i] = NAN;
  expect_cells(CELLS "auto", FLOATS "4:3:1:1", map, sizeof map, unknown, 12);
}

/* The camera of a picture fits its depths at any size: metres are no pixels. */
STX_TEST(depths_take_a_camera_of_another_size)
{
  static const guint16 map[] = {1000, 65535, 500, 0};
  static const guint16 expected[] = {6400, 0, 12800, 0}; /* 25 pixels at 1 m */

  expect_cells(CELLS "auto",
      "video/x-raw,format=GRAY16_LE,width=4,height=1,framerate=10/1,"
      "disparity-encoding=depth-mm,camera-focal=500.0,camera-baseline=0.1,"
      "camera-image-width=8,camera-image-height=2",
      map, sizeof map, expected, 4);
}

/* ---- Refusals ------------------------------------------------------------------------------ */

#define GRAY16 "video/x-raw,format=GRAY16_LE,width=16,height=16,framerate=10/1"
static const struct {
  const gchar *line, *caps;
  const gchar *words[4];
} refusals[] = {
    {"", FLOATS "16:16:2:1", {"16:16:2", "W:H:1:1", "1:W:H:1", NULL}},
    {"", FLOATS "16", {"dimensions=16,", "W:H:1:1", NULL}},
    {"", "other/tensors,num_tensors=1,types=uint8,dimensions=(string)16:16:1:1",
        {"disparity", "types=uint8", "float32", NULL}},
    {"", "other/tensors,num_tensors=2,types=float32", {"disparity", "2 tensors", NULL}},
    {"", FLOATS "40000:8:1:1", {"40000", "32768", NULL}},
    {"", GRAY16 ",disparity-encoding=(string)feet", {"feet", "depth-mm", "opencv", NULL}},
    {"", GRAY16 ",disparity-encoding=(string)pixels", {"pixels", "float32", "depth-mm", NULL}},
    {"disparity-encoding=kitti", FLOATS "16:16:1:1", {"kitti", "GRAY16_LE", "depth-m", NULL}},
    {"disparity-encoding=depth-m", GRAY16, {"depth-m", "16 bits", "opencv", NULL}},
    {"disparity-encoding=depth-mm", GRAY16, {"depth-mm", "focal", "calibration", NULL}},
    {"disparity-encoding=depth-m", FLOATS "16:16:1:1", {"depth-m", "focal", "camera-focal", NULL}},
    {"", GRAY16 ",camera-focal=500.0,camera-image-width=32,camera-image-height=32",
        {"32x32", "16x16", "disparity-scale", NULL}},
    {"disparity-steps=100", GRAY16, {"disparity-steps is 100", "256, 128, 64, 32 or 16", NULL}},
    {"disparity-encoding=depth-mm focal=1e6 baseline=10", GRAY16 ",width=8",
        {"disparity", "fit", NULL}},
};

STX_TEST_LOOP(refuses_with_a_reason, G_N_ELEMENTS(refusals))
{
  g_autofree gchar *line = g_strdup_printf("downsample-transpose %s", refusals[_i].line);

  stx_test_refuses(line, refusals[_i].caps, 100, refusals[_i].words);
}

STX_TEST(names_a_tensor_that_is_too_short)
{
  static const char *const words[4] = {"disparity", "1023", "1024"};

  stx_test_refuses("downsample-transpose ", FLOATS "16:16:1:1", 1023, words);
}

/* ---- Maps that are something else ---------------------------------------------------------- */

static const struct {
  const char *source, *properties, *words; /* NULL: no warning */
} doubtful[] = {
    {"view=disparity", "", NULL},
    {"view=disparity", "disparity-encoding=cityscapes", NULL},
    {"view=disparity", "disparity-encoding=depth-mm", "grow from top to bottom"},
    {"view=disparity ! video/x-raw,format=GRAY16_LE,width=320,height=96 ! "
     "videoconvert ! video/x-raw,format=GRAY16_BE ! "
     "rawvideoparse format=gray16-le width=320 height=96 framerate=10/1",
        "", "GRAY16_BE"},
    {"view=left ! video/x-raw,width=320,height=96 ! videoconvert", "", "put stereo-sgm in front"},
};

STX_TEST_LOOP(what_is_no_map_is_said_once, G_N_ELEMENTS(doubtful))
{
  g_autofree gchar *line = g_strdup_printf("street-scene-src num-buffers=9 %s ! "
                                           "video/x-raw,format=GRAY16_LE,width=320,height=96 ! "
                                           "downsample-transpose backend=omp %s ! fakesink",
      doubtful[_i].source, doubtful[_i].properties);
  g_autoptr(GstElement) pipeline = stx_test_parse(line);
  g_auto(GStrv) warnings = stx_test_warnings(pipeline);

  ck_assert_uint_eq(g_strv_length(warnings), doubtful[_i].words != NULL ? 1 : 0);
  if (warnings[0] != NULL)
    ck_assert_msg(strstr(warnings[0], doubtful[_i].words) != NULL, "%s", warnings[0]);
}

/* gst-launch links it to the pad confidence: said before the pipeline has waited for the other. */
STX_TEST(a_gray_picture_is_told_what_the_pad_is_for)
{
  stx_test_warns("street-scene-src num-buffers=2 ! videoconvert ! "
                 "video/x-raw,format=GRAY8,width=64,height=32 ! downsample-transpose ! fakesink",
      "confidence is for how certain", "stereo-sgm", NULL);
}
