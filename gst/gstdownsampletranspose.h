/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* downsample-transpose: disparity (and semantics) to columns of cells. See
 * docs/elements/downsample-transpose.md. */
#ifndef GST_DOWNSAMPLE_TRANSPOSE_H
#define GST_DOWNSAMPLE_TRANSPOSE_H

#include "gst/base/pairing.h"

G_BEGIN_DECLS

#define GST_TYPE_DOWNSAMPLE_TRANSPOSE (gst_downsample_transpose_get_type())
G_DECLARE_FINAL_TYPE(
    GstDownsampleTranspose, gst_downsample_transpose, GST, DOWNSAMPLE_TRANSPOSE, GstStxPairing)

GST_ELEMENT_REGISTER_DECLARE(downsample_transpose)

G_END_DECLS

#endif
