/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A column as text, and the same as JSON. */
#include "examples/stx-eval/column/column.h"

#include <math.h>

#include "common/metres.h"
#include "examples/shared/table.h"

/* ---- Text ---------------------------------------------------------------------------------- */

static double metres_of(const ColumnStory *story, double disparity)
{
  return stx_camera_is_metric(&story->camera) ? stx_metres_depth(&story->camera, (float)disparity)
                                              : NAN;
}

static void print_number(FILE *out, const char *form, double value, int width)
{
  if (isfinite(value))
    fprintf(out, form, width, value);
  else
    fprintf(out, "%*s", width, "-");
}

static void print_head(FILE *out, const ColumnStory *s)
{
  int first = s->column * s->grid.cell_width, known = 0, rows = stx_grid_rows(&s->grid);
  int last =
      first + s->grid.cell_width < s->grid.width ? first + s->grid.cell_width : s->grid.width;
  for (int row = 0; row < rows; row++)
    known += s->disparity[row] != STX_DISPARITY_UNKNOWN;
  fprintf(out,
      "%s, column %d of 0 to %d: pixels %d to %d, %d cells, %d of them of known disparity\n",
      s->name, s->column, stx_grid_columns(&s->grid) - 1, first, last - 1, rows, known);
  StxRoadLine road = s->line != NULL ? column_road(s) : (StxRoadLine){0};
  if (s->line == NULL)
    fprintf(out, "road: not known%s\n", s->is_segments ? "" : ", so there is no ground");
  else
    fprintf(out, "road: %.4f px per row, ends at row %.1f%s\n", s->line->slope,
        stx_roadline_end(&road), s->line->bends > 0 ? ", bends" : "");
}

static void print_record(FILE *out, const ColumnStory *s, const StxStixel *r)
{
  fprintf(out, "%5d - %-5d %-8s", r->top, r->bottom, column_kind((StxKind)r->kind));
  print_number(out, "%*.2f", r->disparity_bottom > 0 ? r->disparity_bottom : NAN, 9);
  print_number(out, "%*.2f", r->disparity_top > 0 ? r->disparity_top : NAN, 9);
  print_number(out, "%*.1f", metres_of(s, r->disparity_bottom), 8);
  fprintf(out, " %9.2f", (double)r->cost);
}

/* "+3.2", "-" for what it is, "never" for what cannot be. */
static void print_more(FILE *out, double energy, bool is_own)
{
  if (is_own || isnan(energy))
    fprintf(out, "%9s", "-");
  else if (!column_is_possible(energy))
    fprintf(out, "%9s", "never");
  else
    fprintf(out, "%+9.2f", energy / STX_ENERGY_ONE);
}

static bool is_used(const ColumnStory *s, const ColumnTerm *term)
{
  for (int i = 0; i < s->count; i++)
    if (column_term(&s->stixels[i], term) != 0)
      return true;
  return false;
}

static void print_energies(FILE *out, const ColumnStory *s)
{
  fprintf(out, "\nwhat each costs, nats\n  rows         kind     ");
  for (const ColumnTerm *term = column_terms; term->name != NULL; term++)
    if (is_used(s, term))
      fprintf(out, "%9s", term->name);
  fprintf(out, "\n");
  for (int i = s->count - 1; i >= 0; i--) {
    const StxStixel *r = &s->stixels[i].record;
    fprintf(out, "%5d - %-5d %-8s", r->top, r->bottom, column_kind((StxKind)r->kind));
    for (const ColumnTerm *term = column_terms; term->name != NULL; term++)
      if (is_used(s, term))
        fprintf(out, "%9.2f", column_term(&s->stixels[i], term));
    fprintf(out, "\n");
  }
}

static void print_alternatives(FILE *out, const ColumnStory *s)
{
  fprintf(out, "\nwhat the column would cost more, nats, if one of them were\n"
               "  rows         kind        ground   object      sky   one with that below it\n");
  for (int i = s->count - 1; i >= 0; i--) {
    const ColumnStixel *stixel = &s->stixels[i];
    fprintf(out, "%5d - %-5d %-8s", stixel->record.top, stixel->record.bottom,
        column_kind(stixel->piece.kind));
    for (int kind = 0; kind < COLUMN_KINDS; kind++)
      print_more(out, stixel->as[kind], (int)stixel->piece.kind == STX_KIND_GROUND + kind);
    print_more(out, stixel->merged, false);
    if (i > 0 && column_is_possible(stixel->merged))
      fprintf(out, ", as %s", column_kind(stixel->merged_kind));
    fprintf(out, "\n");
  }
  if (column_gain(s) > 0)
    fprintf(out,
        "negative: of what ends at a row, satdp keeps one of each kind with its plane, and\n"
        "pair costs depend on the plane. What it dropped here would have cost less.\n");
}

void column_print(FILE *out, const ColumnStory *s)
{
  print_head(out, s);
  fprintf(out, "\n  rows         kind      px below px above  metres %s\n",
      s->is_segments ? "  off by, px" : "     cost");
  for (int i = s->count - 1; i >= 0; i--) {
    print_record(out, s, &s->stixels[i].record);
    fprintf(out, "\n");
  }
  if (s->is_segments)
    return;
  fprintf(out, "all %d: %.2f nats, the least of all segmentations is %.2f\n", s->count,
      s->energy / STX_ENERGY_ONE, s->least / STX_ENERGY_ONE);
  print_energies(out, s);
  print_alternatives(out, s);
  fprintf(out, "\n");
  for (const ColumnTerm *term = column_terms; term->name != NULL; term++)
    if (is_used(s, term))
      fprintf(out, "%-9s %s\n", term->name, term->text);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *more(double energy)
{
  return table_json(column_is_possible(energy) ? energy / STX_ENERGY_ONE : NAN);
}

static json_t *stixel_json(const ColumnStory *s, const ColumnStixel *stixel)
{
  const StxStixel *r = &stixel->record;
  json_t *object =
      json_pack("{s:s, s:i, s:i, s:f, s:f, s:f}", "kind", column_kind((StxKind)r->kind), "top",
          r->top, "bottom", r->bottom, "disparity_top", (double)r->disparity_top,
          "disparity_bottom", (double)r->disparity_bottom, "cost", (double)r->cost);
  if (s->is_segments)
    return object;
  json_t *terms = json_object(), *as = json_object();
  for (const ColumnTerm *term = column_terms; term->name != NULL; term++)
    json_object_set_new(terms, term->name, json_real(column_term(stixel, term)));
  for (int kind = 0; kind < COLUMN_KINDS; kind++)
    json_object_set_new(as, column_kind((StxKind)(STX_KIND_GROUND + kind)), more(stixel->as[kind]));
  json_object_set_new(object, "terms", terms);
  json_object_set_new(object, "as", as);
  json_object_set_new(object, "merged", more(stixel->merged));
  return object;
}

void column_print_json(FILE *out, const ColumnStory *s)
{
  json_t *stixels = json_array(), *cells = json_array();
  StxRoadLine road = s->line != NULL ? column_road(s) : (StxRoadLine){0};
  for (int i = 0; i < s->count; i++)
    json_array_append_new(stixels, stixel_json(s, &s->stixels[i]));
  for (int row = 0; row < stx_grid_rows(&s->grid); row++) {
    double y = column_row(s, row);
    json_array_append_new(
        cells, json_pack("{s:f, s:f, s:f, s:o}", "row", y, "disparity", column_disparity(s, row),
                   "weight", s->weight[row] / (double)STX_WEIGHT_ONE, "road",
                   table_json(s->line != NULL ? stx_roadline_at(&road, y) : NAN)));
  }
  double one = s->is_segments ? NAN : STX_ENERGY_ONE;
  json_t *root = json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "frame", s->name, "column", s->column,
      "energy", table_json(s->energy / one), "least", table_json(s->least / one), "stixels",
      stixels, "cells", cells);
  json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
  fprintf(out, "\n");
  json_decref(root);
}
