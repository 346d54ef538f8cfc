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
#include "common/sgm/sgm_private.h"

#define NO_PATCH (-1)

typedef struct {
  const StxSgmParams *params;
  const StxImage8 *left, *right;
  const StxImage16 *disparity;
  const StxImage8 *confidence;
  int columns, rows;    /* of tiles */
  uint64_t total;       /* of the frame's gray values */
  StxSgmTile *tiles;    /* columns · rows, and so are the next three */
  uint8_t *candidate;   /* 1: yes */
  int32_t *parent;      /* of a candidate in its tree: the root has the least index of the patch */
  int8_t *vote;         /* of a sample … */
  uint8_t *is_sample;   /* … where this is 1 */
  uint64_t *row_total;  /* rows */
  StxSgmPatch *patches; /* columns: by root; those that do not begin at the top edge do not count */
  uint8_t *is_sky;      /* columns: by root */
  StxSgmGrays *grays;   /* columns · rows: of the sky, low > high where there is none */
  uint8_t *step;        /* likewise: the one of growth in which a tile became sky */
  int32_t *grown;       /* likewise: tiles of the sky in the order of these steps */
} Sky;

static size_t lay_out(Sky *s, const StxSgmParams *params, void *base)
{
  StxLayout at = {.memory = base};
  s->params = params;
  s->columns = (params->width + STX_SGM_TILE - 1) / STX_SGM_TILE;
  s->rows = (params->height + STX_SGM_TILE - 1) / STX_SGM_TILE;
  size_t count = (size_t)s->columns * (size_t)s->rows;
  STX_TAKE(&at, s->tiles, count);
  STX_TAKE(&at, s->candidate, count);
  STX_TAKE(&at, s->parent, count);
  STX_TAKE(&at, s->vote, count);
  STX_TAKE(&at, s->is_sample, count);
  STX_TAKE(&at, s->row_total, s->rows);
  STX_TAKE(&at, s->patches, s->columns);
  STX_TAKE(&at, s->is_sky, s->columns);
  STX_TAKE(&at, s->grays, count);
  STX_TAKE(&at, s->step, count);
  STX_TAKE(&at, s->grown, count);
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
  return (size_t)j * (size_t)s->columns + (size_t)i;
}

static uint64_t frame_pixels(const Sky *s)
{
  return (uint64_t)s->params->width * (uint64_t)s->params->height;
}

static int tile_pixels(const Sky *s, int i, int j)
{
  return stx_sgm_tile_pixels(s->params->width, s->params->height, i, j);
}

/* ---- Tiles and candidates ----------------------------------------------------------------- */

static StxSgmTile look_at_tile(const Sky *s, int i, int j)
{
  StxSgmTile tile = {UINT8_MAX, 0, 0};
  int bottom = min2((j + 1) * STX_SGM_TILE, s->params->height);
  int right = min2((i + 1) * STX_SGM_TILE, s->params->width);
  for (int y = j * STX_SGM_TILE; y < bottom; y++)
    for (int x = i * STX_SGM_TILE; x < right; x++) {
      uint8_t gray = stx_row8(s->left, y)[x];
      tile.low = gray < tile.low ? gray : tile.low;
      tile.high = gray > tile.high ? gray : tile.high;
      tile.sum = (uint16_t)(tile.sum + gray);
    }
  return tile;
}

/* Columns that are looked at together, of whole tiles: a number that the compiler knows, so that it
 * makes vectors of them. */
enum { PIECE = 64 };

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

static StxSgmTile tile_of_columns(const Columns *c, int x)
{
  StxSgmTile tile = {c->low[x], c->high[x], c->sum[x]};
  for (int k = x + 1; k < x + STX_SGM_TILE; k++) {
    tile.low = c->low[k] < tile.low ? c->low[k] : tile.low;
    tile.high = c->high[k] > tile.high ? c->high[k] : tile.high;
    tile.sum = (uint16_t)(tile.sum + c->sum[k]);
  }
  return tile;
}

/* The tiles of a piece from tile (i, j) on. */
static void look_at_piece(const Sky *s, int i, int j)
{
  Columns c = {.sum = {0}};
  int bottom = min2((j + 1) * STX_SGM_TILE, s->params->height);
  memset(c.low, UINT8_MAX, sizeof c.low);
  for (int y = j * STX_SGM_TILE; y < bottom; y++)
    add_row(&c, stx_row8(s->left, y) + i * STX_SGM_TILE);
  for (int k = 0; k < PIECE / STX_SGM_TILE; k++)
    s->tiles[index_of(s, i + k, j)] = tile_of_columns(&c, k * STX_SGM_TILE);
}

static void look_at_tiles(void *data, int j, int worker)
{
  Sky *s = data;
  uint64_t total = 0;
  int i = 0;
  for (; i * STX_SGM_TILE + PIECE <= s->params->width; i += PIECE / STX_SGM_TILE)
    look_at_piece(s, i, j);
  for (; i < s->columns; i++)
    s->tiles[index_of(s, i, j)] = look_at_tile(s, i, j);
  for (i = 0; i < s->columns; i++)
    total += s->tiles[index_of(s, i, j)].sum;
  s->row_total[j] = total;
}

/* Gray values of the tile and of those above and below. */
static StxSgmGrays range_of_column(const Sky *s, int i, int j)
{
  StxSgmGrays range = stx_sgm_no_grays();
  for (int v = max2(j - 1, 0); v <= min2(j + 1, s->rows - 1); v++) {
    const StxSgmTile *tile = &s->tiles[index_of(s, i, v)];
    range = stx_sgm_both_grays(range, (StxSgmGrays){tile->low, tile->high});
  }
  return range;
}

static bool is_cloud(const Sky *s, int i, int j)
{
  int x = stx_sgm_tile_centre(i, s->params->width), y = stx_sgm_tile_centre(j, s->params->height);
  return stx_sgm_is_cloud(stx_row16(s->disparity, y)[x]);
}

static void find_candidates(void *data, int j, int worker)
{
  const Sky *s = data;
  StxSgmGrays here = range_of_column(s, 0, j), before = here;
  for (int i = 0; i < s->columns; i++) {
    size_t at = index_of(s, i, j);
    StxSgmGrays after = i + 1 < s->columns ? range_of_column(s, i + 1, j) : here;
    StxSgmGrays around = stx_sgm_both_grays(stx_sgm_both_grays(before, here), after);
    s->candidate[at] =
        stx_sgm_is_bright(s->tiles[at].sum, tile_pixels(s, i, j), s->total, frame_pixels(s)) &&
        (around.high - around.low <= STX_SGM_SKY_RANGE || is_cloud(s, i, j));
    before = here;
    here = after;
  }
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

/* With the next candidate above, if no more is between than a wire. */
static void unite_across(const Sky *s, int32_t at)
{
  for (int k = 2; k <= 1 + STX_SGM_SKY_WIRE; k++) {
    int32_t above = at - k * s->columns;
    if (above < 0)
      return;
    if (s->candidate[above]) {
      if (stx_sgm_is_same_sky(s->tiles[at], s->tiles[above]))
        unite(s, at, above);
      return;
    }
  }
}

static void connect(const Sky *s)
{
  for (int j = 0; j < s->rows; j++)
    for (int i = 0; i < s->columns; i++) {
      int32_t at = (int32_t)index_of(s, i, j);
      s->parent[at] = s->candidate[at] ? at : NO_PATCH;
      if (s->candidate[at] && i > 0 && s->candidate[at - 1])
        unite(s, at, at - 1);
      if (s->candidate[at] && j > 0 && s->candidate[at - s->columns])
        unite(s, at, at - s->columns);
      else if (s->candidate[at])
        unite_across(s, at);
    }
}

/* The patch of a tile by the index of its root, or NO_PATCH if it does not reach the top edge. Once
 * parent[] leads to the root in one step. */
static int32_t patch_of(const Sky *s, size_t at)
{
  int32_t root = s->parent[at];
  return root < s->columns ? root : NO_PATCH;
}

/* ---- Samples ------------------------------------------------------------------------------ */

/* T(x, y), faster than the reference where the window is inside of the image. */
static uint32_t census(const StxImage8 *image, int x, int y)
{
  if (x < STX_SGM_WINDOW_X || y < STX_SGM_WINDOW_Y || x + STX_SGM_WINDOW_X >= image->width ||
      y + STX_SGM_WINDOW_Y >= image->height)
    return stx_sgm_census(image, x, y);
  uint32_t word = 0;
  int k = 0;
  for (int dy = -STX_SGM_WINDOW_Y; dy <= 0; dy++) {
    const uint8_t *above = stx_row8(image, y + dy) + x, *below = stx_row8(image, y - dy) + x;
    for (int dx = -STX_SGM_WINDOW_X; dx <= STX_SGM_WINDOW_X && k < STX_SGM_CENSUS_BITS; dx++, k++)
      word |= (uint32_t)(above[dx] > below[-dx]) << k;
  }
  return word;
}

static bool is_inner(const Sky *s, int i, int j)
{
  for (int v = max2(j - 1, 0); v <= min2(j + 1, s->rows - 1); v++)
    for (int u = max2(i - 1, 0); u <= min2(i + 1, s->columns - 1); u++)
      if (!s->candidate[index_of(s, u, v)])
        return false;
  return true;
}

static void take_sample(const Sky *s, int i, int j)
{
  size_t at = index_of(s, i, j);
  int x = stx_sgm_tile_centre(i, s->params->width), y = stx_sgm_tile_centre(j, s->params->height);
  uint16_t disparity = stx_row16(s->disparity, y)[x];
  s->is_sample[at] = disparity != STX_DISPARITY_UNKNOWN && is_inner(s, i, j);
  if (!s->is_sample[at])
    return;
  int d = (disparity + STX_DISPARITY_ONE / 2) / STX_DISPARITY_ONE;
  uint32_t word = census(s->left, x, y);
  int far = __builtin_popcount(word ^ census(s->right, x, y));
  int near = __builtin_popcount(word ^ census(s->right, max2(x - d, 0), y));
  s->vote[at] = (int8_t)(far - near);
}

static void take_samples(void *data, int j, int worker)
{
  const Sky *s = data;
  for (int i = 0; i < s->columns; i++) {
    size_t at = index_of(s, i, j);
    if (patch_of(s, at) != NO_PATCH)
      take_sample(s, i, j);
    else
      s->is_sample[at] = 0;
  }
}

/* ---- The sky ------------------------------------------------------------------------------ */

static bool is_candidate(const Sky *s, int i, int j)
{
  return s->candidate[index_of(s, i, j)] != 0;
}

/* The tile two steps from tile (i, j) in one direction, if the patch ends between them. */
static void look_beyond(const Sky *s, StxSgmOutline *outline, int i, int j, int di, int dj)
{
  int u = i + 2 * di, v = j + 2 * dj;
  if (u < 0 || u >= s->columns || v < 0 || v >= s->rows || is_candidate(s, i + di, j + dj) ||
      is_candidate(s, u, v))
    return;
  int x = stx_sgm_tile_centre(u, s->params->width), y = stx_sgm_tile_centre(v, s->params->height);
  stx_sgm_add_outline(outline, u, stx_row16(s->disparity, y)[x], s->params->width);
}

static void add_outline(const Sky *s, StxSgmOutline *outline, int i, int j)
{
  look_beyond(s, outline, i, j, -1, 0);
  look_beyond(s, outline, i, j, 1, 0);
  look_beyond(s, outline, i, j, 0, -1);
  look_beyond(s, outline, i, j, 0, 1);
}

static void add_up_patches(const Sky *s)
{
  memset(s->patches, 0, (size_t)s->columns * sizeof *s->patches);
  for (int j = 0; j < s->rows; j++)
    for (int i = 0; i < s->columns; i++) {
      size_t at = index_of(s, i, j);
      int32_t root = patch_of(s, at);
      if (root == NO_PATCH)
        continue;
      StxSgmPatch *patch = &s->patches[root];
      patch->tiles++;
      patch->pixels += (uint32_t)tile_pixels(s, i, j);
      patch->light += s->tiles[at].sum;
      patch->samples += s->is_sample[at];
      patch->votes += s->is_sample[at] ? s->vote[at] : 0;
      add_outline(s, &patch->outline, i, j);
    }
}

static int light_of(const Sky *s, int root)
{
  return stx_sgm_patch_light(&s->patches[root], s->total, frame_pixels(s));
}

/* Brightness of the sky; none of the patches has a weight if there is no sky. */
static int light_of_sky(const Sky *s)
{
  uint32_t most = 0;
  int light = 0;
  for (int root = 0; root < s->columns; root++) {
    uint32_t weight = stx_sgm_patch_weight(&s->patches[root]);
    if (weight > most && stx_sgm_patch_may_be_sky(&s->patches[root], light_of(s, root))) {
      most = weight;
      light = light_of(s, root);
    }
  }
  return light;
}

static void choose_sky(const Sky *s)
{
  int sky = light_of_sky(s);
  for (int root = 0; root < s->columns; root++)
    s->is_sky[root] = s->patches[root].tiles > 0 &&
                      stx_sgm_patch_is_sky(&s->patches[root], light_of(s, root), sky);
}

/* Adds the pair of a tile of the sky and one of another patch, in either order. */
static void add_meeting(const Sky *s, int j, int a, int b)
{
  size_t at[] = {index_of(s, a, j), index_of(s, b, j)};
  int32_t root[] = {patch_of(s, at[0]), patch_of(s, at[1])};
  if (root[0] == NO_PATCH || root[1] == NO_PATCH || s->is_sky[root[0]] == s->is_sky[root[1]] ||
      !stx_sgm_may_meet(s->tiles[at[0]], s->tiles[at[1]]))
    return;
  StxSgmPatch *patch = &s->patches[root[s->is_sky[root[0]]]];
  patch->meetings++;
  patch->alike += stx_sgm_is_alike_in_mean(
      s->tiles[at[0]], tile_pixels(s, a, j), s->tiles[at[1]], tile_pixels(s, b, j));
}

static void look_behind(const Sky *s)
{
  for (int j = 0; j < s->rows; j++) {
    int before = -STX_SGM_MAX_SIZE; /* the candidate before */
    for (int i = 0; i < s->columns; i++) {
      if (!is_candidate(s, i, j))
        continue;
      if (i - before > 1 && i - before <= STX_SGM_SKY_HIDDEN + 1)
        add_meeting(s, j, before, i);
      before = i;
    }
  }
  for (int root = 0; root < s->columns; root++)
    s->is_sky[root] |= stx_sgm_patch_is_behind(&s->patches[root]);
}

/* ---- Growth --------------------------------------------------------------------------------- */

/* In place of the step of a tile: sky from which nothing grows, no sky. */
enum { SMALL = STX_SGM_SKY_GROWTH, NO_SKY };

/* Grays that the sky had in a tile before this step. */
static StxSgmGrays grays_before(const Sky *s, int i, int j, int step)
{
  bool inside = i >= 0 && i < s->columns && j >= 0 && j < s->rows;
  return inside && s->step[index_of(s, i, j)] < step ? s->grays[index_of(s, i, j)]
                                                     : stx_sgm_no_grays();
}

static StxSgmGrays grays_of(const Sky *s, size_t at)
{
  return (StxSgmGrays){s->tiles[at].low, s->tiles[at].high};
}

static size_t grow_into(const Sky *s, int i, int j, int step, size_t count)
{
  if (i < 0 || i >= s->columns || j < 0 || j >= s->rows)
    return count;
  size_t at = index_of(s, i, j);
  if (s->step[at] <= step || patch_of(s, at) != NO_PATCH)
    return count;
  StxSgmGrays beside =
      stx_sgm_both_grays(grays_before(s, i - 1, j, step), grays_before(s, i + 1, j, step));
  StxSgmGrays above =
      stx_sgm_both_grays(grays_before(s, i, j - 1, step), grays_before(s, i, j + 1, step));
  StxSgmGrays sky = stx_sgm_both_grays(beside, above);
  if (!stx_sgm_grows(grays_of(s, at), sky))
    return count;
  s->grays[at] = sky;
  s->step[at] = (uint8_t)step;
  s->grown[count] = (int32_t)at;
  return count + 1;
}

static size_t find_tiles_of_sky(const Sky *s)
{
  size_t count = 0, tiles = (size_t)s->columns * (size_t)s->rows;
  for (size_t at = 0; at < tiles; at++) {
    int32_t root = patch_of(s, at);
    bool sky = root != NO_PATCH && s->is_sky[root];
    bool small = sky && stx_sgm_patch_is_small(&s->patches[root], (int)tiles);
    s->grays[at] = sky ? grays_of(s, at) : stx_sgm_no_grays();
    s->step[at] = small ? SMALL : sky ? 0 : NO_SKY;
    if (sky && !small)
      s->grown[count++] = (int32_t)at;
  }
  return count;
}

/* In each step only tiles beside those of the step before can become sky. */
static void grow(const Sky *s)
{
  size_t first = 0, end = find_tiles_of_sky(s), count = end;
  for (int step = 1; step <= STX_SGM_SKY_GROWTH; step++) {
    for (size_t k = first; k < end; k++) {
      int i = s->grown[k] % s->columns, j = s->grown[k] / s->columns;
      count = grow_into(s, i - 1, j, step, count);
      count = grow_into(s, i + 1, j, step, count);
      count = grow_into(s, i, j - 1, step, count);
      count = grow_into(s, i, j + 1, step, count);
    }
    first = end;
    end = count;
  }
}

/* ---- Marks ---------------------------------------------------------------------------------- */

static bool in_sky(const Sky *s, size_t at)
{
  return s->grays[at].low <= s->grays[at].high;
}

/* Gray values that the sky has in a tile and up to STX_SGM_SKY_RIM tiles above and below it. */
static StxSgmGrays grays_of_column(const Sky *s, int i, int j)
{
  StxSgmGrays grays = stx_sgm_no_grays();
  int last = min2(j + STX_SGM_SKY_RIM, s->rows - 1);
  for (int v = max2(j - STX_SGM_SKY_RIM, 0); v <= last; v++)
    grays = stx_sgm_both_grays(grays, s->grays[index_of(s, i, v)]);
  return grays;
}

static void mark_pixel(const Sky *s, int x, int y)
{
  stx_row16(s->disparity, y)[x] = STX_DISPARITY_UNKNOWN;
  if (s->confidence->data != NULL)
    stx_row8(s->confidence, y)[x] = STX_SGM_SKY_CONFIDENCE;
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
      if (stx_sgm_has_sky_gray(grays, stx_row8(s->left, y)[x]))
        mark_pixel(s, x, y);
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

/* Of a tile that is no sky, by the columns around it; most have no sky around them. */
static StxSgmGrays rim_grays(const StxSgmGrays *columns, int i, int count)
{
  StxSgmGrays grays = stx_sgm_no_grays();
  for (int u = max2(i - STX_SGM_SKY_RIM, 0); u <= min2(i + STX_SGM_SKY_RIM, count - 1); u++)
    grays = stx_sgm_both_grays(grays, columns[u]);
  return stx_sgm_rim_grays(grays);
}

static void mark_sky(void *data, int j, int worker)
{
  const Sky *s = data;
  StxSgmGrays columns[STX_SGM_MAX_SIZE / STX_SGM_TILE];
  StxSgmGrays all = stx_sgm_no_grays();
  for (int i = 0; i < s->columns; i++)
    all = stx_sgm_both_grays(all, columns[i] = grays_of_column(s, i, j));
  if (all.low > all.high)
    return;
  int first = 0; /* of the tiles that are in the sky, up to i */
  for (int i = 0; i <= s->columns; i++) {
    if (i < s->columns && in_sky(s, index_of(s, i, j)))
      continue;
    if (first < i)
      mark_tiles(s, first, i, j);
    first = i + 1;
    if (i < s->columns)
      mark_rim(s, i, j, rim_grays(columns, i, s->columns));
  }
}

void stx_sgm_sky(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, void *scratch, int threads)
{
  Sky s = {.left = left, .right = right, .disparity = disparity, .confidence = confidence};
  lay_out(&s, params, scratch);
  stx_parallel(threads, s.rows, look_at_tiles, &s);
  for (int j = 0; j < s.rows; j++)
    s.total += s.row_total[j];
  stx_parallel(threads, s.rows, find_candidates, &s);
  connect(&s);
  for (size_t at = 0; at < (size_t)s.columns * (size_t)s.rows; at++)
    if (s.parent[at] != NO_PATCH)
      s.parent[at] = root_of(&s, (int32_t)at);
  stx_parallel(threads, s.rows, take_samples, &s);
  add_up_patches(&s);
  choose_sky(&s);
  look_behind(&s);
  grow(&s);
  stx_parallel(threads, s.rows, mark_sky, &s);
}
