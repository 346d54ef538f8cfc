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

const GstStxMetaKind *gst_stx_meta_kind(const GstMetaInfo *info)
{
  return g_type_get_qdata(info->api, kind_quark());
}

static void clear(GstMeta *meta, GstBuffer *buffer)
{
  const GstStxMetaKind *kind = gst_stx_meta_kind(meta->info);
  GstBuffer **held = (GstBuffer **)(meta + 1);

  for (guint i = 0; i < kind->buffers; i++)
    gst_clear_buffer(&held[i]);
}

/* Before GStreamer 1.24 metas end at the border of a process. */
static const GstMetaInfo *register_info(GType api, const GstStxMetaKind *kind)
{
#if GST_CHECK_VERSION(1, 24, 0)
  GstMetaInfo *info = (GstMetaInfo *)gst_meta_info_new(api, kind->name, kind->size);

  info->init_func = init;
  info->free_func = clear;
  info->transform_func = kind->transform;
  info->serialize_func = gst_stx_meta_serialize;
  info->deserialize_func = gst_stx_meta_deserialize;
  return gst_meta_info_register(info);
#else
  return gst_meta_register(api, kind->name, kind->size, init, clear, kind->transform);
#endif
}

const GstMetaInfo *gst_stx_meta_info(gsize *once, GType api, const GstStxMetaKind *kind)
{
  if (g_once_init_enter(once))
    g_once_init_leave(once, (gsize)register_info(api, kind));
  return (const GstMetaInfo *)*once;
}

gpointer gst_stx_meta_add(GstBuffer *buffer, const GstMetaInfo *info)
{
  return gst_buffer_add_meta(buffer, info, NULL);
}

/* unixfdsrc reads metas before it appends the memory whose size they have to fit: what reads them
 * has to look. */
static gboolean fits(const GstMeta *meta, GstBuffer *carrier)
{
  const GstStxMetaKind *kind = gst_stx_meta_kind(meta->info);
  GstBuffer *const *held = (GstBuffer *const *)(meta + 1);
  const guint *sides = (gconstpointer)((const gchar *)meta + kind->area);

  for (guint i = 0; i < kind->buffers; i++)
    if (kind->records[i] > 0 && !gst_stx_meta_is_whole(held[i], kind->records[i]))
      return FALSE;
  if (kind->share > 0 && gst_buffer_n_memory(carrier) > 0 &&
      gst_buffer_get_size(held[0]) * kind->share != gst_buffer_get_size(carrier))
    return FALSE;
  return kind->area == 0 || gst_buffer_get_size(held[0]) == (gsize)sides[0] * sides[1];
}

gpointer gst_stx_meta_copy(GstBuffer *target, const GstMeta *meta)
{
  const GstStxMetaKind *kind = gst_stx_meta_kind(meta->info);
  GstMeta *copy;
  GstBuffer **held;

  if (!fits(meta, target))
    return NULL;
  copy = gst_stx_meta_add(target, meta->info);
  memcpy(copy + 1, meta + 1, kind->size - sizeof *meta);
  held = (GstBuffer **)(copy + 1);
  for (guint i = 0; i < kind->buffers; i++)
    if (held[i] != NULL)
      gst_buffer_ref(held[i]);
  return copy;
}

gboolean gst_stx_meta_keep(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data)
{
  return gst_stx_meta_copy(target, meta) != NULL;
}

gboolean gst_stx_meta_keep_on_scan(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data)
{
  return gst_stx_meta_is_whole_copy(type, data) &&
         gst_buffer_get_size(target) == gst_buffer_get_size(source) &&
         gst_stx_meta_copy(target, meta) != NULL;
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
