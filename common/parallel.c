/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/parallel.h"

#include "common/stx.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#if defined __linux__
#include <sys/prctl.h>
#endif

#if defined __x86_64__ || defined __i386__
#define RELAX() __builtin_ia32_pause()
#elif defined __aarch64__
#define RELAX() __asm__ volatile("yield")
#else
#define RELAX() ((void)0)
#endif

/* The time that a thread without work, or one that waits for the last pieces, polls before it
 * sleeps: about the cost of waking a thread. Longer, and on a busy machine, where the two may sit
 * on one core, it would hold up the very thread that it waits for. */
#define SPIN_NS 8000

/* A loss of less than this is noise. A caller that lost more, because a helper lost its core, does
 * without helpers for REST times as long: so helpers cost it one part in REST at most, even on a
 * machine that has no core for them. */
#define LOSS_NS 200000
#define REST 8

#define IDLE_SECONDS 1

/* A loop. It lives on its caller's stack, and in the pool's list as long as helpers may join. */
typedef struct Loop {
  StxPiece *piece;
  void *data;
  int pieces;
  int room;            /* helpers that may join */
  int joined;          /* that did so far */
  atomic_int next;     /* the first piece not taken yet */
  atomic_int inside;   /* helpers at work; changes only under the lock */
  pthread_cond_t left; /* the last one has gone */
  struct Loop *link;
} Loop;

/* Everything but `cores` and `openmp` changes under the lock only. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t work;
  Loop *loops;
  atomic_uint posted; /* loops so far */
  int wanted;         /* room of the loops in the list */
  int helpers;        /* threads that live */
  int asleep;         /* of those */
  int cores;
  bool openmp; /* its threads work in place of the helpers */
} pool;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Sixteen bytes that fit into what glibc keeps free for plugins: read without a call, and nothing
 * for a leak checker to guess the size of. Elsewhere a plugin may not ask for that. */
#ifdef __GLIBC__
#define PER_THREAD _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define PER_THREAD _Thread_local
#endif

static PER_THREAD bool inside_piece;
static PER_THREAD int64_t rest_until; /* of a caller */

/* ---- Time --------------------------------------------------------------------------------- */

static int64_t now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A moment later: has the wait since `begin` not been too long? */
static bool may_spin(int64_t begin)
{
  for (int i = 0; i < 16; i++)
    RELAX();
  return now_ns() - begin < SPIN_NS;
}

void stx_parallel_wait(StxBackoff *backoff)
{
  static const struct timespec nap = {0, SPIN_NS};
  if (backoff->since == 0)
    backoff->since = now_ns();
  if (!may_spin(backoff->since))
    nanosleep(&nap, NULL);
}

/* ---- Which threads ------------------------------------------------------------------------- */

static bool wants_openmp(void)
{
  const char *wanted = getenv(STX_THREADING);
  return wanted != NULL && strcmp(wanted, "openmp") == 0;
}

bool stx_parallel_check(StxError *error)
{
  const char *wanted = getenv(STX_THREADING);
  if (wanted == NULL || strcmp(wanted, "pool") == 0)
    return true;
  if (!wants_openmp())
    return stx_fail(
        error, STX_THREADING "=%.40s is unknown: choose pool or openmp; the pool is used", wanted);
#ifdef _OPENMP
  return true;
#else
  return stx_fail(error,
      STX_THREADING "=openmp: this build has no OpenMP (-Dopenmp=disabled), the pool is used");
#endif
}

/* ---- The pool ----------------------------------------------------------------------------- */

static void reset_pool(void)
{
  pthread_condattr_t attributes;
  pthread_mutex_init(&pool.lock, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&pool.work, &attributes);
  pthread_condattr_destroy(&attributes);
  pool.loops = NULL;
  pool.wanted = pool.helpers = pool.asleep = 0;
}

static void lock_pool(void)
{
  pthread_mutex_lock(&pool.lock);
}

static void unlock_pool(void)
{
  pthread_mutex_unlock(&pool.lock);
}

/* Helpers do not come along into a child process. */
static void make_pool(void)
{
  StxError error;
  reset_pool();
  pool.cores = stx_threads(0);
  pool.openmp = wants_openmp();
  if (!stx_parallel_check(&error)) {
    pool.openmp = false;
    fprintf(stderr, "%s\n", error.text);
  }
  pthread_atfork(lock_pool, unlock_pool, reset_pool);
}

/* ---- Loops -------------------------------------------------------------------------------- */

static bool has_room(Loop *loop)
{
  return loop->joined < loop->room &&
         atomic_load_explicit(&loop->next, memory_order_relaxed) < loop->pieces;
}

/* The loop with the fewest helpers, or NULL. */
static Loop *pick_loop(void)
{
  Loop *best = NULL;
  for (Loop *loop = pool.loops; loop != NULL; loop = loop->link)
    if (has_room(loop) && (best == NULL || loop->joined < best->joined))
      best = loop;
  return best;
}

static bool is_busy(Loop *loop)
{
  return atomic_load_explicit(&loop->inside, memory_order_relaxed) > 0;
}

/* Returns how many pieces it did. */
static int do_pieces(Loop *loop, int worker)
{
  int i, done = 0;
  while ((i = atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed)) < loop->pieces) {
    loop->piece(loop->data, i, worker);
    done++;
  }
  return done;
}

/* ---- Helpers ------------------------------------------------------------------------------ */

/* Works in a loop, after waking another helper if the loop can use one. */
static void join_loop(Loop *loop)
{
  int worker = ++loop->joined;
  atomic_fetch_add_explicit(&loop->inside, 1, memory_order_relaxed);
  bool wake = pool.asleep > 0 && pick_loop() != NULL;
  unlock_pool();
  if (wake)
    pthread_cond_signal(&pool.work);
  do_pieces(loop, worker);
  lock_pool();
  if (atomic_fetch_sub_explicit(&loop->inside, 1, memory_order_relaxed) == 1)
    pthread_cond_signal(&loop->left);
}

/* Sleeps until a loop is posted after number `seen`; false after a second without. */
static bool sleep_until_posted(unsigned seen)
{
  struct timespec end;
  int status = 0;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += IDLE_SECONDS;
  pool.asleep++;
  while (status == 0 && atomic_load_explicit(&pool.posted, memory_order_relaxed) == seen)
    status = pthread_cond_timedwait(&pool.work, &pool.lock, &end);
  pool.asleep--;
  return status == 0;
}

static bool await_loop(void)
{
  unsigned seen = atomic_load_explicit(&pool.posted, memory_order_relaxed);
  unlock_pool();
  for (int64_t begin = now_ns(); may_spin(begin);)
    if (atomic_load_explicit(&pool.posted, memory_order_relaxed) != seen)
      break;
  lock_pool();
  return sleep_until_posted(seen);
}

static void *help(void *nothing)
{
  Loop *loop;
#if defined __linux__
  prctl(PR_SET_NAME, "stixels-helper"); /* what top -H and debuggers say */
#endif
  inside_piece = true;
  lock_pool();
  do
    while ((loop = pick_loop()) != NULL)
      join_loop(loop);
  while (await_loop());
  pool.helpers--;
  unlock_pool();
  return NULL;
}

/* Helpers handle no signals: those are the application's. */
static bool start_helper(void)
{
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(&thread, NULL, help, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (started) {
    pthread_detach(thread);
    pool.helpers++;
  }
  return started;
}

/* ---- Callers ------------------------------------------------------------------------------ */

static void post_loop(Loop *loop)
{
  int most = loop->room > pool.cores - 1 ? loop->room : pool.cores - 1;
  lock_pool();
  loop->link = pool.loops;
  pool.loops = loop;
  pool.wanted += loop->room;
  while (pool.helpers < pool.wanted && pool.helpers < most && start_helper()) {
  }
  atomic_fetch_add_explicit(&pool.posted, 1, memory_order_relaxed);
  bool wake = pool.asleep > 0;
  unlock_pool();
  if (wake)
    pthread_cond_signal(&pool.work);
}

/* Waits for the threads inside, which are at their last pieces. */
static void finish_loop(Loop *loop)
{
  lock_pool();
  Loop **at = &pool.loops; /* off the list: no thread joins any more */
  while (*at != loop)
    at = &(*at)->link;
  *at = loop->link;
  pool.wanted -= loop->room;
  if (is_busy(loop)) {
    unlock_pool();
    for (int64_t begin = now_ns(); is_busy(loop) && may_spin(begin);) {
    }
    lock_pool();
  }
  while (is_busy(loop))
    pthread_cond_wait(&loop->left, &pool.lock);
  unlock_pool();
  pthread_cond_destroy(&loop->left);
}

/* A team of OpenMP's threads. Its dynamic schedule hands out pieces one by one and in order, as the
 * pool does; at the end each thread waits for all others. */
static void run_team(int workers, int pieces, StxPiece *piece, void *data)
{
#ifdef _OPENMP
#pragma omp parallel num_threads(workers)
  {
    int worker = omp_get_thread_num();
    inside_piece = true;
#pragma omp for schedule(monotonic : dynamic, 1)
    for (int i = 0; i < pieces; i++)
      piece(data, i, worker);
    inside_piece = false;
  }
#endif
}

static void run_loop(int workers, int pieces, StxPiece *piece, void *data, int64_t begin)
{
  Loop loop = {.piece = piece,
      .data = data,
      .pieces = pieces,
      .room = workers - 1,
      .left = PTHREAD_COND_INITIALIZER};
  post_loop(&loop);
  inside_piece = true;
  int own = do_pieces(&loop, 0);
  inside_piece = false;
  int64_t idle = now_ns();
  finish_loop(&loop);
  /* Did waiting for helpers take longer than what they did would have taken the caller? */
  int64_t end = now_ns(), saved = own > 0 ? (idle - begin) * (pieces - own) / own : INT64_MAX;
  if (end - idle > saved && end - idle - saved > LOSS_NS)
    rest_until = end + REST * (end - idle - saved);
}

void stx_parallel(int workers, int pieces, StxPiece *piece, void *data)
{
  workers = workers < pieces ? workers : pieces;
  bool alone = workers <= 1 || inside_piece;
  if (!alone)
    pthread_once(&once, make_pool);
  int64_t begin = alone || pool.openmp ? 0 : now_ns();
  if (!alone && pool.openmp)
    run_team(workers, pieces, piece, data);
  else if (begin > rest_until)
    run_loop(workers, pieces, piece, data, begin);
  else
    for (int i = 0; i < pieces; i++)
      piece(data, i, 0);
}
