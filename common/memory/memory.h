/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocks that are allocated at set-up: scratch, above all. */
#ifndef STX_MEMORY_H
#define STX_MEMORY_H

#include "common/stx.h"

/*
 * `size` bytes aligned to STX_ALIGN, whose content is arbitrary, or NULL; for free(), on Windows
 * _aligned_free(). Large blocks lie on huge pages where the system gives them on request: a sweep
 * through tens of megabytes then looks up one address in 512.
 */
STX_API void *stx_allocate(size_t size);

#endif
