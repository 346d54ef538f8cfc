/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Instructions that compute: unknown sources, and results. */
#include "tests/ptx/ptx_private.h"

#include <string.h>

static bool divides_by_zero(PtxWarp *warp, const PtxInstruction *at, uint32_t mask)
{
  const uint64_t *divisor = ptx_lanes(warp, at->s[1]);
  for (uint32_t rest = mask; at->form->divides && rest != 0; rest &= rest - 1)
    if (divisor[ptx_lowest(rest)] == 0) {
      ptx_fault(warp, at, ptx_lowest(rest), "divides by zero");
      return true;
    }
  return false;
}

/*
 * Values loaded from unwritten memory may be computed with, as compilers do before they know
 * whether they are needed: bits of the result are unknown as well, and a branch or an address that
 * depends on them is a fault. An unwritten register may only be moved. Returns the lanes that move
 * such a one.
 */
static uint32_t unwritten_lanes(PtxWarp *warp, const PtxInstruction *at, uint32_t mask)
{
  uint32_t all = 0;
  for (int i = 0; i < at->sources; i++) {
    uint32_t unwritten = ptx_unwritten(warp, at->s[i], mask);
    if (unwritten != 0 && at->form->selects && i < 2)
      unwritten &= (i == 0 ? ptx_true(warp, at->s[2]) : ~ptx_true(warp, at->s[2])) |
                   ptx_unknown(warp, at->s[2], mask);
    if (unwritten != 0 && !at->form->moves)
      ptx_known(warp, at, at->s[i], unwritten);
    all |= unwritten;
  }
  return all;
}

/* The lanes with a source that is not wholly known; and which bits of each are not. */
static uint32_t find_unsure(
    const PtxWarp *warp, const PtxInstruction *at, uint32_t mask, PtxLanes *unsure, int *line)
{
  uint32_t lanes = 0;
  memset(unsure, 0, (size_t)at->sources * sizeof *unsure);
  for (int i = 0; i < at->sources; i++) {
    int bits = at->form->source[i].bits;
    for (uint32_t rest = ptx_unknown(warp, at->s[i], mask); rest != 0; rest &= rest - 1) {
      int lane = ptx_lowest(rest);
      unsure[i].lane[lane] = ptx_unsure(warp, at->s[i], lane) & ptx_low_bits(bits);
      if (unsure[i].lane[lane] != 0) {
        lanes |= UINT32_C(1) << lane;
        *line = warp->unwritten[at->s[i]];
      }
    }
  }
  return lanes;
}

/* A result of sources that are not all known, or one of two. */
typedef struct {
  uint64_t value[PTX_LANES], unsure[PTX_LANES];
} Result;

static void find_result(const PtxInstruction *at, PtxAlu run, const uint64_t *const *source,
    const PtxLanes *unsure, uint32_t mask, uint32_t unsure_lanes, Result *result)
{
  memset(result, 0, sizeof *result);
  run(result->value, source, at->form->divides ? mask & ~unsure_lanes : mask);
  if (unsure_lanes != 0)
    ptx_spread_unsure(at, run, source, unsure, unsure_lanes, result->unsure);
}

static void give_result(PtxWarp *warp, int reg, uint32_t mask, const Result *result, int line)
{
  for (uint32_t rest = mask; reg >= 0 && rest != 0; rest &= rest - 1) {
    int lane = ptx_lowest(rest);
    ptx_write_partly(warp, reg, lane, result->value[lane], result->unsure[lane], line);
  }
}

static void compute_partly(
    PtxWarp *warp, const PtxInstruction *at, const uint64_t *const *source, uint32_t mask)
{
  const PtxForm *form = at->form;
  PtxLanes unsure[PTX_SOURCES];
  Result result, second;
  int line = 0;
  uint32_t unwritten = unwritten_lanes(warp, at, mask);
  uint32_t lanes = find_unsure(warp, at, mask & ~unwritten, unsure, &line);
  if (warp->block->run->failed || divides_by_zero(warp, at, mask & ~lanes))
    return;
  mask &= ~unwritten;
  find_result(at, form->run, source, unsure, mask, lanes, &result);
  if (form->second != NULL) {
    find_result(at, form->second, source, unsure, mask, lanes, &second);
    give_result(warp, at->d[1], mask, &second, line);
  }
  if (at->d[0] >= 0) {
    warp->known[at->d[0]] &= ~unwritten;
    warp->partly[at->d[0]] &= ~unwritten;
  }
  give_result(warp, at->d[0], mask, &result, line);
}

void ptx_compute(PtxWarp *warp, const PtxInstruction *at, uint32_t mask)
{
  const uint64_t *source[PTX_SOURCES];
  const PtxForm *form = at->form;
  uint32_t unknown = 0;
  for (int i = 0; i < at->sources; i++) {
    source[i] = ptx_lanes(warp, at->s[i]);
    unknown |= ptx_unknown(warp, at->s[i], mask);
  }
  if (form->second != NULL || unknown != 0 || form->divides || at->d[0] < 0)
    compute_partly(warp, at, source, mask);
  else
    form->run(ptx_write(warp, at->d[0], mask), source, mask);
}
