/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the check programs of satdp and fulldp on the GPU. */
#pragma once

#include "tests/common/satdp/satdp_case.h"

typedef struct {
  StxSatdpResult result;
  StxStixel *stixels; /* guarded */
} SatdpRun;

/* A case on the GPU; fails if what was given to it does not stay as it was. */
SatdpRun satdp_run_cuda(const StxSatdpImpl *impl, const Case *c, const char *what);

/* Fails unless the records of the table's first are the reference's, from at most as many data
 * terms: that of every candidate, with which the reference does not save. */
StxSatdpResult satdp_expect_agreement(
    const StxImplTable *impls, const StxSatdpImpl *reference, const Case *c, const char *what);
