/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/transform.h"

#include "gst/core/element.h"
#include "gst/base/inputs.h"
#include "gst/core/delay.h"
#include "gst/core/memory.h"
#include "gst/core/qos.h"
#include "gst/core/stats.h"

typedef struct {
  GstStxStage stage;
  GstStxStats stats;
  GstStxDelay delay; /* under the object lock */
} GstStxTransformPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE(GstStxTransform, gst_stx_transform, GST_TYPE_BASE_TRANSFORM)
#define CLASS(self) GST_STX_TRANSFORM_GET_CLASS(self)
#define STAGE(self) (gst_stx_transform_stage((GstStxTransform *)(self)))
#define PARENT GST_BASE_TRANSFORM_CLASS(gst_stx_transform_parent_class)

GstStxStage *gst_stx_transform_stage(GstStxTransform *self)
{
  return &((GstStxTransformPrivate *)gst_stx_transform_get_instance_private(self))->stage;
}

static GstStxStats *stats_of(gpointer self)
{
  return &((GstStxTransformPrivate *)gst_stx_transform_get_instance_private(self))->stats;
}

static GstStxDelay *delay_of(gpointer self)
{
  return &((GstStxTransformPrivate *)gst_stx_transform_get_instance_private(self))->delay;
}

GstClockTime gst_stx_transform_latency(GstStxTransform *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(GST_OBJECT_GET_LOCK(self));

  return delay_of(self)->reported;
}

/* ---- Caps ---------------------------------------------------------------------------------- */

static GstCaps *transform_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  return gst_stx_caps_filtered(
      CLASS(base)->other_caps(GST_STX_TRANSFORM(base), direction, caps), filter);
}

static GstCaps *fixate_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  if (direction == GST_PAD_SRC)
    return gst_caps_fixate(other);
  return gst_stx_cuda_fixate_caps(&STAGE(base)->cuda, GST_BASE_TRANSFORM_SRC_PAD(base), other);
}

static gboolean set_caps(GstBaseTransform *base, GstCaps *input, GstCaps *output)
{
  StxError error;

  STAGE(base)->device_output =
      gst_stx_stage_has_device(STAGE(base)) && gst_stx_cuda_is_caps(output);
  if (CLASS(base)->configure(GST_STX_TRANSFORM(base), input, output, &error))
    return TRUE;
  GST_STX_ELEMENT_ERROR(base, STREAM, FORMAT, &error);
  return FALSE;
}

/* The source pad goes from CUDAMemory to system memory in mid-stream, before the buffer that is
 * being made. */
static GstFlowReturn renegotiate(GstElement *element)
{
  GstPad *src = GST_BASE_TRANSFORM_SRC_PAD(element);
  g_autoptr(GstCaps) caps = gst_caps_make_writable(gst_pad_get_current_caps(src));
  GstFlowReturn flow = GST_FLOW_OK;

  gst_caps_set_features(caps, 0, NULL);
  if (!gst_pad_peer_query_accept_caps(src, caps) ||
      !gst_base_transform_update_src_caps(GST_BASE_TRANSFORM(element), caps))
    flow = GST_PAD_IS_FLUSHING(src) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
  if (flow == GST_FLOW_NOT_NEGOTIATED)
    gst_stx_element_refused(element, src, caps);
  return flow;
}

/* ---- Frames -------------------------------------------------------------------------------- */

static GstBuffer *finish(GstStxTransform *self, GstBuffer *input, GstBuffer *output)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM(self);

  if (CLASS(self)->done != NULL)
    CLASS(self)->done(self, input);
  if (CLASS(self)->finish != NULL)
    return CLASS(self)->finish(self, input, output);
  if (!GST_BASE_TRANSFORM_GET_CLASS(base)->copy_metadata(base, input, output))
    GST_WARNING_OBJECT(self, "could not copy time stamps and metas");
  return output;
}

static void push_gap(
    GstBaseTransform *base, GstClockTime time, GstClockTime duration, gboolean late)
{
  GstEvent *gap;

  if (!GST_CLOCK_TIME_IS_VALID(time))
    return;
  gap = gst_event_new_gap(time, duration);
  if (late)
    gst_stx_qos_mark_gap(gap);
  gst_pad_push_event(GST_BASE_TRANSFORM_SRC_PAD(base), gap);
  gst_stx_stats_count(&stats_of(base)->gaps, GST_ELEMENT(base));
}

/* The size of the output depends on the result, so the work is done here. */
static GstFlowReturn prepare_output_buffer(
    GstBaseTransform *base, GstBuffer *input, GstBuffer **output)
{
  GstStxTransformFrame frame = {.input = input};
  GstClockTime begin = gst_util_get_timestamp();
  GstFlowReturn flow = gst_stx_stage_run(STAGE(base), &frame);

  gst_stx_delay_note_and_tell(delay_of(base), GST_ELEMENT(base),
      gst_stx_stats_frame(stats_of(base), GST_ELEMENT(base), begin));
  if (flow == GST_FLOW_OK)
    *output = gst_stx_offer(GST_ELEMENT(base), GST_BASE_TRANSFORM_SRC_PAD(base),
        finish(GST_STX_TRANSFORM(base), input, frame.output));
  else
    gst_clear_buffer(&frame.output);
  if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED)
    push_gap(base, GST_BUFFER_PTS(input), GST_BUFFER_DURATION(input), FALSE);
  return flow;
}

static GstFlowReturn transform(GstBaseTransform *base, GstBuffer *input, GstBuffer *output)
{
  return GST_FLOW_OK;
}

static gboolean sink_event(GstBaseTransform *base, GstEvent *event)
{
  if (GST_EVENT_TYPE(event) == GST_EVENT_GAP)
    gst_stx_stats_count(&stats_of(base)->gaps, GST_ELEMENT(base));
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS)
    gst_stx_stats_log(GST_ELEMENT(base));
  return gst_stx_sink_event(base, event);
}

/* GstBaseTransform drops late buffers without a GAP event downstream. */
static GstFlowReturn submit_input_buffer(
    GstBaseTransform *base, gboolean is_discont, GstBuffer *input)
{
  GstClockTime time = GST_BUFFER_PTS(input), duration = GST_BUFFER_DURATION(input);
  GstFlowReturn flow = PARENT->submit_input_buffer(base, is_discont, input);

  if (flow != GST_BASE_TRANSFORM_FLOW_DROPPED)
    return flow;
  gst_stx_stats_count(&stats_of(base)->dropped, GST_ELEMENT(base));
  push_gap(base, time, duration, TRUE);
  return flow;
}

/* ---- Context, queries, allocation ---------------------------------------------------------- */

static void set_context(GstElement *element, GstContext *context)
{
  gst_stx_cuda_set_context(&STAGE(element)->cuda, context);
  GST_ELEMENT_CLASS(gst_stx_transform_parent_class)->set_context(element, context);
}

static gboolean query(GstBaseTransform *base, GstPadDirection direction, GstQuery *asked)
{
  if (gst_stx_cuda_query_context(&STAGE(base)->cuda, asked))
    return TRUE;
  if (!PARENT->query(base, direction, asked))
    return FALSE;
  if (GST_QUERY_TYPE(asked) == GST_QUERY_LATENCY && direction == GST_PAD_SRC)
    gst_stx_delay_add(asked, gst_stx_transform_latency(GST_STX_TRANSFORM(base)));
  return TRUE;
}

static gboolean propose_allocation(GstBaseTransform *base, GstQuery *decided, GstQuery *asked)
{
  gst_stx_cuda_propose(asked);
  return TRUE;
}

static gboolean decide_allocation(GstBaseTransform *base, GstQuery *asked)
{
  gst_stx_stage_decide(STAGE(base), asked);
  return PARENT->decide_allocation(base, asked);
}

/* ---- States -------------------------------------------------------------------------------- */

static gboolean start(GstBaseTransform *base)
{
  gst_stx_stats_reset(stats_of(base), GST_ELEMENT(base));
  GST_STX_LOCKED(base, *delay_of(base) = (GstStxDelay){0});
  return gst_stx_stage_start(STAGE(base));
}

static gboolean stop(GstBaseTransform *base)
{
  gst_stx_stage_stop(STAGE(base));
  return TRUE;
}

/* ---- GObject ------------------------------------------------------------------------------- */

static void constructed(GObject *object)
{
  gst_stx_stage_init(STAGE(object), GST_ELEMENT(object), &CLASS(object)->stage);
  G_OBJECT_CLASS(gst_stx_transform_parent_class)->constructed(object);
}

static void finalize(GObject *object)
{
  gst_stx_stage_stop(STAGE(object));
  G_OBJECT_CLASS(gst_stx_transform_parent_class)->finalize(object);
}

static GstStructure *tell(gpointer self)
{
  return gst_stx_stats_to_structure(stats_of(self), FALSE);
}

static void gst_stx_transform_class_init(GstStxTransformClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS(klass);
  GstStxPropertyGroup properties = GST_STX_RUN_PROPERTIES(GstStxTransformPrivate, stage.properties);

  object->constructed = constructed;
  object->finalize = finalize;
  GST_ELEMENT_CLASS(klass)->set_context = set_context;
  properties.offset += g_type_class_get_instance_private_offset(klass);
  gst_stx_properties_install(klass, &properties, 1);
  gst_stx_stats_install(object, tell);
  klass->stage.renegotiate = renegotiate;

  base->query = query;
  base->propose_allocation = propose_allocation;
  base->decide_allocation = decide_allocation;
  base->transform_caps = transform_caps;
  base->fixate_caps = fixate_caps;
  base->accept_caps = gst_stx_accept_caps;
  base->set_caps = set_caps;
  base->prepare_output_buffer = prepare_output_buffer;
  base->transform = transform;
  base->sink_event = sink_event;
  base->submit_input_buffer = submit_input_buffer;
  base->start = start;
  base->stop = stop;
  gst_type_mark_as_plugin_api(GST_TYPE_STX_TRANSFORM, 0);
}

static void gst_stx_transform_init(GstStxTransform *self)
{
  gst_stx_want_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
}
