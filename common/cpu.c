/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/cpu.h"

#if STX_BUILD_X86
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
      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
    flags |= STX_CPU_AVX2;
  return flags | (flags ? avx512_flag() : 0);
}
#else
unsigned stx_cpu_flags(void)
{
  return 0;
}
#endif
