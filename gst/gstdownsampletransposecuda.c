/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gstdownsampletransposecuda.h"

#include "gst/gststxmeta.h"

enum { DISPARITY, CONFIDENCE, SEMANTICS, TABLES, SCRATCH, COLUMNS };

/* ---- Inputs -------------------------------------------------------------------------------- */

/* Says which input an error is about. */
static gboolean fail_at(const char *what, const StxError *cause, StxError *error)
{
  return stx_fail(error, "%s: %.230s", what, cause->text);
}

static gboolean find_image8(GstStxCuda *cuda, GstBuffer *buffer, const GstVideoInfo *info,
    guint index, const char *what, StxImage8 *image, StxError *error)
{
  void *device;
  gsize stride;
  StxError cause;

  if (!gst_stx_cuda_input_plane(
          cuda, buffer, info, 0, GST_MAP_READ, index, &device, &stride, &cause))
    return fail_at(what, &cause, error);
  *image = (StxImage8){
      device, (ptrdiff_t)stride, GST_VIDEO_INFO_WIDTH(info), GST_VIDEO_INFO_HEIGHT(info)};
  return TRUE;
}

static gboolean find_disparity(GstStxCuda *cuda, const GstStxCellCaps *caps, GstBuffer *buffer,
    StxColmeanInput *input, StxError *error)
{
  StxImage8 bytes;

  if (!find_image8(cuda, buffer, &caps->disparity, DISPARITY, "disparity", &bytes, error))
    return FALSE;
  input->disparity = (StxImage16){(uint16_t *)bytes.data, bytes.stride, bytes.width, bytes.height};
  return TRUE;
}

static gboolean find_meta(GstStxCuda *cuda, const GstStxCellCaps *caps,
    const GstStxConfidenceMeta *meta, StxColmeanInput *input, StxError *error)
{
  const void *device;
  StxError cause;

  if (!gst_stx_cell_meta_fits(caps, meta, error))
    return FALSE;
  if (!gst_stx_cuda_input_bytes(
          cuda, meta->confidence, (gsize)meta->width * meta->height, CONFIDENCE, &device, &cause))
    return fail_at("the confidence meta", &cause, error);
  input->confidence =
      (StxImage8){(uint8_t *)device, meta->width, (int)meta->width, (int)meta->height};
  return TRUE;
}

static gboolean find_confidence(GstStxCuda *cuda, const GstStxCellCaps *caps, GstBuffer **set,
    StxColmeanInput *input, StxError *error)
{
  const GstStxConfidenceMeta *meta;

  if (set[GST_STX_CELL_CONFIDENCE] != NULL)
    return find_image8(cuda, set[GST_STX_CELL_CONFIDENCE], &caps->confidence, CONFIDENCE,
        "confidence", &input->confidence, error);
  meta = gst_buffer_get_stx_confidence_meta(set[GST_STX_CELL_DISPARITY]);
  return meta == NULL || find_meta(cuda, caps, meta, input, error);
}

static gboolean find_semantics(GstStxCuda *cuda, const GstStxCellCaps *caps, GstBuffer *buffer,
    StxColmeanInput *input, StxError *error)
{
  const GstStxSemantics *semantics = &caps->semantics;
  StxError cause;

  if (buffer == NULL)
    return TRUE;
  if (semantics->kind == STX_SEMANTICS_LABELS)
    return find_image8(
        cuda, buffer, &semantics->video, SEMANTICS, "semantics", &input->labels, error);
  return gst_stx_cuda_input_bytes(cuda, buffer, gst_stx_semantics_score_bytes(semantics), SEMANTICS,
             &input->scores, &cause) ||
         fail_at("semantics", &cause, error);
}

/* ---- A frame ------------------------------------------------------------------------------- */

/* Enqueues everything up to the columns at the device address `columns`. */
static gboolean enqueue(GstStxCuda *cuda, const GstDownsampleTransposePlan *plan, GstBuffer **set,
    void *columns, StxError *error)
{
  const StxColmeanImpl *impl = gst_stx_cuda_impl(cuda);
  StxPlace place = stx_cuda_place(cuda->cuda, cuda->stream);
  StxColmeanInput input = *plan->layout;
  const StxColmeanTables *tables;
  void *scratch;

  tables = gst_stx_cuda_constant(cuda, TABLES, plan->tables, sizeof(*tables), error);
  if (tables == NULL)
    return FALSE;
  scratch = gst_stx_cuda_block(cuda, SCRATCH, impl->scratch_size(plan->params, 1), error);
  return scratch != NULL &&
         find_disparity(cuda, plan->caps, set[GST_STX_CELL_DISPARITY], &input, error) &&
         find_confidence(cuda, plan->caps, set, &input, error) &&
         find_semantics(cuda, plan->caps, set[GST_STX_CELL_SEMANTICS], &input, error) &&
         impl->run(plan->params, tables, &input, columns, scratch, &place, error);
}

static GstFlowReturn run_to_device(GstStxCuda *cuda, const GstDownsampleTransposePlan *plan,
    GstBuffer **set, GstBufferPool *pool, GstBuffer **out, StxError *error)
{
  void *columns;
  GstFlowReturn flow = gst_stx_cuda_acquire(cuda, pool, out, &columns, error);

  if (flow != GST_FLOW_OK)
    return flow;
  return enqueue(cuda, plan, set, columns, error) && gst_stx_cuda_finish(cuda, TRUE, FALSE, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

static gboolean download(
    GstStxCuda *cuda, const void *columns, gsize size, GstBuffer *out, StxError *error)
{
  GstMapInfo map;
  gboolean done;

  if (!gst_buffer_map(out, &map, GST_MAP_WRITE))
    return stx_fail(error, "cannot write to a buffer's memory");
  done = stx_cuda_download_bytes(cuda->cuda, map.data, columns, size, cuda->stream, error) &&
         gst_stx_cuda_finish(cuda, FALSE, TRUE, error);
  gst_buffer_unmap(out, &map);
  return done;
}

static GstFlowReturn run_to_host(GstStxCuda *cuda, const GstDownsampleTransposePlan *plan,
    GstBuffer **set, GstBufferPool *pool, GstBuffer **out, StxError *error)
{
  gsize size = stx_grid_bytes(&plan->params->grid);
  GstFlowReturn flow = gst_buffer_pool_acquire_buffer(pool, out, NULL);
  void *columns;

  if (flow != GST_FLOW_OK) {
    stx_fail(error, "no memory for an output buffer");
    return flow;
  }
  columns = gst_stx_cuda_block(cuda, COLUMNS, size, error);
  return columns != NULL && enqueue(cuda, plan, set, columns, error) &&
                 download(cuda, columns, size, *out, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

GstFlowReturn gst_downsample_transpose_cuda_run(GstStxCuda *cuda,
    const GstDownsampleTransposePlan *plan, GstBuffer **set, GstBufferPool *pool,
    gboolean device_output, GstBuffer **out, StxError *error)
{
  GstFlowReturn flow = device_output ? run_to_device(cuda, plan, set, pool, out, error)
                                     : run_to_host(cuda, plan, set, pool, out, error);

  if (flow != GST_FLOW_OK)
    gst_clear_buffer(out);
  return flow;
}
