/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/columns/attached.h"

#if GST_STX_HAVE_TENSORS
#include <gst/analytics/analytics.h>
#include <string.h>

#include "common/labels.h"
#include "gst/core/frames.h"

/* ---- Scores -------------------------------------------------------------------------------- */

static gboolean score_type(GstTensorDataType type, StxSemantics *kind)
{
  switch (type) {
  case GST_TENSOR_DATA_TYPE_UINT8:
    *kind = STX_SEMANTICS_SCORES_U8;
    return TRUE;
  case GST_TENSOR_DATA_TYPE_INT8:
    *kind = STX_SEMANTICS_SCORES_I8;
    return TRUE;
  case GST_TENSOR_DATA_TYPE_FLOAT16:
    *kind = STX_SEMANTICS_SCORES_F16;
    return TRUE;
  case GST_TENSOR_DATA_TYPE_FLOAT32:
    *kind = STX_SEMANTICS_SCORES_F32;
    return TRUE;
  default:
    return FALSE;
  }
}

/* Innermost first; what follows three sides is 1. */
static gboolean score_dimensions(const GstTensor *tensor, int dimensions[3])
{
  gboolean rows_first = tensor->dims_order == GST_TENSOR_DIM_ORDER_ROW_MAJOR;

  dimensions[0] = dimensions[1] = dimensions[2] = 1;
  for (gsize i = 0; i < tensor->num_dims; i++) {
    gsize side = tensor->dims[rows_first ? tensor->num_dims - 1 - i : i];

    if (side < 1 || side > (i < 3 ? G_MAXINT : 1))
      return FALSE;
    if (i < 3)
      dimensions[i] = (int)side;
  }
  return tensor->num_dims >= 3;
}

static gboolean is_scores(
    const GstTensor *tensor, int width, int height, GstStxSemantics *semantics, StxError *error)
{
  g_autoptr(GString) shape = g_string_new(NULL);
  StxColmeanInput layout;
  int classes;

  if (tensor->data != NULL && score_type(tensor->data_type, &semantics->kind) &&
      score_dimensions(tensor, semantics->dimensions))
    return gst_stx_semantics_layout(semantics, width, height, &classes, &layout, error);
  for (gsize i = 0; i < tensor->num_dims; i++)
    g_string_append_printf(shape, "%s%" G_GSIZE_FORMAT, i > 0 ? "x" : "", tensor->dims[i]);
  return stx_fail(error,
      "semantics: a tensor %s of type %d (GstTensorDataType), must be uint8, int8, float16 or "
      "float32, 1 x classes x height x width or 1 x height x width x classes",
      shape->str, (gint)tensor->data_type);
}

/* In any of the picture's metas: each network attaches one. FALSE: none of the tensors is; `error`
 * says why not of the first. */
static gboolean find_scores(GstBuffer *picture, int width, int height, GstStxSemantics *semantics,
    GstBuffer **data, StxError *error)
{
  const GstTensorMeta *meta;
  gpointer state = NULL;
  StxError other;
  gsize count = 0;

  while ((meta = (const GstTensorMeta *)gst_buffer_iterate_meta_filtered(
              picture, &state, GST_TENSOR_META_API_TYPE)) != NULL)
    for (gsize i = 0; i < meta->num_tensors; i++)
      if (is_scores(meta->tensors[i], width, height, semantics, count++ == 0 ? error : &other)) {
        *data = gst_buffer_ref(meta->tensors[i]->data);
        return TRUE;
      }
  if (count == 0)
    stx_fail(error, "semantics: a picture with 0 tensors");
  return FALSE;
}

/* ---- Segmentations ------------------------------------------------------------------------- */

/* A mask that is drawn, its place, and how much of it there was. */
typedef struct {
  GstStxSemantics *semantics; /* labels, of the disparity's size */
  const uint8_t *ids;
  StxImage8 labels;
  guint drawn;
  const gchar *unknown; /* a class that is none of ours */
} Drawing;

/* FALSE: a related classification names regions, and knows none of the classes. */
static gboolean map_regions(Drawing *drawing, GstAnalyticsSegmentationMtd *mtd, uint8_t map[256])
{
  gsize count = gst_analytics_segmentation_mtd_get_region_count(mtd);
  GstAnalyticsClsMtd names;
  gboolean known = FALSE;

  memcpy(map, drawing->ids, 256);
  if (!gst_analytics_relation_meta_get_direct_related(mtd->meta, mtd->id,
          GST_ANALYTICS_REL_TYPE_RELATE_TO, gst_analytics_cls_mtd_get_mtd_type(), NULL, &names))
    return TRUE;
  memset(map, STX_LABEL_NONE, 256);
  for (gsize i = 0; i < MIN(count, gst_analytics_cls_mtd_get_length(&names)); i++) {
    const gchar *name = g_quark_to_string(gst_analytics_cls_mtd_get_quark(&names, i));
    guint id = gst_analytics_segmentation_mtd_get_region_id(mtd, i);
    uint8_t label = name != NULL ? stx_label_named(name) : STX_LABEL_NONE;

    if (label == STX_LABEL_NONE)
      drawing->unknown = name;
    else if (id < 256)
      map[id] = label;
    known |= label != STX_LABEL_NONE;
  }
  return known;
}

static gboolean mask_info(GstBuffer *mask, GstVideoInfo *info, StxError *error)
{
  const GstVideoMeta *meta = mask != NULL ? gst_buffer_get_video_meta(mask) : NULL;

  if (meta == NULL)
    return stx_fail(error, "semantics: a segmentation without a mask");
  if (meta->format != GST_VIDEO_FORMAT_GRAY8)
    return stx_fail(error, "semantics: a segmentation's mask of format=%s, must be GRAY8",
        gst_video_format_to_string(meta->format));
  return gst_video_info_set_format(info, meta->format, meta->width, meta->height) ||
         stx_fail(
             error, "semantics: a segmentation's mask of %ux%u pixels", meta->width, meta->height);
}

/* `place` is in pixels of the picture, which the labels' image fills. */
static gboolean draw_mask(Drawing *drawing, GstBuffer *mask, const GstVideoRectangle *place,
    const uint8_t map[256], StxError *error)
{
  gdouble across = (gdouble)drawing->labels.width / drawing->semantics->attached_width;
  gdouble down = (gdouble)drawing->labels.height / drawing->semantics->attached_height;
  GstVideoInfo info;
  GstVideoFrame frame;
  StxImage8 image;

  if (!mask_info(mask, &info, error) ||
      !gst_stx_frame_map(&frame, &info, mask, GST_MAP_READ, error))
    return FALSE;
  image = gst_stx_frame_image8(&frame);
  stx_labels_draw(&image, map, place->x * across, place->y * down, place->w * across,
      place->h * down, &drawing->labels);
  gst_video_frame_unmap(&frame);
  drawing->drawn++;
  return TRUE;
}

static gboolean draw_segmentation(
    Drawing *drawing, GstAnalyticsSegmentationMtd *mtd, StxError *error)
{
  GstVideoRectangle place;
  uint8_t map[256];
  guint width, height;
  g_autoptr(GstBuffer) mask = NULL;

  if (!map_regions(drawing, mtd, map))
    return TRUE;
  mask = gst_analytics_segmentation_mtd_get_mask(mtd, &place.x, &place.y, &width, &height);
  place.w = (gint)MIN(width, G_MAXINT);
  place.h = (gint)MIN(height, G_MAXINT);
  return draw_mask(drawing, mask, &place, map, error);
}

static gboolean draw_all(Drawing *drawing, GstAnalyticsRelationMeta *relations, StxError *error)
{
  GstAnalyticsSegmentationMtd mtd;
  gpointer state = NULL;

  while (gst_analytics_relation_meta_iterate(
      relations, &state, gst_analytics_segmentation_mtd_get_mtd_type(), &mtd))
    if (!draw_segmentation(drawing, &mtd, error))
      return FALSE;
  if (drawing->drawn > 0)
    return TRUE;
  return stx_fail(error,
      "semantics: the picture's segmentations have classes as %.40s, and none of Cityscapes': "
      "road, sidewalk, building, … bicycle",
      drawing->unknown != NULL ? drawing->unknown : "(none)");
}

/* A label image of the disparity's size. */
static gboolean find_labels(GstStxSemantics *semantics, GstAnalyticsRelationMeta *relations,
    int width, int height, const uint8_t ids[256], GstBuffer **data, StxError *error)
{
  Drawing drawing = {.semantics = semantics, .ids = ids};
  GstVideoInfo *info = &semantics->video;
  g_autoptr(GstBuffer) labels = NULL;
  GstMapInfo mapped;
  gboolean drawn;

  semantics->kind = STX_SEMANTICS_LABELS;
  gst_video_info_set_format(info, GST_VIDEO_FORMAT_GRAY8, (guint)width, (guint)height);
  labels = gst_buffer_new_allocate(NULL, info->size, NULL);
  if (labels == NULL || !gst_buffer_map(labels, &mapped, GST_MAP_WRITE))
    return stx_fail(error, "semantics: no memory for %dx%d labels", width, height);
  memset(mapped.data, STX_LABEL_NONE, mapped.size);
  drawing.labels = (StxImage8){mapped.data, GST_VIDEO_INFO_PLANE_STRIDE(info, 0), width, height};
  drawn = draw_all(&drawing, relations, error);
  gst_buffer_unmap(labels, &mapped);
  if (drawn)
    *data = g_steal_pointer(&labels);
  return drawn;
}

/* ---- Either -------------------------------------------------------------------------------- */

gboolean gst_stx_attached_read(GstStxSemantics *semantics, GstBuffer *picture, int width,
    int height, const uint8_t ids[256], GstBuffer **data, StxError *error)
{
  const GstTensorMeta *tensors = gst_buffer_get_tensor_meta(picture);
  GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta(picture);
  GstAnalyticsSegmentationMtd segmentation;
  gpointer state = NULL;

  if (tensors != NULL && find_scores(picture, width, height, semantics, data, error))
    return TRUE;
  if (relations != NULL && gst_analytics_relation_meta_iterate(relations, &state,
                               gst_analytics_segmentation_mtd_get_mtd_type(), &segmentation))
    return find_labels(semantics, relations, width, height, ids, data, error);
  return tensors == NULL &&
         stx_fail(error,
             "semantics: a picture of format=%s without scores (GstTensorMeta) or segmentation "
             "(GstAnalyticsSegmentationMtd): link what attaches them, such as onnxinference, right "
             "to the pad; a label image is GRAY8",
             semantics->attached_format);
}
#else
gboolean gst_stx_attached_read(GstStxSemantics *semantics, GstBuffer *picture, int width,
    int height, const uint8_t ids[256], GstBuffer **data, StxError *error)
{
  return stx_fail(error, "semantics: this build is for GStreamer before 1.26");
}
#endif
