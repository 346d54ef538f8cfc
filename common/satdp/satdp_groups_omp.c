/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp, a frame group by group: memory, threads, records. fulldp's vector code shares it.
 */
#include "common/parallel.h"
#include "common/satdp/satdp_lanes_private.h"
#include "common/satdp/satdp_records_math.h"

#include <string.h>

void STX_VARIANT(stx_satdp_take)(StxLayout *at, const StxSatdpParams *params, Group *g)
{
  size_t rows = (size_t)stx_grid_rows(&params->grid), classes = (size_t)params->grid.classes;
  size_t slanted = stx_satdp_slanted(params);
  STX_TAKE(at, g->boundary, rows + 1);
  STX_TAKE(at, g->rows, rows + 1);
  STX_TAKE(at, g->cut, rows + 1);
  STX_TAKE(at, g->rest, rows + 1);
  STX_TAKE(at, g->near, rows + 1);
  STX_TAKE(at, g->far, rows + 1);
  STX_TAKE(at, g->sums, (rows + 2) * classes);
  STX_TAKE(at, g->raw, (2 + classes) * rows + 1);
  STX_TAKE(at, g->above, rows);
  STX_TAKE(at, g->states, rows + 1);
  STX_TAKE(at, g->free[GROUND], rows);
  STX_TAKE(at, g->free[OBJECT], slanted * rows);
  STX_TAKE(at, g->slants, slanted * (rows + 1));
  g->slants = slanted ? g->slants : NULL;
  for (int kind = 0; kind < KINDS; kind++) {
    STX_TAKE(at, g->bound[kind], rows + OPEN_ROWS + 1);
    STX_TAKE(at, g->base[kind], rows);
    STX_TAKE(at, g->visited[kind], rows + OPEN_ROWS + 1);
    STX_TAKE(at, g->list[kind], rows + OPEN_ROWS);
  }
}

static int group_count(const StxGrid *grid)
{
  return (stx_grid_columns(grid) + LANES - 1) / LANES;
}

size_t STX_VARIANT(stx_satdp_groups_scratch)(
    const GroupWork *work, const StxSatdpParams *params, int threads)
{
  return threads * work->lay_out(params, NULL) +
         stx_align(group_count(&params->grid) * sizeof(int));
}

/* stx_class_sum, four cells at a time: stixels are short. */
static inline int32_t class_sum(const uint16_t *cost, int cells, int32_t class_scale)
{
  typedef uint16_t Costs __attribute__((vector_size(8)));
  typedef int32_t Sums __attribute__((vector_size(16)));
  Sums sums = {0};
  for (; cells >= 4; cells -= 4, cost += 4) {
    Costs costs;
    memcpy(&costs, cost, sizeof costs);
    sums += (__builtin_convertvector(costs, Sums) * class_scale + 128) >> 8; /* stx_class_energy */
  }
  int32_t sum = sums[0] + sums[1] + sums[2] + sums[3];
  if (cells & 2)
    sum += stx_class_energy(cost[0], class_scale) + stx_class_energy(cost[1], class_scale);
  if (cells & 1)
    sum += stx_class_energy(cost[cells - 1], class_scale);
  return sum;
}

/* Solves the group that begins at first_column and writes its records; returns how many. */
static int run_group(const GroupWork *work, Group *g, int first_column, StxStixel *stixels)
{
  int columns = stx_grid_columns(&g->params->grid), count = 0;
  int used = columns - first_column < LANES ? columns - first_column : LANES;
  for (int l = 0; l < LANES; l++) /* lanes beyond the last column repeat it */
    g->column[l] = first_column + (l < used ? l : used - 1);
  g->drop = stx_drop_cells(g->tables, first_column);
  for (int l = 0; l < LANES; l++)
    g->terms.horizon_x[l] = stx_column_horizon(g->tables, g->column[l]);
  uint64_t before = g->evaluated;
  work->solve(g);
  g->evaluated = before + (g->evaluated - before) * (uint64_t)used;
  for (int l = 0; l < used; l++) {
    StxTrace trace = {.stride = sizeof(State) / sizeof(double)};
    for (int kind = 0; kind < KINDS; kind++) {
      trace.energy[kind] = &g->states[1].energy[kind][l];
      trace.link[kind] = &g->states[1].link[kind][l];
    }
    count += stx_write_column(
        g->params, g->tables, g->columns, first_column + l, &trace, class_sum, stixels + count);
  }
  return count;
}

/* Shared by the threads. */
typedef struct {
  const GroupWork *work;
  char *memory; /* of their groups, */
  size_t size;  /* this far apart */
  size_t room;  /* records of a group */
  int *counts;
  StxStixel *stixels;
} Shared;

static Group *group_at(const Shared *shared, int worker)
{
  return (Group *)(void *)(shared->memory + (size_t)worker * shared->size);
}

static void solve_piece(void *data, int i, int worker)
{
  const Shared *shared = data;
  shared->counts[i] = run_group(shared->work, group_at(shared, worker), i * LANES,
      shared->stixels + (size_t)i * shared->room);
}

static void fill_terms(const StxSatdpTables *t, LaneTables *terms)
{
  for (int l = 0; l < LANES; l++) {
    terms->ground_slope[l] = t->ground_slope;
    terms->lambda_intercept[l] = t->lambda_intercept;
    terms->lambda_slope[l] = t->lambda_slope;
    terms->lambda_object[l] = t->lambda_object;
    terms->pair_cost[l] = t->pair_cost;
    terms->pair_slope[l] = stx_pair_cost(t).slope;
    terms->pair_tolerance[l] = t->pair_tolerance;
    terms->stixel_cost[l] = t->stixel_cost;
    terms->residual_energy[l] = t->residual_energy;
    terms->unsure[l] = (double)t->residual_energy * STX_UNSURE;
    terms->slack[l] = t->stixel_cost / 4.0 + STX_ENERGY_ONE / 4;
    terms->wide[l] = 2 * t->stixel_cost;
  }
}

void STX_VARIANT(stx_satdp_run_groups)(const GroupWork *work, const Group *model,
    StxStixel *stixels, StxSatdpResult *result, void *scratch, int workers)
{
  int groups = group_count(&model->params->grid);
  Shared shared = {work, (char *)scratch + stx_align(groups * sizeof(int)),
      work->lay_out(model->params, NULL), (size_t)LANES * model->tables->rows, scratch, stixels};
  uint64_t evaluated = 0;
  for (int w = 0; w < workers; w++) {
    Group *g = group_at(&shared, w);
    work->lay_out(model->params, (char *)g);
    g->params = model->params;
    g->tables = model->tables;
    fill_terms(model->tables, &g->terms);
    g->columns = model->columns;
    g->starts = model->starts;
    g->evaluated = 0;
  }
  stx_parallel(workers, groups, solve_piece, &shared);
  for (int w = 0; w < workers; w++)
    evaluated += group_at(&shared, w)->evaluated;
  /* Each group's records began where they would if every cell before were a stixel. */
  size_t total = (size_t)shared.counts[0];
  for (int i = 1; i < groups; i++) {
    memmove(stixels + total, stixels + i * shared.room, shared.counts[i] * sizeof *stixels);
    total += (size_t)shared.counts[i];
  }
  *result = (StxSatdpResult){.evaluated = evaluated, .count = (uint32_t)total};
}
