/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/lidar/typefind.h"

#include "common/lidar_file/lidar_file.h"

#define LEAST 32 /* bytes: no header is shorter */

/* A source that does not know its length gives what it has. */
static void find_points(GstTypeFind *find, gpointer format)
{
  const StxLidarFormatInfo *info = stx_lidar_format_info((StxLidarFormat)GPOINTER_TO_INT(format));
  guint64 length = gst_type_find_get_length(find);
  guint size = STX_LIDAR_HEADER_SIZE;
  const guint8 *bytes = NULL;

  if (length > 0 && length < size)
    size = (guint)length;
  while ((bytes = gst_type_find_peek(find, 0, size)) == NULL && size > LEAST)
    size /= 2;
  if (bytes != NULL && info->recognizes(bytes, size))
    gst_type_find_suggest_empty_simple(find, GST_TYPE_FIND_MAXIMUM, info->media_type);
}

gboolean gst_stx_type_find_register(GstPlugin *plugin)
{
  gboolean ok = TRUE;

  for (gint f = STX_LIDAR_AUTO + 1; f < STX_LIDAR_FORMAT_COUNT; f++) {
    const StxLidarFormatInfo *info = stx_lidar_format_info((StxLidarFormat)f);
    GstCaps *caps;

    if (info->recognizes == NULL)
      continue;
    caps = gst_caps_new_empty_simple(info->media_type);
    GST_MINI_OBJECT_FLAG_SET(caps, GST_MINI_OBJECT_FLAG_MAY_BE_LEAKED); /* lives as the process */
    ok &= gst_type_find_register(plugin, info->media_type, GST_RANK_SECONDARY, find_points,
        info->extension, caps, GINT_TO_POINTER(f), NULL);
    gst_caps_unref(caps);
  }
  return ok;
}

GstCaps *gst_stx_type_find_caps(void)
{
  GstCaps *caps = gst_caps_new_empty();

  for (gint f = STX_LIDAR_AUTO + 1; f < STX_LIDAR_FORMAT_COUNT; f++) {
    const char *type = stx_lidar_format_info((StxLidarFormat)f)->media_type;

    if (type != NULL)
      gst_caps_append_structure(caps, gst_structure_new_empty(type));
  }
  return caps;
}
