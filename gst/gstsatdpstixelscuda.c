/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernels write into room for the worst frame, one record per cell, which is kept once. Their
 * number comes back with 16 bytes, and with it as many records as the frame before had, and some
 * more: so one wait is enough for nearly every frame. Buffers on the device get a copy of exactly
 * the records: a long queue of them stays small.
 */
#include "gst/gstsatdpstixelscuda.h"

enum { COLUMNS, LOOK, TABLES, SCRATCH, RECORDS, RESULT, HOST_RESULT, HOST_RECORDS };

#define ROOM_MIN 256 /* records in the smallest buffer on the device */

static void clear_pool(GstSatDpStixelsOutput *output)
{
  if (output->pool != NULL)
    gst_buffer_pool_set_active(output->pool, FALSE);
  gst_clear_object(&output->pool);
}

void gst_sat_dp_stixels_output_clear(GstSatDpStixelsOutput *output)
{
  clear_pool(output);
  *output = (GstSatDpStixelsOutput){0};
}

/* ---- Inputs -------------------------------------------------------------------------------- */

const void *gst_sat_dp_stixels_cuda_columns(
    GstStxCuda *cuda, const StxGrid *grid, GstBuffer *buffer, StxError *error)
{
  const void *columns;

  return gst_stx_cuda_input_bytes(cuda, buffer, stx_grid_bytes(grid), COLUMNS, &columns, error)
             ? columns
             : NULL;
}

const void *gst_sat_dp_stixels_cuda_look(
    GstStxCuda *cuda, const StxGrid *grid, const void *columns, StxError *error)
{
  StxGrid channels = *grid;
  gsize size;
  void *host;

  channels.classes = 0;
  size = stx_grid_bytes(&channels);
  host = gst_stx_cuda_host_block(cuda, LOOK, size, error);
  return host != NULL &&
                 stx_cuda_download_bytes(cuda->cuda, host, columns, size, cuda->stream, error) &&
                 stx_cuda_synchronize(cuda->cuda, cuda->stream, error)
             ? host
             : NULL;
}

/* ---- A frame ------------------------------------------------------------------------------- */

static gsize worst_count(const StxGrid *grid)
{
  return (gsize)stx_grid_columns(grid) * stx_grid_rows(grid);
}

/* Segments into output->records; the result goes to *result on the device. */
static gboolean enqueue(GstStxCuda *cuda, GstSatDpStixelsOutput *output,
    const StxSatdpParams *params, const StxSatdpTables *tables, const void *columns,
    StxSatdpCudaResult **result, StxError *error)
{
  const StxSatdpCudaImpl *impl = gst_stx_cuda_impl(cuda);
  gsize room = worst_count(&params->grid) * sizeof(StxStixel);
  const void *device_tables = gst_stx_cuda_constant(cuda, TABLES, tables, sizeof(*tables), error);
  void *scratch = NULL;

  output->records = NULL;
  *result = NULL;
  if (device_tables != NULL)
    scratch = gst_stx_cuda_block(cuda, SCRATCH, impl->scratch_size(params), error);
  if (scratch != NULL)
    output->records = gst_stx_cuda_block(cuda, RECORDS, room, error);
  if (output->records != NULL)
    *result = gst_stx_cuda_block(cuda, RESULT, sizeof(**result), error);
  return *result != NULL && impl->run(cuda->cuda, params, device_tables, tables->has_ground,
                                columns, NULL, output->records, *result, scratch, cuda->stream, error);
}

/* Fetches records from number `first` up to number `end`. */
static gboolean fetch_records(GstStxCuda *cuda, const GstSatDpStixelsOutput *output,
    StxStixel *host, gsize first, gsize end, StxError *error)
{
  return stx_cuda_download_bytes(cuda->cuda, host + first, output->records + first,
      (end - first) * sizeof(StxStixel), cuda->stream, error);
}

/* Fetches the result and, into `host` if that is wanted, all records. */
static gboolean fetch(GstStxCuda *cuda, GstSatDpStixelsOutput *output,
    const StxSatdpCudaResult *result, StxStixel *host, gsize worst, StxSatdpCudaResult *fetched,
    StxError *error)
{
  gsize guess = MIN(output->count + output->count / 4 + ROOM_MIN, worst);
  StxSatdpCudaResult *landing = gst_stx_cuda_host_block(cuda, HOST_RESULT, sizeof(*landing), error);

  if (landing == NULL ||
      !stx_cuda_download_bytes(
          cuda->cuda, landing, result, sizeof(*landing), cuda->stream, error) ||
      (host != NULL && !fetch_records(cuda, output, host, 0, guess, error)) ||
      !gst_stx_cuda_finish(cuda, FALSE, TRUE, error))
    return FALSE;
  *fetched = *landing;
  output->count = fetched->count;
  if (output->count == 0 || output->count > worst)
    return stx_fail(
        error, "the GPU counts %u records of at most %" G_GSIZE_FORMAT, fetched->count, worst);
  if (host == NULL || output->count <= guess)
    return TRUE;
  return fetch_records(cuda, output, host, guess, output->count, error) &&
         gst_stx_cuda_finish(cuda, FALSE, TRUE, error);
}

gboolean gst_sat_dp_stixels_cuda_segment(GstStxCuda *cuda, GstSatDpStixelsOutput *output,
    const StxSatdpParams *params, const StxSatdpTables *tables, const void *columns,
    StxSatdpCudaResult *result, const StxStixel **records, StxError *error)
{
  gsize worst = worst_count(&params->grid);
  StxSatdpCudaResult *device_result;
  StxStixel *host = NULL;

  if (records != NULL) {
    host = gst_stx_cuda_host_block(cuda, HOST_RECORDS, worst * sizeof(StxStixel), error);
    *records = host;
    if (host == NULL)
      return FALSE;
  }
  return enqueue(cuda, output, params, tables, columns, &device_result, error) &&
         fetch(cuda, output, device_result, host, worst, result, error);
}

/* ---- Output on the device ------------------------------------------------------------------ */

/* Sizes in powers of two: the pool is replaced a few times in a stream, not at every frame. */
static void reserve_pool(GstStxCuda *cuda, GstSatDpStixelsOutput *output)
{
  if (output->pool != NULL && output->room >= output->count)
    return;
  output->room = MAX(output->room, ROOM_MIN);
  while (output->room < output->count)
    output->room *= 2;
  clear_pool(output);
  output->pool = gst_stx_cuda_pool_bytes_new(cuda, NULL, output->room * sizeof(StxStixel), TRUE);
}

GstFlowReturn gst_sat_dp_stixels_cuda_give(
    GstStxCuda *cuda, GstSatDpStixelsOutput *output, GstBuffer **buffer, StxError *error)
{
  gsize size = output->count * sizeof(StxStixel);
  GstFlowReturn flow;
  void *device;

  reserve_pool(cuda, output);
  flow = gst_stx_cuda_acquire(cuda, output->pool, buffer, &device, error);
  if (flow != GST_FLOW_OK)
    return flow;
  if (stx_cuda_copy_bytes(cuda->cuda, device, output->records, size, cuda->stream, error) &&
      gst_stx_cuda_finish(cuda, TRUE, FALSE, error)) {
    gst_buffer_resize(*buffer, 0, (gssize)size);
    return GST_FLOW_OK;
  }
  gst_clear_buffer(buffer);
  return GST_FLOW_ERROR;
}
