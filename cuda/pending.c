/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Empty tables for the algorithms whose kernels are not in the build: see meson.build. */
#include "cuda/stxcuda.h"

#ifdef STX_PENDING_sgm
const StxImplTable stx_sgm_cuda_impls = {.size = sizeof(StxSgmCudaImpl)};
#endif
#ifdef STX_PENDING_colmean
const StxImplTable stx_colmean_cuda_impls = {.size = sizeof(StxColmeanCudaImpl)};
#endif
#ifdef STX_PENDING_satdp
const StxImplTable stx_satdp_cuda_impls = {.size = sizeof(StxSatdpCudaImpl)};
#endif
#ifdef STX_PENDING_overlay
const StxImplTable stx_overlay_cuda_impls = {.size = sizeof(StxOverlayCudaImpl)};
#endif
