/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a fuzz target without libFuzzer: its seeds, each in many random variations, which are the
 * same on every machine.
 *
 * usage: fuzz-TARGET [VARIATIONS]        as many as the target says
 *        fuzz-TARGET --write-corpus DIR  seeds for libFuzzer, as files
 *        fuzz-TARGET --write-words FILE  its words, as a dictionary for libFuzzer
 *        fuzz-TARGET --files FILE…       runs these as they are
 */
#include "tests/fuzz/fuzz.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Not every target has one. */
__attribute__((weak)) int LLVMFuzzerInitialize(int *count, char ***arguments);

static StxBytes *seeds;
static size_t seed_count;

static void make_seeds(void)
{
  for (bool good = true; good;) {
    StxBytes seed = {0};
    stx_bytes_put(&seed, "", 0); /* memory even for no bytes */
    good = stx_fuzz_seed(seed_count, &seed);
    if (good) {
      seeds = realloc(seeds, (seed_count + 1) * sizeof *seeds);
      seeds[seed_count++] = seed;
    } else {
      free(seed.data);
    }
  }
}

/* ---- Variations ---------------------------------------------------------------------------- */

static uint64_t state = 1;

/* Below `limit`, which is positive. A 64-bit linear congruence: D. Knuth, MMIX. */
static size_t below(size_t limit)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (size_t)((state >> 33) % limit);
}

/* Puts `size` bytes in the place of those from `at` to `end`. */
static void replace(StxBytes *bytes, size_t at, size_t end, const void *with, size_t size)
{
  StxBytes rest = {0};
  stx_bytes_put(&rest, bytes->data + end, bytes->size - end);
  bytes->size = at;
  stx_bytes_put(bytes, with, size);
  stx_bytes_put(bytes, rest.data, rest.size);
  free(rest.data);
}

static const char *random_word(void)
{
  size_t count = 0;
  while (stx_fuzz_target.words[count] != NULL)
    count++;
  return count > 0 ? stx_fuzz_target.words[below(count)] : "";
}

static void change_byte(StxBytes *bytes, size_t at)
{
  static const uint8_t values[] = {0, 1, 0x7F, 0x80, 0xFF};
  if (at == bytes->size)
    return;
  switch (below(4)) {
  case 0:
    bytes->data[at] ^= (uint8_t)(1 << below(8));
    break;
  case 1:
    bytes->data[at] = (uint8_t)below(256);
    break;
  case 2:
    bytes->data[at] = values[below(sizeof values)];
    break;
  default:
    bytes->data[at] += below(2) ? 1 : 255;
  }
}

/* The next decimal number in a text becomes another one. */
static void change_number(StxBytes *bytes, size_t at)
{
  char text[32];
  size_t end;
  while (at < bytes->size && !isdigit(bytes->data[at]))
    at++;
  for (end = at; end < bytes->size && end < at + 9 && isdigit(bytes->data[end]);)
    end++;
  memcpy(text, bytes->data + at, end - at);
  text[end - at] = 0;
  snprintf(text, sizeof text, "%ld",
      below(2) ? strtol(text, NULL, 10) + (long)below(3) - 1 : (long)(below(10000) >> below(14)));
  replace(bytes, at, end, text, end > at ? strlen(text) : 0);
}

static void vary(StxBytes *bytes)
{
  size_t at = below(bytes->size + 1), end = at + below(bytes->size - at + 1);
  const StxBytes *other = &seeds[below(seed_count)];
  const char *word = random_word();
  size_t from = below(other->size + 1);
  switch (below(8)) {
  case 0:
  case 1:
    change_byte(bytes, at);
    break;
  case 6:
    change_number(bytes, at);
    break;
  case 2:
    bytes->size = at;
    break;
  case 3:
    replace(bytes, at, end, "", 0);
    break;
  case 4:
    replace(bytes, at, at, word, strlen(word));
    break;
  case 5: /* the rest of the word */
    for (end = at; end < bytes->size && bytes->data[end] > ' ';)
      end++;
    replace(bytes, at, end, word, strlen(word));
    break;
  default:
    replace(bytes, at, end, other->data + from, below(other->size - from + 1));
  }
}

static void run_variations(size_t count)
{
  StxBytes bytes = {0};
  for (size_t i = 0; i < count; i++) {
    const StxBytes *seed = &seeds[i % seed_count];
    bytes.size = 0;
    stx_bytes_put(&bytes, seed->data, seed->size);
    for (size_t k = i < seed_count ? 0 : 1 + below(4); k > 0; k--)
      vary(&bytes);
    /* Without a spare byte behind it, where the sanitizer would not look. */
    uint8_t *exact = malloc(bytes.size > 0 ? bytes.size : 1);
    if (bytes.size > 0)
      memcpy(exact, bytes.data, bytes.size);
    LLVMFuzzerTestOneInput(exact, bytes.size);
    free(exact);
  }
  free(bytes.data);
}

/* ---- Files --------------------------------------------------------------------------------- */

static int write_file(const char *path, const StxBytes *bytes)
{
  FILE *file = fopen(path, "wb");
  bool good = file != NULL && fwrite(bytes->data, 1, bytes->size, file) == bytes->size;
  if (file == NULL || fclose(file) != 0 || !good) {
    perror(path);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

static int write_corpus(const char *folder)
{
  char path[1024];
  int status = EXIT_SUCCESS;
  mkdir(folder, 0777);
  for (size_t i = 0; i < seed_count; i++) {
    snprintf(path, sizeof path, "%s/seed-%03zu", folder, i);
    status |= write_file(path, &seeds[i]);
  }
  return status;
}

/* One "word" a line, with every byte as \xAB. */
static int write_words(const char *path)
{
  StxBytes text = {0};
  stx_bytes_put(&text, "", 0);
  for (const char *const *word = stx_fuzz_target.words; *word != NULL; word++) {
    stx_bytes_print(&text, "\"");
    for (const char *at = *word; *at != 0; at++)
      stx_bytes_print(&text, "\\x%02X", (uint8_t)*at);
    stx_bytes_print(&text, "\"\n");
  }
  int status = write_file(path, &text);
  free(text.data);
  return status;
}

static int run_file(const char *path)
{
  StxBytes bytes = {0};
  char buffer[4096];
  size_t got;
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return EXIT_FAILURE;
  }
  while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
    stx_bytes_put(&bytes, buffer, got);
  fclose(file);
  LLVMFuzzerTestOneInput(bytes.data, bytes.size);
  free(bytes.data);
  return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
  int status = EXIT_SUCCESS;
  if (LLVMFuzzerInitialize != NULL)
    LLVMFuzzerInitialize(&argc, &argv);
  make_seeds();
  if (argc > 2 && strcmp(argv[1], "--write-corpus") == 0)
    status = write_corpus(argv[2]);
  else if (argc > 2 && strcmp(argv[1], "--write-words") == 0)
    status = write_words(argv[2]);
  else if (argc > 1 && strcmp(argv[1], "--files") == 0)
    for (int i = 2; i < argc; i++)
      status |= run_file(argv[i]);
  else
    run_variations(argc > 1 ? strtoul(argv[1], NULL, 10) : stx_fuzz_target.variations);
  for (size_t i = 0; i < seed_count; i++)
    free(seeds[i].data);
  free(seeds);
  return status;
}
