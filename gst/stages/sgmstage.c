/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stages/sgmstage.h"

#include "cuda/stxcuda.h"
#include "gst/stixels/stixels.h"

enum { LEAD, RIGHT, DISPARITY, CONFIDENCE, SCRATCH, LEAD_GRAY, RIGHT_GRAY, LUMA };

/* Makes the gray picture of one that has none in its first plane. */
static gboolean make_gray(GstStxStage *stage, const GstSgmPair *pair, const StxLumaFormat *format,
    guint slot, StxImage8 *image, StxError *error)
{
  const StxLumaImpl *impl =
      gst_stx_stage_impl_of(stage, &stx_luma_impls, &stx_luma_cuda_impls, error);
  gsize stride = stx_align((gsize)image->width);
  void *scratch = gst_stx_stage_block(stage, LUMA, STX_LUMA_SCRATCH, error);
  StxImage8 gray = {gst_stx_stage_block(stage, slot, stride * (gsize)image->height, error),
      (ptrdiff_t)stride, image->width, image->height};

  if (impl == NULL || scratch == NULL || gray.data == NULL ||
      !impl->run(format, pair->gray_bits, image, &gray, scratch, &stage->place, error))
    return FALSE;
  *image = gray;
  return TRUE;
}

static gboolean find_view(GstStxStage *stage, const GstSgmPair *pair, guint slot, guint role,
    StxImage8 *image, StxError *error)
{
  static const gchar *const names[] = {"pad sink", "pad sink_left", "pad sink_right"};
  const GstVideoInfo *info = &pair->views->info[role];
  const StxLumaFormat *format = stx_luma_format(GST_VIDEO_INFO_NAME(info));
  StxFrame picture;

  if (!gst_stx_stage_picture(
          stage, slot, names[role], pair->set[role], info, 1, GST_MAP_READ, &picture, error))
    return FALSE;
  *image = (StxImage8){
      picture.data[0], picture.stride[0], GST_VIDEO_INFO_WIDTH(info), GST_VIDEO_INFO_HEIGHT(info)};
  return format == NULL ||
         make_gray(stage, pair, format, slot == LEAD ? LEAD_GRAY : RIGHT_GRAY, image, error);
}

static gboolean find_views(
    GstStxStage *stage, const GstSgmPair *pair, StxImage8 *left, StxImage8 *right, StxError *error)
{
  const GstStereoSgmViews *views = pair->views;

  if (!find_view(stage, pair, LEAD, views->lead, left, error) ||
      (views->lead != GST_STEREO_SGM_BOTH &&
          !find_view(stage, pair, RIGHT, GST_STEREO_SGM_RIGHT, right, error)))
    return FALSE;
  gst_stereo_sgm_views_cut(views, left, right);
  return TRUE;
}

static gboolean find_outputs(GstStxStage *stage, const GstSgmPair *pair, StxImage16 *disparity,
    StxImage8 *confidence, StxError *error)
{
  int width = pair->params->width, height = pair->params->height;
  StxFrame picture;
  void *data = NULL;

  if (!gst_stx_stage_picture(stage, DISPARITY, "output", pair->disparity, pair->output, 1,
          GST_MAP_WRITE, &picture, error) ||
      (pair->confidence != NULL && !gst_stx_stage_write(stage, CONFIDENCE, pair->confidence,
                                       (gsize)width * (gsize)height, &data, error)))
    return FALSE;
  *disparity = (StxImage16){(uint16_t *)(void *)picture.data[0], picture.stride[0], width, height};
  *confidence = (StxImage8){data, width, width, height};
  return TRUE;
}

gboolean gst_sgm_stage_match(GstStxStage *stage, const GstSgmPair *pair, StxError *error)
{
  const StxSgmImpl *impl = gst_stx_stage_impl(stage);
  void *scratch = gst_stx_stage_block(
      stage, SCRATCH, impl->scratch_size(pair->params, stage->place.threads), error);
  StxImage8 left, right, confidence;
  StxImage16 disparity;

  return scratch != NULL && find_views(stage, pair, &left, &right, error) &&
         find_outputs(stage, pair, &disparity, &confidence, error) &&
         impl->run(
             pair->params, &left, &right, &disparity, &confidence, scratch, &stage->place, error);
}

gboolean gst_sgm_stage_examine(
    GstStxStage *stage, const GstSgmPair *pair, StxPairFinding *finding, StxError *error)
{
  gsize size = stx_pair_scratch(pair->params->width, pair->params->height);
  void *scratch = gst_stx_stage_block(stage, SCRATCH, size, error);
  StxImage8 left, right;

  if (scratch == NULL || !find_views(stage, pair, &left, &right, error))
    return FALSE;
  stx_pair_examine(pair->params->max_disparity, &left, &right, scratch, finding);
  return TRUE;
}

void gst_sgm_stage_attach(const GstSgmPair *pair)
{
  if (pair->confidence != NULL)
    gst_buffer_add_stx_confidence_meta(
        pair->disparity, pair->confidence, (guint)pair->params->width, (guint)pair->params->height);
}
