/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements of the plugin, one file each. */
#ifndef GST_STX_ELEMENTS_H
#define GST_STX_ELEMENTS_H

#include <gst/gst.h>

G_BEGIN_DECLS

GST_ELEMENT_REGISTER_DECLARE(downsample_transpose)
GST_ELEMENT_REGISTER_DECLARE(lidar_bev)
GST_ELEMENT_REGISTER_DECLARE(lidar_ground)
GST_ELEMENT_REGISTER_DECLARE(lidar_parse)
GST_ELEMENT_REGISTER_DECLARE(rdp_columns)
GST_ELEMENT_REGISTER_DECLARE(sat_dp_stixels)
GST_ELEMENT_REGISTER_DECLARE(stereo_rectify)
GST_ELEMENT_REGISTER_DECLARE(stereo_sgm)
GST_ELEMENT_REGISTER_DECLARE(stereo_stixels)
GST_ELEMENT_REGISTER_DECLARE(stixel_json)
GST_ELEMENT_REGISTER_DECLARE(stixel_mesh)
GST_ELEMENT_REGISTER_DECLARE(stixel_obstacles)
GST_ELEMENT_REGISTER_DECLARE(stixel_overlay)
GST_ELEMENT_REGISTER_DECLARE(street_scene_src)

G_END_DECLS

#endif
