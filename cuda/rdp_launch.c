/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rdp on the GPU. */
#include "cuda/stxcuda.h"

const StxImplTable stx_rdp_cuda_impls = {.size = sizeof(StxRdpCudaImpl)};
