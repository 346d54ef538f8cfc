/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Motions of points that were made with one, some of them wrong. */
#include "common/egomotion/egomotion_private.h"
#include "tests/common/oracle.h"
#include "tests/testing.h"

#include <math.h>
#include <string.h>

#define COUNT 300

static const EgoCamera camera = {700, 600, 180, 380};

static double random_between(StxRandom *random, double low, double high)
{
  return low + (high - low) * (stx_random(random) / 4294967296.0);
}

/* A turn of up to .05 rad about each axis, and up to 2 m ahead. */
static EgoPose random_pose(StxRandom *random)
{
  EgoPose pose = ego_still();
  double a = random_between(random, -.05, .05), b = random_between(random, -.05, .05);
  const double turn[9] = {cos(b), 0, sin(b), sin(a) * sin(b), cos(a), -sin(a) * cos(b),
      -cos(a) * sin(b), sin(a), cos(a) * cos(b)};
  memcpy(pose.r, turn, sizeof turn);
  pose.t[0] = random_between(random, -.2, .2);
  pose.t[1] = random_between(random, -.05, .05);
  pose.t[2] = random_between(random, -2, .5);
  return pose;
}

/* Points 4 to 60 m ahead; `noise` in pixels, and a share of them anywhere. */
static void make_points(
    StxRandom *random, const EgoPose *pose, double noise, double wrong, EgoPoint points[COUNT])
{
  for (int i = 0; i < COUNT; i++) {
    EgoPoint *p = &points[i];
    double seen[3] = {0}, d = camera.scale / random_between(random, 4, 60);
    p->p[2] = camera.scale / d;
    p->p[0] = random_between(random, -500, 500) * p->p[2] / camera.focal;
    p->p[1] = random_between(random, -150, 150) * p->p[2] / camera.focal;
    p->before = d;
    ck_assert(ego_project(&camera, pose, p->p, seen));
    p->u = seen[0] + random_between(random, -noise, noise);
    p->v = seen[1] + random_between(random, -noise, noise);
    p->d = i % 4 == 0 ? -1 : seen[2] + random_between(random, -noise, noise);
    p->spread = .3;
    if (random_between(random, 0, 1) < wrong) {
      p->u += random_between(random, 5, 60);
      p->v += random_between(random, -20, 20);
    }
  }
}

static const EgoImpl *best(void)
{
  return stx_impl_pick(&stx_egomotion_impls, STX_BACKEND_AUTO);
}

static double largest_difference(const EgoPose *a, const EgoPose *b)
{
  double most = 0;
  for (int i = 0; i < 9; i++)
    most = fmax(most, fabs(a->r[i] - b->r[i]));
  for (int i = 0; i < 3; i++)
    most = fmax(most, fabs(a->t[i] - b->t[i]));
  return most;
}

static void find(StxRandom *random, double noise, double wrong, double tolerance)
{
  EgoPose pose = random_pose(random), found = ego_still();
  EgoPoint points[COUNT];
  double deviation[6];
  EgoBend bend;
  ego_bend_begin(&bend);
  make_points(random, &pose, noise, wrong, points);
  int votes = ego_ransac(&camera, points, COUNT, &found);
  ck_assert_int_gt(votes, COUNT * (1 - wrong) * .6);
  int agree = ego_refine(best(), &camera, points, COUNT, 2, &found, &bend, deviation);
  ck_assert_int_gt(agree, COUNT * (1 - wrong) * .8);
  ck_assert_int_lt(agree, COUNT * (1 - wrong) + COUNT * .08);
  ck_assert_msg(largest_difference(&pose, &found) < tolerance, "off by %g",
      largest_difference(&pose, &found));
}

STX_TEST(exact_points_give_the_exact_motion)
{
  for (uint64_t seed = 0; seed < 20; seed++)
    find(&(StxRandom){seed}, 0, 0, 1e-6);
}

STX_TEST(half_of_them_wrong_do_no_harm)
{
  for (uint64_t seed = 0; seed < 20; seed++)
    find(&(StxRandom){seed}, 0, .5, 2e-3);
}

STX_TEST(noise_averages_out)
{
  for (uint64_t seed = 0; seed < 20; seed++)
    find(&(StxRandom){seed}, .3, .2, .02);
}

/* The deviation is about as large as the error: less than three of them off. */
STX_TEST(deviations_tell_of_the_error)
{
  int beyond = 0;
  for (uint64_t seed = 0; seed < 40; seed++) {
    StxRandom random = {seed};
    EgoPose pose = random_pose(&random), found = pose;
    EgoPoint points[COUNT];
    double deviation[6];
    EgoBend bend;
    ego_bend_begin(&bend);
    make_points(&random, &pose, .5, 0, points);
    ego_refine(best(), &camera, points, COUNT, 2, &found, &bend, deviation);
    for (int i = 0; i < 3; i++) {
      beyond += fabs(pose.t[i] - found.t[i]) > 3 * deviation[3 + i];
      ck_assert(deviation[i] > 0 && deviation[i] < .01 && deviation[3 + i] < .1);
    }
  }
  ck_assert_int_le(beyond, 1);
}

/* A rotation stays one, and what is no motion at all is not made one. */
STX_TEST(nothing_is_made_of_too_little)
{
  StxRandom random = {5};
  EgoPose pose = random_pose(&random), found = pose;
  EgoPoint points[COUNT];
  double deviation[6], sum = 0;
  EgoBend bend;
  ego_bend_begin(&bend);
  make_points(&random, &pose, .3, .3, points);
  ck_assert_int_eq(ego_ransac(&camera, points, 2, &found), 0);
  ck_assert_int_eq(ego_refine(best(), &camera, points, 0, 1, &found, &bend, deviation), 0);
  ck_assert_int_eq(ego_refine(best(), &camera, points, 1, 1, &found, &bend, deviation), 0);
  found = ego_still();
  ego_ransac(&camera, points, COUNT, &found);
  ego_refine(best(), &camera, points, COUNT, 2, &found, &bend, deviation);
  for (int i = 0; i < 9; i++)
    sum += found.r[i] * found.r[i];
  ck_assert(fabs(sum - 3) < 1e-9);
}

STX_TEST(what_is_behind_the_camera_is_not_seen)
{
  EgoPose pose = ego_still();
  double seen[3];
  pose.t[2] = -5;
  ck_assert(!ego_project(&camera, &pose, (double[3]){0, 0, 5}, seen));
  ck_assert(!ego_project(&camera, &pose, (double[3]){0, 0, NAN}, seen));
  ck_assert(ego_project(&camera, &pose, (double[3]){1, 2, 15}, seen));
  ck_assert_double_eq_tol(seen[0], 670, 1e-9);
  ck_assert_double_eq_tol(seen[1], 320, 1e-9);
  ck_assert_double_eq_tol(seen[2], 38, 1e-9);
}

/* ---- Equations ------------------------------------------------------------------------------- */

static EgoEquations equations(const EgoImpl *impl, const EgoFit *fit, int first, int end)
{
  EgoEquations sums;
  impl->equations(fit, first, end, &sums);
  return sums;
}

static void expect_same_equations(const EgoFit *fit, int first, int end)
{
  const EgoImpl *reference = oracle(&stx_egomotion_impls);
  const EgoEquations expected = equations(reference, fit, first, end);
  STX_EACH_IMPL (EgoImpl, impl, &stx_egomotion_impls) {
    const EgoEquations found = equations(impl, fit, first, end);
    stx_expect_same(&expected, &found, offsetof(EgoEquations, agree), impl->info.name);
    ck_assert_int_eq(expected.agree, found.agree);
  }
}

/* Also of points without a disparity, behind the camera, nearer than the offset allows; of any
 * number of them. */
STX_TEST(all_implementations_have_the_same_equations)
{
  for (uint64_t seed = 0; seed < (uint64_t)stx_rounds(100); seed++) {
    StxRandom random = {seed};
    EgoPoint points[COUNT];
    EgoFit fit = {&camera, points, COUNT, random_pose(&random), {.3, -.2, .1}};
    make_points(&random, &fit.pose, .3, .2, points);
    for (int i = 0; i < COUNT; i += 1 + stx_random_below(&random, 20)) {
      points[i].d = -1;
      points[(i + 3) % COUNT].p[2] *= -1;
      points[(i + 5) % COUNT].before = random_between(&random, 0, 1);
    }
    const int first = stx_random_below(&random, COUNT);
    const int count = stx_random_below(&random, COUNT - first < 70 ? COUNT - first : 70);
    expect_same_equations(&fit, first, first + count);
  }
}

/* One point, by hand: it goes straight on to where the camera is expected, but for a pixel. */
STX_TEST(a_point_that_is_off_has_an_equation)
{
  EgoPoint point = {.p = {0, 0, 10}, .spread = .25, .d = -1};
  EgoFit fit = {&camera, &point, 1, ego_still(), {0}};
  point.before = camera.scale / 10;
  point.u = camera.cx + 1;
  point.v = camera.cy;
  STX_EACH_IMPL (EgoImpl, impl, &stx_egomotion_impls) {
    const EgoEquations sums = equations(impl, &fit, 0, 1);
    const double weight = 4. / 20 * 4 / 20, slope = camera.focal / 10 / .25; /* error: 4 */
    ck_assert_double_eq_tol(sums.error, weight * 16, 1e-9);
    ck_assert_double_eq_tol(sums.weight, weight * 2, 1e-9);
    ck_assert_double_eq_tol(sums.b[3], weight * slope * 4, 1e-9);
    ck_assert_double_eq_tol(sums.a[3][3], weight * slope * slope, 1e-9);
    ck_assert_int_eq(sums.agree, 0);
  }
}
