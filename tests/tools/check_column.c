/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval column as a user runs it: what it tells adds up, and nothing else would be cheaper. */
#include "tests/tools/programs.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static double value(json_t *object, const char *key)
{
  return json_number_value(json_object_get(object, key));
}

/* Of one that is not null; no alternative is cheaper. */
static int expect_dearer(json_t *alternative, const char *what)
{
  if (json_is_null(alternative))
    return 0;
  ck_assert_msg(json_number_value(alternative) >= 0, "%s would be cheaper by %g", what,
      -json_number_value(alternative));
  return 1;
}

static int check_stixel(json_t *stixel)
{
  json_t *terms = json_object_get(stixel, "terms"), *as = json_object_get(stixel, "as"), *number;
  const char *key;
  double sum = 0;
  int told = expect_dearer(json_object_get(stixel, "merged"), "one with that below");
  json_object_foreach(terms, key, number) sum += json_number_value(number);
  ck_assert_double_eq_tol(sum, value(stixel, "cost"), 1e-3);
  json_object_foreach(as, key, number) told += expect_dearer(number, key);
  ck_assert_double_eq(value(as, json_string_value(json_object_get(stixel, "kind"))), 0);
  return told - 1; /* its own kind */
}

/* Returns how many alternatives there are. */
static int check_column(const char *options)
{
  char *arguments = g_strdup_printf("column --size 640x192 --json %s", options);
  json_t *root = run_json("STX_EVAL", arguments), *stixel;
  double costs = 0;
  size_t i;
  int told = 0;
  json_array_foreach(json_object_get(root, "stixels"), i, stixel)
  {
    told += check_stixel(stixel);
    costs += value(stixel, "cost");
  }
  ck_assert_uint_gt(i, 0);
  ck_assert_double_eq_tol(costs, value(root, "energy"), 1e-3);
  json_decref(root);
  g_free(arguments);
  return told;
}

START_TEST(costs_add_up_and_are_the_least)
{
  int told = 0;
  for (int column = 0; column < 80; column += 9) {
    char *options = g_strdup_printf("--column %d", column);
    told += check_column(options);
    g_free(options);
  }
  ck_assert_int_ge(told, 40);
  check_column("--column 30 --labels");
  check_column("--column 30 --cell 4 --ground none");
}
END_TEST

/* What was measured is there, too, and where the road is expected. */
START_TEST(cells_are_those_of_the_column)
{
  json_t *root = run_json("STX_EVAL", "column --size 640x192 --column 40 --json");
  json_t *cells = json_object_get(root, "cells"), *last = json_array_get(cells, 23);
  ck_assert_uint_eq(json_array_size(cells), 24);
  ck_assert_double_eq(value(last, "row"), 187.5);
  ck_assert_double_ge(value(last, "weight"), .5);
  ck_assert_double_eq_tol(value(last, "disparity"), value(last, "road"), 3);
  json_decref(root);
}
END_TEST

START_TEST(segments_have_no_energies)
{
  json_t *root =
      run_json("STX_EVAL", "column --size 640x192 --segments --cell 1 --epsilon 1 --json");
  json_t *first = json_array_get(json_object_get(root, "stixels"), 0);
  ck_assert(json_is_null(json_object_get(root, "energy")));
  ck_assert_str_eq(json_string_value(json_object_get(first, "kind")), "segment");
  ck_assert_ptr_null(json_object_get(first, "terms"));
  ck_assert_double_le(value(first, "cost"), 1);
  json_decref(root);
}
END_TEST

static int count_of(const char *text, const char *part)
{
  int count = 0;
  for (; (text = strstr(text, part)) != NULL; text++)
    count++;
  return count;
}

START_TEST(the_picture_shows_what_the_text_says)
{
  char *path = g_build_filename(g_get_tmp_dir(), "stx-column-XXXXXX", NULL), *picture, *output,
       *errors;
  close(g_mkstemp(path));
  char *arguments = g_strdup_printf("column --size 640x192 --column 40 --output %s", path);
  ck_assert_int_eq(run_program("STX_EVAL", arguments, &output, &errors), 0);
  ck_assert(g_file_get_contents(path, &picture, NULL, NULL));
  ck_assert(g_str_has_prefix(picture, "<svg ") && g_str_has_suffix(picture, "</svg>\n"));
  ck_assert_int_eq(count_of(picture, "<circle "), 24);
  ck_assert_int_eq(count_of(picture, "class=\"stixel\""), count_of(picture, "instead: "));
  ck_assert_int_ge(count_of(picture, "class=\"stixel\""), 2);
  ck_assert_int_eq(count_of(picture, "<polyline class=\"road\""), 1);
  ck_assert_ptr_nonnull(strstr(output, "what each costs, nats"));
  g_remove(path);
  char *strings[] = {path, picture, output, errors, arguments};
  for (size_t i = 0; i < G_N_ELEMENTS(strings); i++)
    g_free(strings[i]);
}
END_TEST

START_TEST(errors_name_the_option)
{
  expect_error("STX_EVAL", "column --size 640x192 --column 80", "--column=80: must be 0 to 79");
  expect_error("STX_EVAL", "column --column -2 --size 64x64", "--column=-2: must be 0 to 7");
  expect_error("STX_EVAL", "column --left a.png", "--right is missing");
  expect_error("STX_EVAL", "column --left no.png --right no.png", "no.png");
  expect_error("STX_EVAL", "column --disparity no.png", "no.png");
  expect_error("STX_EVAL", "column --disparity no.png --labels", "--labels");
  expect_error("STX_EVAL", "column --calibration calib.txt", "--calibration");
  expect_error("STX_EVAL", "column --ground fence", "--ground=fence");
  expect_error("STX_EVAL", "column --size 64x64 --output /nowhere/a.svg", "/nowhere/a.svg");
  expect_error("STX_EVAL", "column street", "'street'");
}
END_TEST

static const StxTest tests[] = {
    {&costs_add_up_and_are_the_least},
    {&cells_are_those_of_the_column},
    {&segments_have_no_energies},
    {&the_picture_shows_what_the_text_says},
    {&errors_name_the_option},
};
STX_TESTING_MAIN("stx-eval column", tests)
