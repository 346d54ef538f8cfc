/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The obstacles and the free space of one frame or scan, to read and to look up. */
#ifndef GST_STX_OBSTACLE_SET_H
#define GST_STX_OBSTACLE_SET_H

#include "gst/stixels/stixelinfo.h"

#include "common/obstacle.h"

G_BEGIN_DECLS

#define GST_STX_TYPE_OBSTACLES (gst_stx_obstacles_get_type())

/**
 * GstStxObstacles:
 *
 * The obstacles of one frame or scan. It never changes, any thread may read it, and it holds
 * references to what it needs. Positions and rectangles are in pixels of the frame, as those of
 * #GstStxStixels.
 */
typedef struct _GstStxObstacles GstStxObstacles;

GST_STX_API GType gst_stx_obstacles_get_type(void);

/**
 * gst_stx_obstacles_new:
 * @records: a buffer of #StxObstacle
 * @free_space: (nullable): a buffer of #StxFreeSpace
 * @info: (nullable): their image; the frame is this image. %NULL: they are of a scan
 * @error: why not
 *
 * Returns: (transfer full) (nullable): the obstacles, or %NULL if a buffer cannot be mapped or is
 * not made of whole records
 */
GST_STX_API GstStxObstacles *gst_stx_obstacles_new(
    GstBuffer *records, GstBuffer *free_space, const GstStxStixelInfo *info, GError **error);

/**
 * gst_stx_obstacles_new_from_buffer:
 * @buffer: any buffer that carries #GstStxObstaclesMeta, or one of application/x-obstacles
 * @caps: (nullable): its caps
 * @error: why not
 *
 * Returns: (transfer full) (nullable): the obstacles; or %NULL if it carries none, or if it is a
 * frame that an element cut or scaled without transforming the meta
 */
GST_STX_API GstStxObstacles *gst_stx_obstacles_new_from_buffer(
    GstBuffer *buffer, const GstCaps *caps, GError **error);

/**
 * gst_stx_obstacles_new_from_sample:
 * @sample: of an appsink: buffer and caps
 * @error: why not
 *
 * As gst_stx_obstacles_new_from_buffer().
 *
 * Returns: (transfer full) (nullable): the obstacles, or %NULL
 */
GST_STX_API GstStxObstacles *gst_stx_obstacles_new_from_sample(GstSample *sample, GError **error);

/**
 * gst_stx_obstacles_ref:
 * @self: obstacles
 *
 * Returns: (transfer full): the same
 */
GST_STX_API GstStxObstacles *gst_stx_obstacles_ref(GstStxObstacles *self);

/**
 * gst_stx_obstacles_unref:
 * @self: (transfer full): obstacles, which go with the last reference
 */
GST_STX_API void gst_stx_obstacles_unref(GstStxObstacles *self);

/**
 * gst_stx_obstacles_get_info:
 * @self: obstacles
 *
 * Returns: (transfer none): their image; of a scan all 0
 */
GST_STX_API const GstStxStixelInfo *gst_stx_obstacles_get_info(const GstStxObstacles *self);

/**
 * gst_stx_obstacles_get_buffer:
 * @self: obstacles
 *
 * Returns: (transfer none): the records, to map without a copy. They must not be written.
 */
GST_STX_API GstBuffer *gst_stx_obstacles_get_buffer(const GstStxObstacles *self);

/**
 * gst_stx_obstacles_get_free_buffer:
 * @self: obstacles
 *
 * Returns: (transfer none) (nullable): the records of free space, to map without a copy, or %NULL.
 * They must not be written.
 */
GST_STX_API GstBuffer *gst_stx_obstacles_get_free_buffer(const GstStxObstacles *self);

/**
 * gst_stx_obstacles_get_count:
 * @self: obstacles
 *
 * Returns: how many there are
 */
GST_STX_API guint gst_stx_obstacles_get_count(const GstStxObstacles *self);

/**
 * gst_stx_obstacles_get_obstacle:
 * @self: obstacles
 * @index: from 0, the nearest first
 * @obstacle: (out caller-allocates): a copy of the record
 *
 * Returns: %FALSE, and @obstacle is all 0, if there are not so many
 */
GST_STX_API gboolean gst_stx_obstacles_get_obstacle(
    const GstStxObstacles *self, guint index, StxObstacle *obstacle);

/**
 * gst_stx_obstacles_get_rectangle:
 * @self: obstacles
 * @index: from 0
 * @x: (out): left edge
 * @y: (out): upper edge
 * @width: (out): towards the right
 * @height: (out): down
 *
 * Returns: %FALSE, and all are 0, if nothing of it is in the frame, it is of a scan, or there are
 * not so many
 */
GST_STX_API gboolean gst_stx_obstacles_get_rectangle(const GstStxObstacles *self, guint index,
    gdouble *x, gdouble *y, gdouble *width, gdouble *height);

/**
 * gst_stx_obstacles_find_at:
 * @self: obstacles
 * @x: towards the right
 * @y: down
 *
 * Returns: the index of the nearest obstacle whose rectangle holds this position of the frame, or
 * -1
 */
GST_STX_API gint gst_stx_obstacles_find_at(const GstStxObstacles *self, gdouble x, gdouble y);

/**
 * gst_stx_obstacles_get_free_count:
 * @self: obstacles
 *
 * Returns: the number of columns, or of sectors of a scan, whose free space is known; 0 if it was
 * not computed
 */
GST_STX_API guint gst_stx_obstacles_get_free_count(const GstStxObstacles *self);

/**
 * gst_stx_obstacles_get_free_space:
 * @self: obstacles
 * @column: of the image, or sector of a scan, from 0
 * @free_space: (out caller-allocates): a copy of the record
 *
 * Returns: %FALSE, and @free_space is all 0, if there are not so many
 */
GST_STX_API gboolean gst_stx_obstacles_get_free_space(
    const GstStxObstacles *self, guint column, StxFreeSpace *free_space);

/**
 * gst_stx_obstacles_get_camera:
 * @self: obstacles
 * @camera: (out caller-allocates): that of the frame
 *
 * Returns: as gst_stx_stixels_get_camera()
 */
GST_STX_API gboolean gst_stx_obstacles_get_camera(const GstStxObstacles *self, StxCamera *camera);

#ifdef G_DEFINE_AUTOPTR_CLEANUP_FUNC
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GstStxObstacles, gst_stx_obstacles_unref)
#endif

G_END_DECLS

#endif
