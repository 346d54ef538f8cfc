/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU against the reference, bit for bit: records, their number, and the number of
 * data terms; what it was not given stays untouched.
 */
#include "cuda/stxcuda.h"
#include "tests/satdp_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static StxCuda *cuda;

/* ---- Device memory between guards ---------------------------------------------------------- */

enum { GUARD = 256, GUARD_BYTE = 0xA5 };

typedef struct {
  char *device;
  size_t size;
} Block;

static Block new_block(size_t size)
{
  StxError error = {""};
  void *memory;
  ck_assert_msg(stx_cuda_alloc(cuda, size + 2 * GUARD, &memory, &error), "%s", error.text);
  ck_assert_msg(stx_cuda_fill_bytes(cuda, memory, GUARD_BYTE, size + 2 * GUARD, NULL, &error), "%s",
      error.text);
  return (Block){(char *)memory + GUARD, size};
}

static Block upload(const void *host, size_t size)
{
  StxError error = {""};
  Block block = new_block(size);
  ck_assert_msg(
      stx_cuda_upload_bytes(cuda, block.device, host, size, NULL, &error), "%s", error.text);
  return block;
}

/* The block's bytes, which the caller frees, after a look at its guards. Frees the block. */
static char *download(Block block, const char *what)
{
  StxError error = {""};
  char *bytes = malloc(block.size + 2 * GUARD);
  ck_assert_msg(stx_cuda_download_bytes(
                    cuda, bytes, block.device - GUARD, block.size + 2 * GUARD, NULL, &error) &&
                    stx_cuda_synchronize(cuda, NULL, &error),
      "%s: %s", what, error.text);
  for (size_t i = 0; i < GUARD; i++)
    ck_assert_msg(
        (uint8_t)bytes[i] == GUARD_BYTE && (uint8_t)bytes[GUARD + block.size + i] == GUARD_BYTE,
        "%s: wrote outside of its memory", what);
  stx_cuda_free(cuda, block.device - GUARD);
  memmove(bytes, bytes + GUARD, block.size);
  return bytes;
}

/* Frees a block that must still hold `bytes`. */
static void expect_unchanged(Block block, const void *bytes, const char *what)
{
  char *now = download(block, what);
  ck_assert_msg(memcmp(now, bytes, block.size) == 0, "%s: changed its input", what);
  free(now);
}

/* ---- A case -------------------------------------------------------------------------------- */

typedef struct {
  StxSatdpCudaResult result;
  StxStixel *stixels;
} Run;

static Run run_cuda(const StxSatdpCudaImpl *impl, const Case *c, const char *what)
{
  const StxGrid *grid = &c->params.grid;
  StxError error = {""};
  Run run;
  Block tables = upload(&c->tables, sizeof c->tables);
  Block columns = upload(c->columns, stx_grid_bytes(grid));
  size_t room = (size_t)stx_grid_columns(grid) * stx_grid_rows(grid) * sizeof(StxStixel);
  Block stixels = new_block(room), result = new_block(sizeof run.result);
  Block scratch = new_block(impl->scratch_size(&c->params));
  ck_assert_msg(
      impl->run(cuda, &c->params, (const void *)tables.device, c->tables.has_ground, columns.device,
          (StxStixel *)stixels.device, (void *)result.device, scratch.device, NULL, &error),
      "%s: %s", what, error.text);
  expect_unchanged(tables, &c->tables, what);
  expect_unchanged(columns, c->columns, what);
  free(download(scratch, what));
  char *bytes = download(result, what);
  memcpy(&run.result, bytes, sizeof run.result);
  free(bytes);
  run.stixels = (StxStixel *)download(stixels, what);
  return run;
}

static uint64_t all_pairs(const Case *c)
{
  uint64_t rows = (uint64_t)c->tables.rows, kinds = c->tables.has_ground ? 3 : 2;
  return (uint64_t)stx_grid_columns(&c->params.grid) * kinds * rows * (rows + 1) / 2;
}

static StxSatdpCudaResult expect_case_agrees(const Case *c, const char *what)
{
  const StxSatdpCudaImpl *impl = (const void *)stx_impl_at(&stx_satdp_cuda_impls, 0);
  size_t count;
  StxStixel *expected = run_case(satdp_reference(), c, 1, &count, NULL);
  Run actual = run_cuda(impl, c, what);
  ck_assert_msg(
      actual.result.count == count, "%s: %u stixels, not %zu", what, actual.result.count, count);
  stx_expect_same(expected, actual.stixels, count * sizeof *expected, what);
  ck_assert_msg(actual.result.evaluated > 0 && actual.result.evaluated <= all_pairs(c),
      "%s: %llu of %llu data terms", what, (unsigned long long)actual.result.evaluated,
      (unsigned long long)all_pairs(c));
  stx_guarded_free(expected);
  free(actual.stixels);
  return actual.result;
}

static void expect_agreement(StxSatdpParams params, const StxCamera *cam, const StxRoadLine *line,
    Filling filling, uint64_t seed)
{
  char what[160];
  StxRandom random = {seed};
  Case *c = new_case(params, cam, line);
  fill_case(c, filling, &random);
  snprintf(what, sizeof what, "%dx%d cells, %d classes, filling %d, seed %llu, %s",
      stx_grid_columns(&params.grid), stx_grid_rows(&params.grid), params.grid.classes, filling,
      (unsigned long long)seed, line ? "ground" : "no ground");
  expect_case_agrees(c, what);
  free_case(c);
}

/* Tiny sizes where every memory access is watched. */
static bool small(void)
{
  const char *sizes = getenv("STX_CHECK_SIZES");
  return sizes != NULL && strcmp(sizes, "small") == 0;
}

/* ---- Tests --------------------------------------------------------------------------------- */

START_TEST(agrees_on_every_filling_and_class_count)
{
  static const int classes[] = {0, 1, 19, 32};
  StxRoadLine line = {0.3, 20, 1};
  for (int filling = 0; filling < FILLINGS; filling++)
    for (int i = 0; i < (small() ? 1 : 4); i++)
      for (int ground = 0; ground < 2; ground++) {
        StxSatdpParams params = case_params(3, small() ? 10 : 45, 4, classes[i]);
        params.grid.width -= 3;
        params.grid.height -= 1;
        expect_agreement(params, &case_camera, ground ? &line : NULL, filling, 10u + filling);
      }
}
END_TEST

/* Around the tile of eight rows, the warp of 32 cells, and the compaction's eight columns. */
START_TEST(agrees_on_every_number_of_columns_and_rows)
{
  StxRoadLine line = {0.3, 10, 1};
  for (int columns = 1; columns <= (small() ? 3 : 18); columns++)
    expect_agreement(case_params(columns, 5, 4, 3), &case_camera, &line, STREET, columns);
  for (int rows = 1; rows <= (small() ? 10 : 36); rows++)
    expect_agreement(case_params(2, rows, 4, 19), &case_camera, &line, STREET, rows);
}
END_TEST

START_TEST(agrees_on_high_columns)
{
  StxRoadLine line = {0.2, 100, 1};
  int rows = small() ? 20 : 1024;
  expect_agreement(case_params(1, rows, 1, 0), &case_camera, &line, HOLES, 5);
  if (small())
    return;
  expect_agreement(case_params(1, rows, 1, 32), &case_camera, &line, STREET, 6);
  expect_agreement(case_params(1, rows, 32, 0), &case_camera, &line, EXTREME, 7);
  expect_agreement(case_params(1, 700, 1, 19), NULL, NULL, CONSTANT, 8);
}
END_TEST

/* Exact pruning under parameters from one end of their range to the other. */
START_TEST(pruning_changes_nothing)
{
  StxRandom random = {9};
  for (int round = 0; round < (small() ? 3 : 200); round++) {
    StxSatdpParams params = random_params(&random);
    params.grid.width = (1 + stx_random_below(&random, 3)) * params.grid.cell_width;
    Filling fillings[] = {(Filling)(round % FILLINGS), STREET, HOLES};
    StxRoadLine line = {
        stx_random_below(&random, 9) ? 0.02 + stx_random_below(&random, 60) / 100.0 : 64,
        stx_random_below(&random, params.grid.height + 1) - 9, 1};
    expect_agreement(params, stx_random_below(&random, 3) ? &case_camera : NULL,
        stx_random_below(&random, 5) ? &line : NULL, fillings[stx_random_below(&random, 3)], round);
  }
}
END_TEST

/* Columns of a usual height under usual parameters, where holes, sky and objects compete. */
START_TEST(pruning_changes_nothing_around_holes)
{
  StxRandom random = {10};
  for (int round = 0; round < (small() ? 1 : 30); round++) {
    int rows = small() ? 20 : 40 + stx_random_below(&random, 50);
    StxSatdpParams params = case_params(3, rows, 4, 0);
    StxRoadLine line = {0.3, stx_random_below(&random, params.grid.height), 1};
    params.unknown_cost = stx_random_below(&random, 16) / 4.0;
    expect_agreement(params, &case_camera, &line, HOLES, round);
  }
}
END_TEST

START_TEST(prunes)
{
  StxRandom random = {11};
  Case *c = new_case(case_params(3, 128, 8, 0), &case_camera, &(StxRoadLine){0.3, 400, 1});
  fill_case(c, STREET, &random);
  StxSatdpCudaResult result = expect_case_agrees(c, "prunes");
  ck_assert_msg(result.evaluated * 2 < all_pairs(c), "pruning left %llu of %llu pairs",
      (unsigned long long)result.evaluated, (unsigned long long)all_pairs(c));
  free_case(c);
}
END_TEST

static const StxTest tests[] = {{&agrees_on_every_filling_and_class_count},
    {&agrees_on_every_number_of_columns_and_rows}, {&agrees_on_high_columns},
    {&pruning_changes_nothing}, {&pruning_changes_nothing_around_holes}, {&prunes}};

int main(void)
{
  StxError error = {""};
  cuda = stx_cuda_open(0, &error);
  if (cuda == NULL) {
    fprintf(stderr, "skipped: %s\n", error.text);
    return 77;
  }
  int status = stx_testing_main("satdp_cuda", tests, sizeof tests / sizeof tests[0]);
  stx_cuda_close(cuda);
  return status;
}
