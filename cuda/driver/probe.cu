/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A plain copy: what the memory of this GPU gives to a kernel, and so the limit against which the
 * others are measured.
 *
 * A thread owns the 16-byte units t, t + threads, t + 2 threads, … of the whole grid: every warp
 * reads and writes 512 consecutive bytes. The last size % 16 bytes are copied singly by the first
 * threads. No shared memory.
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/driver/probe_args.h"

STX_KERNEL(stx_probe_copy, StxProbeCopyArgs, STX_PROBE_THREADS)
{
  const uint64_t units = a.size / sizeof(uint4);
  const uint64_t first = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
  const uint4 *from = (const uint4 *)a.from;
  uint4 *to = (uint4 *)a.to;
  for (uint64_t i = first; i < units; i += step)
    to[i] = from[i];
  const uint64_t tail = units * sizeof(uint4) + first;
  if (tail < a.size)
    a.to[tail] = a.from[tail];
}
