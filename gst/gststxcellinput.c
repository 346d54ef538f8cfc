/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxcellinput.h"

#include "gst/gststxmeta.h"
#include "gst/gststxutil.h"

/* ---- Caps ---------------------------------------------------------------------------------- */

static gboolean parse_disparity(GstStxCellCaps *self, const GstCaps *caps, StxError *error)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);

  if (!gst_video_info_from_caps(&self->disparity, caps))
    return stx_fail(error, "disparity: expected video/x-raw,format=GRAY16_LE with a size, not %s",
        gst_structure_get_name(structure));
  if (GST_VIDEO_INFO_FORMAT(&self->disparity) != GST_VIDEO_FORMAT_GRAY16_LE)
    return stx_fail(error,
        "disparity: format=%s, must be GRAY16_LE holding 1/256 pixel. To read KITTI's PNG files: "
        "pngdec ! video/x-raw,format=GRAY16_BE ! videoconvert ! video/x-raw,format=GRAY16_LE",
        GST_VIDEO_INFO_NAME(&self->disparity));
  return TRUE;
}

static gboolean parse_confidence(GstStxCellCaps *self, const GstCaps *caps, StxError *error)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);

  if (!gst_video_info_from_caps(&self->confidence, caps))
    return stx_fail(error, "confidence: expected video/x-raw,format=GRAY8 with a size, not %s",
        gst_structure_get_name(structure));
  if (GST_VIDEO_INFO_FORMAT(&self->confidence) != GST_VIDEO_FORMAT_GRAY8)
    return stx_fail(error,
        "confidence: format=%s, must be GRAY8, 255 certain. If this is the disparity, link it to "
        "the "
        "pad sink, in GRAY16_LE",
        GST_VIDEO_INFO_NAME(&self->confidence));
  return TRUE;
}

gboolean gst_stx_cell_caps_set(
    GstStxCellCaps *self, guint role, const GstCaps *caps, StxError *error)
{
  if (role == GST_STX_CELL_DISPARITY)
    return parse_disparity(self, caps, error);
  if (role == GST_STX_CELL_CONFIDENCE)
    return parse_confidence(self, caps, error);
  return gst_stx_semantics_from_caps(&self->semantics, caps, error);
}

static gboolean is_same_size(const GstVideoInfo *a, const GstVideoInfo *b)
{
  return GST_VIDEO_INFO_WIDTH(a) == GST_VIDEO_INFO_WIDTH(b) &&
         GST_VIDEO_INFO_HEIGHT(a) == GST_VIDEO_INFO_HEIGHT(b);
}

gboolean gst_stx_cell_caps_layout(const GstStxCellCaps *self, guint roles, StxColmeanParams *params,
    StxColmeanInput *layout, StxError *error)
{
  int width = GST_VIDEO_INFO_WIDTH(&self->disparity);
  int height = GST_VIDEO_INFO_HEIGHT(&self->disparity);

  if (roles & 1u << GST_STX_CELL_CONFIDENCE && !is_same_size(&self->confidence, &self->disparity))
    return stx_fail(error, "confidence: an image of %dx%d, but the disparity has %dx%d",
        GST_VIDEO_INFO_WIDTH(&self->confidence), GST_VIDEO_INFO_HEIGHT(&self->confidence), width,
        height);
  params->grid.width = width;
  params->grid.height = height;
  params->grid.classes = 0;
  params->semantics = STX_SEMANTICS_NONE;
  if (!(roles & 1u << GST_STX_CELL_SEMANTICS))
    return TRUE;
  params->semantics = self->semantics.kind;
  return gst_stx_semantics_layout(
      &self->semantics, width, height, &params->grid.classes, layout, error);
}

/* ---- Buffers ------------------------------------------------------------------------------- */

/* Maps a picture. FALSE when the buffer is smaller than its caps say, or contradicts them. */
static gboolean map_picture(GstBuffer *buffer, const GstVideoInfo *info, GstVideoFrame *frame)
{
  GstVideoFrame mapped;

  if (!gst_video_frame_map(&mapped, (GstVideoInfo *)info, buffer, GST_MAP_READ))
    return FALSE;
  *frame = mapped;
  return GST_VIDEO_FRAME_FORMAT(frame) == GST_VIDEO_INFO_FORMAT(info) &&
         GST_VIDEO_FRAME_WIDTH(frame) == GST_VIDEO_INFO_WIDTH(info) &&
         GST_VIDEO_FRAME_HEIGHT(frame) == GST_VIDEO_INFO_HEIGHT(info);
}

gboolean gst_stx_cell_meta_fits(
    const GstStxCellCaps *self, const GstStxConfidenceMeta *meta, StxError *error)
{
  int width = GST_VIDEO_INFO_WIDTH(&self->disparity);
  int height = GST_VIDEO_INFO_HEIGHT(&self->disparity);

  return (meta->width == (guint)width && meta->height == (guint)height) ||
         stx_fail(error, "the confidence meta has %ux%u, but the disparity %dx%d", meta->width,
             meta->height, width, height);
}

static gboolean map_meta(const GstStxCellCaps *self, GstStxConfidenceMeta *meta, GstStxCellMap *map,
    StxColmeanInput *input, StxError *error)
{
  if (!gst_stx_cell_meta_fits(self, meta, error))
    return FALSE;
  if (!gst_buffer_map(meta->confidence, &map->meta, GST_MAP_READ) ||
      map->meta.size < (gsize)meta->width * meta->height)
    return stx_fail(error, "the confidence meta has no %ux%u bytes", meta->width, meta->height);
  input->confidence = (StxImage8){map->meta.data, meta->width, (int)meta->width, (int)meta->height};
  return TRUE;
}

static gboolean fail_size(
    const gchar *what, GstBuffer *buffer, const GstVideoInfo *info, StxError *error)
{
  return stx_fail(error,
      "%s: a buffer of %" G_GSIZE_FORMAT " bytes does not fit its caps: %dx%d in %s needs "
      "%" G_GSIZE_FORMAT,
      what, gst_buffer_get_size(buffer), GST_VIDEO_INFO_WIDTH(info), GST_VIDEO_INFO_HEIGHT(info),
      GST_VIDEO_INFO_NAME(info), GST_VIDEO_INFO_SIZE(info));
}

static gboolean map_confidence(const GstStxCellCaps *self, GstBuffer **set, GstStxCellMap *map,
    StxColmeanInput *input, StxError *error)
{
  GstStxConfidenceMeta *meta;

  if (set[GST_STX_CELL_CONFIDENCE] == NULL) {
    meta = gst_buffer_get_stx_confidence_meta(set[GST_STX_CELL_DISPARITY]);
    return meta == NULL || map_meta(self, meta, map, input, error);
  }
  if (!map_picture(
          set[GST_STX_CELL_CONFIDENCE], &self->confidence, &map->frame[GST_STX_CELL_CONFIDENCE]))
    return fail_size("confidence", set[GST_STX_CELL_CONFIDENCE], &self->confidence, error);
  input->confidence = gst_stx_frame_image8(&map->frame[GST_STX_CELL_CONFIDENCE]);
  return TRUE;
}

static gboolean map_scores(const GstStxCellCaps *self, GstBuffer *buffer, GstStxCellMap *map,
    StxColmeanInput *input, StxError *error)
{
  gsize bytes = gst_stx_semantics_score_bytes(&self->semantics);

  if (gst_buffer_get_size(buffer) < bytes)
    return stx_fail(error,
        "semantics: a buffer of %" G_GSIZE_FORMAT " bytes, but its caps make %" G_GSIZE_FORMAT,
        gst_buffer_get_size(buffer), bytes);
  if (!gst_buffer_map(buffer, &map->scores, GST_MAP_READ))
    return stx_fail(error, "semantics: cannot read a buffer's memory");
  input->scores = map->scores.data;
  return TRUE;
}

static gboolean map_semantics(const GstStxCellCaps *self, GstBuffer *buffer, GstStxCellMap *map,
    StxColmeanInput *input, StxError *error)
{
  if (buffer == NULL)
    return TRUE;
  if (self->semantics.kind != STX_SEMANTICS_LABELS)
    return map_scores(self, buffer, map, input, error);
  if (!map_picture(buffer, &self->semantics.video, &map->frame[GST_STX_CELL_SEMANTICS]))
    return fail_size("semantics", buffer, &self->semantics.video, error);
  input->labels = gst_stx_frame_image8(&map->frame[GST_STX_CELL_SEMANTICS]);
  return TRUE;
}

gboolean gst_stx_cell_map(const GstStxCellCaps *self, GstBuffer **set, GstStxCellMap *map,
    StxColmeanInput *input, StxError *error)
{
  if (!map_picture(
          set[GST_STX_CELL_DISPARITY], &self->disparity, &map->frame[GST_STX_CELL_DISPARITY]))
    return fail_size("disparity", set[GST_STX_CELL_DISPARITY], &self->disparity, error);
  input->disparity = gst_stx_frame_image16(&map->frame[GST_STX_CELL_DISPARITY]);
  return map_confidence(self, set, map, input, error) &&
         map_semantics(self, set[GST_STX_CELL_SEMANTICS], map, input, error);
}

void gst_stx_cell_unmap(GstBuffer **set, GstStxCellMap *map)
{
  for (guint role = 0; role < GST_STX_CELL_ROLES; role++)
    if (map->frame[role].buffer != NULL)
      gst_video_frame_unmap(&map->frame[role]);
  if (map->scores.memory != NULL)
    gst_buffer_unmap(set[GST_STX_CELL_SEMANTICS], &map->scores);
  if (map->meta.memory != NULL)
    gst_buffer_unmap(
        gst_buffer_get_stx_confidence_meta(set[GST_STX_CELL_DISPARITY])->confidence, &map->meta);
}
