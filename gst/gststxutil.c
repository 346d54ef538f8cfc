/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxutil.h"

#include <stdlib.h>
#include <string.h>

/* ---- backend, threads, cuda-device-id ------------------------------------------------------ */

GType gst_stx_backend_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {STX_BACKEND_AUTO, "The fastest that the machine has", "auto"},
      {STX_BACKEND_CUDA, "An NVIDIA GPU", "cuda"},
      {STX_BACKEND_OMP, "All CPU cores, with the widest vectors they have", "omp"},
      {STX_BACKEND_C, "The readable reference, slow", "c"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstStxBackend", values));
  return type;
}

void gst_stx_run_install_properties(GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property(klass, GST_STX_PROP_BACKEND,
      g_param_spec_enum("backend", "Backend",
          "Which implementation does the work; all give the same bytes", GST_TYPE_STX_BACKEND,
          STX_BACKEND_AUTO, flags));
  g_object_class_install_property(klass, GST_STX_PROP_THREADS,
      g_param_spec_int("threads", "Threads",
          "CPU threads of backend=omp (0 = as many as there are cores)", 0, 256, 0, flags));
  g_object_class_install_property(klass, GST_STX_PROP_CUDA_DEVICE_ID,
      g_param_spec_int("cuda-device-id", "CUDA device",
          "Number of the GPU that backend=cuda and auto work on (-1 = the pipeline's, or the "
          "first)",
          -1, G_MAXINT, -1, flags));
}

gboolean gst_stx_run_set_property(GstStxRun *run, guint id, const GValue *value)
{
  switch (id) {
  case GST_STX_PROP_BACKEND:
    run->backend = g_value_get_enum(value);
    return TRUE;
  case GST_STX_PROP_THREADS:
    run->threads = g_value_get_int(value);
    return TRUE;
  case GST_STX_PROP_CUDA_DEVICE_ID:
    run->cuda_device_id = g_value_get_int(value);
    return TRUE;
  default:
    return FALSE;
  }
}

gboolean gst_stx_run_get_property(const GstStxRun *run, guint id, GValue *value)
{
  switch (id) {
  case GST_STX_PROP_BACKEND:
    g_value_set_enum(value, run->backend);
    return TRUE;
  case GST_STX_PROP_THREADS:
    g_value_set_int(value, run->threads);
    return TRUE;
  case GST_STX_PROP_CUDA_DEVICE_ID:
    g_value_set_int(value, run->cuda_device_id);
    return TRUE;
  default:
    return FALSE;
  }
}

/* ---- Scratch ------------------------------------------------------------------------------- */

gboolean gst_stx_scratch_reserve(GstStxScratch *scratch, gsize size, StxError *error)
{
  if (scratch->data != NULL && scratch->size >= size)
    return TRUE;
  gst_stx_scratch_clear(scratch);
  if (posix_memalign(&scratch->data, STX_ALIGN, MAX(size, STX_ALIGN)) != 0) {
    scratch->data = NULL;
    return stx_fail(error, "no memory: %" G_GSIZE_FORMAT " bytes of scratch are needed", size);
  }
  scratch->size = size;
  return TRUE;
}

void gst_stx_scratch_clear(GstStxScratch *scratch)
{
  free(scratch->data);
  *scratch = (GstStxScratch){0};
}

/* ---- Allocation ---------------------------------------------------------------------------- */

/* Downstream's first pool and its numbers, or a new pool with room for the caps. */
static GstBufferPool *first_pool(GstQuery *query, guint *size, guint *min, guint *max)
{
  GstBufferPool *pool = NULL;

  if (gst_query_get_n_allocation_pools(query) > 0)
    gst_query_parse_nth_allocation_pool(query, 0, &pool, size, min, max);
  return pool != NULL ? pool : gst_video_buffer_pool_new();
}

GstBufferPool *gst_stx_host_pool_new(GstCaps *caps, guint size)
{
  GstBufferPool *pool = gst_buffer_pool_new();
  GstStructure *config = gst_buffer_pool_get_config(pool);
  GstAllocationParams params = {.align = STX_ALIGN - 1};

  gst_buffer_pool_config_set_params(config, caps, size, 0, 0);
  gst_buffer_pool_config_set_allocator(config, NULL, &params);
  gst_buffer_pool_set_config(pool, config);
  return pool;
}

void gst_stx_take_pool(GstQuery *query, GstBufferPool *pool, guint size, guint min, guint max)
{
  if (gst_query_get_n_allocation_pools(query) > 0)
    gst_query_set_nth_allocation_pool(query, 0, pool, size, min, max);
  else
    gst_query_add_allocation_pool(query, pool, size, min, max);
  gst_object_unref(pool);
}

gboolean gst_stx_decide_video_pool(GstQuery *query)
{
  guint size = 0, min = 0, max = 0;
  gboolean configured;
  GstBufferPool *pool = first_pool(query, &size, &min, &max);
  GstStructure *config = gst_buffer_pool_get_config(pool);
  GstVideoInfo info;
  GstCaps *caps;

  gst_query_parse_allocation(query, &caps, NULL);
  if (caps == NULL || !gst_video_info_from_caps(&info, caps)) {
    gst_structure_free(config);
    gst_object_unref(pool);
    return FALSE;
  }
  size = MAX(size, GST_VIDEO_INFO_SIZE(&info));
  gst_buffer_pool_config_set_params(config, caps, size, min, max);
  if (gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL))
    gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  configured = gst_buffer_pool_set_config(pool, config);
  if (!configured) {
    gst_object_unref(pool);
    return FALSE;
  }
  gst_stx_take_pool(query, pool, size, min, max);
  return TRUE;
}
