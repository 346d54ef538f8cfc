/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory shared by the blocks of ordered.cuh; the launcher sets all its bits to 0 before each
 * launch. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t next;     /* turn to be taken */
  uint32_t finished; /* turns */
  uint32_t reserved[2];
} StxOrder;

/* Bytes for that many turns; a word per turn follows the struct. */
static inline size_t stx_order_size(size_t turns)
{
  return sizeof(StxOrder) + turns * sizeof(uint32_t);
}
