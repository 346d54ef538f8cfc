/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ground on the GPU: the lines of a sector, by one warp. The reference lets prototypes join a line
 * one by one. Here lanes ask for each of the next 15 whether the line up to it would hold:
 * sums are integers, so those of any line are a difference of two sums from the sector's beginning.
 * The first for which it does not ends the line.
 */
#ifndef STX_GROUND_SECTOR_CUH
#define STX_GROUND_SECTOR_CUH

#include "cuda/ground/ground_point.cuh"

enum { RESIDUALS_AT_ONCE = 8 }; /* of a line, between votes */

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

/* Collects the sector's prototypes, and takes all lines away from its bins. The keys of four times
 * 32 bins are under way at once; the code for 32 bins stands there once. */
STX_DEVICE void collect_sector(Sector *s)
{
  enum { AT_ONCE = 4 };
  StxGroundPrefix before = {0, 0, 0, 0};
  int bins = s->args->params.bins;
  const unsigned long long *key = s->args->key + (size_t)blockIdx.x * bins;
  unsigned long long ahead[AT_ONCE];
  if (threadIdx.x == 0)
    s->prefix[0] = before;
  for (int first = 0; first < bins; first += LANES) {
    int bin = first + threadIdx.x;
    if (first % (AT_ONCE * LANES) == 0)
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++)
        ahead[k] = bin + k * LANES < bins ? key[bin + k * LANES] : STX_GROUND_NO_KEY;
    append_bins(s, bin, ahead[0], &before);
    if (bin < bins)
      s->own[bin] = stx_ground_no_level();
#pragma unroll
    for (int k = 0; k + 1 < AT_ONCE; k++)
      ahead[k] = ahead[k + 1];
  }
  s->rules = stx_ground_rules(&s->args->params, s->args->pose->height);
  __syncwarp();
}

/* ---- Lines -------------------------------------------------------------------------------- */

/* Two lanes ask for each of the next 15 prototypes, and share its residuals. Few lines have more.
 */
enum { SHARES = 2, GROUPS = LANES / SHARES };

/* A line under way: prototypes first … end are in it. */
typedef struct {
  int first, end;
  StxGroundFit fit; /* not made for a line of one */
} Growth;

/* Of prototypes first … last. */
STX_DEVICE StxGroundSums sums_between(const Sector *s, int first, int last)
{
  const StxGroundPrefix *from = &s->prefix[first], *to = &s->prefix[last + 1];
  StxGroundSums sums = {to->range - from->range, to->z - from->z,
      to->range_range - from->range_range, to->range_z - from->range_z, last + 1 - first};
  return sums;
}

/* Never true of a fit that is not steep: the margin is much larger than what is rounded here. It
 * spares most lines that fail at once all arithmetic on doubles, which many GPUs do slowly. */
STX_DEVICE bool is_surely_steep(const StxGroundSums *sums, const StxGroundRules *rules)
{
  float most = (float)rules->max_slope * 1.0001f;
  return fabsf((float)stx_ground_rise(sums)) > most * (float)stx_ground_spread(sums);
}

/* The first group of lanes that failed. */
STX_DEVICE int first_failed(uint32_t failed)
{
  return failed == 0 ? GROUPS : (__ffs(failed) - 1) / SHARES;
}

/* Adds the lanes whose line first … last is off from one of its prototypes; right up to the first
 * group that failed, which is all that counts. */
STX_DEVICE uint32_t find_misfits(
    const Sector *s, const Growth *line, int last, const StxGroundFit *fit, uint32_t failed)
{
  int share = threadIdx.x % SHARES, begin = line->end;
  bool off = false, counts = last > begin && last < s->track.count;
  for (int i = line->first; i < begin + first_failed(failed);) {
#pragma unroll
    for (int k = 0; k < RESIDUALS_AT_ONCE / SHARES; k++, i += SHARES)
      if (counts && i + share <= last)
        off |= stx_ground_squared_residual(&s->track, i + share, fit) > s->rules.max_error;
    failed |= __ballot_sync(STX_FULL_WARP, off);
  }
  return failed;
}

/* Lets the next prototypes join, as many as there are groups beside the first, whose line is the
 * one that there is. Returns whether they all did. */
STX_DEVICE bool grow(const Sector *s, Growth *line)
{
  int group = threadIdx.x / SHARES, last = line->end + group;
  bool inside = last < s->track.count;
  StxGroundSums sums = sums_between(s, line->first, inside ? last : line->first);
  bool fails = group > 0 && (!inside || is_surely_steep(&sums, &s->rules));
  uint32_t failed = __ballot_sync(STX_FULL_WARP, fails);
  if (line->end == line->first && first_failed(failed) == 1)
    return false;
  StxGroundFit fit = stx_ground_fit(&sums), before;
  before.intercept = __shfl_up_sync(STX_FULL_WARP, fit.intercept, SHARES);
  before.slope = __shfl_up_sync(STX_FULL_WARP, fit.slope, SHARES);
  fails |= group > 0 && inside &&
           (stx_ground_is_step(&s->track, last, &before, &s->rules) ||
               stx_ground_is_steep(&fit, &s->rules));
  failed = __ballot_sync(STX_FULL_WARP, fails);
  failed = find_misfits(s, line, last, &fit, failed);
  int joined = first_failed(failed) - 1;
  line->end += joined;
  line->fit.intercept = __shfl_sync(STX_FULL_WARP, fit.intercept, joined * SHARES);
  line->fit.slope = __shfl_sync(STX_FULL_WARP, fit.slope, joined * SHARES);
  return failed == 0;
}

/* The prototypes from `first` on that make a line; at least the first one. */
STX_DEVICE StxGroundSpan find_line(const Sector *s, int first)
{
  Growth line = {first, first, {0, 0}};
  while (grow(s, &line)) {
  }
  StxGroundSpan span = {line.first, line.end, line.fit};
  return span;
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
