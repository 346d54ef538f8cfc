/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the sets of one frame: mapped records, and the place of their image in the frame. */
#pragma once

#include "gst/stixels/placing_private.h"

typedef struct {
  GstBuffer *buffer; /* NULL: none */
  GstMapInfo map;
  guint count;
} GstStxRecords;

/* Takes a reference of the buffer (NULL: none) and maps it. FALSE, and nothing to clear, if that is
 * not possible. */
gboolean gst_stx_records_open(
    GstStxRecords *records, GstBuffer *buffer, gsize size, const gchar *what, GError **error);
void gst_stx_records_clear(GstStxRecords *records);

/* A record by value; `size` bytes. Zeros, and FALSE, if there is none. */
gboolean gst_stx_records_get(
    const GstStxRecords *records, guint index, gpointer record, gsize size);

typedef struct {
  GstStxStixelInfo info;
  StxPlacement placement;
} GstStxFrame;

/* The image is the frame. */
void gst_stx_frame_is_image(GstStxFrame *frame, const GstStxStixelInfo *info);

/* The part of the frame that a part of the image covers. All 0, and FALSE, if there is none. */
gboolean gst_stx_frame_rectangle(const GstStxFrame *frame, const StxRectangle *area, gdouble *x,
    gdouble *y, gdouble *width, gdouble *height);

gboolean gst_stx_frame_back(const GstStxFrame *frame, gdouble x, gdouble y, gdouble *u, gdouble *v);

gboolean gst_stx_frame_camera(const GstStxFrame *frame, StxCamera *camera);

/* True if caps are of this media type. */
gboolean gst_stx_caps_are(const GstCaps *caps, const gchar *media_type);
