/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/columns/cellcaps.h"

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
    return gst_stx_disparity_from_caps(&self->disparity, caps, error);
  if (role == GST_STX_CELL_CONFIDENCE)
    return parse_confidence(self, caps, error);
  return gst_stx_semantics_from_caps(&self->semantics, caps, error);
}

gboolean gst_stx_cell_caps_layout(const GstStxCellCaps *self, guint roles, StxColmeanParams *params,
    StxColmeanInput *layout, StxError *error)
{
  int width = self->disparity.width, height = self->disparity.height;

  if (roles & 1u << GST_STX_CELL_CONFIDENCE &&
      (GST_VIDEO_INFO_WIDTH(&self->confidence) != width ||
          GST_VIDEO_INFO_HEIGHT(&self->confidence) != height))
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
