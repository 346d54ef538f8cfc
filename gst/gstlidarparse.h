/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lidar-parse: files of LiDAR points to packed points. See docs/elements/lidar-parse.md. */
#ifndef GST_LIDAR_PARSE_H
#define GST_LIDAR_PARSE_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_LIDAR_PARSE (gst_lidar_parse_get_type())
G_DECLARE_FINAL_TYPE(GstLidarParse, gst_lidar_parse, GST, LIDAR_PARSE, GstElement)

GST_ELEMENT_REGISTER_DECLARE(lidar_parse)

G_END_DECLS

#endif
