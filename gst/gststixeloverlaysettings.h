/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The properties of stixel-overlay that say how it draws: their types, names, ranges and defaults.
 * Ids from GST_STX_PROP_OWN on. Used like the groups of gststxutil.h, under the object lock.
 */
#ifndef GST_STIXEL_OVERLAY_SETTINGS_H
#define GST_STIXEL_OVERLAY_SETTINGS_H

#include <gst/gst.h>

#include "common/overlay.h"

G_BEGIN_DECLS

/* First property id that the settings leave free. */
enum { GST_STIXEL_OVERLAY_PROP_FREE = 64 };

/* Sets mode … max_distance of the parameters to their defaults; sizes, format and camera to 0. */
void gst_stixel_overlay_settings_init(StxOverlayParams *params);
void gst_stixel_overlay_settings_install_properties(GObjectClass *klass);

/* TRUE if `id` was one of these properties. The caller holds the object lock. */
gboolean gst_stixel_overlay_settings_set_property(
    StxOverlayParams *params, guint id, const GValue *value);
gboolean gst_stixel_overlay_settings_get_property(
    const StxOverlayParams *params, guint id, GValue *value);

G_END_DECLS

#endif
