/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ground: one height profile h(z), two levels.
 *
 *   h'(z) is linear between knots, so h is quadratic there:
 *     h(z) = h_k + s_k·u + (s_{k+1} − s_k)/(2L)·u²,   u = z − z_k, 0 <= u < L
 *   A ray (y₀ + t·dy, z₀ + t·dz) meets level e where
 *     a·t² + b·t + c = 0   with   q = (s_{k+1} − s_k)/(2L), u₀ = z₀ − z_k
 *     a = −q·dz²,  b = dy − (s_k + 2q·u₀)·dz,  c = y₀ − h(z₀) − e
 *   solved per knot interval; the first root that lies in its interval wins.
 *
 * The road lies between the kerbs at level 0, everything outside at the level of the kerb. Both
 * levels depend on z alone, so that a row of pixels shares the two roots (no roll).
 */
#include "common/scene/scene_private.h"

#include <math.h>

/* Returns a knot's slope; on terrain of one slope every knot has knot 0's, but for its sign. */
static double slope_of(const StxSceneParams *params, int64_t knot)
{
  StxSceneTerrain terrain = params->terrain;
  uint64_t seed = params->seed, key = scene_key(seed, 1, terrain == STX_SCENE_SLOPED ? 0 : knot);
  if (terrain == STX_SCENE_FLAT)
    return 0;
  double steep =
      terrain == STX_SCENE_GENTLE ? scene_between(&key, .018, .052) : scene_between(&key, .08, .12);
  if (terrain == STX_SCENE_SLOPED)
    return (seed & 1) == 0 ? steep : -steep;
  return ((knot + (int64_t)(seed & 3)) & 3) < 2 ? steep : -steep;
}

void stx_scene_ground_layout(StxScene *scene)
{
  int64_t first = scene_floor((scene->travelled - 80) / SCENE_KNOT);
  scene->knot_z = (double)first * SCENE_KNOT - scene->travelled;
  double height = 0;
  for (int k = 0; k < SCENE_KNOTS; k++) {
    scene->knot_slope[k] = slope_of(&scene->params, first + k);
    if (k > 0)
      height += .5 * SCENE_KNOT * (scene->knot_slope[k - 1] + scene->knot_slope[k]);
    scene->knot_height[k] = height;
  }
  double here = stx_scene_road(scene, 0);
  for (int k = 0; k < SCENE_KNOTS; k++)
    scene->knot_height[k] -= here;
  scene->end_height = stx_scene_road(scene, SCENE_END);
  scene->stance = scene->params.terrain == STX_SCENE_SLOPED ? 0 : stx_scene_ground_slope(scene, 0);
}

static int interval_of(const StxScene *scene, double z)
{
  int64_t k = scene_floor((z - scene->knot_z) / SCENE_KNOT);
  return k < 0 ? 0 : k > SCENE_KNOTS - 2 ? SCENE_KNOTS - 2 : (int)k;
}

static double bend(const StxScene *scene, int k)
{
  return (scene->knot_slope[k + 1] - scene->knot_slope[k]) / (2 * SCENE_KNOT);
}

double stx_scene_road(const StxScene *scene, double z)
{
  int k = interval_of(scene, z);
  double u = z - (scene->knot_z + k * SCENE_KNOT);
  return scene->knot_height[k] + u * (scene->knot_slope[k] + u * bend(scene, k));
}

double stx_scene_ground_slope(const StxScene *scene, double z)
{
  int k = interval_of(scene, z);
  double u = z - (scene->knot_z + k * SCENE_KNOT);
  return scene->knot_slope[k] + 2 * u * bend(scene, k);
}

/* Least root of a·t² + b·t + c with low <= t < high, or INFINITY. */
static double least_root(double a, double b, double c, double low, double high)
{
  double root[2] = {INFINITY, INFINITY};
  if (scene_abs(a) < 1e-14) {
    root[0] = -c / b;
  } else {
    double square = b * b - 4 * a * c;
    if (!(square >= 0))
      return INFINITY;
    double q = -.5 * (b < 0 ? b - sqrt(square) : b + sqrt(square));
    root[0] = q / a;
    root[1] = c / q;
  }
  double best = INFINITY;
  for (int i = 0; i < 2; i++)
    if (root[i] >= low && root[i] < high && root[i] < best)
      best = root[i];
  return best;
}

double stx_scene_ground_meet(const StxScene *scene, const StxSceneRay *ray, double level)
{
  double y = ray->origin[1], z = ray->origin[2], dy = ray->direction[1], dz = ray->direction[2];
  int step = dz < 0 ? -1 : 1;
  for (int k = interval_of(scene, z); k >= 0 && k < SCENE_KNOTS - 1; k += step) {
    double begin = scene->knot_z + k * SCENE_KNOT, q = bend(scene, k), s = scene->knot_slope[k];
    double u = z - begin, low = 1e-6, high = INFINITY;
    if (dz != 0) {
      double t0 = (begin - z) / dz, t1 = (begin + SCENE_KNOT - z) / dz;
      low = scene_max(low, scene_min(t0, t1));
      high = scene_max(t0, t1);
    }
    double c = y - (scene->knot_height[k] + u * (s + u * q)) - level;
    double t = least_root(-q * dz * dz, dy - (s + 2 * q * u) * dz, c, low, high);
    if (t < INFINITY)
      return z + t * dz < SCENE_END ? t : INFINITY;
    if (dz == 0)
      break;
  }
  return INFINITY;
}

static bool on_road(double x)
{
  return x > SCENE_KERB_LEFT && x < SCENE_KERB_RIGHT;
}

/* The face of a kerb, for a ray that dives between the two levels above the road. */
static bool meets_kerb(const SceneProbe *probe, SceneContact *contact)
{
  double dx = probe->ray.direction[0], x = probe->ray.origin[0];
  if (dx == 0)
    return false;
  double t = ((dx > 0 ? SCENE_KERB_RIGHT : SCENE_KERB_LEFT) - x) / dx;
  if (!(t >= probe->walk && t < probe->road))
    return false;
  *contact = (SceneContact){t, HIT_KERB, 0, dx > 0};
  return true;
}

/* The backdrop behind the end of the ground. */
static SceneContact hills(const StxScene *scene, const StxSceneRay *ray)
{
  SceneContact sky = {INFINITY, HIT_SKY, 0, 0};
  if (ray->direction[2] <= 0)
    return sky;
  double t = (SCENE_END - ray->origin[2]) / ray->direction[2];
  double y = ray->origin[1] + t * ray->direction[1] - scene->end_height;
  if (y > SCENE_HILLS || y > stx_scene_hill_top(scene, ray->origin[0] + t * ray->direction[0]))
    return sky;
  return (SceneContact){t, HIT_HILLS, 0, 0};
}

/* A pit is a box below the road, sheared along its slope: a ray that comes in through the opening
 * leaves it through a wall or the floor. */
static bool meets_pit(const StxScene *scene, const SceneProbe *probe, SceneContact *contact)
{
  const StxSceneRay *ray = &probe->ray;
  for (int i = 0; i < scene->hazards; i++) {
    const StxSceneHazard *pit = &scene->hazard[i];
    double x = ray->origin[0] + probe->road * ray->direction[0] - pit->x;
    double z = ray->origin[2] + probe->road * ray->direction[2] - pit->z;
    double half[3] = {.5 * pit->width, -pit->height, .5 * pit->length};
    if (pit->thing != STX_SCENE_PIT || scene_abs(x) > half[0] || scene_abs(z) > half[2])
      continue;
    double slope = stx_scene_ground_slope(scene, pit->z), out = INFINITY;
    double from[3] = {x, 0, z},
           d[3] = {
               ray->direction[0], ray->direction[1] - slope * ray->direction[2], ray->direction[2]};
    for (int k = 0; k < 3; k++) {
      double t = d[k] != 0 ? ((d[k] < 0 ? -half[k] : half[k]) - from[k]) / d[k] : INFINITY;
      if (t < out) {
        out = t;
        *contact = (SceneContact){probe->road + t, HIT_PIT, i, (int16_t)(2 * k + (d[k] < 0))};
      }
    }
    return true;
  }
  return false;
}

void stx_scene_pit_normal(const StxScene *scene, const SceneContact *contact, double n[3])
{
  int axis = contact->face / 2;
  if (axis == 1)
    return; /* the floor lies as the road does */
  n[0] = n[1] = n[2] = 0;
  n[axis] = contact->face & 1 ? 1 : -1;
}

SceneContact stx_scene_ground_cast(const StxScene *scene, const SceneProbe *probe)
{
  const StxSceneRay *ray = &probe->ray;
  SceneContact kerb, pit;
  if (probe->walk < INFINITY) {
    if (!on_road(ray->origin[0] + probe->walk * ray->direction[0]))
      return (SceneContact){probe->walk, HIT_WALK, 0, 0};
    if (meets_kerb(probe, &kerb))
      return kerb;
  }
  if (scene->hazards > 0 && probe->road < INFINITY && meets_pit(scene, probe, &pit))
    return pit;
  if (probe->road < INFINITY && on_road(ray->origin[0] + probe->road * ray->direction[0]))
    return (SceneContact){probe->road, HIT_ROAD, 0, 0};
  return hills(scene, ray);
}

/* ---- Shadows ------------------------------------------------------------------------------- */

static double patch(const SceneShadow *shadow, double x, double z)
{
  double dx = x - shadow->x, dz = z - shadow->z;
  double u = scene_abs(shadow->cosine * dx - shadow->sine * dz) - shadow->half_x;
  double v = scene_abs(shadow->sine * dx + shadow->cosine * dz) - shadow->half_z;
  if (u > shadow->soft || v > shadow->soft)
    return 0;
  if (shadow->round) {
    double a = (u + shadow->half_x) / (shadow->half_x + shadow->soft);
    double b = (v + shadow->half_z) / (shadow->half_z + shadow->soft);
    return shadow->strength * (1 - scene_step(.55, 1, a * a + b * b));
  }
  return shadow->strength * (1 - scene_step(-shadow->soft, shadow->soft, u)) *
         (1 - scene_step(-shadow->soft, shadow->soft, v));
}

/* Metre of the shadow index; the index begins at −SCENE_BEHIND. */
static int metre(double z)
{
  return (int)scene_clamp((z + SCENE_BEHIND + 10) * .5, 0, 510);
}

void stx_scene_shadow_index(StxScene *scene)
{
  size_t used = 0, room = sizeof scene->shadow_list / sizeof scene->shadow_list[0];
  for (int m = 0; m < 511; m++) {
    scene->shadow_first[m] = (uint16_t)used;
    for (int i = 0; i < scene->shadows; i++) {
      const SceneShadow *shadow = &scene->shadow[i];
      double reach = shadow->half_x + shadow->half_z + 2 * shadow->soft;
      if (used < room && m >= metre(shadow->z - reach) && m <= metre(shadow->z + reach))
        scene->shadow_list[used++] = (uint16_t)i;
    }
  }
  scene->shadow_first[511] = (uint16_t)used;
}

/* The buildings on the left stand between the sun and the street. */
static double behind_buildings(const StxScene *scene, const double world[3])
{
  double facade = SCENE_KERB_LEFT - SCENE_WALK, far = (world[0] - facade) / -SCENE_SUN_X;
  if (far <= 0)
    return 0;
  double z = world[2] + far * SCENE_SUN_Z, cover = 0;
  int guess = (int)scene_clamp((z - scene->lot[0][0].z0) / SCENE_LOT - 1, 0, scene->lots[0] - 1);
  for (int i = guess; i < scene->lots[0] && i < guess + 3; i++) {
    const SceneLot *lot = &scene->lot[0][i];
    double way = (world[0] - lot->front) / -SCENE_SUN_X, soft = .15 + .02 * way;
    double above = lot->top - (world[1] + way * SCENE_SUN_Y), side = world[2] + way * SCENE_SUN_Z;
    if (above > -soft && side > lot->z0 - soft && side < lot->z1 + soft)
      cover += scene_step(-soft, soft, above) * scene_step(lot->z0 - soft, lot->z0 + soft, side) *
               (1 - scene_step(lot->z1 - soft, lot->z1 + soft, side));
  }
  return cover < 1 ? cover : 1;
}

SceneLight stx_scene_light(const StxScene *scene, const double world[3], bool on_ground)
{
  SceneLight light = {1 - behind_buildings(scene, world), 1};
  if (!on_ground || world[2] > SCENE_AHEAD)
    return light;
  int m = metre(world[2]);
  for (int i = scene->shadow_first[m]; i < scene->shadow_first[m + 1]; i++) {
    const SceneShadow *shadow = &scene->shadow[scene->shadow_list[i]];
    double left = 1 - patch(shadow, world[0], world[2]);
    light.sun = scene_min(light.sun, left);
    if (shadow->contact)
      light.sky = scene_min(light.sky, left);
  }
  return light;
}
