/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp, the summed-area tables of a group of columns, lanes interleaved.
 *
 * The columns are transposed first, so that from there on a row of the group is one vector. Class
 * costs: of a kind's classes only those are kept that are somewhere below every other kept one;
 * the others cannot be the cheapest over any stretch of cells. From label images that leaves the
 * few classes that the group really contains.
 */
#include "common/satdp/satdp_lanes_private.h"
#include "common/satdp/satdp_records_math.h"

#include <string.h>

/* ---- Transposition ------------------------------------------------------------------------ */

enum { BLOCK = 8 };
typedef uint16_t Block __attribute__((vector_size(2 * BLOCK)));

static inline Block load_block(const uint16_t *cells)
{
  Block block;
  memcpy(&block, cells, sizeof block);
  return block;
}

static inline Block zip_low16(Block a, Block b)
{
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

static inline Block zip_high16(Block a, Block b)
{
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

static inline Block zip_low32(Block a, Block b)
{
  return __builtin_shufflevector(a, b, 0, 1, 8, 9, 2, 3, 10, 11);
}

static inline Block zip_high32(Block a, Block b)
{
  return __builtin_shufflevector(a, b, 4, 5, 12, 13, 6, 7, 14, 15);
}

/* Four columns of eight cells; out[i] holds cells 2i and 2i + 1 of all four. */
static inline void transpose4(const uint16_t *const *column, int row, Block out[4])
{
  Block a = load_block(column[0] + row), b = load_block(column[1] + row);
  Block c = load_block(column[2] + row), d = load_block(column[3] + row);
  Block ab = zip_low16(a, b), cd = zip_low16(c, d);
  Block ab_high = zip_high16(a, b), cd_high = zip_high16(c, d);
  out[0] = zip_low32(ab, cd);
  out[1] = zip_high32(ab, cd);
  out[2] = zip_low32(ab_high, cd_high);
  out[3] = zip_high32(ab_high, cd_high);
}

/* Eight cell rows from `row` down; the lowest comes first in `out`. */
static void transpose_block(const uint16_t *const *column, int row, Cells *out)
{
  for (int part = 0; part < LANES; part += 4) {
    Block block[4];
    transpose4(column + part, row, block);
    for (int i = 0; i < 4; i++) {
      memcpy(&out[BLOCK - 1 - 2 * i][part], &block[i], 8);
      memcpy(&out[BLOCK - 2 - 2 * i][part], (const char *)&block[i] + 8, 8);
    }
  }
}

static void transpose_channel(const Group *g, int channel)
{
  int rows = g->tables->rows;
  Cells *out = g->raw + (size_t)channel * rows;
  const uint16_t *column[LANES];
  for (int l = 0; l < LANES; l++)
    column[l] = stx_column(&g->params->grid, (void *)g->columns, channel, g->column[l]);
  int u = 0;
  for (; u + BLOCK <= rows; u += BLOCK)
    transpose_block(column, rows - u - BLOCK, out + u);
  for (; u < rows; u++)
    for (int l = 0; l < LANES; l++)
      out[u][l] = column[l][rows - 1 - u];
}

/* ---- Depth ------------------------------------------------------------------------------- */

/* `v`: by stx_road_cell. */
static void add_depth_row(const Group *g, int u, int v)
{
  const StxSatdpTables *t = g->tables;
  const uint32_t *object_scale = t->object_scale;
  const uint16_t *disparity = g->raw[u], *weight = g->raw[t->rows + u], *above = g->above[u];
  const SumRow *below = &g->rows[u];
  SumRow *row = &g->rows[u + 1];
  uint32_t ground_scale = t->ground_scale[v], sky_scale = t->sky_scale;
  uint32_t evidence_scale = t->evidence_scale;
  const int32_t *object_noise = t->noise_object;
  int32_t x = t->x[u], unknown = t->unknown[v], hidden = t->hidden;
  double ground_noise = t->noise_ground[v], sky_noise = t->noise_sky;
  double ground_place = t->horizon_ground[v + 1] - t->horizon_ground[v];
  double sky_place = t->horizon_sky[v + 1] - t->horizon_sky[v] + (u == 0 ? t->first_sky : 0);
  double object_place = u == 0 ? t->first_object : 0;
  double hidden_place = u == 0 ? stx_first_object(t, STX_DISPARITY_UNKNOWN) : 0;
  uint32_t road = t->road[v], low = t->road_low[v], high = t->road_high[v];
  int32_t off_road = t->off_road;
  float slope = t->ground_slope;
  float horizon[LANES];
  memcpy(horizon, &g->terms.horizon_x, sizeof horizon);
  g->cut[u + 1] = set1_half_f32((float)t->cut[u + 1]);
  EACH_LANE
  {
    uint32_t cell = disparity[l], w = weight[l];
    double d = (double)(int32_t)cell, off = stx_deviation(slope, horizon[l], x, cell);
    double ground = (double)(int32_t)stx_fold(w, ground_scale, cell);
    double object = (double)(int32_t)stx_fold(w, object_scale[cell >> STX_OBJECT_BIN], cell);
    double sky = (double)(int32_t)stx_fold(w, sky_scale, cell);
    row->ground_w[l] = below->ground_w[l] + ground;
    row->ground_x[l] = below->ground_x[l] + ground * x;
    row->ground_xx[l] = below->ground_xx[l] + ground * x * x;
    row->ground_d[l] = below->ground_d[l] + ground * off;
    row->ground_xd[l] = below->ground_xd[l] + ground * x * off;
    row->ground_dd[l] = below->ground_dd[l] + ground * off * off;
    row->object_w[l] = below->object_w[l] + object;
    row->object_d[l] = below->object_d[l] + object * d;
    row->object_dd[l] = below->object_dd[l] + object * d * d;
    row->sky_dd[l] = below->sky_dd[l] + sky * d * d;
    bool known = cell != STX_DISPARITY_UNKNOWN;
    double noise = (double)object_noise[cell >> STX_OBJECT_BIN];
    double open = unknown + stx_sky_evidence(w, evidence_scale);
    row->placed[GROUND][l] = below->placed[GROUND][l] + ground_place +
                             (known ? ground_noise : open) +
                             stx_off_road(cell, low, high, off_road);
    row->placed[OBJECT][l] =
        below->placed[OBJECT][l] +
        (known ? object_place + noise : hidden_place + open + (above[l] < road ? hidden : 0));
    row->placed[SKY][l] = below->placed[SKY][l] + sky_place + (known ? sky_noise : 0.0);
  }
}

static void add_slant_row(const Group *g, int u)
{
  const StxSatdpTables *t = g->tables;
  const uint32_t *object_scale = t->object_scale;
  const uint16_t *disparity = g->raw[u], *weight = g->raw[t->rows + u];
  const SlantRow *below = &g->slants[u];
  SlantRow *row = &g->slants[u + 1];
  double x = t->x[u];
  EACH_LANE
  {
    uint32_t cell = disparity[l], scale = object_scale[cell >> STX_OBJECT_BIN];
    double d = (double)(int32_t)cell, w = (double)(int32_t)stx_fold(weight[l], scale, cell);
    row->x[l] = below->x[l] + w * x;
    row->xx[l] = below->xx[l] + w * x * x;
    row->xd[l] = below->xd[l] + w * x * d;
  }
}

/* The largest and the smallest of each cell and the one so many above it; in place. */
static void widen(uint16_t *near, uint16_t *far, int above, int count)
{
  for (int i = 0; i < count; i++) {
    near[i] = near[i + above] > near[i] ? near[i + above] : near[i];
    far[i] = far[i + above] < far[i] ? far[i + above] : far[i];
  }
}

static void build_depth(const Group *g)
{
  int rows = g->tables->rows;
  transpose_channel(g, 0);
  transpose_channel(g, 1);
  memset(g->above[rows - 1], 0, sizeof(Cells));
  for (int u = rows - 2; u >= 0; u--) {
    const uint16_t *next = g->raw[u + 1], *above = g->above[u + 1];
    uint16_t *to = g->above[u];
    EACH_LANE
    to[l] = next[l] != STX_DISPARITY_UNKNOWN ? next[l] : above[l];
  }
  memset(&g->rows[0], 0, sizeof(SumRow));
  g->cut[0] = set1_half_f32((float)g->tables->cut[0]);
  for (int u = 0; u < rows; u++) {
    add_depth_row(g, u, stx_road_cell(g->tables, g->drop, u));
    if (g->params->prior == NULL)
      continue;
    EACH_LANE
    {
      uint32_t prior = g->params->prior[(size_t)g->column[l] * rows + rows - 1 - u];
      for (int kind = 0; kind < KINDS; kind++)
        g->rows[u + 1].placed[kind][l] += stx_prior_energy(g->tables, kind, prior);
    }
  }
  memcpy(g->near, g->raw, rows * sizeof(Cells));
  memset(g->near[rows], 0, sizeof(Cells));
  memcpy(g->far, g->near, (rows + 1) * sizeof(Cells));
  for (int above = 1; above < AHEAD && above < rows; above *= 2)
    widen(g->near[0], g->far[0], above * LANES, (rows - above) * LANES);
  memset(g->rest[rows], 0, sizeof(Lanes));
  for (int u = rows - 1; u >= 0; u--) {
    const double *above = g->rest[u + 1];
    double *rest = g->rest[u];
    const uint16_t *disparity = g->raw[u];
    EACH_LANE
    rest[l] = stx_max(above[l], (double)(int32_t)disparity[l]);
  }
}

/* ---- Classes ----------------------------------------------------------------------------- */

static const Cells *class_cells(const Group *g, int class)
{
  return g->raw + (size_t)(2 + class) * g->tables->rows;
}

/* Sums of a class's costs, so that most comparisons end there: where one class is nowhere dearer
 * than another, no such sum is larger. */
enum { PARTS = 16 };
typedef struct {
  int32_t sum[PARTS];
} Digest;

static Digest digest_class(const Group *g, int class)
{
  const uint16_t *cells = class_cells(g, class)[0];
  int count = g->tables->rows * LANES, i = 0;
  Digest digest = {{0}};
  for (; i + PARTS <= count; i += PARTS)
    for (int j = 0; j < PARTS; j++)
      digest.sum[j] += cells[i + j];
  for (int j = 0; i < count; i++, j++)
    digest.sum[j] += cells[i];
  return digest;
}

/* A kept class. */
typedef struct {
  int class;
  Digest digest;
} Kept;

/* True if class a is nowhere dearer than class b. */
static bool undercuts(const Group *g, const Kept *a, const Kept *b)
{
  const uint16_t *x = class_cells(g, a->class)[0], *y = class_cells(g, b->class)[0];
  int count = g->tables->rows * LANES, tile = 8 * LANES;
  int32_t larger = 0;
  for (int j = 0; j < PARTS; j++)
    larger |= b->digest.sum[j] - a->digest.sum[j];
  if (larger < 0)
    return false;
  for (int at = 0; at < count; at += tile) {
    int end = at + tile < count ? at + tile : count, dearer = 0;
    for (int i = at; i < end; i++)
      dearer |= x[i] > y[i];
    if (dearer)
      return false;
  }
  return true;
}

/* Adds the class to `kept` unless it cannot win; returns the new length. */
static int keep_class(const Group *g, int class, Kept *kept, int count)
{
  int left = 0;
  Kept new = {class, digest_class(g, class)};
  for (int i = 0; i < count; i++)
    if (undercuts(g, &kept[i], &new))
      return count;
  for (int i = 0; i < count; i++)
    if (!undercuts(g, &new, &kept[i]))
      kept[left++] = kept[i];
  kept[left] = new;
  return left + 1;
}

static void choose_classes(Group *g, Kept *kept)
{
  int classes = g->params->grid.classes, filled = 0;
  for (int class = 0; class < classes; class ++)
    transpose_channel(g, 2 + class);
  for (int kind = 0; kind < KINDS; kind++) {
    uint32_t own = stx_kind_classes(g->params, kind);
    Kept *mine = kept + filled;
    int count = 0;
    for (int class = 0; class < classes; class ++)
      if (own >> class & 1)
        count = keep_class(g, class, mine, count);
    g->classes[kind] = filled;
    filled += count;
  }
  g->classes[KINDS] = filled;
}

/* The cost of a class in two rows of cells. */
typedef struct {
  HalfI32 low, high;
} Two;

INLINE Two class_energies(const Cells *cells, int32_t scale)
{
  typedef uint16_t Narrow __attribute__((vector_size(4 * LANES)));
  typedef int32_t Wide __attribute__((vector_size(8 * LANES)));
  Narrow costs;
  Two two;
  memcpy(&costs, cells, sizeof costs);
  Wide energy = (__builtin_convertvector(costs, Wide) * scale + 128) >> 8; /* stx_class_energy */
  memcpy(&two, &energy, sizeof two);
  return two;
}

/* Two cell rows: the classes' sums, and what the cheapest of a kind costs. */
static inline Two add_class_rows(const Group *g, const Kept *kept, int kind, int u)
{
  int stride = g->classes[KINDS], begin = g->classes[kind], count = g->classes[kind + 1] - begin;
  const HalfI32 *below = (const HalfI32 *)(const void *)g->sums + u * stride + begin;
  HalfI32 *sums = (HalfI32 *)(void *)g->sums + (u + 1) * stride + begin;
  int32_t scale = g->tables->class_scale;
  Two least = {(HalfI32){0}, (HalfI32){0}};
  for (int i = 0; i < count; i++) {
    Two energy = class_energies(class_cells(g, kept[begin + i].class) + u, scale);
    sums[i] = below[i] + energy.low;
    sums[stride + i] = sums[i] + energy.high;
    least.low = i == 0 ? energy.low : min_half_i32(least.low, energy.low);
    least.high = i == 0 ? energy.high : min_half_i32(least.high, energy.high);
  }
  return least;
}

static void build_lower(const Group *g, const Kept *kept)
{
  int rows = g->tables->rows;
  VecF64 floor[KINDS] = {set1_f64(0), set1_f64(0), set1_f64(0)};
  for (int u = 0; u < rows; u += 2) /* after the last there is room for another one */
    for (int kind = 0; kind < KINDS; kind++) {
      Two least = add_class_rows(g, kept, kind, u);
      SumRow *row = &g->rows[u + 1];
      floor[kind] += widen_i32(least.low);
      store_f64(row->lower[kind], load_f64(row->placed[kind]) + floor[kind]);
      if (u + 1 == rows)
        continue;
      floor[kind] += widen_i32(least.high);
      store_f64(row[1].lower[kind], load_f64(row[1].placed[kind]) + floor[kind]);
    }
}

void STX_VARIANT(stx_satdp_build)(Group *g)
{
  Kept kept[STX_MAX_CLASSES];
  build_depth(g);
  if (g->slants != NULL)
    memset(&g->slants[0], 0, sizeof(SlantRow));
  for (int u = 0; g->slants != NULL && u < g->tables->rows; u++)
    add_slant_row(g, u);
  choose_classes(g, kept);
  memset(g->sums, 0, (size_t)g->classes[KINDS] * sizeof(Ints));
  build_lower(g, kept);
}
