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
 * one that it may know of; if it does, it finds them again until there is a fence, as in a cache
 * that the store does not reach. A block begins without a fence: such a cache may be of a block
 * before it. An atomic that gives no result waits like a store, and the block's loads of that place
 * wait for it. Strong loads and other atomics see memory as it is, and order nothing else.
 */
#include "tests/ptx/ptx_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct PtxStore {
  const PtxInstruction *by;
  uint8_t *to, *known;
  PtxBytes value;
  int size, thread;
  unsigned serial, block_epoch;
  uint32_t epoch;
} PtxStore;

/* The content of a place before a store or an atomic of a block. */
typedef struct PtxPast {
  const uint8_t *at;
  PtxBytes value;
  int size;
  unsigned clock;
  unsigned serial; /* of the block */
  int before;      /* the last one of these lines before it */
} PtxPast;

enum { MOST_PAST = 1024, LINE = 16, LINES = 4096 };

/* The number of old values up to the last one of the lines of memory that share this entry: a load
 * looks at these lines' alone. An access is aligned, and so lies in one line. */
static int *lines_past(PtxRun *run, const uint8_t *at)
{
  return &run->past_lines[(uintptr_t)at / LINE % LINES];
}

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
  if (run->past_lines == NULL)
    run->past_lines = calloc(LINES, sizeof *run->past_lines);
  if (run->past == NULL || run->past_lines == NULL)
    abort();
  PtxPast *past = &run->past[run->pasts++ % MOST_PAST];
  int *last = lines_past(run, at), before = *last;
  *last = run->pasts;
  *past = (PtxPast){at, .size = size, .clock = ++run->clock, .serial = serial, .before = before};
  memcpy(past->value.byte, at, (size_t)size);
  memcpy(past->value.known, known, (size_t)size);
}

void ptx_late_let_go(PtxBlock *block, int i)
{
  for (int k = 0; k < i; k++)
    if (overlap(
            block->store[k].to, block->store[k].size, block->store[i].to, block->store[i].size)) {
      int before = block->stores;
      ptx_late_let_go(block, k);
      ptx_late_let_go(block, i - (before - block->stores));
      return;
    }
  PtxStore store = block->store[i];
  remember(block, store.serial, store.to, store.known, store.size);
  if (store.by->class == PTX_ATOMIC) {
    ptx_reduce(store.by, store.to, store.known, &store.value);
  } else {
    memcpy(store.to, store.value.byte, (size_t)store.size);
    memcpy(store.known, store.value.known, (size_t)store.size);
  }
  block->stores--;
  memmove(&block->store[i], &block->store[i + 1], (size_t)(block->stores - i) * sizeof store);
}

void ptx_late_note(PtxWarp *warp, const uint8_t *at, const uint8_t *known, int size)
{
  remember(warp->block, warp->block->serial, at, known, size);
}

void ptx_late_settle(PtxWarp *warp, const uint8_t *at, int size, bool atomics_only)
{
  PtxBlock *block = warp->block;
  for (int i = 0; i < block->stores;)
    if (overlap(block->store[i].to, block->store[i].size, at, size) &&
        block->store[i].serial == block->serial &&
        (!atomics_only || block->store[i].by->class == PTX_ATOMIC))
      ptx_late_let_go(block, i), i = 0;
    else
      i++;
}

void ptx_late_drip(PtxRun *run)
{
  PtxBlock *block = &run->block[ptx_random(run, (unsigned)run->blocks)];
  for (unsigned n = ptx_random(run, 4); n > 0 && block->stores > 0; n--)
    ptx_late_let_go(block, (int)ptx_random(run, (unsigned)block->stores));
}

void ptx_late_end(PtxBlock *block)
{
  while (block->stores > 0)
    ptx_late_let_go(block, 0);
}

/* ---- The thread's side -------------------------------------------------------------------- */

static int thread_of(const PtxWarp *warp, int lane)
{
  return warp->number * PTX_LANES + lane;
}

void ptx_late_store(PtxWarp *warp, const PtxInstruction *at, int lane, uint8_t *to, uint8_t *known,
    const PtxBytes *value)
{
  PtxBlock *block = warp->block;
  enum { MOST = 256 };
  if (block->stores == MOST)
    ptx_late_let_go(block, (int)ptx_random(block->run, MOST));
  block->store = ptx_grow(block->store, block->stores, sizeof *block->store);
  PtxStore *store = &block->store[block->stores++];
  *store = (PtxStore){.by = at,
      .to = to,
      .known = known,
      .value = *value,
      .size = at->size,
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

/* Whether the lane does not see that a store has reached memory. */
static bool is_stale(const PtxWarp *warp, int lane, const PtxPast *past)
{
  PtxRun *run = warp->block->run;
  const unsigned who[] = {warp->block->serial, (unsigned)thread_of(warp, lane), past->clock};
  if (run->launch->choose != NULL)
    return ptx_random(run, 2) == 0;
  return ptx_hash(run->launch->seed, who, sizeof who) % 2 == 0;
}

static void see_past(PtxWarp *warp, int lane, const uint8_t *from, PtxBytes *bytes, int size)
{
  PtxRun *run = warp->block->run;
  if (run->pasts == 0)
    return;
  unsigned seen = warp->block->seen[thread_of(warp, lane)];
  int oldest = run->pasts > MOST_PAST ? run->pasts - MOST_PAST : 0;
  const PtxPast *past;
  for (int i = *lines_past(run, from); i > oldest; i = past->before) {
    past = &run->past[(i - 1) % MOST_PAST];
    if (past->clock <= seen)
      return;
    if (past->serial != warp->block->serial && overlap(past->at, past->size, from, size) &&
        is_stale(warp, lane, past))
      lay_over(bytes, from, size, past->at, &past->value, past->size);
  }
}

void ptx_late_load(PtxWarp *warp, int lane, const uint8_t *from, PtxBytes *bytes, int size)
{
  see_past(warp, lane, from, bytes, size);
  ptx_late_peek(warp, from, bytes, size);
}

void ptx_late_peek(PtxWarp *warp, const uint8_t *from, PtxBytes *bytes, int size)
{
  const PtxBlock *block = warp->block;
  for (int i = 0; i < block->stores; i++)
    if (overlap(block->store[i].to, block->store[i].size, from, size) &&
        block->store[i].serial == block->serial)
      lay_over(bytes, from, size, block->store[i].to, &block->store[i].value, block->store[i].size);
}

void ptx_late_release(PtxWarp *warp, int lane)
{
  PtxBlock *block = warp->block;
  for (int i = 0; i < block->stores;)
    if (block->store[i].serial == block->serial &&
        ptx_race_knows(
            warp, lane, block->store[i].thread, block->store[i].block_epoch, block->store[i].epoch))
      ptx_late_let_go(block, i), i = 0;
    else
      i++;
}

void ptx_late_acquire(PtxWarp *warp, int lane)
{
  warp->block->seen[thread_of(warp, lane)] = warp->block->run->clock;
}

void ptx_late_fence(PtxWarp *warp, uint32_t mask)
{
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    ptx_late_release(warp, ptx_lowest(rest)), ptx_late_acquire(warp, ptx_lowest(rest));
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

/* ---- Hashes ------------------------------------------------------------------------------- */

/* Which threads may still see what was there before; that is all that clocks are good for. */
static uint64_t hash_past(const PtxRun *run, const PtxPast *past, uint64_t hash)
{
  uint64_t seers = 0;
  for (int b = 0; b < run->blocks; b++)
    for (int t = 0; t < run->block[b].threads && run->block[b].serial != past->serial; t++)
      if (past->clock > run->block[b].seen[t] && t < 16)
        seers |= UINT64_C(1) << (16 * b + t);
  if (seers == 0)
    return hash;
  hash = ptx_hash(hash, &past->at, sizeof past->at);
  hash = ptx_hash(hash, past->value.byte, (size_t)past->size);
  return ptx_hash(hash, &seers, sizeof seers);
}

uint64_t ptx_late_hash(const PtxRun *run, uint64_t hash)
{
  for (int b = 0; b < run->blocks; b++)
    for (int i = 0; i < run->block[b].stores; i++) {
      const PtxStore *store = &run->block[b].store[i];
      hash = ptx_hash(hash, &store->to, sizeof store->to);
      hash = ptx_hash(hash, store->value.byte, (size_t)store->size);
      hash = ptx_hash(hash, &store->thread, sizeof store->thread);
    }
  for (int i = run->pasts > MOST_PAST ? run->pasts - MOST_PAST : 0; i < run->pasts; i++)
    hash = hash_past(run, &run->past[i % MOST_PAST], hash);
  return hash;
}
