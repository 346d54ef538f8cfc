/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions behind stx_fulldp_impls. Private to common/fulldp*.c; see StxSatdpImpl for what
 * they promise. */
#pragma once

#include "common/cpu.h"
#include "common/fulldp/fulldp.h"

#define STX_FULLDP_DECLARE(suffix)                                                                 \
  size_t stx_fulldp_scratch_##suffix(const StxSatdpParams *params, int threads);                   \
  bool stx_fulldp_run_##suffix(const StxSatdpParams *params, const StxSatdpTables *tables,         \
      bool has_ground, const void *columns, const uint8_t *starts, StxStixel *stixels,             \
      StxSatdpResult *result, void *scratch, const StxPlace *place, StxError *error);

STX_FULLDP_DECLARE(base)
#if STX_BUILD_X86
STX_FULLDP_DECLARE(avx2)
STX_FULLDP_DECLARE(avx512)
#endif

#undef STX_FULLDP_DECLARE
