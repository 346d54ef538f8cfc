/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by all metas of the library: they hold references on buffers, begin as zeros, are
 * registered once, and are written as bytes and read again by one codec, from a table each. */
#pragma once

#include <gst/gst.h>

/* `count` numbers of 4 or 8 bytes each at `offset` of the struct. */
typedef struct {
  guint16 offset;
  guint8 bytes, count;
} GstStxMetaField;

/* The members from `first` to `last`: all are numbers of so many bytes, without gaps. */
#define GST_STX_META_RUN(Type, first, last, bytes)                                                 \
  {                                                                                                \
    offsetof(Type, first), bytes,                                                                  \
        (offsetof(Type, last) - offsetof(Type, first) + sizeof(((Type *)0)->last)) / bytes         \
  }

typedef struct {
  const gchar *api, *name;
  const gchar **tags; /* NULL: none */
  gsize size;         /* of the struct */
  guint buffers;      /* behind GstMeta stand so many pointers to buffers */
  guint optional;     /* bit i: buffer i may be NULL */
  gsize records[2];   /* bytes of a record of each buffer, which holds whole ones; 0: any length */
  guint share;        /* the carrier is so many times as long as the buffer; 0: of any length */
  guint area; /* offset of the width and height that buffer 0 has a byte for each of; or 0 */
  GstMetaTransformFunction transform;
  /* Are the numbers of a deserialized meta possible? NULL: all are. */
  gboolean (*is_sound)(gconstpointer meta);
  const GstStxMetaField *fields; /* what is written, in this order; a count of 0 ends them */
} GstStxMetaKind;
#define GST_STX_META_NAMES(Type) .api = #Type "API", .name = #Type

/* Results of …_api_get_type () and …_get_info (); `once` is their static, 0 at first. */
GType gst_stx_meta_api(gsize *once, const GstStxMetaKind *kind);
const GstMetaInfo *gst_stx_meta_info(gsize *once, GType api, const GstStxMetaKind *kind);

/* The functions of a type of metas, of which `kind` is the GstStxMetaKind. */
#define GST_STX_DEFINE_META(Name, name)                                                            \
  GType gst_stx_##name##_meta_api_get_type(void)                                                   \
  {                                                                                                \
    static gsize type = 0;                                                                         \
                                                                                                   \
    return gst_stx_meta_api(&type, &kind);                                                         \
  }                                                                                                \
                                                                                                   \
  const GstMetaInfo *gst_stx_##name##_meta_get_info(void)                                          \
  {                                                                                                \
    static gsize info = 0;                                                                         \
                                                                                                   \
    return gst_stx_meta_info(&info, gst_stx_##name##_meta_api_get_type(), &kind);                  \
  }                                                                                                \
                                                                                                   \
  GstStx##Name##Meta *gst_buffer_get_stx_##name##_meta(GstBuffer *buffer)                          \
  {                                                                                                \
    return (GstStx##Name##Meta *)gst_buffer_get_meta(                                              \
        buffer, gst_stx_##name##_meta_api_get_type());                                             \
  }

/* Returns the kind of a meta of this library; `info` must be of one. */
const GstStxMetaKind *gst_stx_meta_kind(const GstMetaInfo *info);

#if GST_CHECK_VERSION(1, 24, 0)
gboolean gst_stx_meta_serialize(const GstMeta *meta, GstByteArrayInterface *data, guint8 *version);
GstMeta *gst_stx_meta_deserialize(
    const GstMetaInfo *info, GstBuffer *buffer, const guint8 *data, gsize size, guint8 version);
#endif

/* A new meta on the buffer; all behind GstMeta is zeros. */
gpointer gst_stx_meta_add(GstBuffer *buffer, const GstMetaInfo *info);

/* The same meta on another buffer. NULL: its buffers do not fit there, or no more, since their
 * owner resized one. */
gpointer gst_stx_meta_copy(GstBuffer *target, const GstMeta *meta);

/* A transform of metas that stay true, whatever is done to their buffer. */
gboolean gst_stx_meta_keep(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data);

/* A transform of metas of a scan: a part of a scan, or a picture of it, is none. */
gboolean gst_stx_meta_keep_on_scan(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data);

/* Does a buffer hold whole records of this size? NULL is none. */
static inline gboolean gst_stx_meta_is_whole(GstBuffer *buffer, gsize record)
{
  return buffer == NULL || gst_buffer_get_size(buffer) % record == 0;
}

/* A transform that leaves every byte of the buffer where it was. */
gboolean gst_stx_meta_is_whole_copy(GQuark type, gpointer data);

/* Always FALSE: why something is not possible. */
gboolean gst_stx_fail(GError **error, const gchar *format, ...) G_GNUC_PRINTF(2, 3);
