/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colours of the points of a scan in every view: by label, by cluster, by intensity; and the
 * legend. */
#pragma once

#include "common/canvas/canvas.h"

/* Ground, obstacle, not classified; with `clusters` a colour for each cluster of obstacles, and one
 * that no cluster has for obstacles in none. */
StxRgb stx_scan_colour(uint32_t label, bool clusters);

/* The full intensity: 255 where a point exceeds 1, else 1. `count` · 4 floats. */
float stx_scan_full_intensity(const float *points, size_t count);

/* A legend with the names of these colours; `obstacle` NULL: those of stx_scan_colour, else it is
 * the one colour of obstacles. */
StxBox stx_scan_names(StxCanvas *canvas, StxLegend where, bool clusters, const StxRgb *obstacle);
