/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of satdp_slanted.cu, which satdp_launch.c launches in place of satdp.cu's. */
#ifndef STX_SATDP_SLANTED_H
#define STX_SATDP_SLANTED_H

#include "cuda/driver/launch.h"

extern const StxCudaKernel stx_satdp_slanted_kernel, stx_satdp_slanted_high_kernel;

#endif
