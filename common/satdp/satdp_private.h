/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions behind stx_satdp_impls and stx_satdp_fields. Private to common/satdp*.c; see
 * StxSatdpImpl for what they promise.
 */
#pragma once

#include "common/cpu.h"
#include "common/satdp/satdp.h"

/* ground_classes and sky_classes as text: satdp_kinds.c */
extern const StxSpelling stx_class_kinds;
bool stx_class_kinds_check(const StxSatdpParams *params, StxError *error);

#define STX_SATDP_DECLARE(suffix)                                                                  \
  size_t stx_satdp_scratch_##suffix(const StxSatdpParams *params, int threads);                    \
  bool stx_satdp_run_##suffix(const StxSatdpParams *params, const StxSatdpTables *tables,          \
      bool has_ground, const void *columns, const uint8_t *starts, StxStixel *stixels,             \
      StxSatdpResult *result, void *scratch, const StxPlace *place, StxError *error);

STX_SATDP_DECLARE(base)
#if STX_BUILD_X86
STX_SATDP_DECLARE(avx2)
STX_SATDP_DECLARE(avx512)
#endif

#undef STX_SATDP_DECLARE
