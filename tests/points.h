/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Include after libcheck's header. Every assertion that holds tells the process that waits for the
 * test where it is, so that a crash can be placed; in loops that costs more than what is tested. So
 * each place tells it once per test. Assertions that fail are told always.
 */
#pragma once

#include <stdint.h>

static inline void stx_mark_once(const char *file, int line)
{
  static uint64_t marked[64]; /* a bit per line of this file, or of one modulo 4096 */
  uint64_t bit = (uint64_t)1 << (line & 63);
  uint64_t *word = &marked[line >> 6 & 63];
  if ((*word & bit) == 0)
    _mark_point(file, line);
  *word |= bit;
}

#define _mark_point stx_mark_once
