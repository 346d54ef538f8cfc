/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From two real cameras to metres: the synthetic street as two cameras see it that look askew
 * through lenses that bend, rectified by what a calibration says of them, made into stixels,
 * and their distances compared with the street's.
 */
#include "common/pipeline/pipeline.h"
#include "common/rectify/rectify.h"
#include "common/rotation.h"
#include "tests/common/ground/scan_case.h"
#include "tests/common/pipeline/pipeline_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 1242 /* of the real cameras */
#define HEIGHT 375
#define BASELINE .54
#define FARTHEST 50.0 /* metres */
#define WORST .03     /* median of the relative errors */
#define FRAMES 2

static const double turns[2][3] = {{.012, -.02, .01}, {-.009, .015, -.012}};
static const StxLens lenses[2] = {
    {715, 717, 615, 190, STX_LENS_BROWN, {-.15, .04, .0008, -.0006, .002}},
    {722, 721, 628, 183, STX_LENS_BROWN, {-.14, .035, -.0005, .0007}}};

/* ---- The real cameras --------------------------------------------------------------------- */

/* The pose between the cameras: X_right = R_b·(R_a'·X_left − (baseline, 0, 0)). */
static StxCalibration real_pair(void)
{
  StxCalibration calibration = {.format = "made"};
  double turn[2][9], back[9];
  for (int i = 0; i < 2; i++) {
    calibration.camera[i] =
        (StxCalibratedCamera){.lens = lenses[i], .width = WIDTH, .height = HEIGHT};
    stx_rotation_from_vector(turns[i], turn[i]);
  }
  stx_matrix_transpose(turn[0], back);
  stx_matrix_product(turn[1], back, calibration.r);
  stx_matrix_apply(turn[1], (const double[]){-BASELINE, 0, 0}, calibration.t);
  return calibration;
}

static StxScene *new_street(const StxCalibration *calibration)
{
  StxSceneParams params = STX_SCENE_DEFAULTS;
  params.width = WIDTH;
  params.height = HEIGHT;
  params.terrain = STX_SCENE_FLAT;
  params.noise = 0;
  params.seed = 3;
  params.calibration = calibration;
  return stx_scan_scene(params);
}

/* ---- To a rectified pair ------------------------------------------------------------------ */

typedef struct {
  StxScene *street;
  StxRectifyView view[2];
  StxCamera camera;
  void *map[2];
  StxImage8 real, pair[2];
} Rig;

static Rig new_rig(void)
{
  const StxCalibration calibration = real_pair();
  const StxRectifyParams params = STX_RECTIFY_DEFAULTS;
  Rig rig = {.street = new_street(&calibration), .real = stx_test_image8(WIDTH, HEIGHT, 0)};
  StxError error;
  for (int i = 0; i < 2; i++) {
    ck_assert_msg(stx_rectify_view(
                      &calibration, &params, i, WIDTH, HEIGHT, &rig.view[i], &rig.camera, &error),
        "%s", error.text);
    rig.map[i] = stx_guarded_alloc(stx_rectify_map_bytes(&rig.view[i], 0, 0));
    stx_rectify_map_fill(&rig.view[i], 0, 0, rig.map[i], 2);
    rig.pair[i] = stx_test_image8(rig.view[i].width, rig.view[i].height, 0);
  }
  rig.camera.height = 1.65;
  return rig;
}

static void free_rig(Rig *rig)
{
  stx_scene_free(rig->street);
  for (int i = 0; i < 2; i++) {
    stx_guarded_free(rig->map[i]);
    stx_test_image8_free(&rig->pair[i]);
  }
  stx_test_image8_free(&rig->real);
}

STX_AUTO_VALUE(Rig, free_rig)

/* `rectifies`: else the pair is what the real cameras see. */
static void take_pair(Rig *rig, uint64_t frame, bool rectifies)
{
  const StxRectifyImpl *impl = stx_impl_pick(&stx_rectify_impls, STX_BACKEND_AUTO);
  const StxPlace place = {.threads = 2};
  stx_scene_move(rig->street, frame);
  for (int i = 0; i < 2; i++) {
    StxRectifyMap map = stx_rectify_map_in(&rig->view[i], 0, 0, rig->map[i]);
    stx_scene_render(rig->street, (StxSceneEye)i, 1, rectifies ? &rig->real : &rig->pair[i]);
    if (rectifies)
      impl->run(&map, &(StxRectifySample){1, {0}}, &rig->real, &rig->pair[i], &place, NULL);
  }
}

/* ---- Distances ---------------------------------------------------------------------------- */

/* The depth of the surface that the rectified left camera sees there. */
static double true_depth(const Rig *rig, double u, double v)
{
  StxSceneRay ray = stx_scene_ray(rig->street, STX_SCENE_LEFT, u, v);
  return stx_scene_cast(rig->street, &ray).t;
}

static int by_size(const void *a, const void *b)
{
  double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

#define MOST 20000

/* Adds the relative errors of the objects up to FARTHEST. */
static int add_errors(
    const Rig *rig, const StxPipelineOutput *output, double errors[MOST], int count)
{
  for (size_t i = 0; i < output->count && count < MOST; i++) {
    const StxStixel *stixel = &output->stixels[i];
    double disparity = (stixel->disparity_top + stixel->disparity_bottom) / 2.0;
    double u = (stixel->column + .5) * output->grid.cell_width - .5;
    double truth = true_depth(rig, u, (stixel->top + stixel->bottom) / 2.0);
    if (stixel->kind == STX_KIND_OBJECT && disparity > 0 && truth < FARTHEST)
      errors[count++] = fabs(rig->camera.focal * rig->camera.baseline / disparity / truth - 1);
  }
  return count;
}

static double median_error(Rig *rig, bool rectifies, int *count)
{
  static double errors[MOST];
  StxPipelineSettings settings = stx_pipeline_defaults();
  StxError error;
  STX_AUTO(StxPipeline) *pipeline = stx_pipeline_new(&settings, WIDTH, HEIGHT, &error);
  ck_assert_msg(pipeline != NULL, "%s", error.text);
  *count = 0;
  for (int frame = 0; frame < FRAMES; frame++) {
    take_pair(rig, (uint64_t)(frame * 20), rectifies);
    const StxPipelineInput input = {
        .left = rig->pair[0], .right = rig->pair[1], .camera = rig->camera};
    StxPipelineOutput output;
    ck_assert_msg(stx_pipeline_run(pipeline, &input, &output, &error), "%s", error.text);
    *count = add_errors(rig, &output, errors, *count);
  }
  qsort(errors, (size_t)*count, sizeof *errors, by_size);
  return *count > 0 ? errors[*count / 2] : 1;
}

STX_TEST(distances_agree_with_the_street)
{
  STX_AUTO(Rig) rig = new_rig();
  int count, raw_count;
  double median = median_error(&rig, true, &count);
  double raw = median_error(&rig, false, &raw_count);
  printf("%d stixels, median error %.2f %%; not rectified: %d, %.0f %%\n", count, 100 * median,
      raw_count, 100 * raw);
  ck_assert_double_eq_tol(rig.camera.baseline, BASELINE, 1e-9);
  ck_assert_int_gt(count, 300);
  ck_assert_msg(median < WORST, "a median error of %.2f %%", 100 * median);
  ck_assert_msg(raw > 2 * WORST, "rectification makes no difference: %.2f %%", 100 * raw);
}
