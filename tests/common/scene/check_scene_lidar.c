/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The synthetic LiDAR: scans against rays cast one by one, rays against angles and rotations made
 * with libm, ground against the height of the sensor; noise, lost returns, the same bytes for any
 * number of threads and on any machine, limits.
 */
#include "tests/common/ground/scan_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* The ray of one azimuth and beam of a sensor on the car, which leans as the road below it does. */
static StxSceneRay ray_of(const StxScene *scene, const StxSceneLidar *lidar, double d[3])
{
  double angle = atan((stx_scene_road(scene, 1e-4) - stx_scene_road(scene, -1e-4)) / 2e-4);
  double v[3] = {d[0], d[1], d[2]};
  untilt(lidar, v);
  return (StxSceneRay){{0, lidar->height, 0},
      {-v[1], v[0] * sin(angle) + v[2] * cos(angle), v[0] * cos(angle) - v[2] * sin(angle)}};
}

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

/* Angles differ by 1e-7, which is millimetres where a ray grazes a road far away. */
static void expect_point(const StxTurn *turn, size_t i, const double d[3], const StxSceneHit *hit)
{
  ck_assert_uint_lt(i, turn->count);
  for (int k = 0; k < 3; k++)
    ck_assert_double_eq_tol(turn->points[i][k], hit->t * d[k], 1e-5 + 2e-5 * hit->t);
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
  STX_AUTO(StxTurn) turn = stx_scan_turn(scene, lidar);
  size_t i = 0;
  for (int step = 0; step < lidar->steps; step++)
    for (int beam = 0; beam < lidar->beams; beam++) {
      double d[3];
      direction_of(lidar, step, beam, d);
      StxSceneRay ray = ray_of(scene, lidar, d);
      StxSceneHit hit = stx_scene_cast(scene, &ray);
      if (hit.t >= lidar->range_min && hit.t <= lidar->range_max)
        expect_point(&turn, i++, d, &hit);
    }
  ck_assert_uint_eq(turn.count, i);
}

STX_TEST(points_lie_where_rays_cast_one_by_one_meet)
{
  static const struct {
    int beams, steps;
    double top, bottom, height, roll, pitch;
  } cases[] = {{64, 301, 2, -24.8, 1.73, 0, 0}, {16, 720, 15, -15, 1.73, 5, 0},
      {32, 360, 10.67, -30.67, 2.1, 0, -10}, {128, 97, 90, -90, .5, 0, 0},
      {40, 200, 60, -80, 3, 30, 40}, {1, 2000, 3, -3, 1.2, 0, 0}, {2, 1, 10, -10, 1.73, 0, 0},
      {5, 2, 30, 20, 9, -45, 45}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    STX_AUTO(StxScene) *scene = stx_scan_street(i, 0);
    StxSceneLidar lidar = stx_scan_exact(cases[i].beams, cases[i].steps);
    lidar.top = cases[i].top;
    lidar.bottom = cases[i].bottom;
    lidar.height = cases[i].height;
    lidar.roll = cases[i].roll * DEGREE;
    lidar.pitch = cases[i].pitch * DEGREE;
    stx_scene_move(scene, 43 * i);
    expect_turn_of_rays(scene, &lidar);
  }
}

/* Objects close to the sensor's axis, above it and across the cut behind it. */
STX_TEST(many_places_of_the_street_agree_with_rays)
{
  for (unsigned seed = 0; seed < 6; seed++) {
    STX_AUTO(StxScene) *scene = stx_scan_street(100 + seed, 0);
    StxSceneLidar lidar = stx_scan_exact(24, 60);
    lidar.top = 80;
    lidar.bottom = -60;
    lidar.range_min = 0;
    for (unsigned frame = 0; frame < 200; frame += 17) {
      stx_scene_move(scene, frame);
      expect_turn_of_rays(scene, &lidar);
    }
  }
}

STX_TEST(range_limits_hold)
{
  STX_AUTO(StxScene) *scene = stx_scan_street(4, 0);
  StxSceneLidar lidar = stx_scan_exact(32, 300);
  lidar.range_min = 6;
  lidar.range_max = 25;
  STX_AUTO(StxTurn) turn = stx_scan_turn(scene, &lidar);
  double least = INFINITY, most = 0;
  for (size_t i = 0; i < turn.count; i++) {
    least = fmin(least, stx_scan_range(turn.points[i]));
    most = fmax(most, stx_scan_range(turn.points[i]));
  }
  ck_assert_double_ge(least, 6 - 1e-5);
  ck_assert_double_lt(least, 6.2);
  ck_assert_double_le(most, 25 + 1e-5);
  ck_assert_double_gt(most, 24);
  expect_turn_of_rays(scene, &lidar);
}

/* ---- What is to be seen --------------------------------------------------------------------- */

#define LITERAL_HASH 0xbab2efcc6dc1d03cu

static void expect_same_turn(const StxTurn *a, const StxTurn *b, const char *what)
{
  ck_assert_msg(a->count == b->count, "%s: %zu and %zu points", what, a->count, b->count);
  stx_expect_same(a->points, b->points, a->count * sizeof(StxPoint), what);
  stx_expect_same(a->labels, b->labels, a->count * 4, what);
}

/* ---- Noise and losses ----------------------------------------------------------------------- */

/* Along the ray, of the deviation asked for, around 0; labels and losses as without it. */
STX_TEST(noise_moves_points_along_their_rays)
{
  STX_AUTO(StxScene) *scene = stx_scan_street(3, 0);
  StxSceneLidar clean = stx_scan_exact(64, 500), noisy = clean;
  clean.dropout = noisy.dropout = .1;
  noisy.noise = .05;
  STX_AUTO(StxTurn) a = stx_scan_turn(scene, &clean), b = stx_scan_turn(scene, &noisy);
  double sum = 0, square = 0, neighbour = 0, last = 0, n = (double)a.count;
  ck_assert_uint_eq(a.count, b.count);
  stx_expect_same(a.labels, b.labels, a.count * 4, "labels with noise");
  for (size_t i = 0; i < a.count; i++) {
    double ra = stx_scan_range(a.points[i]), rb = stx_scan_range(b.points[i]), off = rb - ra;
    for (int k = 0; k < 3; k++)
      ck_assert_double_eq_tol(a.points[i][k] / ra, b.points[i][k] / rb, 1e-5);
    ck_assert_double_le(fabs(off), 6 * .05);
    sum += off;
    square += off * off;
    neighbour += off * last;
    last = off;
  }
  ck_assert_double_eq_tol(sqrt(square / n), .05, .001);
  ck_assert_double_eq_tol(sum / n, 0, .0015);
  ck_assert_double_eq_tol(neighbour / square, 0, .03);
}

STX_TEST(lost_returns_have_the_share_asked_for)
{
  STX_AUTO(StxScene) *scene = stx_scan_street(6, 0);
  StxSceneLidar lidar = stx_scan_exact(64, 500);
  STX_AUTO(StxTurn) all = stx_scan_turn(scene, &lidar);
  lidar.dropout = .3;
  STX_AUTO(StxTurn) some = stx_scan_turn(scene, &lidar);
  lidar.dropout = 1;
  STX_AUTO(StxTurn) none = stx_scan_turn(scene, &lidar);
  ck_assert_double_eq_tol((double)some.count / (double)all.count, .7, .012);
  ck_assert_uint_eq(none.count, 0);
  size_t k = 0; /* what is left is what was there, in the same order */
  for (size_t i = 0; i < all.count && k < some.count; i++)
    k += memcmp(all.points[i], some.points[k], sizeof(StxPoint)) == 0 &&
         all.labels[i] == some.labels[k];
  ck_assert_uint_eq(k, some.count);
}

/* ---- The same bytes ------------------------------------------------------------------------- */

STX_TEST(threads_do_not_matter)
{
  StxSceneLidar lidar = stx_scene_lidar(32);
  lidar.steps = 333;
  for (int threads = 2; threads <= 7; threads += 5) {
    STX_AUTO(StxScene) *one = stx_scan_street(8, 1), *many = stx_scan_street(8, threads);
    STX_AUTO(StxTurn) a = stx_scan_turn(one, &lidar), b = stx_scan_turn(many, &lidar);
    char what[40];
    snprintf(what, sizeof what, "%d threads", threads);
    expect_same_turn(&a, &b, what);
  }
}

/* Two calls, one for each, give what belongs together. */
STX_TEST(points_and_labels_come_alone_too)
{
  STX_AUTO(StxScene) *scene = stx_scan_street(9, 0);
  StxSceneLidar lidar = stx_scene_lidar(16);
  lidar.steps = 500;
  lidar.dropout = .2;
  STX_AUTO(StxTurn) both = stx_scan_turn(scene, &lidar), alone = stx_scan_turn(scene, &lidar);
  memset(alone.points, 0, stx_scan_room(&lidar) * sizeof(StxPoint));
  memset(alone.labels, 0, stx_scan_room(&lidar) * 4);
  alone.count = stx_scene_scan(scene, &lidar, alone.points, NULL);
  ck_assert_uint_eq(stx_scene_scan(scene, &lidar, NULL, alone.labels), alone.count);
  expect_same_turn(&both, &alone, "one by one");
  ck_assert_uint_eq(stx_scene_scan(scene, &lidar, NULL, NULL), 0);
}

/* Scans and pictures share tables; neither may disturb the other. */
STX_TEST(scans_and_pictures_come_in_any_order)
{
  STX_AUTO(StxScene) *scene = stx_scan_street(5, 0), *fresh = stx_scan_street(5, 0);
  STX_AUTO(StxImage16) before = stx_test_image16(40, 12, 0), after = stx_test_image16(40, 12, 0);
  StxSceneLidar lidar = stx_scene_lidar(16);
  lidar.steps = 300;
  stx_scene_move(scene, 11);
  stx_scene_truth(scene, &before, NULL);
  STX_AUTO(StxTurn) a = stx_scan_turn(scene, &lidar);
  stx_scene_truth(scene, &after, NULL);
  stx_expect_same_image16(&before, &after, "picture after a scan");
  stx_scene_move(fresh, 400);
  stx_scene_move(fresh, 11);
  STX_AUTO(StxTurn) b = stx_scan_turn(fresh, &lidar);
  expect_same_turn(&a, &b, "frame 11 after others");
}

/* The literal was made on x86-64 (GCC 12, -O2) and must come out of every machine. A deliberate
 * change of the street or of the sensor changes it. */
STX_TEST(every_machine_scans_the_same)
{
  STX_AUTO(StxScene) *scene = stx_scan_street(7, 0);
  StxSceneLidar lidar = stx_scene_lidar(64);
  lidar.steps = 250;
  lidar.roll = 2 * DEGREE;
  lidar.pitch = -3 * DEGREE;
  stx_scene_move(scene, 3);
  STX_AUTO(StxTurn) turn = stx_scan_turn(scene, &lidar);
  uint64_t hash = stx_hash(STX_HASH_BEGIN, turn.points, turn.count * sizeof(StxPoint));
  hash = stx_hash(hash, turn.labels, turn.count * 4);
  ck_assert_msg(hash == LITERAL_HASH, "hash is 0x%016llx", (unsigned long long)hash);
}

/* ---- Limits --------------------------------------------------------------------------------- */

STX_TEST(the_largest_sensor_works)
{
  STX_AUTO(StxScene) *scene = stx_scan_street(2, 0);
  StxSceneLidar lidar = stx_scene_lidar(STX_SCENE_MAX_BEAMS);
  lidar.steps = STX_SCENE_MAX_STEPS;
  stx_scene_move(scene, 1000000000);
  STX_AUTO(StxTurn) turn = stx_scan_turn(scene, &lidar);
  ck_assert_uint_gt(turn.count, stx_scan_room(&lidar) / 2);
}

STX_TEST(bad_sensors_are_named)
{
  StxSceneLidar good = stx_scene_lidar(16);
  STX_REFUSES(stx_scene_lidar_check, good, beams, 129, "lidar beams is 129");
  STX_REFUSES(stx_scene_lidar_check, good, top, -15, "top is -15");
  STX_REFUSES(stx_scene_lidar_check, good, range_max, .5, "least range");
  for (int beams = 1; beams <= STX_SCENE_MAX_BEAMS; beams++) {
    StxSceneLidar usual = stx_scene_lidar(beams);
    ck_assert(stx_scene_lidar_check(&usual, NULL));
  }
}
