/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams that end, and begin again. GstAggregator calls aggregate without a pause while all its
 * pads are at EOS, and would rather be stopped; before 1.24 it is then stopped for good, and a
 * query of a pad that is requested later waits for ever. So it is never told to stop: once all
 * pads are at EOS, they are parked, and it waits for what they bring next.
 */
#include "gst/base/pairing_private.h"

#define PRIVATE(self) (gst_stx_pairing_private((GstStxPairing *)(self)))
#define CLASS(self) GST_STX_PAIRING_GET_CLASS(self)

/* ---- The end ------------------------------------------------------------------------------- */

/* The stream that has been before, if one has. */
static void push_stream_start(GstStxPairing *self)
{
  GstPad *src = GST_AGGREGATOR_SRC_PAD(self);
  g_autofree gchar *id = gst_pad_get_stream_id(src);

  if (id == NULL)
    id = g_strdup_printf("%s-%08x", GST_OBJECT_NAME(self), g_random_int());
  gst_stx_pairing_push_event(self, gst_event_new_stream_start(id));
}

static void park(GstStxPairing *self, const GstStxQueued *queued)
{
  for (guint role = 0; role < queued->count; role++) {
    GstAggregatorPad *pad = queued->head[role].pad;

    if (pad == NULL || gst_stx_pad_is_parked(pad))
      continue;
    gst_stx_pad_set_parked(pad, TRUE);
    gst_stx_pairing_forward(self, pad, gst_event_new_stream_start("parked"));
  }
  PRIVATE(self)->parked = TRUE;
}

static void tell_end(GstStxPairing *self)
{
  g_autofree gchar *id = NULL;

  if (PRIVATE(self)->told_end)
    return;
  PRIVATE(self)->told_end = TRUE;
  if (CLASS(self)->end != NULL)
    CLASS(self)->end(self);
  gst_stx_stats_log(GST_ELEMENT(self));
  id = gst_pad_get_stream_id(GST_AGGREGATOR_SRC_PAD(self));
  if (id == NULL) /* nothing came before it */
    push_stream_start(self);
  gst_stx_pairing_push_event(self, gst_event_new_eos());
}

/* Counts what has no partner any more, and says so where a loss is not yet known: in a live
 * pipeline a warning comes with the end. */
static void count_left_over(GstStxPairing *self, const GstStxQueued *queued)
{
  GstStxPairingPrivate *priv = PRIVATE(self);

  for (guint role = 0; role < queued->count; role++) {
    const GstStxHead *head = &queued->head[role];

    if (head->buffer == NULL || gst_stx_is_gap(head->buffer))
      continue;
    gst_stx_pairing_count_unpaired(self, role);
    if (head->required && !gst_stx_pairing_is_live(self) && !priv->links.told_orphan)
      gst_stx_links_warn_ended(&priv->links, priv->ended);
  }
}

/* Drops the buffers on the pads. Returns the flow of the gap downstream. */
static GstFlowReturn drop_all(GstStxPairing *self, const GstStxQueued *queued)
{
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint role = 0; role < queued->count; role++) {
    const GstStxHead *head = &queued->head[role];

    if (head->buffer == NULL)
      continue;
    gst_stx_head_drop(head);
    if (role == queued->lead && !PRIVATE(self)->told_end)
      flow = gst_stx_pairing_push_gap(self, queued, head->buffer, FALSE);
  }
  return flow;
}

/*
 * The pads that still bring something are listened to until they end, too: a tee above, for which
 * the end of one branch is the end of all, goes on for its other branches. Downstream is told at
 * once, but in a live pipeline not before all required ones have ended: a camera may be started
 * again, and sinks before 1.24 that have seen EOS take nothing any more.
 */
GstFlowReturn gst_stx_pairing_end(GstStxPairing *self, const GstStxQueued *queued)
{
  GstStxPairingPrivate *priv = PRIVATE(self);
  gboolean more = FALSE, partners = FALSE, first = priv->ended == 0;
  GstFlowReturn flow;

  for (guint role = 0; role < queued->count; role++) {
    const GstStxHead *head = &queued->head[role];

    more |= head->pad != NULL && !head->eos;
    partners |= head->pad != NULL && !head->eos && head->required;
    priv->ended |= head->eos ? 1u << role : 0;
  }
  partners = partners && gst_stx_pairing_is_live(self);
  /* Elements behind a matcher get nothing, either: the matcher alone says so. */
  if (!g_atomic_int_get(&priv->links.moved) && !priv->links.told_orphan && CLASS(self)->drops_late)
    gst_stx_links_warn_empty(&priv->links, priv->ended);
  g_atomic_int_set(&priv->links.moved, TRUE);
  count_left_over(self, queued);
  if (!partners)
    tell_end(self);
  if (first && partners)
    gst_stx_links_warn_ended(&priv->links, priv->ended);
  flow = drop_all(self, queued);
  if (!more)
    park(self, queued);
  return flow == GST_FLOW_OK ? GST_AGGREGATOR_FLOW_NEED_DATA : flow;
}

/* ---- The next beginning -------------------------------------------------------------------- */

void gst_stx_pairing_wake(GstStxPairing *self, GstAggregatorPad *pad)
{
  if (!PRIVATE(self)->parked)
    return;
  PRIVATE(self)->parked = FALSE;
  for (guint role = 0; CLASS(self)->roles.names[role] != NULL; role++) {
    g_autoptr(GstAggregatorPad) other = gst_stx_pairing_get_pad(self, role);

    if (other != NULL && gst_stx_pad_is_parked(other)) {
      gst_stx_pad_set_parked(other, FALSE);
      if (other != pad)
        gst_stx_pairing_forward(self, other, gst_event_new_eos());
    }
  }
}

/* A stream that has had EOS begins anew. */
static void push_begin(GstStxPairing *self)
{
  GstAggregatorPad *src = GST_AGGREGATOR_PAD(GST_AGGREGATOR_SRC_PAD(self));
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(GST_PAD(src));

  push_stream_start(self);
  if (caps != NULL)
    gst_stx_pairing_push_event(self, gst_event_new_caps(caps));
  gst_aggregator_update_segment(GST_AGGREGATOR(self), &src->segment);
  PRIVATE(self)->segment = TRUE;
}

/* Knowledge about the pads together is outdated. */
void gst_stx_pairing_resume(GstStxPairing *self)
{
  GstStxPairingPrivate *priv = PRIVATE(self);

  if (priv->ended == 0)
    return;
  if (priv->told_end)
    push_begin(self);
  if (gst_stx_pairing_is_live(self))
    gst_stx_links_tell_back(&priv->links, priv->ended);
  gst_stx_deadline_reset(&priv->deadline);
  gst_stx_skew_forget(&priv->skew, ~0u);
  priv->discont = TRUE;
  priv->ended = 0;
  priv->links.told_ended = FALSE;
  priv->told_end = FALSE;
}
