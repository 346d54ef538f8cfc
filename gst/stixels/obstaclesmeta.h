/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Obstacles and free space of a video frame, of a buffer of stixels or of a scan, as a meta on it.
 */
#ifndef GST_STX_OBSTACLES_META_H
#define GST_STX_OBSTACLES_META_H

#include "gst/stixels/stixelmeta.h"

#include "common/obstacle.h"

G_BEGIN_DECLS

/*
 * obstacles   StxObstacle records (common/obstacle.h), the nearest first; their number is the
 *             buffer's size over sizeof (StxObstacle), and may be 0
 * free_space  StxFreeSpace records, one for each column of stixels or each sector of a scan; NULL:
 *             nobody computed it
 * info        the image whose pixels and columns the records name; of a scan all 0
 */
typedef struct {
  GstMeta meta;
  GstBuffer *obstacles;
  GstBuffer *free_space;
  GstStxStixelInfo info;
} GstStxObstaclesMeta;

GST_STX_API GType gst_stx_obstacles_meta_api_get_type(void);
GST_STX_API const GstMetaInfo *gst_stx_obstacles_meta_get_info(void);

/*
 * Adds the meta to `buffer` and takes a reference on `obstacles` and, where it is not NULL, on
 * `free_space`. `info` NULL means that of a scan. NULL, after a critical, when another pointer is
 * NULL, `buffer` is not writable, or one of the two is not made of whole records.
 */
GST_STX_API GstStxObstaclesMeta *gst_buffer_add_stx_obstacles_meta(
    GstBuffer *buffer, GstBuffer *obstacles, GstBuffer *free_space, const GstStxStixelInfo *info);

/* The buffer's first obstacles meta, or NULL. Nothing is transferred. */
GST_STX_API GstStxObstaclesMeta *gst_buffer_get_stx_obstacles_meta(GstBuffer *buffer);

G_END_DECLS

#endif
