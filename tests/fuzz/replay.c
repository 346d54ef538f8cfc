/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs the fuzz target of LiDAR files without libFuzzer: on seeds made by
 * tests/common/lidar_file/lidar_file_case.h, each in many random variations, which are the same on
 * every machine.
 *
 * usage: fuzz-lidar-file [VARIATIONS]             (300000)
 *        fuzz-lidar-file --write-corpus DIR       seeds for libFuzzer, as files
 *        fuzz-lidar-file --files FILE…            runs these as they are
 */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/common/lidar_file/lidar_file_case.h"

#define MAX_SEEDS 64

typedef struct {
  StxBytes bytes;
  char name[64];
} Seed;

static Seed seeds[MAX_SEEDS];
static size_t seed_count;

static void make_seeds(void)
{
  static const size_t counts[] = {0, 1, 6};
  float points[4 * 6];
  stx_lidar_case_points(points, 6, 1);
  for (size_t k = 0; k < stx_lidar_kind_count; k++)
    for (size_t i = 0; i < 3; i++) {
      Seed *seed = &seeds[seed_count++];
      snprintf(seed->name, sizeof seed->name, "%s-%zu", stx_lidar_kinds[k].name, counts[i]);
      stx_bytes_put(&seed->bytes, "", 0); /* memory even for no bytes */
      stx_lidar_case_write(&seed->bytes, &stx_lidar_kinds[k], points, counts[i]);
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

static void vary(StxBytes *bytes)
{
  static const char *const words[] = {"0", "-1", "255", "4294967296", "1152921504606846975",
      "18446744073709551616", "nan", "1e999", "list", "vertex", "\n", " ", "\r\n", "#",
      "\xFF\xFF\xFF\xFF", "x", "intensity", "binary_compressed", "ascii",
      "1.2345678901234567890123"};
  size_t at = below(bytes->size + 1), end = at + below(bytes->size - at + 1);
  const Seed *other = &seeds[below(seed_count)];
  const char *word = words[below(sizeof words / sizeof words[0])];
  size_t from = below(other->bytes.size + 1);
  switch (below(7)) {
  case 0:
    if (at < bytes->size)
      bytes->data[at] ^= (uint8_t)(1 << below(8));
    break;
  case 1:
    if (at < bytes->size)
      bytes->data[at] = (uint8_t)below(256);
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
    replace(bytes, at, end, other->bytes.data + from, below(other->bytes.size - from + 1));
  }
}

static void run_variations(size_t count)
{
  StxBytes bytes = {0};
  for (size_t i = 0; i < count; i++) {
    const StxBytes *seed = &seeds[i % seed_count].bytes;
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

static int write_corpus(const char *folder)
{
  char path[1024];
  mkdir(folder, 0777);
  for (size_t i = 0; i < seed_count; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, seeds[i].name);
    FILE *file = fopen(path, "wb");
    bool good = file != NULL &&
                fwrite(seeds[i].bytes.data, 1, seeds[i].bytes.size, file) == seeds[i].bytes.size;
    if (file == NULL || fclose(file) != 0 || !good) {
      perror(path);
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
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
  make_seeds();
  if (argc > 2 && strcmp(argv[1], "--write-corpus") == 0)
    status = write_corpus(argv[2]);
  else if (argc > 1 && strcmp(argv[1], "--files") == 0)
    for (int i = 2; i < argc; i++)
      status |= run_file(argv[i]);
  else
    run_variations(argc > 1 ? strtoul(argv[1], NULL, 10) : 300000);
  for (size_t i = 0; i < seed_count; i++)
    free(seeds[i].bytes.data);
  return status;
}
