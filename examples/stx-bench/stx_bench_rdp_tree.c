/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The recursion of rdp, which its implementations do not show: Figures 4, 7 and 8 of the paper. The
 * columns are cut once more as Algorithm 1 is printed, and compared with what rdp says.
 */
#include "examples/stx-bench/stx_bench.h"

#include <glib.h>
#include <stdlib.h>

#include "common/memory/memory.h"
#include "examples/shared/png_io.h"

#define ROWS 1024

typedef struct {
  const uint16_t *cells; /* of the column at hand */
  int epsilon;
  uint64_t *open; /* for every level, cells of the segments that are looked at in it */
  FILE *tree;     /* NULL: not of this column */
  int column;
  uint64_t segments;
} Recursion;

static double pixels(const Recursion *r, int cell)
{
  return (double)r->cells[cell] / STX_DISPARITY_ONE;
}

/* Algorithm 1, distances times the length of the chord; returns the levels. */
static int cut(Recursion *r, int first, int last, int level)
{
  int64_t length = last - first, rise = r->cells[last] - r->cells[first], most = 0;
  int at = -1;
  for (int i = first + 1; i < last; i++) {
    int64_t x = llabs((r->cells[i] - r->cells[first]) * length - rise * (i - first));
    at = x > most ? i : at;
    most = x > most ? x : most;
  }
  bool split = most > r->epsilon * length;
  r->open[level] += (uint64_t)length + (last == ROWS - 1);
  if (r->tree != NULL)
    fprintf(r->tree, "%d,%d,%d,%d,%d,%.3f,%.3f\n", r->column, level, first, last, split ? at : -1,
        pixels(r, first), pixels(r, last));
  r->segments += !split;
  if (!split)
    return level;
  int above = cut(r, first, at, level + 1), below = cut(r, at, last, level + 1);
  return above > below ? above : below;
}

typedef struct {
  StxRdpParams params;
  void *columns, *scratch;
  uint64_t *open, *running; /* of each level, the columns in which it is looked at */
} Tree;

static void tree_close(Tree *t)
{
  void *blocks[] = {t->columns, t->scratch, t->open, t->running};
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
    free(blocks[i]);
}

/* All columns; the middle one of the picture to `tree`. */
static bool cut_all(Tree *t, FILE *tree, StxError *error)
{
  const StxGrid *grid = &t->params.grid;
  const StxRdpImpl *rdp = stx_impl_pick(&stx_rdp_impls, STX_BACKEND_AUTO);
  Recursion r = {.epsilon = t->params.epsilon, .open = t->open};
  StxRdpResult result;
  uint64_t levels = 0;
  for (r.column = 0; r.column < grid->width; r.column++) {
    r.cells = stx_column(grid, t->columns, 0, r.column);
    r.tree = r.column == grid->width / 2 ? tree : NULL;
    int deepest = cut(&r, 0, grid->height - 1, 1);
    levels += (uint64_t)deepest;
    for (int level = 1; level <= deepest; level++)
      t->running[level]++;
  }
  rdp->run(
      &t->params, t->columns, NULL, NULL, &result, t->scratch, &(StxPlace){.threads = 1}, NULL);
  return (result.levels == levels && result.count == r.segments) ||
         stx_fail(error, "rdp does not cut where Algorithm 1 does");
}

static bool tree_open(Tree *t, const BenchInput *input, StxError *error)
{
  const StxRdpImpl *rdp = stx_impl_pick(&stx_rdp_impls, STX_BACKEND_AUTO);
  *t = (Tree){.params = {{input->width, ROWS, 1, 1, 0}, BENCH_RDP_EPSILON, 0}};
  t->columns = stx_allocate(stx_grid_bytes(&t->params.grid));
  t->scratch = stx_allocate(rdp->scratch_size(&t->params, 1));
  t->open = calloc(ROWS + 1, sizeof *t->open);
  t->running = calloc(ROWS + 1, sizeof *t->running);
  return (t->columns != NULL && t->scratch != NULL && t->open != NULL && t->running != NULL) ||
         stx_fail(error, "not enough memory for columns of %d cells", ROWS);
}

/* The columns of each kind as a picture of 16 bits: FOLDER/rdp-KIND.png. */
static bool save_columns(Tree *t, const BenchInput *input, const char *folder, StxError *error)
{
  const StxGrid *grid = &t->params.grid;
  StxImage16 picture = {malloc(2 * (size_t)grid->width * ROWS), 2 * grid->width, grid->width, ROWS};
  bool good = picture.data != NULL || stx_fail(error, "not enough memory for a picture");
  for (BenchColumns kind = 0; good && kind < BENCH_COLUMNS_COUNT; kind++) {
    char *path = g_strdup_printf("%s/rdp-%s.png", folder, bench_columns_names[kind]);
    good = bench_rdp_columns(input, &t->params, kind, t->columns, error);
    for (int x = 0; good && x < grid->width; x++)
      for (int row = 0; row < ROWS; row++)
        stx_row16(&picture, row)[x] = stx_column(grid, t->columns, 0, x)[row];
    good = good && png_save_gray16(path, &picture, error);
    g_free(path);
  }
  free(picture.data);
  return good;
}

bool bench_rdp_tree(const BenchFigures *to, bool first, const BenchInput *input, StxError *error)
{
  Tree t;
  if (first) {
    fputs("picture,columns,rows,epsilon_px,level,running,open_cells\n", to->utility);
    fputs("column,level,first,last,cut,first_px,last_px\n", to->tree);
  }
  bool good = tree_open(&t, input, error) &&
              bench_rdp_columns(input, &t.params, BENCH_COLUMNS_AVERAGE, t.columns, error) &&
              cut_all(&t, first ? to->tree : NULL, error);
  for (int level = 1; good && level <= ROWS && t.running[level] > 0; level++)
    fprintf(to->utility, "%s,%d,%d,%g,%d,%llu,%llu\n", input->name, input->width, ROWS,
        (double)BENCH_RDP_EPSILON / STX_DISPARITY_ONE, level, (unsigned long long)t.running[level],
        (unsigned long long)t.open[level]);
  good = good && (!first || save_columns(&t, input, to->folder, error));
  tree_close(&t);
  return good;
}
