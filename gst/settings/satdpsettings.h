/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the user sets on sat-dp-stixels: model, ground, post-messages, cut-candidates and their
 * epsilon, and the numbers of StxSatdpParams (common/satdp/satdp.h) with names, units and ranges;
 * their defaults are those of STX_SATDP_DEFAULTS. All but model and ground may be changed while
 * playing; they count from the next frame.
 */
#ifndef GST_STX_SATDPSETTINGS_H
#define GST_STX_SATDPSETTINGS_H

#include "common/roadline/roadline_track.h"
#include "common/satdp/satdp.h"
#include "gst/shared/properties.h"

G_BEGIN_DECLS

typedef enum { GST_STX_SATDP_GAUSSIAN, GST_STX_SATDP_GAUSSIAN_UNIFORM } GstStxSatdpModel;

typedef enum { GST_STX_CANDIDATES_ALL, GST_STX_CANDIDATES_RDP } GstStxCandidates;

typedef struct {
  StxSatdpParams params; /* its grid is not used */
  GstStxSatdpModel model;
  StxRoadMode ground;
  bool post_messages;
  GstStxCandidates candidates; /* where a stixel may begin */
  gdouble epsilon;             /* pixels, of the candidates */
} GstStxSatdpSettings;

#define GST_STX_SATDP_SETTINGS_DEFAULTS                                                            \
  {                                                                                                \
    STX_SATDP_DEFAULTS, GST_STX_SATDP_GAUSSIAN, STX_ROAD_AUTO, FALSE, GST_STX_CANDIDATES_ALL,      \
        STX_SATDP_EPSILON                                                                          \
  }

/* The two groups (properties.h) of an element whose GstStxSatdpSettings are `member`. */
extern const StxFields gst_stx_satdp_fields;
#define GST_STX_SATDP_PROPERTIES(Element, member)                                                  \
  {&stx_satdp_fields, offsetof(Element, member.params), GST_PARAM_MUTABLE_PLAYING, NULL},          \
  {                                                                                                \
    &gst_stx_satdp_fields, offsetof(Element, member), GST_PARAM_MUTABLE_PLAYING, "GstSatDpStixels" \
  }

G_END_DECLS

#endif
