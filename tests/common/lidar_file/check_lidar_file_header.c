/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that are known by their first bytes, and all others, which are not. Numbers in text,
 * against those of strtod.
 */
#include "tests/testing.h"
#include "common/lidar_file/lidar_file.h"
#include "tests/common/lidar_file/lidar_file_case.h"
#include "common/lidar_file/lidar_file_private.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 7

static bool has_header(StxLidarFormat format)
{
  return format != STX_LIDAR_AUTO && stx_lidar_format_info(format)->recognizes != NULL;
}

/* The format that recognizes these bytes; AUTO: none. Never two. */
static StxLidarFormat recognize(const void *bytes, size_t size)
{
  StxLidarFormat found = STX_LIDAR_AUTO;
  for (int f = STX_LIDAR_AUTO + 1; f < STX_LIDAR_FORMAT_COUNT; f++)
    if (has_header((StxLidarFormat)f) &&
        stx_lidar_format_info((StxLidarFormat)f)->recognizes(bytes, size)) {
      ck_assert_int_eq((int)found, (int)STX_LIDAR_AUTO);
      found = (StxLidarFormat)f;
    }
  return found;
}

/* However little of it there is, it is nothing else; all of it is enough. */
static void expect_known(const StxLidarKind *kind)
{
  StxLidarFormat expected = has_header(kind->format) ? kind->format : STX_LIDAR_AUTO;
  float points[4 * POINTS];
  STX_AUTO(StxBytes) bytes = {0};
  stx_lidar_case_points(points, POINTS, 5);
  stx_lidar_case_write(&bytes, kind, points, POINTS);
  bool known = false;
  for (size_t size = 0; size <= bytes.size; size++) {
    STX_GUARDED uint8_t *part = stx_guarded_alloc(size);
    memcpy(part, bytes.data, size);
    StxLidarFormat format = recognize(part, size);
    ck_assert_msg(format == (known                   ? expected
                                : format == expected ? expected
                                                     : STX_LIDAR_AUTO),
        "%zu bytes of %s are %s", size, kind->name, stx_lidar_format_name(format));
    known = known || (format == expected && has_header(expected));
  }
  ck_assert_msg(known == has_header(expected), "%s is not known", kind->name);
}

STX_TEST(every_kind_of_file)
{
  for (size_t i = 0; i < stx_lidar_kind_count; i++)
    expect_known(&stx_lidar_kinds[i]);
}

static const struct {
  const char *text;
  StxLidarFormat format;
} headers[] = {
    {"# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z rgb\n", STX_LIDAR_PCD},
    {"# .PCD v.5\nVERSION .5\nCOLUMNS x y z\n", STX_LIDAR_PCD},
    {"FIELDS intensity X Y Z\r\nSIZE", STX_LIDAR_PCD},
    {"\n# written by hand\n\n  fields x y z\n", STX_LIDAR_PCD},
    {"# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z", STX_LIDAR_AUTO},
    {"# .PCD v0.7 - Point Cloud Data file format\n", STX_LIDAR_AUTO},
    {"VERSION 0.7\nFIELDS normal_x normal_y\n", STX_LIDAR_AUTO},
    {"VERSION 0.7\nSIZE 4 4 4\nFIELDS x y z\n", STX_LIDAR_AUTO},
    {"data of three years\nfields x y z\n", STX_LIDAR_AUTO},
    {"Version 1.0\nFields of wheat\n", STX_LIDAR_AUTO},
    {"#!/bin/sh\nversion=1 fields\n", STX_LIDAR_AUTO},
    {"{\"version\":1}\n", STX_LIDAR_AUTO},
    {"\xff\xd8\xff\xe0\0\x10JFIF\n", STX_LIDAR_AUTO},
    {"\n\n\n", STX_LIDAR_AUTO},
    {"", STX_LIDAR_AUTO},
};

STX_TEST(literal_headers)
{
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    const char *text = headers[i].text;
    StxLidarFormat format = recognize(text, strlen(text));
    ck_assert_msg(format == headers[i].format, "\"%s\" is %s", text, stx_lidar_format_name(format));
  }
}

static float parse(const char *text)
{
  float value = -1;
  StxLidarText word = {text, text + strlen(text)};
  bool good = stx_lidar_word_number(word, &value);
  ck_assert_msg(good, "\"%s\" refused", text);
  return value;
}

/* Random numbers in every length and size, and where one rounding is not enough. */
STX_TEST(numbers_are_those_of_strtod)
{
  static const char *const special[] = {"0", "-0", ".5", "5.", "1e0", "1E+05", "0e999", "1e400",
      "-1e-400", "1e39", "3.4028235e38", "3.4028236e38", "1.17549429e-38", "1e-45", "7e-46",
      "9007199254740993", "18446744073709551616", "0.000000000000000000000000000000000000000123",
      "123456789012345678901234567890", "8388608.5000000000000001", "1e22", "1e23", "1e-22",
      "1e-23", "-00000000000000000000000000000001.5", "99999999999999999999e-20",
      "1e0000000000000000001", "1e99999999999999999999", "1e-99999999999999999999",
      "19600966406250002e-11", "10917501276708207e-20"};
  StxRandom random = {7};
  char text[64];
  for (size_t i = 0; i < 20000 + sizeof special / sizeof special[0]; i++) {
    double value =
        ((double)stx_random(&random) - 2147483648.) / (1 + stx_random_below(&random, 999));
    value = ldexp(value, stx_random_below(&random, 360) - 200);
    const char *formats[] = {"%.*g", "%.*e", "%.*f"};
    snprintf(text, sizeof text, formats[fabs(value) < 1e9 ? i % 3 : i % 2],
        stx_random_below(&random, 20), value);
    const char *number = i < 20000 ? text : special[i - 20000];
    float expected = (float)strtod(number, NULL), actual = parse(number);
    if (memcmp(&expected, &actual, 4) != 0)
      ck_abort_msg("\"%s\" is %.9g; expected %.9g", number, (double)actual, (double)expected);
  }
  ck_assert(isnan(parse("nan")) && isnan(parse("-NaN")));
  ck_assert(parse("inf") > 0 && isinf(parse("Inf")) && parse("-Infinity") < 0);
}

STX_TEST(what_is_no_number)
{
  static const char *const words[] = {"", "-", "+", ".", "-.", "e5", "1e", "1e+", "1,5", "1.5.2",
      "--1", "+-1", "0x10", "1f", "nano", "in", "infinit", "1_0", "\xC2\xB5"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    float value;
    StxLidarText word = {words[i], words[i] + strlen(words[i])};
    ck_assert_msg(!stx_lidar_word_number(word, &value), "\"%s\" accepted", words[i]);
  }
}

/* A decimal comma in the process's locale; skipped in part where no such locale is installed. */
STX_TEST(numbers_do_not_follow_the_locale)
{
  static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  bool comma = false;
  for (size_t i = 0; i < sizeof locales / sizeof locales[0] && !comma; i++)
    comma = setlocale(LC_ALL, locales[i]) != NULL;
  if (!comma)
    printf("skipped in part: no locale with a decimal comma is installed\n");
  ck_assert(parse("1.5") == 1.5F);
  ck_assert(parse("1.50000000000000000000001") == 1.5F);
  setlocale(LC_ALL, "C");
}
