/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/views/onvideo.h"

#include "common/colour/colour.h"
#include "gst/core/element.h"

/* The formats of stx_pixel_format; a converter in front prefers the first one. Colour alone: where
 * gray were possible, a tee in front of such an element and of a matcher, which prefers gray, would
 * settle on it. */
#define FORMATS                                                                                    \
  "{ RGB, BGR, RGBA, RGBx, BGRA, BGRx, ARGB, xRGB, ABGR, xBGR, I420, YV12, NV12, NV21, Y42B, "     \
  "NV16, NV61, Y444, NV24, AYUV, YUY2, YVYU, UYVY, VYUY }"
#define CAPS GST_STX_CUDA_CAPS("video/x-raw", ",format=" FORMATS)

G_DEFINE_ABSTRACT_TYPE(GstStxOnVideo, gst_stx_onvideo, GST_TYPE_STX_PAIRING)

GST_STX_PAD(sink, SINK, ALWAYS, CAPS);
GST_STX_PAD(src, SRC, ALWAYS, CAPS);

/* ---- Caps ---------------------------------------------------------------------------------- */

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps, StxError *error)
{
  GstVideoInfo *info = &GST_STX_ONVIDEO(pairing)->video;
  g_autofree gchar *text = NULL;

  if (gst_video_info_from_caps(info, caps) && stx_pixel_format(GST_VIDEO_INFO_NAME(info)) != NULL)
    return TRUE;
  text = gst_caps_to_string(caps);
  GST_ELEMENT_ERROR(pairing, STREAM, FORMAT,
      ("Cannot draw on %s; expected video/x-raw in one of %s: put videoconvert in front", text,
          FORMATS),
      (NULL));
  return FALSE;
}

GstFlowReturn gst_stx_onvideo_announce(GstStxOnVideo *self)
{
  GstCaps *caps = gst_stx_pairing_caps(&self->parent, GST_STX_ROLE_VIDEO);
  g_autoptr(GstCaps) current = gst_pad_get_current_caps(GST_AGGREGATOR_SRC_PAD(self));
  gboolean same = current != NULL && gst_caps_is_equal(current, caps);

  return same ? GST_FLOW_OK : gst_stx_pairing_set_src_caps(&self->parent, gst_caps_ref(caps));
}

static GstFlowReturn announce(GstStxPairing *pairing, guint roles, StxError *error)
{
  return gst_stx_onvideo_announce(GST_STX_ONVIDEO(pairing));
}

/* Answers a caps query of one side of the frames as the other side would, so that converters agree.
 * FALSE: it is another query, or of another pad. */
static gboolean answer(GstStxPairing *self, GstPad *pad, GstQuery *query)
{
  GstStxCuda *cuda = &gst_stx_pairing_stage(self)->cuda;
  GstPad *source = GST_AGGREGATOR_SRC_PAD(self);
  g_autoptr(GstPad) video = GST_PAD(gst_stx_pairing_get_pad(self, GST_STX_ROLE_VIDEO));
  gboolean answers = GST_QUERY_TYPE(query) == GST_QUERY_CAPS && (pad == source || pad == video);
  g_autoptr(GstCaps) allowed = NULL, peer = NULL;
  GstCaps *filter;

  if (answers) {
    gst_query_parse_caps(query, &filter);
    allowed = gst_stx_caps_filtered(
        gst_stx_cuda_filter_caps(cuda, gst_pad_get_pad_template_caps(pad)), filter);
    peer = gst_pad_peer_query_caps(pad == source ? video : source, allowed);
    gst_query_set_caps_result(query, peer);
  }
  return answers;
}

static gboolean sink_query(GstAggregator *aggregator, GstAggregatorPad *pad, GstQuery *query)
{
  return answer(GST_STX_PAIRING(aggregator), GST_PAD(pad), query) ||
         GST_AGGREGATOR_CLASS(gst_stx_onvideo_parent_class)->sink_query(aggregator, pad, query);
}

static gboolean src_query(GstAggregator *aggregator, GstQuery *query)
{
  return answer(GST_STX_PAIRING(aggregator), GST_AGGREGATOR_SRC_PAD(aggregator), query) ||
         GST_AGGREGATOR_CLASS(gst_stx_onvideo_parent_class)->src_query(aggregator, query);
}

/* ---- Frames -------------------------------------------------------------------------------- */

static gboolean wants_device(GstElement *element, gpointer data)
{
  const GstStxStage *stage = gst_stx_pairing_stage(GST_STX_PAIRING(element));
  const GstStxOnVideoFrame *frame = data;

  return stage->run.backend == STX_BACKEND_CUDA || gst_stx_stage_owns(stage, frame->picture);
}

gboolean gst_stx_onvideo_is_linked(GstStxOnVideo *self, guint role)
{
  g_autoptr(GstAggregatorPad) pad = gst_stx_pairing_get_pad(&self->parent, role);

  return pad != NULL;
}

static void forget(GstStxPairing *pairing)
{
  gst_clear_buffer(&GST_STX_ONVIDEO(pairing)->last);
}

void gst_stx_onvideo_keep(
    GstStxOnVideo *self, GstBuffer *buffer, const GstStxImage *image, GstClockTime time)
{
  if (!GST_CLOCK_TIME_IS_VALID(time)) {
    forget(&self->parent);
  } else if (self->last == NULL || self->time <= time) {
    gst_buffer_replace(&self->last, buffer);
    self->time = time;
    if (image != NULL)
      self->image = *image;
  }
}

gdouble gst_stx_onvideo_miss(GstStxOnVideo *self)
{
  GstClockTime now = gst_stx_pairing_time(&self->parent), duration;

  GST_OBJECT_LOCK(self);
  self->frames_without++;
  duration = self->hold * GST_MSECOND;
  GST_OBJECT_UNLOCK(self);
  if (self->last == NULL || !GST_CLOCK_TIME_IS_VALID(now) || now < self->time ||
      now - self->time >= duration)
    return 0;
  return 1 - (gdouble)(now - self->time) / (gdouble)duration;
}

/* ---- Class --------------------------------------------------------------------------------- */

static gboolean begin(GstStxPairing *pairing, StxError *error)
{
  GstStxOnVideo *self = GST_STX_ONVIDEO(pairing);

  GST_STX_LOCKED(self, self->frames_without = 0);
  self->warned = FALSE;
  return TRUE;
}

static void gst_stx_onvideo_init(GstStxOnVideo *self)
{
  self->hold = GST_STX_ONVIDEO_HOLD;
  gst_stx_pairing_add_pad(&self->parent, GST_STX_ROLE_VIDEO);
}

static void gst_stx_onvideo_class_init(GstStxOnVideoClass *klass)
{
  GstAggregatorClass *aggregator = GST_AGGREGATOR_CLASS(klass);
  GstStxPairingClass *pairing = GST_STX_PAIRING_CLASS(klass);

  gst_stx_element_add_templates(klass, &src_template, &sink_template, NULL);
  aggregator->sink_query = sink_query;
  aggregator->src_query = src_query;
  pairing->roles.names[GST_STX_ROLE_VIDEO] = "sink";
  pairing->stage.wants_device = wants_device;
  pairing->set_role_caps = set_role_caps;
  pairing->announce = announce;
  pairing->reset = pairing->clear = forget;
  pairing->begin = begin;
}
