/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The arithmetic of the stixel energy on what is no integer sum: planes, residuals, pair costs and
 * bounds. Compiled for a number (satdp_cost_math.h: the reference, CUDA) and for a number per lane
 * (satdp_simd.inc.h), which is why functions stand for comparisons. An including
 * file defines
 *
 *   STX_REAL_INLINE      what stands before a function
 *   STX_REAL, STX_MASK   what is calculated with, and what a comparison gives, for & and |
 *   STX_REAL_NAME(f)     name of a function here, and of those that must be there: real, absolute,
 *                        min, max, less, differ, select(mask, a, b), keep(mask, a): a or 0
 *   STX_REAL_TYPE(t)     name of a type
 */
#define REAL STX_REAL
#define MASK STX_MASK
#define F(name) STX_REAL_NAME(name)
#define T(name) STX_REAL_TYPE(name)

/* Nearest integer, ties to even, |value| < 2^51: addition rounds away what is below one. */
STX_REAL_INLINE REAL F(round)(REAL value)
{
  const double one_and_a_half = 6755399441055744.0; /* · 2^52 */
  return (value + one_and_a_half) - one_and_a_half;
}

STX_REAL_INLINE REAL F(clamp)(REAL value, REAL most)
{
  return F(min)(F(max)(value, -most), most);
}

/* ---- Data terms -------------------------------------------------------------------------- */

/* The ground prior, a copy of what StxSatdpTables says. */
typedef struct {
  REAL slope, horizon_x, lambda_intercept, lambda_slope;
} T(GroundPrior);

/* value(x) = slope · (x − horizon_x) + intercept, 1/256 px. `residual` is the least weighted sum
 * of squares, prior included. */
typedef struct {
  REAL slope, intercept, residual;
} T(GroundFit);

/*
 * Weighted least squares of d = slope·(x − horizon_x) + intercept under the prior. What is fitted
 * is the deviation r from the expected ground. The sums are centred on the weighted means before
 * anything else, and all stay multiplied by w (the names end in w, or ww where by w·wp) until one
 * division serves every quotient. Without any weight all vanishes but the prior: the expected
 * ground at no cost. A weight is an integer, so that w·wp is 0 or at least 1.
 */
STX_REAL_INLINE T(GroundFit)
    F(fit_ground)(T(GroundPrior) prior, REAL w, REAL x, REAL xx, REAL d, REAL xd, REAL dd)
{
  REAL wp = w + prior.lambda_intercept, ww = F(max)(w * wp, F(real)(1.0));
  REAL cxxw = w * xx - x * x, cxdw = w * xd - x * d, cddw = w * dd - d * d;
  REAL xw = x - w * prior.horizon_x, rw = d - prior.slope * xw;
  REAL cxrw = cxdw - prior.slope * cxxw, crrw = cddw - prior.slope * (cxdw + cxrw);
  REAL qx = prior.lambda_intercept * xw, qr = prior.lambda_intercept * rw;
  REAL aww = wp * cxxw + qx * xw + prior.lambda_slope * ww;
  REAL pww = wp * cxrw + qx * rw;
  REAL inverse = 1.0 / (aww * ww), per_ww = inverse * aww;
  REAL beta = pww * (inverse * ww);
  REAL residual = (wp * crrw + qr * rw - pww * beta) * per_ww;
  T(GroundFit)
  fit = {prior.slope + beta, (rw - beta * xw) * (w * per_ww), F(max)(residual, F(real)(0.0))};
  return fit;
}

/* A lower bound of the residual of any line through the same cells, without the prior. Cells in
 * two rows at least have w·Σw(x − mean)² >= w; less is one row, or rounding. */
STX_REAL_INLINE REAL F(line_residual)(
    T(GroundPrior) prior, REAL w, REAL x, REAL xx, REAL d, REAL xd, REAL dd)
{
  REAL cxxw = w * xx - x * x, cxdw = w * xd - x * d, cddw = w * dd - d * d;
  REAL cxrw = cxdw - prior.slope * cxxw, crrw = cddw - prior.slope * (cxdw + cxrw);
  MASK full = F(less)(0.5 * w, cxxw);
  REAL inverse = F(keep)(full, F(real)(1.0)) / F(select)(full, w * cxxw, F(real)(1.0));
  return F(max)((crrw * cxxw - cxrw * cxrw) * inverse, F(real)(0.0));
}

/* Σw(d − mean)² of an object; its mean is stx_object_mean. A weight is 0 or at least 1. */
STX_REAL_INLINE REAL F(object_residual)(REAL w, REAL d, REAL dd)
{
  return F(max)(dd - d * (d / F(max)(w, F(real)(1.0))), F(real)(0.0));
}

/* The object's disparity, 1/256 px; 0: no known cell. */
STX_REAL_INLINE REAL F(object_mean)(REAL w, REAL d)
{
  return d / F(max)(w, F(real)(1.0));
}

/* As it is stored and compared. */
STX_REAL_INLINE REAL F(object_value)(REAL w, REAL d)
{
  return F(round)(F(object_mean)(w, d));
}

/* A slanted object: value(x) = slope · x + intercept, 1/256 px. */
typedef struct {
  REAL slope, intercept, residual;
} T(ObjectFit);

/*
 * Weighted least squares under a prior on the slope, of this precision and mean 0; the intercept is
 * free. As in stx_fit_ground sums are centred first and stay multiplied by w, and one division
 * serves all. All 0 without any weight, because all sums are.
 */
STX_REAL_INLINE T(ObjectFit)
    F(fit_object)(REAL lambda, REAL w, REAL x, REAL xx, REAL d, REAL xd, REAL dd)
{
  REAL cxxw = w * xx - x * x, cxdw = w * xd - x * d, cddw = w * dd - d * d;
  REAL aw = cxxw + lambda * w;
  REAL inverse = 1.0 / F(select)(F(less)(F(real)(0.0), w), aw * w, F(real)(1.0)),
       per_w = inverse * aw;
  REAL slope = cxdw * (inverse * w);
  T(ObjectFit)
  fit = {slope, (d - slope * x) * per_w, F(max)((cddw - cxdw * slope) * per_w, F(real)(0.0))};
  return fit;
}

/* The line of a slanted object at x. */
STX_REAL_INLINE REAL F(slanted_line)(T(ObjectFit) fit, REAL x)
{
  return fit.slope * x + fit.intercept;
}

/* Its disparity there, as it is stored and compared: 1 … rest, the largest disparity from its first
 * cell up; 0: no known cell (w = 0). */
STX_REAL_INLINE REAL F(slanted_value)(T(ObjectFit) fit, REAL x, REAL w, REAL rest)
{
  REAL value = F(round)(F(slanted_line)(fit, x)), most = F(keep)(F(less)(F(real)(0.0), w), rest);
  return F(min)(F(max)(value, F(real)(1.0)), most);
}

/* stx_line_residual for objects: their prior's mean is upright. */
STX_REAL_INLINE REAL F(slanted_free_residual)(REAL w, REAL x, REAL xx, REAL d, REAL xd, REAL dd)
{
  REAL zero = F(real)(0.0);
  T(GroundPrior) upright = {zero, zero, zero, zero};
  return F(line_residual)(upright, w, x, xx, d, xd, dd);
}

STX_REAL_INLINE REAL F(ground_line)(REAL slope, REAL intercept, REAL horizon_x, REAL x)
{
  return slope * (x - horizon_x) + intercept;
}

/* A ground's disparity at x, as it is stored and compared: kept to what differences of 32 bits have
 * room for. 4096 px are 16 times the largest disparity: what is farther away meets nothing either.
 */
STX_REAL_INLINE REAL F(ground_value)(REAL slope, REAL intercept, REAL horizon_x, REAL x)
{
  REAL value = F(ground_line)(slope, intercept, horizon_x, x);
  return F(round)(F(clamp)(value, F(real)(STX_VALUE_MOST)));
}

/* Energy of a residual: an integer. */
STX_REAL_INLINE REAL F(data_energy)(REAL residual, REAL residual_energy)
{
  return F(round)(residual * residual_energy);
}

/* The prior's cost of a ground's plane, which fulldp counts apart. */
STX_REAL_INLINE REAL F(plane_energy)(T(GroundPrior) prior, T(GroundFit) fit, REAL residual_energy)
{
  REAL a = fit.intercept, b = fit.slope - prior.slope;
  return F(round)(
      (prior.lambda_intercept * (a * a) + prior.lambda_slope * (b * b)) * residual_energy);
}

/* Of fulldp, too: the line of a fit from the cell at `x` on, before it becomes float. */
STX_REAL_INLINE REAL F(line_start)(REAL slope, REAL intercept, REAL horizon_x, REAL x)
{
  return F(clamp)(F(ground_line)(slope, intercept, horizon_x, x), F(real)(STX_LINE_START));
}

/* ---- Pair costs: what the stixel above pays, given both values at the cut ----------------- */

typedef struct {
  REAL cost, slope, tolerance;
} T(PairCost);

/* α + β·difference for a difference >= 0 and below 2^21: StxSatdpTables.pair_slope says why the
 * product is exact, and no tie. */
STX_REAL_INLINE REAL F(pair_gap)(T(PairCost) pair, REAL difference)
{
  return pair.cost + F(round)(pair.slope * difference);
}

STX_REAL_INLINE REAL F(pair_ground_ground)(T(PairCost) pair, REAL below, REAL above)
{
  MASK apart = F(less)(pair.tolerance, F(absolute)(above - below));
  return F(keep)(apart, pair.cost);
}

STX_REAL_INLINE REAL F(pair_ground_object)(T(PairCost) pair, REAL below, REAL above)
{
  REAL gap = F(absolute)(above - below);
  MASK apart = F(differ)(above, F(real)(0.0)) & F(less)(pair.tolerance, gap);
  return F(keep)(apart, F(pair_gap)(pair, gap));
}

STX_REAL_INLINE REAL F(pair_ground_sky)(T(PairCost) pair, REAL below)
{
  return F(select)(F(less)(pair.tolerance, below), F(real)(STX_FORBIDDEN), pair.cost);
}

STX_REAL_INLINE REAL F(pair_object_ground)(T(PairCost) pair, REAL below, REAL above)
{
  MASK nearer = F(differ)(below, F(real)(0.0)) & F(less)(pair.tolerance, above - below);
  return F(keep)(nearer, F(real)(STX_FORBIDDEN));
}

STX_REAL_INLINE REAL F(pair_object_object)(T(PairCost) pair, REAL below, REAL above)
{
  REAL gap = above - below;
  MASK nearer = F(differ)(below, F(real)(0.0)) & F(less)(F(real)(0.0), gap);
  return F(keep)(nearer, F(pair_gap)(pair, gap));
}

/* ---- The recurrence over P ---------------------------------------------------------------- */

/* The best stixel below a cut and its energy, Pair + T_P, without C. */
typedef struct {
  REAL energy, below; /* below: an StxBelow, in a double so that it shares a vector */
} T(Choice);

/* At the cut: T_G T_O T_S of the row below it, and the values of ground and object. */
typedef struct {
  REAL ground, object, sky, ground_value, object_value;
} T(Cut);

/* Ties: ground, object, sky. */
STX_REAL_INLINE T(Choice) F(choose)(REAL ground, REAL object, REAL sky)
{
  REAL least = F(min)(ground, object);
  REAL below = F(keep)(F(less)(object, ground), F(real)(STX_BELOW_OBJECT));
  T(Choice)
  choice = {F(min)(least, sky), F(select)(F(less)(sky, least), F(real)(STX_BELOW_SKY), below)};
  return choice;
}

/* The choice if sky may not be below. There is always another choice: a stixel can go down to the
 * lowest cell, below which lies an object. */
STX_REAL_INLINE T(Choice) F(choose_solid)(REAL ground, REAL object)
{
  REAL below = F(keep)(F(less)(object, ground), F(real)(STX_BELOW_OBJECT));
  T(Choice) choice = {F(min)(ground, object), below};
  return choice;
}

STX_REAL_INLINE T(Choice) F(below_ground)(T(PairCost) pair, T(Cut) cut, REAL value)
{
  return F(choose_solid)(cut.ground + F(pair_ground_ground)(pair, cut.ground_value, value),
      cut.object + F(pair_object_ground)(pair, cut.object_value, value));
}

STX_REAL_INLINE T(Choice) F(below_object)(T(PairCost) pair, T(Cut) cut, REAL value)
{
  return F(choose)(cut.ground + F(pair_ground_object)(pair, cut.ground_value, value),
      cut.object + F(pair_object_object)(pair, cut.object_value, value), cut.sky);
}

STX_REAL_INLINE T(Choice) F(below_sky)(T(PairCost) pair, T(Cut) cut)
{
  return F(choose_solid)(cut.ground + F(pair_ground_sky)(pair, cut.ground_value), cut.object);
}

/* ---- Bounds for pruning: docs/algorithms/satdp.md §3 ---------------------------------------- */

/* The least that a stixel above a cut can pay for what lies below, C apart, whatever its plane. */
STX_REAL_INLINE REAL F(least_below_ground)(T(Cut) cut)
{
  return F(min)(cut.ground, cut.object);
}

STX_REAL_INLINE REAL F(least_below_object)(T(Cut) cut)
{
  return F(min)(F(min)(cut.ground, cut.object), cut.sky);
}

/* Does not depend on a plane: also the most. */
STX_REAL_INLINE REAL F(least_below_sky)(T(PairCost) pair, T(Cut) cut)
{
  return F(min)(cut.ground + F(pair_ground_sky)(pair, cut.ground_value), cut.object);
}

/* The most that it can pay. `rest` is the largest disparity above the cut. */
STX_REAL_INLINE REAL F(most_below_ground)(T(PairCost) pair, T(Cut) cut)
{
  MASK known = F(differ)(cut.object_value, F(real)(0.0));
  return F(min)(cut.ground + pair.cost, F(select)(known, F(real)(STX_FORBIDDEN), cut.object));
}

STX_REAL_INLINE REAL F(most_below_object)(T(PairCost) pair, T(Cut) cut, REAL rest)
{
  REAL gap = F(max)(F(absolute)(cut.ground_value), F(absolute)(rest - cut.ground_value));
  REAL ordering = F(pair_object_object)(pair, cut.object_value, rest);
  return F(min)(F(min)(cut.ground + F(pair_gap)(pair, gap), cut.object + ordering), cut.sky);
}

#undef REAL
#undef MASK
#undef F
#undef T
#undef STX_REAL
#undef STX_REAL_INLINE
#undef STX_MASK
#undef STX_REAL_NAME
#undef STX_REAL_TYPE
