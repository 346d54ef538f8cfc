/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arithmetic of sgm_depth.h, for all implementations. */
#pragma once

#include "common/sgm/sgm_depth.h"

/*
 * A division of doubles, because vector units have no other. It is exact: numerator and denominator
 * are integers below 2^31 (by STX_SGM_MAX_SCALE) and 2^16, so a quotient that is no integer is at
 * least 2^-16 away from the next one, and rounding moves it by less than 2^-21.
 */
STX_INLINE uint16_t stx_sgm_depth_of(int scale, uint16_t value)
{
  const int divisor = value + (value == 0);
  const int depth = (int)((double)(scale + value / 2) / (double)divisor);
  return (uint16_t)(value != 0 && depth <= STX_SGM_MAX_DEPTH ? depth : STX_DISPARITY_UNKNOWN);
}
