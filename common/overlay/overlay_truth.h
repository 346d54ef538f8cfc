/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compares stixels with true ones, pixel by pixel: found, false and missed objects.
 *
 * Objects are counted as stx-eval counts kinds and disparities (metrics.h): an object where the
 * truth has ground or sky is false, one that is only in the truth is missed, and where both have
 * one its distance decides, as KITTI does: it is wrong if it is unknown, or off by more than 3
 * pixels of disparity and more than 5 % of the true one. Upright things whose true distance is
 * unknown are not counted. Segments have no kind, so their distance decides alone.
 */
#ifndef STX_OVERLAY_TRUTH_H
#define STX_OVERLAY_TRUTH_H

#include "common/stixel.h"
#include "common/stx.h"

typedef enum {
  STX_VERDICT_FOUND,     /* true positive */
  STX_VERDICT_FALSE,     /* false positive */
  STX_VERDICT_MISSED,    /* false negative */
  STX_VERDICT_MISPLACED, /* an object in both, at another distance */
  STX_VERDICTS,
} StxVerdict;

/* The counts of a frame. */
typedef struct {
  uint64_t pixels[STX_VERDICTS]; /* of the image, by StxVerdict */
  uint32_t skipped;              /* records of either that are not valid: see StxOverlayResult */
  uint32_t reserved;             /* 0 */
} StxVerdicts;

/* Both have the image and its columns in common. */
typedef struct {
  int width, height, stixel_width, columns;
} StxJudgement;

/* Records that stx_judge may write at most, for so many of both together. */
size_t stx_judge_most(size_t count);

/* Bytes of its scratch. */
size_t stx_judge_scratch(const StxJudgement *judgement);

/*
 * Compares `count` records, sorted by column, with `truth_count` true ones. Writes to `out`, which
 * holds stx_judge_most (count + truth_count), a record for each piece of a column that one
 * pair of records covers and that has a verdict: of kind object, the verdict as its label, the
 * other numbers those of the record at hand, or of the true one where something is missed. Returns
 * their number. What neither covers counts for nothing.
 */
size_t stx_judge(const StxJudgement *judgement, const StxStixel *records, size_t count,
    const StxStixel *truth, size_t truth_count, StxStixel *out, void *scratch,
    StxVerdicts *verdicts);

#endif
