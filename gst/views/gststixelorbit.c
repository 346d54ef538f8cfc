/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-stixel-orbit
 * @title: stixel-orbit
 *
 * Shows stixels in space, as a camera sees them that stands behind and above, or orbits: with the
 * pixels of the video on which they hang, or in colours by distance, kind or class.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=disparity num-buffers=1 ! downsample-transpose !
 * sat-dp-stixels ! stixel-orbit ! videoconvert ! pngenc ! filesink location=orbit.png
 * ]|
 */
#include "gst/core/elements.h"

#include <gst/base/gstbasetransform.h>
#include <math.h>

#include "gst/base/inputs.h"
#include "common/orbit/orbit.h"
#include "gst/columns/columns.h"
#include "gst/core/camera.h"
#include "gst/core/element.h"
#include "gst/core/frames.h"
#include "gst/core/frametime.h"
#include "gst/core/memory.h"
#include "gst/core/properties.h"
#include "gst/cuda/cuda.h"
#include "gst/obstacles/obstaclesstage.h"
#include "gst/stixels/stixels.h"
#include "gst/views/canvasstage.h"
#include "gst/views/records.h"

GST_DEBUG_CATEGORY_STATIC(gst_stixel_orbit_debug);
#define GST_CAT_DEFAULT gst_stixel_orbit_debug

typedef struct {
  StxOrbitParams view; /* what the caps say is not in use */
  StxQuadColours colours;
  gdouble reach;
  bool texture;        /* of frames: show their pixels */
  gdouble orbit_speed; /* radians per second */
  gint threads;        /* 0: as many as there are cores */
} GstStixelOrbitSettings;

#define GST_TYPE_STIXEL_ORBIT (gst_stixel_orbit_get_type())
G_DECLARE_FINAL_TYPE(GstStixelOrbit, gst_stixel_orbit, GST, STIXEL_ORBIT, GstBaseTransform)

struct _GstStixelOrbit {
  GstBaseTransform parent;

  GstStixelOrbitSettings settings; /* properties, under the object lock */

  /* Used by the streaming thread only. */
  gboolean is_video;     /* what comes are frames with stixels attached */
  GstVideoInfo picture;  /* of these frames */
  GstStxStixelInfo info; /* of stixels; of frames that of the last one that had some */
  StxCamera camera;      /* of frames, of whatever size: for stixels that have none */
  gboolean missed;       /* a frame without stixels, of which the user knows */
  GstVideoInfo video;    /* of views */
  GstCanvasStage letters;
  GstStxScratch drawing;
  GstStxMapped records;
  GstStxFrameTime times;
};

G_DEFINE_TYPE(GstStixelOrbit, gst_stixel_orbit, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE(stixel_orbit, "stixel-orbit", GST_RANK_NONE, GST_TYPE_STIXEL_ORBIT)

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_STIXELS_MEDIA_TYPE, "") "; video/x-raw(ANY)"));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_VIEW_CAPS));

/* ---- Caps ---------------------------------------------------------------------------------- */

static GstCaps *transform_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstCaps *other =
      gst_stx_caps_at_rates(direction == GST_PAD_SINK ? &src_template : &sink_template, caps);

  return gst_stx_caps_filtered(other, filter);
}

static GstCaps *fixate_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  static const StxOrbitParams usual = STX_ORBIT_DEFAULTS;

  return direction == GST_PAD_SINK && !gst_caps_is_empty(other)
             ? gst_stx_view_fixate(other, usual.width, usual.height)
             : gst_caps_fixate(other);
}

static gboolean take_caps(
    GstStixelOrbit *self, const GstCaps *input, const GstCaps *output, StxError *error)
{
  self->missed = FALSE;
  self->is_video = gst_structure_has_name(gst_caps_get_structure(input, 0), "video/x-raw");
  gst_stx_frame_time_set_caps(&self->times, input);
  if (self->is_video) {
    gst_stx_camera_from_caps(input, &self->camera);
    return gst_stx_video_info(&self->picture, input, error) &&
           gst_stx_video_info(&self->video, output, error);
  }
  return gst_stx_stixels_caps_parse(input, &self->info, error) &&
         stx_quad_check_camera(&self->info.camera, error) &&
         gst_stx_video_info(&self->video, output, error);
}

static gboolean set_caps(GstBaseTransform *base, GstCaps *input, GstCaps *output)
{
  StxError error;

  if (take_caps(GST_STIXEL_ORBIT(base), input, output, &error))
    return TRUE;
  GST_STX_ELEMENT_ERROR(base, STREAM, FORMAT, &error);
  return FALSE;
}

static gboolean transform_size(GstBaseTransform *base, GstPadDirection direction, GstCaps *caps,
    gsize size, GstCaps *other, gsize *other_size)
{
  GstVideoInfo info;

  if (direction != GST_PAD_SINK || !gst_video_info_from_caps(&info, other))
    return FALSE;
  *other_size = GST_VIDEO_INFO_SIZE(&info);
  return TRUE;
}

static gboolean decide_allocation(GstBaseTransform *base, GstQuery *query)
{
  return gst_stx_decide_video_pool(query) &&
         GST_BASE_TRANSFORM_CLASS(gst_stixel_orbit_parent_class)->decide_allocation(base, query);
}

/* ---- Frames -------------------------------------------------------------------------------- */

/* The stixels of a buffer; NULL: it is a frame of video without any. */
static GstBuffer *find_stixels(GstStixelOrbit *self, GstBuffer *buffer)
{
  GstObstaclesInput found;

  if (!self->is_video)
    return buffer;
  found = gst_obstacles_stage_look_at_video(buffer, &self->camera);
  if (found.stixels != NULL) {
    self->info = found.info;
    return found.stixels;
  }
  if (!self->missed)
    GST_ELEMENT_WARNING(self, STREAM, FAILED,
        ("The frame at %" GST_TIME_FORMAT
         " has no stixels: of it and others like it nothing is made; put stixel-overlay or "
         "stereo-stixels before %s",
            GST_TIME_ARGS(GST_BUFFER_PTS(buffer)), GST_OBJECT_NAME(self)),
        (NULL));
  self->missed = TRUE;
  return NULL;
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

/* Maps the frame, and says where in it the image lies. FALSE, and nothing is mapped: there is no
 * picture that could be shown. */
static gboolean open_picture(
    GstStixelOrbit *self, GstBuffer *buffer, GstVideoFrame *frame, StxOrbitPicture *picture)
{
  StxCanvasParams params = gst_canvas_stage_params(&self->picture);
  GstCaps *caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
  GstBuffer *records = NULL;
  GstStxImage image;
  StxError error;

  if (params.format != NULL)
    records = gst_stx_attached_stixels(buffer, caps, &image, &error);
  gst_caps_unref(caps);
  if (records == NULL)
    return FALSE;
  gst_buffer_unref(records);
  if (!gst_stx_frame_map(frame, &self->picture, buffer, GST_MAP_READ, &error))
    return FALSE;
  *picture = (StxOrbitPicture){planes_of(frame), params.format, params.matrix, params.full_range,
      params.width, params.height, image.placement};
  return TRUE;
}

/* Draws the scene into a frame of which every byte is written. */
static gboolean draw_scene(GstStixelOrbit *self, const StxOrbitParams *params,
    const StxOrbitScene *scene, gint threads, GstBuffer *view, StxError *error)
{
  const StxOrbitImpl *impl = stx_impl_pick(&stx_orbit_impls, STX_BACKEND_AUTO);
  const StxCanvasImpl *letters = stx_impl_pick(&stx_canvas_impls, STX_BACKEND_AUTO);
  StxPlace place = {.threads = stx_threads(threads)};
  gsize scratch = impl->scratch_size(params, scene->count, place.threads);
  GstVideoFrame frame;
  StxFrame planes;
  gboolean drawn;

  if (!gst_canvas_stage_prepare(&self->letters, &self->video, error) ||
      !gst_stx_scratch_reserve(&self->drawing, scratch, error) ||
      !gst_stx_frame_map(&frame, &self->video, view, GST_MAP_WRITE, error))
    return FALSE;
  planes = planes_of(&frame);
  stx_orbit_letter(params, scene, self->letters.canvas);
  drawn = impl->draw(params, scene, &planes, self->drawing.data, &place, error) &&
          letters->lay(
              self->letters.canvas, stx_canvas_tiles(self->letters.canvas), &planes, &place, error);
  gst_stx_frame_clear_padding(&frame);
  gst_video_frame_unmap(&frame);
  return drawn;
}

static gboolean draw(GstStixelOrbit *self, const GstStixelOrbitSettings *settings,
    GstBuffer *buffer, GstBuffer *stixels, GstBuffer *view, StxError *error)
{
  StxOrbitParams params = settings->view;
  StxOrbitScene scene = {.image = {.camera = self->info.camera,
                             .width = (int)self->info.width,
                             .height = (int)self->info.height,
                             .stixel_width = (int)self->info.stixel_width,
                             .reach = settings->reach},
      .colours = settings->colours};
  StxOrbitPicture picture;
  GstVideoFrame frame;
  gboolean drawn;

  params.width = GST_VIDEO_INFO_WIDTH(&self->video);
  params.height = GST_VIDEO_INFO_HEIGHT(&self->video);
  params.format = stx_pixel_format(GST_VIDEO_INFO_NAME(&self->video));
  if (!stx_orbit_check(&params, error) || !stx_quad_check_camera(&scene.image.camera, error) ||
      !gst_stx_check_input(stixels, 0, sizeof(StxStixel), error))
    return FALSE;
  drawn = gst_stx_mapped_read(&self->records, stixels, sizeof(StxStixel), error);
  scene.records = self->records.data;
  scene.count = MIN(self->records.count, STX_ORBIT_MAX_COUNT);
  if (drawn && settings->texture && self->is_video && open_picture(self, buffer, &frame, &picture))
    scene.picture = &picture;
  drawn = drawn && draw_scene(self, &params, &scene, settings->threads, view, error);
  if (scene.picture != NULL)
    gst_video_frame_unmap(&frame);
  gst_stx_mapped_unmap(&self->records, 1);
  return drawn;
}

static GstFlowReturn transform(GstBaseTransform *base, GstBuffer *buffer, GstBuffer *view)
{
  GstStixelOrbit *self = GST_STIXEL_ORBIT(base);
  GstClockTime time = gst_stx_frame_time_of(&self->times, buffer);
  GstBuffer *stixels = find_stixels(self, buffer);
  GstStixelOrbitSettings settings;
  StxError error;

  if (stixels == NULL)
    return GST_BASE_TRANSFORM_FLOW_DROPPED;
  GST_OBJECT_LOCK(self);
  settings = self->settings;
  GST_OBJECT_UNLOCK(self);
  if (GST_CLOCK_TIME_IS_VALID(time)) /* where the eye stands by now */
    settings.view.azimuth =
        fmod(settings.view.azimuth + settings.orbit_speed * ((gdouble)time / GST_SECOND), 2 * G_PI);
  if (draw(self, &settings, buffer, stixels, view, &error))
    return GST_FLOW_OK;
  GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
  return GST_FLOW_ERROR;
}

/* Nothing that hangs on a frame lies in this view of it. */
static gboolean transform_meta(
    GstBaseTransform *base, GstBuffer *output, GstMeta *meta, GstBuffer *input)
{
  return FALSE;
}

static void clear(GstStixelOrbit *self)
{
  gst_canvas_stage_clear(&self->letters);
  gst_stx_scratch_clear(&self->drawing);
  gst_stx_mapped_clear(&self->records, 1);
}

static gboolean stop(GstBaseTransform *base)
{
  clear(GST_STIXEL_ORBIT(base));
  gst_stx_frame_time_reset(&GST_STIXEL_ORBIT(base)->times);
  return TRUE;
}

/* ---- Properties ---------------------------------------------------------------------------- */

#define FIELD(kind, member) STX_FIELD(kind, GstStixelOrbitSettings, member)

static const StxField own_fields[] = {
    {"texture", "Texture", "Show the video on stixels, not colours", FIELD(BOOL, texture)},
    {"orbit-speed", "Orbit speed",
        "Speed of the eye around the point looked at, radians per second",
        FIELD(DOUBLE, orbit_speed), .low = -6.2832, .high = 6.2832, .unit = "rad/s"},
    {"reach", "Reach", "Farthest visible distance, metres", FIELD(DOUBLE, reach), .low = 1,
        .high = STX_QUAD_MAX_REACH, .unit = "m"},
    {"threads", "Threads", "CPU threads (0 = one per core)", FIELD(INT, threads), .high = 256},
};
static const GstStixelOrbitSettings defaults = {
    .view = STX_ORBIT_DEFAULTS,
    .colours = STX_QUAD_COLOURS_DEFAULTS,
    .reach = 100,
    .texture = true,
};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&stx_orbit_fields, offsetof(GstStixelOrbit, settings.view), GST_PARAM_MUTABLE_PLAYING,
        "GstStixelOrbit"},
    {&stx_quad_colour_fields, offsetof(GstStixelOrbit, settings.colours), GST_PARAM_MUTABLE_PLAYING,
        "GstStixelOrbit"},
    {&own_table, offsetof(GstStixelOrbit, settings), GST_PARAM_MUTABLE_PLAYING},
};

/* ---- GObject ------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  clear(GST_STIXEL_ORBIT(object));
  G_OBJECT_CLASS(gst_stixel_orbit_parent_class)->finalize(object);
}

static void gst_stixel_orbit_class_init(GstStixelOrbitClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstElementClass *element = GST_ELEMENT_CLASS(klass);
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS(klass);

  object->finalize = finalize;
  gst_stx_properties_install(object, properties, G_N_ELEMENTS(properties));
  base->transform_caps = transform_caps;
  base->fixate_caps = fixate_caps;
  base->accept_caps = gst_stx_accept_caps;
  base->sink_event = gst_stx_sink_event;
  base->set_caps = set_caps;
  base->submit_input_buffer = gst_stx_submit_input;
  base->transform_size = transform_size;
  base->decide_allocation = decide_allocation;
  base->transform = transform;
  base->transform_meta = transform_meta;
  base->stop = stop;

  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_stx_element_describe(element, "stixel-orbit", "Stixels in space", "Filter/Converter/Video",
      "Shows stixels as a camera sees them that stands behind and above, or orbits");
  GST_DEBUG_CATEGORY_INIT(gst_stixel_orbit_debug, "stixel-orbit", 0, "stixels in space");
}

static void gst_stixel_orbit_init(GstStixelOrbit *self)
{
  self->settings = defaults;
  gst_stx_want_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
}
