// The test kernels, compiled for the CPU.
#include "tests/cuda-emu/selftest_bugs.cu"
#include "tests/cuda-emu/selftest_intrinsics.cu"
