/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * disparity-colour: ranges and caps in mid-stream, refusals. Modes, encodings and formats:
 * tests/frames.
 */
#include "common/colormap/colormap.h"
#include "tests/gst/fixtures/util.h"

#define HEIGHT 47
#define STRIDE 124 /* of 16 bits */
#define FRAME (100 * GST_MSECOND)
#define MAP_CAPS "video/x-raw,format=GRAY16_LE,width=61,height=47,framerate=10/1"
#define PLAIN "disparity-colour legend=none "

static Stage begin(const char *properties, const char *map)
{
  g_autofree gchar *line = g_strconcat(PLAIN, properties, NULL);
  Stage f = stx_test_stage("disparity-colour", line, NULL);

  gst_harness_set_sink_caps_str(f.harness, "video/x-raw,format=RGB");
  gst_harness_set_src_caps_str(f.harness, map);
  return f;
}

/* Disparities of 0 … 70 px, some unknown; `seed` 0 is all unknown. */
static GstBuffer *map_at(guint frame, guint seed)
{
  GstBuffer *buffer = stx_test_buffer(STRIDE * HEIGHT, 0, frame * FRAME, FRAME);
  GstMapInfo bytes;

  gst_buffer_map(buffer, &bytes, GST_MAP_WRITE);
  for (guint i = 0; seed > 0 && i < bytes.size / 2; i++)
    ((guint16 *)(gpointer)bytes.data)[i] = (guint16)(i % 7 == 0 ? 0 : (i * 37 * seed) % 17920);
  gst_buffer_unmap(buffer, &bytes);
  return buffer;
}

/* ---- What the stem says -------------------------------------------------------------------- */

static GstBuffer *push(Stage *f, GstBuffer *map)
{
  ck_assert_int_eq(gst_harness_push(f->harness, gst_buffer_ref(map)), GST_FLOW_OK);
  return gst_harness_pull(f->harness);
}

/* ---- Stixels ------------------------------------------------------------------------------- */

#define STIXEL_CAPS                                                                                \
  "application/x-stixels,width=16,height=8,stixel-width=8,columns=2,framerate=10/1"

/* ---- Changes in mid-stream ----------------------------------------------------------------- */

/* Downstream may change its mind: the picture is that of an element that always had the format. */
STX_TEST(formats_may_change_in_mid_stream)
{
  g_autoptr(Harness) harness = gst_harness_new_parse(PLAIN "! capsfilter name=filter");
  g_autoptr(GstElement) filter = gst_bin_get_by_name(GST_BIN(harness->element), "filter");
  static const char *const in_turn[] = {"RGB", "BGRx", "ARGB", "RGB"};

  gst_harness_set_src_caps_str(harness, MAP_CAPS);
  for (guint i = 0; i < G_N_ELEMENTS(in_turn); i++) {
    g_autofree gchar *caps = g_strdup_printf("video/x-raw,format=%s", in_turn[i]);
    g_autoptr(GstBuffer) map = map_at(i, i + 1);

    g_autofree gchar *line = g_strconcat(PLAIN "! capsfilter caps=", caps, NULL);
    g_autoptr(Harness) always = gst_harness_new_parse(line);
    g_autoptr(GstBuffer) picture = NULL, expected = NULL;

    gst_util_set_object_arg(G_OBJECT(filter), "caps", caps);
    picture = gst_harness_push_and_pull(harness, gst_buffer_ref(map));
    gst_harness_set_src_caps_str(always, MAP_CAPS);
    expected = gst_harness_push_and_pull(always, gst_buffer_ref(map));
    stx_test_expect_same(picture, expected, caps);
  }
}

/* Half of the numbers at `low` px, half at `high`. */
static GstBuffer *two_values(guint frame, guint low, guint high)
{
  GstBuffer *buffer = map_at(frame, 0);
  GstMapInfo bytes;

  gst_buffer_map(buffer, &bytes, GST_MAP_WRITE);
  for (guint i = 0; i < bytes.size / 2; i++)
    ((guint16 *)(gpointer)bytes.data)[i] = (guint16)(256 * (i % 2 == 0 ? low : high));
  gst_buffer_unmap(buffer, &bytes);
  return buffer;
}

static void expect_ends(Stage *f, GstBuffer *map, gboolean ends, const char *what)
{
  const StxColormapParams params = {.mode = STX_COLORMAP_DISPARITY, .palette = STX_PALETTE_GRAY};
  g_autoptr(GstBuffer) picture = push(f, map);
  guint8 pixels[6];

  gst_buffer_unref(map);
  gst_buffer_extract(picture, 0, pixels, 6);
  ck_assert_msg(
      (pixels[0] <= 12 && pixels[3] >= 243) == ends, "%s: %u %u", what, pixels[0], pixels[3]);
  ck_assert_uint_ge(stx_colormap_colour(&params, STX_COLORMAP_MOST, FALSE).r, 255);
}

/* Both ends of the palette are used at once, then the range follows slowly, and after a flush at
 * once again. */
STX_TEST(the_range_of_frames)
{
  g_auto(Stage) f = begin("range=frame palette=gray", MAP_CAPS);

  expect_ends(&f, map_at(0, 0), FALSE, "nothing is known");
  expect_ends(&f, two_values(1, 20, 40), TRUE, "the first");
  expect_ends(&f, two_values(2, 22, 34), FALSE, "a little narrower");
  stx_test_flush(f.harness);
  expect_ends(&f, two_values(3, 22, 34), TRUE, "after a flush");
  expect_ends(&f, two_values(4, 100, 150), TRUE, "another scene");
}

/* ---- Refusals ------------------------------------------------------------------------------ */

static const struct {
  const char *properties, *caps, *words[2];
} refusals[] = {
    {"mode=depth", MAP_CAPS, {"mode=depth", "baseline"}},
    {"mode=cost", MAP_CAPS, {"mode=cost", "sat-dp-stixels"}},
    {"mode=confidence", MAP_CAPS, {"mode=confidence", "stereo-sgm"}},
    {"mode=disparity", "video/x-raw,format=GRAY8,width=61,height=47", {"GRAY8", "mode"}},
    {"min=64", MAP_CAPS, {"min is 64", "max"}},
    {"min=5 max=4", MAP_CAPS, {"min is 5", "below max"}},
    {"disparity-encoding=pixels", MAP_CAPS, {"disparity-encoding=pixels", "kitti"}},
    {"", "video/x-raw,format=RGB,width=61,height=47", {"RGB", "GRAY16_LE"}},
};

STX_TEST_LOOP(refuses_with_a_reason, G_N_ELEMENTS(refusals))
{
  g_auto(Stage) f = begin(refusals[_i].properties, refusals[_i].caps);

  gst_harness_push(f.harness, map_at(0, 1));
  stx_test_expect_error(f.bus, refusals[_i].words[0], refusals[_i].words[1], NULL);
}

STX_TEST(refuses_half_a_record)
{
  g_auto(Stage) f = begin("", STIXEL_CAPS);

  gst_harness_push(f.harness, stx_test_buffer(25, 0, 0, FRAME));
  stx_test_expect_error(f.bus, "25", "24", NULL);
}
