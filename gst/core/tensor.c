/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/core/tensor.h"

#include <string.h>

/* "C:W:H:1": numbers, innermost first; from the fourth on they must be 1. */
static gboolean parse_dimensions(const gchar *text, guint least, gint dimensions[3])
{
  g_auto(GStrv) parts = g_strsplit(text, ":", -1);
  gboolean valid = g_strv_length(parts) >= least;

  dimensions[0] = dimensions[1] = dimensions[2] = 1;
  for (guint i = 0; valid && parts[i] != NULL; i++) {
    gint64 value = 0;

    valid = g_ascii_string_to_signed(g_strstrip(parts[i]), 10, 1, G_MAXINT, &value, NULL) &&
            (i < 3 || value == 1);
    if (valid && i < 3)
      dimensions[i] = (gint)value;
  }
  return valid;
}

static const gchar *string_field(const GstStructure *structure, const gchar *name)
{
  const gchar *value = gst_structure_get_string(structure, name);

  return value != NULL ? value : "(none)";
}

gboolean gst_stx_tensor_parse(GstStxTensor *tensor, const GstStructure *structure,
    const GstStxTensorUse *use, StxError *error)
{
  const gchar *format = gst_structure_get_string(structure, "format");
  const gchar *dimensions = string_field(structure, "dimensions");
  gint count = 1;

  gst_structure_get_int(structure, "num_tensors", &count);
  if (count != 1)
    return stx_fail(error, "%s: %d tensors; %s", use->what, count, use->expected);
  if (format != NULL && strcmp(format, "static") != 0)
    return stx_fail(error, "%s: format=%s, must be static; %s", use->what, format, use->expected);
  tensor->type = g_intern_string(string_field(structure, "types"));
  if (!parse_dimensions(dimensions, use->least, tensor->dimensions))
    return stx_fail(error, "%s: dimensions=%s, must be %s", use->what, dimensions, use->shape);
  return TRUE;
}
