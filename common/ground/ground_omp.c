/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ground, fast. Points go through in blocks: first all arithmetic of a block in vectors, then, one
 * by one, what scatters. Threads have tables of their own, which are merged by minimum and maximum:
 * no locks, and no order that could matter. Only the tables of threads that came are cleared and
 * merged. Where a point went is kept, so that labels need no arithmetic but the line's.
 *
 * Tried and rejected: see docs/benchmarks/tried.md.
 */
#include "common/cpu.h"
#include "common/ground/ground.h"
#include "common/ground/ground_place.inc.h"
#include "common/parallel.h"

STX_DECLARE(StxGroundImpl, stx_ground, scratch_size);
STX_DECLARE(StxGroundImpl, stx_ground, run);

/* ---- 0. Level ----------------------------------------------------------------------------- */

/* Points that are looked at, one every so many. */
static size_t looked_at(const Scan *s)
{
  size_t stride = stx_ground_stride(s->count);
  return (s->count + stride - 1) / stride;
}

static void find_lowest(void *data, int i, int worker)
{
  const Scan *s = data;
  Worker *w = worker_with(s, worker, LOWEST);
  size_t stride = stx_ground_stride(s->count), end = piece_end(looked_at(s), PIECE, i);
  Lows lows;
  for (size_t k = (size_t)i * PIECE; k < end; k += BLOCK) {
    int count = end - k < BLOCK ? (int)(end - k) : BLOCK;
    find_lows(s->points, k * stride, stride, count, &lows);
    take_lows(w->lowest, &lows, count);
  }
}

static void collect_lows(Scan *s)
{
  StxGroundLows *lows = &s->lows;
  lows->count = 0;
  for (int cell = 0; cell < STX_GROUND_CELLS; cell++) {
    uint64_t key = s->came[0]->lowest[cell];
    for (int t = 1; t < s->came_count; t++)
      key = s->came[t]->lowest[cell] < key ? s->came[t]->lowest[cell] : key;
    if (key >> 56 == EXTREME_NONE)
      continue;
    const float *point = s->points + 4 * (size_t)(uint32_t)key;
    lows->x[lows->count] = point[0];
    lows->y[lows->count] = point[1];
    lows->z[lows->count++] = point[2];
  }
}

static void level_scan(Scan *s)
{
  StxGroundPlane plane = {0, 0, 0};
  if (s->params->level || s->params->sensor_height == 0) {
    stx_parallel(s->workers, pieces_of(looked_at(s), PIECE), find_lowest, s);
    gather(s, LOWEST);
    collect_lows(s);
    s->result.measured = stx_ground_find_plane(&s->lows, &plane);
  }
  s->result.slope_x = plane.slope_x;
  s->result.slope_y = plane.slope_y;
  s->frame = stx_ground_frame(s->params, s->result.measured ? &plane : NULL, &s->result.height);
  s->frame.bins = s->row;
  s->rules = stx_ground_rules(s->params, s->result.height);
}

/* ---- 1. Bins, 2. Prototypes --------------------------------------------------------------- */

static void fill_piece(void *data, int i, int worker)
{
  const Scan *s = data;
  Worker *w = worker_with(s, worker, BINS);
  Extremes extremes[BLOCK];
  for (size_t at = (size_t)i * PIECE, end = piece_end(s->count, PIECE, i); at < end; at += BLOCK) {
    int count = block_size(s, at);
    if (s->clusters.side > 0)
      place_block(s, at, count, extremes, true);
    else
      place_block(s, at, count, extremes, false);
    take_block(s, w, at, count, extremes);
  }
}

static void fill_bins(Scan *s)
{
  stx_parallel(s->workers, pieces_of(s->count, PIECE), fill_piece, s);
  gather(s, BINS);
  s->bin = s->came[0]->bin;
}

/* Merges all tables into the first, for the bins of a sector. */
static void merge_sector(const Scan *s, int sector)
{
  size_t bins = (size_t)s->row, first = (size_t)sector * bins;
  for (int t = 1; t < s->came_count; t++)
    for (size_t i = first; i < first + bins; i++)
      take_extremes(&s->bin[i].extremes, &s->came[t]->bin[i].extremes);
}

/* ---- 3. Lines ----------------------------------------------------------------------------- */

/* The height at the last bit below `lane`, or `none`. */
static inline int32_t height_before(const int32_t *z, unsigned bits, int lane, int32_t none)
{
  unsigned before = bits & ((1u << lane) - 1);
  return before != 0 ? z[31 - __builtin_clz(before)] : none;
}

/* Returns a bit for each of LANES_32 bins with a prototype. *flat as for stx_ground_is_foot(). */
static inline unsigned prototypes_of(
    const int32_t *z, const int32_t *top, const StxGroundRules *rules, int32_t *flat)
{
  VecI32 tops = load_i32(top), above = sub_i32(tops, load_i32(z));
  unsigned used = mask_bits(gt_i32(tops, set1_i32(TOP_NONE)));
  unsigned stand = used & mask_bits(gt_i32(above, set1_i32(rules->obstacle))), keep = used;
  for (unsigned left = stand; left != 0; left &= left - 1) {
    int lane = __builtin_ctz(left);
    bool foot = stx_ground_is_foot(z[lane], height_before(z, used & ~stand, lane, *flat), rules);
    keep &= ~((unsigned)foot << lane);
  }
  *flat = height_before(z, used & ~stand, LANES_32, *flat);
  return keep;
}

static StxGroundTrack collect_sector(const Scan *s, Worker *w, int sector)
{
  int bins = s->row, count = 0;
  int32_t flat = STX_GROUND_NO_FLAT;
  split_extremes(s->bin + (size_t)sector * (size_t)bins, bins, w->range, w->z, w->top);
  for (int i = 0; i < bins; i += LANES_32) { /* those in use move together */
    unsigned bits = prototypes_of(w->z + i, w->top + i, &s->rules, &flat);
    compress_store_i32(w->range + count, load_i32(w->range + i), bits);
    compress_store_i32(w->z + count, load_i32(w->z + i), bits);
    compress_store_i32(w->number + count, add_i32(LANE_NUMBERS, set1_i32(i)), bits);
    count += __builtin_popcount(bits);
  }
  return (StxGroundTrack){w->range, w->z, count};
}

static void fit_sector(const Scan *s, Worker *w, int sector)
{
  int bins = s->row;
  StxGroundTrack track = collect_sector(s, w, sector);
  size_t start = (size_t)sector * (size_t)bins;
  float *intercept = s->intercept + start, *slope = s->slope + start;
  int lines = stx_ground_lines(&track, &s->rules, w->spans);
  w->lines += (uint32_t)lines;
  for (int bin = 0; bin < bins; bin += LANES_32) {
    store_f32(intercept + bin, set1_f32(NO_LINE));
    store_f32(slope + bin, set1_f32(0));
  }
  for (int i = lines - 1; i >= 0; i--) { /* where two meet, the nearer line counts */
    const StxGroundSpan *span = &w->spans[i];
    StxGroundLevel level = stx_ground_level(&span->fit, s->params);
    for (int bin = w->number[span->first]; bin <= w->number[span->last]; bin++) {
      intercept[bin] = level.intercept;
      slope[bin] = level.slope;
    }
  }
}

static void fit_piece(void *data, int i, int worker)
{
  const Scan *s = data;
  int end = (int)piece_end((size_t)s->params->sectors, SECTORS, i);
  for (int sector = i * SECTORS; sector < end; sector++) {
    merge_sector(s, sector);
    fit_sector(s, s->worker[worker], sector);
  }
}

static void fit_lines(Scan *s)
{
  stx_parallel(s->workers, pieces_of((size_t)s->params->sectors, SECTORS), fit_piece, s);
}

/* ---- 4. Ground line of a bin, 5. Obstacle bins -------------------------------------------- */

static inline Near near_row(const Near *rows, int row, int bins)
{
  size_t at = (size_t)row * (size_t)bins;
  return (Near){rows->away + at, rows->intercept + at, rows->slope + at};
}

/* Nothing has been met. */
static void begin_steps(int bins, int reach, const Near *near)
{
  for (int bin = 0; bin < bins; bin++) {
    near->away[bin] = reach + 1;
    near->intercept[bin] = near->slope[bin] = 0;
  }
}

/* The lines near a sector, from those of the sector before; in place or not. */
static void step_on(const Scan *s, int sector, Near before, Near near)
{
  int bins = s->row, sectors = s->params->sectors;
  int at = sector < 0 ? sector + sectors : sector < sectors ? sector : sector - sectors;
  const float *intercept = s->intercept + (size_t)at * (size_t)bins;
  const float *slope = s->slope + (size_t)at * (size_t)bins;
  for (int bin = 0; bin < bins; bin += LANES_32) {
    VecI32 own = load_i32(intercept + bin), further = load_i32(before.away + bin) + 1;
    Mask32 has = gt_f32((VecF32)own, set1_f32(NO_LINE));
    store_i32(near.away + bin, blend_i32(has, set1_i32(0), further));
    store_i32(near.intercept + bin, blend_i32(has, own, load_i32(before.intercept + bin)));
    store_i32(
        near.slope + bin, blend_i32(has, load_i32(slope + bin), load_i32(before.slope + bin)));
  }
}

/* Each of the first `count` values, the later one if that is higher. */
static void take_higher(float *values, int later, int count)
{
  for (int i = 0; i < count; i += LANES_32)
    store_f32(values + i, max_f32(load_f32(values + i), load_f32(values + i + later)));
}

/* A row of w->bank: a sector's bins, and on either side as many as a bank may be away. */
static int bank_row(const Scan *s)
{
  return s->row + 2 * stx_ground_bank(s->params);
}

/* The ground of the sector's own lines. */
static void find_heights(const Scan *s, int sector, float *bank)
{
  const StxGroundParams params = *s->params; /* what is written cannot change it */
  int bins = s->row, reach = stx_ground_bank(&params);
  const float *intercept = s->intercept + (size_t)sector * (size_t)bins;
  const float *slope = s->slope + (size_t)sector * (size_t)bins;
  for (int i = 0; i < reach; i++)
    bank[i] = bank[reach + bins + i] = STX_GROUND_NO_HEIGHT;
  EACH_POINT
  for (int bin = 0; bin < bins; bin++) {
    StxGroundLevel level = {intercept[bin], slope[bin], 0};
    float height = stx_ground_height(&level, &params, bin);
    bank[reach + bin] = intercept[bin] > NO_LINE ? height : STX_GROUND_NO_HEIGHT;
  }
}

/* The highest ground of the own lines around each bin: the maximum of a window of `width` bins, by
 * maxima of windows of 1, 2, 4 … that begin at each bin. For all sectors of a piece at once: what
 * was stored just before cannot be loaded at another place without waiting. */
static void find_banks(const Scan *s, Worker *w, int first, int sectors)
{
  int row = bank_row(s), width = row - s->row + 1, wide = 1;
  for (int k = 0; k < sectors; k++)
    find_heights(s, first + k, w->bank + (size_t)k * (size_t)row);
  for (; 2 * wide <= width; wide *= 2)
    take_higher(w->bank, wide, sectors * row - wide);
  take_higher(w->bank, width - wide, sectors * row - width + wide);
}

/* The nearer one of two lines; of lines equally near the one ahead. */
static void level_sector(const Scan *s, Worker *w, int sector, Near ahead, const float *bank)
{
  const StxGroundParams params = *s->params; /* what is written cannot change it */
  int bins = s->row, reach = stx_ground_search(&params);
  const int32_t *top = w->top;
  split_extremes(s->bin + (size_t)sector * (size_t)bins, bins, w->range, w->z, w->top);
  const Near back = w->back;
  float *intercept = w->intercept, *slope = w->slope, *up = w->up;
  EACH_POINT
  for (int bin = 0; bin < bins; bin++) {
    bool on = ahead.away[bin] <= back.away[bin];
    int away = on ? ahead.away[bin] : back.away[bin];
    StxGroundLevel found = {on ? ahead.intercept[bin] : back.intercept[bin],
        on ? ahead.slope[bin] : back.slope[bin], 0};
    stx_ground_judge(&found, &params, bin, top[bin], bank[bin]);
    intercept[bin] = found.intercept;
    slope[bin] = found.slope;
    up[bin] = ((top[bin] != TOP_NONE) & (away <= reach)) ? found.up : -INFINITY;
  }
}

/* Turns the result of level_sector() into records. */
static void join_levels(const Worker *w, int bins, Bin *bin)
{
  for (int i = 0; i < bins; i += LANES_32)
    store4_i32(bin + i, (VecI32[]){load_i32(w->intercept + i), load_i32(w->slope + i),
                            load_i32(w->up + i), set1_i32(STX_POINT_OBSTACLE)});
}

/* Two sweeps over the sectors, against their order and with it, in place of a search from each bin,
 * whose end could not be predicted. */
static void level_piece(void *data, int i, int worker)
{
  const Scan *s = data;
  Worker *w = s->worker[worker];
  int bins = s->row, reach = stx_ground_search(s->params);
  int first = i * SECTORS, end = (int)piece_end((size_t)s->params->sectors, SECTORS, i);
  Near behind = near_row(&w->ahead, end - first, bins);
  begin_steps(bins, reach, &behind);
  for (int sector = end - 1 + reach; sector >= end; sector--)
    step_on(s, sector, behind, behind);
  for (int k = end - first - 1; k >= 0; k--)
    step_on(s, first + k, near_row(&w->ahead, k + 1, bins), near_row(&w->ahead, k, bins));
  find_banks(s, w, first, end - first);
  begin_steps(bins, reach, &w->back);
  for (int sector = first - reach; sector < first; sector++)
    step_on(s, sector, w->back, w->back);
  for (int k = 0; k < end - first; k++) {
    step_on(s, first + k, w->back, w->back);
    level_sector(
        s, w, first + k, near_row(&w->ahead, k, bins), w->bank + (size_t)k * (size_t)bank_row(s));
    join_levels(w, bins, s->bin + (size_t)(first + k) * (size_t)bins);
  }
}

static void level_sectors(Scan *s)
{
  s->bin[s->bins].level = (Level){0, 0, -INFINITY, STX_POINT_NONE};
  stx_parallel(s->workers, pieces_of((size_t)s->params->sectors, SECTORS), level_piece, s);
}

/* ---- 6. Labels, 7. Clusters --------------------------------------------------------------- */

/* The number of ground points, and of points without a bin. */
typedef struct {
  uint32_t ground, outside;
} Counts;

static inline void label_point(const Scan *s, size_t i, float below, Counts *counts)
{
  const Level *level = &s->bin[s->labels[i]].level;
  float above = s->z[i] - (level->intercept + level->slope * s->range[i]);
  uint32_t is_ground = (above < level->up) & (above > -below);
  counts->ground += is_ground;
  counts->outside += level->other == STX_POINT_NONE;
  s->labels[i] = is_ground ? STX_POINT_GROUND : level->other;
}

static void label_block(const Scan *s, size_t first, int count, Counts *counts)
{
  float below = (float)s->params->max_dist_below;
  size_t i = first, end = first + (size_t)count;
  VecI32 ground = set1_i32(0), placed = ground;
  for (; i + LANES_32 <= end; i += LANES_32) {
    Planes level = planes_at(s->bin, s->labels + i);
    VecF32 above = load_f32(s->z + i) - (level.x + level.y * load_f32(s->range + i));
    Mask32 is = gt_f32(above, set1_f32(-below)) & lt_f32(above, level.z);
    placed += (VecI32)level.w;
    ground = count_i32(ground, is);
    store_i32(s->labels + i, blend_i32(is, set1_i32(STX_POINT_GROUND), (VecI32)level.w));
  }
  counts->ground += (uint32_t)reduce_add_i32(ground)[0];
  counts->outside +=
      (uint32_t)(i - first) - (uint32_t)reduce_add_i32(placed)[0] / STX_POINT_OBSTACLE;
  for (; i < end; i++)
    label_point(s, i, below, counts);
}

/* A bit for each cell with an obstacle; without branches, which nothing could predict. */
static inline void occupy_block(const Scan *s, uint64_t *occupied, size_t first, int count)
{
  for (size_t i = first; i < first + (size_t)count; i++) {
    bool obstacle = s->labels[i] == STX_POINT_OBSTACLE;
    uint32_t cell = obstacle ? s->cell[i] : 0;
    occupied[cell / 64] |= (uint64_t)obstacle << cell % 64;
  }
}

static void label_piece(void *data, int i, int worker)
{
  const Scan *s = data;
  Worker *w = worker_with(s, worker, OCCUPIED);
  bool clusters = s->clusters.side > 0;
  Counts counts = {0, 0};
  size_t first = (size_t)i * PIECE;
  for (size_t at = (size_t)i * PIECE, end = piece_end(s->count, PIECE, i); at < end; at += BLOCK) {
    int count = block_size(s, at);
    label_block(s, at, count, &counts);
    if (clusters)
      occupy_block(s, w->occupied, at, count);
  }
  w->ground += counts.ground;
  w->obstacles +=
      (uint32_t)(piece_end(s->count, PIECE, i) - first) - counts.ground - counts.outside;
}

static void label_points(Scan *s)
{
  stx_parallel(s->workers, pieces_of(s->count, PIECE), label_piece, s);
}

static void number_piece(void *data, int piece, int worker)
{
  const Scan *s = data;
  const uint32_t *number = s->clusters.number;
  for (size_t i = (size_t)piece * PIECE, end = piece_end(s->count, PIECE, piece); i < end; i++)
    if (s->labels[i] == STX_POINT_OBSTACLE)
      s->labels[i] = stx_ground_obstacle(number[s->cell[i]]);
}

static void number_clusters(Scan *s)
{
  if (s->clusters.side == 0)
    return;
  gather(s, OCCUPIED);
  uint64_t *occupied = s->came[0]->occupied;
  size_t words = stx_ground_occupied_bytes(s->clusters.side) / sizeof *occupied;
  for (int t = 1; t < s->came_count; t++)
    for (size_t i = 0; i < words; i++)
      occupied[i] |= s->came[t]->occupied[i];
  s->result.clusters = stx_ground_join_cells(&s->clusters, occupied);
  stx_parallel(s->workers, pieces_of(s->count, PIECE), number_piece, s);
}

/* ---- All ---------------------------------------------------------------------------------- */

static void add_up(Scan *s)
{
  for (int t = 0; t < s->workers; t++) {
    s->result.ground += s->worker[t]->ground;
    s->result.obstacles += s->worker[t]->obstacles;
    s->result.lines += s->worker[t]->lines;
  }
  s->result.outside = (uint32_t)s->count - s->result.ground - s->result.obstacles;
}

size_t STX_VARIANT(stx_ground_scratch_size)(
    const StxGroundParams *params, size_t count, int threads)
{
  Scan layout;
  return lay_out(params, count, threads, &layout, NULL);
}

bool STX_VARIANT(stx_ground_run)(const StxGroundParams *params, const float *points, size_t count,
    uint32_t *labels, StxGroundResult *result, void *scratch, const StxPlace *place,
    StxError *error)
{
  Scan *s = open_scan(params, points, count, labels, scratch, place->threads);
  level_scan(s);
  fill_bins(s);
  fit_lines(s);
  level_sectors(s);
  label_points(s);
  number_clusters(s);
  add_up(s);
  *result = s->result;
  return true;
}
