/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sat-dp-stixels: columns to stixels by dynamic programming. See docs/elements/sat-dp-stixels.md.
 */
#ifndef GST_SAT_DP_STIXELS_H
#define GST_SAT_DP_STIXELS_H

#include "gst/base/segmentation.h"

G_BEGIN_DECLS

#define GST_TYPE_SAT_DP_STIXELS (gst_sat_dp_stixels_get_type())
G_DECLARE_FINAL_TYPE(GstSatDpStixels, gst_sat_dp_stixels, GST, SAT_DP_STIXELS, GstStxSegmentation)

GST_ELEMENT_REGISTER_DECLARE(sat_dp_stixels)

G_END_DECLS

#endif
