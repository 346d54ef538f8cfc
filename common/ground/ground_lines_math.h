/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines through the prototypes of one sector (Himmelsbach et al., Section III-B), nearest first.
 * Sums are integers, so that a running sum equals a fresh one; what is fitted is double, written
 * here once for all implementations. Private to common/ground*.c and cuda/ground*.
 *
 * If something stands in a bin, its prototype may be a foot, of a wall or a car, instead of ground.
 * It is taken for one, and left out, if it is more than max_foot_height above the last prototype
 * before it of a bin in which nothing stands.
 *
 * A line is begun by a prototype within max_start_height of the height of the ground: that of the
 * sensor's foot at first, then that of the last line's end. The next prototype joins it if, with it
 *   - the line is no steeper than max_slope, or rises by no more than a residual may be,
 *   - all squared residuals are at most max_fit_error, and
 *   - after a long gap, its height is within max_long_height of what the line predicts without it
 *     (a line of one point is level).
 * Otherwise the line ends. It counts if it has three prototypes or more. Its last prototype then
 * begins the next line, and the prototype that did not join is tried with that; if it does not join
 * again, it may begin a line itself.
 */
#pragma once

#include "common/ground/ground_point_math.h"

enum { STX_GROUND_LINE_POINTS = 3 };

/* The least distance above its line that counts as ground next to standing things: metres, and
 * metres per metre of range. */
#define STX_GROUND_NEAR_FOOT 0.03f
#define STX_GROUND_NEAR_FOOT_SLOPE 0.002f

/* Bounds: |z| < 2^21, range < 2^18, at most 2^10 points: sums < 2^50, their products with the count
 * < 2^60. */
typedef struct {
  int64_t range, z, range_range, range_z;
  int count;
} StxGroundSums;

typedef struct {
  double intercept, slope; /* in units of 1/1024 m; slope is a ratio */
} StxGroundFit;

/* Parameters in units of 1/1024 m. */
typedef struct {
  double max_error, max_slope, long_gap, max_long, max_start, foot;
  int32_t obstacle, max_foot;
} StxGroundRules;

STX_INLINE StxGroundRules stx_ground_rules(const StxGroundParams *params, float height)
{
  double unit = (double)STX_GROUND_UNIT;
  StxGroundRules rules = {params->max_fit_error * unit * unit, params->max_slope,
      params->long_threshold * unit, params->max_long_height * unit,
      params->max_start_height * unit, -(double)height * unit,
      (int32_t)(params->obstacle_height * unit), (int32_t)(params->max_foot_height * unit)};
  return rules;
}

STX_INLINE void stx_ground_add(StxGroundSums *sums, int64_t range, int64_t z)
{
  sums->range += range;
  sums->z += z;
  sums->range_range += range * range;
  sums->range_z += range * z;
  sums->count++;
}

/* The slope of a fit is rise / spread. */
STX_INLINE int64_t stx_ground_spread(const StxGroundSums *sums)
{
  return sums->count * sums->range_range - sums->range * sums->range;
}

STX_INLINE int64_t stx_ground_rise(const StxGroundSums *sums)
{
  return sums->count * sums->range_z - sums->range * sums->z;
}

/* Least squares; points of one range make a level line. */
STX_INLINE StxGroundFit stx_ground_fit(const StxGroundSums *sums)
{
  int64_t n = sums->count, spread = stx_ground_spread(sums), rise = stx_ground_rise(sums);
  double slope = spread > 0 ? (double)rise / (double)spread : 0.0;
  StxGroundFit fit = {((double)sums->z - slope * (double)sums->range) / (double)n, slope};
  return fit;
}

STX_INLINE double stx_ground_at(const StxGroundFit *fit, double range)
{
  return fit->intercept + fit->slope * range;
}

/* Does something stand in a bin with this lowest and highest point? */
STX_INLINE int stx_ground_stands(int32_t z, int32_t top, const StxGroundRules *rules)
{
  return top - z > rules->obstacle;
}

#define STX_GROUND_NO_FLAT (1 << 29) /* the lowest point of no bin: nothing is above it */

/* True if the lowest point of a standing thing is a foot. `flat`: the lowest point of the last bin
 * before it in which nothing stands. */
STX_INLINE int stx_ground_is_foot(int32_t z, int32_t flat, const StxGroundRules *rules)
{
  return z - flat > rules->max_foot;
}

/* The prototypes of a sector that are in use, nearest first. */
typedef struct {
  const int32_t *range, *z;
  int count;
} StxGroundTrack;

STX_INLINE double stx_ground_residual(const StxGroundTrack *track, int i, const StxGroundFit *fit)
{
  return (double)track->z[i] - stx_ground_at(fit, (double)track->range[i]);
}

STX_INLINE double stx_ground_squared_residual(
    const StxGroundTrack *track, int i, const StxGroundFit *fit)
{
  double off = stx_ground_residual(track, i, fit);
  return off * off;
}

/* Largest squared residual of the prototypes first … last. */
STX_INLINE double stx_ground_error(
    const StxGroundTrack *track, int first, int last, const StxGroundFit *fit)
{
  double largest = 0;
  for (int i = first; i <= last; i++) {
    double error = stx_ground_squared_residual(track, i, fit);
    largest = error > largest ? error : largest;
  }
  return largest;
}

/* After a long gap: is prototype `at` off from what the line up to it predicts? */
STX_INLINE int stx_ground_is_step(
    const StxGroundTrack *track, int at, const StxGroundFit *fit, const StxGroundRules *rules)
{
  double range = (double)track->range[at], z = (double)track->z[at];
  double gap = range - (double)track->range[at - 1];
  if (gap <= rules->long_gap) /* nearly always, and then there is nothing to compute */
    return 0;
  double step = z - stx_ground_at(fit, range);
  return gap > rules->long_gap + 0.1 * range && (step > rules->max_long || -step > rules->max_long);
}

/* A short line may have any slope: that of two points next to each other says little. */
STX_INLINE int stx_ground_is_steep(const StxGroundTrack *track, int first, int last,
    const StxGroundFit *fit, const StxGroundRules *rules)
{
  double slope = fabs(fit->slope), length = (double)(track->range[last] - track->range[first]);
  double rise = slope * length;
  return slope > rules->max_slope && rise * rise > rules->max_error;
}

/* A line under way: prototypes first … next − 1. */
typedef struct {
  int first, next;
  StxGroundSums sums;
  StxGroundFit fit;
  double off; /* at least their largest residual */
} StxGroundLine;

STX_INLINE void stx_ground_begin(StxGroundLine *line, const StxGroundTrack *track, int at)
{
  StxGroundSums none = {0, 0, 0, 0, 0};
  line->first = at;
  line->next = at + 1;
  line->sums = none;
  stx_ground_add(&line->sums, track->range[at], track->z[at]);
  line->fit = stx_ground_fit(&line->sums);
  line->off = 0;
}

/* Far more than what rounding makes of residuals and their bounds, in units of 1/1024 m. */
#define STX_GROUND_SLACK 0.001

/* At least the largest residual of the line's prototypes against another line: how far this one is
 * from that differs most at an end. */
STX_INLINE double stx_ground_bound(
    const StxGroundLine *line, const StxGroundTrack *track, const StxGroundFit *other)
{
  double intercept = other->intercept - line->fit.intercept;
  double slope = other->slope - line->fit.slope;
  double first = fabs(intercept + slope * (double)track->range[line->first]);
  double last = fabs(intercept + slope * (double)track->range[line->next - 1]);
  return line->off + (first > last ? first : last) + STX_GROUND_SLACK;
}

/* Are all squared residuals of the line's prototypes and the next one within max_error? If so, *off
 * is at least the largest residual. Mostly a bound or the next one decides. */
STX_INLINE int stx_ground_fits(const StxGroundLine *line, const StxGroundTrack *track,
    const StxGroundFit *fit, const StxGroundRules *rules, double *off)
{
  double bound = stx_ground_bound(line, track, fit);
  double next = fabs(stx_ground_residual(track, line->next, fit));
  *off = bound > next ? bound : next;
  if (next * next > rules->max_error)
    return 0;
  if (bound * bound <= rules->max_error)
    return 1;
  double error = stx_ground_error(track, line->first, line->next, fit);
  *off = sqrt(error);
  return error <= rules->max_error;
}

/* Does prototype line->next join? If so, it is in. */
STX_INLINE int stx_ground_join(
    StxGroundLine *line, const StxGroundTrack *track, const StxGroundRules *rules)
{
  int at = line->next;
  StxGroundSums sums = line->sums;
  if (stx_ground_is_step(track, at, &line->fit, rules))
    return 0;
  stx_ground_add(&sums, track->range[at], track->z[at]);
  StxGroundFit fit = stx_ground_fit(&sums);
  double off;
  if (stx_ground_is_steep(track, line->first, at, &fit, rules) ||
      !stx_ground_fits(line, track, &fit, rules, &off))
    return 0;
  line->off = off;
  line->sums = sums;
  line->fit = fit;
  line->next = at + 1;
  return 1;
}

STX_INLINE int stx_ground_may_begin(
    const StxGroundTrack *track, int at, double ground, const StxGroundRules *rules)
{
  double off = (double)track->z[at] - ground;
  return off <= rules->max_start && -off <= rules->max_start;
}

/* A finished line: the prototypes that it joins, as indices into the track. */
typedef struct {
  int first, last;
  StxGroundFit fit;
} StxGroundSpan;

/* Finds the lines of a track; returns how many. `spans` holds track->count / 2 of them. */
STX_INLINE int stx_ground_lines(
    const StxGroundTrack *track, const StxGroundRules *rules, StxGroundSpan *spans)
{
  double ground = rules->foot;
  int count = 0, open = 0;
  StxGroundLine line = {0, 0, {0, 0, 0, 0, 0}, {0, 0}, 0};
  for (int at = 0; at <= track->count;) {
    if (open && at < track->count && stx_ground_join(&line, track, rules)) {
      at++;
    } else if (open && line.sums.count >= STX_GROUND_LINE_POINTS) {
      StxGroundSpan span = {line.first, at - 1, line.fit};
      spans[count++] = span;
      ground = stx_ground_at(&line.fit, (double)track->range[at - 1]);
      stx_ground_begin(&line, track, at - 1);
    } else if (open) {
      open = 0;
    } else if (at < track->count) {
      open = stx_ground_may_begin(track, at, ground, rules);
      if (open)
        stx_ground_begin(&line, track, at);
      at++;
    } else {
      break;
    }
  }
  return count;
}

/* ---- The ground in a bin ------------------------------------------------------------------ */

STX_INLINE StxGroundLevel stx_ground_no_level(void)
{
  StxGroundLevel none = {0, 0, -1};
  return none;
}

STX_INLINE StxGroundLevel stx_ground_level(const StxGroundFit *fit, const StxGroundParams *params)
{
  StxGroundLevel level = {(float)(fit->intercept / (double)STX_GROUND_UNIT), (float)fit->slope,
      (float)params->max_dist_to_line};
  return level;
}

/* The greatest distance of a line, in sectors. */
STX_INLINE int stx_ground_search(const StxGroundParams *params)
{
  int reach = (int)(params->line_search_angle * params->sectors / 6.283185307179586 + 0.5);
  return reach < params->sectors / 2 ? reach : params->sectors / 2;
}

STX_INLINE float stx_ground_middle(const StxGroundParams *params, int bin)
{
  float r_min = (float)params->r_min, width = ((float)params->r_max - r_min) / (float)params->bins;
  return r_min + ((float)bin + 0.5f) * width;
}

/* The greatest distance of a bank's ground, in bins. */
STX_INLINE int stx_ground_bank(const StxGroundParams *params)
{
  double bins = params->bank_reach * params->bins / (params->r_max - params->r_min) + 0.5;
  return bins < params->bins ? (int)bins : params->bins;
}

#define STX_GROUND_NO_HEIGHT (-1e6f) /* m: of the ground where there is none */

/* The ground at the middle of a bin with that line, metres. */
STX_INLINE float stx_ground_height(
    const StxGroundLevel *level, const StxGroundParams *params, int bin)
{
  return level->intercept + level->slope * stx_ground_middle(params, bin);
}

/* Returns how far above its line the ground may lie where a point is `above` over it, metres. */
STX_INLINE float stx_ground_beside(const StxGroundParams *params, float above, float middle)
{
  float most = (float)params->max_dist_to_line, obstacle = (float)params->obstacle_height;
  float share = obstacle / (above > obstacle ? above : obstacle), up = most * (share * share);
  float least = STX_GROUND_NEAR_FOOT + STX_GROUND_NEAR_FOOT_SLOPE * middle;
  up = up > least ? up : least;
  return up < most ? up : most;
}

/* Step 5, for a bin with a line. top: its highest point; bank: the highest ground around it, in its
 * sector. Without branches, so that it can be done for many bins at once. */
STX_INLINE void stx_ground_judge(
    StxGroundLevel *level, const StxGroundParams *params, int bin, int32_t top, float bank)
{
  float middle = stx_ground_middle(params, bin), line = level->intercept + level->slope * middle;
  float above = (float)top / STX_GROUND_UNIT - line, rise = bank > line ? bank - line : 0.0f;
  float beside = stx_ground_beside(params, above, middle);
  level->up = above - rise > (float)params->obstacle_height
                  ? beside
                  : (float)params->max_dist_to_line + rise;
}

/* ---- Clusters ----------------------------------------------------------------------------- */

/* Cells of the grid in each direction; 0: no clusters. */
STX_INLINE int stx_ground_side(const StxGroundParams *params)
{
  return params->cluster_cell > 0 ? (int)ceil(2.0 * params->r_max / params->cluster_cell) : 0;
}

/* The square grid, centred on the sensor; rows of x are `stride` cells apart. */
typedef struct {
  float r_max, cells_per_metre, last;
  int stride;
} StxGroundGrid;

STX_INLINE StxGroundGrid stx_ground_grid(const StxGroundParams *params, int stride)
{
  float cell = (float)params->cluster_cell;
  StxGroundGrid grid = {(float)params->r_max, cell > 0 ? 1.0f / cell : 0,
      (float)(stx_ground_side(params) - 1), stride};
  return grid;
}

/* Returns the grid cell of a point that is in a bin; for other points any cell. */
STX_INLINE uint32_t stx_ground_grid_cell(const StxGroundGrid *grid, float x, float y)
{
  int row = stx_ground_index((x + grid->r_max) * grid->cells_per_metre, grid->last);
  int column = stx_ground_index((y + grid->r_max) * grid->cells_per_metre, grid->last);
  return (uint32_t)(row * grid->stride + column);
}

/* The label of a point in that cluster; those beyond the 16 bits have the number 0. */
STX_INLINE uint32_t stx_ground_obstacle(uint32_t cluster)
{
  return STX_POINT_OBSTACLE | (cluster <= 0xFFFF ? cluster << 16 : 0);
}
