/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-downsample-transpose
 * @title: downsample-transpose
 *
 * Reduces a disparity frame, its confidence and its semantics to cells, and transposes them on
 * the way, so that one column of the image is contiguous in memory.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=disparity num-buffers=3 ! downsample-transpose !
 * sat-dp-stixels ! fakesink
 * ]|
 */
#include "gst/elements/elements.h"

#include "gst/shared/element.h"
#include "gst/base/pairing.h"
#include "gst/formats/camera.h"
#include "gst/formats/columns.h"
#include "gst/stixels/mediatypes.h"
#include "gst/settings/colmeansettings.h"
#include "gst/stages/colmeanstage.h"

GST_DEBUG_CATEGORY_STATIC(gst_downsample_transpose_debug);
#define GST_CAT_DEFAULT gst_downsample_transpose_debug

#define DOUBT_FRAMES 3 /* that are judged together */

/* Of a buffer; 4096x2160 with 1x1 cells and 32 classes fits. */
#define COLUMNS_BYTES_MAX (1u << 30)

/* Focal length times baseline, px m, of a depth camera whose baseline nobody knows, or that has
 * none: 256 pixels of disparity, the most that columns hold, are half a metre, where most such
 * cameras begin to see; at 10 m there are 13 left. Metres of stixels come out as with any other. */
#define VIRTUAL_FOCAL_BASELINE 128.

#define GST_TYPE_DOWNSAMPLE_TRANSPOSE (gst_downsample_transpose_get_type())
G_DECLARE_FINAL_TYPE(
    GstDownsampleTranspose, gst_downsample_transpose, GST, DOWNSAMPLE_TRANSPOSE, GstStxPairing)

struct _GstDownsampleTranspose {
  GstStxPairing parent;

  /* Properties, under the object lock. */
  GstStxCameraSettings camera_settings;
  GstStxCells cells;

  /* Caps of the pads, on the streaming thread. */
  GstStxCellCaps caps;
  GstCaps *disparity_caps; /* for framerate and camera */

  /* What follows from both; valid for sets of the roles in `configured`, 0: for none. */
  guint configured;
  StxColmeanParams params;
  StxColmeanTables tables;
  StxColmeanInput layout; /* its strides of scores; the rest is filled in per frame */

  /* Whether the map is what it is taken for, until that was doubted once. */
  StxDoubtCounts doubt;
  guint doubt_frames;
  gboolean told_doubt, told_lonely;
};

/* What the stage works on. */
typedef struct {
  GstBuffer **set, *columns;
} Frame;

G_DEFINE_TYPE(GstDownsampleTranspose, gst_downsample_transpose, GST_TYPE_STX_PAIRING)
GST_ELEMENT_REGISTER_DEFINE(
    downsample_transpose, "downsample-transpose", GST_RANK_NONE, GST_TYPE_DOWNSAMPLE_TRANSPOSE)

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS(GST_STX_CUDA_CAPS("video/x-raw", ",format=GRAY16_LE") "; other/tensors"));
static GstStaticPadTemplate confidence_template =
    GST_STATIC_PAD_TEMPLATE("confidence", GST_PAD_SINK, GST_PAD_REQUEST,
        GST_STATIC_CAPS(GST_STX_CUDA_CAPS("video/x-raw", ",format=GRAY8")));
static GstStaticPadTemplate semantics_template =
    GST_STATIC_PAD_TEMPLATE("semantics", GST_PAD_SINK, GST_PAD_REQUEST,
        GST_STATIC_CAPS(GST_STX_CUDA_CAPS("video/x-raw", ",format=GRAY8") "; other/tensors"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC,
    GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_COLUMNS_MEDIA_TYPE, "")));

/* ---- Properties ---------------------------------------------------------------------------- */

static const GstStxPropertyGroup properties[] = {
    GST_STX_CAMERA_PROPERTIES(GstDownsampleTranspose, camera_settings),
    GST_STX_CAMERA_IMAGE_PROPERTIES(GstDownsampleTranspose, camera_settings),
    GST_STX_CELLS_PROPERTIES(GstDownsampleTranspose, cells),
};

/* ---- Caps of the inputs -------------------------------------------------------------------- */

/* gst-launch links a gray picture to the one pad that takes it. */
static void check_lonely(GstDownsampleTranspose *self)
{
  GstPad *sink = gst_element_get_static_pad(GST_ELEMENT(self), "sink");

  if (!gst_pad_is_linked(sink) && !self->told_lonely) {
    self->told_lonely = TRUE;
    GST_ELEMENT_WARNING(self, STREAM, FORMAT,
        ("Pad confidence got GRAY8, and pad sink is not linked: confidence is for how certain each "
         "disparity is, sink for the disparities, GRAY16_LE. If these are pictures of a camera, "
         "put stereo-sgm in front, which makes disparities of two"),
        (NULL));
  }
  gst_object_unref(sink);
}

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(pairing);
  StxError error;

  self->configured = 0;
  if (!gst_stx_cell_caps_set(&self->caps, role, caps, &error)) {
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
    return FALSE;
  }
  if (role == GST_STX_CELL_DISPARITY)
    gst_caps_replace(&self->disparity_caps, caps);
  if (role == GST_STX_CELL_CONFIDENCE)
    check_lonely(self);
  self->doubt = (StxDoubtCounts){0};
  self->doubt_frames = 0;
  return TRUE;
}

/* ---- Configuration: what follows from caps and properties ---------------------------------- */

static gboolean check_bytes(const StxGrid *grid, StxError *error)
{
  gsize bytes = stx_grid_bytes(grid);

  if (bytes <= COLUMNS_BYTES_MAX)
    return TRUE;
  return stx_fail(error,
      "%dx%d pixels in cells of %dx%d with %d classes make columns of %" G_GSIZE_FORMAT
      " bytes, at most %u are possible: use a larger stixel-width or stixel-height",
      grid->width, grid->height, grid->cell_width, grid->cell_height, grid->classes, bytes,
      COLUMNS_BYTES_MAX);
}

static gboolean choose(GstDownsampleTranspose *self, guint roles, StxError *error)
{
  gboolean applies;

  GST_OBJECT_LOCK(self);
  applies = gst_stx_cells_apply(&self->cells, &self->params, error);
  self->layout.confidence_is_sky = self->cells.confidence_is_sky;
  GST_OBJECT_UNLOCK(self);
  return applies &&
         gst_stx_cell_caps_layout(&self->caps, roles, &self->params, &self->layout, error) &&
         gst_stx_disparity_encoding(&self->caps.disparity, self->params.disparity.encoding,
             &self->params.disparity.encoding, error) &&
         stx_grid_check(&self->params.grid, error) && check_bytes(&self->params.grid, error);
}

static gboolean find_camera(GstDownsampleTranspose *self, StxCamera *camera, StxError *error)
{
  const StxGrid *grid = &self->params.grid;
  const StxDisparityMeaning *meaning = &self->params.disparity;
  /* Depths are none of an image's pixels; disparities are of this one's, if the user says so. */
  gboolean fits, scales = stx_disparity_is_depth(meaning->encoding) || meaning->scale > 0;

  GST_OBJECT_LOCK(self);
  fits = gst_stx_camera_settings_apply(&self->camera_settings, self->disparity_caps,
      scales ? GST_STX_CAMERA_OF_PICTURES : GST_STX_CAMERA_OF_DATA, grid->width, grid->height,
      camera, error);
  GST_OBJECT_UNLOCK(self);
  if (fits)
    gst_stx_camera_tell(GST_ELEMENT(self), error);
  else
    gst_stx_stage_blame(
        gst_stx_pairing_stage(GST_STX_PAIRING(self)), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT);
  return fits;
}

/* Depths become disparities by the camera; one without a second lens gets one. */
static gboolean find_meaning(GstDownsampleTranspose *self, StxCamera *camera, StxError *error)
{
  StxDisparityMeaning *meaning = &self->params.disparity;

  if (stx_disparity_is_depth(meaning->encoding)) {
    if (camera->focal <= 0)
      return stx_fail(error,
          "disparity-encoding=%s needs the focal length, and it is not known: set focal in pixels, "
          "or calibration, or put camera-focal into the caps",
          stx_field_choice(stx_disparity_encodings, meaning->encoding)->nick);
    if (camera->baseline <= 0) {
      camera->baseline = MIN(VIRTUAL_FOCAL_BASELINE / camera->focal, STX_CAMERA_MOST_BASELINE);
      GST_INFO_OBJECT(
          self, "no baseline is known: depths become disparities of one of %g m", camera->baseline);
    }
    meaning->focal_baseline = camera->focal * camera->baseline;
  }
  return stx_colmean_check(&self->params, error);
}

/* Makes everything ready for sets of these roles. */
static GstFlowReturn configure(GstDownsampleTranspose *self, guint roles, StxError *error)
{
  GstStxPairing *pairing = GST_STX_PAIRING(self);
  const StxGrid *grid = &self->params.grid;
  StxCamera camera;
  GstFlowReturn flow;

  if (!choose(self, roles, error) || !find_camera(self, &camera, error) ||
      !find_meaning(self, &camera, error))
    return GST_FLOW_ERROR;
  GST_DEBUG_OBJECT(self, "%d columns of %d cells, implementation %s", stx_grid_columns(grid),
      stx_grid_rows(grid), gst_stx_stage_impl_name(gst_stx_pairing_stage(pairing)));
  flow = gst_stx_pairing_set_src_caps(
      pairing, gst_stx_columns_caps_new(grid, &camera, self->disparity_caps));
  if (flow == GST_FLOW_OK)
    self->configured = roles;
  return flow;
}

static gboolean choose_pool(GstStxPairing *pairing, GstQuery *query)
{
  return gst_stx_stage_take_bytes_pool(gst_stx_pairing_stage(pairing), query,
      stx_grid_bytes(&GST_DOWNSAMPLE_TRANSPOSE(pairing)->params.grid));
}

/* ---- Frames -------------------------------------------------------------------------------- */

static GstFlowReturn announce(GstStxPairing *pairing, guint roles, StxError *error)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(pairing);

  return roles == self->configured ? GST_FLOW_OK : configure(self, roles, error);
}

static GstFlowReturn prepare(GstElement *element, gpointer data, StxError *error)
{
  const Frame *frame = data;

  return announce(GST_STX_PAIRING(element), gst_stx_roles_of(frame->set), error);
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(element);
  GstStxPairing *pairing = GST_STX_PAIRING(self);
  Frame *frame = data;
  GstColmeanFrame reduction = {&self->caps, &self->params, &self->tables, &self->layout, frame->set,
      NULL, self->told_doubt ? NULL : &self->doubt};
  GstFlowReturn flow;

  gst_clear_buffer(&frame->columns);
  flow = gst_stx_pairing_acquire(pairing, &frame->columns, error);
  if (flow != GST_FLOW_OK)
    return flow;
  reduction.columns = frame->columns;
  return gst_colmean_stage_reduce(gst_stx_pairing_stage(pairing), &reduction, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

static void judge(GstDownsampleTranspose *self)
{
  StxDisparityEncoding encoding = self->params.disparity.encoding;
  StxDoubt doubt;

  if (self->told_doubt || ++self->doubt_frames < DOUBT_FRAMES)
    return;
  doubt = stx_doubt_judge(&self->doubt, encoding);
  self->doubt = (StxDoubtCounts){0};
  self->doubt_frames = 0;
  if (doubt == STX_DOUBT_NONE)
    return;
  self->told_doubt = TRUE;
  GST_ELEMENT_WARNING(self, STREAM, FORMAT,
      ("Pad sink: this does not look like a map with disparity-encoding=%s: %s",
          stx_field_choice(stx_disparity_encodings, encoding)->nick, stx_doubt_text(doubt)),
      (NULL));
}

static GstFlowReturn process(GstStxPairing *pairing, GstBuffer **set, GstBuffer **out)
{
  Frame frame = {.set = set};
  GstFlowReturn flow = gst_stx_stage_run(gst_stx_pairing_stage(pairing), &frame);

  if (flow == GST_FLOW_OK) {
    *out = g_steal_pointer(&frame.columns);
    judge(GST_DOWNSAMPLE_TRANSPOSE(pairing));
  }
  gst_clear_buffer(&frame.columns);
  return flow;
}

/* ---- States -------------------------------------------------------------------------------- */

static gboolean start(GstAggregator *aggregator)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(aggregator);

  self->configured = 0;
  self->told_doubt = self->told_lonely = FALSE;
  return gst_stx_camera_settings_load(&self->camera_settings, GST_ELEMENT(self)) &&
         GST_AGGREGATOR_CLASS(gst_downsample_transpose_parent_class)->start(aggregator);
}

static gboolean stop(GstAggregator *aggregator)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(aggregator);

  gst_caps_replace(&self->disparity_caps, NULL);
  return GST_AGGREGATOR_CLASS(gst_downsample_transpose_parent_class)->stop(aggregator);
}

static void finalize(GObject *object)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(object);

  gst_stx_camera_settings_clear(&self->camera_settings);
  gst_caps_replace(&self->disparity_caps, NULL);
  G_OBJECT_CLASS(gst_downsample_transpose_parent_class)->finalize(object);
}

static void add_pad_templates(GstElementClass *klass)
{
  gst_element_class_add_static_pad_template_with_gtype(
      klass, &sink_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(
      klass, &confidence_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(
      klass, &semantics_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(
      klass, &src_template, GST_TYPE_AGGREGATOR_PAD);
}

static void gst_downsample_transpose_class_init(GstDownsampleTransposeClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstElementClass *element = GST_ELEMENT_CLASS(klass);
  GstAggregatorClass *aggregator = GST_AGGREGATOR_CLASS(klass);
  GstStxPairingClass *pairing = GST_STX_PAIRING_CLASS(klass);

  object->finalize = finalize;
  gst_stx_properties_install(object, properties, G_N_ELEMENTS(properties));

  aggregator->start = start;
  aggregator->stop = stop;
  pairing->roles.names[GST_STX_CELL_DISPARITY] = "sink";
  pairing->roles.names[GST_STX_CELL_CONFIDENCE] = "confidence";
  pairing->roles.names[GST_STX_CELL_SEMANTICS] = "semantics";
  pairing->stage.host = &stx_colmean_impls;
  pairing->stage.device = &stx_colmean_cuda_impls;
  pairing->stage.prepare = prepare;
  pairing->stage.work = work;
  pairing->makes_output = TRUE;
  pairing->set_role_caps = set_role_caps;
  pairing->process = process;
  pairing->announce = announce;
  pairing->choose_pool = choose_pool;

  add_pad_templates(element);
  gst_stx_element_describe(element, "downsample-transpose", "Disparity to columns of cells",
      "Filter/Converter/Video",
      "Averages disparity, confidence and semantics over cells and transposes them");
  GST_DEBUG_CATEGORY_INIT(
      gst_downsample_transpose_debug, "downsample-transpose", 0, "cell reduction");
}

static void gst_downsample_transpose_init(GstDownsampleTranspose *self)
{
  gst_stx_camera_settings_init(&self->camera_settings);
  self->cells = GST_STX_CELLS_DEFAULTS;
  stx_colmean_prepare(&self->tables);
  gst_stx_pairing_add_pad(GST_STX_PAIRING(self), GST_STX_CELL_DISPARITY);
}
