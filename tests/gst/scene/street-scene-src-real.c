/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The street as real cameras see it: the file decides lenses, sizes and what stands in the caps.
 * What becomes of pixels: tests/common/scene/check_scene_real.c. */
#include "tests/gst/fixtures/util.h"

#include <gst/video/video.h>
#include <string.h>

#include "common/scene/scene.h"

#define REAL_WIDTH 64
#define REAL_HEIGHT 48
#define REAL_CAMERA(n) "K" n ": [50, 0, 31, 0, 50, 23, 0, 0, 1]\nD" n ": [-0.2, 0.05, 0, 0, 0]\n"
#define REAL_PAIR                                                                                  \
  "image_size: [64, 48]\n" REAL_CAMERA("1")                                                        \
      REAL_CAMERA("2") "R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [-0.3, 0, 0]\n"

/* The file of a pair whose lenses bend. */
#define REAL_FILE "lenses.yml"

static guint8 *expected_real(const char *view, gsize *bytes)
{
  const StxCalibrationFiles files = {.path = REAL_FILE, .pair = -1};
  StxSceneParams params = STX_SCENE_DEFAULTS;
  StxCalibration calibration;
  StxScene *scene;
  guint8 *data = g_malloc(2 * REAL_WIDTH * REAL_HEIGHT);
  StxImage8 image = {data, REAL_WIDTH, REAL_WIDTH, REAL_HEIGHT};
  StxImage16 image16 = {(uint16_t *)(void *)data, 2 * REAL_WIDTH, REAL_WIDTH, REAL_HEIGHT};

  fail_unless(stx_calibration_load(&files, 0, 0, &calibration, NULL));
  params.width = REAL_WIDTH;
  params.height = REAL_HEIGHT;
  params.kind = STX_SCENE_CHESSBOARD;
  params.board.hold = 2;
  params.camera.height = 1.5;
  params.calibration = &calibration;
  scene = stx_scene_new(&params, NULL);
  *bytes = REAL_WIDTH;
  if (g_str_equal(view, "disparity")) {
    stx_scene_truth(scene, &image16, NULL);
    *bytes *= 2;
  } else {
    stx_scene_render(
        scene, g_str_equal(view, "right") ? STX_SCENE_RIGHT : STX_SCENE_LEFT, 1, &image);
  }
  stx_scene_free(scene);
  return data;
}

static void expect_rows(GstBuffer *buffer, const guint8 *expected, gsize bytes, const char *what)
{
  GstMapInfo map;

  fail_unless(gst_buffer_map(buffer, &map, GST_MAP_READ));
  ck_assert_uint_eq(map.size, bytes * REAL_HEIGHT);
  fail_unless(memcmp(map.data, expected, map.size) == 0, "%s differs", what);
  gst_buffer_unmap(buffer, &map);
}

static void expect_number(const GstStructure *structure, const char *field, gdouble expected)
{
  gdouble value;

  fail_unless(gst_structure_get_double(structure, field, &value), "no %s", field);
  fail_unless(ABS(value - expected) < 1e-9, "%s is %g, not %g", field, value, expected);
}

/* Pictures of a real camera come without one: only a program with the file knows it. */
static void expect_real_caps(const GstCaps *caps, const char *view)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  gboolean rectified = g_str_equal(view, "disparity");
  gint width;

  fail_unless(gst_structure_get_int(structure, "width", &width) && width == REAL_WIDTH);
  ck_assert_int_eq(gst_structure_has_field(structure, "camera-focal"), rectified);
  ck_assert_int_eq(gst_structure_has_field(structure, "camera-baseline"), rectified);
  ck_assert_int_eq(gst_structure_has_field(structure, "camera-cx"), rectified);
  expect_number(structure, "camera-height", 1.5);
  if (rectified)
    expect_number(structure, "camera-baseline", .3);
}

STX_TEST(lenses_are_those_of_the_file)
{
  static const char *const names[] = {"left", "right", "disparity"};

  stx_test_write(REAL_FILE, REAL_PAIR);
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree gchar *line =
        g_strdup_printf("street-scene-src view=%s scene=chessboard board-hold=2 "
                        "lens-calibration=" REAL_FILE " camera-height=1.5",
            names[i]);
    gsize bytes;
    g_autofree guint8 *expected = expected_real(names[i], &bytes);
    g_autoptr(Harness) harness = stx_test_source(line, "video/x-raw,format={GRAY8,GRAY16_LE}");
    g_autoptr(GstBuffer) buffer = NULL;
    g_autoptr(GstCaps) caps = NULL;

    buffer = gst_harness_pull(harness);
    caps = gst_pad_get_current_caps(harness->sinkpad);
    expect_real_caps(caps, names[i]);
    expect_rows(buffer, expected, bytes, names[i]);
  }
}

STX_TEST(lenses_for_pictures_of_another_shape_are_refused)
{
  stx_test_write(REAL_FILE, REAL_PAIR);
  stx_test_breaks("street-scene-src lens-calibration=" REAL_FILE
                  " ! video/x-raw,width=64,height=40 ! fakesink",
      "64x40", "64x48", NULL);
}
