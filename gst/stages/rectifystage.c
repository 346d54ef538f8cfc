/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stages/rectifystage.h"

#include "gst/shared/frames.h"

#define PLANES 3

enum { INPUT, OUTPUT = INPUT + PLANES, MAP = OUTPUT + PLANES };

/* ---- Formats ------------------------------------------------------------------------------- */

/* How often the sides of a component are halved. */
typedef struct {
  gint x, y;
} Shift;

static Shift shift_of(const GstVideoInfo *info, guint component)
{
  return (Shift){GST_VIDEO_FORMAT_INFO_W_SUB(info->finfo, component),
      GST_VIDEO_FORMAT_INFO_H_SUB(info->finfo, component)};
}

static gboolean is_subsampled(Shift shift)
{
  return shift.x > 0 || shift.y > 0;
}

/* Outside everything is 0: black, and transparent where there is an alpha; chroma has 128 for it.
 */
static StxRectifySample sample_of(const GstVideoInfo *info, guint plane)
{
  StxRectifySample sample = {
      .bytes = GST_VIDEO_INFO_COMP_PSTRIDE(info, gst_stx_first_component(info, plane))};

  if (GST_VIDEO_INFO_IS_YUV(info) && plane > 0)
    memset(sample.border, 128, sizeof sample.border);
  return sample;
}

static gboolean is_packed(const GstVideoInfo *info)
{
  return GST_VIDEO_INFO_N_PLANES(info) == 1 && GST_VIDEO_INFO_N_COMPONENTS(info) > 1 &&
         is_subsampled(shift_of(info, 1));
}

/* ---- Plan ---------------------------------------------------------------------------------- */

static gboolean fill_map(
    GstRectifyPlan *plan, Shift shift, gint threads, gboolean filled[2], StxError *error)
{
  gboolean small = is_subsampled(shift);
  GstStxScratch *memory = &plan->map[small];

  if (filled[small])
    return TRUE;
  if (!gst_stx_scratch_reserve(memory, stx_rectify_map_bytes(&plan->view, shift.x, shift.y), error))
    return FALSE;
  stx_rectify_map_fill(&plan->view, shift.x, shift.y, memory->data, threads);
  plan->on_device[small] = NULL;
  filled[small] = TRUE;
  return TRUE;
}

/* Half of a frame has to begin between two samples of all its components. */
static gboolean check_part(const GstRectifyPlan *plan, Shift shift, StxError *error)
{
  const GstVideoRectangle *part = &plan->part;

  if (part->x % (1 << shift.x) == 0 && part->y % (1 << shift.y) == 0)
    return TRUE;
  return stx_fail(error,
      "a view of %dx%d pixels in one frame with another has no whole samples of colour in %s: put "
      "videoconvert in front, and video/x-raw,format=Y444 or GRAY8",
      part->w, part->h, GST_VIDEO_INFO_NAME(&plan->input));
}

gboolean gst_rectify_plan_make(GstRectifyPlan *plan, const StxCalibration *calibration,
    const StxRectifyParams *params, guint camera, gint threads, StxCamera *rectified,
    StxError *error)
{
  gboolean filled[2] = {FALSE, FALSE};

  if (!stx_rectify_view(calibration, params, (gint)camera, plan->part.w, plan->part.h, &plan->view,
          rectified, error))
    return FALSE;
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(&plan->input); c++) {
    Shift shift = shift_of(&plan->input, c);

    if (!check_part(plan, shift, error) || !fill_map(plan, shift, threads, filled, error))
      return FALSE;
  }
  return TRUE;
}

void gst_rectify_plan_clear(GstRectifyPlan *plan)
{
  for (guint i = 0; i < G_N_ELEMENTS(plan->map); i++)
    gst_stx_scratch_clear(&plan->map[i]);
}

/* ---- Frames -------------------------------------------------------------------------------- */

/* FALSE: it could not be uploaded. */
static gboolean find_map(
    GstStxStage *stage, GstRectifyPlan *plan, guint component, StxRectifyMap *map, StxError *error)
{
  Shift shift = shift_of(&plan->input, component);
  guint small = is_subsampled(shift) ? 1 : 0;
  const void *memory = gst_stx_stage_table(stage, MAP + small, plan->map[small].data,
      stx_rectify_map_bytes(&plan->view, shift.x, shift.y), &plan->on_device[small], error);

  *map = stx_rectify_map_in(&plan->view, shift.x, shift.y, memory);
  return memory != NULL;
}

static gboolean run_plane(GstStxStage *stage, GstRectifyPlan *plan, guint p, const StxFrame *input,
    const StxFrame *output, StxError *error)
{
  const StxRectifyImpl *impl = gst_stx_stage_impl(stage);
  StxRectifySample sample = sample_of(&plan->input, p);
  StxImage8 source, target;
  StxRectifyMap map;

  if (!find_map(stage, plan, gst_stx_first_component(&plan->input, p), &map, error))
    return FALSE;
  source = (StxImage8){input->data[p], input->stride[p], map.source_width, map.source_height};
  target = (StxImage8){output->data[p], output->stride[p], map.width, map.height};
  return impl->run(&map, &sample, &source, &target, &stage->place, error);
}

/* The components are luma and the two colours. */
static gboolean run_packed(GstStxStage *stage, GstRectifyPlan *plan, const StxFrame *input,
    const StxFrame *output, StxError *error)
{
  const StxRectifyImpl *impl = gst_stx_stage_impl(stage);
  const StxRectifyPacked packed = {GST_VIDEO_INFO_COMP_POFFSET(&plan->input, 0), {0, 128}};
  StxImage8 source, target;
  StxRectifyMap pixels, colours;

  if (!find_map(stage, plan, 0, &pixels, error) || !find_map(stage, plan, 1, &colours, error))
    return FALSE;
  source = (StxImage8){input->data[0], input->stride[0], pixels.source_width, pixels.source_height};
  target = (StxImage8){output->data[0], output->stride[0], pixels.width, pixels.height};
  return impl->run_packed(&pixels, &colours, &packed, &source, &target, &stage->place, error);
}

/* Of a frame with both views only the camera's own is read, and uploaded. */
static gboolean find_input(GstStxStage *stage, const GstRectifyPlan *plan, const gchar *what,
    GstBuffer *input, StxFrame *frame, StxError *error)
{
  GstVideoInfo info = plan->input;
  GstBuffer *part;
  gboolean found;
  StxError cause;

  if (plan->part.w == GST_VIDEO_INFO_WIDTH(&info) && plan->part.h == GST_VIDEO_INFO_HEIGHT(&info))
    return gst_stx_stage_picture(stage, INPUT, what, input, &info, GST_VIDEO_INFO_N_PLANES(&info),
        GST_MAP_READ, frame, error);
  part = gst_stx_frame_part(input, &info, &plan->part, &cause);
  if (part == NULL) {
    gst_stx_stage_blame(stage, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT);
    return stx_fail(error, "%s: %.200s", what, cause.text);
  }
  info.width = plan->part.w;
  info.height = plan->part.h;
  found = gst_stx_stage_picture(
      stage, INPUT, what, part, &info, GST_VIDEO_INFO_N_PLANES(&info), GST_MAP_READ, frame, error);
  gst_buffer_unref(part); /* what is mapped is held by its map, all of it by `input` */
  return found;
}

gboolean gst_rectify_stage_run(GstStxStage *stage, GstRectifyPlan *plan, const gchar *what,
    GstBuffer *input, GstBuffer *output, StxError *error)
{
  guint planes = GST_VIDEO_INFO_N_PLANES(&plan->input);
  StxFrame from, to;

  if (!find_input(stage, plan, what, input, &from, error) ||
      !gst_stx_stage_picture(
          stage, OUTPUT, "output", output, &plan->output, planes, GST_MAP_WRITE, &to, error))
    return FALSE;
  if (is_packed(&plan->input))
    return run_packed(stage, plan, &from, &to, error);
  for (guint p = 0; p < planes; p++)
    if (!run_plane(stage, plan, p, &from, &to, error))
      return FALSE;
  return TRUE;
}
