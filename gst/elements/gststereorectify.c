/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-stereo-rectify
 *
 * Makes the pictures of two real cameras those of a rectified pair, as stereo-sgm needs them. Each
 * view goes its own way, from sink_left to src_left and from sink_right to src_right; or both come
 * in one frame on the pad sink. What the calibration says of the rectified pair goes into the caps.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 v4l2src ! video/x-raw,width=2560,height=720 \
 *     ! stereo-rectify name=rectify layout=side-by-side calibration=SN12345.conf \
 *     rectify.src_left ! queue ! sgm.sink_left  rectify.src_right ! queue ! sgm.sink_right \
 *     stereo-sgm name=sgm ! videoconvert ! autovideosink
 * ]|
 */
#include "gst/elements/elements.h"

#include "gst/lanes/lanes.h"
#include "gst/formats/camera.h"
#include "gst/shared/element.h"
#include "gst/stages/rectifystage.h"
#include "gst/stages/sgmviews.h"

GST_DEBUG_CATEGORY_STATIC(stereo_rectify_debug);
#define GST_CAT_DEFAULT stereo_rectify_debug

#define GST_TYPE_STEREO_RECTIFY (gst_stereo_rectify_get_type())
G_DECLARE_FINAL_TYPE(GstStereoRectify, gst_stereo_rectify, GST, STEREO_RECTIFY, GstStxLanes)

typedef struct {
  gchar *calibration, *calibration_right; /* owned; NULL: none */
  gint pair;
  gdouble unit;
  GstStereoSgmLayout layout;
  StxRectifyParams params;
} GstStereoRectifySettings;

struct _GstStereoRectify {
  GstStxLanes parent;

  GstStereoRectifySettings settings;       /* properties, under the object lock */
  GstRectifyPlan plan[GST_STX_LANE_COUNT]; /* of the lanes' threads */
};

G_DEFINE_FINAL_TYPE(GstStereoRectify, gst_stereo_rectify, GST_TYPE_STX_LANES)
GST_ELEMENT_REGISTER_DEFINE(
    stereo_rectify, "stereo-rectify", GST_RANK_NONE, GST_TYPE_STEREO_RECTIFY)

/* ---- Settings ------------------------------------------------------------------------------ */

/* The texts of a copy are its own. */
static GstStereoRectifySettings copy_settings(GstStereoRectify *self)
{
  GstStereoRectifySettings settings;

  GST_OBJECT_LOCK(self);
  settings = self->settings;
  settings.calibration = g_strdup(settings.calibration);
  settings.calibration_right = g_strdup(settings.calibration_right);
  GST_OBJECT_UNLOCK(self);
  return settings;
}

static void clear_settings(GstStereoRectifySettings *settings)
{
  g_clear_pointer(&settings->calibration, g_free);
  g_clear_pointer(&settings->calibration_right, g_free);
}

/* For pictures of this size; 0: any. */
static gboolean load(const GstStereoRectifySettings *settings, gint width, gint height,
    StxCalibration *calibration, StxError *error)
{
  const StxCalibrationFiles files = {
      settings->calibration, settings->calibration_right, settings->pair, settings->unit};

  if (files.path == NULL || *files.path == '\0')
    return stx_fail(error,
        "no calibration is given: set calibration=FILE, and calibration-right=FILE where there are "
        "two");
  return stx_calibration_load(&files, width, height, calibration, error);
}

/* What is wrong with the files is said before anything flows. */
static gboolean start(GstStxLanes *lanes)
{
  GstStereoRectifySettings settings = copy_settings(GST_STEREO_RECTIFY(lanes));
  StxCalibration calibration;
  StxError error;
  gboolean loaded = load(&settings, 0, 0, &calibration, &error);

  clear_settings(&settings);
  if (!loaded)
    GST_STX_ELEMENT_ERROR(lanes, RESOURCE, OPEN_READ, &error);
  return loaded;
}

/* ---- From caps to a plan ------------------------------------------------------------------- */

/* Where the lane's view lies in the frames of pad sink, or of its own pad. */
static gboolean find_part(
    GstRectifyPlan *plan, guint lane, gboolean both, GstStereoSgmLayout layout, StxError *error)
{
  GstStereoSgmViews views = {0};
  gboolean second;

  plan->part = (GstVideoRectangle){
      0, 0, GST_VIDEO_INFO_WIDTH(&plan->input), GST_VIDEO_INFO_HEIGHT(&plan->input)};
  if (!both)
    return TRUE;
  views.info[GST_STEREO_SGM_BOTH] = plan->input;
  if (!gst_stereo_sgm_views_plan(&views, 1u << GST_STEREO_SGM_BOTH, layout, error))
    return FALSE;
  second = (lane == 1) != views.swap;
  plan->part.w = views.width;
  plan->part.h = views.height;
  plan->part.x = second && !views.rows ? views.width : 0;
  plan->part.y = second && views.rows ? views.height : 0;
  return TRUE;
}

/* What came in, with the size of the rectified pictures and their camera. What is known of the road
 * stays. */
static GstCaps *output_caps(const GstRectifyPlan *plan, GstCaps *input, StxCamera camera)
{
  GstCaps *caps = gst_caps_copy(input);
  GstStructure *structure = gst_caps_get_structure(caps, 0);
  StxCamera before;

  gst_stx_camera_from_caps(input, &before);
  camera.height = before.height;
  camera.pitch = before.pitch;
  camera.missing = before.missing & STX_CAMERA_PITCH;
  gst_structure_remove_fields(structure, "multiview-mode", "multiview-flags", "views", NULL);
  gst_structure_set(structure, "width", G_TYPE_INT, plan->view.width, "height", G_TYPE_INT,
      plan->view.height, NULL);
  gst_stx_camera_to_structure(&camera, structure);
  return caps;
}

static gboolean make_plan(
    GstStereoRectify *self, guint lane, gboolean both, StxCamera *camera, StxError *error)
{
  GstRectifyPlan *plan = &self->plan[lane];
  GstStxStage *stage = gst_stx_lanes_stage(GST_STX_LANES(self), lane);
  GstStereoRectifySettings settings = copy_settings(self);
  StxCalibration calibration;
  gboolean made = find_part(plan, lane, both, settings.layout, error) &&
                  load(&settings, plan->part.w, plan->part.h, &calibration, error) &&
                  gst_rectify_plan_make(plan, &calibration, &settings.params, lane,
                      stage->place.threads, camera, error);

  clear_settings(&settings);
  if (made)
    GST_INFO_OBJECT(self, "%s view: %s, calibration of %s for pictures of %g times the size",
        lane == 0 ? "left" : "right", gst_stx_stage_impl_name(stage), calibration.format,
        1 / plan->view.scale);
  return made;
}

static GstCaps *configure(
    GstStxLanes *lanes, guint lane, gboolean both, GstCaps *input, StxError *error)
{
  GstStereoRectify *self = GST_STEREO_RECTIFY(lanes);
  GstRectifyPlan *plan = &self->plan[lane];
  StxCamera camera;
  GstCaps *caps;

  gst_video_info_from_caps(&plan->input, input);
  if (!make_plan(self, lane, both, &camera, error))
    return NULL;
  caps = output_caps(plan, input, camera);
  gst_video_info_from_caps(&plan->output, caps);
  GST_INFO_OBJECT(self, "%" GST_PTR_FORMAT, caps);
  return caps;
}

/* ---- One view ------------------------------------------------------------------------------ */

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  GstStxLanes *lanes = GST_STX_LANES(element);
  GstStxLaneFrame *frame = data;
  GstFlowReturn flow = gst_stx_lanes_acquire(lanes, frame->lane, &frame->output, error);

  if (flow != GST_FLOW_OK)
    return flow;
  return gst_rectify_stage_run(gst_stx_lanes_stage(lanes, frame->lane),
             &GST_STEREO_RECTIFY(element)->plan[frame->lane], frame->pad, frame->input,
             frame->output, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

/* ---- Properties ---------------------------------------------------------------------------- */

#define FIELD(kind, member) STX_FIELD(kind, GstStereoRectifySettings, member)

static const StxField own_fields[] = {
    {"calibration", "Calibration file",
        "Calibration of the stereo camera: OpenCV, ROS, Kalibr, KITTI raw, ZED or DepthAI",
        FIELD(TEXT, calibration)},
    {"calibration-right", "Second calibration file",
        "Second file of a calibration that has two: ROS's of the right camera, OpenCV's "
        "extrinsics.yml",
        FIELD(TEXT, calibration_right)},
    {"calibration-pair", "Calibration pair",
        "Left camera of the pair in a KITTI file: 0 = gray pair, 2 = colour pair, -1 = colour "
        "pair if the file has one",
        FIELD(INT, pair), .low = -1, .high = 2},
    {"unit", "Unit",
        "Metres that 1 means in the calibration: 0.001 for millimetres (0 = as its format has it)",
        FIELD(DOUBLE, unit), .high = 1000, .unit = "m"},
    {"layout", "Layout", "How a frame of pad sink holds the two views", FIELD(CHOICE, layout),
        .choices = gst_stereo_sgm_layouts},
};
static const GstStereoRectifySettings defaults = {.pair = -1, .params = STX_RECTIFY_DEFAULTS};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&own_table, offsetof(GstStereoRectify, settings), GST_PARAM_MUTABLE_READY, "GstStereoRectify"},
    {&stx_rectify_fields, offsetof(GstStereoRectify, settings.params), GST_PARAM_MUTABLE_READY,
        "GstStereoRectify"},
};

/* ---- Class --------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  GstStereoRectify *self = GST_STEREO_RECTIFY(object);

  clear_settings(&self->settings);
  for (guint i = 0; i < GST_STX_LANE_COUNT; i++)
    gst_rectify_plan_clear(&self->plan[i]);
  G_OBJECT_CLASS(gst_stereo_rectify_parent_class)->finalize(object);
}

static void gst_stereo_rectify_init(GstStereoRectify *self)
{
  self->settings = defaults;
}

static void gst_stereo_rectify_class_init(GstStereoRectifyClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstStxLanesClass *lanes = GST_STX_LANES_CLASS(klass);

  GST_DEBUG_CATEGORY_INIT(stereo_rectify_debug, "stereo-rectify", 0, "rectification");
  gst_stx_properties_install(object, properties, G_N_ELEMENTS(properties));
  object->finalize = finalize;
  gst_stx_element_describe(GST_ELEMENT_CLASS(klass), "stereo-rectify", "Stereo rectification",
      "Filter/Effect/Video", "Rectifies the two views of a calibrated stereo camera");
  gst_stx_lanes_class_add_pads(
      lanes, GST_STX_CUDA_CAPS("video/x-raw", ",format=" GST_RECTIFY_FORMATS));
  lanes->stage.host = &stx_rectify_impls;
  lanes->stage.device = &stx_rectify_cuda_impls;
  lanes->stage.work = work;
  lanes->configure = configure;
  lanes->start = start;
}
