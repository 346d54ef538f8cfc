/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The quality of a disparity map, measured as the KITTI benchmark does, and stixels as maps. All
 * counts are exact integers that add up over frames.
 *
 * Sources: M. Menze and A. Geiger, "Object Scene Flow for Autonomous Vehicles", CVPR 2015 (the
 * disparity error); the KITTI stereo development kit (how holes are filled).
 *
 * Disparities are in 1/256 pixel and 0 where unknown. Truth, estimate and rendered maps of one
 * frame must have the same size. No function allocates or keeps anything.
 */
#ifndef STX_METRICS_H
#define STX_METRICS_H

#include "common/columns.h"
#include "common/labels.h"
#include "common/stixel.h"

/* ---- Disparity ---------------------------------------------------------------------------- */

/* Over the pixels whose true disparity t is known, with e the estimate: */
typedef struct {
  uint64_t truth;   /* pixels with known truth */
  uint64_t known;   /* of these, pixels where the estimate is known too */
  uint64_t bad_and; /* |e − t| > 3 px and |e − t| > 5 % of t (KITTI 2015), or e unknown */
  uint64_t bad_or;  /* |e − t| > 3 px or |e − t| > 5 % of t, or e unknown */
} StxDisparityScore;

/* True if an estimate counts in bad_and; `truth` is known. */
bool stx_disparity_is_bad(uint16_t truth, uint16_t estimate);

/* Adds a frame to *score. */
STX_API void stx_disparity_score_add(
    StxDisparityScore *score, const StxImage16 *truth, const StxImage16 *estimate);

/*
 * Fills the holes of a map in place, in KITTI's order:
 *   1. in each row, a hole between two known pixels takes the smaller (the farther) of the two;
 *   2. in each row, what lies left of the first and right of the last known pixel takes theirs;
 *   3. in each column, what lies above the first and below the last known pixel takes theirs.
 * A row without any known pixel between two others stays empty, as with KITTI's kit.
 */
STX_API void stx_disparity_fill(const StxImage16 *disparity);

/* ---- Stixels as maps ---------------------------------------------------------------------- */

/*
 * Draw `count` stixels of columns `cell_width` pixels wide into maps of the image's size. Pixels
 * that no stixel covers become 0 (disparity), STX_LABEL_NONE (label), STX_KIND_SEGMENT (kind);
 * parts of stixels outside the map are left out.
 *   disparity  linear between the stixel's ends, rounded, within 1…65535; sky and planes that
 *              fall below zero give 1 (far, but not unknown); a stixel other than sky with both
 *              ends 0 is unknown: 0
 */
STX_API void stx_render_disparity(
    const StxStixel *stixels, size_t count, int cell_width, const StxImage16 *disparity);
/* The value of the first at a row of the stixel. */
uint16_t stx_stixel_disparity_at(const StxStixel *stixel, int row);

STX_API void stx_render_labels(
    const StxStixel *stixels, size_t count, int cell_width, const StxImage8 *labels);
STX_API void stx_render_kinds(
    const StxStixel *stixels, size_t count, int cell_width, const StxImage8 *kinds);

/* ---- Classes ------------------------------------------------------------------------------ */

/*
 * Gives every pixel of a cell the label that most of the cell's pixels with a label have (ties:
 * the smallest id; no label at all: STX_LABEL_NONE). Labels are < STX_MAX_CLASSES or
 * STX_LABEL_NONE. What a segmentation made of whole cells can reach at best.
 */
STX_API void stx_render_majority(
    const StxGrid *grid, const StxImage8 *labels, const StxImage8 *majority);

#endif
