/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The arithmetic of the stixel energy, written once: whatever is not an integer sum or a
 * comparison is one of these functions, and every implementation of satdp compiles them (the
 * reference per cell, the vector code in a loop over lanes, CUDA per thread). They have no
 * branches that a vectoriser could not turn into a selection, and only + − · / on doubles, which
 * IEEE 754 rounds alike everywhere as long as nothing is contracted.
 *
 * Symbols: w x d are folded weight, position and disparity (1/256 px) of a cell; a sum is named
 * after what is summed (xd = Σ w·x·d). Every sum and every energy is an integer below 2^53 in a
 * double. Derivations: docs/algorithms/satdp.md.
 */
#ifndef STX_SATDP_COST_MATH_H
#define STX_SATDP_COST_MATH_H

#include "common/satdp/satdp.h"

#include <math.h>

/* The energy of what cannot be: far above every real sum, and a few of them add up exactly. */
#define STX_FORBIDDEN 1125899906842624.0 /* 2^50 */

/* The value of a ground at a cut is at most that far from 0, in 1/256 px. */
#define STX_VALUE_MOST 1048576.0 /* 2^20 */

/* What a link and a record call the stixel below. NONE: the lowest stixel of a column. */
typedef enum { STX_BELOW_GROUND, STX_BELOW_OBJECT, STX_BELOW_SKY, STX_BELOW_NONE } StxBelow;

/* Nearest integer, ties to even, |value| < 2^51: addition rounds away what is below one. */
STX_INLINE double stx_round(double value)
{
  const double one_and_a_half = 6755399441055744.0; /* · 2^52 */
  return (value + one_and_a_half) - one_and_a_half;
}

STX_INLINE double stx_min(double a, double b)
{
  return a < b ? a : b;
}

STX_INLINE double stx_max(double a, double b)
{
  return a > b ? a : b;
}

/* ---- Cells ------------------------------------------------------------------------------- */

STX_INLINE uint32_t stx_fold(uint32_t weight, uint32_t scale, uint32_t disparity)
{
  uint32_t folded = (weight * scale + (1u << 15)) >> 16;
  folded = folded < STX_FOLDED_MAX ? folded : STX_FOLDED_MAX;
  return disparity == STX_DISPARITY_UNKNOWN ? 0 : folded;
}

/* How much more a cell of unknown disparity costs ground and object for its weight: < 2^15 + 1;
 * weight · scale < 2^32. */
STX_INLINE double stx_sky_evidence(uint32_t weight, uint32_t evidence_scale)
{
  return (double)(int32_t)((weight * evidence_scale + (1u << 15)) >> 16);
}

/* The weight that counts for a record's confidence. */
STX_INLINE uint32_t stx_known_weight(uint32_t weight, uint32_t disparity)
{
  return disparity == STX_DISPARITY_UNKNOWN ? 0 : weight;
}

/* What cell u costs every stixel of the kind (an StxBelow): Noise if its disparity is known,
 * Unknown if it is not. */
STX_INLINE double stx_cell_energy(
    const StxSatdpTables *tables, int kind, int u, uint32_t disparity, uint32_t weight)
{
  int32_t noise = kind == STX_BELOW_GROUND   ? tables->noise_ground[u]
                  : kind == STX_BELOW_OBJECT ? tables->noise_object[disparity >> STX_OBJECT_BIN]
                                             : tables->noise_sky;
  double unknown = tables->unknown[u] + stx_sky_evidence(weight, tables->evidence_scale);
  return disparity != STX_DISPARITY_UNKNOWN ? (double)noise : kind == STX_BELOW_SKY ? 0.0 : unknown;
}

STX_INLINE int32_t stx_class_energy(int32_t cost, int32_t class_scale)
{
  return (cost * class_scale + 128) >> 8;
}

/* Energy of a cell of ground that is not where a bent road is. */
STX_INLINE double stx_off_road(uint32_t disparity, uint32_t low, uint32_t high, double cost)
{
  return (disparity != STX_DISPARITY_UNKNOWN) & ((disparity < low) | (disparity > high)) ? cost
                                                                                         : 0.0;
}

/* ---- Data terms -------------------------------------------------------------------------- */

/* The ground prior, a copy of what StxSatdpTables says. */
typedef struct {
  double slope, horizon_x, lambda_intercept, lambda_slope;
} StxGroundPrior;

/* value(x) = slope · (x − horizon_x) + intercept, 1/256 px. `residual` is the least weighted sum
 * of squares, prior included. */
typedef struct {
  double slope, intercept, residual;
} StxGroundFit;

STX_INLINE StxGroundPrior stx_ground_prior(const StxSatdpTables *tables)
{
  StxGroundPrior prior = {
      tables->ground_slope, tables->horizon_x, tables->lambda_intercept, tables->lambda_slope};
  return prior;
}

/*
 * Weighted least squares of d = slope·(x − horizon_x) + intercept under the prior. What is fitted
 * is the deviation r from the expected ground. The sums are centred on the weighted means before
 * anything else, and all stay multiplied by w (the names end in w, or ww where by w·wp) until one
 * division serves every quotient. Without any weight all vanishes but the prior: the expected
 * ground at no cost.
 */
STX_INLINE StxGroundFit stx_fit_ground(
    StxGroundPrior prior, double w, double x, double xx, double d, double xd, double dd)
{
  double wp = w + prior.lambda_intercept, ww = w > 0.0 ? w * wp : 1.0;
  double cxxw = w * xx - x * x, cxdw = w * xd - x * d, cddw = w * dd - d * d;
  double xw = x - w * prior.horizon_x, rw = d - prior.slope * xw;
  double cxrw = cxdw - prior.slope * cxxw, crrw = cddw - prior.slope * (cxdw + cxrw);
  double qx = prior.lambda_intercept * xw, qr = prior.lambda_intercept * rw;
  double aww = wp * cxxw + qx * xw + prior.lambda_slope * ww;
  double pww = wp * cxrw + qx * rw;
  double inverse = 1.0 / (aww * ww), per_ww = inverse * aww;
  double beta = pww * (inverse * ww);
  double residual = (wp * crrw + qr * rw - pww * beta) * per_ww;
  StxGroundFit fit = {prior.slope + beta, (rw - beta * xw) * (w * per_ww), stx_max(residual, 0.0)};
  return fit;
}

/* A lower bound of the residual of any line through the same cells, without the prior. Cells in
 * two rows at least have w·Σw(x − mean)² >= w; less is one row, or rounding. */
STX_INLINE double stx_line_residual(
    StxGroundPrior prior, double w, double x, double xx, double d, double xd, double dd)
{
  double cxxw = w * xx - x * x, cxdw = w * xd - x * d, cddw = w * dd - d * d;
  double cxrw = cxdw - prior.slope * cxxw, crrw = cddw - prior.slope * (cxdw + cxrw);
  double rank = cxxw > 0.5 * w ? 1.0 : 0.0;
  double inverse = rank / (rank > 0.0 ? w * cxxw : 1.0);
  return stx_max((crrw * cxxw - cxrw * cxrw) * inverse, 0.0);
}

/* Σw(d − mean)² of an object; its mean is stx_object_mean. */
STX_INLINE double stx_object_residual(double w, double d, double dd)
{
  return stx_max(dd - d * (d / (w > 0.0 ? w : 1.0)), 0.0);
}

/* The object's disparity, 1/256 px; 0: no known cell. */
STX_INLINE double stx_object_mean(double w, double d)
{
  return d / (w > 0.0 ? w : 1.0);
}

/* As it is stored and compared. */
STX_INLINE double stx_object_value(double w, double d)
{
  return stx_round(stx_object_mean(w, d));
}

/* A slanted object: value(x) = slope · x + intercept, 1/256 px. */
typedef struct {
  double slope, intercept, residual;
} StxObjectFit;

/*
 * Weighted least squares under a prior on the slope, of this precision and mean 0; the intercept is
 * free. As in stx_fit_ground sums are centred first and stay multiplied by w, and one division
 * serves all. All 0 without any weight.
 */
STX_INLINE StxObjectFit stx_fit_object(
    double lambda, double w, double x, double xx, double d, double xd, double dd)
{
  double cxxw = w * xx - x * x, cxdw = w * xd - x * d, cddw = w * dd - d * d;
  double aw = cxxw + lambda * w, some = w > 0.0 ? 1.0 : 0.0;
  double inverse = some / (w > 0.0 ? aw * w : 1.0), per_w = inverse * aw;
  double slope = cxdw * (inverse * w);
  StxObjectFit fit = {slope, (d - slope * x) * per_w, stx_max((cddw - cxdw * slope) * per_w, 0.0)};
  return fit;
}

/* The line of a slanted object at x. */
STX_INLINE double stx_slanted_line(StxObjectFit fit, double x)
{
  return fit.slope * x + fit.intercept;
}

/* Its disparity there, as it is stored and compared: 1 … rest, the largest disparity from its first
 * cell up; 0: no known cell (w = 0). */
STX_INLINE double stx_slanted_value(StxObjectFit fit, double x, double w, double rest)
{
  double value = stx_round(stx_slanted_line(fit, x));
  double known = w > 0.0 ? 1.0 : 0.0; /* a factor: with a selection GCC 12 vectorises no loop */
  return known * stx_min(stx_max(value, 1.0), rest);
}

/* stx_line_residual for objects: their prior's mean is upright. */
STX_INLINE double stx_slanted_free_residual(
    double w, double x, double xx, double d, double xd, double dd)
{
  StxGroundPrior upright = {0.0, 0.0, 0.0, 0.0};
  return stx_line_residual(upright, w, x, xx, d, xd, dd);
}

STX_INLINE double stx_ground_line(double slope, double intercept, double horizon_x, double x)
{
  return slope * (x - horizon_x) + intercept;
}

/* A ground's disparity at x, as it is stored and compared: kept to what differences of 32 bits have
 * room for. 4096 px are 16 times the largest disparity: what is farther away meets nothing either.
 */
STX_INLINE double stx_ground_value(double slope, double intercept, double horizon_x, double x)
{
  double value = stx_ground_line(slope, intercept, horizon_x, x);
  return stx_round(stx_min(stx_max(value, -STX_VALUE_MOST), STX_VALUE_MOST));
}

/* Energy of a residual: an integer. */
STX_INLINE double stx_data_energy(double residual, double residual_energy)
{
  return stx_round(residual * residual_energy);
}

/* ---- Pair costs: what the stixel above pays, given both values at the cut ----------------- */

typedef struct {
  double cost, slope, tolerance;
} StxPairCost;

STX_INLINE StxPairCost stx_pair_cost(const StxSatdpTables *tables)
{
  StxPairCost pair = {tables->pair_cost, tables->pair_slope, tables->pair_tolerance};
  return pair;
}

/* α + β·difference for a difference >= 0 and below 2^21: StxSatdpTables.pair_slope says why the
 * product is exact, and no tie. */
STX_INLINE double stx_pair_gap(StxPairCost pair, double difference)
{
  return pair.cost + stx_round(pair.slope * difference);
}

STX_INLINE double stx_pair_ground_ground(StxPairCost pair, double below, double above)
{
  return fabs(above - below) <= pair.tolerance ? 0.0 : pair.cost;
}

STX_INLINE double stx_pair_ground_object(StxPairCost pair, double below, double above)
{
  double gap = fabs(above - below);
  return above == 0.0 || gap <= pair.tolerance ? 0.0 : stx_pair_gap(pair, gap);
}

STX_INLINE double stx_pair_ground_sky(StxPairCost pair, double below)
{
  return below <= pair.tolerance ? pair.cost : STX_FORBIDDEN;
}

STX_INLINE double stx_pair_object_ground(StxPairCost pair, double below, double above)
{
  return below != 0.0 && above - below > pair.tolerance ? STX_FORBIDDEN : 0.0;
}

STX_INLINE double stx_pair_object_object(StxPairCost pair, double below, double above)
{
  double gap = above - below;
  return below == 0.0 || gap <= 0.0 ? 0.0 : stx_pair_gap(pair, gap);
}

/* ---- The recurrence over P ---------------------------------------------------------------- */

/* The best stixel below a cut and its energy, Pair + T_P, without C. */
typedef struct {
  double energy, below; /* below: an StxBelow, in a double so that it shares a vector */
} StxChoice;

/* What the cut offers: T_G T_O T_S of the row below it, and the values of ground and object. */
typedef struct {
  double ground, object, sky, ground_value, object_value;
} StxCut;

STX_INLINE StxChoice stx_choose(double ground, double object, double sky)
{
  double least = stx_min(stx_min(ground, object), sky);
  StxBelow below = ground == least   ? STX_BELOW_GROUND
                   : object == least ? STX_BELOW_OBJECT
                                     : STX_BELOW_SKY;
  StxChoice choice = {least, (double)below};
  return choice;
}

STX_INLINE StxChoice stx_below_ground(StxPairCost pair, StxCut cut, double value)
{
  return stx_choose(cut.ground + stx_pair_ground_ground(pair, cut.ground_value, value),
      cut.object + stx_pair_object_ground(pair, cut.object_value, value), cut.sky + STX_FORBIDDEN);
}

STX_INLINE StxChoice stx_below_object(StxPairCost pair, StxCut cut, double value)
{
  return stx_choose(cut.ground + stx_pair_ground_object(pair, cut.ground_value, value),
      cut.object + stx_pair_object_object(pair, cut.object_value, value), cut.sky);
}

STX_INLINE StxChoice stx_below_sky(StxPairCost pair, StxCut cut)
{
  return stx_choose(cut.ground + stx_pair_ground_sky(pair, cut.ground_value), cut.object,
      cut.sky + STX_FORBIDDEN);
}

/* ---- Bounds for pruning: docs/algorithms/satdp.md §3 ---------------------------------------- */

/* The least that a stixel above a cut can pay for what lies below, C apart, whatever its plane. */
STX_INLINE double stx_least_below_ground(StxCut cut)
{
  return stx_min(cut.ground, cut.object);
}

STX_INLINE double stx_least_below_object(StxCut cut)
{
  return stx_min(stx_min(cut.ground, cut.object), cut.sky);
}

/* Does not depend on a plane: also the most. */
STX_INLINE double stx_least_below_sky(StxPairCost pair, StxCut cut)
{
  return stx_min(cut.ground + stx_pair_ground_sky(pair, cut.ground_value), cut.object);
}

/* The most that it can pay. `rest` is the largest disparity above the cut. */
STX_INLINE double stx_most_below_ground(StxPairCost pair, StxCut cut)
{
  return stx_min(cut.ground + pair.cost, cut.object_value == 0.0 ? cut.object : STX_FORBIDDEN);
}

STX_INLINE double stx_most_below_object(StxPairCost pair, StxCut cut, double rest)
{
  double gap = stx_max(fabs(cut.ground_value), fabs(rest - cut.ground_value));
  double ordering = stx_pair_object_object(pair, cut.object_value, rest);
  return stx_min(stx_min(cut.ground + stx_pair_gap(pair, gap), cut.object + ordering), cut.sky);
}

/* ---- Links and records ------------------------------------------------------------------- */

/* Where the best stixel of a kind that ends at a row begins, and what lies below it. Smaller is
 * preferred among equals: smallest vb, then ground, object, sky. */
STX_INLINE double stx_link(double vb, double below)
{
  return 4.0 * vb + below;
}

/* Kind and first cell of a column's topmost stixel that is not yet written, and its last cell. */
typedef struct {
  int vb, vt;
  StxKind kind;
  double energy; /* its share of the column's energy */
} StxSegment;

/* Integer sums over the cells of one segment. */
typedef struct {
  int64_t w, x, xx, d, xd, dd; /* folded with the weight of the segment's kind */
  int64_t weight;              /* Σ of the known cells' weights as they came */
} StxSegmentSums;

/* The record of a segment. `label` is the class with the smallest energy. */
STX_INLINE StxStixel stx_make_stixel(const StxGrid *grid, const StxSatdpTables *tables, int column,
    const StxSegment *segment, const StxSegmentSums *s, int label)
{
  int cells = segment->vt - segment->vb + 1;
  float pixel = (float)(1 << grid->coarse);
  double confidence = sqrt((double)s->weight / ((double)cells * STX_WEIGHT_ONE));
  StxStixel stixel = {(uint16_t)column,
      (uint16_t)stx_grid_top(grid, tables->rows - 1 - segment->vt),
      (uint16_t)(stx_grid_top(grid, tables->rows - segment->vb) - 1), (uint8_t)segment->kind,
      (uint8_t)label, 0.0f, 0.0f, (float)(segment->energy / STX_ENERGY_ONE),
      (float)(confidence < 1 ? confidence : 1)};
  if (segment->kind == STX_KIND_OBJECT && s->w > 0) {
    stixel.disparity_top = (float)((double)s->d / (double)s->w / STX_DISPARITY_ONE) * pixel;
    stixel.disparity_bottom = stixel.disparity_top;
  }
  if (segment->kind == STX_KIND_GROUND) {
    StxGroundFit fit = stx_fit_ground(stx_ground_prior(tables), (double)s->w, (double)s->x,
        (double)s->xx, (double)s->d, (double)s->xd, (double)s->dd);
    double top = fit.slope * (2.0 * stixel.top - tables->horizon_x) + fit.intercept;
    double bottom = fit.slope * (2.0 * stixel.bottom - tables->horizon_x) + fit.intercept;
    stixel.disparity_top = (float)(stx_max(top, 0.0) / STX_DISPARITY_ONE) * pixel;
    stixel.disparity_bottom = (float)(stx_max(bottom, 0.0) / STX_DISPARITY_ONE) * pixel;
  }
  return stixel;
}

/* The end of a slanted object's record at an image row, pixels. */
STX_INLINE float stx_slanted_end(StxObjectFit fit, float pixel, int row)
{
  double value = fit.slope * (2.0 * row) + fit.intercept;
  return (float)(stx_min(stx_max(value, 1.0), 65535.0) / STX_DISPARITY_ONE) * pixel;
}

/* Gives the record of an object the ends of its line. */
STX_INLINE void stx_slant_stixel(
    const StxGrid *grid, const StxSatdpTables *tables, const StxSegmentSums *s, StxStixel *stixel)
{
  if (stixel->kind != STX_KIND_OBJECT || s->w == 0)
    return;
  StxObjectFit fit = stx_fit_object(tables->lambda_object, (double)s->w, (double)s->x,
      (double)s->xx, (double)s->d, (double)s->xd, (double)s->dd);
  float pixel = (float)(1 << grid->coarse);
  stixel->disparity_top = stx_slanted_end(fit, pixel, stixel->top);
  stixel->disparity_bottom = stx_slanted_end(fit, pixel, stixel->bottom);
}

#endif
