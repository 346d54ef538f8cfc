/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/obstacles/obstacles_case.h"

#include <math.h>

static StxStixel records[CASE_RECORDS];

StxCamera board_camera(void)
{
  return (StxCamera){.focal = 720,
      .cx = (CASE_WIDTH - 1) / 2.0,
      .cy = (CASE_HEIGHT - 1) / 2.0,
      .baseline = .54,
      .height = 1.65,
      .image_width = CASE_WIDTH,
      .image_height = CASE_HEIGHT};
}

/* The row in which a point `up` metres above the road and z metres ahead is seen; the disparity of
 * the road at a row. The road is y = a − b·z. */
static double row_at(const StxCamera *camera, double z, double up)
{
  double y = camera->height / cos(camera->pitch) - z * tan(camera->pitch) - up;
  return camera->cy + camera->focal * y / z;
}

static double road_at(const StxCamera *camera, double row)
{
  double y = camera->height / cos(camera->pitch);
  double d = ((row - camera->cy) / camera->focal + tan(camera->pitch)) / y;
  return fmax(d, 0) * camera->focal * camera->baseline;
}

typedef struct {
  size_t count;
  int column, below; /* the row below which all is taken */
} Maker;

static void add(Maker *maker, int top, StxKind kind, double at_top, double at_bottom, uint8_t label)
{
  if (top > maker->below)
    return;
  ck_assert_uint_lt(maker->count, CASE_RECORDS);
  records[maker->count++] = (StxStixel){.column = (uint16_t)maker->column,
      .top = (uint16_t)top,
      .bottom = (uint16_t)maker->below,
      .kind = (uint8_t)kind,
      .label = label,
      .disparity_top = (float)at_top,
      .disparity_bottom = (float)at_bottom,
      .confidence = 1};
  maker->below = top - 1;
}

static int clamp_row(double row)
{
  return (int)fmax(0, fmin(CASE_HEIGHT, ceil(row)));
}

static void add_ground(Maker *maker, const StxCamera *camera, int top)
{
  int horizon = clamp_row(camera->cy - camera->focal * tan(camera->pitch) + 1);
  top = top > horizon ? top : horizon;
  add(maker, top, STX_KIND_GROUND, road_at(camera, top), road_at(camera, maker->below),
      STX_LABEL_NONE);
}

/* The nearest board that has not been drawn and of which something is seen above what has. */
static const Board *next_board(
    const StxCamera *camera, const Board *boards, const Maker *maker, double nearer_than)
{
  const Board *best = NULL;
  double u = (maker->column + .5) * CASE_CELL - .5;
  for (const Board *b = boards; b->top > 0; b++) {
    double x = (u - camera->cx) * b->z / camera->focal;
    if (b->z > nearer_than && x >= b->left && x < b->right &&
        clamp_row(row_at(camera, b->z, b->top)) <= maker->below && (best == NULL || b->z < best->z))
      best = b;
  }
  return best;
}

static void add_column(Maker *maker, const StxCamera *camera, const Board *boards)
{
  const Board *b;
  maker->below = CASE_HEIGHT - 1;
  for (double z = 0; (b = next_board(camera, boards, maker, z)) != NULL; z = b->z) {
    double d = camera->focal * camera->baseline / b->z;
    add_ground(maker, camera, clamp_row(row_at(camera, b->z, b->foot)));
    add(maker, clamp_row(row_at(camera, b->z, b->foot)), STX_KIND_SKY, 0, 0, STX_LABEL_NONE);
    add(maker, clamp_row(row_at(camera, b->z, b->top)), STX_KIND_OBJECT, d, d, b->label);
  }
  add_ground(maker, camera, 0);
  add(maker, 0, STX_KIND_SKY, 0, 0, STX_LABEL_NONE);
}

/* In each column a lean is a pitch of its own. */
StxObstaclesFrame leaning_frame(
    const StxCamera *camera, double lean, const Board *boards, uint64_t time)
{
  Maker maker = {0};
  for (maker.column = 0; maker.column < CASE_COLUMNS; maker.column++) {
    StxCamera here = *camera;
    double across = ((maker.column + .5) * CASE_CELL - .5 - camera->cx) / camera->focal;
    here.pitch = atan(tan(camera->pitch) - lean * across);
    here.height = camera->height * cos(here.pitch) / cos(camera->pitch);
    add_column(&maker, &here, boards);
  }
  return (StxObstaclesFrame){.stixels = records,
      .count = maker.count,
      .width = CASE_WIDTH,
      .height = CASE_HEIGHT,
      .stixel_width = CASE_CELL,
      .camera = *camera,
      .time = time};
}

StxObstaclesFrame board_frame(const StxCamera *camera, const Board *boards, uint64_t time)
{
  return leaning_frame(camera, 0, boards, time);
}

StxObstacles *board_state(const StxObstaclesParams *params)
{
  StxObstacles *state = stx_obstacles_new();
  StxError error;
  ck_assert_ptr_nonnull(state);
  ck_assert_msg(
      stx_obstacles_prepare(state, params, CASE_RECORDS, CASE_COLUMNS, &error), "%s", error.text);
  return state;
}

StxObstaclesResult board_run(StxObstacles *state, const StxObstaclesFrame *frame)
{
  StxObstaclesResult result;
  StxError error = {""};
  ck_assert_msg(stx_obstacles_of_stixels(state, frame, &result, &error), "%s", error.text);
  return result;
}
