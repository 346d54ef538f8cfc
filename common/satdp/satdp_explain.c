/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The energy of a given segmentation. What the recurrence finds by tables is summed here cell by
 * cell, by the functions that it calls, too.
 */
#include "common/satdp/satdp_explain.h"
#include "common/satdp/satdp_records_math.h"

typedef struct {
  const StxSatdpParams *params;
  const StxSatdpTables *tables;
  const void *columns;
  int column;
} Job;

static int below_of(StxKind kind)
{
  return (int)kind - STX_KIND_GROUND; /* an StxBelow */
}

/* ---- Sums over cells ------------------------------------------------------------------------ */

static void add_cells(const Job *job, const StxSatdpPiece *piece, StxSatdpTerms *terms)
{
  const StxSatdpTables *t = job->tables;
  const StxGrid *grid = &job->params->grid;
  const uint16_t *disparity = stx_column(grid, (void *)job->columns, 0, job->column);
  const uint16_t *weight = stx_column(grid, (void *)job->columns, 1, job->column);
  const int32_t *horizon = piece->kind == STX_KIND_GROUND ? t->horizon_ground : t->horizon_sky;
  for (int u = piece->first, drop = stx_drop_cells(t, job->column); u <= piece->last; u++) {
    int v = stx_road_cell(t, drop, u);
    uint32_t d = disparity[t->rows - 1 - u], w = weight[t->rows - 1 - u];
    uint32_t above = STX_DISPARITY_UNKNOWN; /* the next known one */
    for (int k = u + 1; k < t->rows && above == STX_DISPARITY_UNKNOWN; k++)
      above = disparity[t->rows - 1 - k];
    double energy = stx_cell_energy(t, below_of(piece->kind), v, d, w, above);
    if (job->params->prior != NULL)
      terms->noise += stx_prior_energy(t, below_of(piece->kind),
          job->params->prior[(size_t)job->column * (size_t)t->rows + (size_t)(t->rows - 1 - u)]);
    *(d != STX_DISPARITY_UNKNOWN ? &terms->noise : &terms->unknown) += energy;
    if (piece->kind == STX_KIND_GROUND)
      terms->horizon += stx_off_road(d, t->road_low[v], t->road_high[v], t->off_road);
    if (piece->kind != STX_KIND_OBJECT)
      terms->horizon += horizon[v + 1] - horizon[v];
  }
}

/* Returns the class energy of the kind's cheapest class; 0: the kind has none. */
static double semantic_energy(const Job *job, const StxSatdpPiece *piece)
{
  uint32_t classes = stx_kind_classes(job->params, below_of(piece->kind));
  double least = 0;
  bool any = false;
  for (int c = 0; c < job->params->grid.classes; c++) {
    const uint16_t *cost = stx_column(&job->params->grid, (void *)job->columns, 2 + c, job->column);
    double sum = 0;
    if (!(classes >> c & 1))
      continue;
    for (int u = piece->first; u <= piece->last; u++)
      sum += stx_class_energy(cost[job->tables->rows - 1 - u], job->tables->class_scale);
    least = any && least < sum ? least : sum;
    any = true;
  }
  return least;
}

/* The largest disparity from a cell up. */
static float rest_from(const Job *job, int first)
{
  const uint16_t *disparity = stx_column(&job->params->grid, (void *)job->columns, 0, job->column);
  uint16_t rest = 0;
  for (int u = first; u < job->tables->rows; u++)
    if (disparity[job->tables->rows - 1 - u] > rest)
      rest = disparity[job->tables->rows - 1 - u];
  return rest;
}

/* ---- Planes --------------------------------------------------------------------------------- */

static float fit_ground(
    const Job *job, const StxSatdpPiece *piece, const StxSegmentSums *s, StxSatdpTerms *terms)
{
  const StxSatdpTables *t = job->tables;
  StxGroundPrior prior = stx_ground_prior(t, job->column);
  StxGroundFit fit = stx_fit_ground(prior, stx_moments(s, false));
  terms->foot = (double)stx_ground_value(fit, prior.horizon_x, (float)t->cut[piece->first]);
  terms->top = (double)stx_ground_value(fit, prior.horizon_x, (float)t->cut[piece->last + 1]);
  return fit.residual;
}

static float fit_object(
    const Job *job, const StxSatdpPiece *piece, const StxSegmentSums *s, StxSatdpTerms *terms)
{
  const StxSatdpTables *t = job->tables;
  StxMoments m = stx_moments(s, true);
  float rest = rest_from(job, piece->first);
  terms->foot = terms->top = (double)m.d0;
  if (!stx_satdp_slanted(job->params))
    return stx_squares(m);
  StxObjectFit fit = stx_fit_object(t->lambda_object, m);
  terms->foot = (double)stx_slanted_value(fit, (float)t->cut[piece->first], m.w, rest);
  terms->top = (double)stx_slanted_value(fit, (float)t->cut[piece->last + 1], m.w, rest);
  return fit.residual;
}

/* ---- Neighbours ----------------------------------------------------------------------------- */

double stx_satdp_pair(
    const StxSatdpTables *tables, StxKind below, double value, StxKind above, double foot)
{
  StxPairCost pair = stx_pair_cost(tables);
  if (below == STX_KIND_GROUND)
    return above == STX_KIND_GROUND   ? stx_pair_ground_ground(pair, value, foot)
           : above == STX_KIND_OBJECT ? stx_pair_ground_object(pair, value, foot)
                                      : stx_pair_ground_sky(pair, value);
  if (below == STX_KIND_OBJECT)
    return above == STX_KIND_GROUND   ? stx_pair_object_ground(pair, value, foot)
           : above == STX_KIND_OBJECT ? stx_pair_object_object(pair, value, foot)
                                      : 0;
  return above == STX_KIND_OBJECT ? 0 : STX_FORBIDDEN;
}

/* ---- Entry ---------------------------------------------------------------------------------- */

double stx_satdp_sum(const StxSatdpTerms *t)
{
  return t->data + t->semantic + t->horizon + t->unknown + t->noise + t->first + t->cut + t->pair;
}

/* The row of cells that begins at an image row, or began there until a foot was settled. */
static int cell_row_from(const StxGrid *grid, int row)
{
  return (row + grid->cell_height / 2) / grid->cell_height;
}

StxSatdpPiece stx_satdp_piece(const StxGrid *grid, const StxStixel *stixel)
{
  int rows = stx_grid_rows(grid);
  bool lowest = stixel->bottom == grid->height - 1; /* the cell there may be smaller */
  int end = lowest ? rows : cell_row_from(grid, stixel->bottom + 1);
  return (StxSatdpPiece){
      rows - end, rows - 1 - cell_row_from(grid, stixel->top), (StxKind)stixel->kind};
}

StxSatdpTerms stx_satdp_terms(const StxSatdpParams *params, const StxSatdpTables *tables,
    const void *columns, int column, const StxSatdpPiece *piece)
{
  Job job = {params, tables, columns, column};
  StxSatdpTerms terms = {.semantic = semantic_energy(&job, piece)};
  add_cells(&job, piece, &terms);
  StxSegment segment = {.vb = piece->first, .vt = piece->last, .kind = piece->kind};
  StxSegmentSums sums = stx_segment_sums(&params->grid, tables, columns, column, &segment);
  float residual = piece->kind == STX_KIND_GROUND   ? fit_ground(&job, piece, &sums, &terms)
                   : piece->kind == STX_KIND_OBJECT ? fit_object(&job, piece, &sums, &terms)
                                                    : stx_to_float(sums.dd);
  terms.data = stx_data_energy(residual, tables->residual_energy);
  const uint16_t *disparity = stx_column(&params->grid, (void *)columns, 0, column);
  uint32_t lowest = disparity[tables->rows - 1];
  if (piece->first > 0)
    terms.cut = tables->stixel_cost;
  else if (piece->kind == STX_KIND_OBJECT)
    terms.first = stx_first_object(tables, lowest);
  else if (piece->kind != STX_KIND_GROUND)
    terms.first = tables->first_sky;
  if (piece->kind == STX_KIND_GROUND && !tables->has_ground)
    terms.pair = STX_FORBIDDEN;
  return terms;
}

double stx_satdp_explain(const StxSatdpParams *params, const StxSatdpTables *tables,
    const void *columns, int column, const StxSatdpPiece *pieces, int count, StxSatdpTerms *terms)
{
  double energy = 0;
  for (int i = 0; i < count; i++) {
    terms[i] = stx_satdp_terms(params, tables, columns, column, &pieces[i]);
    if (i > 0)
      terms[i].pair += stx_satdp_pair(
          tables, pieces[i - 1].kind, terms[i - 1].top, pieces[i].kind, terms[i].foot);
    energy += stx_satdp_sum(&terms[i]);
  }
  return energy;
}
