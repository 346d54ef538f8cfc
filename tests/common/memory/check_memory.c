/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocks of every size: aligned, writable from the first byte to the last, and given back. */
#include "tests/testing.h"

#include "common/memory/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, (2 << 20) - 1, (4 << 20) - 65,
    (4 << 20) - 64, 4 << 20, (4 << 20) + 1, (7 << 20) + 12345};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

STX_TEST(blocks_are_aligned_and_apart)
{
  uint8_t *blocks[SIZES];
  for (int i = 0; i < SIZES; i++) {
    blocks[i] = stx_allocate(sizes[i]);
    ck_assert_ptr_nonnull(blocks[i]);
    ck_assert_uint_eq((uintptr_t)blocks[i] % STX_ALIGN, 0);
    memset(blocks[i], i + 1, sizes[i]);
  }
  for (int i = 0; i < SIZES; i++) {
    for (size_t k = 0; k < sizes[i]; k++)
      if (blocks[i][k] != i + 1)
        ck_abort_msg("byte %zu of %zu is not ours", k, sizes[i]);
    free(blocks[i]);
  }
}
