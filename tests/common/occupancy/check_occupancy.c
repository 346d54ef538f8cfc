/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Occupancy grids: by literal stixels and points, by a model that asks every pixel, and over time.
 */
#include "tests/testing.h"

#include <math.h>
#include <string.h>

#include "common/ground/ground.h"
#include "common/occupancy/occupancy.h"

#define WIDTH 320
#define HEIGHT 240
#define CELL 8 /* stixel-width */
#define COLUMNS (WIDTH / CELL)
#define FOCAL 320.0
#define BASELINE .5
#define MOST 4096

STX_AUTO_POINTER(StxOccupancy, stx_occupancy_free)

static const StxOccupancyParams standard = STX_OCCUPANCY_DEFAULTS;
static const StxCamera camera = {.focal = FOCAL, .cx = 160, .cy = 100, .baseline = BASELINE};
static StxStixel stixels[MOST];
static float points[MOST][4];
static uint32_t labels[MOST];

/* ---- Frames -------------------------------------------------------------------------------- */

static StxOccupancyFrame new_frame(void)
{
  return (StxOccupancyFrame){.stixels = stixels,
      .width = WIDTH,
      .height = HEIGHT,
      .stixel_width = CELL,
      .camera = camera,
      .points = points[0],
      .labels = labels,
      .time = STX_OCCUPANCY_NO_TIME,
      .interval = STX_OCCUPANCY_NO_TIME};
}

static StxOccupancyFrame new_scan(void)
{
  StxOccupancyFrame frame = new_frame();
  frame.width = 0;
  return frame;
}

static float disparity_at(double z)
{
  return (float)(FOCAL * BASELINE / z);
}

static void add_stixel(
    StxOccupancyFrame *frame, int column, StxKind kind, int top, int bottom, float from, float to)
{
  ck_assert_uint_lt(frame->count, MOST);
  stixels[frame->count++] = (StxStixel){.column = (uint16_t)column,
      .top = (uint16_t)top,
      .bottom = (uint16_t)bottom,
      .kind = (uint8_t)kind,
      .disparity_bottom = from,
      .disparity_top = to};
}

/* A road 1.5 m below the camera up to `far`, where an object stands up to the camera's height. */
static void add_column(StxOccupancyFrame *frame, int column, double far)
{
  int foot = (int)(camera.cy + FOCAL * 1.5 / far);
  add_stixel(frame, column, STX_KIND_GROUND, foot, HEIGHT - 1,
      disparity_at(FOCAL * 1.5 / (HEIGHT - .5 - camera.cy)), disparity_at(far));
  add_stixel(frame, column, STX_KIND_OBJECT, 100, foot - 1, disparity_at(far), disparity_at(far));
}

static StxOccupancyFrame wall_at(double far)
{
  StxOccupancyFrame frame = new_frame();
  for (int c = 0; c < COLUMNS; c++)
    add_column(&frame, c, far);
  return frame;
}

static void add_point(StxOccupancyFrame *frame, double x, double y, double z, uint32_t label)
{
  ck_assert_uint_lt(frame->point_count, MOST);
  float *p = points[frame->point_count];
  p[0] = (float)x;
  p[1] = (float)y;
  p[2] = (float)z;
  labels[frame->point_count++] = label;
}

static StxOccupancyResult run(
    StxOccupancy *state, const StxOccupancyParams *params, const StxOccupancyFrame *frame)
{
  StxOccupancyResult grid;
  StxError error = {""};
  ck_assert_msg(stx_occupancy_prepare(state, params, MOST, COLUMNS, &error), "%s", error.text);
  ck_assert_msg(stx_occupancy_update(state, frame, &grid, &error), "%s", error.text);
  return grid;
}

/* The cell at a place in the grid's axes. */
static int at(const StxOccupancyResult *grid, double x, double y)
{
  int column = (int)floor((x - grid->origin_x) / grid->resolution);
  int row = (int)floor((y - grid->origin_y) / grid->resolution);
  ck_assert(column >= 0 && column < grid->width && row >= 0 && row < grid->height);
  return grid->cells[row * grid->width + column];
}

/* ---- One frame ----------------------------------------------------------------------------- */

STX_TEST(a_wall_of_stixels_is_occupied_and_free_before_it)
{
  STX_AUTO(StxOccupancy) *state = stx_occupancy_new();
  StxOccupancyFrame frame = wall_at(10);
  StxOccupancyResult grid = run(state, &standard, &frame);
  ck_assert_int_eq(grid.width, 300);
  ck_assert_double_eq_tol(grid.origin_x, -10, 1e-9);
  ck_assert_double_eq_tol(grid.origin_y, -30, 1e-9);
  ck_assert(!grid.fixed && grid.lost == NULL);
  ck_assert_int_eq(at(&grid, 10, .1), 86);
  ck_assert_int_eq(at(&grid, 8, .1), 25);
  ck_assert_int_eq(at(&grid, 3.6, .1), 25);
  ck_assert_int_eq(at(&grid, 3.2, .1), -1); /* below the picture */
  ck_assert_int_eq(at(&grid, 12, .1), -1);  /* behind the wall */
  ck_assert_int_eq(at(&grid, 8, 4.5), -1);  /* beside the picture */
  ck_assert_int_eq(at(&grid, -2, .1), -1);
}

STX_TEST(what_hangs_or_lies_flat_is_not_in_the_way)
{
  STX_AUTO(StxOccupancy) *state = stx_occupancy_new();
  StxOccupancyFrame frame = new_frame();
  int foot = (int)(camera.cy + FOCAL * 1.5 / 10);
  float d = disparity_at(10);
  for (int c = 0; c < COLUMNS; c++) {
    add_stixel(&frame, c, STX_KIND_GROUND, foot, HEIGHT - 1,
        disparity_at(FOCAL * 1.5 / (HEIGHT - .5 - camera.cy)), d);
    add_stixel(&frame, c, STX_KIND_OBJECT, foot - 3, foot - 1, d, d); /* .1 m high */
    add_stixel(&frame, c, STX_KIND_OBJECT, 0, 80, d, d);              /* 2.1 m above the road */
    add_stixel(&frame, c, STX_KIND_SKY, 81, 90, 0, 0);
  }
  StxOccupancyResult grid = run(state, &standard, &frame);
  ck_assert_int_eq(at(&grid, 9.5, .1), 25);
  ck_assert_int_eq(at(&grid, 10.3, .1), -1); /* no ground was seen there */
  StxOccupancyParams low = standard;
  low.min_height = .05;
  grid = run(state, &low, &frame);
  ck_assert_int_eq(at(&grid, 10, .1), 86);
  low.min_height = .2;
  low.clearance = 3;
  grid = run(state, &low, &frame);
  ck_assert_int_eq(at(&grid, 10, .1), 86);
}

/* Ground up to the horizon is free as far as the grid looks; what has no disparity says nothing. */
STX_TEST(free_as_far_as_it_looks)
{
  STX_AUTO(StxOccupancy) *state = stx_occupancy_new();
  StxOccupancyFrame frame = new_frame();
  float near = disparity_at(FOCAL * 1.5 / (HEIGHT - .5 - camera.cy));
  for (int c = 0; c < COLUMNS; c++) {
    add_stixel(&frame, c, STX_KIND_GROUND, 100, HEIGHT - 1, near, 0);
    add_stixel(&frame, c, STX_KIND_OBJECT, 0, 99, 0, 0);
  }
  StxOccupancyResult grid = run(state, &standard, &frame);
  ck_assert_int_eq(at(&grid, 49.5, .1), 25);
  for (size_t i = 0; i < frame.count; i++)
    stixels[i].disparity_bottom = stixels[i].disparity_top = NAN;
  grid = run(state, &standard, &frame);
  for (int i = 0; i < grid.width * grid.height; i++)
    ck_assert_int_eq(grid.cells[i], -1);
}

STX_TEST(points_say_free_and_occupied)
{
  STX_AUTO(StxOccupancy) *state = stx_occupancy_new();
  StxOccupancyFrame frame = new_scan();
  for (int i = 0; i < 20; i++)
    add_point(&frame, 3 + i, .1, -1.7, STX_POINT_GROUND);
  add_point(&frame, 14.1, .1, -1.7 + 1, STX_POINT_OBSTACLE);
  add_point(&frame, 9.1, .1, -1.7 + 4, STX_POINT_OBSTACLE); /* a crown */
  add_point(&frame, 8.1, .1, -1.7 + .1, STX_POINT_OBSTACLE);
  add_point(&frame, 12.1, .1, -1.7 + 1, STX_POINT_NONE);
  add_point(&frame, NAN, .1, -1.7 + 1, STX_POINT_OBSTACLE);
  StxOccupancyResult grid = run(state, &standard, &frame);
  ck_assert_int_eq(at(&grid, 14.1, .1), 86);
  ck_assert_int_eq(at(&grid, 2.5, .1), -1);
  ck_assert_int_eq(at(&grid, 9.1, .1), 25);
  ck_assert_int_eq(at(&grid, 8.1, .1), 25);
  ck_assert_int_eq(at(&grid, 12.1, .1), 25);  /* between two points of the ground */
  ck_assert_int_eq(at(&grid, 17.1, .1), 25);  /* ground behind it */
  ck_assert_int_eq(at(&grid, 17.5, .05), -1); /* behind it without a point */
  ck_assert_int_eq(at(&grid, 10, 10), -1);
}

/* Points of a sensor that stands 1 m behind the camera and 2 m to its left. */
STX_TEST(the_place_of_the_sensor_counts)
{
  static const double place[12] = {1, 0, 0, -1, 0, 1, 0, 2, 0, 0, 1, 0};
  STX_AUTO(StxOccupancy) *state = stx_occupancy_new();
  StxOccupancyFrame frame = new_scan();
  add_point(&frame, 5.1, .1, -1.7, STX_POINT_GROUND);
  add_point(&frame, 14.1, .1, -1, STX_POINT_OBSTACLE);
  frame.place = place;
  StxOccupancyResult grid = run(state, &standard, &frame);
  ck_assert_int_eq(at(&grid, 13.1, 2.1), 86);
  ck_assert_int_eq(at(&grid, 14.1, .1), -1);
}

/* ---- The model ----------------------------------------------------------------------------- */

static void add_random(StxOccupancyFrame *frame, StxRandom *random, int column)
{
  int bottom = HEIGHT - 1;
  while (bottom >= 0) {
    int top = bottom - stx_random_below(random, 80);
    StxKind kind = (StxKind)(1 + stx_random_below(random, 3));
    float low = stx_random_below(random, 5) == 0 ? 0 : (float)(1 + stx_random_below(random, 60));
    float high = kind == STX_KIND_GROUND ? low * .5f : low;
    top = top < 0 ? 0 : top;
    add_stixel(frame, column, kind, top, bottom, low, high);
    bottom = top - 1;
  }
}

/* The things in the stixels of one column, and the beginning and end of the free space. */
static bool model_is_in_the_way(const StxStixel *s, const StxStixel *ground)
{
  double z = FOCAL * BASELINE / (double)s->disparity_bottom;
  if (ground == NULL)
    return true;
  bool endless = ground->disparity_top == 0;
  double ground_z =
      FOCAL * BASELINE / (double)(endless ? ground->disparity_bottom : ground->disparity_top);
  double ground_row = endless ? ground->bottom + .5 : ground->top - .5;
  double road = (ground_row - camera.cy) * ground_z / FOCAL;
  double top = road - (s->top - .5 - camera.cy) * z / FOCAL;
  double foot = road - (s->bottom + .5 - camera.cy) * z / FOCAL;
  return top >= standard.min_height && foot <= standard.clearance;
}

/* The evidence of a frame's stixels about a place, per cent. `ground` is of each stixel the last
 * one of the ground before it. */
static int model_of(
    const StxOccupancyFrame *frame, const StxStixel *const *ground, double ahead, double left)
{
  double nearest_seen = INFINITY, most = 0, ends[COLUMNS], roads[COLUMNS];
  if (!(ahead > .1) || ahead > standard.max_distance)
    return -1;
  double u = camera.cx - left * FOCAL / ahead, half = .5 * standard.resolution * FOCAL / ahead;
  if (u < -.5 || u >= WIDTH - .5)
    return -1;
  for (int c = 0; c < COLUMNS; c++) {
    ends[c] = INFINITY;
    roads[c] = 0;
  }
  for (size_t i = 0; i < frame->count; i++) {
    const StxStixel *s = &stixels[i];
    double z = FOCAL * BASELINE / (double)s->disparity_bottom;
    if (s->disparity_bottom == 0 || s->kind == STX_KIND_SKY)
      continue;
    if (s->kind == STX_KIND_GROUND) {
      nearest_seen = fmin(nearest_seen, z);
      roads[s->column] = fmax(roads[s->column], 2 * z);
      continue;
    }
    if (!model_is_in_the_way(s, ground[i]))
      continue;
    double reach =
        fmax(.75 * standard.resolution, z * z * standard.uncertainty / (FOCAL * BASELINE));
    ends[s->column] = fmin(ends[s->column], z - 2 * reach);
    for (int pixel = 0; pixel < WIDTH; pixel++)
      if (pixel / CELL == s->column && pixel + .5 > u - half && pixel - .5 <= u + half)
        most = fmax(most, fmin(1, 2 - fabs(ahead - z) / reach));
  }
  if ((int)(most * 1800) > 0)
    return (int)(most * 1800) < 200 ? -1 : (int)lround(100 / (1 + exp(-floor(most * 1800) / 1000)));
  int middle = (int)floor(u + .5) / CELL;
  double end = isinf(ends[middle]) ? roads[middle] : ends[middle];
  return ahead >= nearest_seen && ahead < fmin(end, standard.max_distance) ? 25 : -1;
}

STX_TEST_LOOP(stixels_are_as_the_model_says, 4)
{
  static const StxStixel *ground[MOST];
  STX_AUTO(StxOccupancy) *state = stx_occupancy_new();
  StxOccupancyFrame frame = new_frame();
  StxRandom random = {(uint64_t)_i + 1};
  const StxStixel *last = NULL;
  int differ = 0, known = 0;
  for (int c = 0; c < COLUMNS; c++)
    add_random(&frame, &random, c);
  for (size_t i = 0; i < frame.count; i++) {
    ground[i] = last;
    if (stixels[i].kind == STX_KIND_GROUND && stixels[i].disparity_bottom > 0)
      last = &stixels[i];
  }
  StxOccupancyResult grid = run(state, &standard, &frame);
  for (int row = 0; row < grid.height; row += 3)
    for (int column = 0; column < grid.width; column += 2) {
      double x = grid.origin_x + (column + .5) * .2, y = grid.origin_y + (row + .5) * .2;
      int expected = model_of(&frame, ground, x, y);
      differ += grid.cells[row * grid.width + column] != expected;
      known += expected >= 0;
    }
  ck_assert_int_gt(known, 500);
  ck_assert_int_le(differ, 2); /* cells that end between two columns, rounded otherwise */
}

/* ---- Over time ----------------------------------------------------------------------------- */

static StxMotion motion_of(double ahead, double turn_left)
{
  double c = cos(turn_left), s = sin(turn_left);
  /* A point at (x, z) is now where it is seen after going ahead and then turning. */
  return (StxMotion){.state = STX_MOTION_KNOWN,
      .rotation = {c, 0, s, 0, 1, 0, -s, 0, c},
      .translation = {-s * ahead, 0, -c * ahead}};
}

/* A wall at 20 m; then the sensor drives towards it. Its cells stay where they were. */
STX_TEST(what_stands_stays_in_its_cells)
{
  STX_AUTO(StxOccupancy) *state = stx_occupancy_new();
  StxMotion motion = {.state = STX_MOTION_FIRST};
  StxOccupancyResult grid = {0};
  for (int i = 0; i < 6; i++) {
    StxOccupancyFrame frame = wall_at(20 - i);
    frame.motion = &motion;
    frame.time = (uint64_t)i * 100000000;
    grid = run(state, &standard, &frame);
    motion = motion_of(1, 0);
    ck_assert(grid.fixed && grid.epoch == 1 && grid.lost == NULL);
    ck_assert_double_eq_tol(grid.x, i, 1e-9);
    ck_assert_double_eq_tol(grid.origin_x, i - 10, .11);
    ck_assert_int_gt(at(&grid, 20, .1), 80);
    ck_assert_int_lt(at(&grid, 10, .1), 30);
  }
  ck_assert_int_eq(at(&grid, 20, .1), 98); /* as sure as it gets */
  ck_assert_int_lt(at(&grid, 4, .1), 30);  /* not seen any more, remembered */
}

/* The sensor turns left by 90 degrees and drives on: what was ahead is to its right. */
STX_TEST(turns_are_followed)
{
  STX_AUTO(StxOccupancy) *state = stx_occupancy_new();
  StxMotion motion = {.state = STX_MOTION_FIRST};
  StxOccupancyFrame frame = wall_at(10);
  frame.motion = &motion;
  run(state, &standard, &frame);
  motion = motion_of(0, M_PI / 2);
  frame.count = 0;
  StxOccupancyResult grid = run(state, &standard, &frame);
  ck_assert_double_eq_tol(grid.yaw, M_PI / 2, 1e-9);
  ck_assert_double_eq_tol(grid.x, 0, 1e-9);
  ck_assert_double_eq_tol(grid.origin_y, -10, .11); /* it leads to where the sensor looks */
  ck_assert_int_gt(at(&grid, 10, .1), 80);
  motion = motion_of(2, 0);
  grid = run(state, &standard, &frame);
  ck_assert_double_eq_tol(grid.y, 2, 1e-9);
  ck_assert_double_eq_tol(grid.x, 0, 1e-9);
}

/* The place of a thing that left is free after a few frames, and forgotten if it is out of view. */
STX_TEST(what_moves_away_leaves)
{
  STX_AUTO(StxOccupancy) *state = stx_occupancy_new();
  StxOccupancyParams params = standard;
  params.motion = STX_OCCUPANCY_NONE;
  params.resolution = .5; /* hundreds of frames: quickly */
  StxOccupancyFrame frame = wall_at(10);
  StxOccupancyResult grid = {0};
  for (int i = 0; i < 10; i++)
    grid = run(state, &params, &frame);
  ck_assert_int_eq(at(&grid, 10, .1), 98);
  for (int i = 0; i < 5; i++) {
    frame = wall_at(20);
    grid = run(state, &params, &frame);
  }
  ck_assert_int_lt(at(&grid, 10, .1), 50);
  frame.count = 0;
  for (int i = 0; i < 300; i++)
    grid = run(state, &params, &frame);
  ck_assert_int_eq(at(&grid, 20, .1), -1);
  params.memory = 0;
  frame = wall_at(20);
  run(state, &params, &frame);
  frame.count = 0;
  for (int i = 0; i < 300; i++)
    grid = run(state, &params, &frame);
  ck_assert_int_eq(at(&grid, 20, .1), 86);
}

STX_TEST(frames_stand_alone_without_a_motion)
{
  STX_AUTO(StxOccupancy) *state = stx_occupancy_new();
  StxOccupancyParams params = standard;
  StxMotion motion = motion_of(1, 0);
  for (int i = 0; i < 2; i++) {
    StxOccupancyFrame frame = wall_at(10);
    frame.motion = i == 0 ? NULL : &motion;
    run(state, &params, &frame);
    frame = wall_at(20);
    frame.motion = i == 0 ? NULL : &motion;
    StxOccupancyResult grid = run(state, &params, &frame);
    ck_assert(!grid.fixed);
    ck_assert_int_eq(at(&grid, 10, .1), 25);
    params.motion = STX_OCCUPANCY_ALONE;
  }
}

/* ---- Lost ---------------------------------------------------------------------------------- */

static StxOccupancyResult step(
    StxOccupancy *state, const StxMotion *motion, double seconds, double interval)
{
  StxOccupancyFrame frame = wall_at(10);
  frame.motion = motion;
  frame.time = (uint64_t)(seconds * 1e9);
  frame.interval = interval > 0 ? (uint64_t)(interval * 1e9) : STX_OCCUPANCY_NO_TIME;
  return run(state, &standard, &frame);
}

STX_TEST(a_lost_motion_begins_anew)
{
  STX_AUTO(StxOccupancy) *state = stx_occupancy_new();
  StxMotion first = {.state = STX_MOTION_FIRST}, still = {.state = STX_MOTION_STILL};
  StxMotion unknown = {.state = STX_MOTION_TOO_FEW}, known = motion_of(1, 0);
  StxMotion jump = motion_of(61, 0);
  StxOccupancyResult grid = step(state, &first, 0, 0);
  grid = step(state, &known, .1, .1);
  grid = step(state, &still, .2, 0);
  ck_assert(grid.epoch == 1 && grid.x == 1);
  for (int i = 0; i < 5; i++)
    grid = step(state, &unknown, .2 + .1 * i, 0);
  ck_assert(grid.epoch == 1 && grid.x == 6 && grid.lost == NULL);
  grid = step(state, &unknown, .8, 0);
  ck_assert(grid.epoch == 2 && grid.x == 0);
  ck_assert_str_eq(grid.lost, "the motion could not be found");
  step(state, &known, .9, .1);
  grid = step(state, &known, 1.1, .1);
  ck_assert(grid.epoch == 3);
  ck_assert_str_eq(grid.lost, "frames between were lost, and their motion with them");
  grid = step(state, &jump, 1.2, .1);
  ck_assert(grid.epoch == 4);
  ck_assert_str_eq(grid.lost, "the sensor moved by more than the size of the grid");
  stx_occupancy_reset(state);
  grid = step(state, &known, 1.3, .1);
  ck_assert(grid.epoch == 5 && grid.lost == NULL);
}

/* ---- Refused ------------------------------------------------------------------------------- */

static void refuses(const StxOccupancyFrame *frame, const char *text)
{
  STX_AUTO(StxOccupancy) *state = stx_occupancy_new();
  StxOccupancyResult grid;
  StxError error = {""};
  ck_assert(stx_occupancy_prepare(state, &standard, MOST, COLUMNS, &error));
  ck_assert(!stx_occupancy_update(state, frame, &grid, &error));
  ck_assert_msg(strstr(error.text, text) != NULL, "%s", error.text);
  ck_assert(grid.cells == NULL);
}

STX_TEST(what_does_not_fit_is_refused)
{
  StxMotion motion = motion_of(1, 0);
  StxOccupancyFrame frame = wall_at(10), bad = frame;
  bad.camera.focal = 0;
  refuses(&bad, "the camera's focal length is unknown");
  bad = frame;
  bad.camera.missing = STX_CAMERA_CX;
  refuses(&bad, "cx, is unknown");
  bad = frame;
  bad.height = 100;
  refuses(&bad, "outside of 40 columns, 100 rows");
  bad = frame;
  bad.width = WIDTH + CELL;
  refuses(&bad, "prepared for");
  bad = frame;
  bad.stixel_width = 0;
  refuses(&bad, "in columns of 0");
  bad = frame;
  bad.motion = &motion;
  motion.translation[1] = INFINITY;
  refuses(&bad, "not finite");
  motion = motion_of(1, 0);
  motion.rotation[0] = 2;
  refuses(&bad, "a rotation that is none");
  bad = new_scan();
  bad.point_count = 1;
  bad.labels = NULL;
  refuses(&bad, "1 points, but no labels");
  stixels[0].kind = STX_KIND_SEGMENT;
  refuses(&frame, "not of rdp-columns");
  stixels[0].kind = STX_KIND_OBJECT;
  stixels[0].column = 1;
  stixels[1].column = 0;
  refuses(&frame, "sorted by column");
}

STX_TEST(sizes_are_refused)
{
  StxOccupancyParams params = standard;
  StxError error = {""};
  params.size = 400;
  params.resolution = .1;
  ck_assert(!stx_occupancy_check(&params, &error));
  ck_assert_msg(strstr(error.text, "4000 cells along a side: 2048 at most"), "%s", error.text);
  params = standard;
  params.clearance = .2;
  params.min_height = .3;
  ck_assert(!stx_occupancy_check(&params, &error));
  ck_assert_msg(strstr(error.text, "above the clearance"), "%s", error.text);
  STX_AUTO(StxOccupancy) *state = stx_occupancy_new();
  StxOccupancyResult grid;
  StxOccupancyFrame frame = new_frame();
  ck_assert(!stx_occupancy_update(state, &frame, &grid, &error));
  ck_assert_msg(strstr(error.text, "prepared"), "%s", error.text);
}

/* ---- Pictures ------------------------------------------------------------------------------ */

STX_TEST(pictures_have_x_to_the_right_and_y_up)
{
  static const int8_t cells[6] = {-1, 0, 100, 25, 60, -1};
  static const uint8_t expected[6] = {254, 0, 205, 205, 254, 0};
  StxOccupancyResult grid = {.cells = cells, .width = 3, .height = 2};
  STX_AUTO(StxImage8) picture = stx_test_image8(3, 2, 5);
  stx_occupancy_draw(&grid, &picture);
  STX_EACH_PIXEL (x, y, 3, 2)
    ck_assert_uint_eq(stx_row8(&picture, y)[x], expected[3 * y + x]);
}
