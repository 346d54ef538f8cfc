/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/cuda/satdp_run.h"

#include "tests/cuda/cuda_case.h"

/* Fails unless the device still holds `bytes`; frees the device's. */
static void expect_unchanged(void *device, const void *bytes, size_t size, const char *what)
{
  STX_GUARDED void *now = stx_guarded_alloc(size);
  stx_device_download(now, device, size);
  stx_expect_same(bytes, now, size, what);
  stx_device_free(device);
}

SatdpRun satdp_run_cuda(const StxSatdpImpl *impl, const Case *c, const char *what)
{
  const StxGrid *grid = &c->params.grid;
  size_t room = (size_t)stx_grid_columns(grid) * stx_grid_rows(grid) * sizeof(StxStixel);
  SatdpRun run = {.stixels = stx_guarded_alloc(room)};
  StxError error = {""};
  void *tables = stx_device_copy_of(&c->tables, sizeof c->tables);
  void *columns = stx_device_copy_of(c->columns, stx_grid_bytes(grid));
  size_t cells = (size_t)stx_grid_columns(grid) * stx_grid_rows(grid);
  void *starts = c->starts == NULL ? NULL : stx_device_copy_of(c->starts, cells);
  void *prior = c->prior == NULL ? NULL : stx_device_copy_of(c->prior, cells);
  StxSatdpParams params = c->params;
  params.prior = prior;
  STX_ON_DEVICE void *stixels = stx_device_alloc(room),
                     *result = stx_device_alloc(sizeof run.result);
  STX_ON_DEVICE void *scratch = stx_device_alloc(impl->scratch_size(&c->params, 1));
  stx_case_ok(impl->run(&params, tables, c->tables.has_ground, columns, starts, stixels, result,
                  scratch, stx_case_place(), &error),
      &error, what);
  stx_case_wait(what);
  stx_device_download(&run.result, result, sizeof run.result);
  stx_device_download(run.stixels, stixels, room);
  expect_unchanged(columns, c->columns, stx_grid_bytes(grid), what);
  if (starts != NULL)
    expect_unchanged(starts, c->starts, cells, what);
  if (prior != NULL)
    expect_unchanged(prior, c->prior, cells, what);
  expect_unchanged(tables, &c->tables, sizeof c->tables, what);
  return run;
}

StxSatdpResult satdp_expect_agreement(
    const StxImplTable *impls, const StxSatdpImpl *reference, const Case *c, const char *what)
{
  const StxSatdpImpl *impl = (const void *)stx_impl_at(impls, 0);
  StxSatdpResult wanted;
  STX_GUARDED StxStixel *expected = run_case(reference, c, 1, &wanted);
  SatdpRun actual = satdp_run_cuda(impl, c, what);
  ck_assert_msg(actual.result.count == wanted.count, "%s: %u stixels, not %u", what,
      actual.result.count, wanted.count);
  stx_expect_same(expected, actual.stixels, wanted.count * sizeof *expected, what);
  ck_assert_msg(actual.result.evaluated > 0 && actual.result.evaluated <= wanted.evaluated,
      "%s: %llu of %llu data terms", what, (unsigned long long)actual.result.evaluated,
      (unsigned long long)wanted.evaluated);
  stx_guarded_free(actual.stixels);
  return actual.result;
}
