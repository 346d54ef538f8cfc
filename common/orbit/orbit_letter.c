/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is written on a view. */
#include <stdio.h>

#include "common/orbit/orbit_private.h"

enum { GRID = 10, FAR = 60, ASIDE = 20 }; /* metres, as stx_orbit_ground has them */

/* A place of the road, seen. */
static bool on_road(const StxOrbitParams *params, const StxCamera *camera, double aside,
    double along, double high, StxSpot *spot)
{
  StxOrbitView view = stx_orbit_view(params, camera);
  double down = view.camera_height - high;
  const double point[3] = {
      aside, along * view.level.y - down * view.up.y, along * view.level.z - down * view.up.z};
  return stx_orbit_project(params, camera, point, &spot->x, &spot->y);
}

/* At the right end of every line across, or at its left one, where there is no room; where these
 * come close, some are left out. */
static void write_distances(
    const StxOrbitParams *params, const StxOrbitScene *scene, double size, StxSheet *sheet)
{
  for (int along = GRID; along <= FAR; along += GRID) {
    StxSpot at;
    char text[16];
    snprintf(text, sizeof text, "%d m", along);
    for (int side = ASIDE; side >= -ASIDE; side -= 2 * ASIDE) {
      StxAnchor anchor = side > 0 ? STX_ANCHOR_LEFT_MIDDLE : STX_ANCHOR_RIGHT_MIDDLE;
      if (!on_road(params, &scene->image.camera, side, along, 0, &at))
        continue;
      at.x += side > 0 ? size / 2 : -size / 2;
      if (stx_sheet_label(sheet, text, size, at, anchor, stx_colour(STX_MEANS_INK)))
        break;
    }
  }
}

/* The camera: a pole from the road up to it, and the sides of what it sees. */
static void draw_camera(
    const StxOrbitParams *params, const StxOrbitScene *scene, double width, StxSheet *sheet)
{
  const StxFacetImage *image = &scene->image;
  const StxCamera *camera = &image->camera;
  const double depth = 1.5, place[3] = {0, 0, 0};
  const StxInk ink = {stx_colour(STX_MEANS_SENSOR), .9};
  StxSpot pole[2], corner[5], edge[2];
  if (!stx_orbit_project(params, camera, place, &pole[0].x, &pole[0].y) ||
      !on_road(params, camera, 0, 0, 0, &pole[1]))
    return;
  for (int i = 0; i < 5; i++) {
    double u = i % 4 == 0 || i == 3 ? -.5 : image->width - .5;
    double v = i % 4 < 2 ? -.5 : image->height - .5;
    const double at[3] = {
        (u - camera->cx) * depth / camera->focal, (v - camera->cy) * depth / camera->focal, depth};
    if (!stx_orbit_project(params, camera, at, &corner[i].x, &corner[i].y))
      return;
  }
  stx_sheet_line(sheet, pole, 2, width, ink);
  stx_sheet_line(sheet, corner, 5, width, ink);
  for (int i = 0; i < 4; i++) {
    edge[0] = pole[0];
    edge[1] = corner[i];
    stx_sheet_line(sheet, edge, 2, width, ink);
  }
}

/* Names of what the records hold. */
static void write_names(const StxOrbitParams *params, const StxOrbitScene *scene, StxSheet *sheet)
{
  static const char *const kinds[] = {"segment", "ground", "object"};
  StxName names[STX_LABEL_CLASSES + 1];
  uint32_t seen = 0;
  size_t count = 0;
  bool by_kind = scene->colours.mode == STX_FACET_KIND;
  for (size_t i = 0; i < scene->count; i++) {
    const StxStixel *s = &scene->records[i];
    int label = s->label < STX_LABEL_CLASSES ? s->label : STX_LABEL_CLASSES;
    if (s->kind < STX_KIND_SKY)
      seen |= 1u << (by_kind ? s->kind : label);
  }
  for (int i = 0; i <= STX_LABEL_CLASSES; i++)
    if (seen & 1u << i)
      names[count++] =
          by_kind ? (StxName){.name = kinds[i], .colour = stx_colour_kind((StxKind)i)}
                  : (StxName){.name = i < STX_LABEL_CLASSES ? stx_label_name(i) : "no label",
                        .colour = stx_colour_class(i)};
  stx_sheet_names(sheet, params->legend, by_kind ? "kind of stixel" : "class", names, count);
}

static void write_legend(const StxOrbitParams *params, const StxOrbitScene *scene, StxSheet *sheet)
{
  const StxBar bar = {.palette = scene->colours.palette,
      .reversed = true,
      .high = scene->colours.max_distance,
      .title = "distance",
      .unit = "m"};
  if (params->legend == STX_LEGEND_NONE || scene->picture != NULL)
    return;
  if (scene->colours.mode == STX_FACET_DISTANCE)
    stx_sheet_bar(sheet, params->legend, &bar);
  else
    write_names(params, scene, sheet);
}

void stx_orbit_letter(const StxOrbitParams *params, const StxOrbitScene *scene, StxSheet *sheet)
{
  StxSheetUnit unit = stx_sheet_unit(params->width, params->height);
  write_legend(params, scene, sheet);
  if (!params->grid)
    return;
  draw_camera(params, scene, unit.line, sheet);
  write_distances(params, scene, unit.text, sheet);
}
