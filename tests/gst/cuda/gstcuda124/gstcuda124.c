/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A libgstcuda-1.0.so.0 around that of GStreamer 1.22, with what 1.24 has besides: memories with a
 * stream, which their readers wait for. Streams are blocking ones, as there.
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <gst/gst.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct {
  gint references;
  gpointer context;
  CUstream handle;
} Stream;

/* Functions of the library inside. */
gboolean gst_cuda_context_push(gpointer context);
gboolean gst_cuda_context_pop(CUcontext *context);
CUresult CuStreamCreate(CUstream *stream, unsigned flags);
CUresult CuStreamSynchronize(CUstream stream);
CUresult CuStreamDestroy(CUstream stream);

EXPORT gpointer gst_cuda_stream_new(gpointer context);
EXPORT CUstream gst_cuda_stream_get_handle(gpointer stream);
EXPORT void gst_cuda_stream_unref(gpointer stream);
EXPORT void gst_cuda_memory_sync(gpointer memory);
EXPORT GstMemory *gst_cuda_allocator_alloc(
    gpointer allocator, gpointer context, gpointer stream, gconstpointer info);

gpointer gst_cuda_stream_new(gpointer context)
{
  Stream *stream = g_new0(Stream, 1);

  stream->references = 1;
  stream->context = gst_object_ref(context);
  gst_cuda_context_push(context);
  g_assert(CuStreamCreate(&stream->handle, CU_STREAM_DEFAULT) == CUDA_SUCCESS);
  gst_cuda_context_pop(NULL);
  return stream;
}

CUstream gst_cuda_stream_get_handle(gpointer stream)
{
  return ((Stream *)stream)->handle;
}

void gst_cuda_stream_unref(gpointer data)
{
  Stream *stream = data;

  if (!g_atomic_int_dec_and_test(&stream->references))
    return;
  gst_cuda_context_push(stream->context);
  CuStreamDestroy(stream->handle);
  gst_cuda_context_pop(NULL);
  gst_object_unref(stream->context);
  g_free(stream);
}

static GQuark quark(void)
{
  return g_quark_from_static_string("gstcuda124-stream");
}

void gst_cuda_memory_sync(gpointer memory)
{
  Stream *stream = gst_mini_object_get_qdata(memory, quark());

  if (stream == NULL)
    return;
  gst_cuda_context_push(stream->context);
  CuStreamSynchronize(stream->handle);
  gst_cuda_context_pop(NULL);
}

GstMemory *gst_cuda_allocator_alloc(
    gpointer allocator, gpointer context, gpointer data, gconstpointer info)
{
  GstMemory *(*alloc)(gpointer, gpointer, gconstpointer) = NULL;
  Stream *stream = data;
  GstMemory *memory;

  *(void **)&alloc = dlsym(RTLD_NEXT, "gst_cuda_allocator_alloc");
  memory = alloc(allocator, context, info);
  if (memory == NULL || stream == NULL)
    return memory;
  g_atomic_int_inc(&stream->references);
  gst_mini_object_set_qdata(GST_MINI_OBJECT_CAST(memory), quark(), stream, gst_cuda_stream_unref);
  return memory;
}
