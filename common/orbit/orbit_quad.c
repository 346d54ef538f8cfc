/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A stixel, ready to be drawn.
 *
 * With the eye e, the ray d of a pixel, which is 1 long along the view's forward axis, and the
 * plane normal · P = offset, the ray meets the plane at e + t·d with
 *
 *   1 / t = (normal · d) / (offset − normal · e)
 *
 * which is linear in the position on the view, as d is. And so is every linear function f of space,
 * divided by t: f(e + t·d) / t = f(d) + f(e) / t, where f(d) is without f's constant. The picture's
 * column, row and depth are quotients of such functions: (focal·x + cx·z) / z, likewise, and z.
 */
#include <math.h>

#include "common/orbit/orbit_private.h"

/* ---- Planes ------------------------------------------------------------------------------- */

/* x·X + y·Y + z·Z, of rays. */
static StxAffine of_rays(const StxOrbitFrame *frame, double x, double y, double z)
{
  const StxAffine *ray = frame->ray;
  return (StxAffine){x * ray[0].one + y * ray[1].one + z * ray[2].one,
      x * ray[0].across + y * ray[1].across + z * ray[2].across,
      x * ray[0].down + y * ray[1].down + z * ray[2].down};
}

static StxAffine scaled(StxAffine a, double factor)
{
  return (StxAffine){a.one * factor, a.across * factor, a.down * factor};
}

static StxAffine plus(StxAffine a, StxAffine b, double factor)
{
  return (StxAffine){
      a.one + b.one * factor, a.across + b.across * factor, a.down + b.down * factor};
}

/* That linear function of space, over the distance from the eye. */
static StxAffine seen(
    const StxOrbitFrame *frame, const StxOrbitQuad *quad, double x, double y, double z)
{
  const StxVector *eye = &frame->view.eye;
  return plus(of_rays(frame, x, y, z), quad->nearness, x * eye->x + y * eye->y + z * eye->z);
}

/* False: the eye lies in the plane, and sees nothing of it. */
static bool find_plane(const StxOrbitFrame *frame, const StxQuad *surface, StxOrbitQuad *quad)
{
  const StxCamera *camera = &frame->scene->image.camera;
  const StxVector *eye = &frame->view.eye;
  const double *n = surface->normal;
  double off = surface->offset - (n[0] * eye->x + n[1] * eye->y + n[2] * eye->z);
  if (!(fabs(off) > 1e-9 * surface->offset))
    return false;
  quad->nearness = scaled(of_rays(frame, n[0], n[1], n[2]), 1 / off);
  quad->column = seen(frame, quad, camera->focal, 0, camera->cx + .5);
  quad->row = seen(frame, quad, 0, camera->focal, camera->cy + .5);
  quad->depth = seen(frame, quad, 0, 0, 1);
  quad->left = surface->left + .5;
  quad->right = surface->right + .5;
  quad->top = surface->top + .5;
  quad->bottom = surface->bottom + .5;
  return true;
}

/* ---- Outlines ----------------------------------------------------------------------------- */

/* A polygon in the axes of the view. */
typedef struct {
  StxVector corner[STX_ORBIT_CORNERS + 1];
  int corners;
} Outline;

/* Half a pixel of the picture wider on either side: what is seen twice is the same, and nothing
 * shines through between neighbours. */
static Outline turned(const StxOrbitFrame *frame, const StxQuad *surface)
{
  const StxOrbitView *view = &frame->view;
  double wider = .5 / frame->scene->image.camera.focal;
  Outline outline = {.corners = STX_CORNERS};
  for (int i = 0; i < STX_CORNERS; i++) {
    const double *c = surface->corner[i];
    bool left = i == STX_LOWER_LEFT || i == STX_UPPER_LEFT;
    double x = c[0] + (left ? -wider : wider) * c[2] - view->eye.x, y = c[1] - view->eye.y,
           z = c[2] - view->eye.z;
    outline.corner[i] = (StxVector){view->right.x * x + view->right.y * y + view->right.z * z,
        view->down.x * x + view->down.y * y + view->down.z * z,
        view->forward.x * x + view->forward.y * y + view->forward.z * z};
  }
  return outline;
}

/* Corners with side · corner >= least are kept. */
typedef struct {
  StxVector side;
  double least;
} Border;

static double inside(const Border *border, const StxVector *at)
{
  return border->side.x * at->x + border->side.y * at->y + border->side.z * at->z - border->least;
}

/* Sutherland and Hodgman, "Reentrant Polygon Clipping", CACM 17(1), 1974. */
static void cut(Outline *outline, const Border *border)
{
  Outline left = {.corners = 0};
  for (int i = 0; i < outline->corners; i++) {
    const StxVector *a = &outline->corner[i];
    const StxVector *b = &outline->corner[i + 1 < outline->corners ? i + 1 : 0];
    double at_a = inside(border, a), at_b = inside(border, b);
    if (at_a >= 0)
      left.corner[left.corners++] = *a;
    if ((at_a >= 0) != (at_b >= 0)) {
      double part = at_a / (at_a - at_b);
      left.corner[left.corners++] = (StxVector){
          a->x + part * (b->x - a->x), a->y + part * (b->y - a->y), a->z + part * (b->z - a->z)};
    }
  }
  *outline = left;
}

static void cut_all(const StxOrbitView *view, Outline *outline)
{
  const Border borders[] = {
      {{0, 0, 1}, STX_ORBIT_NEAR},
      {{view->focal, 0, view->middle_x}, 0},
      {{-view->focal, 0, view->middle_x}, 0},
      {{0, view->focal, view->middle_y}, 0},
      {{0, -view->focal, view->middle_y}, 0},
  };
  for (size_t i = 0; i < sizeof borders / sizeof borders[0]; i++)
    cut(outline, &borders[i]);
}

static int32_t to_grain(double pixels)
{
  return (int32_t)floor(pixels * STX_ORBIT_GRAIN + .5);
}

/* Projects the outline to the view; nothing is left of fewer than three corners. */
static void project(const StxOrbitView *view, const Outline *outline, StxOrbitQuad *quad)
{
  quad->corners = outline->corners >= 3 ? outline->corners : 0;
  quad->least = HUGE_VAL;
  quad->most = 0;
  for (int i = 0; i < quad->corners; i++) {
    const StxVector *c = &outline->corner[i];
    double nearness = 1 / c->z;
    quad->x[i] = to_grain(view->middle_x + view->focal * c->x * nearness);
    quad->y[i] = to_grain(view->middle_y + view->focal * c->y * nearness);
    quad->least = fmin(quad->least, nearness);
    quad->most = fmax(quad->most, nearness);
  }
}

/* Rows whose middle lies between the highest and the lowest corner. */
static StxOrbitRows rows_of(const StxOrbitParams *params, const StxOrbitQuad *quad)
{
  enum { HALF = STX_ORBIT_GRAIN / 2 };
  int32_t high = INT32_MAX, low = 0;
  for (int i = 0; i < quad->corners; i++) {
    high = quad->y[i] < high ? quad->y[i] : high;
    low = quad->y[i] > low ? quad->y[i] : low;
  }
  if (quad->corners == 0)
    return (StxOrbitRows){0, 0};
  int first = (high + HALF - 1) / STX_ORBIT_GRAIN, end = (low + HALF - 1) / STX_ORBIT_GRAIN;
  return (StxOrbitRows){first, end < params->height ? end : params->height};
}

/* ---- Colours ------------------------------------------------------------------------------ */

/* Light comes from above and from the left, a little from the camera. */
static uint16_t shade_of(const StxQuad *surface, int column)
{
  const double light[3] = {-.3, -.7, -.65};
  const double *n = surface->normal;
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  double turned = fabs(light[0] * n[0] + light[1] * n[1] + light[2] * n[2]) / length;
  int shade = (int)(160 + 96 * (turned < 1 ? turned : 1));
  return (uint16_t)(column % 2 ? shade * 7 / 8 : shade);
}

static void paint(
    const StxOrbitScene *scene, const StxStixel *stixel, const StxQuad *surface, StxOrbitQuad *quad)
{
  quad->by_distance = scene->colours.mode == STX_QUAD_DISTANCE;
  quad->colour = stx_quad_colour(&scene->colours, stixel, surface->corner[STX_LOWER_LEFT][2]);
  quad->shade = shade_of(surface, stixel->column);
}

void stx_orbit_quad(StxOrbitFrame *frame, size_t i)
{
  const StxStixel *stixel = &frame->scene->records[i];
  StxOrbitQuad *quad = &frame->quads[i];
  StxQuad surface;
  quad->corners = 0;
  if (stx_quad(&frame->scene->image, stixel, &surface) && find_plane(frame, &surface, quad)) {
    Outline outline = turned(frame, &surface);
    cut_all(&frame->view, &outline);
    project(&frame->view, &outline, quad);
    paint(frame->scene, stixel, &surface, quad);
  }
  frame->rows[i] = rows_of(frame->params, quad);
}
