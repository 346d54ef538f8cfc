/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ground, the reference: the steps of ground.h one after the other. */
#include "common/ground/ground.h"
#include "common/ground/ground_lines_math.h"
#include "common/ground/ground_plane_math.h"

typedef struct {
  const StxGroundParams *params;
  const float *points;
  size_t count;
  uint32_t *labels;
  StxGroundResult result;
  StxGroundFrame frame;

  uint64_t lowest[STX_GROUND_CELLS];
  StxGroundLows lows;
  int32_t range[STX_GROUND_MAX_BINS], z[STX_GROUND_MAX_BINS]; /* prototypes of a sector */
  int bin[STX_GROUND_MAX_BINS];
  StxGroundSpan spans[STX_GROUND_MAX_BINS];

  /* By bin of the scan. */
  uint64_t *key;
  int32_t *top;                /* height of the highest point */
  StxGroundLevel *own, *level; /* of the sector's own lines; with those of its neighbours */
  float *bank;                 /* the highest ground of the own lines around, metres */

  int side;        /* of the clusters' grid */
  uint32_t *grid;  /* 0: empty, CELL_OPEN: to be numbered, else the cluster */
  uint32_t *stack; /* cells whose neighbours are to be looked at */
} Scan;

#define CELL_OPEN UINT32_MAX

/* ---- 0. Level ----------------------------------------------------------------------------- */

static void find_lows(Scan *s)
{
  for (int cell = 0; cell < STX_GROUND_CELLS; cell++)
    s->lowest[cell] = STX_GROUND_NO_KEY;
  for (size_t i = 0; i < s->count; i += stx_ground_stride(s->count)) {
    const float *point = s->points + 4 * i;
    int cell = stx_ground_cell(point);
    uint64_t key = cell < 0 ? 0 : stx_ground_cell_key(point, (uint32_t)i);
    if (cell >= 0 && key < s->lowest[cell])
      s->lowest[cell] = key;
  }
  s->lows.count = 0;
  for (int cell = 0; cell < STX_GROUND_CELLS; cell++) {
    const float *point = s->points + 4 * (size_t)(uint32_t)s->lowest[cell];
    int at = s->lows.count;
    if (s->lowest[cell] == STX_GROUND_NO_KEY)
      continue;
    s->lows.x[at] = point[0];
    s->lows.y[at] = point[1];
    s->lows.z[at] = point[2];
    s->lows.count++;
  }
}

static void level_scan(Scan *s)
{
  StxGroundPlane plane = {0, 0, 0};
  bool wanted = s->params->level || s->params->sensor_height == 0;
  if (wanted)
    find_lows(s);
  s->result.measured = wanted && stx_ground_find_plane(&s->lows, &plane);
  s->result.slope_x = plane.slope_x;
  s->result.slope_y = plane.slope_y;
  s->frame = stx_ground_frame(s->params, s->result.measured ? &plane : NULL, &s->result.height);
}

/* ---- 1. Bins, 2. Prototypes --------------------------------------------------------------- */

static void fill_bins(Scan *s)
{
  for (int i = 0; i < s->params->sectors * s->params->bins; i++) {
    s->key[i] = STX_GROUND_NO_KEY;
    s->top[i] = INT32_MIN;
  }
  for (size_t i = 0; i < s->count; i++) {
    StxGroundPoint p = stx_ground_place(&s->frame, s->points + 4 * i);
    if (p.bin < 0)
      continue;
    int32_t z = stx_ground_units(p.z);
    uint64_t key = stx_ground_key(z, stx_ground_units(p.range));
    if (key < s->key[p.bin])
      s->key[p.bin] = key;
    if (z > s->top[p.bin])
      s->top[p.bin] = z;
  }
}

static StxGroundTrack collect_sector(Scan *s, int sector, const StxGroundRules *rules)
{
  const uint64_t *key = s->key + sector * s->params->bins;
  const int32_t *top = s->top + sector * s->params->bins;
  StxGroundTrack track = {s->range, s->z, 0};
  int32_t flat = STX_GROUND_NO_FLAT;
  for (int bin = 0; bin < s->params->bins; bin++) {
    if (key[bin] == STX_GROUND_NO_KEY)
      continue;
    int32_t z = stx_ground_key_z(key[bin]);
    if (!stx_ground_stands(z, top[bin], rules))
      flat = z;
    else if (stx_ground_is_foot(z, flat, rules))
      continue;
    s->range[track.count] = (int32_t)(uint32_t)key[bin];
    s->z[track.count] = z;
    s->bin[track.count++] = bin;
  }
  return track;
}

/* ---- 3. Lines ----------------------------------------------------------------------------- */

static void fit_sector(Scan *s, int sector, const StxGroundRules *rules)
{
  StxGroundTrack track = collect_sector(s, sector, rules);
  StxGroundLevel *own = s->own + sector * s->params->bins;
  int lines = stx_ground_lines(&track, rules, s->spans);
  for (int bin = 0; bin < s->params->bins; bin++)
    own[bin] = stx_ground_no_level();
  for (int i = lines - 1; i >= 0; i--) { /* where two meet, the nearer line counts */
    const StxGroundSpan *span = &s->spans[i];
    for (int bin = s->bin[span->first]; bin <= s->bin[span->last]; bin++)
      own[bin] = stx_ground_level(&span->fit, s->params);
  }
  s->result.lines += (uint32_t)lines;
}

/* ---- 4. Ground line of a bin, 5. Obstacle bins -------------------------------------------- */

static void find_banks(Scan *s, int sector)
{
  int bins = s->params->bins, reach = stx_ground_bank(s->params);
  const StxGroundLevel *own = s->own + sector * bins;
  float *bank = s->bank + sector * bins;
  for (int bin = 0; bin < bins; bin++) {
    bank[bin] = STX_GROUND_NO_HEIGHT;
    for (int at = bin > reach ? bin - reach : 0; at <= bin + reach && at < bins; at++) {
      float height = stx_ground_height(&own[at], s->params, at);
      if (own[at].up >= 0 && height > bank[bin])
        bank[bin] = height;
    }
  }
}

static StxGroundLevel level_of(const Scan *s, int sector, int bin)
{
  int sectors = s->params->sectors, bins = s->params->bins;
  int reach = stx_ground_search(s->params);
  for (int away = 0; away <= reach; away++) {
    const StxGroundLevel *left = &s->own[(sector + away) % sectors * bins + bin];
    const StxGroundLevel *right = &s->own[(sector - away + sectors) % sectors * bins + bin];
    if (left->up >= 0 || right->up >= 0)
      return left->up >= 0 ? *left : *right;
  }
  return stx_ground_no_level();
}

static void find_levels(Scan *s)
{
  StxGroundRules rules = stx_ground_rules(s->params, s->result.height);
  for (int sector = 0; sector < s->params->sectors; sector++) {
    fit_sector(s, sector, &rules);
    find_banks(s, sector);
  }
  for (int sector = 0; sector < s->params->sectors; sector++)
    for (int bin = 0; bin < s->params->bins; bin++) {
      int at = sector * s->params->bins + bin;
      if (s->top[at] == INT32_MIN) /* no point will ask */
        continue;
      s->level[at] = level_of(s, sector, bin);
      if (s->level[at].up >= 0)
        stx_ground_judge(&s->level[at], s->params, bin, s->top[at], s->bank[at]);
    }
}

/* ---- 6. Labels ---------------------------------------------------------------------------- */

static void label_points(Scan *s)
{
  StxGroundResult *result = &s->result;
  float below = (float)s->params->max_dist_below;
  for (size_t i = 0; i < s->count; i++) {
    StxGroundPoint p = stx_ground_place(&s->frame, s->points + 4 * i);
    if (p.bin < 0) {
      s->labels[i] = STX_POINT_NONE;
      result->outside++;
    } else if (stx_ground_is_ground(&s->level[p.bin], below, &p)) {
      s->labels[i] = STX_POINT_GROUND;
      result->ground++;
    } else {
      s->labels[i] = STX_POINT_OBSTACLE;
      result->obstacles++;
    }
  }
}

/* ---- 7. Clusters -------------------------------------------------------------------------- */

static void open_cell(Scan *s, uint32_t cell, uint32_t cluster, int *depth)
{
  if (s->grid[cell] != CELL_OPEN)
    return;
  s->grid[cell] = cluster;
  s->stack[(*depth)++] = cell;
}

/* Numbers everything connected with the cell. */
static void flood(Scan *s, uint32_t first, uint32_t cluster)
{
  uint32_t side = (uint32_t)s->side;
  int depth = 0;
  open_cell(s, first, cluster, &depth);
  while (depth > 0) {
    uint32_t cell = s->stack[--depth];
    if (cell >= side)
      open_cell(s, cell - side, cluster, &depth);
    if (cell + side < side * side)
      open_cell(s, cell + side, cluster, &depth);
    if (cell % side > 0)
      open_cell(s, cell - 1, cluster, &depth);
    if (cell % side < side - 1)
      open_cell(s, cell + 1, cluster, &depth);
  }
}

static uint32_t cell_of(const Scan *s, size_t i)
{
  StxGroundGrid grid = stx_ground_grid(s->params, s->side);
  StxGroundPoint p = stx_ground_place(&s->frame, s->points + 4 * i);
  return stx_ground_grid_cell(&grid, p.x, p.y);
}

static void find_clusters(Scan *s)
{
  uint32_t cells = (uint32_t)s->side * (uint32_t)s->side, clusters = 0;
  for (uint32_t cell = 0; cell < cells; cell++)
    s->grid[cell] = 0;
  for (size_t i = 0; i < s->count; i++)
    if (s->labels[i] == STX_POINT_OBSTACLE)
      s->grid[cell_of(s, i)] = CELL_OPEN;
  for (uint32_t cell = 0; cell < cells; cell++)
    if (s->grid[cell] == CELL_OPEN)
      flood(s, cell, ++clusters);
  for (size_t i = 0; i < s->count; i++)
    if (s->labels[i] == STX_POINT_OBSTACLE)
      s->labels[i] = stx_ground_obstacle(s->grid[cell_of(s, i)]);
  s->result.clusters = clusters;
}

/* ---- All ---------------------------------------------------------------------------------- */

/* `s` is the first thing in the memory. */
static size_t lay_out(const StxGroundParams *params, Scan *s, char *memory)
{
  size_t bins = (size_t)params->sectors * (size_t)params->bins;
  size_t side = (size_t)stx_ground_side(params), cells = side * side;
  StxLayout at = {.memory = memory};
  stx_take(&at, sizeof(Scan));
  STX_TAKE(&at, s->key, bins);
  STX_TAKE(&at, s->top, bins);
  STX_TAKE(&at, s->own, bins);
  STX_TAKE(&at, s->level, bins);
  STX_TAKE(&at, s->bank, bins);
  STX_TAKE(&at, s->grid, cells);
  STX_TAKE(&at, s->stack, cells);
  return at.size;
}

static size_t stx_ground_scratch_c(const StxGroundParams *params, size_t count, int threads)
{
  (void)count, (void)threads;
  Scan layout;
  return lay_out(params, &layout, NULL);
}

static bool stx_ground_run_c(const StxGroundParams *params, const float *points, size_t count,
    uint32_t *labels, StxGroundResult *result, void *scratch, const StxPlace *place,
    StxError *error)
{
  Scan *s = scratch;
  lay_out(params, s, scratch);
  s->params = params;
  s->points = points;
  s->count = count;
  s->labels = labels;
  s->result = (StxGroundResult){0};
  s->side = stx_ground_side(params);
  level_scan(s);
  fill_bins(s);
  find_levels(s);
  label_points(s);
  if (s->side > 0)
    find_clusters(s);
  *result = s->result;
  return true;
}

const StxGroundImpl oracle_ground = {
    {"c", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, stx_ground_scratch_c, stx_ground_run_c};
