/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports as JSON. */
#ifndef TABLE_H
#define TABLE_H

#include <jansson.h>
#include <stdio.h>

/* Prints with two columns of indent and six digits, and releases the root. */
void table_dump(FILE *out, json_t *root);

#endif
