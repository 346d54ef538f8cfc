/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/cuda/cuda_private.h"

#include "gst/core/element.h"

/* Guards the references of all devices, and their way into and out of their contexts. */
static GMutex lock;

/*
 * The context leads to its device without owning it: the device must go first, because a context
 * drops what hangs on it only after it has destroyed the CUDA context, and modules and stream would
 * be closed in nothing.
 */
GST_STX_QUARK(device)

static void device_free(GstStxCudaDevice *device)
{
  if (device->stream != NULL) {
    stx_cuda_synchronize(device->cuda, device->stream, NULL);
    stx_cuda_stream_free(device->cuda, device->stream);
  }
  stx_cuda_close(device->cuda);
  gst_object_unref(device->context);
  g_free(device);
}

static GstStxCudaDevice *device_new(GstCudaContext *context, StxError *error)
{
  GstStxCudaDevice *device = g_new0(GstStxCudaDevice, 1);

  device->references = 1;
  device->lib = gst_stx_cuda_lib_peek();
  device->context = gst_object_ref(context);
  device->cuda = stx_cuda_wrap(device->lib->context_get_handle(context), error);
  if (device->cuda != NULL && stx_cuda_stream_new(device->cuda, &device->stream, error))
    return device;
  device->stream = NULL;
  device_free(device);
  return NULL;
}

GstStxCudaDevice *gst_stx_cuda_device_get(GstCudaContext *context, StxError *error)
{
  GstStxCudaDevice *device;

  g_mutex_lock(&lock);
  device = g_object_get_qdata(G_OBJECT(context), device_quark());
  if (device != NULL)
    device->references++;
  else if ((device = device_new(context, error)) != NULL)
    g_object_set_qdata(G_OBJECT(context), device_quark(), device);
  g_mutex_unlock(&lock);
  return device;
}

GstStxCudaDevice *gst_stx_cuda_device_ref(GstStxCudaDevice *device)
{
  g_mutex_lock(&lock);
  device->references++;
  g_mutex_unlock(&lock);
  return device;
}

void gst_stx_cuda_device_unref(GstStxCudaDevice *device)
{
  g_mutex_lock(&lock);
  if (--device->references == 0) {
    g_object_set_qdata(G_OBJECT(device->context), device_quark(), NULL);
    device_free(device); /* under the lock: a successor must find all work done */
  }
  g_mutex_unlock(&lock);
}

/* ---- Memory -------------------------------------------------------------------------------- */

GST_STX_QUARK(mark)

/* A device that was closed had waited for its stream, so a mark from before it means "ready". */
void gst_stx_cuda_memory_mark(GstMemory *memory)
{
  gst_mini_object_set_qdata(
      GST_MINI_OBJECT_CAST(memory), mark_quark(), GINT_TO_POINTER(TRUE), NULL);
}

gboolean gst_stx_cuda_memory_is_marked(GstMemory *memory)
{
  return gst_mini_object_get_qdata(GST_MINI_OBJECT_CAST(memory), mark_quark()) != NULL;
}

gboolean gst_stx_cuda_device_owns(const GstStxCudaDevice *device, GstMemory *memory)
{
  return device->lib->is_cuda_memory(memory) &&
         GST_CUDA_MEMORY_CAST(memory)->context == device->context;
}
