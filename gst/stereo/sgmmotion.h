/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The camera's own motion, for stereo-sgm: from a pair's left picture and disparity to the meta. */
#pragma once

#include "common/egomotion/egomotion.h"
#include "gst/stixels/motionmeta.h"

/* FALSE where the camera lacks what motion needs; the text says where a user can give it. */
gboolean gst_stereo_sgm_motion_check(const StxCamera *camera, StxError *error);

/* Fills in a meta that is all zeros, and the offset of disparities with its deviation. `state` may
 * point to NULL at first; `frame` lies where `impl` works; `restart`: it has none before it. */
gboolean gst_stereo_sgm_motion_find(StxEgomotion **state, const StxEgomotionImpl *impl,
    const StxEgomotionFrame *frame, gboolean restart, GstStxMotionMeta *meta, gdouble offset[2],
    StxError *error);
