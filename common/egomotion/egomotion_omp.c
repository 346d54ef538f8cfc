/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* egomotion, the fast one of what looks at pixels; compiled once per instruction set. */
#include "common/egomotion/egomotion_private.h"
#include "common/simd/simd.h"

#include <string.h>

#define CHUNK 128 /* columns of scores at a time: products stay in the cache */
#define WIDE (2 * EGO_RADIUS + 1)

void STX_VARIANT(stx_egomotion_half)(const StxImage8 *full, const StxImage8 *half, int row, int end)
{
  for (int y = row; y < end; y++) {
    const uint8_t *restrict a = stx_row8(full, 2 * y), *restrict b = a + full->stride;
    uint8_t *restrict to = stx_row8(half, y);
#pragma omp simd
    for (int x = 0; x < half->width; x++)
      to[x] = (uint8_t)((a[2 * x] + a[2 * x + 1] + b[2 * x] + b[2 * x + 1] + 2) >> 2);
  }
}

/* ---- Relief ---------------------------------------------------------------------------------- */

/* Columns first … end − 1 of row y, which have 3 pixels to either side; 3 rows above and below. */
INLINE void relief_chunk(
    const StxImage8 *half, const StxImage8 *relief, int k, int y, int first, int end)
{
  uint16_t down[CHUNK + 6];
  const uint8_t *row = stx_row8(half, y) + first;
  uint8_t *restrict to = stx_row8(relief, y) + first;
  const ptrdiff_t s = half->stride;
#pragma omp simd
  for (int x = 0; x < end - first + 6; x++) {
    const uint8_t *p = row + x - 3;
    down[x] = (uint16_t)(p[-3 * s] + p[-2 * s] + p[-s] + p[0] + p[s] + p[2 * s] + p[3 * s]);
  }
#pragma omp simd
  for (int x = 0; x < end - first; x++) {
    const uint16_t *d = down + x;
    to[x] = ego_relief(row[x], d[0] + d[1] + d[2] + d[3] + d[4] + d[5] + d[6], k);
  }
}

void STX_VARIANT(stx_egomotion_relief)(
    const StxImage8 *half, const StxImage8 *relief, int k, int row, int end)
{
  const int last = half->width - 3;
  for (int y = row; y < end; y++) {
    memset(stx_row8(relief, y), 128, (size_t)relief->width);
    if (y < 3 || y >= half->height - 3)
      continue;
    for (int x = 3; x < last; x += CHUNK)
      relief_chunk(half, relief, k, y, x, x + CHUNK < last ? x + CHUNK : last);
  }
}

/* ---- Corners --------------------------------------------------------------------------------- */

/* Sums down of 5 products each, and then across. */
typedef struct {
  int32_t a[CHUNK + 4], b[CHUNK + 4], c[CHUNK + 4];
} Products;

INLINE void products_row(const StxImage8 *half, int x, int y, int count, Products *restrict to)
{
  const uint8_t *row = stx_row8(half, y) + x;
  const ptrdiff_t s = half->stride;
#pragma omp simd
  for (int i = 0; i < count; i++) {
    int across = row[i + 1] - row[i - 1], down = row[i + s] - row[i - s];
    to->a[i] = across * across;
    to->b[i] = down * down;
    to->c[i] = across * down;
  }
}

INLINE int across5(const int32_t *p)
{
  return p[0] + p[1] + p[2] + p[3] + p[4];
}

/* The largest scores of columns, the first ones, and their rows. */
typedef struct {
  int32_t score[CHUNK], y[CHUNK];
} Best;

/* Scores of row y, from the products of five rows from two above on. */
INLINE void scores_row(const Products rows[5], int count, int y, Best *restrict best)
{
  Products sum;
#pragma omp simd
  for (int i = 0; i < count + 4; i++) {
    sum.a[i] = rows[0].a[i] + rows[1].a[i] + rows[2].a[i] + rows[3].a[i] + rows[4].a[i];
    sum.b[i] = rows[0].b[i] + rows[1].b[i] + rows[2].b[i] + rows[3].b[i] + rows[4].b[i];
    sum.c[i] = rows[0].c[i] + rows[1].c[i] + rows[2].c[i] + rows[3].c[i] + rows[4].c[i];
  }
#pragma omp simd
  for (int i = 0; i < count; i++) {
    const int32_t score = ego_score(across5(sum.a + i), across5(sum.b + i), across5(sum.c + i));
    const int32_t was = best->score[i];
    best->y[i] = score > was ? y : best->y[i];
    best->score[i] = score > was ? score : was;
  }
}

/* The first of the largest by rows, in each cell. */
INLINE void take_best(const Best *best, int first, int end, int32_t *scores, int16_t (*places)[2])
{
  for (int x = first; x < end; x++) {
    const int32_t score = best->score[x - first], y = best->y[x - first], cell = x / EGO_CELL;
    if (score < STX_EGOMOTION_TEXTURE || score < scores[cell] ||
        (score == scores[cell] && y >= places[cell][1]))
      continue;
    scores[cell] = score;
    places[cell][0] = (int16_t)x;
    places[cell][1] = (int16_t)y;
  }
}

void STX_VARIANT(stx_egomotion_corners)(
    const StxImage8 *half, int row, int32_t *scores, int16_t (*places)[2])
{
  const int cells = (half->width + EGO_CELL - 1) / EGO_CELL;
  const int right = half->width - EGO_BORDER, bottom = half->height - EGO_BORDER;
  const int top = row * EGO_CELL > EGO_BORDER ? row * EGO_CELL : EGO_BORDER;
  const int below = (row + 1) * EGO_CELL < bottom ? (row + 1) * EGO_CELL : bottom;
  Products products[EGO_CELL + 4];
  memset(scores, 0, (size_t)cells * sizeof *scores);
  for (int chunk = 0; chunk < right && top < below; chunk += CHUNK) { /* of whole cells */
    const int x = chunk > EGO_BORDER ? chunk : EGO_BORDER;
    const int end = chunk + CHUNK < right ? chunk + CHUNK : right;
    for (int y = top - 2; y < below + 2; y++)
      products_row(half, x - 2, y, end - x + 4, &products[y - top + 2]);
    Best best = {{0}, {0}};
    for (int y = top; y < below; y++)
      scores_row(&products[y - top], end - x, y, &best);
    take_best(&best, x, end, scores, places);
  }
}

/* ---- Search ---------------------------------------------------------------------------------- */

/* The sums of as many places as a vector has bytes: of each second one from the first, and from the
 * second on. */
typedef struct {
  VecU16 even, odd;
} Sides;

/* Adds a row of the patch: bytes in pairs, modulo 2^16, and the second ones of these pairs. */
INLINE void add_row(const uint8_t *patch, const uint8_t *from, VecU16 *both, VecU16 *odd)
{
  for (int i = 0; i < EGO_SIDE; i++) {
    const VecU8 a = set1_u8(patch[i]), b = load_u8(from + i);
    const VecU16 off = (VecU16)(subs_u8(a, b) | subs_u8(b, a));
    *both += off;
    *odd += off >> 8;
  }
}

/* Is a sum below the limit, in lanes whose bits in `beyond` are not set? */
INLINE bool any_below(VecU16 limit, Sides sums, Sides beyond)
{
  return nonzero_bits_u16(
             subs_u16(limit, sums.even | beyond.even), subs_u16(limit, sums.odd | beyond.odd)) != 0;
}

/* The sums of a patch at `patch` over places from `from` on; once all reach the limit, no more rows
 * are added. */
INLINE Sides costs_from(const uint8_t *patch, ptrdiff_t patch_stride, const uint8_t *from,
    ptrdiff_t stride, VecU16 limit, Sides beyond)
{
  VecU16 both = {0}, odd = {0};
  Sides sums = {both, odd};
  for (int j = 0; j < EGO_SIDE; j += 2) {
    add_row(patch + j * patch_stride, from + j * stride, &both, &odd);
    add_row(patch + (j + 1) * patch_stride, from + (j + 1) * stride, &both, &odd);
    sums = (Sides){both - (odd << 8), odd};
    if (j >= 2 && !any_below(limit, sums, beyond))
      break;
  }
  return sums;
}

/* All bits from place `count` on. */
INLINE Sides behind(int count)
{
  Sides lanes;
  for (int i = 0; i < LANES_16; i++) {
    lanes.even[i] = 2 * i < count ? 0 : UINT16_MAX;
    lanes.odd[i] = 2 * i + 1 < count ? 0 : UINT16_MAX;
  }
  return lanes;
}

INLINE void store_sums(uint16_t *to, Sides sums)
{
  store_quarters((char *)to, 32, (VecI32)unpacklo_16(sums.even, sums.odd));
  store_quarters((char *)(to + 8), 32, (VecI32)unpackhi_16(sums.even, sums.odd));
}

/* Rows are read up to a vector behind the window's last column: what follows in memory. */
void STX_VARIANT(stx_egomotion_costs)(const StxImage8 *before, int x, int y, const StxImage8 *now,
    const EgoWindow *window, int limit, uint16_t (*costs)[EGO_COSTS], uint16_t *least)
{
  const uint8_t *patch = stx_row8(before, y - EGO_BEFORE) + x - EGO_BEFORE;
  const int last = (window->columns - 1) / LANES_8 * LANES_8;
  const Sides inside = {{0}, {0}}, end = behind(window->columns - last);
  limit = limit < UINT16_MAX ? limit : UINT16_MAX;
  for (int row = 0; row < window->rows; row++) {
    const uint8_t *from = stx_row8(now, window->y + row - EGO_BEFORE) + window->x - EGO_BEFORE;
    VecU16 lowest = set1_u16(UINT16_MAX);
    for (int column = 0; column <= last; column += LANES_8) {
      const Sides beyond = column == last ? end : inside;
      const Sides sums = costs_from(
          patch, before->stride, from + column, now->stride, set1_u16((uint16_t)limit), beyond);
      store_sums(&costs[row][column], sums);
      lowest = min_u16(lowest, min_u16(sums.even | beyond.even, sums.odd | beyond.odd));
    }
    least[row] = (uint16_t)least_u16(lowest);
    limit = ego_beyond(least[row]) < limit ? ego_beyond(least[row]) : limit;
  }
}

/* ---- Places between pixels ------------------------------------------------------------------- */

void STX_VARIANT(stx_egomotion_patch)(const StxImage8 *before, int x, int y, EgoPatch *patch)
{
  EgoPatch p = {0};
  for (int j = 0; j < WIDE; j++) {
    const uint8_t *row = stx_row8(before, y + j - EGO_RADIUS) + x - EGO_RADIUS;
    const ptrdiff_t s = before->stride;
    for (int i = 0; i < WIDE; i++) {
      p.t[j][i] = row[i];
      p.x[j][i] = (int16_t)(row[i + 1] - row[i - 1]);
      p.y[j][i] = (int16_t)(row[i + s] - row[i - s]);
    }
  }
  const int16_t *t_of = &p.t[0][0], *x_of = &p.x[0][0], *y_of = &p.y[0][0];
  int32_t t = 0, gx = 0, gy = 0, tt = 0, tx = 0, ty = 0, xx = 0, xy = 0, yy = 0;
#pragma omp simd reduction(+ : t, gx, gy, tt, tx, ty, xx, xy, yy)
  for (int k = 0; k < EGO_ROWS * EGO_WIDE; k++) {
    const int a = t_of[k], b = x_of[k], c = y_of[k];
    t += a;
    gx += b;
    gy += c;
    tt += a * a;
    tx += a * b;
    ty += a * c;
    xx += b * b;
    xy += b * c;
    yy += c * c;
  }
  p.of.t = t;
  p.of.x = gx;
  p.of.y = gy;
  p.of.tt = tt;
  p.of.tx = tx;
  p.of.ty = ty;
  p.of.xx = xx;
  p.of.xy = xy;
  p.of.yy = yy;
  *patch = p;
}

typedef uint8_t RowU8 __attribute__((vector_size(EGO_WIDE)));
typedef int16_t RowI16 __attribute__((vector_size(2 * EGO_WIDE)));
typedef int32_t RowI32 __attribute__((vector_size(4 * EGO_WIDE)));

INLINE RowI16 row_at(const uint8_t *p)
{
  RowU8 row;
  memcpy(&row, p, sizeof row);
  return __builtin_convertvector(row, RowI16);
}

/* A row between columns: EGO_STEPS of a gray level. */
INLINE RowI16 across_row(const uint8_t *p, int x)
{
  return row_at(p) * (int16_t)(EGO_STEPS - x) + row_at(p + 1) * (int16_t)x;
}

/* ego_between, of one row after the other. */
INLINE RowI16 down_row(RowI16 above, RowI16 below, int y)
{
  const RowI32 a = __builtin_convertvector(above, RowI32),
               b = __builtin_convertvector(below, RowI32);
  return __builtin_convertvector((a * (EGO_STEPS - y) + b * y + 256) >> 9, RowI16);
}

/* Rows are read 6 pixels behind the patch. */
void STX_VARIANT(stx_egomotion_sums)(
    const EgoPatch *patch, const StxImage8 *now, int x, int y, EgoSums *sums)
{
  const uint8_t *p = stx_row8(now, y / EGO_STEPS - EGO_RADIUS) + x / EGO_STEPS - EGO_RADIUS;
  const RowI16 inside = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  int16_t values[EGO_ROWS][EGO_WIDE] = {{0}};
  int sum = 0, jj = 0, tj = 0, xj = 0, yj = 0;
  RowI16 above = across_row(p, x % EGO_STEPS);
  for (int j = 0; j < WIDE; j++) {
    const RowI16 below = across_row(p + (j + 1) * now->stride, x % EGO_STEPS);
    const RowI16 row = down_row(above, below, y % EGO_STEPS) & inside;
    memcpy(values[j], &row, sizeof row);
    above = below;
  }
  const int16_t *v = values[0], *t = patch->t[0], *gx = patch->x[0], *gy = patch->y[0];
#pragma omp simd reduction(+ : sum, jj, tj, xj, yj)
  for (int k = 0; k < EGO_ROWS * EGO_WIDE; k++) {
    sum += v[k];
    jj += v[k] * v[k];
    tj += t[k] * v[k];
    xj += gx[k] * v[k];
    yj += gy[k] * v[k];
  }
  *sums = (EgoSums){sum, jj, tj, xj, yj};
}
