/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/meta_private.h"

#include <string.h>

/* GstMetaInfo has no field for the kind: it is a qdata of the type. */
static GQuark kind_quark(void)
{
  return g_quark_from_static_string("gst-stx-meta-kind");
}

GType gst_stx_meta_api(gsize *once, const GstStxMetaKind *kind)
{
  static const gchar *no_tags[] = {NULL};

  if (g_once_init_enter(once)) {
    GType type = gst_meta_api_type_register(kind->api, kind->tags != NULL ? kind->tags : no_tags);

    g_type_set_qdata(type, kind_quark(), (gpointer)kind);
    g_once_init_leave(once, type);
  }
  return *once;
}

static gboolean init(GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  memset(meta + 1, 0, meta->info->size - sizeof *meta);
  return TRUE;
}

static void clear(GstMeta *meta, GstBuffer *buffer)
{
  const GstStxMetaKind *kind = g_type_get_qdata(meta->info->api, kind_quark());
  GstBuffer **held = (GstBuffer **)(meta + 1);

  for (guint i = 0; i < kind->buffers; i++)
    gst_clear_buffer(&held[i]);
}

const GstMetaInfo *gst_stx_meta_info(gsize *once, GType api, const GstStxMetaKind *kind)
{
  if (g_once_init_enter(once))
    g_once_init_leave(
        once, (gsize)gst_meta_register(api, kind->name, kind->size, init, clear, kind->transform));
  return (const GstMetaInfo *)*once;
}

gpointer gst_stx_meta_add(GstBuffer *buffer, const GstMetaInfo *info)
{
  return gst_buffer_add_meta(buffer, info, NULL);
}

gboolean gst_stx_meta_is_whole_copy(GQuark type, gpointer data)
{
  return GST_META_TRANSFORM_IS_COPY(type) && !((GstMetaTransformCopy *)data)->region;
}

gboolean gst_stx_fail(GError **error, const gchar *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  if (error != NULL)
    *error = g_error_new_valist(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, format, arguments);
  va_end(arguments);
  return FALSE;
}
