/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of a stage, as a graph and without, on a GPU or with the emulator. What happens when
 * the driver fails: check_cuda_faults.c. */
#include <stdio.h>
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/driver/launch.h"
#include "cuda/driver/probe_args.h"
#include "tests/cuda/cuda_case.h"

STX_CUDA_MODULE(probe);
static const StxCudaKernel probe_copy = {&module, "stx_probe_copy"};

/* ---- Chains of steps ----------------------------------------------------------------------- */

enum { BUFFERS = STX_CUDA_STEPS + 1, BUFFER_SIZE = 5000 };

/* A chain: step i fills buffer i + 1 or copies buffer i to it, as the bits of `copies` say. */
typedef struct {
  StxCudaStep steps[STX_CUDA_STEPS];
  StxProbeCopyArgs args[STX_CUDA_STEPS];
} Chain;

static void make_chain(Chain *c, void *const *buffers, size_t count, unsigned copies, size_t size)
{
  for (size_t i = 0; i < count; i++) {
    c->args[i] = (StxProbeCopyArgs){.from = buffers[i], .to = buffers[i + 1], .size = size};
    c->steps[i] = (StxCudaStep){.to = buffers[i + 1], .size = size, .value = (uint8_t)(size + i)};
    if (copies >> i & 1)
      c->steps[i] = (StxCudaStep){.kernel = &probe_copy,
          .grid = {(unsigned)(size + 4095) / 4096, 1, 1},
          .block = {STX_PROBE_THREADS, 1, 1},
          .args = &c->args[i],
          .args_size = sizeof c->args[i]};
  }
}

/* The first `size` bytes of the last buffer are what went into the chain, and no others. */
static void expect_chain(
    void *const *buffers, size_t count, unsigned copies, size_t size, const char *what)
{
  uint8_t first[BUFFER_SIZE], expected[BUFFER_SIZE], actual[BUFFER_SIZE];
  stx_device_download(first, buffers[0], BUFFER_SIZE);
  memset(expected, 0xEE, BUFFER_SIZE);
  memcpy(expected, first, size);
  for (size_t i = 0; i < count; i++)
    if (!(copies >> i & 1))
      memset(expected, (uint8_t)(size + i), size);
  stx_device_download(actual, buffers[count], BUFFER_SIZE);
  stx_expect_same(expected, actual, BUFFER_SIZE, what);
}

static void new_buffers(void **buffers)
{
  uint8_t bytes[BUFFER_SIZE];
  for (size_t i = 0; i < BUFFERS; i++) {
    StxRandom random = {7};
    for (size_t k = 0; k < BUFFER_SIZE; k++)
      bytes[k] = i == 0 ? (uint8_t)stx_random(&random) : 0xEE;
    buffers[i] = stx_device_copy_of(bytes, BUFFER_SIZE);
  }
}

static void free_buffers(void **buffers)
{
  for (size_t i = 0; i < BUFFERS; i++)
    stx_device_free(buffers[i]);
}

static void run_chain(StxCuda *cuda, size_t count, unsigned copies, size_t size)
{
  StxError error;
  Chain chain;
  void *buffers[BUFFERS];
  char what[80];
  new_buffers(buffers);
  make_chain(&chain, buffers, count, copies, size);
  snprintf(what, sizeof what, "%zu steps, copies %#x, %zu bytes", count, copies, size);
  bool ok = stx_cuda_run_steps(cuda, chain.steps, count, stx_case_stream(), &error);
  memset(&chain, 0xFF, sizeof chain); /* nobody looks at it later */
  stx_case_ok(ok, &error, what);
  stx_case_wait(what);
  if (size > 0)
    expect_chain(buffers, count, copies, size, what);
  free_buffers(buffers);
}

static size_t count_graphs(const StxCuda *cuda)
{
  size_t count = 0;
  for (size_t i = 0; i < STX_GRAPHS; i++)
    count += cuda->graphs[i] != NULL;
  return count;
}

/* Other buffers each time, other sizes, and steps that are empty. */
STX_TEST(steps_are_a_graph_that_changes)
{
  StxCuda *cuda = stx_case_cuda();
  static const size_t sizes[] = {1, 4096, 4096, 4097, BUFFER_SIZE, 17, BUFFER_SIZE};
  size_t before = count_graphs(cuda);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    run_chain(cuda, 7, 0x5A, sizes[i]);
  ck_assert_uint_eq(count_graphs(cuda), before + cuda->driver.graphs);
  run_chain(cuda, 7, 0x5A, 0);
  run_chain(cuda, 3, 7, 100);
  run_chain(cuda, 0, 0, 0);
  ck_assert_uint_eq(count_graphs(cuda), before + cuda->driver.graphs);
}

/* More than are kept, and back to the first ones. */
STX_TEST(graphs_take_the_place_of_others)
{
  StxCuda *cuda = stx_case_cuda();
  for (unsigned round = 0; round < 2; round++)
    for (size_t i = 0; i < STX_GRAPHS + 3; i++)
      run_chain(cuda, 5 + i % 2 * 7, (unsigned)i | 16, 300 + i);
  ck_assert_uint_eq(count_graphs(cuda), cuda->driver.graphs ? STX_GRAPHS : 0);
}

STX_TEST(steps_are_taken_one_by_one_without_graphs)
{
  StxCuda *cuda = stx_case_cuda();
  bool graphs = cuda->driver.graphs;
  size_t before = count_graphs(cuda);
  cuda->driver.graphs = false;
  run_chain(cuda, 12, 0xC5A, 4200);
  cuda->driver.graphs = graphs;
  ck_assert_uint_eq(count_graphs(cuda), before);
}

STX_TEST(recorded_steps_are_the_callers)
{
  StxCuda *cuda = stx_case_cuda();
  StxCudaStream stream = stx_case_stream();
  StxCudaGraph graph;
  StxError error;
  Chain chain;
  void *buffers[BUFFERS];
  new_buffers(buffers);
  make_chain(&chain, buffers, 6, 0x3F, 900);
  bool ok = stx_cuda_graph_begin(cuda, stream, &error) &&
            stx_cuda_run_steps(cuda, chain.steps, 6, stream, &error) &&
            stx_cuda_graph_end(cuda, stream, &graph, &error);
  stx_case_ok(ok, &error, "recording");
  run_chain(cuda, 6, 0x3F, 77); /* changes nothing of it */
  stx_case_ok(stx_cuda_graph_launch(cuda, graph, stream, &error), &error, "graph");
  expect_chain(buffers, 6, 0x3F, 900, "recorded steps");
  stx_cuda_graph_free(cuda, graph);
  free_buffers(buffers);
}

STX_TEST(there_are_not_too_many_steps)
{
  StxError error;
  StxCudaStep steps[STX_CUDA_STEPS + 1] = {{NULL}};
  ck_assert(
      !stx_cuda_run_steps(stx_case_cuda(), steps, STX_CUDA_STEPS + 1, stx_case_stream(), &error));
  ck_assert_str_eq(error.text, "13 steps of a stage: at most 12");
}
