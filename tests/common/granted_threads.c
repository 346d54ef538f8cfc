/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/granted_threads.h"

#include "tests/testing.h"

#include <errno.h>
#include <stdatomic.h>

static atomic_int granted;

/* Names that the linker's option --wrap gives. */
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int __wrap_pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data)
{
  if (atomic_fetch_sub(&granted, 1) <= 0)
    return EAGAIN;
  return __real_pthread_create(thread, attributes, run, data);
}

void grant_threads(int threads)
{
  atomic_store(&granted, threads);
}

pthread_t start_thread(void *(*run)(void *), void *data)
{
  pthread_t thread;
  ck_assert_int_eq(__real_pthread_create(&thread, NULL, run, data), 0);
  return thread;
}
