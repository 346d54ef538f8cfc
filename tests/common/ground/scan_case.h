/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the tests of the synthetic LiDAR. */
#pragma once

#include "tests/testing.h"

#include "common/scene/scene.h"

typedef float StxPoint[4]; /* x, y, z, intensity */

/* Points and labels of one turn, in guarded memory of exactly the size that the contract asks. */
typedef struct {
  StxPoint *points;
  uint32_t *labels;
  size_t count;
} StxTurn;

/* The scene of these parameters; fails the test if they are refused. */
StxScene *stx_scan_scene(StxSceneParams params);

/* A street at frame 0, with the smallest of pictures. */
StxScene *stx_scan_street(uint64_t seed, int threads);

/* A usual sensor with few azimuths, exact and without losses. */
StxSceneLidar stx_scan_exact(int beams, int steps);

size_t stx_scan_room(const StxSceneLidar *lidar); /* steps × beams */

/* The scan of the scene's frame. */
StxTurn stx_scan_turn(StxScene *scene, const StxSceneLidar *lidar);
void stx_scan_free(StxTurn *turn);
STX_AUTO_POINTER(StxScene, stx_scene_free)
STX_AUTO_VALUE(StxTurn, stx_scan_free)

/* Distance of a point from the sensor. */
double stx_scan_range(const StxPoint point);
