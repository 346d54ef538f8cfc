/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an aggregator adds to the latency of a live pipeline. */
#include "gst/base/pairing_private.h"

#define PRIVATE(self) (gst_stx_pairing_private((GstStxPairing *)(self)))
#define CLASS(self) GST_STX_PAIRING_GET_CLASS(self)

GstClockTime gst_stx_pairing_frame(const GstCaps *caps)
{
  gint rate = 0, per = 1;

  gst_structure_get_fraction(gst_caps_get_structure(caps, 0), "framerate", &rate, &per);
  return rate > 0 ? gst_util_uint64_scale_int(GST_SECOND, per, rate) : 0;
}

/* As caps of the leading pad say that may still come: the pipeline asks for the latency before the
 * first of them. */
static GstClockTime expected_frame(GstStxPairing *self)
{
  GstClockTime frame = 0;

  for (guint role = 0; CLASS(self)->roles.names[role] != NULL && frame == 0; role++) {
    GstAggregatorPad *pad = gst_stx_pairing_get_pad(self, role);
    GstCaps *caps = pad != NULL ? gst_pad_peer_query_caps(GST_PAD(pad), NULL) : NULL;

    if (caps != NULL && gst_caps_get_size(caps) > 0)
      frame = gst_stx_pairing_frame(caps);
    gst_clear_caps(&caps);
    gst_clear_object(&pad);
  }
  return frame > 0 ? frame : GST_SECOND / 30;
}

gboolean gst_stx_pairing_waits(GstStxPairing *self)
{
  guint pads = 0;

  for (guint role = 0; CLASS(self)->roles.names[role] != NULL; role++) {
    GstAggregatorPad *pad = gst_stx_pairing_get_pad(self, role);

    pads += pad != NULL && !(CLASS(self)->roles.optional & 1u << role);
    gst_clear_object(&pad);
  }
  return pads > 1;
}

/* The nearest partner is within half a frame. As much is for the work, unless that takes more. An
 * optional partner comes with a latency of its own, which the pipeline has counted already. */
static GstClockTime latency_of(GstStxPairing *self, GstClockTime frame, GstClockTime work)
{
  if (!gst_stx_pairing_waits(self))
    return work;
  frame = frame > 0 ? frame : expected_frame(self);
  return frame / 2 + MAX(frame - frame / 2, work);
}

void gst_stx_pairing_plan_latency(GstStxPairing *self)
{
  GstStxPairingPrivate *priv = PRIVATE(self);
  GstClockTime frame, work, latency;
  gboolean changed;

  do {
    GST_OBJECT_LOCK(self);
    frame = priv->frame;
    work = priv->delay.reported;
    GST_OBJECT_UNLOCK(self);
    latency = latency_of(self, frame, work);
    gst_aggregator_set_latency(GST_AGGREGATOR(self), latency, latency);
    GST_OBJECT_LOCK(self);
    changed = frame != priv->frame || work != priv->delay.reported;
    GST_OBJECT_UNLOCK(self);
  } while (changed);
}
