/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Velocities of obstacles and stixels over ground, as a meta on what carries them. */
#ifndef GST_STX_VELOCITIES_META_H
#define GST_STX_VELOCITIES_META_H

#include "gst/stixels/api.h"

#include "common/velocity.h"

G_BEGIN_DECLS

/**
 * GstStxVelocitiesMeta:
 * @meta: the parent
 * @obstacles: #StxVelocity records, one for each obstacle, in the order of the buffer's obstacles
 * @stixels: #StxVelocity records, one for each stixel, in the order of the buffer's stixels
 *
 * Velocities over ground, attached by stixel-obstacles if the frame has the camera's motion
 * (#GstStxMotionMeta).
 */
typedef struct _GstStxVelocitiesMeta {
  GstMeta meta;
  GstBuffer *obstacles;
  GstBuffer *stixels;
} GstStxVelocitiesMeta;

GST_STX_API GType gst_stx_velocities_meta_api_get_type(void);

/**
 * gst_stx_velocities_meta_get_info: (skip)
 */
GST_STX_API const GstMetaInfo *gst_stx_velocities_meta_get_info(void);

/**
 * gst_buffer_add_stx_velocities_meta:
 * @buffer: a writable buffer
 * @obstacles: records; the meta takes a reference of it
 * @stixels: records; the meta takes a reference of it
 *
 * Returns: (transfer none) (nullable): the meta, which belongs to the buffer. %NULL, after a
 * critical, when a pointer is %NULL, @buffer is not writable, or one of the two is not made of
 * whole records
 */
GST_STX_API GstStxVelocitiesMeta *gst_buffer_add_stx_velocities_meta(
    GstBuffer *buffer, GstBuffer *obstacles, GstBuffer *stixels);

/**
 * gst_buffer_get_stx_velocities_meta:
 * @buffer: any buffer
 *
 * Returns: (transfer none) (nullable): the buffer's first velocities meta, which lives as long as
 * it
 */
GST_STX_API GstStxVelocitiesMeta *gst_buffer_get_stx_velocities_meta(GstBuffer *buffer);

G_END_DECLS

#endif
