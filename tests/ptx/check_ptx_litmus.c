/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The patterns of our kernels that do without locks, in every order that the machine knows, for two
 * blocks of two threads (litmus.cu, whose PTX the build gives in $STX_PTX_LITMUS): with all their
 * fences nothing ever goes wrong, and without any one of them something does.
 *
 * Depth first: a run follows the choices of the one before it up to the last that has another
 * alternative. A run ends early in a state that another one was in already.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ptx/litmus_args.h"
#include "tests/ptx/ptx.h"
#include "tests/testing.h"

enum { DEEPEST = 4096 };

/* ---- States that were there --------------------------------------------------------------- */

typedef struct {
  uint64_t *state; /* 0: free */
  size_t room, count;
} States;

/* Whether it is new. */
static bool add_state(States *states, uint64_t state)
{
  if (2 * (states->count + 1) > states->room) {
    States more = {.room = states->room > 0 ? 2 * states->room : 1 << 12};
    more.state = calloc(more.room, sizeof *more.state);
    ck_assert(more.state != NULL);
    for (size_t i = 0; i < states->room; i++)
      if (states->state[i] != 0)
        add_state(&more, states->state[i]);
    free(states->state);
    *states = more;
  }
  size_t at = state * UINT64_C(0x9E3779B97F4A7C15) % states->room;
  for (; states->state[at] != 0; at = (at + 1) % states->room)
    if (states->state[at] == state)
      return false;
  states->state[at] = state;
  states->count++;
  return true;
}

/* ---- Every order -------------------------------------------------------------------------- */

typedef struct {
  unsigned choice[DEEPEST], below[DEEPEST];
  int deep, at;
  States states;
} Search;

static int choose(void *chooser, unsigned below, uint64_t state)
{
  Search *search = chooser;
  if (search->at == search->deep) {
    ck_assert_int_lt(search->deep, DEEPEST);
    if (state != 0 && !add_state(&search->states, state))
      return -1;
    search->choice[search->deep] = 0;
    search->below[search->deep++] = below;
  }
  ck_assert_uint_eq(search->below[search->at], below);
  return (int)search->choice[search->at++];
}

/* The next path; false: there is none. */
static bool next_path(Search *search)
{
  while (
      search->deep > 0 && search->choice[search->deep - 1] + 1 == search->below[search->deep - 1])
    search->deep--;
  search->at = 0;
  return search->deep > 0 && ++search->choice[search->deep - 1] > 0;
}

typedef struct {
  long runs, states, wrong;
  char error[512];
} Outcome;

typedef struct {
  const char *kernel;
  LitmusWords before;
  uint32_t edge[LITMUS_ALL][2];
  bool (*is_right)(const LitmusWords *words);
} Litmus;

static void run_once(StxPtx *ptx, const Litmus *litmus, Search *search, Outcome *outcome)
{
  static LitmusWords words;
  static uint8_t known[sizeof words];
  char error[512];
  LitmusArgs args = {.words = &words};
  StxPtxMemory memory = {(uint8_t *)&words, sizeof words, known};
  StxPtxLaunch launch = {.kernel = litmus->kernel,
      .grid = {LITMUS_BLOCKS, 1, 1},
      .block = {LITMUS_THREADS, 1, 1},
      .args = &args,
      .memory = &memory,
      .memories = 1,
      .late = true,
      .choose = choose,
      .chooser = search};
  memcpy(args.edge, litmus->edge, sizeof args.edge);
  words = litmus->before;
  memset(known, 1, sizeof known);
  outcome->runs++;
  bool ended = stx_ptx_launch(ptx, &launch, error, sizeof error);
  if (!ended && strcmp(error, "given up") == 0)
    return;
  if (ended && litmus->is_right(&words))
    return;
  outcome->wrong++;
  snprintf(outcome->error, sizeof outcome->error, "%s", ended ? "a wrong result" : error);
}

/* All paths, or, if a wrong one is enough, up to that. */
static Outcome try_all(const char *text, const Litmus *litmus, bool until_wrong)
{
  static Search search;
  Outcome outcome = {0};
  char error[512];
  StxPtx *ptx = stx_ptx_new();
  memset(&search, 0, sizeof search);
  ck_assert_msg(stx_ptx_add(ptx, "litmus", text, error, sizeof error), "%s", error);
  do
    run_once(ptx, litmus, &search, &outcome);
  while (next_path(&search) && !(until_wrong && outcome.wrong > 0));
  outcome.states = (long)search.states.count;
  free(search.states.state);
  stx_ptx_free(ptx);
  return outcome;
}

/* ---- Texts -------------------------------------------------------------------------------- */

static char *read_text(void)
{
  const char *path = getenv("STX_PTX_LITMUS");
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 18);
  if (file == NULL || text == NULL || fread(text, 1, (1 << 18) - 1, file) == 0)
    ck_abort_msg("%s cannot be read", path);
  fclose(file);
  return text;
}

/* Puts another text, as long as it is, in the place of number `which` of one in a kernel. False:
 * there are not so many. */
static bool change(
    char *text, const char *kernel, const char *statement, const char *instead, int which)
{
  char entry[64];
  snprintf(entry, sizeof entry, ".entry %s(", kernel);
  char *at = strstr(text, entry);
  ck_assert_msg(at != NULL, "%s", entry);
  char *end = strstr(at + 1, ".entry");
  for (; which >= 0; which--) {
    at = strstr(at + 1, statement);
    if (at == NULL || (end != NULL && at > end))
      return false;
  }
  memcpy(at, instead, strlen(statement));
  return true;
}

/* There are `count` of the statement, and each is missed. */
static void expect_need(const Litmus *litmus, const char *statement, const char *instead, int count)
{
  for (int which = 0; which <= count; which++) {
    STX_MALLOCED char *text = read_text();
    bool taken = change(text, litmus->kernel, statement, instead, which);
    ck_assert_msg(taken == (which < count), "there are not %d of %s", count, statement);
    if (taken)
      ck_assert_msg(
          try_all(text, litmus, true).wrong > 0, "nobody misses number %d of %s", which, statement);
  }
}

/* In every order, of which there are more than `states`. */
static void expect_right(const Litmus *litmus, long states)
{
  STX_MALLOCED char *text = read_text();
  Outcome outcome = try_all(text, litmus, false);
  printf("%s: %ld runs, %ld states\n", litmus->kernel, outcome.runs, outcome.states);
  ck_assert_msg(outcome.wrong == 0, "%s", outcome.error);
  ck_assert_int_gt(outcome.states, states);
}

/* ---- The last block ----------------------------------------------------------------------- */

static bool last_block_saw_all(const LitmusWords *words)
{
  return words->seen[0] == LITMUS_BLOCKS && words->seen[1] == 1;
}

static const Litmus last_block = {
    .kernel = "litmus_last_block", .before = {.done = ~0u}, .is_right = last_block_saw_all};

STX_TEST(the_last_block_sees_all)
{
  expect_right(&last_block, 100);
}

/* ---- The last turn ------------------------------------------------------------------------ */

static bool last_turn_saw_all(const LitmusWords *words)
{
  return words->seen[0] == LITMUS_BLOCKS && words->seen[1] == LITMUS_BLOCKS;
}

static const Litmus last_turn = {.kernel = "litmus_last_turn", .is_right = last_turn_saw_all};

STX_TEST(the_last_turn_sees_all)
{
  expect_right(&last_turn, 100);
}

/* ---- What they need ------------------------------------------------------------------------ */

static const struct {
  const Litmus *litmus;
  const char *statement, *instead;
  int count;
} needs[] = {{&last_block, ".acq_rel.gpu", ".acquire.gpu", 1},
    {&last_block, ".acq_rel.gpu", ".release.gpu", 1},
    {&last_block, "bar.sync \t0;", "            ", 2},
    {&last_turn, ".acq_rel.gpu", ".acquire.gpu", 1},
    {&last_turn, ".acq_rel.gpu", ".release.gpu", 1},
    {&last_turn, "bar.warp.sync \t3;", "                 ", 1}};

STX_TEST_LOOP(each_fence_and_barrier_is_missed, sizeof needs / sizeof needs[0])
{
  expect_need(needs[_i].litmus, needs[_i].statement, needs[_i].instead, needs[_i].count);
}

/* ---- Union-find --------------------------------------------------------------------------- */

static uint32_t root_of(const LitmusWords *words, uint32_t cell)
{
  while (words->parent[cell] < cell)
    cell = words->parent[cell];
  return cell;
}

static bool all_are_joined(const LitmusWords *words)
{
  for (uint32_t cell = 0; cell < LITMUS_CELLS; cell++)
    if (words->parent[cell] > cell || root_of(words, cell) != 0)
      return false;
  return true;
}

static const Litmus unions[] = {
    {"litmus_unite", {.parent = {0, 1, 2, 3, 4}}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}, all_are_joined},
    {"litmus_unite", {.parent = {0, 1, 2, 3, 4}}, {{4, 3}, {4, 2}, {4, 1}, {4, 0}}, all_are_joined},
    {"litmus_unite", {.parent = {0, 0, 2, 2, 2}}, {{1, 4}, {3, 1}, {4, 0}, {1, 2}}, all_are_joined},
};

STX_TEST_LOOP(all_cells_are_joined_in_any_order, sizeof unions / sizeof unions[0])
{
  expect_right(&unions[_i], 500);
}

/* With a look and a store in place of the atomic minimum. */
STX_TEST(joining_must_be_atomic)
{
  static const char name[] = "atom.global.min.u32";
  static char changed[1 << 18];
  char *text = read_text(), *at = strstr(text, ".entry litmus_unite("), *end;
  int old, place, value;
  ck_assert(at != NULL && (at = strstr(at, name)) != NULL && (end = strchr(at, ';')) != NULL);
  ck_assert_int_eq(sscanf(at + strlen(name), " %%r%d, [%%rd%d], %%r%d", &old, &place, &value), 3);
  snprintf(changed, sizeof changed,
      "%.*sld.volatile.global.u32 %%r%d, [%%rd%d]; st.volatile.global.u32 [%%rd%d], %%r%d%s",
      (int)(at - text), text, old, place, place, value, end);
  ck_assert_int_gt(try_all(changed, &unions[1], true).wrong, 0);
  free(text);
}
