/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ground on the GPU. */
#include "cuda/stxcuda.h"

const StxImplTable stx_ground_cuda_impls = {.size = sizeof(StxGroundCudaImpl)};
