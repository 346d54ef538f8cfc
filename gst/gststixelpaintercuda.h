/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The drawing of stixel-overlay on a GPU. Internal; streaming thread. */
#ifndef GST_STIXEL_PAINTER_CUDA_H
#define GST_STIXEL_PAINTER_CUDA_H

#include "gst/gststixelpainter.h"
#include "gst/gststxcuda.h"

G_BEGIN_DECLS

/*
 * gst_stixel_painter_draw, on the GPU if it is there and either the frame lies there already or
 * `backend` is CUDA: in place in device memory, else on a copy that comes back. The frame is
 * finished when this returns: overlays are the end of the way, and the records are counted on the
 * device. A failing GPU is left for the CPU, or an error, as gst_stx_cuda_fail decides.
 */
gboolean gst_stixel_painter_draw_on_either(GstStixelPainter *painter, GstStxCuda *cuda,
    StxBackend backend, GstElement *element, GstBuffer *frame, GstBuffer *stixels,
    StxOverlayResult *counts);

G_END_DECLS

#endif
