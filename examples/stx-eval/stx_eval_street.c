/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The synthetic street as a data set: its truth is exact and dense. */
#include "examples/stx-eval/stx_eval.h"

#include <stdlib.h>
#include <string.h>

#define BEAMS 64

typedef struct {
  StxScene *scene;
  EvalStreet kind;
  uint64_t seed; /* of the first street */
  StxSceneLidar sensor;
  float (*points)[4]; /* of a scan: as many as the sensor has rays */
  uint32_t *labels;
} Street;

void eval_frame_free(EvalFrame *frame)
{
  free(frame->left.data);
  free(frame->right.data);
  free(frame->labels.data);
  free(frame->points);
  free(frame->scores);
  free(frame->masks);
  for (int t = 0; t < TRUTH_COUNT; t++)
    free(frame->truth[t].data);
  *frame = (EvalFrame){0};
}

static bool allocate(EvalFrame *frame, int width, int height)
{
  size_t pixels = (size_t)width * (size_t)height;
  StxImage8 *bytes[] = {&frame->left, &frame->right, &frame->labels};
  for (int i = 0; i < 3; i++)
    *bytes[i] = (StxImage8){malloc(pixels), width, width, height};
  for (int t = 0; t < TRUTH_COUNT; t++)
    frame->truth[t] = (StxImage16){malloc(2 * pixels), 2 * width, width, height};
  return frame->left.data && frame->right.data && frame->labels.data && frame->truth[0].data &&
         frame->truth[1].data;
}

/* The pixel of the right picture's row where a pixel of the left one lies. */
static int seen_at(int x, int disparity)
{
  return x - (disparity + STX_DISPARITY_ONE / 2) / STX_DISPARITY_ONE;
}

/*
 * Takes from one row of the truth what the right camera does not see: points outside its picture
 * and points behind a nearer one, more than a pixel of disparity in front, at the same place.
 * nearest: width values of scratch.
 */
static void keep_visible(const uint16_t *truth, uint16_t *visible, uint16_t *nearest, int width)
{
  memset(nearest, 0, (size_t)width * sizeof *nearest);
  for (int x = 0; x < width; x++) {
    int right = seen_at(x, truth[x]);
    if (right >= 0 && nearest[right] < truth[x])
      nearest[right] = truth[x];
  }
  for (int x = 0; x < width; x++) {
    int right = seen_at(x, truth[x]);
    bool hidden = right < 0 || nearest[right] > truth[x] + STX_DISPARITY_ONE;
    visible[x] = hidden ? STX_DISPARITY_UNKNOWN : truth[x];
  }
}

static bool find_visible(const EvalFrame *frame)
{
  const StxImage16 *all = &frame->truth[TRUTH_ALL], *visible = &frame->truth[TRUTH_NOC];
  uint16_t *nearest = malloc((size_t)all->width * sizeof *nearest);
  for (int y = 0; nearest != NULL && y < all->height; y++)
    keep_visible(stx_row16(all, y), stx_row16(visible, y), nearest, all->width);
  free(nearest);
  return nearest != NULL;
}

/* The sensor stands above the camera and looks along its axis; forward, left and up are its axes.
 */
static EvalProjection projection_of(const StxCamera *camera, double above)
{
  const double f = camera->focal;
  return (EvalProjection){.left = {f, 0, camera->cx, 0, 0, f, camera->cy, 0, 0, 0, 1, 0},
      .right = {f, 0, camera->cx, -f * camera->baseline, 0, f, camera->cy, 0, 0, 0, 1, 0},
      .to_camera = {0, -1, 0, 0, 0, 0, -1, -above, 1, 0, 0, 0}};
}

static bool add_scan(Street *street, EvalFrame *frame)
{
  EvalProjection projection =
      projection_of(&frame->camera, street->sensor.height - frame->camera.height);
  size_t count = stx_scene_scan(street->scene, &street->sensor, street->points, street->labels);
  return eval_add_scan(frame, &projection, street->points[0], street->labels, count, false);
}

/* The street whose first frame is wanted, in place of the one before. */
static bool next_street(Street *street, size_t index, StxError *error)
{
  StxSceneParams params = *stx_scene_params(street->scene);
  params.seed = street->seed + index;
  stx_scene_free(street->scene);
  street->scene = stx_scene_new(&params, error);
  return street->scene != NULL;
}

static bool street_load(DataSet *set, size_t index, EvalFrame *frame, StxError *error)
{
  Street *street = set->data;
  const bool first = street->kind == EVAL_FIRST_FRAMES;
  *frame = (EvalFrame){0};
  if (first && !next_street(street, index, error))
    return false;
  StxScene *scene = street->scene;
  const StxSceneParams *params = stx_scene_params(scene);
  frame->camera = params->camera;
  snprintf(frame->name, sizeof frame->name, first ? "seed %llu" : "frame %llu",
      (unsigned long long)(first ? params->seed : index));
  bool good = allocate(frame, params->width, params->height);
  if (good) {
    stx_scene_move(scene, first ? 0 : index);
    stx_scene_render(scene, STX_SCENE_LEFT, 1, &frame->left);
    stx_scene_render(scene, STX_SCENE_RIGHT, 1, &frame->right);
    stx_scene_truth(scene, &frame->truth[TRUTH_ALL], &frame->labels);
    good = find_visible(frame) && (street->kind != EVAL_SCANS || add_scan(street, frame));
  }
  if (good)
    return true;
  eval_frame_free(frame);
  return stx_fail(
      error, "not enough memory for a street of %d × %d pixels", params->width, params->height);
}

static void street_close(DataSet *set)
{
  Street *street = set->data;
  stx_scene_free(street->scene);
  free(street->points);
  free(street->labels);
  free(street);
}

static Street *new_street(const StxSceneParams *params, EvalStreet kind, StxError *error)
{
  Street *street = calloc(1, sizeof *street);
  if (street == NULL)
    return NULL;
  const bool scans = kind == EVAL_SCANS;
  street->kind = kind;
  street->seed = params->seed;
  street->sensor = stx_scene_lidar(BEAMS);
  size_t rays = (size_t)street->sensor.beams * (size_t)street->sensor.steps;
  street->points = scans ? malloc(rays * sizeof *street->points) : NULL;
  street->labels = scans ? malloc(rays * sizeof *street->labels) : NULL;
  street->scene = stx_scene_new(params, error);
  return street;
}

bool eval_open_street(
    DataSet *set, const StxSceneParams *street, size_t frames, EvalStreet kind, StxError *error)
{
  static const char *const terrains[] = {"", ", flat", ", sloped", ", hilly"};
  StxSceneParams params = *street;
  *set = (DataSet){.count = frames,
      .is_video = kind != EVAL_FIRST_FRAMES,
      .has_labels = true,
      .load = street_load,
      .close = street_close,
      .data = new_street(&params, kind, error)};
  Street *opened = set->data;
  if (opened == NULL || (kind == EVAL_SCANS && (opened->points == NULL || opened->labels == NULL)))
    stx_fail(error, "not enough memory for a street");
  else if (opened->scene != NULL) {
    snprintf(set->name, sizeof set->name, "synthetic street %d × %d, seed %llu%s%s", params.width,
        params.height, (unsigned long long)params.seed, terrains[params.terrain],
        kind == EVAL_SCANS          ? ", with scans"
        : kind == EVAL_FIRST_FRAMES ? " and those after it"
                                    : "");
    return true;
  }
  if (opened != NULL)
    street_close(set);
  return false;
}
