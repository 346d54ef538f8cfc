/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a contact to the light that reaches the eye:
 *
 *   L = albedo · (ambient · a + sun · max(0, n·s) · v) · (1 − h) + haze · h,   h = t/(t + 1400)
 *
 * v: share of the sun that is not hidden (stx_scene_light); a: ambient light, less from below and
 * in deep shade. A pixel's footprint on the surface, per axis of the object: a step e of the
 * viewing direction moves the point by t·(e − d·(n·e)/(n·d)).
 */
#include "common/scene/scene_paint_private.h"

static const SceneColour AMBIENT = {.44f, .50f, .60f}, SUN = {1.42f, 1.30f, 1.08f},
                         HAZE = {.78f, .84f, .90f};

/* The normal of the ground. Gentle slopes count as level: nobody sees the difference. On steep ones
 * a ray that runs level would seem to graze the road, and its pixel to cover all of it. */
static void ground_normal(const StxScene *scene, double z, double n[3])
{
  double slope = scene->params.terrain == STX_SCENE_GENTLE ? 0 : stx_scene_ground_slope(scene, z);
  double length = sqrt(1 + slope * slope);
  n[0] = 0;
  n[1] = 1 / length;
  n[2] = -slope / length;
}

static void locate(const StxScene *scene, const SceneContact *contact, const StxSceneRay *ray,
    SceneSpot *spot, double d[3], double right[3], double down[3])
{
  const double e_right[3] = {1, 0, 0}, e_down[3] = {0, -scene->forward_z, scene->forward_y};
  for (int i = 0; i < 3; i++) {
    spot->world[i] = ray->origin[i] + contact->t * ray->direction[i];
    spot->p[i] = spot->world[i];
    d[i] = ray->direction[i];
    right[i] = e_right[i];
    down[i] = e_down[i];
  }
  ground_normal(scene, spot->world[2], spot->n);
  if (contact->object < 0) {
    if (contact->object == HIT_KERB)
      spot->n[0] = contact->face ? -1 : 1, spot->n[1] = spot->n[2] = 0;
    else if (contact->object == HIT_HILLS)
      spot->n[2] = -1, spot->n[1] = 0;
    return;
  }
  const SceneObject *object = &scene->object[contact->object];
  StxSceneRay local;
  scene_to_local(object, ray, &local);
  for (int i = 0; i < 3; i++) {
    spot->p[i] = local.origin[i] + contact->t * local.direction[i];
    d[i] = local.direction[i];
  }
  scene_turn(object, e_right, right);
  scene_turn(object, e_down, down);
  stx_scene_normal(scene, contact, spot->p, spot->n);
}

static void footprint(const StxScene *scene, double t, const double d[3], const double right[3],
    const double down[3], SceneSpot *spot)
{
  double nd = scene_dot(spot->n, d), per_pixel = t / scene->params.camera.focal;
  if (nd > -.005)
    nd = nd < .005 && nd > 0 ? .005 : nd < 0 ? -.005 : nd;
  double nr = scene_dot(spot->n, right) / nd, nn = scene_dot(spot->n, down) / nd;
  for (int i = 0; i < 3; i++) {
    double along = scene_abs(right[i] - d[i] * nr) + scene_abs(down[i] - d[i] * nn);
    spot->foot[i] = per_pixel * along;
  }
}

/* The normal in the world: slopes are gentle, so only the turn counts. */
static void world_normal(
    const StxScene *scene, const SceneContact *contact, const SceneSpot *spot, double n[3])
{
  n[0] = spot->n[0];
  n[1] = spot->n[1];
  n[2] = spot->n[2];
  if (contact->object >= 0) {
    const SceneObject *object = &scene->object[contact->object];
    n[0] = object->cosine * spot->n[0] + object->sine * spot->n[2];
    n[2] = object->cosine * spot->n[2] - object->sine * spot->n[0];
  }
}

static double facing_sun(const StxScene *scene, const SceneContact *contact, const double n[3])
{
  double facing = n[0] * SCENE_SUN_X + n[1] * SCENE_SUN_Y + n[2] * SCENE_SUN_Z;
  if (contact->object >= 0 && scene->part[contact->part].material == MATERIAL_LEAVES)
    return .25 + .6 * (.5 + .5 * facing); /* light shines through */
  return facing > 0 ? facing : 0;
}

/* The board is white and black paper, on which the sun shines if it can. */
static SceneColour board_colour(
    const StxScene *scene, const SceneContact *contact, const StxSceneRay *ray)
{
  const SceneBoard *board = &scene->board;
  const double right[3] = {1, 0, 0}, down[3] = {0, -scene->forward_z, scene->forward_y};
  const double sun[3] = {SCENE_SUN_X, SCENE_SUN_Y, SCENE_SUN_Z}, *n = board->normal;
  const double *axes[2] = {board->across, board->down}, *d = ray->direction;
  double nd = scene_dot(n, d), per_pixel = contact->t / scene->params.camera.focal;
  double nr = scene_dot(n, right) / nd, nn = scene_dot(n, down) / nd, from[3], p[2], foot[2];
  for (int i = 0; i < 3; i++)
    from[i] = ray->origin[i] + contact->t * d[i] - board->centre[i];
  for (int i = 0; i < 2; i++) {
    double da = scene_dot(axes[i], d);
    p[i] = scene_dot(axes[i], from);
    foot[i] = per_pixel * (scene_abs(scene_dot(axes[i], right) - da * nr) +
                              scene_abs(scene_dot(axes[i], down) - da * nn));
  }
  double paint = .05 + .7 * stx_scene_board_white(scene, p, foot);
  return times(times(AMBIENT, .9) + times(SUN, scene_max(scene_dot(n, sun), 0)), paint);
}

SceneColour stx_scene_shade(
    const StxScene *scene, const SceneContact *contact, const StxSceneRay *ray)
{
  if (contact->object == HIT_SKY)
    return stx_scene_sky_colour(scene, ray->direction);
  if (contact->object == HIT_BOARD)
    return board_colour(scene, contact, ray);
  SceneSpot spot;
  double d[3], right[3], down[3], n[3];
  locate(scene, contact, ray, &spot, d, right, down);
  footprint(scene, contact->t, d, right, down, &spot);
  world_normal(scene, contact, &spot, n);
  bool ground = contact->object < 0;
  SceneColour colour =
      ground ? stx_scene_ground_colour(scene, contact->object, &spot)
             : stx_scene_object_colour(scene, &scene->part[contact->part], contact->face, &spot);
  double facing = facing_sun(scene, contact, n);
  SceneLight light = {.7, 1};
  if (contact->object != HIT_HILLS) {
    if (facing > 0 || ground)
      light = stx_scene_light(scene, spot.world, ground);
    light.sun *= facing;
  }
  double ambient = (.72 + .28 * n[1]) * light.sky * (ground ? .7 + .3 * light.sun : 1);
  double h = contact->t / (contact->t + 1400);
  return blend(colour * (times(AMBIENT, ambient) + times(SUN, light.sun)), HAZE, h);
}
