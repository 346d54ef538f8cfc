/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gstsatdpsegmenter.h"

#include "gst/gststxtransform.h"

GST_DEBUG_CATEGORY_STATIC(sat_dp_segmenter_debug);
#define GST_CAT_DEFAULT sat_dp_segmenter_debug

/* A frame on its way. */
typedef struct {
  GstBuffer *input, *output;
  gboolean post;           /* statistics are wanted */
  gboolean followed;       /* `line` is that of this frame */
  const StxRoadLine *line; /* or NULL: no road */
} Frame;

/* The GPU failed; what it was stands in an StxError. */
#define FLOW_GPU_FAILED GST_FLOW_CUSTOM_ERROR

/* ---- Configuration ------------------------------------------------------------------------- */

/* The CPU's part; nothing to do while the GPU works. */
static gboolean choose_host(GstSatDpSegmenter *self, StxError *error)
{
  const StxGrid *grid = &self->params.grid;
  gsize records = (gsize)stx_grid_columns(grid) * stx_grid_rows(grid) * sizeof(StxStixel);

  if (self->cuda->cuda != NULL)
    return TRUE;
  self->threads = stx_threads(self->run.threads);
  self->impl = gst_stx_run_pick(&self->run, &stx_satdp_impls, error);
  return self->impl != NULL &&
         gst_stx_scratch_reserve(
             &self->scratch, self->impl->scratch_size(&self->params, self->threads), error) &&
         gst_stx_scratch_reserve(&self->records, records, error);
}

gboolean gst_sat_dp_segmenter_configure(GstSatDpSegmenter *self,
    const GstStxSatdpSettings *settings, const GstStxRun *run, const StxGrid *grid,
    const StxCamera *camera, gboolean device_output, StxError *error)
{
  gst_sat_dp_stixels_output_clear(&self->output);
  self->device_output = device_output;
  self->params = settings->params;
  self->params.grid = *grid;
  self->ground = settings->ground;
  self->camera = *camera;
  self->run = *run;
  self->restart = FALSE;
  if (!stx_satdp_check(&self->params, error) || !choose_host(self, error) ||
      !gst_stx_scratch_reserve(&self->road_scratch, stx_roadline_scratch(grid), error))
    return FALSE;
  GST_DEBUG_OBJECT(self->base, "%d columns of %d cells, %d classes, implementation %s",
      stx_grid_columns(grid), stx_grid_rows(grid), grid->classes,
      self->cuda->cuda != NULL ? "cuda" : self->impl->info.name);
  return gst_stx_road_reset(&self->road, self->ground, &self->camera, error);
}

/* ---- The road ------------------------------------------------------------------------------ */

static void warn_no_road(GstSatDpSegmenter *self)
{
  if (self->warned)
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING(self->base, STREAM, FAILED,
      ("no road was found: there is no ground among the stixels until one is. Set calibration=FILE "
       "or focal, baseline and camera-height if the camera is known; the caps and properties give "
       "%s",
          stx_camera_is_metric(&self->camera) ? "no camera-height" : "no focal length or baseline"),
      (NULL));
}

/* Finds the road of a frame, once. `columns` are on the host; only an estimate looks at them. */
static void follow_road(GstSatDpSegmenter *self, Frame *frame, const void *columns)
{
  if (frame->followed)
    return;
  if (self->restart || (GST_BUFFER_IS_DISCONT(frame->input) && self->road.estimate))
    gst_stx_road_reset(&self->road, self->ground, &self->camera, NULL);
  self->restart = FALSE;
  frame->followed = TRUE;
  frame->line =
      gst_stx_road_follow(&self->road, &self->params.grid, columns, self->road_scratch.data);
  if (frame->line == NULL)
    warn_no_road(self);
  else
    GST_LOG_OBJECT(
        self->base, "road: slope %g, horizon %g", frame->line->slope, frame->line->horizon);
}

/* ---- A frame ------------------------------------------------------------------------------- */

/* The tables of this frame, whose road is known. FALSE after an element error. */
static gboolean prepare(GstSatDpSegmenter *self, const Frame *frame)
{
  StxError error;

  if (stx_satdp_prepare(&self->params, &self->camera, frame->line, self->tables, &error))
    return TRUE;
  GST_STX_ELEMENT_ERROR(self->base, STREAM, FAILED, &error);
  return FALSE;
}

static void post_stats(GstSatDpSegmenter *self, const Frame *frame, gsize count, guint64 evaluated)
{
  GstStructure *structure;

  if (!frame->post)
    return;
  structure = gst_structure_new("stx-stixels-stats", "timestamp", G_TYPE_UINT64,
      GST_BUFFER_PTS(frame->input), "stixels", G_TYPE_UINT, (guint)count, "pairs", G_TYPE_UINT64,
      stx_satdp_pairs(&self->params.grid, self->tables->has_ground), "evaluated", G_TYPE_UINT64,
      evaluated, NULL);
  if (frame->line != NULL)
    gst_structure_set(structure, "ground-slope", G_TYPE_DOUBLE, frame->line->slope, "horizon",
        G_TYPE_DOUBLE, frame->line->horizon, NULL);
  gst_element_post_message(
      GST_ELEMENT(self->base), gst_message_new_element(GST_OBJECT(self->base), structure));
}

/*
 * A frame has far fewer stixels than cells. Room for the worst frame is kept once, here; buffers
 * have exactly the stixels of their frame, so that a long queue of them stays small.
 */
static GstFlowReturn give_records(
    GstSatDpSegmenter *self, Frame *frame, const StxStixel *records, gsize count)
{
  gsize size = count * sizeof(StxStixel);
  GstAllocationParams params;
  GstAllocator *allocator;

  gst_base_transform_get_allocator(self->base, &allocator, &params);
  frame->output = gst_buffer_new_allocate(allocator, size, &params);
  g_clear_object(&allocator);
  if (frame->output == NULL) {
    GST_ELEMENT_ERROR(self->base, RESOURCE, NO_SPACE_LEFT,
        ("no memory: %" G_GSIZE_FORMAT " bytes of stixels are needed", size), (NULL));
    return GST_FLOW_ERROR;
  }
  gst_buffer_fill(frame->output, 0, records, size);
  return GST_FLOW_OK;
}

static GstFlowReturn segment_on_host(GstSatDpSegmenter *self, Frame *frame)
{
  StxSatdpStats stats = {0, 0};
  gboolean prepared;
  GstMapInfo map;
  gsize count = 0;

  if (!gst_stx_map_input(
          GST_ELEMENT(self->base), frame->input, stx_grid_bytes(&self->params.grid), 0, &map))
    return GST_FLOW_ERROR;
  follow_road(self, frame, map.data);
  prepared = prepare(self, frame);
  if (prepared)
    count = self->impl->run(&self->params, self->tables, map.data, NULL, self->records.data,
        frame->post ? &stats : NULL, self->scratch.data, self->threads);
  gst_buffer_unmap(frame->input, &map);
  if (!prepared)
    return GST_FLOW_ERROR;
  post_stats(self, frame, count, stats.evaluated);
  return give_records(self, frame, self->records.data, count);
}

/* An estimate of the road needs two channels on the host; what the camera tells needs none. */
static gboolean look_at_road(
    GstSatDpSegmenter *self, Frame *frame, const void *columns, StxError *error)
{
  const void *host = NULL;

  if (self->road.estimate) {
    host = gst_sat_dp_stixels_cuda_look(self->cuda, &self->params.grid, columns, error);
    if (host == NULL)
      return FALSE;
  }
  follow_road(self, frame, host);
  return TRUE;
}

static GstFlowReturn segment_on_device(GstSatDpSegmenter *self, Frame *frame, StxError *error)
{
  const StxStixel *records = NULL;
  StxSatdpCudaResult result;
  const void *columns =
      gst_sat_dp_stixels_cuda_columns(self->cuda, &self->params.grid, frame->input, error);
  GstFlowReturn flow;

  if (columns == NULL || !look_at_road(self, frame, columns, error))
    return FLOW_GPU_FAILED;
  if (!prepare(self, frame))
    return GST_FLOW_ERROR;
  if (!gst_sat_dp_stixels_cuda_segment(self->cuda, &self->output, &self->params, self->tables,
          columns, &result, self->device_output ? NULL : &records, error))
    return FLOW_GPU_FAILED;
  if (self->device_output)
    flow = gst_sat_dp_stixels_cuda_give(self->cuda, &self->output, &frame->output, error);
  else
    flow = give_records(self, frame, records, result.count);
  if (flow == GST_FLOW_ERROR && self->device_output)
    return FLOW_GPU_FAILED;
  if (flow == GST_FLOW_OK)
    post_stats(self, frame, result.count, result.evaluated);
  return flow;
}

/* From the GPU to the CPU in mid-stream. FALSE after an element error. */
static gboolean fall_back(GstSatDpSegmenter *self, const StxError *reason)
{
  StxError error;

  gst_sat_dp_stixels_output_clear(&self->output);
  if (!gst_stx_cuda_fail(self->cuda, reason))
    return FALSE;
  if (!choose_host(self, &error)) {
    GST_STX_ELEMENT_ERROR(self->base, RESOURCE, NO_SPACE_LEFT, &error);
    return FALSE;
  }
  if (self->device_output && !gst_stx_transform_to_system_memory(self->base))
    return FALSE;
  self->device_output = FALSE;
  return TRUE;
}

GstFlowReturn gst_sat_dp_segmenter_run(GstSatDpSegmenter *self, const GstStxSatdpSettings *settings,
    GstBuffer *input, GstBuffer **output)
{
  Frame frame = {.input = input, .post = settings->post_messages};
  StxGrid grid = self->params.grid;
  GstFlowReturn flow = FLOW_GPU_FAILED;
  StxError error;

  if (!gst_stx_check_input(GST_ELEMENT(self->base), input, stx_grid_bytes(&grid), 0))
    return GST_FLOW_ERROR;
  self->params = settings->params;
  self->params.grid = grid;
  if (self->cuda->cuda != NULL) {
    flow = segment_on_device(self, &frame, &error);
    if (flow == FLOW_GPU_FAILED && !fall_back(self, &error))
      return GST_FLOW_ERROR;
  }
  if (flow == FLOW_GPU_FAILED)
    flow = segment_on_host(self, &frame);
  *output = frame.output;
  return flow;
}

/* ---- Life ---------------------------------------------------------------------------------- */

void gst_sat_dp_segmenter_init(GstSatDpSegmenter *self, GstBaseTransform *base, GstStxCuda *cuda)
{
  GST_DEBUG_CATEGORY_GET(sat_dp_segmenter_debug, "sat-dp-stixels");
  *self = (GstSatDpSegmenter){.base = base, .cuda = cuda};
  self->tables = g_new(StxSatdpTables, 1);
}

void gst_sat_dp_segmenter_restart(GstSatDpSegmenter *self)
{
  self->restart = TRUE;
}

void gst_sat_dp_segmenter_stop(GstSatDpSegmenter *self)
{
  gst_sat_dp_stixels_output_clear(&self->output);
  gst_stx_scratch_clear(&self->road_scratch);
  gst_stx_scratch_clear(&self->scratch);
  gst_stx_scratch_clear(&self->records);
  self->impl = NULL;
  self->warned = FALSE;
}

void gst_sat_dp_segmenter_clear(GstSatDpSegmenter *self)
{
  gst_sat_dp_segmenter_stop(self);
  g_clear_pointer(&self->tables, g_free);
}
