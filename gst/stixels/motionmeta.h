/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The camera's motion from the previous frame, as a meta on it. */
#ifndef GST_STX_MOTION_META_H
#define GST_STX_MOTION_META_H

#include "gst/stixels/api.h"

#include "common/egomotion/motion.h"

G_BEGIN_DECLS

/**
 * GstStxMotionMeta:
 * @meta: the parent
 * @points: (nullable): #StxMotionPoint records, points found in both frames, also on moving
 *   objects; their number is the buffer's size over the record's. %NULL: not given
 * @motion: the motion, or why it is not known
 * @interval: the time since the frame before; %GST_CLOCK_TIME_NONE: unknown
 * @width: of the image whose pixels @points are
 * @height: of that image
 *
 * The motion of a stereo camera. It is attached to whatever is computed from the frame: pictures,
 * disparity, columns and stixels. An application that knows the motion attaches it to the left
 * picture. @motion has no points where it was given, not measured.
 */
typedef struct _GstStxMotionMeta {
  GstMeta meta;
  GstBuffer *points;
  StxMotion motion;
  GstClockTime interval;
  guint width, height;
} GstStxMotionMeta;

GST_STX_API GType gst_stx_motion_meta_api_get_type(void);

/**
 * gst_stx_motion_meta_get_info: (skip)
 */
GST_STX_API const GstMetaInfo *gst_stx_motion_meta_get_info(void);

/**
 * gst_buffer_add_stx_motion_meta:
 * @buffer: a writable buffer
 * @motion: the motion
 * @interval: the time since the frame before, or %GST_CLOCK_TIME_NONE
 * @points: (nullable): records; the meta takes a reference of it
 * @width: of the image whose pixels they are; 0 without points
 * @height: of that image
 *
 * Returns: (transfer none) (nullable): the meta, which belongs to the buffer. %NULL, after a
 * critical, when another pointer is %NULL, @buffer is not writable, or @points is not made of whole
 * records
 */
GST_STX_API GstStxMotionMeta *gst_buffer_add_stx_motion_meta(GstBuffer *buffer,
    const StxMotion *motion, GstClockTime interval, GstBuffer *points, guint width, guint height);

/**
 * gst_buffer_add_stx_motion_meta_of_poses:
 * @buffer: a writable buffer: a left picture, or anything that has its time
 * @before: (array fixed-size=12) (nullable): the left camera's pose when the frame before was
 *   taken, [R | t] by rows: a point p in its axes (x to the right, y down, z ahead; metres) is at
 *   R · p + t in the world. As in KITTI's poses.txt. %NULL: there is no frame before
 * @now: (array fixed-size=12): the pose when this frame was taken
 * @deviation: (array fixed-size=6) (nullable): as in #StxMotion; %NULL: the motion is exact
 * @interval: the time between the two, or %GST_CLOCK_TIME_NONE
 *
 * For applications that know where the camera is: adds the motion from one pose to the next, with
 * no points. Elements refuse numbers that are not finite, and an R that is no rotation.
 *
 * Returns: (transfer none) (nullable): the meta, which belongs to the buffer. %NULL, after a
 * critical, when another pointer is %NULL or @buffer is not writable
 */
GST_STX_API GstStxMotionMeta *gst_buffer_add_stx_motion_meta_of_poses(GstBuffer *buffer,
    const gdouble *before, const gdouble *now, const gdouble *deviation, GstClockTime interval);

/**
 * gst_buffer_get_stx_motion_meta:
 * @buffer: any buffer
 *
 * Returns: (transfer none) (nullable): the buffer's first motion meta, which lives as long as it
 */
GST_STX_API GstStxMotionMeta *gst_buffer_get_stx_motion_meta(GstBuffer *buffer);

/**
 * gst_buffer_copy_stx_motion_meta:
 * @to: a writable buffer
 * @from: the buffer of which it was made
 *
 * For elements that make new buffers: the motion of @from in place of that of @to, if it has one.
 *
 * Returns: whether @from has one. %FALSE, after a critical, when @to is not writable
 */
GST_STX_API gboolean gst_buffer_copy_stx_motion_meta(GstBuffer *to, GstBuffer *from);

G_END_DECLS

#endif
