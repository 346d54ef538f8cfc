/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval paper: the rows as tables, for a terminal or for a page, and as files of CSV. */
#include "examples/stx-eval/stx_eval_paper.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

/* ---- Tables --------------------------------------------------------------------------------- */

/* Lines of cells, all of them strings; the first line is the head. */
typedef struct {
  const char *name, *title;
  int labels; /* columns of words, at the left */
  GPtrArray *lines;
} Table;

static Table table_new(const char *name, const char *title, int labels)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  return (Table){name, title, labels, lines};
}

static void begin_line(const Table *table)
{
  g_ptr_array_add(table->lines, g_ptr_array_new_with_free_func(g_free));
}

/* Takes the text. */
static void add(const Table *table, char *text)
{
  g_ptr_array_add(table->lines->pdata[table->lines->len - 1], text);
}

static void add_words(const Table *table, const char *words)
{
  add(table, g_strdup(words));
}

/* A number of a row, times `scale`; a dash where there is no row or no number. */
static void add_number(
    const Table *table, const json_t *row, const char *key, double scale, int digits)
{
  const json_t *value = row != NULL ? json_object_get(row, key) : NULL;
  if (json_is_number(value))
    add(table, g_strdup_printf("%.*f", digits, scale * json_number_value(value)));
  else
    add_words(table, "–");
}

static const char *cell_at(const Table *table, size_t line, size_t column)
{
  const GPtrArray *cells = table->lines->pdata[line];
  return column < cells->len ? cells->pdata[column] : "";
}

static int width_of(const Table *table, size_t column)
{
  glong width = 0;
  for (size_t i = 0; i < table->lines->len; i++) {
    glong length = g_utf8_strlen(cell_at(table, i, column), -1);
    width = length > width ? length : width;
  }
  return (int)width;
}

static void print_text(FILE *out, const Table *table, size_t columns)
{
  fprintf(out, "%s\n", table->title);
  for (size_t i = 0; i < table->lines->len; i++) {
    for (size_t k = 0; k < columns; k++) {
      const char *text = cell_at(table, i, k);
      int pad = width_of(table, k) - (int)g_utf8_strlen(text, -1);
      bool left = k < (size_t)table->labels;
      fprintf(out, "%s%*s%s%*s", k > 0 ? "  " : "", left ? 0 : pad, "", text, left ? pad : 0, "");
    }
    fputc('\n', out);
  }
  fputc('\n', out);
}

static void print_markdown(FILE *out, const Table *table, size_t columns)
{
  fprintf(out, "<!-- table %s -->\n", table->name);
  for (size_t i = 0; i < table->lines->len; i++) {
    for (size_t k = 0; k < columns; k++)
      fprintf(out, "| %s ", cell_at(table, i, k));
    fprintf(out, "|\n");
    for (size_t k = 0; i == 0 && k < columns; k++)
      fprintf(out, "|%s", k < (size_t)table->labels ? "---" : "--:");
    fprintf(out, i == 0 ? "|\n" : "");
  }
  fprintf(out, "<!-- end -->\n\n");
}

/* Prints it, unless there is nothing but a head, and frees it. */
static void table_end(FILE *out, Table *table, bool markdown)
{
  const GPtrArray *head = table->lines->pdata[0];
  if (table->lines->len > 1)
    (markdown ? print_markdown : print_text)(out, table, head->len);
  g_ptr_array_unref(table->lines);
}

/* ---- Finding rows --------------------------------------------------------------------------- */

/* The first row that has all that the pattern has, which is released; or NULL. */
static const json_t *find(const json_t *rows, json_t *pattern)
{
  const json_t *found = NULL, *row;
  size_t i;
  json_array_foreach(rows, i, row)
  {
    const char *key;
    json_t *value;
    bool same = true;
    json_object_foreach(pattern, key, value) same &= json_equal(json_object_get(row, key), value);
    if (same) {
      found = row;
      break;
    }
  }
  json_decref(pattern);
  return found;
}

static const char *text_at(const json_t *row, const char *key)
{
  const char *text = json_string_value(json_object_get(row, key));
  return text != NULL ? text : "";
}

static bool is(const json_t *row, const char *key, const char *value)
{
  return strcmp(text_at(row, key), value) == 0;
}

/* ---- Tables 2 and 3 -------------------------------------------------------------------------- */

typedef struct {
  const char *head;
  PaperModel model;
  const char *key;
  double scale;
  int digits;
} Column;

static const Column errors[] = {
    {"or: input", PAPER_OURS, "input_or", 100, 2},
    {"original", PAPER_ORIGINAL, "error_or", 100, 2},
    {"ours", PAPER_OURS, "error_or", 100, 2},
    {"segments", PAPER_SEGMENTS, "error_or", 100, 2},
    {"and: input", PAPER_OURS, "input_and", 100, 2},
    {"original", PAPER_ORIGINAL, "error_and", 100, 2},
    {"ours", PAPER_OURS, "error_and", 100, 2},
    {"segments", PAPER_SEGMENTS, "error_and", 100, 2},
    {"and, ratio: original", PAPER_ORIGINAL, "ratio_and", 1, 3},
    {"ours", PAPER_OURS, "ratio_and", 1, 3},
};

static const Column records[] = {
    {"px per stixel: original", PAPER_ORIGINAL, "pixels_per_stixel", 1, 0},
    {"ours", PAPER_OURS, "pixels_per_stixel", 1, 0},
    {"segments", PAPER_SEGMENTS, "pixels_per_stixel", 1, 0},
    {"IoU of kinds: original", PAPER_ORIGINAL, "iou_kinds", 100, 2},
    {"ours", PAPER_OURS, "iou_kinds", 100, 2},
    {"of classes: original", PAPER_ORIGINAL, "iou_classes", 100, 2},
    {"ours", PAPER_OURS, "iou_classes", 100, 2},
    {"of cells", PAPER_OURS, "iou_cells", 100, 2},
};

static const Column times[] = {
    {"matching", PAPER_OURS, "ms_sgm", 1, 1},
    {"reduction", PAPER_OURS, "ms_colmean", 1, 2},
    {"original", PAPER_ORIGINAL, "ms_satdp", 1, 2},
    {"ours", PAPER_OURS, "ms_satdp", 1, 2},
    {"segments", PAPER_SEGMENTS, "ms_rdp", 1, 2},
    {"looked at, %: original", PAPER_ORIGINAL, "pairs_evaluated", 100, 1},
    {"ours", PAPER_OURS, "pairs_evaluated", 100, 1},
};

/* The row of another model on the same line. */
static const json_t *beside(const json_t *rows, const json_t *row, PaperModel model)
{
  return find(rows, json_pack("{s:s, s:O, s:s, s:s, s:s}", "data", text_at(row, "data"), "cell",
                        json_object_get(row, "cell"), "settings", text_at(row, "settings"),
                        "labels", text_at(row, "labels"), "model", paper_model_name(model)));
}

static void add_line(
    const Table *table, const json_t *rows, const json_t *row, const Column *columns, size_t count)
{
  json_int_t cell = json_integer_value(json_object_get(row, "cell"));
  begin_line(table);
  add_words(table, text_at(row, "data"));
  add(table, g_strdup_printf("%d×%d", (int)cell, (int)cell));
  add_words(table, is(row, "labels", "true") ? "labels" : "depth");
  for (size_t i = 0; i < count; i++)
    add_number(table, beside(rows, row, columns[i].model), columns[i].key, columns[i].scale,
        columns[i].digits);
}

/* One line for every row of our model with these settings. */
static void print_columns(FILE *out, const json_t *rows, Table table, const char *settings,
    const Column *columns, size_t count, bool markdown)
{
  const json_t *row;
  size_t k;
  begin_line(&table);
  add_words(&table, "data");
  add_words(&table, "cells");
  add_words(&table, "from");
  for (size_t i = 0; i < count; i++)
    add_words(&table, columns[i].head);
  json_array_foreach(rows, k, row)
  {
    if (is(row, "settings", settings) && is(row, "model", paper_model_name(PAPER_OURS)))
      add_line(&table, rows, row, columns, count);
  }
  table_end(out, &table, markdown);
}

static void print_comparison(FILE *out, const json_t *rows, bool markdown)
{
  print_columns(out, rows,
      table_new("errors", "Disparity error, %: more than 3 px OR, AND 5 % off", 3), "defaults",
      errors, G_N_ELEMENTS(errors), markdown);
  print_columns(out, rows, table_new("records", "Compression and intersection over union, %", 3),
      "defaults", records, G_N_ELEMENTS(records), markdown);
  print_columns(out, rows, table_new("times", "Time of a frame, ms, and pairs of rows", 3),
      "defaults", times, G_N_ELEMENTS(times), markdown);
  print_columns(out, rows,
      table_new("errors-paper", "Disparity error, %, as the paper describes it", 3), "paper",
      errors, G_N_ELEMENTS(errors), markdown);
  print_columns(out, rows,
      table_new("records-paper", "Compression and IoU, %, as the paper describes it", 3), "paper",
      records, G_N_ELEMENTS(records), markdown);
}

/* ---- Growth --------------------------------------------------------------------------------- */

static const struct {
  const char *head;
  PaperModel model;
  bool pruned;
} curves[] = {{"ours, all pairs", PAPER_OURS, false}, {"pruned", PAPER_OURS, true},
    {"original, all pairs", PAPER_ORIGINAL, false}, {"pruned", PAPER_ORIGINAL, true}};

static const json_t *find_curve(const json_t *list, size_t curve, const json_t *rows)
{
  json_t *pattern = json_pack(
      "{s:s, s:b}", "model", paper_model_name(curves[curve].model), "pruned", curves[curve].pruned);
  if (rows != NULL)
    json_object_set(pattern, "rows", (json_t *)rows);
  return find(list, pattern);
}

static void add_exponents(
    const Table *table, const json_t *exponents, const char *words, const char *key)
{
  begin_line(table);
  add_words(table, words);
  for (size_t i = 0; i < G_N_ELEMENTS(curves); i++)
    add_number(table, find_curve(exponents, i, NULL), key, 1, 2);
  for (int i = 0; i < 2; i++)
    add_words(table, "");
}

static void print_growth(FILE *out, const json_t *rows, const json_t *exponents, bool markdown)
{
  Table table = table_new("growth", "Time of a column, µs, and pairs looked at, %", 1);
  const json_t *row;
  size_t k;
  begin_line(&table);
  add_words(&table, "rows");
  for (size_t i = 0; i < G_N_ELEMENTS(curves); i++)
    add_words(&table, curves[i].head);
  add_words(&table, "left, %: ours");
  add_words(&table, "original");
  json_array_foreach(rows, k, row)
  {
    const json_t *count = json_object_get(row, "rows");
    if (k > 0 && json_equal(count, json_object_get(json_array_get(rows, k - 1), "rows")))
      continue;
    begin_line(&table);
    add_number(&table, row, "rows", 1, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(curves); i++)
      add_number(&table, find_curve(rows, i, count), "us_per_column", 1, 1);
    add_number(&table, find_curve(rows, 1, count), "pairs_evaluated", 100, 1);
    add_number(&table, find_curve(rows, 3, count), "pairs_evaluated", 100, 1);
  }
  if (json_array_size(exponents) > 0) {
    add_exponents(&table, exponents, "exponent", "exponent");
    add_exponents(&table, exponents, "exponent, last three", "exponent_last");
  }
  table_end(out, &table, markdown);
}

/* ---- Study ---------------------------------------------------------------------------------- */

static void add_study_name(const Table *table, const json_t *row)
{
  bool base = is(row, "parameter", "defaults");
  const char *of = is(row, "labels", "true") ? ", with labels" : "";
  const char *model = is(row, "model", paper_model_name(PAPER_ORIGINAL)) ? ", original" : "";
  if (base)
    add(table, g_strdup_printf("all defaults%s%s", of, model));
  else
    add(table, g_strdup_printf(
                   "%s (%s)%s%s", text_at(row, "parameter"), text_at(row, "default"), of, model));
  add_words(table, text_at(row, "value"));
}

/* The same settings on another data set. */
static const json_t *study_beside(const json_t *rows, const json_t *row, const char *data)
{
  return find(rows, json_pack("{s:s, s:s, s:s, s:s, s:s}", "model", text_at(row, "model"), "labels",
                        text_at(row, "labels"), "parameter", text_at(row, "parameter"), "value",
                        text_at(row, "value"), "data", data));
}

static void add_study_cell(const Table *table, const json_t *row)
{
  if (row == NULL)
    add_words(table, "–");
  else
    add(table,
        g_strdup_printf("%.2f @%.0f", 100 * json_number_value(json_object_get(row, "error_and")),
            json_number_value(json_object_get(row, "pixels_per_stixel"))));
}

/* Names of the data sets: strings of the rows. */
static GPtrArray *study_data(const json_t *rows)
{
  GPtrArray *names = g_ptr_array_new();
  const json_t *row;
  size_t k;
  json_array_foreach(rows, k, row)
  {
    const char *name = text_at(row, "data");
    if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
      g_ptr_array_add(names, (char *)name);
  }
  return names;
}

static void print_study(FILE *out, const json_t *rows, bool markdown)
{
  Table table = table_new("study", "Error (and), %, at pixels per stixel, cells of 8×8", 2);
  GPtrArray *names = study_data(rows);
  const json_t *row;
  size_t k;
  begin_line(&table);
  add_words(&table, "parameter (default)");
  add_words(&table, "value");
  for (size_t i = 0; i < names->len; i++)
    add_words(&table, names->pdata[i]);
  json_array_foreach(rows, k, row)
  {
    const json_t *before = k > 0 ? json_array_get(rows, k - 1) : NULL;
    if (before != NULL && study_beside(rows, before, text_at(row, "data")) == row)
      continue; /* stands in the line already */
    begin_line(&table);
    add_study_name(&table, row);
    for (size_t i = 0; i < names->len; i++)
      add_study_cell(&table, study_beside(rows, row, names->pdata[i]));
  }
  g_ptr_array_unref(names);
  table_end(out, &table, markdown);
}

void paper_print(FILE *out, const json_t *root, bool markdown)
{
  print_comparison(out, json_object_get(root, "comparison"), markdown);
  print_growth(out, json_object_get(root, "growth"), json_object_get(root, "exponents"), markdown);
  print_study(out, json_object_get(root, "study"), markdown);
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void write_value(FILE *file, const json_t *value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  const char *words = json_string_value(value);
  if (words != NULL)
    fprintf(file, strchr(words, ',') != NULL ? "\"%s\"" : "%s", words);
  else if (json_is_number(value))
    fputs(g_ascii_formatd(text, sizeof text, "%.6g", json_number_value(value)), file);
  else if (json_is_boolean(value))
    fputs(json_is_true(value) ? "yes" : "no", file);
}

static void write_row(FILE *file, json_t *row, bool head)
{
  const char *key, *comma = "";
  json_t *value;
  json_object_foreach(row, key, value)
  {
    fputs(comma, file);
    if (head)
      fputs(key, file);
    else
      write_value(file, value);
    comma = ",";
  }
  fputc('\n', file);
}

static bool write_list(const char *path, const json_t *rows, StxError *error)
{
  FILE *file = fopen(path, "w");
  json_t *row;
  size_t i;
  if (file == NULL)
    return stx_fail(error, "%s: %s", path, strerror(errno));
  json_array_foreach(rows, i, row)
  {
    if (i == 0)
      write_row(file, row, true);
    write_row(file, row, false);
  }
  bool good = ferror(file) == 0;
  good = fclose(file) == 0 && good;
  return good || stx_fail(error, "%s: %s", path, strerror(errno));
}

bool paper_write_csv(const char *folder, const json_t *root, StxError *error)
{
  static const char *const lists[] = {"comparison", "frames", "growth", "exponents", "study"};
  bool good = true;
  for (size_t i = 0; good && i < G_N_ELEMENTS(lists); i++) {
    const json_t *rows = json_object_get(root, lists[i]);
    char *name = g_strdup_printf("stixels-%s.csv", lists[i]);
    char *path = g_build_filename(folder, name, NULL);
    if (json_array_size(rows) > 0)
      good = write_list(path, rows, error);
    g_free(path);
    g_free(name);
  }
  return good;
}
