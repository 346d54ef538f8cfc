/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records that an element reads on the CPU: points, labels, stixels, obstacles. Those on a GPU are
 * downloaded when they are mapped. Everything here belongs to the streaming thread. */
#pragma once

#include "gst/core/memory.h"

/* Records of one kind, frame by frame. Zero them to begin with. */
typedef struct {
  gconstpointer data; /* aligned to 4 bytes; NULL if count is 0 */
  gsize count;

  /* Private. */
  GstBuffer *buffer; /* that is mapped; NULL: none. Not a reference */
  GstMapInfo mapped;
  GstStxScratch aligned; /* a copy of those that were not */
} GstStxMapped;

/* Maps records of `unit` bytes; of no buffer (NULL), or an empty one, none. FALSE with the reason
 * in `error`; unmap in any case. */
gboolean gst_stx_mapped_read(GstStxMapped *records, GstBuffer *buffer, gsize unit, StxError *error);

/* Unmaps so many kinds of records, which may not be mapped; frees their memory, too. */
void gst_stx_mapped_unmap(GstStxMapped *records, guint kinds);
void gst_stx_mapped_clear(GstStxMapped *records, guint kinds);
