/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/driver/launch.h"
#include "cuda/driver/probe_args.h"

STX_CUDA_MODULE(probe);

/* Enough to fill every multiprocessor (2048 threads) twice over. */
#define BLOCKS_PER_PROCESSOR 16

static const StxCudaKernel copy_kernel = {&module, "stx_probe_copy"};

bool stx_cuda_probe_copy(
    StxCuda *cuda, void *to, const void *from, size_t size, StxCudaStream stream, StxError *error)
{
  if (((uintptr_t)to | (uintptr_t)from) % 16 != 0)
    return stx_fail(error, "the copy probe needs addresses that are multiples of 16");
  StxProbeCopyArgs args = {.from = from, .to = to, .size = size};
  unsigned most = (unsigned)stx_cuda_info(cuda)->processors * BLOCKS_PER_PROCESSOR;
  size_t wanted = (size + 16 * STX_PROBE_THREADS - 1) / (16 * STX_PROBE_THREADS);
  StxCudaSize grid = {wanted < most ? (unsigned)wanted : most, 1, 1};
  StxCudaSize block = {STX_PROBE_THREADS, 1, 1};
  StxPlace place = stx_cuda_place(cuda, stream);
  return stx_cuda_launch(&place, &copy_kernel, grid, block, 0, &args, error);
}
