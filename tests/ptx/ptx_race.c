/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Races on shared memory, found whatever the order was: two threads of a block touch a byte, one of
 * them writes, and neither a barrier nor a bar.warp.sync lies between. Shuffles and votes make
 * lanes wait, but order no memory; nor does volatile.
 *
 * Every byte remembers its last writer and a reader since. Within a warp, lanes know of each other
 * by vector clocks: a lane's epoch counts its bar.warp.syncs, and `met` says up to which epoch of
 * another it has heard of that one.
 */
#include "tests/ptx/ptx_private.h"

#include <string.h>

void ptx_race_begin(PtxBlock *block)
{
  memset(block->writer, 0, block->shared_size * sizeof *block->writer);
  memset(block->reader, 0, block->shared_size * sizeof *block->reader);
  for (int w = 0; w < block->warps; w++)
    memset(block->warp[w].met, 0, sizeof block->warp[w].met);
}

void ptx_race_meet(PtxWarp *warp, uint32_t members)
{
  uint32_t latest[PTX_LANES] = {0};
  for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
    int lane = ptx_lowest(rest);
    warp->met[lane][lane]++;
    for (int k = 0; k < PTX_LANES; k++)
      latest[k] = warp->met[lane][k] > latest[k] ? warp->met[lane][k] : latest[k];
  }
  for (uint32_t rest = members; rest != 0; rest &= rest - 1)
    memcpy(warp->met[ptx_lowest(rest)], latest, sizeof latest);
}

bool ptx_race_knows(const PtxWarp *warp, int lane, int thread, unsigned block_epoch, uint32_t epoch)
{
  int other = thread % PTX_LANES;
  if (block_epoch < warp->block->epoch || thread == warp->number * PTX_LANES + lane)
    return true;
  return thread / PTX_LANES == warp->number && warp->met[lane][other] > epoch;
}

static bool is_race(const PtxWarp *warp, int lane, const PtxTouch *before, bool atomic)
{
  return before->thread != 0 && !(atomic && before->atomic) &&
         !ptx_race_knows(warp, lane, before->thread - 1, before->block_epoch, before->epoch);
}

static bool check(PtxWarp *warp, const PtxInstruction *at, int lane, const PtxTouch *before,
    bool atomic, const char *what)
{
  if (!is_race(warp, lane, before, atomic))
    return true;
  ptx_fault(warp, at, lane,
      "a race on shared memory: thread %d %s this before, and no barrier lies between",
      before->thread - 1, what);
  return false;
}

void ptx_race(PtxWarp *warp, const PtxInstruction *at, int lane, size_t offset, int size)
{
  PtxBlock *block = warp->block;
  bool atomic = at->class == PTX_ATOMIC, writes = at->class != PTX_LOAD;
  PtxTouch now = {.thread = (uint16_t)(warp->number * PTX_LANES + lane + 1),
      .atomic = atomic,
      .block_epoch = block->epoch,
      .epoch = warp->met[lane][lane]};
  for (size_t i = offset; i < offset + (size_t)size; i++) {
    if (!(at->used >> (i - offset) & 1))
      continue;
    if (!check(warp, at, lane, &block->writer[i], atomic, "wrote") ||
        (writes && !check(warp, at, lane, &block->reader[i], atomic, "read")))
      return;
    if (writes)
      block->writer[i] = now;
    else if (!is_race(warp, lane, &block->reader[i], false) || now.thread % 2 == 0)
      block->reader[i] = now;
  }
}
