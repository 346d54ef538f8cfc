/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ground: refusing bad parameters, and the list of implementations. */
#include "common/ground.h"
#include "common/cpu.h"
#include "common/ground_impls.h"

#include <math.h>
#include <string.h>

#define RANGE(field, unit, low, high)                                                              \
  {                                                                                                \
#field, unit, offsetof(StxGroundParams, field), low, high                                      \
  }
static const StxRange ranges[] = {
    RANGE(r_min, " m", 0, 250),
    RANGE(r_max, " m", 0, 250),
    RANGE(max_dist_to_line, " m", 0, 10),
    RANGE(max_dist_below, " m", 0, 10),
    RANGE(max_fit_error, " m²", 0, 100),
    RANGE(max_slope, "", 0, 10),
    RANGE(long_threshold, " m", 0, 250),
    RANGE(max_long_height, " m", 0, 10),
    RANGE(max_start_height, " m", 0, 10),
    RANGE(line_search_angle, " rad", 0, 3.141593),
    RANGE(obstacle_height, " m", 0.01, 100),
    RANGE(sensor_height, " m", 0, 100),
    RANGE(cluster_cell, " m", 0, 10),
};

static bool check_count(const char *name, int count, int most, StxError *error)
{
  if (count >= 1 && count <= most)
    return true;
  return stx_fail(error, "%s is %d, must be 1 to %d", name, count, most);
}

bool stx_ground_check(const StxGroundParams *params, StxError *error)
{
  if (!check_count("sectors", params->sectors, STX_GROUND_MAX_SECTORS, error) ||
      !check_count("bins", params->bins, STX_GROUND_MAX_BINS, error) ||
      !stx_check_ranges(params, ranges, sizeof ranges / sizeof ranges[0], error))
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

#define IMPL(name, backend, needs, suffix)                                                         \
  {                                                                                                \
    {name, backend, STX_MEMORY_HOST, needs}, stx_ground_scratch_##suffix, stx_ground_run_##suffix  \
  }
static const StxGroundImpl impls[] = {STX_HOST_IMPLS(IMPL)};

const StxImplTable stx_ground_impls = {impls, sizeof impls / sizeof impls[0], sizeof impls[0]};
