/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which instruction sets this build has, which of them ran here, and that all gave the bytes that
 * every machine gives. Each stem's own program compares more cases; this one says what was
 * compared, and holds machines against each other: what is expected is what x86-64 gives.
 */
#include "tests/common/oracle.h"
#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cpu.h"
#include "tests/common/variants_hash.h"
#include "tests/pages.h"

/* "avx512, avx2, omp": what of a stem is usable, or is not. */
static const char *names_of(const StxImplTable *impls, bool usable)
{
  static char text[2][80];
  char *to = text[usable];
  to[0] = 0;
  for (size_t i = 0; i < impls->count; i++) {
    const StxImplInfo *impl = stx_impl_at(impls, i);
    if (stx_impl_usable(impl) == usable)
      snprintf(to + strlen(to), sizeof text[0] - strlen(to), "%s%s", to[0] ? ", " : "", impl->name);
  }
  return to[0] ? to : "none";
}

STX_TEST(every_set_gives_the_bytes_of_all_machines)
{
  int differ = 0;
  for (size_t i = 0; i < variants_stem_count && variants_stems[i].expected != 0; i++) {
    const VariantsStem *stem = &variants_stems[i];
    for (size_t k = 0; k <= stem->impls->count; k++) {
      const StxImplInfo *impl =
          k < stem->impls->count ? stx_impl_at(stem->impls, k) : oracle(stem->impls);
      uint64_t hash = stem->expected;
      if (stx_impl_usable(impl))
        hash = stem->hash(&(VariantsRun){impl, 2, false});
      if (hash == stem->expected)
        continue;
      printf("(%s, %s: 0x%llx) ", stem->stem, impl->name, (unsigned long long)hash);
      differ++;
    }
    printf("%s%s", i == 0 ? "compared in " : " ", stem->stem);
  }
  /* The same for every stem: see the next test. */
  printf(": %s; not on this processor: %s\n", names_of(variants_stems[0].impls, true),
      names_of(variants_stems[0].impls, false));
  fflush(stdout);
  ck_assert_msg(differ == 0, "%d implementations give other bytes", differ);
}

/* A build for x86-64 has all sets, unless it was told to have one: then a stem must not have one
 * less than another. */
STX_TEST(every_stem_has_every_set)
{
  for (size_t i = 0; i < variants_stem_count && variants_stems[i].expected != 0; i++) {
    const StxImplTable *impls = variants_stems[i].impls;
    ck_assert_uint_eq(impls->count, STX_BUILD_X86 ? 3 : 1);
    ck_assert_int_eq(stx_impl_named(impls, "avx512") != NULL, STX_BUILD_X86);
    ck_assert_int_eq(stx_impl_named(impls, "avx2") != NULL, STX_BUILD_X86);
    ck_assert(stx_impl_usable(stx_impl_named(impls, "omp")));
  }
}

/* ---- What the environment allows ---------------------------------------------------------- */

/* Best first, with the implementation that each leaves as the best. */
static const struct {
  const char *value, *best;
  unsigned sets;
} caps[] = {{"avx512", "avx512", STX_CPU_AVX2 | STX_CPU_AVX512}, {"avx2", "avx2", STX_CPU_AVX2},
    {"base", "omp", 0}};
enum { CAPS = sizeof caps / sizeof caps[0] };

/* Each turn is a process, which reads the variable once. */
STX_TEST_LOOP(a_cap_leaves_no_more_and_the_same_bytes, CAPS)
{
  setenv(STX_CPU, caps[_i].value, 1);
  ck_assert_uint_eq(stx_cpu_flags() & ~caps[_i].sets, 0);
  const char *best = caps[_i].best;
  for (int i = _i; i < CAPS && stx_cpu_flags() != caps[i].sets; i++)
    best = caps[i + 1].best; /* this processor has less */
  for (size_t i = 0; i < variants_stem_count && variants_stems[i].expected != 0; i++) {
    const VariantsStem *stem = &variants_stems[i];
    const StxImplInfo *impl = stx_impl_pick(stem->impls, STX_BACKEND_AUTO);
    ck_assert_str_eq(impl->name, best);
    ck_assert_uint_eq(stem->hash(&(VariantsRun){impl, 2, false}), stem->expected);
  }
}

STX_TEST(an_unknown_cap_is_named_and_caps_nothing)
{
  char text[100] = "";
  FILE *errors = tmpfile();
  int before = dup(STDERR_FILENO);
  unsigned all = 0;
#if STX_BUILD_X86
  StxCpuId id = stx_cpu_id();
  all = stx_cpu_flags_of(&id);
#endif
  setenv(STX_CPU, "sse", 1);
  dup2(fileno(errors), STDERR_FILENO);
  unsigned flags = stx_cpu_flags();
  stx_cpu_flags(); /* once is enough */
  dup2(before, STDERR_FILENO);
  close(before);
  rewind(errors);
  text[fread(text, 1, sizeof text - 1, errors)] = '\0';
  fclose(errors);
  ck_assert_str_eq(text, "STX_CPU=sse is unknown: choose avx512, avx2 or base\n");
  ck_assert_uint_eq(flags, all);
}

/* ---- What the processor can --------------------------------------------------------------- */

/* True if `line`, words between spaces, has all the words. */
static bool has_all(const char *line, const char *words)
{
  char copy[256], *rest = copy;
  snprintf(copy, sizeof copy, "%s", words);
  for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    size_t length = strlen(word);
    const char *at = strstr(line, word);
    while (at != NULL && (at[-1] != ' ' || strchr(" \n", at[length]) == NULL))
      at = strstr(at + 1, word);
    if (at == NULL)
      return false;
  }
  return true;
}

/* Features that GCC may use when it compiles for these sets, in the kernel's words: a processor
 * without one of them would crash, or compute other bytes. */
STX_TEST(the_kernel_says_the_same)
{
  static char line[8192];
  FILE *file = fopen("/proc/cpuinfo", "r");
  unsigned flags = 0;
  while (file != NULL && fgets(line, sizeof line, file) != NULL && strncmp(line, "flags", 5) != 0)
    continue;
  if (file == NULL || strncmp(line, "flags", 5) != 0 || !STX_BUILD_X86) {
    printf("skipped: no flags of an x86 processor\n");
  } else {
    unsetenv(STX_CPU);
    if (has_all(line, "avx avx2 bmi1 bmi2 f16c fma abm movbe"))
      flags |= STX_CPU_AVX2;
    if (flags && has_all(line, "avx512f avx512bw avx512cd avx512dq avx512vl avx512vbmi "
                               "avx512_vbmi2 avx512_bitalg avx512_vpopcntdq avx512_vnni"))
      flags |= STX_CPU_AVX512;
    ck_assert_uint_eq(stx_cpu_flags(), flags);
  }
  if (file != NULL)
    fclose(file);
}

#if STX_BUILD_X86
/* A processor less one bit of these words. */
static unsigned flags_without(StxCpuId id, int word, unsigned bit)
{
  unsigned *words[] = {&id.leaf1_c, &id.leaf7_b, &id.leaf7_c, &id.extended_c, &id.xcr0};
  *words[word] &= ~bit;
  return stx_cpu_flags_of(&id);
}

/* Bits of leaf 1, 7 and 0x80000001 and of XCR0, by the processors' manuals. */
STX_TEST(any_bit_may_be_missing)
{
  const StxCpuId all = {~0u, ~0u, ~0u, ~0u, ~0u};
  /* FMA, MOVBE, POPCNT, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT; XMM, YMM */
  static const int for_avx2[][2] = {{0, 12}, {0, 22}, {0, 23}, {0, 27}, {0, 28}, {0, 29}, {1, 3},
      {1, 5}, {1, 8}, {3, 5}, {4, 1}, {4, 2}};
  /* F, DQ, CD, BW, VL; VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ; masks, upper halves, ZMM16 … */
  static const int for_avx512[][2] = {{1, 16}, {1, 17}, {1, 28}, {1, 30}, {1, 31}, {2, 1}, {2, 6},
      {2, 11}, {2, 12}, {2, 14}, {4, 5}, {4, 6}, {4, 7}};
  unsigned least = 0;
  for (int word = 0; word < 5; word++)
    for (int bit = 0; bit < 32; bit++) {
      unsigned expected = STX_CPU_AVX2 | STX_CPU_AVX512;
      for (size_t i = 0; i < sizeof for_avx512 / sizeof for_avx512[0]; i++)
        if (for_avx512[i][0] == word && for_avx512[i][1] == bit)
          expected = STX_CPU_AVX2;
      for (size_t i = 0; i < sizeof for_avx2 / sizeof for_avx2[0]; i++)
        if (for_avx2[i][0] == word && for_avx2[i][1] == bit)
          expected = 0;
      ck_assert_msg(flags_without(all, word, 1u << bit) == expected, "word %d, bit %d", word, bit);
      least += expected == 0;
    }
  ck_assert_uint_eq(least, sizeof for_avx2 / sizeof for_avx2[0]);
}

/* Leaf 7 of some processors: Skylake-SP and Cascade Lake have no VBMI, Ice Lake has all that
 * counts, Haswell has no AVX-512 at all. */
STX_TEST(processors_between_two_sets_take_the_lesser)
{
  const StxCpuId any = {~0u, 0, 0, ~0u, ~0u};
  static const struct {
    unsigned b, c, flags;
  } cases[] = {{0x000027ab, 0, STX_CPU_AVX2}, {0xd39ffffb, 0x00000008, STX_CPU_AVX2},
      {0xd39ffffb, 0x00000808, STX_CPU_AVX2},
      {0xf0bf27eb, 0x00405f4e, STX_CPU_AVX2 | STX_CPU_AVX512}, {0, 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxCpuId id = any;
    id.leaf7_b = cases[i].b;
    id.leaf7_c = cases[i].c;
    ck_assert_uint_eq(stx_cpu_flags_of(&id), cases[i].flags);
  }
}
#endif
