/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/cuda/cuda.h"

#include "gst/core/element.h"
#include "gst/cuda/cuda_private.h"

GST_DEBUG_CATEGORY_STATIC(stx_cuda_debug);
#define GST_CAT_DEFAULT stx_cuda_debug

gboolean gst_stx_cuda_available(StxError *error)
{
  return gst_stx_cuda_lib(error) != NULL;
}

void gst_stx_cuda_init(
    GstStxCuda *self, GstElement *element, const GstStxRun *run, const StxImplTable *table)
{
  static gsize registered = 0;

  if (g_once_init_enter(&registered)) {
    GST_DEBUG_CATEGORY_INIT(stx_cuda_debug, "stx-cuda", 0, "elements on the GPU");
    g_once_init_leave(&registered, 1);
  }
  *self = (GstStxCuda){.element = element, .run = run, .table = table};
}

static GstStxRun get_run(GstStxCuda *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(GST_OBJECT_GET_LOCK(self->element));

  return *self->run;
}

/* ---- Context ------------------------------------------------------------------------------- */

static GstCudaContext *get_context(GstStxCuda *self)
{
  GstObject *context = NULL;

  GST_STX_LOCKED(self->element, gst_object_replace(&context, self->context));
  return (GstCudaContext *)context;
}

void gst_stx_cuda_set_context(GstStxCuda *self, GstContext *context)
{
  const GstStxCudaLib *lib;
  GstCudaContext *found = NULL;

  if (context == NULL || !gst_context_has_context_type(context, GST_CUDA_CONTEXT_TYPE))
    return;
  lib = gst_stx_cuda_lib(NULL);
  if (lib == NULL ||
      !lib->handle_set_context(self->element, context, get_run(self).cuda_device_id, &found))
    return;
  GST_OBJECT_LOCK(self->element);
  if (self->context == NULL)
    self->context = GST_OBJECT_CAST(g_steal_pointer(&found));
  GST_OBJECT_UNLOCK(self->element);
  gst_clear_object(&found);
}

gboolean gst_stx_cuda_query_context(GstStxCuda *self, GstQuery *query)
{
  GstCudaContext *context;
  gboolean answered;

  if (GST_QUERY_TYPE(query) != GST_QUERY_CONTEXT || gst_stx_cuda_lib_peek() == NULL)
    return FALSE;
  context = get_context(self);
  answered = gst_stx_cuda_lib_peek()->handle_context_query(self->element, query, context);
  gst_clear_object(&context);
  return answered;
}

/* ---- Start --------------------------------------------------------------------------------- */

/* The pipeline's context, or a new one for it. */
static GstCudaContext *find_context(
    GstStxCuda *self, const GstStxCudaLib *lib, int number, StxError *error)
{
  /* Asking neighbours and bins ends in our set_context, which fills self->context in; GstCuda
   * looks there, and puts a context of its own making there. */
  GstCudaContext **place = (GstCudaContext **)&self->context;
  int count = stx_cuda_count(error);

  if (number >= count) {
    stx_fail(
        error, "cuda-device-id=%d, but the GPUs of this machine are 0 ... %d", number, count - 1);
    return NULL;
  }
  if (!lib->ensure_element_context(self->element, number, place)) {
    stx_fail(error, "no context on GPU %d: it may have no free memory", MAX(number, 0));
    return NULL;
  }
  return get_context(self);
}

static gboolean open_device(GstStxCuda *self, int number, StxError *error)
{
  const GstStxCudaLib *lib = gst_stx_cuda_lib(error);
  GstCudaContext *context;

  if (lib == NULL)
    return FALSE;
  if (self->table->count == 0)
    return stx_fail(error, "this build has no kernels for it");
  context = find_context(self, lib, number, error);
  if (context == NULL)
    return FALSE;
  self->device = gst_stx_cuda_device_get(context, error);
  gst_object_unref(context);
  if (self->device == NULL)
    return FALSE;
  self->cuda = self->device->cuda;
  self->stream = self->device->stream;
  return TRUE;
}

gboolean gst_stx_cuda_start(GstStxCuda *self)
{
  GstStxRun run = get_run(self);
  StxError error;

  g_atomic_int_set(&self->failed, FALSE);
  self->foreign_input = FALSE;
  self->foreign_neighbour = TRUE;
  if (run.backend != STX_BACKEND_AUTO && run.backend != STX_BACKEND_CUDA)
    return TRUE;
  if (open_device(self, run.cuda_device_id, &error)) {
    GST_DEBUG_OBJECT(self->element, "on the GPU %s", stx_cuda_info(self->cuda)->name);
    return TRUE;
  }
  if (run.backend == STX_BACKEND_CUDA) {
    GST_ELEMENT_ERROR(self->element, LIBRARY, INIT,
        ("backend=cuda is not available (%s); choose auto or omp", error.text), (NULL));
    return FALSE;
  }
  g_atomic_int_set(&self->failed, TRUE);
  if (gst_stx_cuda_available(NULL) && self->table->count > 0)
    GST_WARNING_OBJECT(self->element, "works on the CPU: %s", error.text);
  else
    GST_INFO_OBJECT(self->element, "works on the CPU: %s", error.text);
  return TRUE;
}

/* ---- Stop ---------------------------------------------------------------------------------- */

static void free_memory(GstStxCuda *self, GstStxCudaBlock *block)
{
  if (block->data != NULL && block->host)
    stx_cuda_free_host(self->cuda, block->data);
  else if (block->data != NULL)
    stx_cuda_free(self->cuda, block->data);
  g_free(block->constant);
  *block = (GstStxCudaBlock){0};
}

static void close_device(GstStxCuda *self)
{
  if (self->device == NULL)
    return;
  stx_cuda_synchronize(self->cuda, self->stream, NULL);
  for (guint i = 0; i < GST_STX_CUDA_BLOCKS; i++)
    free_memory(self, &self->block[i]);
  stx_cuda_ring_free(self->cuda, &self->ring);
  self->cuda = NULL;
  self->stream = NULL;
  gst_stx_cuda_device_unref(g_steal_pointer(&self->device));
}

void gst_stx_cuda_stop(GstStxCuda *self)
{
  g_autoptr(GstObject) context = NULL;

  close_device(self);
  GST_STX_LOCKED(self->element, context = g_steal_pointer(&self->context));
}

gboolean gst_stx_cuda_fail(GstStxCuda *self, const StxError *error)
{
  if (get_run(self).backend == STX_BACKEND_CUDA) {
    GST_ELEMENT_ERROR(self->element, RESOURCE, FAILED, ("On the GPU: %s", error->text), (NULL));
    return FALSE;
  }
  GST_WARNING_OBJECT(self->element, "goes on on the CPU: %s", error->text);
  g_atomic_int_set(&self->failed, TRUE);
  close_device(self);
  return TRUE;
}

/* Before start the gate and the properties tell; afterwards what came of it. */
gboolean gst_stx_cuda_offers(GstStxCuda *self)
{
  StxBackend backend = get_run(self).backend;

  return (backend == STX_BACKEND_AUTO || backend == STX_BACKEND_CUDA) && self->table->count > 0 &&
         !g_atomic_int_get(&self->failed) && gst_stx_cuda_available(NULL);
}

/* ---- Blocks -------------------------------------------------------------------------------- */

static void *reserve(GstStxCuda *self, guint index, gsize size, gboolean host, StxError *error)
{
  GstStxCudaBlock *block = &self->block[index];
  gboolean allocated;
  void *data = NULL;

  g_return_val_if_fail(index < GST_STX_CUDA_BLOCKS, NULL);
  if (block->data != NULL && block->size >= size)
    return block->data;
  /* Enqueued work may still use the old one. */
  if (block->data != NULL && !stx_cuda_synchronize(self->cuda, self->stream, error))
    return NULL;
  free_memory(self, block);
  allocated = host ? stx_cuda_alloc_host(self->cuda, size, &data, error)
                   : stx_cuda_alloc(self->cuda, size, &data, error);
  if (!allocated)
    return NULL;
  *block = (GstStxCudaBlock){.data = data, .size = size, .host = host};
  return data;
}

void *gst_stx_cuda_block(GstStxCuda *self, guint index, gsize size, StxError *error)
{
  return reserve(self, index, size, FALSE, error);
}

void *gst_stx_cuda_host_block(GstStxCuda *self, guint index, gsize size, StxError *error)
{
  return reserve(self, index, size, TRUE, error);
}

void *gst_stx_cuda_constant(
    GstStxCuda *self, guint index, const void *data, gsize size, StxError *error)
{
  void *device = reserve(self, index, size, FALSE, error);
  GstStxCudaBlock *block = &self->block[index];

  if (device == NULL)
    return NULL;
  if (block->constant != NULL && block->size_constant == size &&
      memcmp(block->constant, data, size) == 0)
    return device;
  g_clear_pointer(&block->constant, g_free);
  if (!gst_stx_cuda_upload_bytes(self, device, data, size, error))
    return NULL;
  block->constant = g_memdup2(data, size);
  block->size_constant = size;
  return device;
}
