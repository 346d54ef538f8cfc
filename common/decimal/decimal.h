/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers as text: what printf ("%.3f") and printf ("%llu") write in the locale "C", to the byte,
 * and many times faster. A line of JSON of a frame has ten thousand of them.
 *
 * Values are rounded to the nearest thousandth, those halfway between two to the even one, by the
 * exact value of the double. The sign of what becomes 0 stays: "-0.000".
 */
#pragma once

#include "common/stx.h"

#define STX_DECIMAL_SIZE 320 /* bytes that any of them takes, its 0 at the end included */

/* `value` must be finite. Both write a 0 at the end and return the length without it. */
size_t stx_decimal_write(double value, char *text);
size_t stx_decimal_write_whole(uint64_t value, char *text);
