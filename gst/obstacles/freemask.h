/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Free space as a segmentation of the picture, as GStreamer 1.26 has them: a
 * GstAnalyticsSegmentationMtd whose mask, GRAY8 and as large as the frame, is 1 where the way is
 * free and else 0, and a classification to which it relates, with the names "background" and "free
 * space".
 */
#pragma once

#include "gst/stixels/stixels.h"

/* Attaches a mask of the free space to a writable frame of width × height pixels, made from the
 * stixels and the free space that are attached to it. FALSE: `error` says why it gets none. */
gboolean gst_stx_free_mask_attach(
    GstBuffer *frame, const GstCaps *caps, gint width, gint height, GError **error);
