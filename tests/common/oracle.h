/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference of a stem: its method written down as its header has it, one number after another,
 * on one thread. All implementations must give its bytes. */
#pragma once

#include "common/stx.h"

/* The reference beside the implementations of this table; its name is "c". A
 * stem without one (overlay) has its plain code, "omp". */
const void *oracle(const StxImplTable *impls);

const struct StxEgomotionImpl *oracle_egomotion(void);
