/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The range of values that a frame holds, and how it is followed from frame to frame. */
#include "common/tint/tint_math.h"

#include <math.h>

#define ASIDE 100   /* one of so many values may lie outside of either end */
#define FOLLOW 8.   /* a part of the way that a new range goes in a frame */
#define STEPS 50    /* of a range, to which its ends are rounded */
#define NARROW 1e-3 /* the narrowest range, in the unit of the mode */

/* The known number of a bin that is nearest to its lower, or upper, end; -1: there is none. */
static int known_of(const StxTintParams *params, const StxTintTable *table, int bin, bool upper)
{
  int size = params->numbers >= STX_TINT_OF_BYTE ? 1 : 1 << STX_TINT_BIN_SHIFT;
  for (int i = 0; i < size; i++) {
    int number = bin * size + (upper ? size - 1 - i : i);
    if (stx_tint_is_value(table->level[number]))
      return number;
  }
  return -1;
}

/* The bin in which the value number `rank` lies, from 0, counted from the first bin or the last. */
static int bin_of(const StxTintHistogram *histogram, uint64_t rank, bool from_last)
{
  for (int i = 0; i < STX_TINT_BINS; i++) {
    int bin = from_last ? STX_TINT_BINS - 1 - i : i;
    if (histogram->count[bin] > rank)
      return bin;
    rank -= histogram->count[bin];
  }
  return 0;
}

bool stx_tint_measure(const StxTintParams *params, const StxTintTable *table,
    const StxTintHistogram *histogram, StxTintSpan *span)
{
  uint64_t total = 0;
  for (int bin = 0; bin < STX_TINT_BINS; bin++)
    total += histogram->count[bin];
  if (total == 0)
    return false;
  int first = known_of(params, table, bin_of(histogram, total / ASIDE, false), false);
  int last = known_of(params, table, bin_of(histogram, total / ASIDE, true), true);
  if (first < 0 || last < 0)
    return false;
  double a = stx_tint_value(params, (unsigned)first), b = stx_tint_value(params, (unsigned)last);
  *span = (StxTintSpan){fmin(a, b), fmax(a, b)};
  return true;
}

StxTintSpan stx_tint_follow(const StxTintSpan *before, StxTintSpan now)
{
  if (before == NULL)
    return now;
  double width = before->high - before->low, new_width = now.high - now.low;
  double common = fmin(before->high, now.high) - fmax(before->low, now.low);
  if (common < .75 * new_width || common < .25 * width)
    return now;
  return (StxTintSpan){before->low + (now.low - before->low) / FOLLOW,
      before->high + (now.high - before->high) / FOLLOW};
}

StxTintSpan stx_tint_round(StxTintSpan span)
{
  double width = fmax(span.high - span.low, NARROW);
  double step = pow(2, ceil(log2(width / STEPS)));
  double low = floor(span.low / step) * step, high = ceil(span.high / step) * step;
  return (StxTintSpan){fmax(low, 0), high > low ? high : low + step};
}
