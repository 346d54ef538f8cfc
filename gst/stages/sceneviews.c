/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stages/sceneviews.h"

#include "gst/formats/mount.h"
#include "gst/shared/frames.h"
#include "gst/shared/memory.h"
#include "gst/stixels/mediatypes.h"

#define DEFAULT_WIDTH 1242
#define DEFAULT_HEIGHT 375

gboolean gst_street_scene_view_is_lidar(GstStreetSceneView view)
{
  return view == GST_STREET_SCENE_LIDAR || view == GST_STREET_SCENE_LIDAR_LABELS;
}

/* ---- Caps ----------------------------------------------------------------------------------- */

static GstCaps *scan_caps(GstStreetSceneView view)
{
  const char *media_type =
      view == GST_STREET_SCENE_LIDAR ? GST_STX_LIDAR_MEDIA_TYPE : GST_STX_POINT_LABELS_MEDIA_TYPE;

  return gst_caps_new_simple(
      media_type, "framerate", GST_TYPE_FRACTION_RANGE, 1, G_MAXINT, G_MAXINT, 1, NULL);
}

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
    return scan_caps(view);
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

/* What is known of a real camera without its calibration. */
static StxCamera of_real_camera(const StxCamera *pair)
{
  return (StxCamera){
      .height = pair->height, .pitch = pair->pitch, .missing = STX_CAMERA_CX | STX_CAMERA_CY};
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
    camera = of_real_camera(&camera);
  gst_stx_camera_to_structure(&camera, structure);
}

/* From the camera of the pictures, of which height and pitch are those of any size. */
static void place_sensor(const GstStreetSceneSettings *settings, GstStructure *structure)
{
  StxMount mount;
  StxCamera camera;
  StxError error;

  if (!gst_street_scene_camera(settings, NULL, DEFAULT_WIDTH, DEFAULT_HEIGHT, &camera, &error))
    return;
  mount = stx_scene_lidar_mount(&settings->lidar, &camera);
  gst_stx_mount_to_structure(&mount, structure);
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
  GstCaps *caps;

  if (!gst_street_scene_view_is_lidar(view))
    return gst_stx_decide_video_pool(query);
  gst_query_parse_allocation(query, &caps, NULL);
  gst_stx_take_pool(query, gst_stx_host_pool_new(caps, room), room, 0, 0);
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
