/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What all elements of the plugin share: the properties that say where the work is done, errors
 * that reach the user, and scratch memory.
 */
#ifndef GST_STX_UTIL_H
#define GST_STX_UTIL_H

#include <gst/gst.h>
#include <gst/video/video.h>

#include "gst/gststxproperties.h"

G_BEGIN_DECLS

#define GST_STX_AUTHOR "The gst-stixels developers"

/* Caps names of what is not video; see docs/formats.md. */
#define GST_STX_COLUMNS_MEDIA_TYPE "application/x-stixel-columns"
#define GST_STX_STIXELS_MEDIA_TYPE "application/x-stixels"
#define GST_STX_LIDAR_MEDIA_TYPE "application/x-lidar"
#define GST_STX_POINT_LABELS_MEDIA_TYPE "application/x-point-labels"

/* ---- backend, threads, cuda-device-id ------------------------------------------------------ */

typedef struct {
  StxBackend backend;
  gint threads;        /* 0: all cores; 1…256 */
  gint cuda_device_id; /* -1: any */
} GstStxRun;

#define GST_STX_RUN_DEFAULTS ((GstStxRun){STX_BACKEND_AUTO, 0, -1})

/* The group (gststxproperties.h) of an element whose GstStxRun is `member`. */
extern const StxFields gst_stx_run_fields;
#define GST_STX_RUN_PROPERTIES(Element, member)                                                    \
  {                                                                                                \
    &gst_stx_run_fields, offsetof(Element, member), GST_PARAM_MUTABLE_READY, "GstStx"              \
  }

/* ---- Errors -------------------------------------------------------------------------------- */

/* Posts the text of an StxError to the user: GST_STX_ELEMENT_ERROR (self, STREAM, FORMAT, &error)
 */
#define GST_STX_ELEMENT_ERROR(element, domain, code, error)                                        \
  GST_ELEMENT_ERROR(element, domain, code, ("%s", (error)->text), (NULL))

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

/* ---- Allocation ---------------------------------------------------------------------------- */

/* A pool of `size` contiguous bytes in system memory, aligned to STX_ALIGN; `caps` may be NULL.
 * Configured, not active. */
GstBufferPool *gst_stx_host_pool_new(GstCaps *caps, guint size);

/* From decide_allocation: `pool` (transfer full) in place of the first one that was offered. */
void gst_stx_take_pool(GstQuery *query, GstBufferPool *pool, guint size, guint min, guint max);

/*
 * decide_allocation of an element that writes raw video: keeps the pool that downstream offers,
 * makes one of ours if it offers none, and asks for GstVideoMeta where downstream understands it.
 */
gboolean gst_stx_decide_video_pool(GstQuery *query);

G_END_DECLS

#endif
