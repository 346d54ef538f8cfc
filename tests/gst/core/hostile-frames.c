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

/* The picture comes from the source `frames`; what comes of it ends in `sink`. */
static const char *const lines[] = {
    "stereo-sgm name=sgm max-disparity=64 ! fakesink name=sink signal-handoffs=true "
    "street-scene-src name=frames view=left num-buffers=1 ! video/x-raw,format=GRAY8," SIZE
    " ! sgm.sink_left "
    "street-scene-src view=right num-buffers=1 ! video/x-raw,format=GRAY8," SIZE
    " ! sgm.sink_right",
    "stereo-sgm name=sgm max-disparity=64 ! fakesink name=sink signal-handoffs=true "
    "street-scene-src view=left num-buffers=1 ! video/x-raw,format=GRAY8," SIZE " ! sgm.sink_left "
    "street-scene-src name=frames view=right num-buffers=1 ! video/x-raw,format=GRAY8," SIZE
    " ! sgm.sink_right",
    "street-scene-src name=frames view=disparity num-buffers=1 ! video/x-raw," SIZE
    " ! downsample-transpose ! fakesink name=sink signal-handoffs=true",
    "downsample-transpose name=cells ! fakesink name=sink signal-handoffs=true "
    "street-scene-src view=disparity num-buffers=1 ! video/x-raw," SIZE " ! cells.sink "
    "street-scene-src name=frames view=left num-buffers=1 ! video/x-raw,format=GRAY8," SIZE
    " ! cells.confidence",
    "downsample-transpose name=cells ! fakesink name=sink signal-handoffs=true "
    "street-scene-src view=disparity num-buffers=1 ! video/x-raw," SIZE " ! cells.sink "
    "street-scene-src name=frames view=semantics num-buffers=1 ! video/x-raw," SIZE
    " ! cells.semantics",
    "stixel-overlay name=overlay ! fakesink name=sink signal-handoffs=true "
    "street-scene-src name=frames view=left num-buffers=1 ! video/x-raw,format=RGB," SIZE
    " ! overlay.sink "
    "street-scene-src view=disparity num-buffers=1 ! video/x-raw," SIZE
    " ! downsample-transpose ! sat-dp-stixels ! overlay.stixels",
    "street-scene-src name=frames view=disparity num-buffers=1 ! video/x-raw," SIZE
    " ! disparity-colour ! video/x-raw,format=RGB ! fakesink name=sink signal-handoffs=true",
    "disparity-colour name=colour ! video/x-raw,format=BGRx ! fakesink name=sink "
    "signal-handoffs=true "
    "street-scene-src view=disparity num-buffers=1 ! video/x-raw," SIZE " ! colour.sink "
    "street-scene-src name=frames view=disparity num-buffers=1 ! video/x-raw," SIZE
    " ! colour.truth",
    BIN " name=bin max-disparity=64 ! fakesink name=sink signal-handoffs=true "
        "street-scene-src name=frames view=left num-buffers=1 ! video/x-raw,format=RGB," SIZE
        " ! bin.sink_left "
        "street-scene-src view=right num-buffers=1 ! video/x-raw,format=GRAY8," SIZE
        " ! bin.sink_right",
};

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

static void expect_same(const char *line, const Layout *layout, const GByteArray *bytes)
{
  g_autoptr(GByteArray) plain = g_byte_array_new();

  gst_message_unref(run(line, NULL, plain));
  fail_unless(plain->len > 0 && plain->len == bytes->len &&
                  memcmp(plain->data, bytes->data, plain->len) == 0,
      "%s: other bytes: %s", layout->what, line);
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

STX_TEST_LOOP(every_layout, G_N_ELEMENTS(lines) * G_N_ELEMENTS(layouts))
{
  const Layout *layout = &layouts[_i % G_N_ELEMENTS(layouts)];
  const char *line = lines[(guint)_i / G_N_ELEMENTS(layouts)];
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  g_autoptr(GstMessage) end = run(line, layout, bytes);

  if (!layout->fits) {
    expect_refusal(line, layout, end);
  } else {
    fail_unless(GST_MESSAGE_TYPE(end) == GST_MESSAGE_EOS, "%s is refused: %s", layout->what, line);
    expect_same(line, layout, bytes);
  }
}
