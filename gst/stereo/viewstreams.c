/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/inputs.h"
#include "gst/stereo/viewstreams.h"

#include <gst/base/gstbasetransform.h>
#include <gst/base/gstflowcombiner.h>

#include "gst/core/delay.h"
#include "gst/core/stats.h"
#include "gst/core/element.h"
#include "gst/stixels/motionmeta.h"

/* All but the pad and the constant parts of the stage belong to the thread that feeds the lane. */
typedef struct {
  GstPad *src;
  GstStxStage stage;
  GstCaps *caps; /* what leaves it, in system memory; NULL: the caps that came last were bad */
  GstBufferPool *pool; /* NULL: to be chosen */
  gboolean device;     /* its buffers are in CUDAMemory */
  GstStxStats stats;   /* these two under the object lock */
  GstStxDelay delay;
} GstStxViewStream;

typedef struct {
  GstStxViewStream
      lane[GST_STX_VIEW_STREAM_COUNT]; /* the properties of both stages are those of the first */
  GstFlowCombiner *combiner;           /* of the thread that feeds pad sink */
  guint32 seek; /* seqnum of the last one that pad sink passed on, under the object
                   lock */
} GstStxViewStreamsPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE(GstStxViewStreams, gst_stx_view_streams, GST_TYPE_ELEMENT)
#define PRIVATE(self)                                                                              \
  ((GstStxViewStreamsPrivate *)gst_stx_view_streams_get_instance_private(                          \
      (GstStxViewStreams *)(self)))
#define CLASS(self) GST_STX_VIEW_STREAMS_GET_CLASS(self)
#define PARENT GST_ELEMENT_CLASS(gst_stx_view_streams_parent_class)

static const gchar *const sides[GST_STX_VIEW_STREAM_COUNT] = {"left", "right"};
static const gchar *const sink_names[GST_STX_VIEW_STREAM_COUNT] = {"sink_left", "sink_right"};
static const gchar *const src_names[GST_STX_VIEW_STREAM_COUNT] = {"src_left", "src_right"};

GstStxStage *gst_stx_view_streams_stage(GstStxViewStreams *self, guint lane)
{
  return &PRIVATE(self)->lane[lane].stage;
}

static gboolean streams_of(GstPad *sink, guint *first, guint *end)
{
  const gchar *name = GST_PAD_NAME(sink);

  *first = g_str_equal(name, sink_names[1]) ? 1 : 0;
  *end = g_str_equal(name, sink_names[0]) ? 1 : GST_STX_VIEW_STREAM_COUNT;
  return *end - *first == GST_STX_VIEW_STREAM_COUNT;
}

/* The pad sink, or NULL: a new reference. */
static GstPad *get_common_sink(GstStxViewStreams *self)
{
  return gst_element_get_static_pad(GST_ELEMENT(self), "sink");
}

/* ---- What leaves a lane -------------------------------------------------------------------- */

static void clear_pool(GstStxViewStream *lane)
{
  if (lane->pool != NULL)
    gst_buffer_pool_set_active(lane->pool, FALSE);
  gst_clear_object(&lane->pool);
}

static void clear_stream(GstStxViewStream *lane)
{
  clear_pool(lane);
  gst_clear_caps(&lane->caps);
}

static gboolean choose_pool(GstStxViewStream *lane, GstCaps *caps)
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

/* Tells the next element what comes, in the memory that is best now. A pad that is not linked keeps
 * the caps for a later link; of a linked one, pushing them would not tell whether they are taken.
 * FALSE after an element error, or while the pipeline stops. */
static gboolean announce(GstStxViewStreams *self, GstStxViewStream *lane)
{
  GstCaps *caps = gst_stx_cuda_choose_caps(&lane->stage.cuda, lane->src, gst_caps_ref(lane->caps));
  GstCaps *before = gst_pad_get_current_caps(lane->src);
  gboolean taken = !gst_pad_is_linked(lane->src) || gst_pad_peer_query_accept_caps(lane->src, caps);

  clear_pool(lane);
  if (!taken && !GST_PAD_IS_FLUSHING(lane->src))
    gst_stx_element_refused(GST_ELEMENT(self), lane->src, caps);
  else if (taken && (before == NULL || !gst_caps_is_equal(before, caps)))
    gst_pad_push_event(lane->src, gst_event_new_caps(caps));
  gst_clear_caps(&before);
  gst_caps_unref(caps);
  return taken;
}

/* Caps and pool, in the same memory. */
static GstFlowReturn negotiate(GstStxViewStreams *self, GstStxViewStream *lane)
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
static gboolean begin_lane(GstStxViewStreams *self, guint index, gboolean both, GstCaps *input)
{
  GstStxViewStream *lane = &PRIVATE(self)->lane[index];
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

static gboolean refuse_caps(GstPad *sink, GstStxViewStreams *self, GstCaps *caps, GstCaps *possible)
{
  gchar *text = gst_caps_to_string(caps), *needed = gst_caps_to_string(possible);

  GST_ELEMENT_ERROR(self, STREAM, FORMAT,
      ("Pad %s got %s; expected %s: put videoconvert in front", GST_PAD_NAME(sink), text, needed),
      (NULL));
  g_free(text);
  g_free(needed);
  return FALSE;
}

static gboolean take_caps(GstPad *sink, GstStxViewStreams *self, GstCaps *caps)
{
  GstCaps *possible = gst_pad_get_pad_template_caps(sink);
  GstVideoInfo info;
  guint first, end;
  gboolean both = streams_of(sink, &first, &end), taken;

  for (guint i = first; i < end; i++)
    clear_stream(&PRIVATE(self)->lane[i]);
  taken = (gst_caps_is_subset(caps, possible) && gst_video_info_from_caps(&info, caps)) ||
          refuse_caps(sink, self, caps, possible);
  gst_caps_unref(possible);
  for (guint i = first; taken && i < end; i++)
    taken = begin_lane(self, i, both, caps);
  return taken;
}

/* ---- Frames -------------------------------------------------------------------------------- */

GstFlowReturn gst_stx_view_streams_acquire(
    GstStxViewStreams *self, guint lane, GstBuffer **buffer, StxError *error)
{
  GstStxViewStream *one = &PRIVATE(self)->lane[lane];
  GstFlowReturn flow = GST_FLOW_OK;

  gst_clear_buffer(buffer);
  if (one->device != one->stage.device_output) /* the stage has left the GPU */
    flow = negotiate(self, one);
  return flow == GST_FLOW_OK ? gst_stx_stage_acquire(&one->stage, one->pool, buffer, error) : flow;
}

/* In place of a frame whose memory went with a GPU. */
static GstFlowReturn push_gap(GstStxViewStream *lane, GstBuffer *buffer)
{
  if (GST_BUFFER_PTS_IS_VALID(buffer))
    gst_pad_push_event(
        lane->src, gst_event_new_gap(GST_BUFFER_PTS(buffer), GST_BUFFER_DURATION(buffer)));
  return GST_FLOW_OK;
}

static GstFlowReturn go(GstStxViewStreams *self, guint index, GstPad *sink, GstBuffer *buffer)
{
  GstStxViewStream *lane = &PRIVATE(self)->lane[index];
  GstStxViewFrame frame = {index, GST_PAD_NAME(sink), buffer, NULL};
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
    gst_stx_delay_note_and_tell(&lane->delay, GST_ELEMENT(self),
        gst_stx_stats_frame(&lane->stats, GST_ELEMENT(self), begin));
  }
  if (flow != GST_FLOW_OK)
    gst_clear_buffer(&frame.output);
  if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED)
    return push_gap(lane, buffer);
  if (flow != GST_FLOW_OK)
    return flow;
  gst_buffer_copy_into(
      frame.output, buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  gst_buffer_copy_stx_motion_meta(frame.output, buffer);
  return gst_pad_push(lane->src, frame.output);
}

static GstFlowReturn chain(GstPad *sink, GstObject *parent, GstBuffer *buffer)
{
  GstStxViewStreams *self = GST_STX_VIEW_STREAMS(parent);
  GstFlowReturn flow = GST_FLOW_OK;
  guint first, end;
  gboolean both = streams_of(sink, &first, &end);

  for (guint i = first; i < end && flow == GST_FLOW_OK; i++) {
    flow = go(self, i, sink, buffer);
    if (both)
      flow = gst_flow_combiner_update_pad_flow(
          PRIVATE(self)->combiner, PRIVATE(self)->lane[i].src, flow);
  }
  gst_buffer_unref(buffer);
  return flow;
}

/* ---- Events -------------------------------------------------------------------------------- */

/* The frames of one stream become two streams. */
static gboolean begin_streams(GstStxViewStreams *self, GstEvent *event)
{
  const gchar *id;
  gboolean sent = FALSE;

  gst_event_parse_stream_start(event, &id);
  for (guint i = 0; i < GST_STX_VIEW_STREAM_COUNT; i++) {
    gchar *own = g_strdup_printf("%s/%s", id, sides[i]);
    GstEvent *start = gst_event_new_stream_start(own);
    guint group;

    if (gst_event_parse_group_id(event, &group))
      gst_event_set_group_id(start, group);
    gst_event_set_seqnum(start, gst_event_get_seqnum(event));
    sent |= gst_pad_push_event(PRIVATE(self)->lane[i].src, start);
    g_free(own);
  }
  gst_event_unref(event);
  return sent;
}

static gboolean sink_event(GstPad *sink, GstObject *parent, GstEvent *event)
{
  GstStxViewStreams *self = GST_STX_VIEW_STREAMS(parent);
  guint first, end;
  gboolean both = streams_of(sink, &first, &end), taken;
  GstCaps *caps;

  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
    gst_event_parse_caps(event, &caps);
    taken = take_caps(sink, self, caps);
    gst_event_unref(event);
    return taken;
  }
  for (guint i = first; i < end && GST_EVENT_TYPE(event) == GST_EVENT_GAP; i++)
    gst_stx_stats_count(&PRIVATE(self)->lane[i].stats.gaps, GST_ELEMENT(self));
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS)
    gst_stx_stats_log(GST_ELEMENT(self));
  if (both && GST_EVENT_TYPE(event) == GST_EVENT_STREAM_START)
    return begin_streams(self, event);
  if (both && GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP)
    gst_flow_combiner_reset(PRIVATE(self)->combiner);
  return gst_pad_event_default(sink, parent, event);
}

/* Both lanes lead to the one source, which has to go to a place once. */
static gboolean src_event(GstPad *src, GstObject *parent, GstEvent *event)
{
  GstStxViewStreamsPrivate *priv = PRIVATE(parent);
  GstPad *sink = get_common_sink(GST_STX_VIEW_STREAMS(parent));
  gboolean again = FALSE;

  if (sink != NULL && GST_EVENT_TYPE(event) == GST_EVENT_SEEK) {
    GST_OBJECT_LOCK(parent);
    again = priv->seek == gst_event_get_seqnum(event);
    priv->seek = gst_event_get_seqnum(event);
    GST_OBJECT_UNLOCK(parent);
  }
  gst_clear_object(&sink);
  if (!again)
    return gst_pad_event_default(src, parent, event);
  gst_event_unref(event);
  return TRUE;
}

/* ---- Queries ------------------------------------------------------------------------------- */

/* Leaves of `caps` the formats that the next element takes, whatever their size and memory. */
static GstCaps *keep_formats(GstPad *src, GstCaps *caps)
{
  GstCaps *templ = gst_pad_get_pad_template_caps(src), *next = gst_pad_peer_query_caps(src, templ);
  GstCaps *formats = gst_caps_new_empty(), *kept;

  for (guint i = 0; i < gst_caps_get_size(next); i++) {
    const GValue *format = gst_structure_get_value(gst_caps_get_structure(next, i), "format");
    GstStructure *structure = gst_structure_new_empty("video/x-raw");

    if (format != NULL)
      gst_structure_set_value(structure, "format", format);
    gst_caps_append_structure_full(formats, structure, gst_caps_features_new_any());
  }
  kept = gst_caps_intersect(caps, formats);
  gst_caps_unref(templ);
  gst_caps_unref(next);
  gst_caps_unref(formats);
  gst_caps_unref(caps);
  return kept;
}

/* Both pads of a lane answer alike about CUDA. */
static GstStxCuda *cuda_of(GstStxViewStreams *self, GstPad *sink)
{
  guint first, end;

  streams_of(sink, &first, &end);
  return &PRIVATE(self)->lane[first].stage.cuda;
}

static void answer_caps(GstPad *sink, GstStxViewStreams *self, GstQuery *query)
{
  GstCaps *caps =
      gst_stx_cuda_filter_caps(cuda_of(self, sink), gst_pad_get_pad_template_caps(sink));
  GstCaps *filter;
  guint first, end;

  streams_of(sink, &first, &end);
  for (guint i = first; i < end; i++)
    if (gst_pad_is_linked(PRIVATE(self)->lane[i].src))
      caps = keep_formats(PRIVATE(self)->lane[i].src, caps);
  gst_query_parse_caps(query, &filter);
  caps = gst_stx_caps_filtered(caps, filter);
  gst_query_set_caps_result(query, caps);
  gst_caps_unref(caps);
}

/* All caps may come, so that the user sees why they are refused. */
static gboolean sink_query(GstPad *sink, GstObject *parent, GstQuery *query)
{
  switch (GST_QUERY_TYPE(query)) {
  case GST_QUERY_CAPS:
    answer_caps(sink, GST_STX_VIEW_STREAMS(parent), query);
    return TRUE;
  case GST_QUERY_ACCEPT_CAPS:
    gst_query_set_accept_caps_result(query, TRUE);
    return TRUE;
  case GST_QUERY_ALLOCATION:
    gst_stx_cuda_propose(query);
    return TRUE;
  default:
    return gst_stx_cuda_query_context(cuda_of(GST_STX_VIEW_STREAMS(parent), sink), query) ||
           gst_pad_query_default(sink, parent, query);
  }
}

/* If both views come in one frame, the right one waits until the left one is done. */
static void add_latency(GstStxViewStreams *self, guint index, GstQuery *query)
{
  GstStxViewStreamsPrivate *priv = PRIVATE(self);
  GstPad *sink = get_common_sink(self);
  GstClockTime more;

  GST_OBJECT_LOCK(self);
  more = priv->lane[index].delay.reported;
  if (sink != NULL && index == 1)
    more += priv->lane[0].delay.reported;
  GST_OBJECT_UNLOCK(self);
  gst_clear_object(&sink);
  gst_stx_delay_add(query, more);
}

/* Before there are caps, those that may come. */
static gboolean src_query(GstPad *src, GstObject *parent, GstQuery *query)
{
  guint index = src == PRIVATE(parent)->lane[1].src;
  GstStxCuda *cuda = &PRIVATE(parent)->lane[index].stage.cuda;
  gboolean fixed = GST_QUERY_TYPE(query) == GST_QUERY_CAPS && gst_pad_has_current_caps(src);

  if (!fixed && gst_stx_cuda_query(cuda, src, query))
    return TRUE;
  if (!gst_pad_query_default(src, parent, query))
    return FALSE;
  if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY)
    add_latency(GST_STX_VIEW_STREAMS(parent), index, query);
  return TRUE;
}

/* ---- Which pads belong together ------------------------------------------------------------ */

/* Takes the pad, which may be NULL. */
static GstIterator *iterate_one(GstPad *pad)
{
  GValue value = G_VALUE_INIT;
  GstIterator *links;

  if (pad == NULL)
    return NULL;
  g_value_init(&value, GST_TYPE_PAD);
  g_value_take_object(&value, pad);
  links = gst_iterator_new_single(GST_TYPE_PAD, &value);
  g_value_unset(&value);
  return links;
}

static GstIterator *sink_links(GstPad *sink, GstObject *parent)
{
  guint first, end;

  if (streams_of(sink, &first, &end))
    return gst_element_iterate_src_pads(GST_ELEMENT(parent));
  return iterate_one(gst_object_ref(PRIVATE(parent)->lane[first].src));
}

static GstIterator *src_links(GstPad *src, GstObject *parent)
{
  GstPad *sink = get_common_sink(GST_STX_VIEW_STREAMS(parent));
  guint index = src == PRIVATE(parent)->lane[1].src;

  if (sink == NULL)
    sink = gst_element_get_static_pad(GST_ELEMENT(parent), sink_names[index]);
  return iterate_one(sink);
}

/* ---- Pads ---------------------------------------------------------------------------------- */

/* The two views come from one pad or from two, never from three. */
static gboolean is_free(GstElement *element, const gchar *name)
{
  gboolean both = g_str_equal(name, "sink"), clash = FALSE;

  GST_OBJECT_LOCK(element);
  for (GList *item = element->sinkpads; item != NULL; item = item->next)
    clash |= both || g_str_equal(GST_OBJECT_NAME(item->data), "sink") ||
             g_str_equal(GST_OBJECT_NAME(item->data), name);
  GST_OBJECT_UNLOCK(element);
  return !clash;
}

static GstPad *request_new_pad(
    GstElement *element, GstPadTemplate *templ, const gchar *name, const GstCaps *caps)
{
  const gchar *own = GST_PAD_TEMPLATE_NAME_TEMPLATE(templ);
  GstPad *pad;

  if (!is_free(element, own)) {
    GST_WARNING_OBJECT(element, "use either the pad sink, or sink_left and sink_right, once each");
    return NULL;
  }
  pad = gst_pad_new_from_template(templ, own);
  gst_pad_set_chain_function(pad, chain);
  gst_pad_set_event_function(pad, sink_event);
  gst_pad_set_query_function(pad, sink_query);
  gst_pad_set_iterate_internal_links_function(pad, sink_links);
  gst_stx_want_caps(pad);
  gst_pad_set_active(pad, GST_STATE(element) > GST_STATE_READY);
  gst_element_add_pad(element, pad);
  return pad;
}

static void release_pad(GstElement *element, GstPad *pad)
{
  gst_pad_set_active(pad, FALSE);
  gst_element_remove_pad(element, pad);
}

static void add_src(GstStxViewStreams *self, guint index)
{
  GstElementClass *klass = GST_ELEMENT_CLASS(CLASS(self));
  GstPad *pad = gst_pad_new_from_template(
      gst_element_class_get_pad_template(klass, src_names[index]), src_names[index]);

  gst_pad_set_event_function(pad, src_event);
  gst_pad_set_query_function(pad, src_query);
  gst_pad_set_iterate_internal_links_function(pad, src_links);
  gst_pad_use_fixed_caps(pad);
  gst_element_add_pad(GST_ELEMENT(self), pad);
  gst_flow_combiner_add_pad(PRIVATE(self)->combiner, pad);
  PRIVATE(self)->lane[index].src = pad;
}

static void add_template(
    GstElementClass *klass, const gchar *name, GstPadDirection direction, const gchar *caps)
{
  GstCaps *possible = gst_caps_from_string(caps);

  gst_element_class_add_pad_template(
      klass, gst_pad_template_new(name, direction,
                 direction == GST_PAD_SINK ? GST_PAD_REQUEST : GST_PAD_ALWAYS, possible));
  gst_caps_unref(possible);
}

void gst_stx_view_streams_class_add_pads(GstStxViewStreamsClass *klass, const gchar *caps)
{
  GstElementClass *element = GST_ELEMENT_CLASS(klass);

  add_template(element, "sink", GST_PAD_SINK, caps);
  for (guint i = 0; i < GST_STX_VIEW_STREAM_COUNT; i++) {
    add_template(element, sink_names[i], GST_PAD_SINK, caps);
    add_template(element, src_names[i], GST_PAD_SRC, caps);
  }
}

/* ---- The GPU ------------------------------------------------------------------------------- */

/* Both lanes are on the same one. */
static void set_context(GstElement *element, GstContext *context)
{
  for (guint i = 0; i < GST_STX_VIEW_STREAM_COUNT; i++)
    gst_stx_cuda_set_context(&PRIVATE(element)->lane[i].stage.cuda, context);
  PARENT->set_context(element, context);
}

/* A stage does not say of which lane it is: gst_stx_view_streams_acquire, which comes next, sees
 * it. */
static GstFlowReturn leave_device(GstElement *element)
{
  return GST_FLOW_OK;
}

/* ---- States -------------------------------------------------------------------------------- */

static gboolean start(GstStxViewStreams *self)
{
  GstStxViewStreamsPrivate *priv = PRIVATE(self);
  gboolean started = CLASS(self)->start == NULL || CLASS(self)->start(self);

  gst_flow_combiner_reset(priv->combiner);
  priv->seek = GST_SEQNUM_INVALID;
  for (guint i = 0; i < GST_STX_VIEW_STREAM_COUNT && started; i++) {
    gst_stx_stats_reset(&priv->lane[i].stats, GST_ELEMENT(self));
    priv->lane[i].delay = (GstStxDelay){0};
    started = gst_stx_stage_start(&priv->lane[i].stage);
  }
  return started;
}

static void stop(GstStxViewStreams *self)
{
  for (guint i = 0; i < GST_STX_VIEW_STREAM_COUNT; i++) {
    clear_stream(&PRIVATE(self)->lane[i]);
    gst_stx_stage_stop(&PRIVATE(self)->lane[i].stage);
  }
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition)
{
  GstStxViewStreams *self = GST_STX_VIEW_STREAMS(element);
  GstStateChangeReturn result = GST_STATE_CHANGE_FAILURE;

  if (transition != GST_STATE_CHANGE_READY_TO_PAUSED || start(self))
    result = PARENT->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
      (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE))
    stop(self);
  return result;
}

/* ---- Class --------------------------------------------------------------------------------- */

static void constructed(GObject *object)
{
  GstStxViewStreams *self = GST_STX_VIEW_STREAMS(object);

  for (guint i = 0; i < GST_STX_VIEW_STREAM_COUNT; i++) {
    gst_stx_stage_init(&PRIVATE(self)->lane[i].stage, GST_ELEMENT(self), &CLASS(self)->stage);
    gst_stx_stage_share_properties(&PRIVATE(self)->lane[i].stage, &PRIVATE(self)->lane[0].stage);
    add_src(self, i);
  }
  G_OBJECT_CLASS(gst_stx_view_streams_parent_class)->constructed(object);
}

static void finalize(GObject *object)
{
  stop(GST_STX_VIEW_STREAMS(object));
  gst_flow_combiner_free(PRIVATE(object)->combiner);
  G_OBJECT_CLASS(gst_stx_view_streams_parent_class)->finalize(object);
}

static void gst_stx_view_streams_init(GstStxViewStreams *self)
{
  PRIVATE(self)->combiner = gst_flow_combiner_new();
}

/* Statistics of each lane, under its name. */
static GstStructure *stats_of(gpointer self)
{
  GstStructure *all = gst_structure_new_empty("application/x-stixel-stats");

  for (guint i = 0; i < GST_STX_VIEW_STREAM_COUNT; i++) {
    GstStructure *stats = gst_stx_stats_to_structure(&PRIVATE(self)->lane[i].stats, FALSE);

    gst_structure_set(all, sides[i], GST_TYPE_STRUCTURE, stats, NULL);
    gst_structure_free(stats);
  }
  if (CLASS(self)->tell != NULL)
    CLASS(self)->tell(self, all);
  return all;
}

static void gst_stx_view_streams_class_init(GstStxViewStreamsClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstElementClass *element = GST_ELEMENT_CLASS(klass);
  GstStxPropertyGroup properties =
      GST_STX_RUN_PROPERTIES(GstStxViewStreamsPrivate, lane[0].stage.properties);

  object->constructed = constructed;
  object->finalize = finalize;
  element->request_new_pad = request_new_pad;
  element->release_pad = release_pad;
  element->change_state = change_state;
  element->set_context = set_context;
  klass->stage.renegotiate = leave_device;
  properties.offset += g_type_class_get_instance_private_offset(klass);
  gst_stx_properties_install(object, &properties, 1);
  gst_stx_stats_install(object, stats_of);
  gst_type_mark_as_plugin_api(GST_TYPE_STX_VIEW_STREAMS, 0);
}
