/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What goes through a lane: caps, then frames. */
#include "gst/lanes/lanes_private.h"
#include "gst/shared/element.h"

#define PRIVATE(self) (gst_stx_lanes_private((GstStxLanes *)(self)))
#define CLASS(self) GST_STX_LANES_GET_CLASS(self)

/* ---- What leaves a lane -------------------------------------------------------------------- */

static void clear_pool(GstStxLane *lane)
{
  if (lane->pool != NULL)
    gst_buffer_pool_set_active(lane->pool, FALSE);
  gst_clear_object(&lane->pool);
}

void gst_stx_lane_clear(GstStxLane *lane)
{
  clear_pool(lane);
  gst_clear_caps(&lane->caps);
}

static gboolean choose_pool(GstStxLane *lane, GstCaps *caps)
{
  GstQuery *query = gst_query_new_allocation(caps, TRUE);
  gboolean chosen;

  gst_pad_peer_query(lane->src, query); /* who does not answer has no wishes */
  gst_stx_stage_decide(&lane->stage, query);
  chosen = gst_stx_stage_take_video_pool(&lane->stage, query);
  lane->device = lane->stage.device_output;
  if (chosen)
    gst_query_parse_nth_allocation_pool(query, 0, &lane->pool, NULL, NULL, NULL);
  gst_query_unref(query);
  return chosen;
}

static void refuse_output(GstStxLanes *self, GstPad *src, GstCaps *caps)
{
  gchar *text = gst_caps_to_string(caps);

  GST_ELEMENT_ERROR(self, CORE, NEGOTIATION,
      ("The next element of pad %s does not take %s", GST_PAD_NAME(src), text), (NULL));
  g_free(text);
}

/* Tells the next element what comes, in the memory that is best now. A pad that is not linked keeps
 * the caps for whoever comes; of a linked one, pushing them would not tell whether they are taken.
 * FALSE after an element error, or while the pipeline stops. */
static gboolean announce(GstStxLanes *self, GstStxLane *lane)
{
  GstCaps *caps = gst_stx_cuda_choose_caps(&lane->stage.cuda, lane->src, gst_caps_ref(lane->caps));
  GstCaps *before = gst_pad_get_current_caps(lane->src);
  gboolean taken = !gst_pad_is_linked(lane->src) || gst_pad_peer_query_accept_caps(lane->src, caps);

  clear_pool(lane);
  if (!taken && !GST_PAD_IS_FLUSHING(lane->src))
    refuse_output(self, lane->src, caps);
  else if (taken && (before == NULL || !gst_caps_is_equal(before, caps)))
    gst_pad_push_event(lane->src, gst_event_new_caps(caps));
  gst_clear_caps(&before);
  gst_caps_unref(caps);
  return taken;
}

/* Caps and pool, in the same memory. */
static GstFlowReturn negotiate(GstStxLanes *self, GstStxLane *lane)
{
  gboolean done = announce(self, lane);
  GstCaps *caps = done ? gst_pad_get_current_caps(lane->src) : NULL;

  done = caps != NULL && choose_pool(lane, caps);
  gst_clear_caps(&caps);
  if (done)
    return GST_FLOW_OK;
  return GST_PAD_IS_FLUSHING(lane->src) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
}

/* ---- What comes into one ------------------------------------------------------------------- */

/* FALSE after an element error, or while the pipeline stops. */
static gboolean begin_lane(GstStxLanes *self, guint index, gboolean both, GstCaps *input)
{
  GstStxLane *lane = &PRIVATE(self)->lane[index];
  StxError error;

  lane->caps = CLASS(self)->configure(self, index, both, input, &error);
  if (lane->caps == NULL) {
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
    return FALSE;
  }
  gst_caps_set_features(lane->caps, 0, NULL);
  if (!announce(self, lane))
    gst_clear_caps(&lane->caps);
  return lane->caps != NULL;
}

static gboolean refuse_caps(GstPad *sink, GstStxLanes *self, GstCaps *caps, GstCaps *possible)
{
  gchar *text = gst_caps_to_string(caps), *needed = gst_caps_to_string(possible);

  GST_ELEMENT_ERROR(self, STREAM, FORMAT,
      ("Pad %s got %s; needed is %s: put videoconvert in front", GST_PAD_NAME(sink), text, needed),
      (NULL));
  g_free(text);
  g_free(needed);
  return FALSE;
}

gboolean gst_stx_lanes_take_caps(GstPad *sink, GstStxLanes *self, GstCaps *caps)
{
  GstCaps *possible = gst_pad_get_pad_template_caps(sink);
  GstVideoInfo info;
  guint first, end;
  gboolean both = gst_stx_lanes_of(sink, &first, &end), taken;

  for (guint i = first; i < end; i++)
    gst_stx_lane_clear(&PRIVATE(self)->lane[i]);
  taken = (gst_caps_is_subset(caps, possible) && gst_video_info_from_caps(&info, caps)) ||
          refuse_caps(sink, self, caps, possible);
  gst_caps_unref(possible);
  for (guint i = first; taken && i < end; i++)
    taken = begin_lane(self, i, both, caps);
  return taken;
}

/* ---- Frames -------------------------------------------------------------------------------- */

GstFlowReturn gst_stx_lanes_acquire(
    GstStxLanes *self, guint lane, GstBuffer **buffer, StxError *error)
{
  GstStxLane *one = &PRIVATE(self)->lane[lane];
  GstFlowReturn flow = GST_FLOW_OK;

  gst_clear_buffer(buffer);
  if (one->device != one->stage.device_output) /* the stage has left the GPU */
    flow = negotiate(self, one);
  return flow == GST_FLOW_OK ? gst_stx_stage_acquire(&one->stage, one->pool, buffer, error) : flow;
}

static void note_time(GstStxLanes *self, GstStxLane *lane, GstClockTime begin)
{
  GstClockTime time = gst_stx_stats_frame(&lane->stats, GST_ELEMENT(self), begin);
  gboolean changed;

  GST_OBJECT_LOCK(self);
  changed = gst_stx_delay_note(&lane->delay, time);
  GST_OBJECT_UNLOCK(self);
  if (changed)
    gst_stx_delay_tell(GST_ELEMENT(self));
}

/* In place of a frame whose memory went with a GPU. */
static GstFlowReturn push_gap(GstStxLane *lane, GstBuffer *buffer)
{
  if (GST_BUFFER_PTS_IS_VALID(buffer))
    gst_pad_push_event(
        lane->src, gst_event_new_gap(GST_BUFFER_PTS(buffer), GST_BUFFER_DURATION(buffer)));
  return GST_FLOW_OK;
}

static GstFlowReturn go(GstStxLanes *self, guint index, GstPad *sink, GstBuffer *buffer)
{
  GstStxLane *lane = &PRIVATE(self)->lane[index];
  GstStxLaneFrame frame = {index, GST_PAD_NAME(sink), buffer, NULL};
  GstFlowReturn flow = GST_FLOW_OK;
  GstClockTime begin;

  if (lane->caps == NULL)
    return GST_FLOW_NOT_NEGOTIATED;
  if (!gst_pad_is_linked(lane->src))
    return GST_FLOW_NOT_LINKED;
  if (gst_pad_check_reconfigure(lane->src) || lane->pool == NULL)
    flow = negotiate(self, lane);
  if (flow == GST_FLOW_OK) {
    begin = gst_util_get_timestamp();
    flow = gst_stx_stage_run(&lane->stage, &frame);
    note_time(self, lane, begin);
  }
  if (flow != GST_FLOW_OK)
    gst_clear_buffer(&frame.output);
  if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED)
    return push_gap(lane, buffer);
  if (flow != GST_FLOW_OK)
    return flow;
  gst_buffer_copy_into(
      frame.output, buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  return gst_pad_push(lane->src, frame.output);
}

GstFlowReturn gst_stx_lanes_chain(GstPad *sink, GstObject *parent, GstBuffer *buffer)
{
  GstStxLanes *self = GST_STX_LANES(parent);
  GstFlowReturn flow = GST_FLOW_OK;
  guint first, end;
  gboolean both = gst_stx_lanes_of(sink, &first, &end);

  for (guint i = first; i < end && flow == GST_FLOW_OK; i++) {
    flow = go(self, i, sink, buffer);
    if (both)
      flow = gst_flow_combiner_update_pad_flow(
          PRIVATE(self)->combiner, PRIVATE(self)->lane[i].src, flow);
  }
  gst_buffer_unref(buffer);
  return flow;
}
