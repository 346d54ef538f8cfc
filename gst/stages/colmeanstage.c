/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stages/colmeanstage.h"

#include "gst/stixels/stixels.h"

enum { DISPARITY, CONFIDENCE, SEMANTICS, COLUMNS, TABLES, SCRATCH };

/* ---- Inputs -------------------------------------------------------------------------------- */

static gboolean find_image(GstStxStage *stage, guint slot, const gchar *what, GstBuffer *buffer,
    const GstVideoInfo *info, StxImage8 *image, StxError *error)
{
  StxFrame picture;

  if (!gst_stx_stage_picture(stage, slot, what, buffer, info, 1, GST_MAP_READ, &picture, error))
    return FALSE;
  *image = (StxImage8){
      picture.data[0], picture.stride[0], GST_VIDEO_INFO_WIDTH(info), GST_VIDEO_INFO_HEIGHT(info)};
  return TRUE;
}

static gboolean find_disparity(
    GstStxStage *stage, const GstColmeanFrame *frame, StxColmeanInput *input, StxError *error)
{
  const GstStxDisparity *disparity = &frame->caps->disparity;
  GstBuffer *buffer = frame->set[GST_STX_CELL_DISPARITY];
  gsize row = (gsize)disparity->width * sizeof(float);
  const void *floats;
  StxImage8 bytes;

  if (disparity->is_tensor) {
    if (!gst_stx_stage_read(
            stage, DISPARITY, "disparity", buffer, row * (gsize)disparity->height, &floats, error))
      return FALSE;
    input->floats = (StxImageFloat){floats, (ptrdiff_t)row, disparity->width, disparity->height};
    return TRUE;
  }
  if (!find_image(stage, DISPARITY, "disparity", buffer, &disparity->video, &bytes, error))
    return FALSE;
  input->disparity =
      (StxImage16){(uint16_t *)(void *)bytes.data, bytes.stride, bytes.width, bytes.height};
  if (frame->doubt != NULL && !stage->on_device)
    stx_doubt_count(&input->disparity, frame->params->disparity.encoding, frame->doubt);
  return TRUE;
}

static gboolean find_meta(GstStxStage *stage, const GstColmeanFrame *frame,
    const GstStxConfidenceMeta *meta, StxColmeanInput *input, StxError *error)
{
  int width = frame->params->grid.width, height = frame->params->grid.height;
  const void *data;

  if (meta->width != (guint)width || meta->height != (guint)height)
    return stx_fail(error, "the confidence meta has %ux%u, but the disparity %dx%d", meta->width,
        meta->height, width, height);
  if (!gst_stx_stage_read(stage, CONFIDENCE, "the confidence meta", meta->confidence,
          (gsize)width * (gsize)height, &data, error))
    return FALSE;
  input->confidence = (StxImage8){(uint8_t *)data, width, width, height};
  input->confidence_is_sky = TRUE; /* stereo-sgm's is; what comes at the pad may be anything */
  return TRUE;
}

static gboolean find_confidence(
    GstStxStage *stage, const GstColmeanFrame *frame, StxColmeanInput *input, StxError *error)
{
  GstBuffer *buffer = frame->set[GST_STX_CELL_CONFIDENCE];
  const GstStxConfidenceMeta *meta;

  if (buffer != NULL)
    return find_image(stage, CONFIDENCE, "confidence", buffer, &frame->caps->confidence,
        &input->confidence, error);
  meta = gst_buffer_get_stx_confidence_meta(frame->set[GST_STX_CELL_DISPARITY]);
  return meta == NULL || find_meta(stage, frame, meta, input, error);
}

static gboolean find_semantics(
    GstStxStage *stage, const GstColmeanFrame *frame, StxColmeanInput *input, StxError *error)
{
  const GstStxSemantics *semantics = &frame->caps->semantics;
  GstBuffer *buffer = frame->set[GST_STX_CELL_SEMANTICS];

  if (buffer == NULL)
    return TRUE;
  if (semantics->kind == STX_SEMANTICS_LABELS)
    return find_image(
        stage, SEMANTICS, "semantics", buffer, &semantics->video, &input->labels, error);
  return gst_stx_stage_read(stage, SEMANTICS, "semantics", buffer,
      gst_stx_semantics_score_bytes(semantics), &input->scores, error);
}

/* ---- A frame ------------------------------------------------------------------------------- */

gboolean gst_colmean_stage_reduce(GstStxStage *stage, const GstColmeanFrame *frame, StxError *error)
{
  const StxColmeanImpl *impl = gst_stx_stage_impl(stage);
  gsize scratch_size = impl->scratch_size(frame->params, stage->place.threads);
  void *scratch = gst_stx_stage_block(stage, SCRATCH, scratch_size, error), *columns;
  const StxColmeanTables *tables;
  StxColmeanInput input = *frame->layout;

  if (scratch == NULL)
    return FALSE;
  tables = gst_stx_stage_constant(stage, TABLES, frame->tables, sizeof(*tables), error);
  return tables != NULL && find_disparity(stage, frame, &input, error) &&
         find_confidence(stage, frame, &input, error) &&
         find_semantics(stage, frame, &input, error) &&
         gst_stx_stage_write(stage, COLUMNS, frame->columns, stx_grid_bytes(&frame->params->grid),
             &columns, error) &&
         impl->run(frame->params, tables, &input, columns, scratch, &stage->place, error);
}
