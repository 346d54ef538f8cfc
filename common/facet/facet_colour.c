/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/facet/facet_colour.h"

#include <math.h>

#include "common/clusters/clusters_look.h"

static const StxFieldChoice modes[] = {
    {STX_FACET_DISTANCE, "distance", "How far it is"},
    {STX_FACET_KIND, "kind", "Ground, object or segment; of points ground, and every cluster"},
    {STX_FACET_CLASS, "class", "Class; of points ground, and every cluster"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, StxFacetColours, member)

static const StxField fields[] = {
    {"mode", "Mode", "What the colours show", FIELD(CHOICE, mode), .choices = modes},
    {"palette", "Palette", "Colours of mode distance", FIELD(CHOICE, palette),
        .choices = stx_palette_choices},
    {"max-distance", "Maximum distance", "This and more has the farthest colour, metres",
        FIELD(DOUBLE, max_distance), .low = 1, .high = 1000, .unit = "m"},
};
static const StxFacetColours defaults = STX_FACET_COLOURS_DEFAULTS;
const StxFields stx_facet_colour_fields = {STX_FIELDS_OF(fields), &defaults};

static StxRgb distance_colour(const StxFacetColours *colours, double metres)
{
  double far = fmin(metres / colours->max_distance, 1);
  return stx_palette_colour(colours->palette, (int)(255 * (1 - far) + .5));
}

StxRgb stx_facet_colour(const StxFacetColours *colours, const StxStixel *stixel, double metres)
{
  if (colours->mode == STX_FACET_KIND)
    return stx_colour_kind(stixel->kind);
  if (colours->mode == STX_FACET_CLASS)
    return stx_colour_class(stixel->label);
  return distance_colour(colours, metres);
}

StxRgb stx_facet_point_colour(
    const StxFacetColours *colours, const float point[3], const uint32_t *label)
{
  if (colours->mode == STX_FACET_DISTANCE || label == NULL) {
    double x = point[0], y = point[1], z = point[2];
    return distance_colour(colours, sqrt(x * x + y * y + z * z));
  }
  return stx_scan_colour(*label, true);
}
