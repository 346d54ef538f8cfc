/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Planes and residuals from integer sums, in float: only + − · / , which IEEE 754 rounds alike
 * everywhere as long as nothing is contracted. Compiled for a number (satdp_cost_math.h: the
 * reference, CUDA) and for a number per lane (satdp_simd.inc.h). An including file defines
 *
 *   STX_FIT_INLINE     what stands before a function
 *   STX_FIT            what is calculated with
 *   STX_FIT_NAME(f)    name of a function here, and of those that must be there: float (all lanes
 *                      the same), min_float, max_float
 *   STX_FIT_TYPE(t)    name of a type
 */
#define REAL STX_FIT
#define F(name) STX_FIT_NAME(name)
#define T(name) STX_FIT_TYPE(name)

/* Nearest integer, ties to even, |value| < 2^22: addition rounds away what is below one. */
STX_FIT_INLINE REAL F(round_float)(REAL value)
{
  const float one_and_a_half = 12582912.0f; /* · 2^23 */
  return (value + one_and_a_half) - one_and_a_half;
}

STX_FIT_INLINE REAL F(clamp_float)(REAL value, REAL most)
{
  return F(min_float)(F(max_float)(value, -most), most);
}

/* ---- Moments ------------------------------------------------------------------------------- */

/* 1 / w of a sum of weights; 1 without any weight. */
STX_FIT_INLINE REAL F(inverse)(REAL w)
{
  return 1.0f / F(max_float)(w, F(float)(1.0f));
}

/* The integer next to a mean. Sums about it are small, and no exact sum of squares about it is much
 * larger than that about the mean. */
STX_FIT_INLINE REAL F(centre)(REAL sum, REAL inverse)
{
  return F(round_float)(sum * inverse);
}

/* Exact sums, rounded once each: x is less x0, d less d0. */
typedef struct {
  REAL w, inverse, x0, d0;
  REAL x, d, xx, xd, dd;
} T(Moments);

/* Offsets of the means from x0 and d0, and moments about the mean of x. */
typedef struct {
  REAL x, d, xx, xd;
} T(Spread);

STX_FIT_INLINE T(Spread) F(spread)(T(Moments) m)
{
  REAL x = m.x * m.inverse, d = m.d * m.inverse;
  T(Spread) spread = {x, d, m.xx - m.x * x, m.xd - m.x * d};
  return spread;
}

/* Σw(d − mean)² */
STX_FIT_INLINE REAL F(squares)(T(Moments) m)
{
  return F(max_float)(m.dd - m.d * (m.d * m.inverse), F(float)(0.0f));
}

/* ---- Ground -------------------------------------------------------------------------------- */

/* The ground prior, a copy of what StxSatdpTables says. */
typedef struct {
  REAL slope, horizon_x, lambda_intercept, lambda_slope;
} T(GroundPrior);

/* value(x) = slope · (x − horizon_x) + intercept, 1/256 px. `residual` is the least weighted sum
 * of squares, prior included. */
typedef struct {
  REAL slope, intercept, residual;
} T(GroundFit);

/* Weighted least squares under the prior; d are deviations from the expected ground, d0 is 0.
 * Without any weight it is the expected ground, at no cost. */
STX_FIT_INLINE T(GroundFit) F(fit_ground)(T(GroundPrior) prior, T(Moments) m)
{
  T(Spread) s = F(spread)(m);
  REAL with_prior = 1.0f / (m.w + prior.lambda_intercept);
  REAL mean_x = (m.x0 - prior.horizon_x) + s.x;
  REAL pull = prior.lambda_intercept * (m.w * with_prior) * mean_x;
  REAL a = (s.xx + pull * mean_x) + prior.lambda_slope, p = s.xd + pull * s.d;
  REAL beta = p / a, residual = (m.dd - m.d * (m.d * with_prior)) - p * beta;
  T(GroundFit)
  fit = {prior.slope + beta, (m.d - beta * (m.w * mean_x)) * with_prior,
      F(max_float)(residual, F(float)(0.0f))};
  return fit;
}

/* The residual of the best line through the same cells, without a prior. Cells in two rows at least
 * have xx >= 1/2; in one row xx and xd are 0. */
STX_FIT_INLINE REAL F(line_residual)(T(Moments) m)
{
  T(Spread) s = F(spread)(m);
  REAL slope = s.xd / F(max_float)(s.xx, F(float)(0.25f));
  return F(max_float)((m.dd - m.d * s.d) - s.xd * slope, F(float)(0.0f));
}

STX_FIT_INLINE REAL F(ground_line)(T(GroundFit) fit, REAL horizon_x, REAL x)
{
  return fit.slope * (x - horizon_x) + fit.intercept;
}

/* A ground's disparity at x, as it is stored and compared: kept to what differences of 32 bits have
 * room for. 4096 px are 16 times the largest disparity: what is farther away meets nothing either.
 */
STX_FIT_INLINE REAL F(ground_value)(T(GroundFit) fit, REAL horizon_x, REAL x)
{
  REAL value = F(ground_line)(fit, horizon_x, x);
  return F(round_float)(F(clamp_float)(value, F(float)(STX_VALUE_MOST)));
}

/* The prior's share of a ground's residual, which fulldp counts apart. */
STX_FIT_INLINE REAL F(plane_residual)(T(GroundPrior) prior, T(GroundFit) fit)
{
  REAL a = fit.intercept, b = fit.slope - prior.slope;
  return prior.lambda_intercept * (a * a) + prior.lambda_slope * (b * b);
}

/* Returns where the line of a fit starts, at the cell at `x`. fulldp calls it, too. */
STX_FIT_INLINE REAL F(line_start)(T(GroundFit) fit, REAL horizon_x, REAL x)
{
  return F(clamp_float)(F(ground_line)(fit, horizon_x, x), F(float)(STX_LINE_START));
}

/* ---- Slanted objects ----------------------------------------------------------------------- */

/* value(x) = slope · (x − centre) + mean, 1/256 px */
typedef struct {
  REAL slope, centre, mean, residual;
} T(ObjectFit);

/* Weighted least squares under a prior on the slope, of this precision, above 0, and mean 0; the
 * mean is free. All 0 without any weight. */
STX_FIT_INLINE T(ObjectFit) F(fit_object)(REAL lambda, T(Moments) m)
{
  T(Spread) s = F(spread)(m);
  REAL slope = s.xd / (s.xx + lambda), residual = (m.dd - m.d * s.d) - s.xd * slope;
  T(ObjectFit)
  fit = {slope, m.x0 + s.x, m.d0 + s.d, F(max_float)(residual, F(float)(0.0f))};
  return fit;
}

STX_FIT_INLINE REAL F(slanted_line)(T(ObjectFit) fit, REAL x)
{
  return fit.slope * (x - fit.centre) + fit.mean;
}

/* Its disparity at x, as it is stored and compared: 1 … rest, the largest disparity from its first
 * cell up; 0: no known cell (w = 0). */
STX_FIT_INLINE REAL F(slanted_value)(T(ObjectFit) fit, REAL x, REAL w, REAL rest)
{
  REAL most = F(min_float)(rest, w * 65536.0f);
  REAL value = F(max_float)(F(slanted_line)(fit, x), F(float)(1.0f));
  return F(round_float)(F(min_float)(value, most));
}

#undef REAL
#undef F
#undef T
#undef STX_FIT
#undef STX_FIT_INLINE
#undef STX_FIT_NAME
#undef STX_FIT_TYPE
