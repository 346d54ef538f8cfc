/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared memory: for every block fresh heap memory, filled with 0xCD. Guard bytes around it are
 * looked at when the block has ended. An array lies no better than its type demands: code that
 * takes bytes for words meets a misaligned address here, too.
 */
#include "tests/emu/emu_core.h"

#include <stdlib.h>

namespace stx_emu
{

enum { FILL = 0xCD, GUARD = 128, DYNAMIC_ALIGNMENT = 16 };

/* Alignments are powers of two: an address that is a multiple of twice the alignment, plus the
 * alignment, is aligned to nothing more. */
static bool allocate(
    SharedBlock *block, const SharedArray *declaration, size_t size, size_t alignment)
{
  size_t room = 2 * alignment > 16 ? 2 * alignment : 16;
  size_t before = (GUARD + room - 1) / room * room + alignment;
  block->declaration = declaration;
  block->size = size;
  unwatch(); /* to the thread sanitizer an allocation is a write of this thread */
  bool good = posix_memalign(&block->allocation, room, before + size + GUARD) == 0;
  if (good)
    memset(block->allocation, FILL, before + size + GUARD);
  watch();
  block->data = good ? (char *)block->allocation + before : NULL;
  return good;
}

bool begin_shared(size_t dynamic_size)
{
  state.array_count = 1;
  return allocate(&state.arrays[0], NULL, dynamic_size, DYNAMIC_ALIGNMENT);
}

/* The guard that changed: -1 below, 1 above, 0 none. */
static int guard_touched(const SharedBlock *block)
{
  for (const char *at = (const char *)block->allocation; at < block->data; at++)
    if ((unsigned char)*at != FILL)
      return -1;
  for (size_t i = 0; i < GUARD; i++)
    if ((unsigned char)block->data[block->size + i] != FILL)
      return 1;
  return 0;
}

static void check_guards(const SharedBlock *block)
{
  const SharedArray *declaration = block->declaration;
  int where = guard_touched(block);
  if (where == 0)
    return;
  const char *side = where < 0 ? "before its beginning" : "beyond its end";
  if (declaration == NULL)
    fault_of_block("the dynamic shared memory (%zu bytes) was written %s", block->size, side);
  else
    fault_of_block("shared array %s (%zu bytes) of %s:%d was written %s", declaration->name,
        block->size, declaration->file, declaration->line, side);
}

void end_shared()
{
  for (int i = 0; i < state.array_count; i++) {
    check_guards(&state.arrays[i]);
    unwatch();
    free(state.arrays[i].allocation);
    watch();
  }
  state.array_count = 0;
}

static size_t shared_bytes()
{
  size_t sum = 0;
  for (int i = 0; i < state.array_count; i++)
    sum += state.arrays[i].size;
  return sum;
}

void *shared(const SharedArray *declaration)
{
  for (int i = 1; i < state.array_count; i++)
    if (state.arrays[i].declaration == declaration)
      return state.arrays[i].data;
  const char *file = declaration->file;
  size_t bytes = shared_bytes() + declaration->size;
  if (bytes > MAX_SHARED)
    fault(self(), file, declaration->line, "%zu bytes of shared memory, at most %d are possible",
        bytes, MAX_SHARED);
  else if (state.array_count > MAX_ARRAYS)
    fault(self(), file, declaration->line, "more than %d arrays of shared memory", MAX_ARRAYS);
  else if (!allocate(&state.arrays[state.array_count], declaration, declaration->size,
               declaration->alignment))
    fault(self(), file, declaration->line, "no memory for %zu bytes", declaration->size);
  if (state.failed)
    wait();
  return state.arrays[state.array_count++].data;
}

void *dynamic_shared()
{
  return state.arrays[0].data;
}

} /* namespace stx_emu */
