/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fulldp, the cells of a group of columns, lanes interleaved, and what they cost at least. Proofs:
 * docs/algorithms/fulldp.md.
 */
#include "common/fulldp/fulldp_lanes_private.h"
#include "common/satdp/satdp_fit.inc.h"

static Floats no_floats(void)
{
  return (Floats){0};
}

/* ---- Cells --------------------------------------------------------------------------------- */

static void add_row(const Full *f, int u)
{
  const Group *g = &f->base;
  const StxSatdpTables *t = g->tables;
  const SumRow *hi = &g->rows[u + 1], *lo = &g->rows[u];
  for (int l = 0; l < LANES; l++) {
    uint32_t d = g->raw[u][l], w = g->raw[t->rows + u][l];
    f->disparity[u][l] = (float)d;
    for (int kind = 0; kind < KINDS; kind++) {
      StxCell cell = stx_cell(t, (StxKind)(STX_KIND_GROUND + kind), u, w, d);
      double energy = cell.flat + hi->placed[kind][l] - lo->placed[kind][l];
      if (kind == SKY) {
        energy += (double)stx_mixture_energy((float)d, 0, cell.precision, cell.cap);
      } else {
        f->cell[kind][u].precision[l] = cell.precision;
        f->cell[kind][u].cap[l] = cell.cap;
      }
      f->fixed[kind][u + 1][l] = f->fixed[kind][u][l] + energy;
    }
  }
}

/* ---- Bounds -------------------------------------------------------------------------------- */

/* By how much the cells of a block may fall short of the least squares of any line, because of
 * rounding. */
static double block_slack(const StxSatdpTables *t)
{
  double steepest = sqrt(16384 * STX_FOLDED_MAX * t->residual_energy);
  return t->rounding + BLOCK_CELLS * (0.6 + 0.2 * steepest);
}

/* The least squares of the cells between two boundaries, those between two others left out. */
static inline double squares_of(StxGroundPrior prior, int kind, const SumRow *hi, const SumRow *lo,
    const SumRow *out_hi, const SumRow *out_lo, int l)
{
#define SUM(field) ((hi->field[l] - lo->field[l]) - (out_hi->field[l] - out_lo->field[l]))
  if (kind == OBJECT)
    return stx_object_residual(SUM(object_w), SUM(object_d), SUM(object_dd));
  return stx_line_residual(prior, SUM(ground_w), SUM(ground_x), SUM(ground_xx), SUM(ground_d),
      SUM(ground_xd), SUM(ground_dd));
#undef SUM
}

/*
 * What the cells of a block cost at least on any line: all cost their squares; or all but one,
 * which costs its cap; or two their caps.
 */
static inline void block_energy(const Full *f, int kind, int block, double *least)
{
  const Group *g = &f->base;
  const SumRow *lo = &g->rows[block * BLOCK_CELLS], *hi = lo + BLOCK_CELLS;
  StxGroundPrior prior = stx_ground_prior(g->tables);
  double unit = g->tables->residual_energy, slack = block_slack(g->tables) + 1;
  Lanes first, second; /* the smallest caps */
  EACH_LANE
  {
    first[l] = second[l] = 16384;
    least[l] = squares_of(prior, kind, hi, lo, lo, lo, l) * unit;
  }
  for (int u = block * BLOCK_CELLS; u < (block + 1) * BLOCK_CELLS; u++)
    EACH_LANE
    {
      double cap = f->disparity[u][l] > 0 ? f->cell[kind][u].cap[l] : 16384;
      double rest = squares_of(prior, kind, hi, lo, &g->rows[u + 1], &g->rows[u], l) * unit;
      least[l] = stx_min(least[l], cap + rest);
      second[l] = stx_min(second[l], stx_max(first[l], cap));
      first[l] = stx_min(first[l], cap);
    }
  EACH_LANE
  least[l] = stx_max(stx_round(stx_min(least[l], first[l] + second[l]) - slack), 0);
}

static inline void bound_blocks_of(const Full *f, int kind)
{
  int blocks = f->base.tables->rows / BLOCK_CELLS;
  f->least_cells[kind][0] = no_floats();
  for (int b = 0; b < blocks; b++) {
    Lanes least;
    memset(least, 0, sizeof least);
    if (kind != SKY)
      block_energy(f, kind, b, least);
    for (int l = 0; l < LANES; l++)
      f->least_cells[kind][b + 1][l] = f->least_cells[kind][b][l] + (float)least[l];
  }
}

static void bound_blocks(const Full *f)
{
  bound_blocks_of(f, GROUND);
  bound_blocks_of(f, OBJECT);
  bound_blocks_of(f, SKY);
}

static void bound_rows(const Full *f)
{
  const Group *g = &f->base;
  int rows = g->tables->rows, blocks = rows / BLOCK_CELLS;
  for (int kind = 0; kind < KINDS; kind++)
    for (int u = 0; u <= rows; u++) {
      int above = (u + BLOCK_CELLS - 1) / BLOCK_CELLS;
      const Floats *sums = f->least_cells[kind];
      Floats from = sums[above < blocks ? above : blocks], to = sums[u / BLOCK_CELLS];
      for (int l = 0; l < LANES; l++) {
        double classes = g->rows[u].lower[kind][l] - g->rows[u].placed[kind][l];
        f->begin[kind][u][l] = f->fixed[kind][u][l] + classes + from[l];
        f->end[kind][u][l] = f->fixed[kind][u][l] + classes + to[l];
      }
    }
}

void STX_VARIANT(stx_fulldp_build)(Full *f)
{
  const StxSatdpTables *t = f->base.tables;
  for (int kind = 0; kind < KINDS; kind++)
    memset(f->fixed[kind][0], 0, sizeof(Lanes));
  for (int u = 0; u < t->rows; u++) {
    f->x[u] = (float)t->x[u];
    add_row(f, u);
  }
  bound_blocks(f);
  bound_rows(f);
}
