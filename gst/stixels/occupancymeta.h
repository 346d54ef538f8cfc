/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An occupancy grid, as a meta: its cells, and where it lies. */
#ifndef GST_STX_OCCUPANCY_META_H
#define GST_STX_OCCUPANCY_META_H

#include "gst/stixels/api.h"

G_BEGIN_DECLS

/**
 * GstStxOccupancyMeta:
 * @meta: the parent
 * @cells: a signed byte for each cell, @height rows along y of @width cells along x: -1 unknown, 0
 *   to 100 the probability that something stands there, per cent
 * @width: cells along x
 * @height: cells along y
 * @fixed: the axes are fixed in the world, and the grid follows the sensor by whole cells;
 *   otherwise they are the sensor's in this frame
 * @epoch: increases when new fixed axes begin
 * @resolution: side of a cell, metres
 * @origin_x: the corner of the first cell with the smallest x and y, metres
 * @origin_y: likewise
 * @x: position of the sensor in these axes, metres; 0 unless @fixed
 * @y: likewise
 * @yaw: rotation of the sensor to the left, radians; 0 unless @fixed
 *
 * The grid of occupancy-grid in the road's plane, x ahead and y to the left. Written field by field
 * into nav_msgs/OccupancyGrid of ROS.
 */
typedef struct _GstStxOccupancyMeta {
  GstMeta meta;
  GstBuffer *cells;
  guint width, height;
  gboolean fixed;
  guint epoch;
  gdouble resolution;
  gdouble origin_x, origin_y;
  gdouble x, y, yaw;
} GstStxOccupancyMeta;

GST_STX_API GType gst_stx_occupancy_meta_api_get_type(void);

/**
 * gst_stx_occupancy_meta_get_info: (skip)
 */
GST_STX_API const GstMetaInfo *gst_stx_occupancy_meta_get_info(void);

/**
 * gst_buffer_add_stx_occupancy_meta:
 * @buffer: a writable buffer
 * @cells: width · height bytes; the meta takes a reference of it
 * @width: cells along x
 * @height: cells along y
 * @resolution: side of a cell, metres
 *
 * The other fields are 0: the caller fills them in.
 *
 * Returns: (transfer none) (nullable): the meta, which belongs to the buffer. %NULL, after a
 * critical, when a pointer is %NULL, @buffer is not writable, or @cells is of another length
 */
GST_STX_API GstStxOccupancyMeta *gst_buffer_add_stx_occupancy_meta(
    GstBuffer *buffer, GstBuffer *cells, guint width, guint height, gdouble resolution);

/**
 * gst_buffer_get_stx_occupancy_meta:
 * @buffer: any buffer
 *
 * Returns: (transfer none) (nullable): the buffer's first grid, which lives as long as it
 */
GST_STX_API GstStxOccupancyMeta *gst_buffer_get_stx_occupancy_meta(GstBuffer *buffer);

G_END_DECLS

#endif
