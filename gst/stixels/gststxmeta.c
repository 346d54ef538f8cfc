/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/gststxmeta.h"

#include <gst/video/gstvideometa.h>

/* A transform that leaves every pixel where it was, relative to the frame's size. */
static gboolean is_whole_copy(GQuark type, gpointer data)
{
  return GST_META_TRANSFORM_IS_COPY(type) && !((GstMetaTransformCopy *)data)->region;
}

/* ---- Stixels ------------------------------------------------------------------------------ */

GType gst_stx_stixel_meta_api_get_type(void)
{
  static gsize type = 0;
  static const gchar *tags[] = {NULL};

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, gst_meta_api_type_register("GstStxStixelMetaAPI", tags));
  return type;
}

static gboolean stixel_meta_init(GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  GstStxStixelMeta *self = (GstStxStixelMeta *)meta;

  self->stixels = NULL;
  self->info = (GstStxStixelInfo){0};
  return TRUE;
}

static void stixel_meta_free(GstMeta *meta, GstBuffer *buffer)
{
  gst_clear_buffer(&((GstStxStixelMeta *)meta)->stixels);
}

static gboolean stixel_meta_transform(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data)
{
  const GstStxStixelMeta *self = (const GstStxStixelMeta *)meta;

  if (!is_whole_copy(type, data) && !GST_VIDEO_META_TRANSFORM_IS_SCALE(type))
    return FALSE;
  return gst_buffer_add_stx_stixel_meta(target, self->stixels, &self->info) != NULL;
}

const GstMetaInfo *gst_stx_stixel_meta_get_info(void)
{
  static const GstMetaInfo *info = NULL;

  if (g_once_init_enter(&info))
    g_once_init_leave(&info,
        gst_meta_register(gst_stx_stixel_meta_api_get_type(), "GstStxStixelMeta",
            sizeof(GstStxStixelMeta), stixel_meta_init, stixel_meta_free, stixel_meta_transform));
  return info;
}

GstStxStixelMeta *gst_buffer_add_stx_stixel_meta(
    GstBuffer *frame, GstBuffer *stixels, const GstStxStixelInfo *info)
{
  GstStxStixelMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(frame) && gst_buffer_is_writable(frame), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(stixels), NULL);
  g_return_val_if_fail(info != NULL, NULL);

  meta = (GstStxStixelMeta *)gst_buffer_add_meta(frame, gst_stx_stixel_meta_get_info(), NULL);
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

/* ---- Confidence --------------------------------------------------------------------------- */

static gboolean is_confidence(GstBuffer *confidence, guint width, guint height)
{
  return gst_buffer_get_size(confidence) == (gsize)width * height;
}

GType gst_stx_confidence_meta_api_get_type(void)
{
  static gsize type = 0;
  static const gchar *tags[] = {NULL};

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, gst_meta_api_type_register("GstStxConfidenceMetaAPI", tags));
  return type;
}

static gboolean confidence_meta_init(GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  GstStxConfidenceMeta *self = (GstStxConfidenceMeta *)meta;

  self->confidence = NULL;
  self->width = self->height = 0;
  return TRUE;
}

static void confidence_meta_free(GstMeta *meta, GstBuffer *buffer)
{
  gst_clear_buffer(&((GstStxConfidenceMeta *)meta)->confidence);
}

static gboolean confidence_meta_transform(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data)
{
  const GstStxConfidenceMeta *self = (const GstStxConfidenceMeta *)meta;

  return is_whole_copy(type, data) && is_confidence(self->confidence, self->width, self->height) &&
         gst_buffer_add_stx_confidence_meta(target, self->confidence, self->width, self->height) !=
             NULL;
}

const GstMetaInfo *gst_stx_confidence_meta_get_info(void)
{
  static const GstMetaInfo *info = NULL;

  if (g_once_init_enter(&info))
    g_once_init_leave(
        &info, gst_meta_register(gst_stx_confidence_meta_api_get_type(), "GstStxConfidenceMeta",
                   sizeof(GstStxConfidenceMeta), confidence_meta_init, confidence_meta_free,
                   confidence_meta_transform));
  return info;
}

GstStxConfidenceMeta *gst_buffer_add_stx_confidence_meta(
    GstBuffer *frame, GstBuffer *confidence, guint width, guint height)
{
  GstStxConfidenceMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(frame) && gst_buffer_is_writable(frame), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(confidence), NULL);
  g_return_val_if_fail(is_confidence(confidence, width, height), NULL);

  meta =
      (GstStxConfidenceMeta *)gst_buffer_add_meta(frame, gst_stx_confidence_meta_get_info(), NULL);
  meta->confidence = gst_buffer_ref(confidence);
  meta->width = width;
  meta->height = height;
  return meta;
}

GstStxConfidenceMeta *gst_buffer_get_stx_confidence_meta(GstBuffer *frame)
{
  return (GstStxConfidenceMeta *)gst_buffer_get_meta(frame, gst_stx_confidence_meta_api_get_type());
}

/* ---- Point labels ------------------------------------------------------------------------- */

static gboolean are_labels_of(GstBuffer *labels, GstBuffer *scan)
{
  return gst_buffer_get_size(labels) * 4 == gst_buffer_get_size(scan);
}

GType gst_stx_point_labels_meta_api_get_type(void)
{
  static gsize type = 0;
  static const gchar *tags[] = {NULL};

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, gst_meta_api_type_register("GstStxPointLabelsMetaAPI", tags));
  return type;
}

static gboolean point_labels_meta_init(GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  ((GstStxPointLabelsMeta *)meta)->labels = NULL;
  return TRUE;
}

static void point_labels_meta_free(GstMeta *meta, GstBuffer *buffer)
{
  gst_clear_buffer(&((GstStxPointLabelsMeta *)meta)->labels);
}

static gboolean point_labels_meta_transform(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data)
{
  const GstStxPointLabelsMeta *self = (const GstStxPointLabelsMeta *)meta;

  /* A picture made of the scan is no scan, and a scan that was cut has lost its labels. */
  return is_whole_copy(type, data) && gst_buffer_get_size(target) == gst_buffer_get_size(source) &&
         are_labels_of(self->labels, target) &&
         gst_buffer_add_stx_point_labels_meta(target, self->labels) != NULL;
}

const GstMetaInfo *gst_stx_point_labels_meta_get_info(void)
{
  static const GstMetaInfo *info = NULL;

  if (g_once_init_enter(&info))
    g_once_init_leave(
        &info, gst_meta_register(gst_stx_point_labels_meta_api_get_type(), "GstStxPointLabelsMeta",
                   sizeof(GstStxPointLabelsMeta), point_labels_meta_init, point_labels_meta_free,
                   point_labels_meta_transform));
  return info;
}

GstStxPointLabelsMeta *gst_buffer_add_stx_point_labels_meta(GstBuffer *scan, GstBuffer *labels)
{
  GstStxPointLabelsMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(scan) && gst_buffer_is_writable(scan), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(labels), NULL);
  g_return_val_if_fail(are_labels_of(labels, scan), NULL);

  meta = (GstStxPointLabelsMeta *)gst_buffer_add_meta(
      scan, gst_stx_point_labels_meta_get_info(), NULL);
  meta->labels = gst_buffer_ref(labels);
  return meta;
}

GstStxPointLabelsMeta *gst_buffer_get_stx_point_labels_meta(GstBuffer *scan)
{
  return (GstStxPointLabelsMeta *)gst_buffer_get_meta(
      scan, gst_stx_point_labels_meta_api_get_type());
}
