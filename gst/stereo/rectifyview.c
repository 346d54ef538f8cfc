/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stereo/rectifyview.h"

#include "gst/core/camera.h"
#include "gst/core/delay.h"
#include "gst/core/element.h"
#include "gst/core/frames.h"
#include "gst/stereo/sgmviews.h"
#include "gst/stixels/motionmeta.h"

GST_DEBUG_CATEGORY_EXTERN(gst_stereo_rectify_debug);
#define GST_CAT_DEFAULT gst_stereo_rectify_debug

/* Formats whose planes are 8-bit samples, of up to four bytes each, and packed 4:2:2. */
#define FORMATS                                                                                    \
  "{ GRAY8, YUY2, UYVY, YVYU, VYUY, I420, YV12, NV12, NV21, Y42B, NV16, NV61, Y444, NV24, RGB, "   \
  "BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR }"
#define CAPS GST_STX_CUDA_CAPS("video/x-raw", ",format=" FORMATS)

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

struct _GstStxRectifyView {
  GstStxTransform parent;

  GstStxRectifyRig *rig;
  guint side;                        /* 0 left, 1 right */
  GstCaps *input_caps, *output_caps; /* under the object lock; NULL: those that came were bad */
  Plan plan;                         /* of the streaming thread, as … */
  gboolean pool_is_on_device;
};

G_DEFINE_FINAL_TYPE(GstStxRectifyView, gst_stx_rectify_view, GST_TYPE_STX_TRANSFORM)
#define PARENT GST_BASE_TRANSFORM_CLASS(gst_stx_rectify_view_parent_class)

GST_STX_PAD(sink, SINK, ALWAYS, CAPS);
GST_STX_PAD(src, SRC, ALWAYS, CAPS);

const gchar *const gst_stx_rectify_sides[GST_STX_RECTIFY_VIEWS] = {"left", "right"};
#define SIDE(self) (gst_stx_rectify_sides[(self)->side])
static const gchar *const src_names[GST_STX_RECTIFY_VIEWS] = {"src_left", "src_right"};

static gboolean holds_both(GstStxRectifyView *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(GST_OBJECT_GET_LOCK(self->rig->element));

  return self->rig->both;
}

/* The pad of stereo-rectify. */
static const gchar *sink_name(GstStxRectifyView *self)
{
  return gst_stereo_sgm_roles[holds_both(self)  ? GST_STEREO_SGM_BOTH
                              : self->side == 0 ? GST_STEREO_SGM_LEFT
                                                : GST_STEREO_SGM_RIGHT];
}

static gint threads_of(GstStxRectifyView *self)
{
  return gst_stx_transform_stage(GST_STX_TRANSFORM(self))->place.threads;
}

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
  StxRectifySample sample = {
      .bytes = GST_VIDEO_INFO_COMP_PSTRIDE(&plan->input, gst_stx_first_component(&plan->input, p))};
  StxImage8 source, target;
  StxRectifyMap map;

  /* Outside all is 0: black, and transparent where there is an alpha; chroma has 128 for it. */
  if (GST_VIDEO_INFO_IS_YUV(&plan->input) && p > 0)
    memset(sample.border, 128, sizeof sample.border);
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

/* The time of both lanes' frames: a stream behind another one has timestamps of its own. */
static GstClockTime running_time(GstStxRectifyView *self, const GstBuffer *buffer)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM(self)->segment;

  return segment->format == GST_FORMAT_TIME
             ? gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer))
             : GST_BUFFER_PTS(buffer);
}

/* Shows the luma, or green, of what was rectified to those who look for drift. */
static gboolean show(GstStxRectifyView *self, const GstStxTransformFrame *frame, GstStxStage *stage,
    const StxFrame *picture, StxError *error)
{
  const Plan *plan = &self->plan;
  GstStxDrift *drift = &self->rig->drift;
  guint component = GST_VIDEO_INFO_IS_RGB(&plan->output) ? 1 : 0;
  guint plane = GST_VIDEO_INFO_COMP_PLANE(&plan->output, component);
  gint step = GST_VIDEO_INFO_COMP_PSTRIDE(&plan->output, component);
  StxImage8 image = {
      picture->data[plane], picture->stride[plane], plan->view.width, plan->view.height};

  if (!gst_stx_drift_wants(drift, self->side, running_time(self, frame->input)))
    return TRUE;
  if (stage->on_device) {
    gsize size = (gsize)image.stride * (gsize)(image.height - 1) + (gsize)(image.width * step);

    image.data = (uint8_t *)gst_stx_stage_bring(stage, LUMA, image.data, size, error);
    if (image.data == NULL || !gst_stx_stage_wait(stage, error))
      return FALSE;
  }
  image.data += GST_VIDEO_INFO_COMP_POFFSET(&plan->output, component);
  gst_stx_drift_put(drift, self->side, &image, step, self->side == 1 ? &plan->view : NULL);
  return TRUE;
}

static gboolean rectify(GstStxRectifyView *self, const GstStxTransformFrame *frame, StxError *error)
{
  Plan *plan = &self->plan;
  GstStxStage *stage = gst_stx_transform_stage(GST_STX_TRANSFORM(self));
  guint planes = GST_VIDEO_INFO_N_PLANES(&plan->input);
  StxFrame from, to;

  if (!find_input(stage, plan, sink_name(self), frame->input, &from, error) ||
      !gst_stx_stage_picture(
          stage, OUTPUT, "output", frame->output, &plan->output, planes, GST_MAP_WRITE, &to, error))
    return FALSE;
  if (planes == 1 && GST_VIDEO_INFO_N_COMPONENTS(&plan->input) > 1 &&
      is_subsampled(shift_of(&plan->input, 1))) { /* packed */
    if (!run_packed(stage, plan, &from, &to, error))
      return FALSE;
  } else {
    for (guint p = 0; p < planes; p++)
      if (!run_plane(stage, plan, p, &from, &to, error))
        return FALSE;
  }
  return show(self, frame, stage, &to, error);
}

/* The right view is turned by what is known of its drift now. */
static gboolean refine(GstStxRectifyView *self, GstBuffer *input, StxError *error)
{
  Plan *plan = &self->plan;
  GstElement *element = self->rig->element;
  GstStructure *news;
  StxRectifyTurn turn;
  gboolean turned = gst_stx_drift_step(&self->rig->drift, running_time(self, input), &turn, &news);

  if (news != NULL)
    gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), news));
  if (!turned)
    return TRUE;
  plan->view = stx_rectify_turned(&plan->calibrated, &turn);
  return make_maps(plan, stx_rectify_map_refill, threads_of(self), error);
}

/* A stage that has just left the GPU gets a pool for system memory with the next frame. */
static GstFlowReturn acquire(GstStxRectifyView *self, GstBuffer **buffer, StxError *error)
{
  GstStxStage *stage = gst_stx_transform_stage(GST_STX_TRANSFORM(self));
  g_autoptr(GstBufferPool) pool = NULL;

  gst_clear_buffer(buffer);
  if (self->pool_is_on_device != stage->device_output) {
    *buffer = gst_buffer_new_allocate(NULL, GST_VIDEO_INFO_SIZE(&self->plan.output), NULL);
    return GST_FLOW_OK;
  }
  pool = gst_base_transform_get_buffer_pool(GST_BASE_TRANSFORM(self));
  return gst_stx_stage_acquire(stage, pool, buffer, error);
}

/* A view that goes nowhere is not computed. */
static GstFlowReturn prepare(GstElement *element, gpointer data, StxError *error)
{
  GstStxRectifyView *self = GST_STX_RECTIFY_VIEW(element);
  g_autoptr(GstPad) src = gst_element_get_static_pad(self->rig->element, src_names[self->side]);
  gboolean linked = src != NULL && gst_pad_is_linked(src);

  return linked ? GST_FLOW_OK : GST_FLOW_NOT_LINKED;
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  GstStxRectifyView *self = GST_STX_RECTIFY_VIEW(element);
  GstStxTransformFrame *frame = data;
  GstFlowReturn flow = acquire(self, &frame->output, error);

  if (flow != GST_FLOW_OK)
    return flow;
  return (self->side == 0 || refine(self, frame->input, error)) && rectify(self, frame, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

static GstBuffer *finish(GstStxTransform *transform, GstBuffer *input, GstBuffer *output)
{
  gst_buffer_copy_into(output, input, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  gst_buffer_copy_stx_motion_meta(output, input);
  return output;
}

/* ---- Settings ------------------------------------------------------------------------------ */

/* The texts of a copy are its own. */
static GstStxRectifySettings copy_settings(GstStxRectifyRig *rig)
{
  GstStxRectifySettings settings;

  GST_OBJECT_LOCK(rig->element);
  settings = rig->settings;
  settings.calibration = g_strdup(settings.calibration);
  settings.calibration_right = g_strdup(settings.calibration_right);
  GST_OBJECT_UNLOCK(rig->element);
  return settings;
}

void gst_stx_rectify_settings_clear(GstStxRectifySettings *settings)
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
static gboolean load(const GstStxRectifySettings *settings, gint width, gint height,
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

gboolean gst_stx_rectify_check_files(GstStxRectifyRig *rig, StxError *error)
{
  GstStxRectifySettings settings = copy_settings(rig);
  StxCalibration calibration;
  gboolean loaded = load(&settings, 0, 0, &calibration, error);

  gst_stx_rectify_settings_clear(&settings);
  return loaded;
}

/* ---- From caps to a plan ------------------------------------------------------------------- */

/* The place of the view in the frames. */
static gboolean find_part(GstStxRectifyView *self, GstStereoSgmLayout layout, StxError *error)
{
  Plan *plan = &self->plan;
  GstStereoSgmViews views = {0};
  gboolean second;

  plan->part = (GstVideoRectangle){
      0, 0, GST_VIDEO_INFO_WIDTH(&plan->input), GST_VIDEO_INFO_HEIGHT(&plan->input)};
  if (!holds_both(self))
    return TRUE;
  views.info[GST_STEREO_SGM_BOTH] = plan->input;
  if (!gst_stereo_sgm_views_plan(&views, 1u << GST_STEREO_SGM_BOTH, layout, error))
    return FALSE;
  second = (self->side == 1) != views.swap;
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
static void tell_black(GstStxRectifyView *self, const StxCalibration *calibration)
{
  const Plan *plan = &self->plan;
  const StxRectifyMap map = stx_rectify_map_in(&plan->view, 0, 0, plan->map[0].data);
  gdouble black = stx_rectify_black(&map);

  if (black >= LEAST_BLACK)
    GST_STX_ELEMENT_INFO(self, STREAM, FORMAT,
        ("%.0f %% of the rectified %s pictures are black: the camera does not see what they show%s",
            100 * black, SIDE(self),
            calibration->rectified ? ", by the calibration's own projection"
                                   : "; alpha=0 or a smaller fov shows less around it"));
}

/* By the calibration alone. */
static gboolean plan_calibrated(
    GstStxRectifyView *self, StxCalibration *calibration, StxCamera *camera, StxError *error)
{
  Plan *plan = &self->plan;
  GstStxRectifySettings settings = copy_settings(self->rig);
  gboolean made = find_part(self, settings.layout, error) &&
                  load(&settings, plan->part.w, plan->part.h, calibration, error) &&
                  stx_rectify_view(calibration, &settings.params, (gint)self->side, plan->part.w,
                      plan->part.h, &plan->calibrated, camera, error);

  gst_stx_rectify_settings_clear(&settings);
  plan->view = plan->calibrated;
  return made && make_maps(plan, stx_rectify_map_fill, threads_of(self), error);
}

static gboolean make_plan(GstStxRectifyView *self, StxCamera *camera, StxError *error)
{
  Plan *plan = &self->plan;
  StxCalibration calibration;
  StxRectifyTurn turn = {0};

  if (!plan_calibrated(self, &calibration, camera, error))
    return FALSE;
  if (self->side == 1)
    turn = gst_stx_drift_hold(&self->rig->drift);
  if (turn.angle[0] != 0 || turn.angle[2] != 0 || turn.ratio != 0) {
    plan->view = stx_rectify_turned(&plan->calibrated, &turn);
    if (!make_maps(plan, stx_rectify_map_refill, threads_of(self), error))
      return FALSE;
  }
  GST_INFO_OBJECT(self, "%s view: %s, calibration of %s for pictures of %g times the size",
      SIDE(self), gst_stx_stage_impl_name(gst_stx_transform_stage(GST_STX_TRANSFORM(self))),
      calibration.format, 1 / plan->view.scale);
  tell_black(self, &calibration);
  return TRUE;
}

/* Either may be NULL (both transfer full). */
static void set_known_caps(GstStxRectifyView *self, GstCaps *input, GstCaps *output)
{
  GST_OBJECT_LOCK(self);
  gst_caps_take(&self->input_caps, input);
  gst_caps_take(&self->output_caps, output);
  GST_OBJECT_UNLOCK(self);
}

static gboolean take_caps(GstStxRectifyView *self, GstCaps *caps)
{
  g_autoptr(GstCaps) possible = gst_static_pad_template_get_caps(&sink_template);
  gboolean fits =
      gst_caps_is_subset(caps, possible) && gst_video_info_from_caps(&self->plan.input, caps);
  StxCamera camera;
  StxError error;

  set_known_caps(self, NULL, NULL);
  if (!fits) {
    g_autofree gchar *text = gst_caps_to_string(caps);

    GST_ELEMENT_ERROR(self, STREAM, FORMAT,
        ("Pad %s got %s; expected video/x-raw,format=%s: put videoconvert in front",
            sink_name(self), text, FORMATS),
        (NULL));
    return FALSE;
  }
  if (!make_plan(self, &camera, &error)) {
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
    return FALSE;
  }
  set_known_caps(self, gst_caps_ref(caps), output_caps(&self->plan, caps, camera));
  return TRUE;
}

/* ---- Negotiation --------------------------------------------------------------------------- */

/* The formats of `caps`, whatever their size. */
static GstCaps *formats_of(const GstCaps *caps)
{
  GstCaps *formats = gst_caps_new_empty();

  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    const GValue *format = gst_structure_get_value(gst_caps_get_structure(caps, i), "format");
    GstStructure *structure = gst_structure_new_empty("video/x-raw");

    if (format != NULL)
      gst_structure_set_value(structure, "format", format);
    formats = gst_caps_merge_structure(formats, structure);
  }
  return formats;
}

/* Size and camera of the output are known once the caps of the input are. */
static GstCaps *other_caps(
    GstStxTransform *transform, GstPadDirection direction, const GstCaps *caps)
{
  GstStxRectifyView *self = GST_STX_RECTIFY_VIEW(transform);
  GstCaps *output = NULL;

  GST_OBJECT_LOCK(self);
  if (direction == GST_PAD_SINK && self->input_caps != NULL &&
      gst_caps_is_equal(caps, self->input_caps))
    output = gst_caps_ref(self->output_caps);
  GST_OBJECT_UNLOCK(self);
  return gst_stx_cuda_both_caps(
      &gst_stx_transform_stage(transform)->cuda, output != NULL ? output : formats_of(caps));
}

static gboolean configure(
    GstStxTransform *transform, const GstCaps *input, const GstCaps *output, StxError *error)
{
  GST_INFO_OBJECT(transform, "%" GST_PTR_FORMAT, output);
  return gst_video_info_from_caps(&GST_STX_RECTIFY_VIEW(transform)->plan.output, output) ||
         stx_fail(error, "these are no caps of video");
}

static gboolean decide_allocation(GstBaseTransform *base, GstQuery *query)
{
  GstStxStage *stage = gst_stx_transform_stage(GST_STX_TRANSFORM(base));

  gst_stx_stage_decide(stage, query);
  GST_STX_RECTIFY_VIEW(base)->pool_is_on_device = stage->device_output;
  return gst_stx_stage_take_video_pool(stage, query);
}

/* The frames of one stream become two streams. */
static GstEvent *own_stream(GstStxRectifyView *self, GstEvent *event)
{
  const gchar *id;
  g_autofree gchar *own = NULL;

  gst_event_parse_stream_start(event, &id);
  own = g_strdup_printf("%s/%s", id, SIDE(self));
  event = gst_event_make_writable(event);
  gst_structure_set(gst_event_writable_structure(event), "stream-id", G_TYPE_STRING, own, NULL);
  return event;
}

static gboolean sink_event(GstBaseTransform *base, GstEvent *event)
{
  GstStxRectifyView *self = GST_STX_RECTIFY_VIEW(base);
  GstCaps *caps;

  if (GST_EVENT_TYPE(event) == GST_EVENT_STREAM_START && holds_both(self))
    event = own_stream(self, event);
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
    gst_event_parse_caps(event, &caps);
    if (!take_caps(self, caps)) {
      gst_event_unref(event);
      return FALSE;
    }
  }
  return PARENT->sink_event(base, event);
}

/* Answers a latency query: of frames with both views, the right one waits until the left one is
 * done. */
static gboolean query(GstBaseTransform *base, GstPadDirection direction, GstQuery *asked)
{
  GstStxRectifyView *self = GST_STX_RECTIFY_VIEW(base);

  if (!PARENT->query(base, direction, asked))
    return FALSE;
  if (GST_QUERY_TYPE(asked) == GST_QUERY_LATENCY && direction == GST_PAD_SRC && self->side == 1 &&
      holds_both(self))
    gst_stx_delay_add(asked, gst_stx_transform_latency(self->rig->view[0]));
  return TRUE;
}

static gboolean stop(GstBaseTransform *base)
{
  set_known_caps(GST_STX_RECTIFY_VIEW(base), NULL, NULL);
  return PARENT->stop(base);
}

/* ---- Class --------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  GstStxRectifyView *self = GST_STX_RECTIFY_VIEW(object);

  set_known_caps(self, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(self->plan.map); i++)
    gst_stx_scratch_clear(&self->plan.map[i]);
  G_OBJECT_CLASS(gst_stx_rectify_view_parent_class)->finalize(object);
}

static void gst_stx_rectify_view_init(GstStxRectifyView *self)
{
}

static void gst_stx_rectify_view_class_init(GstStxRectifyViewClass *klass)
{
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS(klass);
  GstStxTransformClass *transform = GST_STX_TRANSFORM_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = finalize;
  gst_stx_element_add_templates(klass, &sink_template, &src_template, NULL);
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "One view of stereo-rectify",
      "Filter/Effect/Video", "Rectifies a view of a calibrated stereo camera", "gst-stixels");
  base->sink_event = sink_event;
  base->decide_allocation = decide_allocation;
  base->query = query;
  base->stop = stop;
  transform->stage.host = &stx_rectify_impls;
  transform->stage.device = &stx_rectify_cuda_impls;
  transform->stage.prepare = prepare;
  transform->stage.work = work;
  transform->other_caps = other_caps;
  transform->configure = configure;
  transform->finish = finish;
}

GstElement *gst_stx_rectify_view_new(GstStxRectifyRig *rig, guint side)
{
  static const gchar *const names[GST_STX_RECTIFY_VIEWS] = {"rectify-left", "rectify-right"};
  GstStxRectifyView *self = g_object_new(GST_TYPE_STX_RECTIFY_VIEW, "name", names[side], NULL);
  GstElementClass *klass = GST_ELEMENT_GET_CLASS(self);

  /* Programs ask all elements of a bin for theirs, and rely on an answer. */
  if (klass->elementfactory == NULL)
    klass->elementfactory = gst_element_factory_find("stereo-rectify");
  self->rig = rig;
  self->side = side;
  rig->view[side] = GST_STX_TRANSFORM(self);
  return GST_ELEMENT(self);
}
