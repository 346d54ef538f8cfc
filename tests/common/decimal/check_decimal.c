/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers as text: the bytes of printf. */
#include "tests/testing.h"

#include "common/decimal/decimal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void expect(double value)
{
  char actual[STX_DECIMAL_SIZE], expected[STX_DECIMAL_SIZE];
  size_t length = stx_decimal_write(value, actual);
  snprintf(expected, sizeof expected, "%.3f", value);
  ck_assert_msg(strcmp(actual, expected) == 0, "%a is '%s', not '%s'", value, actual, expected);
  ck_assert_uint_eq(length, strlen(expected));
}

/* The value, both of its neighbours, and the same below 0. */
static void expect_around(double value)
{
  double around[] = {value, nextafter(value, -DBL_MAX), nextafter(value, DBL_MAX)};
  for (int i = 0; i < 3; i++) {
    expect(around[i]);
    expect(-around[i]);
  }
}

STX_TEST(whole_numbers)
{
  char text[STX_DECIMAL_SIZE];
  ck_assert_uint_eq(stx_decimal_write_whole(0, text), 1);
  ck_assert_str_eq(text, "0");
  stx_decimal_write_whole(UINT64_MAX, text);
  ck_assert_str_eq(text, "18446744073709551615");
  ck_assert_uint_eq(stx_decimal_write_whole(1000, text), 4);
  ck_assert_str_eq(text, "1000");
}

/* All exponents: subnormal numbers, and those that are whole. */
STX_TEST(every_power_of_two)
{
  for (int exponent = -1074; exponent <= 1023; exponent++)
    expect_around(ldexp(1, exponent));
  expect(DBL_MAX);
  expect(-DBL_MAX);
  expect(DBL_MIN);
}

/* Thousandths, what lies halfway between them, and the next numbers: where rounding can be wrong.
 * Sixteenths of thousandths are exact for no number but multiples of 1/16. */
STX_TEST(halfway_between_two)
{
  for (int i = 0; i < 40000; i++) {
    expect_around(i / 2000.);
    expect_around(i / 16.);
    expect_around(i * 1234.5625 + .0625);
  }
}

STX_TEST(random_numbers)
{
  StxRandom random = {.state = 20};
  for (int i = 0; i < 100000; i++) {
    uint64_t bits = (uint64_t)stx_random(&random) << 32 | stx_random(&random);
    double any, near = (double)bits / 0x1p44 - 0x1p19;
    memcpy(&any, &bits, sizeof any);
    if (isfinite(any))
      expect(any);
    expect(near);
    expect((float)near);
    expect((double)(bits >> 12) / 0x1p42); /* small ones, in all their digits */
  }
}
