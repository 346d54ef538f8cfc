/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/views/facetstage.h"

#include "gst/formats/camera.h"
#include "gst/formats/columns.h"
#include "gst/stages/obstaclesstage.h"

static gboolean is_of(const GstCaps *caps, const gchar *name)
{
  return gst_structure_has_name(gst_caps_get_structure(caps, 0), name);
}

gboolean gst_facet_input_configure(
    GstFacetInput *self, const GstCaps *caps, const gchar *what, StxError *error)
{
  self->missed = FALSE;
  self->kind = is_of(caps, "video/x-raw")              ? GST_FACET_VIDEO
               : is_of(caps, GST_STX_LIDAR_MEDIA_TYPE) ? GST_FACET_SCANS
                                                       : GST_FACET_STIXELS;
  if (self->kind == GST_FACET_VIDEO)
    gst_stx_camera_from_caps(caps, &self->camera);
  if (self->kind != GST_FACET_STIXELS)
    return TRUE;
  return gst_stx_stixels_caps_parse(caps, &self->info, error) &&
         stx_facet_check_camera(&self->info.camera, what, error);
}

GstBuffer *gst_facet_input_stixels(GstFacetInput *self, GstElement *element, GstBuffer *buffer)
{
  GstObstaclesInput found;

  if (self->kind == GST_FACET_STIXELS)
    return buffer;
  found = gst_obstacles_stage_look_at_video(buffer, &self->camera);
  if (found.stixels != NULL) {
    self->info = found.info;
    return found.stixels;
  }
  if (!self->missed)
    GST_ELEMENT_WARNING(element, STREAM, FAILED,
        ("The frame at %" GST_TIME_FORMAT
         " has no stixels: of it and others like it nothing is made; put stixel-overlay or "
         "stereo-stixels before %s",
            GST_TIME_ARGS(GST_BUFFER_PTS(buffer)), GST_OBJECT_NAME(element)),
        (NULL));
  self->missed = TRUE;
  return NULL;
}

gboolean gst_facet_input_image(const GstFacetInput *self, const gchar *what, gdouble reach,
    StxFacetImage *image, StxError *error)
{
  *image = (StxFacetImage){.camera = self->info.camera,
      .width = (int)self->info.width,
      .height = (int)self->info.height,
      .stixel_width = (int)self->info.stixel_width,
      .reach = reach};
  return stx_facet_check_camera(&image->camera, what, error);
}

void gst_facet_input_clear(GstFacetInput *self)
{
  gst_stx_scratch_clear(&self->data);
  gst_stx_scratch_clear(&self->labels);
}
