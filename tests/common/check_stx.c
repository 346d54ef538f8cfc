/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/testing.h"

typedef struct {
  StxImplInfo info;
  int value;
} Impl;

static const Impl records[] = {
    {{"impossible", STX_BACKEND_OMP, STX_MEMORY_HOST, 1u << 31}, 1},
    {{"device", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, 2},
    {{"omp", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, 3},
};
static const StxImplTable table = {records, 3, sizeof(Impl)};

static int picked(StxBackend backend)
{
  const Impl *impl = stx_impl_pick(&table, backend);
  return impl ? impl->value : 0;
}

STX_TEST(picks_the_first_usable_host_implementation)
{
  ck_assert_int_eq(picked(STX_BACKEND_AUTO), 3);
  ck_assert_int_eq(picked(STX_BACKEND_OMP), 3);
  ck_assert_int_eq(picked(STX_BACKEND_CUDA), 0);
}

STX_TEST(finds_implementations_by_name)
{
  ck_assert_ptr_eq(stx_impl_named(&table, "impossible"), &records[0]);
  ck_assert_ptr_null(stx_impl_named(&table, "opencl"));
}

STX_TEST(errors_carry_their_text)
{
  StxError error;
  ck_assert(!stx_fail(&error, "width is %d", 7));
  ck_assert_str_eq(error.text, "width is 7");
  ck_assert(!stx_fail(NULL, "nobody listens"));
}

STX_TEST(threads_are_at_least_one)
{
  ck_assert_int_ge(stx_threads(0), 1);
  ck_assert_int_eq(stx_threads(1), 1);
}
