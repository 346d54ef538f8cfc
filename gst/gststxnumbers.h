/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of type double that are fields of a struct of parameters: one table of them in place of
 * code for each. They may be changed while playing. */
#ifndef GST_STX_NUMBERS_H
#define GST_STX_NUMBERS_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  const char *name, *nick, *blurb; /* static text */
  gsize offset;                    /* of the field */
  double min, max;
} GstStxNumber;

/* In class_init: adds the properties with ids from `first` on; defaults are those of `params`. */
void gst_stx_numbers_install(GObjectClass *klass, guint first, const GstStxNumber *numbers,
    guint count, gconstpointer params);

/* TRUE if `id` was one of them. The caller holds the object lock. */
gboolean gst_stx_numbers_set(const GstStxNumber *numbers, guint count, guint first, guint id,
    gpointer params, const GValue *value);
gboolean gst_stx_numbers_get(const GstStxNumber *numbers, guint count, guint first, guint id,
    gconstpointer params, GValue *value);

G_END_DECLS

#endif
