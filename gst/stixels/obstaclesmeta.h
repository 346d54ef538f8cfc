/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Obstacles and free space of a video frame, of a buffer of stixels or of a scan, as a meta on it.
 */
#ifndef GST_STX_OBSTACLES_META_H
#define GST_STX_OBSTACLES_META_H

#include "gst/stixels/stixelinfo.h"

#include "common/obstacle.h"

G_BEGIN_DECLS

/**
 * GstStxObstaclesMeta:
 * @meta: the parent
 * @obstacles: #StxObstacle records, the nearest first; their number is the buffer's size over the
 *   record's, and may be 0
 * @free_space: (nullable): #StxFreeSpace records, one for each column of stixels or each sector of
 *   a scan; %NULL: not computed
 * @info: the image whose pixels and columns the records name; of a scan all 0
 *
 * A #GstStxObstacles made of the buffer finds things in the records.
 */
typedef struct _GstStxObstaclesMeta {
  GstMeta meta;
  GstBuffer *obstacles;
  GstBuffer *free_space;
  GstStxStixelInfo info;
} GstStxObstaclesMeta;

GST_STX_API GType gst_stx_obstacles_meta_api_get_type(void);

/**
 * gst_stx_obstacles_meta_get_info: (skip)
 */
GST_STX_API const GstMetaInfo *gst_stx_obstacles_meta_get_info(void);

/**
 * gst_buffer_add_stx_obstacles_meta:
 * @buffer: a writable buffer
 * @obstacles: records; the meta takes a reference of it
 * @free_space: (nullable): records; the meta takes a reference of it
 * @info: (nullable): the image to which they belong; %NULL: they are of a scan
 *
 * The image lies where that of the frame's stixels does, if they have one of that size; else it
 * fills the frame.
 *
 * Returns: (transfer none) (nullable): the meta, which belongs to the buffer. %NULL, after a
 * critical, when another pointer is %NULL, @buffer is not writable, or one of the two is not made
 * of whole records
 */
GST_STX_API GstStxObstaclesMeta *gst_buffer_add_stx_obstacles_meta(
    GstBuffer *buffer, GstBuffer *obstacles, GstBuffer *free_space, const GstStxStixelInfo *info);

/**
 * gst_buffer_get_stx_obstacles_meta:
 * @buffer: any buffer
 *
 * Returns: (transfer none) (nullable): the buffer's first obstacles meta, which lives as long as it
 */
GST_STX_API GstStxObstaclesMeta *gst_buffer_get_stx_obstacles_meta(GstBuffer *buffer);

/**
 * gst_stx_obstacles_meta_set_frame_size:
 * @meta: a meta that was just added to a writable frame of video
 * @width: of the frame, pixels
 * @height: of the frame, pixels
 *
 * As gst_stx_stixel_meta_set_frame_size().
 */
GST_STX_API void gst_stx_obstacles_meta_set_frame_size(
    GstStxObstaclesMeta *meta, guint width, guint height);

G_END_DECLS

#endif
