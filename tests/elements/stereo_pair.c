/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/elements/stereo_pair.h"

#include <string.h>

static void set_properties(GstElement *element, const char *properties)
{
  gchar **assignments = g_strsplit(properties, " ", -1);

  for (gchar **assignment = assignments; *assignment != NULL; assignment++) {
    gchar **sides = g_strsplit(*assignment, "=", 2);

    if (sides[0] != NULL && sides[1] != NULL)
      gst_util_set_object_arg(G_OBJECT(element), sides[0], sides[1]);
    g_strfreev(sides);
  }
  g_strfreev(assignments);
}

StereoPair stereo_element(const char *properties)
{
  StereoPair pair = {.element = gst_element_factory_make("stereo-sgm", NULL)};

  fail_unless(pair.element != NULL, "no element stereo-sgm");
  gst_object_ref_sink(pair.element);
  set_properties(pair.element, properties);
  pair.bus = stx_test_watch(pair.element);
  return pair;
}

char *stereo_caps(const char *format, int width, int height)
{
  return g_strdup_printf(
      "video/x-raw,format=%s,width=%d,height=%d,framerate=10/1", format, width, height);
}

StereoPair stereo_pair(const char *properties, int width, int height)
{
  StereoPair pair = stereo_element(properties);
  char *caps = stereo_caps("GRAY8", width, height);

  pair.left = gst_harness_new_with_element(pair.element, "sink_left", "src");
  pair.right = gst_harness_new_with_element(pair.element, "sink_right", NULL);
  gst_harness_set_src_caps_str(pair.left, caps);
  gst_harness_set_src_caps_str(pair.right, caps);
  g_free(caps);
  return pair;
}

void stereo_pair_free(StereoPair *pair)
{
  if (pair->right != NULL)
    gst_harness_teardown(pair->right);
  if (pair->left != NULL)
    gst_harness_teardown(pair->left);
  gst_element_set_state(pair->element, GST_STATE_NULL);
  gst_element_set_bus(pair->element, NULL);
  gst_object_unref(pair->bus);
  gst_object_unref(pair->element);
}

/* A gray value for every place of every seed: a small integer hash. */
static guint8 texture(int seed, int x, int y)
{
  guint32 value = seed * 2654435761u ^ x * 2246822519u ^ y * 3266489917u;

  value = (value ^ value >> 15) * 2246822519u;
  return value >> 24;
}

GstBuffer *stereo_view(
    const char *format, int width, int height, gboolean right, int seed, int shift, int number)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  GstBuffer *buffer;

  gst_video_info_set_format(&info, gst_video_format_from_string(format), width, height);
  buffer = stx_test_buffer(info.size, 128, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  if (number >= 0) {
    GST_BUFFER_PTS(buffer) = number * FRAME;
    GST_BUFFER_DURATION(buffer) = FRAME;
  }
  fail_unless(gst_video_frame_map(&frame, &info, buffer, GST_MAP_WRITE));
  for (int y = 0; y < height; y++) {
    guint8 *row = (guint8 *)GST_VIDEO_FRAME_PLANE_DATA(&frame, 0) +
                  y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);

    for (int x = 0; x < width; x++)
      row[x] = texture(seed, right ? x + shift : x, y);
  }
  gst_video_frame_unmap(&frame);
  return buffer;
}

void stereo_push_left(StereoPair *pair, GstBuffer *buffer)
{
  ck_assert_int_eq(gst_harness_push(pair->left, buffer), GST_FLOW_OK);
}

void stereo_push_right(StereoPair *pair, GstBuffer *buffer)
{
  ck_assert_int_eq(gst_harness_push(pair->right, buffer), GST_FLOW_OK);
}

guint stereo_at(GstBuffer *disparity, int width, int height, int x, int y)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  const guint16 *row;
  guint value;

  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY16_LE, width, height);
  fail_unless(gst_video_frame_map(&frame, &info, disparity, GST_MAP_READ));
  row = (const guint16 *)((const guint8 *)GST_VIDEO_FRAME_PLANE_DATA(&frame, 0) +
                          y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0));
  value = GUINT16_FROM_LE(row[x]);
  gst_video_frame_unmap(&frame);
  return value;
}
