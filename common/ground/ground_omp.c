/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ground, fast. Points go through in blocks: first all arithmetic of a block in vectors, then, one
 * by one, what scatters. Threads have tables of their own, which are merged by minimum and maximum:
 * no locks, and no order that could matter. Only the tables of threads that came are cleared and
 * merged. Where a point went is kept, so that labels need no arithmetic but the line's.
 *
 * Tried and rejected: see docs/algorithms/ground.md.
 */
#include "common/ground/ground_private.h"
#include "common/ground/ground_scan.inc.h"
#include "common/parallel.h"

#ifdef _OPENMP
#define EACH_POINT _Pragma("omp simd")
#else
#define EACH_POINT _Pragma("GCC ivdep")
#endif

/* What gathers from tables: vectors of 512 bits take longer than two of 256 there. */
#ifdef __AVX512F__
#define GATHERS __attribute__((noinline, target("prefer-vector-width=256")))
#else
#define GATHERS
#endif

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
  for (size_t k = (size_t)i * PIECE; k < end; k++) {
    const float *point = s->points + 4 * k * stride;
    int cell = stx_ground_cell(point);
    if (cell < 0)
      continue;
    uint64_t key = stx_ground_cell_key(point, (uint32_t)(k * stride));
    w->lowest[cell] = key < w->lowest[cell] ? key : w->lowest[cell];
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
    if (key == STX_GROUND_NO_KEY)
      continue;
    const float *point = s->points + 4 * (size_t)(uint32_t)key;
    lows->x[lows->count] = point[0];
    lows->y[lows->count] = point[1];
    lows->z[lows->count++] = point[2];
  }
}

static bool needs_plane(const StxGroundParams *params)
{
  return params->level || params->sensor_height == 0;
}

static void level_scan(Scan *s)
{
  StxGroundPlane plane = {0, 0, 0};
  if (needs_plane(s->params)) {
    stx_parallel(s->workers, pieces_of(looked_at(s), PIECE), find_lowest, s);
    gather(s, LOWEST);
    collect_lows(s);
    s->result.measured = stx_ground_find_plane(&s->lows, &plane);
  }
  s->result.slope_x = plane.slope_x;
  s->result.slope_y = plane.slope_y;
  s->frame = stx_ground_frame(s->params, s->result.measured ? &plane : NULL, &s->result.height);
  s->rules = stx_ground_rules(s->params, s->result.height);
}

/* ---- 1. Bins, 2. Prototypes --------------------------------------------------------------- */

static inline __attribute__((always_inline)) void place_block(
    const Scan *s, size_t first, int count, uint64_t *keys, int32_t *tops, bool clusters)
{
  const float *points = s->points + 4 * first;
  const StxGroundFrame frame = s->frame;
  const StxGroundGrid grid = stx_ground_grid(s->params, s->clusters.words * 64);
  int32_t *restrict bin = s->bin + first;
  float *restrict at_z = s->z + first, *restrict at_range = s->range + first;
  uint32_t *restrict cell = s->cell + first;
  EACH_POINT
  for (int i = 0; i < count; i++) {
    StxGroundPoint p = stx_ground_place(&frame, points + 4 * i);
    int32_t z = stx_ground_units(p.z);
    bin[i] = p.bin;
    at_z[i] = p.z;
    at_range[i] = p.range;
    if (clusters)
      cell[i] = stx_ground_grid_cell(&grid, p.x, p.y);
    tops[i] = z;
    keys[i] = stx_ground_key(z, stx_ground_units(p.range));
  }
}

/* `none`: the bin of points without one. */
static inline void take_point(Worker *w, int32_t bin, int32_t none, uint64_t key, int32_t top)
{
  bin = bin < 0 ? none : bin;
  w->key[bin] = key < w->key[bin] ? key : w->key[bin];
  w->top[bin] = top > w->top[bin] ? top : w->top[bin];
}

/* Neighbours in a scan often share a bin, and a minimum has to wait for the one before: so four
 * quarters of the block take turns. */
static inline void take_block(
    const Scan *s, Worker *w, size_t first, int count, const uint64_t *keys, const int32_t *tops)
{
  const int32_t *bin = s->bin + first, none = (int32_t)s->bins;
  int i = 0;
  if (count == BLOCK)
    for (; i < BLOCK / 4; i++)
      for (int k = i; k < BLOCK; k += BLOCK / 4)
        take_point(w, bin[k], none, keys[k], tops[k]);
  else
    for (; i < count; i++)
      take_point(w, bin[i], none, keys[i], tops[i]);
}

static void fill_piece(void *data, int i, int worker)
{
  const Scan *s = data;
  Worker *w = worker_with(s, worker, BINS);
  uint64_t keys[BLOCK];
  int32_t tops[BLOCK];
  for (size_t at = (size_t)i * PIECE, end = piece_end(s->count, PIECE, i); at < end; at += BLOCK) {
    int count = block_size(s, at);
    if (s->clusters.side > 0)
      place_block(s, at, count, keys, tops, true);
    else
      place_block(s, at, count, keys, tops, false);
    take_block(s, w, at, count, keys, tops);
  }
}

static void fill_bins(Scan *s)
{
  stx_parallel(s->workers, pieces_of(s->count, PIECE), fill_piece, s);
  gather(s, BINS);
}

/* Merges all tables into the first, for the bins of a sector. */
static void merge_sector(const Scan *s, int sector)
{
  size_t bins = (size_t)s->params->bins, first = (size_t)sector * bins;
  uint64_t *key = s->came[0]->key;
  int32_t *top = s->came[0]->top;
  for (int t = 1; t < s->came_count; t++)
    for (size_t i = first; i < first + bins; i++) {
      uint64_t other = s->came[t]->key[i];
      int32_t other_top = s->came[t]->top[i];
      key[i] = other < key[i] ? other : key[i];
      top[i] = other_top > top[i] ? other_top : top[i];
    }
}

/* ---- 3. Lines ----------------------------------------------------------------------------- */

static StxGroundTrack collect_sector(const Scan *s, Worker *w, int sector)
{
  const uint64_t *key = s->came[0]->key + (size_t)sector * (size_t)s->params->bins;
  StxGroundTrack track = {w->range, w->z, 0};
  int count = 0;
  for (int bin = 0; bin < s->params->bins; bin++) {
    w->range[count] = (int32_t)(uint32_t)key[bin];
    w->z[count] = stx_ground_key_z(key[bin]);
    w->bin[count] = bin;
    count += key[bin] != STX_GROUND_NO_KEY;
  }
  track.count = count;
  return track;
}

static void fit_sector(const Scan *s, Worker *w, int sector)
{
  int bins = s->params->bins;
  StxGroundTrack track = collect_sector(s, w, sector);
  size_t start = (size_t)sector * (size_t)bins;
  float *intercept = s->intercept + start, *slope = s->slope + start;
  uint8_t *has = s->has + start;
  int lines = stx_ground_lines(&track, &s->rules, w->spans);
  w->lines += (uint32_t)lines;
  memset(has, 0, (size_t)bins);
  memset(intercept, 0, (size_t)bins * sizeof *intercept);
  memset(slope, 0, (size_t)bins * sizeof *slope);
  for (int i = lines - 1; i >= 0; i--) { /* where two meet, the nearer line counts */
    const StxGroundSpan *span = &w->spans[i];
    StxGroundLevel level = stx_ground_level(&span->fit, s->params);
    for (int bin = w->bin[span->first]; bin <= w->bin[span->last]; bin++) {
      intercept[bin] = level.intercept;
      slope[bin] = level.slope;
      has[bin] = 1;
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

/* Steps to the nearest sector with a line, by bin, from what they were one sector before. */
static inline void step_on(const Scan *s, int sector, int32_t *away)
{
  int bins = s->params->bins, sectors = s->params->sectors;
  int at = sector < 0 ? sector + sectors : sector < sectors ? sector : sector - sectors;
  const uint8_t *has = s->has + (size_t)at * (size_t)bins;
  EACH_POINT
  for (int bin = 0; bin < bins; bin++)
    away[bin] = has[bin] ? 0 : away[bin] + 1;
}

/* Nothing has been met. */
static inline void begin_steps(int bins, int reach, int32_t *away)
{
  for (int bin = 0; bin < bins; bin++)
    away[bin] = reach + 1;
}

/* The steps back and ahead say which sector has the nearest line; of two the one ahead. */
static GATHERS void level_sector(
    const Scan *s, int sector, const int32_t *back, const int32_t *ahead)
{
  const StxGroundParams params = *s->params; /* what is written cannot change it */
  int bins = params.bins, sectors = params.sectors, reach = stx_ground_search(&params);
  size_t first = (size_t)sector * (size_t)bins;
  const int32_t *top = s->came[0]->top + first;
  const float *intercept = s->intercept, *slope = s->slope;
  StxGroundLevel *restrict level = s->level + first;
  EACH_POINT
  for (int bin = 0; bin < bins; bin++) {
    int away = ahead[bin] <= back[bin] ? ahead[bin] : -back[bin], from = sector + away;
    int used = (top[bin] != INT32_MIN) & (away <= reach) & (-away <= reach);
    from = from < 0 ? from + sectors : from;
    from = from < sectors ? from : from - sectors;
    from = (used ? from : sector) * bins + bin;
    StxGroundLevel found = {intercept[from], slope[from], (float)params.max_dist_to_line};
    stx_ground_narrow(&found, &params, bin, top[bin]);
    level[bin].intercept = found.intercept;
    level[bin].slope = found.slope;
    level[bin].up = used ? found.up : -1.0f;
  }
}

/* Two sweeps over the sectors, against their order and with it, in place of a search from each bin,
 * whose end could not be predicted. */
static void level_piece(void *data, int i, int worker)
{
  const Scan *s = data;
  Worker *w = s->worker[worker];
  int bins = s->params->bins, reach = stx_ground_search(s->params);
  int first = i * SECTORS, end = (int)piece_end((size_t)s->params->sectors, SECTORS, i);
  begin_steps(bins, reach, w->away);
  for (int sector = end - 1 + reach; sector >= first; sector--) {
    step_on(s, sector, w->away);
    if (sector < end)
      memcpy(w->ahead + (size_t)(sector - first) * (size_t)bins, w->away,
          (size_t)bins * sizeof *w->away);
  }
  begin_steps(bins, reach, w->away);
  for (int sector = first - reach; sector < end; sector++) {
    step_on(s, sector, w->away);
    if (sector >= first)
      level_sector(s, sector, w->away, w->ahead + (size_t)(sector - first) * (size_t)bins);
  }
}

static void level_sectors(Scan *s)
{
  stx_parallel(s->workers, pieces_of((size_t)s->params->sectors, SECTORS), level_piece, s);
}

/* ---- 6. Labels, 7. Clusters --------------------------------------------------------------- */

/* Labels a block; returns how many of its points are ground, and adds those in a bin to *inside. */
static GATHERS uint32_t label_block(const Scan *s, size_t first, int count, uint32_t *inside)
{
  const StxGroundLevel *level = s->level;
  const int32_t *restrict bin = s->bin + first;
  const float *restrict z = s->z + first, *restrict range = s->range + first;
  uint32_t *restrict labels = s->labels + first;
  float below = (float)s->params->max_dist_below;
  uint32_t ground = 0, placed = 0;
#ifdef _OPENMP
#pragma omp simd reduction(+ : ground, placed)
#endif
  for (int i = 0; i < count; i++) {
    StxGroundPoint p = {0, 0, z[i], range[i], bin[i] < 0 ? 0 : bin[i]};
    uint32_t in_bin = bin[i] >= 0;
    uint32_t is_ground = (uint32_t)stx_ground_is_ground(&level[p.bin], below, &p) & in_bin;
    uint32_t label = is_ground ? STX_POINT_GROUND : STX_POINT_OBSTACLE;
    labels[i] = in_bin ? label : STX_POINT_NONE;
    ground += is_ground;
    placed += in_bin;
  }
  *inside += placed;
  return ground;
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
  uint32_t ground = 0, inside = 0;
  for (size_t at = (size_t)i * PIECE, end = piece_end(s->count, PIECE, i); at < end; at += BLOCK) {
    int count = block_size(s, at);
    ground += label_block(s, at, count, &inside);
    if (clusters)
      occupy_block(s, w->occupied, at, count);
  }
  w->ground += ground;
  w->obstacles += inside - ground;
}

static void label_points(Scan *s)
{
  stx_parallel(s->workers, pieces_of(s->count, PIECE), label_piece, s);
}

static void find_clusters(Scan *s)
{
  gather(s, OCCUPIED);
  uint64_t *occupied = s->came[0]->occupied;
  size_t words = stx_ground_occupied_bytes(s->clusters.side) / sizeof *occupied;
  for (int t = 1; t < s->came_count; t++)
    for (size_t i = 0; i < words; i++)
      occupied[i] |= s->came[t]->occupied[i];
  s->result.clusters = stx_ground_join_cells(&s->clusters, occupied);
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
  find_clusters(s);
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

size_t STX_VARIANT(stx_ground_scratch)(const StxGroundParams *params, size_t count, int threads)
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
