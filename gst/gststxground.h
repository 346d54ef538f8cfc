/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the user sets on lidar-ground: the fields of StxGroundParams (common/ground.h) with names,
 * units and ranges, and post-messages. Defaults are those of STX_GROUND_DEFAULTS. All may be
 * changed while playing and count from the next scan.
 */
#ifndef GST_STX_GROUND_SETTINGS_H
#define GST_STX_GROUND_SETTINGS_H

#include <gst/gst.h>

#include "common/ground.h"

G_BEGIN_DECLS

typedef struct {
  StxGroundParams params;
  gboolean post_messages;
} GstStxGroundSettings;

#define GST_STX_GROUND_SETTINGS_DEFAULTS                                                           \
  {                                                                                                \
    STX_GROUND_DEFAULTS, FALSE                                                                     \
  }

/* In class_init: adds the properties with ids from `first` on; the element uses none above. */
void gst_stx_ground_install_properties(GObjectClass *klass, guint first);

/* TRUE if `id` was one of them. The caller holds the object lock. */
gboolean gst_stx_ground_set_property(
    GstStxGroundSettings *settings, guint first, guint id, const GValue *value);
gboolean gst_stx_ground_get_property(
    const GstStxGroundSettings *settings, guint first, guint id, GValue *value);

G_END_DECLS

#endif
