/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parameters, and the view that they describe. */
#include "common/orbit/orbit.h"

#include <math.h>
#include <stdio.h>

#include "common/cpu.h"
#include "common/orbit/orbit_private.h"

#define PI 3.14159265358979323846
#define FIELD_OF_VIEW (PI / 4) /* from the upper to the lower edge */
#define USUAL_HEIGHT 1.65      /* metres of a camera, where its height is unknown */
#define HEIGHT_LOOKED_AT 1.    /* metres above the road */

/* ---- Fields ------------------------------------------------------------------------------- */

#define FIELD(kind, member) STX_FIELD(kind, StxOrbitParams, member)

static const StxField fields[] = {
    {FIELD(INT, width), .low = 16, .high = STX_ORBIT_MAX_SIDE, .unit = "pixels"},
    {FIELD(INT, height), .low = 16, .high = STX_ORBIT_MAX_SIDE, .unit = "pixels"},
    {"azimuth", "Azimuth",
        "Azimuth of the eye, 0 behind the camera, to its right positive, radians",
        FIELD(DOUBLE, azimuth), .low = -6.2832, .high = 6.2832, .unit = "rad"},
    {"elevation", "Elevation", "Elevation of the eye above the horizon, radians",
        FIELD(DOUBLE, elevation), .low = .02, .high = 1.55, .unit = "rad"},
    {"distance", "Distance", "Distance from the eye to the point looked at, metres",
        FIELD(DOUBLE, distance), .low = 1, .high = 500, .unit = "m"},
    {"ahead", "Ahead", "Distance from the camera to the point looked at, metres",
        FIELD(DOUBLE, ahead), .low = -100, .high = 500, .unit = "m"},
    {"grid", "Grid", "Draw a 10 m grid, distances and the camera", FIELD(BOOL, grid)},
    {"legend", "Legend", "Corner of the legend", FIELD(CHOICE, legend),
        .choices = stx_legend_choices},
};
static const StxOrbitParams defaults = STX_ORBIT_DEFAULTS;
const StxFields stx_orbit_fields = {STX_FIELDS_OF(fields), &defaults};

bool stx_orbit_check(const StxOrbitParams *p, StxError *error)
{
  if (p->format == NULL || p->format->planes != 1 || p->format->yuv)
    return stx_fail(error, "format is %s, must be RGB, BGR, or one of these with a fourth byte",
        p->format == NULL ? "unknown" : p->format->name);
  return stx_fields_check(&stx_orbit_fields, p, error);
}

/* ---- The view ----------------------------------------------------------------------------- */

static StxVector sum(double a, StxVector p, double b, StxVector q, double c, StxVector r)
{
  return (StxVector){
      a * p.x + b * q.x + c * r.x, a * p.y + b * q.y + c * r.y, a * p.z + b * q.z + c * r.z};
}

static StxVector cross(StxVector a, StxVector b)
{
  return (StxVector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(StxVector a, StxVector b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* A camera that looks down has the road's up tilted backwards. */
static void find_road(const StxCamera *camera, StxOrbitView *view)
{
  double pitch = camera->missing & STX_CAMERA_PITCH ? 0 : camera->pitch;
  view->up = (StxVector){0, -cos(pitch), -sin(pitch)};
  view->level = (StxVector){0, -sin(pitch), cos(pitch)};
  view->camera_height = camera->height > 0 ? camera->height : USUAL_HEIGHT;
}

StxOrbitView stx_orbit_view(const StxOrbitParams *p, const StxCamera *camera)
{
  const StxVector aside = {1, 0, 0};
  double azimuth = p->azimuth, elevation = p->elevation;
  StxOrbitView view;
  find_road(camera, &view);
  StxVector target =
      sum(p->ahead, view.level, HEIGHT_LOOKED_AT - view.camera_height, view.up, 0, aside);
  view.forward = sum(cos(elevation) * cos(azimuth), view.level, -sin(elevation), view.up,
      -cos(elevation) * sin(azimuth), aside);
  view.eye = sum(1, target, -p->distance, view.forward, 0, aside);
  view.right = sum(cos(azimuth), aside, sin(azimuth), view.level, 0, aside);
  view.down = cross(view.forward, view.right);
  view.focal = p->height / 2. / tan(FIELD_OF_VIEW / 2);
  view.middle_x = p->width / 2.;
  view.middle_y = p->height / 2.;
  return view;
}

bool stx_orbit_project(const StxOrbitParams *params, const StxCamera *camera, const double point[3],
    double *x, double *y)
{
  StxOrbitView view = stx_orbit_view(params, camera);
  StxVector from = {point[0] - view.eye.x, point[1] - view.eye.y, point[2] - view.eye.z};
  double far = dot(view.forward, from);
  if (far < STX_ORBIT_NEAR)
    return false;
  *x = view.middle_x + view.focal * dot(view.right, from) / far;
  *y = view.middle_y + view.focal * dot(view.down, from) / far;
  return true;
}

/* ---- A frame ------------------------------------------------------------------------------ */

static void find_rays(StxOrbitFrame *frame)
{
  const StxOrbitView *v = &frame->view;
  const double forward[3] = {v->forward.x, v->forward.y, v->forward.z};
  const double right[3] = {v->right.x, v->right.y, v->right.z};
  const double down[3] = {v->down.x, v->down.y, v->down.z};
  for (int k = 0; k < 3; k++) {
    StxAffine ray = {0, right[k] / v->focal, down[k] / v->focal};
    ray.one = forward[k] - ray.across * v->middle_x - ray.down * v->middle_y;
    frame->ray[k] = ray;
  }
}

/* Back from luma and chroma; colour.c has the way there. */
static void find_yuv(StxOrbitFrame *frame, const StxOrbitPicture *picture)
{
  const double *weights = stx_matrix_weights[picture->matrix];
  double kr = weights[0], kb = weights[1], kg = 1 - kr - kb;
  double luma = picture->full_range ? 1 : 255 / 219., chroma = picture->full_range ? 1 : 255 / 224.;
  const double exact[5] = {luma, 2 * (1 - kr) * chroma, 2 * (1 - kb) * kb / kg * chroma,
      2 * (1 - kr) * kr / kg * chroma, 2 * (1 - kb) * chroma};
  for (int i = 0; i < 5; i++)
    frame->yuv[i] = (int32_t)(65536 * exact[i] + .5);
  frame->black = picture->full_range ? 0 : 16;
}

void stx_orbit_frame(StxOrbitFrame *frame, const StxOrbitParams *params, const StxOrbitScene *scene)
{
  frame->params = params;
  frame->scene = scene;
  frame->view = stx_orbit_view(params, &scene->image.camera);
  find_rays(frame);
  for (int i = 0; i < 256; i++)
    frame->palette[i] = stx_palette_colour(scene->colours.palette, i);
  frame->background = stx_colour(STX_MEANS_BACKGROUND);
  frame->grid = stx_colour_mix(frame->background, stx_colour(STX_MEANS_GRID), 1, 3);
  if (scene->picture != NULL)
    find_yuv(frame, scene->picture);
}

/* ---- Implementations ---------------------------------------------------------------------- */

/* ---- What is written on a view ------------------------------------------------------------- */

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

/* At the right end of every line across, or at its left one, where it does not fit; where these
 * come close, some are left out. */
static void write_distances(
    const StxOrbitParams *params, const StxOrbitScene *scene, double size, StxCanvas *canvas)
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
      if (stx_canvas_label(canvas, text, size, at, anchor, stx_colour(STX_MEANS_INK)))
        break;
    }
  }
}

/* The camera: a pole from the road up to it, and the sides of what it sees. */
static void draw_camera(
    const StxOrbitParams *params, const StxOrbitScene *scene, double width, StxCanvas *canvas)
{
  const StxQuadImage *image = &scene->image;
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
  stx_canvas_line(canvas, pole, 2, width, ink);
  stx_canvas_line(canvas, corner, 5, width, ink);
  for (int i = 0; i < 4; i++) {
    edge[0] = pole[0];
    edge[1] = corner[i];
    stx_canvas_line(canvas, edge, 2, width, ink);
  }
}

/* Names of what the records hold. */
static void write_names(const StxOrbitParams *params, const StxOrbitScene *scene, StxCanvas *canvas)
{
  static const char *const kinds[] = {"segment", "ground", "object"};
  StxName names[STX_LABEL_CLASSES + 1];
  uint32_t seen = 0;
  size_t count = 0;
  bool by_kind = scene->colours.mode == STX_QUAD_KIND;
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
  stx_canvas_names(canvas, params->legend, by_kind ? "kind of stixel" : "class", names, count);
}

static void write_legend(
    const StxOrbitParams *params, const StxOrbitScene *scene, StxCanvas *canvas)
{
  const StxBar bar = {.palette = scene->colours.palette,
      .reversed = true,
      .high = scene->colours.max_distance,
      .title = "distance",
      .unit = "m"};
  if (params->legend == STX_LEGEND_NONE || scene->picture != NULL)
    return;
  if (scene->colours.mode == STX_QUAD_DISTANCE)
    stx_canvas_bar(canvas, params->legend, &bar);
  else
    write_names(params, scene, canvas);
}

void stx_orbit_letter(const StxOrbitParams *params, const StxOrbitScene *scene, StxCanvas *canvas)
{
  StxCanvasUnit unit = stx_canvas_unit(params->width, params->height);
  write_legend(params, scene, canvas);
  if (!params->grid)
    return;
  draw_camera(params, scene, unit.line, canvas);
  write_distances(params, scene, unit.text, canvas);
}

#define IMPL(name, backend, needs, suffix)                                                         \
  {                                                                                                \
    {name, backend, STX_MEMORY_HOST, needs}, stx_orbit_scratch_size_##suffix,                      \
        stx_orbit_draw_##suffix                                                                    \
  }
static const StxOrbitImpl impls[] = {STX_HOST_IMPLS(IMPL)};
const StxImplTable stx_orbit_impls = {impls, sizeof impls / sizeof impls[0], sizeof impls[0]};
