/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Typefinders of files of points, by their first bytes: application/x-pcd and others, those of
 * common/lidar_file/lidar_file.h that have a header.
 */
#pragma once

#include <gst/gst.h>

gboolean gst_stx_type_find_register(GstPlugin *plugin);

/* All of their media types; the caller's. */
GstCaps *gst_stx_type_find_caps(void);
