/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/cpu.h"

#if STX_BUILD_X86
#include <cpuid.h>
#include <stdbool.h>

/* What compilers take for granted with x86-64-v3 and __builtin_cpu_supports() does not know
 * everywhere. A hypervisor may hide any: without LZCNT its code runs, as BSR, and is wrong. */
static bool has_rest_of_avx2(void)
{
  unsigned a, b, c = 0, d, extended = 0;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0 && (c & bit_MOVBE) != 0 &&
         __get_cpuid(0x80000001, &a, &b, &extended, &d) && (extended & bit_LZCNT) != 0;
}

static unsigned avx512_flag(void)
{
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                 __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
                 __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bitalg") &&
                 __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vnni")
             ? STX_CPU_AVX512
             : 0;
}

unsigned stx_cpu_flags(void)
{
  unsigned flags = 0;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && has_rest_of_avx2())
    flags |= STX_CPU_AVX2;
  return flags | (flags ? avx512_flag() : 0);
}
#else
unsigned stx_cpu_flags(void)
{
  return 0;
}
#endif
