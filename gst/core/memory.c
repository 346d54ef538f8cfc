/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/core/memory.h"

#include <gst/base/gstaggregator.h>
#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory/memory.h"

/* ---- Scratch ------------------------------------------------------------------------------- */

gboolean gst_stx_scratch_reserve(GstStxScratch *scratch, gsize size, StxError *error)
{
  if (scratch->data != NULL && scratch->size >= size)
    return TRUE;
  gst_stx_scratch_clear(scratch);
  scratch->data = stx_allocate(size);
  if (scratch->data == NULL)
    return stx_fail(error, "no memory: %" G_GSIZE_FORMAT " bytes of scratch are needed", size);
  scratch->size = size;
  return TRUE;
}

void gst_stx_scratch_clear(GstStxScratch *scratch)
{
  free(scratch->data);
  *scratch = (GstStxScratch){0};
}

gconstpointer gst_stx_aligned(
    const GstMapInfo *map, gsize align, GstStxScratch *scratch, StxError *error)
{
  if (((guintptr)map->data & (align - 1)) == 0)
    return map->data;
  if (!gst_stx_scratch_reserve(scratch, map->size, error))
    return NULL;
  return memcpy(scratch->data, map->data, map->size);
}

/* ---- Allocation ---------------------------------------------------------------------------- */

/* Downstream's first pool and its numbers, or a new pool whose buffers fit the caps. */
static GstBufferPool *first_pool(GstQuery *query, guint *size, guint *min, guint *max)
{
  GstBufferPool *pool = NULL;

  if (gst_query_get_n_allocation_pools(query) > 0)
    gst_query_parse_nth_allocation_pool(query, 0, &pool, size, min, max);
  return pool != NULL ? pool : gst_video_buffer_pool_new();
}

/* Downstream's first allocator, or NULL. */
static GstAllocator *first_allocator(GstQuery *query, GstAllocationParams *params)
{
  GstAllocator *allocator = NULL;

  gst_allocation_params_init(params);
  if (query != NULL && gst_query_get_n_allocation_params(query) > 0)
    gst_query_parse_nth_allocation_param(query, 0, &allocator, params);
  params->align |= STX_ALIGN - 1;
  return allocator;
}

static void set_allocator(GstStructure *config, GstQuery *query)
{
  GstAllocationParams params;
  GstAllocator *allocator = first_allocator(query, &params);

  gst_buffer_pool_config_set_allocator(config, allocator, &params);
  g_clear_object(&allocator);
}

GstBufferPool *gst_stx_host_pool_new(GstQuery *query, guint size)
{
  GstBufferPool *pool = gst_buffer_pool_new();
  GstStructure *config = gst_buffer_pool_get_config(pool);
  GstCaps *caps = NULL;

  if (query != NULL)
    gst_query_parse_allocation(query, &caps, NULL);
  gst_buffer_pool_config_set_params(config, caps, size, 0, 0);
  set_allocator(config, query);
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
  g_autoptr(GstBufferPool) pool = first_pool(query, &size, &min, &max);
  g_autoptr(GstStructure) config = gst_buffer_pool_get_config(pool);
  GstVideoInfo info;
  GstCaps *caps;

  gst_query_parse_allocation(query, &caps, NULL);
  if (caps == NULL || !gst_video_info_from_caps(&info, caps))
    return FALSE;
  size = MAX(size, GST_VIDEO_INFO_SIZE(&info));
  gst_buffer_pool_config_set_params(config, caps, size, min, max);
  set_allocator(config, query);
  if (gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL))
    gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config(pool, g_steal_pointer(&config)))
    return FALSE;
  gst_stx_take_pool(query, g_steal_pointer(&pool), size, min, max);
  return TRUE;
}

/* ---- What leaves --------------------------------------------------------------------------- */

/* The allocator that the peer of a pad offers; it is asked anew when the pad is to reconfigure. */
static GstAllocator *ask_allocator(GstPad *src, GstAllocationParams *params)
{
  GQuark key = g_quark_from_static_string("gst-stx-allocator");
  g_autoptr(GstCaps) caps = NULL;
  g_autoptr(GstQuery) query = NULL;
  GstAllocator *allocator;

  gst_allocation_params_init(params);
  if (!gst_pad_check_reconfigure(src)) {
    allocator = g_object_get_qdata(G_OBJECT(src), key);
    return allocator != NULL ? gst_object_ref(allocator) : NULL;
  }
  caps = gst_pad_get_current_caps(src);
  query = gst_query_new_allocation(caps, FALSE);
  allocator = gst_pad_peer_query(src, query) ? first_allocator(query, params) : NULL;
  g_object_set_qdata_full(
      G_OBJECT(src), key, allocator != NULL ? gst_object_ref(allocator) : NULL, gst_object_unref);
  return allocator;
}

static GstAllocator *agreed_allocator(GstElement *element, GstPad *src, GstAllocationParams *params)
{
  GstAllocator *allocator = NULL;

  if (GST_IS_BASE_TRANSFORM(element))
    gst_base_transform_get_allocator(GST_BASE_TRANSFORM(element), &allocator, params);
  else if (GST_IS_AGGREGATOR(element))
    gst_aggregator_get_allocator(GST_AGGREGATOR(element), &allocator, params);
  else
    allocator = ask_allocator(src, params);
  return allocator;
}

static gboolean is_system_memory(GstBuffer *buffer)
{
  for (guint i = 0; i < gst_buffer_n_memory(buffer); i++)
    if (!gst_memory_is_type(gst_buffer_peek_memory(buffer, i), GST_ALLOCATOR_SYSMEM))
      return FALSE;
  return gst_buffer_get_size(buffer) > 0;
}

GstBuffer *gst_stx_offer(GstElement *element, GstPad *src, GstBuffer *buffer)
{
  GstAllocationParams params;
  GstAllocator *allocator = agreed_allocator(element, src, &params);
  gsize size = gst_buffer_get_size(buffer);
  GstMemory *memory = NULL;
  GstMapInfo map;

  if (allocator != NULL && g_strcmp0(allocator->mem_type, GST_ALLOCATOR_SYSMEM) != 0 &&
      is_system_memory(buffer))
    memory = gst_allocator_alloc(allocator, size, &params);
  g_clear_object(&allocator);
  if (memory == NULL)
    return buffer;
  if (!gst_memory_map(memory, &map, GST_MAP_WRITE)) {
    gst_memory_unref(memory);
    return buffer;
  }
  gst_buffer_extract(buffer, 0, map.data, size);
  gst_memory_unmap(memory, &map);
  buffer = gst_buffer_make_writable(buffer);
  gst_buffer_replace_all_memory(buffer, memory);
  return buffer;
}
