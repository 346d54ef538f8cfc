/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Luma: the 8-bit gray picture of what a camera delivers, for stages that read gray pictures (sgm).
 * Formats whose first plane is such a picture need no conversion; these are the others.
 *
 *   bytes   a byte of the pixel, as it is: packed 4:2:2, where luma is every second byte whatever
 *           the column, and formats of more than 8 bits in the high bits of 16
 *   words   16 bits of which the lower n hold the value:  min(value >> (n − 8), 255)
 *   colours (77·R + 150·G + 29·B) >> 8, BT.601 in 1/256
 *
 * These are the bytes of GStreamer's videoconvert to GRAY8, for the colorimetry that it takes where
 * the caps have none. All programs of the project make gray pictures so.
 *
 * The number of bits that hold the value is known for video of 10 bits. A gray camera of 10, 12 or
 * 14 bits calls its format "16 bits", and nothing says how many they are: then n is what `bits`
 * says or, where that is 0, as many as the largest value of this picture needs, at least 8. So a
 * picture is never black because its upper bits are unused; it is brighter by a power of two where
 * none of its pixels reaches the upper half of the range. Nothing is kept from picture to picture.
 */
#pragma once

#include "common/stx.h"

typedef enum { STX_LUMA_BYTES, STX_LUMA_WORDS, STX_LUMA_COLOURS } StxLumaKind;

/* Bytes of a pixel and where in it to look: luma, the low and the high byte of a word, or R, G, B.
 */
typedef struct {
  const char *name; /* as GStreamer spells it */
  StxLumaKind kind;
  uint8_t pixel;
  uint8_t at[3];
  uint8_t bits; /* of words: 0 if the format does not say */
} StxLumaFormat;

/* YUY2, YVYU, UYVY, VYUY, AYUV, VUYA, P010_10LE, P012_LE, P016_LE; GRAY16_LE, GRAY16_BE,
 * I420_10LE, I422_10LE; RGB, BGR and their forms of four bytes with alpha or padding at either end.
 * NULL for any other name, also of formats whose first plane is 8-bit luma. */
const StxLumaFormat *stx_luma_format(const char *name);

/* All names, with ", " between them. */
#define STX_LUMA_FORMATS                                                                           \
  "YUY2, UYVY, YVYU, VYUY, GRAY16_LE, GRAY16_BE, P010_10LE, P012_LE, P016_LE, I420_10LE, "         \
  "I422_10LE, AYUV, VUYA, RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR"

#define STX_LUMA_MIN_BITS 8
#define STX_LUMA_MAX_BITS 16
#define STX_LUMA_SCRATCH STX_ALIGN /* bytes that `run` needs */

typedef struct {
  StxImplInfo info;
  /*
   * bits     0, or STX_LUMA_MIN_BITS … STX_LUMA_MAX_BITS: of words whose format does not say
   * picture  its first plane: width and height in pixels, stride in bytes
   * gray     of the same size; does not overlap the picture. Bytes between rows are not touched.
   * scratch  STX_LUMA_SCRATCH bytes, aligned to STX_ALIGN
   * For the rest see StxPlace.
   */
  bool (*run)(const StxLumaFormat *format, int bits, const StxImage8 *picture,
      const StxImage8 *gray, void *scratch, const StxPlace *place, StxError *error);
} StxLumaImpl;

/* Host implementations, best first. */
extern const StxImplTable stx_luma_impls;
