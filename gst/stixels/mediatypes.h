/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps of what is not video, and fields of others; see docs/formats.md. */
#ifndef GST_STX_MEDIATYPES_H
#define GST_STX_MEDIATYPES_H

#define GST_STX_COLUMNS_MEDIA_TYPE "application/x-stixel-columns"
#define GST_STX_STIXELS_MEDIA_TYPE "application/x-stixels"
#define GST_STX_OBSTACLES_MEDIA_TYPE "application/x-obstacles"
#define GST_STX_OCCUPANCY_MEDIA_TYPE "application/x-occupancy-grid"
#define GST_STX_LIDAR_MEDIA_TYPE "application/x-lidar"
#define GST_STX_LIDAR_PACKETS_MEDIA_TYPE "application/x-lidar-packets"
#define GST_STX_POINT_LABELS_MEDIA_TYPE "application/x-point-labels"

/* Boolean in the caps of disparities and columns: the confidence of unknown pixels tells the sky
 * from what could not be matched. */
#define GST_STX_SKY_FIELD "sky"

/* Media type of files of points. */
#define GST_STX_PCD_MEDIA_TYPE "application/x-pcd"

#endif
