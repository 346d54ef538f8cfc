/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When and by which beam each point of a scan was measured, as a meta on it. */
#ifndef GST_STX_TURN_META_H
#define GST_STX_TURN_META_H

#include "gst/stixels/api.h"

G_BEGIN_DECLS

/**
 * GstStxPointMark:
 * @time: nanoseconds since the beginning of the turn, which is the time of the buffer
 * @ring: the beam: of Velodyne from 0, the lowest, up; of others the maker's channel, from 0
 * @echo: 0; of the second return of a shot 1, of the third 2
 * @reserved: 0
 *
 * When and by which beam a point was measured: 8 bytes.
 */
typedef struct _GstStxPointMark {
  guint32 time;
  guint16 ring;
  guint8 echo;
  guint8 reserved;
} GstStxPointMark;

/**
 * GstStxTurnMeta:
 * @meta: the parent
 * @marks: one #GstStxPointMark for each point, in the order of the points
 * @sensor_time: of the turn's beginning, by the sensor's clock, nanoseconds: since 1970 of sensors
 * that know the date, since the full hour of Velodyne's
 * @number: of the turn: counted on from one to the next
 * @packets: that the turn was made of
 * @lost: packets that are missing in it, as far as that is known
 * @complete: it is there from its beginning to its end, and no packet is missing
 *
 * One turn of a LiDAR sensor.
 */
typedef struct _GstStxTurnMeta {
  GstMeta meta;
  GstBuffer *marks;
  guint64 sensor_time;
  guint64 number;
  guint packets;
  guint lost;
  gboolean complete;
} GstStxTurnMeta;

GST_STX_API GType gst_stx_turn_meta_api_get_type(void);

/**
 * gst_stx_turn_meta_get_info: (skip)
 */
GST_STX_API const GstMetaInfo *gst_stx_turn_meta_get_info(void);

/**
 * gst_buffer_add_stx_turn_meta:
 * @scan: a writable buffer of points
 * @marks: half as long as the scan; the meta takes a reference of it
 *
 * Returns: (transfer none) (nullable): the meta, which belongs to the scan; its numbers are 0.
 * %NULL, after a critical, when a pointer is %NULL, @scan is not writable or @marks is of another
 * length
 */
GST_STX_API GstStxTurnMeta *gst_buffer_add_stx_turn_meta(GstBuffer *scan, GstBuffer *marks);

/**
 * gst_buffer_get_stx_turn_meta:
 * @scan: any buffer
 *
 * Returns: (transfer none) (nullable): the scan's first turn meta, which lives as long as it
 */
GST_STX_API GstStxTurnMeta *gst_buffer_get_stx_turn_meta(GstBuffer *scan);

G_END_DECLS

#endif
