/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory of an element on the host: scratch, and pools of buffers. */
#pragma once

#include <gst/gst.h>

#include "common/stx.h"

/* ---- Scratch ------------------------------------------------------------------------------- */

/* One block of memory aligned to STX_ALIGN that only grows. Zero it to begin with. */
typedef struct {
  gpointer data;
  gsize size;
} GstStxScratch;

/* At least `size` bytes; the content is lost when it grows. FALSE, with the number of bytes in
 * `error`, when the system has no such memory; the old block is gone then. */
gboolean gst_stx_scratch_reserve(GstStxScratch *scratch, gsize size, StxError *error);
void gst_stx_scratch_clear(GstStxScratch *scratch);

/* The bytes of a map, aligned to `align`, a power of 2: where they lie, or copied to `scratch`,
 * whose content is lost. Foreign memory may begin anywhere. NULL with a text in `error`
 * where there is no memory. */
gconstpointer gst_stx_aligned(
    const GstMapInfo *map, gsize align, GstStxScratch *scratch, StxError *error);

/* ---- Allocation ---------------------------------------------------------------------------- */

/* A pool of `size` contiguous bytes, aligned to STX_ALIGN, of the allocator that an allocation
 * query's answer offers; `query` NULL: of system memory, for any caps. Configured, not active. */
GstBufferPool *gst_stx_host_pool_new(GstQuery *query, guint size);

/* Puts `pool` (transfer full) in place of the first one offered; call it in decide_allocation. */
void gst_stx_take_pool(GstQuery *query, GstBufferPool *pool, guint size, guint min, guint max);

/*
 * decide_allocation of an element that writes raw video: keeps the pool that downstream offers,
 * makes one of ours if it offers none, and asks for GstVideoMeta where downstream understands it.
 */
gboolean gst_stx_decide_video_pool(GstQuery *query);

/*
 * The buffer (transfer full) as it may leave `element` at its source pad `src`: bytes in system
 * memory are copied if downstream offers an allocator of another kind, such as one of file
 * descriptors, which unixfdsink needs. What the base class has agreed with downstream counts; for
 * an element without such a base class downstream is asked whenever the pad is to reconfigure.
 */
GstBuffer *gst_stx_offer(GstElement *element, GstPad *src, GstBuffer *buffer);
