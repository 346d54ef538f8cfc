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
#include "gst/core/elements.h"

#include "gst/core/element.h"
#include "gst/base/pairing.h"
#include "gst/core/camera.h"
#include "gst/columns/columns.h"
#include "gst/stixels/mediatypes.h"
#include "common/doubt/doubt.h"
#include "common/labels.h"
#include "gst/columns/attached.h"
#include "gst/columns/cellcaps.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC(gst_downsample_transpose_debug);
#define GST_CAT_DEFAULT gst_downsample_transpose_debug

#define DOUBT_FRAMES 3 /* that are judged together */

/* The largest buffer; 4096x2160 with 1x1 cells and 32 classes fits. */
#define COLUMNS_BYTES_MAX (1u << 30)

/* Focal length times baseline, px m, of a depth camera whose baseline is unknown, or that has
 * none: 256 pixels of disparity, the most that columns hold, are half a metre, where most such
 * cameras begin to see; at 10 m there are 13 left. Metres of stixels come out as with any other. */
#define VIRTUAL_FOCAL_BASELINE 128.

typedef enum { LABELS_TRAIN_IDS, LABELS_CITYSCAPES_IDS } LabelEncoding;

/* They count from the next start or change of caps. */
typedef struct {
  StxColmeanParams params; /* image size, classes, semantics and label map are not set here */
  LabelEncoding label_encoding;
  int disparity_steps;    /* of a pixel, in columns */
  bool confidence_is_sky; /* what comes at the pad says in unknown pixels how surely they are sky */
} Cells;

/* Slots of the stage. */
enum { DISPARITY, CONFIDENCE, SEMANTICS, COLUMNS, TABLES, SCRATCH };

G_DECLARE_FINAL_TYPE(
    GstDownsampleTranspose, gst_downsample_transpose, GST, DOWNSAMPLE_TRANSPOSE, GstStxPairing)

struct _GstDownsampleTranspose {
  GstStxPairing parent;

  /* Properties, under the object lock. */
  GstStxCameraSettings camera_settings;
  Cells cells;

  /* Caps of the pads, on the streaming thread. */
  GstStxCellCaps caps;

  /* The plan from both; valid for sets of the roles in `configured`, 0: for none. */
  guint configured;
  StxColmeanParams params;
  StxColmeanTables tables;
  StxColmeanInput layout; /* its strides of scores; the rest is filled in per frame */
  GstBuffer *attached;    /* scores or labels of the set at hand that came on a picture */

  /* Whether the map is what it is taken for, until that was doubted once. */
  StxDoubtCounts doubt;
  guint doubt_frames;
  gboolean told_doubt, told_lonely;
};

G_DEFINE_TYPE(GstDownsampleTranspose, gst_downsample_transpose, GST_TYPE_STX_PAIRING)
GST_STX_ELEMENT(downsample_transpose, "downsample-transpose")

GST_STX_PAD(
    sink, SINK, ALWAYS, GST_STX_CUDA_CAPS("video/x-raw", ",format=GRAY16_LE") "; other/tensors");
GST_STX_PAD(confidence, SINK, REQUEST, GST_STX_CUDA_CAPS("video/x-raw", ",format=GRAY8"));
GST_STX_PAD(semantics, SINK, REQUEST,
    GST_STX_CUDA_CAPS("video/x-raw", ",format=GRAY8") "; other/tensors" GST_STX_ATTACHED_CAPS);
GST_STX_PAD(src, SRC, ALWAYS, GST_STX_CUDA_CAPS(GST_STX_COLUMNS_MEDIA_TYPE, ""));

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxFieldChoice label_encodings[] = {
    {LABELS_TRAIN_IDS, "train-ids", "Cityscapes train ids"},
    {LABELS_CITYSCAPES_IDS, "cityscapes-ids", "Cityscapes and KITTI label ids"},
    {0},
};
static const StxField own_fields[] = {
    {"disparity-encoding", "Disparity encoding", "Encoding of the disparity map",
        STX_FIELD(CHOICE, Cells, params.disparity.encoding), .choices = stx_disparity_encodings},
    {"disparity-steps", "Disparity steps",
        "Steps per pixel of the output: 256, 128, 64, 32 or 16, for disparities below 65536 steps",
        STX_FIELD(INT, Cells, disparity_steps), .low = STX_DISPARITY_ONE >> STX_GRID_MAX_COARSE,
        .high = STX_DISPARITY_ONE},
    {"label-encoding", "Label encoding", "Encoding of a label image",
        STX_FIELD(CHOICE, Cells, label_encoding), .choices = label_encodings},
    {"confidence-is-sky", "Confidence is sky",
        "Values of unknown pixels on pad confidence mean sky, as in stereo-sgm's meta",
        STX_FIELD(BOOL, Cells, confidence_is_sky)},
};
static const Cells defaults = {
    .params = STX_COLMEAN_DEFAULTS, .disparity_steps = STX_DISPARITY_ONE};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    GST_STX_CAMERA_PROPERTIES(GstDownsampleTranspose, camera_settings),
    GST_STX_CAMERA_IMAGE_PROPERTIES(GstDownsampleTranspose, camera_settings),
    {&stx_grid_fields, offsetof(GstDownsampleTranspose, cells.params.grid),
        GST_PARAM_MUTABLE_READY},
    {&stx_colmean_fields, offsetof(GstDownsampleTranspose, cells.params), GST_PARAM_MUTABLE_READY,
        "GstStx"},
    {&own_table, offsetof(GstDownsampleTranspose, cells), GST_PARAM_MUTABLE_READY, "GstStx"},
};

/* ---- Caps of the inputs -------------------------------------------------------------------- */

/* gst-launch links a gray picture to the one pad that takes it. */
static void check_lonely(GstDownsampleTranspose *self)
{
  g_autoptr(GstPad) sink = gst_element_get_static_pad(GST_ELEMENT(self), "sink");

  if (!gst_pad_is_linked(sink) && !self->told_lonely) {
    self->told_lonely = TRUE;
    GST_ELEMENT_WARNING(self, STREAM, FORMAT,
        ("Pad confidence got GRAY8, and pad sink is not linked: confidence is for how certain each "
         "disparity is, sink for the disparities, GRAY16_LE. If these are pictures of a camera, "
         "put stereo-sgm in front, which makes disparities of two"),
        (NULL));
  }
}

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps, StxError *error)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(pairing);

  self->configured = 0;
  if (!gst_stx_cell_caps_set(&self->caps, role, caps, error))
    return FALSE;
  if (role == GST_STX_CELL_CONFIDENCE)
    check_lonely(self);
  self->doubt = (StxDoubtCounts){0};
  self->doubt_frames = 0;
  return TRUE;
}

/* ---- Configuration: what follows from caps and properties ---------------------------------- */

static void find_label_map(LabelEncoding encoding, uint8_t map[256])
{
  if (encoding == LABELS_CITYSCAPES_IDS)
    stx_labels_from_cityscapes(map);
  else
    stx_labels_identity(map);
}

/* Fills in what they decide; image size, classes and semantics come with the caps. */
static gboolean apply_cells(const Cells *cells, StxColmeanParams *params, StxError *error)
{
  params->grid.cell_width = cells->params.grid.cell_width;
  params->grid.cell_height = cells->params.grid.cell_height;
  params->reduction = cells->params.reduction;
  params->fill_width = cells->params.fill_width;
  params->disparity = cells->params.disparity;
  find_label_map(cells->label_encoding, params->label_map);
  return stx_grid_set_steps(&params->grid, cells->disparity_steps, error);
}

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
  applies = apply_cells(&self->cells, &self->params, error);
  self->layout.confidence_is_sky = self->cells.confidence_is_sky;
  GST_OBJECT_UNLOCK(self);
  if (self->caps.semantics.attached) /* read as train ids */
    stx_labels_identity(self->params.label_map);
  return applies &&
         gst_stx_cell_caps_layout(&self->caps, roles, &self->params, &self->layout, error) &&
         gst_stx_disparity_encoding(&self->caps.disparity, self->params.disparity.encoding,
             &self->params.disparity.encoding, error) &&
         stx_grid_check(&self->params.grid, error) && check_bytes(&self->params.grid, error);
}

/* For frame rate and camera. */
static const GstCaps *disparity_caps(GstDownsampleTranspose *self)
{
  return gst_stx_pairing_caps(GST_STX_PAIRING(self), GST_STX_CELL_DISPARITY);
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
  gboolean scales, sky;
  GstFlowReturn flow;
  GstCaps *caps;

  if (!choose(self, roles, error))
    return GST_FLOW_ERROR;
  /* Depths are none of an image's pixels; disparities are of this one's, if the user says so. */
  scales =
      stx_disparity_is_depth(self->params.disparity.encoding) || self->params.disparity.scale > 0;
  if (!gst_stx_pairing_find_camera(pairing, disparity_caps(self),
          scales ? GST_STX_CAMERA_OF_PICTURES : GST_STX_CAMERA_OF_DATA, grid->width, grid->height,
          &camera, error) ||
      !find_meaning(self, &camera, error))
    return GST_FLOW_ERROR;
  GST_DEBUG_OBJECT(self, "%d columns of %d cells, implementation %s", stx_grid_columns(grid),
      stx_grid_rows(grid), gst_stx_stage_impl_name(gst_stx_pairing_stage(pairing)));
  caps = gst_stx_columns_caps_new(grid, &camera, disparity_caps(self));
  /* Does the confidence of unknown pixels tell the sky from what could not be matched? */
  sky = self->layout.confidence_is_sky;
  if (!(roles & 1u << GST_STX_CELL_CONFIDENCE) &&
      !gst_structure_get_boolean(
          gst_caps_get_structure(disparity_caps(self), 0), GST_STX_SKY_FIELD, &sky))
    sky = FALSE;
  if (sky)
    gst_caps_set_simple(caps, GST_STX_SKY_FIELD, G_TYPE_BOOLEAN, TRUE, NULL);
  flow = gst_stx_pairing_set_src_caps(pairing, caps);
  if (flow == GST_FLOW_OK)
    self->configured = roles;
  return flow;
}

static gboolean choose_pool(GstStxPairing *pairing, GstQuery *query)
{
  return gst_stx_stage_take_bytes_pool(gst_stx_pairing_stage(pairing), query,
      stx_grid_bytes(&GST_DOWNSAMPLE_TRANSPOSE(pairing)->params.grid));
}

/* ---- Inputs -------------------------------------------------------------------------------- */

static gboolean find_disparity(GstDownsampleTranspose *self, GstStxStage *stage, GstBuffer **set,
    StxColmeanInput *input, StxError *error)
{
  const GstStxDisparity *disparity = &self->caps.disparity;
  GstBuffer *buffer = set[GST_STX_CELL_DISPARITY];
  gsize row = (gsize)disparity->width * sizeof(float);
  const void *floats;
  StxImage8 bytes;

  if (disparity->is_tensor) {
    if (!gst_stx_stage_read(
            stage, DISPARITY, "disparity", buffer, row * (gsize)disparity->height, &floats, error))
      return FALSE;
    input->floats = (StxImageFloat){floats, (ptrdiff_t)row, disparity->width, disparity->height};
    return TRUE;
  }
  if (!gst_stx_stage_image8(
          stage, DISPARITY, "disparity", buffer, &disparity->video, &bytes, error))
    return FALSE;
  input->disparity =
      (StxImage16){(uint16_t *)(void *)bytes.data, bytes.stride, bytes.width, bytes.height};
  if (!self->told_doubt && !stage->on_device)
    stx_doubt_count(&input->disparity, self->params.disparity.encoding, &self->doubt);
  return TRUE;
}

static gboolean find_confidence(GstDownsampleTranspose *self, GstStxStage *stage, GstBuffer **set,
    StxColmeanInput *input, StxError *error)
{
  GstBuffer *buffer = set[GST_STX_CELL_CONFIDENCE];
  const GstStxConfidenceMeta *meta;

  if (buffer != NULL)
    return gst_stx_stage_image8(
        stage, CONFIDENCE, "confidence", buffer, &self->caps.confidence, &input->confidence, error);
  meta = gst_buffer_get_stx_confidence_meta(set[GST_STX_CELL_DISPARITY]);
  input->confidence_is_sky |= meta != NULL; /* what comes at the pad may be anything */
  return meta == NULL || gst_stx_stage_confidence(stage, CONFIDENCE, meta, self->params.grid.width,
                             self->params.grid.height, &input->confidence, error);
}

static gboolean find_semantics(GstDownsampleTranspose *self, GstStxStage *stage, GstBuffer **set,
    StxColmeanInput *input, StxError *error)
{
  const GstStxSemantics *semantics = &self->caps.semantics;
  GstBuffer *buffer = set[GST_STX_CELL_SEMANTICS];

  if (buffer == NULL)
    return TRUE;
  if (semantics->attached)
    buffer = self->attached;
  if (semantics->kind == STX_SEMANTICS_LABELS)
    return gst_stx_stage_image8(
        stage, SEMANTICS, "semantics", buffer, &semantics->video, &input->labels, error);
  return gst_stx_stage_read(stage, SEMANTICS, "semantics", buffer,
      gst_stx_semantics_score_bytes(semantics), &input->scores, error);
}

/* ---- Frames -------------------------------------------------------------------------------- */

static GstFlowReturn announce(GstStxPairing *pairing, guint roles, StxError *error)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(pairing);

  return roles == self->configured ? GST_FLOW_OK : configure(self, roles, error);
}

/* Reads the semantics of the set's picture, which may be of another kind than the last one's. */
static gboolean look(GstDownsampleTranspose *self, GstBuffer *picture, StxError *error)
{
  const GstStxDisparity *disparity = &self->caps.disparity;
  GstStxSemantics *semantics = &self->caps.semantics, last = *semantics;
  uint8_t ids[256];

  gst_clear_buffer(&self->attached);
  if (picture == NULL || !semantics->attached)
    return TRUE;
  GST_STX_LOCKED(self, find_label_map(self->cells.label_encoding, ids));
  if (!gst_stx_attached_read(
          semantics, picture, disparity->width, disparity->height, ids, &self->attached, error))
    return FALSE;
  if (semantics->kind != last.kind ||
      memcmp(semantics->dimensions, last.dimensions, sizeof last.dimensions) != 0)
    self->configured = 0;
  return TRUE;
}

static GstFlowReturn prepare(GstElement *element, gpointer data, StxError *error)
{
  const GstStxPairingFrame *frame = data;

  if (!look(GST_DOWNSAMPLE_TRANSPOSE(element), frame->set[GST_STX_CELL_SEMANTICS], error))
    return GST_FLOW_ERROR;
  return announce(GST_STX_PAIRING(element), gst_stx_roles_of(frame->set), error);
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

static gboolean reduce(
    GstDownsampleTranspose *self, GstStxStage *stage, GstStxPairingFrame *frame, StxError *error)
{
  const StxColmeanImpl *impl = gst_stx_stage_impl(stage);
  gsize scratch_size = impl->scratch_size(&self->params, stage->place.threads);
  void *scratch = gst_stx_stage_block(stage, SCRATCH, scratch_size, error), *columns;
  const StxColmeanTables *tables;
  StxColmeanInput input = self->layout;

  if (scratch == NULL)
    return FALSE;
  tables = gst_stx_stage_constant(stage, TABLES, &self->tables, sizeof(*tables), error);
  return tables != NULL && find_disparity(self, stage, frame->set, &input, error) &&
         find_confidence(self, stage, frame->set, &input, error) &&
         find_semantics(self, stage, frame->set, &input, error) &&
         gst_stx_stage_write(
             stage, COLUMNS, frame->out, stx_grid_bytes(&self->params.grid), &columns, error) &&
         impl->run(&self->params, tables, &input, columns, scratch, &stage->place, error);
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(element);
  GstStxPairing *pairing = GST_STX_PAIRING(self);
  GstStxPairingFrame *frame = data;
  GstFlowReturn flow;

  gst_clear_buffer(&frame->out);
  flow = gst_stx_pairing_acquire(pairing, &frame->out, error);
  if (flow != GST_FLOW_OK)
    return flow;
  if (!reduce(self, gst_stx_pairing_stage(pairing), frame, error))
    return GST_FLOW_ERROR;
  judge(self);
  return GST_FLOW_OK;
}

/* ---- States -------------------------------------------------------------------------------- */

static gboolean begin(GstStxPairing *pairing, StxError *error)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(pairing);

  self->configured = 0;
  self->told_doubt = self->told_lonely = FALSE;
  return TRUE;
}

static void clear(GstStxPairing *pairing)
{
  gst_clear_buffer(&GST_DOWNSAMPLE_TRANSPOSE(pairing)->attached);
}

static void gst_downsample_transpose_class_init(GstDownsampleTransposeClass *klass)
{
  GstStxPairingClass *pairing = GST_STX_PAIRING_CLASS(klass);

  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));

  pairing->roles.names[GST_STX_CELL_DISPARITY] = "sink";
  pairing->roles.names[GST_STX_CELL_CONFIDENCE] = "confidence";
  pairing->roles.names[GST_STX_CELL_SEMANTICS] = "semantics";
  pairing->stage.host = &stx_colmean_impls;
  pairing->stage.device = &stx_colmean_cuda_impls;
  pairing->stage.prepare = prepare;
  pairing->stage.work = work;
  pairing->makes_output = TRUE;
  pairing->camera = offsetof(GstDownsampleTranspose, camera_settings);
  pairing->begin = begin;
  pairing->clear = clear;
  pairing->set_role_caps = set_role_caps;
  pairing->announce = announce;
  pairing->choose_pool = choose_pool;

  gst_stx_element_add_templates(
      klass, &sink_template, &confidence_template, &semantics_template, &src_template, NULL);
  gst_stx_element_describe(klass, "downsample-transpose", "Disparity to columns of cells",
      "Filter/Converter/Video",
      "Averages disparity, confidence and semantics over cells and transposes them");
  GST_DEBUG_CATEGORY_INIT(
      gst_downsample_transpose_debug, "downsample-transpose", 0, "cell reduction");
}

static void gst_downsample_transpose_init(GstDownsampleTranspose *self)
{
  self->cells = defaults;
  stx_colmean_prepare(&self->tables);
  gst_stx_pairing_add_pad(GST_STX_PAIRING(self), GST_STX_CELL_DISPARITY);
}
