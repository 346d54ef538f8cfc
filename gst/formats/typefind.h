/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What GStreamer needs to know files of points by their first bytes: application/x-pcd and
 * application/x-ply. KITTI's and nuScenes' files have nothing to know them by.
 */
#ifndef GST_STX_TYPE_FIND_H
#define GST_STX_TYPE_FIND_H

#include <gst/gst.h>

G_BEGIN_DECLS

GST_TYPE_FIND_REGISTER_DECLARE(pcd)
GST_TYPE_FIND_REGISTER_DECLARE(ply)

G_END_DECLS

#endif
