/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The synthetic street as a data set: its truth is exact and dense. */
#include "examples/stx-eval/stx_eval.h"

#include <stdlib.h>
#include <string.h>

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

static bool street_load(DataSet *set, size_t index, EvalFrame *frame, StxError *error)
{
  StxScene *scene = set->data;
  const StxSceneParams *params = stx_scene_params(scene);
  *frame = (EvalFrame){.camera = params->camera};
  snprintf(frame->name, sizeof frame->name, "frame %zu", index);
  if (!allocate(frame, params->width, params->height)) {
    eval_frame_free(frame);
    return stx_fail(
        error, "not enough memory for a street of %d × %d pixels", params->width, params->height);
  }
  stx_scene_move(scene, index);
  stx_scene_render(scene, STX_SCENE_LEFT, 1, &frame->left);
  stx_scene_render(scene, STX_SCENE_RIGHT, 1, &frame->right);
  stx_scene_truth(scene, &frame->truth[TRUTH_ALL], &frame->labels);
  if (!find_visible(frame)) {
    eval_frame_free(frame);
    return stx_fail(error, "not enough memory for a row of %d pixels", params->width);
  }
  return true;
}

static void street_close(DataSet *set)
{
  stx_scene_free(set->data);
}

bool eval_open_street(DataSet *set, const StxSceneParams *street, size_t frames, StxError *error)
{
  static const char *const terrains[] = {"", ", flat", ", sloped", ", hilly"};
  StxSceneParams params = *street;
  params.speed = 10;
  params.noise = 2;
  StxScene *scene = stx_scene_new(&params, error);
  if (scene == NULL)
    return false;
  *set = (DataSet){.count = frames,
      .is_video = true,
      .has_labels = true,
      .load = street_load,
      .close = street_close,
      .data = scene};
  snprintf(set->name, sizeof set->name, "synthetic street %d × %d, seed %llu%s", params.width,
      params.height, (unsigned long long)params.seed, terrains[params.terrain]);
  return true;
}
