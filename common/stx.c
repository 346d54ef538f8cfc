/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/stx.h"
#include "common/cpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

bool stx_fail(StxError *error, const char *format, ...)
{
  if (error != NULL) {
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
  }
  return false;
}

bool stx_impl_usable(const StxImplInfo *impl)
{
  return (impl->needs & ~stx_cpu_flags()) == 0;
}

const void *stx_impl_pick(const StxImplTable *table, StxBackend backend)
{
  for (size_t i = 0; i < table->count; i++) {
    const StxImplInfo *impl = stx_impl_at(table, i);
    bool wanted = backend == STX_BACKEND_AUTO || backend == impl->backend;
    if (wanted && impl->memory == STX_MEMORY_HOST && stx_impl_usable(impl))
      return impl;
  }
  return NULL;
}

const void *stx_impl_named(const StxImplTable *table, const char *name)
{
  for (size_t i = 0; i < table->count; i++)
    if (strcmp(stx_impl_at(table, i)->name, name) == 0)
      return stx_impl_at(table, i);
  return NULL;
}

int stx_threads(int requested)
{
#ifdef _OPENMP
  return requested > 0 ? requested : omp_get_num_procs();
#else
  (void)requested;
  return 1;
#endif
}
