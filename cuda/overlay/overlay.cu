/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drawing stixels: common/overlay/overlay.h on a GPU, with the arithmetic of
 * common/overlay/overlay_math.h.
 *
 *   index    finds each column's records, and the column of each frame pixel across
 *   columns  walks each column's records from the bottom up, which decides which of them count,
 *            and writes down the number of the paint of every frame row of the column
 *   draw     blends the frame's samples with the paints of their pixels
 *
 * Records are sorted by column if they are good, but may be anything. Whatever their order, all
 * records of a column lie between its first and its last, so that is what `index` finds; `columns`
 * looks there for records of its column. On good input the range holds no others, on garbage it is
 * longer, and the result is exact on both.
 *
 * `columns` passes one 16-bit number per column and frame row to `draw`: a sixteenth of the bytes
 * of an RGBA frame with columns of 8 pixels. Pixels find their paint by two loads, whatever the
 * number of stixels.
 *
 * Rejected on paper: a binary search for the record in each pixel (six or more dependent loads, and
 * the colour of a slanted stixel once per pixel instead of once per column and row); numbers with a
 * column's rows contiguous (`columns` would write 32 of them at once, but each of the 16 columns of
 * a warp of `draw` would be a line of its own); a kernel per pixel format (twenty of them for the
 * four ways to blend below).
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/overlay/overlay_args.h"

/*
 * Drawing stixels on the GPU: four samples of a row, which a thread owns.
 *
 * Only blending depends on the bytes of a sample; the rest is there once. Tried and rejected: all
 * of it once per bytes of a sample, and a paint looked up only where a pixel's column is not its
 * neighbour's (94 KiB of code instead of 20, and loads one after the other instead of together).
 */

STX_DEVICE uint64_t clear_word()
{
  const uint64_t add = STX_CLEAR_ADD;
  return STX_CLEAR_KEEP | add << 16 | add << 32 | add << 48;
}

/* Which columns n neighbouring pixels from x on belong to. */
template <int N>
STX_DEVICE void pixel_columns(const StxOverlayDrawArgs &a, int x, unsigned (&pixel)[N])
{
#pragma unroll
  for (int i = 0; i < N; i += 4) {
    const ushort4 four = __ldg((const ushort4 *)(a.pixel + x + i));
    pixel[i] = four.x, pixel[i + 1] = four.y, pixel[i + 2] = four.z, pixel[i + 3] = four.w;
  }
}

/* The paints of these pixels in frame row y. No branches, though most share a column and its paint:
 * all numbers are on their way together, then all paints, and they come from few lines of the
 * cache. */
template <int N>
STX_DEVICE void row_paints(
    const StxOverlayDrawArgs &a, const unsigned (&pixel)[N], int y, uint64_t (&paint)[N])
{
  const unsigned row = (unsigned)y * a.visible; /* below 2^30 */
  unsigned number[N];
#pragma unroll
  for (int i = 0; i < N; i++) {
    number[i] = STX_OVERLAY_CLEAR;
    if (pixel[i] != STX_OVERLAY_NOBODY)
      number[i] = __ldg(a.paint + (row + (pixel[i] & STX_OVERLAY_COLUMN)));
  }
#pragma unroll
  for (int i = 0; i < N; i++) {
    const int side = stx_overlay_side_paint((int)number[i]);
    paint[i] = clear_word();
    if (number[i] != STX_OVERLAY_CLEAR)
      paint[i] = __ldg(a.paints + (pixel[i] & STX_OVERLAY_SIDE ? side : (int)number[i]));
  }
}

/* Writes the paints of the samples x … x + 3 of row y. */
STX_DEVICE void sample_paints(const StxOverlayDrawArgs &a, const StxOverlayPlaneArgs &plane, int x,
    int y, uint64_t (&paint)[STX_OVERLAY_SAMPLES])
{
  if (plane.shift_x == 0) {
    unsigned pixel[STX_OVERLAY_SAMPLES];
    pixel_columns(a, x, pixel);
    row_paints(a, pixel, y, paint);
    return;
  }
  unsigned pixel[STX_OVERLAY_PIXELS];
  uint64_t upper[STX_OVERLAY_PIXELS], lower[STX_OVERLAY_PIXELS];
  const int top = y << plane.shift_y, below = top + plane.shift_y;
  pixel_columns(a, 2 * x, pixel);
  row_paints(a, pixel, top, upper);
  row_paints(a, pixel, below < a.frame_height ? below : top, lower);
#pragma unroll
  for (int j = 0; j < STX_OVERLAY_SAMPLES; j++)
    paint[j] = stx_paint_block_mean(upper[2 * j], upper[2 * j + 1], lower[2 * j], lower[2 * j + 1]);
}

/* Four samples of S bytes in S words, sample j's first byte being byte j·S. */
template <int S>
STX_DEVICE void blend_samples(uint32_t (&word)[STX_OVERLAY_SAMPLES],
    const StxOverlayPlaneArgs &plane, const uint64_t (&paint)[STX_OVERLAY_SAMPLES])
{
#pragma unroll
  for (int k = 0; k < S; k++) {
    const int channel = plane.channel[k];
    if (channel < 0)
      continue;
#pragma unroll
    for (int j = 0; j < STX_OVERLAY_SAMPLES; j++) {
      const int at = j * S + k, shift = at % 4 * 8;
      const uint8_t in = (uint8_t)(word[at / 4] >> shift);
      const uint16_t keep = (uint16_t)paint[j], add = (uint16_t)(paint[j] >> (16 + 16 * channel));
      const uint32_t out = stx_paint_blend(in, keep, add);
      word[at / 4] = (word[at / 4] & ~(0xffu << shift)) | out << shift;
    }
  }
}

/* The same for S == 4, where a word is a sample: two bytes at a time as 16-bit numbers, which hold
 * in · keep + add, at most 255 · 256 + 128. Bytes without a channel stay. */
STX_DEVICE void blend_words(uint32_t (&word)[STX_OVERLAY_SAMPLES], const StxOverlayPlaneArgs &plane,
    const uint64_t (&paint)[STX_OVERLAY_SAMPLES])
{
#pragma unroll
  for (int j = 0; j < STX_OVERLAY_SAMPLES; j++) {
    const uint32_t low = (uint32_t)paint[j], high = (uint32_t)(paint[j] >> 32), keep = low & 65535;
    const uint32_t even = (word[j] & 0x00ff00ff) * keep + __byte_perm(low, high, plane.even);
    const uint32_t odd = (word[j] >> 8 & 0x00ff00ff) * keep + __byte_perm(low, high, plane.odd);
    const uint32_t out = (even >> 8 & 0x00ff00ff) | (odd & 0xff00ff00);
    word[j] = (word[j] & ~plane.mask) | (out & plane.mask);
  }
}

STX_DEVICE void blend(uint32_t (&word)[STX_OVERLAY_SAMPLES], const StxOverlayPlaneArgs &plane,
    const uint64_t (&paint)[STX_OVERLAY_SAMPLES])
{
  if (plane.pixel_stride == 1)
    blend_samples<1>(word, plane, paint);
  else if (plane.pixel_stride == 2)
    blend_samples<2>(word, plane, paint);
  else if (plane.pixel_stride == 3)
    blend_samples<3>(word, plane, paint);
  else
    blend_words(word, plane, paint);
}

/* The first `bytes` of four samples; `unit` of them at once if it is > 1: `words` words, or one
 * access of 16 bytes. */
STX_DEVICE void load_samples(
    uint32_t (&word)[STX_OVERLAY_SAMPLES], const uint8_t *from, int bytes, int words, int unit)
{
#pragma unroll
  for (int i = 0; i < STX_OVERLAY_SAMPLES; i++)
    word[i] = 0;
  if (unit == 16) {
    const uint4 four = *(const uint4 *)from;
    word[0] = four.x, word[1] = four.y, word[2] = four.z, word[3] = four.w;
  } else if (unit > 1) {
#pragma unroll
    for (int i = 0; i < STX_OVERLAY_SAMPLES; i++)
      if (i < words)
        word[i] = ((const uint32_t *)from)[i];
  } else {
#pragma unroll
    for (int i = 0; i < 4 * STX_OVERLAY_SAMPLES; i++)
      if (i < bytes)
        word[i / 4] |= (uint32_t)from[i] << i % 4 * 8;
  }
}

STX_DEVICE void store_samples(
    const uint32_t (&word)[STX_OVERLAY_SAMPLES], uint8_t *to, int bytes, int words, int unit)
{
  if (unit == 16) {
    *(uint4 *)to = make_uint4(word[0], word[1], word[2], word[3]);
  } else if (unit > 1) {
#pragma unroll
    for (int i = 0; i < STX_OVERLAY_SAMPLES; i++)
      if (i < words)
        ((uint32_t *)to)[i] = word[i];
  } else {
#pragma unroll
    for (int i = 0; i < 4 * STX_OVERLAY_SAMPLES; i++)
      if (i < bytes)
        to[i] = (uint8_t)(word[i / 4] >> i % 4 * 8);
  }
}

STX_DEVICE bool covers(const uint64_t (&paint)[STX_OVERLAY_SAMPLES])
{
  bool covered = false;
#pragma unroll
  for (int j = 0; j < STX_OVERLAY_SAMPLES; j++)
    covered = covered || paint[j] != clear_word();
  return covered;
}

/* The samples x … x + 3 of row y, or as many as the row has. What nothing covers is not written;
 * where something does, blending with a clear paint changes nothing. The samples are on their way
 * while their paints are looked up. */
STX_DEVICE void draw_samples(
    const StxOverlayDrawArgs &a, const StxOverlayPlaneArgs &plane, int x, int y)
{
  const int samples = min(plane.width - x, (int)STX_OVERLAY_SAMPLES), size = plane.pixel_stride;
  const int unit = samples == STX_OVERLAY_SAMPLES ? plane.unit : 1;
  uint8_t *at = plane.data + y * plane.stride + (size_t)x * size;
  uint32_t word[STX_OVERLAY_SAMPLES];
  uint64_t paint[STX_OVERLAY_SAMPLES];
  load_samples(word, at, samples * size, size, unit);
  sample_paints(a, plane, x, y, paint);
  if (!covers(paint))
    return;
  blend(word, plane, paint);
  store_samples(word, at, samples * size, size, unit);
}

/* ---- Index -------------------------------------------------------------------------------- */

/* Thread i looks at record i: where a run of records of one column begins or ends, it may be the
 * column's first or last. Good input has two atomic operations per column. Counting from the end
 * makes zero the neutral element of both. */
STX_DEVICE void index_record(const StxOverlayIndexArgs &a, uint32_t i)
{
  const int column = a.records[i].column;
  if (column >= a.params.columns)
    return;
  if (i == 0 || a.records[i - 1].column != column)
    atomicMax(&a.range[column].begin, a.count - i);
  if (i + 1 == a.count || a.records[i + 1].column != column)
    atomicMax(&a.range[column].end, i + 1);
}

/* Pixels beyond the frame are as the last one. */
STX_DEVICE void index_pixel(const StxOverlayIndexArgs &a, int x)
{
  const StxOverlayParams &params = a.params;
  const int inside = x < params.frame_width ? x : params.frame_width - 1;
  const int shown = a.column[inside], column = shown / params.stixel_width;
  if (shown < 0 || shown >= params.width || column >= params.columns) {
    a.pixel[x] = STX_OVERLAY_NOBODY;
    return;
  }
  const int x0 = a.left[column], x1 = a.left[column + 1];
  const bool side = stx_overlay_has_side(a.edge, x0, x1) && inside - x0 < a.edge;
  a.pixel[x] = (uint16_t)(column | (side ? STX_OVERLAY_SIDE : 0));
}

STX_KERNEL(stx_overlay_index, StxOverlayIndexArgs, STX_OVERLAY_INDEX_THREADS)
{
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    *a.result = StxOverlayResult{0, a.count, 0, 0};
  if (i < (uint32_t)a.pixels)
    index_pixel(a, (int)i);
  if (i < a.count)
    index_record(a, i);
}

/* ---- Columns ------------------------------------------------------------------------------ */

/* A chunk of a column's records; the first part of each array holds those that are left. */
typedef struct {
  uint32_t record[STX_OVERLAY_COLUMN_THREADS]; /* its index */
  uint16_t top[STX_OVERLAY_COLUMN_THREADS];    /* image rows */
  uint16_t bottom[STX_OVERLAY_COLUMN_THREADS];
  StxOverlayBody body[STX_OVERLAY_COLUMN_THREADS];
  uint32_t valid[STX_OVERLAY_COLUMN_THREADS / 32]; /* by warp: its threads with a valid record */
  int32_t kept;
  uint32_t seen;
} StxOverlayChunk;

/* Each thread looks at one record from `first` on; the valid ones of this column go into the chunk,
 * in their order. Returns their number. */
STX_DEVICE int collect(
    const StxOverlayColumnsArgs &a, StxOverlayChunk &chunk, uint32_t first, uint32_t end)
{
  const uint32_t thread = threadIdx.x, warp = thread / 32, i = first + thread;
  const StxStixel *stixel = &a.records[i];
  const bool valid =
      i < end && stixel->column == blockIdx.x && stx_overlay_is_valid(&a.params, stixel);
  const uint32_t votes = __ballot_sync(STX_FULL_WARP, valid);
  if (thread % 32 == 0)
    chunk.valid[warp] = votes;
  __syncthreads();
  int place = __popc(votes & ((1u << thread % 32) - 1)), total = 0;
  for (uint32_t w = 0; w < STX_OVERLAY_COLUMN_THREADS / 32; w++) {
    const int in_warp = __popc(chunk.valid[w]);
    place += w < warp ? in_warp : 0;
    total += in_warp;
  }
  if (valid) {
    chunk.record[place] = i;
    chunk.top[place] = stixel->top;
    chunk.bottom[place] = stixel->bottom;
  }
  __syncthreads();
  return total;
}

/* Drops the records that do not lie above the one before, and returns the number of the others.
 * Where one is dropped, what follows depends on it, so one thread decides; good input has none. */
STX_DEVICE int drop_misplaced(StxOverlayChunk &chunk, int total, int above)
{
  const int k = (int)threadIdx.x;
  const bool misplaced = k < total && chunk.bottom[k] >= (k > 0 ? chunk.top[k - 1] : above);
  if (!__syncthreads_or(misplaced))
    return total;
  if (k == 0) {
    int kept = 0;
    for (int next = 0; next < total; next++) {
      if (chunk.bottom[next] >= above)
        continue;
      above = chunk.top[next];
      chunk.record[kept] = chunk.record[next];
      chunk.top[kept++] = (uint16_t)above;
    }
    chunk.kept = kept;
  }
  __syncthreads();
  return chunk.kept;
}

/* The number of the paint of frame row y >= the top of the chunk's last body. */
STX_DEVICE uint16_t row_paint(
    const StxOverlayColumnsArgs &a, const StxOverlayChunk &chunk, int kept, int y)
{
  int low = 0, high = kept - 1; /* the first body with top <= y is one of these */
  while (low < high) {
    const int middle = (low + high) / 2;
    if (chunk.body[middle].top <= y)
      high = middle;
    else
      low = middle + 1;
  }
  const StxOverlayBody &body = chunk.body[low];
  if (y >= body.bottom)
    return STX_OVERLAY_CLEAR;
  return (uint16_t)stx_overlay_row_paint(&a.tables, &body, y);
}

/* Makes bodies of the chunk's records; returns what this thread's adds to the legend. */
STX_DEVICE uint32_t make_bodies(const StxOverlayColumnsArgs &a, StxOverlayChunk &chunk, int kept)
{
  uint32_t seen = 0;
  if ((int)threadIdx.x < kept) {
    const StxStixel *stixel = &a.records[chunk.record[threadIdx.x]];
    StxOverlayBody body = stx_overlay_body(&a.params, &a.tables, stixel);
    if (!stx_overlay_is_shown(&a.params, stixel))
      body.bottom = body.top;
    chunk.body[threadIdx.x] = body;
    seen = stx_overlay_legend_bit(&a.params, stixel);
  }
  __syncthreads();
  return seen;
}

/*
 * A block owns a column. It takes as many records at a time as it has threads, and paints the
 * rows from the top of the last one down to what the records before have painted; in the end, what
 * is left above is clear. So every row is written once.
 *
 * Shared memory: the chunk. In its search the threads of a warp, which have neighbouring rows,
 * read the same one or two bodies: a broadcast.
 */
STX_KERNEL(stx_overlay_columns, StxOverlayColumnsArgs, STX_OVERLAY_COLUMN_THREADS)
{
  STX_SHARED(StxOverlayChunk, chunk, 1);
  const int thread = (int)threadIdx.x, column = (int)blockIdx.x;
  const StxOverlayRange range = a.range[column];
  int above = a.params.height;         /* image row: the next record must end above it */
  int painted = a.params.frame_height; /* frame row: painted from here down */
  uint32_t drawn = 0, seen = 0;
  if (thread == 0)
    chunk->seen = 0;
  for (uint32_t i = range.end > 0 ? a.count - range.begin : 0; i < range.end; i += blockDim.x) {
    const int total = collect(a, *chunk, i, range.end);
    const int kept = drop_misplaced(*chunk, total, above);
    if (kept == 0)
      continue;
    seen |= make_bodies(a, *chunk, kept);
    const int top = chunk->body[kept - 1].top;
    for (int y = top + thread; y < painted && column < a.visible; y += blockDim.x)
      a.paint[(size_t)y * a.visible + column] = row_paint(a, *chunk, kept, y);
    above = chunk->top[kept - 1];
    painted = top;
    drawn += (uint32_t)kept;
  }
  for (int y = thread; y < painted && column < a.visible; y += blockDim.x)
    a.paint[(size_t)y * a.visible + column] = STX_OVERLAY_CLEAR;
  if (seen != 0)
    atomicOr(&chunk->seen, seen);
  __syncthreads();
  if (thread != 0 || drawn == 0)
    return;
  atomicAdd(&a.result->drawn, drawn);
  atomicAdd(&a.result->skipped, 0u - drawn); /* it began with all */
  atomicOr(&a.result->seen, chunk->seen);
}

/* ---- Draw --------------------------------------------------------------------------------- */

/*
 * A thread owns four samples of one plane: a warp reads and writes 128 of them, 128 to 512
 * consecutive bytes, and a block eight rows, whose numbers of paints share their lines of the
 * cache. The planes of a frame are the z of the grid; blocks beyond a smaller plane are empty.
 * No shared memory: the table of paints (11 KB) and the numbers stay in the level-1 cache.
 */
STX_KERNEL(stx_overlay_draw, StxOverlayDrawArgs, STX_OVERLAY_DRAW_X *STX_OVERLAY_DRAW_Y)
{
  const StxOverlayPlaneArgs &plane = a.plane[blockIdx.z];
  const int x = (int)(blockIdx.x * STX_OVERLAY_DRAW_X + threadIdx.x) * STX_OVERLAY_SAMPLES;
  const int y = (int)(blockIdx.y * STX_OVERLAY_DRAW_Y + threadIdx.y);
  if (x < plane.width && y < plane.height)
    draw_samples(a, plane, x, y);
}
