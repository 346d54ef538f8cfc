/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CUDA for a C++ compiler: what cuda/driver/gpu.cuh stands for in the tests. A kernel runs on the
 * CPU, every CUDA thread a fiber; see README.md for what that finds and what it cannot.
 *
 * This file holds the language (thread indices, shared memory, barriers, warp operations, kernel
 * definitions); emu_intrinsics.h the arithmetic.
 */
#pragma once

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define __device__
#define __host__
#define __forceinline__ inline
#define __align__(n) __attribute__((aligned(n)))

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
  {
  }
};
typedef dim3 uint3;

/* ---- The running thread -------------------------------------------------------------------- */

namespace stx_emu
{

enum Operation { SYNC, SHUFFLE, BALLOT, MATCH, LEAST, MOST, SUM };
constexpr unsigned OWN_LANE = 32;

struct Meeting;

/* The input of a lane to an operation of its warp, and its output. */
struct Exchange {
  Operation operation;
  unsigned mask;
  unsigned source; /* SHUFFLE: lane to read from, or OWN_LANE */
  uint64_t value;  /* in and out */
  const char *file;
  int line;
  Meeting *meeting; /* the emulator's */
};

struct Thread {
  uint3 index;
};
extern Thread *current;
extern dim3 block_index, block_size, grid_size;

/* Waits for the whole block; returns how many of its threads brought a predicate. */
int barrier(bool predicate, const char *file, int line);
void exchange(Exchange *with);
unsigned lane();
bool reduces(); /* as newer GPUs do, and they pack halves, too: STX_EMU_REDUCE=1 */

/* A declaration of shared memory; its address identifies it. */
struct SharedArray {
  const char *name, *file;
  int line;
  size_t size, alignment;
};
/* The block's memory for it. */
void *shared(const SharedArray *declaration);
void *dynamic_shared();

/* __threadfence*: orders with every other fence of the block, or of the launch. */
void fence_block();
void fence();

typedef void (*Body)(const void *args);
struct Kernel {
  const char *name;
  size_t args_size;
  unsigned threads;
  Body body;
  Kernel *next;
  Kernel(const char *name, size_t args_size, unsigned threads, Body body);
};

template <typename T> uint64_t to_bits(T value)
{
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "warps exchange 4 or 8 bytes");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

template <typename T> T from_bits(uint64_t bits)
{
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename T> T shuffle(unsigned mask, T value, unsigned source, const char *file, int line)
{
  Exchange with = {SHUFFLE, mask, source, to_bits(value), file, line, NULL};
  exchange(&with);
  return from_bits<T>(with.value);
}

/* Which lane a shuffle within groups of `width` lanes reads from, as PTX's shfl.sync has it: of
 * distances the low five bits count, and a lane that would leave the group keeps its own value; but
 * a butterfly may reach down into earlier groups. */
inline unsigned source_up(unsigned delta, unsigned width)
{
  return lane() % width >= delta % 32 ? lane() - delta % 32 : OWN_LANE;
}

inline unsigned source_down(unsigned delta, unsigned width)
{
  return lane() % width + delta % 32 < width ? lane() + delta % 32 : OWN_LANE;
}

inline unsigned source_butterfly(unsigned bits, unsigned width)
{
  unsigned other = lane() ^ bits % 32;
  return other / width <= lane() / width ? other : OWN_LANE;
}

inline unsigned source_at(unsigned source, unsigned width)
{
  return lane() / width * width + source % width;
}

/* A width of shuffles, if it is one: 1, 2, 4, 8, 16 or 32. */
unsigned check_width(unsigned width, const char *file, int line);

inline uint64_t vote(Operation operation, unsigned mask, uint64_t value, const char *file, int line)
{
  Exchange with = {operation, mask, OWN_LANE, value, file, line, NULL};
  exchange(&with);
  return with.value;
}

} /* namespace stx_emu */

#define threadIdx (stx_emu::current->index)
#define blockIdx (stx_emu::block_index)
#define blockDim (stx_emu::block_size)
#define gridDim (stx_emu::grid_size)

/* ---- Kernels and shared memory: the counterparts of gpu.cuh --------------------------------- */

#define STX_KERNEL(name, Args, threads) STX_EMU_KERNEL(name, Args, threads)
#define STX_EMU_KERNEL(name, Args, threads)                                                        \
  static void name##_body(const Args &a);                                                          \
  static stx_emu::Kernel name##_kernel(#name, sizeof(Args), threads,                               \
      [](const void *args) { name##_body(*static_cast<const Args *>(args)); });                    \
  static_assert(sizeof(Args) <= 4096, "kernels take at most 4096 bytes of arguments");             \
  static void name##_body(const Args &a)
#define STX_KERNEL_BLOCKS(name, Args, threads, blocks) STX_KERNEL(name, Args, threads)

#define STX_DEVICE static inline

/* References to arrays, so that sizeof and the sanitizer's bounds are those of CUDA's arrays. */
#define STX_EMU_DECLARE_SHARED(type, name, size)                                                   \
  static const stx_emu::SharedArray name##_declaration = {                                         \
      #name, __FILE__, __LINE__, size, alignof(type)}
#define STX_SHARED(type, name, count)                                                              \
  STX_EMU_DECLARE_SHARED(type, name, sizeof(type[count]));                                         \
  type(&name)[count] = *static_cast<type(*)[count]>(stx_emu::shared(&name##_declaration))
#define STX_SHARED_2D(type, name, rows, columns)                                                   \
  STX_EMU_DECLARE_SHARED(type, name, sizeof(type[rows][columns]));                                 \
  type(&name)[rows][columns] =                                                                     \
      *static_cast<type(*)[rows][columns]>(stx_emu::shared(&name##_declaration))
#define STX_SHARED_DYNAMIC(type, name) type *name = static_cast<type *>(stx_emu::dynamic_shared())
#define STX_FULL_WARP 0xffffffffu

/* ---- Barriers and warps --------------------------------------------------------------------- */

#define __syncthreads() ((void)stx_emu::barrier(false, __FILE__, __LINE__))
#define __syncthreads_count(p) (stx_emu::barrier((p) != 0, __FILE__, __LINE__))
#define __syncthreads_or(p) (stx_emu::barrier((p) != 0, __FILE__, __LINE__) > 0)
#define __syncthreads_and(p) (stx_emu::barrier((p) == 0, __FILE__, __LINE__) == 0)

#define STX_EMU_SYNCWARP(mask, ...)                                                                \
  ((void)stx_emu::vote(stx_emu::SYNC, (mask), 0, __FILE__, __LINE__))
#define __syncwarp(...) STX_EMU_SYNCWARP(__VA_ARGS__ __VA_OPT__(, ) 0xffffffffu)

/* Values of less than 4 bytes are shuffled as int, hence the plus. */
#define STX_EMU_SHUFFLE(rule, mask, value, by, width, ...)                                         \
  stx_emu::shuffle((mask), +(value),                                                               \
      stx_emu::source_##rule((by), stx_emu::check_width((width), __FILE__, __LINE__)), __FILE__,   \
      __LINE__)
#define __shfl_sync(mask, value, ...) STX_EMU_SHUFFLE(at, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_up_sync(mask, value, ...) STX_EMU_SHUFFLE(up, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_down_sync(mask, value, ...) STX_EMU_SHUFFLE(down, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_xor_sync(mask, value, ...)                                                          \
  STX_EMU_SHUFFLE(butterfly, mask, value, __VA_ARGS__, 32, 0)

#define __ballot_sync(mask, p)                                                                     \
  ((unsigned)stx_emu::vote(stx_emu::BALLOT, (mask), (p) != 0, __FILE__, __LINE__))
#define __any_sync(mask, p) (__ballot_sync(mask, p) != 0)
#define __all_sync(mask, p) (__ballot_sync(mask, !(p)) == 0)
#define __match_any_sync(mask, v)                                                                  \
  ((unsigned)stx_emu::vote(stx_emu::MATCH, (mask), stx_emu::to_bits(v), __FILE__, __LINE__))
#define __reduce_min_sync(mask, v)                                                                 \
  ((unsigned)stx_emu::vote(stx_emu::LEAST, (mask), (unsigned)(v), __FILE__, __LINE__))
#define __reduce_max_sync(mask, v)                                                                 \
  ((unsigned)stx_emu::vote(stx_emu::MOST, (mask), (unsigned)(v), __FILE__, __LINE__))
#define __reduce_add_sync(mask, v)                                                                 \
  ((unsigned)stx_emu::vote(stx_emu::SUM, (mask), (unsigned)(v), __FILE__, __LINE__))
#define STX_REDUCE(rule, value, otherwise)                                                         \
  (stx_emu::reduces() ? __reduce_##rule##_sync(STX_FULL_WARP, value) : (otherwise))
#define STX_PACKS (stx_emu::reduces())

#include "tests/emu/emu_intrinsics.h"
