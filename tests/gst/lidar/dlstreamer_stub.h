/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DL Streamer's LidarMeta and GstAnalytics3DODMtd, as its headers of 2026.1 describe them: in a
 * library with the name that DL Streamer's has, for tests that open it as a program does that has
 * such an element.
 */
#pragma once

#include <gst/gst.h>
#if HAVE_ANALYTICS
#include <gst/analytics/analytics.h>

typedef struct {
  gfloat centre[3], extent[3], turn[3];
  gint type;
  gfloat confidence;
  guint modality;
} StubBox;

GstAnalyticsMtdType gst_analytics_3d_od_mtd_get_mtd_type(void);
gboolean gst_analytics_relation_meta_add_3d_od_mtd(GstAnalyticsRelationMeta *relations, gfloat x,
    gfloat y, gfloat z, gfloat length, gfloat width, gfloat height, gfloat yaw, gfloat pitch,
    gfloat roll, gint type, gfloat confidence, guint modality, GstAnalyticsMtd *mtd);
#endif

#define STUB_API "LidarMetaAPI"
#define STUB_NAME "LidarMeta"

typedef struct {
  GstMeta meta;
  guint lidar_point_count;
  gsize frame_id;
  GstClockTime exit_source_timestamp;
  GstClockTime exit_g3dinference_timestamp;
  guint stream_id;
} StubLidarMeta;

/* The same of 2026.0. */
typedef struct {
  GstMeta meta;
  guint lidar_point_count;
  gsize frame_id;
  GstClockTime exit_lidarparse_timestamp;
  guint stream_id;
} StubOldLidarMeta;
