/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/columns/semantics.h"

#include <string.h>

#include "common/labels.h"
#include "gst/core/tensor.h"

#if GST_STX_HAVE_TENSORS
#define ATTACHED ", or pictures of another format with scores or a segmentation attached"
#else
#define ATTACHED ". For scores attached to pictures, build with GStreamer 1.26"
#endif
#define EXPECTED                                                                                   \
  "expected video/x-raw,format=GRAY8 (labels) or other/tensors,num_tensors=1 of type uint8, "      \
  "int8, float16 or float32 (scores)" ATTACHED

static gboolean parse_labels(GstStxSemantics *semantics, const GstCaps *caps, StxError *error)
{
  if (!gst_video_info_from_caps(&semantics->video, caps))
    return stx_fail(error, "semantics: the video caps are incomplete; " EXPECTED);
  if (GST_VIDEO_INFO_FORMAT(&semantics->video) != GST_VIDEO_FORMAT_GRAY8)
    return stx_fail(
        error, "semantics: format=%s; " EXPECTED, GST_VIDEO_INFO_NAME(&semantics->video));
  semantics->kind = STX_SEMANTICS_LABELS;
  return TRUE;
}

#if GST_STX_HAVE_TENSORS
/* Video of another format than labels have, or of none that GStreamer's video library knows. */
static gboolean is_of_pictures(GstStxSemantics *semantics, const GstStructure *structure)
{
  const gchar *format = gst_structure_get_string(structure, "format");

  semantics->kind = STX_SEMANTICS_NONE;
  semantics->attached_format = g_intern_string(format);
  semantics->attached = format != NULL && strcmp(format, "GRAY8") != 0 &&
                        gst_structure_get_int(structure, "width", &semantics->attached_width) &&
                        gst_structure_get_int(structure, "height", &semantics->attached_height) &&
                        semantics->attached_width > 0 && semantics->attached_height > 0;
  return semantics->attached;
}
#else
static gboolean is_of_pictures(GstStxSemantics *semantics, const GstStructure *structure)
{
  return FALSE;
}
#endif

static gboolean parse_type(const char *type, StxSemantics *kind)
{
  if (strcmp(type, "uint8") == 0)
    *kind = STX_SEMANTICS_SCORES_U8;
  else if (strcmp(type, "int8") == 0)
    *kind = STX_SEMANTICS_SCORES_I8;
  else if (strcmp(type, "float16") == 0)
    *kind = STX_SEMANTICS_SCORES_F16;
  else if (strcmp(type, "float32") == 0)
    *kind = STX_SEMANTICS_SCORES_F32;
  else
    return FALSE;
  return TRUE;
}

static gboolean parse_scores(
    GstStxSemantics *semantics, const GstStructure *structure, StxError *error)
{
  static const GstStxTensorUse use = {"semantics", EXPECTED,
      "W:H:C:1 (planar) or C:W:H:1 (interleaved) with the disparity's width W and height H, or "
      "1/2, 1/4 or 1/8 of both",
      3};
  GstStxTensor tensor;

  if (!gst_stx_tensor_parse(&tensor, structure, &use, error))
    return FALSE;
  if (!parse_type(tensor.type, &semantics->kind))
    return stx_fail(error, "semantics: types=%s; " EXPECTED, tensor.type);
  memcpy(semantics->dimensions, tensor.dimensions, sizeof(tensor.dimensions));
  return TRUE;
}

gboolean gst_stx_semantics_from_caps(
    GstStxSemantics *semantics, const GstCaps *caps, StxError *error)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);

  semantics->attached = FALSE;
  if (gst_structure_has_name(structure, "video/x-raw"))
    return is_of_pictures(semantics, structure) || parse_labels(semantics, caps, error);
  if (gst_structure_has_name(structure, "other/tensors"))
    return parse_scores(semantics, structure, error);
  return stx_fail(error, "semantics: %s; " EXPECTED, gst_structure_get_name(structure));
}

/* Whether a tensor's image is 1 / 2^shift of one of width × height pixels, for the least shift. */
static gboolean is_image(const int side[2], int width, int height, int *shift)
{
  for (*shift = 0; *shift <= STX_SCORE_SHIFT_MAX; (*shift)++)
    if (side[0] == stx_score_side(width, *shift) && side[1] == stx_score_side(height, *shift))
      return TRUE;
  return FALSE;
}

static void set_strides(
    StxColmeanInput *input, gboolean planar, int width, int height, int classes, ptrdiff_t element)
{
  input->pixel_stride = planar ? element : element * classes;
  input->row_stride = input->pixel_stride * width;
  input->class_stride = planar ? input->row_stride * height : element;
}

static gboolean scores_layout(const GstStxSemantics *semantics, int width, int height, int *classes,
    StxColmeanInput *input, StxError *error)
{
  const int *d = semantics->dimensions;
  int planar_shift, interleaved_shift;
  gboolean planar = is_image(d, width, height, &planar_shift);
  gboolean interleaved = is_image(d + 1, width, height, &interleaved_shift);
  ptrdiff_t element = (ptrdiff_t)stx_colmean_score_size(semantics->kind);

  if (planar && interleaved)
    return stx_fail(error,
        "semantics: dimensions=%d:%d:%d:1 for a disparity of %dx%d are planar (W:H:C:1) and "
        "interleaved (C:W:H:1) at once; use another image size",
        d[0], d[1], d[2], width, height);
  if (!planar && !interleaved)
    return stx_fail(error,
        "semantics: scores of dimensions=%d:%d:%d:1, but the disparity has %dx%d: must be "
        "%d:%d:C:1 (planar) or C:%d:%d:1 (interleaved), or have 1/2, 1/4 or 1/8 of both sides",
        d[0], d[1], d[2], width, height, width, height, width, height);
  *classes = planar ? d[2] : d[0];
  if (*classes > STX_MAX_CLASSES)
    return stx_fail(error, "semantics: scores of %d classes (dimensions=%d:%d:%d:1), at most %d",
        *classes, d[0], d[1], d[2], STX_MAX_CLASSES);
  input->score_shift = planar ? planar_shift : interleaved_shift;
  set_strides(input, planar, d[planar ? 0 : 1], d[planar ? 1 : 2], *classes, element);
  return TRUE;
}

gboolean gst_stx_semantics_layout(const GstStxSemantics *semantics, int width, int height,
    int *classes, StxColmeanInput *input, StxError *error)
{
  int label_width = GST_VIDEO_INFO_WIDTH(&semantics->video);
  int label_height = GST_VIDEO_INFO_HEIGHT(&semantics->video);

  if (semantics->kind == STX_SEMANTICS_NONE)
    return stx_fail(error, "semantics: what pictures bring is known when one has come");
  if (semantics->kind != STX_SEMANTICS_LABELS)
    return scores_layout(semantics, width, height, classes, input, error);
  *classes = STX_LABEL_CLASSES;
  return (label_width == width && label_height == height) ||
         stx_fail(error,
             "semantics: a label image of %dx%d, but the disparity has %dx%d; scale it with "
             "videoscale method=nearest-neighbour",
             label_width, label_height, width, height);
}

gsize gst_stx_semantics_score_bytes(const GstStxSemantics *semantics)
{
  gsize element = stx_colmean_score_size(semantics->kind);

  return element * semantics->dimensions[0] * semantics->dimensions[1] * semantics->dimensions[2];
}
