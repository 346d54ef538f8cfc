/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The projection of a direction (X, Y, Z) of length 1 by a lens, and its inverse. There are two
 * kinds of models. Some bend a plane: (x, y) = (X, Y)/(Z + xi), r² = x² + y², with xi = 0 but for
 * OMNI, which is a sphere in front of the same polynomials:
 *
 *   BROWN, OMNI  q = (1 + k1·r² + k2·r⁴ + k3·r⁶) / (1 + k4·r² + k5·r⁴ + k6·r⁶)
 *            x" = x·q + 2·p1·x·y + p2·(r² + 2x²) + s1·r² + s2·r⁴
 *            y" = y·q + p1·(r² + 2y²) + 2·p2·x·y + s3·r² + s4·r⁴
 *            then, on a sensor tilted by tx and ty, the projection onto its plane
 *
 * The others are round about the axis: (x", y") is (X, Y) stretched to the length t", which depends
 * on the angle t to the axis, s = sin t, c = cos t:
 *
 *   FISHEYE        t" = t·(1 + k1·t² + k2·t⁴ + k3·t⁶ + k4·t⁸)
 *   DOUBLE_SPHERE  t" = s / (alpha·√(s² + (xi + c)²) + (1 - alpha)·(xi + c))
 *   EXTENDED       t" = s / (alpha·√(beta·s² + c²) + (1 - alpha)·c)
 *   FOV            t" = atan(2·tan t·tan(w/2)) / w
 *
 *   pixel = (fx·x" + cx, fy·y" + cy)
 *
 * A lens polynomial is fitted to what the camera sees. Farther out it may turn back, and show the
 * same pixels twice: the *reach* is where it does, r of a plane, t of the others.
 */
#pragma once

#include "common/calibration/calibration.h"

/*
 * A row of the table of models.
 *
 * names         in files, separated by '|'; the first is what files of ours have
 * coefficients  their names, in the order of StxLens.d, separated by blanks
 * counts        bit n: n of them are a lens; `expected` says that in words
 * leading       how many stand before fx in Kalibr's "intrinsics"
 * distance      t" of an angle; NULL: it bends a plane
 */
typedef struct {
  const char *names, *coefficients, *expected;
  unsigned counts;
  int leading;
  double (*distance)(const double d[STX_LENS_COEFFICIENTS], double angle);
} StxLensKind;

extern const StxLensKind stx_lens_kinds[STX_LENS_MODELS];

/* Computed once for a lens. */
typedef struct {
  StxLens lens;
  double reach;
  double xi;      /* of OMNI, else 0 */
  double tilt[9]; /* the projection onto the sensor; of no tilt: the identity */
} StxPreparedLens;

StxPreparedLens stx_lens_prepare(const StxLens *lens);

/* The pixel that a direction falls on. False if it lies beyond the reach, or behind the camera. */
bool stx_lens_project(const StxPreparedLens *lens, const double ray[3], double pixel[2]);

/* The direction that falls on a pixel, of length 1, by Newton's method. False if none does. */
bool stx_lens_unproject(const StxPreparedLens *lens, const double pixel[2], double ray[3]);

/* One step of the usual iteration towards the ray (x, y, 1) that BROWN bends to a place: the place
 * without what the polynomials add at the ray found so far. */
void stx_lens_approach(const StxPreparedLens *lens, const double bent[2], double ray[3]);
