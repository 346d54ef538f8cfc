/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxsegmentation.h"

#include "gst/gststxcamera.h"
#include "gst/gststxcolumns.h"
#include "gst/gststxtransform.h"

GST_DEBUG_CATEGORY_STATIC(stx_segmentation_debug);
#define GST_CAT_DEFAULT stx_segmentation_debug

enum { BLOCK_COLUMNS, BLOCK_RECORDS };

typedef struct {
  GstStxRun run; /* properties, under the object lock */

  GstStxCuda cuda; /* gststxcuda.h tells who may touch what */

  /* Of the streaming thread. */
  GstStxColumnStream stream;
  GstStxRecords records;
  gpointer result;        /* of a frame, on the host */
  gboolean device_output; /* stixels leave in CUDAMemory */
} GstStxSegmentationPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(GstStxSegmentation, gst_stx_segmentation, GST_TYPE_BASE_TRANSFORM,
    G_ADD_PRIVATE(GstStxSegmentation) GST_DEBUG_CATEGORY_INIT(
        stx_segmentation_debug, "stx-segmentation", 0, "columns to stixels"))
#define PRIVATE(self)                                                                              \
  ((GstStxSegmentationPrivate *)gst_stx_segmentation_get_instance_private(                         \
      (GstStxSegmentation *)(self)))
#define CLASS(self) GST_STX_SEGMENTATION_GET_CLASS(self)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK,
    GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_COLUMNS_MEDIA_TYPE, "")));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC,
    GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_STIXELS_MEDIA_TYPE, "")));

const GstStxColumnStream *gst_stx_segmentation_stream(GstStxSegmentation *self)
{
  return &PRIVATE(self)->stream;
}

/* ---- Properties ---------------------------------------------------------------------------- */

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  gboolean known;

  GST_OBJECT_LOCK(object);
  known = gst_stx_run_set_property(&PRIVATE(object)->run, id, value);
  GST_OBJECT_UNLOCK(object);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  gboolean known;

  GST_OBJECT_LOCK(object);
  known = gst_stx_run_get_property(&PRIVATE(object)->run, id, value);
  GST_OBJECT_UNLOCK(object);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

/* ---- Caps ---------------------------------------------------------------------------------- */

static StxCamera camera_for(GstStxSegmentation *self, const GstCaps *caps)
{
  StxCamera camera = {0};

  if (CLASS(self)->camera == NULL) {
    gst_stx_camera_from_caps(caps, &camera);
    return camera;
  }
  GST_OBJECT_LOCK(self);
  camera = CLASS(self)->camera(self, caps);
  GST_OBJECT_UNLOCK(self);
  return camera;
}

static gboolean remove_camera(GQuark field, GValue *value, gpointer data)
{
  return !g_str_has_prefix(g_quark_to_string(field), "camera-");
}

/* Downstream sees the camera that counts here; what is asked of upstream leaves it open. */
static GstCaps *other_caps(GstStxSegmentation *self, GstPadDirection direction, const GstCaps *caps)
{
  gboolean down = direction == GST_PAD_SINK;
  GstCaps *result = gst_caps_new_empty();

  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    GstStructure *structure = gst_stx_columns_rename(gst_caps_get_structure(caps, i),
        down ? GST_STX_STIXELS_MEDIA_TYPE : GST_STX_COLUMNS_MEDIA_TYPE);

    if (down && gst_caps_is_fixed(caps)) {
      StxCamera camera = camera_for(self, caps);
      gst_stx_camera_to_structure(&camera, structure);
    } else {
      gst_structure_filter_and_map_in_place(structure, remove_camera, NULL);
    }
    gst_caps_append_structure(result, structure);
  }
  return result;
}

static GstCaps *transform_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstStxSegmentation *self = GST_STX_SEGMENTATION(base);
  GstCaps *other = gst_stx_cuda_both_caps(&PRIVATE(self)->cuda, other_caps(self, direction, caps));
  GstCaps *result;

  if (filter == NULL)
    return other;
  result = gst_caps_intersect_full(filter, other, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(other);
  return result;
}

static GstCaps *fixate_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  if (direction == GST_PAD_SRC)
    return gst_caps_fixate(other);
  return gst_stx_cuda_fixate_caps(&PRIVATE(base)->cuda, GST_BASE_TRANSFORM_SRC_PAD(base), other);
}

static gboolean parse_grid(const GstCaps *caps, int rows_max, StxGrid *grid, StxError *error)
{
  int rows;

  if (!gst_stx_columns_caps_parse(caps, grid, error))
    return FALSE;
  rows = stx_grid_rows(grid);
  if (rows <= rows_max)
    return TRUE;
  return stx_fail(error,
      "columns of %d cells (image height %d, stixel-height %d), at most %d are possible: set "
      "stixel-height=%d or more in downsample-transpose",
      rows, grid->height, grid->cell_height, rows_max, (grid->height + rows_max - 1) / rows_max);
}

/* The CPU's part; nothing to do while the GPU works. */
static gboolean choose_host(GstStxSegmentation *self, StxError *error)
{
  GstStxSegmentationPrivate *priv = PRIVATE(self);
  const StxImplInfo *impl;

  if (priv->cuda.cuda != NULL)
    return TRUE;
  priv->stream.threads = stx_threads(priv->stream.run.threads);
  impl = CLASS(self)->choose_host(self, error);
  if (impl == NULL || !gst_stx_records_reserve(&priv->records, &priv->stream.grid, error))
    return FALSE;
  GST_DEBUG_OBJECT(self, "implementation %s", impl->name);
  return TRUE;
}

static gboolean configure(
    GstStxSegmentation *self, const GstCaps *input, const GstCaps *output, StxError *error)
{
  GstStxSegmentationPrivate *priv = PRIVATE(self);
  GstStxColumnStream *stream = &priv->stream;

  if (!parse_grid(input, CLASS(self)->rows_max, &stream->grid, error))
    return FALSE;
  stream->camera = camera_for(self, input);
  GST_OBJECT_LOCK(self);
  stream->run = priv->run;
  CLASS(self)->take_settings(self);
  GST_OBJECT_UNLOCK(self);
  gst_stx_records_leave_device(&priv->records);
  priv->device_output = gst_stx_cuda_is_caps(output);
  GST_DEBUG_OBJECT(self, "%d columns of %d cells, %d classes", stx_grid_columns(&stream->grid),
      stx_grid_rows(&stream->grid), stream->grid.classes);
  return CLASS(self)->configure(self, error) && choose_host(self, error);
}

static gboolean set_caps(GstBaseTransform *base, GstCaps *input, GstCaps *output)
{
  StxError error;

  if (configure(GST_STX_SEGMENTATION(base), input, output, &error))
    return TRUE;
  GST_STX_ELEMENT_ERROR(base, STREAM, FORMAT, &error);
  return FALSE;
}

/* ---- Frames -------------------------------------------------------------------------------- */

static guint32 result_count(GstStxSegmentation *self)
{
  return *(const guint32 *)((const char *)PRIVATE(self)->result + CLASS(self)->result.count_offset);
}

static GstFlowReturn segment_on_host(GstStxSegmentation *self, GstBuffer *input, GstBuffer **output)
{
  GstStxSegmentationPrivate *priv = PRIVATE(self);
  GstFlowReturn flow;
  GstMapInfo map;

  if (!gst_stx_map_input(GST_ELEMENT(self), input, stx_grid_bytes(&priv->stream.grid), 0, &map))
    return GST_FLOW_ERROR;
  memset(priv->result, 0, CLASS(self)->result.size);
  flow = CLASS(self)->run_host(self, input, map.data, priv->records.host.data, priv->result);
  gst_buffer_unmap(input, &map);
  if (flow != GST_FLOW_OK)
    return flow;
  *output =
      gst_stx_records_buffer(GST_BASE_TRANSFORM(self), priv->records.host.data, result_count(self));
  return *output != NULL ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static GstFlowReturn segment_on_device(
    GstStxSegmentation *self, GstBuffer *input, GstBuffer **output, StxError *error)
{
  GstStxSegmentationPrivate *priv = PRIVATE(self);
  const GstStxRecordsResult *layout = &CLASS(self)->result;
  const StxGrid *grid = &priv->stream.grid;
  const StxStixel *records = NULL;
  const void *columns;
  void *result;
  GstFlowReturn flow;

  if (!gst_stx_cuda_input_bytes(
          &priv->cuda, input, stx_grid_bytes(grid), BLOCK_COLUMNS, &columns, error) ||
      !gst_stx_records_reserve_device(&priv->records, &priv->cuda, grid, layout, &result, error))
    return GST_STX_FLOW_GPU_FAILED;
  flow = CLASS(self)->run_device(self, input, columns, priv->records.device, result, error);
  if (flow != GST_FLOW_OK)
    return flow;
  if (!gst_stx_records_fetch(&priv->records, &priv->cuda, grid, layout, result, priv->result,
          priv->device_output ? NULL : &records, error))
    return GST_STX_FLOW_GPU_FAILED;
  if (priv->device_output) {
    flow = gst_stx_records_give(&priv->records, &priv->cuda, output, error);
    return flow == GST_FLOW_ERROR ? GST_STX_FLOW_GPU_FAILED : flow;
  }
  *output = gst_stx_records_buffer(GST_BASE_TRANSFORM(self), records, priv->records.count);
  return *output != NULL ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/* From the GPU to the CPU in mid-stream. FALSE after an element error. */
static gboolean fall_back(GstStxSegmentation *self, const StxError *reason)
{
  GstStxSegmentationPrivate *priv = PRIVATE(self);
  StxError error;

  gst_stx_records_leave_device(&priv->records);
  if (!gst_stx_cuda_fail(&priv->cuda, reason))
    return FALSE;
  if (!choose_host(self, &error)) {
    GST_STX_ELEMENT_ERROR(self, RESOURCE, NO_SPACE_LEFT, &error);
    return FALSE;
  }
  if (priv->device_output && !gst_stx_transform_to_system_memory(GST_BASE_TRANSFORM(self)))
    return FALSE;
  priv->device_output = FALSE;
  return TRUE;
}

static GstFlowReturn segment(GstStxSegmentation *self, GstBuffer *input, GstBuffer **output)
{
  GstStxSegmentationPrivate *priv = PRIVATE(self);
  GstFlowReturn flow = GST_STX_FLOW_GPU_FAILED;
  StxError error;

  if (!gst_stx_check_input(GST_ELEMENT(self), input, stx_grid_bytes(&priv->stream.grid), 0))
    return GST_FLOW_ERROR;
  GST_OBJECT_LOCK(self);
  CLASS(self)->take_settings(self);
  GST_OBJECT_UNLOCK(self);
  if (priv->cuda.cuda != NULL) {
    flow = segment_on_device(self, input, output, &error);
    if (flow == GST_STX_FLOW_GPU_FAILED && !fall_back(self, &error))
      return GST_FLOW_ERROR;
  }
  return flow == GST_STX_FLOW_GPU_FAILED ? segment_on_host(self, input, output) : flow;
}

/* How large the output is comes out of the work, so the work is done here. */
static GstFlowReturn prepare_output_buffer(
    GstBaseTransform *base, GstBuffer *input, GstBuffer **output)
{
  GstStxSegmentation *self = GST_STX_SEGMENTATION(base);
  GstFlowReturn flow;

  *output = NULL;
  flow = segment(self, input, output);
  if (flow != GST_FLOW_OK)
    return flow;
  CLASS(self)->post(self, input, PRIVATE(self)->result);
  if (!GST_BASE_TRANSFORM_GET_CLASS(base)->copy_metadata(base, input, *output))
    GST_WARNING_OBJECT(self, "could not copy time stamps and metas");
  return GST_FLOW_OK;
}

static GstFlowReturn transform(GstBaseTransform *base, GstBuffer *input, GstBuffer *output)
{
  return GST_FLOW_OK;
}

/* ---- Context, queries, allocation ---------------------------------------------------------- */

static void set_context(GstElement *element, GstContext *context)
{
  gst_stx_cuda_set_context(&PRIVATE(element)->cuda, context);
  GST_ELEMENT_CLASS(gst_stx_segmentation_parent_class)->set_context(element, context);
}

static gboolean query(GstBaseTransform *base, GstPadDirection direction, GstQuery *asked)
{
  return gst_stx_cuda_query_context(&PRIVATE(base)->cuda, asked) ||
         GST_BASE_TRANSFORM_CLASS(gst_stx_segmentation_parent_class)->query(base, direction, asked);
}

static gboolean propose_allocation(GstBaseTransform *base, GstQuery *decided, GstQuery *asked)
{
  gst_stx_cuda_propose(asked);
  return TRUE;
}

static gboolean decide_allocation(GstBaseTransform *base, GstQuery *asked)
{
  gst_stx_cuda_decide(&PRIVATE(base)->cuda, asked);
  return GST_BASE_TRANSFORM_CLASS(gst_stx_segmentation_parent_class)
      ->decide_allocation(base, asked);
}

/* ---- States -------------------------------------------------------------------------------- */

static gboolean start(GstBaseTransform *base)
{
  return gst_stx_cuda_start(&PRIVATE(base)->cuda);
}

static gboolean stop(GstBaseTransform *base)
{
  GstStxSegmentationPrivate *priv = PRIVATE(base);

  gst_stx_records_clear(&priv->records);
  CLASS(base)->free_memory(GST_STX_SEGMENTATION(base));
  gst_stx_cuda_stop(&priv->cuda);
  return TRUE;
}

/* ---- GObject ------------------------------------------------------------------------------- */

static void constructed(GObject *object)
{
  GstStxSegmentationPrivate *priv = PRIVATE(object);

  gst_stx_cuda_init(&priv->cuda, GST_ELEMENT(object), &priv->run, CLASS(object)->device_impls);
  priv->result = g_malloc0(CLASS(object)->result.size);
  G_OBJECT_CLASS(gst_stx_segmentation_parent_class)->constructed(object);
}

static void finalize(GObject *object)
{
  GstStxSegmentationPrivate *priv = PRIVATE(object);

  gst_stx_records_clear(&priv->records);
  CLASS(object)->free_memory(GST_STX_SEGMENTATION(object));
  gst_stx_cuda_clear(&priv->cuda);
  g_free(priv->result);
  G_OBJECT_CLASS(gst_stx_segmentation_parent_class)->finalize(object);
}

static void gst_stx_segmentation_class_init(GstStxSegmentationClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstElementClass *element = GST_ELEMENT_CLASS(klass);
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS(klass);

  object->constructed = constructed;
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  element->set_context = set_context;
  gst_stx_run_install_properties(object);

  base->query = query;
  base->propose_allocation = propose_allocation;
  base->decide_allocation = decide_allocation;
  base->transform_caps = transform_caps;
  base->fixate_caps = fixate_caps;
  base->accept_caps = gst_stx_transform_accept_caps;
  base->set_caps = set_caps;
  base->prepare_output_buffer = prepare_output_buffer;
  base->transform = transform;
  base->start = start;
  base->stop = stop;

  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_type_mark_as_plugin_api(GST_TYPE_STX_SEGMENTATION, 0);
}

static void gst_stx_segmentation_init(GstStxSegmentation *self)
{
  GstStxSegmentationPrivate *priv = PRIVATE(self);

  priv->run = GST_STX_RUN_DEFAULTS;
  priv->stream.cuda = &priv->cuda;
  priv->records.first = BLOCK_RECORDS;
}
