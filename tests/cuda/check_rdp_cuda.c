/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp on the GPU against the reference, bit for bit: records, their number, kept cells and
 * statistics; what it was not given stays untouched.
 */
#include "tests/common/oracle.h"
#include "tests/cuda/cuda_case.h"
#include "tests/common/rdp/rdp_case.h"

static const StxRdpImpl *reference(void)
{
  return oracle(&stx_rdp_impls);
}

static const StxRdpImpl *cuda(void)
{
  return (const void *)stx_impl_at(&stx_rdp_cuda_impls, 0);
}

/* ---- A run on the device ------------------------------------------------------------------- */

typedef struct {
  bool segments, kept; /* wanted */
} Wanted;

static void *download(const void *device, size_t size)
{
  void *host = stx_guarded_alloc(size);
  stx_device_download(host, device, size);
  return host;
}

static RdpRun run_cuda(const RdpCase *c, Wanted wanted, const char *what)
{
  const StxGrid *grid = &c->params.grid;
  size_t bytes = stx_grid_bytes(grid);
  size_t cells = (size_t)stx_grid_columns(grid) * stx_grid_rows(grid);
  RdpRun run = {0};
  StxError error = {""};
  STX_ON_DEVICE void *columns = stx_device_copy_of(c->columns, bytes),
                     *out = stx_device_alloc(sizeof run.result);
  STX_ON_DEVICE void *segments =
      wanted.segments ? stx_device_alloc(cells * sizeof(StxStixel)) : NULL;
  /* Alone, the kept cells begin at an odd address. */
  STX_ON_DEVICE uint8_t *bytes_of_kept =
      wanted.kept ? stx_device_alloc(cells + !wanted.segments) : NULL;
  uint8_t *kept = wanted.kept ? bytes_of_kept + !wanted.segments : NULL;
  STX_ON_DEVICE void *scratch = stx_device_alloc(cuda()->scratch_size(&c->params, 1));
  stx_case_ok(
      cuda()->run(&c->params, columns, segments, kept, out, scratch, stx_case_place(), &error),
      &error, what);
  stx_case_wait(what);
  stx_device_download(&run.result, out, sizeof run.result);
  if (segments != NULL)
    run.segments = download(segments, cells * sizeof(StxStixel));
  if (kept != NULL)
    run.kept = download(kept, cells);
  STX_GUARDED void *after = download(columns, bytes);
  stx_expect_same(c->columns, after, bytes, what);
  return run;
}

/* Outputs that were not requested are as the reference has them. */
static void expect_run(const RdpCase *c, Wanted wanted, const RdpRun *expected, const char *what)
{
  RdpRun run = run_cuda(c, wanted, what), compared = run;
  if (!wanted.segments)
    compared.segments = expected->segments;
  if (!wanted.kept)
    compared.kept = expected->kept;
  rdp_expect_same(c, expected, &compared, what);
  rdp_run_free(&run);
}

static void expect_agreement(StxRdpParams params, RdpFilling filling, uint64_t seed, Wanted wanted)
{
  char what[160];
  STX_AUTO(RdpCase) *c = rdp_case_new(params, filling, seed);
  rdp_case_name(c, filling, seed, what, sizeof what);
  STX_AUTO(RdpRun) expected = rdp_run(reference(), c, 1);
  expect_run(c, wanted, &expected, what);
}

static const Wanted all = {true, true};

/* ---- Tests --------------------------------------------------------------------------------- */

/* Fillings for loops: all, or two of them. */
static int first_filling(void)
{
  return stx_test_small() ? RDP_STREET : 0;
}

static int filling_step(void)
{
  return stx_test_small() ? RDP_COMB - RDP_STREET : 1;
}

/* Around warps, words of bits, and powers of two. */
STX_TEST(agrees_on_every_filling_and_number_of_rows)
{
  static const int high[] = {127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025};
  static const int epsilons[] = {0, 1, 1024, 65535};
  int rounds = stx_test_small() ? 9 : 70 + (int)(sizeof high / sizeof high[0]);
  for (int filling = first_filling(); filling < RDP_FILLINGS; filling += filling_step())
    for (int i = 0; i < rounds; i += stx_test_small() ? 4 : 1) {
      int rows = i < 70 ? i + 1 : high[i - 70];
      int epsilon = epsilons[(i + filling) % 4], median = (i + filling) % 3 == 0 ? 3 : 0;
      expect_agreement(rdp_params(i < 70 ? 2 : 1, rows, 1 + i % 9, epsilon, median),
          (RdpFilling)filling, (uint64_t)rows, all);
    }
}

STX_TEST(agrees_on_every_median_and_epsilon)
{
  static const int epsilons[] = {0, 1, 300, 1024, 65535};
  for (int filling = first_filling(); filling < RDP_FILLINGS; filling += filling_step())
    for (int median = 0; median <= 7; median += median == 0 ? 3 : 2)
      for (int e = 0; e < (stx_test_small() ? 1 : 5); e++)
        for (int rows = 8; rows <= (stx_test_small() ? 8 : 100); rows += 92)
          expect_agreement(rdp_params(3, rows, 4, epsilons[e], median), (RdpFilling)filling,
              (uint64_t)(median + rows), all);
}

/* Around the rows of 32 in which a column looks back. The fewer columns, the more warps each of
 * them has; so many that each has one. */
STX_TEST(agrees_on_every_number_of_columns)
{
  for (int columns = 1; columns <= (stx_test_small() ? 2 : 40); columns++)
    expect_agreement(rdp_params(columns, stx_test_small() && columns > 1 ? 5 : 300, 2, 256, 0),
        RDP_STREET, (uint64_t)columns, all);
  int many = stx_test_small() ? 140 : 2500, rows = stx_test_small() ? 2 : 13;
  expect_agreement(rdp_params(many, rows, 2, 256, 0), RDP_STREET, 1, all);
  expect_agreement(rdp_params(1, 4400, 1, 256, 0), RDP_STREET, 3, all);
  for (rows = 299; rows <= 300; rows++)
    expect_agreement(rdp_params(40, rows, 2, 256, 0), RDP_STREET, 2, all);
}

STX_TEST(agrees_on_a_smaller_last_cell)
{
  for (int rows = 1; rows <= (stx_test_small() ? 1 : 40); rows++)
    for (int cell = 2; cell <= 8; cell += 3) {
      StxRdpParams params = rdp_params(3, rows, cell, 100, 0);
      params.grid.height -= 1 + rows % (cell - 1);
      params.grid.width -= 1;
      params.grid.coarse = rows % 5;
      expect_agreement(params, rows % 2 ? RDP_STREET : RDP_NOISE, (uint64_t)rows, all);
    }
}

STX_TEST(agrees_without_records_or_kept_cells)
{
  for (int which = 0; which < 3; which++) {
    Wanted wanted = {which == 1, which == 2};
    expect_agreement(rdp_params(11, stx_test_small() ? 12 : 152, 1, 300, 3), RDP_STREET, 5, wanted);
    expect_agreement(rdp_params(1, 3, 1, 0, 0), RDP_NOISE, 6, wanted);
  }
}

/* The limits of the shared memory of some devices or of all. */
STX_TEST(agrees_on_high_columns)
{
  static const int rows[] = {2047, 2048, 2049, 4095, 4096, 4097, 8000, STX_RDP_MAX_ROWS};
  if (stx_test_small()) { /* too high for the 64 KiB of some devices */
    expect_agreement(rdp_params(1, 4500, 1, 1024, 0), RDP_STREET, 5, all);
    expect_agreement(rdp_params(2, 4504, 1, 65535, 0), RDP_STREET, 6, all);
    for (int median = 3; median <= 7; median += 2)
      expect_agreement(rdp_params(1, 4501, 1, 65535, median), RDP_SPARSE, 7, all);
    return;
  }
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    expect_agreement(rdp_params(1, rows[i], 1, 1024, i % 2 ? 5 : 0), RDP_STREET, i, all);
    expect_agreement(rdp_params(1, rows[i], 1, 1024, 0), RDP_NOISE, i, all);
  }
}

/* Columns that are too high for shared memory share blocks. */
STX_TEST(agrees_where_columns_take_turns)
{
  static const Wanted only_records = {true, false}, only_kept = {false, true};
  expect_agreement(rdp_params(258, 4500, 1, 65535, 0), RDP_STREET, 3, only_records);
  if (stx_test_small())
    return;
  expect_agreement(rdp_params(258, 4700, 1, 256, 0), RDP_RAMP, 3, all);
  expect_agreement(rdp_params(258, 4700, 1, 256, 0), RDP_RAMP, 3, only_kept);
}

/* A level for nearly every cell. */
STX_TEST(agrees_on_the_deepest_columns)
{
  expect_agreement(rdp_params(2, stx_test_small() ? 12 : 257, 1, 0, 0), RDP_DEEP, 1, all);
  STX_AUTO(RdpCase) *c =
      rdp_case_new(rdp_params(2, stx_test_small() ? 12 : 4097, 1, 0, 0), RDP_DEEP, 1);
  STX_AUTO(RdpRun) expected = rdp_run(reference(), c, 1);
  expect_run(c, all, &expected, "the deepest columns");
  ck_assert_uint_eq(expected.result.deepest, stx_grid_rows(&c->params.grid) - 1);
}

/* Class channels are not looked at; what is not a multiple of eight rows is not aligned. */
STX_TEST(agrees_on_random_parameters)
{
  StxRandom random = {7};
  for (int round = 0; round < (stx_test_small() ? 3 : 150); round++) {
    StxRdpParams params = rdp_params(1 + stx_random_below(&random, 5),
        1 + stx_random_below(&random, stx_test_small() ? 12 : 200),
        1 + stx_random_below(&random, 20), stx_random_below(&random, 5000),
        stx_random_below(&random, 2) ? 0 : 3 + 2 * stx_random_below(&random, 3));
    params.grid.classes = stx_random_below(&random, 3);
    params.grid.height -= stx_random_below(&random, params.grid.cell_height);
    expect_agreement(params, (RdpFilling)stx_random_below(&random, RDP_FILLINGS), round, all);
  }
}
