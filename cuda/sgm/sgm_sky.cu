/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sky on the GPU, see common/sgm/sgm_sky.h: what semi-global matching ends with. Eight kernels,
 * in the order in which they run:
 *
 *   tiles        a thread per tile: least, greatest and sum of its gray values; the frame's totals
 *   samples      a thread per tile: smooth? What the other camera says at its centre
 *   candidates   a thread per tile: smooth or a cloud, and not near?
 *   inner        a thread per tile: is it inside of candidates? Each is a patch for now
 *   join         a thread per tile: union with its neighbours
 *   edge         a thread per column: union of the top edge with the first patch below
 *   patches      a thread per tile: its patch, its sample; the last block decides which are sky
 *   mark         a block per 32 × 8 tiles: growth from these and those around them; then a warp per
 *                row: margin, output
 *
 * A step needs all of the one before, so there are no fewer launches; what the step from patches
 * to the sky looks at is small enough for one block. Sums of integers and minima are all that
 * threads bring together, so the order in which they come does not matter.
 */
#include "cuda/driver/gpu.cuh"

#include "common/sgm/sgm_math.h"
#include "cuda/driver/patches.cuh"
#include "cuda/driver/threads.cuh"
#include "cuda/sgm/sgm_args.h"

/*
 * The sky of common/sgm/sgm_sky.h, step by step: a thread has a tile. Sums over a patch come
 * together first in each warp, whose tiles are nearly always all of one patch.
 */

enum {
  SKY_WARPS = STX_SGM_SKY_THREADS / STX_SGM_LANES,
  BLOCK_SHIFT = 20, /* a block's tiles that are not blank in the bits above their sum, … */
  COUNT_SHIFT = 40, /* … and the frame's */
  SPAN_SHIFT = 10   /* bits of a block's number of flat tiles */
};
static_assert(STX_SGM_SKY_THREADS * 4080 < 1 << BLOCK_SHIFT, "sums of a block");
static_assert(STX_SGM_SKY_THREADS < 1 << SPAN_SHIFT, "flat tiles of a block");

/* ---- Tiles and candidates ------------------------------------------------------------------ */

STX_DEVICE StxSgmTile tile_at(const StxSgmSkyArgs *a, uint32_t at)
{
  const uint32_t word = __ldg(&a->tiles[at]);
  const StxSgmTile tile = {(uint8_t)word, (uint8_t)(word >> 8), (uint16_t)(word >> 16)};
  return tile;
}

STX_DEVICE uint32_t tile_count(const StxSgmSkyArgs *a)
{
  return (uint32_t)a->columns * (uint32_t)a->rows;
}

STX_DEVICE int mean_of(unsigned long long total)
{
  return stx_sgm_sky_level(
      total & (((uint64_t)1 << COUNT_SHIFT) - 1), (uint32_t)(total >> COUNT_SHIFT));
}

STX_DEVICE int level_of(const StxSgmSkyArgs *a)
{
  return mean_of(a->total->all);
}

STX_DEVICE int range_of(const StxSgmSkyArgs *a)
{
  const unsigned long long all = a->total->all;
  return stx_sgm_sky_range(mean_of(all), a->total->spans, (uint32_t)(all >> COUNT_SHIFT));
}

/* The tile's word; the border of the image repeats. */
STX_DEVICE uint32_t look_at_tile(const StxSgmSkyArgs *a, int i, int j)
{
  uint32_t low = 255, high = 0, sum = 0;
#pragma unroll
  for (int v = 0; v < STX_SGM_TILE; v++)
#pragma unroll
    for (int u = 0; u < STX_SGM_TILE; u++) {
      const int x = min(i * STX_SGM_TILE + u, a->width - 1);
      const int y = min(j * STX_SGM_TILE + v, a->height - 1);
      const uint32_t gray = __ldg(&a->left[y * a->left_stride + x]);
      low = min(low, gray);
      high = max(high, gray);
      sum += gray;
    }
  return low | high << 8 | sum << 16;
}

/* Calls f(number) for the tile and those up to `reach` around it that there are. */
template <int reach, typename F> STX_DEVICE void around(const StxSgmSkyArgs *a, int i, int j, F f)
{
#pragma unroll
  for (int v = -reach; v <= reach; v++)
#pragma unroll
    for (int u = -reach; u <= reach; u++)
      if (i + u >= 0 && i + u < a->columns && j + v >= 0 && j + v < a->rows)
        f((uint32_t)((j + v) * a->columns + i + u));
}

STX_DEVICE bool is_blank(const StxSgmSkyArgs *a, uint32_t at)
{
  return stx_sgm_is_blank(tile_at(a, at).sum);
}

/* The disparity at the centre of a tile. */
STX_DEVICE int disparity_of(const StxSgmSkyArgs *a, int i, int j)
{
  const int x = stx_sgm_tile_centre(i, a->width), y = stx_sgm_tile_centre(j, a->height);
  return *stx_sgm_disparity_at(&a->maps, x, y);
}

STX_DEVICE bool is_smooth(const StxSgmSkyArgs *a, uint32_t at, int i, int j)
{
  int low = 255, high = 0;
  around<1>(a, i, j, [&](uint32_t beside) {
    const StxSgmTile tile = tile_at(a, beside);
    low = min(low, (int)tile.low);
    high = max(high, (int)tile.high);
  });
  return stx_sgm_is_smooth(high - low, tile_at(a, at).sum, range_of(a));
}

/* C(p,d) of a pixel. Before a row's words its first is repeated. */
STX_DEVICE int cost_at(const StxSgmSkyArgs *a, int x, int y, int d)
{
  const uint32_t *right = a->right_words.words + a->right_words.before +
                          (size_t)y * STX_SGM_SHIFTS * a->right_words.pitch;
  return __popc(a->left_words[(size_t)y * a->width + x] ^ right[x - d]);
}

/* The disparity at the centre of a tile, or STX_DISPARITY_UNKNOWN where there is none that can be
 * told from 0. */
STX_DEVICE int finite_at(const StxSgmSkyArgs *a, int i, int j)
{
  if (i < 0 || i >= a->columns)
    return STX_DISPARITY_UNKNOWN;
  const int disparity = disparity_of(a, i, j);
  return stx_sgm_is_infinite((uint32_t)disparity, a->width) ? STX_DISPARITY_UNKNOWN : disparity;
}

/* A tile's sample: its vote + 31, then C(p,0); 0 is none. STX_SGM_SKY_SMOOTH: it is smooth. */
STX_DEVICE uint32_t sample_of(const StxSgmSkyArgs *a, uint32_t at, int i, int j)
{
  if (!is_smooth(a, at, i, j))
    return 0;
  if ((i + j) % 2 != 0 || finite_at(a, i, j) == STX_DISPARITY_UNKNOWN)
    return STX_SGM_SKY_SMOOTH;
  const int left = finite_at(a, i - 2, j), right = finite_at(a, i + 2, j);
  const int witnesses = (left > 0) + (right > 0);
  if (witnesses == 0)
    return STX_SGM_SKY_SMOOTH;
  const int x = stx_sgm_tile_centre(i, a->width), y = stx_sgm_tile_centre(j, a->height);
  const int far = cost_at(a, x, y, 0);
  const int near = (left > 0 ? cost_at(a, x, y, stx_sgm_rounded(left)) : 0) +
                   (right > 0 ? cost_at(a, x, y, stx_sgm_rounded(right)) : 0);
  const int vote = (witnesses * far - near) / witnesses;
  return STX_SGM_SKY_SMOOTH | STX_SGM_SKY_SAMPLE | (uint32_t)(vote + 31) << 5 | (uint32_t)far;
}

STX_DEVICE int vote_of(uint32_t sample)
{
  return sample & STX_SGM_SKY_SAMPLE ? (int)(sample >> 5 & 63) - 31 : 0;
}

STX_DEVICE bool is_candidate(const StxSgmSkyArgs *a, uint32_t at, int i, int j)
{
  int votes = 0, costs = 0;
  if (!(a->samples[at] & STX_SGM_SKY_SMOOTH) &&
      !stx_sgm_is_cloud((uint32_t)disparity_of(a, i, j), a->width, tile_at(a, at).sum,
          stx_sgm_cloud_level(level_of(a), mean_of(a->total->ground))))
    return false;
  around<2>(a, i, j, [&](uint32_t beside) {
    const uint32_t sample = __ldg(&a->samples[beside]);
    votes += vote_of(sample);
    costs += (int)(sample & 31);
  });
  return !stx_sgm_is_near(votes, costs);
}

/* ---- Patches ------------------------------------------------------------------------------- */

/* Joins a tile with the next one of a patch above, if no more is between than a wire. */
STX_DEVICE void join_across(const StxSgmSkyArgs *a, uint32_t at)
{
  const uint32_t columns = (uint32_t)a->columns;
  if (at >= tile_count(a) || !is_used(a->parent, at))
    return;
  const StxSgmTile tile = tile_at(a, at);
  for (uint32_t k = 1, wire = 0; wire <= STX_SGM_SKY_WIRE && k <= STX_SGM_SKY_WIRE + 5; k++) {
    if (at < k * columns)
      return;
    const uint32_t above = at - k * columns;
    const bool same = stx_sgm_is_same_sky(tile, tile_at(a, above), range_of(a));
    if (is_used(a->parent, above)) {
      if (k > 1 && same)
        unite(a->parent, at, above);
      return;
    }
    wire += !same;
  }
}

STX_DEVICE bool is_inner(const StxSgmSkyArgs *a, uint32_t at)
{
  bool inner = true;
  around<1>(a, (int)(at % a->columns), (int)(at / a->columns),
      [&](uint32_t beside) { inner &= __ldg(&a->candidates[beside]) != 0; });
  return inner;
}

/* Joins a tile at the top edge that is in no patch with the first patch below it, if that begins
 * right below blank ones, or no blank one is there. All neighbours have been joined, so that none
 * takes this tile for one. */
STX_DEVICE void join_edge(const StxSgmSkyArgs *a, uint32_t top)
{
  const uint32_t columns = (uint32_t)a->columns, tiles = tile_count(a);
  uint32_t first = top, end = tiles;
  if (top >= columns || is_inner(a, top))
    return;
  while (first < tiles && is_blank(a, first))
    first += columns;
  if (first != top)
    end = min(first + STX_SGM_SKY_EDGE * columns + 1, tiles);
  atomicExch(&a->parent[top], top);
  __threadfence();
  for (; first < end; first += columns)
    if (first != top && is_used(a->parent, first)) {
      unite(a->parent, top, first);
      return;
    }
}

/* The patch of an inner tile that is joined with the top edge, or STX_SGM_SKY_NONE. What is joined
 * there marks it as open, unless it is only the first one below. */
STX_DEVICE uint32_t patch_of(const StxSgmSkyArgs *a, uint32_t at)
{
  if (!is_used(a->parent, at))
    return STX_SGM_SKY_NONE;
  const uint32_t columns = (uint32_t)a->columns, root = find_root(a->parent, at);
  const bool inner = at >= columns || is_inner(a, at);
  if (at < columns && (inner || is_blank(a, at)))
    atomicOr(&a->patches[root].open, 1u);
  return inner && root < columns ? root : STX_SGM_SKY_NONE;
}

/* A tile's contribution to its patch. */
struct TileShare {
  int samples, clipped, votes, costs, light;
};

/* Returns what a tile adds to its patch. */
STX_DEVICE TileShare share_of(const StxSgmSkyArgs *a, uint32_t at)
{
  const uint32_t sample = __ldg(&a->samples[at]);
  const StxSgmTile tile = tile_at(a, at);
  return {(sample & STX_SGM_SKY_SAMPLE) != 0, stx_sgm_is_clipped(tile), vote_of(sample),
      (int)(sample & 31), tile.sum};
}

/* True if pixel (x, y) is seen at disparity d. */
STX_DEVICE bool is_seen(const StxSgmSkyArgs *a, int x, int y, int d)
{
  const int cost = cost_at(a, x, y, d);
  bool seen = true;
  for (int k = 8; k <= STX_SGM_SKY_NEARER && seen && d + k <= x; k *= 2)
    seen = stx_sgm_is_seen(cost, cost_at(a, x, y, d + k));
  return seen;
}

/* Adds the tile three steps from tile (i, j) in one direction, if the patch ends before it. */
STX_DEVICE void look_beyond(
    const StxSgmSkyArgs *a, StxSgmOutline *outline, int i, int j, int di, int dj)
{
  const int u = i + 3 * di, v = j + 3 * dj;
  if (u < 0 || u >= a->columns || v < 0 || v >= a->rows ||
      __ldg(&a->candidates[(v - dj) * a->columns + u - di]) ||
      __ldg(&a->candidates[v * a->columns + u]) || is_blank(a, (uint32_t)(v * a->columns + u)))
    return;
  const int disparity = disparity_of(a, u, v);
  const int x = stx_sgm_tile_centre(u, a->width), y = stx_sgm_tile_centre(v, a->height);
  if (disparity != STX_DISPARITY_UNKNOWN)
    stx_sgm_add_outline(
        outline, u, (uint32_t)disparity, is_seen(a, x, y, stx_sgm_rounded(disparity)), a->width);
}

/* Adds a tile's part to its patch's outline. Few tiles have one, so warps do not reduce it. */
STX_DEVICE void add_outline(const StxSgmSkyArgs *a, StxSgmOutline *all, int i, int j)
{
  StxSgmOutline mine = {0, 0, 0, 0, 0, 0, 0, 0};
  look_beyond(a, &mine, i, j, -1, 0);
  look_beyond(a, &mine, i, j, 1, 0);
  look_beyond(a, &mine, i, j, 0, -1);
  look_beyond(a, &mine, i, j, 0, 1);
  if (mine.count == 0)
    return;
  atomicAdd(&all->count, mine.count);
  atomicAdd(&all->seen, mine.seen);
  atomicAdd(&all->far, mine.far);
  atomicAdd(&all->i, mine.i);
  atomicAdd(&all->d, mine.d);
  atomicAdd(&all->ii, mine.ii);
  atomicAdd(&all->dd, mine.dd);
  atomicAdd(&all->id, mine.id);
}

/* Adds the sums of a warp's lanes that `mine` is true of. */
STX_DEVICE void add_to_patch(StxSgmPatch *patch, bool mine, TileShare share)
{
  const uint32_t tiles = __popc(__ballot_sync(STX_FULL_WARP, mine));
  const uint32_t samples = __popc(__ballot_sync(STX_FULL_WARP, mine && share.samples > 0));
  const uint32_t clipped = __popc(__ballot_sync(STX_FULL_WARP, mine && share.clipped));
  const int votes = warp_sum(mine ? share.votes : 0);
  const int costs = warp_sum(mine ? share.costs : 0);
  const int light = warp_sum(mine ? share.light : 0);
  if (threadIdx.x % STX_SGM_LANES != 0)
    return;
  atomicAdd(&patch->tiles, tiles);
  atomicAdd((unsigned long long *)&patch->light, (unsigned long long)light);
  if (clipped > 0)
    atomicAdd(&patch->clipped, clipped);
  if (samples > 0) {
    atomicAdd(&patch->samples, samples);
    atomicAdd(&patch->votes, votes);
    atomicAdd(&patch->costs, (uint32_t)costs);
  }
}

/* Adds tiles to their patches, one patch after the other; all lanes of a warp call this. */
STX_DEVICE void add_to_patches(const StxSgmSkyArgs *a, uint32_t patch, TileShare share)
{
  uint32_t left = __ballot_sync(STX_FULL_WARP, patch != STX_SGM_SKY_NONE);
  while (left != 0) {
    const uint32_t one = __shfl_sync(STX_FULL_WARP, patch, __ffs((int)left) - 1);
    add_to_patch(&a->patches[one], patch == one, share);
    left &= ~__ballot_sync(STX_FULL_WARP, patch == one);
  }
}

/* ---- The sky ------------------------------------------------------------------------------- */

typedef struct {
  uint32_t last;
  uint32_t lights[2]; /* 64-bit atomics in shared memory are loops of compare and swap */
  unsigned long long keys[SKY_WARPS];
} SkyShared;

/* f over the values of all threads of a block, in all of them. */
template <typename F>
STX_DEVICE unsigned long long block_reduce(
    unsigned long long value, unsigned long long *shared, F f)
{
#pragma unroll
  for (int step = STX_SGM_LANES / 2; step > 0; step /= 2)
    value = f(value, __shfl_xor_sync(STX_FULL_WARP, value, step));
  __syncthreads(); /* what was there has been read */
  if (threadIdx.x % STX_SGM_LANES == 0)
    shared[threadIdx.x / STX_SGM_LANES] = value;
  __syncthreads();
  value = shared[0];
  for (int warp = 1; warp < SKY_WARPS; warp++)
    value = f(value, shared[warp]);
  return value;
}

/* The mean of what is in no open patch; one block calls this. */
STX_DEVICE int rest_of(const StxSgmSkyArgs *a, unsigned long long *shared)
{
  unsigned long long sum = 0;
  for (int root = threadIdx.x; root < a->columns; root += STX_SGM_SKY_THREADS)
    if (a->patches[root].open)
      sum += (unsigned long long)a->patches[root].tiles << COUNT_SHIFT | a->patches[root].light;
  return mean_of(a->total->all - block_reduce(sum, shared, [](auto x, auto y) { return x + y; }));
}

STX_DEVICE int light_of(const StxSgmSkyArgs *a, const StxSgmPatch *patch)
{
  return stx_sgm_patch_light(patch, level_of(a));
}

/* The patch with the greatest key is the largest sure one: its sureness and tiles, then the
 * leftmost, then its brightness. 0: not sure, or no patch. */
STX_DEVICE unsigned long long key_of(
    const StxSgmSkyArgs *a, const StxSgmPatch *patch, int root, int rest)
{
  const int light = light_of(a, patch);
  const unsigned long long rank = stx_sgm_patch_rank(patch, light, rest, (int)tile_count(a));
  return rank == 0 ? 0
                   : rank >> 32 << 62 | (rank & UINT32_MAX) << 32 |
                         (uint32_t)(STX_SGM_SKY_NONE - root) << 8 | (uint32_t)light;
}

/* Chooses the patches that are sky; one block calls this. */
STX_DEVICE void choose_sky(const StxSgmSkyArgs *a, SkyShared *shared)
{
  const int rest = rest_of(a, shared->keys);
  unsigned long long best = 0;
  for (int root = threadIdx.x; root < a->columns; root += STX_SGM_SKY_THREADS) {
    const StxSgmPatch patch = a->patches[root];
    best = max(best, key_of(a, &patch, root, rest));
  }
  best = block_reduce(best, shared->keys, [](auto x, auto y) { return max(x, y); });
  if (threadIdx.x < 2)
    shared->lights[threadIdx.x] = 0;
  __syncthreads();
  for (int root = threadIdx.x; root < a->columns; root += STX_SGM_SKY_THREADS) {
    const StxSgmPatch patch = a->patches[root];
    const unsigned long long key = key_of(a, &patch, root, rest);
    if (key != 0 && key >> 62 == best >> 62 &&
        stx_sgm_is_alike((int)(key & 255), (int)(best & 255), 20))
      atomicOr(&shared->lights[key >> 5 & 1], 1u << (key & 31));
  }
  __syncthreads();
  const uint64_t lights = (uint64_t)shared->lights[1] << 32 | shared->lights[0];
  for (int root = threadIdx.x; root < a->columns; root += STX_SGM_SKY_THREADS) {
    const StxSgmPatch patch = a->patches[root];
    a->is_sky[root] = patch.tiles > 0 &&
                      stx_sgm_patch_is_sky(&patch, light_of(a, &patch), lights, (int)tile_count(a));
  }
}

/* ---- Marks --------------------------------------------------------------------------------- */

/*
 * A block's tiles and those around them that can matter: growth goes one tile each step, and the
 * margin looks further. In a word: the sky's least and greatest gray values, and the step in which
 * the tile became sky.
 */
enum {
  HALO = STX_SGM_SKY_GROWTH + STX_SGM_SKY_RIM,
  NEAR_COLUMNS = STX_SGM_LANES + 2 * HALO,
  NEAR_ROWS = STX_SGM_SKY_MARK_ROWS + 2 * HALO,
  NEAR_TILES = NEAR_COLUMNS * NEAR_ROWS,
  MARK_THREADS = STX_SGM_LANES * STX_SGM_SKY_MARK_ROWS,
  TILES_OF_THREAD = (NEAR_TILES + MARK_THREADS - 1) / MARK_THREADS,

  NO_SKY = STX_SGM_SKY_GROWTH + 1 /* in place of a step */
};

STX_DEVICE uint32_t near_word(StxSgmGrays grays, uint32_t step)
{
  return (uint32_t)grays.low | (uint32_t)grays.high << 8 | step << 16;
}

STX_DEVICE StxSgmGrays near_grays(uint32_t word)
{
  const StxSgmGrays grays = {(uint8_t)word, (uint8_t)(word >> 8)};
  return grays;
}

/* Grays and sum of a tile that may become sky. */
struct Growing {
  StxSgmGrays grays;
  int sum;
};

/* The word of tile (i, j). If it may become sky, *grows is filled. */
STX_DEVICE uint32_t look_near(const StxSgmSkyArgs *a, int i, int j, Growing *grows)
{
  const uint32_t none = near_word(stx_sgm_no_grays(), NO_SKY);
  if (i < 0 || i >= a->columns || j < 0 || j >= a->rows)
    return none;
  const uint32_t at = (uint32_t)(j * a->columns + i), patch = __ldg(&a->patch[at]);
  const StxSgmTile tile = tile_at(a, at);
  const StxSgmGrays own = {tile.low, tile.high};
  if (patch != STX_SGM_SKY_NONE && a->is_sky[patch])
    return near_word(own, 0);
  *grows = {own, tile.sum};
  return none;
}

/* The sky's gray values before a step in the tiles beside tile t of `near`; those at its border
 * need not be right. */
STX_DEVICE StxSgmGrays sky_beside(const uint32_t *near, int t, uint32_t step)
{
  StxSgmGrays grays = stx_sgm_no_grays();
  const int beside[] = {t - NEAR_COLUMNS, t - 1, t + 1, t + NEAR_COLUMNS};
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (beside[k] >= 0 && beside[k] < NEAR_TILES && near[beside[k]] >> 16 < step)
      grays = stx_sgm_both_grays(grays, near_grays(near[beside[k]]));
  return grays;
}

/* Grows regions step by step; all threads of a block call this. */
STX_DEVICE void grow(uint32_t *near, const Growing *grows, int range, int thread)
{
  for (uint32_t step = 1; step <= STX_SGM_SKY_GROWTH; step++) {
    StxSgmGrays sky[TILES_OF_THREAD];
#pragma unroll
    for (int k = 0; k < TILES_OF_THREAD; k++) {
      const int t = k * MARK_THREADS + thread;
      sky[k] = stx_sgm_no_grays();
      if (t < NEAR_TILES && near[t] >> 16 == NO_SKY)
        sky[k] = sky_beside(near, t, step);
    }
    bool any = false;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILES_OF_THREAD; k++)
      if (stx_sgm_grows(grows[k].grays, sky[k], grows[k].sum, range)) {
        near[k * MARK_THREADS + thread] = near_word(sky[k], step);
        any = true;
      }
    if (!__syncthreads_or(any)) /* nor will any other step */
      return;
  }
}

/* Fills `near` for the block whose first tile is (first, top), by all of its threads; false if it
 * has no sky. */
STX_DEVICE bool find_near_sky(const StxSgmSkyArgs *a, uint32_t *near, int first, int top)
{
  const int thread = (int)(threadIdx.y * STX_SGM_LANES + threadIdx.x);
  Growing grows[TILES_OF_THREAD];
  bool any = false;
#pragma unroll
  for (int k = 0; k < TILES_OF_THREAD; k++) {
    const int t = k * MARK_THREADS + thread;
    grows[k] = {{0, 255}, 0}; /* too far from any sky */
    if (t >= NEAR_TILES)
      continue;
    near[t] =
        look_near(a, first - HALO + t % NEAR_COLUMNS, top - HALO + t / NEAR_COLUMNS, &grows[k]);
    any |= near[t] >> 16 != NO_SKY;
  }
  if (!__syncthreads_or(any))
    return false;
  grow(near, grows, range_of(a), thread);
  return true;
}

/* Gray values of a tile's pixels that are marked: all in the sky, none far from it. */
STX_DEVICE StxSgmGrays marked_grays(const StxSgmSkyArgs *a, const uint32_t *near, int i, int j)
{
  StxSgmGrays grays = stx_sgm_no_grays();
  const uint32_t *own = near + (threadIdx.y + HALO) * NEAR_COLUMNS + threadIdx.x + HALO;
  if (i >= a->columns || j >= a->rows)
    return grays;
  if (*own >> 16 != NO_SKY)
    return {0, 255};
  for (int v = -STX_SGM_SKY_RIM; v <= STX_SGM_SKY_RIM; v++)
    for (int u = -STX_SGM_SKY_RIM; u <= STX_SGM_SKY_RIM; u++)
      grays = stx_sgm_both_grays(grays, near_grays(own[v * NEAR_COLUMNS + u]));
  return stx_sgm_rim_grays(grays, range_of(a));
}

/* By all lanes of a warp, side by side: 32 tiles from column `first` of row j, of which each lane
 * has the gray values that are marked. */
STX_DEVICE void mark_tiles(const StxSgmSkyArgs *a, int first, int j, StxSgmGrays mine)
{
  const int lane = threadIdx.x, bottom = min((j + 1) * STX_SGM_TILE, a->height);
  for (int part = 0; part < STX_SGM_TILE; part++) {
    const int column = part * STX_SGM_LANES + lane, x = first * STX_SGM_TILE + column;
    const uint32_t word =
        __shfl_sync(STX_FULL_WARP, (uint32_t)mine.low | mine.high << 8, column / STX_SGM_TILE);
    const StxSgmGrays grays = {(uint8_t)word, (uint8_t)(word >> 8)};
    if (x >= a->width || grays.low > grays.high)
      continue;
    for (int y = j * STX_SGM_TILE; y < bottom; y++) {
      if (!stx_sgm_has_sky_gray(grays, __ldg(&a->left[y * a->left_stride + x])))
        continue;
      *stx_sgm_disparity_at(&a->maps, x, y) = STX_DISPARITY_UNKNOWN;
      if (a->maps.confidence != NULL)
        *stx_sgm_confidence_at(&a->maps, x, y) = STX_SGM_SKY_CONFIDENCE;
    }
  }
}

/* Word by word: a structure of this size would go through local memory. */
STX_DEVICE void clear_patch(StxSgmPatch *patch)
{
  unsigned long long *words = (unsigned long long *)patch;
#pragma unroll
  for (size_t w = 0; w < sizeof *patch / sizeof *words; w++)
    words[w] = 0;
}

/* Adds a block's tiles to a total of the frame. */
STX_DEVICE void add_light(unsigned long long *total, uint32_t mine, uint32_t *sums)
{
  const uint32_t sum = block_sum(mine, sums);
  if (threadIdx.x == 0)
    atomicAdd(total,
        (unsigned long long)(sum >> BLOCK_SHIFT) << COUNT_SHIFT | (sum & ((1 << BLOCK_SHIFT) - 1)));
}

STX_DEVICE void add_spans(StxSgmSpans *total, uint32_t tile, uint32_t *sums)
{
  const StxSgmTile own = {(uint8_t)tile, (uint8_t)(tile >> 8), (uint16_t)(tile >> 16)};
  const StxSgmSpans mine = stx_sgm_spans(own);
  const uint32_t sum =
      block_sum(mine.flat | mine.rough << SPAN_SHIFT | mine.rougher << 2 * SPAN_SHIFT, sums);
  const uint32_t mask = (1 << SPAN_SHIFT) - 1;
  if (threadIdx.x == 0) {
    atomicAdd(&total->flat, sum & mask);
    atomicAdd(&total->rough, sum >> SPAN_SHIFT & mask);
    atomicAdd(&total->rougher, sum >> 2 * SPAN_SHIFT);
  }
}

STX_KERNEL(stx_sgm_sky_tiles, StxSgmSkyArgs, STX_SGM_SKY_THREADS)
{
  STX_SHARED(uint32_t, sums, SKY_WARPS);
  const uint32_t at = thread_number();
  uint32_t tile = 0;
  bool ground = false;
  if (at < tile_count(&a)) {
    const int i = (int)(at % a.columns), j = (int)(at / a.columns);
    a.tiles[at] = tile = look_at_tile(&a, i, j);
    ground = !stx_sgm_is_infinite((uint32_t)disparity_of(&a, i, j), a.width);
  }
  if (at < (uint32_t)a.columns)
    clear_patch(&a.patches[at]);
  const uint32_t mine = stx_sgm_is_blank((int)(tile >> 16)) ? 0 : 1 << BLOCK_SHIFT | tile >> 16;
  add_light(&a.total->all, mine, sums);
  __syncthreads();
  add_light(&a.total->ground, ground ? mine : 0, sums);
  __syncthreads();
  add_spans(&a.total->spans, tile, sums);
  if (at == 0)
    *a.done = UINT32_MAX;
}

STX_KERNEL(stx_sgm_sky_samples, StxSgmSkyArgs, STX_SGM_SKY_THREADS)
{
  const uint32_t at = thread_number();
  if (at < tile_count(&a))
    a.samples[at] = (uint16_t)sample_of(&a, at, (int)(at % a.columns), (int)(at / a.columns));
}

STX_KERNEL(stx_sgm_sky_candidates, StxSgmSkyArgs, STX_SGM_SKY_THREADS)
{
  const uint32_t at = thread_number();
  if (at < tile_count(&a))
    a.candidates[at] = is_candidate(&a, at, (int)(at % a.columns), (int)(at / a.columns));
}

STX_KERNEL(stx_sgm_sky_inner, StxSgmSkyArgs, STX_SGM_SKY_THREADS)
{
  const uint32_t at = thread_number();
  if (at < tile_count(&a))
    a.parent[at] = is_inner(&a, at) ? at : STX_UNUSED_CELL;
}

STX_KERNEL(stx_sgm_sky_join, StxSgmSkyArgs, STX_SGM_SKY_THREADS)
{
  join_cell(a.parent, tile_count(&a), (uint32_t)a.columns, thread_number());
  join_across(&a, thread_number());
}

STX_KERNEL(stx_sgm_sky_edge, StxSgmSkyArgs, STX_SGM_SKY_THREADS)
{
  join_edge(&a, thread_number());
}

STX_KERNEL(stx_sgm_sky_patches, StxSgmSkyArgs, STX_SGM_SKY_THREADS)
{
  STX_SHARED(SkyShared, shared, 1);
  const uint32_t at = thread_number();
  uint32_t patch = STX_SGM_SKY_NONE;
  TileShare share = {0, 0, 0, 0, 0};
  if (at < tile_count(&a)) {
    patch = patch_of(&a, at);
    a.patch[at] = (uint16_t)patch;
  }
  if (patch != STX_SGM_SKY_NONE) {
    share = share_of(&a, at);
    add_outline(&a, &a.patches[patch].outline, (int)(at % a.columns), (int)(at / a.columns));
  }
  add_to_patches(&a, patch, share);
  if (is_last_block(a.done, &shared->last))
    choose_sky(&a, shared);
}

STX_KERNEL(stx_sgm_sky_mark, StxSgmSkyArgs, STX_SGM_SKY_MARK_ROWS *STX_SGM_LANES)
{
  STX_SHARED(uint32_t, near, NEAR_TILES);
  const int first = blockIdx.x * STX_SGM_LANES, i = first + (int)threadIdx.x;
  const int j = blockIdx.y * STX_SGM_SKY_MARK_ROWS + threadIdx.y;
  if (!find_near_sky(&a, near, first, j - (int)threadIdx.y))
    return;
  const StxSgmGrays mine = marked_grays(&a, near, i, j);
  if (__ballot_sync(STX_FULL_WARP, mine.low <= mine.high) != 0)
    mark_tiles(&a, first, j, mine);
}
