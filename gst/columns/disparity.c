/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/columns/disparity.h"

#include <string.h>

#include "common/colmean/colmean.h"
#include "gst/core/tensor.h"

#define EXPECTED                                                                                   \
  "expected video/x-raw,format=GRAY16_LE, or other/tensors,num_tensors=1,types=float32"

/* ---- Caps ---------------------------------------------------------------------------------- */

static gboolean parse_picture(GstStxDisparity *disparity, const GstCaps *caps, StxError *error)
{
  if (!gst_video_info_from_caps(&disparity->video, caps))
    return stx_fail(error, "disparity: the video caps are incomplete; " EXPECTED);
  if (GST_VIDEO_INFO_FORMAT(&disparity->video) != GST_VIDEO_FORMAT_GRAY16_LE)
    return stx_fail(error,
        "disparity: format=%s, must be GRAY16_LE holding 1/256 pixel. To read KITTI's PNG files: "
        "pngdec ! video/x-raw,format=GRAY16_BE ! videoconvert ! video/x-raw,format=GRAY16_LE",
        GST_VIDEO_INFO_NAME(&disparity->video));
  disparity->is_tensor = FALSE;
  disparity->width = GST_VIDEO_INFO_WIDTH(&disparity->video);
  disparity->height = GST_VIDEO_INFO_HEIGHT(&disparity->video);
  return TRUE;
}

static gboolean parse_tensor(
    GstStxDisparity *disparity, const GstStructure *structure, StxError *error)
{
  static const GstStxTensorUse use = {
      "disparity", EXPECTED, "W:H:1:1 or 1:W:H:1 with the map's width W and height H", 2};
  GstStxTensor tensor;
  const gint *d = tensor.dimensions;

  if (!gst_stx_tensor_parse(&tensor, structure, &use, error))
    return FALSE;
  if (strcmp(tensor.type, "float32") != 0)
    return stx_fail(error, "disparity: types=%s; " EXPECTED, tensor.type);
  if (d[0] != 1 && d[2] != 1)
    return stx_fail(error,
        "disparity: a tensor of dimensions=%d:%d:%d:1, must be %s: one number per pixel", d[0],
        d[1], d[2], use.shape);
  disparity->is_tensor = TRUE;
  disparity->width = d[2] == 1 ? d[0] : d[1];
  disparity->height = d[2] == 1 ? d[1] : d[2];
  return TRUE;
}

static gboolean parse_encoding(
    GstStxDisparity *disparity, const GstStructure *structure, StxError *error)
{
  const gchar *nick = gst_structure_get_string(structure, GST_STX_DISPARITY_ENCODING);
  const StxFieldChoice *choice;

  disparity->encoding = STX_DISPARITY_AUTO;
  if (nick == NULL)
    return TRUE;
  choice = stx_field_choice_named(stx_disparity_encodings, nick);
  if (choice == NULL)
    return stx_fail(error,
        "disparity: the caps say " GST_STX_DISPARITY_ENCODING
        "=%s; there are kitti, cityscapes, opencv, depth-mm, pixels and depth-m. The property of "
        "that name has precedence",
        nick);
  disparity->encoding = (StxDisparityEncoding)choice->value;
  return TRUE;
}

gboolean gst_stx_disparity_from_caps(
    GstStxDisparity *disparity, const GstCaps *caps, StxError *error)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);

  if (gst_structure_has_name(structure, "video/x-raw"))
    return parse_picture(disparity, caps, error) && parse_encoding(disparity, structure, error);
  if (gst_structure_has_name(structure, "other/tensors"))
    return parse_tensor(disparity, structure, error) && parse_encoding(disparity, structure, error);
  return stx_fail(error, "disparity: %s; " EXPECTED, gst_structure_get_name(structure));
}

/* ---- Meaning ------------------------------------------------------------------------------- */

gboolean gst_stx_disparity_encoding(const GstStxDisparity *disparity, StxDisparityEncoding wanted,
    StxDisparityEncoding *encoding, StxError *error)
{
  *encoding = wanted != STX_DISPARITY_AUTO ? wanted : disparity->encoding;
  if (*encoding == STX_DISPARITY_AUTO)
    *encoding = disparity->is_tensor ? STX_DISPARITY_PIXELS : STX_DISPARITY_KITTI;
  if (stx_disparity_is_float(*encoding) == disparity->is_tensor)
    return TRUE;
  return stx_fail(error, "disparity: " GST_STX_DISPARITY_ENCODING "=%s is of %s, but these are %s",
      stx_field_choice(stx_disparity_encodings, *encoding)->nick,
      disparity->is_tensor ? "GRAY16_LE pictures" : "float32 tensors (other/tensors)",
      disparity->is_tensor ? "tensors of float32: choose pixels or depth-m"
                           : "pictures of 16 bits: choose kitti, cityscapes, opencv or depth-mm");
}
