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

bool stx_check_ranges(const void *params, const StxRange *ranges, size_t count, StxError *error)
{
  for (const StxRange *range = ranges; range < ranges + count; range++) {
    double value;
    memcpy(&value, (const char *)params + range->offset, sizeof value);
    if (!(value >= range->low && value <= range->high))
      return stx_fail(error, "%s is %g, must be %g to %g%s", range->name, value, range->low,
          range->high, range->unit);
  }
  return true;
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

int stx_thread_index(void)
{
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}
