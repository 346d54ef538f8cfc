/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/json/jsontext.h"

#include <math.h>
#include <string.h>

#include "common/decimal/decimal.h"

/* Room for so many more bytes; where they begin. */
static gchar *reserve(GstStxJsonText *text, gsize bytes)
{
  if (text->size - text->length < bytes) {
    text->size = MAX(2 * text->size, text->length + bytes);
    text->bytes = g_realloc(text->bytes, text->size);
  }
  return text->bytes + text->length;
}

void gst_stx_json_words(GstStxJsonText *text, const char *words)
{
  gsize length = strlen(words);

  memcpy(reserve(text, length), words, length);
  text->length += length;
}

void gst_stx_json_whole(GstStxJsonText *text, const char *key, guint64 value)
{
  gst_stx_json_words(text, key);
  text->length += stx_decimal_write_whole(value, reserve(text, STX_DECIMAL_SIZE));
}

void gst_stx_json_bool(GstStxJsonText *text, const char *key, gboolean value)
{
  gst_stx_json_words(text, key);
  gst_stx_json_words(text, value ? "true" : "false");
}

void gst_stx_json_name(GstStxJsonText *text, const char *key, const char *name)
{
  gst_stx_json_words(text, key);
  gst_stx_json_words(text, name != NULL ? "\"" : "null");
  if (name == NULL)
    return;
  gst_stx_json_words(text, name);
  gst_stx_json_words(text, "\"");
}

void gst_stx_json_number(GstStxJsonText *text, const char *key, double value)
{
  gst_stx_json_words(text, key);
  if (isfinite(value))
    text->length += stx_decimal_write(value, reserve(text, STX_DECIMAL_SIZE));
  else
    gst_stx_json_words(text, "null");
}

void gst_stx_json_exact(GstStxJsonText *text, const char *key, double value)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  gst_stx_json_words(text, key);
  gst_stx_json_words(
      text, isfinite(value) ? g_ascii_formatd(number, sizeof number, "%.9g", value) : "null");
}
