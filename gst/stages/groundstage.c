/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stages/groundstage.h"

#include "gst/base/inputs.h"

enum { POINTS, LABELS, RESULT, HOST_RESULT, SCRATCH };

/* Waits for the result of the scan. */
static gboolean fetch(
    GstStxStage *stage, const StxGroundResult *found, StxGroundResult *result, StxError *error)
{
  const StxGroundResult *host =
      gst_stx_stage_bring(stage, HOST_RESULT, found, sizeof(*found), error);

  if (host == NULL || !gst_stx_stage_wait(stage, error))
    return FALSE;
  *result = *host;
  return TRUE;
}

static gboolean label(GstStxStage *stage, const StxGroundParams *params, GstBuffer *input,
    StxGroundResult *result, GstBuffer *labels, StxError *error)
{
  const StxGroundImpl *impl = gst_stx_stage_impl(stage);
  gsize count = gst_buffer_get_size(input) / GST_STX_POINT_BYTES;
  gsize scratch_size = impl->scratch_size(params, count, stage->place.threads);
  void *scratch = gst_stx_stage_block(stage, SCRATCH, scratch_size, error), *to;
  StxGroundResult *found;
  const void *points;

  if (scratch == NULL)
    return FALSE;
  found = gst_stx_stage_block(stage, RESULT, sizeof(*found), error);
  return found != NULL &&
         gst_stx_stage_read(
             stage, POINTS, "", input, count * GST_STX_POINT_BYTES, &points, error) &&
         gst_stx_stage_write(stage, LABELS, labels, count * sizeof(guint32), &to, error) &&
         impl->run(params, points, count, to, found, scratch, &stage->place, error) &&
         (result == NULL || fetch(stage, found, result, error));
}

GstFlowReturn gst_ground_stage_label(GstStxStage *stage, const StxGroundParams *params,
    GstBuffer *input, gboolean attached, StxGroundResult *result, GstBuffer **labels,
    StxError *error)
{
  gsize count = gst_buffer_get_size(input) / GST_STX_POINT_BYTES;
  GstFlowReturn flow =
      gst_stx_stage_new_output(stage, count * sizeof(guint32), attached, labels, error);

  if (flow == GST_FLOW_OK && !label(stage, params, input, result, *labels, error))
    flow = GST_FLOW_ERROR;
  return flow;
}
