/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What elements share that draw on the frames of one pad, and push them with the caps that they
 * came with. */
#ifndef GST_STX_ONVIDEO_H
#define GST_STX_ONVIDEO_H

#include "gst/base/pairing.h"

G_BEGIN_DECLS

/* What stx_pixel_format knows; the first one is what a converter in front will prefer. Colour
 * alone: where gray were possible, a tee in front of such an element and of a matcher, which
 * prefers gray, would settle on it. */
#define GST_STX_ONVIDEO_FORMATS                                                                    \
  "{ RGB, BGR, RGBA, RGBx, BGRA, BGRx, ARGB, xRGB, ABGR, xBGR, I420, YV12, NV12, NV21, Y42B, "     \
  "NV16, NV61, Y444, NV24, AYUV, YUY2, YVYU, UYVY, VYUY }"
#define GST_STX_ONVIDEO_CAPS GST_STX_CUDA_CAPS("video/x-raw", ",format=" GST_STX_ONVIDEO_FORMATS)

/* What the caps of the frames say. FALSE after an element error. */
gboolean gst_stx_onvideo_parse(GstStxPairing *self, const GstCaps *caps, GstVideoInfo *info);

/* From announce and process: frames of the role leave as they came. */
GstFlowReturn gst_stx_onvideo_announce(GstStxPairing *self, guint role);

/* Answers a caps query of one side of the frames as the other side would, so that converters agree.
 * `pad` is the pad of the role, or the source pad. FALSE: it is another query, or of another pad.
 */
gboolean gst_stx_onvideo_query(GstStxPairing *self, guint role, GstPad *pad, GstQuery *query);

G_END_DECLS

#endif
