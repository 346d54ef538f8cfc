/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/views/onvideo.h"

#include "common/colour/colour.h"
#include "gst/shared/element.h"

gboolean gst_stx_onvideo_parse(GstStxPairing *self, const GstCaps *caps, GstVideoInfo *info)
{
  gchar *text;

  if (gst_video_info_from_caps(info, caps) && stx_pixel_format(GST_VIDEO_INFO_NAME(info)) != NULL)
    return TRUE;
  text = gst_caps_to_string(caps);
  GST_ELEMENT_ERROR(self, STREAM, FORMAT,
      ("Cannot draw on %s; needed is video/x-raw in one of %s: put videoconvert in front", text,
          GST_STX_ONVIDEO_FORMATS),
      (NULL));
  g_free(text);
  return FALSE;
}

GstFlowReturn gst_stx_onvideo_announce(GstStxPairing *self, guint role)
{
  GstCaps *caps = gst_stx_pairing_get_caps(self, role);
  GstCaps *current = gst_pad_get_current_caps(GST_AGGREGATOR_SRC_PAD(self));
  gboolean same = current != NULL && gst_caps_is_equal(current, caps);

  gst_clear_caps(&current);
  if (!same)
    return gst_stx_pairing_set_src_caps(self, caps);
  gst_caps_unref(caps);
  return GST_FLOW_OK;
}

static void answer_caps(GstStxPairing *self, GstPad *pad, GstPad *other, GstQuery *query)
{
  GstStxCuda *cuda = &gst_stx_pairing_stage(self)->cuda;
  GstCaps *filter, *allowed, *peer;

  gst_query_parse_caps(query, &filter);
  allowed = gst_stx_caps_filtered(
      gst_stx_cuda_filter_caps(cuda, gst_pad_get_pad_template_caps(pad)), filter);
  peer = gst_pad_peer_query_caps(other, allowed);
  gst_query_set_caps_result(query, peer);
  gst_caps_unref(peer);
  gst_caps_unref(allowed);
}

gboolean gst_stx_onvideo_query(GstStxPairing *self, guint role, GstPad *pad, GstQuery *query)
{
  GstAggregatorPad *video;
  GstPad *source = GST_AGGREGATOR_SRC_PAD(self);
  gboolean answers;

  if (GST_QUERY_TYPE(query) != GST_QUERY_CAPS)
    return FALSE;
  video = gst_stx_pairing_get_pad(self, role);
  answers = pad == source || pad == GST_PAD(video);
  if (answers)
    answer_caps(self, pad, pad == source ? GST_PAD(video) : source, query);
  gst_object_unref(video);
  return answers;
}
