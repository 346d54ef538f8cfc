/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/cpu.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if STX_BUILD_X86
#include <cpuid.h>

/* XCR0: which registers the operating system saves. */
#define YMM_SAVED 0x06u
#define ZMM_SAVED 0xE6u

/* Features that compilers assume with the flags of common/meson.build. Processors that have AVX2
 * have the rest as well, but a hypervisor may hide any: without LZCNT its code runs, as BSR, and is
 * wrong. */
static const StxCpuId avx2 = {bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C | bit_POPCNT,
    bit_BMI | bit_AVX2 | bit_BMI2, 0, bit_LZCNT, YMM_SAVED};
static const StxCpuId avx512 = {0,
    bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL,
    bit_AVX512VBMI | bit_AVX512VBMI2 | bit_AVX512VNNI | bit_AVX512BITALG | bit_AVX512VPOPCNTDQ, 0,
    ZMM_SAVED};

static int has(const StxCpuId *id, const StxCpuId *wanted)
{
  return (wanted->leaf1_c & ~id->leaf1_c) == 0 && (wanted->leaf7_b & ~id->leaf7_b) == 0 &&
         (wanted->leaf7_c & ~id->leaf7_c) == 0 && (wanted->extended_c & ~id->extended_c) == 0 &&
         (wanted->xcr0 & ~id->xcr0) == 0;
}

unsigned stx_cpu_flags_of(const StxCpuId *id)
{
  if (!has(id, &avx2))
    return 0;
  return STX_CPU_AVX2 | (has(id, &avx512) ? STX_CPU_AVX512 : 0);
}

StxCpuId stx_cpu_id(void)
{
  StxCpuId id = {0, 0, 0, 0, 0};
  unsigned a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d))
    id.leaf1_c = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    id.leaf7_b = b;
    id.leaf7_c = c;
  }
  if (__get_cpuid(0x80000001, &a, &b, &c, &d))
    id.extended_c = c;
  if (id.leaf1_c & bit_OSXSAVE) {
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    id.xcr0 = a;
  }
  return id;
}

static unsigned machine_flags(void)
{
  StxCpuId id = stx_cpu_id();
  return stx_cpu_flags_of(&id);
}
#else
static unsigned machine_flags(void)
{
  return 0;
}
#endif

/* The sets that the environment allows. */
static unsigned allowed_flags(void)
{
  const char *best = getenv(STX_CPU);
  if (best != NULL && strcmp(best, "base") == 0)
    return 0;
  if (best != NULL && strcmp(best, "avx2") == 0)
    return STX_CPU_AVX2;
  if (best != NULL && strcmp(best, "avx512") != 0)
    fprintf(stderr, STX_CPU "=%s is unknown: choose avx512, avx2 or base\n", best);
  return STX_CPU_AVX2 | STX_CPU_AVX512;
}

/* Asked once: in a virtual machine each CPUID goes to the hypervisor. */
unsigned stx_cpu_flags(void)
{
  enum { ASKED = 1u << 8 };
  static atomic_uint known;
  unsigned flags = atomic_load_explicit(&known, memory_order_relaxed);
  if (flags == 0) {
    flags = (machine_flags() & allowed_flags()) | ASKED;
    atomic_store_explicit(&known, flags, memory_order_relaxed);
  }
  return flags & ~(unsigned)ASKED;
}
