/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/ground/scan_case.h"

#include <math.h>

StxScene *stx_scan_scene(StxSceneParams params)
{
  StxError error = {""};
  StxScene *scene = stx_scene_new(&params, &error);
  ck_assert_msg(scene != NULL, "%s", error.text);
  return scene;
}

StxScene *stx_scan_street(uint64_t seed, int threads)
{
  StxSceneParams params = {
      .seed = seed, .width = 40, .height = 12, .speed = 10, .threads = threads};
  return stx_scan_scene(params);
}

StxSceneLidar stx_scan_exact(int beams, int steps)
{
  StxSceneLidar lidar = stx_scene_lidar(beams);
  lidar.steps = steps;
  lidar.noise = lidar.dropout = 0;
  return lidar;
}

size_t stx_scan_room(const StxSceneLidar *lidar)
{
  return (size_t)lidar->beams * (size_t)lidar->steps;
}

StxTurn stx_scan_turn(StxScene *scene, const StxSceneLidar *lidar)
{
  size_t room = stx_scan_room(lidar);
  StxTurn turn = {stx_guarded_alloc(room * sizeof(StxPoint)), stx_guarded_alloc(room * 4), 0};
  ck_assert(stx_scene_lidar_check(lidar, NULL));
  turn.count = stx_scene_scan(scene, lidar, turn.points, turn.labels);
  ck_assert_uint_le(turn.count, room);
  return turn;
}

void stx_scan_free(StxTurn *turn)
{
  stx_guarded_free(turn->points);
  stx_guarded_free(turn->labels);
}

double stx_scan_range(const StxPoint p)
{
  return sqrt((double)p[0] * p[0] + (double)p[1] * p[1] + (double)p[2] * p[2]);
}
