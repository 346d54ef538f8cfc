/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval --scans as a user runs it, on pairs and scans of the synthetic street. */
#include "tests/tools/programs.h"

#include <glib/gstdio.h>
#include <string.h>

#include "common/scene/scene.h"
#include "examples/shared/png_io.h"

#define WIDTH 620
#define HEIGHT 188
#define OPTIONS "--json --cell 4 --max-disparity 64"

/* ---- A folder like KITTI's odometry benchmark ---------------------------------------------- */

static void save_pictures(const char *folder, StxScene *scene)
{
  static const char *const subs[] = {"image_0", "image_1"};
  for (int i = 0; i < 2; i++) {
    StxError error;
    StxImage8 image = stx_test_image8(WIDTH, HEIGHT, 0);
    char *path = path_in(folder, subs[i], "000000.png");
    stx_scene_render(scene, i == 0 ? STX_SCENE_LEFT : STX_SCENE_RIGHT, 1, &image);
    ck_assert_msg(png_save_gray8(path, &image, &error), "%s", error.text);
    stx_test_image8_free(&image);
    g_free(path);
  }
}

static void save_scan(const char *folder, StxScene *scene, const StxSceneLidar *sensor)
{
  size_t rays = (size_t)sensor->beams * (size_t)sensor->steps;
  float(*points)[4] = g_malloc(rays * sizeof *points);
  uint32_t *labels = g_new(uint32_t, rays);
  size_t count = stx_scene_scan(scene, sensor, points, labels);
  char *bin = path_in(folder, "velodyne", "000000.bin");
  char *label = path_in(folder, "labels", "000000.label");
  ck_assert(g_file_set_contents(bin, (const char *)points, (gssize)(count * 16), NULL));
  ck_assert(g_file_set_contents(label, (const char *)labels, (gssize)(count * 4), NULL));
  g_free(points);
  g_free(labels);
  g_free(bin);
  g_free(label);
}

/* The sensor stands `above` metres over the camera, which looks along its x axis. */
static void save_calibration(const char *folder, const StxCamera *camera, double above)
{
  char *path = path_in(folder, "", "calib.txt");
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  for (int k = 0; k < 4; k++)
    fprintf(file, "P%d: %.17g 0 %.17g %.17g 0 %.17g %.17g 0 0 0 1 0\n", k, camera->focal,
        camera->cx, k % 2 ? -camera->baseline * camera->focal : 0.0, camera->focal, camera->cy);
  fprintf(file, "Tr: 0 -1 0 0 0 0 -1 %.17g 1 0 0 0\n", -above);
  fclose(file);
  g_free(path);
}

/* The street's first frame; the camera believes that the sensor is `wrong` metres higher. */
static char *make_folder(double wrong)
{
  StxSceneParams params = {.seed = 1, .width = WIDTH, .height = HEIGHT, .speed = 10, .noise = 2};
  StxSceneLidar sensor = stx_scene_lidar(32);
  StxScene *scene = stx_scene_new(&params, NULL);
  const StxCamera *camera = &stx_scene_params(scene)->camera;
  char *folder = g_dir_make_tmp("stx-XXXXXX", NULL);
  stx_scene_move(scene, 0);
  save_pictures(folder, scene);
  save_scan(folder, scene, &sensor);
  save_calibration(folder, camera, sensor.height - camera->height + wrong);
  stx_scene_free(scene);
  return folder;
}

static json_t *eval(const char *folder, const char *options)
{
  char *arguments = g_strdup_printf("--scans '%s' " OPTIONS " %s", folder, options);
  json_t *root = run_json("STX_EVAL", arguments);
  g_free(arguments);
  return root;
}

/* ---- Tests -------------------------------------------------------------------------------- */

STX_TEST(stixels_agree_with_the_scan)
{
  char *folder = make_folder(0);
  json_t *range, *root = eval(folder, "");
  double points = 0;
  size_t i;
  ck_assert_double_gt(number_at(root, "total.seen.ground_as_ground"), 0.85);
  ck_assert_double_gt(number_at(root, "total.seen.object_as_object"), 0.8);
  ck_assert_double_lt(number_at(root, "total.seen.distance_median"), 0.03);
  ck_assert_double_lt(number_at(root, "total.seen.distance_far_off"), 0.2);
  json_array_foreach(
      json_object_get(json_object_get(json_object_get(root, "total"), "seen"), "ranges"), i, range)
      points += number_at(range, "points");
  ck_assert_double_eq(number_at(root, "total.seen.points"), points);
  ck_assert_double_gt(points, 1000);
  json_decref(root);
  remove_folder(folder);
}

/* Expects that shares are shares and add up, of all points and of each range. */
static void check_distances(json_t *seen)
{
  double median = number_at(seen, "distance_median"), most = number_at(seen, "distance_90");
  ck_assert_double_gt(median, 0);
  ck_assert_double_gt(most, median);
  ck_assert_double_gt(number_at(seen, "metres_90"), number_at(seen, "metres_median"));
  /* Nine in ten are off by no more than `most`, one in ten is: and 10 % is beyond or before that.
   */
  if (most < .0999)
    ck_assert_double_le(number_at(seen, "distance_far_off"), .1);
  else if (most > .1001)
    ck_assert_double_ge(number_at(seen, "distance_far_off"), .1);
}

static void check_kinds(json_t *seen)
{
  static const char *const kinds[] = {"ground", "object"};
  for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
    json_t *as = json_object_get(json_object_get(seen, "kinds"), kinds[k]);
    char *right = g_strdup_printf("%s_as_%s", kinds[k], kinds[k]);
    ck_assert_double_eq(number_at(as, kinds[k]), number_at(seen, right));
    double sum = number_at(as, "ground") + number_at(as, "object") + number_at(as, "sky");
    ck_assert_double_eq_tol(sum, 1, 1e-4); /* rates have six digits */
    g_free(right);
  }
}

/* The street with the scans of its own sensor: no files. A folder of the same frame, with another
 * sensor, says about the same. */
STX_TEST(the_street_has_scans)
{
  json_t *root = run_json("STX_EVAL", "--street --scans --frames 2 --size 620x188 " OPTIONS);
  json_t *seen = json_object_get(json_object_get(root, "total"), "seen"), *range;
  size_t i;
  check_distances(seen);
  check_kinds(seen);
  json_array_foreach(json_object_get(seen, "ranges"), i,
      range) if (number_at(range, "points") > 200) check_distances(range);
  ck_assert_double_gt(number_at(seen, "points"), 5000);
  ck_assert_double_gt(number_at(seen, "ground_as_ground"), .85);
  ck_assert_double_gt(number_at(seen, "object_as_object"), .8);
  ck_assert_double_lt(number_at(seen, "distance_median"), .03);
  ck_assert_double_lt(number_at(seen, "metres_median"), .5);
  json_decref(root);
  root = run_json("STX_EVAL", "--street --frames 1 --size 620x188 " OPTIONS);
  ck_assert_double_eq(number_at(root, "total.seen.points"), 0);
  json_decref(root);
}

/* A sensor that is half a metre too high puts ground on objects and objects on ground. */
STX_TEST(a_wrong_calibration_shows)
{
  char *good_folder = make_folder(0), *bad_folder = make_folder(0.5);
  json_t *good = eval(good_folder, ""), *bad = eval(bad_folder, "");
  static const char *const rates[] = {"total.seen.ground_as_ground", "total.seen.object_as_object"};
  ck_assert_double_gt(number_at(bad, "total.seen.distance_far_off"),
      number_at(good, "total.seen.distance_far_off") + 0.1);
  for (size_t i = 0; i < G_N_ELEMENTS(rates); i++)
    ck_assert_double_lt(number_at(bad, rates[i]), number_at(good, rates[i]));
  json_decref(good);
  json_decref(bad);
  remove_folder(good_folder);
  remove_folder(bad_folder);
}

/* The street has a sky above: with the cue it is seen as sky, without it is not. */
STX_TEST(sky_is_counted)
{
  char *folder = make_folder(0);
  json_t *with = eval(folder, ""), *without = eval(folder, "--no-sky");
  ck_assert_double_gt(number_at(with, "total.seen.sky"), 1000);
  ck_assert_double_eq(number_at(with, "total.seen.sky"), number_at(without, "total.seen.sky"));
  ck_assert_double_gt(number_at(with, "total.seen.sky_as_sky"), 0.8);
  ck_assert_double_lt(number_at(with, "total.seen.sky_as_near"), 0.2);
  ck_assert_double_gt(
      number_at(without, "total.seen.sky_as_near"), number_at(with, "total.seen.sky_as_near"));
  json_decref(with);
  json_decref(without);
  remove_folder(folder);
}

STX_TEST(text_and_picture)
{
  char *folder = make_folder(0), *output, *errors;
  char *arguments =
      g_strdup_printf("--scans '%s' --cell 4 --max-disparity 64 --pictures '%s'", folder, folder);
  StxImage8 picture;
  StxError error;
  int status = run_program("STX_EVAL", arguments, &output, &errors);
  ck_assert_msg(status == 0, "%s", errors);
  ck_assert_msg(strstr(output, "What is seen") != NULL, "%s", output);
  ck_assert_msg(strstr(output, "10 to 20 m") != NULL, "%s", output);
  ck_assert_msg(strstr(output, "Points seen as, %") != NULL, "%s", output);
  char *base = g_path_get_basename(folder), *name = g_strdup_printf("%s_000000.png", base);
  char *path = g_build_filename(folder, name, NULL);
  ck_assert_msg(png_load_gray8(path, &picture, &error), "%s", error.text);
  ck_assert(picture.width == WIDTH && picture.height == HEIGHT);
  ck_assert_msg(!png_load_ids8(path, &picture, &error), "%s has no colours", path);
  free(picture.data);
  g_free(output), g_free(errors), g_free(arguments), g_free(base), g_free(name), g_free(path);
  remove_folder(folder);
}

STX_TEST(bad_folders_are_refused)
{
  char *folder = make_folder(0);
  char *arguments = g_strdup_printf("--scans '%s'", folder);
  char *calib = path_in(folder, "", "calib.txt"), *right = path_in(folder, "image_1", "000000.png");
  expect_error("STX_EVAL", "--scans no-such-folder", "no scans in no-such-folder");
  ck_assert(g_file_set_contents(
      calib, "P0: 1 0 0 0 0 1 0 0 0 0 1 0\nP1: 1 0 0 -1 0 1 0 0 0 0 1 0\nTr: 1 2 3\n", -1, NULL));
  expect_error("STX_EVAL", arguments, "\"Tr:\" needs 12 numbers, and has 3");
  ck_assert(g_file_set_contents(
      calib, "P0: 1 0 0 0 0 1 0 0 0 0 1 0\nP1: 1 0 0 -1 0 1 0 0 0 0 1 0\n", -1, NULL));
  expect_error("STX_EVAL", arguments, "no line \"Tr:\"");
  g_remove(right);
  expect_error("STX_EVAL", arguments, "no scan here has stereo pictures of its name");
  g_free(arguments), g_free(calib), g_free(right);
  remove_folder(folder);
}
