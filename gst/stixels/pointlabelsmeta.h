/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Labels of a scan's points, as a meta on it. */
#ifndef GST_STX_POINT_LABELS_META_H
#define GST_STX_POINT_LABELS_META_H

#include "gst/stixels/api.h"

G_BEGIN_DECLS

/*
 * What each point of a LiDAR scan is.
 *
 * labels  one uint32_t per point, in the order of the points, in SemanticKITTI's encoding: the
 * class in the low 16 bits, the cluster or instance in the high ones. Perhaps in CUDAMemory.
 */
typedef struct {
  GstMeta meta;
  GstBuffer *labels;
} GstStxPointLabelsMeta;

GST_STX_API GType gst_stx_point_labels_meta_api_get_type(void);
GST_STX_API const GstMetaInfo *gst_stx_point_labels_meta_get_info(void);

/*
 * Adds the meta to `scan` and takes a reference on `labels`. NULL, after a critical, when a pointer
 * is NULL, `scan` is not writable or `labels` is not a quarter as long as the scan.
 */
GST_STX_API GstStxPointLabelsMeta *gst_buffer_add_stx_point_labels_meta(
    GstBuffer *scan, GstBuffer *labels);

/* The scan's first labels meta, or NULL. Nothing is transferred. */
GST_STX_API GstStxPointLabelsMeta *gst_buffer_get_stx_point_labels_meta(GstBuffer *scan);

G_END_DECLS

#endif
