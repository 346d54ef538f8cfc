/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/formats/typefind.h"

#include "common/lidar_file/lidar_file.h"
#include "gst/stixels/mediatypes.h"

#define LEAST 32 /* bytes: no header is shorter */

/* A source that does not know its length gives what it has. */
static StxLidarFormat recognize(GstTypeFind *find)
{
  guint64 length = gst_type_find_get_length(find);
  guint size = STX_LIDAR_HEADER_SIZE;
  const guint8 *bytes = NULL;

  if (length > 0 && length < size)
    size = (guint)length;
  while ((bytes = gst_type_find_peek(find, 0, size)) == NULL && size > LEAST)
    size /= 2;
  return bytes != NULL ? stx_lidar_file_recognize(bytes, size) : STX_LIDAR_AUTO;
}

typedef struct {
  StxLidarFormat format;
  GstStaticCaps caps;
} Known;

static Known pcd = {STX_LIDAR_PCD, GST_STATIC_CAPS(GST_STX_PCD_MEDIA_TYPE)};
static Known ply = {STX_LIDAR_PLY, GST_STATIC_CAPS(GST_STX_PLY_MEDIA_TYPE)};

static void find_points(GstTypeFind *find, gpointer data)
{
  Known *known = data;
  GstCaps *caps;

  if (recognize(find) != known->format)
    return;
  caps = gst_static_caps_get(&known->caps);
  gst_type_find_suggest(find, GST_TYPE_FIND_MAXIMUM, caps);
  gst_caps_unref(caps);
}

GST_TYPE_FIND_REGISTER_DEFINE(pcd, GST_STX_PCD_MEDIA_TYPE, GST_RANK_SECONDARY, find_points, "pcd",
    gst_static_caps_get(&pcd.caps), &pcd, NULL)
GST_TYPE_FIND_REGISTER_DEFINE(ply, GST_STX_PLY_MEDIA_TYPE, GST_RANK_SECONDARY, find_points, "ply",
    gst_static_caps_get(&ply.caps), &ply, NULL)
