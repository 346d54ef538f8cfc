/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/shared/table.h"

#include <math.h>
#include <string.h>

double table_number(const json_t *row, const TableCell *cell)
{
  for (const char *key = cell->path; row != NULL && *key != '\0';) {
    char name[64];
    int length = (int)strcspn(key, ".");
    snprintf(name, sizeof name, "%.*s", length, key);
    row = json_object_get(row, name);
    key += length + (key[length] == '.');
  }
  return json_is_number(row) ? cell->scale * json_number_value(row) : NAN;
}

void table_line(FILE *out, int width, const char *name, const json_t *row, const TableCell *cells)
{
  fprintf(out, "%-*s", width, name);
  for (const TableCell *cell = cells; cell->path != NULL; cell++) {
    double number = table_number(row, cell);
    const char *unit = cell->unit != NULL ? cell->unit : "";
    if (isnan(number))
      fprintf(out, " %*s", cell->width + (int)strlen(unit), "-");
    else
      fprintf(out, " %*.*f%s", cell->width, cell->digits, number, unit);
  }
  fputc('\n', out);
}

json_t *table_json(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

void table_dump(FILE *out, json_t *root)
{
  json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
  fputc('\n', out);
  json_decref(root);
}
