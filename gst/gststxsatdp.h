/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the user sets on sat-dp-stixels: model, ground, post-messages, cut-candidates and their
 * epsilon, and the numbers of StxSatdpParams (common/satdp.h) with names, units and ranges; their
 * defaults are those of STX_SATDP_DEFAULTS. All but model and ground may be changed while playing;
 * they count from the next frame.
 */
#ifndef GST_STX_SATDP_H
#define GST_STX_SATDP_H

#include <gst/gst.h>

#include "common/roadline_track.h"
#include "common/satdp.h"
#include "gst/stages/rdpstage.h"

G_BEGIN_DECLS

typedef enum { GST_STX_SATDP_GAUSSIAN } GstStxSatdpModel;

typedef enum { GST_STX_CANDIDATES_ALL, GST_STX_CANDIDATES_RDP } GstStxCandidates;

typedef struct {
  StxSatdpParams params; /* its grid is not used */
  GstStxSatdpModel model;
  StxRoadMode ground;
  gboolean post_messages;
  GstStxCandidates candidates; /* where a stixel may begin */
  gdouble epsilon;             /* pixels, of the candidates */
} GstStxSatdpSettings;

#define GST_STX_SATDP_SETTINGS_DEFAULTS                                                            \
  {                                                                                                \
    STX_SATDP_DEFAULTS, GST_STX_SATDP_GAUSSIAN, STX_ROAD_AUTO, FALSE, GST_STX_CANDIDATES_ALL, 0.5  \
  }

/* In class_init: adds the properties with ids from `first` on; the element uses none above. */
void gst_stx_satdp_install_properties(GObjectClass *klass, guint first);

/* TRUE if `id` was one of them. The caller holds the object lock. */
gboolean gst_stx_satdp_set_property(
    GstStxSatdpSettings *settings, guint first, guint id, const GValue *value);
gboolean gst_stx_satdp_get_property(
    const GstStxSatdpSettings *settings, guint first, guint id, GValue *value);

G_END_DECLS

#endif
