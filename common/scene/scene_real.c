/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Real cameras: what the pixels of a pair look at that is described by a calibration.
 *
 * The rectified pair of the calibration is the pair that looks along the street. The left camera
 * stands in it as rectification says; the right one as R between the cameras has it, so that a pair
 * which is rectified wrongly is seen to be. Every pixel's direction is found once, as a place in
 * the rectified picture, and rounded to 1/256 pixel there: functions of libm may differ in their
 * last bit.
 */
#include "common/scene/scene_private.h"

#include <math.h>
#include <stdlib.h>

#include "common/parallel.h"
#include "common/rotation.h"

#define LEAST_DEPTH .1   /* of a direction: what lies farther out than 84 degrees is not seen */
#define MOST_SIGHT 16000 /* pixels from the corner of the rectified picture, for int16_t */

/* ---- Places ------------------------------------------------------------------------------- */

static double rounded(double at)
{
  return floor(at * 256 + .5) / 256;
}

static void find_place(const StxCamera *camera, const SceneReal *real, const double back[9], int x,
    int y, float *place)
{
  const double pixel[2] = {x, y};
  double ray[3], ahead[3];
  place[0] = place[1] = NAN;
  if (!stx_lens_unproject(&real->lens, pixel, ray))
    return;
  stx_matrix_apply(back, ray, ahead);
  if (!(ahead[2] > LEAST_DEPTH))
    return;
  double u = rounded(camera->cx + camera->focal * ahead[0] / ahead[2]);
  double v = rounded(camera->cy + camera->focal * ahead[1] / ahead[2]);
  if (fabs(u) < MOST_SIGHT && fabs(v) < MOST_SIGHT) {
    place[0] = (float)u;
    place[1] = (float)v;
  }
}

static void find_row(void *data, int row, int worker)
{
  StxScene *scene = data;
  const StxSceneParams *params = &scene->params;
  SceneReal *real = &scene->real[row / params->height];
  int y = row % params->height;
  double back[9];
  stx_matrix_transpose(real->turn, back);
  for (int x = 0; x < params->width; x++)
    find_place(&params->camera, real, back, x, y,
        real->place[(size_t)y * (size_t)params->width + (size_t)x]);
}

/* The rectified picture itself, for the truth, and all that the cameras see. */
static void find_sight(StxScene *scene)
{
  SceneCover *sight = &scene->sight;
  size_t count = (size_t)scene->params.width * (size_t)scene->params.height;
  for (size_t i = 0; i < 2 * count; i++) {
    const float *place = scene->real[i / count].place[i % count];
    if (isnan(place[0]))
      continue;
    int x = (int)scene_floor(place[0] + .5), y = (int)scene_floor(place[1] + .5);
    sight->x0 = (int16_t)(x < sight->x0 ? x : sight->x0);
    sight->x1 = (int16_t)(x > sight->x1 ? x : sight->x1);
    sight->y0 = (int16_t)(y < sight->y0 ? y : sight->y0);
    sight->y1 = (int16_t)(y > sight->y1 ? y : sight->y1);
  }
}

/* ---- Cameras ------------------------------------------------------------------------------ */

/* Lenses that show half the world have no rectified pair without black corners: alpha -1. */
static bool rectify(const StxCalibration *calibration, int width, int height,
    StxRectifyView view[2], StxCamera *pair, StxError *error)
{
  StxRectifyParams params = {.width = width, .height = height};
  for (params.alpha = 0; params.alpha >= -1; params.alpha--)
    if (stx_rectify_view(calibration, &params, 0, width, height, &view[0], pair, error) &&
        stx_rectify_view(calibration, &params, 1, width, height, &view[1], pair, error))
      return true;
  return false;
}

bool stx_scene_rectified(
    const StxCalibration *calibration, int width, int height, StxCamera *camera, StxError *error)
{
  StxRectifyView view[2];
  return rectify(calibration, width, height, view, camera, error);
}

static void find_turns(StxScene *scene, const double left[9], const double right[9])
{
  const StxCalibration *calibration = &scene->calibration;
  stx_matrix_transpose(left, scene->real[0].turn);
  if (calibration->rectified)
    stx_matrix_transpose(right, scene->real[1].turn);
  else
    stx_matrix_product(calibration->r, scene->real[0].turn, scene->real[1].turn);
}

static bool find_cameras(StxScene *scene, StxError *error)
{
  StxSceneParams *params = &scene->params;
  StxRectifyView view[2];
  StxCamera pair;
  if (!rectify(&scene->calibration, params->width, params->height, view, &pair, error))
    return false;
  for (int i = 0; i < 2; i++)
    scene->real[i].lens = stx_lens_prepare(&view[i].lens);
  find_turns(scene, view[0].r, view[1].r);
  pair.height = params->camera.height;
  pair.pitch = params->camera.pitch;
  params->camera = pair;
  return stx_fields_check(&stx_scene_fields, params, error);
}

bool stx_scene_real_open(StxScene *scene, StxError *error)
{
  StxSceneParams *params = &scene->params;
  size_t count = (size_t)params->width * (size_t)params->height;
  scene->calibration = *params->calibration;
  params->calibration = &scene->calibration;
  if (!find_cameras(scene, error))
    return false;
  for (int i = 0; i < 2; i++) {
    scene->real[i].place = malloc(count * sizeof *scene->real[i].place);
    if (scene->real[i].place == NULL)
      return stx_fail(
          error, "out of memory for lenses of %d x %d pixels", params->width, params->height);
  }
  stx_parallel(scene->threads, 2 * params->height, find_row, scene);
  find_sight(scene);
  return true;
}

void stx_scene_real_close(StxScene *scene)
{
  for (int i = 0; i < 2; i++)
    free(scene->real[i].place);
}

bool stx_scene_real_project(
    const StxScene *scene, StxSceneEye eye, const double direction[3], double pixel[2])
{
  double turned[3];
  stx_matrix_apply(scene->real[eye].turn, direction, turned);
  return direction[2] > 0 && stx_lens_project(&scene->real[eye].lens, turned, pixel);
}
