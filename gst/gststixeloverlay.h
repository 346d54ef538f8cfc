/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stixel-overlay: draws stixels on the video frame of the same moment. See the doc block in
 * gststixeloverlay.c and docs/elements/stixel-overlay.md.
 */
#ifndef GST_STIXEL_OVERLAY_H
#define GST_STIXEL_OVERLAY_H

#include "gst/base/pairing.h"

G_BEGIN_DECLS

#define GST_TYPE_STIXEL_OVERLAY (gst_stixel_overlay_get_type())
G_DECLARE_FINAL_TYPE(GstStixelOverlay, gst_stixel_overlay, GST, STIXEL_OVERLAY, GstStxPairing)

GST_ELEMENT_REGISTER_DECLARE(stixel_overlay)

G_END_DECLS

#endif
