/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who is who: the assignment of obstacles to tracks of the largest benefit in all, by auction.
 *
 * Source: D. P. Bertsekas, "The auction algorithm: a distributed relaxation method for the
 * assignment problem", Annals of Operations Research 14, 1988. A track without an obstacle bids for
 * the one that is worth most to it, benefit less price, and outbids the second best, or nothing at
 * all, by STEP: it gets it, and whoever had it bids again. In the end no track is worse off than
 * by STEP, obstacles that nobody has are free, and so no assignment is better by more than STEP for
 * each track. Prices rise by STEP or more and never above 1 + STEP: it ends.
 */
#include "common/obstacles/obstacles_private.h"

#define STEP 0.001f

/* The obstacle that is worth most to a track; `margin`: over the second best or over none. */
static uint32_t best_of(const StxObstacles *state, const Choices *choices, float *margin)
{
  float best = 0, second = 0;
  uint32_t at = OBSTACLES_NONE;
  for (int i = 0; i < choices->count; i++) {
    const Candidate *candidate = &choices->candidate[i];
    float worth = candidate->benefit - state->prices[candidate->obstacle];
    if (worth > best) {
      second = best;
      best = worth;
      at = candidate->obstacle;
    } else if (worth > second) {
      second = worth;
    }
  }
  *margin = best - second;
  return at;
}

void stx_obstacles_assign(StxObstacles *state, size_t obstacles)
{
  size_t waiting = 0;
  for (size_t i = 0; i < obstacles; i++) {
    state->prices[i] = 0;
    state->owner[i] = OBSTACLES_NONE;
  }
  for (size_t i = state->tracked; i-- > 0;) {
    state->choices[i].assigned = OBSTACLES_NONE;
    state->waiting[waiting++] = (uint32_t)i;
  }
  while (waiting > 0) {
    uint32_t bidder = state->waiting[--waiting];
    float margin;
    uint32_t obstacle = best_of(state, &state->choices[bidder], &margin);
    if (obstacle == OBSTACLES_NONE)
      continue;
    uint32_t before = state->owner[obstacle];
    state->prices[obstacle] += margin + STEP;
    state->owner[obstacle] = bidder;
    state->choices[bidder].assigned = obstacle;
    if (before != OBSTACLES_NONE) {
      state->choices[before].assigned = OBSTACLES_NONE;
      state->waiting[waiting++] = before;
    }
  }
}
