/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxnumbers.h"

void gst_stx_numbers_install(GObjectClass *klass, guint first, const GstStxNumber *numbers,
    guint count, gconstpointer params)
{
  for (guint i = 0; i < count; i++) {
    const GstStxNumber *number = &numbers[i];
    double standard = *(const double *)((const char *)params + number->offset);

    g_object_class_install_property(klass, first + i,
        g_param_spec_double(number->name, number->nick, number->blurb, number->min, number->max,
            standard, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
  }
}

gboolean gst_stx_numbers_set(const GstStxNumber *numbers, guint count, guint first, guint id,
    gpointer params, const GValue *value)
{
  if (id < first || id - first >= count)
    return FALSE;
  *(double *)((char *)params + numbers[id - first].offset) = g_value_get_double(value);
  return TRUE;
}

gboolean gst_stx_numbers_get(const GstStxNumber *numbers, guint count, guint first, guint id,
    gconstpointer params, GValue *value)
{
  if (id < first || id - first >= count)
    return FALSE;
  g_value_set_double(value, *(const double *)((const char *)params + numbers[id - first].offset));
  return TRUE;
}
