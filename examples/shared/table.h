/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports: what is printed as JSON, as columns of text. */
#ifndef TABLE_H
#define TABLE_H

#include <jansson.h>
#include <stdio.h>

/* A column of numbers; a dash stands for what is null or not there. */
typedef struct {
  const char *path; /* in a row: keys with dots between them; NULL ends a list */
  double scale;
  int width, digits;
  const char *unit; /* behind the number, or NULL */
} TableCell;

/* The number of a row, times the scale; not a number where there is none. */
double table_number(const json_t *row, const TableCell *cell);

/* A line: the name in `width` columns, and a space in front of every cell. */
void table_line(FILE *out, int width, const char *name, const json_t *row, const TableCell *cells);

/* JSON has no NaN: null. */
json_t *table_json(double value);

/* Prints with two columns of indent and six digits, and releases the root. */
void table_dump(FILE *out, json_t *root);

#endif
