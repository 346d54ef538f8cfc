/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metas as bytes, for files, networks and other processes. */
#ifndef GST_STX_META_BYTES_H
#define GST_STX_META_BYTES_H

#include "gst/stixels/api.h"

/* All metas: each stands for gst_stx_…_meta_get_info () and so on. In bytes, the number of a meta
 * is its place here, from 1 on. */
#define GST_STX_METAS(META)                                                                        \
  META(stixel)                                                                                     \
  META(obstacles)                                                                                  \
  META(motion)                                                                                     \
  META(velocities)                                                                                 \
  META(confidence)                                                                                 \
  META(occupancy)                                                                                  \
  META(turn)                                                                                       \
  META(point_labels)

G_BEGIN_DECLS

/**
 * gst_stx_metas_register:
 *
 * Registers the metas of this library with GStreamer, which finds by name those that arrive from
 * another process (unixfdsrc, since GStreamer 1.24). The plugin does so when it is loaded; an
 * application without its elements calls this first.
 */
GST_STX_API void gst_stx_metas_register(void);

/**
 * gst_stx_metas_to_bytes:
 * @buffer: any buffer
 *
 * The metas of this library on a buffer, the first of each kind, in the layout of docs/formats.md.
 *
 * Returns: (transfer full) (nullable): %NULL: there are none, or their memory cannot be read
 */
GST_STX_API GBytes *gst_stx_metas_to_bytes(GstBuffer *buffer);

/**
 * gst_stx_metas_from_bytes:
 * @buffer: a writable buffer
 * @bytes: from anywhere
 * @error: why not
 *
 * Adds the metas to a buffer like the one from which they came. Those that a newer version of this
 * library wrote in another layout are left out, with one warning in the log.
 *
 * Returns: %FALSE, and the buffer has no new metas, if the bytes are cut or forged, or do not
 * belong to a buffer of this size
 */
GST_STX_API gboolean gst_stx_metas_from_bytes(GstBuffer *buffer, GBytes *bytes, GError **error);

G_END_DECLS

#endif
