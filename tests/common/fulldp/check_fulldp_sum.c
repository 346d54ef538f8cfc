/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Eq. 6 is a sum, of which fulldp keeps the larger summand: a known cell costs at most ln 2 more
 * than the sum's -ln, and never less. Cells worked out by hand, all cells of all stixels of the
 * street, and how many of its columns become others with the sum in the recurrence.
 */
#include "tests/common/fulldp/fulldp_case.h"
#include "tests/common/pipeline/pipeline_case.h"

#include "common/fulldp/fulldp_math.h"
#include "tests/common/satdp/satdp_c.h"

#include <math.h>

#define ROUNDED 2.0 /* energies: the cell's flat and cap, and what is added, are integers */

/* -ln of the sum, in nats, for q = (c·r/sigma)². */
static double sum_of(const StxSatdpParams *p, int kind, double sigma, double q)
{
  double share = p->outlier_share[kind], inside = kind == STX_BELOW_SKY ? 0.5 : 1;
  double gaussian = (1 - share) / (inside * sigma * sqrt(M_PI)) * exp(-q);
  return -log(share / p->outlier_range + gaussian);
}

/* ---- By hand -------------------------------------------------------------------------------- */

/* One certain cell, sigma 1 px, a wrong one in 0.15, of 128: p/Z = 0.0011718750, (1 − p)/√π =
 * 0.4795611.
 *   exact    −ln 0.4807330 = 0.732443   the larger one −ln 0.4795611 = 0.734884
 *   2 px off −ln (0.0011719 + 0.4795611·e^-4 = 0.0099554) = 4.609645    4.734884
 *   where both are 0.0011719: −ln 0.0023438 = 6.056003  6.749150, ln 2 more
 *   9 px off −ln 0.0011719 = 6.749150   the same */
static const struct {
  double off, sum, larger;
} by_hand[] = {{0, 0.732443, 0.734884}, {2, 4.609645, 4.734884}, {2.4524001, 6.056003, 6.749150},
    {9, 6.749150, 6.749150}};

STX_TEST(cells_by_hand)
{
  StxSatdpParams p = case_params(1, 1, 8, 0);
  p.sigma_disparity[0] = p.sigma_disparity[1] = p.sigma_disparity[2] = 1;
  STX_AUTO(Case) *c = new_full_case(p, NULL, NULL);
  for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++) {
    double off = by_hand[i].off;
    StxCell cell = stx_cell(&c->tables, STX_KIND_OBJECT, 0, STX_WEIGHT_ONE, 20 * 256);
    double got = cell.flat + (double)stx_mixture_energy(
                                 20 * 256, (float)((20 - off) * 256), cell.precision, cell.cap);
    ck_assert_double_eq_tol(got / 1024, by_hand[i].larger, 2e-3);
    ck_assert_double_eq_tol(sum_of(&p, STX_BELOW_OBJECT, 1, off * off), by_hand[i].sum, 1e-5);
  }
  ck_assert_double_eq_tol(by_hand[2].larger - by_hand[2].sum, log(2), 1e-5);
}

/* ---- On columns ------------------------------------------------------------------------------ */

/* The cells of a column, and how far what they cost is from the sum. */
typedef struct {
  const StxSatdpParams *params;
  const StxSatdpTables *tables;
  const uint16_t *disparity, *weight;
  double most, total; /* nats */
  int cells;
} Sums;

static void begin(void *data, const StxSatdpParams *params, const StxSatdpTables *tables,
    const void *columns, int column)
{
  Sums *s = data;
  s->params = params;
  s->tables = tables;
  s->disparity = stx_column(&params->grid, (void *)columns, 0, column);
  s->weight = stx_column(&params->grid, (void *)columns, 1, column);
}

/* sigma comes back out of the scale, as in fulldp.c; a scale of 0 is one without bounds. */
static double cell_sum(const Sums *s, int kind, int u, double value)
{
  const StxSatdpTables *t = s->tables;
  uint32_t d = s->disparity[t->rows - 1 - u], w = s->weight[t->rows - 1 - u];
  uint32_t scale = stx_kind_scale(t, (StxKind)(STX_KIND_GROUND + kind), u, d);
  double unit = t->residual_energy / STX_ENERGY_ONE;
  double q = stx_fold(w, scale, d) * unit * (d - value) * (d - value);
  return sum_of(s->params, kind, 1 / sqrt(scale * unit * STX_WEIGHT_ONE), q);
}

static double cell_larger(const Sums *s, int kind, int u, float value)
{
  const StxSatdpTables *t = s->tables;
  uint32_t d = s->disparity[t->rows - 1 - u], w = s->weight[t->rows - 1 - u];
  StxCell cell = stx_cell(t, (StxKind)(STX_KIND_GROUND + kind), u, w, d);
  return cell.flat + (double)stx_mixture_energy((float)d, value, cell.precision, cell.cap);
}

/* The data term of the reference: the sum, compared with the maximum on the way. */
static double energy(const void *data, int kind, int vb, int k, const StxGroundFit *plane)
{
  Sums *s = (Sums *)data;
  const StxSatdpTables *t = s->tables;
  StxCellLine line = stx_cell_line(*plane, t->horizon_x, (float)t->x[vb], t->mixture.steepest);
  double sum = 0;
  if (kind == STX_BELOW_GROUND)
    sum = stx_data_energy(stx_plane_residual(stx_ground_prior(t, 0), *plane), t->residual_energy);
  for (int u = vb; u <= k; u++) {
    if (s->disparity[t->rows - 1 - u] == STX_DISPARITY_UNKNOWN)
      continue;
    float value = stx_line_value(line, (float)(t->x[u] - t->x[vb]));
    double own = 1024 * cell_sum(s, kind, u, (double)value);
    double more = cell_larger(s, kind, u, value) - own;
    ck_assert_msg(more >= -ROUNDED && more <= 1024 * log(2) + ROUNDED,
        "kind %d, cell %d: %g nats above the sum", kind, u, more / 1024);
    s->most = fmax(s->most, more / 1024);
    s->total += more / 1024;
    s->cells++;
    sum += own;
  }
  return stx_round(sum);
}

/* Returns in how many columns two lists of records, sorted by column, differ. */
static int different_columns(
    const StxStixel *a, uint32_t count_a, const StxStixel *b, uint32_t count_b, int columns)
{
  int different = 0;
  for (int column = 0; column < columns; column++) {
    bool same = true;
    for (; count_a > 0 && a->column == column; a++, count_a--) {
      same = same && count_b > 0 && b->column == column && a->top == b->top && a->kind == b->kind;
      if (count_b > 0 && b->column == column)
        b++, count_b--;
    }
    for (; count_b > 0 && b->column == column; b++, count_b--)
      same = false;
    different += !same;
  }
  return different;
}

STX_TEST(the_sum_on_the_street)
{
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_PAIRS);
  settings.colmean.grid.cell_width = settings.colmean.grid.cell_height = 4;
  Sums sums = {0};
  int columns = 0, different = 0;
  for (uint64_t number = 0; number < 4; number++) {
    STX_AUTO(PipelineFrame) frame = pipeline_frame(number * 20, 0);
    STX_AUTO(StxPipeline) *pipeline = pipeline_open(&settings);
    StxPipelineInput input = pipeline_pair(&frame);
    StxPipelineOutput output;
    ck_assert(stx_pipeline_run(pipeline, &input, &output, NULL));
    StxSatdpParams params = stx_fulldp_upright(&settings.satdp);
    params.grid = output.grid;
    STX_AUTO(Case) *c = new_full_case(params, &output.camera, output.line);
    memcpy(c->columns, output.columns, stx_grid_bytes(&params.grid));
    StxSatdpResult larger, summed;
    STX_GUARDED StxStixel *kept = run_case(fulldp_reference(), c, 1, &larger);
    STX_GUARDED StxStixel *others = stx_guarded_alloc(
        stx_grid_bytes(&params.grid) / 4 * sizeof *others); /* two channels of two bytes */
    STX_GUARDED void *scratch = stx_guarded_alloc(satdp_reference()->scratch_size(&params, 1));
    StxSatdpTerm term = {begin, energy, &sums};
    stx_satdp_solve_c(&params, &c->tables, c->columns, NULL, others, &summed, scratch, &term);
    columns += stx_grid_columns(&params.grid);
    different +=
        different_columns(kept, larger.count, others, summed.count, stx_grid_columns(&params.grid));
  }
  printf("columns,different,cells,mean_nats,most_nats\n%d,%d,%d,%.4f,%.4f\n", columns, different,
      sums.cells, sums.total / sums.cells, sums.most);
  ck_assert_int_le(different, columns / 100);
  ck_assert_double_gt(sums.most, log(2) - 0.01); /* the bound is reached */
}
