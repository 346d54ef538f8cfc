/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The language of the kernels: CUDA as nvcc understands it, or the emulator of tests/emu/
 * when a C++ compiler reads the same file. Every .cu file includes this first and uses CUDA
 * through it: threadIdx, blockIdx, blockDim, gridDim, __syncthreads, __syncwarp, __shfl_*_sync,
 * __ballot_sync, __any_sync, __all_sync, STX_REDUCE in place of __reduce_*_sync; atomics,
 * __popc, __ffs, __clz, the byte-wise __v*4 intrinsics, __ldg, uint2, uint4 and so on.
 *
 * No half precision, textures, cooperative groups; inline assembly only here, for what older nvcc
 * have no names for.
 */
#pragma once

#ifdef __CUDACC__

/* Defines a kernel: STX_KERNEL(stx_sgm_census, StxSgmCensusArgs, 256) { … a.width … }
 * `threads` is the largest block that it is launched with. */
#define STX_KERNEL(name, Args, threads)                                                            \
  extern "C" __global__ void __launch_bounds__(threads) name(const __grid_constant__ Args a)

/* The same, with as many registers that `blocks` blocks of that many threads share a
 * multiprocessor. */
#define STX_KERNEL_BLOCKS(name, Args, threads, blocks)                                             \
  extern "C" __global__ void __launch_bounds__(threads, blocks) name(const __grid_constant__ Args a)

#define STX_DEVICE static __device__ __forceinline__

/* `count` elements of shared memory, and a matrix of them: only at the top of a kernel, whose
 * device functions get them as pointers. */
#define STX_SHARED(type, name, count) __shared__ type name[count]
#define STX_SHARED_2D(type, name, rows, columns) __shared__ type name[rows][columns]

/* All dynamic shared memory of the launch, 16-byte aligned. */
#define STX_SHARED_DYNAMIC(type, name)                                                             \
  extern __shared__ __align__(16) unsigned char stx_dynamic_shared[];                              \
  type *name = (type *)stx_dynamic_shared

#define STX_FULL_WARP 0xffffffffu

/* __reduce_‹rule›_sync (min, max or add) of all lanes' unsigned values, which GPUs have from sm_80
 * on; on older ones what `otherwise` computes. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define STX_REDUCE(rule, value, otherwise) __reduce_##rule##_sync(STX_FULL_WARP, value)
#else
#define STX_REDUCE(rule, value, otherwise) (otherwise)
#endif

/* Whether minima of two halves of a word, with an addition before them, are single instructions:
 * from sm_90 on. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define STX_PACKS true
#else
#define STX_PACKS false
#endif

/* Reads an unsigned in global memory that other threads change meanwhile, by atomics. */
STX_DEVICE unsigned stx_peek(const unsigned *at)
{
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
               : "=r"(value)
               : "l"(__cvta_generic_to_global(at)));
  return value;
}

/* Adds to an unsigned in global memory, and returns what was there. What the thread has written
 * before, and what it knows of others by a barrier, is seen by each thread that adds later and by
 * those that meet it at a barrier after that. Cheaper than __threadfence before and after. */
STX_DEVICE unsigned stx_add_in_order(unsigned *to, unsigned value)
{
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(to)), "r"(value)
               : "memory");
  return before;
}

#else
#include "tests/emu/emu.h"
#endif
