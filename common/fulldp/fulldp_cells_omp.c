/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fulldp, the cells of a group of columns, lanes interleaved, and what they cost at least. Proofs:
 * docs/algorithms/fulldp.md.
 */
#include "common/fulldp/fulldp_lanes_private.h"
#include "common/satdp/satdp_fit.inc.h"

static HalfF32 no_floats(void)
{
  return (HalfF32){0};
}

/* ---- Cells --------------------------------------------------------------------------------- */

INLINE void add_kind(const Full *f, int kind, int u)
{
  const Group *g = &f->base;
  const StxSatdpTables *t = g->tables;
  const uint16_t *disparity = g->raw[u], *weight = g->raw[t->rows + u];
  const double *below = f->fixed[kind][u];
  double *fixed = f->fixed[kind][u + 1];
  const double *hi = g->rows[u + 1].placed[kind], *lo = g->rows[u].placed[kind];
  float precision[LANES], cap[LANES];
  int v = stx_road_cell(t, g->drop, u);
  EACH_LANE
  {
    StxCell cell = stx_cell(t, (StxKind)(STX_KIND_GROUND + kind), v, weight[l], disparity[l]);
    float d = (float)(int32_t)disparity[l];
    double energy = kind == SKY ? (double)stx_mixture_energy(d, 0, cell.precision, cell.cap) : 0.0;
    fixed[l] = below[l] + (cell.flat + hi[l] - lo[l] + energy);
    precision[l] = cell.precision;
    cap[l] = cell.cap;
  }
  if (kind == SKY)
    return;
  memcpy(&f->cell[kind][u].precision, precision, sizeof precision);
  memcpy(&f->cell[kind][u].cap, cap, sizeof cap);
}

/* ---- Bounds -------------------------------------------------------------------------------- */

/* By how much the cells of a block may fall short of the least squares of any line, because of
 * rounding. */
static double block_slack(const StxSatdpTables *t)
{
  double steepest = sqrt(16384 * STX_FOLDED_MAX * t->residual_energy);
  return 1 + BLOCK_CELLS * (0.6 + 0.2 * steepest);
}

/* Sums over cells of energies of (1/256 px)²; x from a block's first cell on. */
typedef struct {
  VecF64 w, x, xx, d, xd, dd;
} Squares;

/* The squares of a cell at `x`. */
INLINE Squares squares_of(const Full *f, int kind, int u, float x)
{
  VecF64 w = widen_f32(f->cell[kind][u].precision), d = widen_f32(f->disparity[u]), wd = w * d;
  double at = (double)x;
  return (Squares){w, w * at, w * at * at, wd, wd * at, wd * d};
}

INLINE void add_squares(Squares *to, double sign, Squares a)
{
  to->w += sign * a.w;
  to->x += sign * a.x;
  to->xx += sign * a.xx;
  to->d += sign * a.d;
  to->xd += sign * a.xd;
  to->dd += sign * a.dd;
}

/* The least that they cost on a line, of ground, or for one value. */
INLINE VecF64 least_squares(int kind, Squares s)
{
  VecF64 inverse = 1 / max_f64(s.w, set1_f64(1e-30)), zero = set1_f64(0);
  VecF64 xx = s.xx - s.x * (s.x * inverse), xd = s.xd - s.x * (s.d * inverse);
  VecF64 dd = s.dd - s.d * (s.d * inverse);
  Mask64 full = lt_f64(s.xx * 1e-9, xx);
  if (kind == GROUND) /* no cells in two rows: xx and xd are rounding */
    dd -= keep_f64(full, xd) * (xd / blend_f64(full, xx, set1_f64(1)));
  return max_f64(dd, zero);
}

/*
 * The least cost of a block's cells on any line: all cost their squares; or all but one, which
 * costs its cap; or two their caps.
 */
INLINE HalfF32 block_energy(const Full *f, int kind, int block)
{
  int begin = block * BLOCK_CELLS;
  Squares all = {0}, cell[BLOCK_CELLS];
  for (int i = 0; i < BLOCK_CELLS; i++) {
    cell[i] = squares_of(f, kind, begin + i, f->x[begin + i] - f->x[begin]);
    add_squares(&all, 1, cell[i]);
  }
  VecF64 most = set1_f64(16384), least = least_squares(kind, all);
  VecF64 first = most, second = most; /* the smallest caps */
  for (int u = block * BLOCK_CELLS; u < (block + 1) * BLOCK_CELLS; u++) {
    Mask64 known = lt_f64(set1_f64(0), widen_f32(f->disparity[u]));
    VecF64 cap = blend_f64(known, widen_f32(f->cell[kind][u].cap), most);
    Squares others = all;
    add_squares(&others, -1, cell[u - begin]);
    least = min_f64(least, cap + least_squares(kind, others));
    second = min_f64(second, max_f64(first, cap));
    first = min_f64(first, cap);
  }
  VecF64 slack = set1_f64(block_slack(f->base.tables) + 1);
  least = lanes_round(min_f64(least, first + second) - slack);
  return narrow_f64(max_f64(least, set1_f64(0)));
}

static inline void bound_blocks_of(const Full *f, int kind)
{
  int blocks = f->base.tables->rows / BLOCK_CELLS;
  f->least_cells[kind][0] = no_floats();
  for (int b = 0; b < blocks; b++) {
    HalfF32 least = kind == SKY ? no_floats() : block_energy(f, kind, b);
    f->least_cells[kind][b + 1] = f->least_cells[kind][b] + least;
  }
}

static void bound_rows(const Full *f)
{
  const Group *g = &f->base;
  int rows = g->tables->rows, blocks = rows / BLOCK_CELLS;
  for (int kind = 0; kind < KINDS; kind++)
    for (int u = 0; u <= rows; u++) {
      int above = (u + BLOCK_CELLS - 1) / BLOCK_CELLS;
      const HalfF32 *sums = f->least_cells[kind];
      HalfF32 from = sums[above < blocks ? above : blocks], to = sums[u / BLOCK_CELLS];
      const SumRow *row = &g->rows[u];
      VecF64 fixed =
          load_f64(f->fixed[kind][u]) + (load_f64(row->lower[kind]) - load_f64(row->placed[kind]));
      store_f64(f->begin[kind][u], fixed + widen_f32(from));
      store_f64(f->end[kind][u], fixed + widen_f32(to));
    }
}

void STX_VARIANT(stx_fulldp_build)(Full *f)
{
  const StxSatdpTables *t = f->base.tables;
  for (int kind = 0; kind < KINDS; kind++)
    memset(f->fixed[kind][0], 0, sizeof(Lanes));
  for (int u = 0; u < t->rows; u++) {
    f->x[u] = (float)t->x[u];
    for (int l = 0; l < LANES; l++)
      f->disparity[u][l] = (float)f->base.raw[u][l];
    add_kind(f, GROUND, u);
    add_kind(f, OBJECT, u);
    add_kind(f, SKY, u);
  }
  bound_blocks_of(f, GROUND);
  bound_blocks_of(f, OBJECT);
  bound_blocks_of(f, SKY);
  bound_rows(f);
}
