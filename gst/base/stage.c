/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choosing where a stage works, running it there, and leaving the GPU. Its memory: stagememory.c.
 */
#include "gst/base/stage.h"

#include <gst/base/gstbasetransform.h>

#include "gst/core/element.h"

static const StxFieldChoice backends[] = {
    {STX_BACKEND_AUTO, "auto", "Fastest available"},
    {STX_BACKEND_CUDA, "cuda", "NVIDIA GPU"},
    {STX_BACKEND_OMP, "omp", "CPU cores and vectors"},
    {0},
};

static const StxField run_fields[] = {
    {"backend", "Backend", "Implementation; all give the same bytes",
        STX_FIELD(CHOICE, GstStxRun, backend), .choices = backends},
    {"threads", "Threads", "CPU threads of backend=omp (0 = one per core)",
        STX_FIELD(INT, GstStxRun, threads), .high = 256},
    {"cuda-device-id", "CUDA device",
        "GPU of backend=cuda and auto (-1 = the pipeline's, else the first)",
        STX_FIELD(INT, GstStxRun, cuda_device_id), .low = -1, .high = G_MAXINT},
};
static const GstStxRun run_defaults = GST_STX_RUN_DEFAULTS;
const StxFields gst_stx_run_fields = {STX_FIELDS_OF(run_fields), &run_defaults};

#define LOST_MAX 250 /* frames in a row: more than queues hold when a GPU fails */

/* ---- Life ---------------------------------------------------------------------------------- */

void gst_stx_stage_init(GstStxStage *self, GstElement *element, const GstStxStageClass *klass)
{
  static const StxImplTable none = {NULL, 0, 0};

  *self = (GstStxStage){.klass = klass, .element = element, .properties = GST_STX_RUN_DEFAULTS};
  gst_stx_cuda_init(
      &self->cuda, element, &self->properties, klass->device != NULL ? klass->device : &none);
}

gboolean gst_stx_stage_start(GstStxStage *self)
{
  GST_STX_LOCKED(self->element, self->run = *self->cuda.run);
  self->place = (StxPlace){.threads = stx_threads(self->run.threads)};
  self->device_output = self->told_lost = FALSE;
  self->lost = 0;
  return gst_stx_cuda_start(&self->cuda);
}

void gst_stx_stage_stop(GstStxStage *self)
{
  gst_stx_stage_free_memory(self);
  gst_stx_cuda_stop(&self->cuda);
}

/* ---- What to run, and where ---------------------------------------------------------------- */

gboolean gst_stx_stage_has_device(const GstStxStage *self)
{
  return self->cuda.cuda != NULL;
}

/* With backend=cuda the element gets the GPU, or there is an error at the start: what is done on
 * the CPU all the same (frames not worth the GPU) is done as fast as the CPU can. */
static gconstpointer pick_host(const GstStxStage *self, const StxImplTable *table)
{
  return stx_impl_pick(
      table, self->run.backend == STX_BACKEND_CUDA ? STX_BACKEND_AUTO : self->run.backend);
}

gconstpointer gst_stx_stage_impl_of(
    const GstStxStage *self, const StxImplTable *host, const StxImplTable *device, StxError *error)
{
  gconstpointer impl = NULL;

  if (!self->on_device)
    impl = pick_host(self, host);
  else if (device->count > 0)
    impl = stx_impl_at(device, 0);
  if (impl == NULL)
    stx_fail(error, "this build has nothing that does it with backend=%s on this machine",
        self->on_device ? "cuda" : "omp");
  return impl;
}

gconstpointer gst_stx_stage_impl(const GstStxStage *self)
{
  return self->on_device ? stx_impl_at(self->klass->device, 0) : pick_host(self, self->klass->host);
}

const gchar *gst_stx_stage_impl_name(const GstStxStage *self)
{
  const StxImplInfo *impl = gst_stx_stage_has_device(self) ? stx_impl_at(self->klass->device, 0)
                                                           : pick_host(self, self->klass->host);
  return impl->name;
}

/* ---- A frame ------------------------------------------------------------------------------- */

static GstFlowReturn refuse(GstStxStage *self, const StxError *error)
{
  gst_stx_element_fail(self->element, error);
  return GST_FLOW_ERROR;
}

GstFlowReturn gst_stx_stage_leave_out(GstStxStage *self, const StxError *error)
{
  if (self->lost++ >= LOST_MAX)
    return refuse(self, error);
  if (!self->told_lost)
    GST_ELEMENT_WARNING(
        self->element, RESOURCE, FAILED, ("Frames are left out: %s", error->text), (NULL));
  self->told_lost = TRUE;
  return GST_BASE_TRANSFORM_FLOW_DROPPED;
}

/* The GPU has failed. OK: go on on the CPU. */
static GstFlowReturn fall_back(GstStxStage *self, const StxError *reason)
{
  gboolean device_output = self->device_output;

  gst_stx_stage_leave_device(self);
  if (!gst_stx_cuda_fail(&self->cuda, reason))
    return GST_FLOW_ERROR;
  self->device_output = FALSE;
  return device_output ? self->klass->renegotiate(self->element) : GST_FLOW_OK;
}

static GstFlowReturn run_once(GstStxStage *self, gpointer frame, StxError *error)
{
  GstFlowReturn flow;

  self->on_device =
      gst_stx_stage_has_device(self) && !self->klass->on_host &&
      (self->klass->wants_device == NULL || self->klass->wants_device(self->element, frame));
  self->place.device = self->on_device ? self->cuda.cuda : NULL;
  self->place.stream = self->on_device ? self->cuda.stream : NULL;
  flow = self->klass->work(self->element, frame, error);
  flow = gst_stx_stage_end_frame(self, flow, error);
  if (flow == GST_FLOW_ERROR && error->kind == STX_ERROR_UNSAID)
    stx_fail_as(error, STX_ERROR_FAILED);
  return flow;
}

GstFlowReturn gst_stx_stage_run(GstStxStage *self, gpointer frame)
{
  GstFlowReturn flow = GST_FLOW_OK;
  StxError error;

  self->gpu_lost = self->input_lost = FALSE;
  if (self->klass->prepare != NULL)
    flow = self->klass->prepare(self->element, frame, &error);
  if (flow == GST_FLOW_OK)
    flow = run_once(self, frame, &error);
  else
    self->on_device = FALSE; /* it is no fault of the GPU */
  if (flow == GST_FLOW_ERROR && self->on_device) {
    flow = fall_back(self, &error);
    if (flow != GST_FLOW_OK)
      return flow;
    flow = run_once(self, frame, &error);
  }
  if (flow == GST_FLOW_OK)
    self->lost = 0;
  if (flow != GST_FLOW_ERROR)
    return flow;
  return self->input_lost ? gst_stx_stage_leave_out(self, &error) : refuse(self, &error);
}

/* ---- Allocation ---------------------------------------------------------------------------- */

void gst_stx_stage_decide(GstStxStage *self, GstQuery *query)
{
  GstCaps *caps;

  gst_query_parse_allocation(query, &caps, NULL);
  gst_stx_cuda_decide(&self->cuda, query);
  self->device_output =
      gst_stx_stage_has_device(self) && caps != NULL && gst_stx_cuda_is_caps(caps);
}
