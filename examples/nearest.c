/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The nearest obstacle in each column of a synthetic street, in metres.
 *
 *   cc nearest.c $(pkg-config --cflags --libs gststixels-1.0 gstreamer-app-1.0) -o nearest
 *   ./nearest
 */
#include <gst/app/gstappsink.h>
#include <gst/stixels/stixels.h>
#include <stdio.h>

#define LINE                                                                                       \
  "stereo-stixels name=stixels ! videoconvert ! appsink name=sink "                                \
  "street-scene-src view=left num-buffers=3 ! stixels.sink_left "                                  \
  "street-scene-src view=right num-buffers=3 ! stixels.sink_right"

static void print_frame(GstClockTime time, const GstStxStixels *stixels)
{
  printf("frame at %.3f s\n", time / 1e9);
  for (guint column = 0; column < gst_stx_stixels_get_info(stixels)->columns; column++) {
    gint nearest = gst_stx_stixels_find_nearest(stixels, column);
    StxMetres where;

    if (nearest >= 0 && gst_stx_stixels_get_metres(stixels, nearest, &where))
      printf("%u: %.2f m ahead, %.2f m to the right\n", column, where.z, where.x);
  }
}

static gboolean read_frame(GstSample *sample, GError **error)
{
  GstStxStixels *stixels = gst_stx_stixels_new_from_sample(sample, error);

  if (stixels == NULL)
    return FALSE;
  print_frame(GST_BUFFER_PTS(gst_sample_get_buffer(sample)), stixels);
  gst_stx_stixels_unref(stixels);
  return TRUE;
}

int main(int argc, char **argv)
{
  GError *error = NULL;
  GstSample *sample;

  gst_init(&argc, &argv);
  GstElement *pipeline = gst_parse_launch(LINE, &error);
  if (error != NULL)
    g_error("%s", error->message);
  GstAppSink *sink = GST_APP_SINK(gst_bin_get_by_name(GST_BIN(pipeline), "sink"));
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample(sink)) != NULL) {
    if (!read_frame(sample, &error))
      g_error("%s", error->message);
    gst_sample_unref(sample);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
  return 0;
}
