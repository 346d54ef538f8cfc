/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/stx-bench/stx_bench.h"

#include <stdlib.h>
#include <string.h>

#include "common/scene/scene.h"
#include "examples/shared/png_io.h"

#define SEED 1
#define FRAME 12
#define NOISE 2 /* grey levels */

void bench_input_free(BenchInput *input)
{
  free(input->left.data);
  free(input->right.data);
  free(input->labels.data);
  free(input->disparity.data);
  free(input->confidence.data);
  free(input->scores);
  *input = (BenchInput){0};
}

static StxImage8 image8(int width, int height)
{
  return (StxImage8){malloc((size_t)width * (size_t)height), width, width, height};
}

static bool out_of_memory(BenchInput *input, StxError *error)
{
  int width = input->width, height = input->height;
  bench_input_free(input);
  return stx_fail(error, "not enough memory for pictures of %d × %d pixels", width, height);
}

/* ---- What earlier stages would deliver ---------------------------------------------------- */

static bool match(BenchInput *input, StxError *error)
{
  StxSgmParams params = STX_SGM_DEFAULTS;
  params.max_disparity = 128;
  params.infinity = 0;
  params.width = input->width;
  params.height = input->height;
  if (!stx_sgm_check(&params, error))
    return false;
  const StxSgmImpl *sgm = stx_impl_pick(&stx_sgm_impls, STX_BACKEND_AUTO);
  int threads = stx_threads(0);
  void *scratch = aligned_alloc(STX_ALIGN, stx_align(sgm->scratch_size(&params, threads) + 1));
  size_t pixels = (size_t)input->width * (size_t)input->height;
  input->disparity =
      (StxImage16){malloc(2 * pixels), 2 * input->width, input->width, input->height};
  input->confidence = image8(input->width, input->height);
  bool good = scratch != NULL && input->disparity.data != NULL && input->confidence.data != NULL;
  if (good)
    sgm->run(&params, &input->left, &input->right, &input->disparity, &input->confidence, scratch,
        &(StxPlace){.threads = threads}, NULL);
  free(scratch);
  return good || stx_fail(error, "not enough memory for matching");
}

/* A hash of a pixel (finalizer of MurmurHash3, A. Appleby). */
static uint32_t hash(uint32_t value)
{
  value = (value ^ (value >> 16)) * 0x85EBCA6Bu;
  value = (value ^ (value >> 13)) * 0xC2B2AE35u;
  return value ^ (value >> 16);
}

/*
 * Scores as a network gives them: the true class has most of the probability, a second class what
 * is left, and in patches of 16 pixels (one of 32 of them) the two are exchanged.
 */
static bool make_scores(BenchInput *input)
{
  size_t pixels = (size_t)input->width * (size_t)input->height;
  input->scores = calloc(pixels, STX_LABEL_CLASSES);
  if (input->scores == NULL)
    return false;
  for (int y = 0; y < input->height; y++)
    for (int x = 0; x < input->width; x++) {
      size_t i = (size_t)y * (size_t)input->width + (size_t)x;
      uint32_t patch = hash((uint32_t)(y / 16) << 16 | (uint32_t)(x / 16));
      unsigned second = patch % STX_LABEL_CLASSES, label = stx_row8(&input->labels, y)[x];
      unsigned sure = 170 + hash((uint32_t)i) % 80;
      bool wrong = patch >> 27 == 0 || label >= STX_LABEL_CLASSES;
      input->scores[(wrong ? second : label) * pixels + i] = (uint8_t)sure;
      if (!wrong && second != label)
        input->scores[second * pixels + i] = (uint8_t)(255 - sure);
    }
  return true;
}

static bool complete(BenchInput *input, StxError *error)
{
  if (!match(input, error)) {
    bench_input_free(input);
    return false;
  }
  return make_scores(input) || out_of_memory(input, error);
}

/* ---- Sources ------------------------------------------------------------------------------ */

bool bench_input_street(BenchInput *input, int width, int height, StxError *error)
{
  StxSceneParams params = {
      .seed = SEED, .width = width, .height = height, .speed = 10, .noise = NOISE};
  StxScene *scene = stx_scene_new(&params, error);
  if (scene == NULL)
    return false;
  *input = (BenchInput){.name = "street",
      .width = width,
      .height = height,
      .left = image8(width, height),
      .right = image8(width, height),
      .labels = image8(width, height),
      .camera = stx_scene_params(scene)->camera};
  bool good = input->left.data != NULL && input->right.data != NULL && input->labels.data != NULL;
  if (good) {
    stx_scene_move(scene, FRAME);
    stx_scene_render(scene, STX_SCENE_LEFT, 1, &input->left);
    stx_scene_render(scene, STX_SCENE_RIGHT, 1, &input->right);
    stx_scene_truth(scene, NULL, &input->labels);
  }
  stx_scene_free(scene);
  return good ? complete(input, error) : out_of_memory(input, error);
}

/* Sky, building and road, one above the other. */
static bool make_labels(BenchInput *input)
{
  static const uint8_t thirds[] = {10, 2, 0};
  input->labels = image8(input->width, input->height);
  for (int y = 0; input->labels.data != NULL && y < input->height; y++)
    memset(stx_row8(&input->labels, y), thirds[3 * y / input->height], (size_t)input->width);
  return input->labels.data != NULL;
}

static bool load_labels(BenchInput *input, const char *path, StxError *error)
{
  uint8_t map[256];
  if (!png_load_ids8(path, &input->labels, error))
    return false;
  if (input->labels.width != input->width || input->labels.height != input->height)
    return stx_fail(error, "%s has %d × %d pixels, the left picture %d × %d", path,
        input->labels.width, input->labels.height, input->width, input->height);
  stx_labels_from_cityscapes(map);
  for (int y = 0; y < input->height; y++)
    for (int x = 0; x < input->width; x++)
      stx_row8(&input->labels, y)[x] = map[stx_row8(&input->labels, y)[x]];
  return true;
}

static bool load_files(BenchInput *input, const char *left, const char *right, const char *labels,
    const char *calibration, StxError *error)
{
  if (!png_load_gray8(left, &input->left, error) || !png_load_gray8(right, &input->right, error))
    return false;
  input->width = input->left.width;
  input->height = input->left.height;
  if (input->right.width != input->width || input->right.height != input->height)
    return stx_fail(error, "%s has %d × %d pixels, %s %d × %d", left, input->width, input->height,
        right, input->right.width, input->right.height);
  if (calibration != NULL &&
      (!stx_camera_load(calibration, -1, &input->camera, error) ||
          !stx_camera_fit(&input->camera, input->width, input->height, error)))
    return false;
  if (labels != NULL)
    return load_labels(input, labels, error);
  return make_labels(input) || stx_fail(error, "not enough memory for labels");
}

bool bench_input_files(BenchInput *input, const char *left, const char *right, const char *labels,
    const char *calibration, StxError *error)
{
  const char *slash = strrchr(left, '/'), *file = slash != NULL ? slash + 1 : left;
  *input = (BenchInput){0};
  snprintf(input->name, sizeof input->name, "%.*s", (int)strcspn(file, "."), file);
  if (!load_files(input, left, right, labels, calibration, error)) {
    bench_input_free(input);
    return false;
  }
  return complete(input, error);
}
