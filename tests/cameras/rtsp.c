/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/cameras/rtsp.h"

#include <gst/rtsp-server/rtsp-server.h>
#include <string.h>

#include "tests/cameras/camera.h"
#include "tests/gst/fixtures/util.h"

#define CAMERA                                                                                     \
  "( v4l2src device=%s ! video/x-raw,format=NV12,width=1280,height=720,framerate=30/1 ! %s )"
#define H264 "x264enc tune=zerolatency speed-preset=ultrafast bitrate=16000 ! rtph264pay name=pay0"
#define JPEG "videoconvert ! video/x-raw,format=I420 ! jpegenc ! rtpjpegpay name=pay0"

typedef struct {
  GstRTSPServer *server;
  guint source;
  GstClockTime delay;
  gboolean honest;
} Side;

struct RtspPair {
  GMainContext *context;
  GMainLoop *loop;
  GThread *thread;
  Side side[2];
};

/* ---- What the reports of a camera say ------------------------------------------------------ */

typedef struct {
  GstRTSPMedia parent;
} HonestMedia;

typedef struct {
  GstRTSPMediaClass parent_class;
} HonestMediaClass;

static GType honest_media_get_type(void);
G_DEFINE_TYPE(HonestMedia, honest_media, GST_TYPE_RTSP_MEDIA)

static gboolean setup_rtpbin(GstRTSPMedia *media, GstElement *rtpbin)
{
  g_object_set(rtpbin, "rtcp-sync-send-time", FALSE, NULL);
  return TRUE;
}

static void honest_media_init(HonestMedia *self)
{
}

static void honest_media_class_init(HonestMediaClass *class)
{
  GST_RTSP_MEDIA_CLASS(class)->setup_rtpbin = setup_rtpbin;
}

/* ---- One camera ---------------------------------------------------------------------------- */

static void set_delay(const GValue *item, gpointer data)
{
  if (g_type_is_a(G_VALUE_TYPE(item), GST_TYPE_ELEMENT) &&
      g_type_is_a(G_OBJECT_TYPE(g_value_get_object(item)), TYPE_CAMERA))
    camera_set_delay(g_value_get_object(item), *(GstClockTime *)data);
}

/* Ten times as often as usual, so that no test has to wait for seconds. */
static void hurry_reports(GstRTSPMedia *media, gpointer data)
{
  for (guint i = 0; i < gst_rtsp_media_n_streams(media); i++) {
    GObject *session = gst_rtsp_stream_get_rtpsession(gst_rtsp_media_get_stream(media, i));

    g_object_set(session, "rtcp-min-interval", 500 * GST_MSECOND, NULL);
    g_object_unref(session);
  }
}

static void configure(GstRTSPMediaFactory *factory, GstRTSPMedia *media, gpointer data)
{
  g_autoptr(GstElement) element = gst_rtsp_media_get_element(media);
  g_autoptr(GstIterator) elements = gst_bin_iterate_recurse(GST_BIN(element));
  Side *side = data;

  gst_iterator_foreach(elements, set_delay, &side->delay);
  g_signal_connect(media, "prepared", G_CALLBACK(hurry_reports), NULL);
}

static void start_side(RtspPair *pair, guint index, gboolean jpeg)
{
  Side *side = &pair->side[index];
  GstRTSPMediaFactory *factory = gst_rtsp_media_factory_new();
  g_autofree gchar *launch =
      g_strdup_printf(CAMERA, index ? "/dev/video2" : "/dev/video0", jpeg ? JPEG : H264);
  GstRTSPMountPoints *mounts;

  side->server = gst_rtsp_server_new();
  gst_rtsp_server_set_address(side->server, "127.0.0.1");
  gst_rtsp_server_set_service(side->server, "0");
  gst_rtsp_media_factory_set_launch(factory, launch);
  gst_rtsp_media_factory_set_shared(factory, TRUE);
  if (side->honest)
    gst_rtsp_media_factory_set_media_gtype(factory, honest_media_get_type());
  g_signal_connect(factory, "media-configure", G_CALLBACK(configure), side);
  mounts = gst_rtsp_server_get_mount_points(side->server);
  gst_rtsp_mount_points_add_factory(mounts, "/stream", factory);
  g_object_unref(mounts);
  side->source = gst_rtsp_server_attach(side->server, pair->context);
  ck_assert_uint_gt(side->source, 0);
}

static GstRTSPFilterResult remove_all(GstRTSPServer *server, GstRTSPClient *client, gpointer data)
{
  return GST_RTSP_FILTER_REMOVE;
}

static void stop_side(RtspPair *pair, guint index)
{
  Side *side = &pair->side[index];

  if (side->server == NULL)
    return;
  g_source_destroy(g_main_context_find_source_by_id(pair->context, side->source));
  gst_rtsp_server_client_filter(side->server, remove_all, NULL);
  g_clear_object(&side->server);
}

/* ---- Both ---------------------------------------------------------------------------------- */

static gpointer run(gpointer data)
{
  RtspPair *pair = data;

  g_main_context_push_thread_default(pair->context);
  g_main_loop_run(pair->loop);
  g_main_context_pop_thread_default(pair->context);
  return NULL;
}

RtspPair *rtsp_start(gboolean jpeg, GstClockTime delay, gboolean honest)
{
  RtspPair *pair = g_new0(RtspPair, 1);

  camera_share_numbers();
  pair->context = g_main_context_new();
  pair->loop = g_main_loop_new(pair->context, FALSE);
  pair->side[1].delay = delay;
  for (guint i = 0; i < 2; i++) {
    pair->side[i].honest = honest;
    start_side(pair, i, jpeg);
  }
  pair->thread = g_thread_new("rtsp", run, pair);
  return pair;
}

void rtsp_unplug(RtspPair *pair)
{
  stop_side(pair, 1);
}

void rtsp_stop(RtspPair *pair)
{
  for (guint i = 0; i < 2; i++)
    stop_side(pair, i);
  g_main_loop_quit(pair->loop);
  g_thread_join(pair->thread);
  g_main_loop_unref(pair->loop);
  g_main_context_unref(pair->context);
  g_free(pair);
}

static void redirect(const GValue *item, gpointer data)
{
  GstElement *element = g_value_get_object(item);
  GstElementFactory *factory = gst_element_get_factory(element);
  RtspPair *pair = data;
  gchar *location;
  guint right;

  if (factory == NULL || !g_str_equal(GST_OBJECT_NAME(factory), "rtspsrc"))
    return;
  g_object_get(element, "location", &location, NULL);
  right = strstr(location, "//192.168.1.11/") != NULL;
  g_free(location);
  location = g_strdup_printf(
      "rtsp://127.0.0.1:%d/stream", gst_rtsp_server_get_bound_port(pair->side[right].server));
  g_object_set(element, "location", location, NULL);
  g_free(location);
}

void rtsp_redirect(RtspPair *pair, GstElement *pipeline)
{
  g_autoptr(GstIterator) elements = gst_bin_iterate_recurse(GST_BIN(pipeline));

  gst_iterator_foreach(elements, redirect, pair);
}
