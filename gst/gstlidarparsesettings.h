/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of lidar-parse that its user sets. */
#ifndef GST_LIDAR_PARSE_SETTINGS_H
#define GST_LIDAR_PARSE_SETTINGS_H

#include <gst/gst.h>

#include "common/lidar_file.h"

G_BEGIN_DECLS

/* Where a file ends. */
typedef enum {
  GST_LIDAR_FRAMING_AUTO,
  GST_LIDAR_FRAMING_BUFFER,
  GST_LIDAR_FRAMING_STREAM
} GstLidarParseFraming;

typedef struct {
  StxLidarFormat format;
  GstLidarParseFraming framing;
  gint rate, per; /* scans per seconds, a fraction; 0/1: no time stamps */
  gboolean skip_bad;
} GstLidarParseSettings;

void gst_lidar_parse_settings_init(GstLidarParseSettings *settings);

/* In class_init. */
void gst_lidar_parse_install_properties(GObjectClass *klass);

/* TRUE if `id` was one of these. The caller holds the object lock. */
gboolean gst_lidar_parse_set_property(
    GstLidarParseSettings *settings, guint id, const GValue *value);
gboolean gst_lidar_parse_get_property(
    const GstLidarParseSettings *settings, guint id, GValue *value);

G_END_DECLS

#endif
