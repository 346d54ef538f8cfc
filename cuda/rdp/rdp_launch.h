/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between rdp_launch.c and rdp_paper_launch.c, whose kernels take the same arguments. */
#pragma once

#include "cuda/driver/launch.h"
#include "cuda/rdp/rdp_args.h"

/* Buffers of StxRdpImpl.run. */
typedef struct {
  const void *columns;
  StxStixel *segments;
  uint8_t *kept;
  StxRdpResult *result;
  char *scratch;
} StxRdpMemory;

/* `paper`: its kernel; NULL: the fast ones. */
size_t stx_rdp_cuda_scratch(const StxRdpParams *params, bool paper);
bool stx_rdp_cuda_run_either(const StxRdpParams *params, const StxCudaKernel *paper,
    const StxRdpMemory *memory, const StxPlace *place, StxError *error);

/* As StxRdpImpl.scratch_size and .run: the fast way. */
size_t stx_rdp_cuda_scratch_size(const StxRdpParams *params, int threads);
bool stx_rdp_cuda_run(const StxRdpParams *params, const void *columns, StxStixel *segments,
    uint8_t *kept, StxRdpResult *result, void *scratch, const StxPlace *place, StxError *error);
