/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-stixel-json
 * @title: stixel-json
 *
 * Writes stixels, obstacles, free space and labelled points as text: one line of JSON per frame,
 * with places and sizes in metres when the camera is known.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=disparity num-buffers=3 ! downsample-transpose !
 * sat-dp-stixels ! stixel-json ! filesink location=stixels.jsonl
 * ]|
 */
#include "gst/core/elements.h"

#include <gst/base/gstbasetransform.h>

#include "gst/base/inputs.h"
#include "gst/columns/columns.h"
#include "gst/io/jsonframe.h"
#include "gst/stixels/stixelmeta.h"
#include "gst/core/element.h"
#include "gst/core/memory.h"
#include "gst/core/properties.h"
#include "gst/stixels/mediatypes.h"
#include "gst/stixels/pointlabelsmeta.h"

#define MAPS 6 /* buffers of a frame at most */

G_DECLARE_FINAL_TYPE(GstStixelJson, gst_stixel_json, GST, STIXEL_JSON, GstBaseTransform)

typedef struct {
  guint write; /* GstStxJsonParts */
  bool metres;
} GstStixelJsonSettings;

/* The kind of a buffer. */
typedef enum { INPUT_STIXELS, INPUT_OBSTACLES, INPUT_POINTS, INPUT_VIDEO } InputKind;

struct _GstStixelJson {
  GstBaseTransform parent;

  GstStixelJsonSettings settings; /* properties, under the object lock */

  InputKind kind;        /* this and the rest as the caps say */
  GstStxStixelInfo info; /* of records; 0 columns: of no image */
  gboolean missed;       /* the user knows that frames lack what is to be written */
  gsize reserve;         /* bytes to begin a line with: what the previous one took */
};

G_DEFINE_TYPE(GstStixelJson, gst_stixel_json, GST_TYPE_BASE_TRANSFORM)
GST_STX_ELEMENT(stixel_json, "stixel-json")

static const StxFieldChoice parts[] = {
    {GST_STX_JSON_STIXELS, "stixels", "Stixels"},
    {GST_STX_JSON_OBSTACLES, "obstacles", "Obstacles"},
    {GST_STX_JSON_FREE_SPACE, "free-space", "Free space"},
    {GST_STX_JSON_POINTS, "points", "Counts and clusters of points"},
    {GST_STX_JSON_MOTION, "motion", "Motion since the frame before"},
    {0},
};

/* Only the metas of video are read: its format and memory do not matter. */
#define INPUTS                                                                                     \
  GST_STX_STIXELS_MEDIA_TYPE "; " GST_STX_OBSTACLES_MEDIA_TYPE "; " GST_STX_LIDAR_MEDIA_TYPE       \
                             "; video/x-raw(ANY)"

GST_STX_PAD(sink, SINK, ALWAYS, INPUTS);
GST_STX_PAD(src, SRC, ALWAYS, "application/x-json");

/* ---- Caps ---------------------------------------------------------------------------------- */

static GstCaps *transform_caps(
    GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstCaps *other =
      gst_static_pad_template_get_caps(direction == GST_PAD_SINK ? &src_template : &sink_template);

  return gst_stx_caps_filtered(other, filter);
}

static InputKind kind_of(const GstStructure *structure)
{
  static const struct {
    const char *name;
    InputKind kind;
  } kinds[] = {
      {GST_STX_OBSTACLES_MEDIA_TYPE, INPUT_OBSTACLES},
      {GST_STX_LIDAR_MEDIA_TYPE, INPUT_POINTS},
      {"video/x-raw", INPUT_VIDEO},
  };

  for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
    if (gst_structure_has_name(structure, kinds[i].name))
      return kinds[i].kind;
  return INPUT_STIXELS; /* or what reading its caps refuses */
}

static gboolean set_caps(GstBaseTransform *transform, GstCaps *input, GstCaps *output)
{
  GstStixelJson *self = GST_STIXEL_JSON(transform);
  StxError error;

  self->kind = kind_of(gst_caps_get_structure(input, 0));
  self->missed = FALSE;
  self->info = (GstStxStixelInfo){0}; /* for video it stays 0, because the metas have it */
  if ((self->kind == INPUT_STIXELS && !gst_stx_stixels_caps_parse(input, &self->info, &error)) ||
      (self->kind == INPUT_OBSTACLES &&
          !gst_stx_obstacles_caps_parse(input, &self->info, &error))) {
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
    return FALSE;
  }
  return TRUE;
}

/* ---- What is mapped ----------------------------------------------------------------------- */

/* Sources of the parts of a line: the buffer itself, or its metas. */
typedef struct {
  GstElement *element; /* posts errors */
  GstStxJsonFrame frame;

  GstBuffer *mapped[MAPS];
  GstMapInfo maps[MAPS];
  guint count;
} Input;

/* Records of `size` bytes of that part. */
static gboolean take_records(
    Input *input, GstBuffer *buffer, gsize size, guint part, GstStxJsonRecords *records)
{
  GstMapInfo *map = &input->maps[input->count];

  if (!gst_stx_map_input(input->element, buffer, 0, size, map))
    return FALSE;
  input->mapped[input->count++] = buffer;
  input->frame.parts |= part;
  *records = (GstStxJsonRecords){map->data, map->size / size};
  return TRUE;
}

/* The same, where there may be no record. */
static gboolean take_any(
    Input *input, GstBuffer *buffer, gsize size, guint part, GstStxJsonRecords *records)
{
  if (gst_buffer_get_size(buffer) > 0)
    return take_records(input, buffer, size, part, records);
  input->frame.parts |= part;
  return TRUE;
}

static gboolean take_stixels(Input *input, GstBuffer *stixels)
{
  return take_records(
      input, stixels, sizeof(StxStixel), GST_STX_JSON_STIXELS, &input->frame.stixels);
}

static gboolean take_points(Input *input, GstBuffer *points, GstBuffer *labels)
{
  GstStxJsonFrame *frame = &input->frame;

  if (!take_any(input, points, GST_STX_POINT_BYTES, GST_STX_JSON_POINTS, &frame->points) ||
      !take_any(input, labels, sizeof(guint32), GST_STX_JSON_POINTS, &frame->labels))
    return FALSE;
  if (frame->points.count == frame->labels.count)
    return TRUE;
  GST_ELEMENT_ERROR(input->element, STREAM, FORMAT,
      ("%" G_GSIZE_FORMAT " points, but labels of %" G_GSIZE_FORMAT, frame->points.count,
          frame->labels.count),
      (NULL));
  return FALSE;
}

static gboolean take_obstacles(Input *input, GstBuffer *obstacles)
{
  return take_any(
      input, obstacles, sizeof(StxObstacle), GST_STX_JSON_OBSTACLES, &input->frame.obstacles);
}

/* `info` of a scan names no image. */
static void take_info(Input *input, const GstStxStixelInfo *info)
{
  if (input->frame.info == NULL && info->columns > 0)
    input->frame.info = info;
}

/* Those of obstacles or stixels that are written, if there are as many. */
static gboolean take_velocities(Input *input, GstBuffer *buffer)
{
  GstStxVelocitiesMeta *meta = gst_buffer_get_stx_velocities_meta(buffer);
  GstStxJsonFrame *frame = &input->frame;

  if (meta == NULL)
    return TRUE;
  if (gst_buffer_get_size(meta->obstacles) == frame->obstacles.count * sizeof(StxVelocity) &&
      !take_any(input, meta->obstacles, sizeof(StxVelocity), 0, &frame->obstacle_velocities))
    return FALSE;
  return gst_buffer_get_size(meta->stixels) != frame->stixels.count * sizeof(StxVelocity) ||
         take_any(input, meta->stixels, sizeof(StxVelocity), 0, &frame->stixel_velocities);
}

static gboolean take_metas(Input *input, GstBuffer *buffer, guint wanted)
{
  GstStxStixelMeta *stixels = gst_buffer_get_stx_stixel_meta(buffer);
  GstStxObstaclesMeta *obstacles = gst_buffer_get_stx_obstacles_meta(buffer);

  if (wanted & GST_STX_JSON_MOTION)
    input->frame.motion = gst_buffer_get_stx_motion_meta(buffer);
  if (input->frame.motion != NULL)
    input->frame.parts |= GST_STX_JSON_MOTION;
  if (stixels != NULL)
    take_info(input, &stixels->info);
  if (stixels != NULL && wanted & GST_STX_JSON_STIXELS && !take_stixels(input, stixels->stixels))
    return FALSE;
  if (obstacles == NULL)
    return TRUE;
  take_info(input, &obstacles->info);
  return (!(wanted & GST_STX_JSON_OBSTACLES) || take_obstacles(input, obstacles->obstacles)) &&
         (!(wanted & GST_STX_JSON_FREE_SPACE) || obstacles->free_space == NULL ||
             take_any(input, obstacles->free_space, sizeof(StxFreeSpace), GST_STX_JSON_FREE_SPACE,
                 &input->frame.free_space));
}

/* ---- Frames -------------------------------------------------------------------------------- */

/* The kind of the buffer itself. */
static gboolean take_buffer(GstStixelJson *self, Input *input, GstBuffer *buffer, guint wanted)
{
  GstStxPointLabelsMeta *meta = gst_buffer_get_stx_point_labels_meta(buffer);

  if (self->kind == INPUT_STIXELS && wanted & GST_STX_JSON_STIXELS)
    return take_stixels(input, buffer);
  if (self->kind == INPUT_OBSTACLES && wanted & GST_STX_JSON_OBSTACLES)
    return take_obstacles(input, buffer);
  if (self->kind == INPUT_POINTS && wanted & GST_STX_JSON_POINTS)
    return meta == NULL || take_points(input, buffer, meta->labels);
  return TRUE;
}

/* Once: the user is waiting for something that will not come. */
static void warn(GstStixelJson *self, guint write)
{
  g_autoptr(GString) words = g_string_new(NULL); /* "obstacles+free-space", as users write it */

  if (self->missed)
    return;
  self->missed = TRUE;
  for (const StxFieldChoice *part = parts; part->nick != NULL; part++)
    if (write & (guint)part->value)
      g_string_append_printf(words, "%s%s", words->len > 0 ? "+" : "", part->nick);
  GST_ELEMENT_WARNING(self, STREAM, FORMAT,
      ("The input carries nothing of write=%s, and so the lines have none of it: put in front what "
       "makes it, stixel-overlay or stereo-stixels, for points lidar-ground, for obstacles and "
       "free-space stixel-obstacles, for motion stereo-sgm with motion=true",
          words->str),
      (NULL));
}

static GstFlowReturn transform(GstBaseTransform *base, GstBuffer *buffer, GstBuffer *output)
{
  GstStixelJson *self = GST_STIXEL_JSON(base);
  Input input = {.element = GST_ELEMENT(self), .frame.pts = GST_BUFFER_PTS(buffer)};
  GstStixelJsonSettings settings;
  GstStxJsonText line;
  gboolean good;

  GST_STX_LOCKED(self, settings = self->settings);
  input.frame.metres = settings.metres;
  if (self->info.columns > 0)
    input.frame.info = &self->info;
  good = take_buffer(self, &input, buffer, settings.write) &&
         take_metas(&input, buffer, settings.write & ~input.frame.parts) &&
         take_velocities(&input, buffer);
  if (good && input.frame.parts == 0)
    warn(self, settings.write);
  if (good) {
    line = (GstStxJsonText){g_malloc(self->reserve), 0, self->reserve};
    gst_stx_json_frame(&line, &input.frame);
    self->reserve = line.length + line.length / 8;
    gst_buffer_append_memory(output,
        gst_memory_new_wrapped(0, line.bytes, line.size, 0, line.length, line.bytes, g_free));
    gst_stx_offer(GST_ELEMENT(self), GST_BASE_TRANSFORM_SRC_PAD(base), output);
  }
  while (input.count > 0) {
    input.count--;
    gst_buffer_unmap(input.mapped[input.count], &input.maps[input.count]);
  }
  return good ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/* Text does not carry on what it says. */
static gboolean transform_meta(
    GstBaseTransform *base, GstBuffer *output, GstMeta *meta, GstBuffer *input)
{
  GType api = meta->info->api;

  return api != gst_stx_stixel_meta_api_get_type() &&
         api != gst_stx_obstacles_meta_api_get_type() &&
         api != gst_stx_point_labels_meta_api_get_type() &&
         api != gst_stx_motion_meta_api_get_type() &&
         api != gst_stx_velocities_meta_api_get_type() &&
         GST_BASE_TRANSFORM_CLASS(gst_stixel_json_parent_class)
             ->transform_meta(base, output, meta, input);
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxField fields[] = {
    {"write", "Write", "Parts of a line", STX_FIELD(FLAGS, GstStixelJsonSettings, write),
        .choices = parts},
    {"metres", "Metres", "Write places and sizes of stixels in metres",
        STX_FIELD(BOOL, GstStixelJsonSettings, metres)},
};
static const GstStixelJsonSettings defaults = {
    .write = GST_STX_JSON_STIXELS | GST_STX_JSON_OBSTACLES | GST_STX_JSON_FREE_SPACE |
             GST_STX_JSON_POINTS | GST_STX_JSON_MOTION,
    .metres = true,
};
static const StxFields table = {STX_FIELDS_OF(fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&table, offsetof(GstStixelJson, settings), GST_PARAM_MUTABLE_PLAYING, "GstStixelJson"},
};

/* ---- GObject ------------------------------------------------------------------------------- */

static void gst_stixel_json_class_init(GstStixelJsonClass *klass)
{
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS(klass);

  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  base->transform_caps = transform_caps;
  base->accept_caps = gst_stx_accept_caps;
  base->sink_event = gst_stx_sink_event;
  base->set_caps = set_caps;
  base->prepare_output_buffer = gst_stx_prepare_output_buffer;
  base->transform = transform;
  base->transform_meta = transform_meta;

  gst_stx_element_add_templates(klass, &sink_template, &src_template, NULL);
  gst_stx_element_describe(klass, "stixel-json", "Stixels to JSON", "Filter/Converter/Metadata",
      "Writes one line of JSON per frame of stixels, obstacles or labelled points");
}

static void gst_stixel_json_init(GstStixelJson *self)
{
  self->settings = defaults;
  gst_stx_want_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
}
