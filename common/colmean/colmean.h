/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction: disparity, confidence and class scores of an image, averaged over cells and
 * transposed into columns (columns.h) in one pass.
 *
 * Source: D. Hernandez-Juarez et al., "3D Perception with Slanted Stixels on GPU", TPDS 32(10),
 * 2021, §4.2. The paper averages every channel by itself, which mixes foreground and background
 * into disparities at which there is no surface; so by default values far from the median are
 * rejected first.
 *
 * Per cell, over its n pixels (fewer in the last column and row), with d the disparity in steps of
 * the grid, 1/256 pixel mostly (colmean_disparity.h says how the numbers of a map become that), c
 * the confidence (255 where none is given), and a pixel valid if d > 0 and c > 0:
 *   2·valid < n: disparity 0, weight 0 (so a cell without a valid pixel is unknown). Otherwise
 *   MEAN      the valid pixels enter; disparity = Σd / entered
 *   WEIGHTED  m = lower median of the valid disparities (rank (valid−1)/2 from below); the valid
 *             pixels with |d − m| <= max(4 px, m / 20 rounded down) enter, which m itself always
 *             does; disparity = Σc²d / Σc²
 *   MEDIAN    as WEIGHTED, but disparity = m
 *   weight    = Σc² / n, the sum over the pixels that entered; 0 is possible where few and
 *             doubtful pixels entered, although the disparity is known
 * A matcher may be sure that there is nothing to measure: where confidence_is_sky, a pixel with d =
 * 0 and c > 0 is sky (sgm_sky.h). A cell with more pixels of sky than valid ones, which is unknown,
 * has a weight that says how sure that is: Σc² / n over the pixels of sky. All quotients are
 * rounded half up: (2·num + den) / (2·den) in integers.
 *
 * Then holes are filled: cells of unknown disparity and weight 0 that follow one another in a row
 * of cells, together at most fill_width pixels wide (a whole number of cells), take the smaller
 * disparity of the cells left and right of them (of the one there is, at the image's edge; 0 where
 * that is sky) with weight STX_FILL_WEIGHT. At the left edge a hole may also be as wide as its
 * neighbour's disparity and one cell: as far as the right camera cannot see that surface. An
 * occluded surface lies behind the one that hides it, so the farther neighbour is the better guess;
 * because of the small weight, any measurement outweighs it. Wider holes stay unknown.
 *
 * Class costs: p = mean over the cell's pixels; see StxColmeanTables. Scores may come from an image
 * of 1/2, 1/4 or 1/8 of the size: each then stands for all pixels of its square (of what lies in
 * the image, at the right and at the bottom), as if it were repeated there.
 *
 * Bounds: n <= 2^14, so Σc²d < 2^46 and 4095 · Σscore < 2^42; 32 bits suffice for Σc².
 */
#ifndef STX_COLMEAN_H
#define STX_COLMEAN_H

#include "common/colmean/colmean_disparity.h"
#include "common/columns.h"

typedef enum { STX_REDUCE_MEAN, STX_REDUCE_WEIGHTED, STX_REDUCE_MEDIAN } StxReduction;

typedef enum {
  STX_SEMANTICS_NONE,
  STX_SEMANTICS_LABELS,     /* uint8_t per pixel, mapped through label_map; 255: no label */
  STX_SEMANTICS_SCORES_U8,  /* probability · 255 per pixel and class */
  STX_SEMANTICS_SCORES_F32, /* probability 0…1 per pixel and class; not finite counts as 0 */
  STX_SEMANTICS_SCORES_F16, /* likewise, as IEEE 754's binary16 of the machine's byte order */
  STX_SEMANTICS_SCORES_I8   /* probability · 255 − 128 per pixel and class */
} StxSemantics;

#define STX_SCORE_SHIFT_MAX 3
#define STX_FILL_WEIGHT 1016 /* of a filled cell: 1/64 of a certain one */
#define STX_FILL_WIDTH_DEFAULT 32
#define STX_FILL_WIDTH_MAX 32768

/* Ranges, units and texts of these: stx_grid_fields and stx_colmean_fields. */
typedef struct {
  StxGrid grid; /* classes > 0 exactly if semantics is not NONE */
  StxReduction reduction;
  StxSemantics semantics;
  uint8_t label_map[256]; /* LABELS: pixel value -> class id < classes, or 255: no label */
  int fill_width;         /* pixels; less than a cell: no filling */
  StxDisparityMeaning disparity;
} StxColmeanParams;

#define STX_COLMEAN_DEFAULTS                                                                       \
  {                                                                                                \
    .grid = STX_GRID_DEFAULTS, .reduction = STX_REDUCE_WEIGHTED,                                   \
    .fill_width = STX_FILL_WIDTH_DEFAULT                                                           \
  }

/* The inputs of a frame; images are grid.width × grid.height, and only what `semantics` asks for is
 * read. Strides are in bytes, may be negative, and may exceed the row. Scores: with s = score_shift
 * their image has ⌈width / 2^s⌉ × ⌈height / 2^s⌉ scores per class, and the value of class k at
 * pixel (x, y) lies at scores + k·class_stride + (y >> s)·row_stride + (x >> s)·pixel_stride, so
 * that planar (class outermost) and interleaved (class innermost) tensors are both read in place;
 * floats need no alignment. Bytes between the values of one row may be read but do not matter. */
typedef struct {
  StxImage16 disparity;   /* of 16 bits, whatever they encode */
  StxImageFloat floats;   /* of float32: in place of these */
  StxImage8 confidence;   /* data NULL: every pixel is certain */
  bool confidence_is_sky; /* that of an unknown pixel: how sure it is that it is sky */
  StxImage8 labels;       /* LABELS */
  const void *scores;     /* SCORES_* */
  ptrdiff_t class_stride, row_stride, pixel_stride;
  int score_shift; /* 0…STX_SCORE_SHIFT_MAX */
} StxColmeanInput;

/*
 * Class cost in 1/1024 nat from a probability in 1/4095: a table of 4096 entries,
 * round(1024 · −ln max(p/4095, 1e-3)), made once on the host and shared by all implementations.
 * The probability's index, all integers, num = Σ over the cell's pixels that count:
 *   LABELS  num = pixels with this label, den = pixels with any label (den = 0: all costs 0)
 *   U8      num = Σ score,                den = 255·n
 *   I8      num = Σ (score + 128),        den = 255·n
 *   F32     num = Σ q(p),                 den = 65535·n;  q(p) = 0 if p is NaN, infinite or <= 0,
 *           65535 if p >= 1, else the integer part of p · 65535 + ½ in float32 arithmetic
 *   F16     as F32; every binary16 is a float32
 *   index = (4095·num) / den, rounded half up as above
 *
 * I8 is U8 with the top bit flipped, so that both give the same bytes. TensorFlow Lite's int8
 * softmax means (score + 128) / 256, which is 255/256 of that for every class: its cost would be
 * 1024 · ln(256/255) = 4 more, rounding and the table's end aside. The same number on all classes
 * of a cell, it moves no boundary of stixels and changes no class.
 */
typedef struct {
  uint16_t class_cost[4096];
} StxColmeanTables;

STX_API void stx_colmean_prepare(StxColmeanTables *tables);

typedef struct {
  StxImplInfo info;
  size_t (*scratch_size)(const StxColmeanParams *params, int threads);
  /* Writes all stx_grid_bytes(&params->grid) bytes of `columns` (aligned to 2 bytes), which must
   * not overlap the input. A device has a copy of the host's `tables`; strides of its input are not
   * negative. For the rest see StxPlace. */
  bool (*run)(const StxColmeanParams *params, const StxColmeanTables *tables,
      const StxColmeanInput *input, void *columns, void *scratch, const StxPlace *place,
      StxError *error);
} StxColmeanImpl;

/* Bytes of one score: 1, 2 or 4; 0 for what is no score. */
STX_API size_t stx_colmean_score_size(StxSemantics semantics);

/* Scores in an image side of `pixels`: ⌈pixels / 2^shift⌉. */
STX_INLINE int stx_score_side(int pixels, int shift)
{
  return (pixels + (1 << shift) - 1) >> shift;
}

/* Host implementations, best first. */
STX_API const StxImplTable stx_colmean_impls;

/* Every field of StxColmeanParams but the grid's (stx_grid_fields) and the label map. */
STX_API const StxFields stx_colmean_fields;
STX_API const StxFieldChoice stx_disparity_encodings[];

/* Refuses what the tables do not allow, depths without focal_baseline, a number of classes that
 * does not suit the semantics, and a label map that leads outside the classes; the text names the
 * field. */
STX_API bool stx_colmean_check(const StxColmeanParams *params, StxError *error);

#endif
