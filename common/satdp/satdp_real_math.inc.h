/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The arithmetic of the recurrence on energies and values at cuts: pair costs, choices and bounds.
 * All are whole numbers in doubles; satdp_fit_math.inc.h makes them from sums. Compiled for a
 * number (satdp_cost_math.h: the reference, CUDA) and for a number per lane (satdp_simd.inc.h),
 * which is why functions stand for comparisons. An including file defines
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

/* State at a cut: T_G T_O T_S of the row below it, and the values of ground and object. */
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
