/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by all metas of the library: they hold references on buffers, begin as zeros, and are
 * registered once. */
#ifndef GST_STX_META_PRIVATE_H
#define GST_STX_META_PRIVATE_H

#include <gst/gst.h>

typedef struct {
  const gchar *api, *name;
  const gchar **tags; /* NULL: none */
  gsize size;         /* of the struct */
  guint buffers;      /* behind GstMeta stand so many pointers to buffers, which may be NULL */
  GstMetaTransformFunction transform;
} GstStxMetaKind;

/* Results of …_api_get_type () and …_get_info (); `once` is their static, 0 at first. */
GType gst_stx_meta_api(gsize *once, const GstStxMetaKind *kind);
const GstMetaInfo *gst_stx_meta_info(gsize *once, GType api, const GstStxMetaKind *kind);

/* A new meta on the buffer; all behind GstMeta is zeros. */
gpointer gst_stx_meta_add(GstBuffer *buffer, const GstMetaInfo *info);

/* A transform that leaves every byte of the buffer where it was. */
gboolean gst_stx_meta_is_whole_copy(GQuark type, gpointer data);

/* Always FALSE: why something is not possible. */
gboolean gst_stx_fail(GError **error, const gchar *format, ...) G_GNUC_PRINTF(2, 3);

#endif
