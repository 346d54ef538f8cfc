/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A column as a picture: disparity to the right, image rows downwards, as the picture has them.
 * Dots are cells, lines stixels, and what is written beside them says why they are there. Numbers
 * are written by GLib, with a point in every locale.
 */
#include "examples/stx-eval/column/column.h"

#include <errno.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "common/colour/colour.h"
#include "common/metres.h"

#define WIDTH 1120
#define LEFT 64    /* of the plot */
#define PLOT 520   /* its width */
#define NOTES 632  /* where notes begin */
#define TOP 64     /* of the plot */
#define BOTTOM 54  /* below it */
#define LEAST 480  /* height of the plot */
#define NOTE 56    /* height of a note */
#define SEGMENT 24 /* of one without energies */

typedef struct {
  GString *text;
  const ColumnStory *story;
  double height;  /* of the plot */
  double highest; /* disparity at its right border */
} Drawing;

static double at_x(const Drawing *d, double disparity)
{
  return LEFT + PLOT * CLAMP(disparity / d->highest, 0, 1);
}

/* Of an image row; its edges are half a row off its centre. */
static double at_y(const Drawing *d, double row)
{
  return TOP + d->height * (row + .5) / d->story->grid.height;
}

/* "12.3", with so many digits. */
static const char *number(char text[G_ASCII_DTOSTR_BUF_SIZE], double value, int digits)
{
  char form[8];
  g_snprintf(form, sizeof form, "%%.%df", digits);
  return g_ascii_formatd(text, G_ASCII_DTOSTR_BUF_SIZE, form, value);
}

static void put_number(const Drawing *d, const char *before, double value, int digits)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append(d->text, before);
  g_string_append(d->text, number(text, value, digits));
}

static void put_line(
    const Drawing *d, double x1, double y1, double x2, double y2, const char *style)
{
  put_number(d, "<line x1=\"", x1, 1);
  put_number(d, "\" y1=\"", y1, 1);
  put_number(d, "\" x2=\"", x2, 1);
  put_number(d, "\" y2=\"", y2, 1);
  g_string_append_printf(d->text, "\" %s/>\n", style);
}

static void put_text(const Drawing *d, double x, double y, const char *style, const char *text)
{
  char *escaped = g_markup_escape_text(text, -1);
  put_number(d, "<text x=\"", x, 1);
  put_number(d, "\" y=\"", y, 1);
  g_string_append_printf(d->text, "\" %s>%s</text>\n", style, escaped);
  g_free(escaped);
}

/* ---- Axes ---------------------------------------------------------------------------------- */

/* 1, 2 or 5 times a power of ten, for about five ticks. */
static double step_of(double range)
{
  double step = pow(10, floor(log10(range / 5)));
  return range / step > 25 ? 5 * step : range / step > 10 ? 2 * step : step;
}

static void draw_axes(const Drawing *d)
{
  const StxGrid *grid = &d->story->grid;
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  double bottom = TOP + d->height;
  g_string_append_printf(d->text,
      "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%.0f\" class=\"plot\"/>\n", LEFT, TOP, PLOT,
      d->height);
  for (double v = 0, step = step_of(d->highest); v <= d->highest; v += step) {
    put_line(d, at_x(d, v), TOP, at_x(d, v), bottom, "class=\"grid\"");
    put_text(d, at_x(d, v), bottom + 17, "class=\"tick\" text-anchor=\"middle\"",
        number(text, v, step < 1 ? 1 : 0));
  }
  for (double row = 0, step = step_of(grid->height); row < grid->height; row += step) {
    put_line(d, LEFT, at_y(d, row), LEFT + PLOT, at_y(d, row), "class=\"grid\"");
    put_text(
        d, LEFT - 8, at_y(d, row) + 4, "class=\"tick\" text-anchor=\"end\"", number(text, row, 0));
  }
  put_text(d, LEFT + PLOT / 2, bottom + 38, "class=\"axis\" text-anchor=\"middle\"",
      "disparity, pixels");
  g_string_append_printf(d->text,
      "<text class=\"axis\" text-anchor=\"middle\" transform=\"translate(18 %.0f) rotate(-90)\">"
      "image row</text>\n",
      TOP + d->height / 2);
}

/* ---- What was measured, and what was made of it ---------------------------------------------- */

static void draw_road(const Drawing *d)
{
  const StxRoadLine *line = d->story->line;
  if (line == NULL)
    return;
  g_string_append(d->text, "<polyline class=\"road\" points=\"");
  double end = fmax(stx_roadline_end(line), 0);
  for (int i = 0; i <= 40; i++) {
    double row = end + (d->story->grid.height - 1 - end) * i / 40;
    put_number(d, " ", at_x(d, stx_roadline_at(line, row)), 1);
    put_number(d, ",", at_y(d, row), 1);
  }
  g_string_append(d->text, "\"/>\n");
  put_line(d, LEFT, at_y(d, end), LEFT + PLOT, at_y(d, end), "class=\"horizon\"");
}

/* The more certain, the darker; what is unknown lies on the left border. */
static void draw_cells(const Drawing *d)
{
  const ColumnStory *s = d->story;
  double radius = CLAMP(.4 * d->height / stx_grid_rows(&s->grid), 1.2, 3.5);
  for (int row = 0; row < stx_grid_rows(&s->grid); row++) {
    bool known = s->disparity[row] != STX_DISPARITY_UNKNOWN;
    put_number(d, "<circle cx=\"", known ? at_x(d, column_disparity(s, row)) : LEFT, 1);
    put_number(d, "\" cy=\"", at_y(d, column_row(s, row)), 1);
    put_number(d, "\" r=\"", known ? radius : .7 * radius, 1);
    if (known)
      put_number(d, "\" class=\"cell\" fill-opacity=\"",
          .15 + .85 * sqrt(MIN(s->weight[row] / (double)STX_WEIGHT_ONE, 1)), 2);
    else
      g_string_append(d->text, "\" class=\"unknown");
    g_string_append(d->text, "\"/>\n");
  }
}

static StxRgb colour_of(const StxStixel *record)
{
  return stx_colour_kind((StxKind)record->kind);
}

static void draw_stixels(const Drawing *d)
{
  for (int i = 0; i < d->story->count; i++) {
    const StxStixel *r = &d->story->stixels[i].record;
    StxRgb c = colour_of(r);
    char style[96];
    g_snprintf(style, sizeof style, "class=\"stixel\" stroke=\"#%02x%02x%02x\"", c.r, c.g, c.b);
    put_line(d, at_x(d, (double)r->disparity_top), at_y(d, r->top - .5),
        at_x(d, (double)r->disparity_bottom), at_y(d, r->bottom + .5), style);
    put_line(d, LEFT, at_y(d, r->top - .5), LEFT + PLOT, at_y(d, r->top - .5), "class=\"cut\"");
  }
}

/* ---- Notes --------------------------------------------------------------------------------- */

static void add(GString *text, const char *before, double value, int digits, const char *after)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_printf(text, "%s%s%s", before, number(buffer, value, digits), after);
}

static char *title_of(const ColumnStory *s, const StxStixel *r)
{
  GString *text = g_string_new(column_kind((StxKind)r->kind));
  double metres =
      stx_camera_is_metric(&s->camera) ? stx_metres_depth(&s->camera, r->disparity_bottom) : NAN;
  if (r->disparity_bottom > 0)
    add(text, ", ", (double)r->disparity_bottom, 1, " px");
  if (isfinite(metres))
    add(text, ", ", metres, 1, " m");
  g_string_append_printf(text, ", rows %d to %d", r->top, r->bottom);
  if (s->is_segments)
    add(text, ", off by ", (double)r->cost, 2, " px");
  return g_string_free(text, FALSE);
}

static char *terms_of(const ColumnStixel *stixel)
{
  GString *text = g_string_new("costs");
  add(text, " ", stx_satdp_sum(&stixel->terms) / STX_ENERGY_ONE, 2, " =");
  const char *before = " ";
  for (const ColumnTerm *term = column_terms; term->name != NULL; term++)
    if (column_term(stixel, term) != 0) {
      g_string_append_printf(text, "%s%s", before, term->name);
      add(text, " ", column_term(stixel, term), 2, "");
      before = " + ";
    }
  if (before[1] == '\0')
    g_string_append(text, " 0");
  return g_string_free(text, FALSE);
}

static void add_instead(GString *text, const char *what, double energy)
{
  g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", what);
  if (column_is_possible(energy))
    add(text, " +", energy / STX_ENERGY_ONE, 2, "");
  else
    g_string_append(text, " never");
}

static char *instead_of(const ColumnStixel *stixel)
{
  GString *text = g_string_new(NULL);
  for (int kind = 0; kind < COLUMN_KINDS; kind++)
    if ((int)stixel->piece.kind != STX_KIND_GROUND + kind)
      add_instead(text, column_kind((StxKind)(STX_KIND_GROUND + kind)), stixel->as[kind]);
  if (!isnan(stixel->merged))
    add_instead(text, "one with that below", stixel->merged);
  g_string_prepend(text, "instead: ");
  return g_string_free(text, FALSE);
}

static void draw_note(const Drawing *d, const ColumnStixel *stixel, double y)
{
  const StxStixel *r = &stixel->record;
  StxRgb c = colour_of(r);
  double middle = at_y(d, (r->top + r->bottom) / 2.);
  char *title = title_of(d->story, r);
  put_line(d, LEFT + PLOT, middle, NOTES - 20, y + 8, "class=\"leader\"");
  put_number(d, "<rect x=\"", NOTES - 18, 0);
  put_number(d, "\" y=\"", y, 1);
  g_string_append_printf(
      d->text, "\" width=\"12\" height=\"12\" fill=\"#%02x%02x%02x\"/>\n", c.r, c.g, c.b);
  put_text(d, NOTES, y + 11, "class=\"title\"", title);
  g_free(title);
  if (d->story->is_segments)
    return;
  char *terms = terms_of(stixel), *instead = instead_of(stixel);
  put_text(d, NOTES, y + 27, "class=\"note\"", terms);
  put_text(d, NOTES, y + 42, "class=\"note\"", instead);
  g_free(terms);
  g_free(instead);
}

/* Each as near to its stixel as the others leave room, from the top down. */
static void draw_notes(const Drawing *d)
{
  const ColumnStory *s = d->story;
  double high = s->is_segments ? SEGMENT : NOTE, next = TOP;
  for (int i = s->count - 1; i >= 0; i--) {
    const StxStixel *r = &s->stixels[i].record;
    double latest = TOP + d->height - (i + 1) * high;
    double y = fmin(fmax(at_y(d, (r->top + r->bottom) / 2.) - high / 2, next), latest);
    draw_note(d, &s->stixels[i], y);
    next = y + high;
  }
}

/* ---- The whole ----------------------------------------------------------------------------- */

static void draw_head(const Drawing *d)
{
  const ColumnStory *s = d->story;
  GString *title = g_string_new(s->name);
  g_string_append_printf(
      title, ", column %d of 0 to %d", s->column, stx_grid_columns(&s->grid) - 1);
  if (!s->is_segments)
    add(title, ": ", s->energy / STX_ENERGY_ONE, 2, " nats");
  put_text(d, LEFT, 26, "class=\"head\"", title->str);
  put_text(d, LEFT, 48, "class=\"note\"",
      "dots: cells, pale if uncertain, on the left border if unknown; dashed: the expected road "
      "and "
      "its end; lines: what was made of it");
  g_string_free(title, TRUE);
}

static void begin(const Drawing *d)
{
  int height = (int)(TOP + d->height + BOTTOM);
  g_string_append_printf(d->text,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
      "font-family=\"sans-serif\">\n<style>\n"
      ".head{font-size:17px;font-weight:bold}.axis,.tick,.note{font-size:12px;fill:#444}\n"
      ".title{font-size:13px;font-weight:bold}.plot{fill:#fafafa;stroke:#888}\n"
      ".grid{stroke:#e2e2e2}.cut{stroke:#999;stroke-width:.7}.leader{stroke:#aaa}\n"
      ".road{fill:none;stroke:#b06000;stroke-width:1.5;stroke-dasharray:6 4}\n"
      ".horizon{stroke:#b06000;stroke-dasharray:2 "
      "4}.cell{fill:#222}.unknown{fill:none;stroke:#888}\n"
      ".stixel{stroke-width:4;stroke-linecap:butt;stroke-opacity:.85}\n"
      "</style>\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
      WIDTH, height, WIDTH, height, WIDTH, height);
}

/* The largest disparity that is shown, and some more. */
static double highest_of(const ColumnStory *s)
{
  double most = 4;
  for (int row = 0; row < stx_grid_rows(&s->grid); row++)
    most = fmax(most, column_disparity(s, row));
  if (s->line != NULL)
    most = fmax(most, stx_roadline_at(s->line, s->grid.height - 1));
  return most * 1.05;
}

static char *picture_of(const ColumnStory *s)
{
  double needed = s->count * (s->is_segments ? SEGMENT : NOTE);
  Drawing d = {g_string_new(NULL), s, fmax(LEAST, needed), highest_of(s)};
  begin(&d);
  draw_axes(&d);
  draw_road(&d);
  draw_stixels(&d);
  draw_cells(&d);
  draw_notes(&d);
  draw_head(&d);
  g_string_append(d.text, "</svg>\n");
  return g_string_free(d.text, FALSE);
}

bool column_draw(const char *path, const ColumnStory *story, StxError *error)
{
  char *picture = picture_of(story);
  FILE *file = fopen(path, "w");
  bool good = file != NULL && fputs(picture, file) >= 0;
  if (file != NULL)
    good = fclose(file) == 0 && good;
  g_free(picture);
  return good || stx_fail(error, "--output=%s: cannot write it: %s", path, g_strerror(errno));
}
