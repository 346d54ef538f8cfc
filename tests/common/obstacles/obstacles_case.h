/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of stixels made from upright boards on a plane. */
#pragma once

#include "common/obstacles/obstacles.h"
#include "tests/testing.h"

#define CASE_WIDTH 640
#define CASE_HEIGHT 320
#define CASE_CELL 8
#define CASE_COLUMNS (CASE_WIDTH / CASE_CELL)
#define CASE_RECORDS 2048
#define CASE_SECOND UINT64_C(1000000000)

/* An upright board at z, from left to right, from foot to top above the ground; metres. Height 0
 * ends a list. */
typedef struct {
  double z, left, right, foot, top;
  uint8_t label; /* STX_LABEL_NONE: none */
} Board;

/* 720 px, .54 m, 1.65 m above the road, principal point in the middle. */
StxCamera board_camera(void);

/* The frame of such a camera, turned down by camera->pitch, of boards on a plane; the records
 * belong to the case, until the next frame is made. Columns are those whose middle a board
 * covers. */
StxObstaclesFrame board_frame(const StxCamera *camera, const Board *boards, uint64_t time);

/* The same on a plane that falls by so many metres per metre to the right. */
StxObstaclesFrame leaning_frame(
    const StxCamera *camera, double lean, const Board *boards, uint64_t time);

/* A state that is prepared for such frames. */
StxObstacles *board_state(const StxObstaclesParams *params);
STX_AUTO_POINTER(StxObstacles, stx_obstacles_free)

/* Fails the test if the frame is refused. */
StxObstaclesResult board_run(StxObstacles *state, const StxObstaclesFrame *frame);
