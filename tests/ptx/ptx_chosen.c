/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A launch that a chooser steers, to try every order there is. Each choice is one of these: a
 * thread goes on, through its next look at global memory or its next fence; or a store that waits
 * in its block becomes visible. The steps between are not visible to others: stores begin to wait,
 * barriers only wait, and accesses to shared memory are no races, or the launch ends. So threads of
 * a block must not look at each other's stores to global memory before a barrier.
 */
#include "tests/ptx/ptx_private.h"

unsigned ptx_choose(PtxRun *run, unsigned below, uint64_t state)
{
  const StxPtxLaunch *launch = run->launch;
  if (below < 2 || run->failed)
    return 0;
  int choice = launch->choose(launch->chooser, below, state);
  if (choice >= 0)
    return (unsigned)choice;
  run->failed = true;
  snprintf(run->error, run->error_size, "given up");
  return 0;
}

/* ---- What is alone ------------------------------------------------------------------------ */

static bool is_seen(const PtxWarp *warp, int lane)
{
  const PtxInstruction *at = &warp->block->run->kernel->code[warp->pc[lane]];
  bool waits = at->class == PTX_STORE || (at->class == PTX_ATOMIC && at->destinations == 0);
  bool memory = at->class == PTX_LOAD || at->class == PTX_ATOMIC;
  return at->class == PTX_FENCE || (memory && !waits && at->space <= PTX_GLOBAL);
}

/* Each thread up to its next access to global memory. */
static void go_on_alone(PtxRun *run)
{
  bool moved = true;
  while (moved && !run->failed) {
    moved = false;
    for (int b = 0; b < run->blocks; b++)
      for (int w = 0; w < run->block[b].warps; w++) {
        PtxWarp *warp = &run->block[b].warp[w];
        for (uint32_t rest = warp->ready; rest != 0 && !run->failed; rest &= rest - 1)
          if (!is_seen(warp, ptx_lowest(rest))) {
            ptx_run_group(warp, UINT32_C(1) << ptx_lowest(rest), 1);
            moved = true;
            break;
          }
      }
  }
}

/* ---- States ------------------------------------------------------------------------------- */

static uint64_t hash_warp(const PtxWarp *warp, uint64_t hash)
{
  const PtxKernel *kernel = warp->block->run->kernel;
  for (uint32_t rest = warp->exists; rest != 0; rest &= rest - 1) {
    int lane = ptx_lowest(rest);
    hash = ptx_hash(hash, &warp->pc[lane], sizeof warp->pc[lane]);
    hash = ptx_hash(hash, &warp->state[lane], sizeof warp->state[lane]);
    for (int reg = 0; reg < kernel->registers; reg++)
      if (warp->known[reg] >> lane & 1)
        hash = ptx_hash(hash, &warp->value[reg].lane[lane], sizeof(uint64_t));
  }
  return hash;
}

static uint64_t hash_of(const PtxRun *run)
{
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < run->launch->memories; i++)
    hash = ptx_hash(hash, run->launch->memory[i].base, run->launch->memory[i].size);
  for (int b = 0; b < run->blocks; b++) {
    hash = ptx_hash(hash, run->block[b].shared, run->block[b].shared_size);
    for (int w = 0; w < run->block[b].warps; w++)
      hash = hash_warp(&run->block[b].warp[w], hash);
  }
  return ptx_late_hash(run, hash) | 1;
}

/* ---- Choices ------------------------------------------------------------------------------ */

static unsigned threads_ready(const PtxRun *run)
{
  unsigned ready = 0;
  for (int b = 0; b < run->blocks; b++)
    for (int w = 0; w < run->block[b].warps; w++)
      ready += (unsigned)__builtin_popcount(run->block[b].warp[w].ready);
  return ready;
}

static void run_thread(PtxRun *run, unsigned which)
{
  for (int b = 0; b < run->blocks; b++)
    for (int w = 0; w < run->block[b].warps; w++) {
      PtxWarp *warp = &run->block[b].warp[w];
      for (uint32_t rest = warp->ready; rest != 0; rest &= rest - 1)
        if (which-- == 0) {
          ptx_run_group(warp, rest & -rest, 1);
          return;
        }
    }
}

static void let_go(PtxRun *run, unsigned which)
{
  for (int b = 0; b < run->blocks; b++) {
    PtxBlock *block = &run->block[b];
    if (which < (unsigned)block->stores) {
      ptx_late_let_go(block, (int)which);
      return;
    }
    which -= (unsigned)block->stores;
  }
}

static void check_all_have_ended(PtxRun *run)
{
  for (int b = 0; b < run->blocks; b++)
    if (run->block[b].ended < run->block[b].threads)
      ptx_name_the_stuck(&run->block[b]);
}

void ptx_run_chosen(PtxRun *run)
{
  for (;;) {
    go_on_alone(run);
    unsigned threads = threads_ready(run), stores = 0;
    for (int b = 0; b < run->blocks; b++)
      stores += (unsigned)run->block[b].stores;
    if (run->failed || threads == 0)
      break;
    unsigned choice = ptx_choose(run, threads + stores, hash_of(run));
    if (run->failed)
      return;
    if (choice < threads)
      run_thread(run, choice);
    else
      let_go(run, choice - threads);
  }
  if (!run->failed)
    check_all_have_ended(run);
}
