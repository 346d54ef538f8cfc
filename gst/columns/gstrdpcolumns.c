/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-rdp-columns
 * @title: rdp-columns
 *
 * Simplifies every column of a disparity map to line segments that pass no cell by more than
 * epsilon: Ramer-Douglas-Peucker on all columns at once, down to cells of one pixel.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=disparity num-buffers=3 !
 * downsample-transpose stixel-width=1 stixel-height=1 ! rdp-columns epsilon=2 !
 * multifilesink location=frame-%03d.stixels
 * ]|
 */
#include "gst/core/elements.h"

#include <math.h>

#include "gst/core/element.h"
#include "gst/columns/segmentation.h"
#include "gst/columns/rdpstage.h"

enum { SLOT_SCRATCH = GST_STX_SEGMENTATION_SLOT };

typedef struct {
  StxRdpParams params; /* its grid is not used */
  bool post_messages;
} GstRdpColumnsSettings;

G_DECLARE_FINAL_TYPE(GstRdpColumns, gst_rdp_columns, GST, RDP_COLUMNS, GstStxSegmentation)

struct _GstRdpColumns {
  GstStxSegmentation parent;

  GstRdpColumnsSettings settings; /* properties, under the object lock */

  /* Used by the streaming thread only. */
  const GstStxColumnStream *stream;
  StxRdpParams params; /* of this frame */
  gboolean post;       /* its statistics are wanted */
};

G_DEFINE_TYPE(GstRdpColumns, gst_rdp_columns, GST_TYPE_STX_SEGMENTATION)
GST_STX_ELEMENT(rdp_columns, "rdp-columns")

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxField own_fields[] = {
    {"post-messages", "Post messages", "Post stx-segments-stats per frame",
        STX_FIELD(BOOL, GstRdpColumnsSettings, post_messages)},
};
static const GstRdpColumnsSettings defaults = {.params = STX_RDP_DEFAULTS};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&stx_rdp_fields, offsetof(GstRdpColumns, settings.params), GST_PARAM_MUTABLE_PLAYING,
        "GstRdpColumns"},
    {&own_table, offsetof(GstRdpColumns, settings), GST_PARAM_MUTABLE_PLAYING},
};

/* ---- Segmentation -------------------------------------------------------------------------- */

static void take_settings(GstStxSegmentation *base)
{
  GstRdpColumns *self = GST_RDP_COLUMNS(base);

  self->params = self->settings.params;
  self->params.grid = self->stream->grid;
  self->post = self->settings.post_messages;
}

static gboolean configure(GstStxSegmentation *base, StxError *error)
{
  return stx_rdp_check(&GST_RDP_COLUMNS(base)->params, error);
}

static GstFlowReturn segment(GstStxSegmentation *base, GstBuffer *frame, const void *columns,
    StxStixel *records, void *result, StxError *error)
{
  return gst_rdp_stage_run(gst_stx_segmentation_stage(base), SLOT_SCRATCH,
             &GST_RDP_COLUMNS(base)->params, columns, records, NULL, result, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

static void post(GstStxSegmentation *base, GstBuffer *frame, const void *data)
{
  GstRdpColumns *self = GST_RDP_COLUMNS(base);
  const StxRdpResult *result = data;
  double columns = stx_grid_columns(&self->params.grid);
  double mean = (double)result->levels / columns;
  double variance = (double)result->levels_squared / columns - mean * mean;

  if (!self->post)
    return;
  gst_element_post_message(GST_ELEMENT(self),
      gst_message_new_element(GST_OBJECT(self),
          gst_structure_new("stx-segments-stats", "timestamp", G_TYPE_UINT64, GST_BUFFER_PTS(frame),
              "segments", G_TYPE_UINT, (guint)result->count, "levels", G_TYPE_DOUBLE, mean,
              "levels-deviation", G_TYPE_DOUBLE, sqrt(MAX(variance, 0)), "levels-max", G_TYPE_UINT,
              (guint)result->deepest, "unknown", G_TYPE_UINT64, result->unknown, "cells",
              G_TYPE_UINT64, (guint64)columns * (guint64)stx_grid_rows(&self->params.grid), NULL)));
}

/* ---- GObject ------------------------------------------------------------------------------- */

static void gst_rdp_columns_class_init(GstRdpColumnsClass *klass)
{
  GstStxSegmentationClass *segmentation = GST_STX_SEGMENTATION_CLASS(klass);
  GstStxStageClass *stage = &GST_STX_TRANSFORM_CLASS(klass)->stage;

  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));

  segmentation->rows_max = STX_RDP_MAX_ROWS;
  segmentation->result_size = sizeof(StxRdpResult);
  segmentation->count_offset = offsetof(StxRdpResult, count);
  segmentation->take_settings = take_settings;
  segmentation->configure = configure;
  segmentation->segment = segment;
  segmentation->post = post;
  stage->host = &stx_rdp_impls;
  stage->device = &stx_rdp_cuda_impls;

  gst_stx_element_describe(klass, "rdp-columns", "Columns to line segments",
      "Filter/Analyzer/Video",
      "Simplifies columns of disparity to line segments by Ramer-Douglas-Peucker");
}

static void gst_rdp_columns_init(GstRdpColumns *self)
{
  self->settings = defaults;
  self->stream = gst_stx_segmentation_stream(GST_STX_SEGMENTATION(self));
}
