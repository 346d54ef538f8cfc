/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads, stores and atomics. What was never written makes the register unknown that it is loaded
 * into, unless the compiler says that those bytes are not used (used_bytes_mask).
 */
#include "tests/ptx/ptx_private.h"

#include <string.h>

/* The address of a lane's access. */
typedef struct {
  uint8_t *bytes, *known; /* known NULL: all are */
  bool global;
} Place;

enum { BETWEEN = 2 };                /* in shared_known: no array's */
enum { READ_ONLY = 1, WRITTEN = 2 }; /* in touched */

/* ---- Addresses ---------------------------------------------------------------------------- */

static const StxPtxMemory *find_memory(PtxRun *run, uint64_t address)
{
  const StxPtxMemory *memory = run->launch->memory;
  size_t low = 0, high = run->launch->memories;
  if (run->near != NULL && address - (uintptr_t)run->near->base < run->near->size)
    return run->near;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (address - (uintptr_t)memory[middle].base < memory[middle].size)
      return run->near = &memory[middle];
    if (address < (uintptr_t)memory[middle].base)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

static bool in_shared(
    PtxWarp *warp, const PtxInstruction *at, int lane, uint64_t address, int size, Place *place)
{
  PtxBlock *block = warp->block;
  bool inside = address < block->shared_size && (uint64_t)size <= block->shared_size - address;
  for (int i = 0; inside && i < size; i++)
    inside = block->shared_known[address + (uint64_t)i] != BETWEEN;
  if (!inside)
    ptx_fault(warp, at, lane, "%d bytes at %#llx of shared memory are in no array", size,
        (unsigned long long)address);
  else
    *place = (Place){block->shared + address, block->shared_known + address, false};
  return inside;
}

static bool in_param(
    PtxWarp *warp, const PtxInstruction *at, int lane, uint64_t address, int size, Place *place)
{
  size_t all = warp->block->run->kernel->args_size;
  address -= PTX_PARAM_WINDOW;
  if (address >= all || (uint64_t)size > all - address) {
    ptx_fault(
        warp, at, lane, "%d bytes at %lld of a parameter of %zu", size, (long long)address, all);
    return false;
  }
  *place = (Place){(uint8_t *)(uintptr_t)warp->block->run->launch->args + address, NULL, false};
  return true;
}

/* Read-only loads may come from a cache that no store of the launch reaches. */
static bool note(PtxWarp *warp, const PtxInstruction *at, int lane, const StxPtxMemory *memory,
    uint64_t offset, int size)
{
  PtxRun *run = warp->block->run;
  uint8_t **touched = &run->touched[memory - run->launch->memory];
  bool writes = at->class != PTX_LOAD;
  if (!writes && !at->is_read_only)
    return true;
  if (*touched == NULL)
    *touched = stx_ptx_zeros(memory->size);
  for (int i = 0; i < size; i++) {
    uint8_t *how = &(*touched)[offset + (uint64_t)i];
    if (!(at->used >> i & 1))
      continue;
    if (*how == (writes ? READ_ONLY : WRITTEN)) {
      ptx_fault(warp, at, lane,
          "byte %llu of %zu is written, and read by ld.global.nc, in one launch",
          (unsigned long long)offset + (unsigned)i, memory->size);
      return false;
    }
    *how = writes ? WRITTEN : READ_ONLY;
  }
  return true;
}

static bool in_global(
    PtxWarp *warp, const PtxInstruction *at, int lane, uint64_t address, int size, Place *place)
{
  const StxPtxMemory *memory = find_memory(warp->block->run, address);
  uint64_t offset = memory != NULL ? address - (uintptr_t)memory->base : 0;
  if (memory == NULL || (uint64_t)size > memory->size - offset) {
    ptx_fault(warp, at, lane, "%d bytes at %#llx are not inside of one allocation%s", size,
        (unsigned long long)address, memory != NULL ? ": they reach over its end" : "");
    return false;
  }
  *place = (Place){memory->base + offset, memory->known + offset, true};
  return note(warp, at, lane, memory, offset, size);
}

/* All that an access of the lane touches, in one piece. */
static bool find_place(PtxWarp *warp, const PtxInstruction *at, int lane, int size, Place *place)
{
  uint64_t address = ptx_lanes(warp, at->s[0])[lane] + (uint64_t)at->offset;
  PtxSpace space = at->space;
  if (space == PTX_SHARED)
    address = (uint32_t)address;
  if (space == PTX_GENERIC) {
    space = address >> 60 == 1 ? PTX_SHARED : PTX_GLOBAL;
    address -= space == PTX_SHARED ? PTX_SHARED_WINDOW : 0;
  }
  if (address % (uint64_t)size != 0) {
    ptx_fault(warp, at, lane, "an access of %d bytes at %#llx, which is no multiple of that", size,
        (unsigned long long)address);
    return false;
  }
  return space == PTX_SHARED  ? in_shared(warp, at, lane, address, size, place)
         : space == PTX_PARAM ? in_param(warp, at, lane, address, size, place)
                              : in_global(warp, at, lane, address, size, place);
}

/* The same, and no race. */
static bool find(PtxWarp *warp, const PtxInstruction *at, int lane, int size, Place *place)
{
  PtxBlock *block = warp->block;
  if (!find_place(warp, at, lane, size, place))
    return false;
  if (!place->global && place->known != NULL)
    ptx_race(warp, at, lane, (size_t)(place->bytes - block->shared), size);
  return !block->run->failed;
}

/* ---- Loads -------------------------------------------------------------------------------- */

static uint64_t extended(const uint8_t *bytes, int size, bool is_signed)
{
  uint64_t value = 0;
  memcpy(&value, bytes, (size_t)size);
  if (is_signed && size < 8 && value >> (8 * size - 1) & 1)
    value |= ~UINT64_C(0) << (8 * size);
  return value;
}

/* The bits of element k that were never written, of those that are used: compilers load what lies
 * beside, too. */
static uint64_t unsure_bits(const PtxInstruction *at, const uint8_t *known, int k)
{
  uint8_t unsure[8] = {0};
  for (int i = 0; i < at->size; i++)
    if (at->used >> (k * at->size + i) & 1 && known[k * at->size + i] == 0)
      unsure[i] = 0xff;
  return extended(unsure, at->size, at->is_signed);
}

static void read_place(PtxWarp *warp, const PtxInstruction *at, int lane, PtxBytes *bytes)
{
  Place place;
  int size = at->size * at->count;
  if (!find(warp, at, lane, size, &place))
    return;
  bool late = place.global && warp->block->run->launch->late;
  if (late)
    ptx_late_settle(warp, place.bytes, size, true);
  memcpy(bytes->byte, place.bytes, (size_t)size);
  if (place.known != NULL)
    memcpy(bytes->known, place.known, (size_t)size);
  if (late && at->is_strong)
    ptx_late_peek(warp, place.bytes, bytes, size);
  else if (late)
    ptx_late_load(warp, lane, place.bytes, bytes, size);
}

static void load_lane(PtxWarp *warp, const PtxInstruction *at, int lane)
{
  PtxBytes bytes;
  memset(&bytes, 1, sizeof bytes);
  read_place(warp, at, lane, &bytes);
  bool all = memchr(bytes.known, 0, (size_t)(at->size * at->count)) == NULL;
  for (int k = 0; k < at->count; k++)
    if (at->d[k] >= 0)
      ptx_write_partly(warp, at->d[k], lane,
          extended(bytes.byte + k * at->size, at->size, at->is_signed),
          all ? 0 : unsure_bits(at, bytes.known, k), at->line);
}

void ptx_load(PtxWarp *warp, PtxInstruction *at, uint32_t mask)
{
  PtxRun *run = warp->block->run;
  if (!ptx_known(warp, at, at->s[0], mask))
    return;
  for (uint32_t rest = mask; rest != 0 && !run->failed; rest &= rest - 1)
    load_lane(warp, at, ptx_lowest(rest));
}

/* ---- Stores ------------------------------------------------------------------------------- */

/* The value of a lane's register, which must have been written. A byte of which bits are not known
 * may be stored, and is as little known there. */
static void read_value(PtxWarp *warp, const PtxInstruction *at, int reg, int lane, PtxBytes *value)
{
  uint32_t unwritten = ptx_unwritten(warp, reg, UINT32_C(1) << lane);
  uint64_t unsure = ptx_unsure(warp, reg, lane);
  if (unwritten != 0)
    ptx_known(warp, at, reg, unwritten);
  memcpy(value->byte, &ptx_lanes(warp, reg)[lane], 8);
  for (int i = 0; i < 8; i++)
    value->known[i] = (unsure >> (8 * i) & 0xff) == 0;
}

static void store_lane(PtxWarp *warp, const PtxInstruction *at, int lane)
{
  Place place;
  PtxBytes value;
  if (!find(warp, at, lane, at->size * at->count, &place))
    return;
  for (int k = 0; k < at->count; k++) {
    size_t offset = (size_t)(k * at->size);
    read_value(warp, at, at->s[1 + k], lane, &value);
    if (place.global && warp->block->run->launch->late) {
      ptx_late_store(warp, at, lane, place.bytes + offset, place.known + offset, &value);
      continue;
    }
    memcpy(place.bytes + offset, value.byte, (size_t)at->size);
    memcpy(place.known + offset, value.known, (size_t)at->size);
  }
}

void ptx_store(PtxWarp *warp, PtxInstruction *at, uint32_t mask)
{
  PtxRun *run = warp->block->run;
  if (!ptx_known(warp, at, at->s[0], mask))
    return;
  run->idle = 0;
  for (uint32_t rest = mask; rest != 0 && !run->failed; rest &= rest - 1)
    store_lane(warp, at, ptx_lowest(rest));
}

/* ---- Atomics ------------------------------------------------------------------------------ */

static uint64_t combined(PtxRule rule, bool is_signed, uint64_t old, uint64_t value)
{
  bool less = is_signed ? (int64_t)value < (int64_t)old : value < old;
  switch (rule) {
  case PTX_ADD:
    return old + value;
  case PTX_MIN:
    return less ? value : old;
  case PTX_MAX:
    return less ? old : value;
  case PTX_OR:
    return old | value;
  case PTX_AND:
    return old & value;
  case PTX_XOR:
    return old ^ value;
  default:
    return value;
  }
}

/* Stores the result of an atomic: all of it is unknown if any of its sources is. */
static void change(const PtxInstruction *at, uint8_t *bytes, uint8_t *known,
    const PtxBytes *operand, const PtxBytes *instead)
{
  size_t size = (size_t)at->size;
  bool all = memchr(known, 0, size) == NULL && memchr(operand->known, 0, size) == NULL &&
             memchr(instead->known, 0, size) == NULL;
  uint64_t old = extended(bytes, at->size, at->is_signed);
  uint64_t value = extended(operand->byte, at->size, at->is_signed);
  uint64_t new = combined((PtxRule)at->op, at->is_signed, old, value);
  if (at->op == PTX_SWAP_IF)
    new = old == value ? extended(instead->byte, at->size, at->is_signed) : old;
  memcpy(bytes, &new, size);
  memset(known, all, size);
}

void ptx_reduce(const PtxInstruction *at, uint8_t *bytes, uint8_t *known, const PtxBytes *operand)
{
  change(at, bytes, known, operand, operand);
}

static void atomic_lane(PtxWarp *warp, const PtxInstruction *at, int lane)
{
  Place place;
  PtxBytes operand[2];
  if (!find(warp, at, lane, at->size, &place))
    return;
  for (int i = 1; i < at->sources; i++)
    read_value(warp, at, at->s[i], lane, &operand[i - 1]);
  bool late = place.global && warp->block->run->launch->late;
  if (late && at->releases)
    ptx_late_release(warp, lane);
  if (late && at->destinations == 0 && at->op != PTX_SWAP_IF) {
    ptx_late_store(warp, at, lane, place.bytes, place.known, operand);
    return;
  }
  if (late) {
    ptx_late_settle(warp, place.bytes, at->size, false);
    ptx_late_note(warp, place.bytes, place.known, at->size);
  }
  uint64_t old = extended(place.bytes, at->size, at->is_signed);
  uint64_t unsure = unsure_bits(at, place.known, 0);
  change(at, place.bytes, place.known, &operand[0], &operand[at->op == PTX_SWAP_IF]);
  if (at->destinations > 0 && at->d[0] >= 0)
    ptx_write_partly(warp, at->d[0], lane, old, unsure, at->line);
  if (late && at->acquires)
    ptx_late_acquire(warp, lane);
}

void ptx_atomic(PtxWarp *warp, PtxInstruction *at, uint32_t mask)
{
  PtxRun *run = warp->block->run;
  if (!ptx_known(warp, at, at->s[0], mask))
    return;
  run->idle = 0;
  /* In no order that a program could count on. */
  for (uint32_t rest = mask; rest != 0 && !run->failed;) {
    int lane = ptx_lowest(rest);
    if (run->launch->seed != 0)
      for (unsigned skip = ptx_random(run, (unsigned)__builtin_popcount(rest)); skip > 0; skip--)
        lane = ptx_lowest(rest & ~((UINT32_C(2) << lane) - 1));
    rest &= ~(UINT32_C(1) << lane);
    atomic_lane(warp, at, lane);
  }
}
