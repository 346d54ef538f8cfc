/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* satdp.cu's kernels, for objects that may be slanted. */
#define STX_SATDP_SLANTED 1
#include "cuda/satdp/satdp.cu"
