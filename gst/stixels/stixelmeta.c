/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/stixelmeta.h"

#include <gst/video/gstvideometa.h>

#include "gst/stixels/meta_private.h"

static gboolean transform(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data)
{
  const GstStxStixelMeta *self = (const GstStxStixelMeta *)meta;

  if (!gst_stx_meta_is_whole_copy(type, data) && !GST_VIDEO_META_TRANSFORM_IS_SCALE(type))
    return FALSE;
  return gst_buffer_add_stx_stixel_meta(target, self->stixels, &self->info) != NULL;
}

static const GstStxMetaKind kind = {
    "GstStxStixelMetaAPI", "GstStxStixelMeta", sizeof(GstStxStixelMeta), 1, transform};

GType gst_stx_stixel_meta_api_get_type(void)
{
  static gsize type = 0;

  return gst_stx_meta_api(&type, &kind);
}

const GstMetaInfo *gst_stx_stixel_meta_get_info(void)
{
  static gsize info = 0;

  return gst_stx_meta_info(&info, gst_stx_stixel_meta_api_get_type(), &kind);
}

GstStxStixelMeta *gst_buffer_add_stx_stixel_meta(
    GstBuffer *frame, GstBuffer *stixels, const GstStxStixelInfo *info)
{
  GstStxStixelMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(frame) && gst_buffer_is_writable(frame), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(stixels), NULL);
  g_return_val_if_fail(info != NULL, NULL);

  meta = gst_stx_meta_add(frame, gst_stx_stixel_meta_get_info());
  meta->stixels = gst_buffer_ref(stixels);
  meta->info = *info;
  return meta;
}

GstStxStixelMeta *gst_buffer_get_stx_stixel_meta(GstBuffer *frame)
{
  return (GstStxStixelMeta *)gst_buffer_get_meta(frame, gst_stx_stixel_meta_api_get_type());
}

gboolean gst_stx_stixel_info_get_metres(
    const GstStxStixelInfo *info, const StxStixel *stixel, StxMetres *metres)
{
  g_return_val_if_fail(info != NULL && stixel != NULL && metres != NULL, FALSE);

  return stx_metres(&info->camera, (gint)info->width, (gint)info->stixel_width, stixel, metres);
}
