/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The arithmetic of the stixel energy, written once: whatever is not an integer sum or a
 * comparison is one of these functions, and every implementation of satdp compiles them (the
 * reference per cell, the vector code in a loop over lanes, CUDA per thread). They have no
 * branches that a vectoriser could not turn into a selection, and only + − · / on floats and
 * integers, which IEEE 754 rounds alike everywhere as long as nothing is contracted.
 *
 * Symbols: w x d are folded weight, position and disparity (1/256 px) of a cell, of ground its
 * deviation from what is expected; a sum is named after what is summed (xd = Σ w·x·d). Every sum
 * and every energy is an integer below 2^53. Derivations: docs/algorithms/satdp.md.
 */
#pragma once

#include "common/satdp/satdp.h"

#include <math.h>

/* The energy of what cannot be: far above every real sum, and a few of them add up exactly. */
#define STX_FORBIDDEN 1125899906842624.0 /* 2^50 */

/* The value of a ground at a cut is at most that far from 0, in 1/256 px. */
#define STX_VALUE_MOST 1048576.0f /* 2^20 */

/* A cell's deviation from the expected ground is at most that, in 1/256 px. */
#define STX_DEVIATION_MOST 32767

/* Limits of fulldp's lines, 1/256 px: the value at the first cell, and how far it may get from that
 * in the image. Lines beyond are clamped: they miss every disparity that there is. */
#define STX_LINE_START 262144.0f  /* 2^18 */
#define STX_LINE_REACH 1048576.0f /* 2^20 */

/* The slack of pruning: the rounding of three energies, and per unit of Σw·d² the error of a data
 * term computed in float. */
#define STX_ROUNDING 8
#define STX_UNSURE 9.5367431640625e-7f /* 2^-20 */

/* The kind of the stixel below, in links and records. NONE: the lowest stixel of a column. */
typedef enum { STX_BELOW_GROUND, STX_BELOW_OBJECT, STX_BELOW_SKY, STX_BELOW_NONE } StxBelow;

STX_INLINE double stx_min(double a, double b)
{
  return a < b ? a : b;
}

STX_INLINE double stx_max(double a, double b)
{
  return a > b ? a : b;
}

/* ---- Cells ------------------------------------------------------------------------------- */

/* A known cell of any weight keeps the least there is, so that no stixel is free of it. */
STX_INLINE uint32_t stx_fold(uint32_t weight, uint32_t scale, uint32_t disparity)
{
  uint32_t folded = (weight * scale + (1u << 15)) >> 16;
  uint32_t least = weight > 0;
  folded = folded < STX_FOLDED_MAX ? folded : STX_FOLDED_MAX;
  folded = folded > least ? folded : least;
  return disparity == STX_DISPARITY_UNKNOWN ? 0 : folded;
}

/* The additional cost of a cell of unknown disparity in ground and object, by its weight: < 2^15 +
 * 1; weight · scale < 2^32. */
STX_INLINE int32_t stx_sky_evidence(uint32_t weight, uint32_t evidence_scale)
{
  return (int32_t)((weight * evidence_scale + (1u << 15)) >> 16);
}

/* The weight that counts for a record's confidence. */
STX_INLINE uint32_t stx_known_weight(uint32_t weight, uint32_t disparity)
{
  return disparity == STX_DISPARITY_UNKNOWN ? 0 : weight;
}

/* The cost of a cell in every stixel of the kind (an StxBelow): Noise if its disparity is known,
 * Unknown if it is not; `u` by stx_road_cell. above: the disparity of the next known cell above, 0
 * if there is none. */
STX_INLINE int32_t stx_cell_energy(const StxSatdpTables *tables, int kind, int u,
    uint32_t disparity, uint32_t weight, uint32_t above)
{
  int32_t noise = kind == STX_BELOW_GROUND   ? tables->noise_ground[u]
                  : kind == STX_BELOW_OBJECT ? tables->noise_object[disparity >> STX_OBJECT_BIN]
                                             : tables->noise_sky;
  int32_t unknown = tables->unknown[u] + stx_sky_evidence(weight, tables->evidence_scale);
  unknown += kind == STX_BELOW_OBJECT && above < tables->road[u] ? tables->hidden : 0;
  return disparity != STX_DISPARITY_UNKNOWN ? noise : kind == STX_BELOW_SKY ? 0 : unknown;
}

/* The cost of a cell in a stixel of kind `kind` (an StxBelow) by its `prior` (StxSatdpParams). */
STX_INLINE int32_t stx_prior_energy(const StxSatdpTables *tables, int kind, uint32_t prior)
{
  uint32_t was = prior & ~(uint32_t)STX_SATDP_RAISED;
  int32_t changed = was != 0 && was != (uint32_t)kind + 1 ? tables->change : 0;
  return changed + (kind == STX_BELOW_GROUND && was != prior ? tables->raised : 0);
}

/* The cost of an object as the lowest stixel; `disparity` is that of the column's lowest cell. */
STX_INLINE int32_t stx_first_object(const StxSatdpTables *tables, uint32_t disparity)
{
  bool hidden = tables->has_ground && disparity == STX_DISPARITY_UNKNOWN;
  return tables->first_object + (hidden ? STX_ENERGY_ONE : 0);
}

STX_INLINE int32_t stx_class_energy(int32_t cost, int32_t class_scale)
{
  return (cost * class_scale + 128) >> 8;
}

/* Energy of a cell of ground that is not where a bent road is. */
STX_INLINE int32_t stx_off_road(uint32_t disparity, uint32_t low, uint32_t high, int32_t cost)
{
  return (disparity != STX_DISPARITY_UNKNOWN) & ((disparity < low) | (disparity > high)) ? cost : 0;
}

/* ---- Planes and pair costs ----------------------------------------------------------------- */

/* The type of satdp_fit_math.inc.h: a number, or in the vector code one for each lane. */
#define stx_float(value) ((float)(value))

STX_INLINE float stx_min_float(float a, float b)
{
  return a < b ? a : b;
}

STX_INLINE float stx_max_float(float a, float b)
{
  return a > b ? a : b;
}

#define STX_FIT float
#define STX_FIT_INLINE STX_INLINE
#define STX_FIT_TYPE(name) Stx##name
#define STX_FIT_NAME(name) stx_##name
#include "common/satdp/satdp_fit_math.inc.h"

/* That of satdp_real_math.inc.h. */
#define stx_real(value) ((double)(value))
#define stx_absolute(value) fabs(value)
#define stx_less(a, b) ((a) < (b))
#define stx_differ(a, b) ((a) != (b))
#define stx_select(condition, a, b) ((condition) ? (a) : (b))
#define stx_keep(condition, a) stx_select(condition, a, 0.0)

#define STX_REAL double
#define STX_REAL_INLINE STX_INLINE
#define STX_MASK int
#define STX_REAL_TYPE(name) Stx##name
#define STX_REAL_NAME(name) stx_##name
#include "common/satdp/satdp_real_math.inc.h"

/* Rounded to nearest, |value| < 2^54. Few GPUs have an instruction for it that is fast. */
STX_INLINE float stx_to_float(int64_t value)
{
#ifdef __CUDA_ARCH__
  uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
  int shift = 32 - __clz((int)(size >> 32)), any_less = (size & ((1u << shift) - 1)) != 0;
  float top = (float)((uint32_t)(size >> shift) | (uint32_t)any_less); /* 32 bits, if it shifts */
  float scaled = __int_as_float(__float_as_int(top) + (shift << 23));
  return value < 0 ? -scaled : scaled;
#else
  return (float)value;
#endif
}

/* A float at or below the value: at least one unit of the last place below what may have been
 * rounded up. */
STX_INLINE float stx_round_down(int64_t value)
{
  float rounded = (float)value;
  return rounded - fabsf(rounded) * 1.1920929e-7f;
}

/* Integer sums over the cells of one segment. */
typedef struct {
  int64_t w, x, xx, d, xd, dd; /* folded with the weight of the segment's kind */
  int64_t weight;              /* Σ of the known cells' weights as they came */
} StxSegmentSums;

/* x less x0 fits 32 bits, for x0 is off by hardly more than one half. `object`: so does d. */
STX_INLINE StxMoments stx_moments(const StxSegmentSums *s, bool object)
{
  int32_t w = (int32_t)s->w;
  float inverse = stx_inverse((float)w), x0 = stx_centre(stx_to_float(s->x), inverse);
  float d0 = object ? stx_centre(stx_to_float(s->d), inverse) : 0;
  int32_t near_x = (int32_t)x0, near_d = (int32_t)d0;
  int32_t x = (int32_t)((uint32_t)s->x - (uint32_t)near_x * (uint32_t)w);
  int64_t d = object ? (int32_t)((uint32_t)s->d - (uint32_t)near_d * (uint32_t)w) : s->d;
  int64_t xx = s->xx - near_x * (s->x + x), xd = s->xd - near_x * s->d - (int64_t)near_d * x;
  StxMoments moments = {(float)w, inverse, x0, d0, (float)x,
      object ? (float)(int32_t)d : stx_to_float(d), stx_to_float(xx), stx_to_float(xd),
      stx_to_float(object ? s->dd - near_d * (s->d + d) : s->dd)};
  return moments;
}

/* Energy of a residual below 2^45: an integer. */
STX_INLINE double stx_data_energy(float residual, float residual_energy)
{
  return stx_round((double)(residual * residual_energy));
}

/* The horizon in a column. */
STX_INLINE float stx_column_horizon(const StxSatdpTables *tables, int column)
{
  return tables->horizon_x + stx_column_drop(tables, (float)column);
}

STX_INLINE StxGroundPrior stx_ground_prior(const StxSatdpTables *tables, int column)
{
  StxGroundPrior prior = {tables->ground_slope, stx_column_horizon(tables, column),
      tables->lambda_intercept, tables->lambda_slope};
  return prior;
}

/* Returns how much nearer a cell is than the expected ground, which is rounded to 1/256 px. */
STX_INLINE int32_t stx_deviation(float ground_slope, float horizon_x, int32_t x, uint32_t disparity)
{
  float road = stx_clamp_float(ground_slope * ((float)x - horizon_x), 131072.0f);
  int32_t off = (int32_t)disparity - (int32_t)stx_round_float(road);
  off = off < STX_DEVIATION_MOST ? off : STX_DEVIATION_MOST;
  return off > -STX_DEVIATION_MOST ? off : -STX_DEVIATION_MOST;
}

/* The drop of a column in whole cells: one number for the eight columns that the vector code works
 * on together. */
STX_INLINE int stx_drop_cells(const StxSatdpTables *tables, int column)
{
  float middle = (float)(column / 8 * 8) + 3.5f;
  return (int)stx_round_float(stx_column_drop(tables, middle) / tables->cell);
}

/* The u, or the nearest, under which the tables say what is true of the road at cell u of a column
 * with that drop. */
STX_INLINE int stx_road_cell(const StxSatdpTables *tables, int drop, int u)
{
  int at = u + drop;
  return at < 0 ? 0 : at < tables->rows ? at : tables->rows - 1;
}

STX_INLINE StxPairCost stx_pair_cost(const StxSatdpTables *tables)
{
  StxPairCost pair = {(double)tables->pair_cost, (double)tables->pair_slope / 4194304.0,
      (double)tables->pair_tolerance};
  return pair;
}

/* ---- Links and records ------------------------------------------------------------------- */

/* The start of the best stixel of a kind that ends at a row, and the kind below it. Smaller is
 * preferred among equals: smallest vb, then ground, object, sky. */
STX_INLINE double stx_link(double vb, double below)
{
  return 4.0 * vb + below;
}

/* Kind and first cell of a column's topmost stixel that is not yet written, and its last cell. */
typedef struct {
  int vb, vt;
  StxKind kind;
  int64_t energy; /* its share of the column's energy */
} StxSegment;

/* The record of a segment. `label` is the class with the smallest energy. */
STX_INLINE StxStixel stx_make_stixel(const StxGrid *grid, const StxSatdpTables *tables, int column,
    const StxSegment *segment, const StxSegmentSums *s, int label)
{
  int cells = segment->vt - segment->vb + 1;
  float pixel = (float)(1 << grid->coarse) / STX_DISPARITY_ONE;
  float confidence = sqrtf(stx_to_float(s->weight) / ((float)cells * STX_WEIGHT_ONE));
  StxStixel stixel = {(uint16_t)column,
      (uint16_t)stx_grid_top(grid, tables->rows - 1 - segment->vt),
      (uint16_t)(stx_grid_top(grid, tables->rows - segment->vb) - 1), (uint8_t)segment->kind,
      (uint8_t)label, 0.0f, 0.0f, stx_to_float(segment->energy) / STX_ENERGY_ONE,
      stx_min_float(confidence, 1.0f)};
  StxMoments moments = stx_moments(s, segment->kind == STX_KIND_OBJECT);
  if (segment->kind == STX_KIND_OBJECT && s->w > 0) {
    stixel.disparity_top = (moments.d0 + moments.d * moments.inverse) * pixel;
    stixel.disparity_bottom = stixel.disparity_top;
  }
  if (segment->kind == STX_KIND_GROUND) {
    StxGroundPrior prior = stx_ground_prior(tables, column);
    StxGroundFit fit = stx_fit_ground(prior, moments);
    float top = stx_ground_line(fit, prior.horizon_x, (float)(2 * stixel.top));
    float bottom = stx_ground_line(fit, prior.horizon_x, (float)(2 * stixel.bottom));
    stixel.disparity_top = stx_max_float(top, 0.0f) * pixel;
    stixel.disparity_bottom = stx_max_float(bottom, 0.0f) * pixel;
  }
  return stixel;
}

/* The end of a slanted object's record at an image row, pixels. */
STX_INLINE float stx_slanted_end(StxObjectFit fit, float pixel, int row)
{
  float value = stx_max_float(stx_slanted_line(fit, (float)(2 * row)), 1.0f);
  return stx_min_float(value, 65535.0f) / STX_DISPARITY_ONE * pixel;
}

/* Gives the record of an object the ends of its line. */
STX_INLINE void stx_slant_stixel(
    const StxGrid *grid, const StxSatdpTables *tables, const StxSegmentSums *s, StxStixel *stixel)
{
  if (stixel->kind != STX_KIND_OBJECT || s->w == 0)
    return;
  StxObjectFit fit = stx_fit_object(tables->lambda_object, stx_moments(s, true));
  float pixel = (float)(1 << grid->coarse);
  stixel->disparity_top = stx_slanted_end(fit, pixel, stixel->top);
  stixel->disparity_bottom = stx_slanted_end(fit, pixel, stixel->bottom);
}

/* The matcher invents disparities where the road is overexposed, of things far beyond: an object
 * whose foot is so far under the road is at an unknown distance. */
STX_INLINE void stx_refuse_foot(
    const StxGrid *grid, const StxSatdpTables *tables, StxStixel *stixel)
{
  float x = (float)(2 * stixel->bottom + 1) - stx_column_drop(tables, (float)stixel->column);
  float road = tables->ground_slope * (x - tables->horizon_x);
  float least = stx_min_float(road * tables->foot_share, road - tables->foot_below);
  float foot = stixel->disparity_bottom * (float)(STX_DISPARITY_ONE >> grid->coarse);
  if (stixel->kind == STX_KIND_OBJECT && foot < least)
    stixel->disparity_top = stixel->disparity_bottom = 0;
}

/*
 * An object stands where the ground comes as near as it is. Cells tell its lowest row only to
 * their height, so the boundary between the records of a ground and of the object on it moves to
 * the row where their planes meet: by at most half a cell up and a quarter of a cell down, since
 * beyond that the cells say otherwise. Both keep their planes, and at least a row.
 */
STX_INLINE void stx_settle_foot(const StxGrid *grid, StxStixel *ground, StxStixel *object)
{
  int rows = ground->bottom - ground->top, object_rows = object->bottom - object->top;
  float near = object->disparity_bottom, far = ground->disparity_top;
  float slope = ground->disparity_bottom - far; /* · rows */
  if (ground->kind != STX_KIND_GROUND || object->kind != STX_KIND_OBJECT || near <= 0 || slope <= 0)
    return;
  int up = grid->cell_height / 2, down = grid->cell_height / 4;
  up = up < object_rows ? up : object_rows;
  down = down < rows ? down : rows;
  float meet = stx_max_float((near - far) * (float)rows / slope, (float)-up);
  int shift = (int)stx_round_float(stx_min_float(meet, (float)down));
  if (shift == 0)
    return;
  if (object_rows > 0) {
    float end = near + (near - object->disparity_top) * (float)shift / (float)object_rows;
    object->disparity_bottom = stx_max_float(end, 1.0f / STX_DISPARITY_ONE);
  }
  ground->disparity_top = far + slope * (float)shift / (float)rows;
  ground->top = (uint16_t)(ground->top + shift);
  object->bottom = (uint16_t)(object->bottom + shift);
}
