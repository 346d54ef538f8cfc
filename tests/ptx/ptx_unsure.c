/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the unknown bits of a result, if bits of its sources come from memory that was never
 * written. A bit is called known only where every value of the unsure bits gives the same; but not
 * every such bit is found.
 *
 * Most rules look at corners: each source with all its unsure bits at their least, and at their
 * most.
 *
 *   BITS   a bit of the result depends on those of the sources at the same place, and on a choice
 *   SUM    least and most result at the corners; between them bits vary where those of the sources
 *          do, or where a carry does
 *   LEFT   what is unsure reaches only to the left: products
 *   ORDER  rises or falls with each source, and is one bit
 *   SAME   equal or not: settled by any known bit that differs
 *   LEAST  of two, or the most: whatever lies above the highest bit that varies, does not
 *   BYTES  a byte depends on the sources' bytes at the same place
 *   MOVE   bits go elsewhere, to where the other sources say, which must be known
 *   ALL    anything else: nothing is known
 */
#include "tests/ptx/ptx_private.h"

#include <string.h>

/* ---- Which rule --------------------------------------------------------------------------- */

static const struct {
  const char *begins;
  PtxSpread spread;
} spreads[] = {{"and_", PTX_SPREAD_BITS}, {"or_", PTX_SPREAD_BITS}, {"xor_", PTX_SPREAD_BITS},
    {"not_", PTX_SPREAD_BITS}, {"lop3_", PTX_SPREAD_BITS}, {"selp_", PTX_SPREAD_BITS},
    {"add_", PTX_SPREAD_SUM}, {"sub_", PTX_SPREAD_SUM}, {"neg_", PTX_SPREAD_LEFT},
    {"mul_lo_", PTX_SPREAD_LEFT}, {"mul_wide_", PTX_SPREAD_LEFT}, {"mad_lo_", PTX_SPREAD_LEFT},
    {"mad_wide_", PTX_SPREAD_LEFT}, {"setp_eq_", PTX_SPREAD_SAME}, {"setp_ne_", PTX_SPREAD_SAME},
    {"setp_l", PTX_SPREAD_ORDER}, {"setp_g", PTX_SPREAD_ORDER},
    {"min_u16x2", PTX_SPREAD_LEAST_HALVES}, {"max_u16x2", PTX_SPREAD_LEAST_HALVES},
    {"min_", PTX_SPREAD_LEAST}, {"max_", PTX_SPREAD_LEAST},
    {"vabsdiff4_u32_u32_u32_add", PTX_SPREAD_ALL}, {"vabsdiff4_", PTX_SPREAD_BYTES},
    {"mov_", PTX_SPREAD_MOVE_1}, {"unpack_", PTX_SPREAD_MOVE_1}, {"pack_", PTX_SPREAD_MOVE_2},
    {"shl_", PTX_SPREAD_MOVE_1}, {"shr_", PTX_SPREAD_MOVE_1}, {"shf_", PTX_SPREAD_MOVE_2},
    {"prmt_", PTX_SPREAD_MOVE_2}, {"bfi_", PTX_SPREAD_MOVE_2}, {"brev_", PTX_SPREAD_MOVE_1},
    {"cvt_u", PTX_SPREAD_MOVE_1}, {"cvt_s", PTX_SPREAD_MOVE_1}};

/* Floats have bits that mean something together, unless they are only moved. */
PtxSpread ptx_spread(const PtxForm *form)
{
  if (form->result.is_float || form->source[0].is_float)
    return PTX_SPREAD_ALL;
  for (size_t i = 0; i < sizeof spreads / sizeof spreads[0]; i++)
    if (strncmp(form->name, spreads[i].begins, strlen(spreads[i].begins)) == 0)
      return spreads[i].spread;
  return PTX_SPREAD_ALL;
}

/* ---- Corners ------------------------------------------------------------------------------ */

/* The least or the most that a source may be; of signed types the top bit is the other way. */
static uint64_t corner(PtxType type, uint64_t value, uint64_t unsure, bool most)
{
  uint64_t top = type.is_signed ? UINT64_C(1) << (type.bits - 1) : 0;
  uint64_t set = most ? unsure & ~top : unsure & top;
  return (value & ~unsure) | set;
}

/* Finds the bits in which the results at all corners differ. */
static void vary(const PtxInstruction *at, PtxAlu run, const uint64_t *const *source,
    const PtxLanes *unsure, uint32_t mask, uint64_t *varies)
{
  PtxLanes edge[PTX_SOURCES];
  const uint64_t *corners[PTX_SOURCES];
  uint64_t first[PTX_LANES], result[PTX_LANES];
  for (int i = 0; i < at->sources; i++)
    corners[i] = edge[i].lane;
  for (unsigned which = 0; which < 1u << at->sources; which++) {
    for (int i = 0; i < at->sources; i++)
      for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int lane = ptx_lowest(rest);
        edge[i].lane[lane] =
            corner(at->form->source[i], source[i][lane], unsure[i].lane[lane], which >> i & 1);
      }
    run(which == 0 ? first : result, corners, mask);
    for (uint32_t rest = mask; which > 0 && rest != 0; rest &= rest - 1)
      varies[ptx_lowest(rest)] |= first[ptx_lowest(rest)] ^ result[ptx_lowest(rest)];
  }
}

/* ---- Rules -------------------------------------------------------------------------------- */

static uint64_t with_all_below(uint64_t bits)
{
  return bits == 0 ? 0 : ~UINT64_C(0) >> __builtin_clzll(bits);
}

static uint64_t whole_bytes(uint64_t bits)
{
  uint64_t whole = 0;
  for (int i = 0; i < 64; i += 8)
    whole |= (bits >> i & 0xff) != 0 ? UINT64_C(0xff) << i : 0;
  return whole;
}

/* By what varies at the corners, and the first two sources. */
static uint64_t by_corners(
    PtxSpread spread, uint64_t varies, uint64_t unsure, uint64_t differ, int bits)
{
  switch (spread) {
  case PTX_SPREAD_SUM:
    return varies | unsure;
  case PTX_SPREAD_LEAST:
    return with_all_below(varies & ptx_low_bits(bits)) & (unsure | differ);
  case PTX_SPREAD_LEAST_HALVES:
    return (with_all_below(varies & 0xffff) | (with_all_below(varies & 0xffff0000) & 0xffff0000)) &
           (unsure | differ);
  default:
    return varies;
  }
}

static uint64_t by_bits(PtxSpread spread, uint64_t unsure, uint64_t differ, int bits)
{
  switch (spread) {
  case PTX_SPREAD_LEFT:
    return unsure | (0 - unsure);
  case PTX_SPREAD_SAME:
    return (differ & ~unsure & ptx_low_bits(bits)) == 0;
  case PTX_SPREAD_BYTES:
    return whole_bytes(unsure);
  default:
    return ~UINT64_C(0);
  }
}

/* Bits of what is unsure go where the values would go. */
static void move(const PtxInstruction *at, PtxAlu run, const uint64_t *const *source,
    const PtxLanes *unsure, uint32_t mask, uint64_t *result)
{
  const uint64_t *moved[PTX_SOURCES];
  int data = at->spread == PTX_SPREAD_MOVE_2 ? 2 : 1;
  for (int i = 0; i < at->sources; i++)
    moved[i] = i < data ? unsure[i].lane : source[i];
  run(result, moved, mask);
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    for (int i = data; i < at->sources; i++)
      if (unsure[i].lane[ptx_lowest(rest)] != 0)
        result[ptx_lowest(rest)] = ~UINT64_C(0);
}

static bool looks_at_corners(PtxSpread spread)
{
  return spread == PTX_SPREAD_BITS || spread == PTX_SPREAD_SUM || spread == PTX_SPREAD_ORDER ||
         spread == PTX_SPREAD_LEAST || spread == PTX_SPREAD_LEAST_HALVES;
}

void ptx_spread_unsure(const PtxInstruction *at, PtxAlu run, const uint64_t *const *source,
    const PtxLanes *unsure, uint32_t mask, uint64_t *result)
{
  uint64_t varies[PTX_LANES] = {0};
  const PtxForm *form = at->form;
  bool moves = at->spread == PTX_SPREAD_MOVE_1 || at->spread == PTX_SPREAD_MOVE_2;
  bool corners = looks_at_corners(at->spread);
  if (moves)
    move(at, run, source, unsure, mask, result);
  if (corners)
    vary(at, run, source, unsure, mask, varies);
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    int lane = ptx_lowest(rest);
    uint64_t all = 0, differ = at->sources > 1 ? source[0][lane] ^ source[1][lane] : 0;
    for (int i = 0; i < at->sources; i++)
      all |= unsure[i].lane[lane];
    if (corners)
      result[lane] = by_corners(at->spread, varies[lane], all, differ, form->result.bits);
    else if (!moves)
      result[lane] = by_bits(at->spread, all, differ, form->source[0].bits);
    result[lane] &= ptx_low_bits(form->result.bits);
  }
}
