/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Frames that leave an element before they are computed. What leaves it is a buffer without
 * memory, that has the frame's times, and whose frame somebody computes meanwhile. A queue stands
 * behind the element; behind that the frame is waited for and takes the buffer's place, and nobody
 * sees a difference: frames come in order, and what a queue does with events, flushes and states
 * holds for them, too.
 *
 * Only a bin that puts the queue there allows it: between element and queue nobody may look.
 */
#ifndef GST_STX_DEFERRED_H
#define GST_STX_DEFERRED_H

#include <gst/gst.h>

#include "common/fields.h"

G_BEGIN_DECLS

/* A property of the bin. */
typedef enum { GST_STX_OVERLAP_AUTO, GST_STX_OVERLAP_OFF, GST_STX_OVERLAP_ON } GstStxOverlap;
extern const StxFieldChoice gst_stx_overlaps[];

/* From the bin, once: what leaves `src`, of the element, comes out of `out`, of the queue. */
void gst_stx_deferred_link(GstPad *src, GstPad *out);

/* From the bin, after that, while nothing flows; the element reads it: OFF without a bin. */
void gst_stx_deferred_allow(GstPad *src, GstStxOverlap overlap);
GstStxOverlap gst_stx_deferred_allowed(GstPad *src);

/* First member of what is known of such a frame. `finish` waits for it and hands it over; NULL
 * after an element error. `drop` comes last, without a wait, also of a frame that nobody wants any
 * more.
 */
typedef struct GstStxDeferred GstStxDeferred;
struct GstStxDeferred {
  GstBuffer *(*finish)(GstStxDeferred *self);
  void (*drop)(GstStxDeferred *self);
};

/* From the element: a buffer that stands for it. And back; NULL: the buffer is as others. */
GstBuffer *gst_stx_deferred_new(GstStxDeferred *deferred);
GstStxDeferred *gst_stx_deferred_of(GstBuffer *buffer);

G_END_DECLS

#endif
