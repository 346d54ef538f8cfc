/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scans of the synthetic LiDAR: noise, lost returns, the same bytes for any number of threads and
 * on any machine, limits. check_scene_lidar.c has the geometry.
 */
#include "tests/common/ground/scan_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEGREE (M_PI / 180)
#define LITERAL_HASH 0xbab2efcc6dc1d03cu

static void expect_same_turn(const StxTurn *a, const StxTurn *b, const char *what)
{
  ck_assert_msg(a->count == b->count, "%s: %zu and %zu points", what, a->count, b->count);
  stx_expect_same(a->points, b->points, a->count * sizeof(StxPoint), what);
  stx_expect_same(a->labels, b->labels, a->count * 4, what);
}

/* ---- Noise and losses ----------------------------------------------------------------------- */

/* Along the ray, of the deviation asked for, around 0; labels and losses as without it. */
START_TEST(noise_moves_points_along_their_rays)
{
  StxScene *scene = stx_scan_street(3, 0);
  StxSceneLidar clean = stx_scan_exact(64, 500), noisy = clean;
  clean.dropout = noisy.dropout = .1;
  noisy.noise = .05;
  StxTurn a = stx_scan_turn(scene, &clean), b = stx_scan_turn(scene, &noisy);
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
  stx_scan_free(&a);
  stx_scan_free(&b);
  stx_scene_free(scene);
}
END_TEST

START_TEST(noise_differs_from_frame_to_frame)
{
  StxSceneParams params = {.seed = 3, .width = 8, .height = 8}; /* the car stands still */
  StxScene *scene = stx_scene_new(&params, NULL);
  StxSceneLidar lidar = stx_scan_exact(8, 500);
  lidar.top = -10;
  lidar.noise = .02;
  lidar.range_max = 5; /* the road around the car only */
  StxTurn a = stx_scan_turn(scene, &lidar);
  stx_scene_move(scene, 1);
  StxTurn b = stx_scan_turn(scene, &lidar);
  size_t same = 0;
  ck_assert_uint_eq(a.count, b.count);
  for (size_t i = 0; i < a.count; i++)
    same += memcmp(a.points[i], b.points[i], 12) == 0;
  ck_assert_uint_lt(same, a.count / 50);
  stx_scan_free(&a);
  stx_scan_free(&b);
  stx_scene_free(scene);
}
END_TEST

START_TEST(lost_returns_have_the_share_asked_for)
{
  StxScene *scene = stx_scan_street(6, 0);
  StxSceneLidar lidar = stx_scan_exact(64, 500);
  StxTurn all = stx_scan_turn(scene, &lidar);
  lidar.dropout = .3;
  StxTurn some = stx_scan_turn(scene, &lidar);
  lidar.dropout = 1;
  StxTurn none = stx_scan_turn(scene, &lidar);
  ck_assert_double_eq_tol((double)some.count / (double)all.count, .7, .012);
  ck_assert_uint_eq(none.count, 0);
  size_t k = 0; /* what is left is what was there, in the same order */
  for (size_t i = 0; i < all.count && k < some.count; i++)
    k += memcmp(all.points[i], some.points[k], sizeof(StxPoint)) == 0 &&
         all.labels[i] == some.labels[k];
  ck_assert_uint_eq(k, some.count);
  stx_scan_free(&all);
  stx_scan_free(&some);
  stx_scan_free(&none);
  stx_scene_free(scene);
}
END_TEST

/* ---- The same bytes ------------------------------------------------------------------------- */

START_TEST(threads_do_not_matter)
{
  StxSceneLidar lidar = stx_scene_lidar(32);
  lidar.steps = 333;
  for (int threads = 2; threads <= 7; threads += 5) {
    StxScene *one = stx_scan_street(8, 1), *many = stx_scan_street(8, threads);
    StxTurn a = stx_scan_turn(one, &lidar), b = stx_scan_turn(many, &lidar);
    char what[40];
    snprintf(what, sizeof what, "%d threads", threads);
    expect_same_turn(&a, &b, what);
    stx_scan_free(&a);
    stx_scan_free(&b);
    stx_scene_free(one);
    stx_scene_free(many);
  }
}
END_TEST

/* Two calls, one for each, give what belongs together. */
START_TEST(points_and_labels_come_alone_too)
{
  StxScene *scene = stx_scan_street(9, 0);
  StxSceneLidar lidar = stx_scene_lidar(16);
  lidar.steps = 500;
  lidar.dropout = .2;
  StxTurn both = stx_scan_turn(scene, &lidar), alone = stx_scan_turn(scene, &lidar);
  memset(alone.points, 0, stx_scan_room(&lidar) * sizeof(StxPoint));
  memset(alone.labels, 0, stx_scan_room(&lidar) * 4);
  alone.count = stx_scene_scan(scene, &lidar, alone.points, NULL);
  ck_assert_uint_eq(stx_scene_scan(scene, &lidar, NULL, alone.labels), alone.count);
  expect_same_turn(&both, &alone, "one by one");
  ck_assert_uint_eq(stx_scene_scan(scene, &lidar, NULL, NULL), 0);
  stx_scan_free(&both);
  stx_scan_free(&alone);
  stx_scene_free(scene);
}
END_TEST

/* Scans and pictures share tables; neither may disturb the other. */
START_TEST(scans_and_pictures_come_in_any_order)
{
  StxScene *scene = stx_scan_street(5, 0), *fresh = stx_scan_street(5, 0);
  StxImage16 before = stx_test_image16(40, 12, 0), after = stx_test_image16(40, 12, 0);
  StxSceneLidar lidar = stx_scene_lidar(16);
  lidar.steps = 300;
  stx_scene_move(scene, 11);
  stx_scene_truth(scene, &before, NULL);
  StxTurn a = stx_scan_turn(scene, &lidar);
  stx_scene_truth(scene, &after, NULL);
  stx_expect_same_image16(&before, &after, "picture after a scan");
  stx_scene_move(fresh, 400);
  stx_scene_move(fresh, 11);
  StxTurn b = stx_scan_turn(fresh, &lidar);
  expect_same_turn(&a, &b, "frame 11 after others");
  stx_test_image16_free(&before);
  stx_test_image16_free(&after);
  stx_scan_free(&a);
  stx_scan_free(&b);
  stx_scene_free(scene);
  stx_scene_free(fresh);
}
END_TEST

/* The literal was made on x86-64 (GCC 12, -O2) and must come out of every machine. A deliberate
 * change of the street or of the sensor changes it. */
START_TEST(every_machine_scans_the_same)
{
  StxScene *scene = stx_scan_street(7, 0);
  StxSceneLidar lidar = stx_scene_lidar(64);
  lidar.steps = 250;
  lidar.roll = 2 * DEGREE;
  lidar.pitch = -3 * DEGREE;
  stx_scene_move(scene, 3);
  StxTurn turn = stx_scan_turn(scene, &lidar);
  uint64_t hash = stx_hash(STX_HASH_BEGIN, turn.points, turn.count * sizeof(StxPoint));
  hash = stx_hash(hash, turn.labels, turn.count * 4);
  ck_assert_msg(hash == LITERAL_HASH, "hash is 0x%016llx", (unsigned long long)hash);
  stx_scan_free(&turn);
  stx_scene_free(scene);
}
END_TEST

/* ---- Limits --------------------------------------------------------------------------------- */

START_TEST(the_largest_sensor_works)
{
  StxScene *scene = stx_scan_street(2, 0);
  StxSceneLidar lidar = stx_scene_lidar(STX_SCENE_MAX_BEAMS);
  lidar.steps = STX_SCENE_MAX_STEPS;
  stx_scene_move(scene, 1000000000);
  StxTurn turn = stx_scan_turn(scene, &lidar);
  ck_assert_uint_gt(turn.count, stx_scan_room(&lidar) / 2);
  stx_scan_free(&turn);
  stx_scene_free(scene);
}
END_TEST

static void expect_refusal(StxSceneLidar lidar, const char *culprit, const char *value)
{
  StxError error = {""};
  ck_assert(!stx_scene_lidar_check(&lidar, &error));
  ck_assert_msg(strstr(error.text, culprit) != NULL && strstr(error.text, value) != NULL,
      "'%s' should name %s and %s", error.text, culprit, value);
}

START_TEST(bad_sensors_are_named)
{
  const StxSceneLidar good = stx_scene_lidar(16);
  StxSceneLidar p = good;
#define REFUSE(field, bad, culprit, value)                                                         \
  p = good;                                                                                        \
  p.field = bad;                                                                                   \
  expect_refusal(p, culprit, value)
  REFUSE(beams, 0, "beams", "0");
  REFUSE(beams, 129, "beams", "129");
  REFUSE(steps, 0, "steps", "0");
  REFUSE(steps, 8193, "steps", "8193");
  REFUSE(top, 91, "top", "91");
  REFUSE(top, -15, "top", "-15");
  REFUSE(bottom, -91, "bottom", "-91");
  REFUSE(height, .1, "height", "0.1");
  REFUSE(range_min, -1, "least range", "-1");
  REFUSE(range_max, 501, "greatest range", "501");
  REFUSE(range_max, .5, "least range", "0.5");
  REFUSE(noise, 2, "noise", "2");
  REFUSE(dropout, NAN, "dropout", "nan");
  REFUSE(roll, 46, "roll", "46");
  REFUSE(pitch, -46, "pitch", "-46");
  for (int beams = 1; beams <= STX_SCENE_MAX_BEAMS; beams++) {
    StxSceneLidar usual = stx_scene_lidar(beams);
    ck_assert(stx_scene_lidar_check(&usual, NULL));
  }
}
END_TEST

static const StxTest tests[] = {
    {&noise_moves_points_along_their_rays},
    {&noise_differs_from_frame_to_frame},
    {&lost_returns_have_the_share_asked_for},
    {&threads_do_not_matter},
    {&points_and_labels_come_alone_too},
    {&scans_and_pictures_come_in_any_order},
    {&every_machine_scans_the_same},
    {&the_largest_sensor_works},
    {&bad_sensors_are_named},
};
STX_TESTING_MAIN("scene_scan", tests)
