/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pictures whose GstVideoMeta is unusual, or lies, on every pad that takes pictures: what fits its
 * memory gives the same bytes as ever, what does not is refused by name, and stereo-stixels goes on
 * without it. Nothing is read or written outside of the memory, which the address sanitizer sees.
 */
#include <gst/video/video.h>
#include <string.h>

#include "tests/gst/fixtures/util.h"

#define SIZE "width=83,height=45"
#define WIDTH 83
#define HEIGHT 45

/* ---- Every input --------------------------------------------------------------------------- */

#define BIN "stereo-stixels"
#define CALIBRATION "calibration.txt"

/* Two cameras without distortion, of which the right one stands aside. */
#define CAMERA(n) "K" n ": [60, 0, 41, 0, 60, 22, 0, 0, 1]\nD" n ": [0, 0, 0, 0, 0]\n"
#define CAMERAS                                                                                    \
  "image_width: 83\nimage_height: 45\n" CAMERA("1")                                                \
      CAMERA("2") "R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [-0.54, 0, 0]\n"

#define MAP "street-scene-src view=disparity num-buffers=1 ! video/x-raw," SIZE
#define FRAMES(view, format)                                                                       \
  "street-scene-src name=frames view=" view " num-buffers=1 ! video/x-raw," format SIZE
#define VIEW(view, format) "street-scene-src view=" view " num-buffers=1 ! video/x-raw," format SIZE
#define GRAY "format=GRAY8,"
#define SINK " ! fakesink name=sink signal-handoffs=true "
#define HAZARDS "road-hazards name=e" SINK

/* For each pad that reads pictures a line: the picture comes from the source `frames`; what comes
 * of it ends in `sink`. */
static const struct {
  const char *pad, *line;
} lines[] = {
    {"stereo-sgm.sink_left", "stereo-sgm name=e max-disparity=64" SINK FRAMES("left",
                                 GRAY) " ! e.sink_left " VIEW("right", GRAY) " ! e.sink_right"},
    {"stereo-sgm.sink_right", "stereo-sgm name=e max-disparity=64" SINK VIEW("left",
                                  GRAY) " ! e.sink_left " FRAMES("right", GRAY) " ! e.sink_right"},
    {"stereo-rectify.sink_left",
        "stereo-rectify calibration=" CALIBRATION " name=e " FRAMES(
            "left", GRAY) " ! e.sink_left " VIEW("right", GRAY) " ! e.sink_right e.src_left" SINK
                                                                "e.src_right ! fakesink"},
    {"stereo-rectify.sink_right",
        "stereo-rectify calibration=" CALIBRATION " name=e " VIEW(
            "left", GRAY) " ! e.sink_left " FRAMES("right", GRAY) " ! e.sink_right e.src_right" SINK
                                                                  "e.src_left ! fakesink"},
    {"downsample-transpose.sink", FRAMES("disparity", "") " ! downsample-transpose" SINK},
    {"downsample-transpose.confidence",
        "downsample-transpose name=e" SINK MAP " ! e.sink " FRAMES("left", GRAY) " ! e.confidence"},
    {"downsample-transpose.semantics", "downsample-transpose name=e" SINK MAP
                                       " ! e.sink " FRAMES("semantics", "") " ! e.semantics"},
    {"stixel-overlay.sink",
        "stixel-overlay name=e" SINK FRAMES("left",
            "format=RGB,") " ! e.sink " MAP " ! downsample-transpose ! sat-dp-stixels ! e.stixels"},
    {"lidar-overlay.sink",
        "lidar-overlay name=e" SINK FRAMES(
            "left", "format=RGB,") " ! e.sink "
                                   "street-scene-src view=lidar num-buffers=1 ! e.points"},
    {"road-hazards.disparity", HAZARDS FRAMES("disparity", "") " ! e.disparity " VIEW("left",
                                   GRAY) " ! e.sink_left " VIEW("right", GRAY) " ! e.sink_right"},
    {"road-hazards.sink_left", HAZARDS MAP " ! e.disparity " FRAMES("left",
                                   GRAY) " ! e.sink_left " VIEW("right", GRAY) " ! e.sink_right"},
    {"road-hazards.sink_right",
        HAZARDS MAP " ! e.disparity " VIEW("left", GRAY) " ! e.sink_left " FRAMES(
            "right", GRAY) " ! e.sink_right"},
    {"disparity-colour.sink",
        FRAMES("disparity", "") " ! disparity-colour ! video/x-raw,format=RGB" SINK},
    {BIN ".sink_left", BIN " name=e max-disparity=64" SINK FRAMES("left",
                           "format=RGB,") " ! e.sink_left " VIEW("right", GRAY) " ! e.sink_right"},
    {BIN ".sink_right",
        BIN " name=e max-disparity=64" SINK VIEW("left", "format=RGB,") " ! e.sink_left " FRAMES(
            "right", GRAY) " ! e.sink_right"},
};

/* Pads that need no line, as do those that take pictures in any memory: they read metas alone. */
static const struct {
  const char *pad, *why;
} others[] = {
    {"onnx-stereo.", "needs a network"},
    {"onnx-semantics.", "needs a network"},
    {"stereo-sgm.sink", "both views in a frame, which is read as the two are"},
    {"stereo-rectify.sink", "both views in a frame, which is read as the two are"},
    {BIN ".sink", "both views in a frame, which is read as the two are"},
};

static gboolean has_line(const char *pad)
{
  gboolean has = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS(lines); i++)
    has |= g_str_equal(lines[i].pad, pad);
  for (guint i = 0; i < G_N_ELEMENTS(others); i++)
    has |= g_str_has_suffix(others[i].pad, ".") ? g_str_has_prefix(pad, others[i].pad)
                                                : g_str_equal(others[i].pad, pad);
  return has;
}

STX_TEST(every_pad_of_pictures_has_a_line)
{
  g_auto(GStrv) names = stx_test_elements();
  g_autoptr(GstCaps) pictures = gst_caps_from_string("video/x-raw(ANY)");
  g_autoptr(GstCaps) elsewhere = gst_caps_from_string("video/x-raw(memory:Elsewhere)");

  for (gchar **name = names; *name != NULL; name++) {
    g_autoptr(GstElementFactory) factory = gst_element_factory_find(*name);
    const GList *item = gst_element_factory_get_static_pad_templates(factory);

    for (; item != NULL; item = item->next) {
      GstStaticPadTemplate *templ = item->data;
      g_autoptr(GstCaps) caps = gst_static_pad_template_get_caps(templ);
      g_autofree gchar *pad = g_strconcat(*name, ".", templ->name_template, NULL);

      fail_unless(templ->direction == GST_PAD_SRC || !gst_caps_can_intersect(caps, pictures) ||
                      gst_caps_can_intersect(caps, elsewhere) || has_line(pad),
          "%s takes pictures: add a line", pad);
    }
  }
}

/* ---- Unusual pictures ---------------------------------------------------------------------- */

/* The layout of a picture's rows in the memory that replaces its own. */
typedef struct {
  const char *what;
  gboolean fits;
  gint
      stride; /* bytes more than a row has; negative: the rows go upwards, this far apart besides */
  gsize before; /* bytes in front of the first row */
  gssize after; /* bytes behind the last one; negative: it does not fit */
  gint larger;  /* columns and rows more than the caps say; negative: it does not fit */
} Layout;

static const Layout layouts[] = {
    {"padded rows", TRUE, 7, 0, 0, 0},
    {"memory that begins oddly", TRUE, 0, 1, 0, 0},
    {"odd rows that begin oddly", TRUE, 1, 3, 5, 0},
    {"rows that go upwards", TRUE, -1, 0, 0, 0},
    {"a picture larger than its caps", TRUE, 16, 0, 512, 1},
    {"a picture smaller than its caps", FALSE, 0, 0, 0, -1},
    {"a last row that ends too late", FALSE, 0, 0, -1, 0},
    {"rows too far apart", FALSE, 3, 0, -3 * HEIGHT, 0},
    {"a first row that begins too late", FALSE, 0, 64, -64, 0},
    {"rows that go upwards and out", FALSE, -9, 0, -9 * HEIGHT, 0},
};

/* A buffer with the same picture, laid out otherwise. */
static GstBuffer *lay_out(GstBuffer *buffer, const GstVideoInfo *info, const Layout *layout)
{
  gsize row = (gsize)WIDTH * GST_VIDEO_INFO_COMP_PSTRIDE(info, 0);
  gint distance = (gint)row + ABS(layout->stride);
  gssize size = (gssize)layout->before + distance * (HEIGHT - 1) + (gssize)row + layout->after;
  guint8 *memory = g_malloc((gsize)size);
  gsize first = layout->before + (layout->stride < 0 ? (gsize)distance * (HEIGHT - 1) : 0);
  GstBuffer *copy = gst_buffer_new_wrapped(memory, (gsize)size);
  gsize offset[GST_VIDEO_MAX_PLANES] = {first};
  gint stride[GST_VIDEO_MAX_PLANES] = {layout->stride < 0 ? -distance : distance};
  GstVideoFrame frame;

  fail_unless(gst_video_frame_map(&frame, info, buffer, GST_MAP_READ));
  memset(memory, 0x5a, (gsize)size);
  for (gint y = 0; layout->fits && y < HEIGHT; y++)
    memcpy(memory + (gssize)first + (gssize)y * stride[0],
        (guint8 *)GST_VIDEO_FRAME_PLANE_DATA(&frame, 0) +
            (gsize)y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0),
        row);
  gst_video_frame_unmap(&frame);
  gst_buffer_copy_into(copy, buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  gst_buffer_add_video_meta_full(copy, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(info),
      WIDTH + layout->larger, HEIGHT + layout->larger, 1, offset, stride);
  return copy;
}

static GstPadProbeReturn replace(GstPad *pad, GstPadProbeInfo *probe, gpointer layout)
{
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  g_autoptr(GstBuffer) buffer = GST_PAD_PROBE_INFO_BUFFER(probe);
  GstVideoInfo info;

  fail_unless(gst_video_info_from_caps(&info, caps));
  GST_PAD_PROBE_INFO_DATA(probe) = lay_out(buffer, &info, layout);
  return GST_PAD_PROBE_OK;
}

/* ---- Running ------------------------------------------------------------------------------- */

/* The rows of a picture, or the bytes of anything else. */
static void take(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer bytes)
{
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  GstVideoFrame frame;
  GstVideoInfo info;
  GstMapInfo map;

  if (gst_video_info_from_caps(&info, caps)) {
    gsize row = (gsize)WIDTH * GST_VIDEO_INFO_COMP_PSTRIDE(&info, 0);
    fail_unless(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ));
    for (gint y = 0; y < HEIGHT; y++)
      g_byte_array_append(bytes,
          (guint8 *)GST_VIDEO_FRAME_PLANE_DATA(&frame, 0) +
              (gssize)y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0),
          (guint)row);
    gst_video_frame_unmap(&frame);
  } else {
    fail_unless(gst_buffer_map(buffer, &map, GST_MAP_READ));
    g_byte_array_append(bytes, map.data, (guint)map.size);
    gst_buffer_unmap(buffer, &map);
  }
}

static gpointer child(GstElement *pipeline, const char *name)
{
  gpointer element = gst_bin_get_by_name(GST_BIN(pipeline), name);

  gst_object_unref(element); /* the pipeline holds it */
  return element;
}

static gboolean drops(const char *line)
{
  return g_str_has_prefix(line, BIN);
}

/* The message that ended the line: EOS or an error; the first warning, if it drops what does not
 * fit. `layout` NULL: pictures as they come. */
static GstMessage *run(const char *line, const Layout *layout, GByteArray *bytes)
{
  GstMessageType ends = GST_MESSAGE_EOS | (drops(line) ? GST_MESSAGE_WARNING : GST_MESSAGE_ERROR);

  g_autoptr(GstElement) pipeline = gst_parse_launch(line, NULL);
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  g_autoptr(GstPad) pad = gst_element_get_static_pad(child(pipeline, "frames"), "src");
  GstMessage *end;

  if (layout != NULL)
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, replace, (gpointer)layout, NULL);
  g_signal_connect(child(pipeline, "sink"), "handoff", G_CALLBACK(take), bytes);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  end = gst_bus_timed_pop_filtered(bus, 20 * GST_SECOND, ends);
  fail_unless(end != NULL, "no end: %s", line);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return end;
}

static void expect_refusal(const char *line, const Layout *layout, GstMessage *end)
{
  g_autoptr(GError) error = NULL;

  fail_unless(GST_MESSAGE_TYPE(end) != GST_MESSAGE_EOS, "%s is accepted: %s", layout->what, line);
  (drops(line) ? gst_message_parse_warning : gst_message_parse_error)(end, &error, NULL);
  fail_unless(strstr(error->message, "does not fit its caps") != NULL &&
                  strstr(error->message, "83x45") != NULL,
      "%s: \"%s\"", layout->what, error->message);
}

STX_TEST_LOOP(every_layout, G_N_ELEMENTS(lines))
{
  const char *line = lines[_i].line;
  g_autoptr(GByteArray) plain = g_byte_array_new();

  stx_test_folder();
  stx_test_write(CALIBRATION, CAMERAS);
  gst_message_unref(run(line, NULL, plain));
  fail_unless(plain->len > 0, "nothing comes out: %s", line);
  for (const Layout *layout = layouts; layout < layouts + G_N_ELEMENTS(layouts); layout++) {
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_autoptr(GstMessage) end = run(line, layout, bytes);

    if (!layout->fits) {
      expect_refusal(line, layout, end);
    } else {
      fail_unless(
          GST_MESSAGE_TYPE(end) == GST_MESSAGE_EOS, "%s is refused: %s", layout->what, line);
      fail_unless(plain->len == bytes->len && memcmp(plain->data, bytes->data, plain->len) == 0,
          "%s: other bytes: %s", layout->what, line);
    }
  }
}
