/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines, words and numbers of a text that has no terminating zero.
 *
 * Numbers: a decimal number is m · 10^e. Where m < 2^53 and |e| ≤ 22 both m and 10^|e| are doubles,
 * so that one multiplication or division rounds once and gives the nearest double (W. Clinger, "How
 * to Read Floating Point Numbers Accurately", PLDI 1990). The few others go through strtod, whose
 * result is the same and which is ten times slower.
 */
#include "common/lidar_file/lidar_file_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text_file.h"

static bool is_blank(char c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Small letters for capitals, in ASCII, in any locale. */
static char lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* ---- Lines and words ----------------------------------------------------------------------- */

static bool next_line(StxLidarLines *lines, StxLidarText *line)
{
  StxLidarText *rest = &lines->rest;
  if (rest->at == rest->end)
    return false;
  const char *end = memchr(rest->at, '\n', (size_t)(rest->end - rest->at));
  *line = (StxLidarText){rest->at, end != NULL ? end : rest->end};
  rest->at = end != NULL ? end + 1 : rest->end;
  lines->line++;
  return true;
}

bool stx_lidar_next_full_line(StxLidarLines *lines, StxLidarText *line)
{
  while (next_line(lines, line)) {
    while (line->at < line->end && is_blank(*line->at))
      line->at++;
    if (line->at < line->end)
      return true;
  }
  return false;
}

bool stx_lidar_next_whole_line(StxLidarLines *lines, StxLidarText *line)
{
  return stx_lidar_next_full_line(lines, line) && line->end < lines->rest.end;
}

bool stx_lidar_next_word(StxLidarText *line, StxLidarText *word)
{
  const char *at = line->at, *end = line->end;
  while (at < end && is_blank(*at))
    at++;
  word->at = at;
  while (at < end && !is_blank(*at))
    at++;
  word->end = line->at = at;
  return word->at < word->end;
}

bool stx_lidar_word_is(StxLidarText word, const char *name)
{
  while (word.at < word.end && *name != 0 && lower(*word.at) == *name)
    word.at++, name++;
  return word.at == word.end && *name == 0;
}

bool stx_lidar_line_has(StxLidarText line, const char *name)
{
  StxLidarText word;
  while (stx_lidar_next_word(&line, &word))
    if (stx_lidar_word_is(word, name))
      return true;
  return false;
}

StxLidarShown stx_lidar_show(StxLidarText word)
{
  StxLidarShown shown;
  size_t length = (size_t)(word.end - word.at), room = sizeof shown.text - 1;
  size_t kept = length <= room ? length : room - 3;
  for (size_t i = 0; i < kept; i++)
    shown.text[i] = word.at[i] >= ' ' && word.at[i] <= '~' ? word.at[i] : '?';
  strcpy(shown.text + kept, length <= room ? "" : "...");
  return shown;
}

/* ---- Numbers ------------------------------------------------------------------------------- */

bool stx_lidar_word_count(StxLidarText word, size_t limit, size_t *value)
{
  size_t sum = 0;
  if (word.at == word.end)
    return false;
  for (; word.at < word.end; word.at++) {
    size_t digit = (size_t)(*word.at - '0');
    if (!is_digit(*word.at) || digit > limit || sum > (limit - digit) / 10)
      return false;
    sum = 10 * sum + digit;
  }
  *value = sum;
  return true;
}

/* |number| = mantissa · 10^exponent; of more than 19 digits the rest is missing, but then the
 * mantissa is too large to be a double. */
typedef struct {
  uint64_t mantissa;
  int exponent;
} Decimal;

#define NUMBER_LENGTH 511
#define EXPONENT_LIMIT 100000000 /* more is infinity or zero whatever the digits */

/* Reads digits into the number; returns how many there were. Behind the point each one lowers the
 * exponent. */
static size_t take_digits(StxLidarText *word, Decimal *number, int behind_point)
{
  const char *from = word->at;
  for (; word->at < word->end && is_digit(*word->at); word->at++) {
    if (number->mantissa > (UINT64_MAX - 9) / 10)
      continue;
    number->mantissa = 10 * number->mantissa + (uint64_t)(*word->at - '0');
    number->exponent -= behind_point;
  }
  return (size_t)(word->at - from);
}

/* Reads the exponent behind an "e". False unless it is an integer. */
static bool take_exponent(StxLidarText *word, Decimal *number)
{
  bool negative = word->at < word->end && *word->at == '-';
  int value = 0;
  if (word->at < word->end && (*word->at == '-' || *word->at == '+'))
    word->at++;
  if (word->at == word->end)
    return false;
  for (; word->at < word->end && is_digit(*word->at); word->at++)
    if (value < EXPONENT_LIMIT)
      value = 10 * value + (*word->at - '0');
  number->exponent += negative ? -value : value;
  return true;
}

static bool take_decimal(StxLidarText word, Decimal *number)
{
  *number = (Decimal){0};
  size_t digits = take_digits(&word, number, 0);
  if (word.at < word.end && *word.at == '.') {
    word.at++;
    digits += take_digits(&word, number, 1);
  }
  if (digits == 0)
    return false;
  if (word.at < word.end && lower(*word.at) == 'e') {
    word.at++;
    if (!take_exponent(&word, number))
      return false;
  }
  return word.at == word.end;
}

bool stx_lidar_word_number(StxLidarText word, float *value)
{
  static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  Decimal number;
  double magnitude;
  if (word.end - word.at > NUMBER_LENGTH)
    return false;
  bool negative = word.at < word.end && *word.at == '-';
  if (word.at < word.end && (*word.at == '-' || *word.at == '+'))
    word.at++;
  if (!take_decimal(word, &number)) {
    if (stx_lidar_word_is(word, "nan"))
      magnitude = (double)NAN;
    else if (stx_lidar_word_is(word, "inf") || stx_lidar_word_is(word, "infinity"))
      magnitude = (double)INFINITY;
    else
      return false;
  } else if (number.mantissa < UINT64_C(1) << 53 && abs(number.exponent) <= 22) {
    magnitude = (double)number.mantissa;
    if (number.exponent < 0)
      magnitude /= powers[-number.exponent];
    else
      magnitude *= powers[number.exponent];
  } else {
    char copy[NUMBER_LENGTH + 1];
    size_t length = (size_t)(word.end - word.at);
    memcpy(copy, word.at, length);
    copy[length] = 0;
    magnitude = stx_text_number(copy, NULL);
  }
  *value = (float)(negative ? -magnitude : magnitude);
  return true;
}
