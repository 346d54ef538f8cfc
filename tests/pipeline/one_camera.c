/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One of two live cameras stops or ends, and comes back, with the pipeline of the pages, plain
 * queues and no property set: while the left one delivers the picture goes on, the stixels come
 * back with the camera, and a message names the pad.
 */
#include <string.h>

#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/util.h"

#define RATE 20
#define STREET(view) "street-scene-src is-live=true name=" view " view=" view " ! "
#define FORMAT(format, size) "video/x-raw,format=" format ",framerate=20/1," size
#define NORMAL "width=96,height=64"

#define LEFT STREET("left") FORMAT("RGB", NORMAL) " ! tee name=tee "
#define RIGHT STREET("right") FORMAT("GRAY8", NORMAL) " ! "

static const char *const line =
    LEFT "tee. ! queue ! videoconvert ! sgm.sink_left " RIGHT "queue ! sgm.sink_right "
         "stereo-sgm name=sgm max-disparity=64 ! downsample-transpose ! sat-dp-stixels ! "
         "overlay.stixels "
         "tee. ! queue ! stixel-overlay name=overlay ! fakesink name=out sync=true";

static const char *const bin_line =
    LEFT "tee. ! queue ! stixels.sink_left " RIGHT "stixels.sink_right "
         "stereo-stixels name=stixels max-disparity=64 ! fakesink name=out sync=true";

typedef enum { DELIVERS, IS_SILENT, ENDS, FAILS } Right;

typedef struct {
  gint right;           /* Right, atomic */
  gint pictures, drawn; /* atomic: that came out, and those with stixels of their own */
} Scene;

static GstPadProbeReturn from_the_right(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  gint *right = &((Scene *)data)->right;

  if (g_atomic_int_compare_and_exchange(right, ENDS, IS_SILENT))
    gst_pad_push_event(pad, gst_event_new_eos());
  if (g_atomic_int_compare_and_exchange(right, FAILS, IS_SILENT)) {
    gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
    GST_PAD_PROBE_INFO_FLOW_RETURN(info) = GST_FLOW_ERROR;
    return GST_PAD_PROBE_HANDLED;
  }
  return g_atomic_int_get(right) == DELIVERS ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

static GstPadProbeReturn look(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Scene *scene = data;

  g_atomic_int_inc(&scene->pictures);
  if (gst_buffer_get_stx_stixel_meta(GST_PAD_PROBE_INFO_BUFFER(info)) != NULL)
    g_atomic_int_inc(&scene->drawn);
  return GST_PAD_PROBE_OK;
}

static GstElement *begin_line(const char *text, Scene *scene)
{
  GstElement *pipeline = stx_test_parse(text);

  stx_test_probe(pipeline, "right", "src", GST_PAD_PROBE_TYPE_BUFFER, from_the_right, scene);
  stx_test_probe(pipeline, "out", "sink", GST_PAD_PROBE_TYPE_BUFFER, look, scene);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  return pipeline;
}

static GstElement *begin(Scene *scene)
{
  return begin_line(line, scene);
}

static void end(GstElement *pipeline)
{
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}

/* Until so many more have come; a minute without them fails. */
static void wait_for_more(gint *count, gint more)
{
  gint target = g_atomic_int_get(count) + more;

  for (guint i = 0; i < 6000 && g_atomic_int_get(count) < target; i++)
    g_usleep(G_USEC_PER_SEC / 100);
  ck_assert_int_ge(g_atomic_int_get(count), target);
}

/* The next warning or message of that type has the words; no error comes before. */
static void expect_message(GstElement *pipeline, GstMessageType type, const char *words)
{
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gboolean found = FALSE;

  while (!found) {
    g_autoptr(GstMessage) message =
        gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, type | GST_MESSAGE_ERROR);
    g_autoptr(GError) error = NULL;

    fail_unless(message != NULL, "nobody says \"%s\"", words);
    fail_unless(GST_MESSAGE_TYPE(message) != GST_MESSAGE_ERROR);
    if (type == GST_MESSAGE_WARNING)
      gst_message_parse_warning(message, &error, NULL);
    else
      gst_message_parse_info(message, &error, NULL);
    found = strstr(error->message, words) != NULL;
  }
}

STX_TEST(the_right_camera_is_silent_for_a_while)
{
  Scene scene = {DELIVERS};
  GstElement *pipeline = begin(&scene);

  wait_for_more(&scene.drawn, 5);
  g_atomic_int_set(&scene.right, IS_SILENT);
  wait_for_more(&scene.pictures, 3 * RATE / 2);
  expect_message(pipeline, GST_MESSAGE_WARNING, "Pad sink_right is silent");
  g_atomic_int_set(&scene.right, DELIVERS);
  expect_message(pipeline, GST_MESSAGE_INFO, "Pad sink_right is back");
  wait_for_more(&scene.drawn, 5);
  end(pipeline);
}

/* As an application does it, after a message that the source has ended or failed. */
static void restart(GstElement *pipeline, Scene *scene)
{
  g_autoptr(GstElement) source = gst_bin_get_by_name(GST_BIN(pipeline), "right");

  gst_element_set_state(source, GST_STATE_NULL);
  g_atomic_int_set(&scene->right, DELIVERS);
  fail_unless(gst_element_sync_state_with_parent(source));
}

STX_TEST_LOOP(the_right_camera_is_started_again, 4)
{
  Scene scene = {DELIVERS};
  GstElement *pipeline = begin_line(_i & 1 ? bin_line : line, &scene);

  for (guint turn = 0; turn < 2; turn++) {
    wait_for_more(&scene.drawn, 5);
    g_atomic_int_set(&scene.right, _i & 2 ? FAILS : ENDS);
    wait_for_more(&scene.pictures, RATE / 2);
    restart(pipeline, &scene);
  }
  wait_for_more(&scene.drawn, 5);
  end(pipeline);
}
