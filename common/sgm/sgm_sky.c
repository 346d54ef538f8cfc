/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sky on the host, see sgm_sky.h. Work per pixel is done in rows of tiles by several threads;
 * what is serial, the patches, touches tiles only. Costs are computed where they are needed, a few
 * thousand census words in place of all.
 */
#include "common/sgm/sgm_sky_math.h"

#include <string.h>

#include "common/parallel.h"
#include "common/sgm/sgm_math.h"

#define NO_PATCH (-1)

/* Tiles that are looked at together, and their columns of pixels: numbers that the compiler knows,
 * so that it makes vectors of them. */
enum {
  TILES = 16,
  PIECE = TILES * STX_SGM_TILE,
  MOST_TILES = STX_SGM_MAX_SIZE / STX_SGM_TILE + 3 * TILES /* of a row */
};

/* The number of tiles, the total of their sums, and how many are flat. */
typedef struct {
  uint64_t total;
  uint32_t count;
  StxSgmSpans spans;
} Light;

typedef struct {
  const StxSgmParams *params;
  const StxImage8 *left, *right;
  const StxImage16 *disparity;
  const StxImage8 *confidence;
  int columns, rows; /* of tiles */
  int stride;        /* tiles from row to row: whole pieces, with one in front */
  int level, range;  /* of sgm_sky.h; and so are the next */
  int clouds, rest;
  uint8_t *low, *high; /* least and greatest gray value of each tile, stride · rows */
  uint16_t *sum;       /* of its gray values; so are the next six */
  uint8_t *smooth;     /* 1: yes; and the next two */
  uint8_t *candidate;
  uint8_t *inner;    /* candidates in a patch */
  int32_t *parent;   /* of a candidate in its tree: the root has the least index of the patch */
  int8_t *vote;      /* of a sample, else 0 … */
  uint8_t *cost;     /* … and its C(p,0), plus 1 to tell it from none */
  Light *row_light;  /* rows: tiles that are not blank; … */
  Light *row_ground; /* … and those of them that are ground */
  uint8_t *step;     /* stride · rows: of growth, in which a tile became sky */
  int32_t *grown;    /* likewise: tiles of the sky in the order of these steps */
  uint8_t *has_sky;  /* rows */
  /* Patches by root, stride each: only those that begin at the top edge count. */
  StxSgmPatch *patches;
  uint8_t *is_sky;
} Sky;

static size_t lay_out(Sky *s, const StxSgmParams *params, void *base)
{
  StxLayout at = {.memory = base};
  s->params = params;
  s->columns = (params->width + STX_SGM_TILE - 1) / STX_SGM_TILE;
  s->rows = (params->height + STX_SGM_TILE - 1) / STX_SGM_TILE;
  s->stride = TILES + (s->columns + STX_SGM_SKY_RIM + TILES - 1) / TILES * TILES;
  size_t count = (size_t)s->stride * (size_t)s->rows;
  STX_TAKE(&at, s->low, count);
  STX_TAKE(&at, s->high, count);
  STX_TAKE(&at, s->sum, count);
  STX_TAKE(&at, s->smooth, count);
  STX_TAKE(&at, s->candidate, count);
  STX_TAKE(&at, s->inner, count);
  STX_TAKE(&at, s->parent, count);
  STX_TAKE(&at, s->vote, count);
  STX_TAKE(&at, s->cost, count);
  STX_TAKE(&at, s->row_light, s->rows);
  STX_TAKE(&at, s->row_ground, s->rows);
  STX_TAKE(&at, s->step, count);
  STX_TAKE(&at, s->grown, count);
  STX_TAKE(&at, s->has_sky, s->rows);
  STX_TAKE(&at, s->patches, s->stride);
  STX_TAKE(&at, s->is_sky, s->stride);
  return at.size;
}

size_t stx_sgm_sky_scratch(const StxSgmParams *params)
{
  Sky sky;
  return lay_out(&sky, params, NULL);
}

static int min2(int a, int b)
{
  return a < b ? a : b;
}

static int max2(int a, int b)
{
  return a > b ? a : b;
}

static size_t index_of(const Sky *s, int i, int j)
{
  return (size_t)j * (size_t)s->stride + (size_t)(TILES + i);
}

/* ---- Tiles and candidates ----------------------------------------------------------------- */

static StxSgmTile tile_at(const Sky *s, size_t at)
{
  return (StxSgmTile){s->low[at], s->high[at], s->sum[at]};
}

static void look_at_tile(const Sky *s, int i, int j)
{
  StxSgmTile tile = {UINT8_MAX, 0, 0};
  size_t at = index_of(s, i, j);
  for (int k = 0; k < STX_SGM_TILE * STX_SGM_TILE; k++) {
    int x = min2(i * STX_SGM_TILE + k % STX_SGM_TILE, s->params->width - 1);
    int y = min2(j * STX_SGM_TILE + k / STX_SGM_TILE, s->params->height - 1);
    uint8_t gray = stx_row8(s->left, y)[x];
    tile.low = gray < tile.low ? gray : tile.low;
    tile.high = gray > tile.high ? gray : tile.high;
    tile.sum = (uint16_t)(tile.sum + gray);
  }
  s->low[at] = tile.low;
  s->high[at] = tile.high;
  s->sum[at] = tile.sum;
}

/* Columns of pixels of a piece; in the end its tiles, from the first on. */
typedef struct {
  uint8_t low[PIECE], high[PIECE];
  uint16_t sum[PIECE];
} Columns;

static void add_row(Columns *c, const uint8_t *restrict gray)
{
  for (int x = 0; x < PIECE; x++) {
    c->low[x] = gray[x] < c->low[x] ? gray[x] : c->low[x];
    c->high[x] = gray[x] > c->high[x] ? gray[x] : c->high[x];
    c->sum[x] = (uint16_t)(c->sum[x] + gray[x]);
  }
}

/* Unites two neighbours, the halves of a word: in this form the compiler makes vectors of them. */
static inline void unite_neighbours(Columns *c, int count)
{
  uint16_t low[PIECE / 2], high[PIECE / 2];
  uint32_t sum[PIECE / 2];
  memcpy(low, c->low, sizeof low);
  memcpy(high, c->high, sizeof high);
  memcpy(sum, c->sum, sizeof sum);
  for (int k = 0; k < count; k++) {
    uint8_t a = (uint8_t)low[k], b = (uint8_t)(low[k] >> 8);
    c->low[k] = a < b ? a : b;
  }
  for (int k = 0; k < count; k++) {
    uint8_t a = (uint8_t)high[k], b = (uint8_t)(high[k] >> 8);
    c->high[k] = a > b ? a : b;
  }
  for (int k = 0; k < count; k++)
    c->sum[k] = (uint16_t)(sum[k] + (sum[k] >> 16));
}

/* The tiles of a piece from tile (i, j) on. */
static void look_at_piece(const Sky *s, int i, int j)
{
  Columns c = {.sum = {0}};
  size_t at = index_of(s, i, j);
  memset(c.low, UINT8_MAX, sizeof c.low);
  for (int v = 0; v < STX_SGM_TILE; v++)
    add_row(&c,
        stx_row8(s->left, min2(j * STX_SGM_TILE + v, s->params->height - 1)) + i * STX_SGM_TILE);
  unite_neighbours(&c, PIECE / 2);
  unite_neighbours(&c, PIECE / 4);
  memcpy(s->low + at, c.low, TILES);
  memcpy(s->high + at, c.high, TILES);
  memcpy(s->sum + at, c.sum, TILES * sizeof *c.sum);
}
_Static_assert(STX_SGM_TILE == 4, "look_at_piece");

static void add_to_light(Light *light, uint64_t total, uint32_t count, StxSgmSpans spans)
{
  StxSgmSpans sum = light->spans;
  *light = (Light){light->total + total, light->count + count,
      {sum.flat + spans.flat, sum.rough + spans.rough, sum.rougher + spans.rougher}};
}

/* Adds up row j. */
static void add_light(const Sky *s, int j)
{
  int width = s->params->width;
  const uint16_t *disparity = stx_row16(s->disparity, stx_sgm_tile_centre(j, s->params->height));
  Light all = {0}, ground = {0};
  for (int i = 0; i < s->columns; i++) {
    StxSgmTile tile = tile_at(s, index_of(s, i, j));
    bool seen = !stx_sgm_is_blank(tile.sum);
    bool below = seen & !stx_sgm_is_infinite(disparity[stx_sgm_tile_centre(i, width)], width);
    add_to_light(&all, seen * tile.sum, seen, stx_sgm_spans(tile));
    add_to_light(&ground, below * tile.sum, below, (StxSgmSpans){0});
  }
  s->row_light[j] = all;
  s->row_ground[j] = ground;
}

static Light add_rows(const Sky *s, const Light *rows)
{
  Light all = {0};
  for (int j = 0; j < s->rows; j++)
    add_to_light(&all, rows[j].total, rows[j].count, rows[j].spans);
  return all;
}

/* Around them are tiles without gray values. */
static void look_at_tiles(void *data, int j, int worker)
{
  const Sky *s = data;
  size_t row = (size_t)j * (size_t)s->stride;
  int i = 0;
  memset(s->low + row, UINT8_MAX, (size_t)s->stride);
  memset(s->high + row, 0, (size_t)s->stride);
  memset(s->sum + row, 0, (size_t)s->stride * sizeof *s->sum);
  for (; i * STX_SGM_TILE + PIECE <= s->params->width; i += TILES)
    look_at_piece(s, i, j);
  for (; i < s->columns; i++)
    look_at_tile(s, i, j);
  add_light(s, j);
}

typedef struct {
  uint8_t low[TILES], high[TILES];
} Ranges;

static void add_tiles(
    Ranges *restrict ranges, const uint8_t *restrict low, const uint8_t *restrict high)
{
  for (int k = 0; k < TILES; k++)
    ranges->low[k] = low[k] < ranges->low[k] ? low[k] : ranges->low[k];
  for (int k = 0; k < TILES; k++)
    ranges->high[k] = high[k] > ranges->high[k] ? high[k] : ranges->high[k];
}

/* Finds the range, over all tiles up to `reach` away, of each tile of a piece from (i, j) on. */
static void find_ranges(const Sky *s, int i, int j, int reach, Ranges *ranges)
{
  memset(ranges->low, UINT8_MAX, TILES);
  memset(ranges->high, 0, TILES);
  for (int v = max2(j - reach, 0); v <= min2(j + reach, s->rows - 1); v++)
    for (int u = i - reach; u <= i + reach; u++)
      add_tiles(ranges, s->low + index_of(s, u, v), s->high + index_of(s, u, v));
}

/* ---- Samples ------------------------------------------------------------------------------ */

/* Pixel (x, y), half a window to its left and right; outside of the image its border repeats. */
static const uint8_t *look_around(
    const StxImage8 *image, int x, int y, uint8_t copy[2 * STX_SGM_WINDOW_X + 1])
{
  const int reach = STX_SGM_WINDOW_X, last = image->width - 1;
  const uint8_t *row = stx_row8(image, min2(max2(y, 0), image->height - 1));
  if (x >= reach && x + reach <= last)
    return row + x;
  for (int dx = -reach; dx <= reach; dx++)
    copy[reach + dx] = row[min2(max2(x + dx, 0), last)];
  return copy + reach;
}

/* 1 in each byte where the one of `a` exceeds the one of `b`, which is read backwards. */
static uint64_t greater(const uint8_t *a, const uint8_t *b)
{
  typedef uint8_t Bytes __attribute__((vector_size(8)));
  uint64_t forward, backward;
  memcpy(&forward, a, sizeof forward);
  memcpy(&backward, b, sizeof backward);
  Bytes ones = (Bytes)((Bytes)forward > (Bytes)__builtin_bswap64(backward)) & 1;
  return (uint64_t)ones;
}

/* The bits of T(x, y) in an order of its own. */
static uint64_t census(const StxImage8 *image, int x, int y)
{
  static const uint8_t first[8] = {1, 1, 1, 1};
  uint8_t copies[2][2 * STX_SGM_WINDOW_X + 1];
  const uint8_t *here = look_around(image, x, y, copies[0]);
  uint64_t word;
  memcpy(&word, first, sizeof word);
  word &= greater(here - 4, here - 3);
  for (int dy = 1; dy <= STX_SGM_WINDOW_Y; dy++) {
    const uint8_t *above = look_around(image, x, y - dy, copies[0]);
    const uint8_t *below = look_around(image, x, y + dy, copies[1]);
    word |= greater(above - 4, below - 3) << dy;
    word |= (uint64_t)(above[4] > below[-4]) << (4 + dy);
  }
  return word;
}
_Static_assert(STX_SGM_WINDOW_X == 4 && STX_SGM_WINDOW_Y == 3, "census");

/* The disparity in a row at the centre of tile i, or STX_DISPARITY_UNKNOWN where there is none that
 * can be told from 0. */
static uint16_t finite_at(const Sky *s, int i, const uint16_t *row)
{
  int width = s->params->width;
  if (i < 0 || i >= s->columns)
    return STX_DISPARITY_UNKNOWN;
  uint16_t disparity = row[stx_sgm_tile_centre(i, width)];
  return stx_sgm_is_infinite(disparity, width) ? STX_DISPARITY_UNKNOWN : disparity;
}

/* The sample at the centre of tile (i, j), whose index is `at`. */
static void take_sample(const Sky *s, int i, int j, size_t at)
{
  int x = stx_sgm_tile_centre(i, s->params->width), y = stx_sgm_tile_centre(j, s->params->height);
  const uint16_t *row = stx_row16(s->disparity, y);
  uint16_t beside[] = {finite_at(s, i - 2, row), finite_at(s, i + 2, row)};
  int witnesses = (beside[0] > 0) + (beside[1] > 0), votes = 0;
  if (finite_at(s, i, row) == STX_DISPARITY_UNKNOWN || witnesses == 0)
    return;
  uint64_t word = census(s->left, x, y);
  int far = __builtin_popcountll(word ^ census(s->right, x, y));
  for (int k = 0; k < 2; k++)
    if (beside[k] > 0)
      votes += far - __builtin_popcountll(
                         word ^ census(s->right, max2(x - stx_sgm_rounded(beside[k]), 0), y));
  s->vote[at] = (int8_t)(votes / witnesses);
  s->cost[at] = (uint8_t)(far + 1);
}

static void take_samples(void *data, int j, int worker)
{
  const Sky *s = data;
  size_t row = (size_t)j * (size_t)s->stride, count = (size_t)s->stride;
  memset(s->smooth + row, 0, count);
  memset(s->vote + row, 0, count);
  memset(s->cost + row, 0, count);
  for (int i = 0; i < s->columns; i += TILES) {
    uint8_t *smooth = s->smooth + index_of(s, i, j);
    const uint16_t *sum = s->sum + index_of(s, i, j);
    Ranges around;
    find_ranges(s, i, j, 1, &around);
    for (int k = 0; k < TILES; k++)
      smooth[k] = stx_sgm_is_smooth(around.high[k] - around.low[k], sum[k], s->range);
  }
  memset(s->smooth + row + TILES + s->columns, 0, count - TILES - (size_t)s->columns);
  for (int i = j % 2; i < s->columns; i += 2)
    if (s->smooth[index_of(s, i, j)])
      take_sample(s, i, j, index_of(s, i, j));
}

/* ---- Candidates --------------------------------------------------------------------------- */

/* Takes the tiles away that the other camera sees elsewhere. */
static void leave_near(const Sky *s, int j, uint8_t *candidate)
{
  int16_t votes[MOST_TILES] = {0}, costs[MOST_TILES] = {0};
  size_t count = (size_t)s->stride;
  for (int v = max2(j - 2, 0); v <= min2(j + 2, s->rows - 1); v++) {
    const int8_t *vote = s->vote + (size_t)v * count;
    const uint8_t *cost = s->cost + (size_t)v * count;
    for (size_t i = 0; i < count; i++) {
      votes[i] = (int16_t)(votes[i] + vote[i]);
      costs[i] = (int16_t)(costs[i] + cost[i] - (cost[i] > 0));
    }
  }
  for (size_t i = TILES; i < count - 2; i++)
    candidate[i] &=
        !stx_sgm_is_near(votes[i - 2] + votes[i - 1] + votes[i] + votes[i + 1] + votes[i + 2],
            costs[i - 2] + costs[i - 1] + costs[i] + costs[i + 1] + costs[i + 2]);
}

static void find_candidates(void *data, int j, int worker)
{
  const Sky *s = data;
  int y = stx_sgm_tile_centre(j, s->params->height), width = s->params->width;
  const uint16_t *disparity = stx_row16(s->disparity, y), *sum = s->sum + index_of(s, 0, j);
  uint8_t *candidate = s->candidate + index_of(s, 0, j);
  memcpy(candidate - TILES, s->smooth + index_of(s, 0, j) - TILES, (size_t)s->stride);
  for (int i = 0; i < s->columns; i++)
    candidate[i] |=
        stx_sgm_is_cloud(disparity[stx_sgm_tile_centre(i, width)], width, sum[i], s->clouds);
  leave_near(s, j, candidate - TILES);
}

/* 1 for candidates whose neighbours all are; what is outside of the image counts as one. */
static void find_inner(void *data, int j, int worker)
{
  const Sky *s = data;
  const uint8_t *here = s->candidate + (size_t)j * (size_t)s->stride;
  const uint8_t *above = j > 0 ? here - s->stride : here;
  const uint8_t *below = j + 1 < s->rows ? here + s->stride : here;
  uint8_t column[STX_SGM_MAX_SIZE / STX_SGM_TILE + 3 * TILES],
      *inner = s->inner + (size_t)j * (size_t)s->stride;
  for (int i = 0; i < s->stride; i++)
    column[i] = above[i] & here[i] & below[i];
  column[TILES - 1] = column[TILES + s->columns] = 1;
  memset(inner, 0, (size_t)s->stride);
  for (int i = TILES; i < TILES + s->columns; i++)
    inner[i] = column[i - 1] & column[i] & column[i + 1];
}

/* ---- Patches ------------------------------------------------------------------------------ */

static int32_t root_of(const Sky *s, int32_t at)
{
  while (s->parent[at] != at)
    at = s->parent[at] = s->parent[s->parent[at]];
  return at;
}

/* The lesser root becomes that of both. */
static void unite(const Sky *s, int32_t a, int32_t b)
{
  a = root_of(s, a);
  b = root_of(s, b);
  s->parent[max2(a, b)] = min2(a, b);
}

/* Unites a tile with the next one of a patch above, if only a wire is between (union-find). */
static void unite_across(const Sky *s, int32_t at)
{
  StxSgmTile tile = tile_at(s, (size_t)at);
  for (int k = 1, wire = 0; wire <= STX_SGM_SKY_WIRE && k <= STX_SGM_SKY_WIRE + 5; k++) {
    int32_t above = at - k * s->stride;
    if (above < 0)
      return;
    bool same = stx_sgm_is_same_sky(tile, tile_at(s, (size_t)above), s->range);
    if (s->inner[above] && same)
      unite(s, at, above);
    if (s->inner[above])
      return;
    wire += !same;
  }
}

/* Joins a tile with those to its left and above, unless these are joined already. */
static void connect_tile(const Sky *s, int32_t at)
{
  int32_t above = at - s->stride;
  bool left = s->inner[at - 1];
  s->parent[at] = left ? s->parent[at - 1] : at;
  if (above < 0)
    return;
  if (!s->inner[above])
    unite_across(s, at);
  else if (!left || !s->inner[above - 1])
    unite(s, at, above);
}

static size_t all_tiles(const Sky *s)
{
  return (size_t)s->stride * (size_t)s->rows;
}

/* The first inner tile from `at` on, or what is behind the last tile. */
static size_t next_inner(const Sky *s, size_t at)
{
  size_t end = all_tiles(s);
  if (at < end && s->inner[at])
    return at;
  const uint8_t *next = memchr(s->inner + at, 1, end - at);
  return next != NULL ? (size_t)(next - s->inner) : end;
}

static bool is_blank(const Sky *s, int i, int j)
{
  return stx_sgm_is_blank(s->sum[index_of(s, i, j)]);
}

/* Joins a tile at the top edge that is in no patch with the first patch below it: open below blank
 * ones, else enclosed unless it is open elsewhere. */
static void connect_to_edge(const Sky *s, int i)
{
  int32_t top = (int32_t)index_of(s, i, 0);
  int first = 0;
  if (s->inner[top])
    return;
  while (first < s->rows && is_blank(s, i, first))
    first++;
  s->parent[top] = top;
  int end = first > 0 ? min2(first + STX_SGM_SKY_EDGE + 1, s->rows) : s->rows;
  for (int j = first; j < end; j++)
    if (s->inner[index_of(s, i, j)]) {
      unite(s, top, (int32_t)index_of(s, i, j));
      return;
    }
}

static void connect(const Sky *s)
{
  const size_t end = all_tiles(s);
  for (size_t at = next_inner(s, 0); at < end; at = next_inner(s, at + 1))
    connect_tile(s, (int32_t)at);
  for (int i = 0; i < s->columns; i++)
    connect_to_edge(s, i);
  for (int i = 0; i < s->columns; i++)
    if (!s->inner[index_of(s, i, 0)])
      s->parent[index_of(s, i, 0)] = root_of(s, (int32_t)index_of(s, i, 0));
  for (size_t at = next_inner(s, 0); at < end; at = next_inner(s, at + 1))
    s->parent[at] = s->parent[s->parent[at]]; /* the root comes first */
}

/* The patch of a tile by its root, or NO_PATCH if it is joined with no tile at the top edge. */
static int32_t patch_of(const Sky *s, size_t at)
{
  int32_t root = s->parent[at];
  return root < s->stride ? root : NO_PATCH;
}

/* ---- The sky ------------------------------------------------------------------------------ */

static bool is_candidate(const Sky *s, int i, int j)
{
  return s->candidate[index_of(s, i, j)] != 0;
}

/* True if pixel (x, y) is seen at disparity d. */
static bool is_seen(const Sky *s, int x, int y, int d)
{
  uint64_t word = census(s->left, x, y);
  int cost = __builtin_popcountll(word ^ census(s->right, max2(x - d, 0), y));
  bool seen = true;
  for (int k = 8; k <= STX_SGM_SKY_NEARER && seen && d + k <= x; k *= 2)
    seen = stx_sgm_is_seen(cost, __builtin_popcountll(word ^ census(s->right, x - d - k, y)));
  return seen;
}

/* The tile three steps from tile (i, j) in one direction, if the patch ends before it. */
static void look_beyond(const Sky *s, StxSgmOutline *outline, int i, int j, int di, int dj)
{
  int u = i + 3 * di, v = j + 3 * dj;
  if (u < 0 || u >= s->columns || v < 0 || v >= s->rows || is_candidate(s, u - di, v - dj) ||
      is_candidate(s, u, v) || is_blank(s, u, v))
    return;
  int x = stx_sgm_tile_centre(u, s->params->width), y = stx_sgm_tile_centre(v, s->params->height);
  uint16_t disparity = stx_row16(s->disparity, y)[x];
  if (disparity != STX_DISPARITY_UNKNOWN)
    stx_sgm_add_outline(
        outline, u, disparity, is_seen(s, x, y, stx_sgm_rounded(disparity)), s->params->width);
}

static void add_up_patches(const Sky *s)
{
  memset(s->patches, 0, (size_t)s->stride * sizeof *s->patches);
  for (int i = 0; i < s->columns; i++)
    if (s->inner[index_of(s, i, 0)] || is_blank(s, i, 0))
      s->patches[patch_of(s, index_of(s, i, 0))].open = 1;
  for (size_t at = next_inner(s, 0); at < all_tiles(s); at = next_inner(s, at + 1)) {
    int32_t root = patch_of(s, at);
    if (root == NO_PATCH)
      continue;
    int i = (int)at % s->stride - TILES, j = (int)at / s->stride;
    StxSgmPatch *patch = &s->patches[root];
    patch->tiles++;
    patch->light += s->sum[at];
    patch->samples += s->cost[at] > 0;
    patch->clipped += stx_sgm_is_clipped(tile_at(s, at));
    patch->votes += s->vote[at];
    patch->costs += s->cost[at] - (s->cost[at] > 0);
    look_beyond(s, &patch->outline, i, j, -1, 0);
    look_beyond(s, &patch->outline, i, j, 1, 0);
    look_beyond(s, &patch->outline, i, j, 0, -1);
    look_beyond(s, &patch->outline, i, j, 0, 1);
  }
}

/* The mean of `all` without the open patches. */
static int rest_of(const Sky *s, Light all)
{
  for (int root = 0; root < s->stride; root++)
    if (s->patches[root].open) {
      all.total -= s->patches[root].light;
      all.count -= s->patches[root].tiles;
    }
  return stx_sgm_sky_level(all.total, all.count);
}

static int light_of(const Sky *s, int root)
{
  return stx_sgm_patch_light(&s->patches[root], s->level);
}

static uint64_t rank_of(const Sky *s, int root)
{
  return stx_sgm_patch_rank(&s->patches[root], light_of(s, root), s->rest, s->columns * s->rows);
}

/* Brightnesses of what is sure, a bit for each. */
static uint64_t lights_of_sky(const Sky *s)
{
  int largest = 0;
  uint64_t lights = 0;
  for (int root = 1; root < s->stride; root++)
    if (rank_of(s, root) > rank_of(s, largest))
      largest = root;
  for (int root = 0; root < s->stride; root++)
    if (rank_of(s, root) > 0 && rank_of(s, root) >> 32 == rank_of(s, largest) >> 32 &&
        stx_sgm_is_alike(light_of(s, root), light_of(s, largest), 20))
      lights |= (uint64_t)1 << light_of(s, root);
  return lights;
}

static void choose_sky(const Sky *s)
{
  uint64_t lights = lights_of_sky(s);
  for (int root = 0; root < s->stride; root++)
    s->is_sky[root] =
        s->patches[root].tiles > 0 &&
        stx_sgm_patch_is_sky(&s->patches[root], light_of(s, root), lights, s->columns * s->rows);
}

/* ---- Growth ------------------------------------------------------------------------------- */

enum { NO_SKY = STX_SGM_SKY_GROWTH + 1 }; /* in place of the step of a tile */

/* Finds the tiles of the sky's patches; returns how many there are. */
static size_t find_sky(const Sky *s)
{
  size_t count = 0;
  memset(s->step, NO_SKY, all_tiles(s));
  for (size_t at = next_inner(s, 0); at < all_tiles(s); at = next_inner(s, at + 1)) {
    int32_t root = patch_of(s, at);
    if (root == NO_PATCH || !s->is_sky[root])
      continue;
    s->step[at] = 0;
    s->grown[count++] = (int32_t)at;
  }
  return count;
}

/* Adds the gray values that the sky had in a tile before this step. */
static StxSgmGrays add_grays_before(const Sky *s, StxSgmGrays grays, int32_t at, int step)
{
  if (at < 0 || at >= (int32_t)all_tiles(s) || s->step[at] >= step)
    return grays;
  return stx_sgm_both_grays(grays, (StxSgmGrays){s->low[at], s->high[at]});
}

/* Makes a tile sky if it is like that beside it, whose gray values it takes. */
static size_t grow_into(const Sky *s, int32_t at, int step, size_t count)
{
  if (at < 0 || at >= (int32_t)all_tiles(s) || s->step[at] <= step)
    return count;
  const int32_t beside[] = {at - s->stride, at - 1, at + 1, at + s->stride};
  int column = at % s->stride - TILES;
  StxSgmGrays sky = stx_sgm_no_grays();
  for (int k = 0; k < 4; k++)
    sky = add_grays_before(s, sky, beside[k], step);
  if (column < 0 || column >= s->columns ||
      !stx_sgm_grows((StxSgmGrays){s->low[at], s->high[at]}, sky, s->sum[at], s->range))
    return count;
  s->low[at] = sky.low;
  s->high[at] = sky.high;
  s->step[at] = (uint8_t)step;
  s->grown[count] = at;
  return count + 1;
}

/* Region growing: in each step only tiles beside those of the last can become sky. */
static void grow(const Sky *s)
{
  size_t first = 0, end = find_sky(s), count = end;
  for (int step = 1; step <= STX_SGM_SKY_GROWTH; step++) {
    for (size_t k = first; k < end; k++) {
      count = grow_into(s, s->grown[k] - 1, step, count);
      count = grow_into(s, s->grown[k] + 1, step, count);
      count = grow_into(s, s->grown[k] - s->stride, step, count);
      count = grow_into(s, s->grown[k] + s->stride, step, count);
    }
    first = end;
    end = count;
  }
}

/* ---- Marks -------------------------------------------------------------------------------- */

/* Takes away the gray values of what is not in the sky. */
static void keep_sky(void *data, int j, int worker)
{
  const Sky *s = data;
  size_t row = index_of(s, 0, j), count = (size_t)s->columns;
  const uint8_t *step = s->step + row;
  uint8_t *restrict low = s->low + row, *restrict high = s->high + row, some = 0;
  for (size_t i = 0; i < count; i++) {
    uint8_t sky = step[i] != NO_SKY;
    low[i] |= (uint8_t)(sky - 1);
    high[i] &= (uint8_t)-sky;
    some |= sky;
  }
  s->has_sky[j] = some;
}

/* The pixels of tile (i, j) that have these gray values. */
static void mark_rim(const Sky *s, int i, int j, StxSgmGrays grays)
{
  int bottom = min2((j + 1) * STX_SGM_TILE, s->params->height);
  int right = min2((i + 1) * STX_SGM_TILE, s->params->width);
  if (grays.low > grays.high)
    return;
  for (int y = j * STX_SGM_TILE; y < bottom; y++)
    for (int x = i * STX_SGM_TILE; x < right; x++)
      if (stx_sgm_has_sky_gray(grays, stx_row8(s->left, y)[x])) {
        stx_row16(s->disparity, y)[x] = STX_DISPARITY_UNKNOWN;
        if (s->confidence->data != NULL)
          stx_row8(s->confidence, y)[x] = STX_SGM_SKY_CONFIDENCE;
      }
}

/* Tiles i … end − 1 of row j. */
static void mark_tiles(const Sky *s, int i, int end, int j)
{
  int x = i * STX_SGM_TILE, bottom = min2((j + 1) * STX_SGM_TILE, s->params->height);
  size_t count = (size_t)(min2(end * STX_SGM_TILE, s->params->width) - x);
  for (int y = j * STX_SGM_TILE; y < bottom; y++) {
    memset(stx_row16(s->disparity, y) + x, 0, count * sizeof(uint16_t));
    if (s->confidence->data != NULL)
      memset(stx_row8(s->confidence, y) + x, STX_SGM_SKY_CONFIDENCE, count);
  }
}

/* Tiles i … end − 1 of row j, at most a piece. */
static void mark_piece(const Sky *s, int i, int end, int j)
{
  Ranges around;
  find_ranges(s, i, j, STX_SGM_SKY_RIM, &around);
  for (int k = i; k < end; k++) {
    int first = k;
    while (k < end && s->low[index_of(s, k, j)] <= s->high[index_of(s, k, j)])
      k++;
    if (first < k)
      mark_tiles(s, first, k, j);
    if (k < end)
      mark_rim(s, k, j,
          stx_sgm_rim_grays((StxSgmGrays){around.low[k - i], around.high[k - i]}, s->range));
  }
}

static void mark_sky(void *data, int j, int worker)
{
  const Sky *s = data;
  int first = max2(j - STX_SGM_SKY_RIM, 0);
  int count = min2(j + STX_SGM_SKY_RIM, s->rows - 1) - first + 1;
  bool is_near_sky = memchr(s->has_sky + first, 1, (size_t)count) != NULL;
  for (int i = 0; i < s->columns && is_near_sky; i += TILES)
    mark_piece(s, i, min2(i + TILES, s->columns), j);
}

void stx_sgm_sky(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, void *scratch, int threads)
{
  Sky s = {.left = left, .right = right, .disparity = disparity, .confidence = confidence};
  lay_out(&s, params, scratch);
  stx_parallel(threads, s.rows, look_at_tiles, &s);
  Light all = add_rows(&s, s.row_light), ground = add_rows(&s, s.row_ground);
  s.level = stx_sgm_sky_level(all.total, all.count);
  s.clouds = stx_sgm_cloud_level(s.level, stx_sgm_sky_level(ground.total, ground.count));
  s.range = stx_sgm_sky_range(s.level, all.spans, all.count);
  stx_parallel(threads, s.rows, take_samples, &s);
  stx_parallel(threads, s.rows, find_candidates, &s);
  stx_parallel(threads, s.rows, find_inner, &s);
  connect(&s);
  add_up_patches(&s);
  s.rest = rest_of(&s, all);
  choose_sky(&s);
  grow(&s);
  stx_parallel(threads, s.rows, keep_sky, &s);
  stx_parallel(threads, s.rows, mark_sky, &s);
}
