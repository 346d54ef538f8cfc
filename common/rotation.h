/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 3×3 matrices, row by row, and rotations. `out` is none of the inputs. */
#pragma once

#include <stdbool.h>

void stx_matrix_product(const double a[9], const double b[9], double out[9]); /* a·b */
void stx_matrix_transpose(const double a[9], double out[9]);
void stx_matrix_apply(const double a[9], const double x[3], double out[3]); /* a·x */

/* The rotation by |v| radians about the axis v (O. Rodrigues, 1840), and the v of a rotation, with
 * |v| <= pi. */
void stx_rotation_from_vector(const double v[3], double out[9]);
void stx_rotation_to_vector(const double r[9], double out[3]);

/* Rows of length 1, at right angles to each other, to 0.001 each, and no mirror image. */
bool stx_is_rotation(const double r[9]);

/* The rotation nearest to such a matrix: files have few digits. */
void stx_rotation_clean(double r[9]);
