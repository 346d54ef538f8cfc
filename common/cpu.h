/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Instruction sets. A file *_omp.c is written once in plain C (or intrinsics under #if) and
 * compiled once per instruction set with STX_ISA defined; STX_VARIANT(f) gives its entry points
 * names that do not clash (f_base, f_avx2, f_avx512). Everything else in such a file is static.
 */
#pragma once

#define STX_CPU_AVX2 1u   /* x86-64-v3: AVX2, FMA, BMI, … */
#define STX_CPU_AVX512 2u /* x86-64-v4 + VBMI, VBMI2, BITALG, VPOPCNTDQ, VNNI (Ice Lake, Zen 4) */

#define STX_PASTE2(a, b) a##_##b
#define STX_PASTE(a, b) STX_PASTE2(a, b)
#define STX_VARIANT(function) STX_PASTE(function, STX_ISA)

/*
 * The table of an algorithm with a file stem_omp.c, best first: one IMPL(name, backend, needs,
 * suffix) per instruction set that this build has.
 */
#if STX_BUILD_X86
#define STX_X86_IMPLS(IMPL)                                                                        \
  IMPL("avx512", STX_BACKEND_OMP, STX_CPU_AVX512, avx512),                                         \
      IMPL("avx2", STX_BACKEND_OMP, STX_CPU_AVX2, avx2),
#else
#define STX_X86_IMPLS(IMPL)
#endif
#define STX_HOST_IMPLS(IMPL) STX_X86_IMPLS(IMPL) IMPL("omp", STX_BACKEND_OMP, 0, base)

#define STX_CPU "STX_CPU" /* the environment's variable: avx512 (default), avx2 or base */

/* The STX_CPU_* sets that this machine, its operating system included, can run, and the variable
 * allows. The first call reads the variable, and prints what is wrong with it. Thread-safe. */
unsigned stx_cpu_flags(void);

#if STX_BUILD_X86
/* The features of a processor and its operating system: words of CPUID (leaf 1; leaf 7; leaf
 * 0x80000001) and the lower half of XCR0, 0 where there is none. */
typedef struct {
  unsigned leaf1_c, leaf7_b, leaf7_c, extended_c, xcr0;
} StxCpuId;

StxCpuId stx_cpu_id(void);
unsigned stx_cpu_flags_of(const StxCpuId *id);
#endif
