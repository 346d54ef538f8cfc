/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Labels of a scan's points, as a meta on it. */
#ifndef GST_STX_POINT_LABELS_META_H
#define GST_STX_POINT_LABELS_META_H

#include "gst/stixels/api.h"

G_BEGIN_DECLS

/**
 * GstStxPointLabelsMeta:
 * @meta: the parent
 * @labels: one uint32_t for each point, in the order of the points, in SemanticKITTI's encoding:
 * the class in the low 16 bits, the cluster or instance in the high ones. Perhaps in CUDAMemory
 *
 * The class and cluster of each point of a LiDAR scan.
 */
typedef struct _GstStxPointLabelsMeta {
  GstMeta meta;
  GstBuffer *labels;
} GstStxPointLabelsMeta;

GST_STX_API GType gst_stx_point_labels_meta_api_get_type(void);

/**
 * gst_stx_point_labels_meta_get_info: (skip)
 */
GST_STX_API const GstMetaInfo *gst_stx_point_labels_meta_get_info(void);

/**
 * gst_buffer_add_stx_point_labels_meta:
 * @scan: a writable buffer of points
 * @labels: a quarter as long as the scan; the meta takes a reference of it
 *
 * Returns: (transfer none) (nullable): the meta, which belongs to the scan. %NULL, after a
 * critical, when a pointer is %NULL, @scan is not writable or @labels is of another length
 */
GST_STX_API GstStxPointLabelsMeta *gst_buffer_add_stx_point_labels_meta(
    GstBuffer *scan, GstBuffer *labels);

/**
 * gst_buffer_get_stx_point_labels_meta:
 * @scan: any buffer
 *
 * Returns: (transfer none) (nullable): the scan's first labels meta, which lives as long as it
 */
GST_STX_API GstStxPointLabelsMeta *gst_buffer_get_stx_point_labels_meta(GstBuffer *scan);

G_END_DECLS

#endif
