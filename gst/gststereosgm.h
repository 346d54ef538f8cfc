/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-sgm: two rectified views in, disparity with a confidence per pixel out. */
#ifndef GST_STEREO_SGM_H
#define GST_STEREO_SGM_H

#include "gst/base/pairing.h"

G_BEGIN_DECLS

#define GST_TYPE_STEREO_SGM (gst_stereo_sgm_get_type())
G_DECLARE_FINAL_TYPE(GstStereoSgm, gst_stereo_sgm, GST, STEREO_SGM, GstStxPairing)

GST_ELEMENT_REGISTER_DECLARE(stereo_sgm)

G_END_DECLS

#endif
