/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inputs of stx-eval: PNG files, scores, folders; and its options. check_eval.py has the
 * rest. */
#include "tests/tools/programs.h"

#include <glib/gstdio.h>
#include <string.h>

#include "common/colmean/colmean.h"
#include "common/labels.h"
#include "common/rdp/rdp.h"
#include "common/satdp/satdp.h"
#include "common/scene/scene.h"
#include "common/sgm/sgm.h"
#include "examples/shared/png_io.h"

#define WIDTH 416
#define HEIGHT 160

/* ---- PNG files ---------------------------------------------------------------------------- */

STX_TEST(png_files_keep_their_values)
{
  StxRandom random = {1};
  StxError error;
  StxImage8 bytes = stx_test_image8(37, 5, 3), bytes_back;
  StxImage16 words = stx_test_image16(37, 5, 6), words_back;
  stx_fill8(&bytes, STX_FILL_NOISE, &random);
  stx_fill16(&words, STX_FILL_NOISE, 65535, &random);
  ck_assert_msg(png_save_gray8("bytes.png", &bytes, &error), "%s", error.text);
  ck_assert_msg(png_save_gray16("words.png", &words, &error), "%s", error.text);
  ck_assert_msg(png_load_ids8("bytes.png", &bytes_back, &error), "%s", error.text);
  stx_expect_same_image8(&bytes, &bytes_back, "8 bit");
  free(bytes_back.data);
  ck_assert_msg(png_load_gray8("bytes.png", &bytes_back, &error), "%s", error.text);
  stx_expect_same_image8(&bytes, &bytes_back, "gray");
  ck_assert_msg(png_load_gray16("words.png", &words_back, &error), "%s", error.text);
  stx_expect_same_image16(&words, &words_back, "16 bit");
  free(bytes_back.data);
  free(words_back.data);
  stx_test_image8_free(&bytes);
  stx_test_image16_free(&words);
  g_remove("bytes.png");
  g_remove("words.png");
}

/* A camera of 12 bits; and one of 8 in 16. */
STX_TEST(deep_gray_keeps_its_upper_bits)
{
  uint16_t values[] = {0, 15, 16, 4095}, few[] = {0, 1, 254, 255};
  StxImage16 deep = {values, 8, 4, 1}, flat = {few, 8, 4, 1};
  StxError error;
  StxImage8 gray;
  ck_assert(png_save_gray16("deep.png", &deep, &error));
  ck_assert_msg(png_load_gray8("deep.png", &gray, &error), "%s", error.text);
  ck_assert(memcmp(gray.data, (uint8_t[]){0, 0, 1, 255}, 4) == 0);
  free(gray.data);
  ck_assert(png_save_gray16("deep.png", &flat, &error));
  ck_assert_msg(png_load_gray8("deep.png", &gray, &error), "%s", error.text);
  ck_assert(memcmp(gray.data, (uint8_t[]){0, 1, 254, 255}, 4) == 0);
  free(gray.data);
  g_remove("deep.png");
}

STX_TEST(colour_becomes_luma)
{
  /* 2 × 1 pixels, 8-bit RGB: (255, 0, 0) and (0, 10, 200). */
  static const uint8_t png[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00,
      0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02,
      0x00, 0x00, 0x00, 0x7b, 0x40, 0xe8, 0xdd, 0x00, 0x00, 0x00, 0x0f, 0x49, 0x44, 0x41, 0x54,
      0x78, 0xda, 0x63, 0xf8, 0xcf, 0xc0, 0xc0, 0xc0, 0x75, 0x02, 0x00, 0x06, 0xdd, 0x01, 0xd2,
      0xda, 0x27, 0x44, 0xf4, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60,
      0x82};
  StxError error;
  StxImage8 gray;
  ck_assert(g_file_set_contents("colour.png", (const char *)png, sizeof png, NULL));
  ck_assert_msg(png_load_gray8("colour.png", &gray, &error), "%s", error.text);
  ck_assert_int_eq(gray.width, 2);
  ck_assert_uint_eq(gray.data[0], 76); /* 76.7, cut */
  ck_assert_uint_eq(gray.data[1], 28); /* 28.5, cut */
  free(gray.data);
  ck_assert(!png_load_ids8("colour.png", &gray, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "colour.png: is 8-bit colour, expected 8-bit gray"));
  ck_assert(!png_load_gray16("colour.png", &(StxImage16){0}, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "expected 16-bit gray"));
  g_remove("colour.png");
}

STX_TEST(broken_files_are_refused)
{
  StxError error;
  StxImage8 image;
  StxRandom random = {2};
  ck_assert(!png_load_gray8("no-such.png", &image, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "no-such.png: No such file"));
  ck_assert(g_file_set_contents("text.png", "not a picture", -1, NULL));
  ck_assert(!png_load_gray8("text.png", &image, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "text.png: "));

  StxImage8 noise = stx_test_image8(64, 64, 0);
  stx_fill8(&noise, STX_FILL_NOISE, &random);
  ck_assert(png_save_gray8("whole.png", &noise, &error));
  char *content;
  gsize length;
  ck_assert(g_file_get_contents("whole.png", &content, &length, NULL));
  ck_assert(g_file_set_contents("half.png", content, (gssize)length / 2, NULL));
  ck_assert(!png_load_gray8("half.png", &image, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "half.png: "));
  g_free(content);
  stx_test_image8_free(&noise);
  g_remove("text.png");
  g_remove("whole.png");
  g_remove("half.png");
}

/* ---- stx-eval ----------------------------------------------------------------------------- */

#define STREET "--street --size 416x160 --max-disparity 64 --json "

/* Takes the times out, which differ from run to run. */
static void drop_times(json_t *root)
{
  size_t i;
  json_t *frame;
  json_object_del(json_object_get(root, "total"), "ms");
  json_array_foreach(json_object_get(root, "frames"), i, frame) json_object_del(frame, "ms");
  json_object_del(json_object_get(root, "total"), "pairs_evaluated"); /* pruning is optional */
  json_array_foreach(json_object_get(root, "frames"), i, frame)
      json_object_del(frame, "pairs_evaluated");
}

/* Writes the labels of a frame of STREET as certain scores, of every 2^shift-th pixel each way. */
static void write_scores(const char *folder, size_t frame, int shift)
{
  StxSceneParams params = {.seed = 1, .width = WIDTH, .height = HEIGHT, .speed = 10, .noise = 2};
  StxScene *scene = stx_scene_new(&params, NULL);
  StxImage8 labels = stx_test_image8(WIDTH, HEIGHT, 0);
  StxImage16 disparity = stx_test_image16(WIDTH, HEIGHT, 0);
  int width = stx_score_side(WIDTH, shift), height = stx_score_side(HEIGHT, shift);
  size_t count = (size_t)STX_LABEL_CLASSES * (size_t)(width * height);
  float *scores = g_new0(float, count);
  char *path = g_strdup_printf("%s/%06zu.scores", folder, frame);
  stx_scene_move(scene, frame);
  stx_scene_truth(scene, &disparity, &labels);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      scores[(stx_row8(&labels, y << shift)[x << shift] * height + y) * width + x] = 1;
  ck_assert(g_file_set_contents(path, (char *)scores, (gssize)(count * sizeof *scores), NULL));
  g_free(path);
  g_free(scores);
  stx_test_image8_free(&labels);
  stx_test_image16_free(&disparity);
  stx_scene_free(scene);
}

/* The mean IoU of the classes of two frames of the street. */
static double class_iou(const char *options)
{
  char *arguments = g_strdup_printf(STREET "--frames 2 %s", options);
  json_t *root = run_json("STX_EVAL", arguments);
  double iou = number_at(root, "total.iou_classes.mean");
  json_decref(root);
  g_free(arguments);
  return iou;
}

STX_TEST(eval_takes_the_scores_of_a_network)
{
  char *folder = g_dir_make_tmp("stx-XXXXXX", NULL), *output, *errors;
  char *options = g_strdup_printf("--scores %s", folder);
  char *short_one = g_strdup_printf("--street --frames 2 --size 412x160 --scores %s", folder);
  char *more = g_strdup_printf("--street --frames 3 --size 416x160 --scores %s", folder);
  char *text = g_strdup_printf("--street --frames 1 --size 416x160 --scores %s", folder);
  double truth = class_iou("--semantics truth");
  for (size_t frame = 0; frame < 2; frame++)
    write_scores(folder, frame, 0);
  ck_assert_double_eq(class_iou(options), truth);
  for (size_t frame = 0; frame < 2; frame++)
    write_scores(folder, frame, 1);
  double half = class_iou(options);
  ck_assert_double_gt(half, 0.8 * truth);
  ck_assert_double_ne(half, truth);
  ck_assert_int_eq(run_program("STX_EVAL", text, &output, &errors), 0);
  ck_assert_ptr_nonnull(strstr(output, "with a network's scores"));
  expect_error("STX_EVAL", short_one, "000000.scores has 1264640 bytes; for frame 0 it must be 19");
  expect_error("STX_EVAL", more, "2 files, but frame 2 is number 3");
  expect_error("STX_EVAL", "--street --scores /no/such", "--scores=/no/such: no such folder");
  expect_error("STX_EVAL", "--street --semantics truth --scores /tmp", "give one of the two");
  g_free(output);
  g_free(errors);
  g_free(options);
  g_free(short_one);
  g_free(more);
  g_free(text);
  remove_folder(folder);
}

/* Every field is an option, and what is said to be its default is; the range of disparities is the
 * program's own, the same for all frames. */
STX_TEST(eval_has_the_fields_as_options)
{
  const StxFields *const tables[] = {
      &stx_sgm_fields, &stx_grid_fields, &stx_colmean_fields, &stx_satdp_fields, &stx_rdp_fields};
  GString *all = g_string_new("--street --size 416x160 --json --frames 1");
  json_t *plain = run_json("STX_EVAL", all->str);
  for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
    char *options = options_of(tables[i]);
    g_string_append(all, options);
    g_free(options);
  }
  g_string_append(all, " --max-disparity 128 --disparity-at-infinity 0");
  json_t *same = run_json("STX_EVAL", all->str);
  drop_times(plain);
  drop_times(same);
  ck_assert(json_equal(plain, same));
  json_decref(same);
  g_string_append(all, " --no-median");
  json_t *other = run_json("STX_EVAL", all->str);
  drop_times(other);
  ck_assert(!json_equal(plain, other));
  json_decref(plain);
  json_decref(other);
  g_string_free(all, TRUE);
}

STX_TEST(eval_reads_folders_like_kittis)
{
  static const char *const same[] = {"total.all.raw.pixels", "total.all.raw.error_and",
      "total.all.filled.error_and", "total.all.stixels.error_and", "total.all.stixels.error_or",
      "total.density", "total.pixels_per_stixel", "total.iou_classes.mean", "total.iou_cells.mean",
      "total.iou_kinds.mean"};
  char *folder = make_street_folder(WIDTH, HEIGHT);
  char *arguments = g_strdup_printf("--max-disparity 64 --json --semantics truth %s", folder);
  json_t *files = run_json("STX_EVAL", arguments);
  json_t *street = run_json("STX_EVAL", STREET "--frames 1 --semantics truth");
  for (size_t i = 0; i < G_N_ELEMENTS(same); i++)
    ck_assert_msg(ABS(number_at(files, same[i]) - number_at(street, same[i])) <=
                      1e-4 * number_at(street, same[i]),
        "%s: %g from files, %g from the street", same[i], number_at(files, same[i]),
        number_at(street, same[i]));
  ck_assert(json_is_null(json_object_get(json_object_get(files, "total"), "non_occluded")));
  json_decref(files);
  json_decref(street);
  g_free(arguments);
  remove_folder(folder);
}

STX_TEST(eval_names_what_a_folder_lacks)
{
  char *folder = g_dir_make_tmp("stx-XXXXXX", NULL);
  expect_error("STX_EVAL", folder, "image_2 and image_3");
  remove_folder(folder);

  folder = make_street_folder(WIDTH, HEIGHT);
  char *path = g_build_filename(folder, "training", "image_1", "000000_10.png", NULL);
  g_remove(path);
  expect_error("STX_EVAL", folder, "no frames");
  StxImage8 small = stx_test_image8(WIDTH - 1, HEIGHT, 0);
  ck_assert(png_save_gray8(path, &small, NULL));
  expect_error("STX_EVAL", folder, "the left picture has 416 × 160 pixels");
  stx_test_image8_free(&small);
  g_free(path);
  remove_folder(folder);
}

/* ---- Motion --------------------------------------------------------------------------------- */

#define SEQUENCE 3 /* frames */

static void write_view(StxScene *scene, StxSceneEye eye, const char *path)
{
  StxImage8 image = stx_test_image8(640, 192, 0);
  StxError error;
  stx_scene_render(scene, eye, 1, &image);
  ck_assert_msg(png_save_gray8(path, &image, &error), "%s", error.text);
  stx_test_image8_free(&image);
}

/* Frames of the street in KITTI's layout, whose car goes a metre from each to the next. */
static void write_sequence(const char *folder)
{
  StxSceneParams params = {.seed = 1, .width = 640, .height = 192, .speed = 10};
  StxScene *scene = stx_scene_new(&params, NULL);
  const StxCamera *c = &stx_scene_params(scene)->camera;
  char *calibration = g_strdup_printf("P0: %f 0 %f 0 0 %f %f 0 0 0 1 0\n"
                                      "P1: %f 0 %f %f 0 %f %f 0 0 0 1 0\n",
      c->focal, c->cx, c->focal, c->cy, c->focal, c->cx, -c->focal * c->baseline, c->focal, c->cy);
  char *path = path_in(folder, ".", "calib.txt");
  ck_assert(g_file_set_contents(path, calibration, -1, NULL));
  g_free(path);
  g_free(calibration);
  for (unsigned frame = 0; frame < SEQUENCE; frame++) {
    char name[16], *left, *right;
    g_snprintf(name, sizeof name, "%06u.png", frame);
    left = path_in(folder, "image_0", name);
    right = path_in(folder, "image_1", name);
    stx_scene_move(scene, frame);
    write_view(scene, STX_SCENE_LEFT, left);
    write_view(scene, STX_SCENE_RIGHT, right);
    g_free(left);
    g_free(right);
  }
  stx_scene_free(scene);
}

/* The first length of pieces, with poses so many metres apart. */
static void expect_off(const char *folder, double step, double off)
{
  char *path = path_in(folder, ".", "poses.txt"), *arguments;
  GString *poses = g_string_new(NULL);
  for (int frame = 0; frame < SEQUENCE; frame++)
    g_string_append_printf(poses, "1 0 0 0 0 1 0 0 0 0 1 %g\n", step * frame);
  ck_assert(g_file_set_contents(path, poses->str, -1, NULL));
  arguments = g_strdup_printf("motion --json --sequence %s", folder);
  json_t *root = run_json("STX_EVAL", arguments);
  json_t *first = json_array_get(json_object_get(root, "lengths"), 0);
  ck_assert_double_eq(number_at(first, "frames"), 2);
  ck_assert_double_eq(number_at(first, "pieces"), 2);
  ck_assert_double_eq_tol(number_at(first, "translation"), off, .02 / step);
  ck_assert_double_lt(number_at(first, "degrees_per_metre"), .1 / step);
  json_decref(root);
  g_free(arguments);
  g_free(path);
  g_string_free(poses, TRUE);
}

/* With the true poses and with those of twice the way, and half of it. */
STX_TEST(eval_compares_motion_with_poses)
{
  char *folder = g_dir_make_tmp("stx-XXXXXX", NULL);
  write_sequence(folder);
  expect_off(folder, 1, 0);
  expect_off(folder, 2, .5);
  expect_off(folder, .5, 1);
  remove_folder(folder);
}
