/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/views/scanviewstage.h"

#include "gst/base/inputs.h"
#include "gst/views/records.h"
#include "gst/stixels/stixels.h"

/* Those that were found in a scan have no image. */
static GstBuffer *obstacles_of(GstBuffer *scan)
{
  GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(scan);

  return meta != NULL && meta->info.width == 0 ? meta->obstacles : NULL;
}

static gboolean draw_points(GstScanviewStage *self, const StxScanviewParams *params,
    const StxScanviewLens *lens, GstBuffer *scan, gdouble strength, gint threads, StxSheet *sheet,
    StxError *error)
{
  GstStxRecords points, labels = {NULL};
  gboolean good = gst_stx_records_map(&points, scan, GST_STX_POINT_BYTES, &self->points, error) &&
                  gst_stx_records_map(
                      &labels, gst_stx_scan_labels(scan), sizeof(guint32), &self->labels, error) &&
                  gst_stx_scratch_reserve(&self->memory, stx_scanview_size(points.count), error);
  StxScan view = {points.data, labels.data, points.count};

  if (good)
    stx_scanview_draw(params, lens, &view, strength, threads, self->memory.data, sheet);
  gst_stx_records_unmap(&labels);
  gst_stx_records_unmap(&points);
  return good;
}

static gboolean draw_obstacles(GstScanviewStage *self, const StxScanviewLens *lens, GstBuffer *scan,
    gdouble strength, StxSheet *sheet, StxError *error)
{
  GstStxRecords records;
  gboolean good = gst_stx_records_map(
      &records, obstacles_of(scan), sizeof(StxObstacle), &self->obstacles, error);

  if (good)
    stx_scanview_boxes(lens, records.data, records.count, strength, sheet);
  gst_stx_records_unmap(&records);
  return good;
}

gboolean gst_scanview_stage_draw(GstScanviewStage *self, const StxScanviewParams *params,
    const StxScanviewLens *lens, GstBuffer *scan, gdouble strength, gint threads, StxSheet *sheet,
    StxError *error)
{
  stx_sheet_clear(sheet);
  if (scan == NULL)
    return TRUE;
  return draw_points(self, params, lens, scan, strength, threads, sheet, error) &&
         (!params->obstacles || draw_obstacles(self, lens, scan, strength, sheet, error));
}

void gst_scanview_stage_clear(GstScanviewStage *self)
{
  gst_stx_scratch_clear(&self->memory);
  gst_stx_scratch_clear(&self->points);
  gst_stx_scratch_clear(&self->labels);
  gst_stx_scratch_clear(&self->obstacles);
}
