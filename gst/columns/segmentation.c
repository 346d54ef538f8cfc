/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/columns/segmentation.h"

#include <string.h>

#include "gst/base/inputs.h"
#include "gst/stixels/cameracaps.h"
#include "common/camera_fields.h"
#include "common/satdp/satdp_carrier.h"
#include "gst/columns/columns.h"
#include "gst/core/element.h"
#include "gst/stixels/mediatypes.h"

GST_DEBUG_CATEGORY_STATIC(stx_segmentation_debug);
#define GST_CAT_DEFAULT stx_segmentation_debug

enum {
  COLUMNS,
  RECORDS,
  RESULT,
  HOST_RESULT,
  HOST_RECORDS,
  OUTPUT,
  HOST_COLUMNS,
  HIDDEN,
  MARKED,
  SLOTS
};
G_STATIC_ASSERT(SLOTS == GST_STX_SEGMENTATION_SLOT);

#define SPARE_MIN 256 /* records that a frame may have more than the one before */

/* The state of the streaming thread. */
typedef struct {
  GstStxColumnStream stream;
  gpointer result; /* of a frame, on the host */
  gsize count;     /* its records */

  guint16 *carrier;     /* cells in every column; NULL: none */
  GstStxScratch hidden; /* a frame's columns without these … */
  GstStxScratch marked; /* … and its records with them */
} GstStxSegmentationPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(GstStxSegmentation, gst_stx_segmentation, GST_TYPE_STX_TRANSFORM,
    G_ADD_PRIVATE(GstStxSegmentation) GST_DEBUG_CATEGORY_INIT(
        stx_segmentation_debug, "stx-segmentation", 0, "columns to stixels"))
#define PRIVATE(self)                                                                              \
  ((GstStxSegmentationPrivate *)gst_stx_segmentation_get_instance_private(                         \
      (GstStxSegmentation *)(self)))
#define CLASS(self) GST_STX_SEGMENTATION_GET_CLASS(self)

GST_STX_PAD(sink, SINK, ALWAYS, GST_STX_CUDA_CAPS(GST_STX_COLUMNS_MEDIA_TYPE, ""));
GST_STX_PAD(src, SRC, ALWAYS, GST_STX_CUDA_CAPS(GST_STX_STIXELS_MEDIA_TYPE, ""));

const GstStxColumnStream *gst_stx_segmentation_stream(GstStxSegmentation *self)
{
  return &PRIVATE(self)->stream;
}

void gst_stx_segmentation_set_carrier(GstStxSegmentation *self, guint16 *cells)
{
  g_free(PRIVATE(self)->carrier);
  PRIVATE(self)->carrier = cells;
}

/* ---- Caps ---------------------------------------------------------------------------------- */

static gboolean find_camera(
    const GstCaps *caps, const StxGrid *grid, StxCamera *camera, StxError *error)
{
  gst_stx_camera_from_caps(caps, camera);
  return stx_camera_of_data(camera, grid->width, grid->height, error);
}

static gboolean is_no_camera(const char *field)
{
  return !g_str_has_prefix(field, "camera-");
}

/* Downstream sees the camera with the size of the image; what is asked of upstream leaves it open.
 */
static GstCaps *other_caps(
    GstStxTransform *transform, GstPadDirection direction, const GstCaps *caps)
{
  GstStxSegmentation *self = GST_STX_SEGMENTATION(transform);
  gboolean down = direction == GST_PAD_SINK;
  GstCaps *result = gst_caps_new_empty();
  StxCamera camera;
  StxGrid grid;
  StxError error;

  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    GstStructure *structure = gst_stx_columns_rename(gst_caps_get_structure(caps, i),
        down ? GST_STX_STIXELS_MEDIA_TYPE : GST_STX_COLUMNS_MEDIA_TYPE);

    gst_stx_columns_keep(structure, is_no_camera);
    /* A camera that does not fit is refused by `configure`. */
    if (down && gst_caps_is_fixed(caps) && gst_stx_columns_caps_parse(caps, &grid, &error) &&
        find_camera(caps, &grid, &camera, &error))
      gst_stx_camera_to_structure(&camera, structure);
    gst_caps_append_structure(result, structure);
  }
  return gst_stx_cuda_both_caps(&gst_stx_segmentation_stage(self)->cuda, result);
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

static void take_settings(GstStxSegmentation *self)
{
  GST_STX_LOCKED(self, CLASS(self)->take_settings(self));
}

static gboolean configure(
    GstStxTransform *transform, const GstCaps *input, const GstCaps *output, StxError *error)
{
  GstStxSegmentation *self = GST_STX_SEGMENTATION(transform);
  GstStxColumnStream *stream = &PRIVATE(self)->stream;

  if (!parse_grid(input, CLASS(self)->rows_max, &stream->grid, error) ||
      !find_camera(input, &stream->grid, &stream->camera, error))
    return FALSE;
  stream->sky_known = FALSE;
  gst_structure_get_boolean(
      gst_caps_get_structure(input, 0), GST_STX_SKY_FIELD, &stream->sky_known);
  PRIVATE(self)->count = 0;
  take_settings(self);
  GST_DEBUG_OBJECT(self, "%d columns of %d cells, %d classes, implementation %s",
      stx_grid_columns(&stream->grid), stx_grid_rows(&stream->grid), stream->grid.classes,
      gst_stx_stage_impl_name(gst_stx_transform_stage(transform)));
  return CLASS(self)->configure(self, error);
}

/* ---- Records ------------------------------------------------------------------------------- */

static gsize worst_count(const StxGrid *grid)
{
  return (gsize)stx_grid_columns(grid) * (gsize)stx_grid_rows(grid);
}

/* Brings the first `count` records to the host, and waits for whatever is on its way there. */
static const void *bring_records(
    GstStxStage *stage, const StxStixel *records, gsize count, StxError *error)
{
  const void *host =
      gst_stx_stage_bring(stage, HOST_RECORDS, records, count * sizeof(*records), error);

  return host != NULL && gst_stx_stage_wait(stage, error) ? host : NULL;
}

/* Columns in which the carrier is unknown. */
static const void *hide_carrier(GstStxSegmentation *self, const void *columns, StxError *error)
{
  GstStxStage *stage = gst_stx_segmentation_stage(self);
  GstStxSegmentationPrivate *priv = PRIVATE(self);
  gsize size = stx_grid_bytes(&priv->stream.grid);
  const void *host = gst_stx_stage_bring(stage, HOST_COLUMNS, columns, size, error), *copy = NULL;

  if (host == NULL || !gst_stx_stage_wait(stage, error) ||
      !gst_stx_scratch_reserve(&priv->hidden, size, error))
    return NULL;
  memcpy(priv->hidden.data, host, size);
  stx_carrier_hide(&priv->stream.grid, priv->carrier, priv->hidden.data);
  return gst_stx_stage_table(stage, HIDDEN, priv->hidden.data, size, &copy, error);
}

/* The frame's records with the carrier, on the host. */
static const void *mark_carrier(GstStxSegmentation *self, const StxStixel *records, StxError *error)
{
  GstStxSegmentationPrivate *priv = PRIVATE(self);
  const void *host = bring_records(gst_stx_segmentation_stage(self), records, priv->count, error);

  if (host == NULL || !gst_stx_scratch_reserve(
                          &priv->marked, worst_count(&priv->stream.grid) * sizeof(*records), error))
    return NULL;
  priv->count =
      stx_carrier_mark(&priv->stream.grid, priv->carrier, host, priv->count, priv->marked.data);
  return priv->marked.data;
}

/*
 * Waits for the result, and for the records if they leave in system memory. Their number is not
 * known before: as many as the frame before had, and some more, come along, so that one wait is
 * enough for nearly every frame.
 */
static gboolean fetch(GstStxSegmentation *self, const StxStixel *records, const void *result,
    const void **on_host, StxError *error)
{
  GstStxStage *stage = gst_stx_segmentation_stage(self);
  GstStxSegmentationPrivate *priv = PRIVATE(self);
  gsize worst = worst_count(&priv->stream.grid);
  gsize guess = MIN(priv->count + priv->count / 4 + SPARE_MIN, worst);
  const void *found =
      gst_stx_stage_bring(stage, HOST_RESULT, result, CLASS(self)->result_size, error);

  *on_host = NULL;
  if (found == NULL ||
      !(stage->device_output ? gst_stx_stage_wait(stage, error)
                             : (*on_host = bring_records(stage, records, guess, error)) != NULL))
    return FALSE;
  memcpy(priv->result, found, CLASS(self)->result_size);
  priv->count = *(const guint32 *)((const char *)priv->result + CLASS(self)->count_offset);
  if (priv->count == 0 || priv->count > worst)
    return stx_fail(error, "%" G_GSIZE_FORMAT " records were counted, of at most %" G_GSIZE_FORMAT,
        priv->count, worst);
  if (*on_host != NULL && priv->count > guess)
    *on_host = bring_records(stage, records, priv->count, error);
  return stage->device_output || *on_host != NULL;
}

/* `on_host`: the records, if they are there already. */
static gboolean remember(
    GstStxSegmentation *self, const StxStixel *records, const void *on_host, StxError *error)
{
  gsize count = PRIVATE(self)->count;

  if (CLASS(self)->remember == NULL)
    return TRUE;
  if (on_host == NULL)
    on_host = bring_records(gst_stx_segmentation_stage(self), records, count, error);
  if (on_host != NULL)
    CLASS(self)->remember(self, on_host, count);
  return on_host != NULL;
}

static GstFlowReturn give(GstStxSegmentation *self, const StxStixel *records, const void *result,
    GstBuffer **output, StxError *error)
{
  GstStxStage *stage = gst_stx_segmentation_stage(self);
  const void *on_host, *copy = NULL;
  GstFlowReturn flow;
  gsize size;

  if (!fetch(self, records, result, &on_host, error) || !remember(self, records, on_host, error) ||
      (PRIVATE(self)->carrier != NULL && (on_host = mark_carrier(self, records, error)) == NULL))
    return GST_FLOW_ERROR;
  size = PRIVATE(self)->count * sizeof(*records);
  flow = gst_stx_stage_new_output(stage, size, FALSE, output, error);
  if (flow != GST_FLOW_OK)
    return flow;
  if (on_host != NULL && stage->device_output) {
    records = gst_stx_stage_table(stage, MARKED, on_host, size, &copy, error);
    if (records == NULL)
      return GST_FLOW_ERROR;
  } else if (on_host != NULL)
    return gst_stx_stage_fill(stage, *output, on_host, size, error) ? GST_FLOW_OK : GST_FLOW_ERROR;
  return gst_stx_stage_copy(stage, OUTPUT, *output, records, size, error) ? GST_FLOW_OK
                                                                          : GST_FLOW_ERROR;
}

/* ---- Frames -------------------------------------------------------------------------------- */

static GstFlowReturn prepare(GstElement *element, gpointer data, StxError *error)
{
  GstStxSegmentation *self = GST_STX_SEGMENTATION(element);
  const GstStxTransformFrame *frame = data;

  take_settings(self);
  return gst_stx_check_input(frame->input, stx_grid_bytes(&PRIVATE(self)->stream.grid), 0, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  GstStxSegmentation *self = GST_STX_SEGMENTATION(element);
  GstStxStage *stage = gst_stx_segmentation_stage(self);
  const StxGrid *grid = &PRIVATE(self)->stream.grid;
  GstStxTransformFrame *frame = data;
  const void *columns;
  void *records, *result;
  GstFlowReturn flow;

  gst_clear_buffer(&frame->output);
  records = gst_stx_stage_block(stage, RECORDS, worst_count(grid) * sizeof(StxStixel), error);
  if (records == NULL)
    return GST_FLOW_ERROR;
  result = gst_stx_stage_block(stage, RESULT, CLASS(self)->result_size, error);
  if (result == NULL ||
      !gst_stx_stage_read(
          stage, COLUMNS, "", frame->input, stx_grid_bytes(grid), &columns, error) ||
      (PRIVATE(self)->carrier != NULL && (columns = hide_carrier(self, columns, error)) == NULL))
    return GST_FLOW_ERROR;
  flow = CLASS(self)->segment(self, frame->input, columns, records, result, error);
  return flow == GST_FLOW_OK ? give(self, records, result, &frame->output, error) : flow;
}

static void done(GstStxTransform *transform, GstBuffer *input)
{
  CLASS(transform)->post(GST_STX_SEGMENTATION(transform), input, PRIVATE(transform)->result);
}

/* ---- GObject ------------------------------------------------------------------------------- */

static void constructed(GObject *object)
{
  PRIVATE(object)->result = g_malloc0(CLASS(object)->result_size);
  G_OBJECT_CLASS(gst_stx_segmentation_parent_class)->constructed(object);
}

static void finalize(GObject *object)
{
  gst_stx_segmentation_set_carrier(GST_STX_SEGMENTATION(object), NULL);
  gst_stx_scratch_clear(&PRIVATE(object)->hidden);
  gst_stx_scratch_clear(&PRIVATE(object)->marked);
  g_free(PRIVATE(object)->result);
  G_OBJECT_CLASS(gst_stx_segmentation_parent_class)->finalize(object);
}

static void gst_stx_segmentation_class_init(GstStxSegmentationClass *klass)
{
  GstStxTransformClass *transform = GST_STX_TRANSFORM_CLASS(klass);

  G_OBJECT_CLASS(klass)->constructed = constructed;
  G_OBJECT_CLASS(klass)->finalize = finalize;
  transform->stage.prepare = prepare;
  transform->stage.work = work;
  transform->other_caps = other_caps;
  transform->configure = configure;
  transform->done = done;

  gst_stx_element_add_templates(klass, &sink_template, &src_template, NULL);
  gst_type_mark_as_plugin_api(GST_TYPE_STX_SEGMENTATION, 0);
}

static void gst_stx_segmentation_init(GstStxSegmentation *self)
{
}
