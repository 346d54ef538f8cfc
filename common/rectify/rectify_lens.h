/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The projection of a direction by a lens, and its inverse. With (x, y) = (X/Z, Y/Z), r² = x² + y²:
 *
 *   BROWN    q = (1 + k1·r² + k2·r⁴ + k3·r⁶) / (1 + k4·r² + k5·r⁴ + k6·r⁶)
 *            x" = x·q + 2·p1·x·y + p2·(r² + 2x²) + s1·r² + s2·r⁴
 *            y" = y·q + p1·(r² + 2y²) + 2·p2·x·y + s3·r² + s4·r⁴
 *            then, on a sensor tilted by tx and ty, the projection onto its plane
 *   FISHEYE  t = angle to the axis, t" = t·(1 + k1·t² + k2·t⁴ + k3·t⁶ + k4·t⁸)
 *            (x", y") = (x, y)·t"/r
 *
 *   pixel = (fx·x" + cx, fy·y" + cy)
 *
 * A lens polynomial is fitted to what the camera sees. Farther out it may turn back, and show the
 * same pixels twice: the *reach* is where it does, r of BROWN, t of FISHEYE.
 */
#ifndef STX_RECTIFY_LENS_H
#define STX_RECTIFY_LENS_H

#include "common/calibration/calibration.h"

/* Computed once for a lens. */
typedef struct {
  StxLens lens;
  double reach;
  double tilt[9]; /* the projection onto the sensor; of no tilt: the identity */
} StxPreparedLens;

StxPreparedLens stx_lens_prepare(const StxLens *lens);

/* The pixel that a direction falls on. False if it lies beyond the reach, or behind the camera. */
bool stx_lens_project(const StxPreparedLens *lens, const double ray[3], double pixel[2]);

/* The direction that falls on a pixel, of length 1, by Newton's method. False if none does. */
bool stx_lens_unproject(const StxPreparedLens *lens, const double pixel[2], double ray[3]);

#endif
