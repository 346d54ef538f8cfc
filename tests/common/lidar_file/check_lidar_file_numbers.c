/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers in text, against those of strtod. */
#include "tests/testing.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/lidar_file/lidar_file_private.h"

static float parse(const char *text)
{
  float value = -1;
  StxLidarText word = {text, text + strlen(text)};
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  bool good = stx_lidar_word_number(word, c_locale, &value);
  freelocale(c_locale);
  ck_assert_msg(good, "\"%s\" refused", text);
  return value;
}

/* Random numbers in every length and size, and where one rounding is not enough. */
START_TEST(numbers_are_those_of_strtod)
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
END_TEST

START_TEST(what_is_no_number)
{
  static const char *const words[] = {"", "-", "+", ".", "-.", "e5", "1e", "1e+", "1,5", "1.5.2",
      "--1", "+-1", "0x10", "1f", "nano", "in", "infinit", "1_0", "\xC2\xB5"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    float value;
    StxLidarText word = {words[i], words[i] + strlen(words[i])};
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    ck_assert_msg(!stx_lidar_word_number(word, c_locale, &value), "\"%s\" accepted", words[i]);
    freelocale(c_locale);
  }
}
END_TEST

/* A decimal comma in the process's locale; skipped in part where no such locale is installed. */
START_TEST(numbers_do_not_follow_the_locale)
{
  static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  bool comma = false;
  for (size_t i = 0; i < sizeof locales / sizeof locales[0] && !comma; i++)
    comma = setlocale(LC_ALL, locales[i]) != NULL;
  if (!comma)
    printf("skipped in part: no locale with a decimal comma is installed\n");
  ck_assert(parse("1.5") == 1.5F);
  ck_assert(parse("1.50000000000000000000001") == 1.5F);
}
END_TEST

static const StxTest tests[] = {
    {&numbers_are_those_of_strtod},
    {&what_is_no_number},
    {&numbers_do_not_follow_the_locale},
};
STX_TESTING_MAIN("lidar_file_numbers", tests)
