/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scans of a spinning LiDAR (see scene.h).
 *
 * Azimuths and beams are the columns and rows of a picture all around. So objects and parts are
 * projected into it once per scan, as for the cameras' pictures: azimuth and elevation of the eight
 * corners of the bounds. An azimuth lists, nearest first, the objects that it may meet, and its
 * rays test only the parts whose cover holds (azimuth, beam).
 *
 *   azimuth    of a box: those of its corners counted from its middle's; it goes all around if they
 *              span half a turn or more, which is when the sensor's axis goes through it
 *   elevation  at most of (highest z, least distance from the axis), where that is below any
 *              distance of the plane through the nearest corner, square to the direction of the
 *              middle
 *
 * libm's arc tangent serves for the covers, which have a margin of one step; what a ray meets does
 * not depend on it. Every ray writes into a place of its own; then the empty ones are closed up in
 * order, so that threads do not matter.
 */
#include "common/parallel.h"
#include "common/scene/scene_private.h"

#include <math.h>

#define DEGREE 0.017453292519943295
#define MOST_TILT .7854 /* 45 degrees: more is a value in degrees */
#define NONE (-1.f)     /* intensity of a place without a point; the label is 0 */
#define AROUND 1e-3     /* a box whose middle is so near to the axis goes all around, metres */

/* ---- The sensor ----------------------------------------------------------------------------- */

#define STORED(kind, member) STX_STORED(kind, StxSceneLidar, member)
#define NUMBER(member, least, most) STORED(DOUBLE, member), .low = least, .high = most

static const StxField fields[] = {
    {"beams", "Beams",
        "LiDAR beams, with the field of view of a VLP-16, HDL-32E, HDL-64E or VLS-128",
        "lidar beams", STORED(INT, beams), .low = 1, .high = STX_SCENE_MAX_BEAMS},
    {"azimuth-steps", "Azimuth steps", "LiDAR azimuths per turn", "lidar steps", STORED(INT, steps),
        .low = 1, .high = STX_SCENE_MAX_STEPS},
    {.field = "lidar top", NUMBER(top, -90, 90), .unit = "degrees"},
    {.field = "lidar bottom", NUMBER(bottom, -90, 90), .unit = "degrees"},
    {"lidar-height", "LiDAR height", "Height of the LiDAR above the road, metres", "lidar height",
        NUMBER(height, .3, 10), .unit = "m"},
    {.field = "lidar least range", NUMBER(range_min, 0, 500), .unit = "m"},
    {.field = "lidar greatest range", NUMBER(range_max, 0, 500), .unit = "m"},
    {"lidar-noise", "LiDAR noise", "Standard deviation of LiDAR ranges, metres", "lidar noise",
        NUMBER(noise, 0, 1), .unit = "m"},
    {"lidar-dropout", "LiDAR drop-outs", "Share of lost LiDAR returns", "lidar dropout",
        NUMBER(dropout, 0, 1)},
    {"lidar-roll", "LiDAR roll", "Roll of the LiDAR, right side down, radians", "lidar roll",
        NUMBER(roll, -MOST_TILT, MOST_TILT), .unit = "rad"},
    {"lidar-pitch", "LiDAR pitch", "Pitch of the LiDAR, front down, radians", "lidar pitch",
        NUMBER(pitch, -MOST_TILT, MOST_TILT), .unit = "rad"},
};
static const StxSceneLidar defaults = STX_SCENE_LIDAR_DEFAULTS;
const StxFields stx_scene_lidar_fields = {STX_FIELDS_OF(fields), &defaults};

StxSceneLidar stx_scene_lidar(int beams)
{
  StxSceneLidar lidar = defaults;
  lidar.beams = beams;
  if (beams <= 32) {
    lidar.top = beams <= 16 ? 15 : 10.67;
    lidar.bottom = beams <= 16 ? -15 : -30.67;
  } else if (beams > 64) {
    lidar.top = 15;
    lidar.bottom = -25;
  }
  return lidar;
}

bool stx_scene_lidar_check(const StxSceneLidar *lidar, StxError *error)
{
  if (!stx_fields_check(&stx_scene_lidar_fields, lidar, error))
    return false;
  if (!(lidar->top > lidar->bottom))
    return stx_fail(error, "lidar top is %g degrees, must be above the bottom, %g degrees",
        lidar->top, lidar->bottom);
  if (!(lidar->range_min < lidar->range_max))
    return stx_fail(error, "lidar least range is %g m, must be less than the greatest, %g m",
        lidar->range_min, lidar->range_max);
  return true;
}

/* ---- Directions ----------------------------------------------------------------------------- */

typedef struct {
  double sine, cosine;
} Angle;

static Angle angle_of(double degrees)
{
  int64_t quarter = scene_floor(degrees / 90 + .5);
  double a = (degrees - 90 * (double)quarter) * DEGREE, sine = scene_sine(a),
         cosine = scene_cosine(a);
  switch (quarter & 3) {
  case 0:
    return (Angle){sine, cosine};
  case 1:
    return (Angle){cosine, -sine};
  case 2:
    return (Angle){-sine, -cosine};
  default:
    return (Angle){-cosine, sine};
  }
}

/* The sensor in the world. */
typedef struct {
  const StxSceneLidar *lidar;
  double origin[3];
  double axis[3][3]; /* x, y, z of the sensor, as directions of the world */
} Sensor;

/* Roll about x, then pitch about y, both right-handed: the sensor's axes in the car's frame. */
static Sensor sensor_of(const StxScene *scene, const StxSceneLidar *lidar)
{
  Sensor sensor = {.lidar = lidar, .origin = {scene->aside, lidar->height, 0}};
  Angle p = angle_of(lidar->pitch / DEGREE), r = angle_of(lidar->roll / DEGREE);
  const double tilt[3][3] = {{p.cosine, 0, -p.sine}, {p.sine * r.sine, r.cosine, p.cosine * r.sine},
      {p.sine * r.cosine, -r.sine, p.cosine * r.cosine}};
  double slope = scene->stance, length = sqrt(1 + slope * slope);
  for (int i = 0; i < 3; i++) {
    double right = -tilt[i][1], ahead = (tilt[i][0] - tilt[i][2] * slope) / length;
    sensor.axis[i][0] = scene->axis[0][0] * right - scene->axis[0][2] * ahead;
    sensor.axis[i][1] = (tilt[i][0] * slope + tilt[i][2]) / length;
    sensor.axis[i][2] = scene->axis[0][2] * right + scene->axis[0][0] * ahead;
  }
  return sensor;
}

StxExtrinsics stx_scene_lidar_extrinsics(const StxSceneLidar *lidar, const StxCamera *camera)
{
  double above = lidar->height - camera->height;
  return (StxExtrinsics){.x = -above * scene_sine(camera->pitch),
      .z = above * scene_cosine(camera->pitch),
      .roll = lidar->roll,
      .pitch = lidar->pitch - camera->pitch};
}

static StxSceneRay ray_of(const Sensor *sensor, const double d[3])
{
  StxSceneRay ray;
  for (int i = 0; i < 3; i++) {
    ray.origin[i] = sensor->origin[i];
    ray.direction[i] =
        d[0] * sensor->axis[0][i] + d[1] * sensor->axis[1][i] + d[2] * sensor->axis[2][i];
  }
  return ray;
}

/* ---- Covers --------------------------------------------------------------------------------- */

/* The corners of a box in the sensor's frame, and their mean. */
typedef struct {
  double corner[8][3], middle[3];
} Box;

static Box box_of(
    const Sensor *sensor, const SceneObject *object, const double lo[3], const double hi[3])
{
  Box box = {.middle = {0, 0, 0}};
  for (int i = 0; i < 8; i++) {
    double world[3];
    stx_scene_corner(object, lo, hi, i, world);
    for (int k = 0; k < 3; k++)
      world[k] -= sensor->origin[k];
    for (int k = 0; k < 3; k++) {
      box.corner[i][k] = scene_dot(sensor->axis[k], world);
      box.middle[k] += .125 * box.corner[i][k];
    }
  }
  return box;
}

/* No point of the box is nearer to the origin, counted in the first n coordinates. */
static double least_distance(const Box *box, int n)
{
  double length = 0, least = INFINITY;
  for (int k = 0; k < n; k++)
    length += box->middle[k] * box->middle[k];
  length = sqrt(length);
  for (int i = 0; i < 8; i++) {
    double along = 0;
    for (int k = 0; k < n; k++)
      along += box->corner[i][k] * box->middle[k];
    least = scene_min(least, along);
  }
  return least > 0 && length > 0 ? least / length * (1 - 1e-9) : 0;
}

static void cover_azimuths(const StxSceneLidar *lidar, const Box *box, SceneCover *cover)
{
  const double *m = box->middle;
  double low = INFINITY, high = -INFINITY, middle = atan2(m[1], m[0]);
  for (int i = 0; i < 8; i++) {
    const double *c = box->corner[i];
    double off = atan2(m[0] * c[1] - m[1] * c[0], m[0] * c[0] + m[1] * c[1]);
    low = scene_min(low, off);
    high = scene_max(high, off);
  }
  /* Parts across the cut behind the sensor are tested all around, too. */
  bool around = m[0] * m[0] + m[1] * m[1] < AROUND * AROUND || high - low > 180 * DEGREE - 1e-6 ||
                middle + high > 180 * DEGREE || middle + low < -180 * DEGREE;
  double per_step = 360 * DEGREE / lidar->steps, last = lidar->steps - 1;
  double first = (180 * DEGREE - middle - high) / per_step - 1,
         end = (180 * DEGREE - middle - low) / per_step + 1;
  cover->x0 = (int16_t)(around ? 0 : scene_clamp(first, 0, last));
  cover->x1 = (int16_t)(around ? last : scene_clamp(end, 0, last));
}

/* First and last azimuth and beam that may meet the box, and one more on either side; nothing (y0 >
 * y1) where all pass above or below. */
static void find_cover(const StxSceneLidar *lidar, const Box *box, SceneCover *cover)
{
  cover_azimuths(lidar, box, cover);
  double least = least_distance(box, 2), most = 0, low = INFINITY, high = -INFINITY;
  for (int i = 0; i < 8; i++) {
    const double *c = box->corner[i];
    most = scene_max(most, sqrt(c[0] * c[0] + c[1] * c[1]));
    low = scene_min(low, c[2]);
    high = scene_max(high, c[2]);
  }
  double top = atan2(high, high > 0 ? least : most), bottom = atan2(low, low < 0 ? least : most);
  double last = lidar->beams - 1, width = (lidar->top - lidar->bottom) * DEGREE,
         per_beam = lidar->beams > 1 ? last / width : 0;
  double first = (lidar->top * DEGREE - top) * per_beam - 1,
         end = (lidar->top * DEGREE - bottom) * per_beam + 1;
  cover->y0 = (int16_t)scene_clamp(first, 0, last + 1);
  cover->y1 = (int16_t)scene_clamp(end, -1, last);
}

/* Covers of all objects in range and of their parts; returns how many objects may be met and lists
 * them, ascending `near`. */
static int make_covers(StxScene *scene, const Sensor *sensor, uint16_t *order)
{
  const StxSceneLidar *lidar = sensor->lidar;
  double lo[3], hi[3];
  for (int i = 0; i < scene->objects; i++) {
    SceneObject *object = &scene->object[i];
    Box box = box_of(sensor, object, object->lo, object->hi);
    object->near = least_distance(&box, 3);
    find_cover(lidar, &box, &scene->object_cover[i]);
    if (object->near > lidar->range_max)
      continue;
    for (int k = object->first_part; k < object->first_part + object->parts; k++) {
      stx_scene_part_bounds(&scene->part[k], lo, hi);
      box = box_of(sensor, object, lo, hi);
      find_cover(lidar, &box, &scene->cover[k]);
    }
  }
  stx_scene_sort(scene, order);
  int count = 0;
  while (count < scene->objects && scene->object[order[count]].near <= lidar->range_max)
    count++;
  return count;
}

/* ---- Points --------------------------------------------------------------------------------- */

typedef struct {
  const StxScene *scene;
  Sensor sensor;
  Angle elevation[STX_SCENE_MAX_BEAMS];
  uint16_t order[SCENE_MAX_OBJECTS]; /* what may be met, ascending `near` */
  int objects;
  uint64_t key;
  float (*points)[4];
  uint32_t *labels;
} Scan;

static uint32_t class_of(const StxScene *scene, const SceneContact *contact, double x)
{
  static const uint8_t classes[] = {
      [STX_SCENE_ROAD] = STX_SCENE_POINT_ROAD,
      [STX_SCENE_SIDEWALK] = STX_SCENE_POINT_SIDEWALK,
      [STX_SCENE_BUILDING] = STX_SCENE_POINT_BUILDING,
      [STX_SCENE_WALL] = STX_SCENE_POINT_FENCE,
      [STX_SCENE_FENCE] = STX_SCENE_POINT_FENCE,
      [STX_SCENE_POLE] = STX_SCENE_POINT_POLE,
      [STX_SCENE_LIGHT] = STX_SCENE_POINT_OTHER,
      [STX_SCENE_SIGN] = STX_SCENE_POINT_SIGN,
      [STX_SCENE_VEGETATION] = STX_SCENE_POINT_VEGETATION,
      [STX_SCENE_TERRAIN] = STX_SCENE_POINT_TERRAIN,
      [STX_SCENE_PERSON] = STX_SCENE_POINT_PERSON,
      [STX_SCENE_CAR] = STX_SCENE_POINT_CAR,
      [STX_SCENE_TRUCK] = STX_SCENE_POINT_TRUCK,
      [STX_SCENE_BUS] = STX_SCENE_POINT_BUS,
  };
  if (contact->object >= 0 && scene->part[contact->part].material == MATERIAL_BARK)
    return STX_SCENE_POINT_TRUNK;
  int label = stx_scene_label(scene, contact, x);
  return label == STX_SCENE_VOID ? STX_SCENE_POINT_OTHER : classes[label];
}

/* In the infrared leaves and grass are bright; signs throw the light back. */
static float brightness(const StxScene *scene, const SceneContact *contact, uint32_t class)
{
  static const float of_class[] = {[STX_SCENE_POINT_ROAD] = .15f,
      [STX_SCENE_POINT_SIDEWALK] = .25f,
      [STX_SCENE_POINT_TERRAIN] = .4f,
      [STX_SCENE_POINT_VEGETATION] = .4f,
      [STX_SCENE_POINT_SIGN] = .9f,
      [STX_SCENE_POINT_OTHER] = 0};
  if (of_class[class] > 0)
    return of_class[class];
  const float *colour = scene->part[contact->part].colour;
  return (colour[0] + colour[1] + colour[2]) / 3;
}

static void write_point(const Scan *scan, size_t slot, const SceneContact *contact,
    const StxSceneRay *ray, const double d[3])
{
  const StxSceneLidar *lidar = scan->sensor.lidar;
  uint64_t key = scene_mix(scan->key + slot * 0x9e3779b97f4a7c15u), bits = scene_mix(key);
  if (scan->points != NULL)
    scan->points[slot][3] = NONE;
  if (scan->labels != NULL)
    scan->labels[slot] = 0;
  if (!(contact->t >= lidar->range_min && contact->t <= lidar->range_max) ||
      scene_uniform(&key) < lidar->dropout)
    return;
  uint32_t class = class_of(scan->scene, contact, ray->origin[0] + contact->t * ray->direction[0]);
  bool moves = class == STX_SCENE_POINT_CAR || class == STX_SCENE_POINT_BUS ||
               class == STX_SCENE_POINT_TRUCK || class == STX_SCENE_POINT_PERSON;
  if (scan->labels != NULL)
    scan->labels[slot] = class | (moves ? scan->scene->object[contact->object].instance << 16 : 0);
  if (scan->points == NULL)
    return;
  float off = scene_deviate(bits, 0) + scene_deviate(bits, 1) + scene_deviate(bits, 2);
  double range = contact->t + lidar->noise * (double)(off * .57735027f); /* 1/√3 */
  float light = brightness(scan->scene, contact, class) + .02f * scene_deviate(scene_mix(bits), 0);
  for (int i = 0; i < 3; i++)
    scan->points[slot][i] = (float)(range * d[i]);
  scan->points[slot][3] = light < 0 ? 0 : light > 1 ? 1 : light;
}

static void scan_azimuth(void *data, int step, int worker)
{
  const Scan *scan = data;
  const StxScene *scene = scan->scene;
  const StxSceneLidar *lidar = scan->sensor.lidar;
  Angle azimuth = angle_of(180 - 360. * step / lidar->steps);
  uint16_t list[SCENE_MAX_OBJECTS];
  size_t count = 0;
  for (int i = 0; i < scan->objects; i++) {
    const SceneCover *cover = &scene->object_cover[scan->order[i]];
    if (step >= cover->x0 && step <= cover->x1 && cover->y0 <= cover->y1)
      list[count++] = scan->order[i];
  }
  for (int beam = 0; beam < lidar->beams; beam++) {
    const Angle *elevation = &scan->elevation[beam];
    double d[3] = {
        elevation->cosine * azimuth.cosine, elevation->cosine * azimuth.sine, elevation->sine};
    StxSceneRay ray = ray_of(&scan->sensor, d);
    SceneProbe probe = stx_scene_probe(scene, &ray);
    SceneContact contact = stx_scene_ground_cast(scene, &probe);
    stx_scene_cast_pixel(scene, &ray, step, beam, list, count, &contact);
    write_point(scan, (size_t)step * (size_t)lidar->beams + (size_t)beam, &contact, &ray, d);
  }
}

/* Closes the gaps that rays without a point have left; returns the number of points. */
static size_t close_up(const Scan *scan, size_t slots)
{
  size_t count = 0;
  for (size_t i = 0; i < slots; i++) {
    if (scan->points != NULL ? scan->points[i][3] == NONE : scan->labels[i] == 0)
      continue;
    for (int k = 0; k < 4 && scan->points != NULL; k++)
      scan->points[count][k] = scan->points[i][k];
    if (scan->labels != NULL)
      scan->labels[count] = scan->labels[i];
    count++;
  }
  return count;
}

size_t stx_scene_scan(
    StxScene *scene, const StxSceneLidar *lidar, float (*points)[4], uint32_t *labels)
{
  Scan scan = {.scene = scene,
      .sensor = sensor_of(scene, lidar),
      .key = scene_key(scene->params.seed, 5, (int64_t)scene->frame),
      .points = points,
      .labels = labels};
  if (points == NULL && labels == NULL)
    return 0;
  for (int beam = 0; beam < lidar->beams; beam++) {
    double share = lidar->beams > 1 ? (double)beam / (lidar->beams - 1) : .5;
    scan.elevation[beam] = angle_of(lidar->top + share * (lidar->bottom - lidar->top));
  }
  scan.objects = make_covers(scene, &scan.sensor, scan.order);
  scene->eye = -1; /* the covers of pictures are gone */
  stx_parallel(scene->threads, lidar->steps, scan_azimuth, &scan);
  return close_up(&scan, (size_t)lidar->steps * (size_t)lidar->beams);
}
