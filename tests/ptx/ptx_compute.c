/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What computes: sources that are not known, and results. */
#include "tests/ptx/ptx_private.h"

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
 * Lanes whose result is not known, since a source is not. What was loaded from memory that nobody
 * has written may be computed with, as compilers do before they know whether it is needed: its
 * results are unknown as well, and whoever branches by them or takes them for an address is at
 * fault. A register that nobody has written may only be moved.
 */
static uint32_t unknown_lanes(PtxWarp *warp, const PtxInstruction *at, uint32_t mask, int *line)
{
  uint32_t all = 0, settled = 0;
  *line = 0;
  for (int i = 0; i < at->sources; i++) {
    uint32_t unknown = ptx_unknown(warp, at->s[i], mask);
    if (at->form->selects && i < 2)
      unknown &= i == 0 ? ptx_true(warp, at->s[2]) : ~ptx_true(warp, at->s[2]);
    if (unknown != 0 && warp->unwritten[at->s[i]] != 0)
      *line = warp->unwritten[at->s[i]];
    else if (unknown != 0 && !at->form->moves)
      ptx_known(warp, at, at->s[i], unknown);
    if (at->form->settles != 0)
      settled |= ~ptx_unknown(warp, at->s[i], mask) &
                 (at->form->settles == 2 ? ptx_true(warp, at->s[i]) : ~ptx_true(warp, at->s[i]));
    all |= unknown;
  }
  return all & ~settled;
}

static void write_result(PtxWarp *warp, int reg, PtxAlu run, const uint64_t *const *source,
    uint32_t mask, uint32_t unknown, int line)
{
  uint64_t result[PTX_LANES];
  if (reg < 0)
    return;
  run(result, source, mask & ~unknown);
  if (unknown != 0)
    ptx_forget(warp, reg, unknown, line);
  uint64_t *d = ptx_write(warp, reg, mask & ~unknown);
  for (uint32_t rest = mask & ~unknown; rest != 0; rest &= rest - 1)
    d[ptx_lowest(rest)] = result[ptx_lowest(rest)];
}

void ptx_compute(PtxWarp *warp, const PtxInstruction *at, uint32_t mask)
{
  const uint64_t *source[PTX_SOURCES];
  const PtxForm *form = at->form;
  int line;
  for (int i = 0; i < at->sources; i++)
    source[i] = ptx_lanes(warp, at->s[i]);
  uint32_t unknown = unknown_lanes(warp, at, mask, &line);
  if (divides_by_zero(warp, at, mask & ~unknown))
    return;
  if (form->second == NULL && unknown == 0 && at->d[0] >= 0) {
    form->run(ptx_write(warp, at->d[0], mask), source, mask);
    return;
  }
  /* A destination may be a source as well: its old value goes last. */
  bool swap = form->second != NULL && at->d[0] == at->s[0];
  write_result(warp, at->d[swap], swap ? form->second : form->run, source, mask, unknown, line);
  if (form->second != NULL)
    write_result(warp, at->d[!swap], swap ? form->run : form->second, source, mask, unknown, line);
}
