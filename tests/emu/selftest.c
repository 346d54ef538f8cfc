/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Proves that the emulator finds what it is there to find: runs kernels with a planted bug
 * (selftest_bugs.cu), each in a process of its own and in every order, and looks for the words that
 * name the bug; their good twins must pass without a word.
 *
 *   selftest <kernel>      runs one of them in this process, in the order of $STX_EMU_ORDER
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/emu/emu_launch.h"
#include "tests/emu/selftest_args.h"
#include "tests/testing.h"

#ifdef __SANITIZE_THREAD__
#define TSAN true
#else
#define TSAN false
#endif

enum { WORDS = SELFTEST_BLOCKS * SELFTEST_THREADS };

/* Text that must appear, in every order: `tsan` in builds with that sanitizer, else `plain`. NULL:
 * that build cannot see the bug. The good twins have "good". */
typedef struct {
  const char *kernel;
  const char *plain, *tsan;
} Case;

#define RULE(kernel, text)                                                                         \
  {                                                                                                \
    kernel, text, text                                                                             \
  }
#define WRONG "wrong result"
#define RACE "data race"

static const Case cases[] = {
    RULE("good_barrier", "good"),
    {"lost_barrier", WRONG, RACE},
    {"lost_second_barrier", NULL, RACE},
    RULE("divergent_barriers", "at another: "),
    RULE("left_before_barrier", "thread (5, 0, 0) has ended"),
    RULE("good_memory", "good"),
    {"beyond_shared", "shared array kept (256 bytes)", "beyond its end"},
    RULE("before_shared", "before its beginning"),
    {"beyond_dynamic", "dynamic shared memory (256 bytes)", "beyond its end"},
    RULE("never_written", "0xcdcdcdcd"),
    RULE("much_shared", "232704 bytes of shared memory"),
    RULE("good_last_block", "good"),
    {"race_of_blocks", NULL, RACE},
    RULE("good_shuffle", "good"),
    RULE("good_syncwarp", "good"),
    {"lost_syncwarp", WRONG, RACE},
    {"vote_for_syncwarp", NULL, RACE},
    RULE("not_in_mask", "is not in the mask 0x0000ffff"),
    RULE("mask_of_ended_lanes", "thread (3, 0, 0) has ended"),
    RULE("different_masks", "or with another mask"),
    RULE("shuffle_from_outside", "reads from lane 16, which takes no part"),
    RULE("different_shuffles", "waits here with mask 0xffffffff"),
    RULE("odd_width", "within 12 lanes"),
};
static const char *const orders[] = {"forward", "reverse", "random", "random:1", "random:2"};

/* ---- One kernel, in this process ----------------------------------------------------------- */

static size_t right_of(size_t i)
{
  return i / SELFTEST_THREADS * SELFTEST_THREADS + (i + 1) % SELFTEST_THREADS;
}

static bool is_right(const uint32_t *in, const uint32_t *out)
{
  for (size_t i = 0; i < WORDS; i++)
    if (out[i] != in[right_of(i)]) {
      printf("wrong result: out[%zu] is 0x%08x, not 0x%08x\n", i, out[i], in[right_of(i)]);
      return false;
    }
  return true;
}

static int run_kernel(const char *name)
{
  static const unsigned grid[3] = {SELFTEST_BLOCKS, 1, 1}, block[3] = {SELFTEST_THREADS, 1, 1};
  size_t shared = strcmp(name, "much_shared") == 0 ? 227 * 1024 : 4 * SELFTEST_THREADS;
  char kernel[64], error[512];
  uint32_t *in = malloc(4 * WORDS), *out = malloc(4 * WORDS), *count = calloc(1, 4);
  SelftestArgs args = {in, out, count};
  for (uint32_t i = 0; i < WORDS; i++)
    in[i] = i * 70001 + 1;
  memset(out, 0, 4 * WORDS);
  snprintf(kernel, sizeof kernel, "selftest_%s", name);
  bool good = stx_emu_launch(kernel, grid, block, shared, &args, error, sizeof error);
  if (!good)
    puts(error);
  else if ((good = is_right(in, out)))
    puts("good");
  free(in);
  free(out);
  free(count);
  return good ? 0 : 1;
}

/* ---- All of them, in processes of their own ------------------------------------------------ */

static void become_child(const char *kernel, const char *order, int output)
{
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  setenv("STX_EMU_ORDER", order, 1);
  execl("/proc/self/exe", "selftest", kernel, (char *)NULL);
  _exit(127);
}

/* Runs it; returns what wait says, with all its output in `text`. */
static int run_child(const char *kernel, const char *order, char *text, size_t size)
{
  int ends[2], status;
  size_t length = 0;
  ck_assert_int_eq(pipe(ends), 0);
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0)
    become_child(kernel, order, ends[1]);
  close(ends[1]);
  for (ssize_t got; (got = read(ends[0], text + length, size - 1 - length)) > 0;)
    length += (size_t)got;
  text[length] = '\0';
  while (read(ends[0], &status, 1) > 0) {
  } /* what does not fit */
  close(ends[0]);
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  return status;
}

STX_TEST_LOOP(says_what_is_wrong, sizeof cases / sizeof cases[0])
{
  static char text[1 << 16];
  const Case *c = &cases[_i];
  const char *word = TSAN ? c->tsan : c->plain;
  for (size_t i = 0; word != NULL && i < sizeof orders / sizeof orders[0]; i++) {
    bool good = strcmp(word, "good") == 0;
    int status = run_child(c->kernel, orders[i], text, sizeof text);
    ck_assert_msg(good ? strcmp(text, "good\n") == 0 : strstr(text, word) != NULL,
        "STX_EMU_ORDER=%s selftest %s should say '%s', but says: %s", orders[i], c->kernel, word,
        text);
    ck_assert_msg(good == (status == 0), "STX_EMU_ORDER=%s selftest %s ended with status %#x: %s",
        orders[i], c->kernel, (unsigned)status, text);
  }
}

/* ---- Launches ------------------------------------------------------------------------------ */

static void expect_refusal(const char *kernel, const unsigned grid[3], const unsigned block[3],
    size_t shared, const char *word)
{
  char error[512] = "";
  SelftestArgs args = {NULL, NULL, NULL};
  ck_assert(!stx_emu_launch(kernel, grid, block, shared, &args, error, sizeof error));
  ck_assert_msg(strstr(error, word) != NULL, "should say '%s', but says: %s", word, error);
}

STX_TEST(refuses_impossible_launches)
{
  static const char kernel[] = "selftest_good_barrier";
  static const unsigned one[3] = {1, 1, 1}, none[3] = {1, 0, 1}, high[3] = {1, 65536, 1};
  static const unsigned large[3] = {SELFTEST_THREADS + 1, 1, 1}, huge[3] = {32, 33, 1};
  static const unsigned deep[3] = {1, 1, 65};
  expect_refusal(kernel, one, large, 0, "a block of 65 threads, but its launch bound is 64");
  expect_refusal(kernel, one, huge, 0, "a block of 32 x 33 x 1 threads");
  expect_refusal(kernel, one, deep, 0, "a block of 1 x 1 x 65 threads");
  expect_refusal(kernel, one, none, 0, "a block of 1 x 0 x 1 threads");
  expect_refusal(kernel, none, one, 0, "a grid of 1 x 0 x 1 blocks");
  expect_refusal(kernel, high, one, 0, "a grid of 1 x 65536 x 1 blocks");
  expect_refusal(kernel, one, one, 227 * 1024 + 1, "232449 bytes of dynamic shared memory");
  expect_refusal("selftest_nothing", one, one, 0, "no kernel selftest_nothing");
  setenv("STX_EMU_ORDER", "backwards", 1);
  expect_refusal(kernel, one, one, 0, "STX_EMU_ORDER is \"backwards\"");
  setenv("STX_EMU_ORDER", "random:x", 1);
  expect_refusal(kernel, one, one, 0, "STX_EMU_ORDER is \"random:x\"");
  unsetenv("STX_EMU_ORDER");
}

STX_TEST(knows_its_kernels)
{
  ck_assert_uint_eq(stx_emu_args_size("selftest_good_barrier"), sizeof(SelftestArgs));
  ck_assert_uint_eq(stx_emu_args_size("selftest_nothing"), 0);
}

/* ---- Intrinsics ---------------------------------------------------------------------------- */

static const char *const intrinsics[] = {"selftest_scalars", "selftest_bytes", "selftest_atomics",
    "selftest_shuffles", "selftest_votes", "selftest_barriers", "selftest_indices"};

STX_TEST_LOOP(computes_what_cuda_computes, sizeof intrinsics / sizeof intrinsics[0])
{
  static const unsigned grid[3] = {2, 3, 2}, block[3] = {16, 2, 2};
  STX_MALLOCED uint32_t *result = calloc(4, sizeof *result);
  SelftestIntrinsicsArgs args = {result};
  char error[512];
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
    setenv("STX_EMU_ORDER", orders[i], 1);
    bool good = stx_emu_launch(intrinsics[_i], grid, block, 0, &args, error, sizeof error);
    ck_assert_msg(good, "%s", error);
    ck_assert_msg(result[0] == 0, "selftest_intrinsics.cu:%u: is 0x%08x, not 0x%08x", result[0],
        result[1], result[2]);
  }
  unsetenv("STX_EMU_ORDER");
}

/* ---- Output in order ----------------------------------------------------------------------- */

static void look_back(uint32_t turn, uint32_t sums)
{
  static const unsigned grid[3] = {1, 1, 1}, block[3] = {SELFTEST_THREADS, 1, 1};
  STX_MALLOCED StxOrder *order = calloc(1, stx_order_size(turn + 1));
  const uint32_t *word = (const uint32_t *)(order + 1);
  uint32_t before[32], expected = 0, count = 1000;
  SelftestOrderArgs args = {order, turn, count, sums, before};
  char error[512];
  for (uint32_t t = 0; t < turn; t++)
    expected += t % 7;
  ck_assert_msg(
      stx_emu_launch("selftest_ordered", grid, block, 0, &args, error, sizeof error), "%s", error);
  for (size_t lane = 0; lane < 32; lane++)
    ck_assert_uint_eq(before[lane], expected);
  ck_assert_uint_eq(word[turn], (expected + count) << 2 | 2);
}

/* Around a row of turns, and around all that are looked at together; sums that are near, that lie
 * at the end of a row, that only the first turn has. */
STX_TEST(looks_back_over_turns)
{
  static const uint32_t turns[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 257, 258, 600};
  static const uint32_t sums[] = {1, 2, 31, 32, 33, 256, 1000};
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
    setenv("STX_EMU_ORDER", orders[i], 1);
    for (size_t t = 0; t < sizeof turns / sizeof turns[0]; t++)
      for (size_t s = 0; s < sizeof sums / sizeof sums[0]; s++)
        if (!TSAN || turns[t] < 70)
          look_back(turns[t], sums[s]);
  }
  unsetenv("STX_EMU_ORDER");
}

int main(int argc, char **argv)
{
  return argc == 2 ? run_kernel(argv[1]) : stx_testing_main("emu");
}
