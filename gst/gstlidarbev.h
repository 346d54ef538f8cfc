/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lidar-bev: labelled points to a bird's-eye picture. See docs/elements/lidar-bev.md. */
#ifndef GST_LIDAR_BEV_H
#define GST_LIDAR_BEV_H

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_LIDAR_BEV (gst_lidar_bev_get_type())
G_DECLARE_FINAL_TYPE(GstLidarBev, gst_lidar_bev, GST, LIDAR_BEV, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE(lidar_bev)

G_END_DECLS

#endif
