/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A plain copy: what the memory of this GPU gives to a kernel, and so the limit against which the
 * others are measured.
 *
 * A thread owns the 16-byte units t, t + threads, t + 2 threads, … of the whole grid: every warp
 * reads and writes 512 consecutive bytes, of four such runs at a time: with one load under way per
 * thread the memory would wait for the threads. The last size % 16 bytes are copied singly by the
 * first threads. No shared memory.
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/driver/probe_args.h"

enum { AT_ONCE = 4 };

STX_KERNEL(stx_probe_copy, StxProbeCopyArgs, STX_PROBE_THREADS)
{
  const uint64_t units = a.size / sizeof(uint4);
  const uint64_t first = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
  const uint4 *from = (const uint4 *)a.from;
  uint4 *to = (uint4 *)a.to;
  uint64_t i = first;
  for (; i + (AT_ONCE - 1) * step < units; i += AT_ONCE * step) {
    uint4 unit[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
      unit[k] = from[i + k * step];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
      to[i + k * step] = unit[k];
  }
  for (; i < units; i += step)
    to[i] = from[i];
  const uint64_t tail = units * sizeof(uint4) + first;
  if (tail < a.size)
    a.to[tail] = a.from[tail];
}
