/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * POSIX's functions in common/ by the names of mingw-w64's C libraries; for Windows, Meson includes
 * this before every unit. Memory comes from one allocator: blocks that are aligned beyond 16 bytes
 * are not free()'s there.
 */
#pragma once
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* calloc() */
static inline void *stx_zeroed(size_t count, size_t size)
{
  size_t bytes;
  void *block = __builtin_mul_overflow(count, size, &bytes) ? NULL : _aligned_malloc(bytes, 64);
  return block == NULL ? NULL : memset(block, 0, bytes);
}

#define malloc(size) _aligned_malloc((size), 64)
#define calloc stx_zeroed
#define realloc(block, size) _aligned_realloc((block), (size), 64)
#define aligned_alloc(alignment, size) _aligned_malloc((size), (alignment))
#define posix_memalign(block, alignment, size)                                                     \
  ((*(block) = _aligned_malloc((size), (alignment))) == NULL)
#define free _aligned_free

/* Bytes are read as they are. */
#define O_CLOEXEC O_NOINHERIT
#define O_NONBLOCK O_BINARY

#define locale_t _locale_t
#define newlocale(mask, name, base) _create_locale(LC_ALL, (name))
#define strtod_l _strtod_l
#define freelocale _free_locale

/* There are no signals that a thread could refuse. */
#define sigset_t int
#define sigfillset(set) (void)(set)
#undef pthread_sigmask
#define pthread_sigmask(how, set, before) (void)(before)
#define _SC_NPROCESSORS_ONLN pthread_num_processors_np()
#define _SC_PAGESIZE 4096
#define sysconf(name) ((long)(name))
