/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stages/rectifystage.h"

#include "gst/shared/frames.h"

#define PLANES 3

enum { INPUT, OUTPUT = INPUT + PLANES, MAP = OUTPUT + PLANES };

/* ---- Planes -------------------------------------------------------------------------------- */

/* What the format says of a plane. */
typedef struct {
  gint shift_x, shift_y;
  StxRectifySample sample;
} Plane;

/* Outside everything is 0: black, and transparent where there is an alpha; chroma has 128 for it.
 */
static Plane plane_of(const GstVideoInfo *info, guint plane)
{
  const GstVideoFormatInfo *format = info->finfo;
  guint component = 0;
  Plane result = {0};

  while (GST_VIDEO_FORMAT_INFO_PLANE(format, component) != plane)
    component++;
  result.shift_x = GST_VIDEO_FORMAT_INFO_W_SUB(format, component);
  result.shift_y = GST_VIDEO_FORMAT_INFO_H_SUB(format, component);
  result.sample.bytes = GST_VIDEO_FORMAT_INFO_PSTRIDE(format, component);
  if (GST_VIDEO_FORMAT_INFO_IS_YUV(format) && plane > 0)
    memset(result.sample.border, 128, sizeof result.sample.border);
  return result;
}

static gboolean is_subsampled(const Plane *plane)
{
  return plane->shift_x > 0 || plane->shift_y > 0;
}

/* ---- Plan ---------------------------------------------------------------------------------- */

static gboolean fill_map(
    GstRectifyPlan *plan, const Plane *plane, gint threads, gboolean filled[2], StxError *error)
{
  gboolean small = is_subsampled(plane);
  GstStxScratch *memory = &plan->map[small];

  if (filled[small])
    return TRUE;
  if (!gst_stx_scratch_reserve(
          memory, stx_rectify_map_bytes(&plan->view, plane->shift_x, plane->shift_y), error))
    return FALSE;
  stx_rectify_map_fill(&plan->view, plane->shift_x, plane->shift_y, memory->data, threads);
  plan->on_device[small] = NULL;
  filled[small] = TRUE;
  return TRUE;
}

/* Half of a frame has to begin between two samples of all its planes. */
static gboolean check_part(const GstRectifyPlan *plan, const Plane *plane, StxError *error)
{
  const GstVideoRectangle *part = &plan->part;

  if (part->x % (1 << plane->shift_x) == 0 && part->y % (1 << plane->shift_y) == 0)
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
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&plan->input); p++) {
    Plane plane = plane_of(&plan->input, p);

    if (!check_part(plan, &plane, error) || !fill_map(plan, &plane, threads, filled, error))
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

static gboolean run_plane(GstStxStage *stage, GstRectifyPlan *plan, guint p, const StxFrame *input,
    const StxFrame *output, StxError *error)
{
  const StxRectifyImpl *impl = gst_stx_stage_impl(stage);
  Plane plane = plane_of(&plan->input, p);
  gboolean small = is_subsampled(&plane);
  const void *memory = gst_stx_stage_table(stage, MAP + (guint)small, plan->map[small].data,
      stx_rectify_map_bytes(&plan->view, plane.shift_x, plane.shift_y), &plan->on_device[small],
      error);
  StxRectifyMap map = stx_rectify_map_in(&plan->view, plane.shift_x, plane.shift_y, memory);
  StxImage8 source = {input->data[p], input->stride[p], map.source_width, map.source_height};
  StxImage8 target = {output->data[p], output->stride[p], map.width, map.height};

  return memory != NULL && impl->run(&map, &plane.sample, &source, &target, &stage->place, error);
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
  for (guint p = 0; p < planes; p++)
    if (!run_plane(stage, plan, p, &from, &to, error))
      return FALSE;
  return TRUE;
}
