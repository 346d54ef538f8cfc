/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The emulator: runs the blocks of a launch one after another, the threads of a block as fibers
 * that change only where CUDA makes them wait. Compiled without sanitizers: what it does to its
 * own state is no business of theirs.
 *
 * A thread waits at a barrier (for the whole block) or in an operation of its warp (for the lanes
 * of a mask). Whoever completes a group wakes it. When nobody can run and not all have ended, the
 * kernel has broken a rule: `explain` says which.
 */
#include "tests/cuda-emu/emu.h"
#include "tests/cuda-emu/emu_fiber.h"
#include "tests/cuda-emu/emu_launch.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_THREADS 1024
#define MAX_SHARED (227u << 10)
#define MAX_ARRAYS 32

namespace stx_emu {

enum State { READY, AT_BARRIER, IN_EXCHANGE, ENDED };

/* One CUDA thread. */
struct Worker : Thread {
  Fiber fiber;
  unsigned number; /* within the block */
  State state;
  bool predicate;
  const char *file; /* where it waits */
  int line;
  Exchange *exchange;
  unsigned exchanges;
  char token[2]; /* of its warp synchronisations */
};

/* A shared array of the block, by the place of its declaration. */
struct Array {
  const char *file;
  int line;
  size_t size;
  void *data;
};

struct Launch {
  const Kernel *kernel;
  const void *args;
  Worker workers[MAX_THREADS];
  Stack stacks[MAX_THREADS];
  int stack_count;
  int count; /* threads of a block */
  Fiber scheduler;
  unsigned order[MAX_THREADS];
  uint64_t random;
  enum { FORWARD, REVERSE, RANDOM } mode;

  /* Of the current block. */
  Array arrays[MAX_ARRAYS];
  int array_count;
  size_t wanted; /* size of an array that a thread asks for */
  void *dynamic;
  size_t dynamic_size;
  int arrived, predicates, total; /* at the barrier; total: the last one's predicates */
  unsigned barriers;
  char start_token, end_token, barrier_token[2];
  bool failed;

  char *error;
  size_t error_size;
};

static Launch state; /* one launch at a time */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static Kernel *kernels;

Thread *current;
dim3 block_index, block_size, grid_size;

static Worker *self()
{
  return static_cast<Worker *>(current);
}

Kernel::Kernel(const char *name_, size_t args_size_, unsigned threads_, Body body_)
    : name(name_), args_size(args_size_), threads(threads_), body(body_), next(kernels)
{
  kernels = this;
}

/* ---- Failing -------------------------------------------------------------------------------- */

static bool refuse(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(state.error, state.error_size, format, list);
  va_end(list);
  return false;
}

/* The first fault of a launch: what the thread did, at that place. */
static void fault(const Worker *who, const char *file, int line, const char *format, ...)
{
  char what[256];
  va_list list;
  if (state.failed)
    return;
  state.failed = true;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  refuse("%s: block (%u, %u, %u), thread (%u, %u, %u), %s:%d: %s", state.kernel->name,
      block_index.x, block_index.y, block_index.z, who->index.x, who->index.y, who->index.z, file,
      line, what);
}

/* Back to the scheduler until it picks this thread again; never, if the launch has failed. */
static void wait()
{
  Worker *me = self();
  fiber_switch(&me->fiber, &state.scheduler, false);
}

/* ---- Barriers ------------------------------------------------------------------------------- */

static void open_barrier()
{
  state.total = state.predicates;
  state.arrived = state.predicates = 0;
  state.barriers++;
  for (int i = 0; i < state.count; i++)
    state.workers[i].state = READY;
}

static bool same_place(const Worker *a, const Worker *b)
{
  return a->line == b->line && strcmp(a->file, b->file) == 0;
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
  void *token = &state.barrier_token[state.barriers & 1];
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
  if (state.failed || me->state != READY)
    wait();
  acquire(token);
  return state.total;
}

/* ---- Warps ---------------------------------------------------------------------------------- */

unsigned lane()
{
  return self()->number % 32;
}

static Worker *lane_of(const Worker *me, unsigned lane)
{
  unsigned number = me->number / 32 * 32 + lane;
  return number < (unsigned)state.count ? &state.workers[number] : NULL;
}

unsigned active_mask()
{
  unsigned mask = 0;
  for (unsigned i = 0; i < 32; i++) {
    const Worker *other = lane_of(self(), i);
    if (other != NULL && other->state != ENDED)
      mask |= 1u << i;
  }
  return mask;
}

/* True if all lanes of the mask wait in the same operation. */
static bool is_complete(const Worker *me)
{
  const Exchange *mine = me->exchange;
  for (unsigned i = 0; i < 32; i++) {
    const Worker *other = mine->mask >> i & 1 ? lane_of(me, i) : me;
    if (other == NULL || other->state != IN_EXCHANGE || other->exchange->mask != mine->mask ||
        other->exchange->operation != mine->operation)
      return false;
  }
  return true;
}

static uint64_t result_for(const Worker *me, const Worker *lanes[32])
{
  const Exchange *mine = me->exchange;
  uint64_t bits = 0;
  if (mine->operation == SYNC)
    return 0;
  if (mine->operation == SHUFFLE) {
    if (mine->source == 32)
      return mine->value;
    if (lanes[mine->source] == NULL) {
      fault(me, mine->file, mine->line, "reads from lane %u, which takes no part (mask 0x%08x)",
          mine->source, mine->mask);
      return 0;
    }
    return lanes[mine->source]->exchange->value;
  }
  for (unsigned i = 0; i < 32; i++)
    if (lanes[i] != NULL && (mine->operation == BALLOT ? lanes[i]->exchange->value != 0
                                                       : lanes[i]->exchange->value == mine->value))
      bits |= 1u << i;
  return bits;
}

static void complete(const Worker *me)
{
  const Worker *lanes[32];
  uint64_t results[32] = {0};
  for (unsigned i = 0; i < 32; i++)
    lanes[i] = me->exchange->mask >> i & 1 ? lane_of(me, i) : NULL;
  for (unsigned i = 0; i < 32; i++)
    if (lanes[i] != NULL)
      results[i] = result_for(lanes[i], lanes);
  for (unsigned i = 0; i < 32; i++)
    if (lanes[i] != NULL) {
      lanes[i]->exchange->value = results[i];
      const_cast<Worker *>(lanes[i])->state = READY;
    }
}

/* Only __syncwarp orders memory. The lanes' tokens alternate, so that one lane's next
 * synchronisation is not taken for this one. */
static void acquire_lanes(const Worker *me, unsigned mask, unsigned round)
{
  for (unsigned i = 0; i < 32; i++)
    if (mask >> i & 1)
      acquire(&lane_of(me, i)->token[round & 1]);
}

void exchange(Exchange *with)
{
  Worker *me = self();
  unsigned round = me->exchanges;
  if (!(with->mask >> me->number % 32 & 1)) {
    fault(me, with->file, with->line, "is not in the mask 0x%08x that it passes", with->mask);
    wait();
  }
  if (with->operation == SYNC) {
    release(&me->token[round & 1]);
    me->exchanges++;
  }
  me->file = with->file;
  me->line = with->line;
  me->exchange = with;
  me->state = IN_EXCHANGE;
  if (is_complete(me))
    complete(me);
  if (state.failed || me->state != READY)
    wait();
  if (with->operation == SYNC)
    acquire_lanes(me, with->mask, round);
}

/* ---- Shared memory -------------------------------------------------------------------------- */

static void *fresh(size_t size)
{
  void *data = malloc(size > 0 ? size : 1);
  if (data != NULL)
    memset(data, 0xCD, size);
  return data;
}

static size_t shared_bytes()
{
  size_t sum = state.dynamic_size;
  for (int i = 0; i < state.array_count; i++)
    sum += state.arrays[i].size;
  return sum;
}

/* The scheduler allocates: the thread sanitizer takes an allocation for a write. */
static void allocate_wanted()
{
  if (state.wanted == 0)
    return;
  state.arrays[state.array_count - 1].data = fresh(state.wanted);
  state.wanted = 0;
  release(&state.start_token);
}

void *shared(const char *file, int line, size_t size)
{
  for (int i = 0; i < state.array_count; i++)
    if (state.arrays[i].line == line && strcmp(state.arrays[i].file, file) == 0) {
      acquire(&state.start_token);
      return state.arrays[i].data;
    }
  if (state.array_count == MAX_ARRAYS || shared_bytes() + size > MAX_SHARED) {
    fault(self(), file, line, "more than %u bytes of shared memory, or more than %d arrays",
        MAX_SHARED, MAX_ARRAYS);
    wait();
  }
  state.arrays[state.array_count++] = {file, line, size, NULL};
  state.wanted = size;
  self()->state = READY;
  wait();
  acquire(&state.start_token);
  return state.arrays[state.array_count - 1].data;
}

void *dynamic_shared()
{
  return state.dynamic;
}

static void free_shared()
{
  for (int i = 0; i < state.array_count; i++)
    free(state.arrays[i].data);
  free(state.dynamic);
  state.array_count = 0;
  state.dynamic = NULL;
}

/* ---- Blocks --------------------------------------------------------------------------------- */

static uint64_t draw()
{
  state.random ^= state.random << 13;
  state.random ^= state.random >> 7;
  state.random ^= state.random << 17;
  return state.random;
}

/* Whose turn it is, first to last; a new shuffle every time. */
static void set_order(unsigned *order, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    order[i] = state.mode == Launch::REVERSE ? n - 1 - i : i;
  if (state.mode == Launch::RANDOM)
    for (unsigned i = n; i > 1; i--) {
      unsigned j = (unsigned)(draw() % i), kept = order[i - 1];
      order[i - 1] = order[j];
      order[j] = kept;
    }
}

static void run_thread()
{
  fiber_entered(&state.scheduler);
  acquire(&state.start_token);
  state.kernel->body(state.args);
  self()->state = ENDED;
  release(&state.end_token);
  fiber_switch(&self()->fiber, &state.scheduler, true);
}

static void begin_thread(int number)
{
  Worker *worker = &state.workers[number];
  unsigned n = (unsigned)number;
  worker->number = n;
  worker->index = dim3(n % block_size.x, n / block_size.x % block_size.y,
      n / block_size.x / block_size.y);
  worker->state = READY;
  worker->exchanges = 0;
  worker->file = NULL;
  fiber_begin(&worker->fiber, state.stacks[number], run_thread);
}

/* One round: every thread that can runs until it waits. Returns how many ran. */
static int run_round()
{
  int ran = 0;
  set_order(state.order, (unsigned)state.count);
  for (int i = 0; i < state.count && !state.failed; i++) {
    Worker *worker = &state.workers[state.order[i]];
    while (worker->state == READY && !state.failed) {
      current = worker;
      fiber_switch(&state.scheduler, &worker->fiber, false);
      allocate_wanted();
      ran++;
    }
  }
  return ran;
}

/* Nobody can run: names a thread that waits, and one that it waits for in vain. */
static void explain()
{
  const Worker *waiting = NULL, *ended = NULL, *elsewhere = NULL;
  for (int i = 0; i < state.count; i++) {
    const Worker *worker = &state.workers[i];
    if (worker->state == ENDED)
      ended = worker;
    else if (waiting == NULL)
      waiting = worker;
    else if (!same_place(waiting, worker) || (waiting->state == IN_EXCHANGE &&
                                                 worker->exchange->mask != waiting->exchange->mask))
      elsewhere = worker;
  }
  if (waiting == NULL)
    return;
  if (elsewhere != NULL)
    fault(waiting, waiting->file, waiting->line,
        "waits here for ever: thread (%u, %u, %u) waits at another place or with another mask: "
        "%s:%d",
        elsewhere->index.x, elsewhere->index.y, elsewhere->index.z, elsewhere->file,
        elsewhere->line);
  else if (ended != NULL)
    fault(waiting, waiting->file, waiting->line,
        "waits here for ever: thread (%u, %u, %u) has ended", ended->index.x, ended->index.y,
        ended->index.z);
  else
    fault(waiting, waiting->file, waiting->line,
        "waits here for ever: its mask names lanes that do not exist");
}

static bool all_ended()
{
  for (int i = 0; i < state.count; i++)
    if (state.workers[i].state != ENDED)
      return false;
  return true;
}

static void run_block()
{
  state.dynamic = fresh(state.dynamic_size);
  release(&state.start_token);
  state.arrived = state.predicates = 0;
  state.barriers = 0;
  for (int i = 0; i < state.count; i++)
    begin_thread(i);
  while (!state.failed && !all_ended())
    if (run_round() == 0)
      explain();
  for (int i = 0; i < state.count; i++)
    fiber_end(&state.workers[i].fiber);
  free_shared();
}

/* ---- Launches ------------------------------------------------------------------------------- */

static void read_order()
{
  const char *text = getenv("STX_EMU_ORDER");
  const char *seed = text != NULL ? strchr(text, ':') : NULL;
  state.mode = Launch::FORWARD;
  if (text != NULL && strcmp(text, "reverse") == 0)
    state.mode = Launch::REVERSE;
  if (text != NULL && strncmp(text, "random", 6) == 0)
    state.mode = Launch::RANDOM;
  state.random = 0x9E3779B97F4A7C15u + 2 * (seed != NULL ? strtoull(seed + 1, NULL, 10) : 0);
}

static bool check_sizes(const unsigned grid[3], const unsigned block[3], size_t shared)
{
  const Kernel *kernel = state.kernel;
  uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
  if (threads == 0 || threads > MAX_THREADS || block[2] > 64)
    return refuse("%s: blocks of %u x %u x %u threads", kernel->name, block[0], block[1], block[2]);
  if (threads > kernel->threads)
    return refuse("%s: blocks of %u threads, but its launch bound is %u", kernel->name,
        (unsigned)threads, kernel->threads);
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0 || grid[0] > 0x7fffffff || grid[1] > 65535 ||
      grid[2] > 65535)
    return refuse("%s: a grid of %u x %u x %u blocks", kernel->name, grid[0], grid[1], grid[2]);
  if (shared > MAX_SHARED)
    return refuse("%s: %zu bytes of dynamic shared memory, at most %u are possible", kernel->name,
        shared, MAX_SHARED);
  return true;
}

static bool reserve_stacks()
{
  for (; state.stack_count < state.count; state.stack_count++)
    if (!stack_new(&state.stacks[state.stack_count]))
      return refuse("%s: no memory for %d stacks", state.kernel->name, state.count);
  return true;
}

static bool run_blocks()
{
  uint64_t n = (uint64_t)grid_size.x * grid_size.y * grid_size.z;
  unsigned *order = n <= 1u << 24 ? (unsigned *)malloc(n * sizeof *order) : NULL;
  if (order == NULL)
    return refuse("%s: no memory for a grid of %llu blocks", state.kernel->name,
        (unsigned long long)n);
  set_order(order, (unsigned)n);
  for (uint64_t i = 0; i < n && !state.failed; i++) {
    unsigned b = order[i];
    block_index = dim3(b % grid_size.x, b / grid_size.x % grid_size.y,
        b / grid_size.x / grid_size.y);
    run_block();
  }
  free(order);
  return !state.failed;
}

static const Kernel *find(const char *name)
{
  const Kernel *kernel = kernels;
  while (kernel != NULL && strcmp(kernel->name, name) != 0)
    kernel = kernel->next;
  return kernel;
}

static bool launch(const unsigned grid[3], const unsigned block[3], size_t shared)
{
  if (!check_sizes(grid, block, shared))
    return false;
  grid_size = dim3(grid[0], grid[1], grid[2]);
  block_size = dim3(block[0], block[1], block[2]);
  state.count = (int)(block[0] * block[1] * block[2]);
  state.dynamic_size = shared;
  state.failed = false;
  read_order();
  fiber_adopt(&state.scheduler);
  bool good = reserve_stacks() && run_blocks();
  acquire(&state.end_token);
  return good;
}

} /* namespace stx_emu */

using namespace stx_emu;

size_t stx_emu_args_size(const char *kernel)
{
  const Kernel *found = find(kernel);
  return found != NULL ? found->args_size : 0;
}

bool stx_emu_launch(const char *kernel, const unsigned grid[3], const unsigned block[3],
    size_t shared, const void *args, char *error, size_t error_size)
{
  pthread_mutex_lock(&turn);
  state.error = error;
  state.error_size = error_size;
  state.kernel = find(kernel);
  void *copy = state.kernel != NULL ? malloc(state.kernel->args_size) : NULL;
  bool good = false;
  if (copy == NULL) {
    refuse("there is no kernel %s", kernel);
  } else {
    memcpy(copy, args, state.kernel->args_size);
    state.args = copy;
    good = launch(grid, block, shared);
  }
  free(copy);
  pthread_mutex_unlock(&turn);
  return good;
}
