/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parameters, and the view that they describe. */
#include "common/orbit/orbit.h"

#include <math.h>

#include "common/cpu.h"
#include "common/orbit/orbit_private.h"

#define PI 3.14159265358979323846
#define FIELD_OF_VIEW (PI / 4) /* from the upper to the lower edge */
#define USUAL_HEIGHT 1.65      /* metres of a camera, where nobody says its height */
#define HEIGHT_LOOKED_AT 1.    /* metres above the road */

/* ---- Fields ------------------------------------------------------------------------------- */

#define FIELD(kind, member) STX_FIELD(kind, StxOrbitParams, member)

static const StxField fields[] = {
    {FIELD(INT, width), .low = 16, .high = STX_ORBIT_MAX_SIDE, .unit = "pixels"},
    {FIELD(INT, height), .low = 16, .high = STX_ORBIT_MAX_SIDE, .unit = "pixels"},
    {"azimuth", "Azimuth",
        "Where the eye stands: 0 straight behind the camera, 1.57 to its right, -1.57 to its left, "
        "radians",
        FIELD(DOUBLE, azimuth), .low = -6.2832, .high = 6.2832, .unit = "rad"},
    {"elevation", "Elevation", "How high the eye stands above the horizon, radians",
        FIELD(DOUBLE, elevation), .low = .02, .high = 1.55, .unit = "rad"},
    {"distance", "Distance", "From the eye to the place that it looks at, metres",
        FIELD(DOUBLE, distance), .low = 1, .high = 500, .unit = "m"},
    {"ahead", "Ahead", "How far ahead of the camera the place lies that the eye looks at, metres",
        FIELD(DOUBLE, ahead), .low = -100, .high = 500, .unit = "m"},
    {"grid", "Grid", "Draw a grid of 10 m on the road, its distances, and where the camera stands",
        FIELD(BOOL, grid)},
    {"legend", "Legend", "Where the legend of the colours lies", FIELD(CHOICE, legend),
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
  static const double weights[][2] = {
      [STX_MATRIX_BT601] = {.299, .114},
      [STX_MATRIX_BT709] = {.2126, .0722},
      [STX_MATRIX_BT2020] = {.2627, .0593},
  };
  double kr = weights[picture->matrix][0], kb = weights[picture->matrix][1], kg = 1 - kr - kb;
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

#define IMPL(name, backend, needs, suffix)                                                         \
  {                                                                                                \
    {name, backend, STX_MEMORY_HOST, needs}, stx_orbit_scratch_size_##suffix,                      \
        stx_orbit_draw_##suffix                                                                    \
  }
static const StxOrbitImpl impls[] = {STX_HOST_IMPLS(IMPL)};
const StxImplTable stx_orbit_impls = {impls, sizeof impls / sizeof impls[0], sizeof impls[0]};
