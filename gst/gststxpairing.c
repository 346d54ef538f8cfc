/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxpairing.h"

#include "gst/gststxheads.h"
#include "gst/gststxlinks.h"
#include "gst/gststxqos.h"

GST_DEBUG_CATEGORY_STATIC(stx_pairing_debug);
#define GST_CAT_DEFAULT stx_pairing_debug

enum { PROP_QOS = 1, PROP_UNPAIRED };

#define DEFAULT_QOS FALSE

/* Guarded by the object lock, except what only the streaming thread touches (marked §). */
typedef struct {
  GstStxQos qos;
  GstStxLinks links; /* under its own rules */
  guint64 unpaired;
  GstCaps *caps[GST_STX_PAIRING_ROLES];
  GstCaps *src_caps;  /* § */
  GstClockTime frame; /* § duration of a frame of the leading pad; 0: unknown */
  gboolean refused;   /* § caps of some pad */
  gboolean discont;   /* § a set was dropped */
} GstStxPairingPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(GstStxPairing, gst_stx_pairing, GST_TYPE_AGGREGATOR,
    G_ADD_PRIVATE(GstStxPairing)
        GST_DEBUG_CATEGORY_INIT(stx_pairing_debug, "stx-pairing", 0, "pairing of several inputs"))
#define PRIVATE(self)                                                                              \
  ((GstStxPairingPrivate *)gst_stx_pairing_get_instance_private((GstStxPairing *)(self)))
#define CLASS(self) GST_STX_PAIRING_GET_CLASS(self)

/* ---- Acting on it -------------------------------------------------------------------------- */

static void drop(GstStxPairing *self, const GstStxHeads *heads, guint roles)
{
  for (guint role = 0; role < heads->count; role++) {
    const GstStxHead *head = &heads->head[role];

    if (!(roles & 1u << role))
      continue;
    GST_DEBUG_OBJECT(head->pad, "no partner: dropping %" GST_PTR_FORMAT, head->buffer);
    gst_aggregator_pad_drop_buffer(head->pad);
    if (gst_stx_is_gap(head->buffer))
      continue;
    GST_OBJECT_LOCK(self);
    PRIVATE(self)->unpaired++;
    GST_OBJECT_UNLOCK(self);
    if (head->required)
      gst_stx_links_warn_orphan(&PRIVATE(self)->links, self, role, head->buffer);
  }
}

/* Would this set be shown too late? */
static gboolean is_late(GstStxPairing *self, const GstStxHead *lead, GstBuffer *buffer)
{
  GstStxPairingPrivate *priv = PRIVATE(self);

  if (!lead->timed || !gst_stx_qos_drops(&priv->qos, GST_ELEMENT(self), buffer, lead->time))
    return FALSE;
  GST_DEBUG_OBJECT(self, "late: dropped %" GST_PTR_FORMAT, buffer);
  priv->discont = TRUE;
  return TRUE;
}

/* Flags and times of a buffer without the buffer, which whoever processes it may want writable. */
static GstBuffer *stamp_of(GstBuffer *buffer)
{
  GstBuffer *stamp = gst_buffer_new();

  gst_buffer_copy_into(stamp, buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  return stamp;
}

static GstFlowReturn push(GstStxPairing *self, GstBuffer *out, GstBuffer *stamp)
{
  GstStxPairingPrivate *priv = PRIVATE(self);
  GstFlowReturn flow;

  out = gst_buffer_make_writable(out);
  gst_buffer_copy_into(out, stamp, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  if (priv->discont)
    GST_BUFFER_FLAG_SET(out, GST_BUFFER_FLAG_DISCONT);
  priv->discont = FALSE;
  /* Whoever drives a stream says why it ends. */
  flow = gst_aggregator_finish_buffer(GST_AGGREGATOR(self), out);
  if (flow == GST_FLOW_NOT_LINKED || flow == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR(self, flow);
  return flow;
}

static GstFlowReturn process(GstStxPairing *self, const GstStxHeads *heads, guint roles)
{
  GstBuffer *set[GST_STX_PAIRING_ROLES] = {NULL}, *stamp, *out = NULL;
  GstFlowReturn flow = GST_FLOW_OK;

  if (gst_stx_heads_take(heads, roles, set) &&
      !is_late(self, &heads->head[heads->lead], set[heads->lead])) {
    stamp = stamp_of(set[heads->lead]);
    gst_aggregator_selected_samples(GST_AGGREGATOR(self), GST_BUFFER_PTS(stamp),
        GST_BUFFER_DTS(stamp), GST_BUFFER_DURATION(stamp), NULL);
    flow = CLASS(self)->process(self, set, &out);
    if (flow == GST_FLOW_OK && out != NULL)
      flow = push(self, g_steal_pointer(&out), stamp);
    gst_clear_buffer(&out);
    gst_buffer_unref(stamp);
  }
  for (guint role = 0; role < heads->count; role++)
    gst_clear_buffer(&set[role]);
  return flow;
}

static GstFlowReturn pairing_aggregate(GstAggregator *aggregator, gboolean timeout)
{
  GstStxPairing *self = GST_STX_PAIRING(aggregator);
  GstFlowReturn flow;
  GstStxVerdict verdict;
  GstStxHeads heads;
  guint roles;

  if (PRIVATE(self)->refused)
    return GST_FLOW_NOT_NEGOTIATED;
  if (g_atomic_int_get(&PRIVATE(self)->links.given_up))
    return GST_FLOW_ERROR;
  do {
    gst_stx_heads_collect(&heads, GST_ELEMENT(self), CLASS(self)->roles, CLASS(self)->optional);
    if (!gst_stx_links_suffice(self, &heads)) {
      gst_stx_heads_clear(&heads);
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    }
    verdict = gst_stx_heads_judge(&heads, PRIVATE(self)->frame, timeout, &roles);
    if (verdict == GST_STX_VERDICT_DROP) {
      drop(self, &heads, roles);
      gst_stx_heads_clear(&heads);
    }
  } while (verdict == GST_STX_VERDICT_DROP);

  flow = verdict == GST_STX_VERDICT_EOS ? GST_FLOW_EOS : GST_AGGREGATOR_FLOW_NEED_DATA;
  if (verdict == GST_STX_VERDICT_TAKE) {
    g_atomic_int_set(&PRIVATE(self)->links.moved, TRUE);
    gst_stx_links_warn_untimed(&PRIVATE(self)->links, self, &heads);
    /* Only the pads may hold the buffers now, so that a leading one can be written in place. */
    for (guint role = 0; role < heads.count; role++)
      gst_clear_buffer(&heads.head[role].buffer);
    flow = process(self, &heads, roles);
  }
  gst_stx_heads_clear(&heads);
  return flow;
}

/* ---- Events and queries -------------------------------------------------------------------- */

static guint role_of(GstStxPairing *self, GstAggregatorPad *pad)
{
  guint role = 0;

  while (CLASS(self)->roles[role] != NULL &&
         g_strcmp0(GST_PAD_TEMPLATE_NAME_TEMPLATE(GST_PAD_PAD_TEMPLATE(pad)),
             CLASS(self)->roles[role]) != 0)
    role++;
  return role;
}

static gboolean is_leading(GstStxPairing *self, guint role)
{
  for (guint i = 0; i < role; i++) {
    GstAggregatorPad *pad = gst_stx_pairing_get_pad(self, i);

    if (pad != NULL) {
      gst_object_unref(pad);
      return FALSE;
    }
  }
  return TRUE;
}

static GstClockTime frame_duration(GstCaps *caps)
{
  gint rate = 0, per = 1;

  gst_structure_get_fraction(gst_caps_get_structure(caps, 0), "framerate", &rate, &per);
  return rate > 0 ? gst_util_uint64_scale_int(GST_SECOND, per, rate) : 0;
}

static gboolean take_caps(GstStxPairing *self, guint role, GstCaps *caps)
{
  GstStxPairingPrivate *priv = PRIVATE(self);

  if (is_leading(self, role))
    priv->frame = frame_duration(caps);
  GST_OBJECT_LOCK(self);
  gst_caps_replace(&priv->caps[role], caps);
  GST_OBJECT_UNLOCK(self);
  if (CLASS(self)->set_role_caps(self, role, caps))
    return TRUE;
  priv->refused = TRUE;
  return FALSE;
}

/* Segments that do not count time carry no timestamps either: begin to count at zero. */
static void take_segment(GstStxPairing *self, GstAggregatorPad *pad, gboolean leading)
{
  GstSegment segment;

  GST_OBJECT_LOCK(pad);
  if (pad->segment.format != GST_FORMAT_TIME)
    gst_segment_init(&pad->segment, GST_FORMAT_TIME);
  segment = pad->segment;
  GST_OBJECT_UNLOCK(pad);
  if (leading)
    gst_aggregator_update_segment(GST_AGGREGATOR(self), &segment);
}

static gboolean pairing_sink_event(
    GstAggregator *aggregator, GstAggregatorPad *pad, GstEvent *event)
{
  GstStxPairing *self = GST_STX_PAIRING(aggregator);
  gboolean segment = GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT, result;
  guint role = role_of(self, pad);

  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
    GstCaps *caps;

    gst_event_parse_caps(event, &caps);
    gst_stx_links_feed(&PRIVATE(self)->links, self);
    result = take_caps(self, role, caps);
    gst_event_unref(event);
    return result;
  }
  result = GST_AGGREGATOR_CLASS(gst_stx_pairing_parent_class)->sink_event(aggregator, pad, event);
  if (segment)
    take_segment(self, pad, is_leading(self, role));
  return result;
}

/* Lets all caps pass, so that set_role_caps can refuse them with a reason that the user sees. */
static gboolean pairing_sink_query(
    GstAggregator *aggregator, GstAggregatorPad *pad, GstQuery *query)
{
  if (GST_QUERY_TYPE(query) == GST_QUERY_ACCEPT_CAPS) {
    gst_query_set_accept_caps_result(query, TRUE);
    return TRUE;
  }
  return GST_AGGREGATOR_CLASS(gst_stx_pairing_parent_class)->sink_query(aggregator, pad, query);
}

static gboolean pairing_src_event(GstAggregator *aggregator, GstEvent *event)
{
  gst_stx_qos_take_event(&PRIVATE(aggregator)->qos, GST_ELEMENT(aggregator), event);
  return GST_AGGREGATOR_CLASS(gst_stx_pairing_parent_class)->src_event(aggregator, event);
}

/* Frames that lie wholly outside of the segment are not for display. */
static GstBuffer *pairing_clip(GstAggregator *aggregator, GstAggregatorPad *pad, GstBuffer *buffer)
{
  GstClockTime start = GST_BUFFER_PTS(buffer), stop = start;
  gboolean inside = TRUE;

  if (!GST_CLOCK_TIME_IS_VALID(start))
    return buffer;
  if (GST_BUFFER_DURATION_IS_VALID(buffer))
    stop += GST_BUFFER_DURATION(buffer);
  GST_OBJECT_LOCK(pad);
  inside = gst_segment_clip(&pad->segment, GST_FORMAT_TIME, start, stop, NULL, NULL);
  GST_OBJECT_UNLOCK(pad);
  if (inside)
    return buffer;
  GST_DEBUG_OBJECT(pad, "outside of the segment: dropping %" GST_PTR_FORMAT, buffer);
  gst_buffer_unref(buffer);
  return NULL;
}

/* The deadline of live pipelines: that of the leading buffer, if the user set one. */
static GstClockTime pairing_get_next_time(GstAggregator *aggregator)
{
  GstStxPairing *self = GST_STX_PAIRING(aggregator);
  GstClockTime next = GST_CLOCK_TIME_NONE;
  guint64 latency;
  GstStxHeads heads;

  g_object_get(self, "latency", &latency, NULL);
  if (latency == 0)
    return GST_CLOCK_TIME_NONE;
  gst_stx_heads_collect(&heads, GST_ELEMENT(self), CLASS(self)->roles, CLASS(self)->optional);
  if (heads.lead < heads.count && heads.head[heads.lead].timed)
    next = MAX(heads.head[heads.lead].time, 0);
  gst_stx_heads_clear(&heads);
  return next;
}

static GstFlowReturn pairing_update_src_caps(
    GstAggregator *aggregator, GstCaps *downstream, GstCaps **caps)
{
  GstStxPairingPrivate *priv = PRIVATE(aggregator);

  *caps = gst_caps_ref(priv->src_caps);
  if (CLASS(aggregator)->choose_memory != NULL)
    *caps = CLASS(aggregator)->choose_memory(GST_STX_PAIRING(aggregator), *caps);
  return gst_caps_can_intersect(*caps, downstream) ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED;
}

/* GstAggregator runs a task of its own, so nobody else tells the user. */
static gboolean pairing_negotiate(GstAggregator *aggregator)
{
  GstPad *src = GST_AGGREGATOR_SRC_PAD(aggregator);
  GstCaps *caps = PRIVATE(aggregator)->src_caps;
  gchar *text;

  if (caps == NULL) /* tried with the first buffers; not known before they are a set */
    return TRUE;
  if (GST_AGGREGATOR_CLASS(gst_stx_pairing_parent_class)->negotiate(aggregator))
    return TRUE;
  if (GST_PAD_IS_FLUSHING(src))
    return FALSE;
  text = gst_caps_to_string(caps);
  GST_ELEMENT_ERROR(
      aggregator, CORE, NEGOTIATION, ("The next element does not take %s", text), (NULL));
  g_free(text);
  return FALSE;
}

/* ---- State --------------------------------------------------------------------------------- */

static void reset(GstStxPairing *self)
{
  GstStxPairingPrivate *priv = PRIVATE(self);

  gst_stx_qos_reset(&priv->qos, GST_ELEMENT(self));
  priv->discont = FALSE;
  if (CLASS(self)->reset != NULL)
    CLASS(self)->reset(self);
}

static void forget_caps(GstStxPairing *self)
{
  GstStxPairingPrivate *priv = PRIVATE(self);

  for (guint role = 0; role < GST_STX_PAIRING_ROLES; role++)
    gst_clear_caps(&priv->caps[role]);
  gst_clear_caps(&priv->src_caps);
}

static gboolean pairing_start(GstAggregator *aggregator)
{
  GstStxPairingPrivate *priv = PRIVATE(aggregator);

  GST_OBJECT_LOCK(aggregator);
  forget_caps(GST_STX_PAIRING(aggregator));
  priv->unpaired = 0;
  GST_OBJECT_UNLOCK(aggregator);
  priv->refused = FALSE;
  priv->frame = 0;
  priv->qos.processed = priv->qos.dropped = 0;
  reset(GST_STX_PAIRING(aggregator));
  return TRUE;
}

static GstStateChangeReturn pairing_change_state(GstElement *element, GstStateChange transition)
{
  GstStxLinks *links = &PRIVATE(element)->links;
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    gst_stx_links_begin(links, GST_STX_PAIRING(element));
  result = GST_ELEMENT_CLASS(gst_stx_pairing_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY || result == GST_STATE_CHANGE_FAILURE)
    gst_stx_links_end(links);
  return result;
}

void gst_stx_pairing_judge_links(GstStxPairing *self)
{
  gst_stx_links_judge(&PRIVATE(self)->links, self);
}

static GstFlowReturn pairing_flush(GstAggregator *aggregator)
{
  reset(GST_STX_PAIRING(aggregator));
  return GST_FLOW_OK;
}

/* ---- For the element --------------------------------------------------------------------------
 */

GstCaps *gst_stx_pairing_get_caps(GstStxPairing *self, guint role)
{
  GstCaps *caps = NULL;

  GST_OBJECT_LOCK(self);
  gst_caps_replace(&caps, PRIVATE(self)->caps[role]);
  GST_OBJECT_UNLOCK(self);
  return caps;
}

gboolean gst_stx_pairing_set_src_caps(GstStxPairing *self, GstCaps *caps)
{
  GstStxPairingPrivate *priv = PRIVATE(self);
  gst_caps_take(&priv->src_caps, caps);
  return gst_aggregator_negotiate(GST_AGGREGATOR(self));
}

GstFlowReturn gst_stx_pairing_acquire(GstStxPairing *self, GstBuffer **buffer)
{
  GstBufferPool *pool = gst_aggregator_get_buffer_pool(GST_AGGREGATOR(self));
  GstFlowReturn flow = GST_FLOW_ERROR;

  /* GstAggregator leaves it to us to activate the pool. */
  if (pool != NULL && gst_buffer_pool_set_active(pool, TRUE))
    flow = gst_buffer_pool_acquire_buffer(pool, buffer, NULL);
  if (flow == GST_FLOW_ERROR)
    GST_ELEMENT_ERROR(self, RESOURCE, NO_SPACE_LEFT, ("No memory for an output buffer"), (NULL));
  gst_clear_object(&pool);
  return flow;
}

/* ---- Class --------------------------------------------------------------------------------- */

static void pairing_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  if (id != PROP_QOS) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    return;
  }
  GST_OBJECT_LOCK(object);
  PRIVATE(object)->qos.enabled = g_value_get_boolean(value);
  GST_OBJECT_UNLOCK(object);
}

static void pairing_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GST_OBJECT_LOCK(object);
  if (id == PROP_QOS)
    g_value_set_boolean(value, PRIVATE(object)->qos.enabled);
  else if (id == PROP_UNPAIRED)
    g_value_set_uint64(value, PRIVATE(object)->unpaired);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  GST_OBJECT_UNLOCK(object);
}

static void pairing_finalize(GObject *object)
{
  forget_caps(GST_STX_PAIRING(object));
  G_OBJECT_CLASS(gst_stx_pairing_parent_class)->finalize(object);
}

static void gst_stx_pairing_init(GstStxPairing *self)
{
  PRIVATE(self)->qos.enabled = DEFAULT_QOS;
}

static void gst_stx_pairing_class_init(GstStxPairingClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS(klass);

  object_class->set_property = pairing_set_property;
  object_class->get_property = pairing_get_property;
  object_class->finalize = pairing_finalize;
  GST_ELEMENT_CLASS(klass)->change_state = pairing_change_state;
  aggregator_class->aggregate = pairing_aggregate;
  aggregator_class->sink_event = pairing_sink_event;
  aggregator_class->sink_query = pairing_sink_query;
  aggregator_class->src_event = pairing_src_event;
  aggregator_class->clip = pairing_clip;
  aggregator_class->get_next_time = pairing_get_next_time;
  aggregator_class->update_src_caps = pairing_update_src_caps;
  aggregator_class->negotiate = pairing_negotiate;
  aggregator_class->start = pairing_start;
  aggregator_class->flush = pairing_flush;
  aggregator_class->create_new_pad = gst_stx_links_create_pad;

  g_object_class_install_property(object_class, PROP_QOS,
      g_param_spec_boolean("qos", "QoS", "Drop frames that would be shown too late", DEFAULT_QOS,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property(object_class, PROP_UNPAIRED,
      g_param_spec_uint64("unpaired", "Unpaired",
          "Number of buffers dropped since the start because no buffer of the same moment came on "
          "the other pads",
          0, G_MAXUINT64, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}
