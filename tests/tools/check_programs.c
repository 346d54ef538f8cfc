/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval as a user runs it, on a small synthetic street; and its PNG files. */
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

START_TEST(png_files_keep_their_values)
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
END_TEST

START_TEST(colour_becomes_luma)
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
  ck_assert_uint_eq(gray.data[0], 76); /* 76.245 */
  ck_assert_uint_eq(gray.data[1], 29); /* 5.87 + 22.8 = 28.67 */
  free(gray.data);
  ck_assert(!png_load_ids8("colour.png", &gray, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "colour.png: is 8-bit colour, expected 8-bit gray"));
  ck_assert(!png_load_gray16("colour.png", &(StxImage16){0}, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "expected 16-bit gray"));
  g_remove("colour.png");
}
END_TEST

START_TEST(broken_files_are_refused)
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
END_TEST

/* ---- stx-eval ----------------------------------------------------------------------------- */

#define STREET "--street --size 416x160 --max-disparity 64 --json "

START_TEST(eval_measures_the_street)
{
  json_t *root = run_json("STX_EVAL", STREET "--frames 2 --semantics truth");
  json_t *frames = json_object_get(root, "frames");
  ck_assert_uint_eq(json_array_size(frames), 2);
  double pixels = 0;
  for (size_t i = 0; i < 2; i++)
    pixels += number_at(json_array_get(frames, i), "all.raw.pixels");
  ck_assert_double_eq(number_at(root, "total.all.raw.pixels"), pixels);
  ck_assert_double_gt(pixels, 2 * 0.5 * WIDTH * HEIGHT);
  ck_assert_double_lt(number_at(root, "total.non_occluded.filled.error_and"), 0.10);
  ck_assert_double_lt(number_at(root, "total.non_occluded.stixels.error_and"), 0.12);
  ck_assert_double_le(number_at(root, "total.non_occluded.filled.error_and"),
      number_at(root, "total.non_occluded.raw.error_and"));
  ck_assert_double_le(number_at(root, "total.non_occluded.filled.error_and"),
      number_at(root, "total.non_occluded.filled.error_or"));
  ck_assert_double_gt(number_at(root, "total.pixels_per_stixel"), 200);
  ck_assert_double_gt(number_at(root, "total.iou_classes.mean"), 0.3);
  ck_assert_double_le(
      number_at(root, "total.iou_classes.mean"), number_at(root, "total.iou_cells.mean"));
  ck_assert_double_ge(number_at(root, "total.ms.sgm"), 0);
  json_decref(root);
}
END_TEST

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

START_TEST(eval_does_not_depend_on_the_backend)
{
  json_t *fast = run_json("STX_EVAL", STREET "--frames 1 --cell 4x8 --backend omp --threads 3");
  json_t *reference = run_json("STX_EVAL", STREET "--frames 1 --cell 4x8 --backend c");
  drop_times(fast);
  drop_times(reference);
  ck_assert(json_equal(fast, reference));
  json_decref(fast);
  json_decref(reference);
}
END_TEST

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

START_TEST(eval_takes_the_scores_of_a_network)
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
END_TEST

START_TEST(eval_measures_segments)
{
  json_t *fine = run_json("STX_EVAL", STREET "--frames 1 --model rdp --epsilon 0.5 --median 3");
  json_t *coarse = run_json("STX_EVAL", STREET "--frames 1 --model rdp --epsilon 8 --median 3");
  ck_assert_double_lt(number_at(fine, "total.non_occluded.stixels.error_and"), 0.12);
  ck_assert_double_lt(number_at(fine, "total.non_occluded.stixels.error_or"),
      number_at(coarse, "total.non_occluded.stixels.error_or"));
  ck_assert_double_lt(
      number_at(fine, "total.pixels_per_stixel"), number_at(coarse, "total.pixels_per_stixel"));
  ck_assert_double_eq(number_at(fine, "settings.epsilon"), 0.5);
  ck_assert_double_gt(number_at(fine, "total.ms.rdp"), 0);
  json_t *total = json_object_get(fine, "total");
  static const char *const absent[] = {"iou_kinds", "iou_classes", "pairs_evaluated"};
  for (size_t i = 0; i < G_N_ELEMENTS(absent); i++)
    ck_assert_msg(json_is_null(json_object_get(total, absent[i])), "%s is not null", absent[i]);
  ck_assert(json_is_null(json_object_get(json_object_get(total, "ms"), "satdp")));
  json_decref(fine), json_decref(coarse);
}
END_TEST

/* The other model: other stixels, about as good. */
START_TEST(eval_measures_the_model_with_outliers)
{
  json_t *satdp = run_json("STX_EVAL", STREET "--frames 1");
  json_t *full = run_json("STX_EVAL", STREET "--frames 1 --model gaussian-uniform");
  json_t *more =
      run_json("STX_EVAL", STREET "--frames 1 --model gaussian-uniform --outlier-share-object 0.8");
  static const char *const size = "total.pixels_per_stixel";
  ck_assert_double_lt(number_at(full, "total.non_occluded.stixels.error_and"), 0.12);
  ck_assert_double_ne(number_at(full, size), number_at(satdp, size));
  ck_assert_double_ne(number_at(full, size), number_at(more, size));
  ck_assert_double_gt(number_at(full, "total.iou_kinds.mean"), 0.3);
  json_t *model = json_object_get(json_object_get(full, "settings"), "model");
  ck_assert_str_eq(json_string_value(model), "gaussian-uniform");
  json_decref(satdp);
  json_decref(full);
  json_decref(more);
}
END_TEST

/* Fewer start rows: less work for satdp, and other stixels; at epsilon 0 nearly all rows. */
START_TEST(eval_takes_start_rows_from_rdp)
{
  static const char *const work = "total.pairs_evaluated", *const size = "total.pixels_per_stixel";
  json_t *all = run_json("STX_EVAL", STREET "--frames 1 --backend c");
  json_t *few =
      run_json("STX_EVAL", STREET "--frames 1 --backend c --cut-candidates rdp --epsilon 8");
  ck_assert_double_lt(number_at(few, work), 0.5 * number_at(all, work));
  ck_assert_double_gt(number_at(few, size), number_at(all, size));
  ck_assert_double_gt(number_at(few, "total.iou_kinds.mean"), 0.3);
  ck_assert_double_gt(number_at(few, "total.ms.rdp"), 0);
  ck_assert(
      json_is_null(json_object_get(json_object_get(json_object_get(all, "total"), "ms"), "rdp")));
  json_decref(all);
  json_decref(few);
}
END_TEST

/* Every field is an option, and what is said to be its default is. */
START_TEST(eval_has_the_fields_as_options)
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
END_TEST

START_TEST(eval_refuses_fields_as_their_stems_do)
{
  static const struct {
    const char *option, *words;
  } cases[] = {
      {"--p1 97", "p1 is 97, but must be from 0 to 96"},
      {"--p1 96", "p1 is 96, but must not exceed p2, which is 86"},
      {"--p2=ten", "--p2=ten: must be a whole number, 0 to 96"},
      {"--texture 0.5", "--texture=0.5: must be a whole number, -1 to 254"},
      {"--paths 5", "paths is 5, choose 4 or 8"},
      {"--stixel-width 0", "cell width is 0; it must be 1 to 128 pixels"},
      {"--fill-width -1", "fill_width is -1; it must be 0 to 32768 pixels"},
      {"--sigma-disparity-sky 0", "sigma_disparity[2] is 0, must be 0.0625 to 64 px"},
      {"--sigma-ground 65", "sigma_disparity[0] is 65, must be 0.0625 to 64 px"},
      {"--stixel-cost nan", "stixel_cost is nan, must be 0 to 1000 nat, or negative: automatic"},
      {"--pair-cost x", "--pair-cost=x: must be 0 to 1000 nat"},
      {"--class-kinds 'ground=0;sky=10,32'", "class_kinds: there is no class 32"},
      {"--class-kinds 'ground=0;sky=road'", "class 0 (road) is ground and sky"},
      {"--median 4", "median is 4 cells, must be 0 (none), 3, 5 or 7"},
      {"--median no", "--median=no: choose one of 0, 3, 5, 7"},
      {"--epsilon -1", "--epsilon=-1: must be 0 to 255 px"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    char *arguments = g_strconcat("--street ", cases[i].option, NULL);
    expect_error("STX_EVAL", arguments, cases[i].words);
    g_free(arguments);
  }
}
END_TEST

START_TEST(eval_reads_folders_like_kittis)
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
END_TEST

START_TEST(eval_prints_a_table)
{
  char *output, *errors;
  int status = run_program("STX_EVAL", "--street --size 416x160 --frames 1", &output, &errors);
  ck_assert_msg(status == 0, "%s", errors);
  ck_assert_ptr_nonnull(strstr(output, "Disparity error"));
  ck_assert_ptr_nonnull(strstr(output, "\ntotal "));
  ck_assert_ptr_nonnull(strstr(output, "road"));
  g_free(output);
  g_free(errors);
}
END_TEST

START_TEST(eval_refuses_what_it_cannot_use)
{
  char *folder = g_dir_make_tmp("stx-XXXXXX", NULL);
  expect_error("STX_EVAL", "", "either a folder or --street");
  expect_error("STX_EVAL", "/no/such/folder", "/no/such/folder: no such folder");
  expect_error("STX_EVAL", folder, "image_2 and image_3");
  expect_error("STX_EVAL", "--street --reduction=mode", "mean, weighted, median");
  expect_error("STX_EVAL", "--street --cell 0", "cell");
  expect_error("STX_EVAL", "--street --cell 4x", "--cell=4x: write it as N or WxH");
  expect_error("STX_EVAL", "--street --paths 5", "paths is 5");
  expect_error("STX_EVAL", "--street --threads -1", "--threads=-1");
  expect_error("STX_EVAL", "--street --model sgm",
      "--model=sgm: choose one of satdp, rdp, gaussian-uniform");
  expect_error("STX_EVAL", "--street --model rdp --epsilon 256", "--epsilon=256: must be 0 to 255");
  expect_error("STX_EVAL", "--street --model rdp --epsilon nan", "--epsilon=nan");
  expect_error("STX_EVAL", "--street --model rdp --median 4", "median is 4 cells");
  expect_error("STX_EVAL", "--street --cut-candidates x", "choose one of all, rdp");
  expect_error("STX_EVAL", "--street --model rdp --cut-candidates rdp", "is not for --model=rdp");
  expect_error("STX_EVAL", "--street --terrain steep", "gentle, flat, sloped, hilly");
  expect_error("STX_EVAL", "--street --nonsense", "--help");
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
END_TEST

START_TEST(every_program_says_its_version)
{
  static const char *const commands[][2] = {{"STX_EVAL", ""}, {"STX_EVAL", "column"},
      {"STX_EVAL", "lidar"}, {"STX_EVAL", "obstacles"}, {"STX_EVAL", "paper"}, {"STX_BENCH", ""},
      {"STX_BENCH", "lidar"}};
  for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
    char *output, *errors;
    char *arguments = g_strconcat(commands[i][1], " --version", NULL);
    ck_assert_int_eq(run_program(commands[i][0], arguments, &output, &errors), 0);
    ck_assert_msg(g_str_has_suffix(output, " (gst-stixels) " STX_VERSION "\n"), "%s", output);
    g_free(arguments);
    g_free(output);
    g_free(errors);
  }
}
END_TEST

static const StxTest tests[] = {
    {&png_files_keep_their_values},
    {&colour_becomes_luma},
    {&broken_files_are_refused},
    {&eval_measures_the_street},
    {&eval_does_not_depend_on_the_backend},
    {&eval_takes_the_scores_of_a_network},
    {&eval_measures_segments},
    {&eval_takes_start_rows_from_rdp},
    {&eval_measures_the_model_with_outliers},
    {&eval_has_the_fields_as_options},
    {&eval_refuses_fields_as_their_stems_do},
    {&eval_reads_folders_like_kittis},
    {&eval_prints_a_table},
    {&eval_refuses_what_it_cannot_use},
    {&every_program_says_its_version},
};
STX_TESTING_MAIN("programs", tests)
