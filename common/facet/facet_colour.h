/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colours of stixels and points in space: by distance, kind or class. All of them come from
 * common/colour. */
#ifndef STX_FACET_COLOUR_H
#define STX_FACET_COLOUR_H

#include "common/colour/colour.h"
#include "common/fields.h"
#include "common/stixel.h"

/* What colours show. Of points KIND and CLASS are ground, and a colour for each cluster; points
 * without labels are coloured by distance. */
typedef enum { STX_FACET_DISTANCE, STX_FACET_KIND, STX_FACET_CLASS } StxFacetMode;

typedef struct {
  StxFacetMode mode;
  StxPalette palette;  /* of DISTANCE */
  double max_distance; /* metres: this and more is the farthest colour */
} StxFacetColours;

#define STX_FACET_COLOURS_DEFAULTS                                                                 \
  {                                                                                                \
    .mode = STX_FACET_DISTANCE, .palette = STX_PALETTE_DISTANCE, .max_distance = 50                \
  }

/* Every field of StxFacetColours. */
extern const StxFields stx_facet_colour_fields;

/* Of a stixel, at a place of it that is so far away. */
StxRgb stx_facet_colour(const StxFacetColours *colours, const StxStixel *stixel, double metres);

/* Of a point; `label` NULL: it has none. */
StxRgb stx_facet_point_colour(
    const StxFacetColours *colours, const float point[3], const uint32_t *label);

#endif
