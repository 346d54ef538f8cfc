/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU: what a stixel pays for what lies below it, in integers: the numbers that
 * stx_below_ground, stx_below_object and stx_below_sky of common/satdp/satdp_cost_math.h compute
 * in doubles. The recurrence is the part of a column that nothing else can hide, and most GPUs have
 * next to no units for doubles.
 *
 * Keys. An energy E and a link (4 · vb + below) are one number, E · 2^12 + link: the least key is
 * the least energy with the smallest link, so one comparison of 64 bits is choice and tie-break
 * together. Real energies are below 2^46 either way: a T is no more than its own kind's stixel from
 * row 0 on, 2^44 of data (satdp.h bounds the sums), 2^41 of their error, 2^33 of all else; a pair
 * adds one more data term. What cannot be costs NEVER = 2^48, or 2^49 on top of that: the largest
 * sum is below 2^50, a key below 2^62.
 *
 * Values at cuts are multiples of 1/256 px, here times 2^10: |ground| <= 2^20 (STX_VALUE_MOST) and
 * objects < 2^16 leave 31 bits, and the slope is an integer of 2^-22 energies. So the product's
 * high word is the energy, and half a unit below makes it the rounded one: it never is a tie.
 *
 * Three terms. All kinds pay by the same formulas, with constants of their own (Rule):
 *
 *   on ground  nothing if the values meet (or the foot is unknown), else a cost and a slope
 *   on object  another such cost if the foot is over the object's top, else a constant
 *   on sky     nothing, or never
 *
 * "Never" is a cost times another factor. Sky pays α on ground; as it knows no other pair cost than
 * that, its other ways are α cheaper and all α dearer (and all SKY_MORE, so that none is negative).
 */
#ifndef STX_SATDP_CHOICE_CUH
#define STX_SATDP_CHOICE_CUH

#include "cuda/satdp/satdp_args.h"

#include "common/satdp/satdp_records_math.h"

enum { GROUND, OBJECT, SKY, KINDS };

/* ---- Keys ---------------------------------------------------------------------------------- */

enum { LINK_BITS = 12, LINK_MASK = (1 << LINK_BITS) - 1 };
#define NEVER ((int64_t)1 << 60)

/* Sums of keys wrap around without being an error: of what never counts, that of rows beyond the
 * column among it, nobody knows how large it is. */
STX_DEVICE int64_t add_keys(int64_t a, int64_t b)
{
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

STX_DEVICE int64_t key_of(int64_t energy)
{
  return (int64_t)((uint64_t)energy << LINK_BITS);
}

STX_DEVICE int64_t energy_of(int64_t key)
{
  return key >> LINK_BITS;
}

/* The start row of the stixel that a key is of. */
STX_DEVICE int start_of(int64_t key)
{
  return (int)((uint32_t)key & LINK_MASK) / 4;
}

/* The key of a T as the stixels above see it: its kind in place of its link. */
STX_DEVICE int64_t offer_of(int64_t key, uint32_t kind)
{
  return (key & ~(int64_t)LINK_MASK) | kind;
}

/* ---- Values -------------------------------------------------------------------------------- */

enum { VALUE_SHIFT = 10, SLOPE_BITS = 22, VALUE_MOST = 1 << 20 }; /* STX_VALUE_MOST */
/* An object's top, if its disparity is unknown: no foot is above it. */
enum { UNKNOWN_TOP = 1 << 30 };

/* stx_round, with 1.5 · 2^52 still in it. As 64-bit integers such doubles compare like what they
 * are, negative sums and those beyond 2^53 included, and next to 1.5 · 2^52 one more is 1 more. */
STX_DEVICE int64_t round_biased(double value)
{
  return __double_as_longlong(value + 6755399441055744.0);
}

#define ROUND_BIAS 0x4338000000000000

/* stx_round of |value| < 2^51, as an integer. */
STX_DEVICE int64_t round_long(double value)
{
  return round_biased(value) - ROUND_BIAS;
}

/* A value at a cut: rounded, but not below `least` nor above `most`. */
STX_DEVICE int round_value(double value, int least, int most)
{
  int64_t biased = min(max(round_biased(value), ROUND_BIAS + least), ROUND_BIAS + most);
  return (int)((uint32_t)biased << VALUE_SHIFT);
}

STX_DEVICE int top_of(int foot)
{
  return foot == 0 ? (int)UNKNOWN_TOP : foot;
}

/* ---- Pair costs ---------------------------------------------------------------------------- */

STX_DEVICE StxSatdpConstants constants_of(const StxSatdpTables *tables)
{
  StxSatdpConstants constants;
  constants.prior = stx_ground_prior(tables);
  constants.residual_energy = tables->residual_energy;
  constants.rounding = (int64_t)tables->rounding;
  constants.pair_cost = (uint32_t)tables->pair_cost;
  constants.pair_tolerance = (uint32_t)tables->pair_tolerance << VALUE_SHIFT;
  constants.pair_slope = (uint32_t)(tables->pair_slope * (1 << SLOPE_BITS));
  constants.stixel_cost = (int)tables->stixel_cost;
  return constants;
}

#define ONCE (1u << LINK_BITS)
#define FORBID_COST (uint32_t) INT32_MAX
#define FORBID_TIMES (1u << 30)
#define SKY_MEETS 4u                                       /* times FORBID_TIMES is … */
#define SKY_MORE (SKY_MEETS * (FORBID_TIMES >> LINK_BITS)) /* … the key of so much energy, > α */

/* cost, and half a unit of what is cut off. */
STX_DEVICE uint64_t with_half(uint32_t cost)
{
  return (uint64_t)cost << 32 | 0x80000000u;
}

STX_DEVICE StxSatdpRule rule_of(const StxSatdpConstants *pair, int kind)
{
  bool ground = kind == GROUND, object = kind == OBJECT, sky = kind == SKY;
  int over = ground ? (int)pair->pair_tolerance : 0;
  StxSatdpRule rule;
  rule.ground_cost = with_half(sky ? FORBID_COST : pair->pair_cost);
  rule.object_cost = with_half(ground ? FORBID_COST : pair->pair_cost);
  rule.tolerance = pair->pair_tolerance;
  rule.window = sky ? INT32_MAX : 2 * pair->pair_tolerance;
  rule.slope = object ? pair->pair_slope : 0;
  rule.unknown = object ? 0 : INT32_MAX;
  rule.over = sky ? INT32_MAX : over;
  rule.meeting = sky ? SKY_MEETS : 0;
  rule.otherwise = sky ? SKY_MORE - pair->pair_cost : 0;
  rule.ground_times = sky ? FORBID_TIMES : ONCE;
  rule.object_times = ground ? FORBID_TIMES : ONCE;
  rule.sky = object ? 0 : FORBID_TIMES;
  rule.kind = (uint32_t)kind;
  return rule;
}

/* What all stixels of a kind pay for beginning. */
STX_DEVICE int start_cost(const StxSatdpConstants *constants, int kind)
{
  int sky = (int)constants->pair_cost - (int)SKY_MORE;
  return constants->stixel_cost + (kind == SKY ? sky : 0);
}

/* cost + slope · difference, rounded, for a difference >= 0 */
STX_DEVICE uint32_t pay(uint64_t cost, uint32_t slope, uint32_t difference)
{
  return (uint32_t)(((uint64_t)slope * difference + cost) >> 32);
}

/* What a cut offers: T of the row below it, by offer_of, and values. */
typedef struct {
  int64_t ground, object, sky;
  int ground_value, object_value;
} Cut;

STX_DEVICE int64_t on_ground(const StxSatdpRule *rule, const Cut *cut, int foot)
{
  uint32_t off = (uint32_t)foot - (uint32_t)cut->ground_value;
  uint32_t gap = (int)off < 0 ? 0 - off : off;
  bool meets = off + rule->tolerance <= rule->window || foot == rule->unknown;
  uint32_t cost = meets ? rule->meeting : pay(rule->ground_cost, rule->slope, gap);
  return (int64_t)((uint64_t)cost * rule->ground_times + (uint64_t)cut->ground);
}

STX_DEVICE int64_t on_object(const StxSatdpRule *rule, const Cut *cut, int foot)
{
  uint32_t over = (uint32_t)foot - (uint32_t)cut->object_value;
  uint32_t cost =
      (int)over > rule->over ? pay(rule->object_cost, rule->slope, over) : rule->otherwise;
  return (int64_t)((uint64_t)cost * rule->object_times + (uint64_t)cut->object);
}

STX_DEVICE int64_t on_sky(const StxSatdpRule *rule, const Cut *cut)
{
  uint32_t high = (uint32_t)((uint64_t)cut->sky >> 32) + rule->sky;
  return (int64_t)((uint64_t)high << 32 | (uint32_t)cut->sky);
}

/* The least key of a stixel's ways to stand there, by itself. */
STX_DEVICE int64_t choose_below(const StxSatdpRule *rule, const Cut *cut, int foot)
{
  return min(min(on_object(rule, cut, foot), on_sky(rule, cut)), on_ground(rule, cut, foot));
}

#endif
