/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between the launchers (<stem>_launch.c) and the driver: private to cuda/.
 *
 * A kernel is an extern "C" function in <stem>.cu that takes exactly one argument struct,
 * declared in <stem>_args.h, which both sides include. nvcc makes <stem>.cu a fatbin, the build
 * makes that an array named stx_fatbin_<stem>, of 8-byte words as the driver wants them aligned.
 */
#pragma once

#include "cuda/stxcuda.h"

/* A fatbin of kernels. Its address identifies it; loaded on first use, once per StxCuda. */
typedef struct StxCudaModule {
  const char *name; /* the stem, for messages */
  const void *image;
} StxCudaModule;

typedef struct StxCudaKernel {
  const StxCudaModule *module;
  const char *name; /* as in the .cu file; static text: its address is looked up */
} StxCudaKernel;

typedef struct {
  unsigned x, y, z;
} StxCudaSize;

/*
 * Enqueues a kernel. `args` points to its argument struct, which is copied. `shared`: bytes of
 * dynamic shared memory; above 48 KiB the limit of the kernel is raised first, and above
 * info.shared_optin the call fails. A grid without blocks is a success that launches nothing.
 */
bool stx_cuda_launch(const StxPlace *place, const StxCudaKernel *kernel, StxCudaSize grid,
    StxCudaSize block, size_t shared, const void *args, StxError *error);

/* Enqueues bytes that become 0. */
static inline bool stx_cuda_clear(const StxPlace *place, void *to, size_t size, StxError *error)
{
  return stx_cuda_fill_bytes(place->device, to, 0, size, place->stream, error);
}

/* Defines the module of a stem: STX_CUDA_MODULE(sgm); in sgm_launch.c makes `module`. */
#define STX_CUDA_MODULE(stem) STX_CUDA_MODULE_AS(module, stem)
#define STX_CUDA_MODULE_AS(name, stem)                                                             \
  extern const unsigned long long stx_fatbin_##stem[];                                             \
  static const StxCudaModule name = {#stem, stx_fatbin_##stem}

static inline unsigned stx_cuda_blocks(size_t items, unsigned per_block)
{
  return (unsigned)((items + per_block - 1) / per_block);
}

/* Blocks that have `columns` × `rows` of width × height items each, so many times. */
static inline StxCudaSize stx_cuda_grid(
    int width, unsigned columns, int height, unsigned rows, unsigned times)
{
  return (StxCudaSize){
      stx_cuda_blocks((size_t)width, columns), stx_cuda_blocks((size_t)height, rows), times};
}
