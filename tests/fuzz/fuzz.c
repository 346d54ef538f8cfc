/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE /* memfd_create */
#include "tests/fuzz/fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- Demands ------------------------------------------------------------------------------- */

void stx_fuzz_fail(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  abort();
}

/* Bytes of the UTF-8 character at `text`, 0: none begins there. */
static size_t character_size(const uint8_t *text)
{
  static const struct {
    uint8_t mask, lead, size;
  } kinds[] = {{0x80, 0x00, 1}, {0xE0, 0xC0, 2}, {0xF0, 0xE0, 3}, {0xF8, 0xF0, 4}};
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    if ((text[0] & kinds[k].mask) != kinds[k].lead)
      continue;
    for (size_t i = 1; i < kinds[k].size; i++)
      if ((text[i] & 0xC0) != 0x80)
        return 0;
    return kinds[k].size;
  }
  return 0;
}

void stx_fuzz_expect_text(const char *text)
{
  const uint8_t *at = (const uint8_t *)text;
  stx_fuzz_expect(*at != 0, "an error without a text");
  for (size_t size; *at != 0; at += size) {
    size = character_size(at);
    stx_fuzz_expect(size > 0, "the text of an error is not UTF-8: %s", text);
    stx_fuzz_expect(*at >= ' ' && *at != 127, "an error with control characters: %s", text);
  }
}

/* ---- Reading an input ---------------------------------------------------------------------- */

#define ONE_BYTE 224  /* numbers below are one byte, */
#define TWO_BYTES 240 /* from here on four bytes follow, else two */

int32_t stx_fuzz_number(StxFuzzInput *input)
{
  uint8_t lead = stx_fuzz_byte(input);
  uint32_t number = 0;
  if (lead < ONE_BYTE)
    return lead;
  for (int i = 0; i < (lead < TWO_BYTES ? 2 : 4); i++)
    number |= (uint32_t)stx_fuzz_byte(input) << 8 * i;
  return (int32_t)number;
}

int stx_fuzz_size(StxFuzzInput *input, int limit)
{
  int32_t number = stx_fuzz_number(input);
  return number >= 1 && number <= limit ? number : 1 + (int)((uint32_t)number % (uint32_t)limit);
}

double stx_fuzz_double(StxFuzzInput *input)
{
  uint8_t bytes[8];
  double value;
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = stx_fuzz_byte(input);
  memcpy(&value, bytes, sizeof value);
  return value;
}

void stx_fuzz_text(StxFuzzInput *input, char *text, size_t room)
{
  size_t size = 0;
  for (uint8_t byte; size + 1 < room && (byte = stx_fuzz_byte(input)) != 0;)
    text[size++] = (char)byte;
  text[size] = 0;
}

const char *stx_fuzz_file(int number, const void *bytes, size_t size)
{
  static char paths[2][32];
  static int files[2]; /* 0: none yet */
  if (files[number] == 0) {
    files[number] = memfd_create("input", MFD_CLOEXEC);
    snprintf(paths[number], sizeof paths[number], "/proc/self/fd/%d", files[number]);
  }
  stx_fuzz_expect(
      ftruncate(files[number], 0) == 0 && pwrite(files[number], bytes, size, 0) == (ssize_t)size,
      "no file in memory");
  return paths[number];
}

/* ---- Writing a seed ------------------------------------------------------------------------ */

void stx_fuzz_put_byte(StxBytes *seed, int byte)
{
  uint8_t value = (uint8_t)byte;
  stx_bytes_put(seed, &value, 1);
}

void stx_fuzz_put_number(StxBytes *seed, int32_t number)
{
  uint32_t bits = (uint32_t)number;
  if (bits < ONE_BYTE) {
    stx_fuzz_put_byte(seed, number);
    return;
  }
  stx_fuzz_put_byte(seed, bits <= 0xFFFF ? ONE_BYTE : TWO_BYTES);
  for (int i = 0; i < (bits <= 0xFFFF ? 2 : 4); i++)
    stx_fuzz_put_byte(seed, (int)(bits >> 8 * i & 255));
}

void stx_fuzz_put_text(StxBytes *seed, const char *text)
{
  stx_bytes_put(seed, text, strlen(text) + 1);
}
