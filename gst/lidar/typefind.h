/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Typefinders of files of points, by their first bytes: application/x-pcd and others, those of
 * common/lidar_file/lidar_file.h that have a header.
 */
#ifndef GST_STX_TYPE_FIND_H
#define GST_STX_TYPE_FIND_H

#include <gst/gst.h>

G_BEGIN_DECLS

gboolean gst_stx_type_find_register(GstPlugin *plugin);

/* All of their media types; the caller's. */
GstCaps *gst_stx_type_find_caps(void);

G_END_DECLS

#endif
