/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Velocities over ground, with the camera's motion and with matched points, by literal scenes; and
 * what becomes of them when frames, times or the motion are not as they should be.
 */
#include "tests/common/obstacles/obstacles_case.h"

#include <math.h>
#include <string.h>

#define STEP .1    /* s */
#define SPEED 10.0 /* m/s of the camera */
#define FRAMES 16
#define POINTS 64

static const StxObstaclesParams defaults = STX_OBSTACLES_DEFAULTS;

/* A board of the street, in the first frame, and its velocity over ground; top 0 ends a list. Width
 * 0: as wide as a car. Its points go down with a speed of their own. */
typedef struct {
  double x, z, speed_x, speed_z, top, width, down;
} Mover;

static double width_of(const Mover *mover)
{
  return mover->width > 0 ? mover->width : 1.8;
}

static const Mover street[] = {
    {-4, 40, 0, 0, 1.5}, {0, 25, 0, SPEED, 1.5}, {4, 55, 0, -8, 1.5}, {0}};
enum { STANDS, LEADS, COMES };

typedef struct {
  StxObstacles *state;
  StxObstaclesFrame frame;
  StxMotion motion;
  StxMotionPoint points[POINTS];
  double turn;                  /* of the camera to the right, rad/s */
  double ahead, aside, heading; /* where it is */
  double seconds;
} Drive;

/* The camera's motion from a place to the next, straight or turning. */
static StxMotion motion_of(double turn, double ahead)
{
  double c = cos(turn), s = sin(turn);
  return (StxMotion){.state = STX_MOTION_KNOWN,
      .rotation = {c, 0, -s, 0, 1, 0, s, 0, c},
      .translation = {s * ahead, 0, -c * ahead}};
}

/* The position from the camera of a place of the first frame. */
static void see(const Drive *drive, double x, double z, double *at)
{
  double c = cos(drive->heading), s = sin(drive->heading);
  x -= drive->aside;
  z -= drive->ahead;
  at[0] = c * x - s * z;
  at[1] = s * x + c * z;
}

static const StxObstacle *found_near(const StxObstaclesResult *result, double x, double z)
{
  const StxObstacle *best = NULL;
  double least = 2;
  for (size_t i = 0; i < result->count; i++) {
    const StxObstacle *o = &result->obstacles[i];
    double off = hypot((double)o->x - x, (double)o->z - z);
    best = off < least ? o : best;
    least = fmin(least, off);
  }
  ck_assert_ptr_nonnull(best);
  return best;
}

/* Goes on by a step, if `seconds` of it, and makes the frame there. */
static void make_frame(Drive *drive, const Mover *movers, double seconds)
{
  Board boards[8] = {{0}};
  StxCamera camera = board_camera();
  double turn = drive->turn * seconds, ahead = SPEED * seconds;
  drive->ahead += ahead * cos(drive->heading);
  drive->aside += ahead * sin(drive->heading);
  drive->heading += turn;
  drive->seconds += seconds;
  drive->motion = motion_of(turn, ahead);
  for (int i = 0; movers[i].top > 0; i++) {
    double at[2], half = width_of(&movers[i]) / 2;
    see(drive, movers[i].x + movers[i].speed_x * drive->seconds,
        movers[i].z + movers[i].speed_z * drive->seconds, at);
    boards[i] = (Board){at[1], at[0] - half, at[0] + half, 0, movers[i].top, STX_LABEL_NONE};
  }
  drive->frame =
      board_frame(&camera, boards, (uint64_t)llround((1 + drive->seconds) * (double)CASE_SECOND));
  drive->frame.motion = &drive->motion;
}

static void end_drive(Drive *drive)
{
  stx_obstacles_free(drive->state);
}
STX_AUTO_VALUE(Drive, end_drive)

static Drive begin(const Mover *movers)
{
  Drive drive = {.state = board_state(&defaults)};
  make_frame(&drive, movers, 0);
  drive.motion = (StxMotion){.state = STX_MOTION_FIRST};
  return drive;
}

/* Runs on a frame with the drive's motion, wherever the drive is in memory by now. */
static StxObstaclesResult look(Drive *drive)
{
  drive->frame.motion = &drive->motion;
  return board_run(drive->state, &drive->frame);
}

/* The frames up to the last of a drive through the street. */
static StxObstaclesResult drive_on(Drive *drive, const Mover *movers, int frames)
{
  StxObstaclesResult result = {0};
  for (int i = 0; i < frames; i++) {
    make_frame(drive, movers, STEP);
    result = look(drive);
  }
  return result;
}

static StxVelocity velocity_of(
    const Drive *drive, const StxObstaclesResult *result, const Mover *mover, StxObstacle *o)
{
  double at[2];
  see(drive, mover->x + mover->speed_x * drive->seconds, mover->z + mover->speed_z * drive->seconds,
      at);
  const StxObstacle *found = found_near(result, at[0], at[1]);
  ck_assert_ptr_nonnull(result->velocities);
  if (o != NULL)
    *o = *found;
  return result->velocities[found - result->obstacles];
}

/* ---- What is said --------------------------------------------------------------------------- */

STX_TEST(what_stands_moves_and_comes_is_told_apart)
{
  STX_AUTO(Drive) drive = begin(street);
  StxObstacle o;
  StxObstaclesResult first = look(&drive);
  for (size_t i = 0; i < first.count; i++) {
    ck_assert_int_eq(first.velocities[i].moves, STX_MOVES_UNKNOWN);
    ck_assert(isnan(first.velocities[i].x) && isnan(first.obstacles[i].closing_speed));
  }
  StxObstaclesResult result = drive_on(&drive, street, FRAMES);
  StxVelocity stands = velocity_of(&drive, &result, &street[STANDS], &o);
  ck_assert_int_eq(stands.moves, STX_MOVES_NOT);
  ck_assert_double_eq_tol((double)stands.z, 0, .05);
  ck_assert_double_eq_tol((double)o.closing_speed, SPEED, .05);
  ck_assert_double_eq_tol((double)stands.contact, (double)o.z / SPEED, .05);
  ck_assert_double_gt((double)stands.contact_deviation, 0);
  StxVelocity leads = velocity_of(&drive, &result, &street[LEADS], &o);
  ck_assert_int_eq(leads.moves, STX_MOVES_ON);
  ck_assert_double_eq_tol((double)leads.z, SPEED, .5);
  ck_assert_double_eq_tol((double)o.closing_speed, 0, .5);
  StxVelocity comes = velocity_of(&drive, &result, &street[COMES], &o);
  ck_assert_int_eq(comes.moves, STX_MOVES_ONCOMING);
  ck_assert_double_eq_tol((double)comes.z, -8, .5);
  ck_assert_double_eq_tol((double)o.closing_speed, SPEED + 8, .5);
}

/* .15 rad/s: 25 m ahead what stands goes aside by 3.75 m/s, and has no velocity. */
STX_TEST(a_turning_camera_gives_no_velocity_to_what_stands)
{
  static const Mover post[] = {{0, 30, 0, 0, 1.5}, {0}};
  STX_AUTO(Drive) drive = begin(post);
  StxObstacle o;
  look(&drive);
  drive.turn = .15;
  StxObstaclesResult result = drive_on(&drive, post, 6);
  StxVelocity v = velocity_of(&drive, &result, post, &o);
  ck_assert_int_eq(v.moves, STX_MOVES_NOT);
  ck_assert_double_eq_tol((double)v.x, 0, .1);
  ck_assert_double_eq_tol((double)o.lateral_speed, -.15 * (double)o.z, .2);
  ck_assert_uint_eq(o.age, 6);
}

/* Some points on a board, matched with where they were. */
static void match_some(Drive *drive, const Mover *mover, int count)
{
  StxCamera c = board_camera();
  double metre = c.focal * c.baseline, at[2];
  const double *r = drive->motion.rotation, *t = drive->motion.translation;
  see(drive, mover->x + mover->speed_x * drive->seconds, mover->z + mover->speed_z * drive->seconds,
      at);
  const double way[3] = {STEP * mover->speed_x, STEP * mover->down, STEP * mover->speed_z};
  for (int i = 0; i < count; i++) {
    double now[3] = {at[0] + width_of(mover) / 9 * (i % 8 - 3.5), .3 + .15 * (i / 8), at[1]};
    double before[3] = {0};
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < 3; j++)
        before[k] += r[3 * j + k] * (now[j] - t[j] - way[j]);
    drive->points[i] = (StxMotionPoint){.u = (float)(c.cx + c.focal * now[0] / now[2]),
        .v = (float)(c.cy + c.focal * now[1] / now[2]),
        .disparity = (float)(metre / now[2]),
        .before_u = (float)(c.cx + c.focal * before[0] / before[2]),
        .before_v = (float)(c.cy + c.focal * before[1] / before[2]),
        .before_disparity = (float)(metre / before[2])};
  }
  drive->frame.points = drive->points;
  drive->frame.point_count = (size_t)count;
}

static void match(Drive *drive, const Mover *mover)
{
  match_some(drive, mover, POINTS);
}

/* The velocity of the first of the movers after some frames, with so many points each. */
static StxVelocity velocity_with_points(const Mover *movers, int frames, int points)
{
  STX_AUTO(Drive) drive = begin(movers);
  StxObstaclesResult result = look(&drive);
  for (int i = 0; i < frames; i++) {
    make_frame(&drive, movers, STEP);
    match_some(&drive, movers, points);
    result = look(&drive);
  }
  StxVelocity v = velocity_of(&drive, &result, movers, NULL);
  return v;
}

/* Two points are enough. A walk of 1.3 m/s along the street, too, is many times the error of a
 * velocity: the part of it that goes across the line of sight. */
STX_TEST_LOOP(a_person_who_walks_is_soon_said_to_move, 3)
{
  static const Mover people[][2] = {{{4, 16, 0, 1.3, 1.7, .5}, {0}},
      {{4, 16, 0, -1.3, 1.7, .5}, {0}}, {{-3, 16, 1.3, 0, 1.7, .5}, {0}}};
  static const uint8_t moves[] = {STX_MOVES_ON, STX_MOVES_ONCOMING, STX_MOVES_ON};
  const Mover *person = people[_i];
  StxVelocity v = velocity_with_points(person, 4, 2);
  ck_assert_int_eq(v.moves, moves[_i]);
  ck_assert_double_eq_tol((double)v.x, person->speed_x, .3);
  ck_assert_double_eq_tol((double)v.z, person->speed_z, .3);
}

STX_TEST(a_person_who_stands_is_said_to_stand)
{
  static const Mover person[] = {{4, 16, 0, 0, 1.7, .5}, {0}};
  StxVelocity v = velocity_with_points(person, 4, 2);
  ck_assert_int_eq(v.moves, STX_MOVES_NOT);
  ck_assert_double_eq_tol((double)v.x, 0, .05);
  ck_assert_double_eq_tol((double)v.z, 0, .05);
}

/* Its road falls by 5 %: its points go down, and are not taken for nearer than they are. */
STX_TEST(a_car_on_a_slope_is_as_fast_as_on_a_level_road)
{
  static const Mover car[] = {{-4, 40, 0, -10, 1.5, 0, .5}, {0}};
  StxVelocity v = velocity_with_points(car, 10, POINTS);
  ck_assert_int_eq(v.moves, STX_MOVES_ONCOMING);
  ck_assert_double_eq_tol((double)v.x, 0, .1);
  ck_assert_double_eq_tol((double)v.z, -10, .3);
}

/* Places alone say that the second thing moves. They say less where there are points of anything,
 * for then its own would say it. */
STX_TEST_LOOP(places_say_less_where_there_are_points, 2)
{
  static const Mover both[] = {{6, 60, 0, 0, 1.5}, {-2, 25, 0, SPEED, 1.5}, {0}};
  STX_AUTO(Drive) drive = begin(both);
  StxObstaclesResult result = look(&drive);
  for (int i = 0; i < 8; i++) {
    make_frame(&drive, both, STEP);
    if (_i > 0)
      match_some(&drive, both, 2);
    result = look(&drive);
  }
  StxVelocity v = velocity_of(&drive, &result, &both[1], NULL);
  ck_assert_int_eq(v.moves, _i > 0 ? STX_MOVES_UNKNOWN : STX_MOVES_ON);
}

STX_TEST(matched_points_tell_velocities_of_obstacles_and_stixels_at_once)
{
  static const Mover crossing[] = {{-4, 14, 3, 0, 1.5}, {4, 20, 0, 0, 1.5}, {0}};
  STX_AUTO(Drive) drive = begin(crossing);
  StxObstacle o;
  look(&drive);
  StxObstaclesResult result = {0};
  for (int i = 0; i < 2; i++) {
    make_frame(&drive, crossing, STEP);
    match(&drive, crossing);
    result = look(&drive);
  }
  StxVelocity v = velocity_of(&drive, &result, crossing, &o);
  ck_assert_int_eq(v.moves, STX_MOVES_ON);
  ck_assert_double_eq_tol((double)v.x, 3, .3);
  ck_assert_double_eq_tol((double)v.z, 0, .3);
  size_t of_it = 0;
  ck_assert_uint_eq(result.stixels, drive.frame.count);
  for (size_t i = 0; i < result.stixels; i++) {
    const StxVelocity *s = &result.stixel_velocities[i];
    if (drive.frame.stixels[i].kind != STX_KIND_OBJECT) {
      ck_assert(isnan(s->x) && isnan(s->z) && isnan(s->deviation_x));
      ck_assert_int_eq(s->moves, STX_MOVES_UNKNOWN);
    } else if (drive.frame.stixels[i].column >= o.first_column &&
               drive.frame.stixels[i].column <= o.last_column) {
      ck_assert_double_eq_tol((double)s->x, 3, .5);
      ck_assert_int_eq(s->moves, STX_MOVES_ON);
      of_it++;
    } else {
      ck_assert_int_ne(s->moves, STX_MOVES_ON);
    }
  }
  ck_assert_uint_ge(of_it, 5);
}

/* Stixels without an obstacle near enough: of their own points, which last for some frames. */
STX_TEST(stixels_of_no_obstacle_have_velocities_too)
{
  static const Mover crossing[] = {{-4, 20, 3, 0, 1.5}, {0}};
  STX_AUTO(Drive) drive = begin(crossing);
  StxObstaclesParams near = defaults;
  near.max_distance = 10;
  ck_assert(stx_obstacles_prepare(drive.state, &near, CASE_RECORDS, CASE_COLUMNS, NULL));
  look(&drive);
  for (int frame = 0; frame < 5; frame++) {
    size_t said = 0;
    make_frame(&drive, crossing, STEP);
    if (frame < 3)
      match(&drive, crossing);
    StxObstaclesResult result = look(&drive);
    ck_assert_uint_eq(result.count, 0);
    for (size_t i = 0; i < result.stixels; i++)
      if (!isnan(result.stixel_velocities[i].x)) {
        ck_assert_double_eq_tol((double)result.stixel_velocities[i].x, 3, .5);
        said++;
      }
    ck_assert(frame < 1 || said >= 4);
  }
}

/* The motion is that of half the time, for a frame was lost in between. */
STX_TEST(a_motion_of_a_shorter_time_is_taken_to_go_on)
{
  STX_AUTO(Drive) drive = begin(street);
  look(&drive);
  drive_on(&drive, street, FRAMES);
  make_frame(&drive, street, 2 * STEP);
  drive.motion = motion_of(0, SPEED * STEP);
  drive.frame.interval = CASE_SECOND / 10;
  StxObstaclesResult result = look(&drive);
  StxObstacle o;
  StxVelocity v = velocity_of(&drive, &result, &street[STANDS], &o);
  ck_assert_uint_eq(o.age, FRAMES + 1);
  ck_assert_double_eq_tol((double)v.z, 0, .1);
  ck_assert_double_eq_tol((double)o.closing_speed, SPEED, .1);
}

/* ---- Given motion --------------------------------------------------------------------------- */

/* A drive whose frames bring no motion, or an unknown one; speed and yaw rate do. */
STX_TEST_LOOP(speed_and_yaw_rate_stand_in_for_a_motion, 2)
{
  STX_AUTO(Drive) drive = begin(street);
  StxObstaclesParams params = defaults;
  params.speed = SPEED;
  params.yaw_rate = .1;
  drive.turn = .1;
  ck_assert(stx_obstacles_prepare(drive.state, &params, CASE_RECORDS, CASE_COLUMNS, NULL));
  StxObstaclesResult result = {0};
  for (int i = 0; i < 10; i++) {
    make_frame(&drive, street, i > 0 ? STEP : 0);
    drive.motion = (StxMotion){.state = STX_MOTION_TOO_FEW};
    drive.frame.motion = _i == 0 ? NULL : &drive.motion;
    result = board_run(drive.state, &drive.frame);
    ck_assert(result.restarted == (i == 0));
    ck_assert_ptr_nonnull(result.velocities);
  }
  StxObstacle o;
  StxVelocity v = velocity_of(&drive, &result, &street[STANDS], &o);
  ck_assert_int_eq(v.moves, STX_MOVES_NOT);
  ck_assert_double_eq_tol((double)v.x, 0, .2);
  ck_assert_double_eq_tol((double)v.z, 0, .2);
  ck_assert_double_eq_tol((double)o.closing_speed, SPEED, 1);
}

/* A motion that is found counts; frames that repeat, times that go back and scenes that are cut are
 * what they are without it. */
STX_TEST(a_given_speed_is_no_better_than_what_is_seen)
{
  static const Mover other[] = {{-3, 12, 0, 0, 3}, {3, 9, 0, 0, 3}, {0}};
  STX_AUTO(Drive) drive = begin(street);
  StxObstaclesParams params = defaults;
  params.speed = 30; /* wrong */
  ck_assert(stx_obstacles_prepare(drive.state, &params, CASE_RECORDS, CASE_COLUMNS, NULL));
  look(&drive);
  StxObstaclesResult result = drive_on(&drive, street, FRAMES);
  StxVelocity v = velocity_of(&drive, &result, &street[STANDS], NULL);
  ck_assert_double_eq_tol((double)v.z, 0, .05);
  drive.frame.motion = NULL;
  drive.frame.time += CASE_SECOND / 10;
  result = board_run(drive.state, &drive.frame); /* the first without motion is another picture */
  drive.frame.time += CASE_SECOND / 10;
  result = board_run(drive.state, &drive.frame);
  ck_assert(!result.restarted);
  uint32_t last = result.obstacles[result.count - 1].id;
  drive.frame.time -= CASE_SECOND;
  result = board_run(drive.state, &drive.frame);
  ck_assert(result.restarted);
  ck_assert_uint_gt(result.obstacles[0].id, last);
  uint64_t time = drive.frame.time;
  drive.ahead = drive.seconds = 0;
  make_frame(&drive, other, 0);
  drive.frame.motion = NULL;
  drive.frame.time = time + CASE_SECOND / 10;
  result = board_run(drive.state, &drive.frame);
  ck_assert(result.restarted);
  for (size_t i = 0; i < result.count; i++)
    ck_assert(isnan(result.velocities[i].z) && isnan(result.obstacles[i].closing_speed));
}

/* ---- Bad input ------------------------------------------------------------------------------ */

/* After what was wrong: nothing has a false speed, and if `kept`, ids are those of before. */
static void expect_truth(Drive *drive, const StxObstaclesResult *result, uint32_t id, bool kept)
{
  for (int i = 0; street[i].top > 0; i++) {
    StxObstacle o;
    StxVelocity v = velocity_of(drive, result, &street[i], &o);
    ck_assert_msg(isnan(v.z) || fabs((double)v.z - street[i].speed_z) < 1,
        "%d at %.1f m: %.2f ± %.2f m/s", i, (double)o.z, (double)v.z, (double)v.deviation_z);
    ck_assert(
        isnan(o.closing_speed) || fabs((double)o.closing_speed - SPEED + street[i].speed_z) < 1);
    ck_assert((o.id <= id) == kept);
  }
}

static void expect_ids_to(const StxObstaclesResult *result, uint32_t last)
{
  for (size_t i = 0; i < result->count; i++)
    ck_assert_uint_le(result->obstacles[i].id, last);
}

/* A drive that is well under way, and its ids are up to 3. */
static Drive under_way(void)
{
  Drive drive = begin(street);
  look(&drive);
  StxObstaclesResult result = drive_on(&drive, street, FRAMES);
  expect_truth(&drive, &result, 3, true);
  return drive;
}

/* The next frame that is another one has the motion, and the time, of all since. */
STX_TEST(a_frame_that_repeats_stops_nothing)
{
  STX_AUTO(Drive) drive = under_way();
  StxObstaclesResult result;
  for (int i = 0; i < 2; i++) {
    drive.frame.time += CASE_SECOND / 10;
    drive.motion.state = STX_MOTION_STILL;
    result = look(&drive);
    ck_assert(!result.restarted);
    expect_truth(&drive, &result, 3, true);
  }
  make_frame(&drive, street, 3 * STEP);
  result = look(&drive);
  expect_truth(&drive, &result, 3, true);
}

/* Without a word about the camera: frames of 40 in a video of 120 a second. */
STX_TEST(frames_that_repeat_unsaid_change_no_speed)
{
  static const Mover car[] = {{0, 20, 0, 0, 1.5}, {0}};
  STX_AUTO(Drive) drive = begin(car);
  double last = NAN;
  for (int i = 0; i < 150; i++) {
    if (i % 3 == 0)
      make_frame(&drive, car, .25 * STEP);
    drive.frame.motion = NULL;
    drive.frame.time = (uint64_t)(i + 1) * CASE_SECOND / 120;
    StxObstaclesResult result = board_run(drive.state, &drive.frame);
    double closing = (double)result.obstacles[0].closing_speed;
    if (i >= 120)
      ck_assert_double_eq_tol(closing, SPEED, .5);
    if (i > 120 && i % 3 > 0)
      ck_assert_double_eq(closing, last);
    last = closing;
  }
}

STX_TEST(times_that_stand_still_give_no_speed)
{
  STX_AUTO(Drive) drive = under_way();
  uint64_t time = drive.frame.time;
  StxObstaclesResult result;
  for (int i = 0; i < 4; i++) {
    make_frame(&drive, street, STEP);
    drive.frame.time = time;
    result = look(&drive);
    expect_truth(&drive, &result, 3, true);
  }
  for (int i = 1; i < 4; i++) {
    make_frame(&drive, street, STEP);
    drive.frame.time = time + (uint64_t)(i + 4) * CASE_SECOND / 10; /* late, at once */
    result = look(&drive);
    expect_truth(&drive, &result, 3, true);
  }
}

STX_TEST(times_that_stand_still_change_no_speed_without_motion_either)
{
  static const Mover car[] = {{0, 16, 0, 0, 1.5}, {0}};
  STX_AUTO(Drive) drive = begin(car);
  uint64_t time = 0;
  for (int i = 0; i < 40; i++) {
    make_frame(&drive, car, .25 * STEP);
    drive.frame.motion = NULL;
    time += i >= 26 && i < 30 ? 0 : (i == 30 ? 5 : 1) * CASE_SECOND / 40; /* late, at once */
    drive.frame.time = time;
    StxObstaclesResult result = board_run(drive.state, &drive.frame);
    ck_assert_uint_eq(result.obstacles[0].id, 1);
    if (i >= 25)
      ck_assert_double_eq_tol((double)result.obstacles[0].closing_speed, SPEED, .5);
  }
}

STX_TEST(another_scene_begins_anew)
{
  static const Mover other[] = {{-3, 12, 0, 0, 3}, {3, 9, 0, 0, 3}, {0}};
  static const StxMotionState said[] = {
      STX_MOTION_DISAGREE, STX_MOTION_TOO_FEW, STX_MOTION_FIRST, STX_MOTION_KNOWN};
  for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
    STX_AUTO(Drive) drive = under_way();
    drive.ahead = drive.seconds = 0;
    uint64_t time = drive.frame.time + CASE_SECOND / 10;
    make_frame(&drive, other, 0);
    drive.motion.state = said[i];
    drive.frame.time = time;
    StxObstaclesResult result = look(&drive);
    ck_assert(result.restarted);
    ck_assert_uint_eq(result.count, 2);
    for (size_t k = 0; k < result.count; k++) {
      ck_assert_uint_gt(result.obstacles[k].id, 3);
      ck_assert(isnan(result.obstacles[k].closing_speed) && isnan(result.velocities[k].z));
    }
  }
}

/* The next frame of a drive, without the camera's motion. */
static StxObstaclesResult look_alone(Drive *drive, const Mover *movers)
{
  make_frame(drive, movers, STEP);
  drive->frame.motion = NULL;
  return board_run(drive->state, &drive->frame);
}

STX_TEST(another_scene_begins_anew_without_motion_too)
{
  static const Mover other[] = {{-3, 12, 0, 0, 3}, {3, 9, 0, 0, 3}, {0}};
  STX_AUTO(Drive) drive = begin(street);
  for (int i = 0; i < FRAMES; i++)
    ck_assert(look_alone(&drive, street).restarted == (i == 0));
  drive.ahead = 0;
  StxObstaclesResult result = look_alone(&drive, other);
  ck_assert(result.restarted);
  ck_assert_uint_eq(result.count, 2);
  for (size_t k = 0; k < result.count; k++) {
    ck_assert_uint_gt(result.obstacles[k].id, 3);
    ck_assert(isnan(result.obstacles[k].closing_speed));
  }
}

/* Nothing is seen for some frames, without motion and with one that is unknown: no other scene. */
STX_TEST_LOOP(a_blocked_camera_loses_no_id, 2)
{
  static const Mover none[] = {{0}};
  STX_AUTO(Drive) drive = begin(street);
  StxObstaclesResult result = {0};
  for (int i = 0; i < FRAMES + 5; i++) {
    bool blocked = i >= FRAMES && i < FRAMES + 3;
    make_frame(&drive, blocked ? none : street, STEP);
    if (blocked || i == FRAMES + 3)
      drive.motion.state = STX_MOTION_TOO_FEW;
    drive.frame.motion = _i ? &drive.motion : NULL;
    result = board_run(drive.state, &drive.frame);
    ck_assert(i < 2 || !result.restarted);
    ck_assert_uint_eq(result.count, blocked ? 0 : 3);
  }
  expect_ids_to(&result, 3);
}

/* A board that has left the image on the left, and another one that comes up behind it. */
STX_TEST(what_left_the_image_is_not_seen_in_something_else)
{
  static const Mover first[] = {{-4, 12, 0, 0, 1.5}, {3, 50, 0, 0, 1.5}, {0}};
  static const Mover second[] = {{-3.3, 15, 0, 0, 1.5}, {3, 50, 0, 0, 1.5}, {0}};
  STX_AUTO(Drive) drive = begin(first);
  look(&drive);
  StxObstaclesResult result = drive_on(&drive, first, 6);
  ck_assert_uint_eq(result.count, 1);
  result = drive_on(&drive, second, 1);
  ck_assert_uint_eq(result.count, 2);
  ck_assert_uint_eq(result.obstacles[0].id, 0);
  result = drive_on(&drive, second, 1);
  ck_assert_uint_eq(result.obstacles[0].id, 3);
}

/* Another exposure, a blocked lens, a lorry before all of it: for a few frames nothing is said, and
 * then what was followed is followed on. For many it begins anew. */
STX_TEST(a_motion_that_is_not_known_is_waited_for)
{
  for (int frames = 1; frames < 9; frames += 3) {
    STX_AUTO(Drive) drive = under_way();
    StxObstaclesResult result = {0};
    bool restarted = false;
    for (int i = 0; i < frames; i++) {
      make_frame(&drive, street, STEP);
      drive.motion.state = i % 2 ? STX_MOTION_DISAGREE : STX_MOTION_TOO_FEW;
      result = look(&drive);
      restarted = restarted || result.restarted;
      for (size_t k = 0; k < result.count; k++)
        ck_assert(isnan(result.velocities[k].z) && isnan(result.obstacles[k].closing_speed));
      for (size_t k = 0; k < result.stixels; k++)
        ck_assert(isnan(result.stixel_velocities[k].z));
    }
    ck_assert(restarted == (frames > 5));
    result = drive_on(&drive, street, 2);
    expect_truth(&drive, &result, 3, !restarted);
  }
}

STX_TEST(who_does_not_follow_knows_no_velocity_of_obstacles)
{
  STX_AUTO(Drive) drive = under_way();
  StxObstaclesParams params = defaults;
  params.follow = false;
  ck_assert(stx_obstacles_prepare(drive.state, &params, CASE_RECORDS, CASE_COLUMNS, NULL));
  StxObstaclesResult result = drive_on(&drive, street, 2);
  ck_assert_uint_eq(result.count, 3);
  for (size_t i = 0; i < result.count; i++) {
    ck_assert(isnan(result.velocities[i].x) && isnan(result.velocities[i].z));
    ck_assert_int_eq(result.velocities[i].moves, STX_MOVES_UNKNOWN);
  }
}

/* There is none that could go on. */
STX_TEST(a_motion_that_was_never_known_is_not_made_up)
{
  STX_AUTO(Drive) drive = begin(street);
  look(&drive);
  for (int i = 0; i < 3; i++) {
    make_frame(&drive, street, STEP);
    drive.motion.state = STX_MOTION_TOO_FEW;
    StxObstaclesResult result = look(&drive);
    ck_assert(result.restarted);
    ck_assert_uint_eq(result.count, 3);
    for (size_t k = 0; k < result.count; k++)
      ck_assert(isnan(result.velocities[k].z) && isnan(result.obstacles[k].closing_speed));
  }
}

STX_TEST(motions_and_points_that_are_none_are_refused)
{
  STX_AUTO(Drive) drive = under_way();
  StxObstaclesResult result;
  StxError error;
  drive.frame.motion = &drive.motion;
  drive.motion.translation[1] = NAN;
  ck_assert(!stx_obstacles_of_stixels(drive.state, &drive.frame, &result, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "not finite"));
  drive.motion.translation[1] = 0;
  drive.motion.rotation[4] = 0;
  ck_assert(!stx_obstacles_of_stixels(drive.state, &drive.frame, &result, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "a rotation that is none"));
  drive.motion.rotation[4] = 1;
  drive.frame.point_count = 3;
  ck_assert(!stx_obstacles_of_stixels(drive.state, &drive.frame, &result, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "3 matched points, but no pointer"));
  drive.frame.motion = NULL;
  ck_assert(!stx_obstacles_of_stixels(drive.state, &drive.frame, &result, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "no motion"));
}

/* Points anywhere, with any numbers, are allowed. */
STX_TEST(points_of_any_numbers_do_no_harm)
{
  static const float odd[] = {NAN, INFINITY, -INFINITY, -1e30f, 1e30f, 0, -1, 5, 1e-30f};
  STX_AUTO(Drive) drive = under_way();
  StxRandom random = {7};
  for (int turn = 0; turn < 200; turn++) {
    for (int i = 0; i < POINTS; i++) {
      float *numbers = &drive.points[i].u;
      for (int k = 0; k < 6; k++)
        numbers[k] = odd[stx_random_below(&random, sizeof odd / sizeof odd[0])];
    }
    make_frame(&drive, street, STEP / 10);
    drive.frame.points = drive.points;
    drive.frame.point_count = POINTS;
    StxObstaclesResult result = look(&drive);
    for (size_t k = 0; k < result.count; k++)
      ck_assert(!isinf(result.velocities[k].x) && !isinf(result.velocities[k].z));
  }
}
