/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/views/orbitstage.h"

#include "gst/base/inputs.h"
#include "gst/shared/frames.h"
#include "gst/views/overlayinput.h"

void gst_orbit_stage_clear(GstOrbitStage *self)
{
  gst_facet_input_clear(&self->input);
  gst_sheet_stage_clear(&self->letters);
  gst_stx_scratch_clear(&self->scratch);
}

static StxFrame planes_of(const GstVideoFrame *frame)
{
  StxFrame planes = {{NULL}, {0}};

  for (guint p = 0; p < MIN(GST_VIDEO_FRAME_N_PLANES(frame), 3); p++) {
    planes.data[p] = GST_VIDEO_FRAME_PLANE_DATA(frame, p);
    planes.stride[p] = GST_VIDEO_FRAME_PLANE_STRIDE(frame, p);
  }
  return planes;
}

/* ---- Pictures ------------------------------------------------------------------------------ */

/* Maps the frame, and says where in it the image lies. FALSE, and nothing is mapped: there is no
 * picture that could be shown. */
static gboolean open_picture(GstOrbitStage *self, const GstOrbitSettings *settings,
    GstBuffer *buffer, const GstCaps *caps, GstVideoFrame *frame, StxOrbitPicture *picture)
{
  StxSheetParams params;
  GstStxImage image;
  GstBuffer *records;
  StxError error;

  if (!settings->texture || self->input.kind != GST_FACET_VIDEO)
    return FALSE;
  params = gst_sheet_stage_params(&self->picture);
  records = params.format == NULL ? NULL : gst_overlay_attached(buffer, caps, &image, &error);
  if (records == NULL)
    return FALSE;
  gst_buffer_unref(records);
  if (!gst_stx_frame_map(frame, &self->picture, buffer, GST_MAP_READ, &error))
    return FALSE;
  *picture = (StxOrbitPicture){planes_of(frame), params.format, params.matrix, params.full_range,
      params.width, params.height, image.placement};
  return TRUE;
}

/* ---- Views --------------------------------------------------------------------------------- */

typedef struct {
  StxOrbitParams params;
  StxOrbitScene scene;
  StxPlace place;
} Job;

static gboolean draw_view(
    GstOrbitStage *self, const Job *job, const StxFrame *view, StxError *error)
{
  const StxOrbitImpl *impl = stx_impl_pick(&stx_orbit_impls, STX_BACKEND_AUTO);
  const StxSheetImpl *letters = stx_impl_pick(&stx_sheet_impls, STX_BACKEND_AUTO);
  gsize scratch = impl->scratch_size(&job->params, job->scene.count, job->place.threads);

  if (!gst_sheet_stage_prepare(&self->letters, &self->video, error) ||
      !gst_stx_scratch_reserve(&self->scratch, scratch, error))
    return FALSE;
  stx_orbit_letter(&job->params, &job->scene, self->letters.sheet);
  return impl->draw(&job->params, &job->scene, view, self->scratch.data, &job->place, error) &&
         letters->lay(
             self->letters.sheet, stx_sheet_tiles(self->letters.sheet), view, &job->place, error);
}

static gboolean draw_into(GstOrbitStage *self, const Job *job, GstBuffer *view, StxError *error)
{
  GstVideoFrame frame;
  StxFrame planes;
  gboolean drawn;

  if (!gst_stx_frame_map(&frame, &self->video, view, GST_MAP_WRITE, error))
    return FALSE;
  planes = planes_of(&frame);
  drawn = draw_view(self, job, &planes, error);
  gst_stx_frame_clear_padding(&frame);
  gst_video_frame_unmap(&frame);
  return drawn;
}

static gboolean fill_job(
    const GstOrbitStage *self, const GstOrbitSettings *settings, Job *job, StxError *error)
{
  job->params = settings->view;
  job->params.width = GST_VIDEO_INFO_WIDTH(&self->video);
  job->params.height = GST_VIDEO_INFO_HEIGHT(&self->video);
  job->params.format = stx_pixel_format(GST_VIDEO_INFO_NAME(&self->video));
  job->scene.colours = settings->colours;
  job->place = (StxPlace){.threads = stx_threads(settings->threads)};
  return stx_orbit_check(&job->params, error) &&
         gst_facet_input_image(
             &self->input, "an orbiting view is", settings->reach, &job->scene.image, error);
}

gboolean gst_orbit_stage_draw(GstOrbitStage *self, const GstOrbitSettings *settings,
    GstBuffer *buffer, GstBuffer *stixels, const GstCaps *caps, GstBuffer *view, StxError *error)
{
  Job job = {.scene = {.records = NULL}};
  StxOrbitPicture picture;
  GstVideoFrame frame;
  GstMapInfo mapped;
  gboolean shown, drawn = FALSE;

  if (!fill_job(self, settings, &job, error) ||
      !gst_stx_check_input(stixels, 0, sizeof(StxStixel), error))
    return FALSE;
  if (!gst_buffer_map(stixels, &mapped, GST_MAP_READ))
    return stx_fail(error, "cannot read the memory of the stixels");
  shown = open_picture(self, settings, buffer, caps, &frame, &picture);
  job.scene.picture = shown ? &picture : NULL;
  job.scene.records = gst_stx_aligned(&mapped, 4, &self->input.data, error);
  job.scene.count = MIN(mapped.size / sizeof(StxStixel), STX_ORBIT_MAX_COUNT);
  if (job.scene.records != NULL)
    drawn = draw_into(self, &job, view, error);
  if (shown)
    gst_video_frame_unmap(&frame);
  gst_buffer_unmap(stixels, &mapped);
  return drawn;
}
