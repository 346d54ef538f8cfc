/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/settings/scenesettings.h"

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
}

StxSceneLidar gst_street_scene_lidar(const GstStreetSceneSettings *settings)
{
  StxSceneLidar lidar = settings->lidar, usual = stx_scene_lidar(lidar.beams);

  lidar.top = usual.top;
  lidar.bottom = usual.bottom;
  return lidar;
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
  camera->image_width = width;
  camera->image_height = height;
  return TRUE;
}
