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
#include "gst/elements/elements.h"

#include <gst/base/gstbasetransform.h>
#include <math.h>

#include "gst/base/inputs.h"
#include "gst/live/frametime.h"
#include "gst/shared/element.h"
#include "gst/shared/frames.h"
#include "gst/shared/properties.h"
#include "gst/views/bevstage.h"
#include "gst/views/orbitstage.h"

GST_DEBUG_CATEGORY_STATIC(gst_stixel_orbit_debug);
#define GST_CAT_DEFAULT gst_stixel_orbit_debug

typedef struct {
  GstOrbitSettings view;
  bool texture;
  gdouble orbit_speed; /* radians per second */
} GstStixelOrbitSettings;

#define GST_TYPE_STIXEL_ORBIT (gst_stixel_orbit_get_type())
G_DECLARE_FINAL_TYPE(GstStixelOrbit, gst_stixel_orbit, GST, STIXEL_ORBIT, GstBaseTransform)

struct _GstStixelOrbit {
  GstBaseTransform parent;

  GstStixelOrbitSettings settings; /* properties, under the object lock */

  /* Of the streaming thread. */
  GstOrbitStage stage;
  GstStxFrameTime times;
};

G_DEFINE_TYPE(GstStixelOrbit, gst_stixel_orbit, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE(stixel_orbit, "stixel-orbit", GST_RANK_NONE, GST_TYPE_STIXEL_ORBIT)

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_STIXELS_MEDIA_TYPE, "") "; video/x-raw(ANY)"));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_BEV_CAPS));

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
  GstStructure *structure;

  other = gst_caps_truncate(gst_caps_make_writable(other));
  if (direction == GST_PAD_SINK && !gst_caps_is_empty(other)) {
    structure = gst_caps_get_structure(other, 0);
    gst_structure_fixate_field_nearest_int(structure, "width", usual.width);
    gst_structure_fixate_field_nearest_int(structure, "height", usual.height);
  }
  return gst_caps_fixate(other);
}

static gboolean set_caps(GstBaseTransform *base, GstCaps *input, GstCaps *output)
{
  GstStixelOrbit *self = GST_STIXEL_ORBIT(base);
  GstOrbitStage *stage = &self->stage;
  StxError error;

  gst_stx_frame_time_set_caps(&self->times, input);
  if (gst_facet_input_configure(&stage->input, input, "an orbiting view is", &error) &&
      (stage->input.kind != GST_FACET_VIDEO ||
          gst_stx_video_info(&stage->picture, input, &error)) &&
      gst_stx_video_info(&stage->video, output, &error))
    return TRUE;
  GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
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

/* Where the eye stands by now. */
static GstOrbitSettings current_settings(GstStixelOrbit *self, GstBuffer *buffer)
{
  GstClockTime time = gst_stx_frame_time_of(&self->times, buffer);
  GstOrbitSettings settings;
  gdouble turn;

  GST_OBJECT_LOCK(self);
  settings = self->settings.view;
  settings.texture = self->settings.texture;
  turn = self->settings.orbit_speed;
  GST_OBJECT_UNLOCK(self);
  if (GST_CLOCK_TIME_IS_VALID(time))
    settings.view.azimuth =
        fmod(settings.view.azimuth + turn * ((gdouble)time / GST_SECOND), 2 * G_PI);
  return settings;
}

static GstFlowReturn transform(GstBaseTransform *base, GstBuffer *buffer, GstBuffer *view)
{
  GstStixelOrbit *self = GST_STIXEL_ORBIT(base);
  GstOrbitSettings settings = current_settings(self, buffer);
  GstBuffer *stixels = gst_facet_input_stixels(&self->stage.input, GST_ELEMENT(self), buffer);
  gboolean drawn;
  GstCaps *caps;
  StxError error;

  if (stixels == NULL)
    return GST_BASE_TRANSFORM_FLOW_DROPPED;
  caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(base));
  drawn = gst_orbit_stage_draw(&self->stage, &settings, buffer, stixels, caps, view, &error);
  gst_caps_unref(caps);
  if (drawn)
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

static gboolean stop(GstBaseTransform *base)
{
  gst_orbit_stage_clear(&GST_STIXEL_ORBIT(base)->stage);
  gst_stx_frame_time_reset(&GST_STIXEL_ORBIT(base)->times);
  return TRUE;
}

/* ---- Properties ---------------------------------------------------------------------------- */

#define FIELD(kind, member) STX_FIELD(kind, GstStixelOrbitSettings, member)

static const StxField own_fields[] = {
    {"texture", "Texture", "Of video: show its pixels on the stixels, not the colours of mode",
        FIELD(BOOL, texture)},
    {"orbit-speed", "Orbit speed",
        "How fast the eye goes around, by the time stamps of the frames, radians per second",
        FIELD(DOUBLE, orbit_speed), .low = -6.2832, .high = 6.2832, .unit = "rad/s"},
    {"reach", "Reach", "What lies farther ahead is cut off, metres", FIELD(DOUBLE, view.reach),
        .low = 1, .high = STX_FACET_MAX_REACH, .unit = "m"},
    {"threads", "Threads", "CPU threads (0 = as many as there are cores)", FIELD(INT, view.threads),
        .high = 256},
};
static const GstStixelOrbitSettings defaults = {
    .view = {.view = STX_ORBIT_DEFAULTS, .colours = STX_FACET_COLOURS_DEFAULTS, .reach = 100},
    .texture = true,
};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&stx_orbit_fields, offsetof(GstStixelOrbit, settings.view.view), GST_PARAM_MUTABLE_PLAYING,
        "GstStixelOrbit"},
    {&stx_facet_colour_fields, offsetof(GstStixelOrbit, settings.view.colours),
        GST_PARAM_MUTABLE_PLAYING, "GstStixelOrbit"},
    {&own_table, offsetof(GstStixelOrbit, settings), GST_PARAM_MUTABLE_PLAYING},
};

/* ---- GObject ------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  gst_orbit_stage_clear(&GST_STIXEL_ORBIT(object)->stage);
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
