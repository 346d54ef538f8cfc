/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The emulator as the test driver sees it: kernels by name, run at once, in C. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the kernel's argument struct; 0: there is no such kernel. */
size_t stx_emu_args_size(const char *kernel);

/*
 * Runs all blocks. `args` points to the kernel's argument struct. False with a text that names
 * kernel, block, thread, file and line when the kernel breaks a rule of CUDA; what it wrote until
 * then stays written. One launch at a time per process: callers take turns.
 */
bool stx_emu_launch(const char *kernel, const unsigned grid[3], const unsigned block[3],
    size_t shared, const void *args, char *error, size_t error_size);

#ifdef __cplusplus
}
#endif
