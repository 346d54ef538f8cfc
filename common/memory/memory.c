/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/memory/memory.h"

#include <stdlib.h>

#include "common/stx.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

#define HUGE_PAGE ((size_t)2 << 20) /* of x86 and, with small pages of 4 KiB, ARM */

static void *allocate(size_t alignment, size_t size)
{
  void *block = NULL;
  return posix_memalign(&block, alignment, size) == 0 ? block : NULL;
}

void *stx_allocate(size_t size)
{
  void *block;
  size = stx_align(size + 1);
  if (size < 2 * HUGE_PAGE)
    return allocate(STX_ALIGN, size);
  block = allocate(HUGE_PAGE, size);
#ifdef MADV_HUGEPAGE
  if (block != NULL)
    madvise(block, size, MADV_HUGEPAGE); /* a system without them says no, and works all the same */
#endif
  return block;
}
