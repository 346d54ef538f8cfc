/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/metabytes.h"

#define GST_BYTE_READER_DISABLE_INLINES /* those read unaligned numbers as aligned ones */
#include <gst/base/gstbytereader.h>
#include <string.h>

#include "gst/stixels/confidencemeta.h"
#include "gst/stixels/meta_private.h"
#include "gst/stixels/motionmeta.h"
#include "gst/stixels/obstaclesmeta.h"
#include "gst/stixels/occupancymeta.h"
#include "gst/stixels/pointlabelsmeta.h"
#include "gst/stixels/stixelmeta.h"
#include "gst/stixels/turnmeta.h"
#include "gst/stixels/velocitiesmeta.h"

#define VERSION 1        /* of all layouts */
#define HEAD (1 + 1 + 4) /* bytes before a meta: number, version, length */
#define NONE G_MAXUINT32 /* in place of the length of a buffer that is NULL */

#define GET_INFO(name) gst_stx_##name##_meta_get_info,

static const GstMetaInfo *(*const infos[])(void) = {GST_STX_METAS(GET_INFO)};

void gst_stx_metas_register(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(infos); i++)
    infos[i]();
}

/* ---- One meta ------------------------------------------------------------------------------ */

static void put_u32(GByteArray *bytes, guint32 value)
{
  value = GUINT32_TO_LE(value);
  g_byte_array_append(bytes, (const guint8 *)&value, sizeof value);
}

static void put_fields(GByteArray *bytes, const GstStxMetaField *field, const GstMeta *meta)
{
  for (; field->count > 0; field++)
    for (guint i = 0; i < field->count; i++) {
      const guint8 *at = (const guint8 *)meta + field->offset + i * field->bytes;
      guint64 value = field->bytes == 4 ? *(const guint32 *)at : *(const guint64 *)at;

      value = GUINT64_TO_LE(value); /* the low bytes of a short one are its own */
      g_byte_array_append(bytes, (const guint8 *)&value, field->bytes);
    }
}

static gboolean put_buffer(GByteArray *bytes, GstBuffer *buffer)
{
  gsize size = buffer != NULL ? gst_buffer_get_size(buffer) : 0;
  guint begin = bytes->len;

  put_u32(bytes, buffer != NULL ? (guint32)size : NONE);
  if (size > G_MAXINT32 - begin - sizeof(guint32))
    return FALSE;
  g_byte_array_set_size(bytes, begin + (guint)(sizeof(guint32) + size));
  return size == 0 ||
         gst_buffer_extract(buffer, 0, bytes->data + begin + sizeof(guint32), size) == size;
}

static gboolean put_meta(GByteArray *bytes, const GstMeta *meta)
{
  const GstStxMetaKind *kind = gst_stx_meta_kind(meta->info);
  GstBuffer *const *held = (GstBuffer *const *)(meta + 1);

  put_fields(bytes, kind->fields, meta);
  for (guint i = 0; i < kind->buffers; i++)
    if (!put_buffer(bytes, held[i]))
      return FALSE;
  return TRUE;
}

static gboolean take_fields(GstByteReader *reader, const GstStxMetaField *field, GstMeta *meta)
{
  gboolean whole = TRUE;

  for (; field->count > 0; field++)
    for (guint i = 0; i < field->count; i++) {
      gpointer to = (guint8 *)meta + field->offset + i * field->bytes;

      whole = whole && (field->bytes == 4 ? gst_byte_reader_get_uint32_le(reader, to)
                                          : gst_byte_reader_get_uint64_le(reader, to));
    }
  return whole;
}

static gboolean take_buffer(GstByteReader *reader, gboolean optional, GstBuffer **buffer)
{
  const guint8 *from;
  guint32 size;

  if (!gst_byte_reader_get_uint32_le(reader, &size))
    return FALSE;
  if (size == NONE)
    return optional;
  if (!gst_byte_reader_get_data(reader, size, &from))
    return FALSE;
  *buffer = size > 0 ? gst_buffer_new_memdup(from, size) : gst_buffer_new();
  return TRUE;
}

/* NULL: the bytes are none of this meta, or of one of another buffer. */
static GstMeta *take_meta(const GstMetaInfo *info, GstBuffer *carrier, GstByteReader reader)
{
  const GstStxMetaKind *kind = gst_stx_meta_kind(info);
  GstMeta *draft = g_malloc0(info->size), *meta = NULL;
  GstBuffer **held = (GstBuffer **)(draft + 1);
  gboolean whole = take_fields(&reader, kind->fields, draft);

  draft->info = info;
  for (guint i = 0; i < kind->buffers && whole; i++)
    whole = take_buffer(&reader, kind->optional >> i & 1, &held[i]);
  if (whole && gst_byte_reader_get_remaining(&reader) == 0 &&
      (kind->is_sound == NULL || kind->is_sound(draft)))
    meta = gst_stx_meta_copy(carrier, draft);
  for (guint i = 0; i < kind->buffers; i++)
    gst_clear_buffer(&held[i]);
  g_free(draft);
  return meta;
}

static gboolean is_known(const gchar *name, guint8 version)
{
  static gint told = 0;

  if (name != NULL && version == VERSION)
    return TRUE;
  if (g_atomic_int_compare_and_exchange(&told, 0, 1))
    GST_WARNING("metas are left out: %s of version %u, this is version %d; update gst-stixels",
        name != NULL ? name : "one of a new kind", version, VERSION);
  return FALSE;
}

#if GST_CHECK_VERSION(1, 24, 0)
gboolean gst_stx_meta_serialize(const GstMeta *meta, GstByteArrayInterface *data, guint8 *version)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();

  *version = VERSION;
  return put_meta(bytes, meta) &&
         gst_byte_array_interface_append_data(data, bytes->data, bytes->len);
}

GstMeta *gst_stx_meta_deserialize(
    const GstMetaInfo *info, GstBuffer *buffer, const guint8 *data, gsize size, guint8 version)
{
  const GstByteReader reader = GST_BYTE_READER_INIT(data, (guint)MIN(size, G_MAXUINT));

  return is_known(g_type_name(info->type), version) ? take_meta(info, buffer, reader) : NULL;
}
#endif

/* ---- All of a buffer ----------------------------------------------------------------------- */

GBytes *gst_stx_metas_to_bytes(GstBuffer *buffer)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();

  g_return_val_if_fail(GST_IS_BUFFER(buffer), NULL);

  for (guint i = 0; i < G_N_ELEMENTS(infos); i++) {
    const GstMeta *meta = gst_buffer_get_meta(buffer, infos[i]()->api);
    const guint8 head[2] = {(guint8)(i + 1), VERSION};
    guint begin = bytes->len;
    guint32 size;

    if (meta == NULL)
      continue;
    g_byte_array_append(bytes, head, sizeof head);
    put_u32(bytes, 0);
    if (!put_meta(bytes, meta))
      return NULL;
    size = GUINT32_TO_LE(bytes->len - begin - HEAD);
    memcpy(bytes->data + begin + 2, &size, sizeof size);
  }
  return bytes->len > 0 ? g_byte_array_free_to_bytes(g_steal_pointer(&bytes)) : NULL;
}

/* The next meta; NULL in it for one that is left out. */
static gboolean take_next(
    GstByteReader *reader, GstBuffer *buffer, GstMeta *added[G_N_ELEMENTS(infos)], GError **error)
{
  const GstMetaInfo *info = NULL;
  const gchar *name = NULL;
  guint8 number, version;
  guint32 size;
  GstByteReader meta;

  if (!gst_byte_reader_get_uint8(reader, &number) || !gst_byte_reader_get_uint8(reader, &version) ||
      !gst_byte_reader_get_uint32_le(reader, &size) ||
      !gst_byte_reader_get_sub_reader(reader, &meta, size))
    return gst_stx_fail(error, "the bytes of metas are cut");
  if (number - 1u < G_N_ELEMENTS(infos)) {
    info = infos[number - 1]();
    name = g_type_name(info->type);
  }
  if (!is_known(name, version))
    return TRUE;
  if (added[number - 1] != NULL)
    return gst_stx_fail(error, "the bytes of metas hold two %s", name);
  added[number - 1] = take_meta(info, buffer, meta);
  return added[number - 1] != NULL ||
         gst_stx_fail(error, "%u bytes are no %s of this buffer", size, name);
}

gboolean gst_stx_metas_from_bytes(GstBuffer *buffer, GBytes *bytes, GError **error)
{
  GstMeta *added[G_N_ELEMENTS(infos)] = {NULL};
  gboolean good = TRUE;
  GstByteReader reader;
  const guint8 *data;
  gsize size;

  g_return_val_if_fail(GST_IS_BUFFER(buffer) && gst_buffer_is_writable(buffer), FALSE);
  g_return_val_if_fail(bytes != NULL, FALSE);

  data = g_bytes_get_data(bytes, &size);
  gst_byte_reader_init(&reader, data, (guint)MIN(size, G_MAXUINT));
  while (good && gst_byte_reader_get_remaining(&reader) > 0)
    good = take_next(&reader, buffer, added, error);
  for (guint i = 0; i < G_N_ELEMENTS(infos) && !good; i++)
    if (added[i] != NULL)
      gst_buffer_remove_meta(buffer, added[i]);
  return good;
}
