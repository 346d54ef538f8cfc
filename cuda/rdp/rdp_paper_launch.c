/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The paper's kernel beside the fast ones: a table of its own, so that only measurements and tests
 * link it. */
#include "cuda/rdp/rdp_launch.h"

STX_CUDA_MODULE(rdp_paper);

static const StxCudaKernel paper_kernel = {&module, "stx_rdp_paper"};

static size_t scratch_size(const StxRdpParams *params, int threads)
{
  return stx_rdp_cuda_scratch(params, true);
}

static bool run(const StxRdpParams *params, const void *columns, StxStixel *segments, uint8_t *kept,
    StxRdpResult *result, void *scratch, const StxPlace *place, StxError *error)
{
  StxRdpMemory memory = {columns, segments, kept, result, scratch};
  return stx_rdp_cuda_run_either(params, &paper_kernel, &memory, place, error);
}

static const StxRdpImpl impls[] = {
    {{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, stx_rdp_cuda_scratch_size, stx_rdp_cuda_run},
    {{"cuda-paper", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, scratch_size, run}};
const StxImplTable stx_rdp_paper_cuda_impls = {impls, 2, sizeof impls[0]};
