/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The view of a stereo camera or a LiDAR of the street. */
#include "examples/stx-eval/stx_eval_obstacles.h"

#include <math.h>
#include <stdlib.h>

#include "common/ground/ground.h"

static Thing thing_of(int label)
{
  switch (label) {
  case STX_SCENE_SKY:
    return THING_NONE;
  case STX_SCENE_ROAD:
  case STX_SCENE_SIDEWALK:
  case STX_SCENE_TERRAIN:
    return THING_GROUND;
  case STX_SCENE_CAR:
  case STX_SCENE_TRUCK:
  case STX_SCENE_BUS:
    return THING_VEHICLE;
  case STX_SCENE_PERSON:
    return THING_PERSON;
  default:
    return THING_OTHER;
  }
}

/* Labels and disparities of all pixels are quick; instances are asked for where there are some. */
static Sample sample_of(
    const StxScene *scene, const StxImage16 *disparity, const StxImage8 *labels, int x, int y)
{
  const StxCamera *camera = &stx_scene_params(scene)->camera;
  double scale = camera->focal * camera->baseline;
  double z = scale * STX_DISPARITY_ONE / stx_row16(disparity, y)[x]; /* 0: infinitely far */
  Sample sample = {.thing = (uint8_t)thing_of(stx_row8(labels, y)[x])};
  if (sample.thing >= THING_VEHICLE) {
    StxSceneRay ray = stx_scene_ray(scene, STX_SCENE_LEFT, x, y);
    StxSceneHit hit = stx_scene_cast(scene, &ray);
    sample.instance = (uint16_t)hit.instance;
    for (int i = 0; i < 2; i++)
      sample.speed[i] = (float)hit.speed[i];
    z = hit.t;
  }
  sample.z = (float)z;
  sample.seen = x >= scale / z;
  return sample;
}

bool truth_of_picture(StxScene *scene, ObstacleTruth *truth)
{
  const StxSceneParams *params = stx_scene_params(scene);
  int width = params->width, height = params->height;
  size_t pixels = (size_t)width * (size_t)height;
  StxImage16 disparity = {malloc(pixels * 2), width * 2, width, height};
  StxImage8 labels = {malloc(pixels), width, width, height};
  truth->across = (width - 1) / SAMPLE_COLUMNS + 1;
  truth->down = (height - 1) / SAMPLE_ROWS + 1;
  truth->samples = malloc((size_t)truth->across * (size_t)truth->down * sizeof *truth->samples);
  bool good = disparity.data != NULL && labels.data != NULL && truth->samples != NULL;
  Sample *s = truth->samples;
  truth->motion = stx_scene_motion(scene);
  if (good)
    stx_scene_truth(scene, &disparity, &labels);
  for (int x = 0; good && x < width; x += SAMPLE_COLUMNS)
    for (int y = 0; y < height; y += SAMPLE_ROWS)
      *s++ = sample_of(scene, &disparity, &labels, x, y);
  free(disparity.data);
  free(labels.data);
  return good;
}

static Thing thing_of_point(uint32_t label)
{
  switch (label & 0xFFFF) {
  case STX_SCENE_POINT_CAR:
  case STX_SCENE_POINT_BUS:
  case STX_SCENE_POINT_TRUCK:
    return THING_VEHICLE;
  case STX_SCENE_POINT_PERSON:
    return THING_PERSON;
  default:
    return stx_point_is_ground(label) ? THING_GROUND : THING_OTHER;
  }
}

bool truth_of_scan(
    const float (*points)[4], const uint32_t *labels, size_t count, ObstacleTruth *truth)
{
  *truth = (ObstacleTruth){
      .samples = malloc((count + 1) * sizeof *truth->samples), .across = (int)count, .down = 1};
  for (size_t i = 0; truth->samples != NULL && i < count; i++)
    truth->samples[i] = (Sample){hypotf(points[i][0], points[i][1]), (uint16_t)(labels[i] >> 16),
        (uint8_t)thing_of_point(labels[i]), true, {0}};
  return truth->samples != NULL;
}
