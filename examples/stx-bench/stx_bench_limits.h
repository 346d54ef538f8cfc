/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loops that keep the arithmetic units of one core busy. Compiled once per instruction set, with
 * the flags of the implementations they are the limit of (see common/cpu.h).
 */
#pragma once

#include "common/cpu.h"

/* Each performs `rounds` rounds and returns the number of operations done; *sink receives a value
 * that depends on all of them, so that none can be left out. */
typedef double BenchLoop(long rounds, double *sink);
#define STX_BENCH_DECLARE(isa) BenchLoop bench_add8_##isa, bench_mul_add_##isa;

STX_BENCH_DECLARE(base)
#if STX_BUILD_X86
STX_BENCH_DECLARE(avx2)
STX_BENCH_DECLARE(avx512)
#endif

#undef STX_BENCH_DECLARE
