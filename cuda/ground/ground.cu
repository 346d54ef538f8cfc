/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ground on the GPU: LiDAR scans into ground and obstacles, see common/ground/ground.h. Kernels, in
 * the order in which they run:
 *
 *   lows     a thread per point: the lowest of each cell near the sensor
 *   plane    RANSAC over them, a warp per sample; the last block fits, and places the scan
 *   bins     a thread per point: lowest and highest point of each bin
 *   lines    a warp per sector: its lines
 *   labels   a thread per point: the line that counts in its bin, and where it lies against it;
 *            obstacles occupy cells, and have theirs as label for now
 *   merge    a thread per cell: union with its neighbours
 *   rank     a thread per cell: the number of its root; the last block adds up the blocks' roots
 *   number   a thread per point: the cluster of its cell
 *
 * Minima, maxima, counts and sums of integers are all that threads bring together, so the order in
 * which they come does not matter.
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/driver/patches.cuh"
#include "cuda/driver/threads.cuh"
#include "cuda/ground/ground_args.h"

/* ground on the GPU: points, and what all kernels need. */

enum { LANES = 32 };

STX_DEVICE void load_point(const StxGroundArgs *a, uint32_t i, float point[3])
{
  const float *from = a->points + 4 * (size_t)i;
  if (a->aligned) {
    float4 all = __ldg((const float4 *)from);
    point[0] = all.x, point[1] = all.y, point[2] = all.z;
  } else {
    point[0] = __ldg(from), point[1] = __ldg(from + 1), point[2] = __ldg(from + 2);
  }
}

/* Point i, levelled; its bin is −1 beyond the last. */
STX_DEVICE StxGroundPoint place_point(const StxGroundArgs *a, uint32_t i)
{
  StxGroundPoint none = {0, 0, 0, 0, -1};
  float point[3];
  if (i >= a->count)
    return none;
  load_point(a, i, point);
  return stx_ground_place(&a->pose->frame, point);
}

/* Heights as unsigned, the highest the smallest; all bits set: below everything. */
STX_DEVICE uint32_t top_code(int32_t z)
{
  return 0x7fffffffu - (uint32_t)z;
}

STX_DEVICE int32_t code_top(uint32_t code)
{
  return (int32_t)(0x7fffffffu - code);
}

/*
 * ground on the GPU: the plane. Each block collects the lowest points of all cells, in order; each
 * of its warps tries one sample. The block that is done last has the best, fits it and places the
 * scan.
 */

enum {
  PLANE_WARPS = STX_GROUND_PLANE_THREADS / LANES,
  WARP_CELLS = (STX_GROUND_CELLS + PLANE_WARPS - 1) / PLANE_WARPS, /* that a warp collects */
  WARP_ROUNDS = (WARP_CELLS + LANES - 1) / LANES,
  PLANE_SUMS = sizeof(StxGroundPlaneSums) / sizeof(int64_t),
};

typedef struct {
  uint32_t count[PLANE_WARPS]; /* of a warp's cells that have a point */
  int64_t sums[PLANE_WARPS][PLANE_SUMS];
  StxGroundPlane plane;
  uint32_t last;
} PlaneShared;

/* ---- Samples ------------------------------------------------------------------------------ */

/* Returns the key of the warp's cell `round` · 32 + lane; no key beyond the warp's last. */
STX_DEVICE unsigned long long cell_key(const StxGroundArgs *a, int round)
{
  int warp = threadIdx.x / LANES, own = round * LANES + (int)(threadIdx.x % LANES);
  int cell = warp * WARP_CELLS + own;
  bool mine = own < WARP_CELLS && cell < STX_GROUND_CELLS;
  return mine ? a->minima->lowest[cell] : STX_GROUND_NO_KEY;
}

/* Fills lows; ends with a barrier. */
STX_DEVICE void collect_lows(const StxGroundArgs *a, StxGroundLows *lows, PlaneShared *shared)
{
  int warp = threadIdx.x / LANES;
  unsigned long long key[WARP_ROUNDS];
  uint32_t used[WARP_ROUNDS], count = 0, at = 0;
#pragma unroll
  for (int round = 0; round < WARP_ROUNDS; round++)
    key[round] = cell_key(a, round);
#pragma unroll
  for (int round = 0; round < WARP_ROUNDS; round++) {
    used[round] = __ballot_sync(STX_FULL_WARP, key[round] != STX_GROUND_NO_KEY);
    count += __popc(used[round]);
  }
  if (threadIdx.x % LANES == 0)
    shared->count[warp] = count;
  __syncthreads();
  for (int w = 0; w < warp; w++)
    at += shared->count[w];
#pragma unroll
  for (int round = 0; round < WARP_ROUNDS; round++) {
    const float *point = a->points + 4 * (size_t)(uint32_t)key[round];
    uint32_t place = at + __popc(used[round] & lanes_before());
    at += __popc(used[round]);
    if (key[round] == STX_GROUND_NO_KEY)
      continue;
    lows->x[place] = point[0];
    lows->y[place] = point[1];
    lows->z[place] = point[2];
  }
  if (threadIdx.x == blockDim.x - 1)
    lows->count = (int)at;
  __syncthreads();
}

/* The smaller the better: most support, then the first. */
STX_DEVICE uint32_t sample_key(int support, int sample)
{
  return (0xffffu - (uint32_t)support) << 16 | (uint32_t)sample;
}

STX_DEVICE int key_support(uint32_t key)
{
  return (int)(0xffffu - (key >> 16));
}

STX_DEVICE bool sample_plane(const StxGroundLows *lows, int sample, StxGroundPlane *plane)
{
  int cell[3];
  stx_ground_sample(sample, lows->count, cell);
  return stx_ground_plane_through(lows, cell, plane);
}

STX_DEVICE void try_sample(const StxGroundArgs *a, const StxGroundLows *lows)
{
  int sample = blockIdx.x * PLANE_WARPS + threadIdx.x / LANES;
  uint32_t support = 0;
  StxGroundPlane plane;
  if (lows->count < STX_GROUND_FEWEST || !sample_plane(lows, sample, &plane))
    return;
#pragma unroll 4
  for (int i = threadIdx.x % LANES; i < lows->count; i += LANES)
    support += stx_ground_is_close(lows, i, &plane, STX_GROUND_INLIER);
  support = warp_sum_of_words(support);
  if (threadIdx.x % LANES == 0 && support > 0)
    atomicMin(&a->minima->sample, sample_key((int)support, sample));
}

/* ---- The best ----------------------------------------------------------------------------- */

/* One trimmed fit; ends with a barrier. The order in which sums come together does not matter.
 * Those of a warp are below 2^35 · 2^11 = 2^46. */
STX_DEVICE void refit(const StxGroundLows *lows, float limit, PlaneShared *shared)
{
  StxGroundPlaneSums sums = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  int64_t *sum = (int64_t *)&sums;
  for (int i = threadIdx.x; i < lows->count; i += STX_GROUND_PLANE_THREADS)
    if (stx_ground_is_close(lows, i, &shared->plane, limit))
      stx_ground_plane_add(&sums, lows->x[i], lows->y[i], lows->z[i]);
#pragma unroll
  for (int k = 0; k < PLANE_SUMS; k++) {
    sum[k] = warp_sum_of_halves(sum[k]);
    if (threadIdx.x % LANES == 0)
      shared->sums[threadIdx.x / LANES][k] = sum[k];
  }
  __syncthreads();
  if (threadIdx.x < PLANE_SUMS)
    for (int w = 1; w < PLANE_WARPS; w++)
      shared->sums[0][threadIdx.x] += shared->sums[w][threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0)
    stx_ground_plane_solve((const StxGroundPlaneSums *)shared->sums[0], &shared->plane);
  __syncthreads();
}

/* Fits the best sample's plane, which is then in shared memory; false: it is none. */
STX_DEVICE bool find_plane(const StxGroundArgs *a, const StxGroundLows *lows, PlaneShared *shared)
{
  uint32_t best = stx_peek(&a->minima->sample);
  if (best == UINT32_MAX)
    return false;
  if (threadIdx.x == 0)
    sample_plane(lows, (int)(best & 0xffff), &shared->plane);
  __syncthreads();
  if (key_support(best) < STX_GROUND_FEWEST / 2)
    return false;
  for (int i = 0; i < 3; i++)
    refit(lows, i == 0 ? STX_GROUND_INLIER : STX_GROUND_CLOSER, shared);
  return true;
}

/* Writes how points are placed, and the result without its counts; one thread calls this. */
STX_DEVICE void place_scan(const StxGroundArgs *a, const StxGroundPlane *plane, bool found)
{
  StxGroundResult result = {0, 0, 0, 0, 0, found, 0, plane->slope_x, plane->slope_y};
  StxGroundPose pose;
  pose.frame = stx_ground_frame(&a->params, found ? plane : NULL, &result.height);
  pose.height = result.height;
  *a->pose = pose;
  *a->result = result;
}

/*
 * ground on the GPU: the lines of a sector, by one warp. The reference lets prototypes join a line
 * one by one. Here lanes ask for each of the next 15 whether the line up to it would hold:
 * sums are integers, so those of any line are a difference of two sums from the sector's beginning.
 * The first for which it does not ends the line.
 */

enum { RESIDUALS_AT_ONCE = 8 }; /* of a line, between votes */

typedef struct {
  const StxGroundArgs *args;
  StxGroundRules rules;
  StxGroundTrack track;
  StxGroundPrefix *prefix; /* of prototype i: those before it; one more than prototypes */
  int32_t *range, *z, *bin;
  const uint32_t *top; /* by bin */
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
  s.top = a->top + (size_t)blockIdx.x * a->params.bins;
  s.own = a->own + (size_t)blockIdx.x * a->params.bins;
  return s;
}

/* ---- Prototypes --------------------------------------------------------------------------- */

/* The lowest points of 32 bins, a lane each, that are no feet. *flat: the lowest point of the last
 * bin so far in which nothing stands. */
STX_DEVICE bool is_prototype(const Sector *s, int32_t z, int32_t top, bool used, int32_t *flat)
{
  bool stands = used && stx_ground_stands(z, top, &s->rules);
  uint32_t flats = __ballot_sync(STX_FULL_WARP, used && !stands), before = flats & lanes_before();
  int32_t nearest = __shfl_sync(STX_FULL_WARP, z, before ? 31 - __clz(before) : 0);
  int32_t last = __shfl_sync(STX_FULL_WARP, z, flats ? 31 - __clz(flats) : 0);
  nearest = before ? nearest : *flat;
  *flat = flats ? last : *flat;
  return used && !(stands && stx_ground_is_foot(z, nearest, &s->rules));
}

/* Appends the prototypes of 32 bins; a lane without one adds nothing to the sums. */
STX_DEVICE void append_bins(
    Sector *s, int bin, unsigned long long key, StxGroundPrefix *before, int32_t *flat)
{
  bool used = key != STX_GROUND_NO_KEY;
  int32_t lowest = stx_ground_key_z(key), top = used ? code_top(s->top[bin]) : 0;
  unsigned lane = threadIdx.x;
  used = is_prototype(s, lowest, top, used, flat);
  uint32_t mask = __ballot_sync(STX_FULL_WARP, used);
  int32_t range = used ? (int32_t)(uint32_t)key : 0, z = used ? lowest : 0;
  int at = s->track.count + __popc(mask & lanes_before());
  StxGroundPrefix sums = {before->range + warp_scan(range, lane), before->z + warp_scan(z, lane),
      before->range_range + warp_scan((int64_t)range * range, lane),
      before->range_z + warp_scan((int64_t)range * z, lane)};
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
  int32_t flat = STX_GROUND_NO_FLAT;
  int bins = s->args->params.bins;
  const unsigned long long *key = s->args->key + (size_t)blockIdx.x * bins;
  unsigned long long ahead[AT_ONCE];
  s->rules = stx_ground_rules(&s->args->params, s->args->pose->height);
  if (threadIdx.x == 0)
    s->prefix[0] = before;
  for (int first = 0; first < bins; first += LANES) {
    int bin = first + threadIdx.x;
    if (first % (AT_ONCE * LANES) == 0)
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++)
        ahead[k] = bin + k * LANES < bins ? key[bin + k * LANES] : STX_GROUND_NO_KEY;
    append_bins(s, bin, ahead[0], &before, &flat);
    if (bin < bins)
      s->own[bin] = stx_ground_no_level();
#pragma unroll
    for (int k = 0; k + 1 < AT_ONCE; k++)
      ahead[k] = ahead[k + 1];
  }
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

/* Returns the sums of prototypes first … last, by the prefix sums. */
STX_DEVICE StxGroundSums sums_between(const Sector *s, int first, int last)
{
  const StxGroundPrefix *from = &s->prefix[first], *to = &s->prefix[last + 1];
  StxGroundSums sums = {to->range - from->range, to->z - from->z,
      to->range_range - from->range_range, to->range_z - from->range_z, last + 1 - first};
  return sums;
}

/* Never true of a fit that is not steep: the margin is much larger than what is rounded here. It
 * spares most lines that fail at once all arithmetic on doubles, which many GPUs do slowly.
 * `length`: from the first to the last prototype. */
STX_DEVICE bool is_surely_steep(
    const StxGroundSums *sums, int32_t length, const StxGroundRules *rules)
{
  float slope = (float)rules->max_slope * 1.0001f, rise = sqrtf((float)rules->max_error) * 1.0001f;
  float up = fabsf((float)stx_ground_rise(sums)), spread = (float)stx_ground_spread(sums);
  return up > slope * spread && up * (float)length > rise * spread;
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
  int end = inside ? last : line->first;
  StxGroundSums sums = sums_between(s, line->first, end);
  int32_t length = s->range[end] - s->range[line->first];
  bool fails = group > 0 && (!inside || is_surely_steep(&sums, length, &s->rules));
  uint32_t failed = __ballot_sync(STX_FULL_WARP, fails);
  if (line->end == line->first && first_failed(failed) == 1)
    return false;
  StxGroundFit fit = stx_ground_fit(&sums), before;
  before.intercept = __shfl_up_sync(STX_FULL_WARP, fit.intercept, SHARES);
  before.slope = __shfl_up_sync(STX_FULL_WARP, fit.slope, SHARES);
  fails |= group > 0 && inside &&
           (stx_ground_is_step(&s->track, last, &before, &s->rules) ||
               stx_ground_is_steep(&s->track, line->first, last, &fit, &s->rules));
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

/* The highest ground of the sector's lines around each bin. Heights go where sums were. */
STX_DEVICE void find_banks(const Sector *s)
{
  const StxGroundParams *params = &s->args->params;
  int bins = params->bins, reach = s->args->bank_bins;
  float *height = (float *)s->prefix, *bank = s->args->bank + (size_t)blockIdx.x * bins;
  __syncwarp();
#pragma unroll 1
  for (int bin = threadIdx.x; bin < bins; bin += LANES) {
    StxGroundLevel own = s->own[bin];
    height[bin] = own.up >= 0 ? stx_ground_height(&own, params, bin) : STX_GROUND_NO_HEIGHT;
  }
  __syncwarp();
#pragma unroll 1
  for (int bin = threadIdx.x; bin < bins; bin += LANES) {
    float highest = STX_GROUND_NO_HEIGHT;
#pragma unroll 1
    for (int at = max(bin - reach, 0); at <= min(bin + reach, bins - 1); at++)
      highest = fmaxf(highest, height[at]);
    bank[bin] = highest;
  }
}

/* ground on the GPU: clusters are patches of occupied cells, numbered by their roots. */

enum { RANK_WARPS = STX_GROUND_RANK_THREADS / LANES };

#define CELL_FLAG 0x80000000u /* in a label: the rest is the cell of an obstacle */

/* ---- Numbers ------------------------------------------------------------------------------ */

typedef struct {
  uint32_t count[RANK_WARPS], last;
} RankShared;

/* The sum over the threads before this one; *all: over all. Not twice without a barrier between. */
STX_DEVICE uint32_t sum_before(RankShared *shared, uint32_t own, uint32_t *all)
{
  uint32_t lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, sum = warp_scan(own, lane);
  if (lane == LANES - 1)
    shared->count[warp] = sum;
  __syncthreads();
  sum -= own;
  *all = 0;
  for (uint32_t w = 0; w < RANK_WARPS; w++) {
    sum += w < warp ? shared->count[w] : 0;
    *all += shared->count[w];
  }
  return sum;
}

/* Finds the root of a cell, and the rank of a root in its block. */
STX_DEVICE void rank_cell(const StxGroundArgs *a, RankShared *shared, uint32_t cell)
{
  uint32_t root = STX_UNUSED_CELL, roots;
  if (cell < (uint32_t)a->cells && is_used(a->parent, cell))
    a->root[cell] = root = find_root(a->parent, cell);
  uint32_t rank = sum_before(shared, root == cell, &roots);
  if (root == cell)
    a->rank[cell] = rank;
  if (threadIdx.x == 0)
    a->before[blockIdx.x] = roots;
}

/* Prefix sum: turns each block's number of roots into that of all before; the last block calls. */
STX_DEVICE void sum_blocks(const StxGroundArgs *a, RankShared *shared)
{
  uint32_t each = (gridDim.x + STX_GROUND_RANK_THREADS - 1) / STX_GROUND_RANK_THREADS;
  uint32_t first = min(each * threadIdx.x, gridDim.x), end = min(first + each, gridDim.x);
  uint32_t own = 0, all;
  for (uint32_t i = first; i < end; i++)
    own += a->before[i];
  uint32_t before = sum_before(shared, own, &all);
  for (uint32_t i = first; i < end; i++) {
    uint32_t roots = a->before[i];
    a->before[i] = before;
    before += roots;
  }
  if (threadIdx.x == 0)
    a->result->clusters = all;
}

STX_DEVICE uint32_t cluster_of(const StxGroundArgs *a, uint32_t cell)
{
  uint32_t root = a->root[cell];
  return a->before[root / STX_GROUND_RANK_THREADS] + a->rank[root] + 1;
}

/* ---- Level -------------------------------------------------------------------------------- */

STX_KERNEL(stx_ground_lows, StxGroundArgs, STX_GROUND_POINT_THREADS)
{
  size_t i = (size_t)thread_number() * a.stride;
  float point[3];
  if (i >= a.count)
    return;
  load_point(&a, (uint32_t)i, point);
  int cell = stx_ground_cell(point);
  if (cell >= 0)
    atomicMin(&a.minima->lowest[cell], (unsigned long long)stx_ground_cell_key(point, (uint32_t)i));
}

STX_KERNEL(stx_ground_plane, StxGroundArgs, STX_GROUND_PLANE_THREADS)
{
  STX_SHARED(StxGroundLows, lows, 1);
  STX_SHARED(PlaneShared, shared, 1);
  StxGroundPlane none = {0, 0, 0};
  bool found = false;
  if (threadIdx.x == 0)
    shared->plane = none;
  if (a.wants_plane) {
    collect_lows(&a, lows, shared);
    try_sample(&a, lows);
    if (!is_last_block(&a.minima->planes, &shared->last))
      return;
    found = find_plane(&a, lows, shared);
  }
  if (threadIdx.x == 0)
    place_scan(&a, &shared->plane, found);
}

/* ---- Bins and lines ------------------------------------------------------------------------ */

STX_KERNEL(stx_ground_bins, StxGroundArgs, STX_GROUND_POINT_THREADS)
{
  StxGroundPoint p = place_point(&a, thread_number());
  if (p.bin < 0)
    return;
  int32_t z = stx_ground_units(p.z);
  unsigned long long key = stx_ground_key(z, stx_ground_units(p.range));
  atomicMin(&a.key[p.bin], key);
  atomicMin(&a.top[p.bin], top_code(z));
}

STX_KERNEL(stx_ground_sector_lines, StxGroundArgs, LANES)
{
  STX_SHARED_DYNAMIC(char, shared);
  Sector s = new_sector(&a, shared);
  collect_sector(&s);
  uint32_t lines = draw_lines(&s);
  find_banks(&s);
  if (threadIdx.x == 0 && lines > 0)
    atomicAdd(&a.result->lines, lines);
}

/* ---- Labels ------------------------------------------------------------------------------- */

/* The line that the nearest other sector has in the bin, the left one first. Looks at some of them
 * at once, because each look takes long. */
STX_DEVICE StxGroundLevel level_beside(const StxGroundArgs *a, int sector, int bin)
{
  enum { AT_ONCE = 4, SIDES = 2 };
  int sectors = a->params.sectors, bins = a->params.bins;
  for (int away = 1; away <= a->search; away += AT_ONCE) {
    int beside[SIDES * AT_ONCE], nearest = -1;
    float up[SIDES * AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
      int step = min(away + k, a->search), left = sector + step, right = sector - step;
      beside[SIDES * k] = (left < sectors ? left : left - sectors) * bins + bin;
      beside[SIDES * k + 1] = (right >= 0 ? right : right + sectors) * bins + bin;
    }
#pragma unroll
    for (int k = 0; k < SIDES * AT_ONCE; k++)
      up[k] = a->own[beside[k]].up;
#pragma unroll
    for (int k = SIDES * AT_ONCE - 1; k >= 0; k--)
      nearest = up[k] >= 0 ? beside[k] : nearest;
    if (nearest >= 0)
      return a->own[nearest];
  }
  return stx_ground_no_level();
}

/* Each point looks for the line of its bin. Most sectors have one there, and neighbouring points
 * are mostly of the same bin, so that costs a warp little more than one point. */
STX_DEVICE bool is_ground(const StxGroundArgs *a, const StxGroundPoint *p)
{
  StxGroundLevel level = a->own[p->bin];
  int32_t top = code_top(a->top[p->bin]);
  int sector = p->bin / a->params.bins, bin = p->bin - sector * a->params.bins;
  if (level.up < 0)
    level = level_beside(a, sector, bin);
  if (level.up >= 0)
    stx_ground_judge(&level, &a->params, bin, top, a->bank[p->bin]);
  return stx_ground_is_ground(&level, (float)a->params.max_dist_below, p);
}

STX_KERNEL(stx_ground_labels, StxGroundArgs, STX_GROUND_POINT_THREADS)
{
  uint32_t i = thread_number(), label = STX_POINT_NONE;
  StxGroundPoint p = place_point(&a, i);
  bool inside = p.bin >= 0, ground = inside && is_ground(&a, &p);
  if (inside)
    label = ground ? STX_POINT_GROUND : STX_POINT_OBSTACLE;
  if (inside && !ground && a.cells > 0) {
    uint32_t cell = stx_ground_grid_cell(&a.grid, p.x, p.y);
    atomicMin(&a.parent[cell], cell);
    label = CELL_FLAG | cell;
  }
  if (i < a.count)
    a.labels[i] = label;
  uint32_t points = min(a.count - blockIdx.x * blockDim.x, blockDim.x);
  uint32_t all_inside = __syncthreads_count(inside);
  uint32_t all_ground = __syncthreads_count(ground);
  if (threadIdx.x == 0) {
    atomicAdd(&a.result->ground, all_ground);
    atomicAdd(&a.result->obstacles, all_inside - all_ground);
    atomicAdd(&a.result->outside, points - all_inside);
  }
}

/* ---- Clusters ----------------------------------------------------------------------------- */

STX_KERNEL(stx_ground_merge, StxGroundArgs, STX_GROUND_POINT_THREADS)
{
  join_cell(a.parent, (uint32_t)a.cells, (uint32_t)a.side, thread_number());
}

STX_KERNEL(stx_ground_rank, StxGroundArgs, STX_GROUND_RANK_THREADS)
{
  STX_SHARED(RankShared, shared, 1);
  rank_cell(&a, shared, thread_number());
  if (is_last_block(&a.minima->ranks, &shared->last))
    sum_blocks(&a, shared);
}

STX_KERNEL(stx_ground_number, StxGroundArgs, STX_GROUND_POINT_THREADS)
{
  uint32_t i = thread_number();
  if (i >= a.count)
    return;
  uint32_t label = a.labels[i];
  if (label & CELL_FLAG)
    a.labels[i] = stx_ground_obstacle(cluster_of(&a, label & ~CELL_FLAG));
}
