/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/shared/table.h"

void table_dump(FILE *out, json_t *root)
{
  json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
  fputc('\n', out);
  json_decref(root);
}
