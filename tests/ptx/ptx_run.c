/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blocks, warps, and who runs when. The lanes of a warp that are at the same instruction may go on
 * together: a group. It runs for a while, until it splits, waits or ends; then another is chosen.
 */
#include "tests/ptx/ptx_private.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 4096, MOST_IDLE = 1 << 24 };

unsigned ptx_random(PtxRun *run, unsigned below)
{
  if (run->launch->choose != NULL)
    return ptx_choose(run, below, 0);
  run->random ^= run->random << 13;
  run->random ^= run->random >> 7;
  run->random ^= run->random << 17;
  return (unsigned)((run->random >> 32) * below >> 32);
}

void *ptx_zeros(size_t count, size_t size)
{
  void *memory = calloc(count > 0 ? count : 1, size);
  if (memory == NULL)
    abort();
  return memory;
}

void ptx_fault(PtxWarp *warp, const PtxInstruction *at, int lane, const char *format, ...)
{
  PtxRun *run = warp->block->run;
  const unsigned *block = warp->block->index, *size = run->launch->block;
  unsigned thread = (unsigned)(warp->number * PTX_LANES + lane);
  if (run->failed)
    return;
  run->failed = true;
  int used = snprintf(run->error, run->error_size,
      "%s:%d: %s, block (%u, %u, %u), thread (%u, %u, %u): ", run->kernel->file, at->line, at->text,
      block[0], block[1], block[2], thread % size[0], thread / size[0] % size[1],
      thread / size[0] / size[1]);
  va_list args;
  va_start(args, format);
  if (used >= 0 && (size_t)used < run->error_size)
    used += vsnprintf(run->error + used, run->error_size - (size_t)used, format, args);
  va_end(args);
  if (used >= 0 && (size_t)used < run->error_size)
    snprintf(run->error + used, run->error_size - (size_t)used, " [seed %llu%s]",
        (unsigned long long)run->launch->seed, run->launch->late ? ", late" : "");
}

bool ptx_known(PtxWarp *warp, const PtxInstruction *at, int reg, uint32_t mask)
{
  if (reg >= warp->block->run->kernel->registers)
    return true;
  uint32_t unknown = mask & ~warp->known[reg];
  if (unknown == 0)
    return true;
  if (warp->partly[reg] >> ptx_lowest(unknown) & 1)
    ptx_fault(warp, at, ptx_lowest(unknown),
        "uses what line %d loaded from memory that was never written (bits %#llx)",
        warp->unwritten[reg], (unsigned long long)warp->unsure[reg].lane[ptx_lowest(unknown)]);
  else
    ptx_fault(warp, at, ptx_lowest(unknown), "reads a register that was never written");
  return false;
}

void ptx_write_partly(PtxWarp *warp, int reg, int lane, uint64_t value, uint64_t unsure, int line)
{
  uint32_t bit = UINT32_C(1) << lane;
  warp->value[reg].lane[lane] = value;
  if (unsure == 0) {
    warp->known[reg] |= bit;
    return;
  }
  if (warp->unsure == NULL)
    warp->unsure = ptx_zeros((size_t)warp->block->run->kernel->registers, sizeof *warp->unsure);
  warp->known[reg] &= ~bit;
  warp->partly[reg] |= bit;
  warp->unsure[reg].lane[lane] = unsure;
  warp->unwritten[reg] = line;
}

/* ---- Instructions ------------------------------------------------------------------------- */

static uint32_t guarded(PtxWarp *warp, const PtxInstruction *at, uint32_t mask)
{
  if (at->guard < 0 || !ptx_known(warp, at, at->guard, mask))
    return mask;
  uint32_t yes = ptx_true(warp, at->guard);
  return mask & (at->unless ? ~yes : yes);
}

static void place(PtxWarp *warp, uint32_t lanes, int pc)
{
  for (; lanes != 0; lanes &= lanes - 1)
    warp->pc[ptx_lowest(lanes)] = pc;
}

static void finish(PtxWarp *warp, const PtxInstruction *at, uint32_t lanes)
{
  PtxBlock *block = warp->block;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    warp->state[ptx_lowest(rest)] = PTX_DONE;
  warp->ready &= ~lanes;
  block->ended += __builtin_popcount(lanes);
  block->run->idle = 0;
  if (block->arrived > 0)
    ptx_fault(
        warp, at, ptx_lowest(lanes), "ends, while %d threads wait at a barrier", block->arrived);
}

/* Executes an instruction that is neither a branch nor an end, by the lanes of `active`. */
static void perform(PtxWarp *warp, PtxInstruction *at, uint32_t active)
{
  switch (at->class) {
  case PTX_COMPUTE:
    ptx_compute(warp, at, active);
    break;
  case PTX_LOAD:
    ptx_load(warp, at, active);
    break;
  case PTX_STORE:
    ptx_store(warp, at, active);
    break;
  case PTX_ATOMIC:
    ptx_atomic(warp, at, active);
    break;
  default:
    if (warp->block->run->launch->late)
      ptx_late_fence(warp, active);
  }
}

void ptx_run_group(PtxWarp *warp, uint32_t group, int turns)
{
  PtxRun *run = warp->block->run;
  int pc = warp->pc[ptx_lowest(group)];
  bool whole = group == warp->ready;
  for (int turn = 0; turn < turns && !run->failed; turn++) {
    PtxInstruction *at = &run->kernel->code[pc];
    if (at->leads && !whole && turn > 0)
      break; /* others may wait here */
    uint32_t active = guarded(warp, at, group);
    run->idle++;
    if (at->class == PTX_BRANCH && (active == 0 || active == group)) {
      pc = active != 0 ? at->target : pc + 1;
      continue;
    }
    if (at->class >= PTX_BRANCH && active != 0) {
      place(warp, group & ~active, pc + 1);
      place(warp, active, at->class == PTX_BRANCH ? at->target : pc);
      if (at->class == PTX_RETURN)
        finish(warp, at, active);
      else if (at->class == PTX_BARRIER)
        ptx_barrier(warp, at, active);
      else if (at->class == PTX_WARP)
        ptx_warp_op(warp, at, active);
      /* A whole warp that has met goes on at once. */
      if (!whole || warp->ready != group || active != group)
        return;
      pc = warp->pc[ptx_lowest(group)];
      continue;
    }
    if (active != 0)
      perform(warp, at, active);
    pc++;
  }
  place(warp, group, pc);
}

/* ---- Who runs ----------------------------------------------------------------------------- */

static uint32_t lanes_at(const PtxWarp *warp, int pc)
{
  uint32_t lanes = 0;
  for (uint32_t rest = warp->ready; rest != 0; rest &= rest - 1)
    if (warp->pc[ptx_lowest(rest)] == pc)
      lanes |= UINT32_C(1) << ptx_lowest(rest);
  return lanes;
}

static int random_lane(PtxRun *run, uint32_t lanes)
{
  for (unsigned skip = ptx_random(run, (unsigned)__builtin_popcount(lanes)); skip > 0; skip--)
    lanes &= lanes - 1;
  return ptx_lowest(lanes);
}

/* In order: the lanes that are farthest back, which meets again soonest. One that got nowhere for
 * long, as it waits for another, lets any other go first. */
static void run_in_order(PtxRun *run, PtxWarp *warp)
{
  int least = run->kernel->instructions;
  for (uint32_t rest = warp->ready; rest != 0; rest &= rest - 1)
    if (warp->pc[ptx_lowest(rest)] < least)
      least = warp->pc[ptx_lowest(rest)];
  if (ptx_random(run, 64) == 0)
    least = warp->pc[random_lane(run, warp->ready)];
  ptx_run_group(warp, lanes_at(warp, least), PATIENCE);
}

static void run_at_random(PtxRun *run, PtxWarp *warp)
{
  uint32_t group = lanes_at(warp, warp->pc[random_lane(run, warp->ready)]);
  if (ptx_random(run, 16) == 0) {
    int one = random_lane(run, group);
    group &= (uint32_t)(run->random >> 16);
    group |= UINT32_C(1) << one;
  }
  int turns = ptx_random(run, 4) > 0 ? PATIENCE : 1 + (int)ptx_random(run, 40);
  ptx_run_group(warp, group, turns);
}

void ptx_name_the_stuck(PtxBlock *block)
{
  for (int w = 0; w < block->warps; w++) {
    PtxWarp *warp = &block->warp[w];
    for (uint32_t rest = warp->exists; rest != 0; rest &= rest - 1) {
      int lane = ptx_lowest(rest);
      const PtxInstruction *at = &block->run->kernel->code[warp->pc[lane]];
      if (warp->state[lane] == PTX_AT_BARRIER)
        ptx_fault(warp, at, lane, "waits at a barrier for ever: %d of %d threads are there",
            block->arrived, block->threads);
      else if (warp->state[lane] == PTX_IN_WARP)
        ptx_fault(
            warp, at, lane, "waits for ever for all lanes of its mask %#x", warp->meets[lane]);
    }
  }
}

/* No thread has written anything for long: names one that polls in vain. */
static void name_the_waiting(PtxBlock *block)
{
  for (int w = 0; w < block->warps; w++) {
    PtxWarp *warp = &block->warp[w];
    if (warp->ready == 0)
      continue;
    int lane = ptx_lowest(warp->ready);
    ptx_fault(warp, &block->run->kernel->code[warp->pc[lane]], lane,
        "waits in a loop for what does not come");
  }
}

/* A warp of the block with lanes that are ready, from a random or the next one on; or NULL. */
static PtxWarp *choose_warp(PtxBlock *block, int first)
{
  for (int i = 0; i < block->warps; i++) {
    PtxWarp *warp = &block->warp[(first + i) % block->warps];
    if (warp->ready != 0)
      return warp;
  }
  return NULL;
}

/* ---- Blocks ------------------------------------------------------------------------------- */

static void set_special(PtxWarp *warp, PtxSpecial special, int lane, unsigned value)
{
  warp->value[special].lane[lane] = value;
  warp->known[special] |= UINT32_C(1) << lane;
}

static void begin_lane(PtxWarp *warp, int lane)
{
  const StxPtxLaunch *launch = warp->block->run->launch;
  const unsigned *size = launch->block;
  unsigned thread = (unsigned)(warp->number * PTX_LANES + lane);
  unsigned index[3] = {thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]};
  warp->pc[lane] = 0;
  warp->state[lane] = PTX_READY;
  for (unsigned k = 0; k < 3; k++) {
    set_special(warp, PTX_TID_X + k, lane, index[k]);
    set_special(warp, PTX_NTID_X + k, lane, size[k]);
    set_special(warp, PTX_CTAID_X + k, lane, warp->block->index[k]);
    set_special(warp, PTX_NCTAID_X + k, lane, launch->grid[k]);
  }
  set_special(warp, PTX_LANEID, lane, (unsigned)lane);
}

static void begin_warp(PtxBlock *block, int number)
{
  PtxWarp *warp = &block->warp[number];
  int lanes = block->threads - number * PTX_LANES;
  memset(warp->known, 0, (size_t)block->run->kernel->registers * sizeof *warp->known);
  memset(warp->partly, 0, (size_t)block->run->kernel->registers * sizeof *warp->partly);
  warp->exists = lanes >= PTX_LANES ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
  warp->ready = warp->exists;
  for (int lane = 0; lane < lanes && lane < PTX_LANES; lane++)
    begin_lane(warp, lane);
}

/* The arrays in shared memory are unknown at the start. */
static void begin_shared(PtxBlock *block)
{
  const PtxKernel *kernel = block->run->kernel;
  memset(block->shared_known, 2, block->shared_size);
  memset(block->shared, 0xCD, block->shared_size);
  for (int i = 0; i < kernel->shareds; i++) {
    const PtxShared *s = &kernel->shared[i];
    size_t size = i == kernel->dynamic ? block->run->launch->shared : s->size;
    memset(block->shared_known + s->offset, 0, size);
  }
}

/* The launch's next block, in the place of one that has ended. False: there is none left. */
static bool begin_block(PtxRun *run, PtxBlock *block)
{
  const unsigned *grid = run->launch->grid;
  if (run->all_begun)
    return false;
  memcpy(block->index, run->next, sizeof block->index);
  for (int k = 0; k < 3 && ++run->next[k] == grid[k]; k++) {
    run->next[k] = 0;
    run->all_begun = k == 2;
  }
  block->ended = block->arrived = block->predicates = 0;
  block->epoch = 0;
  block->serial = ++run->begun;
  memset(block->seen, 0, (size_t)block->threads * sizeof *block->seen);
  begin_shared(block);
  ptx_race_begin(block);
  for (int w = 0; w < block->warps; w++)
    begin_warp(block, w);
  return true;
}

static void make_block(PtxRun *run, PtxBlock *block)
{
  const unsigned *size = run->launch->block;
  const PtxKernel *kernel = run->kernel;
  block->run = run;
  block->threads = (int)(size[0] * size[1] * size[2]);
  block->warps = (block->threads + PTX_LANES - 1) / PTX_LANES;
  block->warp = ptx_zeros((size_t)block->warps, sizeof *block->warp);
  block->seen = ptx_zeros((size_t)block->threads, sizeof *block->seen);
  block->shared_size = kernel->shared_size + (kernel->dynamic >= 0 ? run->launch->shared : 0);
  block->shared = ptx_zeros(block->shared_size, 1);
  block->shared_known = ptx_zeros(block->shared_size, 1);
  block->writer = ptx_zeros(block->shared_size, sizeof *block->writer);
  block->reader = ptx_zeros(block->shared_size, sizeof *block->reader);
  for (int w = 0; w < block->warps; w++) {
    PtxWarp *warp = &block->warp[w];
    warp->block = block;
    warp->number = w;
    warp->known = ptx_zeros((size_t)kernel->registers, sizeof *warp->known);
    warp->value = ptx_zeros((size_t)kernel->registers, sizeof *warp->value);
    warp->partly = ptx_zeros((size_t)kernel->registers, sizeof *warp->partly);
    warp->unwritten = ptx_zeros((size_t)kernel->registers, sizeof *warp->unwritten);
  }
}

static void free_block(PtxBlock *block)
{
  for (int w = 0; w < block->warps; w++) {
    free(block->warp[w].known);
    free(block->warp[w].value);
    free(block->warp[w].partly);
    free(block->warp[w].unsure);
    free(block->warp[w].unwritten);
  }
  free(block->warp);
  free(block->seen);
  free(block->shared);
  free(block->shared_known);
  free(block->writer);
  free(block->reader);
  free(block->store);
}

/* One turn of one warp of the block. False: the block has ended. */
static bool step(PtxRun *run, PtxBlock *block, int turn)
{
  if (block->ended == block->threads)
    return false;
  bool ordered = run->launch->seed == 0;
  PtxWarp *warp = choose_warp(block, ordered ? turn : (int)ptx_random(run, (unsigned)block->warps));
  if (warp == NULL)
    ptx_name_the_stuck(block);
  else if (ordered)
    run_in_order(run, warp);
  else
    run_at_random(run, warp);
  return true;
}

/* Which block has a turn; NULL: all are over. */
static PtxBlock *choose_block(PtxRun *run)
{
  bool ordered = run->launch->seed == 0;
  int first = ordered ? 0 : (int)ptx_random(run, (unsigned)run->blocks);
  for (int i = 0; i < run->blocks; i++) {
    PtxBlock *block = &run->block[(first + i) % run->blocks];
    if (!block->over)
      return block;
  }
  return NULL;
}

static void run_blocks(PtxRun *run)
{
  PtxBlock *block;
  for (int turn = 0; !run->failed && (block = choose_block(run)) != NULL; turn++) {
    if (run->launch->late)
      ptx_late_drip(run);
    if (run->idle >= MOST_IDLE)
      name_the_waiting(block);
    if (!step(run, block, turn))
      block->over = !begin_block(run, block);
  }
}

/* ---- Launches ----------------------------------------------------------------------------- */

static void make_constants(PtxRun *run)
{
  const PtxKernel *kernel = run->kernel;
  run->constant = ptx_zeros((size_t)kernel->constants, sizeof *run->constant);
  for (int i = 0; i < kernel->constants; i++)
    for (int lane = 0; lane < PTX_LANES; lane++)
      run->constant[i].lane[lane] = kernel->constant[i];
}

static void begin_blocks(PtxRun *run)
{
  const StxPtxLaunch *launch = run->launch;
  int most = run->launch->choose != NULL ? PTX_MOST_BLOCKS
             : run->launch->seed == 0    ? 1
                                         : 1 + (int)ptx_random(run, PTX_MOST_BLOCKS);
  run->block = ptx_zeros(PTX_MOST_BLOCKS, sizeof *run->block);
  for (int k = 0; k < 3 && launch->last; k++)
    run->next[k] = launch->grid[k] - 1;
  while (run->blocks < most && !run->all_begun) {
    PtxBlock *block = &run->block[run->blocks++];
    make_block(run, block);
    begin_block(run, block);
  }
}

bool ptx_run(PtxKernel *kernel, const StxPtxLaunch *launch, char *error, size_t size)
{
  PtxRun run = {.kernel = kernel,
      .launch = launch,
      .error = error,
      .error_size = size,
      .random = 0x9E3779B97F4A7C15 ^ (launch->seed * 0xBF58476D1CE4E5B9)};
  unsigned threads = launch->block[0] * launch->block[1] * launch->block[2];
  if (threads > kernel->threads) {
    snprintf(error, size, "%u threads in a block of %s, which takes %u", threads, kernel->name,
        kernel->threads);
    return false;
  }
  run.touched = ptx_zeros(launch->memories, sizeof *run.touched);
  make_constants(&run);
  begin_blocks(&run);
  if (launch->choose != NULL)
    ptx_run_chosen(&run);
  else
    run_blocks(&run);
  for (int i = 0; i < run.blocks; i++) {
    ptx_late_end(&run.block[i]);
    free_block(&run.block[i]);
  }
  for (size_t i = 0; i < launch->memories; i++)
    stx_ptx_zeros_free(run.touched[i], launch->memory[i].size);
  free(run.touched);
  free(run.block);
  free(run.constant);
  free(run.past);
  free(run.past_lines);
  return !run.failed;
}
