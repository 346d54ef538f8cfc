/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/lidar/lidarmeta.h"

#include <dlfcn.h>
#include <string.h>

#include "gst/base/inputs.h"

#define NAME "LidarMeta"
#define LIBRARY "libdlstreamer_gst_meta.so"

/* The fields common to the releases 2026.0, and 2026.1 and later. Behind it are, on 64 bits, a
 * stream's number in 8 bytes and, before it, since 2026.1, a time that g3dinference fills in. */
typedef struct {
  GstMeta meta;
  guint points;
  gsize number;
  GstClockTime left_source;
} LidarMeta;

#define SIZE_2026_0 (sizeof(LidarMeta) + 8)
#define SIZE_2026_1 (sizeof(LidarMeta) + 16)

void *gst_stx_dlstreamer_function(const gchar *name)
{
  void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
  void *function = library != NULL ? dlsym(library, name) : NULL;

  if (library != NULL)
    dlclose(library); /* whoever loaded it keeps it */
  return function;
}

/* DL Streamer registers it when an element first needs it, g3dinference never does: its library,
 * if an element of it was made, is asked. */
static const GstMetaInfo *ask_library(void)
{
  const GstMetaInfo *(*get_info)(void) = NULL;

  *(void **)&get_info = gst_stx_dlstreamer_function("lidar_meta_get_info");
  return get_info != NULL ? get_info() : NULL;
}

/* NULL: there is none, or one of another release. */
static const GstMetaInfo *find_info(void)
{
  static gpointer found = NULL;
  const GstMetaInfo *info = g_atomic_pointer_get(&found);

  if (info == NULL) {
    info = gst_meta_get_info(NAME);
    if (info == NULL)
      info = ask_library();
    g_atomic_pointer_set(&found, (gpointer)info);
  }
  return info != NULL && (info->size == SIZE_2026_0 || info->size == SIZE_2026_1) ? info : NULL;
}

void gst_stx_lidar_meta_attach(GstPad *src, GstBuffer *scan, guint64 number)
{
  const GstMetaInfo *info = find_info();
  LidarMeta *meta = info != NULL ? (LidarMeta *)gst_buffer_add_meta(scan, info, NULL) : NULL;
  guint stream = 0;
  GstEvent *start;

  if (meta == NULL)
    return;
  meta->points = (guint)(gst_buffer_get_size(scan) / GST_STX_POINT_BYTES);
  meta->number = (gsize)number;
  meta->left_source = GST_BUFFER_PTS(scan);
  start = gst_pad_get_sticky_event(src, GST_EVENT_STREAM_START, 0);
  if (start != NULL)
    gst_event_parse_group_id(start, &stream);
  gst_clear_event(&start);
  memcpy((guint8 *)meta + info->size - 8, &stream, sizeof stream);
}

void gst_stx_lidar_meta_keep(GstBuffer *scan, GstBuffer *copy)
{
  const GstMetaInfo *info = find_info();
  GstMeta *from = info != NULL ? gst_buffer_get_meta(scan, info->api) : NULL;
  GstMeta *to = from != NULL ? gst_buffer_add_meta(copy, info, NULL) : NULL;

  if (to != NULL)
    memcpy(to + 1, from + 1, info->size - sizeof(GstMeta));
}
