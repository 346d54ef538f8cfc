/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Barriers and the operations of a warp. The thread that completes a group of waiting threads makes
 * all of it ready.
 *
 * Memory is ordered by barriers, __syncwarp and fences; shuffles and votes order nothing, as in
 * CUDA. All threads release a token before they wait and acquire it afterwards.
 */
#include "tests/emu/emu_core.h"

namespace stx_emu
{

/* One __syncwarp: its token, and how many lanes still have to acquire it. */
struct Meeting {
  void *token;
  int left;
};

/* ---- Barriers ------------------------------------------------------------------------------- */

void begin_sync()
{
  state.arrived = state.predicates = 0;
  state.barriers = 0;
  for (unsigned &lanes : state.exchanging)
    lanes = 0;
  for (void *&token : state.barrier)
    token = token_new();
  state.block_fence = token_new();
}

void end_sync()
{
  for (void *token : state.barrier)
    token_free(token);
  token_free(state.block_fence);
}

static void open_barrier()
{
  state.total = state.predicates;
  state.arrived = state.predicates = 0;
  state.barriers++;
  for (int i = 0; i < state.count; i++)
    state.workers[i].state = READY;
}

/* Everybody is there: at the same barrier? */
static void check_barrier(const Worker *me)
{
  for (int i = 0; i < state.count; i++) {
    const Worker *other = &state.workers[i];
    if (!same_place(me, other)) {
      fault(me, me->file, me->line,
          "waits at this barrier, but thread (%u, %u, %u) at another: %s:%d", other->index.x,
          other->index.y, other->index.z, other->file, other->line);
      return;
    }
  }
}

int barrier(bool predicate, const char *file, int line)
{
  Worker *me = self();
  void *token = state.barrier[state.barriers & 1];
  release(token);
  me->file = file;
  me->line = line;
  me->state = AT_BARRIER;
  state.predicates += predicate;
  if (++state.arrived == state.count) {
    check_barrier(me);
    if (!state.failed)
      open_barrier();
  }
  wait();
  acquire(token);
  return state.total;
}

/* ---- Fences --------------------------------------------------------------------------------- */

void fence_block()
{
  release(state.block_fence);
  acquire(state.block_fence);
}

void fence()
{
  fence_block();
  release(state.fence);
  acquire(state.fence);
}

/* ---- Warps ---------------------------------------------------------------------------------- */

unsigned lane()
{
  return self()->number % 32;
}

unsigned check_width(unsigned width, const char *file, int line)
{
  if (width - 1 < 32 && (width & (width - 1)) == 0)
    return width;
  fault(self(), file, line, "shuffles within %u lanes, which is no power of two up to 32", width);
  wait();
  return 32;
}

static Worker *lane_of(const Worker *me, unsigned lane)
{
  unsigned number = me->number / 32 * 32 + lane;
  return number < (unsigned)state.count ? &state.workers[number] : NULL;
}

/* Lanes of one operation. __syncwarp may stand in several places, shuffles and votes must be the
 * same one. */
static bool belong_together(const Worker *me, const Worker *other)
{
  return other->state == IN_EXCHANGE && other->exchange->mask == me->exchange->mask &&
         other->exchange->operation == me->exchange->operation &&
         (me->exchange->operation == SYNC || same_place(me, other));
}

/* The lanes that take part, NULL for others; false while some are missing. */
static bool gather(const Worker *me, Worker *lanes[32])
{
  for (unsigned i = 0; i < 32; i++) {
    lanes[i] = me->exchange->mask >> i & 1 ? lane_of(me, i) : NULL;
    if (me->exchange->mask >> i & 1 && (lanes[i] == NULL || !belong_together(me, lanes[i])))
      return false;
  }
  return true;
}

static uint64_t shuffled_to(const Worker *me, Worker *const lanes[32])
{
  const Exchange *mine = me->exchange;
  if (mine->source == OWN_LANE)
    return mine->value;
  if (lanes[mine->source] != NULL)
    return lanes[mine->source]->exchange->value;
  fault(me, mine->file, mine->line, "reads from lane %u, which takes no part (mask 0x%08x)",
      mine->source, mine->mask);
  return 0;
}

/* The lanes that brought this value or, when `any`, one that is not 0. */
static uint64_t lanes_with(uint64_t value, bool any, Worker *const lanes[32])
{
  uint64_t bits = 0;
  for (unsigned i = 0; i < 32; i++) {
    uint64_t other = lanes[i] != NULL ? lanes[i]->exchange->value : 0;
    if (lanes[i] != NULL && (any ? other != 0 : other == value))
      bits |= 1u << i;
  }
  return bits;
}

/* The least or the largest of what the lanes brought. */
static uint64_t extreme(bool most, Worker *const lanes[32])
{
  uint64_t found = most ? 0 : 0xffffffffu;
  for (unsigned i = 0; i < 32; i++)
    if (lanes[i] != NULL && (lanes[i]->exchange->value > found) == most)
      found = lanes[i]->exchange->value;
  return found;
}

/* Modulo 2^32. */
static uint64_t sum(Worker *const lanes[32])
{
  uint32_t total = 0;
  for (unsigned i = 0; i < 32; i++)
    total += lanes[i] != NULL ? (uint32_t)lanes[i]->exchange->value : 0;
  return total;
}

/* Returns the result of an operation that gives all lanes the same. */
static uint64_t common_result(Operation operation, Worker *const lanes[32])
{
  if (operation == SUM)
    return sum(lanes);
  if (operation == LEAST || operation == MOST)
    return extreme(operation == MOST, lanes);
  return operation == BALLOT ? lanes_with(0, true, lanes) : 0;
}

static void complete(const Worker *me, Worker *const lanes[32])
{
  Operation operation = me->exchange->operation;
  uint64_t results[32], same = common_result(operation, lanes);
  for (unsigned i = 0; i < 32; i++)
    if (lanes[i] != NULL)
      results[i] = operation == SHUFFLE ? shuffled_to(lanes[i], lanes)
                   : operation == MATCH ? lanes_with(lanes[i]->exchange->value, false, lanes)
                                        : same;
  for (unsigned i = 0; i < 32; i++)
    if (lanes[i] != NULL) {
      lanes[i]->exchange->value = results[i];
      lanes[i]->state = READY;
    }
  state.exchanging[me->number / 32] &= ~me->exchange->mask;
}

static Meeting *new_meeting(unsigned mask)
{
  unwatch();
  Meeting *meeting = new Meeting{token_new(), __builtin_popcount(mask)};
  watch();
  return meeting;
}

/* Joins the lanes that wait already, or is the first. */
static void meet(const Worker *me)
{
  if (!has_thread_sanitizer())
    return;
  for (unsigned i = 0; i < 32 && me->exchange->meeting == NULL; i++) {
    const Worker *other = lane_of(me, i);
    if (other != NULL && other != me && belong_together(me, other))
      me->exchange->meeting = other->exchange->meeting;
  }
  if (me->exchange->meeting == NULL)
    me->exchange->meeting = new_meeting(me->exchange->mask);
  release(me->exchange->meeting->token);
}

static void leave(Meeting *meeting)
{
  if (meeting == NULL)
    return;
  acquire(meeting->token);
  if (--meeting->left == 0) {
    token_free(meeting->token);
    unwatch();
    delete meeting;
    watch();
  }
}

void exchange(Exchange *with)
{
  Worker *me = self(), *lanes[32];
  if (!(with->mask >> me->number % 32 & 1)) {
    fault(me, with->file, with->line, "is not in the mask 0x%08x that it passes", with->mask);
    wait();
  }
  me->file = with->file;
  me->line = with->line;
  me->exchange = with;
  me->state = IN_EXCHANGE;
  unsigned &exchanging = state.exchanging[me->number / 32];
  exchanging |= 1u << me->number % 32;
  if (with->operation == SYNC)
    meet(me);
  if ((with->mask & ~exchanging) == 0 && gather(me, lanes)) /* the last one looks at all */
    complete(me, lanes);
  wait();
  leave(with->meeting);
}

} /* namespace stx_emu */
