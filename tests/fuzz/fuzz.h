/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The entry of a libFuzzer target, which it and replay.c call. Aborts if something is wrong. */
#ifndef STX_FUZZ_H
#define STX_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
