/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lidar-ground: points to ground, obstacles and clusters. See docs/elements/lidar-ground.md. */
#ifndef GST_LIDAR_GROUND_H
#define GST_LIDAR_GROUND_H

#include "gst/base/transform.h"

G_BEGIN_DECLS

#define GST_TYPE_LIDAR_GROUND (gst_lidar_ground_get_type())
G_DECLARE_FINAL_TYPE(GstLidarGround, gst_lidar_ground, GST, LIDAR_GROUND, GstStxTransform)

GST_ELEMENT_REGISTER_DECLARE(lidar_ground)

G_END_DECLS

#endif
