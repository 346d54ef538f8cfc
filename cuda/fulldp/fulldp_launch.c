/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches fulldp's kernels, as satdp's are launched. */
#include "cuda/satdp/satdp_launch.h"

#include "common/fulldp/fulldp.h"

STX_CUDA_MODULE(fulldp);

static const StxSatdpKernels kernels = {
    {&module, "stx_fulldp_columns"}, {&module, "stx_fulldp_high_columns"}, true};

static size_t scratch_size(const StxSatdpParams *params, int threads)
{
  StxSatdpParams upright = stx_fulldp_upright(params);
  return stx_satdp_cuda_scratch(&kernels, &upright);
}

static bool run(const StxSatdpParams *params, const StxSatdpTables *tables, bool has_ground,
    const void *columns, const uint8_t *starts, StxStixel *stixels, StxSatdpResult *result,
    void *scratch, const StxPlace *place, StxError *error)
{
  StxSatdpParams upright = stx_fulldp_upright(params);
  return stx_satdp_cuda_run(&kernels, &upright, tables, has_ground, columns, starts, stixels,
      result, scratch, place, error);
}

static const StxSatdpImpl impls[] = {
    {{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, scratch_size, run}};
const StxImplTable stx_fulldp_cuda_impls = {impls, 1, sizeof impls[0]};
