/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text that grows, for lines of JSON: fixed names, which need no quoting, and numbers. A tree of
 * JSON objects would only be built to be printed.
 *
 * Begin with {0}. A key is written as it stands, with what separates it from the value before:
 * gst_stx_json_number (text, ",\"top\":", 2).
 */
#ifndef GST_STX_JSON_TEXT_H
#define GST_STX_JSON_TEXT_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gchar *bytes; /* no 0 at the end */
  gsize length, size;
} GstStxJsonText;

void gst_stx_json_words(GstStxJsonText *text, const char *words);
void gst_stx_json_whole(GstStxJsonText *text, const char *key, guint64 value);
void gst_stx_json_bool(GstStxJsonText *text, const char *key, gboolean value);
/* `name` without anything that needs quoting; NULL: null. */
void gst_stx_json_name(GstStxJsonText *text, const char *key, const char *name);

/* With three decimals; _exact with nine digits that count. null where JSON has no number. */
void gst_stx_json_number(GstStxJsonText *text, const char *key, double value);
void gst_stx_json_exact(GstStxJsonText *text, const char *key, double value);

G_END_DECLS

#endif
