/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cost of a column, and its cost with one of its stixels changed. */
#include "examples/stx-eval/column/column.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#define ROW(name, text)                                                                            \
  {                                                                                                \
#name, text, offsetof(StxSatdpTerms, name)                                                     \
  }
const ColumnTerm column_terms[] = {
    ROW(data, "how far its cells are from its plane"),
    ROW(semantic, "how badly its classes fit"),
    ROW(horizon, "ground above the horizon, sky below it, ground off the road"),
    ROW(unknown, "cells without disparity that are more likely sky"),
    ROW(noise, "what a larger sigma costs"),
    ROW(first, "a column that does not begin with ground"),
    ROW(cut, "one stixel more"),
    ROW(pair, "how it stands on the one below it"),
    {NULL, NULL, 0},
};

/* The tables are too large for the stack. */
typedef struct {
  const StxSatdpParams *params;
  StxSatdpTables tables;
  const void *columns;
  int column;
  StxSatdpPiece pieces[STX_MAX_ROWS];
  StxSatdpTerms terms[STX_MAX_ROWS];
} Asker;

static double energy_of(Asker *asker, int count)
{
  return stx_satdp_explain(asker->params, &asker->tables, asker->columns, asker->column,
      asker->pieces, count, asker->terms);
}

bool column_is_possible(double energy)
{
  return energy < STX_SATDP_IMPOSSIBLE / 2;
}

const char *column_kind(StxKind kind)
{
  static const char *const names[] = {"segment", "ground", "object", "sky"};
  return names[kind];
}

double column_term(const ColumnStixel *stixel, const ColumnTerm *term)
{
  return *(const double *)(const void *)((const char *)&stixel->terms + term->offset) /
         STX_ENERGY_ONE;
}

double column_disparity(const ColumnStory *story, int row)
{
  return story->disparity[row] * stx_grid_pixel(&story->grid) / STX_DISPARITY_ONE;
}

double column_row(const ColumnStory *story, int row)
{
  return (stx_grid_top(&story->grid, row) + stx_grid_top(&story->grid, row + 1) - 1) / 2.;
}

/* The column as it is. */
static void restore(Asker *asker, const ColumnStory *story)
{
  for (int i = 0; i < story->count; i++)
    asker->pieces[i] = story->stixels[i].piece;
}

static void ask_kinds(Asker *asker, ColumnStory *story, int index)
{
  for (int kind = 0; kind < COLUMN_KINDS; kind++) {
    asker->pieces[index].kind = (StxKind)(STX_KIND_GROUND + kind);
    story->stixels[index].as[kind] = energy_of(asker, story->count) - story->energy;
  }
  restore(asker, story);
}

static void ask_merged(Asker *asker, ColumnStory *story, int index)
{
  ColumnStixel *stixel = &story->stixels[index];
  stixel->merged = index == 0 ? NAN : INFINITY;
  if (index == 0)
    return;
  asker->pieces[index - 1].last = stixel->piece.last;
  memmove(&asker->pieces[index], &asker->pieces[index + 1],
      (size_t)(story->count - index - 1) * sizeof *asker->pieces);
  for (int kind = 0; kind < COLUMN_KINDS; kind++) {
    asker->pieces[index - 1].kind = (StxKind)(STX_KIND_GROUND + kind);
    double more = energy_of(asker, story->count - 1) - story->energy;
    if (more < stixel->merged) {
      stixel->merged = more;
      stixel->merged_kind = asker->pieces[index - 1].kind;
    }
  }
  restore(asker, story);
}

double column_gain(const ColumnStory *story)
{
  double least = 0;
  for (int i = 0; i < story->count; i++) {
    const ColumnStixel *stixel = &story->stixels[i];
    for (int kind = 0; kind < COLUMN_KINDS; kind++)
      least = fmin(least, stixel->as[kind]);
    least = fmin(least, stixel->merged); /* not a number: the other one */
  }
  return -least;
}

/* Of sky that ends below the horizon, under something else. */
static int count_sky(const Asker *asker, int count)
{
  const StxSatdpTables *t = &asker->tables;
  int found = 0;
  for (int i = 0; i < count - 1; i++) {
    int last = asker->pieces[i].last;
    found +=
        asker->pieces[i].kind == STX_KIND_SKY && t->horizon_sky[last + 1] > t->horizon_sky[last];
  }
  return found;
}

static void ask_least(Asker *asker, ColumnStory *story)
{
  int count;
  void *scratch = g_malloc(stx_satdp_least_scratch(&story->grid));
  story->sky = count_sky(asker, story->count);
  story->least = stx_satdp_least(
      asker->params, &asker->tables, asker->columns, asker->column, asker->pieces, &count, scratch);
  story->least_sky = count_sky(asker, count);
  g_free(scratch);
}

static void ask(Asker *asker, ColumnStory *story)
{
  for (int i = 0; i < story->count; i++)
    story->stixels[i].piece = stx_satdp_piece(&story->grid, &story->stixels[i].record);
  restore(asker, story);
  story->energy = energy_of(asker, story->count);
  for (int i = 0; i < story->count; i++)
    story->stixels[i].terms = asker->terms[i];
  for (int i = 0; i < story->count; i++) {
    ask_kinds(asker, story, i);
    ask_merged(asker, story, i);
  }
  ask_least(asker, story);
}

bool column_ask(
    ColumnStory *story, const StxSatdpParams *params, const void *columns, StxError *error)
{
  Asker *asker = g_new0(Asker, 1);
  asker->params = params;
  asker->columns = columns;
  asker->column = story->column;
  bool good = stx_satdp_prepare(params, &story->camera, story->line, &asker->tables, error);
  if (good)
    ask(asker, story);
  g_free(asker);
  return good;
}
