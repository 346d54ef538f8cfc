/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arithmetic of the cell reduction's kernels that takes another way than the contract, compared
 * for all that can occur. Needs no GPU and no kernel. */
#include "common/colmean/colmean_math.h"
#include "cuda/colmean/colmean_exact.h"
#include "tests/testing.h"

static void expect_index(uint32_t num, uint32_t den, int shift, StxColmeanShare share)
{
  uint32_t expected = (uint32_t)((2 * 4095ull * num + den) / (2 * den)); /* rounded half up */
  uint32_t actual = stx_colmean_cost_index(num << shift, share);
  if (actual != expected)
    ck_abort_msg("%u/%u: index %u, not %u", num, den, actual, expected);
}

/* Both sides only ever rise with the numerator: they agree for every one if they do on both sides
 * of each step, where 4095 · num / den passes k + ½. */
static void expect_all_steps(uint32_t den, int shift)
{
  StxColmeanShare share = stx_colmean_share(den, shift);
  for (uint64_t k = 0; k < 4095; k++) {
    uint32_t step = (uint32_t)(((2 * k + 1) * den + 8189) / 8190);
    if (step > 0)
      expect_index(step - 1, den, shift, share);
    expect_index(step, den, shift, share);
  }
  expect_index(den, den, shift, share);
}

/* Cells of every number of pixels. */
STX_TEST(cost_indices_are_exact)
{
  for (uint32_t n = 1; n <= 1 << 14; n++) {
    expect_all_steps(255 * n, STX_COLMEAN_BYTE_SHIFT);
    expect_all_steps(65535 * n, 0);
  }
}

/* As many labelled pixels as a cell can have, and of each number every part. */
STX_TEST(cost_indices_of_labels_are_exact)
{
  for (uint32_t den = 1; den <= 1 << 14; den++) {
    uint32_t share = stx_colmean_label_share(den);
    for (uint32_t num = 0; num <= den; num++)
      if (stx_colmean_label_index(num, den, share) != (8190 * num + den) / (2 * den))
        ck_abort_msg("%u of %u labels", num, den);
  }
}

/* Every numerator of the usual cells, one after the other. */
STX_TEST(cost_indices_are_exact_one_by_one)
{
  for (uint32_t n = 1; n <= (uint32_t)64; n *= 2) {
    StxColmeanShare bytes = stx_colmean_share(255 * n, STX_COLMEAN_BYTE_SHIFT);
    for (uint32_t num = 0; num <= 255 * n; num++)
      expect_index(num, 255 * n, STX_COLMEAN_BYTE_SHIFT, bytes);
    StxColmeanShare others = stx_colmean_share(65535 * n, 0);
    for (uint32_t num = 0; num <= 65535 * n; num++)
      expect_index(num, 65535 * n, 0, others);
  }
}

STX_TEST(scores_of_16_bits_are_exact)
{
  for (uint32_t half = 0; half < 1 << 16; half++) {
    uint32_t expected = stx_score_from_float(stx_float_from_half((uint16_t)half));
    uint32_t clean = stx_clean_half(half), actual = stx_half_score(clean << 13);
    if (actual != expected)
      ck_abort_msg("half %x: score %u, not %u", half, actual, expected);
    if (half <= STX_HALF_ONE)
      ck_assert_uint_eq(clean, half);
  }
}
