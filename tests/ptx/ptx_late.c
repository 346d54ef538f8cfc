/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stores to global memory that other blocks see late, and loads that see what was there before: the
 * weakest behaviour of PTX's memory model that is cheap to imitate.
 *
 * A store waits in its block, whose threads see it at once, until it drips into memory, in any
 * order with stores to other places; it may do so when the block has long ended. A fence brings
 * there before it goes on: the thread's own stores, and those that it may know of, because a
 * barrier of the block or an operation of its warp lies between. A load may find the bytes of
 * before a store of another block, if that reached memory after the last fence of the thread, or of
 * one that it may know of. Volatile loads and atomics see memory as it is, and order nothing else.
 */
#include "tests/ptx/ptx_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct PtxStore {
  uint8_t *to, *known;
  PtxBytes value;
  int size, thread;
  unsigned serial, block_epoch;
  uint32_t epoch;
} PtxStore;

/* What was at a place before a store or an atomic of a block. */
typedef struct PtxPast {
  const uint8_t *at;
  PtxBytes value;
  int size;
  unsigned clock;
  unsigned serial; /* of the block */
} PtxPast;

enum { MOST_PAST = 1024 };

static bool overlap(const uint8_t *a, int a_size, const uint8_t *b, int b_size)
{
  return a < b + b_size && b < a + a_size;
}

/* ---- Into memory -------------------------------------------------------------------------- */

/* The past is a ring: `pasts` counts all that there ever was. */
static void remember(
    PtxBlock *block, unsigned serial, const uint8_t *at, const uint8_t *known, int size)
{
  PtxRun *run = block->run;
  if (run->past == NULL)
    run->past = calloc(MOST_PAST, sizeof *run->past);
  if (run->past == NULL)
    abort();
  PtxPast *past = &run->past[run->pasts++ % MOST_PAST];
  *past = (PtxPast){.at = at, .size = size, .clock = ++run->clock, .serial = serial};
  memcpy(past->value.byte, at, (size_t)size);
  memcpy(past->value.known, known, (size_t)size);
}

/* Number i of the block's stores becomes visible, after those before it to the same place. */
static void settle(PtxBlock *block, int i)
{
  for (int k = 0; k < i; k++)
    if (overlap(
            block->store[k].to, block->store[k].size, block->store[i].to, block->store[i].size)) {
      int before = block->stores;
      settle(block, k);
      settle(block, i - (before - block->stores));
      return;
    }
  PtxStore store = block->store[i];
  remember(block, store.serial, store.to, store.known, store.size);
  memcpy(store.to, store.value.byte, (size_t)store.size);
  memcpy(store.known, store.value.known, (size_t)store.size);
  block->stores--;
  memmove(&block->store[i], &block->store[i + 1], (size_t)(block->stores - i) * sizeof store);
}

void ptx_late_note(PtxWarp *warp, const uint8_t *at, const uint8_t *known, int size)
{
  remember(warp->block, warp->block->serial, at, known, size);
}

void ptx_late_settle(PtxWarp *warp, const uint8_t *at, int size)
{
  PtxBlock *block = warp->block;
  for (int i = 0; i < block->stores;)
    if (block->store[i].serial == block->serial &&
        overlap(block->store[i].to, block->store[i].size, at, size))
      settle(block, i), i = 0;
    else
      i++;
}

void ptx_late_drip(PtxRun *run)
{
  PtxBlock *block = &run->block[ptx_random(run, (unsigned)run->blocks)];
  for (unsigned n = ptx_random(run, 4); n > 0 && block->stores > 0; n--)
    settle(block, (int)ptx_random(run, (unsigned)block->stores));
}

void ptx_late_end(PtxBlock *block)
{
  while (block->stores > 0)
    settle(block, 0);
}

/* ---- The thread's side -------------------------------------------------------------------- */

static int thread_of(const PtxWarp *warp, int lane)
{
  return warp->number * PTX_LANES + lane;
}

void ptx_late_store(
    PtxWarp *warp, int lane, uint8_t *to, uint8_t *known, const PtxBytes *value, int size)
{
  PtxBlock *block = warp->block;
  enum { MOST = 256 };
  if (block->stores == MOST)
    settle(block, (int)ptx_random(block->run, MOST));
  block->store = ptx_grow(block->store, block->stores, sizeof *block->store);
  PtxStore *store = &block->store[block->stores++];
  *store = (PtxStore){.to = to,
      .known = known,
      .value = *value,
      .size = size,
      .thread = thread_of(warp, lane),
      .serial = block->serial,
      .block_epoch = block->epoch,
      .epoch = warp->met[lane][lane]};
}

/* The bytes of `over`, which belong to `at`, that lie in [from, from + size). */
static void lay_over(PtxBytes *bytes, const uint8_t *from, int size, const uint8_t *at,
    const PtxBytes *over, int over_size)
{
  for (int i = 0; i < over_size; i++)
    if (at + i >= from && at + i < from + size) {
      bytes->byte[at + i - from] = over->byte[i];
      bytes->known[at + i - from] = over->known[i];
    }
}

static void see_past(PtxWarp *warp, int lane, const uint8_t *from, PtxBytes *bytes, int size)
{
  PtxRun *run = warp->block->run;
  unsigned seen = warp->block->seen[thread_of(warp, lane)];
  int oldest = run->pasts > MOST_PAST ? run->pasts - MOST_PAST : 0;
  for (int i = run->pasts - 1; i >= oldest; i--) {
    const PtxPast *past = &run->past[i % MOST_PAST];
    if (past->clock <= seen)
      return;
    if (past->serial != warp->block->serial && overlap(past->at, past->size, from, size) &&
        ptx_random(run, 2) == 0)
      lay_over(bytes, from, size, past->at, &past->value, past->size);
  }
}

void ptx_late_load(PtxWarp *warp, int lane, const uint8_t *from, PtxBytes *bytes, int size)
{
  const PtxBlock *block = warp->block;
  see_past(warp, lane, from, bytes, size);
  for (int i = 0; i < block->stores; i++)
    if (block->store[i].serial == block->serial)
      lay_over(bytes, from, size, block->store[i].to, &block->store[i].value, block->store[i].size);
}

static void fence(PtxWarp *warp, int lane)
{
  PtxBlock *block = warp->block;
  int thread = thread_of(warp, lane);
  for (int i = 0; i < block->stores;)
    if (block->store[i].serial == block->serial &&
        ptx_race_knows(
            warp, lane, block->store[i].thread, block->store[i].block_epoch, block->store[i].epoch))
      settle(block, i), i = 0;
    else
      i++;
  block->seen[thread] = block->run->clock;
}

void ptx_late_fence(PtxWarp *warp, uint32_t mask)
{
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    fence(warp, ptx_lowest(rest));
}

void ptx_late_meet(PtxBlock *block, int first, int count, uint32_t mask)
{
  unsigned latest = 0;
  for (int i = 0; i < count; i++)
    if (mask >> i % PTX_LANES & 1 && block->seen[first + i] > latest)
      latest = block->seen[first + i];
  for (int i = 0; i < count; i++)
    if (mask >> i % PTX_LANES & 1)
      block->seen[first + i] = latest;
}
