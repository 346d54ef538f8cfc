/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tables of objects, parts, planes and shadows, and how a model fills them.
 */
#include "common/scene/scene_parts_private.h"

#include <math.h>
#include <string.h>

bool stx_scene_begin(StxScene *scene, const ScenePlace *place)
{
  if (scene->objects == SCENE_MAX_OBJECTS || scene->parts > SCENE_MAX_PARTS - 64 ||
      scene->planes > SCENE_MAX_PLANES - 256)
    return false;
  scene->object[scene->objects++] =
      (SceneObject){.origin = {place->x, stx_scene_road(scene, place->z) + place->level, place->z},
          .cosine = place->face_z,
          .sine = place->face_x,
          .lo = {INFINITY, INFINITY, INFINITY},
          .hi = {-INFINITY, -INFINITY, -INFINITY},
          .first_part = scene->parts,
          .instance = place->instance};
  return true;
}

bool stx_scene_begin_on_slope(StxScene *scene, const ScenePlace *place)
{
  if (!stx_scene_begin(scene, place))
    return false;
  scene->object[scene->objects - 1].slope = stx_scene_ground_slope(scene, place->z);
  return true;
}

static ScenePart *add_part(const Brush *brush, Shape shape)
{
  StxScene *scene = brush->scene;
  ScenePart *part = &scene->part[scene->parts++];
  *part = (ScenePart){.shape = (uint8_t)shape,
      .material = (uint8_t)brush->material,
      .label = (uint8_t)brush->label,
      .variant = (uint16_t)brush->variant,
      .first_plane = (uint16_t)scene->planes};
  memcpy(part->colour, brush->colour, sizeof part->colour);
  scene->object[scene->objects - 1].parts++;
  return part;
}

void stx_scene_part_bounds(const ScenePart *part, double lo[3], double hi[3])
{
  const double *a = part->a, *b = part->b, r = part->r;
  for (int i = 0; i < 3; i++) {
    lo[i] = a[i];
    hi[i] = b[i];
    if (part->shape == SHAPE_CAPSULE) {
      lo[i] = scene_min(a[i], b[i]) - r;
      hi[i] = scene_max(a[i], b[i]) + r;
    } else if (part->shape == SHAPE_ELLIPSOID) {
      lo[i] = a[i] - b[i];
      hi[i] = a[i] + b[i];
    } else if (part->shape == SHAPE_WHEELS) {
      lo[i] = i == 0 ? -b[1] : a[i] - r;
      hi[i] = i == 0 ? b[1] : a[i] + r;
    }
  }
}

void stx_scene_corner(
    const SceneObject *object, const double lo[3], const double hi[3], int i, double out[3])
{
  double x = (i & 1 ? hi : lo)[0], y = (i & 2 ? hi : lo)[1], z = (i & 4 ? hi : lo)[2];
  double along = object->cosine * z - object->sine * x;
  out[0] = object->origin[0] + object->cosine * x + object->sine * z;
  out[1] = object->origin[1] + y + object->slope * along;
  out[2] = object->origin[2] + along;
}

void stx_scene_sort(const StxScene *scene, uint16_t *order)
{
  for (int i = 0; i < scene->objects; i++) {
    int k = i;
    for (; k > 0 && scene->object[order[k - 1]].near > scene->object[i].near; k--)
      order[k] = order[k - 1];
    order[k] = (uint16_t)i;
  }
}

/* Extends the newest object by a finished part. */
static void grow(const Brush *brush, const ScenePart *part)
{
  SceneObject *object = &brush->scene->object[brush->scene->objects - 1];
  double lo[3], hi[3];
  stx_scene_part_bounds(part, lo, hi);
  for (int i = 0; i < 3; i++) {
    object->lo[i] = scene_min(object->lo[i], lo[i]);
    object->hi[i] = scene_max(object->hi[i], hi[i]);
  }
}

static ScenePart *two_points(
    const Brush *brush, Shape shape, const double a[3], const double b[3], double r)
{
  ScenePart *part = add_part(brush, shape);
  memcpy(part->a, a, sizeof part->a);
  memcpy(part->b, b, sizeof part->b);
  part->r = r;
  grow(brush, part);
  return part;
}

void stx_scene_box(
    const Brush *brush, double x0, double x1, double y0, double y1, double z0, double z1)
{
  two_points(brush, SHAPE_BOX, (double[3]){x0, y0, z0}, (double[3]){x1, y1, z1}, 0);
}

void stx_scene_capsule(
    const Brush *brush, double r, double ax, double ay, double az, double bx, double by, double bz)
{
  two_points(brush, SHAPE_CAPSULE, (double[3]){ax, ay, az}, (double[3]){bx, by, bz}, r);
}

void stx_scene_ellipsoid(
    const Brush *brush, double x, double y, double z, double rx, double ry, double rz)
{
  two_points(brush, SHAPE_ELLIPSOID, (double[3]){x, y, z}, (double[3]){rx, ry, rz}, 0);
}

void stx_scene_wheels(const Brush *brush, double z, double r, double inner, double outer)
{
  two_points(brush, SHAPE_WHEELS, (double[3]){0, r, z}, (double[3]){inner, outer, 0}, r);
}

static void add_plane(StxScene *scene, ScenePart *part, double nx, double ny, double nz, double d)
{
  double length = sqrt(nx * nx + ny * ny + nz * nz);
  scene->plane[scene->planes++] = (ScenePlane){{nx / length, ny / length, nz / length}, d / length};
  part->planes++;
}

ScenePart *stx_scene_prism(
    const Brush *brush, const double (*zy)[2], int corners, double half, double taper)
{
  double lo[3] = {-half, INFINITY, INFINITY}, hi[3] = {half, -INFINITY, -INFINITY},
         middle[2] = {0, 0};
  for (int i = 0; i < corners; i++)
    for (int k = 0; k < 2; k++) {
      lo[2 - k] = scene_min(lo[2 - k], zy[i][k]);
      hi[2 - k] = scene_max(hi[2 - k], zy[i][k]);
      middle[k] += zy[i][k] / corners;
    }
  ScenePart *part = two_points(brush, SHAPE_CONVEX, lo, hi, 0);
  for (int i = 0; i < corners; i++) {
    const double *p = zy[i], *q = zy[(i + 1) % corners];
    double nz = q[1] - p[1], ny = p[0] - q[0];
    double sign = nz * (middle[0] - p[0]) + ny * (middle[1] - p[1]) > 0 ? -1 : 1;
    add_plane(brush->scene, part, 0, sign * ny, sign * nz, sign * (nz * p[0] + ny * p[1]));
  }
  for (int side = -1; side <= 1; side += 2)
    add_plane(brush->scene, part, side, taper, 0, half + taper * lo[1]);
  return part;
}

void stx_scene_triangle(const Brush *brush, double base, double apex, double z, double thickness)
{
  double half = (apex - base) * .5773503;
  ScenePart *part = two_points(
      brush, SHAPE_CONVEX, (double[3]){-half, base, z}, (double[3]){half, apex, z + thickness}, 0);
  add_plane(brush->scene, part, 0, 0, 1, z + thickness);
  add_plane(brush->scene, part, 0, 0, -1, -z);
  add_plane(brush->scene, part, 0, -1, 0, -base);
  add_plane(brush->scene, part, 1.7320508, 1, 0, apex);
  add_plane(brush->scene, part, -1.7320508, 1, 0, apex);
}

void stx_scene_add_shadow(StxScene *scene, double up, double half_x, double half_z, double soft,
    float strength, bool round)
{
  if (scene->shadows == SCENE_MAX_SHADOWS)
    return;
  const SceneObject *object = &scene->object[scene->objects - 1];
  scene->shadow[scene->shadows++] =
      (SceneShadow){.x = object->origin[0] - up * SCENE_SUN_X / SCENE_SUN_Y,
          .z = object->origin[2] - up * SCENE_SUN_Z / SCENE_SUN_Y,
          .cosine = object->cosine,
          .sine = object->sine,
          .half_x = half_x,
          .half_z = half_z,
          .soft = soft,
          .strength = strength,
          .round = round,
          .contact = up == 0};
}
