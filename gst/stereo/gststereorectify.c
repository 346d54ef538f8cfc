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
#include "gst/core/elements.h"

#include "gst/stereo/viewstreams.h"
#include "gst/core/camera.h"
#include "gst/core/element.h"
#include "common/rectify/rectify.h"
#include "gst/base/stage.h"
#include "gst/core/frames.h"
#include "gst/stereo/drift.h"
#include "gst/stereo/sgmviews.h"

GST_DEBUG_CATEGORY_STATIC(stereo_rectify_debug);
#define GST_CAT_DEFAULT stereo_rectify_debug

/* Formats whose planes are 8-bit samples, of up to four bytes each, and packed 4:2:2. */
#define FORMATS                                                                                    \
  "{ GRAY8, YUY2, UYVY, YVYU, VYUY, I420, YV12, NV12, NV21, Y42B, NV16, NV61, Y444, NV24, RGB, "   \
  "BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR }"

/* The plan from caps, calibration and properties. Zero it to begin with. */
typedef struct {
  StxRectifyView calibrated; /* by the file */
  StxRectifyView view;       /* … and put right, of the right camera */
  GstVideoRectangle part;    /* the camera's picture in the frames that come in */
  GstVideoInfo input;        /* of the frames */
  GstVideoInfo output;       /* set by the element, before the first frame */
  GstStxScratch map[2];      /* of planes at full size, and of subsampled ones */
  const void *on_device[2];  /* their copies on the GPU; NULL: none */
} Plan;

#define PLANES 3
#define LEAST_BLACK .05 /* share of a picture of which it is said that the camera does not see it */

/* Slots of the stage. */
enum { INPUT, OUTPUT = INPUT + PLANES, MAP = OUTPUT + PLANES, LUMA = MAP + 2 };

#define GST_TYPE_STEREO_RECTIFY (gst_stereo_rectify_get_type())
G_DECLARE_FINAL_TYPE(GstStereoRectify, gst_stereo_rectify, GST, STEREO_RECTIFY, GstStxViewStreams)

typedef struct {
  gchar *calibration, *calibration_right; /* owned; NULL: none */
  gint pair;
  gdouble unit;
  GstStereoSgmLayout layout;
  GstStxRefine refine;
  StxRectifyParams params;
} GstStereoRectifySettings;

struct _GstStereoRectify {
  GstStxViewStreams parent;

  GstStereoRectifySettings settings;    /* properties, under the object lock */
  Plan plan[GST_STX_VIEW_STREAM_COUNT]; /* of the lanes' threads */
  GstStxDrift drift;
};

G_DEFINE_FINAL_TYPE(GstStereoRectify, gst_stereo_rectify, GST_TYPE_STX_VIEW_STREAMS)
GST_ELEMENT_REGISTER_DEFINE(
    stereo_rectify, "stereo-rectify", GST_RANK_NONE, GST_TYPE_STEREO_RECTIFY)

/* ---- Formats ------------------------------------------------------------------------------- */

/* The number of times that the sides of a component are halved. */
typedef struct {
  gint x, y;
} Shift;

static Shift shift_of(const GstVideoInfo *info, guint component)
{
  return (Shift){GST_VIDEO_FORMAT_INFO_W_SUB(info->finfo, component),
      GST_VIDEO_FORMAT_INFO_H_SUB(info->finfo, component)};
}

static gboolean is_subsampled(Shift shift)
{
  return shift.x > 0 || shift.y > 0;
}

/* Outside everything is 0: black, and transparent where there is an alpha; chroma has 128 for it.
 */
static StxRectifySample sample_of(const GstVideoInfo *info, guint plane)
{
  StxRectifySample sample = {
      .bytes = GST_VIDEO_INFO_COMP_PSTRIDE(info, gst_stx_first_component(info, plane))};

  if (GST_VIDEO_INFO_IS_YUV(info) && plane > 0)
    memset(sample.border, 128, sizeof sample.border);
  return sample;
}

static gboolean is_packed(const GstVideoInfo *info)
{
  return GST_VIDEO_INFO_N_PLANES(info) == 1 && GST_VIDEO_INFO_N_COMPONENTS(info) > 1 &&
         is_subsampled(shift_of(info, 1));
}

/* ---- Plan ---------------------------------------------------------------------------------- */

/* The maps of planes at full size, and of subsampled ones: exact, or fast. */
typedef void (*FillMap)(const StxRectifyView *view, int x, int y, void *memory, int threads);

static gboolean make_map(Plan *plan, Shift shift, FillMap fill, gint threads, StxError *error)
{
  gboolean small = is_subsampled(shift);
  GstStxScratch *memory = &plan->map[small];

  if (!gst_stx_scratch_reserve(memory, stx_rectify_map_bytes(&plan->view, shift.x, shift.y), error))
    return FALSE;
  fill(&plan->view, shift.x, shift.y, memory->data, threads);
  plan->on_device[small] = NULL;
  return TRUE;
}

/* Half of a frame has to begin between two samples of all its components. */
static gboolean check_part(const Plan *plan, Shift shift, StxError *error)
{
  const GstVideoRectangle *part = &plan->part;

  if (part->x % (1 << shift.x) == 0 && part->y % (1 << shift.y) == 0)
    return TRUE;
  return stx_fail(error,
      "a view of %dx%d pixels in one frame with another has no whole samples of colour in %s: put "
      "videoconvert in front, and video/x-raw,format=Y444 or GRAY8",
      part->w, part->h, GST_VIDEO_INFO_NAME(&plan->input));
}

/* Makes the maps of plan->view. */
static gboolean make_maps(Plan *plan, FillMap fill, gint threads, StxError *error)
{
  gboolean made[2] = {FALSE, FALSE};

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(&plan->input); c++) {
    Shift shift = shift_of(&plan->input, c);

    if (!check_part(plan, shift, error) ||
        (!made[is_subsampled(shift)] && !make_map(plan, shift, fill, threads, error)))
      return FALSE;
    made[is_subsampled(shift)] = TRUE;
  }
  return TRUE;
}

/* Plans for the left (0) or right (1) camera. `plan->input` and `part` are set; `threads` fill the
 * maps. *camera gets the rectified pair's numbers. */
static gboolean plan_make(Plan *plan, const StxCalibration *calibration,
    const StxRectifyParams *params, guint camera, gint threads, StxCamera *rectified,
    StxError *error)
{
  if (!stx_rectify_view(calibration, params, (gint)camera, plan->part.w, plan->part.h,
          &plan->calibrated, rectified, error))
    return FALSE;
  plan->view = plan->calibrated;
  return make_maps(plan, stx_rectify_map_fill, threads, error);
}

static void plan_clear(Plan *plan)
{
  for (guint i = 0; i < G_N_ELEMENTS(plan->map); i++)
    gst_stx_scratch_clear(&plan->map[i]);
}

/* ---- Frames -------------------------------------------------------------------------------- */

/* FALSE: it could not be uploaded. */
static gboolean find_map(
    GstStxStage *stage, Plan *plan, guint component, StxRectifyMap *map, StxError *error)
{
  Shift shift = shift_of(&plan->input, component);
  guint small = is_subsampled(shift) ? 1 : 0;
  const void *memory = gst_stx_stage_table(stage, MAP + small, plan->map[small].data,
      stx_rectify_map_bytes(&plan->view, shift.x, shift.y), &plan->on_device[small], error);

  *map = stx_rectify_map_in(&plan->view, shift.x, shift.y, memory);
  return memory != NULL;
}

static gboolean run_plane(GstStxStage *stage, Plan *plan, guint p, const StxFrame *input,
    const StxFrame *output, StxError *error)
{
  const StxRectifyImpl *impl = gst_stx_stage_impl(stage);
  StxRectifySample sample = sample_of(&plan->input, p);
  StxImage8 source, target;
  StxRectifyMap map;

  if (!find_map(stage, plan, gst_stx_first_component(&plan->input, p), &map, error))
    return FALSE;
  source = (StxImage8){input->data[p], input->stride[p], map.source_width, map.source_height};
  target = (StxImage8){output->data[p], output->stride[p], map.width, map.height};
  return impl->run(&map, &sample, &source, &target, &stage->place, error);
}

/* The components are luma and the two colours. */
static gboolean run_packed(
    GstStxStage *stage, Plan *plan, const StxFrame *input, const StxFrame *output, StxError *error)
{
  const StxRectifyImpl *impl = gst_stx_stage_impl(stage);
  const StxRectifyPacked packed = {GST_VIDEO_INFO_COMP_POFFSET(&plan->input, 0), {0, 128}};
  StxImage8 source, target;
  StxRectifyMap pixels, colours;

  if (!find_map(stage, plan, 0, &pixels, error) || !find_map(stage, plan, 1, &colours, error))
    return FALSE;
  source = (StxImage8){input->data[0], input->stride[0], pixels.source_width, pixels.source_height};
  target = (StxImage8){output->data[0], output->stride[0], pixels.width, pixels.height};
  return impl->run_packed(&pixels, &colours, &packed, &source, &target, &stage->place, error);
}

/* Maps the camera's own view, which is all that is read and uploaded of a frame with both. */
static gboolean find_input(GstStxStage *stage, const Plan *plan, const gchar *what,
    GstBuffer *input, StxFrame *frame, StxError *error)
{
  GstVideoInfo info = plan->input;
  GstBuffer *part;
  gboolean found;
  StxError cause;

  if (plan->part.w == GST_VIDEO_INFO_WIDTH(&info) && plan->part.h == GST_VIDEO_INFO_HEIGHT(&info))
    return gst_stx_stage_picture(stage, INPUT, what, input, &info, GST_VIDEO_INFO_N_PLANES(&info),
        GST_MAP_READ, frame, error);
  part = gst_stx_frame_part(input, &info, &plan->part, &cause);
  if (part == NULL) {
    stx_fail(error, "%s: %.200s", what, cause.text);
    return stx_fail_as(error, STX_ERROR_INPUT);
  }
  info.width = plan->part.w;
  info.height = plan->part.h;
  found = gst_stx_stage_picture(
      stage, INPUT, what, part, &info, GST_VIDEO_INFO_N_PLANES(&info), GST_MAP_READ, frame, error);
  gst_buffer_unref(part); /* what is mapped is held by its map, all of it by `input` */
  return found;
}

/* Shows the luma, or green, of what was rectified to those who look for drift. */
static gboolean show(GstStereoRectify *self, const GstStxViewFrame *frame, GstStxStage *stage,
    const StxFrame *picture, StxError *error)
{
  const Plan *plan = &self->plan[frame->lane];
  guint component = GST_VIDEO_INFO_IS_RGB(&plan->output) ? 1 : 0;
  guint plane = GST_VIDEO_INFO_COMP_PLANE(&plan->output, component);
  gint step = GST_VIDEO_INFO_COMP_PSTRIDE(&plan->output, component);
  StxImage8 image = {
      picture->data[plane], picture->stride[plane], plan->view.width, plan->view.height};

  if (!gst_stx_drift_wants(&self->drift, frame->lane, GST_BUFFER_PTS(frame->input)))
    return TRUE;
  if (stage->on_device) {
    gsize size = (gsize)image.stride * (gsize)(image.height - 1) + (gsize)(image.width * step);

    image.data = (uint8_t *)gst_stx_stage_bring(stage, LUMA, image.data, size, error);
    if (image.data == NULL || !gst_stx_stage_wait(stage, error))
      return FALSE;
  }
  image.data += GST_VIDEO_INFO_COMP_POFFSET(&plan->output, component);
  gst_stx_drift_put(&self->drift, frame->lane, &image, step, frame->lane == 1 ? &plan->view : NULL);
  return TRUE;
}

static gboolean rectify(GstStereoRectify *self, const GstStxViewFrame *frame, StxError *error)
{
  Plan *plan = &self->plan[frame->lane];
  GstStxStage *stage = gst_stx_view_streams_stage(GST_STX_VIEW_STREAMS(self), frame->lane);
  guint planes = GST_VIDEO_INFO_N_PLANES(&plan->input);
  StxFrame from, to;

  if (!find_input(stage, plan, frame->pad, frame->input, &from, error) ||
      !gst_stx_stage_picture(
          stage, OUTPUT, "output", frame->output, &plan->output, planes, GST_MAP_WRITE, &to, error))
    return FALSE;
  if (is_packed(&plan->input)) {
    if (!run_packed(stage, plan, &from, &to, error))
      return FALSE;
  } else {
    for (guint p = 0; p < planes; p++)
      if (!run_plane(stage, plan, p, &from, &to, error))
        return FALSE;
  }
  return show(self, frame, stage, &to, error);
}

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

/* Its cameras are what its pictures show, until they drift. */
static StxCalibration calibration_of_pair(const StxCamera *camera)
{
  const double f = camera->focal, cx = camera->cx, cy = camera->cy;
  StxCalibration calibration = {.rectified = true,
      .width = camera->image_width,
      .height = camera->image_height,
      .format = "a rectified pair"};

  for (guint i = 0; i < 2; i++)
    calibration.camera[i] = (StxCalibratedCamera){.lens = {.fx = f, .fy = f, .cx = cx, .cy = cy},
        .width = camera->image_width,
        .height = camera->image_height,
        .r = {1, 0, 0, 0, 1, 0, 0, 0, 1},
        .p = {f, 0, cx, i == 0 ? 0 : -f * camera->baseline, 0, f, cy, 0, 0, 0, 1, 0}};
  return calibration;
}

/* Loads the calibration for pictures of this size; 0: any. */
static gboolean load(const GstStereoRectifySettings *settings, gint width, gint height,
    StxCalibration *calibration, StxError *error)
{
  const StxCalibrationFiles files = {
      settings->calibration, settings->calibration_right, settings->pair, settings->unit};
  StxCamera camera;

  if (files.path == NULL || *files.path == '\0')
    return stx_fail(error,
        "no calibration is given: set calibration=FILE, and calibration-right=FILE where there are "
        "two");
  if (settings->refine != GST_STX_REFINE_OFF && !stx_calibration_is_known(files.path, error) &&
      stx_camera_load(files.path, files.pair, &camera, error)) {
    *calibration = calibration_of_pair(&camera);
    return TRUE;
  }
  return stx_calibration_load(&files, width, height, calibration, error);
}

/* Faults of the files are reported before any frame flows. */
static gboolean start(GstStxViewStreams *lanes)
{
  GstStereoRectifySettings settings = copy_settings(GST_STEREO_RECTIFY(lanes));
  StxCalibration calibration;
  StxError error;
  gboolean loaded = load(&settings, 0, 0, &calibration, &error);

  gst_stx_drift_start(&GST_STEREO_RECTIFY(lanes)->drift, settings.refine);
  clear_settings(&settings);
  if (!loaded)
    GST_STX_ELEMENT_ERROR(lanes, RESOURCE, OPEN_READ, &error);
  return loaded;
}

/* ---- From caps to a plan ------------------------------------------------------------------- */

/* The place of the lane's view in the frames of pad sink, or of its own pad. */
static gboolean find_part(
    Plan *plan, guint lane, gboolean both, GstStereoSgmLayout layout, StxError *error)
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

/* The input's caps with the size and camera of the rectified pictures. Camera height and pitch
 * stay. */
static GstCaps *output_caps(const Plan *plan, GstCaps *input, StxCamera camera)
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

/* A network or a person may take it for something. */
static void tell_black(
    GstStereoRectify *self, const Plan *plan, guint lane, const StxCalibration *calibration)
{
  const StxRectifyMap map = stx_rectify_map_in(&plan->view, 0, 0, plan->map[0].data);
  gdouble black = stx_rectify_black(&map);

  if (black >= LEAST_BLACK)
    GST_ELEMENT_INFO(self, STREAM, FORMAT,
        ("%.0f %% of the rectified %s pictures are black: the camera does not see what they show%s",
            100 * black, lane == 0 ? "left" : "right",
            calibration->rectified ? ", by the calibration's own projection"
                                   : "; alpha=0 or a smaller fov shows less around it"),
        (NULL));
}

static gboolean make_plan(
    GstStereoRectify *self, guint lane, gboolean both, StxCamera *camera, StxError *error)
{
  Plan *plan = &self->plan[lane];
  GstStxStage *stage = gst_stx_view_streams_stage(GST_STX_VIEW_STREAMS(self), lane);
  GstStereoRectifySettings settings = copy_settings(self);
  StxCalibration calibration;
  gboolean made =
      find_part(plan, lane, both, settings.layout, error) &&
      load(&settings, plan->part.w, plan->part.h, &calibration, error) &&
      plan_make(plan, &calibration, &settings.params, lane, stage->place.threads, camera, error);

  clear_settings(&settings);
  if (made && lane == 1) {
    StxRectifyTurn turn = gst_stx_drift_hold(&self->drift);

    if (turn.angle[0] != 0 || turn.angle[2] != 0 || turn.ratio != 0) {
      plan->view = stx_rectify_turned(&plan->calibrated, &turn);
      made = make_maps(plan, stx_rectify_map_refill, stage->place.threads, error);
    }
  }
  if (!made)
    return FALSE;
  GST_INFO_OBJECT(self, "%s view: %s, calibration of %s for pictures of %g times the size",
      lane == 0 ? "left" : "right", gst_stx_stage_impl_name(stage), calibration.format,
      1 / plan->view.scale);
  tell_black(self, plan, lane, &calibration);
  return TRUE;
}

static GstCaps *configure(
    GstStxViewStreams *lanes, guint lane, gboolean both, GstCaps *input, StxError *error)
{
  GstStereoRectify *self = GST_STEREO_RECTIFY(lanes);
  Plan *plan = &self->plan[lane];
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

/* The right view is turned by what is known of its drift now. */
static gboolean refine(GstStereoRectify *self, GstBuffer *input, StxError *error)
{
  Plan *plan = &self->plan[1];
  GstStxStage *stage = gst_stx_view_streams_stage(GST_STX_VIEW_STREAMS(self), 1);
  GstStructure *news;
  StxRectifyTurn turn;
  gboolean turned = gst_stx_drift_step(&self->drift, GST_BUFFER_PTS(input), &turn, &news);

  if (news != NULL)
    gst_element_post_message(GST_ELEMENT(self), gst_message_new_element(GST_OBJECT(self), news));
  if (!turned)
    return TRUE;
  plan->view = stx_rectify_turned(&plan->calibrated, &turn);
  return make_maps(plan, stx_rectify_map_refill, stage->place.threads, error);
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  GstStxViewStreams *lanes = GST_STX_VIEW_STREAMS(element);
  GstStxViewFrame *frame = data;
  GstFlowReturn flow = gst_stx_view_streams_acquire(lanes, frame->lane, &frame->output, error);

  if (flow != GST_FLOW_OK)
    return flow;
  return (frame->lane == 0 || refine(GST_STEREO_RECTIFY(element), frame->input, error)) &&
                 rectify(GST_STEREO_RECTIFY(element), frame, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

/* ---- Properties ---------------------------------------------------------------------------- */

#define FIELD(kind, member) STX_FIELD(kind, GstStereoRectifySettings, member)

static const StxField own_fields[] = {
    {"calibration", "Calibration file",
        "File of OpenCV, ROS, Kalibr, EuRoC, ORB-SLAM, Basalt, VINS, KITTI raw, ZED or DepthAI",
        FIELD(TEXT, calibration)},
    {"calibration-right", "Second calibration file",
        "Second file: ROS's or EuRoC's of the right camera, OpenCV's extrinsics.yml",
        FIELD(TEXT, calibration_right)},
    {"calibration-pair", "Calibration pair",
        "Left camera in a KITTI file: 0 gray, 2 colour, -1 colour if there is one",
        FIELD(INT, pair), .low = -1, .high = 2},
    {"unit", "Unit", "Metres per unit of the calibration: 0.001 for millimetres (0 = by format)",
        FIELD(DOUBLE, unit), .high = 1000, .unit = "m"},
    {"layout", "Layout", "Packing of the two views on pad sink", FIELD(CHOICE, layout),
        .choices = gst_stereo_sgm_layouts},
    {"refine", "Refine", "What is done about cameras that have moved since the calibration",
        FIELD(CHOICE, refine), .choices = gst_stx_refine_modes},
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
  for (guint i = 0; i < GST_STX_VIEW_STREAM_COUNT; i++)
    plan_clear(&self->plan[i]);
  gst_stx_drift_clear(&self->drift);
  G_OBJECT_CLASS(gst_stereo_rectify_parent_class)->finalize(object);
}

static void gst_stereo_rectify_init(GstStereoRectify *self)
{
  self->settings = defaults;
  gst_stx_drift_init(&self->drift);
}

static void tell(GstStxViewStreams *lanes, GstStructure *stats)
{
  GstStructure *drift = gst_stx_drift_tell(&GST_STEREO_RECTIFY(lanes)->drift);

  if (drift != NULL)
    gst_structure_set(stats, "drift", GST_TYPE_STRUCTURE, drift, NULL);
  g_clear_pointer(&drift, gst_structure_free);
}

static void gst_stereo_rectify_class_init(GstStereoRectifyClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstStxViewStreamsClass *lanes = GST_STX_VIEW_STREAMS_CLASS(klass);

  GST_DEBUG_CATEGORY_INIT(stereo_rectify_debug, "stereo-rectify", 0, "rectification");
  gst_stx_properties_install(object, properties, G_N_ELEMENTS(properties));
  object->finalize = finalize;
  gst_stx_element_describe(GST_ELEMENT_CLASS(klass), "stereo-rectify", "Stereo rectification",
      "Filter/Effect/Video", "Rectifies the two views of a calibrated stereo camera");
  gst_stx_view_streams_class_add_pads(lanes, GST_STX_CUDA_CAPS("video/x-raw", ",format=" FORMATS));
  lanes->stage.host = &stx_rectify_impls;
  lanes->stage.device = &stx_rectify_cuda_impls;
  lanes->stage.work = work;
  lanes->configure = configure;
  lanes->start = start;
  lanes->tell = tell;
}
