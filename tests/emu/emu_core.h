/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the emulator's files: the launch that is running.
 *
 *   emu.cc         launches, blocks, threads: who runs when
 *   emu_sync.cc    barriers and operations of a warp
 *   emu_shared.cc  shared memory
 *   emu_fiber.cc   stacks, and what the sanitizers are told
 *
 * All compiled without sanitizers: what the emulator does to its own state is no business of
 * theirs.
 */
#pragma once

#include "tests/emu/emu.h"
#include "tests/emu/emu_fiber.h"

namespace stx_emu
{

enum {
  MAX_THREADS = 1024,      /* of a block */
  MAX_SHARED = 227 * 1024, /* bytes that a block of any GPU can have */
  MAX_ARRAYS = 32,         /* of shared memory in a kernel */
};

enum State { READY, AT_BARRIER, IN_EXCHANGE, ENDED };

/* One CUDA thread. */
struct Worker : Thread {
  Fiber fiber;
  unsigned number; /* within the block */
  State state;
  const char *file; /* where it waits */
  int line;
  Exchange *exchange; /* what it waits in */
};

struct SharedBlock {
  const SharedArray *declaration; /* NULL: the dynamic shared memory */
  size_t size;
  char *data;
  void *allocation;
};

struct Launch {
  const Kernel *kernel;
  const void *args;
  Worker workers[MAX_THREADS];
  int count; /* threads of a block */
  Fiber scheduler;
  bool failed;
  void *start, *end, *fence; /* tokens: of the launch's begin and end, and of its fences */

  /* The current block. */
  SharedBlock arrays[MAX_ARRAYS + 1]; /* the first is the dynamic one */
  int array_count;
  int arrived, predicates; /* at the barrier */
  int total;               /* predicates of the last barrier */
  unsigned barriers;
  unsigned exchanging[MAX_THREADS / 32]; /* per warp, the lanes in an operation of it */
  void *barrier[2];                      /* tokens, by turns */
  void *block_fence;
};

extern Launch state; /* one at a time */

static inline Worker *self()
{
  return static_cast<Worker *>(current);
}

/* The launch's first fault: what this thread did, at that place. */
void fault(const Worker *who, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same, by no thread in particular. */
void fault_of_block(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Lets others run until this thread is READY; for ever, if the launch has failed. */
void wait();

static inline bool same_place(const Worker *a, const Worker *b)
{
  return a->line == b->line && (a->file == b->file || strcmp(a->file, b->file) == 0);
}

/* Before the threads of a block and after. */
bool begin_shared(size_t dynamic_size);
void end_shared();
void begin_sync();
void end_sync();

} /* namespace stx_emu */
