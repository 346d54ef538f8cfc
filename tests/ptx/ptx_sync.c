/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Barriers, and operations of a warp. */
#include "tests/ptx/ptx_private.h"

/* ---- Barriers ----------------------------------------------------------------------------- */

static void give_result(PtxWarp *warp, const PtxInstruction *at, uint32_t lanes)
{
  const PtxBlock *block = warp->block;
  uint64_t result = at->op == PTX_BAR_OR    ? block->predicates > 0
                    : at->op == PTX_BAR_AND ? block->predicates == block->threads
                                            : (uint64_t)block->predicates;
  if (at->op == PTX_BAR_SYNC)
    return;
  uint64_t *d = ptx_write(warp, at->d[0], lanes);
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    d[ptx_lowest(rest)] = result;
}

/* All have arrived, at whichever barriers of the code. */
static void open_barrier(PtxBlock *block)
{
  const PtxInstruction *code = block->run->kernel->code;
  for (int w = 0; w < block->warps; w++) {
    PtxWarp *warp = &block->warp[w];
    for (uint32_t rest = warp->exists; rest != 0; rest &= rest - 1) {
      int lane = ptx_lowest(rest);
      give_result(warp, &code[warp->pc[lane]], UINT32_C(1) << lane);
      warp->pc[lane]++;
      warp->state[lane] = PTX_READY;
    }
    warp->ready = warp->exists;
  }
  if (block->run->launch->late)
    ptx_late_meet(block, 0, block->threads, UINT32_MAX);
  block->arrived = block->predicates = 0;
  block->run->idle = 0;
  block->epoch++;
}

void ptx_barrier(PtxWarp *warp, const PtxInstruction *at, uint32_t mask)
{
  PtxBlock *block = warp->block;
  for (int i = 0; i < at->sources; i++)
    if (!ptx_known(warp, at, at->s[i], mask))
      return;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    int lane = ptx_lowest(rest);
    if (ptx_lanes(warp, at->s[0])[lane] != 0) {
      ptx_fault(warp, at, lane, "only barrier 0 is known");
      return;
    }
    warp->state[lane] = PTX_AT_BARRIER;
    block->arrived++;
    if (at->op != PTX_BAR_SYNC)
      block->predicates += ptx_lanes(warp, at->s[1])[lane] & 1;
  }
  warp->ready &= ~mask;
  if (block->ended > 0)
    ptx_fault(
        warp, at, ptx_lowest(mask), "waits at a barrier, but %d threads have ended", block->ended);
  else if (block->arrived == block->threads)
    open_barrier(block);
}

/* ---- Operations of a warp ----------------------------------------------------------------- */

static int source_of(const PtxInstruction *at, int lane, uint32_t by, uint32_t limits, bool *inside)
{
  int segment = (int)(limits >> 8 & 31), clamp = (int)(limits & 31), b = (int)(by & 31);
  int first = lane & segment, last = first | (clamp & ~segment), source;
  switch (at->op) {
  case PTX_SHUFFLE_UP:
    source = lane - b;
    *inside = source >= last;
    break;
  case PTX_SHUFFLE_DOWN:
    source = lane + b;
    *inside = source <= last;
    break;
  case PTX_SHUFFLE_XOR:
    source = lane ^ b;
    *inside = source <= last;
    break;
  default:
    source = first | (b & ~segment);
    *inside = source <= last;
  }
  return *inside ? source : lane;
}

static void give_shuffled(PtxWarp *warp, const PtxInstruction *at, uint32_t members,
    const uint64_t *result, const uint64_t *predicate, const uint64_t *unsure)
{
  int line = at->s[0] < warp->block->run->kernel->registers ? warp->unwritten[at->s[0]] : 0;
  for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
    int lane = ptx_lowest(rest);
    if (at->d[0] >= 0)
      ptx_write_partly(warp, at->d[0], lane, result[lane], unsure[lane], line);
    if (at->destinations > 1 && at->d[1] >= 0)
      ptx_write_partly(warp, at->d[1], lane, predicate[lane], 0, 0);
  }
}

static void shuffle(PtxWarp *warp, const PtxInstruction *at, uint32_t members)
{
  uint64_t result[PTX_LANES], predicate[PTX_LANES], unsure[PTX_LANES];
  for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
    int lane = ptx_lowest(rest);
    bool inside;
    int source = source_of(at, lane, (uint32_t)ptx_lanes(warp, at->s[1])[lane],
        (uint32_t)ptx_lanes(warp, at->s[2])[lane], &inside);
    if (source < 0 || !(members >> source & 1)) {
      ptx_fault(
          warp, at, lane, "reads from lane %d, which is not in the mask %#x", source, members);
      return;
    }
    uint32_t unwritten = ptx_unwritten(warp, at->s[0], UINT32_C(1) << source);
    if (unwritten != 0 && !ptx_known(warp, at, at->s[0], unwritten))
      return;
    unsure[lane] = (uint32_t)ptx_unsure(warp, at->s[0], source);
    result[lane] = (uint32_t)ptx_lanes(warp, at->s[0])[source];
    predicate[lane] = inside;
  }
  give_shuffled(warp, at, members, result, predicate, unsure);
}

static uint32_t votes(const PtxWarp *warp, const PtxInstruction *at, uint32_t members)
{
  uint32_t yes = 0;
  for (uint32_t rest = members; rest != 0; rest &= rest - 1)
    yes |= (uint32_t)(ptx_lanes(warp, at->s[0])[ptx_lowest(rest)] & 1) << ptx_lowest(rest);
  return yes;
}

static uint32_t same_value(
    const PtxWarp *warp, const PtxInstruction *at, uint32_t members, int lane)
{
  uint32_t same = 0, mine = (uint32_t)ptx_lanes(warp, at->s[0])[lane];
  for (uint32_t rest = members; rest != 0; rest &= rest - 1)
    if ((uint32_t)ptx_lanes(warp, at->s[0])[ptx_lowest(rest)] == mine)
      same |= UINT32_C(1) << ptx_lowest(rest);
  return same;
}

static uint32_t reduced(const PtxWarp *warp, const PtxInstruction *at, uint32_t members)
{
  uint32_t result = (uint32_t)ptx_lanes(warp, at->s[0])[ptx_lowest(members)];
  for (uint32_t rest = members & (members - 1); rest != 0; rest &= rest - 1) {
    uint32_t value = (uint32_t)ptx_lanes(warp, at->s[0])[ptx_lowest(rest)];
    result = at->rule == PTX_ADD   ? result + value
             : at->rule == PTX_MIN ? (value < result ? value : result)
                                   : (value > result ? value : result);
  }
  return result;
}

static void vote(PtxWarp *warp, const PtxInstruction *at, uint32_t members)
{
  if (!ptx_known(warp, at, at->s[0], members))
    return;
  uint64_t result[PTX_LANES];
  for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
    int lane = ptx_lowest(rest);
    result[lane] = at->op == PTX_BALLOT  ? votes(warp, at, members)
                   : at->op == PTX_ALL   ? votes(warp, at, members) == members
                   : at->op == PTX_ANY   ? votes(warp, at, members) != 0
                   : at->op == PTX_MATCH ? same_value(warp, at, members, lane)
                                         : reduced(warp, at, members);
  }
  uint64_t *d = ptx_write(warp, at->d[0], members);
  for (uint32_t rest = members; rest != 0; rest &= rest - 1)
    d[ptx_lowest(rest)] = result[ptx_lowest(rest)];
}

static void operate(PtxWarp *warp, const PtxInstruction *at, uint32_t members)
{
  if (at->op >= PTX_SHUFFLE_UP && at->op <= PTX_SHUFFLE_AT)
    shuffle(warp, at, members);
  else if (at->op != PTX_SYNC)
    vote(warp, at, members);
  else
    ptx_race_meet(warp, members);
  if (at->op == PTX_SYNC && warp->block->run->launch->late)
    ptx_late_meet(warp->block, warp->number * PTX_LANES, PTX_LANES, members);
}

/* Whether all lanes of `members` are at this instruction with the same mask. */
static bool all_met(PtxWarp *warp, const PtxInstruction *at, int lane, uint32_t members)
{
  for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
    int other = ptx_lowest(rest);
    if (warp->state[other] == PTX_DONE || !(warp->exists >> other & 1)) {
      ptx_fault(warp, at, lane, "waits for lane %d of mask %#x, which has ended", other, members);
      return false;
    }
    if (warp->state[other] != PTX_IN_WARP || warp->pc[other] != warp->pc[lane])
      return false;
    if (warp->meets[other] != members) {
      ptx_fault(warp, at, lane, "gives the mask %#x, but lane %d gives %#x", members, other,
          warp->meets[other]);
      return false;
    }
  }
  return true;
}

static void meet(PtxWarp *warp, const PtxInstruction *at, int lane)
{
  uint32_t members = warp->meets[lane];
  if (warp->state[lane] != PTX_IN_WARP || !all_met(warp, at, lane, members))
    return;
  operate(warp, at, members);
  for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
    int member = ptx_lowest(rest);
    warp->pc[member]++;
    warp->state[member] = PTX_READY;
  }
  warp->ready |= members;
}

void ptx_warp_op(PtxWarp *warp, const PtxInstruction *at, uint32_t mask)
{
  int mask_at = at->s[at->sources - 1];
  if (!ptx_known(warp, at, mask_at, mask))
    return;
  for (int i = 1; i < at->sources - 1; i++)
    if (!ptx_known(warp, at, at->s[i], mask))
      return;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    int lane = ptx_lowest(rest);
    warp->meets[lane] = (uint32_t)ptx_lanes(warp, mask_at)[lane];
    warp->state[lane] = PTX_IN_WARP;
    if (!(warp->meets[lane] >> lane & 1)) {
      ptx_fault(warp, at, lane, "is not in its own mask %#x", warp->meets[lane]);
      return;
    }
  }
  warp->ready &= ~mask;
  for (uint32_t rest = mask; rest != 0 && !warp->block->run->failed; rest &= rest - 1)
    meet(warp, at, ptx_lowest(rest));
}
