/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval obstacles as a user runs it: a short drive, held to what a long one reaches. */
#include "tests/tools/programs.h"

static json_t *eval(const char *options)
{
  char *arguments = g_strdup_printf("obstacles --json --seed 2 --seeds 1 %s", options);
  json_t *root = run_json("STX_EVAL", arguments);
  g_free(arguments);
  return root;
}

static void expect_least(json_t *root, const char *path, double least)
{
  ck_assert_msg(number_at(root, path) >= least, "%s is %g, at least %g expected", path,
      number_at(root, path), least);
}

static void expect_found(const char *options, double counted, double recall, double precision)
{
  json_t *root = eval(options);
  expect_least(root, "all.counted", counted);
  expect_least(root, "all.recall", recall);
  expect_least(root, "all.id_kept", .9);
  expect_least(root, "all.distance_within_3_percent", .6);
  expect_least(root, "precision", precision);
  ck_assert_double_le(number_at(root, "all.distance_median"), .03);
  json_decref(root);
}

START_TEST(stereo_finds_what_drives_and_walks)
{
  expect_found("--frames 6", 30, .8, .85);
  expect_found("--frames 6 --labels", 30, .9, .9);
}
END_TEST

START_TEST(scans_find_vehicles)
{
  json_t *root = eval("--frames 6 --scans");
  expect_least(root, "vehicles.counted", 30);
  expect_least(root, "vehicles.recall", .85);
  expect_least(root, "vehicles.id_kept", .9);
  expect_least(root, "precision", .85);
  json_decref(root);
}
END_TEST

/* Who waits for a minute sees that something goes on. */
START_TEST(it_tells_how_far_it_is)
{
  char *output, *errors;
  int status = run_program(
      "STX_EVAL", "obstacles --perfect --seeds 2 --frames 10 --size 160x96", &output, &errors);
  ck_assert_int_eq(status, 0);
  ck_assert_str_eq(errors, "street 1 of 2: frame 10 of 10\nstreet 2 of 2: frame 10 of 10\n");
  g_free(output);
  g_free(errors);
}
END_TEST

/* What stixels can say at best, with the true disparities: nothing that is found is impossible. */
START_TEST(possible_is_more_than_what_is_found)
{
  json_t *root = eval("--frames 4 --perfect");
  expect_least(root, "all.counted", 20);
  expect_least(root, "all.recall", .85);
  expect_least(root, "all.possible", number_at(root, "all.recall"));
  ck_assert_double_le(number_at(root, "all.possible"), 1);
  json_decref(root);
}
END_TEST

/* What the measures are worth: nothing found is a recall of 0. */
START_TEST(measures_see_what_is_not_found)
{
  json_t *root = eval("--frames 2 --min-height 9");
  expect_least(root, "all.counted", 5);
  ck_assert_double_eq(number_at(root, "all.recall"), 0);
  json_decref(root);
}
END_TEST

START_TEST(errors_name_the_option)
{
  expect_error("STX_EVAL", "obstacles --seeds 0", "--seeds=0");
  expect_error("STX_EVAL", "obstacles --gate 0", "gate");
  expect_error("STX_EVAL", "obstacles FOLDER", "'FOLDER': there are only streets");
  expect_error("STX_EVAL", "obstacles --scans --labels", "no use for --labels");
}
END_TEST

static const StxTest tests[] = {{&stereo_finds_what_drives_and_walks}, {&scans_find_vehicles},
    {&possible_is_more_than_what_is_found}, {&measures_see_what_is_not_found},
    {&it_tells_how_far_it_is}, {&errors_name_the_option}};
STX_TESTING_MAIN("eval_obstacles", tests)
