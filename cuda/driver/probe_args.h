/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef STX_CUDA_PROBE_ARGS_H
#define STX_CUDA_PROBE_ARGS_H

#include <stdint.h>

#define STX_PROBE_THREADS 256

typedef struct {
  const uint8_t *from;
  uint8_t *to;
  uint64_t size; /* bytes */
} StxProbeCopyArgs;

#endif
