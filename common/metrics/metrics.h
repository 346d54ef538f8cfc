/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The quality of a disparity map, a set of stixels or a labelling, measured as the KITTI and
 * Cityscapes benchmarks do. All counts are exact integers that add up over frames; rates are
 * computed from the totals.
 *
 * Sources: M. Menze and A. Geiger, "Object Scene Flow for Autonomous Vehicles", CVPR 2015 (the
 * disparity error); the KITTI stereo development kit (how holes are filled); M. Everingham et al.,
 * "The Pascal Visual Object Classes Challenge", IJCV 88, 2010 (intersection over union).
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

/* Adds the totals of one score to another. */
void stx_disparity_score_merge(StxDisparityScore *total, const StxDisparityScore *part);

/* part / whole, or 0 when there is nothing (whole = 0). */
double stx_rate(uint64_t part, uint64_t whole);

/* The share of pixels with a known disparity, 0…1. */
double stx_disparity_density(const StxImage16 *disparity);

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

/* counts[t][p]: pixels of true class t that were called p; p = classes: called nothing. */
typedef struct {
  int classes; /* 1…STX_MAX_CLASSES */
  uint64_t counts[STX_MAX_CLASSES][STX_MAX_CLASSES + 1];
} StxConfusion;

/* Adds a frame. Pixels whose truth is >= classes are ignored; a prediction >= classes is a miss. */
void stx_confusion_add(StxConfusion *confusion, const StxImage8 *truth, const StxImage8 *predicted);
void stx_confusion_merge(StxConfusion *total, const StxConfusion *part);

/* Intersection over union of class k, 0…1; negative if k is absent from truth and prediction. */
double stx_confusion_iou(const StxConfusion *confusion, int k);

/* Mean over the classes that are not absent; negative if all are. */
double stx_confusion_mean_iou(const StxConfusion *confusion);

/*
 * Gives every pixel of a cell the label that most of the cell's pixels with a label have (ties:
 * the smallest id; no label at all: STX_LABEL_NONE). Labels are < STX_MAX_CLASSES or
 * STX_LABEL_NONE. What a segmentation made of whole cells can reach at best.
 */
STX_API void stx_render_majority(
    const StxGrid *grid, const StxImage8 *labels, const StxImage8 *majority);

/* The kind (StxKind) of every pixel from its class: bit k of a mask says that class k is ground or
 * sky, all others are objects; STX_LABEL_NONE stays STX_LABEL_NONE. */
void stx_render_label_kinds(
    const StxImage8 *labels, uint32_t ground_classes, uint32_t sky_classes, const StxImage8 *kinds);

#endif
