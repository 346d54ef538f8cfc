/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/lidar/typefind.h"

#include "common/lidar_file/lidar_file.h"
#include "gst/stixels/mediatypes.h"

#define LEAST 32 /* bytes: no header is shorter */

/* A source that does not know its length gives what it has. */
static void find_points(GstTypeFind *find, gpointer data)
{
  guint64 length = gst_type_find_get_length(find);
  guint size = STX_LIDAR_HEADER_SIZE;
  const guint8 *bytes = NULL;

  if (length > 0 && length < size)
    size = (guint)length;
  while ((bytes = gst_type_find_peek(find, 0, size)) == NULL && size > LEAST)
    size /= 2;
  if (bytes != NULL && stx_lidar_format_info(STX_LIDAR_PCD)->recognizes(bytes, size))
    gst_type_find_suggest_empty_simple(find, GST_TYPE_FIND_MAXIMUM, GST_STX_PCD_MEDIA_TYPE);
}

gboolean gst_stx_type_find_register(GstPlugin *plugin)
{
  static GstStaticCaps caps = GST_STATIC_CAPS(GST_STX_PCD_MEDIA_TYPE);
  g_autoptr(GstCaps) found = gst_static_caps_get(&caps);

  return gst_type_find_register(
      plugin, GST_STX_PCD_MEDIA_TYPE, GST_RANK_SECONDARY, find_points, "pcd", found, NULL, NULL);
}
