/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/settings/scenesettings.h"

#include "gst/shared/element.h"

static const StxFieldChoice views[] = {
    {GST_STREET_SCENE_LEFT, "left", "Picture of the left camera"},
    {GST_STREET_SCENE_RIGHT, "right", "Picture of the right camera"},
    {GST_STREET_SCENE_DISPARITY, "disparity",
        "Disparity of the left picture, 1/256 pixels, 0 = sky"},
    {GST_STREET_SCENE_SEMANTICS, "semantics", "Classes of the left picture, Cityscapes train ids"},
    {GST_STREET_SCENE_LIDAR, "lidar", "Scan of a LiDAR on the car's roof: x, y, z, intensity"},
    {GST_STREET_SCENE_LIDAR_LABELS, "lidar-labels",
        "Labels of the scan's points, SemanticKITTI's encoding"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, GstStreetSceneSettings, member)

static const StxField fields[] = {
    {"view", "View", "What to produce", FIELD(CHOICE, view), .choices = views},
    {"seed", "Seed", "Which street", FIELD(UINT, seed), .high = G_MAXUINT},
    {"first-frame", "First frame", "Frame of the drive that is shown at stream time 0",
        FIELD(UINT, first_frame), .high = G_MAXUINT},
    {"skipped-frames", "Skipped frames",
        "Number of frames since the start that a live source left out, since it was late by more "
        "than one",
        FIELD(COUNT, skipped)},
    {"lens-calibration", "Calibration of the lenses",
        "Calibration of the real stereo camera that takes the pictures left and right, as "
        "stereo-rectify reads it; the other views are of the rectified pair",
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
  gchar *path;

  if (!gst_stx_camera_settings_load(&settings->camera, element))
    return FALSE;
  GST_OBJECT_LOCK(element);
  path = g_strdup(settings->lens_calibration);
  GST_OBJECT_UNLOCK(element);
  if (path != NULL) {
    const StxCalibrationFiles files = {.path = path, .pair = -1};

    loaded = stx_calibration_load(&files, 0, 0, &real, &error);
  }
  GST_OBJECT_LOCK(element);
  settings->real = real;
  settings->is_real = path != NULL && loaded;
  GST_OBJECT_UNLOCK(element);
  g_free(path);
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
