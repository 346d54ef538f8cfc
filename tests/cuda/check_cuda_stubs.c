/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A build without CUDA, whatever this build is: linked with cuda/driver/stubs.c. Every function is
 * there, and says why it does nothing. */
#include "cuda/stxcuda.h"
#include "tests/testing.h"

static void expect_reason(bool ok, StxError *error)
{
  ck_assert(!ok);
  ck_assert_str_eq(error->text, "this build has no CUDA");
  error->text[0] = '\0';
}

STX_TEST(opening_says_why_not)
{
  StxError error = {""};
  expect_reason(stx_cuda_count(&error) != 0, &error);
  expect_reason(stx_cuda_open(0, &error) != NULL, &error);
  expect_reason(stx_cuda_wrap(&error, &error) != NULL, &error);
  ck_assert_ptr_nonnull(stx_cuda_info(NULL));
  stx_cuda_close(NULL);
}

STX_TEST(everything_else_does_too)
{
  StxError error = {""};
  void *memory = &error, *locked = &error;
  StxCudaStream stream = memory;
  StxCudaEvent event = memory;
  StxCudaGraph graph = memory;
  StxCudaCopy copy = {NULL};
  float time;
  expect_reason(stx_cuda_stream_new(NULL, &stream, &error), &error);
  expect_reason(stx_cuda_synchronize(NULL, NULL, &error), &error);
  expect_reason(stx_cuda_alloc(NULL, 1, &memory, &error), &error);
  expect_reason(stx_cuda_alloc_host(NULL, 1, &locked, &error), &error);
  expect_reason(stx_cuda_upload(NULL, &copy, NULL, &error), &error);
  expect_reason(stx_cuda_download(NULL, &copy, NULL, &error), &error);
  expect_reason(stx_cuda_upload_bytes(NULL, NULL, NULL, 1, NULL, &error), &error);
  expect_reason(stx_cuda_download_bytes(NULL, NULL, NULL, 1, NULL, &error), &error);
  expect_reason(stx_cuda_copy_bytes(NULL, NULL, NULL, 1, NULL, &error), &error);
  expect_reason(stx_cuda_fill_bytes(NULL, NULL, 0, 1, NULL, &error), &error);
  expect_reason(stx_cuda_event_new(NULL, &event, &error), &error);
  expect_reason(stx_cuda_event_record(NULL, NULL, NULL, &error), &error);
  expect_reason(stx_cuda_event_elapsed(NULL, NULL, NULL, &time, &error), &error);
  expect_reason(stx_cuda_graph_begin(NULL, NULL, &error), &error);
  expect_reason(stx_cuda_graph_end(NULL, NULL, &graph, &error), &error);
  expect_reason(stx_cuda_graph_launch(NULL, NULL, NULL, &error), &error);
  expect_reason(stx_cuda_probe_copy(NULL, NULL, NULL, 1, NULL, &error), &error);
  ck_assert(!memory && !locked && !stream && !event && !graph);
  stx_cuda_stream_free(NULL, NULL);
  stx_cuda_free(NULL, NULL);
  stx_cuda_free_host(NULL, NULL);
  stx_cuda_event_free(NULL, NULL);
  stx_cuda_graph_free(NULL, NULL);
}

STX_TEST(the_tables_are_empty)
{
  const StxImplTable *tables[] = {&stx_sgm_cuda_impls, &stx_colmean_cuda_impls,
      &stx_fulldp_cuda_impls, &stx_ground_cuda_impls, &stx_luma_cuda_impls, &stx_rdp_cuda_impls,
      &stx_satdp_cuda_impls, &stx_overlay_cuda_impls, &stx_canvas_cuda_impls};
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
    ck_assert_uint_eq(tables[i]->count, 0);
}
