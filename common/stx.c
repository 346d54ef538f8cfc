/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE /* CPU_COUNT */
#include "common/stx.h"
#include "common/cpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <sched.h>
#endif
#include <unistd.h>

bool stx_fail(StxError *error, const char *format, ...)
{
  if (error != NULL) {
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    for (char *c = error->text; *c != '\0'; c++) /* of a file that is quoted */
      if ((unsigned char)*c < ' ' || *c == 127)
        *c = '?';
    error->kind = STX_ERROR_UNSAID;
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
  if (requested > 0)
    return requested;
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    return CPU_COUNT(&allowed);
#endif
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int)online : 1;
}
