/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/satdp/satdp_slanted.h"

STX_CUDA_MODULE(satdp_slanted);

const StxCudaKernel stx_satdp_slanted_kernel = {&module, "stx_satdp_slanted_columns"};
const StxCudaKernel stx_satdp_slanted_high_kernel = {&module, "stx_satdp_slanted_high_columns"};
