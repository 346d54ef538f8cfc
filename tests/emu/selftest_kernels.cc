// The test kernels, compiled for the CPU.
#include "tests/emu/selftest_bugs.cu"
#include "tests/emu/selftest_intrinsics.cu"
#include "tests/emu/selftest_ordered.cu"
