/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-check as a user runs it: on the street, on files of all kinds, and on KITTI's pictures. */
#include "tests/tools/programs.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/scene/scene.h"
#include "examples/stx-check/stx_check.h"

#define WIDTH 400
#define HEIGHT 200
#define MOMENTS 9

/* ---- The street ---------------------------------------------------------------------------- */

/* So many rows lower; the first ones are repeated. */
static void save_lower(const char *folder, const char *sub, int number, StxImage8 image, int rows)
{
  char *path = g_strdup_printf("%s/%s/%06d.png", folder, sub, number);
  for (int y = image.height - 1; rows > 0 && y >= rows; y--)
    memcpy(stx_row8(&image, y), stx_row8(&image, y - rows), (size_t)image.width);
  save_png8(path, &image);
  g_free(path);
}

/* The folders left, right and lower, where the right view lies 3 rows lower, of a drive at 10 m/s;
 * with a calibration, of the lenses that take the pictures. */
static char *make_long_drive(const StxCalibration *calibration, int moments)
{
  StxSceneParams params = STX_SCENE_DEFAULTS;
  params.width = WIDTH;
  params.height = HEIGHT;
  params.calibration = calibration;
  StxScene *scene = stx_scene_new(&params, NULL);
  StxImage8 image = {malloc(WIDTH * HEIGHT), WIDTH, WIDTH, HEIGHT};
  char *folder = g_dir_make_tmp("stx-XXXXXX", NULL);
  for (int i = 0; i < 3; i++) {
    char *path = g_build_filename(folder, (const char *[]){"left", "right", "lower"}[i], NULL);
    ck_assert_int_eq(g_mkdir(path, 0700), 0);
    g_free(path);
  }
  for (int i = 0; i < moments; i++) {
    stx_scene_move(scene, (uint64_t)i);
    stx_scene_render(scene, STX_SCENE_LEFT, 1, &image);
    save_lower(folder, "left", i, image, 0);
    stx_scene_render(scene, STX_SCENE_RIGHT, 1, &image);
    save_lower(folder, "right", i, image, 0);
    save_lower(folder, "lower", i, image, 3);
  }
  free(image.data);
  stx_scene_free(scene);
  return folder;
}

static char *make_drive(const StxCalibration *calibration)
{
  return make_long_drive(calibration, MOMENTS);
}

/* Runs "stx-check arguments", where each @ stands for the folder: exit status and words, with |
 * between them. */
static void expect(const char *folder, const char *arguments, int status, const char *words)
{
  char **parts = g_strsplit(arguments, "@", -1), *line = g_strjoinv(folder, parts);
  char *output, *errors;
  int found = run_program("STX_CHECK", line, &output, &errors);
  ck_assert_msg(g_spawn_check_wait_status(found, NULL) == (status == 0), "%s: %s", line, output);
  ck_assert_msg(found >> 8 == status, "%s: %d: %s%s", line, found >> 8, output, errors);
  char **all = g_strsplit(words, "|", -1);
  for (char **one = all; *one != NULL; one++)
    ck_assert_msg(strstr(status == 2 ? errors : output, *one) != NULL, "%s: no \"%s\" in: %s%s",
        line, *one, output, errors);
  g_strfreev(all);
  g_free(output);
  g_free(errors);
  g_free(line);
  g_strfreev(parts);
}

STX_TEST(names_what_is_wrong_and_the_cure)
{
  char *drive = make_drive(NULL);
  expect(drive, "@/left @/right", 0, "9 pairs: 9 plausible|range: max-disparity=");
  expect(drive, "--pairs 2 @/left/%06d.png @/right/%06d.png", 0, "2 pairs: 2 plausible");
  expect(drive, "@/left/000001.png @/right/000001.png", 0, "1 pair: 1 plausible");
  expect(drive, "@/right @/left", 1, "tried: plausible when exchanged");
  expect(drive, "@/left @/lower", 1,
      "the right view lies 3 rows lower|with the right view 3 rows higher");
  expect(drive, "@/lower @/left", 1, "when exchanged, and with the right view 3 rows higher");
  expect(drive, "@/left/000001.png @/left/000001.png", 1, "the same picture");
  remove_folder(drive);
}

/* The right camera has begun earlier, by a few moments or by seconds. */
STX_TEST(finds_the_pictures_of_one_moment)
{
  for (int later = 3; later < 40; later += 30) {
    char *drive = make_long_drive(NULL, later + 50);
    for (int i = 0; i < later; i++) {
      char *path = g_strdup_printf("%s/left/%06d.png", drive, i);
      ck_assert_int_eq(g_remove(path), 0);
      g_free(path);
    }
    char *words = g_strdup_printf("plausible with each right picture %d pictures later", later);
    expect(drive, "--pairs 8 @/left @/right", 1, words);
    g_free(words);
    remove_folder(drive);
  }
}

/* Videos are decoded by GStreamer. */
STX_TEST(reads_videos)
{
  char *drive = make_drive(NULL), *launch = g_find_program_in_path("gst-launch-1.0");
  for (int i = 0; i < 2 && launch != NULL; i++) {
    const char *view = i == 0 ? "left" : "right";
    char *line = g_strdup_printf("%s -q multifilesrc location=%s/%s/%%06d.png stop-index=8 "
                                 "caps=image/png,framerate=10/1 ! pngdec ! videoconvert ! jpegenc "
                                 "quality=95 ! matroskamux ! filesink location=%s/%s.mkv",
        launch, drive, view, drive, view);
    int status = 1;
    ck_assert(g_spawn_command_line_sync(line, NULL, NULL, &status, NULL) && status == 0);
    g_free(line);
  }
  if (launch != NULL) {
    expect(drive, "@/left.mkv @/right.mkv", 0, "9 pairs: 9 plausible");
    expect(drive, "@/right.mkv @/left", 1, "tried: plausible when exchanged");
  }
  g_free(launch);
  remove_folder(drive);
}

/* ---- A calibration ------------------------------------------------------------------------- */

/* Of the camera `bent` of the pages; its lens needs to be straightened. */
static const char bent[] = "image_width: 400\nimage_height: 200\n"
                           "K1: [230, 0, 205, 0, 230, 96, 0, 0, 1]\nD1: [-.28, .07, 0, 0, 0]\n"
                           "K2: [232, 0, 195, 0, 232, 104, 0, 0, 1]\nD2: [-.27, .08, 0, 0, 0]\n"
                           "R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [-.54, 0, 0]\n";

static void write_text(const char *folder, const char *name, const char *text)
{
  char *path = g_build_filename(folder, name, NULL);
  ck_assert(g_file_set_contents(path, text, -1, NULL));
  g_free(path);
}

STX_TEST(tries_the_calibration)
{
  char *folder = g_dir_make_tmp("stx-XXXXXX", NULL), *path;
  StxCalibration calibration;
  StxError error;
  write_text(folder, "bent.yml", bent);
  path = g_build_filename(folder, "bent.yml", NULL);
  ck_assert_msg(stx_calibration_load(
                    &(StxCalibrationFiles){.path = path, .pair = -1}, 0, 0, &calibration, &error),
      "%s", error.text);
  char *drive = make_drive(&calibration);
  write_text(drive, "bent.yml", bent);
  write_text(drive, "calib.txt",
      "P0: 700 0 24 0 0 700 10 0 0 0 1 0\nP1: 700 0 24 -378000 0 700 10 0 0 0 1 0\n");
  expect(drive, "@/left @/right @/bent.yml", 1,
      "put stereo-rectify with this file before|next: gst-launch-1.0 stereo-stixels name=stixels");
  expect(drive, "@/left @/right @/calib.txt", 2, "540 m");
  g_free(path);
  remove_folder(drive);
  remove_folder(folder);
}

STX_TEST(refuses_what_it_cannot_read)
{
  char *drive = make_drive(NULL);
  write_text(drive, "film.mp4", "no picture");
  write_text(drive, "broken.png", "no picture");
  expect(drive, "@/left", 2, "give LEFT and RIGHT");
  expect(drive, "@/left @/nothing", 2, "no such file or folder");
  expect(drive, "@/left @/right/%x.png", 2, "a pattern has one number");
  expect(drive, "@/left @/right/right-%d.png", 2, "no file with the number 0 or 1");
  expect(drive, "@/film.mp4 @/film.mp4", 2, "no PNG, and no video that GStreamer decodes: ");
  expect(drive, "@/broken.png @/broken.png", 2, "broken.png");
  expect(drive, "@/left @/right @/film.mp4", 2, "film.mp4");
  expect(drive, "--max-disparity=257 @/left @/right", 2, "expected 2 to 256");
  expect(drive, "--pairs=0 @/left @/right", 2, "expected at least 1");
  remove_folder(drive);
}

/* ---- KITTI --------------------------------------------------------------------------------- */

/* Sanitizers see in the street what they would see in these. */
static bool has_data(void)
{
  if (stx_test_data() != NULL && !stx_test_small())
    return true;
  printf("skipped: %s\n", stx_test_data() == NULL ? "no data" : "too slow here");
  return false;
}

/* Of half of the frames; the limits were chosen on the other one. */
static void expect_frames(const CheckFiles *files, CheckTry attempt, StxPairVerdict verdict)
{
  CheckResult result;
  StxError error;
  ck_assert_msg(check_look(files, &attempt, 128, 16, &result, &error), "%s", error.text);
  ck_assert_msg(result.seen_as[verdict] == result.pairs, "%d of %d are %s", result.seen_as[verdict],
      result.pairs, stx_pair_name(verdict));
}

static void keep_odd(GPtrArray *paths)
{
  for (guint i = 0; i < paths->len; i++)
    g_ptr_array_remove_index(paths, i);
}

STX_TEST(kitti_is_named_right)
{
  static const struct {
    CheckTry attempt;
    StxPairVerdict verdict;
  } cases[] = {{{.later = 0}, STX_PAIR_PLAUSIBLE}, {{.swap = true}, STX_PAIR_SWAPPED},
      {{.rows = 2}, STX_PAIR_ROWS}, {{.rows = -2}, STX_PAIR_ROWS}};
  CheckFiles files;
  StxError error;
  if (!has_data())
    return;
  char *left = g_strdup_printf("%s/kitti2012-more/image_0", stx_test_data());
  char *right = g_strdup_printf("%s/kitti2012-more/image_1", stx_test_data());
  ck_assert_msg(check_files_find(&files, left, right, &error), "%s", error.text);
  keep_odd(files.left);
  keep_odd(files.right);
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
    expect_frames(&files, cases[i].attempt, cases[i].verdict);
  check_files_clear(&files);
  g_free(left);
  g_free(right);
}

/* Half a second apart, and what it says of a drive as a whole. */
STX_TEST(kitti_of_two_moments_is_named)
{
  CheckResult result;
  CheckFiles files;
  StxError error;
  if (!has_data())
    return;
  char *drive = g_strdup_printf("%s/sequences/kitti-odometry-06-gray", stx_test_data());
  char *left = g_build_filename(drive, "image_0", NULL);
  char *right = g_build_filename(drive, "image_1", NULL);
  ck_assert_msg(check_files_find(&files, left, right, &error), "%s", error.text);
  for (int later = -5; later <= 5; later += 5) {
    StxPairVerdict expected = later == 0 ? STX_PAIR_PLAUSIBLE : STX_PAIR_MOMENT;
    ck_assert(check_look(&files, &(CheckTry){.later = later}, 128, 10, &result, &error));
    ck_assert_int_eq(result.finding.verdict, expected);
    ck_assert_int_ge(result.seen_as[expected], 8);
  }
  check_files_clear(&files);
  g_free(left);
  g_free(right);
  g_free(drive);
}

/* Cameras with a common trigger and lenses that bend lines, as they come; also when the camera has
 * moved between the views, which no row shows. Without a calibration the next step is to make one.
 */
STX_TEST(raw_pictures_are_not_rectified)
{
  CheckResult result;
  CheckFiles files;
  StxError error;
  if (!has_data())
    return;
  char *drive = g_build_filename(stx_test_data(), "sequences", "euroc-v1-raw", NULL);
  char *left = g_build_filename(drive, "cam0", NULL),
       *right = g_build_filename(drive, "cam1", NULL);
  ck_assert_msg(check_files_find(&files, left, right, &error), "%s", error.text);
  ck_assert(check_look(&files, &(CheckTry){0}, 128, 18, &result, &error));
  ck_assert_int_eq(result.seen_as[STX_PAIR_UNRECTIFIED], result.pairs);
  expect(drive, "--pairs 2 @/cam0 @/cam1", 1,
      "2 pairs: 2 unrectified|the views are not rectified: the right view lies 12 rows lower|"
      "measured: pitch 0.9 degrees for a focal length of 752 px|12 rows apart; roll -0.0 "
      "degrees|next, if the cameras move and turn|--baseline METRES|"
      "stx-calibrate left.mkv right.mkv");
  expect(drive, "--pairs 2 @/cam0 @/cam1 @/cam0/sensor.yaml @/cam1/sensor.yaml", 1,
      "2 pairs: 2 unrectified|(EuRoC) they are plausible|next: gst-launch-1.0 stereo-stixels|"
      "cam0/sensor.yaml' calibration-right='");
  check_files_clear(&files);
  g_free(left);
  g_free(right);
  g_free(drive);
}
