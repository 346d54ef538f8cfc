/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stixels against true ones: literal verdicts, and pixel by pixel against the maps of metrics.h. */
#include "common/metrics/metrics.h"
#include "common/overlay/overlay_truth.h"
#include "tests/common/overlay/overlay_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4096

static StxStixel out[2 * MOST];

static size_t judge(const StxJudgement *judgement, const StxStixel *records, size_t count,
    const StxStixel *truth, size_t truth_count, StxVerdicts *verdicts)
{
  STX_GUARDED StxStixel *room =
      stx_guarded_alloc(stx_judge_most(count + truth_count) * sizeof *room);
  STX_GUARDED void *scratch = stx_guarded_alloc(stx_judge_scratch(judgement));
  size_t written =
      stx_judge(judgement, records, count, truth, truth_count, room, scratch, verdicts);
  ck_assert_uint_le(written, stx_judge_most(count + truth_count));
  memcpy(out, room, written * sizeof *room);
  return written;
}

/* ---- Literal ------------------------------------------------------------------------------- */

/* The verdict on one pixel; STX_VERDICTS: none. */
static int judge_pixel(StxKind kind, float disparity, StxKind true_kind, float true_disparity)
{
  StxJudgement one = {1, 1, 1, 1};
  StxStixel stixel = overlay_stixel(0, 0, 0, kind, 0, disparity);
  StxStixel truth = overlay_stixel(0, 0, 0, true_kind, 0, true_disparity);
  StxVerdicts verdicts;
  size_t count = judge(&one, &stixel, 1, &truth, 1, &verdicts);
  for (int k = 0; k < STX_VERDICTS; k++)
    ck_assert_uint_eq(verdicts.pixels[k], count == 1 && out[0].label == k);
  return count == 1 ? out[0].label : STX_VERDICTS;
}

STX_TEST(kinds_and_distances_decide)
{
  static const struct {
    StxKind kind;
    float disparity;
    StxKind true_kind;
    float truth;
    int verdict;
  } cases[] = {
      {STX_KIND_OBJECT, 20, STX_KIND_OBJECT, 20, STX_VERDICT_FOUND},
      {STX_KIND_OBJECT, 20, STX_KIND_GROUND, 20, STX_VERDICT_FALSE},
      {STX_KIND_OBJECT, 20, STX_KIND_SKY, 0, STX_VERDICT_FALSE},
      {STX_KIND_GROUND, 20, STX_KIND_OBJECT, 20, STX_VERDICT_MISSED},
      {STX_KIND_SKY, 0, STX_KIND_OBJECT, 20, STX_VERDICT_MISSED},
      {STX_KIND_GROUND, 20, STX_KIND_SKY, 0, STX_VERDICTS},
      {STX_KIND_GROUND, 20, STX_KIND_GROUND, 40, STX_VERDICTS},
      /* 3 pixels and 5 %: both must be exceeded. */
      {STX_KIND_OBJECT, 23, STX_KIND_OBJECT, 20, STX_VERDICT_FOUND},
      {STX_KIND_OBJECT, 23.1f, STX_KIND_OBJECT, 20, STX_VERDICT_MISPLACED},
      {STX_KIND_OBJECT, 104, STX_KIND_OBJECT, 100, STX_VERDICT_FOUND},
      {STX_KIND_OBJECT, 106, STX_KIND_OBJECT, 100, STX_VERDICT_MISPLACED},
      /* Unknown in the result is wrong; unknown in the truth is not counted. */
      {STX_KIND_OBJECT, 0, STX_KIND_OBJECT, 20, STX_VERDICT_MISPLACED},
      {STX_KIND_OBJECT, 20, STX_KIND_OBJECT, 0, STX_VERDICTS},
      {STX_KIND_GROUND, 20, STX_KIND_OBJECT, 0, STX_VERDICTS},
      /* Segments have no kind. */
      {STX_KIND_SEGMENT, 20, STX_KIND_OBJECT, 20, STX_VERDICT_FOUND},
      {STX_KIND_SEGMENT, 20, STX_KIND_OBJECT, 40, STX_VERDICT_MISPLACED},
      {STX_KIND_SEGMENT, 20, STX_KIND_GROUND, 20, STX_VERDICTS},
      {STX_KIND_SEGMENT, 20, STX_KIND_GROUND, 40, STX_VERDICT_FALSE},
      {STX_KIND_GROUND, 20, STX_KIND_SEGMENT, 20, STX_VERDICTS},
      {STX_KIND_GROUND, 20, STX_KIND_SEGMENT, 40, STX_VERDICT_MISSED},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    ck_assert_msg(judge_pixel(cases[i].kind, cases[i].disparity, cases[i].true_kind,
                      cases[i].truth) == cases[i].verdict,
        "case %zu", i);
}

STX_TEST(pieces_are_those_of_both)
{
  /* A column of 3 pixels, of which the image has 2: an object on rows 2…5 where one stands on 0…3,
   * on road. */
  StxJudgement judgement = {2, 8, 3, 1};
  StxStixel records[] = {overlay_stixel(0, 6, 7, STX_KIND_GROUND, 0, 9),
      overlay_stixel(0, 2, 5, STX_KIND_OBJECT, 13, 9),
      overlay_stixel(0, 0, 1, STX_KIND_SKY, 10, 0)};
  StxStixel truth[] = {overlay_stixel(0, 4, 7, STX_KIND_GROUND, 0, 9),
      overlay_stixel(0, 0, 3, STX_KIND_OBJECT, 13, 9)};
  StxVerdicts verdicts;
  ck_assert_uint_eq(judge(&judgement, records, 3, truth, 2, &verdicts), 3);
  static const int expected[3][3] = {
      {4, 5, STX_VERDICT_FALSE}, {2, 3, STX_VERDICT_FOUND}, {0, 1, STX_VERDICT_MISSED}};
  for (int i = 0; i < 3; i++) {
    ck_assert_int_eq(out[i].top, expected[i][0]);
    ck_assert_int_eq(out[i].bottom, expected[i][1]);
    ck_assert_int_eq(out[i].label, expected[i][2]);
    ck_assert_int_eq(out[i].kind, STX_KIND_OBJECT);
  }
  ck_assert_uint_eq(verdicts.pixels[STX_VERDICT_FALSE], 4);
  ck_assert_uint_eq(verdicts.pixels[STX_VERDICT_FOUND], 4);
  ck_assert_uint_eq(verdicts.pixels[STX_VERDICT_MISSED], 4);
  ck_assert_uint_eq(verdicts.skipped, 0);
}

STX_TEST(bad_records_are_skipped_and_counted)
{
  StxJudgement judgement = {8, 8, 4, 2};
  StxStixel records[] = {overlay_stixel(0, 0, 7, STX_KIND_OBJECT, 13, 9),
      overlay_stixel(0, 2, 3, STX_KIND_OBJECT, 13, 9), /* overlaps the one before */
      overlay_stixel(1, 4, 8, STX_KIND_OBJECT, 13, 9), /* below the image */
      overlay_stixel(1, 5, 4, STX_KIND_OBJECT, 13, 9), /* upside down */
      overlay_stixel(1, 0, 7, (StxKind)4, 13, 9),      /* unknown kind */
      overlay_stixel(1, 0, 7, STX_KIND_OBJECT, 13, NAN),
      overlay_stixel(0, 0, 7, STX_KIND_OBJECT, 13, 9),  /* out of order */
      overlay_stixel(2, 0, 7, STX_KIND_OBJECT, 13, 9)}; /* only columns 0 and 1 */
  StxVerdicts verdicts;
  ck_assert_uint_eq(judge(&judgement, records, 8, records, 1, &verdicts), 1);
  ck_assert_uint_eq(verdicts.skipped, 7);
  ck_assert_uint_eq(judge(&judgement, NULL, 0, NULL, 0, &verdicts), 0);
}

/* ---- Against maps -------------------------------------------------------------------------- */

/* Flat stixels in random columns, without segments: of these the maps say nothing. */
static size_t random_records(const StxOverlayParams *params, StxRandom *random, StxStixel *records)
{
  size_t count = overlay_random_stixels(params, random, records);
  for (size_t i = 0; i < count; i++) {
    records[i].kind = (uint8_t)(1 + stx_random_below(random, 3));
    records[i].disparity_top = records[i].disparity_bottom =
        records[i].kind == STX_KIND_SKY ? 0 : (float)stx_random_below(random, 12);
  }
  return count;
}

STX_TEST(equals_the_maps_that_are_compared)
{
  static StxStixel records[MOST], truth[MOST];
  StxOverlayParams params = overlay_plain("RGB", 41, 30, 4);
  StxJudgement judgement = {41, 30, 4, params.columns};
  StxRandom random = {8};
  for (int round = 0; round < 20; round++) {
    size_t count = random_records(&params, &random, records);
    size_t true_count = random_records(&params, &random, truth);
    STX_AUTO(StxImage8) kinds = stx_test_image8(41, 30, 0), true_kinds = stx_test_image8(41, 30, 0);
    STX_AUTO(StxImage16) map = stx_test_image16(41, 30, 0), true_map = stx_test_image16(41, 30, 0);
    uint64_t expected[STX_VERDICTS] = {0};
    StxVerdicts verdicts;
    stx_render_kinds(records, count, 4, &kinds);
    stx_render_kinds(truth, true_count, 4, &true_kinds);
    stx_render_disparity(records, count, 4, &map);
    stx_render_disparity(truth, true_count, 4, &true_map);
    STX_EACH_PIXEL (x, y, 41, 30) {
      bool here = stx_row8(&kinds, y)[x] == STX_KIND_OBJECT;
      bool there = stx_row8(&true_kinds, y)[x] == STX_KIND_OBJECT;
      int e = stx_row16(&map, y)[x], t = stx_row16(&true_map, y)[x];
      bool bad = e == 0 || (abs(e - t) > 768 && 20 * abs(e - t) > t);
      if ((here || there) && !(there && t == 0))
        expected[!there  ? STX_VERDICT_FALSE
                 : !here ? STX_VERDICT_MISSED
                 : bad   ? STX_VERDICT_MISPLACED
                         : STX_VERDICT_FOUND]++;
    }
    judge(&judgement, records, count, truth, true_count, &verdicts);
    ck_assert_mem_eq(verdicts.pixels, expected, sizeof expected);
  }
}
