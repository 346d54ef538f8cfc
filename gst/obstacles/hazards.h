/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hazards that road-hazards attached to a frame, beside the obstacles of its stixels. */
#pragma once

#include "gst/stixels/stixels.h"

/* The records (transfer full), and behind them the small things and holes of the frame's meta that
 * are no part of one of them: the foot of a car is not told twice. Places of the records stay. */
GstBuffer *gst_obstacles_with_hazards(GstBuffer *records, GstBuffer *frame);
