/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ground: the tables of fields and of implementations. */
#include "common/ground/ground.h"
#include "common/cpu.h"

#include <math.h>

/* ---- Fields ------------------------------------------------------------------------------- */

#define FIELD(kind, member) STX_FIELD(kind, StxGroundParams, member)
#define METRES(member, least, most) FIELD(DOUBLE, member), .low = least, .high = most, .unit = "m"

static const StxField fields[] = {
    {"sectors", "Sectors", "Sectors of a turn", FIELD(INT, sectors), .low = 1,
        .high = STX_GROUND_MAX_SECTORS},
    {"bins", "Bins", "Range bins per sector", FIELD(INT, bins), .low = 1,
        .high = STX_GROUND_MAX_BINS},
    {"r-min", "Nearest range", "Range from which points are classified, metres",
        METRES(r_min, 0, STX_GROUND_MAX_RANGE)},
    {"r-max", "Farthest range", "Range up to which points are classified, metres",
        METRES(r_max, 0, STX_GROUND_MAX_RANGE)},
    {"max-dist-to-line", "Distance above the line",
        "Largest height of ground above its line, metres; less at obstacles",
        METRES(max_dist_to_line, 0, 10)},
    {"max-dist-below", "Distance below the line", "Largest depth of ground below its line, metres",
        METRES(max_dist_below, 0, 10)},
    {"max-fit-error", "Fit error", "Largest squared residual of a ground line, square metres",
        FIELD(DOUBLE, max_fit_error), .high = 100, .unit = "m²"},
    {"max-slope", "Slope", "Steepest ground line relative to the road plane, as a ratio",
        FIELD(DOUBLE, max_slope), .high = 10},
    {"long-threshold", "Long gap",
        "Shortest gap of a ground line that counts as long, plus a tenth of the range, metres",
        METRES(long_threshold, 0, STX_GROUND_MAX_RANGE)},
    {"max-long-height", "Height across a long gap", "Largest height step across a long gap, metres",
        METRES(max_long_height, 0, 10)},
    {"max-start-height", "Start height",
        "Largest step from the last ground to the next line, metres",
        METRES(max_start_height, 0, 10)},
    {"line-search-angle", "Line search angle",
        "Largest angle to the sector whose ground line is used if there is none, radians",
        FIELD(DOUBLE, line_search_angle), .high = STX_GROUND_MAX_ANGLE, .unit = "rad"},
    {"obstacle-height", "Obstacle height", "Lowest obstacle above the ground, metres (100 = none)",
        METRES(obstacle_height, 0.01, 100)},
    {"max-foot-height", "Foot height",
        "Largest height of the ground at an obstacle above that before it, metres",
        METRES(max_foot_height, 0, 100)},
    {"bank-reach", "Bank reach", "Farthest banks and kerbs, metres (0 = none)",
        METRES(bank_reach, 0, STX_GROUND_MAX_RANGE)},
    {"sensor-height", "Sensor height",
        "Height of the sensor above the ground, metres (0 = estimated)",
        METRES(sensor_height, 0, 100)},
    {"level", "Level", "Level each scan by the road plane", FIELD(BOOL, level)},
    {"cluster-cell", "Cluster cell",
        "Cell in which neighbouring obstacle points cluster, metres (0 = no clusters)",
        METRES(cluster_cell, 0, 10)},
};
static const StxGroundParams defaults = STX_GROUND_DEFAULTS;
STX_FIELDS_CHECK(stx_ground_check)
const StxFields stx_ground_fields = {
    STX_FIELDS_OF(fields), &defaults, .check = stx_ground_check_any};

bool stx_ground_check(const StxGroundParams *params, StxError *error)
{
  if (!stx_fields_check(&stx_ground_fields, params, error))
    return false;
  if (!(params->r_max - params->r_min >= 0.1))
    return stx_fail(error, "r_max is %g m and r_min %g m: r_max must be larger by 0.1 m or more",
        params->r_max, params->r_min);
  double least = 2 * params->r_max / STX_GROUND_MAX_GRID;
  if (params->cluster_cell > 0 && params->cluster_cell < fmax(least, 0.01))
    return stx_fail(error,
        "cluster_cell is %g m, must be 0 (no clusters) or at least %g m, for a grid of at most %d "
        "cells over twice r_max",
        params->cluster_cell, fmax(least, 0.01), STX_GROUND_MAX_GRID);
  return true;
}

/* ---- Implementations ---------------------------------------------------------------------- */

STX_DECLARE(StxGroundImpl, stx_ground, scratch_size);
STX_DECLARE(StxGroundImpl, stx_ground, run);
#define FUNCTIONS(isa) stx_ground_scratch_size_##isa, stx_ground_run_##isa
STX_HOST_TABLE(StxGroundImpl, stx_ground, FUNCTIONS);
