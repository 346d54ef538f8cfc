/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DL Streamer's LidarMeta, as its header of 2026.1 describes it: in a library with the name that
 * DL Streamer's has, for tests that open it as a program does that has such an element.
 */
#pragma once

#include <gst/gst.h>

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
