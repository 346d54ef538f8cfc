/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Proves the machine that runs PTX: every form that computes against forms.txt, memory and warps by
 * snippets with known results, every fault that it promises to find, and kernels with planted bugs
 * as nvcc compiles them (tests/emu/selftest_bugs.cu, whose PTX the build gives in $STX_PTX_BUGS).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/emu/selftest_args.h"
#include "tests/ptx/ptx.h"
#include "tests/testing.h"

enum { WORDS = 256 };

/* ---- Running a text ----------------------------------------------------------------------- */

#define HEAD                                                                                       \
  ".version 9.0\n.target sm_90\n.address_size 64\n"                                                \
  ".visible .entry t(\n.param .align 8 .b8 t_param_0[16]\n)\n.maxntid 128, 1, 1\n{\n"              \
  ".reg .pred %p<9>;\n.reg .b64 %rd<40>;\n.reg .b32 %r<40>;\n"                                     \
  ".shared .align 4 .b8 tile[64];\n.shared .align 8 .b8 next[32];\n"                               \
  "ld.param.u64 %rd30, [t_param_0];\nld.param.u64 %rd31, [t_param_0+8];\n"                         \
  "mov.u32 %r30, %tid.x;\nmul.wide.u32 %rd32, %r30, 8;\nadd.s64 %rd33, %rd30, %rd32;\n"
#define TAIL "\nret;\n}\n"

typedef struct {
  uint64_t word[WORDS]; /* a kernel's first argument */
  uint8_t known[8 * WORDS];
  uint32_t other[16]; /* its second one: all known */
  uint8_t other_known[64];
  char error[1024];
} Memory;

typedef struct {
  unsigned blocks, threads;
  uint64_t seed;
  bool late;
} How;

static Memory the_memory, *const memory = &the_memory;

static bool run_kernel(StxPtx *ptx, const char *kernel, const How *how)
{
  StxPtxMemory blocks[2] = {{(uint8_t *)memory->word, sizeof memory->word, memory->known},
      {(uint8_t *)memory->other, sizeof memory->other, memory->other_known}};
  const void *args[2] = {memory->word, memory->other};
  StxPtxLaunch launch = {.kernel = kernel,
      .grid = {how->blocks, 1, 1},
      .block = {how->threads, 1, 1},
      .args = args,
      .memory = blocks,
      .memories = 2,
      .seed = how->seed,
      .late = how->late};
  memory->error[0] = '\0';
  memset(memory->other_known, 1, sizeof memory->other_known);
  return stx_ptx_launch(ptx, &launch, memory->error, sizeof memory->error);
}

static bool run_text(const char *body, How how)
{
  static char text[1 << 16];
  snprintf(text, sizeof text, "%s%s%s", HEAD, body, TAIL);
  StxPtx *ptx = stx_ptx_new();
  bool good = stx_ptx_add(ptx, "snippet", text, memory->error, sizeof memory->error) &&
              run_kernel(ptx, "t", &how);
  stx_ptx_free(ptx);
  return good;
}

static const How alone = {1, 1, 0, false};

/* ---- What computes ------------------------------------------------------------------------ */

static bool takes_predicate(const char *name, int source)
{
  size_t length = strlen(name);
  return (length > 5 && strcmp(name + length - 5, ".pred") == 0) ||
         (strncmp(name, "selp", 4) == 0 && source == 2);
}

static bool gives_predicate(const char *name)
{
  return strncmp(name, "setp", 4) == 0 || takes_predicate(name, -1);
}

/* A line of forms.txt as a body: sources into registers, the form, the result into word 0. */
static void write_body(char *body, const char *name, char **source, int sources)
{
  char operands[128] = "";
  for (int i = 0; i < sources; i++) {
    const char *kind = takes_predicate(name, i) ? "p" : "rd";
    body +=
        sprintf(body, "mov.%s %%%s%d, %s;\n", *kind == 'p' ? "pred" : "b64", kind, i, source[i]);
    sprintf(operands + strlen(operands), ", %%%s%d", kind, i);
  }
  bool predicate = gives_predicate(name);
  body += sprintf(body, "%s %%%s8%s;\n", name, predicate ? "p" : "rd", operands);
  if (predicate)
    body += sprintf(body, "selp.u64 %%rd8, 1, 0, %%p8;\n");
  sprintf(body, "st.global.u64 [%%rd30], %%rd8;\n");
}

static void check_line(char *line)
{
  char body[1024], *part[8] = {0}, *rest = NULL;
  int parts = 0;
  for (char *word = strtok_r(line, " \n", &rest); word != NULL && parts < 8;
       word = strtok_r(NULL, " \n", &rest))
    part[parts++] = word;
  ck_assert_int_ge(parts, 4);
  const char *result = part[parts - 1];
  int bits = 4 * (int)(strlen(result) - 2);
  uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
  write_body(body, part[0], part + 1, parts - 3);
  ck_assert_msg(run_text(body, alone), "%s: %s", part[0], memory->error);
  ck_assert_msg((memory->word[0] & mask) == strtoull(result, NULL, 0),
      "%s %s %s %s gives %#llx, not %s", part[0], part[1], part[2], part[3],
      (unsigned long long)(memory->word[0] & mask), result);
}

STX_TEST(forms_compute_what_is_written)
{
  char line[256], path[1024];
  snprintf(path, sizeof path, "%s/tests/ptx/forms.txt", getenv("STX_SOURCE_DIR"));
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "%s cannot be read", path);
  int lines = 0;
  while (fgets(line, sizeof line, file) != NULL)
    if (line[0] != '#') {
      check_line(line);
      lines++;
    }
  fclose(file);
  ck_assert_int_gt(lines, 800);
}

/* ---- Memory and warps --------------------------------------------------------------------- */

/* Bodies that end with what %rd8 of each thread is; 32 threads, and what some of them give. */
typedef struct {
  const char *body;
  int threads;
  struct {
    int thread;
    uint64_t value;
  } expected[4];
} Snippet;

#define LANE "mov.u32 %r0, %tid.x;\nadd.s32 %r1, %r0, 100;\n"
#define WIDE "cvt.u64.u32 %rd8, %r8;\n"

static const Snippet snippets[] = {
    /* Narrow loads extend, by their type. */
    {"mov.b64 %rd0, 0x8182838485868788;\nst.global.u64 [%rd33], %rd0;\nld.global.s8 %r8, "
     "[%rd33];\n" WIDE,
        1, {{0, 0xffffff88}}},
    {"mov.b64 %rd0, 0x8182838485868788;\nst.shared.u64 [next], %rd0;\nld.shared.u16 %r8, "
     "[next+2];\n" WIDE,
        1, {{0, 0x8586}}},
    {"mov.b64 %rd0, 0x8182838485868788;\nst.shared.u64 [next], %rd0;\nld.shared.s32 %rd8, "
     "[next+4];\n",
        1, {{0, 0xffffffff81828384}}},
    {"st.shared.v2.u32 [next+8], {7, 9};\nld.shared.v2.u32 {%r1, %r2}, [next+8];\nmul.wide.u32 "
     "%rd8, %r1, %r2;\n",
        1, {{0, 63}}},
    {"mov.u64 %rd1, next;\ncvta.shared.u64 %rd2, %rd1;\nst.u32 [%rd2+4], 5;\nld.shared.u32 %r8, "
     "[next+4];\n" WIDE,
        1, {{0, 5}}},
    {"ld.param.u32 %r1, [t_param_0];\nld.param.u32 %r2, [t_param_0+4];\nmov.b64 %rd1, "
     "{%r1,%r2};\nsub.s64 %rd8, %rd1, %rd30;\n",
        1, {{0, 0}}},
    {"mov.b64 %rd1, 0x123456789abcdef0;\nmov.b64 {%r1,%r8}, %rd1;\n" WIDE, 1, {{0, 0x12345678}}},
    /* Atomics give what was there. */
    {"atom.global.add.u32 %r1, [%rd31], 3;\natom.global.add.u32 %r8, [%rd31], 3;\n" WIDE, 1,
        {{0, 3}}},
    {"atom.global.exch.b32 %r1, [%rd31], 7;\natom.global.or.b32 %r2, [%rd31], "
     "8;\natom.global.max.u32 %r3, [%rd31], 12;\natom.global.min.u32 %r4, [%rd31], "
     "2;\natom.global.cas.b32 %r5, [%rd31], 2, 77;\nld.global.u32 %r8, [%rd31];\n" WIDE,
        1, {{0, 77}}},
    {"st.shared.u32 [next], 5;\natom.shared.min.s32 %r1, [next], -3;\natom.shared.max.s32 %r2, "
     "[next], -9;\nld.shared.s32 %rd8, [next];\n",
        1, {{0, 0xfffffffffffffffd}}},
    {"atom.global.min.u64 %rd1, [%rd31+8], 5;\natom.global.add.u64 %rd8, [%rd31+8], 1;\n", 1,
        {{0, 0}}},
    {"atom.global.add.u32 %r1, [%rd31+16], 1;\nbar.sync 0;\nld.global.u32 %r8, [%rd31+16];\n" WIDE,
        64, {{0, 64}, {63, 64}}},
    /* Shuffles: of groups of 32, and of 8; the predicate says whether the lane lies inside. */
    {LANE "shfl.sync.up.b32 %r8|%p1, %r1, 3, 0, -1;\n" WIDE, 32, {{0, 100}, {3, 100}, {31, 128}}},
    {LANE "shfl.sync.down.b32 %r8|%p1, %r1, 3, 31, -1;\n" WIDE, 32,
        {{0, 103}, {28, 131}, {30, 130}}},
    {LANE "shfl.sync.bfly.b32 %r8|%p1, %r1, 5, 31, -1;\n" WIDE, 32, {{0, 105}, {31, 126}}},
    {LANE "shfl.sync.idx.b32 %r8|%p1, %r1, 37, 31, -1;\n" WIDE, 32, {{0, 105}, {31, 105}}},
    {LANE "shfl.sync.idx.b32 %r8|%p1, %r1, 3, 6175, -1;\n" WIDE, 32, {{0, 103}, {17, 119}}},
    {LANE "shfl.sync.down.b32 %r8|%p1, %r1, 2, 6175, -1;\nselp.u64 %rd8, 1, 0, %p1;\n", 32,
        {{5, 1}, {6, 0}, {13, 1}, {14, 0}}},
    {LANE "setp.gt.u32 %p1, %r0, 27;\nvote.sync.ballot.b32 %r8, %p1, -1;\n" WIDE, 32,
        {{0, 0xf0000000}, {31, 0xf0000000}}},
    {LANE
        "setp.lt.u32 %p1, %r0, 31;\nvote.sync.all.pred %p2, %p1, -1;\nselp.u64 %rd8, 1, 0, %p2;\n",
        32, {{0, 0}}},
    {LANE
        "setp.gt.u32 %p1, %r0, 30;\nvote.sync.any.pred %p2, %p1, -1;\nselp.u64 %rd8, 1, 0, %p2;\n",
        32, {{0, 1}}},
    {LANE "and.b32 %r2, %r0, 3;\nmatch.any.sync.b32 %r8, %r2, -1;\n" WIDE, 32,
        {{0, 0x11111111}, {6, 0x44444444}}},
    {LANE "redux.sync.add.u32 %r8, %r1, -1;\n" WIDE, 32, {{0, 3200 + 496}, {31, 3696}}},
    {LANE "redux.sync.min.u32 %r8, %r1, -1;\n" WIDE, 32, {{0, 100}}},
    {LANE "redux.sync.max.u32 %r8, %r1, -1;\n" WIDE, 32, {{0, 131}}},
    /* Barriers that count; and that lie between a store and a load. */
    {LANE "setp.gt.u32 %p1, %r0, 60;\nbar.red.popc.u32 %r8, 0, %p1;\n" WIDE, 64, {{0, 3}, {63, 3}}},
    {LANE "setp.gt.u32 %p1, %r0, 62;\nbar.red.or.pred %p2, 0, %p1;\nselp.u64 %rd8, 1, 0, %p2;\n",
        64, {{0, 1}}},
    {LANE "setp.gt.u32 %p1, %r0, 62;\nbar.red.and.pred %p2, 0, %p1;\nselp.u64 %rd8, 1, 0, %p2;\n",
        64, {{0, 0}}},
    /* Unwritten memory is read, and masked. */
    {"ld.global.u32 %r1, [%rd33+512];\nand.b32 %r2, %r1, 65280;\nshr.u32 %r3, %r2, "
     "16;\nsetp.eq.u32 %p1, %r3, 0;\nmov.u32 %r8, 7;\n@%p1 bra $end;\nmov.u32 %r8, "
     "8;\n$end:\n" WIDE,
        32, {{0, 7}}},
    /* A branch that splits the warp, and a loop that lanes leave one by one. */
    {LANE "mov.u32 %r8, 0;\n$again:\nadd.s32 %r8, %r8, 2;\nsub.s32 %r0, %r0, 1;\nsetp.gt.s32 %p1, "
          "%r0, 0;\n@%p1 bra $again;\n" WIDE,
        32, {{0, 2}, {1, 2}, {31, 62}}},
};

STX_TEST_LOOP(snippets_give_what_is_known, sizeof snippets / sizeof snippets[0])
{
  static char body[4096];
  const Snippet *s = &snippets[_i];
  for (uint64_t seed = 0; seed < 8; seed++) {
    memset(memory->other, 0, sizeof memory->other);
    snprintf(body, sizeof body, "%sst.global.u64 [%%rd33], %%rd8;", s->body);
    How how = {1, (unsigned)s->threads, seed, seed % 2 == 1};
    ck_assert_msg(run_text(body, how), "%s\n%s", memory->error, s->body);
    for (int i = 0; i < 4 && (i == 0 || s->expected[i].thread != 0); i++)
      ck_assert_msg(memory->word[s->expected[i].thread] == s->expected[i].value,
          "thread %d has %#llx, not %#llx:\n%s", s->expected[i].thread,
          (unsigned long long)memory->word[s->expected[i].thread],
          (unsigned long long)s->expected[i].value, s->body);
  }
}

/* ---- Faults ------------------------------------------------------------------------------- */

typedef struct {
  const char *body, *word; /* what the error says */
  int threads;
} Fault;

static const Fault faults[] = {
    {"foo.u32 %r1, %r2;", "does not know foo.u32", 1},
    {"add.sat.s32 %r1, 1, 2;", "does not know add.sat.s32", 1},
    {"ld.global.ca.u32 %r1, [%rd30];", "does not know ld.global.ca.u32", 1},
    {"mov.u32 %r1, %clock;", "nothing is called %clock", 1},
    {"add.s32 %r1, %r2, 1;", "reads a register that was never written", 1},
    {"mov.u32 %r1, %r2;\nadd.s32 %r1, %r1, 1;", "reads a register that was never written", 1},
    {"st.global.u32 [%rd33], %r5;", "reads a register that was never written", 1},
    {"ld.global.u32 %r1, [%rd33];\nst.global.u32 [%rd33+8], %r1;\nld.global.u32 %r2, "
     "[%rd33+8];\natom.global.add.u32 %r3, [%rd31], %r2;\nld.global.u32 %r4, "
     "[%rd31];\nredux.sync.add.u32 %r5, %r4, 1;",
        "loaded from memory that was never", 1},
    {"ld.global.u32 %r1, [%rd33];\nadd.s32 %r2, %r1, 1;\nsetp.eq.s32 %p1, %r2, 0;\n@%p1 bra "
     "$end;\n$end:",
        "loaded from memory that was never", 1},
    {"ld.shared.u32 %r1, [tile];\ncvt.u64.u32 %rd1, %r1;\nld.global.u32 %r2, [%rd1];",
        "loaded from memory that was never", 1},
    {"st.global.u32 [%rd33+2], 1;", "is no multiple", 1},
    {"st.shared.v2.u32 [tile], {1, 2};", "is no multiple", 1},
    {"st.global.u64 [%rd30+2048], 1;", "not inside of one allocation", 1},
    {"st.global.u64 [%rd30+-8], 1;", "not inside of one allocation", 1},
    {"st.shared.u32 [tile+64], 1;", "in no array", 1},
    {"st.shared.u32 [tile+-4], 1;", "in no array", 1},
    {"ld.param.u32 %r1, [t_param_0+16];", "of a parameter of 16", 1},
    {"div.u32 %r1, 7, 0;", "divides by zero", 1},
    {"rem.s32 %r1, 7, 0;", "divides by zero", 1},
    {"setp.eq.u32 %p1, %r30, 3;\n@%p1 bra $end;\nbar.sync 0;\n$end:", "at a barrier", 64},
    {"setp.eq.u32 %p1, %r30, 3;\n@%p1 bra $end;\nbar.warp.sync -1;\n$end:", "waits f", 32},
    {"setp.eq.u32 %p1, %r30, 3;\n@%p1 bra $wait;\nbar.warp.sync -1;\nbar.sync 0;\nbra "
     "$end;\n$wait:\nbar.sync 0;\n$end:",
        "waits", 64},
    {"shfl.sync.idx.b32 %r1|%p1, %r30, 0, 31, 65535;", "not in its own mask", 32},
    {"setp.gt.u32 %p1, %r30, 15;\n@%p1 bra $end;\nshfl.sync.down.b32 %r1|%p1, %r30, 1, 31, "
     "65535;\n$end:",
        "lane 16, which is not in the mask", 32},
    {"setp.gt.u32 %p1, %r30, 15;\nselp.b32 %r1, 0xffff0001, -1, %p1;\nshfl.sync.idx.b32 %r2|%p2, "
     "%r30, 20, 31, %r1;",
        "gives the mask", 32},
    {"bar.sync 1;", "only barrier 0", 1},
    {"mul.wide.u32 %rd1, %r30, 4;\ncvt.u32.u64 %r1, %rd1;\nmov.u32 %r2, tile;\nadd.s32 %r3, %r1, "
     "%r2;\nst.shared.u32 [%r3], %r30;\nld.shared.u32 %r4, [tile+20];",
        "a race on shared memory", 16},
    {"st.shared.u32 [tile], %r30;", "a race on shared memory", 64},
    {"st.volatile.shared.u32 [tile], %r30;", "a race on shared memory", 64},
    {"fma.rn.f32 %r1, 1, 1, 1;", "does not know fma.rn.f32", 1},
    {"atom.global.add.u32 %r1, [%rd31], 1;\nld.global.nc.u32 %r2, [%rd31];", "read by ld.global.nc",
        1},
    {"ld.global.nc.u32 %r2, [%rd31+4];\nst.global.u32 [%rd31+4], 1;", "read by ld.global.nc", 1},
};

STX_TEST_LOOP(faults_are_named, sizeof faults / sizeof faults[0])
{
  const Fault *f = &faults[_i];
  for (uint64_t seed = 0; seed < 20; seed++) {
    How how = {1, (unsigned)f->threads, seed, seed % 2 == 1};
    bool good = run_text(f->body, how);
    ck_assert_msg(!good, "no fault with seed %llu:\n%s", (unsigned long long)seed, f->body);
    ck_assert_msg(strstr(memory->error, f->word) != NULL, "should say '%s', but says: %s", f->word,
        memory->error);
  }
}

STX_TEST(what_is_no_ptx_is_refused)
{
  static const char *const texts[] = {"?", ".version 9.0 .visible .entry", ".visible .func f()",
      ".visible .entry k(.param .b8 k_p[4]) { ret; }",
      ".visible .entry k(.param .b8 k_p[4]) { ret }", ".visible .entry k(.param .b8 k_p[4]) { }",
      ".visible .entry k(.param .b8 k_p[4]) { bra $nowhere; }",
      ".visible .entry k(.param .b8 k_p[4]) { .pragma \"magic\"; ret; }"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    StxPtx *ptx = stx_ptx_new();
    ck_assert(!stx_ptx_add(ptx, "text", texts[i], memory->error, sizeof memory->error));
    ck_assert_msg(strncmp(memory->error, "text:", 5) == 0, "%s", memory->error);
    stx_ptx_free(ptx);
  }
}

/* ---- Between blocks ----------------------------------------------------------------------- */

/*
 * Messages: block 0 writes 41 to word 8 and then raises the flag in `other`; block 1 waits for the
 * flag and reads the word, which is 7 before. Word 9 is what it read.
 */
#define MESSAGE(sent, received)                                                                    \
  "mov.u32 %r0, %ctaid.x;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra $wait;\n"                            \
  "st.global.u64 [%rd30+64], 41;\n" sent "atom.global.exch.b32 %r1, [%rd31], 1;\nbra $end;\n"      \
  "$wait:\natom.global.add.u32 %r2, [%rd31], 0;\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra "              \
  "$wait;\n" received "ld.global.u64 %rd1, [%rd30+64];\nst.global.u64 [%rd30+72], %rd1;\n$end:\n"

static int wrong_messages(const char *body)
{
  int wrong = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    How how = {2, 1, seed, true};
    memset(memory->other, 0, sizeof memory->other);
    memset(memory->known, 1, sizeof memory->known);
    memory->word[8] = 7;
    ck_assert_msg(run_text(body, how), "%s", memory->error);
    ck_assert(memory->word[9] == 7 || memory->word[9] == 41);
    wrong += memory->word[9] == 7;
  }
  return wrong;
}

STX_TEST(messages_need_both_fences)
{
  ck_assert_int_eq(wrong_messages(MESSAGE("membar.gl;\n", "membar.gl;\n")), 0);
  ck_assert_int_gt(wrong_messages(MESSAGE("", "membar.gl;\n")), 0);
  ck_assert_int_gt(wrong_messages(MESSAGE("membar.gl;\n", "")), 0);
}

/* ---- Planted bugs ------------------------------------------------------------------------- */

/* The fault that some seed must report. Two of the bugs are left out: nvcc removes stores that are
 * not read. */
typedef struct {
  const char *kernel, *word;
} Bug;

static const Bug bugs[] = {
    {"good_barrier", "good"},
    {"lost_barrier", "a race on shared memory"},
    {"lost_second_barrier", "a race on shared memory"},
    {"left_before_barrier", "at a barrier"},
    {"good_memory", "good"},
    {"beyond_dynamic", "in no array"},
    {"beyond_global", "not inside of one allocation"},
    {"beyond_global_read", "not inside of one allocation"},
    {"never_written", "leaves words that nobody knows"},
    {"good_last_block", "good"},
    {"good_shuffle", "good"},
    {"good_syncwarp", "good"},
    {"lost_syncwarp", "a race on shared memory"},
    {"vote_for_syncwarp", "a race on shared memory"},
    {"not_in_mask", "not in its own mask"},
    {"mask_of_ended_lanes", "which has ended"},
    {"different_masks", "gives the mask"},
    {"shuffle_from_outside", "which is not in the mask"},
};

enum { BUG_WORDS = SELFTEST_BLOCKS * SELFTEST_THREADS };

static char *read_text(const char *path)
{
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 20);
  if (file == NULL || text == NULL || fread(text, 1, (1 << 20) - 1, file) == 0)
    ck_abort_msg("%s cannot be read", path);
  fclose(file);
  return text;
}

static bool bug_is_right(const uint32_t *in, const uint32_t *out)
{
  for (size_t i = 0; i < BUG_WORDS; i++)
    if (out[i] != in[i / SELFTEST_THREADS * SELFTEST_THREADS + (i + 1) % SELFTEST_THREADS])
      return false;
  return true;
}

static const char *run_bug(StxPtx *ptx, const char *name, uint64_t seed, char *error, size_t size)
{
  static uint32_t in[BUG_WORDS], out[BUG_WORDS], count;
  static uint8_t known[3][4 * BUG_WORDS];
  char kernel[64];
  StxPtxMemory blocks[3] = {{(uint8_t *)in, sizeof in, known[0]},
      {(uint8_t *)out, sizeof out, known[1]}, {(uint8_t *)&count, sizeof count, known[2]}};
  SelftestArgs args = {in, out, &count};
  snprintf(kernel, sizeof kernel, "selftest_%s", name);
  for (uint32_t i = 0; i < BUG_WORDS; i++)
    in[i] = i * 70001 + 1;
  count = 0;
  memset(known, 1, sizeof known);
  memset(out, 0, sizeof out);
  for (int i = 0; i < 2; i++) /* by rising addresses */
    for (int k = 0; k < 2; k++)
      if (blocks[k].base > blocks[k + 1].base) {
        StxPtxMemory swap = blocks[k];
        blocks[k] = blocks[k + 1];
        blocks[k + 1] = swap;
      }
  StxPtxLaunch launch = {.kernel = kernel,
      .grid = {SELFTEST_BLOCKS, 1, 1},
      .block = {SELFTEST_THREADS, 1, 1},
      .shared = 4 * SELFTEST_THREADS,
      .args = &args,
      .memory = blocks,
      .memories = 3,
      .seed = seed,
      .late = seed % 2 == 1};
  if (!stx_ptx_launch(ptx, &launch, error, size))
    return error;
  if (memchr(known[1], 0, sizeof out) != NULL)
    return "leaves words that nobody knows";
  return bug_is_right(in, out) ? "good" : "wrong";
}

STX_TEST_LOOP(planted_bugs_are_found, sizeof bugs / sizeof bugs[0])
{
  const Bug *bug = &bugs[_i];
  const char *path = getenv("STX_PTX_BUGS");
  if (path == NULL)
    return;
  char error[1024], *text = read_text(path);
  StxPtx *ptx = stx_ptx_new();
  ck_assert_msg(stx_ptx_add(ptx, "bugs", text, error, sizeof error), "%s", error);
  bool good = strcmp(bug->word, "good") == 0;
  int found = 0;
  for (uint64_t seed = 0; seed < 40; seed++) {
    const char *said = run_bug(ptx, bug->kernel, seed, error, sizeof error);
    ck_assert_msg(!good || strcmp(said, "good") == 0, "%s: %s", bug->kernel, said);
    found += strstr(said, bug->word) != NULL;
  }
  ck_assert_msg(found > 0, "%s: no seed says '%s'", bug->kernel, bug->word);
  stx_ptx_free(ptx);
  free(text);
}
