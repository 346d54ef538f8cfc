/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/lidar/source.h"

#include <string.h>

/* The path in a URI of files; other URIs whole. To be freed. */
static gchar *readable_uri(const gchar *uri)
{
  static const char *const schemes[] = {"file:", "multifile:", "multifle:"}; /* 1.22 spells it so */
  gchar *path, *shown;

  for (guint i = 0; i < G_N_ELEMENTS(schemes); i++)
    if (g_str_has_prefix(uri, schemes[i])) {
      uri += strlen(schemes[i]);
      uri += g_str_has_prefix(uri, "//") ? 2 : 0;
      path = g_uri_unescape_string(uri, NULL);
      shown = g_filename_display_name(path != NULL ? path : uri);
      g_free(path);
      return shown;
    }
  return g_strdup(uri);
}

gchar *gst_stx_source_name(GstPad *sink)
{
  GstQuery *query = gst_query_new_uri();
  gchar *uri = NULL, *shown, *text;

  if (gst_pad_peer_query(sink, query))
    gst_query_parse_uri(query, &uri);
  gst_query_unref(query);
  if (uri == NULL)
    return g_strdup("");
  shown = readable_uri(uri);
  text = g_strconcat(" of ", shown, NULL);
  g_free(shown);
  g_free(uri);
  return text;
}
