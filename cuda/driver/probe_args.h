/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

#define STX_PROBE_THREADS 256

typedef struct {
  const uint8_t *from;
  uint8_t *to;
  uint64_t size; /* bytes */
} StxProbeCopyArgs;
