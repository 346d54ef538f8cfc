/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between satdp_launch.c and fulldp_launch.c, whose kernels take the same memory. */
#ifndef STX_SATDP_LAUNCH_H
#define STX_SATDP_LAUNCH_H

#include "cuda/driver/launch.h"

/* Both take StxSatdpColumnsArgs. */
typedef struct {
  StxCudaKernel columns, high_columns; /* rows in shared memory, in scratch */
  bool full;                           /* they want the cells of fulldp */
} StxSatdpKernels;

/* As StxSatdpImpl.scratch_size and .run. */
size_t stx_satdp_cuda_scratch(const StxSatdpKernels *wanted, const StxSatdpParams *params);
bool stx_satdp_cuda_run(const StxSatdpKernels *wanted, const StxSatdpParams *params,
    const StxSatdpTables *tables, bool has_ground, const void *columns, const uint8_t *starts,
    StxStixel *stixels, StxSatdpResult *result, void *scratch, const StxPlace *place,
    StxError *error);

#endif
