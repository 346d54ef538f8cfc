/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The class: pads, events, queries, caps, states. What it does with buffers: pairingflow.c; with
 * streams that end, and begin again: pairingend.c. */
#include "gst/base/inputs.h"
#include "gst/base/pairing_private.h"
#include "gst/core/element.h"

#include <string.h>

GST_DEBUG_CATEGORY(gst_stx_pairing_debug);
#define GST_CAT_DEFAULT gst_stx_pairing_debug

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(GstStxPairing, gst_stx_pairing, GST_TYPE_AGGREGATOR,
    G_ADD_PRIVATE(GstStxPairing) GST_DEBUG_CATEGORY_INIT(
        gst_stx_pairing_debug, "stx-pairing", 0, "pairing of several inputs"))
#define PRIVATE(self) (gst_stx_pairing_private((GstStxPairing *)(self)))
#define CLASS(self) GST_STX_PAIRING_GET_CLASS(self)
#define PARENT GST_AGGREGATOR_CLASS(gst_stx_pairing_parent_class)

GstStxPairingPrivate *gst_stx_pairing_private(GstStxPairing *self)
{
  return gst_stx_pairing_get_instance_private(self);
}

GstStxStage *gst_stx_pairing_stage(GstStxPairing *self)
{
  return &PRIVATE(self)->stage;
}

/* ---- Pads ---------------------------------------------------------------------------------- */

static GstAggregatorPad *new_pad(GstStxPairing *self, GstPadTemplate *templ, const gchar *name)
{
  GstPad *pad = g_object_new(
      GST_TYPE_AGGREGATOR_PAD, "name", name, "direction", GST_PAD_SINK, "template", templ, NULL);

  gst_stx_want_caps(pad);
  if (CLASS(self)->uses_motion)
    gst_stx_want_motion(pad);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, gst_stx_pairing_clip, NULL, NULL);
  return GST_AGGREGATOR_PAD(pad);
}

/* The pad of a role, once. */
static GstAggregatorPad *pairing_create_new_pad(
    GstAggregator *aggregator, GstPadTemplate *templ, const gchar *name, const GstCaps *caps)
{
  const gchar *role = GST_PAD_TEMPLATE_NAME_TEMPLATE(templ);
  g_autoptr(GstPad) pad = gst_element_get_static_pad(GST_ELEMENT(aggregator), role);

  if (pad != NULL) {
    GST_WARNING_OBJECT(aggregator, "there is only one pad %s", role);
    return NULL;
  }
  return new_pad(GST_STX_PAIRING(aggregator), templ, role);
}

void gst_stx_pairing_add_pad(GstStxPairing *self, guint role)
{
  const gchar *name = CLASS(self)->roles.names[role];
  GstPadTemplate *templ = gst_element_class_get_pad_template(GST_ELEMENT_CLASS(CLASS(self)), name);

  gst_element_add_pad(GST_ELEMENT(self), GST_PAD(new_pad(self, templ, name)));
}

GstAggregatorPad *gst_stx_pairing_get_pad(GstStxPairing *self, guint role)
{
  return (GstAggregatorPad *)gst_element_get_static_pad(
      GST_ELEMENT(self), CLASS(self)->roles.names[role]);
}

/* ---- Latency ------------------------------------------------------------------------------- */

/* Duration of a frame of these caps; 0: unknown. */
static GstClockTime frame_of(const GstCaps *caps)
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
    g_autoptr(GstAggregatorPad) pad = gst_stx_pairing_get_pad(self, role);
    g_autoptr(GstCaps) caps = pad != NULL ? gst_pad_peer_query_caps(GST_PAD(pad), NULL) : NULL;

    if (caps != NULL && gst_caps_get_size(caps) > 0)
      frame = frame_of(caps);
  }
  return frame > 0 ? frame : GST_SECOND / 30;
}

/* Any thread: do buffers wait for required partners? */
static gboolean waits(GstStxPairing *self)
{
  guint pads = 0;

  for (guint role = 0; CLASS(self)->roles.names[role] != NULL; role++) {
    g_autoptr(GstAggregatorPad) pad = gst_stx_pairing_get_pad(self, role);

    pads += pad != NULL && !(CLASS(self)->roles.optional & 1u << role);
  }
  return pads > 1;
}

void gst_stx_pairing_plan_latency(GstStxPairing *self)
{
  GstStxPairingPrivate *priv = PRIVATE(self);
  GstClockTime frame, work, period, latency;
  gboolean pairs, changed;

  do {
    GST_OBJECT_LOCK(self);
    frame = priv->frame;
    work = priv->delay.reported;
    GST_OBJECT_UNLOCK(self);
    /* The nearest partner is within half a frame. As much is for the work, unless that takes more.
     * An optional partner's latency of its own is counted by the pipeline already. */
    pairs = waits(self);
    period = frame > 0 || !pairs ? frame : expected_frame(self);
    latency = pairs ? period / 2 + MAX(period - period / 2, work) : work;
    gst_aggregator_set_latency(GST_AGGREGATOR(self), latency, latency);
    GST_STX_LOCKED(self, changed = frame != priv->frame || work != priv->delay.reported);
  } while (changed);
}

/* ---- Events and queries -------------------------------------------------------------------- */

static gboolean is_leading(GstStxPairing *self, guint role)
{
  for (guint i = 0; i < role; i++) {
    g_autoptr(GstAggregatorPad) pad = gst_stx_pairing_get_pad(self, i);

    if (pad != NULL)
      return FALSE;
  }
  return TRUE;
}

/* Returns the frame duration of the pad with the highest rate. Rates above 1000 a second are
 * ignored: some decoders announce one when they do not know theirs. */
static GstClockTime shortest_frame(GstStxPairing *self)
{
  GstClockTime shortest = 0;

  for (guint role = 0; role < GST_STX_ROLES_MAX; role++) {
    GstCaps *caps = PRIVATE(self)->caps[role];
    GstClockTime frame = caps != NULL ? frame_of(caps) : 0;

    if (frame >= GST_MSECOND && (shortest == 0 || frame < shortest))
      shortest = frame;
  }
  return shortest;
}

/* ---- Caps and segments --------------------------------------------------------------------- */

static gboolean take_caps(GstStxPairing *self, guint role, GstCaps *caps)
{
  GstStxPairingPrivate *priv = PRIVATE(self);
  gboolean leading = is_leading(self, role);
  StxError error = {""};

  /* A frame that is held would be taken for one of the new caps. */
  if (priv->caps[role] != NULL && !gst_caps_is_equal(priv->caps[role], caps))
    gst_clear_buffer(&priv->held[role].buffer);
  GST_OBJECT_LOCK(self);
  if (leading)
    priv->frame = frame_of(caps);
  gst_caps_replace(&priv->caps[role], caps);
  GST_OBJECT_UNLOCK(self);
  priv->skew.period = shortest_frame(self);
  gst_stx_pairing_plan_latency(self);
  if (CLASS(self)->set_role_caps(self, role, caps, &error))
    return TRUE;
  if (error.text[0] != '\0')
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
  priv->refused = TRUE;
  return FALSE;
}

/* Segments that do not count time carry no timestamps either: begin to count at zero. */
static void take_segment(
    GstStxPairing *self, GstAggregatorPad *pad, gboolean leading, guint32 seqnum)
{
  GstSegment segment;

  GST_OBJECT_LOCK(pad);
  if (pad->segment.format != GST_FORMAT_TIME)
    gst_segment_init(&pad->segment, GST_FORMAT_TIME);
  segment = pad->segment;
  GST_OBJECT_UNLOCK(pad);
  if (!leading)
    return;
  gst_aggregator_update_segment(GST_AGGREGATOR(self), &segment);
  PRIVATE(self)->segment = TRUE;
  PRIVATE(self)->seqnum = seqnum;
}

gboolean gst_stx_pairing_push_event(GstStxPairing *self, GstEvent *event)
{
  if (PRIVATE(self)->seqnum != GST_SEQNUM_INVALID)
    gst_event_set_seqnum(event, PRIVATE(self)->seqnum);
  return gst_pad_push_event(GST_AGGREGATOR_SRC_PAD(self), event);
}

gboolean gst_stx_pairing_forward(GstStxPairing *self, GstAggregatorPad *pad, GstEvent *event)
{
  return PARENT->sink_event(GST_AGGREGATOR(self), pad, event);
}

static gboolean pairing_sink_event(
    GstAggregator *aggregator, GstAggregatorPad *pad, GstEvent *event)
{
  GstStxPairing *self = GST_STX_PAIRING(aggregator);
  gboolean segment = GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT, result;
  const gchar *name = GST_PAD_TEMPLATE_NAME_TEMPLATE(GST_PAD_PAD_TEMPLATE(pad));
  guint role = 0;
  guint32 seqnum = gst_event_get_seqnum(event);

  while (CLASS(self)->roles.names[role] != NULL &&
         g_strcmp0(name, CLASS(self)->roles.names[role]) != 0)
    role++;
  if (GST_EVENT_IS_SERIALIZED(event) && GST_EVENT_TYPE(event) != GST_EVENT_FLUSH_STOP)
    gst_stx_pairing_wake(self, pad);
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
    GstCaps *caps;

    gst_event_parse_caps(event, &caps);
    gst_stx_links_feed(&PRIVATE(self)->links);
    result = take_caps(self, role, caps);
    gst_event_unref(event);
    return result;
  }
  if (gst_stx_qos_is_gap(event))
    gst_event_parse_gap(event, &PRIVATE(self)->dropped[role], NULL);
  result = gst_stx_pairing_forward(self, pad, event);
  if (segment) {
    gst_stx_pairing_forget_times(self, 1u << role);
    take_segment(self, pad, is_leading(self, role), seqnum);
  }
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
  return gst_stx_cuda_query(&PRIVATE(aggregator)->stage.cuda, GST_PAD(pad), query) ||
         PARENT->sink_query(aggregator, pad, query);
}

static gboolean pairing_src_query(GstAggregator *aggregator, GstQuery *query)
{
  if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY)
    gst_stx_pairing_plan_latency(GST_STX_PAIRING(aggregator));
  return gst_stx_cuda_query(
             &PRIVATE(aggregator)->stage.cuda, GST_AGGREGATOR_SRC_PAD(aggregator), query) ||
         PARENT->src_query(aggregator, query);
}

/* An element that pairs partners drops them together: what is upstream of one pad, a converter say,
 * would drop half a set. */
static gboolean pairing_src_event(GstAggregator *aggregator, GstEvent *event)
{
  gst_stx_qos_take_event(&PRIVATE(aggregator)->qos, GST_ELEMENT(aggregator), event);
  if (GST_EVENT_TYPE(event) != GST_EVENT_QOS || !waits(GST_STX_PAIRING(aggregator)))
    return PARENT->src_event(aggregator, event);
  gst_event_unref(event);
  return TRUE;
}

static GstFlowReturn pairing_update_src_caps(
    GstAggregator *aggregator, GstCaps *downstream, GstCaps **caps)
{
  GstStxPairingPrivate *priv = PRIVATE(aggregator);

  *caps = gst_caps_ref(priv->src_caps);
  if (CLASS(aggregator)->makes_output)
    *caps = gst_stx_cuda_choose_caps(&priv->stage.cuda, GST_AGGREGATOR_SRC_PAD(aggregator), *caps);
  return gst_caps_can_intersect(*caps, downstream) ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED;
}

/* GstAggregator runs a task of its own, so the element has to tell the user. */
static gboolean pairing_negotiate(GstAggregator *aggregator)
{
  GstPad *src = GST_AGGREGATOR_SRC_PAD(aggregator);
  GstCaps *caps = PRIVATE(aggregator)->src_caps;

  if (caps == NULL) /* tried with the first buffers; not known before they are a set */
    return TRUE;
  if (PARENT->negotiate(aggregator))
    return TRUE;
  if (GST_PAD_IS_FLUSHING(src))
    return FALSE;
  gst_stx_element_refused(GST_ELEMENT(aggregator), src, caps);
  return FALSE;
}

static gboolean pairing_propose_allocation(
    GstAggregator *aggregator, GstAggregatorPad *pad, GstQuery *decided, GstQuery *query)
{
  gst_stx_cuda_propose(query);
  return TRUE;
}

static gboolean pairing_decide_allocation(GstAggregator *aggregator, GstQuery *query)
{
  gst_stx_stage_decide(&PRIVATE(aggregator)->stage, query);
  return CLASS(aggregator)->choose_pool == NULL ||
         CLASS(aggregator)->choose_pool(GST_STX_PAIRING(aggregator), query);
}

static void pairing_set_context(GstElement *element, GstContext *context)
{
  gst_stx_cuda_set_context(&PRIVATE(element)->stage.cuda, context);
  GST_ELEMENT_CLASS(gst_stx_pairing_parent_class)->set_context(element, context);
}

/* ---- State --------------------------------------------------------------------------------- */

void gst_stx_pairing_forget_times(GstStxPairing *self, guint roles)
{
  GstStxPairingPrivate *priv = PRIVATE(self);

  for (guint role = 0; role < GST_STX_ROLES_MAX; role++)
    if (roles & 1u << role) {
      priv->timelines[role] = (GstStxTimeline){0};
      gst_clear_buffer(&priv->held[role].buffer);
      priv->skew.shift[role] = 0;
    }
}

static void reset(GstStxPairing *self)
{
  GstStxPairingPrivate *priv = PRIVATE(self);

  gst_stx_qos_reset(&priv->qos, GST_ELEMENT(self));
  gst_stx_deadline_reset(&priv->deadline);
  gst_stx_skew_forget(&priv->skew, ~0u);
  gst_stx_pairing_forget_times(self, ~0u);
  priv->load = (GstStxLoad){0};
  priv->discont = priv->told_end = priv->parked = FALSE;
  priv->ended = 0;
  for (guint role = 0; role < GST_STX_ROLES_MAX; role++)
    priv->dropped[role] = GST_CLOCK_TIME_NONE;
  for (guint role = 0; CLASS(self)->roles.names[role] != NULL; role++) {
    g_autoptr(GstAggregatorPad) pad = gst_stx_pairing_get_pad(self, role);

    if (pad != NULL)
      gst_stx_pad_set_parked(pad, FALSE);
  }
  if (CLASS(self)->reset != NULL)
    CLASS(self)->reset(self);
}

static void forget_caps(GstStxPairing *self)
{
  GstStxPairingPrivate *priv = PRIVATE(self);

  for (guint role = 0; role < GST_STX_ROLES_MAX; role++)
    gst_clear_caps(&priv->caps[role]);
  gst_clear_caps(&priv->src_caps);
}

static GstStxCameraSettings *camera_of(GstStxPairing *self)
{
  gsize place = CLASS(self)->camera;

  return place != 0 ? &G_STRUCT_MEMBER(GstStxCameraSettings, self, place) : NULL;
}

/* Asks the element for what it needs; FALSE after an element error. */
static gboolean begin(GstStxPairing *self)
{
  GstStxPairingClass *klass = CLASS(self);
  StxError error;

  if (klass->begin != NULL && !klass->begin(self, &error)) {
    gst_stx_element_fail(GST_ELEMENT(self), &error);
    return FALSE;
  }
  return klass->camera == 0 ||
         gst_stx_camera_settings_load(camera_of(self), klass->uses_sensor, GST_ELEMENT(self));
}

static gboolean pairing_start(GstAggregator *aggregator)
{
  GstStxPairingPrivate *priv = PRIVATE(aggregator);

  if (!begin(GST_STX_PAIRING(aggregator)))
    return FALSE;
  GST_OBJECT_LOCK(aggregator);
  forget_caps(GST_STX_PAIRING(aggregator));
  priv->unpaired = 0;
  priv->frame = 0;
  priv->delay = (GstStxDelay){0};
  memset(priv->unpaired_of, 0, sizeof(priv->unpaired_of));
  GST_OBJECT_UNLOCK(aggregator);
  priv->refused = FALSE;
  priv->skew.period = 0;
  priv->qos.processed = priv->qos.dropped = 0;
  gst_stx_stats_reset(&priv->stats, GST_ELEMENT(aggregator));
  reset(GST_STX_PAIRING(aggregator));
  return gst_stx_stage_start(&priv->stage);
}

static void clear(GstStxPairing *self)
{
  if (CLASS(self)->clear != NULL)
    CLASS(self)->clear(self);
  gst_stx_stage_stop(&PRIVATE(self)->stage);
}

static gboolean pairing_stop(GstAggregator *aggregator)
{
  clear(GST_STX_PAIRING(aggregator));
  return TRUE;
}

/* GstAggregator warns with every frame of a pipeline whose queues are too short for its latency. */
static gboolean pairing_post_message(GstElement *element, GstMessage *message)
{
  g_autoptr(GError) error = NULL;
  gboolean again = FALSE;

  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) {
    gst_message_parse_warning(message, &error, NULL);
    again = g_error_matches(error, GST_CORE_ERROR, GST_CORE_ERROR_CLOCK) &&
            !g_atomic_int_compare_and_exchange(&PRIVATE(element)->told_clock, FALSE, TRUE);
  }
  if (!again)
    return GST_ELEMENT_CLASS(gst_stx_pairing_parent_class)->post_message(element, message);
  gst_message_unref(message);
  return TRUE;
}

static GstStateChangeReturn pairing_change_state(GstElement *element, GstStateChange transition)
{
  GstStxLinks *links = &PRIVATE(element)->links;
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    gst_stx_links_begin(links);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    g_atomic_int_set(&PRIVATE(element)->told_clock, FALSE);
  result = GST_ELEMENT_CLASS(gst_stx_pairing_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY || result == GST_STATE_CHANGE_FAILURE)
    gst_stx_links_end(links);
  return result;
}

static GstFlowReturn pairing_flush(GstAggregator *aggregator)
{
  reset(GST_STX_PAIRING(aggregator));
  return GST_FLOW_OK;
}

/* ---- For the element ----------------------------------------------------------------------- */

GstClockTime gst_stx_pairing_time(GstStxPairing *self)
{
  return PRIVATE(self)->time;
}

gboolean gst_stx_pairing_is_live(GstStxPairing *self)
{
  return GST_CLOCK_TIME_IS_VALID(gst_stx_deadline_now(GST_AGGREGATOR(self)));
}

GstCaps *gst_stx_pairing_caps(GstStxPairing *self, guint role)
{
  return PRIVATE(self)->caps[role];
}

void gst_stx_pairing_keep_shape(GstStxPairing *self, guint role, GstStructure *to)
{
  static const gchar *const kept[] = {"framerate", "pixel-aspect-ratio"};
  const GstStructure *from = gst_caps_get_structure(gst_stx_pairing_caps(self, role), 0);

  for (gsize i = 0; i < G_N_ELEMENTS(kept); i++)
    if (gst_structure_has_field(from, kept[i]))
      gst_structure_set_value(to, kept[i], gst_structure_get_value(from, kept[i]));
}

gboolean gst_stx_pairing_find_camera(GstStxPairing *self, const GstCaps *caps, GstStxCameraUse use,
    gint width, gint height, StxCamera *camera, StxError *error)
{
  gboolean fits;

  GST_OBJECT_LOCK(self);
  fits = gst_stx_camera_settings_apply(camera_of(self), caps, use, width, height, camera, error);
  GST_OBJECT_UNLOCK(self);
  if (fits)
    gst_stx_camera_tell(GST_ELEMENT(self), error);
  return fits;
}

gboolean gst_stx_pairing_find_sensor(
    GstStxPairing *self, guint role, gdouble matrix[12], StxError *error)
{
  const GstCaps *caps = gst_stx_pairing_caps(self, role);
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(GST_OBJECT_GET_LOCK(self));

  return gst_stx_extrinsics_settings_apply(&camera_of(self)->sensor, caps, matrix, error);
}

static GstFlowReturn renegotiate(GstElement *element)
{
  if (gst_aggregator_negotiate(GST_AGGREGATOR(element)))
    return GST_FLOW_OK;
  return GST_PAD_IS_FLUSHING(GST_AGGREGATOR_SRC_PAD(element)) ? GST_FLOW_FLUSHING
                                                              : GST_FLOW_NOT_NEGOTIATED;
}

/* The `prepare` of stages that work on a GstStxPairingFrame. */
static GstFlowReturn prepare(GstElement *element, gpointer data, StxError *error)
{
  const GstStxPairingFrame *frame = data;

  return CLASS(element)->announce(GST_STX_PAIRING(element), gst_stx_roles_of(frame->set), error);
}

GstFlowReturn gst_stx_pairing_set_src_caps(GstStxPairing *self, GstCaps *caps)
{
  gst_caps_take(&PRIVATE(self)->src_caps, caps);
  return renegotiate(GST_ELEMENT(self));
}

GstFlowReturn gst_stx_pairing_acquire(GstStxPairing *self, GstBuffer **buffer, StxError *error)
{
  g_autoptr(GstBufferPool) pool = gst_aggregator_get_buffer_pool(GST_AGGREGATOR(self));

  return gst_stx_stage_acquire(&PRIVATE(self)->stage, pool, buffer, error);
}

/* ---- Class --------------------------------------------------------------------------------- */

static const StxField fields[] = {
    {"qos", "QoS", "Drop sets that would be shown too late, for at most 0.4 s at a time",
        STX_FIELD(CHOICE, GstStxPairingPrivate, qos.mode), .choices = gst_stx_qos_modes,
        .type_name = "GstStxQosMode"},
    {"timeout", "Timeout",
        "Longest wait for a partner in live pipelines, unless latency is set, milliseconds (0 = "
        "unlimited)",
        STX_FIELD(UINT, GstStxPairingPrivate, deadline.timeout), .high = 60000, .unit = "ms"},
    {"tolerance", "Tolerance",
        "Largest difference of the time stamps of one moment, milliseconds (-1 = half a frame; "
        "without a frame rate 1)",
        STX_FIELD(INT, GstStxPairingPrivate, tolerance), .low = GST_STX_TOLERANCE_AUTO,
        .high = 10000, .unit = "ms"},
    {"unpaired", "Unpaired", "Buffers dropped without a partner",
        STX_FIELD(COUNT, GstStxPairingPrivate, unpaired)},
};
static const GstStxPairingPrivate defaults = {.deadline = {.timeout = 200},
    .tolerance = GST_STX_TOLERANCE_AUTO,
    .qos = {.mode = GST_STX_QOS_AUTO}};
static const StxFields own_table = {STX_FIELDS_OF(fields), &defaults};

static GstStructure *stats_of(gpointer self)
{
  const GstStxPairingPrivate *priv = PRIVATE(self);
  GstStructure *stats = gst_stx_stats_to_structure(&priv->stats, TRUE);

  gst_structure_set(stats, "unpaired", G_TYPE_UINT64, priv->unpaired, NULL);
  for (guint role = 0; CLASS(self)->roles.names[role] != NULL; role++) {
    g_autofree gchar *name = g_strconcat("unpaired-", CLASS(self)->roles.names[role], NULL);

    gst_structure_set(stats, name, G_TYPE_UINT64, priv->unpaired_of[role], NULL);
  }
  if (CLASS(self)->tell != NULL)
    CLASS(self)->tell(self, stats);
  return stats;
}

static void install_properties(GObjectClass *klass)
{
  gssize offset = g_type_class_get_instance_private_offset(klass);
  GstStxPropertyGroup groups[] = {
      GST_STX_RUN_PROPERTIES(GstStxPairingPrivate, stage.properties),
      {&own_table, 0, GST_PARAM_MUTABLE_PLAYING},
  };

  for (guint i = 0; i < G_N_ELEMENTS(groups); i++)
    groups[i].offset += offset;
  gst_stx_properties_install(klass, groups, G_N_ELEMENTS(groups));
  gst_stx_stats_install(klass, stats_of);
}

static void pairing_constructed(GObject *object)
{
  GstStxPairingPrivate *priv = PRIVATE(object);

  gst_stx_stage_init(&priv->stage, GST_ELEMENT(object), &CLASS(object)->stage);
  gst_stx_links_init(&priv->links, GST_ELEMENT(object), &CLASS(object)->roles);
  if (CLASS(object)->camera != 0)
    gst_stx_camera_settings_init(camera_of(GST_STX_PAIRING(object)));
  G_OBJECT_CLASS(gst_stx_pairing_parent_class)->constructed(object);
}

static void pairing_finalize(GObject *object)
{
  forget_caps(GST_STX_PAIRING(object));
  clear(GST_STX_PAIRING(object));
  if (CLASS(object)->camera != 0)
    gst_stx_camera_settings_clear(camera_of(GST_STX_PAIRING(object)));
  G_OBJECT_CLASS(gst_stx_pairing_parent_class)->finalize(object);
}

static void gst_stx_pairing_init(GstStxPairing *self)
{
  PRIVATE(self)->deadline.timeout = defaults.deadline.timeout;
  PRIVATE(self)->tolerance = defaults.tolerance;
  PRIVATE(self)->qos.mode = defaults.qos.mode;
}

static void gst_stx_pairing_class_init(GstStxPairingClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS(klass);

  object_class->constructed = pairing_constructed;
  object_class->finalize = pairing_finalize;
  GST_ELEMENT_CLASS(klass)->change_state = pairing_change_state;
  GST_ELEMENT_CLASS(klass)->post_message = pairing_post_message;
  GST_ELEMENT_CLASS(klass)->set_context = pairing_set_context;
  aggregator_class->aggregate = gst_stx_pairing_aggregate;
  aggregator_class->sink_event = pairing_sink_event;
  aggregator_class->sink_query = pairing_sink_query;
  aggregator_class->src_event = pairing_src_event;
  aggregator_class->src_query = pairing_src_query;
  aggregator_class->get_next_time = gst_stx_pairing_get_next_time;
  aggregator_class->propose_allocation = pairing_propose_allocation;
  aggregator_class->decide_allocation = pairing_decide_allocation;
  aggregator_class->update_src_caps = pairing_update_src_caps;
  aggregator_class->negotiate = pairing_negotiate;
  aggregator_class->start = pairing_start;
  aggregator_class->stop = pairing_stop;
  aggregator_class->flush = pairing_flush;
  aggregator_class->create_new_pad = pairing_create_new_pad;
  klass->stage.prepare = prepare;
  klass->stage.renegotiate = renegotiate;

  install_properties(object_class);
}
