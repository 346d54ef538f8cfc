/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A map of disparities or depths, as it arrives on a pad: video/x-raw,format=GRAY16_LE, or one
 * tensor of float32 (other/tensors, NNStreamer's caps). The field disparity-encoding of either says
 * what its numbers mean. docs/formats.md describes them.
 */
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include "common/colmean/colmean_disparity.h"

#define GST_STX_DISPARITY_ENCODING "disparity-encoding"

typedef struct {
  gint width, height;
  gboolean is_tensor;
  GstVideoInfo video;            /* unless it is a tensor */
  StxDisparityEncoding encoding; /* that the caps name; AUTO: they name none */
} GstStxDisparity;

/* Reads fixed caps. FALSE with a text in `error` when they are of something else, or their field
 * disparity-encoding is none that there is. */
gboolean gst_stx_disparity_from_caps(
    GstStxDisparity *disparity, const GstCaps *caps, StxError *error);

/*
 * The encoding of the numbers: `wanted`, or for AUTO what the caps say, or else KITTI, of tensors
 * PIXELS. FALSE with a text in `error` where that is one of 16 bits for a tensor, or of float32 for
 * a picture.
 */
gboolean gst_stx_disparity_encoding(const GstStxDisparity *disparity, StxDisparityEncoding wanted,
    StxDisparityEncoding *encoding, StxError *error);
