/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* In how many columns other stixels would cost less, as text and as JSON. */
#include "examples/stx-eval/column/column.h"

#include <glib.h>

#include "examples/shared/table.h"

static void add_worst(ColumnWorst *worst, const ColumnStory *story, double gain)
{
  worst->count += gain > 0;
  if (gain <= worst->most)
    return;
  worst->most = gain;
  worst->column = story->column;
  g_strlcpy(worst->frame, story->name, sizeof worst->frame);
}

void column_count(ColumnCount *count, const ColumnStory *story)
{
  double excess = story->energy - story->least;
  count->columns++;
  count->stixels += story->count;
  count->energy += story->energy;
  count->excess += excess;
  count->sky += story->sky;
  count->least_sky += story->least_sky;
  add_worst(&count->change, story, column_gain(story));
  add_worst(&count->least, story, excess);
}

static void print_worst(FILE *out, const char *what, const ColumnWorst *worst)
{
  fprintf(out, "%-48s %5d", what, worst->count);
  if (worst->count > 0)
    fprintf(out, "   by up to %.2f nats (%s, column %d)", worst->most / STX_ENERGY_ONE,
        worst->frame, worst->column);
  fprintf(out, "\n");
}

void column_count_print(FILE *out, const ColumnCount *count)
{
  fprintf(out, "%-48s %5d   of %d frames, %d stixels\n", "columns", count->columns, count->frames,
      count->stixels);
  print_worst(out, "one stixel changed would cost less in", &count->change);
  print_worst(out, "another segmentation would cost less in", &count->least);
  fprintf(out, "%-48s %8.2f of %.2f nats\n", "by how much, in all", count->excess / STX_ENERGY_ONE,
      count->energy / STX_ENERGY_ONE);
  fprintf(out, "%-48s %5d   where the energy is least %d\n",
      "stixels of sky that end below the horizon", count->sky, count->least_sky);
}

static json_t *worst_json(const ColumnWorst *worst)
{
  return json_pack("{s:i, s:f, s:s?, s:o}", "columns", worst->count, "most",
      worst->most / STX_ENERGY_ONE, "frame", worst->count > 0 ? worst->frame : NULL, "column",
      worst->count > 0 ? json_integer(worst->column) : json_null());
}

void column_count_print_json(FILE *out, const ColumnCount *count)
{
  table_dump(
      out, json_pack("{s:i, s:i, s:i, s:f, s:f, s:o, s:o, s:i, s:i}", "frames", count->frames,
               "columns", count->columns, "stixels", count->stixels, "energy",
               count->energy / STX_ENERGY_ONE, "excess", count->excess / STX_ENERGY_ONE,
               "one_changed", worst_json(&count->change), "any_changed", worst_json(&count->least),
               "sky_below_horizon", count->sky, "sky_below_horizon_least", count->least_sky));
}
