/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-road-hazards
 * @title: road-hazards
 *
 * Finds small things on the road and holes in it, of a rectified stereo pair and its disparity map.
 * The left picture passes, with #GstStxObstaclesMeta and #GstVideoRegionOfInterestMeta. Where the
 * disparity or the picture carries #GstStxMotionMeta, frames confirm each other.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 road-hazards name=hazards ! stixel-json ! fdsink
 *     street-scene-src scene=hazards num-buffers=10 ! video/x-raw,format=GRAY8 ! tee name=l
 *     street-scene-src scene=hazards view=right num-buffers=10 ! video/x-raw,format=GRAY8 !
 *     tee name=r stereo-sgm name=sgm ! hazards.disparity
 *     l. ! queue ! sgm.sink_left r. ! queue ! sgm.sink_right
 *     l. ! queue ! hazards.sink_left r. ! queue ! hazards.sink_right
 * ]|
 */
#include "gst/core/elements.h"

#include "common/hazards/hazards.h"
#include "gst/base/pairing.h"
#include "gst/columns/disparity.h"
#include "gst/core/camera.h"
#include "gst/core/element.h"
#include "gst/obstacles/regions.h"

GST_DEBUG_CATEGORY_STATIC(road_hazards_debug);
#define GST_CAT_DEFAULT road_hazards_debug

/* First those whose first plane is 8-bit luma, in rows. */
#define FORMATS                                                                                    \
  "{ GRAY8, I420, YV12, NV12, NV21, NV16, NV61, NV24, Y41B, Y42B, Y444, YUV9, YVU9, "              \
  "A420, " STX_LUMA_FORMATS " }"
#define PICTURES "video/x-raw,format=" FORMATS

enum { ROLE_LEFT, ROLE_RIGHT, ROLE_DISPARITY, ROLES };
enum { LUMA = ROLES, GRAY }; /* slots of the stage, after those of the roles; GRAY: two */
static const gchar *const roles[ROLES] = {"sink_left", "sink_right", "disparity"};

G_DECLARE_FINAL_TYPE(GstRoadHazards, gst_road_hazards, GST, ROAD_HAZARDS, GstStxPairing)

struct _GstRoadHazards {
  GstStxPairing parent;

  /* Properties, guarded by the object lock. */
  GstStxCameraSettings camera_settings;
  StxHazardsParams params;

  /* Used by the streaming thread only. */
  gboolean changed; /* caps since the last announcement */
  GstVideoInfo pictures[2];
  GstStxDisparity map;
  StxCamera camera;
  StxHazards *state;
  gboolean told; /* the user knows that regions could not be attached */
};

G_DEFINE_FINAL_TYPE(GstRoadHazards, gst_road_hazards, GST_TYPE_STX_PAIRING)
GST_STX_ELEMENT(road_hazards, "road-hazards")

GST_STX_PAD(sink_left, SINK, REQUEST, PICTURES);
GST_STX_PAD(sink_right, SINK, REQUEST, PICTURES);
GST_STX_PAD(disparity, SINK, REQUEST, "video/x-raw,format=GRAY16_LE");
GST_STX_PAD(src, SRC, ALWAYS, PICTURES);

/* ---- Caps ---------------------------------------------------------------------------------- */

static gboolean take_disparity(GstRoadHazards *self, const GstCaps *caps, StxError *error)
{
  StxDisparityEncoding encoding;

  if (!gst_stx_disparity_from_caps(&self->map, caps, error) ||
      !gst_stx_disparity_encoding(&self->map, STX_DISPARITY_AUTO, &encoding, error))
    return FALSE;
  return (!self->map.is_tensor && encoding == STX_DISPARITY_KITTI) ||
         stx_fail(error, "pad disparity: its numbers must be disparities in 1/256 pixel, 16 bits, "
                         "as stereo-sgm "
                         "with output=disparity gives them");
}

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps, StxError *error)
{
  GstRoadHazards *self = GST_ROAD_HAZARDS(pairing);
  g_autoptr(GstCaps) possible = gst_static_pad_template_get_caps(&sink_left_template);
  g_autofree gchar *text = NULL;

  self->changed = TRUE;
  if (role == ROLE_DISPARITY)
    return take_disparity(self, caps, error);
  if (gst_caps_is_subset(caps, possible) && gst_video_info_from_caps(&self->pictures[role], caps))
    return TRUE;
  text = gst_caps_to_string(caps);
  return stx_fail(error, "pad %s got %.120s; expected " PICTURES ": put videoconvert in front",
      roles[role], text);
}

static gboolean check_sizes(GstRoadHazards *self, StxError *error)
{
  gint width = self->map.width, height = self->map.height;

  for (guint role = ROLE_LEFT; role <= ROLE_RIGHT; role++)
    if (GST_VIDEO_INFO_WIDTH(&self->pictures[role]) != width ||
        GST_VIDEO_INFO_HEIGHT(&self->pictures[role]) != height)
      return stx_fail(error, "pad %s has pictures of %d x %d pixels, pad disparity maps of %d x %d",
          roles[role], GST_VIDEO_INFO_WIDTH(&self->pictures[role]),
          GST_VIDEO_INFO_HEIGHT(&self->pictures[role]), width, height);
  return TRUE;
}

/* The camera that the map names, or else the left picture. */
static gboolean find_camera(GstRoadHazards *self, const GstCaps *left, StxError *error)
{
  const GstCaps *map = gst_stx_pairing_caps(GST_STX_PAIRING(self), ROLE_DISPARITY);
  StxCamera camera;

  gst_stx_camera_from_caps(map, &camera);
  if (!gst_stx_pairing_find_camera(GST_STX_PAIRING(self), camera.focal > 0 ? map : left,
          GST_STX_CAMERA_OF_DATA, self->map.width, self->map.height, &self->camera, error))
    return FALSE;
  if (stx_camera_is_metric(&self->camera) && !(self->camera.missing & STX_CAMERA_CX))
    return TRUE;
  stx_fail(error,
      "hazards are measured in metres, and of the camera is unknown: %s. Set calibration, or "
      "focal, "
      "cx and baseline, here or on stereo-sgm",
      !(self->camera.focal > 0)      ? "focal length"
      : !(self->camera.baseline > 0) ? "baseline"
                                     : "cx");
  return stx_fail_as(error, STX_ERROR_SETTINGS);
}

/* After a change of caps or properties: those of the left picture, with the camera. */
static GstFlowReturn announce(GstStxPairing *pairing, guint set, StxError *error)
{
  GstRoadHazards *self = GST_ROAD_HAZARDS(pairing);
  GstFlowReturn flow = GST_FLOW_ERROR;
  g_autoptr(GstCaps) caps = NULL;

  if (!self->changed)
    return GST_FLOW_OK;
  caps = gst_caps_copy(gst_stx_pairing_caps(pairing, ROLE_LEFT));
  if (check_sizes(self, error) && find_camera(self, caps, error)) {
    gst_stx_camera_to_structure(&self->camera, gst_caps_get_structure(caps, 0));
    flow = gst_stx_pairing_set_src_caps(pairing, gst_caps_ref(caps));
  }
  if (flow == GST_FLOW_OK)
    self->changed = FALSE;
  return flow;
}

/* ---- Frames -------------------------------------------------------------------------------- */

/* The camera's motion, of the disparity or else of the left picture, if one of them has it. */
static void take_motion(GstRoadHazards *self, GstBuffer **set, StxHazardsFrame *frame)
{
  GstStxMotionMeta *meta = gst_buffer_get_stx_motion_meta(set[ROLE_DISPARITY]);

  if (meta == NULL)
    meta = gst_buffer_get_stx_motion_meta(set[ROLE_LEFT]);
  if (meta == NULL)
    return;
  frame->motion = &meta->motion;
  frame->interval = meta->interval;
  frame->time = gst_stx_pairing_time(GST_STX_PAIRING(self));
}

/* Obstacles as a meta, and as regions of interest. */
static void attach(GstRoadHazards *self, GstBuffer *picture, const StxHazardsResult *result)
{
  GstStxStixelInfo info = {.width = (guint)self->map.width,
      .height = (guint)self->map.height,
      .stixel_width = (guint)self->map.width,
      .columns = 1,
      .camera = self->camera};
  GstStxRegionsFrame regions = {.buffer = picture,
      .width = self->map.width,
      .height = self->map.height,
      .time = gst_stx_pairing_time(GST_STX_PAIRING(self)),
      .duration = GST_BUFFER_DURATION(picture)};
  g_autoptr(GstBuffer) records = result->count > 0 ? gst_buffer_new_memdup(result->hazards,
                                                         result->count * sizeof *result->hazards)
                                                   : gst_buffer_new();
  GstCaps *caps = gst_stx_pairing_caps(GST_STX_PAIRING(self), ROLE_LEFT);
  GstStxObstaclesMeta *older;
  g_autoptr(GError) error = NULL;

  while ((older = gst_buffer_get_stx_obstacles_meta(picture)) != NULL)
    gst_buffer_remove_meta(picture, &older->meta);
  gst_buffer_add_stx_obstacles_meta(picture, records, NULL, &info);
  if (!gst_stx_regions_attach(&regions, caps, &error) && !self->told) {
    self->told = TRUE;
    GST_ELEMENT_WARNING(
        self, STREAM, FORMAT, ("Hazards get no regions of interest: %s", error->message), (NULL));
  }
}

static gboolean find_pictures(GstRoadHazards *self, GstStxStage *stage, GstBuffer **set,
    StxHazardsFrame *frame, StxError *error)
{
  StxImage8 *const images[] = {&frame->left, &frame->right};
  StxImage8 map;

  for (guint role = ROLE_LEFT; role <= ROLE_RIGHT; role++) {
    const GstVideoInfo *info = &self->pictures[role];

    if (!gst_stx_stage_image8(stage, role, roles[role], set[role], info, images[role], error) ||
        !gst_stx_stage_gray(stage, LUMA, GRAY + role, info, 0, images[role], error))
      return FALSE;
  }
  if (!gst_stx_stage_image8(stage, ROLE_DISPARITY, roles[ROLE_DISPARITY], set[ROLE_DISPARITY],
          &self->map.video, &map, error))
    return FALSE;
  frame->disparity = (StxImage16){(uint16_t *)(void *)map.data, map.stride, map.width, map.height};
  frame->camera = self->camera;
  take_motion(self, set, frame);
  return TRUE;
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  GstRoadHazards *self = GST_ROAD_HAZARDS(element);
  GstStxStage *stage = gst_stx_pairing_stage(GST_STX_PAIRING(self));
  GstStxPairingFrame *frame = data;
  StxHazardsFrame input = {.motion = NULL};
  StxHazardsResult result;
  StxHazardsParams params;

  GST_STX_LOCKED(self, params = self->params);
  if (!stx_hazards_check(&params, error)) {
    stx_fail_as(error, STX_ERROR_SETTINGS);
    return GST_FLOW_ERROR;
  }
  if (!find_pictures(self, stage, frame->set, &input, error) ||
      !stx_hazards_find(self->state, &params, &input, gst_stx_stage_impl(stage),
          stage->place.threads, &result, error))
    return GST_FLOW_ERROR;
  GST_LOG_OBJECT(self, "%" G_GSIZE_FORMAT " hazards, %s ground, noise %.2f", result.count,
      result.ground ? "with" : "without", result.noise);
  gst_clear_buffer(&frame->out);
  frame->out = gst_buffer_copy(frame->set[ROLE_LEFT]);
  attach(self, frame->out, &result);
  return GST_FLOW_OK;
}

static void reset(GstStxPairing *pairing)
{
  GstRoadHazards *self = GST_ROAD_HAZARDS(pairing);

  if (self->state != NULL)
    stx_hazards_reset(self->state);
}

/* ---- Properties and class ------------------------------------------------------------------ */

static const GstStxPropertyGroup properties[] = {
    GST_STX_CAMERA_PROPERTIES(GstRoadHazards, camera_settings),
    GST_STX_CAMERA_IMAGE_PROPERTIES(GstRoadHazards, camera_settings),
    {&stx_hazards_fields, offsetof(GstRoadHazards, params), GST_PARAM_MUTABLE_PLAYING, "GstStx"},
};

static gboolean begin(GstStxPairing *pairing, StxError *error)
{
  GstRoadHazards *self = GST_ROAD_HAZARDS(pairing);

  self->changed = TRUE;
  self->told = FALSE;
  if (self->state == NULL)
    self->state = stx_hazards_new();
  if (self->state != NULL)
    return TRUE;
  stx_fail(error, "There is no memory for hazards");
  return stx_fail_as(error, STX_ERROR_MEMORY);
}

static void clear(GstStxPairing *pairing)
{
  g_clear_pointer(&GST_ROAD_HAZARDS(pairing)->state, stx_hazards_free);
}

static void gst_road_hazards_init(GstRoadHazards *self)
{
  self->params = (StxHazardsParams)STX_HAZARDS_DEFAULTS;
}

static void gst_road_hazards_class_init(GstRoadHazardsClass *klass)
{
  GstStxPairingClass *pairing = GST_STX_PAIRING_CLASS(klass);

  GST_DEBUG_CATEGORY_INIT(road_hazards_debug, "road-hazards", 0, "small things and holes");
  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  gst_stx_element_add_templates(
      klass, &src_template, &sink_left_template, &sink_right_template, &disparity_template, NULL);
  gst_stx_element_describe(klass, "road-hazards", "Small things on the road, and holes in it",
      "Filter/Analyzer/Video", "Finds what is lower than stixels tell, by tests of both pictures");
  pairing->camera = offsetof(GstRoadHazards, camera_settings);
  pairing->begin = begin;
  pairing->clear = clear;
  for (guint role = 0; role < ROLES; role++)
    pairing->roles.names[role] = roles[role];
  pairing->roles.sufficient[0] = 1u << ROLE_LEFT | 1u << ROLE_RIGHT | 1u << ROLE_DISPARITY;
  pairing->stage.host = &stx_hazards_impls;
  pairing->stage.work = work;
  pairing->uses_motion = TRUE;
  pairing->set_role_caps = set_role_caps;
  pairing->announce = announce;
  pairing->reset = reset;
}
