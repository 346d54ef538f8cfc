/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/rotation.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-3

void stx_matrix_product(const double a[9], const double b[9], double out[9])
{
  for (int i = 0; i < 9; i++) {
    const double *row = a + i / 3 * 3, *column = b + i % 3;
    out[i] = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
  }
}

void stx_matrix_transpose(const double a[9], double out[9])
{
  for (int i = 0; i < 9; i++)
    out[i] = a[i % 3 * 3 + i / 3];
}

void stx_matrix_apply(const double a[9], const double x[3], double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
}

void stx_rotation_from_vector(const double v[3], double out[9])
{
  double angle = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  double sine = angle > 0 ? sin(angle) / angle : 1; /* of v, not of its direction */
  double half = angle > 0 ? sin(angle / 2) / (angle / 2) : 1, rest = half * half / 2;
  const double cross[9] = {0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0};
  for (int i = 0; i < 9; i++)
    out[i] = (i % 4 == 0 ? cos(angle) : 0) + sine * cross[i] + rest * v[i / 3] * v[i % 3];
}

/* Computed by the quaternion, from its largest part, so that no angle is special. */
void stx_rotation_to_vector(const double r[9], double out[3])
{
  const double trace = r[0] + r[4] + r[8];
  const double four[4] = {
      1 + trace, 1 + 2 * r[0] - trace, 1 + 2 * r[4] - trace, 1 + 2 * r[8] - trace}; /* 4·q² */
  const double w[4][4] = {{four[0], r[7] - r[5], r[2] - r[6], r[3] - r[1]},
      {r[7] - r[5], four[1], r[1] + r[3], r[2] + r[6]},
      {r[2] - r[6], r[1] + r[3], four[2], r[5] + r[7]},
      {r[3] - r[1], r[2] + r[6], r[5] + r[7], four[3]}};
  int largest = 0;
  for (int i = 1; i < 4; i++)
    largest = four[i] > four[largest] ? i : largest;
  const double *q = w[largest];
  double sign = q[0] < 0 ? -1 : 1;
  double length = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double angle = 2 * atan2(length, sign * q[0]);
  for (int i = 0; i < 3; i++)
    out[i] = length > 0 ? sign * q[i + 1] / length * angle : 0;
}

bool stx_is_rotation(const double r[9])
{
  double transposed[9], product[9];
  stx_matrix_transpose(r, transposed);
  stx_matrix_product(r, transposed, product);
  for (int i = 0; i < 9; i++)
    if (!(fabs(product[i] - (i % 4 == 0)) <= TOLERANCE))
      return false;
  return r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
             r[2] * (r[3] * r[7] - r[4] * r[6]) >
         0;
}

/* R ← R·(3 − RᵀR)/2 (A. Björck and C. Bowie, 1971): the distance is squared with each step. */
void stx_rotation_clean(double r[9])
{
  for (int step = 0; step < 4; step++) {
    double transposed[9], product[9], next[9];
    stx_matrix_transpose(r, transposed);
    stx_matrix_product(transposed, r, product);
    for (int i = 0; i < 9; i++)
      product[i] = (i % 4 == 0 ? 1.5 : 0) - product[i] / 2;
    stx_matrix_product(r, product, next);
    memcpy(r, next, sizeof next);
  }
}
