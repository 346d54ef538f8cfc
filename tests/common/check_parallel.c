/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The loops that threads share: every piece is done once, whichever threads come, go, or never
 * start. meson.build runs it with the own pool, and with OpenMP's threads for what both promise.
 */
#include "common/parallel.h"
#include "tests/common/granted_threads.h"
#include "tests/testing.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PIECES = 1000, MOST = 48, ASKED = 4 };

/* ---- A loop that is watched --------------------------------------------------------------- */

/* The threads of this process, the caller among them. */
static int count_threads(void)
{
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  ck_assert_ptr_nonnull(tasks);
  for (struct dirent *entry; (entry = readdir(tasks)) != NULL;)
    count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

static void rest(long ms)
{
  nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

typedef struct {
  int workers;
  long work_ns;            /* of a piece */
  int input;               /* written before, read by the pieces */
  int done[PIECES];        /* not atomic: the loop orders it */
  atomic_int inside[MOST]; /* pieces that a worker is in */
  atomic_int faults;       /* checks that failed in a piece, where libcheck must not be called */
  pthread_t caller;
} Watch;

static void watched_piece(void *data, int i, int worker)
{
  Watch *w = data;
  if (worker < 0 || worker >= w->workers || atomic_fetch_add(&w->inside[worker], 1) != 0 ||
      w->input != 42 || (worker == 0) != (pthread_equal(pthread_self(), w->caller) != 0))
    atomic_fetch_add(&w->faults, 1);
  if (w->work_ns > 0)
    nanosleep(&(struct timespec){0, w->work_ns}, NULL);
  w->done[i]++;
  if (worker >= 0 && worker < w->workers)
    atomic_fetch_sub(&w->inside[worker], 1);
}

/* False if anything was wrong. */
static bool run_watched(int workers, int pieces, long work_ns)
{
  Watch w = {.workers = workers > 1 ? workers : 1, .work_ns = work_ns, .caller = pthread_self()};
  w.input = 42;
  stx_parallel(workers, pieces, watched_piece, &w);
  bool good = atomic_load(&w.faults) == 0;
  for (int i = 0; i < PIECES; i++)
    good = good && w.done[i] == (i < pieces);
  return good;
}

static void expect_loops(void)
{
  static const int workers[] = {0, 1, 2, 3, 7, MOST}, pieces[] = {0, 1, 2, 3, 40, PIECES};
  for (int round = 0; round < 20; round++)
    for (int w = 0; w < 6; w++)
      for (int p = 0; p < 6; p++)
        if (!run_watched(workers[w], pieces[p], 0))
          ck_abort_msg("%d workers, %d pieces", workers[w], pieces[p]);
}

static bool wants_openmp(void)
{
  const char *wanted = getenv(STX_THREADING);
  return wanted != NULL && strcmp(wanted, "openmp") == 0;
}

STX_TEST(every_piece_is_done_once)
{
  grant_threads(MOST);
  expect_loops();
  for (int workers = 2; workers < 5; workers++)
    ck_assert(run_watched(workers, 50, 200000));
}

STX_TEST(fewer_threads_than_asked_for_do_it)
{
  if (wants_openmp())
    return;
  for (int grant = 0; grant < 4; grant++) {
    grant_threads(grant);
    expect_loops();
    ck_assert(run_watched(5, 20, 100000));
  }
}

/* ---- Loops within loops, and beside each other -------------------------------------------- */

static void inner_piece(void *data, int i, int worker)
{
  int *last = data;
  *last = *last == i - 1 && worker == 0 ? i : -2;
}

static void outer_piece(void *data, int i, int worker)
{
  int last = -1;
  stx_parallel(4, 30, inner_piece, &last);
  if (last != 29)
    atomic_fetch_add((atomic_int *)data, 1);
}

STX_TEST(within_a_piece_a_loop_runs_in_order)
{
  grant_threads(MOST);
  atomic_int faults = 0;
  stx_parallel(4, 100, outer_piece, &faults);
  ck_assert_int_eq(atomic_load(&faults), 0);
}

static void *do_nothing(void *nothing)
{
  return NULL;
}

/* Threads without helpers, before there are any: a sanitizer has some, too. */
static int count_own_threads(void)
{
  pthread_join(start_thread(do_nothing, NULL), NULL);
  rest(20);
  return count_threads();
}

static void *call(void *bad)
{
  if (!run_watched(1 + ASKED, 40, 1000000)) /* long enough to meet the other callers' */
    atomic_fetch_add((atomic_int *)bad, 1);
  for (int round = 0; round < 300; round++)
    if (!run_watched(1 + round % 5, round % 7 * 9, 0))
      atomic_fetch_add((atomic_int *)bad, 1);
  return NULL;
}

/* However many helpers they ask for together, there is one per core, or what one of them asks. */
STX_TEST(callers_share_the_helpers)
{
  grant_threads(MOST);
  int own = count_own_threads(), others = stx_threads(0) - 1;
  pthread_t threads[8];
  atomic_int bad = 0;
  for (int t = 0; t < 8; t++)
    threads[t] = start_thread(call, &bad);
  for (int t = 0; t < 8; t++)
    pthread_join(threads[t], NULL);
  ck_assert_int_eq(atomic_load(&bad), 0);
  if (!wants_openmp())
    ck_assert_int_le(count_threads() - own, others > ASKED ? others : ASKED);
}

/* Piece 1 waits for piece 0; with one thread it finds it done. */
static void waiting_piece(void *data, int i, int worker)
{
  atomic_bool *done = data;
  StxBackoff backoff = {0};
  while (i == 1 && !atomic_load(done))
    stx_parallel_wait(&backoff);
  if (i == 0) {
    rest(3);
    atomic_store(done, true);
  }
}

STX_TEST(a_piece_may_wait_for_another)
{
  grant_threads(MOST);
  for (int workers = 1; workers <= 3; workers++) {
    atomic_bool done = false;
    stx_parallel(workers, 3, waiting_piece, &done);
    ck_assert(atomic_load(&done));
  }
}

/* ---- What remains ------------------------------------------------------------------------- */

static void await_end_of_helpers(int own)
{
  for (int tries = 0; count_threads() > own && tries < 100; tries++)
    rest(50);
  ck_assert_int_eq(count_threads(), own);
}

STX_TEST(helpers_end_without_work)
{
  if (wants_openmp())
    return;
  grant_threads(MOST);
  int own = count_own_threads();
  ck_assert(run_watched(4, 40, 1000000));
  ck_assert_int_eq(count_threads(), own + 3);
  await_end_of_helpers(own);
  ck_assert(run_watched(4, 40, 0));
}

typedef struct {
  atomic_int come;
  bool met;
} Meeting;

/* Whether another thread comes while the first piece is being done. */
static void meeting_piece(void *data, int i, int worker)
{
  Meeting *meeting = data;
  atomic_fetch_add(&meeting->come, 1);
  for (int tries = 0; i == 0 && !meeting->met && tries < 500; tries++) {
    rest(1);
    meeting->met = atomic_load(&meeting->come) == 2;
  }
}

static bool meet(void)
{
  Meeting meeting = {0};
  stx_parallel(2, 2, meeting_piece, &meeting);
  return meeting.met;
}

/* A helper sleeps, but does not end, in the time between the loops. On a busy machine a caller may
 * be better off alone, for once. */
STX_TEST(helpers_wake_for_the_next_loop)
{
  if (wants_openmp())
    return;
  grant_threads(MOST);
  int own = count_own_threads();
  bool woke = false;
  for (int tries = 0; !woke && tries < 5; tries++) {
    bool came = meet();
    rest(50);
    woke = came && meet();
    await_end_of_helpers(own);
  }
  ck_assert(woke);
}

/* The thread sanitizer and QEMU as an emulator of programs allow no threads in such a child. */
STX_TEST(a_child_process_starts_its_own)
{
  if (wants_openmp())
    return;
#ifndef __SANITIZE_THREAD__
  if (getenv("STX_EMULATED") != NULL) {
    printf("skipped: no threads in a child under an emulator\n");
    return;
  }
  grant_threads(MOST);
  ck_assert(run_watched(3, 40, 100000));
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(run_watched(3, 40, 100000) && run_watched(2, 40, 0) ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  int status = -1;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
  ck_assert(run_watched(3, 40, 100000));
#endif
}

/* ---- The choice --------------------------------------------------------------------------- */

STX_TEST(an_unknown_choice_is_named)
{
  STX_MALLOCED char *before = getenv(STX_THREADING) != NULL ? strdup(getenv(STX_THREADING)) : NULL;
  StxError error;
  ck_assert(stx_parallel_check(&error));
  setenv(STX_THREADING, "tbb", 1);
  ck_assert(!stx_parallel_check(&error));
  stx_expect_words(&error, "STX_THREADING=tbb");
  stx_expect_words(&error, "pool or openmp");
  unsetenv(STX_THREADING);
  ck_assert(stx_parallel_check(&error));
  if (before != NULL)
    setenv(STX_THREADING, before, 1);
}

/* The linker sends the pool's pthread_create() here; libgomp's goes its own way. */
STX_TEST(the_threads_are_those_of_the_choice)
{
  grant_threads(0);
  ck_assert(meet() == wants_openmp());
}
