/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The results of an implementation for some cases, as one number. */
#pragma once

#include "common/stx.h"

/* Several small cases that every machine makes the same of, or a large one that gives many threads
 * something to do. */
typedef struct {
  const StxImplInfo *impl;
  int threads;
  bool large;
} VariantsRun;

typedef struct {
  const char *stem;
  const StxImplTable *impls;
  uint64_t (*hash)(const VariantsRun *run);
  uint64_t expected; /* of the small cases; 0: it has none */
} VariantsStem;

extern const VariantsStem variants_stems[];
extern const size_t variants_stem_count;
