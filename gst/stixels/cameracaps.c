/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/cameracaps.h"

#include <math.h>

#include "common/camera_fields.h"
#include "common/columns.h"
#include "gst/stixels/number_private.h"

/* The names of stx_camera_fields in caps, in their order. */
static const gchar *const caps_fields[] = {
    "camera-focal", "camera-cx", "camera-cy", "camera-baseline", "camera-height", "camera-pitch"};
#define CAPS_WIDTH "camera-image-width"
#define CAPS_HEIGHT "camera-image-height"

static gint get_side(const GstStructure *structure, const gchar *field)
{
  gint side;

  return gst_structure_get_int(structure, field, &side) && side > 0 && side <= STX_GRID_MAX_SIDE
             ? side
             : 0;
}

void gst_stx_camera_from_caps(const GstCaps *caps, StxCamera *camera)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);

  *camera = (StxCamera){.missing = STX_CAMERA_ALL};
  for (gsize i = 0; i < stx_camera_fields.count; i++) {
    const StxField *field = &stx_camera_fields.fields[i];
    gdouble value;

    if (!gst_stx_get_number(structure, caps_fields[i], &value))
      continue;
    /* Foreign caps: a number outside of the range is ignored. */
    if (!isfinite(value) || value < field->low || value > field->high)
      continue;
    stx_field_set(field, camera, value);
  }
  camera->image_width = get_side(structure, CAPS_WIDTH);
  camera->image_height = get_side(structure, CAPS_HEIGHT);
  if (camera->image_width == 0 || camera->image_height == 0)
    camera->image_width = camera->image_height = 0;
}

void gst_stx_camera_to_structure(const StxCamera *camera, GstStructure *structure)
{
  for (gsize i = 0; i < stx_camera_fields.count; i++)
    if (!stx_field_is_missing(&stx_camera_fields.fields[i], camera))
      gst_structure_set(structure, caps_fields[i], G_TYPE_DOUBLE,
          stx_field_get(&stx_camera_fields.fields[i], camera), NULL);
    else
      gst_structure_remove_field(structure, caps_fields[i]);
  if (camera->image_width > 0)
    gst_structure_set(structure, CAPS_WIDTH, G_TYPE_INT, camera->image_width, CAPS_HEIGHT,
        G_TYPE_INT, camera->image_height, NULL);
  else
    gst_structure_remove_fields(structure, CAPS_WIDTH, CAPS_HEIGHT, NULL);
}
