/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/quad/quad.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool stx_quad_check_camera(const StxCamera *camera, StxError *error)
{
  const struct {
    bool missing;
    const char *name;
  } numbers[] = {
      {camera->focal <= 0, "focal length"},
      {camera->baseline <= 0, "baseline"},
      {camera->missing & STX_CAMERA_CX, "cx"},
      {camera->missing & STX_CAMERA_CY, "cy"},
  };
  char names[64] = "";
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    if (numbers[i].missing)
      snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
          names[0] != '\0' ? ", " : "", numbers[i].name);
  if (names[0] == '\0')
    return true;
  return stx_fail(error,
      "an orbiting view is in metres, and of the camera is unknown: %s. Set calibration, or focal, "
      "baseline, cx and cy, on stereo-sgm, downsample-transpose or sat-dp-stixels, or calibration "
      "on stereo-stixels",
      names);
}

static bool is_seen(const StxQuadImage *image, const StxStixel *s)
{
  return s->kind < STX_KIND_SKY && (int64_t)s->column * image->stixel_width < image->width &&
         s->top <= s->bottom && s->bottom < image->height && s->disparity_top >= 0 &&
         s->disparity_top <= image->width && s->disparity_bottom >= 0 &&
         s->disparity_bottom <= image->width;
}

/* The rows between which the disparity is at least `least`. */
static bool cut(const StxQuadImage *image, const StxStixel *s, StxQuad *quad)
{
  double least = image->camera.focal * image->camera.baseline / image->reach;
  double above = s->disparity_top, below = s->disparity_bottom;
  double top = s->top - .5, bottom = s->bottom + .5;
  if (above < least && below < least)
    return false;
  double border = above == below ? top : top + (least - above) * (bottom - top) / (below - above);
  quad->top = above < least ? border : top;
  quad->bottom = below < least ? border : bottom;
  return quad->top < quad->bottom;
}

/* The plane says how far it is at a row: the cut edge lies in it as the others do. */
static void find_plane(const StxCamera *camera, const StxStixel *s, StxQuad *quad)
{
  double rows = s->bottom - s->top + 1., above = s->disparity_top;
  double slope = (s->disparity_bottom - above) / rows;
  quad->normal[0] = 0;
  quad->normal[1] = slope * camera->focal;
  quad->normal[2] = above + slope * (camera->cy - (s->top - .5));
  quad->offset = camera->focal * camera->baseline;
}

static double disparity_at(const StxStixel *s, double row)
{
  double part = (row - (s->top - .5)) / (s->bottom - s->top + 1.);
  return s->disparity_top + part * ((double)s->disparity_bottom - s->disparity_top);
}

static void place(const StxCamera *camera, double column, double row, double disparity, double *at)
{
  double z = camera->focal * camera->baseline / disparity;
  at[0] = (column - camera->cx) * z / camera->focal;
  at[1] = (row - camera->cy) * z / camera->focal;
  at[2] = z;
}

bool stx_quad(const StxQuadImage *image, const StxStixel *s, StxQuad *quad)
{
  const StxCamera *camera = &image->camera;
  StxQuad f;
  if (!is_seen(image, s) || !cut(image, s, &f))
    return false;
  f.left = (double)s->column * image->stixel_width - .5;
  f.right = fmin(f.left + image->stixel_width, image->width - .5);
  find_plane(camera, s, &f);
  double above = disparity_at(s, f.top), below = disparity_at(s, f.bottom);
  place(camera, f.left, f.bottom, below, f.corner[STX_LOWER_LEFT]);
  place(camera, f.right, f.bottom, below, f.corner[STX_LOWER_RIGHT]);
  place(camera, f.right, f.top, above, f.corner[STX_UPPER_RIGHT]);
  place(camera, f.left, f.top, above, f.corner[STX_UPPER_LEFT]);
  *quad = f;
  return true;
}

static const StxFieldChoice modes[] = {
    {STX_QUAD_DISTANCE, "distance", "Distance"},
    {STX_QUAD_KIND, "kind", "Ground, object, segment"},
    {STX_QUAD_CLASS, "class", "Class"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, StxQuadColours, member)

static const StxField fields[] = {
    {"mode", "Mode", "Colours", FIELD(CHOICE, mode), .choices = modes},
    {"palette", "Palette", "Palette of mode=distance", FIELD(CHOICE, palette),
        .choices = stx_palette_choices},
    {"max-distance", "Maximum distance", "Distance of the farthest colour, metres",
        FIELD(DOUBLE, max_distance), .low = 1, .high = 1000, .unit = "m"},
};
static const StxQuadColours defaults = STX_QUAD_COLOURS_DEFAULTS;
const StxFields stx_quad_colour_fields = {STX_FIELDS_OF(fields), &defaults};

static StxRgb distance_colour(const StxQuadColours *colours, double metres)
{
  double far = fmin(metres / colours->max_distance, 1);
  return stx_palette_colour(colours->palette, (int)(255 * (1 - far) + .5));
}

StxRgb stx_quad_colour(const StxQuadColours *colours, const StxStixel *stixel, double metres)
{
  if (colours->mode == STX_QUAD_KIND)
    return stx_colour_kind(stixel->kind);
  if (colours->mode == STX_QUAD_CLASS)
    return stx_colour_class(stixel->label);
  return distance_colour(colours, metres);
}
