/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rays against the objects of the street.
 *
 * An object is a frame (turned about y, sheared along the slope of the road) with a bounding box
 * and a few convex parts. A ray is taken into the frame once; t stays the same, the maps are
 * linear. Per part the interval [enter, leave] of the ray inside is found; what counts is enter.
 *
 *   box        slabs; convex: clip against n·(o + t·d) <= d₀ plane by plane
 *   ellipsoid  |(o + t·d − c)/r|² = 1
 *   capsule    the cylinder around the axis ba between its ends, else the two end spheres:
 *              with m = o − a, A = ba² d² − (ba·d)², B = ba² (m·d) − (ba·m)(ba·d),
 *              C = ba² m² − (ba·m)² − r² ba²
 *   wheels     a cylinder along x with only inner < |x| < outer of it there
 *
 * Leaves are a shell with holes: where 3-D noise exceeds a threshold the ray goes on to the far
 * side. The holes belong to the crown, not to the view, so both eyes see the same ones.
 */
#include "common/scene/scene_private.h"

#include <math.h>

#define NEAREST 1e-4

static double box_enter(
    const double lo[3], const double hi[3], const StxSceneRay *ray, double *leave, int *face)
{
  double enter = -INFINITY, out = INFINITY;
  for (int i = 0; i < 3; i++) {
    double inverse = 1 / ray->direction[i];
    double t0 = (lo[i] - ray->origin[i]) * inverse, t1 = (hi[i] - ray->origin[i]) * inverse;
    bool swap = inverse < 0; /* −0 counts: its inverse is −∞ */
    double near = swap ? t1 : t0, far = swap ? t0 : t1;
    if (near > enter) {
      enter = near;
      *face = 2 * i + swap;
    }
    out = far < out ? far : out;
  }
  *leave = out;
  return enter;
}

static double convex_enter(const ScenePlane *plane, int planes, const StxSceneRay *ray, int *face)
{
  double enter = -INFINITY, leave = INFINITY;
  for (int i = 0; i < planes; i++) {
    double along = scene_dot(plane[i].n, ray->direction);
    double gap = plane[i].d - scene_dot(plane[i].n, ray->origin);
    if (along < 0) {
      double t = gap / along;
      if (t > enter) {
        enter = t;
        *face = i;
      }
    } else if (along > 0) {
      double t = gap / along;
      leave = t < leave ? t : leave;
    } else if (gap < 0) {
      return INFINITY;
    }
  }
  return enter < leave && enter > NEAREST ? enter : INFINITY;
}

/* Nearer root in root[0], farther in root[1]; false if the ray misses. */
static bool sphere_roots(const double o[3], const double d[3], double r, double root[2])
{
  double a = scene_dot(d, d), b = scene_dot(o, d), c = scene_dot(o, o) - r * r;
  double square = b * b - a * c;
  if (!(square > 0))
    return false;
  square = sqrt(square);
  root[0] = (-b - square) / a;
  root[1] = (-b + square) / a;
  return true;
}

static double capsule_enter(const ScenePart *part, const StxSceneRay *ray)
{
  double ba[3], m[3];
  for (int i = 0; i < 3; i++) {
    ba[i] = part->b[i] - part->a[i];
    m[i] = ray->origin[i] - part->a[i];
  }
  const double *d = ray->direction;
  double baba = scene_dot(ba, ba), bad = scene_dot(ba, d), bam = scene_dot(ba, m);
  double a = baba * scene_dot(d, d) - bad * bad;
  double b = baba * scene_dot(m, d) - bam * bad;
  double c = baba * scene_dot(m, m) - bam * bam - part->r * part->r * baba;
  double square = b * b - a * c;
  if (!(square >= 0))
    return INFINITY;
  double t = (-b - sqrt(square)) / a, y = bam + t * bad;
  if (y > 0 && y < baba)
    return t > NEAREST ? t : INFINITY;
  double root[2];
  if (!(y <= 0))
    for (int i = 0; i < 3; i++)
      m[i] = ray->origin[i] - part->b[i];
  return sphere_roots(m, d, part->r, root) && root[0] > NEAREST ? root[0] : INFINITY;
}

static bool hole(const StxScene *scene, const ScenePart *part, const double p[3])
{
  double x = p[0] + .7 * p[1] + part->variant, z = p[2] - .6 * p[1] + 3.1 * part->variant;
  return scene_grain(scene, x, z, .34, .34, 0, 0) + .6f * scene_grain(scene, z, x, .13, .13, 0, 0) >
         .42f;
}

static double ellipsoid_enter(const StxScene *scene, const ScenePart *part, const StxSceneRay *ray)
{
  double o[3], d[3], root[2];
  for (int i = 0; i < 3; i++) {
    o[i] = (ray->origin[i] - part->a[i]) / part->b[i];
    d[i] = ray->direction[i] / part->b[i];
  }
  if (!sphere_roots(o, d, 1, root))
    return INFINITY;
  for (int k = 0; k < 2; k++) {
    double p[3];
    for (int i = 0; i < 3; i++)
      p[i] = ray->origin[i] + root[k] * ray->direction[i];
    if (root[k] > NEAREST && !(part->material == MATERIAL_LEAVES && hole(scene, part, p)))
      return root[k];
  }
  return INFINITY;
}

/* Enters a wheel through its outer disc or, from ahead, through its tread. */
static double wheels_enter(const ScenePart *part, const StxSceneRay *ray, int *face)
{
  const double *d = ray->direction;
  double y = ray->origin[1] - part->a[1], z = ray->origin[2] - part->a[2];
  double best = INFINITY;
  for (int side = -1; side <= 1 && d[0] != 0; side += 2) {
    double t = (side * part->b[1] - ray->origin[0]) / d[0];
    double py = y + t * d[1], pz = z + t * d[2];
    if (side * d[0] < 0 && t > NEAREST && py * py + pz * pz < part->r * part->r) {
      best = t;
      *face = 1;
    }
  }
  double a = d[1] * d[1] + d[2] * d[2], b = y * d[1] + z * d[2],
         c = y * y + z * z - part->r * part->r;
  double square = b * b - a * c;
  if (!(square > 0) || a == 0)
    return best;
  double t = (-b - sqrt(square)) / a, x = scene_abs(ray->origin[0] + t * d[0]);
  if (t > NEAREST && t < best && x > part->b[0] && x < part->b[1]) {
    best = t;
    *face = 0;
  }
  return best;
}

static double part_enter(
    const StxScene *scene, const ScenePart *part, const StxSceneRay *ray, int *face)
{
  double leave;
  *face = 0;
  switch (part->shape) {
  case SHAPE_BOX: {
    double enter = box_enter(part->a, part->b, ray, &leave, face);
    return enter < leave && enter > NEAREST ? enter : INFINITY;
  }
  case SHAPE_CONVEX:
    return convex_enter(&scene->plane[part->first_plane], part->planes, ray, face);
  case SHAPE_CAPSULE:
    return capsule_enter(part, ray);
  case SHAPE_ELLIPSOID:
    return ellipsoid_enter(scene, part, ray);
  default:
    return wheels_enter(part, ray, face);
  }
}

void stx_scene_cast_all(const StxScene *scene, const StxSceneRay *ray, SceneContact *best)
{
  for (int index = 0; index < scene->objects; index++) {
    const SceneObject *object = &scene->object[index];
    StxSceneRay local;
    scene_to_local(object, ray, &local);
    double leave;
    int face;
    double enter = box_enter(object->lo, object->hi, &local, &leave, &face);
    if (!(enter < leave && leave > 0 && enter < best->t))
      continue;
    for (int i = object->first_part; i < object->first_part + object->parts; i++) {
      double t = part_enter(scene, &scene->part[i], &local, &face);
      if (t < best->t)
        *best = (SceneContact){t, index, i, (int16_t)face};
    }
  }
}

static bool covers(const SceneCover *cover, int x, int y)
{
  return x >= cover->x0 && x <= cover->x1 && y >= cover->y0 && y <= cover->y1;
}

void stx_scene_cast_pixel(const StxScene *scene, const StxSceneRay *ray, int x, int y,
    const uint16_t *list, size_t count, SceneContact *best)
{
  for (size_t k = 0; k < count; k++) {
    int index = list[k], face;
    const SceneObject *object = &scene->object[index];
    if (object->near >= best->t)
      break;
    if (!covers(&scene->object_cover[index], x, y))
      continue;
    StxSceneRay local;
    scene_to_local(object, ray, &local);
    for (int i = object->first_part; i < object->first_part + object->parts; i++) {
      if (!covers(&scene->cover[i], x, y))
        continue;
      double t = part_enter(scene, &scene->part[i], &local, &face);
      if (t < best->t)
        *best = (SceneContact){t, index, i, (int16_t)face};
    }
  }
}

void stx_scene_normal(
    const StxScene *scene, const SceneContact *contact, const double p[3], double n[3])
{
  const ScenePart *part = &scene->part[contact->part];
  n[0] = n[1] = n[2] = 0;
  if (part->shape == SHAPE_BOX) {
    n[contact->face / 2] = contact->face & 1 ? 1 : -1;
  } else if (part->shape == SHAPE_CONVEX) {
    for (int i = 0; i < 3; i++)
      n[i] = scene->plane[part->first_plane + contact->face].n[i];
  } else if (part->shape == SHAPE_WHEELS && contact->face == 1) {
    n[0] = p[0] < 0 ? -1 : 1;
  } else {
    double axis[3] = {0, 0, 0}, h = 0;
    if (part->shape == SHAPE_CAPSULE) {
      double pa[3];
      for (int i = 0; i < 3; i++) {
        axis[i] = part->b[i] - part->a[i];
        pa[i] = p[i] - part->a[i];
      }
      h = scene_clamp(scene_dot(pa, axis) / scene_dot(axis, axis), 0, 1);
    }
    for (int i = 0; i < 3; i++) {
      n[i] = p[i] - part->a[i] - h * axis[i];
      if (part->shape == SHAPE_ELLIPSOID)
        n[i] /= part->b[i] * part->b[i];
    }
    if (part->shape == SHAPE_WHEELS)
      n[0] = 0;
    double length = sqrt(scene_dot(n, n));
    for (int i = 0; i < 3; i++)
      n[i] /= length;
  }
}

int stx_scene_label(const StxScene *scene, const SceneContact *contact, double x)
{
  switch (contact->object) {
  case HIT_SKY:
    return STX_SCENE_SKY;
  case HIT_ROAD:
  case HIT_PIT:
    return STX_SCENE_ROAD;
  case HIT_HILLS:
    return STX_SCENE_VEGETATION;
  case HIT_KERB:
    return STX_SCENE_SIDEWALK;
  case HIT_BOARD:
    return STX_SCENE_SIGN;
  case HIT_WALK: {
    bool paved = x > SCENE_KERB_LEFT - SCENE_WALK && x < SCENE_KERB_RIGHT + SCENE_WALK;
    return paved ? STX_SCENE_SIDEWALK : STX_SCENE_TERRAIN;
  }
  default:
    return scene->part[contact->part].label;
  }
}
