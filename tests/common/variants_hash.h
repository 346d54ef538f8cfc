/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an implementation makes of some cases, as one number. */
#ifndef STX_TESTS_VARIANTS_HASH_H
#define STX_TESTS_VARIANTS_HASH_H

#include "common/stx.h"

typedef struct {
  const char *stem;
  const StxImplTable *impls;
  uint64_t (*hash)(const StxImplInfo *impl);
  uint64_t expected;
} VariantsStem;

extern const VariantsStem variants_stems[];
extern const size_t variants_stem_count;

#endif
