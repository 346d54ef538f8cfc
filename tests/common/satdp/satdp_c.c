/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp, reference: the recurrence of satdp.h as it stands there, column by column, every start
 * row of every end row, from summed-area tables of 64-bit integers. No pruning, no threads: what
 * the others are measured against.
 */
#include "common/satdp/satdp_records_math.h"
#include "tests/common/satdp/satdp_c.h"

/* [u]: sums over the cells below u, of one weight set each. */
typedef StxSegmentSums Sums;

typedef struct {
  Sums ground[STX_MAX_ROWS + 1], object[STX_MAX_ROWS + 1], sky[STX_MAX_ROWS + 1];
  float rest[STX_MAX_ROWS + 1]; /* the largest disparity from a cell up */
  int32_t semantic[STX_MAX_CLASSES][STX_MAX_ROWS + 1];
  double cells[3][STX_MAX_ROWS + 1]; /* what the cells below u cost a kind: Noise, Unknown and
                                        Horizon */
  double first_object;
  StxGroundPrior prior;
  double energy[3][STX_MAX_ROWS], link[3][STX_MAX_ROWS]; /* T_K(k) */
  double value[2][STX_MAX_ROWS]; /* its plane at the cut above k: ground, object */
  bool start[STX_MAX_ROWS + 1];  /* may a stixel begin at u? Yes above the image. */
} Column;

typedef struct {
  const StxSatdpParams *params;
  const StxSatdpTables *tables;
  const void *columns;
  const uint8_t *starts;
  const StxSatdpTerm *term; /* NULL: the closed form */
} Job;

/* ---- Summed-area tables ------------------------------------------------------------------- */

static Sums add_cell(Sums sums, int64_t w, int64_t x, int64_t d)
{
  Sums more = {sums.w + w, sums.x + w * x, sums.xx + w * x * x, sums.d + w * d, sums.xd + w * x * d,
      sums.dd + w * d * d, 0};
  return more;
}

static Sums between(const Sums *table, int vb, int k)
{
  const Sums *hi = &table[k + 1], *lo = &table[vb];
  Sums sums = {hi->w - lo->w, hi->x - lo->x, hi->xx - lo->xx, hi->d - lo->d, hi->xd - lo->xd,
      hi->dd - lo->dd, 0};
  return sums;
}

static void build_tables(const Job *job, int column, Column *c)
{
  const StxSatdpTables *t = job->tables;
  const StxGrid *grid = &job->params->grid;
  const uint16_t *disparity = stx_column(grid, (void *)job->columns, 0, column);
  const uint16_t *weight = stx_column(grid, (void *)job->columns, 1, column);
  c->ground[0] = c->object[0] = c->sky[0] = (Sums){0};
  c->cells[0][0] = c->cells[1][0] = c->cells[2][0] = 0;
  c->prior = stx_ground_prior(t, column);
  c->first_object = stx_first_object(t, disparity[t->rows - 1]);
  for (int u = 0, drop = stx_drop_cells(t, column); u < t->rows; u++) {
    int known = u + 1;
    while (known < t->rows && disparity[t->rows - 1 - known] == STX_DISPARITY_UNKNOWN)
      known++;
    uint32_t above = known < t->rows ? disparity[t->rows - 1 - known] : 0;
    int v = stx_road_cell(t, drop, u);
    uint32_t d = disparity[t->rows - 1 - u], w = weight[t->rows - 1 - u];
    uint32_t ground = stx_fold(w, t->ground_scale[v], d);
    uint32_t object = stx_fold(w, t->object_scale[d >> STX_OBJECT_BIN], d);
    uint32_t sky = stx_fold(w, t->sky_scale, d);
    int off = stx_deviation(t->ground_slope, c->prior.horizon_x, t->x[u], d);
    c->ground[u + 1] = add_cell(c->ground[u], ground, t->x[u], off);
    c->object[u + 1] = add_cell(c->object[u], object, t->x[u], d);
    c->sky[u + 1] = add_cell(c->sky[u], sky, t->x[u], d);
    const uint8_t *priors = job->params->prior;
    uint32_t prior = priors != NULL ? priors[(size_t)column * t->rows + t->rows - 1 - u] : 0;
    for (int kind = 0; kind < 3; kind++)
      c->cells[kind][u + 1] = c->cells[kind][u] + stx_cell_energy(t, kind, v, d, w, above) +
                              stx_prior_energy(t, kind, prior);
    c->cells[0][u + 1] += stx_off_road(d, t->road_low[v], t->road_high[v], t->off_road) +
                          (t->horizon_ground[v + 1] - t->horizon_ground[v]);
    c->cells[2][u + 1] += t->horizon_sky[v + 1] - t->horizon_sky[v];
  }
  c->rest[t->rows] = 0;
  for (int u = t->rows - 1; u >= 0; u--)
    c->rest[u] = stx_max_float(c->rest[u + 1], disparity[t->rows - 1 - u]);
  for (int k = 0; k < grid->classes; k++) {
    const uint16_t *cost = stx_column(grid, (void *)job->columns, 2 + k, column);
    c->semantic[k][0] = 0;
    for (int u = 0; u < t->rows; u++)
      c->semantic[k][u + 1] =
          c->semantic[k][u] + stx_class_energy(cost[t->rows - 1 - u], t->class_scale);
  }
}

static void find_starts(const Job *job, int column, Column *c)
{
  int rows = job->tables->rows;
  const uint8_t *starts = job->starts;
  for (int u = 0; u < rows; u++)
    c->start[u] = u == 0 || starts == NULL || starts[(size_t)column * rows + rows - 1 - u] != 0;
  c->start[rows] = true;
}

/* ---- Recurrence --------------------------------------------------------------------------- */

/* A candidate: the best column up to k whose last stixel begins at vb. */
typedef struct {
  double energy, link, value;
} Candidate;

static double semantic_energy(const Job *job, const Column *c, int kind, int vb, int k)
{
  uint32_t classes = stx_kind_classes(job->params, kind);
  int32_t least = INT32_MAX;
  for (int i = 0; i < job->params->grid.classes; i++) {
    int32_t sum = c->semantic[i][k + 1] - c->semantic[i][vb];
    if ((classes >> i & 1) && sum < least)
      least = sum;
  }
  return classes == 0 ? 0 : least;
}

/* The data term of the cells vb … k. */
static double data_energy(const Job *job, int kind, int vb, int k, const StxGroundFit *plane)
{
  return job->term != NULL ? job->term->energy(job->term->data, kind, vb, k, plane)
                           : stx_data_energy(plane->residual, job->tables->residual_energy);
}

static StxCut cut_below(const Column *c, int vb)
{
  StxCut cut = {c->energy[0][vb - 1], c->energy[1][vb - 1], c->energy[2][vb - 1],
      c->value[0][vb - 1], c->value[1][vb - 1]};
  return cut;
}

/* C and what lies below the cut, none if the stixel is the lowest. */
static void add_below(const Job *job, Candidate *candidate, int vb, StxChoice below)
{
  candidate->energy += job->tables->stixel_cost + below.energy;
  candidate->link = stx_link(vb, below.below);
}

static Candidate ground_candidate(const Job *job, const Column *c, int vb, int k)
{
  const StxSatdpTables *t = job->tables;
  Sums s = between(c->ground, vb, k);
  StxGroundFit fit = stx_fit_ground(c->prior, stx_moments(&s, false));
  Candidate candidate = {data_energy(job, STX_BELOW_GROUND, vb, k, &fit) +
                             (c->cells[0][k + 1] - c->cells[0][vb]) +
                             semantic_energy(job, c, STX_BELOW_GROUND, vb, k),
      stx_link(vb, STX_BELOW_NONE),
      (double)stx_ground_value(fit, c->prior.horizon_x, (float)t->cut[k + 1])};
  double foot = (double)stx_ground_value(fit, c->prior.horizon_x, (float)t->cut[vb]);
  if (vb > 0)
    add_below(job, &candidate, vb, stx_below_ground(stx_pair_cost(t), cut_below(c, vb), foot));
  return candidate;
}

/* An object's data term and its values at the cuts below and above it. */
typedef struct {
  float residual, foot, top;
} Object;

static Object fit_object(const Job *job, const Column *c, int vb, int k)
{
  const StxSatdpTables *t = job->tables;
  Sums s = between(c->object, vb, k);
  StxMoments m = stx_moments(&s, true);
  if (!stx_satdp_slanted(job->params))
    return (Object){stx_squares(m), m.d0, m.d0};
  StxObjectFit fit = stx_fit_object(t->lambda_object, m);
  return (Object){fit.residual, stx_slanted_value(fit, (float)t->cut[vb], m.w, c->rest[vb]),
      stx_slanted_value(fit, (float)t->cut[k + 1], m.w, c->rest[vb])};
}

static Candidate object_candidate(const Job *job, const Column *c, int vb, int k)
{
  const StxSatdpTables *t = job->tables;
  Object object = fit_object(job, c, vb, k);
  StxGroundFit plane = {0, object.top, object.residual}; /* upright, where there is a term */
  Candidate candidate = {
      data_energy(job, STX_BELOW_OBJECT, vb, k, &plane) + (c->cells[1][k + 1] - c->cells[1][vb]) +
          (vb == 0 ? c->first_object : 0) + semantic_energy(job, c, STX_BELOW_OBJECT, vb, k),
      stx_link(vb, STX_BELOW_NONE), (double)object.top};
  if (vb > 0)
    add_below(job, &candidate, vb,
        stx_below_object(stx_pair_cost(t), cut_below(c, vb), (double)object.foot));
  return candidate;
}

static Candidate sky_candidate(const Job *job, const Column *c, int vb, int k)
{
  const StxSatdpTables *t = job->tables;
  Sums s = between(c->sky, vb, k);
  StxGroundFit plane = {0, 0, stx_to_float(s.dd)};
  Candidate candidate = {data_energy(job, STX_BELOW_SKY, vb, k, &plane) +
                             (c->cells[2][k + 1] - c->cells[2][vb]) + (vb == 0 ? t->first_sky : 0) +
                             semantic_energy(job, c, STX_BELOW_SKY, vb, k),
      stx_link(vb, STX_BELOW_NONE), 0};
  if (vb > 0)
    add_below(job, &candidate, vb, stx_below_sky(stx_pair_cost(t), cut_below(c, vb)));
  return candidate;
}

/* T_K(k): the first of the best, from the smallest vb on. */
static void solve_row(const Job *job, Column *c, int kind, int k)
{
  static Candidate (*const candidate_of[])(const Job *, const Column *, int, int) = {
      ground_candidate, object_candidate, sky_candidate};
  Candidate best = {STX_FORBIDDEN, 0, 0};
  if (kind != STX_BELOW_GROUND || job->tables->has_ground)
    best = candidate_of[kind](job, c, 0, k);
  for (int vb = 1; vb <= k && best.energy < STX_FORBIDDEN; vb++) {
    if (!c->start[vb])
      continue;
    Candidate candidate = candidate_of[kind](job, c, vb, k);
    if (candidate.energy < best.energy)
      best = candidate;
  }
  c->energy[kind][k] = best.energy;
  c->link[kind][k] = best.link;
  if (kind != STX_BELOW_SKY)
    c->value[kind][k] = best.value;
}

static int solve_column(
    const Job *job, int column, Column *c, StxStixel *stixels, uint64_t *evaluated)
{
  uint64_t kinds = job->tables->has_ground ? 3 : 2, starts = 0;
  build_tables(job, column, c);
  if (job->term != NULL)
    job->term->begin(job->term->data, job->params, job->tables, job->columns, column);
  find_starts(job, column, c);
  for (int k = 0; k < job->tables->rows; k++) {
    starts += c->start[k];
    if (!c->start[k + 1])
      continue; /* no stixel ends here */
    for (int kind = 0; kind < 3; kind++)
      solve_row(job, c, kind, k);
    *evaluated += kinds * starts;
  }
  StxTrace trace = {
      {c->energy[0], c->energy[1], c->energy[2]}, {c->link[0], c->link[1], c->link[2]}, 1};
  return stx_write_column(
      job->params, job->tables, job->columns, column, &trace, stx_class_sum, stixels);
}

size_t stx_satdp_scratch_c(const StxSatdpParams *params, int threads)
{
  (void)params, (void)threads;
  return stx_align(sizeof(Column));
}

void stx_satdp_solve_c(const StxSatdpParams *params, const StxSatdpTables *tables,
    const void *columns, const uint8_t *starts, StxStixel *stixels, StxSatdpResult *result,
    void *scratch, const StxSatdpTerm *term)
{
  Job job = {params, tables, columns, starts, term};
  uint64_t evaluated = 0;
  size_t count = 0;
  int width = stx_grid_columns(&params->grid);
  for (int column = 0; column < width; column++)
    count += (size_t)solve_column(&job, column, scratch, stixels + count, &evaluated);
  *result = (StxSatdpResult){.evaluated = evaluated, .count = (uint32_t)count};
}

static bool stx_satdp_run_c(const StxSatdpParams *params, const StxSatdpTables *tables,
    bool has_ground, const void *columns, const uint8_t *starts, StxStixel *stixels,
    StxSatdpResult *result, void *scratch, const StxPlace *place, StxError *error)
{
  stx_satdp_solve_c(params, tables, columns, starts, stixels, result, scratch, NULL);
  return true;
}

const StxSatdpImpl oracle_satdp = {
    {"c", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, stx_satdp_scratch_c, stx_satdp_run_c};
