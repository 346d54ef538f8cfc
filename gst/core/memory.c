/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/core/memory.h"

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
