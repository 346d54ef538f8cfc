/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The emulator: runs the blocks of a launch one after another, the threads of a block as fibers
 * that change only where CUDA makes them wait. When no thread can run and not all have ended, the
 * kernel has broken a rule: `explain` says which.
 *
 * Speed, 64 blocks of 256 threads with 256 barriers each (one core of an AMD EPYC, gcc 12): 0.07 s;
 * 0.16 s with the address sanitizer, 15 s with the thread sanitizer. A switch is 10 ns.
 */
#include "tests/emu/emu_core.h"
#include "tests/emu/emu_launch.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

namespace stx_emu
{

enum Mode { FORWARD, REVERSE, RANDOM };

Launch state;
Thread *current;
dim3 block_index, block_size, grid_size;

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static Kernel *kernels;
static Mode mode;
static uint64_t random_state;
static char *error_text;
static size_t error_size;

static const Kernel *find(const char *name)
{
  const Kernel *kernel = kernels;
  while (kernel != NULL && strcmp(kernel->name, name) != 0)
    kernel = kernel->next;
  return kernel;
}

Kernel::Kernel(const char *name_, size_t args_size_, unsigned threads_, Body body_)
    : name(name_), args_size(args_size_), threads(threads_), body(body_), next(kernels)
{
  if (find(name) != NULL) {
    fprintf(stderr, "emulator: there are two kernels %s\n", name);
    abort();
  }
  kernels = this;
}

/* ---- Failing -------------------------------------------------------------------------------- */

static bool refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool refuse(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(error_text, error_size, format, list);
  va_end(list);
  return false;
}

void fault(const Worker *who, const char *file, int line, const char *format, ...)
{
  char what[256];
  va_list list;
  if (state.failed)
    return;
  state.failed = true;
  unwatch();
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  refuse("%s: block (%u, %u, %u), thread (%u, %u, %u), %s:%d: %s", state.kernel->name,
      block_index.x, block_index.y, block_index.z, who->index.x, who->index.y, who->index.z, file,
      line, what);
  watch();
}

void fault_of_block(const char *format, ...)
{
  char what[256];
  va_list list;
  if (state.failed)
    return;
  state.failed = true;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  refuse("%s: block (%u, %u, %u): %s", state.kernel->name, block_index.x, block_index.y,
      block_index.z, what);
}

/* Names the thread that was running when a sanitizer gave up. */
static void name_the_dead()
{
  if (current != NULL)
    fprintf(stderr, "in kernel %s, block (%u, %u, %u), thread (%u, %u, %u)\n", state.kernel->name,
        block_index.x, block_index.y, block_index.z, current->index.x, current->index.y,
        current->index.z);
}

/* ---- Order ---------------------------------------------------------------------------------- */

static bool read_order()
{
  const char *text = getenv("STX_EMU_ORDER");
  char *end;
  random_state = 0x9E3779B97F4A7C15u;
  mode = FORWARD;
  if (text == NULL || strcmp(text, "forward") == 0)
    return true;
  mode = REVERSE;
  if (strcmp(text, "reverse") == 0)
    return true;
  mode = RANDOM;
  if (strcmp(text, "random") == 0)
    return true;
  if (strncmp(text, "random:", 7) == 0) {
    random_state += 2 * strtoull(text + 7, &end, 10); /* stays odd, and so no zero */
    if (end != text + 7 && *end == '\0')
      return true;
  }
  return refuse("STX_EMU_ORDER is \"%s\": forward, reverse, random or random:<seed>", text);
}

bool reduces()
{
  static const bool on = getenv("STX_EMU_REDUCE") != NULL;
  return on;
}

static uint64_t draw()
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

/* Another order every time. Two places from each number that is drawn: to draw costs more than the
 * work of many threads between two waits. */
static void shuffle(unsigned *order, unsigned n)
{
  uint64_t drawn = 0;
  for (unsigned i = n; i > 1; i--) {
    drawn = ((n - i) & 1) != 0 ? drawn >> 32 : draw();
    unsigned j = (unsigned)((uint64_t)(uint32_t)drawn * i >> 32), kept = order[i - 1];
    order[i - 1] = order[j];
    order[j] = kept;
  }
}

/* Whose turn it is, first to last. */
static void set_order(unsigned *order, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    order[i] = mode == REVERSE ? n - 1 - i : i;
  if (mode == RANDOM)
    shuffle(order, n);
}

/* ---- Threads -------------------------------------------------------------------------------- */

/* In a round every thread that can at its begin runs, in the round's order, until it waits: then it
 * hands over to the next one itself, and the last one to the scheduler. */
static unsigned round_order[MAX_THREADS];
static unsigned round_position, round_length;

static Fiber *next_in_round()
{
  if (round_position == round_length || state.failed) {
    current = NULL;
    return &state.scheduler;
  }
  Worker *worker = &state.workers[round_order[round_position++]];
  current = worker;
  return &worker->fiber;
}

static void set_round()
{
  unsigned n = (unsigned)state.count, ready = 0;
  for (unsigned i = 0; i < n; i++) {
    unsigned number = mode == REVERSE ? n - 1 - i : i;
    round_order[ready] = number;
    ready += state.workers[number].state == READY;
  }
  if (mode == RANDOM)
    shuffle(round_order, ready);
  round_position = 0;
  round_length = ready;
}

/* False when no thread can run. */
static bool run_round()
{
  set_round();
  Fiber *first = next_in_round();
  if (first != &state.scheduler)
    fiber_switch(&state.scheduler, first, false);
  return first != &state.scheduler;
}

void wait()
{
  Worker *me = self();
  if (state.failed || me->state != READY)
    fiber_switch(&me->fiber, next_in_round(), false);
}

static void run_thread()
{
  fiber_entered(&state.scheduler);
  acquire(state.start);
  state.kernel->body(state.args);
  Worker *me = self();
  me->state = ENDED;
  release(state.end);
  fiber_switch(&me->fiber, next_in_round(), true);
}

static bool begin_thread(unsigned number)
{
  Worker *worker = &state.workers[number];
  const dim3 *size = &block_size;
  char name[96] = "";
  worker->number = number;
  worker->index = dim3(number % size->x, number / size->x % size->y, number / size->x / size->y);
  worker->state = READY;
  worker->file = "";
  worker->line = 0;
  if (has_thread_sanitizer())
    snprintf(name, sizeof name, "block (%u, %u, %u) thread (%u, %u, %u)", block_index.x,
        block_index.y, block_index.z, worker->index.x, worker->index.y, worker->index.z);
  return fiber_begin(&worker->fiber, run_thread, name);
}

static bool waits_elsewhere(const Worker *a, const Worker *b)
{
  return b->state != ENDED &&
         (a->state != b->state || !same_place(a, b) ||
             (a->state == IN_EXCHANGE && a->exchange->mask != b->exchange->mask));
}

/* Another thread of the block, or of the warp when it waits for that: one that waits elsewhere, or
 * has ended. */
static const Worker *find_other(const Worker *waiting, bool ended)
{
  for (int i = 0; i < state.count; i++) {
    const Worker *other = &state.workers[i];
    bool concerns =
        waiting->state == AT_BARRIER || (other->number / 32 == waiting->number / 32 &&
                                            (waiting->exchange->mask >> other->number % 32 & 1));
    if (concerns && (ended ? other->state == ENDED : waits_elsewhere(waiting, other)))
      return other;
  }
  return NULL;
}

static void explain_waiting(const Worker *waiting)
{
  const Worker *ended = find_other(waiting, true), *elsewhere = find_other(waiting, false);
  char mask[32] = "";
  if (waiting->state == IN_EXCHANGE)
    snprintf(mask, sizeof mask, " with mask 0x%08x", waiting->exchange->mask);
  if (ended != NULL)
    fault(waiting, waiting->file, waiting->line, "waits here%s, but thread (%u, %u, %u) has ended",
        mask, ended->index.x, ended->index.y, ended->index.z);
  else if (elsewhere != NULL)
    fault(waiting, waiting->file, waiting->line,
        "waits here%s, but thread (%u, %u, %u) waits at %s:%d or with another mask", mask,
        elsewhere->index.x, elsewhere->index.y, elsewhere->index.z, elsewhere->file,
        elsewhere->line);
  else
    fault(waiting, waiting->file, waiting->line,
        "waits here%s, which names lanes that the block does not have", mask);
}

/* No thread can run. One that waits for a warp is nearer to the cause than one that waits for the
 * block. */
static void explain()
{
  const Worker *waiting = NULL;
  for (int i = 0; i < state.count; i++) {
    const Worker *worker = &state.workers[i];
    if (worker->state == IN_EXCHANGE || (worker->state == AT_BARRIER && waiting == NULL))
      waiting = worker;
    if (worker->state == IN_EXCHANGE)
      break;
  }
  explain_waiting(waiting);
}

static bool all_ended()
{
  for (int i = 0; i < state.count; i++)
    if (state.workers[i].state != ENDED)
      return false;
  return true;
}

/* ---- Blocks and launches -------------------------------------------------------------------- */

/* Threads of the thread sanitizer that have ended are used again, the first one first, and no race
 * is seen between two uses of one. So begin elsewhere for every block, lest all threads with one
 * number be one. */
static void end_threads(int begun)
{
  static unsigned blocks;
  blocks++;
  for (int i = 0; i < begun; i++) {
    Worker *worker = &state.workers[((unsigned)i + blocks) % (unsigned)begun];
    fiber_end(&worker->fiber, worker->state == ENDED);
  }
}

static void run_threads()
{
  int begun = 0;
  while (begun < state.count && begin_thread((unsigned)begun))
    begun++;
  if (begun < state.count)
    fault_of_block("no memory for the stacks of %d threads", state.count);
  while (!state.failed && !all_ended())
    if (!run_round())
      explain();
  end_threads(begun);
}

static void run_block(size_t shared)
{
  if (!begin_shared(shared)) {
    fault_of_block("no memory for %zu bytes of shared memory", shared);
    return;
  }
  begin_sync();
  release(state.start);
  run_threads();
  end_sync();
  end_shared();
}

static bool run_blocks(size_t shared)
{
  uint64_t n = (uint64_t)grid_size.x * grid_size.y * grid_size.z;
  unsigned *order = n <= 1u << 24 ? (unsigned *)malloc(n * sizeof *order) : NULL;
  if (order == NULL)
    return refuse(
        "%s: no memory for a grid of %llu blocks", state.kernel->name, (unsigned long long)n);
  set_order(order, (unsigned)n);
  for (uint64_t i = 0; i < n && !state.failed; i++) {
    unsigned b = order[i];
    block_index =
        dim3(b % grid_size.x, b / grid_size.x % grid_size.y, b / grid_size.x / grid_size.y);
    run_block(shared);
  }
  free(order);
  return !state.failed;
}

static bool check_sizes(const unsigned grid[3], const unsigned block[3], size_t shared)
{
  const Kernel *kernel = state.kernel;
  uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
  if (threads == 0 || block[0] > MAX_THREADS || block[1] > MAX_THREADS || block[2] > 64 ||
      threads > MAX_THREADS)
    return refuse(
        "%s: a block of %u x %u x %u threads", kernel->name, block[0], block[1], block[2]);
  if (threads > kernel->threads)
    return refuse("%s: a block of %u threads, but its launch bound is %u", kernel->name,
        (unsigned)threads, kernel->threads);
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0 || grid[0] > 0x7fffffff || grid[1] > 65535 ||
      grid[2] > 65535)
    return refuse("%s: a grid of %u x %u x %u blocks", kernel->name, grid[0], grid[1], grid[2]);
  if (shared > MAX_SHARED)
    return refuse("%s: %zu bytes of dynamic shared memory, at most %d are possible", kernel->name,
        shared, MAX_SHARED);
  return true;
}

static bool launch(const unsigned grid[3], const unsigned block[3], size_t shared)
{
  if (!check_sizes(grid, block, shared) || !read_order())
    return false;
  grid_size = dim3(grid[0], grid[1], grid[2]);
  block_size = dim3(block[0], block[1], block[2]);
  state.count = (int)(block[0] * block[1] * block[2]);
  state.failed = false;
  void **tokens[] = {&state.start, &state.end, &state.fence};
  for (void **token : tokens)
    *token = token_new();
  fiber_adopt(&state.scheduler);
  on_death(name_the_dead);
  bool good = run_blocks(shared);
  acquire(state.end);
  for (void **token : tokens)
    token_free(*token);
  return good;
}

} /* namespace stx_emu */

using namespace stx_emu;

size_t stx_emu_args_size(const char *kernel)
{
  const Kernel *found = find(kernel);
  return found != NULL ? found->args_size : 0;
}

/* The arguments are copied to memory of exactly their size. */
static bool launch_copied(
    const unsigned grid[3], const unsigned block[3], size_t shared, const void *args)
{
  void *copy = malloc(state.kernel->args_size);
  if (copy == NULL)
    return refuse("%s: no memory", state.kernel->name);
  memcpy(copy, args, state.kernel->args_size);
  state.args = copy;
  bool good = launch(grid, block, shared);
  free(copy);
  return good;
}

bool stx_emu_launch(const char *kernel, const unsigned grid[3], const unsigned block[3],
    size_t shared, const void *args, char *error, size_t size)
{
  pthread_mutex_lock(&turn);
  error_text = error;
  error_size = size;
  state.kernel = find(kernel);
  bool good = state.kernel != NULL ? launch_copied(grid, block, shared, args)
                                   : refuse("there is no kernel %s", kernel);
  pthread_mutex_unlock(&turn);
  return good;
}
