/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which instruction sets this build has, which of them ran here, and that all gave the bytes that
 * every machine gives. Each stem's own program compares more cases; this one says what was
 * compared, and holds machines against each other: what is expected is what x86-64 gives.
 */
#include "tests/testing.h"

#include <stdio.h>
#include <string.h>

#include "common/cpu.h"
#include "tests/common/variants_hash.h"

/* "avx512, avx2, omp, c": what of a stem is usable, or is not. */
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

START_TEST(every_set_gives_the_bytes_of_all_machines)
{
  int differ = 0;
  for (size_t i = 0; i < variants_stem_count; i++) {
    const VariantsStem *stem = &variants_stems[i];
    for (size_t k = 0; k < stem->impls->count; k++) {
      const StxImplInfo *impl = stx_impl_at(stem->impls, k);
      uint64_t hash = stx_impl_usable(impl) ? stem->hash(impl) : stem->expected;
      if (hash == stem->expected)
        continue;
      printf("%s, %s: 0x%llx\n", stem->stem, impl->name, (unsigned long long)hash);
      differ++;
    }
    printf("compared: %s: %s; not on this processor: %s\n", stem->stem, names_of(stem->impls, true),
        names_of(stem->impls, false));
  }
  fflush(stdout);
  ck_assert_msg(differ == 0, "%d implementations give other bytes", differ);
}
END_TEST

/* A build for x86-64 has all sets, unless it was told to have one: then a stem must not have one
 * less than another. */
START_TEST(every_stem_has_every_set)
{
  for (size_t i = 0; i < variants_stem_count; i++) {
    const StxImplTable *impls = variants_stems[i].impls;
    ck_assert_uint_eq(impls->count, STX_BUILD_X86 ? 4 : 2);
    ck_assert_int_eq(stx_impl_named(impls, "avx512") != NULL, STX_BUILD_X86);
    ck_assert_int_eq(stx_impl_named(impls, "avx2") != NULL, STX_BUILD_X86);
    ck_assert(stx_impl_usable(stx_impl_named(impls, "omp")));
    ck_assert(stx_impl_usable(stx_impl_named(impls, "c")));
  }
}
END_TEST

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

/* What GCC may use where it compiles for these sets, in the kernel's words: who lacks one of them
 * would crash, or get other bytes. */
START_TEST(the_kernel_says_the_same)
{
  static char line[8192];
  FILE *file = fopen("/proc/cpuinfo", "r");
  unsigned flags = 0;
  while (file != NULL && fgets(line, sizeof line, file) != NULL && strncmp(line, "flags", 5) != 0)
    continue;
  if (file == NULL || strncmp(line, "flags", 5) != 0 || !STX_BUILD_X86) {
    ck_assert_uint_eq(stx_cpu_flags() & ~(STX_CPU_AVX2 | STX_CPU_AVX512), 0);
    printf("skipped: no flags of an x86 processor\n");
  } else {
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
END_TEST

static const StxTest tests[] = {{&every_set_gives_the_bytes_of_all_machines},
    {&every_stem_has_every_set}, {&the_kernel_says_the_same}};
STX_TESTING_MAIN("variants", tests)
