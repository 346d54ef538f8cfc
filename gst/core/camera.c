/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/core/camera.h"

#include "common/calibration/calibration.h"
#include "gst/core/element.h"

/* ---- Fields -------------------------------------------------------------------------------- */

static const StxField calibration_fields[] = {
    {"calibration", "Calibration file", "KITTI or Middlebury calib.txt or Cityscapes camera.json",
        STX_FIELD(TEXT, GstStxCameraSettings, calibration)},
    {"calibration-pair", "Calibration pair",
        "Left camera in a KITTI file: 0 gray, 2 colour, -1 colour if there is one",
        STX_FIELD(INT, GstStxCameraSettings, pair), .low = -1, .high = 2},
};
static const GstStxCameraSettings calibration_defaults = {
    .pair = -1, .single.missing = STX_CAMERA_ALL, .file.missing = STX_CAMERA_ALL};
const StxFields gst_stx_calibration_fields = {
    STX_FIELDS_OF(calibration_fields), &calibration_defaults};

#define PIXELS(member) STX_FIELD(INT, GstStxCameraSettings, member), .high = 32768, .unit = "px"
#define CUT " since the calibration"

static const StxField image_fields[] = {
    {"camera-image-width", "Image width of the camera",
        "Width of the calibrated image, pixels (0 = as in the file, else that of the input)",
        PIXELS(image_width)},
    {"camera-image-height", "Image height of the camera",
        "Height of the calibrated image, pixels (0 = as camera-image-width)", PIXELS(image_height)},
    {"camera-crop-left", "Cropped left", "Pixels cropped at the left" CUT, PIXELS(left)},
    {"camera-crop-right", "Cropped right", "Pixels cropped at the right" CUT, PIXELS(right)},
    {"camera-crop-top", "Cropped top", "Pixels cropped at the top" CUT, PIXELS(top)},
    {"camera-crop-bottom", "Cropped bottom", "Pixels cropped at the bottom" CUT, PIXELS(bottom)},
};
const StxFields gst_stx_image_fields = {STX_FIELDS_OF(image_fields), &calibration_defaults};

static const StxCamera unknown = {.missing = STX_CAMERA_ALL};

/* Numbers of `from` replace those of `camera`. */
static void override(StxCamera *camera, const StxCamera *from)
{
  for (gsize i = 0; i < stx_camera_fields.count; i++) {
    const StxField *field = &stx_camera_fields.fields[i];

    if (!stx_field_is_missing(field, from))
      stx_field_set(field, camera, stx_field_get(field, from));
  }
}

/* ---- Properties ---------------------------------------------------------------------------- */

void gst_stx_camera_settings_init(GstStxCameraSettings *settings)
{
  *settings = calibration_defaults;
}

void gst_stx_camera_settings_clear(GstStxCameraSettings *settings)
{
  g_clear_pointer(&settings->calibration, g_free);
}

gboolean gst_stx_camera_settings_load(
    GstStxCameraSettings *settings, gboolean sensor, GstElement *element)
{
  StxCamera camera = unknown;
  GstStxExtrinsicsSettings extrinsics = {.has_file = FALSE};
  StxError error = {""};
  gboolean loaded = TRUE;
  g_autofree gchar *path = NULL;
  gint pair;

  GST_OBJECT_LOCK(element);
  path = g_strdup(settings->calibration);
  pair = settings->pair;
  GST_OBJECT_UNLOCK(element);

  if (path != NULL && path[0] != '\0')
    loaded = stx_calibration_load_pair(path, pair, &camera, &error) &&
             (!sensor || gst_stx_extrinsics_settings_load(&extrinsics, path, pair, &error));
  if (!loaded) {
    GST_STX_ELEMENT_ERROR(element, RESOURCE, OPEN_READ, &error);
    return FALSE;
  }
  GST_OBJECT_LOCK(element);
  extrinsics.single = settings->sensor.single;
  settings->sensor = extrinsics;
  settings->file = camera;
  GST_OBJECT_UNLOCK(element);
  return TRUE;
}

/* ---- What counts --------------------------------------------------------------------------- */

/* Everything that is pixels comes from single properties. */
static gboolean is_all_single(const GstStxCameraSettings *settings)
{
  const StxCamera *single = &settings->single;

  return single->focal > 0 && !(single->missing & (STX_CAMERA_CX | STX_CAMERA_CY));
}

static void name_size(StxCamera *camera, gint width, gint height)
{
  camera->image_width = width;
  camera->image_height = height;
}

/* The camera of the caps, for the size that the other numbers are given for, if there is one. */
static gboolean collect_caps(
    const GstStxCameraSettings *settings, const GstCaps *caps, StxCamera *camera, StxError *error)
{
  StxError note;

  if (caps != NULL)
    gst_stx_camera_from_caps(caps, camera);
  return camera->image_width == 0 || settings->image_width == 0 || settings->file.focal > 0 ||
         is_all_single(settings) ||
         stx_camera_fit(camera, settings->image_width, settings->image_height, &note) ||
         stx_fail(error, "camera-image-width and -height: %s", note.text);
}

/* The numbers as they were given, with the size of the image of which they speak. */
static gboolean collect(
    const GstStxCameraSettings *settings, const GstCaps *caps, StxCamera *camera, StxError *error)
{
  *camera = unknown;
  if ((settings->image_width > 0) != (settings->image_height > 0))
    return stx_fail(error,
        "camera-image-width is %d and camera-image-height %d; set both, or none (0)",
        settings->image_width, settings->image_height);
  if (!collect_caps(settings, caps, camera, error))
    return FALSE;
  if (settings->file.focal > 0) {
    override(camera, &settings->file);
    name_size(camera, settings->file.image_width, settings->file.image_height);
  }
  if (settings->image_width > 0) {
    override(camera, &settings->single);
    name_size(camera, settings->image_width, settings->image_height);
  }
  return TRUE;
}

/* The cure for a camera that was refused, or scaled by mistake. */
static const char *cure(GstStxCameraUse use, gboolean is_refused)
{
  if (use == GST_STX_CAMERA_OF_SCENE)
    return is_refused ? ". Ask for pictures of that shape, in caps behind this element" : "";
  if (!is_refused && use == GST_STX_CAMERA_OF_DATA)
    return ". Disparities are taken for pixels of this size. If that is as it should be, set "
           "camera-image-width and -height to say so";
  if (!is_refused)
    return ". If that is as it should be, set camera-image-width and -height to say so";
  return ". If it was cut, set camera-crop-left, -right, -top, -bottom as in videocrop; if it is "
         "of "
         "another size, camera-image-width and -height";
}

/* Scales the camera to the size of the image before it was cut, then cuts. */
static gboolean fit(const GstStxCameraSettings *settings, GstStxCameraUse use, gint width,
    gint height, StxCamera *camera, StxError *note)
{
  gint whole_width = width + settings->left + settings->right;
  gint whole_height = height + settings->top + settings->bottom;
  StxError found = {""};

  if (!stx_camera_fit(camera, whole_width, whole_height, &found))
    return stx_fail(note, "%s%s", found.text, cure(use, TRUE));
  if (found.text[0] != '\0')
    stx_fail(note, "%s%s", found.text, cure(use, FALSE));
  stx_camera_cut(camera, settings->left, settings->top, width, height);
  return TRUE;
}

/* Whether single properties speak of the image that comes here: they need no fitting. */
static gboolean is_of_stream(const GstStxCameraSettings *settings)
{
  return settings->image_width == 0 && is_all_single(settings);
}

/* Their principal point may be that of another size, as in pictures that were scaled. */
static void doubt(const GstStxCameraSettings *settings, gint width, gint height, StxError *note)
{
  StxCamera single = settings->single;
  StxError found;

  if (!stx_camera_fit(&single, width, height, &found))
    stx_fail(note,
        "%s. If focal, cx and cy are of that image, distances are wrong: set camera-image-width "
        "and -height to its size",
        found.text);
}

gboolean gst_stx_camera_settings_apply(const GstStxCameraSettings *settings, const GstCaps *caps,
    GstStxCameraUse use, gint width, gint height, StxCamera *camera, StxError *note)
{
  StxCamera carried = unknown; /* by the caps */
  gboolean carries;

  note->text[0] = '\0';
  if (caps != NULL)
    gst_stx_camera_from_caps(caps, &carried);
  carries =
      stx_camera_has_pixels(&carried) && settings->file.focal <= 0 && !is_all_single(settings);
  if (use == GST_STX_CAMERA_OF_DATA && carries &&
      !stx_camera_expect(&carried, width + settings->left + settings->right,
          height + settings->top + settings->bottom, note))
    return FALSE;
  if (!stx_camera_check(&settings->single, "properties", "set them in these units", note) ||
      !collect(settings, caps, camera, note))
    return FALSE;
  if (stx_camera_has_pixels(camera) && !is_of_stream(settings)) {
    if (!fit(settings, use, width, height, camera, note))
      return FALSE;
    if (note->text[0] != '\0')
      GST_INFO("%s", note->text);
    /* No warning if the size was given, or a stream with its camera was scaled. */
    if (settings->image_width > 0 || (carries && carried.image_width > 0))
      note->text[0] = '\0';
  }
  if (is_of_stream(settings))
    doubt(settings, width, height, note);
  if (settings->image_width == 0)
    override(camera, &settings->single);
  name_size(camera, stx_camera_has_pixels(camera) ? width : 0,
      stx_camera_has_pixels(camera) ? height : 0);
  return stx_camera_check(camera, "camera",
      "correct the fields camera-… of the caps, or set the properties in these units", note);
}

void gst_stx_camera_tell(GstElement *element, const StxError *note)
{
  static const gchar key[] = "gst-stx-camera-told";
  const gchar *told = g_object_get_data(G_OBJECT(element), key);

  if (note->text[0] == '\0' || g_strcmp0(told, note->text) == 0)
    return;
  g_object_set_data_full(G_OBJECT(element), key, g_strdup(note->text), g_free);
  GST_ELEMENT_WARNING(element, STREAM, FORMAT, ("%s", note->text), (NULL));
}
