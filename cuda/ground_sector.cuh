/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ground on the GPU: the lines of a sector, by one warp. The reference lets prototypes join a line
 * one by one. Here each lane asks for one of the next 31 whether the line up to it would hold: sums
 * are integers, so those of any line are a difference of two sums from the sector's beginning. The
 * first lane for which it does not ends the line.
 */
#ifndef STX_GROUND_SECTOR_CUH
#define STX_GROUND_SECTOR_CUH

#include "cuda/ground_point.cuh"

enum { RESIDUALS_AT_ONCE = 4 };

typedef struct {
  const StxGroundArgs *args;
  StxGroundRules rules;
  StxGroundTrack track;
  StxGroundPrefix *prefix; /* of prototype i: those before it; one more than prototypes */
  int32_t *range, *z, *bin;
  StxGroundLevel *own;
} Sector;

STX_DEVICE Sector new_sector(const StxGroundArgs *a, char *shared)
{
  Sector s;
  StxGroundSector at = stx_ground_sector(a->params.bins);
  s.args = a;
  s.rules = stx_ground_rules(&a->params, a->pose->height);
  s.prefix = (StxGroundPrefix *)shared;
  s.range = (int32_t *)(shared + at.range);
  s.z = (int32_t *)(shared + at.z);
  s.bin = (int32_t *)(shared + at.bin);
  s.track.range = s.range;
  s.track.z = s.z;
  s.track.count = 0;
  s.own = a->own + (size_t)blockIdx.x * a->params.bins;
  return s;
}

/* ---- Prototypes --------------------------------------------------------------------------- */

/* Each lane's sum of its own and the lanes before. */
template <typename T> STX_DEVICE T sum_up(T value)
{
#pragma unroll
  for (int step = 1; step < LANES; step *= 2) {
    T other = __shfl_up_sync(STX_FULL_WARP, value, step);
    value += threadIdx.x >= (unsigned)step ? other : 0;
  }
  return value;
}

/* Appends the prototypes of 32 bins; a lane without one adds nothing to the sums. */
STX_DEVICE void append_bins(Sector *s, int bin, unsigned long long key, StxGroundPrefix *before)
{
  bool used = key != STX_GROUND_NO_KEY;
  uint32_t mask = __ballot_sync(STX_FULL_WARP, used);
  int32_t range = used ? (int32_t)(uint32_t)key : 0, z = used ? stx_ground_key_z(key) : 0;
  int at = s->track.count + __popc(mask & lanes_before());
  StxGroundPrefix sums = {before->range + sum_up(range), before->z + sum_up(z),
      before->range_range + sum_up((int64_t)range * range),
      before->range_z + sum_up((int64_t)range * z)};
  if (used) {
    s->range[at] = range;
    s->z[at] = z;
    s->bin[at] = bin;
    s->prefix[at + 1] = sums;
  }
  s->track.count += __popc(mask);
  before->range = __shfl_sync(STX_FULL_WARP, sums.range, LANES - 1);
  before->z = __shfl_sync(STX_FULL_WARP, sums.z, LANES - 1);
  before->range_range = __shfl_sync(STX_FULL_WARP, sums.range_range, LANES - 1);
  before->range_z = __shfl_sync(STX_FULL_WARP, sums.range_z, LANES - 1);
}

/* Collects the sector's prototypes, and takes all lines away from its bins. */
STX_DEVICE void collect_sector(Sector *s)
{
  StxGroundPrefix before = {0, 0, 0, 0};
  int bins = s->args->params.bins;
  const unsigned long long *key = s->args->key + (size_t)blockIdx.x * bins;
  if (threadIdx.x == 0)
    s->prefix[0] = before;
  for (int first = 0; first < bins; first += LANES) {
    int bin = first + threadIdx.x;
    append_bins(s, bin, bin < bins ? key[bin] : STX_GROUND_NO_KEY, &before);
    if (bin < bins)
      s->own[bin] = stx_ground_no_level();
  }
  __syncwarp();
}

/* ---- Lines -------------------------------------------------------------------------------- */

/* The line through prototypes first … last. */
STX_DEVICE StxGroundFit fit_between(const Sector *s, int first, int last)
{
  const StxGroundPrefix *from = &s->prefix[first], *to = &s->prefix[last + 1];
  StxGroundSums sums = {to->range - from->range, to->z - from->z,
      to->range_range - from->range_range, to->range_z - from->range_z, last + 1 - first};
  return stx_ground_fit(&sums);
}

/* Adds the lanes whose line first … last is off from one of its prototypes; right up to the first
 * lane that failed, which is all that counts. */
STX_DEVICE uint32_t find_misfits(
    const Sector *s, int first, int last, const StxGroundFit *fit, uint32_t failed)
{
  int lane = threadIdx.x, begin = last - lane; /* where lane 0 ends */
  int end = begin + (failed == 0 ? LANES - 1 : __ffs(failed) - 2);
  bool off = false;
  for (int i = first; i <= end;) {
#pragma unroll
    for (int k = 0; k < RESIDUALS_AT_ONCE; k++, i++)
      if (i <= last && i < s->track.count)
        off |= stx_ground_squared_residual(&s->track, i, fit) > s->rules.max_error;
    failed |= __ballot_sync(STX_FULL_WARP, off && lane > 0);
    end = failed == 0 ? end : begin + __ffs(failed) - 2;
  }
  return failed;
}

/* The prototypes from `first` on that make a line; at least the first one. */
STX_DEVICE StxGroundSpan find_line(const Sector *s, int first)
{
  int lane = threadIdx.x, begin = first; /* what lane 0 ends with, which has joined */
  for (;;) {
    int last = begin + lane, inside = last < s->track.count;
    StxGroundFit fit = fit_between(s, first, inside ? last : first), before;
    before.intercept = __shfl_up_sync(STX_FULL_WARP, fit.intercept, 1);
    before.slope = __shfl_up_sync(STX_FULL_WARP, fit.slope, 1);
    bool fails = lane > 0 && (!inside || stx_ground_is_step(&s->track, last, &before, &s->rules) ||
                                 stx_ground_is_steep(&fit, &s->rules));
    uint32_t failed = __ballot_sync(STX_FULL_WARP, fails);
    failed = find_misfits(s, first, last, &fit, failed);
    int joined = failed == 0 ? LANES - 1 : __ffs(failed) - 2;
    if (failed != 0) {
      StxGroundSpan span = {first, begin + joined, {0, 0}};
      span.fit.intercept = __shfl_sync(STX_FULL_WARP, fit.intercept, joined);
      span.fit.slope = __shfl_sync(STX_FULL_WARP, fit.slope, joined);
      return span;
    }
    begin += joined;
  }
}

/* The first prototype from `at` on that may begin a line, or the count. */
STX_DEVICE int find_start(const Sector *s, int at, double ground)
{
  for (; at < s->track.count; at += LANES) {
    int i = at + threadIdx.x;
    bool may = i < s->track.count && stx_ground_may_begin(&s->track, i, ground, &s->rules);
    uint32_t found = __ballot_sync(STX_FULL_WARP, may);
    if (found != 0)
      return at + __ffs(found) - 1;
  }
  return s->track.count;
}

/* Where two lines meet, the nearer counts: `from` is the first bin that has none yet. */
STX_DEVICE int draw_line(const Sector *s, const StxGroundSpan *span, int from)
{
  StxGroundLevel level = stx_ground_level(&span->fit, &s->args->params);
  int last = s->bin[span->last];
  for (int bin = max(s->bin[span->first], from) + threadIdx.x; bin <= last; bin += LANES)
    s->own[bin] = level;
  return last + 1;
}

/* Returns how many lines there are; see stx_ground_lines. */
STX_DEVICE uint32_t draw_lines(const Sector *s)
{
  double ground = s->rules.foot;
  uint32_t lines = 0;
  int bin = 0, at = find_start(s, 0, ground);
  while (at < s->track.count) {
    StxGroundSpan span = find_line(s, at);
    if (span.last - span.first + 1 < STX_GROUND_LINE_POINTS) {
      at = find_start(s, span.last + 1, ground);
      continue;
    }
    lines++;
    bin = draw_line(s, &span, bin);
    ground = stx_ground_at(&span.fit, (double)s->range[span.last]);
    at = span.last + 1 < s->track.count ? span.last : s->track.count;
  }
  return lines;
}

#endif
