/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The properties of stereo-sgm that say how it matches: their types, names, ranges and defaults.
 * Ids from GST_STX_PROP_OWN on. Used like the groups of gststxutil.h, under the object lock.
 */
#ifndef GST_STEREO_SGM_SETTINGS_H
#define GST_STEREO_SGM_SETTINGS_H

#include <gst/gst.h>

#include "common/sgm.h"

G_BEGIN_DECLS

/* How a frame of the pad "sink" holds the two views. */
typedef enum {
  GST_STEREO_SGM_LAYOUT_AUTO, /* as the caps say */
  GST_STEREO_SGM_LAYOUT_SIDE_BY_SIDE,
  GST_STEREO_SGM_LAYOUT_TOP_BOTTOM
} GstStereoSgmLayout;

typedef struct {
  StxSgmParams params; /* width and height are not set here */
  GstStereoSgmLayout layout;
  gboolean confidence; /* attach GstStxConfidenceMeta */
} GstStereoSgmSettings;

void gst_stereo_sgm_settings_init(GstStereoSgmSettings *settings);
void gst_stereo_sgm_settings_install_properties(GObjectClass *klass);

/* TRUE if `id` was one of these properties. The caller holds the object lock. */
gboolean gst_stereo_sgm_settings_set_property(
    GstStereoSgmSettings *settings, guint id, const GValue *value);
gboolean gst_stereo_sgm_settings_get_property(
    const GstStereoSgmSettings *settings, guint id, GValue *value);

G_END_DECLS

#endif
