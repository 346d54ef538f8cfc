/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pair_drift: known angles from exact matches and from pictures, what cannot be known, and knocks.
 */
#include "common/pair/pair_drift.h"
#include "common/rotation.h"
#include "common/scene/scene.h"
#include "tests/testing.h"

#include <math.h>
#include <string.h>

#define DEGREES (3.14159265358979323846 / 180)
#define F 700.0
#define WIDTH 1240
#define HEIGHT 376

/* ---- Matches --------------------------------------------------------------------------------- */

/* Where the right camera, which is turned and longer by so much, shows the point that the left one
 * shows at (x, y), and which would have the disparity d. */
static StxPairMatch match_of(const StxRectifyTurn *turn, double x, double y, double d)
{
  double rotation[9], back[9], seen[3];
  const double ray[3] = {(x - d - WIDTH / 2) / F, (y - HEIGHT / 2) / F, 1};

  stx_rotation_from_vector(turn->angle, rotation);
  stx_matrix_transpose(rotation, back);
  stx_matrix_apply(back, ray, seen);
  double focal = F * (1 + turn->ratio);
  return (StxPairMatch){x, y, x - (focal * seen[0] / seen[2] + WIDTH / 2),
      focal * seen[1] / seen[2] + HEIGHT / 2 - y};
}

/* Points everywhere, of disparities from 2 to 60, or all of the one `wall`; `wrong` of 10 lie
 * anywhere. */
static StxDriftPair pair_of(const StxRectifyTurn *turn, double wall, int wrong)
{
  StxDriftPair pair = {.finding = {.verdict = STX_PAIR_PLAUSIBLE, .width = WIDTH, .height = HEIGHT},
      .fx = F,
      .fy = F,
      .cx = WIDTH / 2,
      .cy = HEIGHT / 2,
      .count = 100};
  StxRandom random = {5};

  for (int i = 0; i < pair.count; i++) {
    double x = stx_random_below(&random, WIDTH), y = stx_random_below(&random, HEIGHT);
    double d = wall > 0 ? wall : 2 + stx_random_below(&random, 59);

    pair.matches[i] = match_of(turn, x, y, d);
    if (i % 10 < wrong)
      pair.matches[i].rows += 3 + stx_random_below(&random, 20);
    pair.finding.evidence.fitted++;
    pair.finding.evidence.matched++;
  }
  /* The shift by which most lie, as pair.h has it. */
  pair.finding.evidence.model.shift = (int)lround(F * turn->angle[STX_DRIFT_PITCH]);
  pair.finding.evidence.model.lean = (int)lround(-turn->angle[STX_DRIFT_ROLL] * WIDTH / 2);
  return pair;
}

static void expect_near(double value, double expected, double tolerance)
{
  ck_assert_msg(fabs(value - expected) <= tolerance, "%g, not %g", value, expected);
}

/* ---- What is known --------------------------------------------------------------------------- */

STX_TEST(angles_are_found_also_among_wrong_matches)
{
  const StxRectifyTurn turn = {{.4 * DEGREES, -.1 * DEGREES, -.3 * DEGREES}, .004};

  for (int wrong = 0; wrong <= 2; wrong++) {
    const StxDriftPair pair = pair_of(&turn, 0, wrong);
    StxDrift drift = {0};

    for (int i = 0; i < 6; i++)
      ck_assert(stx_drift_update(&drift, &pair, .25));
    for (int i = 0; i < 3; i++)
      expect_near(drift.state[i], turn.angle[i], .02 * DEGREES);
    expect_near(drift.state[STX_DRIFT_RATIO], turn.ratio, .0005);
    ck_assert_int_ge(drift.agreeing, 100 - 10 * wrong - 2);
  }
}

/* A pair that was corrected is level, and still the camera has drifted. */
STX_TEST(corrections_count_as_drift)
{
  const StxRectifyTurn turn = {{.3 * DEGREES, 0, .2 * DEGREES}, 0}, none = {{0}, 0};
  StxDriftPair pair = pair_of(&none, 0, 0);
  StxDrift drift = {0};

  pair.applied = turn;
  for (int i = 0; i < 6; i++)
    ck_assert(stx_drift_update(&drift, &pair, .25));
  expect_near(drift.state[STX_DRIFT_PITCH], turn.angle[0], .01 * DEGREES);
  expect_near(drift.state[STX_DRIFT_ROLL], turn.angle[2], .01 * DEGREES);
}

STX_TEST(a_right_calibration_is_left_alone)
{
  const StxRectifyTurn none = {{0}, 0}, small = {{.03 * DEGREES, 0, .03 * DEGREES}, .001};
  const StxRectifyTurn *turns[] = {&none, &small};

  for (int k = 0; k < 2; k++) {
    const StxDriftPair pair = pair_of(turns[k], 0, 1);
    StxDrift drift = {0};

    for (int i = 0; i < 50; i++) {
      stx_drift_update(&drift, &pair, .25);
      StxRectifyTurn target = stx_drift_target(&drift, &pair);
      ck_assert(memcmp(&target, &none, sizeof none) == 0);
    }
  }
}

/* ---- What is not ----------------------------------------------------------------------------- */

/* Before a wall a baseline that is tilted looks like a pitch, and one that points ahead like
 * another focal length. */
STX_TEST(a_wall_leaves_them_uncertain)
{
  const StxRectifyTurn turn = {{0, 0, 0}, .006};
  const StxDriftPair wall = pair_of(&turn, 60, 0), street = pair_of(&turn, 0, 0);
  StxDrift drift = {0}, sure = {0};

  for (int i = 0; i < 40; i++) {
    stx_drift_update(&drift, &wall, .25);
    stx_drift_update(&sure, &street, .25);
  }
  for (int i = 0; i < STX_DRIFT_TERMS; i += STX_DRIFT_RATIO)
    ck_assert(drift.covariance[i][i] > 25 * sure.covariance[i][i]);
  ck_assert(stx_drift_target(&drift, &wall).ratio == 0);
  ck_assert(stx_drift_target(&sure, &street).ratio > .005);
}

STX_TEST(pairs_without_evidence_change_nothing)
{
  const StxRectifyTurn turn = {{.3 * DEGREES, 0, 0}, 0}, other = {{-.5 * DEGREES, 0, 0}, 0};
  const StxPairVerdict bad[] = {
      STX_PAIR_SWAPPED, STX_PAIR_DARK_LEFT, STX_PAIR_DARK_RIGHT, STX_PAIR_SAME};
  const StxDriftPair pair = pair_of(&turn, 0, 0);
  StxDriftPair poor = pair_of(&other, 0, 0);
  StxDrift drift = {0};

  for (int i = 0; i < 4; i++)
    stx_drift_update(&drift, &pair, .25);
  StxDrift before = drift;
  for (int i = 0; i < 4; i++) {
    poor.finding.verdict = bad[i];
    ck_assert(!stx_drift_update(&drift, &poor, 0));
  }
  poor.finding.verdict = STX_PAIR_ROWS;
  poor.count = 19;
  ck_assert(!stx_drift_update(&drift, &poor, 0));
  poor = pair_of(&turn, 0, 5); /* half of them lie anywhere */
  ck_assert(!stx_drift_update(&drift, &poor, 0));
  ck_assert(memcmp(before.state, drift.state, sizeof drift.state) == 0);
  ck_assert(memcmp(before.covariance, drift.covariance, sizeof drift.covariance) == 0);
}

/* The right picture was taken later, and the camera moved ahead by a fifth of its baseline. */
STX_TEST(two_moments_are_no_drift)
{
  const StxRectifyTurn none = {{0}, 0};
  StxDriftPair pair = pair_of(&none, 0, 0);
  StxDrift drift = {0};

  for (int i = 0; i < pair.count; i++)
    pair.matches[i].rows += .2 * pair.matches[i].disparity * (pair.matches[i].y - HEIGHT / 2) / F;
  for (int i = 0; i < 40; i++)
    stx_drift_update(&drift, &pair, .25);
  expect_near(drift.state[STX_DRIFT_ADVANCE], .2, .02);
  StxRectifyTurn target = stx_drift_target(&drift, &pair);
  ck_assert(memcmp(&target, &none, sizeof none) == 0);
}

/* ---- Over time ------------------------------------------------------------------------------- */

/* Far from what was believed, and so near that most matches lie about where they should. */
STX_TEST_LOOP(a_knock_is_followed_after_three_pairs, 5)
{
  static const double knocks[][2] = {{.6, 0}, {0, .2}, {.09, .2}, {.03, .24}, {.06, .24}};
  const double *knock = knocks[_i];
  const StxRectifyTurn before = {{.1 * DEGREES, 0, 0}, 0};
  const StxRectifyTurn after = {{(.1 - knock[0]) * DEGREES, 0, knock[1] * DEGREES}, 0};
  const StxDriftPair first = pair_of(&before, 0, 1), second = pair_of(&after, 0, 1);
  StxDrift drift = {0};

  for (int i = 0; i < 40; i++)
    stx_drift_update(&drift, &first, .25);
  for (int i = 0; i < 2; i++)
    ck_assert(!stx_drift_update(&drift, &second, .25));
  ck_assert(_i > 0 || fabs(drift.state[STX_DRIFT_PITCH] - before.angle[0]) < .01 * DEGREES);
  for (int i = 0; i < 4; i++)
    stx_drift_update(&drift, &second, .25);
  ck_assert_int_ge(drift.agreeing, 85);
  expect_near(drift.state[STX_DRIFT_PITCH], after.angle[0], .02 * DEGREES);
}

STX_TEST(steps_are_small_and_targets_bounded)
{
  const StxRectifyTurn turn = {{1.3 * DEGREES, .2 * DEGREES, -1.2 * DEGREES}, 0};
  StxDriftPair pair = pair_of(&turn, 0, 0);
  StxDrift drift = {0};
  StxRectifyTurn now = {{0}, 0}, target;
  int steps = 0;

  ck_assert(!stx_drift_step(&(StxDriftPair){0}, &now, &now)); /* nothing is known yet */
  for (int i = 0; i < 20; i++)
    stx_drift_update(&drift, &pair, .25);
  target = stx_drift_target(&drift, &pair);
  expect_near(target.angle[STX_DRIFT_PITCH], 1 * DEGREES, 1e-9);
  expect_near(target.angle[STX_DRIFT_ROLL], -1 * DEGREES, 1e-9);
  ck_assert(target.angle[STX_DRIFT_YAW] == 0);
  for (StxRectifyTurn last = now; stx_drift_step(&pair, &target, &now); last = now, steps++) {
    StxPairMatch a = match_of(&last, 1, 1, 0), b = match_of(&now, 1, 1, 0);
    ck_assert(hypot(b.rows - a.rows, b.disparity - a.disparity) <= STX_DRIFT_STEP + 1e-6);
    ck_assert_int_lt(steps, 400);
  }
  ck_assert_int_gt(steps, 200); /* 12 px of pitch and 11 px of roll */
}

/* ---- Pictures -------------------------------------------------------------------------------- */

typedef struct {
  StxScene *scene;
  StxImage8 left, straight, right;
  void *map, *scratch;
  StxRectifyView view;
} Rig;

static Rig new_rig(void)
{
  StxSceneParams params = STX_SCENE_DEFAULTS;
  Rig rig = {.left = stx_test_image8(WIDTH / 2, HEIGHT / 2, 0),
      .straight = stx_test_image8(WIDTH / 2, HEIGHT / 2, 0),
      .right = stx_test_image8(WIDTH / 2, HEIGHT / 2, 0)};
  StxError error;

  params.width = WIDTH / 2;
  params.height = HEIGHT / 2;
  rig.scene = stx_scene_new(&params, &error);
  ck_assert_msg(rig.scene != NULL, "%s", error.text);
  StxCamera camera = stx_scene_params(rig.scene)->camera;
  if (camera.focal == 0)
    camera = stx_scene_camera(params.width, params.height);
  rig.view = (StxRectifyView){{camera.focal, camera.focal, camera.cx, camera.cy, 0, {0}},
      params.width, params.height, {1, 0, 0, 0, 1, 0, 0, 0, 1}, camera.focal, camera.focal,
      camera.cx, camera.cy, params.width, params.height, 1};
  rig.map = stx_guarded_alloc(stx_rectify_map_bytes(&rig.view, 0, 0));
  rig.scratch = stx_guarded_alloc(stx_pair_scratch(params.width, params.height));
  return rig;
}

static void free_rig(Rig *rig)
{
  stx_scene_free(rig->scene);
  stx_test_image8_free(&rig->left);
  stx_test_image8_free(&rig->straight);
  stx_test_image8_free(&rig->right);
  stx_guarded_free(rig->map);
  stx_guarded_free(rig->scratch);
}

STX_AUTO_VALUE(Rig, free_rig)

/* The pair of a frame whose right camera is turned by `turn`, of which `applied` was corrected. */
static void take_pair(Rig *rig, uint64_t frame, const StxRectifyTurn *turn,
    const StxRectifyTurn *applied, StxDriftPair *pair)
{
  const StxRectifyImpl *impl = stx_impl_pick(&stx_rectify_impls, STX_BACKEND_AUTO);
  const StxRectifyTurn back = {{-turn->angle[0], -turn->angle[1], -turn->angle[2]}, 0};
  StxRectifyView turned = stx_rectify_turned(&rig->view, &back);
  StxRectifyView view = stx_rectify_turned(&turned, applied);
  StxRectifyMap map = stx_rectify_map_in(&view, 0, 0, rig->map);

  stx_scene_move(rig->scene, frame);
  stx_scene_render(rig->scene, STX_SCENE_LEFT, 1, &rig->left);
  stx_scene_render(rig->scene, STX_SCENE_RIGHT, 1, &rig->straight);
  stx_rectify_map_refill(&view, 0, 0, rig->map, 1);
  impl->run(&map, &(StxRectifySample){1, {0}}, &rig->straight, &rig->right,
      &(StxPlace){.threads = 1}, NULL);
  stx_pair_examine(128, &rig->left, &rig->right, rig->scratch, &pair->finding);
  pair->count = stx_pair_matches(rig->scratch, pair->matches);
  pair->applied = *applied;
  pair->fx = pair->fy = view.fx;
  pair->cx = view.cx;
  pair->cy = view.cy;
}

/* Half a degree in a minute, of a street on which the rig drives, seen once a second. */
STX_TEST(a_rig_that_drifts_stays_level)
{
  STX_AUTO(Rig) rig = new_rig();
  StxDrift drift = {0};
  StxDriftPair pair;
  StxRectifyTurn applied = {{0}, 0};
  int pairs = stx_test_small() ? 6 : 60;

  for (int i = 0; i < pairs; i++) {
    double share = i / 60.0;
    StxRectifyTurn turn = {{.5 * DEGREES * share, 0, -.5 * DEGREES * share}, 0};

    take_pair(&rig, (uint64_t)i, &turn, &applied, &pair);
    stx_drift_update(&drift, &pair, 1);
    StxRectifyTurn target = stx_drift_target(&drift, &pair);
    for (int k = 0; k < 30; k++) /* frames until the next */
      stx_drift_step(&pair, &target, &applied);
    turn.angle[STX_DRIFT_PITCH] -= applied.angle[STX_DRIFT_PITCH];
    turn.angle[STX_DRIFT_ROLL] -= applied.angle[STX_DRIFT_ROLL];
    ck_assert_msg(
        stx_drift_reach(&pair, &turn) < 2.2, "%g px at %d", stx_drift_reach(&pair, &turn), i);
    ck_assert_msg(i < 40 || stx_drift_reach(&pair, &turn) < .7, "%g px at %d",
        stx_drift_reach(&pair, &turn), i);
  }
}

STX_TEST(a_covered_camera_keeps_what_was_learnt)
{
  STX_AUTO(Rig) rig = new_rig();
  StxDrift drift = {0};
  StxDriftPair pair;
  const StxRectifyTurn turn = {{.4 * DEGREES, 0, 0}, 0}, none = {{0}, 0};

  for (int i = 0; i < 8; i++) {
    take_pair(&rig, (uint64_t)i, &turn, &none, &pair);
    stx_drift_update(&drift, &pair, .25);
  }
  StxRectifyTurn target = stx_drift_target(&drift, &pair);
  expect_near(target.angle[STX_DRIFT_PITCH], .4 * DEGREES, .04 * DEGREES);
  memset(rig.right.data, 9, (size_t)(rig.right.stride * rig.right.height));
  stx_pair_examine(128, &rig.left, &rig.right, rig.scratch, &pair.finding);
  pair.count = stx_pair_matches(rig.scratch, pair.matches);
  pair.applied = target;
  ck_assert(!stx_drift_update(&drift, &pair, 600));
  ck_assert_int_eq(drift.verdict, STX_PAIR_DARK_RIGHT);
  StxRectifyTurn after = stx_drift_target(&drift, &pair);
  ck_assert(memcmp(&after, &target, sizeof after) == 0);
}
