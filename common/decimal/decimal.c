/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/decimal/decimal.h"

#include <stdio.h>
#include <string.h>

#define MANTISSA_BITS 52
#define EXPONENT_BIAS 1075 /* value = mantissa · 2^(exponent − 1075) */

/* The digits of `value`, at least `least`, ending before `end`; where they begin. */
static char *write_digits(uint64_t value, int least, char *end)
{
  for (; value > 0 || least > 0; value /= 10, least--)
    *--end = (char)('0' + value % 10);
  return end;
}

static size_t move_to(char *text, const char *begin, const char *end)
{
  size_t length = (size_t)(end - begin);
  memcpy(text, begin, length);
  text[length] = '\0';
  return length;
}

size_t stx_decimal_write_whole(uint64_t value, char *text)
{
  char digits[20], *end = digits + sizeof digits;
  return move_to(text, write_digits(value, 1, end), end);
}

/* mantissa · 1000 / 2^shift, rounded to the nearest, halves to the even one. The product has at
 * most 63 bits. */
static uint64_t thousandths(uint64_t mantissa, int shift)
{
  uint64_t product = mantissa * 1000;
  if (shift > 63)
    return 0;
  uint64_t whole = product >> shift, rest = product - (whole << shift);
  uint64_t half = (uint64_t)1 << (shift - 1);
  return whole + (rest > half || (rest == half && whole % 2 == 1));
}

size_t stx_decimal_write(double value, char *text)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  int exponent = (int)(bits >> MANTISSA_BITS & 0x7FF);
  uint64_t mantissa = bits & (((uint64_t)1 << MANTISSA_BITS) - 1);
  if (exponent > 0)
    mantissa |= (uint64_t)1 << MANTISSA_BITS;
  else
    exponent = 1;
  if (exponent >= EXPONENT_BIAS) /* a whole number: no locale has a say in it */
    return (size_t)snprintf(text, STX_DECIMAL_SIZE, "%.0f.000", value);
  char digits[24], *end = digits + sizeof digits, *begin = end;
  uint64_t number = thousandths(mantissa, EXPONENT_BIAS - exponent);
  begin = write_digits(number % 1000, 3, begin);
  *--begin = '.';
  begin = write_digits(number / 1000, 1, begin);
  if (bits >> 63)
    *--begin = '-';
  return move_to(text, begin, end);
}
