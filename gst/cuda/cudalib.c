/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/cuda/cuda_private.h"

#include <gmodule.h>

#include "cuda/stxcuda.h"

#define LIBRARY "libgstcuda-1.0.so.0"

#define IS_TYPE(function, type)                                                                    \
  G_STATIC_ASSERT(__builtin_types_compatible_p(__typeof__(function) *, type))
#if GST_CHECK_VERSION(1, 24, 0)
IS_TYPE(gst_cuda_allocator_alloc, GstStxCudaAlloc124);
IS_TYPE(gst_cuda_memory_sync, GstStxCudaSync124);
#else
IS_TYPE(gst_cuda_allocator_alloc, GstStxCudaAlloc122);
#endif

typedef struct {
  GstStxCudaLib lib;
  gboolean usable;
  StxError reason;
} Gate;

static Gate gate;

static gboolean find_symbols(GModule *module, GstStxCudaLib *lib, StxError *error)
{
  const struct {
    const char *name;
    gpointer *symbol;
  } symbols[] = {
      {"gst_cuda_load_library", (gpointer *)&lib->load_library},
      {"CuInit", (gpointer *)&lib->init},
      {"gst_cuda_memory_init_once", (gpointer *)&lib->memory_init_once},
      {"gst_cuda_ensure_element_context", (gpointer *)&lib->ensure_element_context},
      {"gst_cuda_handle_set_context", (gpointer *)&lib->handle_set_context},
      {"gst_cuda_handle_context_query", (gpointer *)&lib->handle_context_query},
      {"gst_cuda_context_get_handle", (gpointer *)&lib->context_get_handle},
      {"gst_is_cuda_memory", (gpointer *)&lib->is_cuda_memory},
      {"gst_cuda_allocator_alloc", &lib->allocator_alloc},
  };

  for (guint i = 0; i < G_N_ELEMENTS(symbols); i++)
    if (!g_module_symbol(module, symbols[i].name, symbols[i].symbol))
      return stx_fail(error, LIBRARY " has no function %s", symbols[i].name);
  if (!g_module_symbol(module, "gst_cuda_memory_sync", (gpointer *)&lib->memory_sync))
    lib->memory_sync = NULL;
  return TRUE;
}

static gboolean look(GstStxCudaLib *lib, StxError *error)
{
  GModule *module;

  if (stx_cuda_count(error) == 0)
    return FALSE;
  module = g_module_open(LIBRARY, G_MODULE_BIND_LAZY);
  if (module == NULL)
    return stx_fail(error, "GStreamer's " LIBRARY " is not installed");
  g_module_make_resident(module); /* it registers types */
  if (!find_symbols(module, lib, error))
    return FALSE;
  if (!lib->load_library() || lib->init(0) != CUDA_SUCCESS)
    return stx_fail(error, "GStreamer's " LIBRARY " cannot use the driver");
  lib->memory_init_once();
  return TRUE;
}

const GstStxCudaLib *gst_stx_cuda_lib(StxError *error)
{
  static gsize looked = 0;

  if (g_once_init_enter(&looked)) {
    gate.usable = look(&gate.lib, &gate.reason);
    g_once_init_leave(&looked, 1);
  }
  if (!gate.usable && error != NULL)
    *error = gate.reason;
  return gst_stx_cuda_lib_peek();
}

const GstStxCudaLib *gst_stx_cuda_lib_peek(void)
{
  return gate.usable ? &gate.lib : NULL;
}

GstMemory *gst_stx_cuda_lib_alloc(
    const GstStxCudaLib *lib, GstCudaContext *context, const GstVideoInfo *info)
{
  g_autoptr(GstAllocator) found = gst_allocator_find(GST_CUDA_MEMORY_TYPE_NAME);
  GstCudaAllocator *allocator = (GstCudaAllocator *)found;
  GstMemory *memory;

  if (lib->memory_sync != NULL)
    memory = ((GstStxCudaAlloc124)lib->allocator_alloc)(allocator, context, NULL, info);
  else
    memory = ((GstStxCudaAlloc122)lib->allocator_alloc)(allocator, context, info);
  return memory;
}
