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

/* Declares what *_omp.c define for each instruction set: stem_member_base, …, functions as that
 * member of the algorithm's record. */
#define STX_DECLARE(Impl, stem, member)                                                            \
  extern __typeof__(*((Impl *)0)->member) stem##_##member##_base, stem##_##member##_avx2,          \
      stem##_##member##_avx512

/* The table stem_impls of such records, best first: one per instruction set that this build has.
 * FUNCTIONS(isa) are what stands behind a record's info. */
#define STX_HOST_IMPL(name, needs, functions)                                                      \
  {                                                                                                \
    {name, STX_BACKEND_OMP, STX_MEMORY_HOST, needs}, functions                                     \
  }
#if STX_BUILD_X86
#define STX_X86_TABLE(FUNCTIONS)                                                                   \
  STX_HOST_IMPL("avx512", STX_CPU_AVX512, FUNCTIONS(avx512)),                                      \
      STX_HOST_IMPL("avx2", STX_CPU_AVX2, FUNCTIONS(avx2)),
#else
#define STX_X86_TABLE(FUNCTIONS)
#endif
#define STX_HOST_TABLE(Impl, stem, FUNCTIONS)                                                      \
  static const Impl impls[] = {STX_X86_TABLE(FUNCTIONS) STX_HOST_IMPL("omp", 0, FUNCTIONS(base))}; \
  const StxImplTable stem##_impls = {impls, sizeof impls / sizeof impls[0], sizeof impls[0]}

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
