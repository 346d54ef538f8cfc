/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the road comes from (common/roadline_track.h), as the property `ground`. */
#ifndef GST_STX_ROAD_H
#define GST_STX_ROAD_H

#include <gst/gst.h>

#include "common/roadline_track.h"

G_BEGIN_DECLS

/* The values are those of StxRoadMode; STX_ROAD_NONE is not offered. */
#define GST_TYPE_STX_ROAD_MODE (gst_stx_road_mode_get_type())
GType gst_stx_road_mode_get_type(void);

G_END_DECLS

#endif
