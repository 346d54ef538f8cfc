/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers in caps. */
#pragma once

#include <gst/gst.h>

/* Written by hand, a double is easily an int: camera-focal=720. */
static inline gboolean gst_stx_get_number(
    const GstStructure *structure, const gchar *field, gdouble *number)
{
  gint whole;

  if (gst_structure_get_double(structure, field, number))
    return TRUE;
  if (!gst_structure_get_int(structure, field, &whole))
    return FALSE;
  *number = whole;
  return TRUE;
}
