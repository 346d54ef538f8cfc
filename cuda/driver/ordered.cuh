/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output in the order of the work, in one launch: each block learns how many records come before
 * its own, whichever ends first, and writes them to their final place.
 *
 * Pieces of work are turns 0 … n−1. A block takes the next one, says how many records it has as
 * soon as it knows, goes on with what does not need their place, then looks back: at the numbers of
 * the turns before its own, nearest first, until it meets one that already knows its sum (D.
 * Merrill and M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA
 * NVR-2016-002). Turns are taken, not blockIdx, so nothing rests on the order in which blocks
 * start: a block that waits, waits for turns that were taken before, whose blocks therefore run and
 * say their number before they wait themselves. Each number is one word and nothing else is passed
 * on with it, so this needs no fences.
 *
 * Four rows of 32 words are under way at once. A walk of 1242 turns of which none knows its sum is
 * ten reads long, each as long as a way to the level-2 cache and back; but mostly the walk has to
 * wait for a slow block, and by then the turn before knows its sum.
 *
 * Considered and left out: a second launch that moves the records (its own launch, and all records
 * written, read and written again); moving by the block that ends last (one multiprocessor
 * moves everything); waiting for blockIdx − 1 (hangs if blocks do not start in order).
 */
#pragma once

#include "cuda/driver/ordered.h"
#include "cuda/driver/threads.cuh"

/* A turn's word: 0 at first, then its number of records, then that of all up to and with it; below
 * 2^30, because it shares the word with these. */
enum {
  ORDER_OWN = 1,
  ORDER_SUM = 2,
  ORDER_SHIFT = 2,
  ORDER_ROWS = 4, /* of 32 turns, looked at together */
};

STX_DEVICE uint32_t *order_word(StxOrder *order, uint32_t turn)
{
  return (uint32_t *)(order + 1) + turn;
}

/* The next turn, for the whole block; there may be none any more. The caller has a barrier between
 * the last look at *shared and this. Ends with one. */
STX_DEVICE uint32_t take_turn(StxOrder *order, uint32_t *shared)
{
  if (threadIdx.x == 0)
    *shared = atomicAdd(&order->next, 1u);
  __syncthreads();
  return *shared;
}

/* Publishes how many records the turn has; one thread calls this. */
STX_DEVICE void publish_count(StxOrder *order, uint32_t turn, uint32_t count)
{
  atomicExch(order_word(order, turn), count << ORDER_SHIFT | (turn == 0 ? ORDER_SUM : ORDER_OWN));
}

/* Lane k looks at turn end − 1 − k; before the first turn there is a sum of 0. */
STX_DEVICE uint32_t peek_turn(StxOrder *order, int turn)
{
  return turn >= 0 ? stx_peek(order_word(order, (uint32_t)turn)) : (uint32_t)ORDER_SUM;
}

/* All lanes up to the first of some; all if there is none. */
STX_DEVICE uint32_t up_to_first(uint32_t lanes)
{
  return lanes ^ (lanes - 1);
}

/* Waits until the words of 32 turns are known as far as they count: up to the nearest sum. Returns
 * the lanes that have one. */
STX_DEVICE uint32_t wait_for_turns(StxOrder *order, int turn, uint32_t *word)
{
  for (;;) {
    uint32_t known = __ballot_sync(STX_FULL_WARP, *word != 0);
    uint32_t sums = __ballot_sync(STX_FULL_WARP, (*word & ORDER_SUM) != 0);
    if ((~known & up_to_first(sums)) == 0)
      return sums;
    *word = peek_turn(order, turn);
  }
}

/* By one warp: the records of all turns before this one, which has said its own number. Says the
 * sum with them to those that come later. */
STX_DEVICE uint32_t count_before(StxOrder *order, uint32_t turn, uint32_t count)
{
  uint32_t lane = threadIdx.x % 32, own = 0;
  bool open = turn > 0;
  for (int end = (int)turn; open; end -= ORDER_ROWS * 32) {
    uint32_t word[ORDER_ROWS];
#pragma unroll
    for (int row = 0; row < ORDER_ROWS; row++)
      word[row] = peek_turn(order, end - 1 - row * 32 - (int)lane);
#pragma unroll
    for (int row = 0; row < ORDER_ROWS; row++)
      if (open) {
        uint32_t sums = wait_for_turns(order, end - 1 - row * 32 - (int)lane, &word[row]);
        own += up_to_first(sums) >> lane & 1 ? word[row] >> ORDER_SHIFT : 0;
        open = sums == 0;
      }
  }
  uint32_t before = warp_sum_of_words(own);
  if (turn > 0 && lane == 0)
    atomicExch(order_word(order, turn), (before + count) << ORDER_SHIFT | ORDER_SUM);
  return before;
}

/* By one thread, after what it adds to sums over all turns, by atomics: is its turn the last of all
 * to come here? It then sees what the others added. */
STX_DEVICE bool is_last_turn(StxOrder *order, uint32_t turns)
{
  return stx_add_in_order(&order->finished, 1) + 1 == turns;
}
