/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-stixel-mesh
 * @title: stixel-mesh
 *
 * Makes files that viewers of 3-D open, GLB or PLY: stixels as quads in metres, scans as points, in
 * colours by distance, kind or class. One file per frame.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=disparity num-buffers=1 ! downsample-transpose !
 * sat-dp-stixels ! stixel-mesh ! filesink location=street.glb
 * ]|
 */
#include "gst/elements/elements.h"

#include <gst/base/gstbasetransform.h>

#include "common/mesh/mesh.h"
#include "gst/base/inputs.h"
#include "gst/shared/element.h"
#include "gst/shared/properties.h"
#include "gst/views/facetstage.h"

GST_DEBUG_CATEGORY_STATIC(gst_stixel_mesh_debug);
#define GST_CAT_DEFAULT gst_stixel_mesh_debug

#define WHAT "a mesh is"

#define GST_TYPE_STIXEL_MESH (gst_stixel_mesh_get_type())
G_DECLARE_FINAL_TYPE(GstStixelMesh, gst_stixel_mesh, GST, STIXEL_MESH, GstBaseTransform)

typedef struct {
  StxMeshParams params; /* its format as the caps say */
  gdouble reach;
} GstStixelMeshSettings;

struct _GstStixelMesh {
  GstBaseTransform parent;

  GstStixelMeshSettings settings; /* properties, under the object lock */

  /* Of the streaming thread. */
  StxMeshFormat format;
  GstFacetInput input;
};

G_DEFINE_TYPE(GstStixelMesh, gst_stixel_mesh, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE(stixel_mesh, "stixel-mesh", GST_RANK_NONE, GST_TYPE_STIXEL_MESH)

/* Of video only the metas are read: its format and memory do not matter. */
static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_STIXELS_MEDIA_TYPE, "") "; " GST_STX_CUDA_CAPS(
            GST_STX_LIDAR_MEDIA_TYPE, "") "; video/x-raw(ANY)"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC,
    GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_GLB_MEDIA_TYPE "; " GST_STX_PLY_MEDIA_TYPE));

/* ---- Caps ---------------------------------------------------------------------------------- */

static GstCaps *transform_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstCaps *other =
      gst_static_pad_template_get_caps(direction == GST_PAD_SINK ? &src_template : &sink_template);

  return gst_stx_caps_filtered(other, filter);
}

static gboolean set_caps(GstBaseTransform *base, GstCaps *input, GstCaps *output)
{
  GstStixelMesh *self = GST_STIXEL_MESH(base);
  const GstStructure *file = gst_caps_get_structure(output, 0);
  StxError error;

  self->format = gst_structure_has_name(file, GST_STX_PLY_MEDIA_TYPE) ? STX_MESH_PLY : STX_MESH_GLB;
  if (gst_facet_input_configure(&self->input, input, WHAT, &error))
    return TRUE;
  GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
  return FALSE;
}

/* ---- Frames -------------------------------------------------------------------------------- */

/* Takes the bytes. */
static void append_file(GstBuffer *output, gpointer bytes, gsize size, gsize used)
{
  gst_buffer_append_memory(output, gst_memory_new_wrapped(0, bytes, size, 0, used, bytes, g_free));
}

static gboolean write_stixels(GstStixelMesh *self, const GstStixelMeshSettings *settings,
    const GstMapInfo *mapped, GstBuffer *output, StxError *error)
{
  gsize count = mapped->size / sizeof(StxStixel), size = stx_mesh_stixels_size(count);
  const StxStixel *records = gst_stx_aligned(mapped, 4, &self->input.data, error);
  StxFacetImage image;
  gpointer bytes;

  if (records == NULL || !gst_facet_input_image(&self->input, WHAT, settings->reach, &image, error))
    return FALSE;
  bytes = g_malloc(size);
  append_file(
      output, bytes, size, stx_mesh_stixels(&settings->params, &image, records, count, bytes));
  return TRUE;
}

static gboolean transform_stixels(GstStixelMesh *self, const GstStixelMeshSettings *settings,
    GstBuffer *stixels, GstBuffer *output)
{
  GstMapInfo mapped;
  gboolean written;
  StxError error;

  if (!gst_stx_map_input(GST_ELEMENT(self), stixels, 0, sizeof(StxStixel), &mapped))
    return FALSE;
  written = write_stixels(self, settings, &mapped, output, &error);
  gst_buffer_unmap(stixels, &mapped);
  if (!written)
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
  return written;
}

static gboolean write_points(GstStixelMesh *self, const GstStixelMeshSettings *settings,
    const GstMapInfo *points, const GstMapInfo *labels, GstBuffer *output)
{
  gsize count = points->size / GST_STX_POINT_BYTES, size = stx_mesh_points_size(count);
  gconstpointer xyzi = NULL, words = NULL;
  gpointer bytes;
  StxError error;

  if (count > 0)
    xyzi = gst_stx_aligned(points, 4, &self->input.data, &error);
  if (xyzi != NULL && labels->size == 4 * count)
    words = gst_stx_aligned(labels, 4, &self->input.labels, &error);
  if ((count > 0 && xyzi == NULL) || (xyzi != NULL && labels->size == 4 * count && words == NULL)) {
    GST_STX_ELEMENT_ERROR(self, RESOURCE, NO_SPACE_LEFT, &error);
    return FALSE;
  }
  bytes = g_malloc(size);
  append_file(output, bytes, size, stx_mesh_points(&settings->params, xyzi, words, count, bytes));
  return TRUE;
}

static gboolean transform_scan(
    GstStixelMesh *self, const GstStixelMeshSettings *settings, GstBuffer *scan, GstBuffer *output)
{
  GstStxPointLabelsMeta *meta = gst_buffer_get_stx_point_labels_meta(scan);
  GstMapInfo points = GST_MAP_INFO_INIT, labels = GST_MAP_INFO_INIT;
  gboolean some = gst_buffer_get_size(scan) > 0, labelled = FALSE, written;

  if (some && !gst_stx_map_input(GST_ELEMENT(self), scan, 0, GST_STX_POINT_BYTES, &points))
    return FALSE;
  if (meta != NULL)
    labelled = gst_buffer_map(meta->labels, &labels, GST_MAP_READ);
  written = write_points(self, settings, &points, &labels, output);
  if (labelled)
    gst_buffer_unmap(meta->labels, &labels);
  if (some)
    gst_buffer_unmap(scan, &points);
  return written;
}

static GstFlowReturn transform(GstBaseTransform *base, GstBuffer *buffer, GstBuffer *output)
{
  GstStixelMesh *self = GST_STIXEL_MESH(base);
  GstStixelMeshSettings settings;
  GstBuffer *stixels;

  GST_OBJECT_LOCK(self);
  settings = self->settings;
  GST_OBJECT_UNLOCK(self);
  settings.params.format = self->format;
  if (self->input.kind == GST_FACET_SCANS)
    return transform_scan(self, &settings, buffer, output) ? GST_FLOW_OK : GST_FLOW_ERROR;
  stixels = gst_facet_input_stixels(&self->input, GST_ELEMENT(self), buffer);
  if (stixels == NULL)
    return GST_BASE_TRANSFORM_FLOW_DROPPED;
  return transform_stixels(self, &settings, stixels, output) ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/* A file carries nothing beside what it is. */
static gboolean transform_meta(
    GstBaseTransform *base, GstBuffer *output, GstMeta *meta, GstBuffer *input)
{
  return FALSE;
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxField own_fields[] = {
    {"reach", "Reach", "What lies farther ahead is cut off, metres",
        STX_FIELD(DOUBLE, GstStixelMeshSettings, reach), .low = 1, .high = STX_FACET_MAX_REACH,
        .unit = "m"},
};
static const GstStixelMeshSettings defaults = {.params = STX_MESH_DEFAULTS, .reach = 100};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&stx_facet_colour_fields, offsetof(GstStixelMesh, settings.params.colours),
        GST_PARAM_MUTABLE_PLAYING, "GstStixelMesh"},
    {&own_table, offsetof(GstStixelMesh, settings), GST_PARAM_MUTABLE_PLAYING},
};

/* ---- GObject ------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  gst_facet_input_clear(&GST_STIXEL_MESH(object)->input);
  G_OBJECT_CLASS(gst_stixel_mesh_parent_class)->finalize(object);
}

static void gst_stixel_mesh_class_init(GstStixelMeshClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstElementClass *element = GST_ELEMENT_CLASS(klass);
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS(klass);

  object->finalize = finalize;
  gst_stx_properties_install(object, properties, G_N_ELEMENTS(properties));
  base->transform_caps = transform_caps;
  base->accept_caps = gst_stx_accept_caps;
  base->sink_event = gst_stx_sink_event;
  base->set_caps = set_caps;
  base->submit_input_buffer = gst_stx_submit_input;
  base->prepare_output_buffer = gst_stx_prepare_output_buffer;
  base->transform = transform;
  base->transform_meta = transform_meta;

  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_stx_element_describe(element, "stixel-mesh", "Stixels and scans to files of meshes",
      "Filter/Converter", "Makes GLB or PLY files of stixels or points, one per frame");
  GST_DEBUG_CATEGORY_INIT(gst_stixel_mesh_debug, "stixel-mesh", 0, "stixels to meshes");
}

static void gst_stixel_mesh_init(GstStixelMesh *self)
{
  self->settings = defaults;
  gst_stx_want_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
}
