/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stubs of cuda.h for a build without CUDA. No element gets a GPU, so most functions only have to
 * exist. */
#include "gst/cuda/cuda.h"

#include "gst/core/element.h"

gboolean gst_stx_cuda_available(StxError *error)
{
  return stx_fail(error, "this build has no CUDA: " GST_STX_NO_CUDA_REASON);
}

void gst_stx_cuda_init(
    GstStxCuda *self, GstElement *element, const GstStxRun *run, const StxImplTable *table)
{
  *self = (GstStxCuda){.element = element, .run = run, .table = table};
}

gboolean gst_stx_cuda_start(GstStxCuda *self)
{
  StxBackend backend;
  StxError error;

  GST_STX_LOCKED(self->element, backend = self->run->backend);
  if (backend != STX_BACKEND_CUDA || gst_stx_cuda_available(&error))
    return TRUE;
  GST_ELEMENT_ERROR(self->element, LIBRARY, INIT,
      ("backend=cuda is not available (%s); choose auto or omp", error.text), (NULL));
  return FALSE;
}

void gst_stx_cuda_stop(GstStxCuda *self)
{
}

gboolean gst_stx_cuda_offers(GstStxCuda *self)
{
  return FALSE;
}

void gst_stx_cuda_set_context(GstStxCuda *self, GstContext *context)
{
}

gboolean gst_stx_cuda_query_context(GstStxCuda *self, GstQuery *query)
{
  return FALSE;
}

/* ---- Never called without a GPU ------------------------------------------------------------ */

gboolean gst_stx_cuda_fail(GstStxCuda *self, const StxError *error)
{
  g_return_val_if_reached(TRUE);
}

void *gst_stx_cuda_block(GstStxCuda *self, guint index, gsize size, StxError *error)
{
  g_return_val_if_reached(NULL);
}

void *gst_stx_cuda_host_block(GstStxCuda *self, guint index, gsize size, StxError *error)
{
  g_return_val_if_reached(NULL);
}

void *gst_stx_cuda_constant(
    GstStxCuda *self, guint index, const void *data, gsize size, StxError *error)
{
  g_return_val_if_reached(NULL);
}

gboolean gst_stx_cuda_is_on_device(const GstStxCuda *self, GstBuffer *buffer)
{
  g_return_val_if_reached(FALSE);
}

gboolean gst_stx_cuda_is_bytes(const GstStxCuda *self, GstBuffer *buffer)
{
  g_return_val_if_reached(FALSE);
}

gboolean gst_stx_cuda_is_picture(const GstStxCuda *self, GstBuffer *buffer)
{
  g_return_val_if_reached(FALSE);
}

gboolean gst_stx_cuda_map_bytes(
    GstStxCuda *self, GstBuffer *buffer, GstMapFlags access, void **device, StxError *error)
{
  g_return_val_if_reached(FALSE);
}

gboolean gst_stx_cuda_map_plane(GstStxCuda *self, GstBuffer *buffer, const GstVideoInfo *info,
    guint plane, GstMapFlags access, void **device, gsize *stride, StxError *error)
{
  g_return_val_if_reached(FALSE);
}

gboolean gst_stx_cuda_upload(GstStxCuda *self, const StxCudaCopy *copy, StxError *error)
{
  return FALSE;
}

gboolean gst_stx_cuda_download(GstStxCuda *self, const StxCudaCopy *copy, StxError *error)
{
  return FALSE;
}

gboolean gst_stx_cuda_upload_bytes(
    GstStxCuda *self, void *device, const void *host, gsize size, StxError *error)
{
  return FALSE;
}

GstBufferPool *gst_stx_cuda_pool_bytes_new(
    GstStxCuda *self, GstCaps *caps, gsize size, gboolean shrinks)
{
  g_return_val_if_reached(NULL);
}

GstBufferPool *gst_stx_cuda_pool_video_new(GstStxCuda *self, GstCaps *caps)
{
  g_return_val_if_reached(NULL);
}

gboolean gst_stx_cuda_finish(
    GstStxCuda *self, gboolean pushes_device, gboolean download, StxError *error)
{
  g_return_val_if_reached(FALSE);
}
