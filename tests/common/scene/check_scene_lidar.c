/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Geometry of the synthetic LiDAR: scans against rays cast one by one, rays against angles and
 * rotations made with libm, ground against the height of the sensor. check_scene_scan.c has the
 * rest.
 */
#include "tests/common/ground/scan_case.h"

#include <math.h>

#define DEGREE (M_PI / 180)

/* ---- Rays ----------------------------------------------------------------------------------- */

/* Direction in the sensor's frame, by libm. */
static void direction_of(const StxSceneLidar *lidar, int step, int beam, double d[3])
{
  double share = lidar->beams > 1 ? (double)beam / (lidar->beams - 1) : .5;
  double elevation = (lidar->top + share * (lidar->bottom - lidar->top)) * DEGREE;
  double azimuth = M_PI - 2 * M_PI * step / lidar->steps;
  d[0] = cos(elevation) * cos(azimuth);
  d[1] = cos(elevation) * sin(azimuth);
  d[2] = sin(elevation);
}

/* Sensor → car: rolled about x, then pitched about y, one after the other. */
static void untilt(const StxSceneLidar *lidar, double v[3])
{
  double r = lidar->roll, p = lidar->pitch;
  double y = v[1] * cos(r) - v[2] * sin(r), z = v[1] * sin(r) + v[2] * cos(r);
  double x = v[0] * cos(p) + z * sin(p);
  v[2] = z * cos(p) - v[0] * sin(p);
  v[1] = y;
  v[0] = x;
}

static void expect_rays(const StxScene *scene, const StxSceneLidar *lidar)
{
  double angle = atan((stx_scene_road(scene, 1e-4) - stx_scene_road(scene, -1e-4)) / 2e-4);
  for (int step = 0; step < lidar->steps; step++)
    for (int beam = 0; beam < lidar->beams; beam++) {
      StxSceneRay ray = stx_scene_lidar_ray(scene, lidar, step, beam);
      double d[3];
      direction_of(lidar, step, beam, d);
      untilt(lidar, d);
      ck_assert_double_eq_tol(ray.direction[0], -d[1], 1e-7);
      ck_assert_double_eq_tol(ray.direction[1], d[0] * sin(angle) + d[2] * cos(angle), 1e-7);
      ck_assert_double_eq_tol(ray.direction[2], d[0] * cos(angle) - d[2] * sin(angle), 1e-7);
      ck_assert(ray.origin[1] == lidar->height);
      ck_assert(ray.origin[0] == 0 && ray.origin[2] == 0);
    }
}

START_TEST(rays_go_where_their_angles_say)
{
  static const double tilts[][2] = {{0, 0}, {5, 0}, {0, 5}, {-12, 33}, {45, -45}};
  for (size_t i = 0; i < sizeof tilts / sizeof tilts[0]; i++) {
    StxScene *scene = stx_scan_street(i, 1);
    StxSceneLidar lidar = stx_scan_exact(i == 0 ? 1 : 7, 24);
    lidar.roll = tilts[i][0] * DEGREE;
    lidar.pitch = tilts[i][1] * DEGREE;
    lidar.top = 90; /* the whole sphere */
    lidar.bottom = -90;
    stx_scene_move(scene, 31 * i);
    expect_rays(scene, &lidar);
    stx_scene_free(scene);
  }
}
END_TEST

/* The test's own table: classes of SemanticKITTI for a train id; trees have two. */
static bool class_fits(int label, unsigned class)
{
  static const struct {
    int label;
    unsigned class;
  } table[] = {{0, 40}, {1, 48}, {2, 50}, {3, 51}, {4, 51}, {5, 80}, {6, 99}, {7, 81}, {8, 70},
      {8, 71}, {9, 72}, {11, 30}, {13, 10}, {14, 18}, {15, 13}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (table[i].label == label && table[i].class == class)
      return true;
  return false;
}

static void expect_point(const StxTurn *turn, size_t i, const double d[3], const StxSceneHit *hit)
{
  ck_assert_uint_lt(i, turn->count);
  for (int k = 0; k < 3; k++)
    ck_assert_double_eq_tol(turn->points[i][k], hit->t * d[k], 1e-5 + 1e-7 * hit->t);
  ck_assert_float_ge(turn->points[i][3], 0);
  ck_assert_float_le(turn->points[i][3], 1);
  unsigned class = turn->labels[i] & 0xffff;
  bool moves = hit->label >= STX_SCENE_PERSON;
  ck_assert_msg(
      class_fits(hit->label, class), "point %zu: train id %d, class %u", i, hit->label, class);
  ck_assert_uint_eq(turn->labels[i] >> 16, moves ? hit->instance : 0);
}

/* stx_scene_cast() asks every object; a scan asks those whose covers hold the ray. */
static void expect_turn_of_rays(StxScene *scene, const StxSceneLidar *lidar)
{
  StxTurn turn = stx_scan_turn(scene, lidar);
  size_t i = 0;
  for (int step = 0; step < lidar->steps; step++)
    for (int beam = 0; beam < lidar->beams; beam++) {
      StxSceneRay ray = stx_scene_lidar_ray(scene, lidar, step, beam);
      StxSceneHit hit = stx_scene_cast(scene, &ray);
      double d[3];
      if (!(hit.t >= lidar->range_min && hit.t <= lidar->range_max))
        continue;
      direction_of(lidar, step, beam, d);
      expect_point(&turn, i++, d, &hit);
    }
  ck_assert_uint_eq(turn.count, i);
  stx_scan_free(&turn);
}

START_TEST(points_lie_where_rays_cast_one_by_one_meet)
{
  static const struct {
    int beams, steps;
    double top, bottom, height, roll, pitch;
  } cases[] = {{64, 301, 2, -24.8, 1.73, 0, 0}, {16, 720, 15, -15, 1.73, 5, 0},
      {32, 360, 10.67, -30.67, 2.1, 0, -10}, {128, 97, 90, -90, .5, 0, 0},
      {40, 200, 60, -80, 3, 30, 40}, {1, 2000, 3, -3, 1.2, 0, 0}, {2, 1, 10, -10, 1.73, 0, 0},
      {5, 2, 30, 20, 9, -45, 45}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxScene *scene = stx_scan_street(i, 0);
    StxSceneLidar lidar = stx_scan_exact(cases[i].beams, cases[i].steps);
    lidar.top = cases[i].top;
    lidar.bottom = cases[i].bottom;
    lidar.height = cases[i].height;
    lidar.roll = cases[i].roll * DEGREE;
    lidar.pitch = cases[i].pitch * DEGREE;
    stx_scene_move(scene, 43 * i);
    expect_turn_of_rays(scene, &lidar);
    stx_scene_free(scene);
  }
}
END_TEST

/* Objects close to the sensor's axis, above it and across the cut behind it. */
START_TEST(many_places_of_the_street_agree_with_rays)
{
  for (unsigned seed = 0; seed < 6; seed++) {
    StxScene *scene = stx_scan_street(100 + seed, 0);
    StxSceneLidar lidar = stx_scan_exact(24, 60);
    lidar.top = 80;
    lidar.bottom = -60;
    lidar.range_min = 0;
    for (unsigned frame = 0; frame < 200; frame += 17) {
      stx_scene_move(scene, frame);
      expect_turn_of_rays(scene, &lidar);
    }
    stx_scene_free(scene);
  }
}
END_TEST

START_TEST(range_limits_hold)
{
  StxScene *scene = stx_scan_street(4, 0);
  StxSceneLidar lidar = stx_scan_exact(32, 300);
  lidar.range_min = 6;
  lidar.range_max = 25;
  StxTurn turn = stx_scan_turn(scene, &lidar);
  double least = INFINITY, most = 0;
  for (size_t i = 0; i < turn.count; i++) {
    least = fmin(least, stx_scan_range(turn.points[i]));
    most = fmax(most, stx_scan_range(turn.points[i]));
  }
  ck_assert_double_ge(least, 6 - 1e-5);
  ck_assert_double_lt(least, 6.2);
  ck_assert_double_le(most, 25 + 1e-5);
  ck_assert_double_gt(most, 24);
  stx_scan_free(&turn);
  expect_turn_of_rays(scene, &lidar);
  stx_scene_free(scene);
}
END_TEST

/* ---- Ground --------------------------------------------------------------------------------- */

/* The vertical curve lifts the road by less than 3.5 cm within 6 m; the sensor stands upright on a
 * slope of up to 5.2 %, which takes .0014 off its height. */
static int check_ground(const StxTurn *turn, const StxSceneLidar *lidar)
{
  int checked = 0;
  for (size_t i = 0; i < turn->count; i++) {
    const float *p = turn->points[i];
    double v[3] = {p[0], p[1], p[2]};
    untilt(lidar, v);
    if (turn->labels[i] != STX_SCENE_POINT_ROAD || fabs(v[0]) > 6)
      continue;
    ck_assert_double_eq_tol(v[2], -lidar->height, .035 + .0014 * lidar->height);
    checked++;
  }
  return checked;
}

START_TEST(the_road_lies_at_the_height_of_the_sensor)
{
  static const double sensors[][3] = {
      {1.73, 0, 0}, {1.43, 0, 0}, {2.2, 5, 0}, {1.73, 0, 10}, {1.73, -7, -4}};
  for (size_t i = 0; i < sizeof sensors / sizeof sensors[0]; i++) {
    StxScene *scene = stx_scan_street(40 + i, 0);
    StxSceneLidar lidar = stx_scan_exact(64, 400);
    lidar.height = sensors[i][0];
    lidar.roll = sensors[i][1] * DEGREE;
    lidar.pitch = sensors[i][2] * DEGREE;
    stx_scene_move(scene, 23 * i);
    StxTurn turn = stx_scan_turn(scene, &lidar);
    ck_assert_int_gt(check_ground(&turn, &lidar), 500);
    stx_scan_free(&turn);
    stx_scene_free(scene);
  }
}
END_TEST

/* Right side down: what lies on the right appears higher, seen from the sensor. */
START_TEST(tilt_has_the_signs_of_the_contract)
{
  StxScene *scene = stx_scan_street(7, 0);
  for (int which = 0; which < 2; which++) {
    StxSceneLidar lidar = stx_scan_exact(64, 400);
    *(which == 0 ? &lidar.roll : &lidar.pitch) = .1;
    StxTurn turn = stx_scan_turn(scene, &lidar);
    double sum[2] = {0, 0};
    int n[2] = {0, 0};
    for (size_t i = 0; i < turn.count; i++) {
      double along = which == 0 ? -turn.points[i][1] : turn.points[i][0];
      if (turn.labels[i] != STX_SCENE_POINT_ROAD || fabs(along) < 2)
        continue;
      sum[along > 0] += turn.points[i][2];
      n[along > 0]++;
    }
    ck_assert_int_gt(n[0], 100);
    ck_assert_int_gt(n[1], 100);
    ck_assert_double_gt(sum[1] / n[1], sum[0] / n[0] + .3);
    stx_scan_free(&turn);
  }
  stx_scene_free(scene);
}
END_TEST

/* ---- What is to be seen --------------------------------------------------------------------- */

static void count_classes(const StxTurn *turn, size_t count[256])
{
  for (size_t i = 0; i < turn->count; i++) {
    ck_assert_uint_lt(turn->labels[i] & 0xffff, 256);
    count[turn->labels[i] & 0xffff]++;
  }
}

START_TEST(it_is_a_scan_of_a_street)
{
  static const uint8_t expected[] = {10, 13, 18, 30, 40, 48, 50, 51, 70, 71, 72, 80, 81, 99};
  size_t count[256] = {0}, total = 0, rays = 0;
  for (unsigned seed = 0; seed < 8; seed++) {
    StxScene *scene = stx_scan_street(seed, 0);
    StxSceneLidar lidar = stx_scan_exact(64, 500);
    for (unsigned frame = 0; frame < 120; frame += 30) {
      stx_scene_move(scene, frame);
      StxTurn turn = stx_scan_turn(scene, &lidar);
      count_classes(&turn, count);
      total += turn.count;
      rays += stx_scan_room(&lidar);
      stx_scan_free(&turn);
    }
    stx_scene_free(scene);
  }
  size_t found = 0;
  for (size_t i = 0; i < sizeof expected; i++) {
    ck_assert_msg(count[expected[i]] > 0, "no point of class %d", expected[i]);
    found += count[expected[i]];
  }
  ck_assert_uint_eq(found, total);
  ck_assert_double_ge((double)total, .7 * (double)rays);
  double ground = (double)(count[40] + count[48] + count[72]) / (double)total;
  ck_assert_double_ge(ground, .3);
  ck_assert_double_le(ground, .8);
}
END_TEST

static const StxTest tests[] = {
    {&rays_go_where_their_angles_say},
    {&points_lie_where_rays_cast_one_by_one_meet},
    {&many_places_of_the_street_agree_with_rays},
    {&range_limits_hold},
    {&the_road_lies_at_the_height_of_the_sensor},
    {&tilt_has_the_signs_of_the_contract},
    {&it_is_a_scan_of_a_street},
};
STX_TESTING_MAIN("scene_lidar", tests)
