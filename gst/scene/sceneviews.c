/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/scene/sceneviews.h"

#include "gst/core/element.h"
#include "gst/core/frames.h"
#include "gst/core/memory.h"
#include "gst/core/extrinsics.h"

#define DEFAULT_WIDTH 1242
#define DEFAULT_HEIGHT 375

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxFieldChoice views[] = {
    {GST_STREET_SCENE_LEFT, "left", "Left picture"},
    {GST_STREET_SCENE_RIGHT, "right", "Right picture"},
    {GST_STREET_SCENE_DISPARITY, "disparity", "Disparity, 1/256 pixels"},
    {GST_STREET_SCENE_SEMANTICS, "semantics", "Cityscapes train ids"},
    {GST_STREET_SCENE_LIDAR, "lidar", "LiDAR scan"},
    {GST_STREET_SCENE_LIDAR_LABELS, "lidar-labels", "SemanticKITTI's labels"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, GstStreetSceneSettings, member)

static const StxField fields[] = {
    {"view", "View", "View", FIELD(CHOICE, view), .choices = views},
    {"seed", "Seed", "Seed of the street", FIELD(UINT, seed), .high = G_MAXUINT},
    {"first-frame", "First frame", "Frame of the drive at stream time 0", FIELD(UINT, first_frame),
        .high = G_MAXUINT},
    {"skipped-frames", "Skipped frames", "Frames dropped by a late live source",
        FIELD(COUNT, skipped)},
    {"lens-calibration", "Calibration of the lenses",
        "Calibration of real cameras for views left and right, as for stereo-rectify",
        FIELD(TEXT, lens_calibration)},
};
static const GstStreetSceneSettings defaults = {
    .params = STX_SCENE_DEFAULTS, .lidar = STX_SCENE_LIDAR_DEFAULTS};
const StxFields gst_street_scene_fields = {STX_FIELDS_OF(fields), &defaults};

void gst_street_scene_settings_init(GstStreetSceneSettings *settings)
{
  *settings = defaults;
  gst_stx_camera_settings_init(&settings->camera);
}

void gst_street_scene_settings_clear(GstStreetSceneSettings *settings)
{
  gst_stx_camera_settings_clear(&settings->camera);
  g_clear_pointer(&settings->lens_calibration, g_free);
}

gboolean gst_street_scene_settings_load(GstStreetSceneSettings *settings, GstElement *element)
{
  StxCalibration real = {0};
  StxError error = {""};
  gboolean loaded = TRUE;
  g_autofree gchar *path = NULL;

  if (!gst_stx_camera_settings_load(&settings->camera, FALSE, element))
    return FALSE;
  GST_STX_LOCKED(element, path = g_strdup(settings->lens_calibration));
  if (path != NULL) {
    const StxCalibrationFiles files = {.path = path, .pair = -1};

    loaded = stx_calibration_load(&files, 0, 0, &real, &error);
  }
  GST_OBJECT_LOCK(element);
  settings->real = real;
  settings->is_real = path != NULL && loaded;
  GST_OBJECT_UNLOCK(element);
  if (!loaded)
    GST_STX_ELEMENT_ERROR(element, RESOURCE, OPEN_READ, &error);
  return loaded;
}

StxSceneLidar gst_street_scene_lidar(const GstStreetSceneSettings *settings)
{
  StxSceneLidar lidar = settings->lidar, usual = stx_scene_lidar(lidar.beams);

  lidar.top = usual.top;
  lidar.bottom = usual.bottom;
  return lidar;
}

/* All but height and pitch is that of the pair which rectification makes of the real one. */
static gboolean of_rectified_pair(const GstStreetSceneSettings *settings, gint width, gint height,
    StxCamera *camera, StxError *error)
{
  StxCamera pair;

  if (!stx_scene_rectified(&settings->real, width, height, &pair, error))
    return FALSE;
  pair.height = camera->height;
  pair.pitch = camera->pitch;
  *camera = pair;
  return TRUE;
}

gboolean gst_street_scene_camera(const GstStreetSceneSettings *settings, const GstCaps *caps,
    gint width, gint height, StxCamera *camera, StxError *note)
{
  StxCamera usual = stx_scene_camera(width, height);

  if (!gst_stx_camera_settings_apply(
          &settings->camera, caps, GST_STX_CAMERA_OF_SCENE, width, height, camera, note))
    return FALSE;
  camera->focal = camera->focal != 0 ? camera->focal : usual.focal;
  camera->cx = camera->missing & STX_CAMERA_CX ? usual.cx : camera->cx;
  camera->cy = camera->missing & STX_CAMERA_CY ? usual.cy : camera->cy;
  camera->baseline = camera->baseline != 0 ? camera->baseline : usual.baseline;
  camera->height = camera->height != 0 ? camera->height : usual.height;
  camera->missing = 0;
  if (settings->is_real && !of_rectified_pair(settings, width, height, camera, note))
    return FALSE;
  camera->image_width = width;
  camera->image_height = height;
  return TRUE;
}

gboolean gst_street_scene_view_is_lidar(GstStreetSceneView view)
{
  return view == GST_STREET_SCENE_LIDAR || view == GST_STREET_SCENE_LIDAR_LABELS;
}

/* ---- Caps ----------------------------------------------------------------------------------- */

GstCaps *gst_street_scene_view_caps(GstStreetSceneView view)
{
  static const char *const formats[][2] = {
      [GST_STREET_SCENE_LEFT] = {"RGB", "GRAY8"},
      [GST_STREET_SCENE_RIGHT] = {"RGB", "GRAY8"},
      [GST_STREET_SCENE_DISPARITY] = {"GRAY16_LE", NULL},
      [GST_STREET_SCENE_SEMANTICS] = {"GRAY8", NULL},
  };
  GValue list = G_VALUE_INIT, format = G_VALUE_INIT;
  GstCaps *caps;

  if (gst_street_scene_view_is_lidar(view))
    return gst_caps_new_simple(
        view == GST_STREET_SCENE_LIDAR ? GST_STX_LIDAR_MEDIA_TYPE : GST_STX_POINT_LABELS_MEDIA_TYPE,
        "framerate", GST_TYPE_FRACTION_RANGE, 1, G_MAXINT, G_MAXINT, 1, NULL);
  caps = gst_caps_truncate(gst_caps_from_string(GST_STREET_SCENE_CAPS));
  gst_value_list_init(&list, 2);
  g_value_init(&format, G_TYPE_STRING);
  for (gsize i = 0; i < 2 && formats[view][i] != NULL; i++) {
    g_value_set_static_string(&format, formats[view][i]);
    gst_value_list_append_value(&list, &format);
  }
  gst_caps_set_value(caps, "format", &list);
  g_value_unset(&list);
  g_value_unset(&format);
  return caps;
}

static void fixate_picture(
    const GstStreetSceneSettings *settings, const GstCaps *caps, GstStructure *structure)
{
  gint width = DEFAULT_WIDTH, height = DEFAULT_HEIGHT;
  gint shape_width = DEFAULT_WIDTH, shape_height = DEFAULT_HEIGHT;
  StxCamera camera;
  StxError error;

  if (settings->is_real && settings->real.camera[0].width > 0) {
    width = shape_width = settings->real.camera[0].width;
    height = shape_height = settings->real.camera[0].height;
  }
  if (gst_structure_get_int(structure, "height", &height))
    width = (gint)MIN((gint64)height * shape_width / shape_height, STX_SCENE_MAX_SIZE);
  gst_structure_fixate_field_nearest_int(structure, "width", MAX(width, 1));
  gst_structure_get_int(structure, "width", &width);
  gst_structure_fixate_field_nearest_int(
      structure, "height", MAX((gint)((gint64)width * shape_height / shape_width), 1));
  gst_structure_get_int(structure, "height", &height);
  /* One that does not fit is refused when the stream begins. */
  if (!gst_street_scene_camera(settings, caps, width, height, &camera, &error))
    return;
  if (settings->is_real &&
      (settings->view == GST_STREET_SCENE_LEFT || settings->view == GST_STREET_SCENE_RIGHT))
    camera = (StxCamera){.height = camera.height, /* of a real camera without its calibration */
        .pitch = camera.pitch,
        .missing = STX_CAMERA_CX | STX_CAMERA_CY};
  gst_stx_camera_to_structure(&camera, structure);
}

/* Places the sensor by the pictures' camera, whose height and pitch hold for any size. */
static void place_sensor(const GstStreetSceneSettings *settings, GstStructure *structure)
{
  StxExtrinsics extrinsics;
  StxCamera camera;
  StxError error;

  if (!gst_street_scene_camera(settings, NULL, DEFAULT_WIDTH, DEFAULT_HEIGHT, &camera, &error))
    return;
  extrinsics = stx_scene_lidar_extrinsics(&settings->lidar, &camera);
  gst_stx_extrinsics_to_structure(&extrinsics, structure);
}

GstCaps *gst_street_scene_view_fixate(const GstStreetSceneSettings *settings, GstCaps *caps)
{
  GstStructure *structure;

  caps = gst_caps_make_writable(gst_caps_truncate(caps));
  structure = gst_caps_get_structure(caps, 0);
  gst_structure_fixate_field_nearest_fraction(structure, "framerate", 10, 1);
  if (gst_structure_has_name(structure, "video/x-raw"))
    fixate_picture(settings, caps, structure);
  else if (settings->view == GST_STREET_SCENE_LIDAR)
    place_sensor(settings, structure);
  return caps;
}

gboolean gst_street_scene_view_info(
    GstStreetSceneView view, const GstCaps *caps, GstVideoInfo *info)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);

  if (!gst_street_scene_view_is_lidar(view))
    return gst_video_info_from_caps(info, caps);
  /* Without a format GstVideoInfo converts nothing, not even frames to times. */
  gst_video_info_set_format(info, GST_VIDEO_FORMAT_GRAY8, 1, 1);
  info->size = 0;
  return gst_structure_get_fraction(structure, "framerate", &info->fps_n, &info->fps_d);
}

/* ---- Buffers -------------------------------------------------------------------------------- */

static gsize bytes_per_point(GstStreetSceneView view)
{
  return view == GST_STREET_SCENE_LIDAR ? 4 * sizeof(gfloat) : sizeof(guint32);
}

static gsize scan_room(GstStreetSceneView view, const StxSceneLidar *lidar)
{
  return (gsize)lidar->beams * (gsize)lidar->steps * bytes_per_point(view);
}

gboolean gst_street_scene_view_decide(
    GstStreetSceneView view, const StxSceneLidar *lidar, GstQuery *query)
{
  guint room = (guint)scan_room(view, lidar);

  if (!gst_street_scene_view_is_lidar(view))
    return gst_stx_decide_video_pool(query);
  gst_stx_take_pool(query, gst_stx_host_pool_new(query, room), room, 0, 0);
  return TRUE;
}

static gboolean write_scan(GstStreetSceneView view, StxScene *scene, const StxSceneLidar *lidar,
    GstBuffer *buffer, StxError *error)
{
  gsize room = scan_room(view, lidar), count;
  GstMapInfo map;

  if (gst_buffer_get_size(buffer) < room || !gst_buffer_map(buffer, &map, GST_MAP_WRITE))
    return stx_fail(error,
        "Cannot write a scan of %d beams into a buffer of %" G_GSIZE_FORMAT " bytes", lidar->beams,
        gst_buffer_get_size(buffer));
  if (view == GST_STREET_SCENE_LIDAR)
    count = stx_scene_scan(scene, lidar, (gfloat(*)[4])(gpointer)map.data, NULL);
  else
    count = stx_scene_scan(scene, lidar, NULL, (guint32 *)(gpointer)map.data);
  gst_buffer_unmap(buffer, &map);
  gst_buffer_set_size(buffer, (gssize)(count * bytes_per_point(view)));
  return TRUE;
}

static void draw(GstStreetSceneView view, StxScene *scene, GstVideoFrame *frame)
{
  StxImage8 image = gst_stx_frame_image8(frame);
  StxImage16 image16 = gst_stx_frame_image16(frame);
  gint channels = GST_VIDEO_FRAME_FORMAT(frame) == GST_VIDEO_FORMAT_RGB ? 3 : 1;

  switch (view) {
  case GST_STREET_SCENE_DISPARITY:
    stx_scene_truth(scene, &image16, NULL);
    break;
  case GST_STREET_SCENE_SEMANTICS:
    stx_scene_truth(scene, NULL, &image);
    break;
  default:
    stx_scene_render(
        scene, view == GST_STREET_SCENE_RIGHT ? STX_SCENE_RIGHT : STX_SCENE_LEFT, channels, &image);
    break;
  }
}

gboolean gst_street_scene_view_write(GstStreetSceneView view, StxScene *scene,
    const GstVideoInfo *info, const StxSceneLidar *lidar, GstBuffer *buffer, StxError *error)
{
  GstVideoFrame frame;

  if (gst_street_scene_view_is_lidar(view))
    return write_scan(view, scene, lidar, buffer, error);
  if (!gst_stx_frame_map(&frame, info, buffer, GST_MAP_WRITE, error))
    return FALSE;
  draw(view, scene, &frame);
  gst_video_frame_unmap(&frame);
  return TRUE;
}
