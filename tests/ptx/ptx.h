/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A machine that runs PTX, the assembly that nvcc makes of our kernels, on the CPU; README.md says
 * what it finds that the emulator of the sources cannot.
 *
 * It is strict. What it does not know ends the parse; a read of what was never written, an access
 * out of bounds or off its alignment, a barrier that not all reach, a wrong mask end the launch.
 * Every error names kernel, line of the PTX, block and thread.
 *
 * Every thread has its own program counter. A seed decides which thread runs when: warps split and
 * join, and several blocks are at work at once. The same seed gives the same run.
 *
 * Errors are texts in the caller's buffer. Not for several threads at once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct StxPtx StxPtx; /* kernels by name */

StxPtx *stx_ptx_new(void);
void stx_ptx_free(StxPtx *ptx);

/* Adds the kernels of a text, of which nothing is kept. `name` is that of its file, for messages.
 */
bool stx_ptx_add(StxPtx *ptx, const char *name, const char *text, char *error, size_t size);

/* Bytes of the kernel's only parameter, a struct; 0: there is no such kernel. */
size_t stx_ptx_args_size(const StxPtx *ptx, const char *kernel);

/* A zero for each byte of a memory, in pages that take no memory before they are touched. */
uint8_t *stx_ptx_zeros(size_t size);
void stx_ptx_zeros_free(uint8_t *zeros, size_t size);

/* Global memory: bytes that a kernel may touch. known: a byte for each, 0 until it is written. */
typedef struct {
  uint8_t *base;
  size_t size;
  uint8_t *known;
} StxPtxMemory;

typedef struct {
  const char *kernel;
  unsigned grid[3], block[3];
  size_t shared; /* bytes of dynamic shared memory */
  const void *args;
  const StxPtxMemory *memory; /* by rising addresses */
  size_t memories;
  uint64_t seed; /* 0: in order, warps as whole as they can be; else at random */
  bool last;     /* only the last block of the grid runs */
  bool late;     /* stores reach other blocks late, unless a fence or an atomic orders them */
  /* Decides in place of the seed, or NULL: a number below `below`, or below 0 to give up. All
   * blocks, four at most, are then at work at once, and every access to global memory is a choice.
   * `state` tells apart states of the machine from which it goes on differently; 0: unknown. */
  int (*choose)(void *chooser, unsigned below, uint64_t state);
  void *chooser;
} StxPtxLaunch;

/* False with a text when the kernel breaks a rule; what it wrote until then stays written. */
bool stx_ptx_launch(StxPtx *ptx, const StxPtxLaunch *launch, char *error, size_t size);
