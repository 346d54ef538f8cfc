/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/pages.h"

#define GUARD 128 /* bytes before a block; keeps the alignment */

static struct {
  const TTest *test;
  int turns;
} added[256];
static size_t added_count;

void stx_testing_add(const TTest *test, int turns)
{
  added[added_count].test = test;
  added[added_count++].turns = turns;
}

int stx_testing_main(const char *suite)
{
  Suite *s = suite_create(suite);
  for (size_t i = 0; i < added_count; i++) {
    TCase *tcase = tcase_create(added[i].test->name);
    tcase_add_loop_test(tcase, added[i].test, 0, added[i].turns);
    suite_add_tcase(s, tcase);
  }
  SRunner *runner = srunner_create(s);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The main function of programs that have no other. */
STX_WEAK int main(int argc, char **argv)
{
  return stx_testing_main(argc > 0 ? argv[0] : "");
}

/* splitmix64: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators". */
uint32_t stx_random(StxRandom *random)
{
  uint64_t z = random->state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (uint32_t)((z ^ (z >> 31)) >> 32);
}

int stx_random_below(StxRandom *random, int limit)
{
  return (int)((uint64_t)stx_random(random) * (uint64_t)limit >> 32);
}

bool stx_test_small(void)
{
  const char *sizes = getenv("STX_CHECK_SIZES");
  return sizes != NULL && strcmp(sizes, "small") == 0;
}

int stx_rounds(int all)
{
  return stx_test_small() ? (all + 5) / 6 : all;
}

/* At the beginning of the memory of a block; guard bytes follow. */
typedef struct {
  size_t size, mapped;
  uint8_t filling;
} Head;

static uint8_t filling = 0xCD;

static Head head_of(const void *block)
{
  Head head;
  memcpy(&head, (const uint8_t *)block - GUARD, sizeof head);
  return head;
}

void stx_guarded_filling(uint8_t byte)
{
  filling = byte;
}

/* A thread's freed blocks, whose pages stay for a block of as many: the system would clear new
 * ones. Until then they can be neither read nor written. */
static _Thread_local struct {
  uint8_t *map;
  size_t mapped;
} kept[64];

static uint8_t *map_pages(size_t mapped)
{
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (kept[i].mapped == mapped) {
      kept[i].mapped = 0;
      return kept[i].map;
    }
  return mmap(NULL, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void keep_pages(uint8_t *map, size_t mapped)
{
  static _Thread_local size_t next;
  size_t i = 0;
  while (i < sizeof kept / sizeof *kept && kept[i].mapped > 0)
    i++;
  if (i == sizeof kept / sizeof *kept) {
    i = next++ % i;
    munmap(kept[i].map, kept[i].mapped);
  }
  kept[i].map = map;
  kept[i].mapped = mprotect(map, mapped, PROT_NONE) == 0 ? mapped : 0;
}

/* The last page can be neither read nor written. Before it ends the block, with the fewer than
 * STX_ALIGN guard bytes that its alignment leaves. */
void *stx_guarded_alloc(size_t size)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE), room = stx_align(size);
  size_t used = (room + GUARD + page - 1) / page * page;
  Head head = {size, used + page, filling};
  uint8_t *map = map_pages(head.mapped);
  ck_assert(map != MAP_FAILED && mprotect(map, used, PROT_READ | PROT_WRITE) == 0);
  uint8_t *block = map + used - room;
  memset(block - GUARD, 0xA5, GUARD + room);
  memcpy(block - GUARD, &head, sizeof head);
  memset(block, head.filling, size);
  return block;
}

/* libcheck reports every assertion to its parent process, which is too slow to do for each byte:
 * only the failure is reported. */
void stx_guarded_check(const void *block)
{
  const uint8_t *at = block;
  size_t size = head_of(block).size;
  for (size_t i = sizeof(Head); i < GUARD; i++)
    if (at[i - GUARD] != 0xA5)
      ck_abort_msg("wrote %zu bytes before a block", GUARD - i);
  for (size_t i = size; i < stx_align(size); i++)
    if (at[i] != 0xA5)
      ck_abort_msg("wrote %zu bytes after a block of %zu", i - size, size);
}

void stx_guarded_free(void *block)
{
  if (block == NULL)
    return;
  stx_guarded_check(block);
  Head head = head_of(block);
  keep_pages(
      (uint8_t *)block + stx_align(head.size) + sysconf(_SC_PAGESIZE) - head.mapped, head.mapped);
}

void stx_guarded_end(void *pointer)
{
  stx_guarded_free(*(void **)pointer);
}

void stx_malloced_end(void *pointer)
{
  free(*(void **)pointer);
}

static void check_padding(const void *data, ptrdiff_t stride, size_t row, int height)
{
  uint8_t expected = head_of(data).filling;
  for (int y = 0; y < height; y++)
    for (size_t x = row; x < (size_t)stride; x++)
      if (((const uint8_t *)data)[y * stride + (ptrdiff_t)x] != expected)
        ck_abort_msg("row %d: wrote into the padding, byte %zu", y, x - row);
}

StxImage8 stx_test_image8(int width, int height, int padding)
{
  ptrdiff_t stride = width + padding;
  return (StxImage8){stx_guarded_alloc((size_t)stride * height), stride, width, height};
}

StxImage16 stx_test_image16(int width, int height, int padding)
{
  ptrdiff_t stride = 2 * width + padding;
  return (StxImage16){stx_guarded_alloc((size_t)stride * height), stride, width, height};
}

void stx_test_image8_free(StxImage8 *image)
{
  check_padding(image->data, image->stride, image->width, image->height);
  stx_guarded_free(image->data);
  image->data = NULL;
}

void stx_test_image16_free(StxImage16 *image)
{
  check_padding(image->data, image->stride, 2 * (size_t)image->width, image->height);
  stx_guarded_free(image->data);
  image->data = NULL;
}

/* One sample: `max` is the largest value, `level` the height of the current step. */
static int sample(StxFill fill, int max, int level, StxRandom *random)
{
  switch (fill) {
  case STX_FILL_LOW:
    return 0;
  case STX_FILL_HIGH:
    return max;
  case STX_FILL_NOISE:
    return stx_random_below(random, max + 1);
  default:
    return stx_random_below(random, 16) == 0 ? 0 : level - level / 16 * stx_random_below(random, 2);
  }
}

void stx_fill8(const StxImage8 *image, StxFill fill, StxRandom *random)
{
  for (int y = 0; y < image->height; y++) {
    int level = 0;
    for (int x = 0; x < image->width; x++) {
      if (x % 7 == 0)
        level = stx_random_below(random, 256);
      stx_row8(image, y)[x] = (uint8_t)sample(fill, 255, level, random);
    }
  }
}

void stx_fill16(const StxImage16 *image, StxFill fill, int max, StxRandom *random)
{
  for (int y = 0; y < image->height; y++) {
    int level = 0;
    for (int x = 0; x < image->width; x++) {
      if (x % 11 == 0)
        level = stx_random_below(random, max + 1);
      stx_row16(image, y)[x] = (uint16_t)sample(fill, max, level, random);
    }
  }
}

const void *stx_next_impl(const StxImplTable *table, const void *impl)
{
  bool next = impl == NULL;
  for (size_t i = 0; i < table->count; i++) {
    const StxImplInfo *info = stx_impl_at(table, i);
    if (next && stx_impl_usable(info))
      return info;
    next = next || info == impl;
  }
  return NULL;
}

void stx_expect_words(const StxError *error, const char *words)
{
  ck_assert_msg(strstr(error->text, words) != NULL, "'%s' lacks '%s'", error->text, words);
}

void stx_expect_same(const void *expected, const void *actual, size_t size, const char *what)
{
  const uint8_t *e = expected, *a = actual;
  if (size == 0 || memcmp(e, a, size) == 0) /* once for a sanitizer */
    return;
  for (size_t i = 0; i < size; i++)
    if (e[i] != a[i])
      ck_abort_msg("%s: byte %zu of %zu is %d, expected %d", what, i, size, a[i], e[i]);
}

void stx_expect_same_image8(const StxImage8 *expected, const StxImage8 *actual, const char *what)
{
  for (int y = 0; y < expected->height; y++)
    for (int x = 0; x < expected->width; x++)
      if (stx_row8(expected, y)[x] != stx_row8(actual, y)[x])
        ck_abort_msg("%s: (%d, %d) is %d, expected %d", what, x, y, stx_row8(actual, y)[x],
            stx_row8(expected, y)[x]);
}

void stx_expect_same_image16(const StxImage16 *expected, const StxImage16 *actual, const char *what)
{
  for (int y = 0; y < expected->height; y++)
    for (int x = 0; x < expected->width; x++)
      if (stx_row16(expected, y)[x] != stx_row16(actual, y)[x])
        ck_abort_msg("%s: (%d, %d) is %d, expected %d", what, x, y, stx_row16(actual, y)[x],
            stx_row16(expected, y)[x]);
}

uint64_t stx_hash(uint64_t hash, const void *data, size_t bytes)
{
  for (size_t i = 0; i < bytes; i++)
    hash = (hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3u;
  return hash;
}

const char *stx_test_data(void)
{
  const char *folder = getenv("STX_DATA");
  if (folder == NULL)
    folder = STX_SOURCE_DIR "/../shared/data";
  return access(folder, R_OK) == 0 ? folder : NULL;
}
