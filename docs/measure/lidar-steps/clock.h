/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <time.h>

/* Milliseconds of a clock that only goes forward. */
static inline double now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}
