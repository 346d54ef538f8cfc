/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions behind stx_satdp_impls and stx_satdp_fields. Private to common/satdp*.c; see
 * StxSatdpImpl for what they promise.
 */
#pragma once

#include "common/cpu.h"
#include "common/satdp/satdp.h"

/* Times object_sigma_slope: a ground no steeper looks like an object. */
#define STX_SATDP_LEANING 3

/* ground_classes and sky_classes as text: satdp_kinds.c */
extern const StxSpelling stx_class_kinds;
bool stx_class_kinds_check(const StxSatdpParams *params, StxError *error);

STX_DECLARE(StxSatdpImpl, stx_satdp, scratch_size);
STX_DECLARE(StxSatdpImpl, stx_satdp, run);
