/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files overlay*.c only. */
#pragma once

#include "common/overlay/overlay.h"

/* Index into the table of colours: distances from far to near, or numbers from low to high, kinds,
 * classes, grey. */
enum {
  STX_COLOUR_FAR = 0,
  STX_COLOUR_NEAR = 255,
  STX_COLOUR_KIND = 256, /* + StxKind */
  STX_COLOUR_CLASS = STX_COLOUR_KIND + 5,
  STX_COLOUR_UNKNOWN = STX_COLOUR_CLASS + STX_LABEL_CLASSES,
  STX_COLOURS
};

/* The place of the image in the frame. */
StxPlacement stx_overlay_placement(const StxOverlayParams *params);

/* ---- Prepared state ---------------------------------------------------------------------- */

#define STX_STEPS_PER_PIXEL 32 /* of disparity, in the table of colours */

/* The layers of colours. */
typedef enum {
  STX_LAYER_OBJECT,
  STX_LAYER_GROUND,
  STX_LAYER_SKY,
  STX_LAYER_TOP,  /* outlines: the upper edge … */
  STX_LAYER_SIDE, /* … and the left one */
  STX_LAYERS
} StxLayer;

/* Colours as they are laid on: the paint of `colour` in `layer`, `faint` steps fainter, is number
 * (faint · STX_LAYERS + layer) · STX_COLOURS + colour. Without dimming there are those of faint 0.
 */
enum { STX_FAINT = 8, STX_PAINTS = STX_LAYERS * STX_COLOURS };

/* The source of the number that a mode shows. */
typedef struct {
  double most;                      /* what has the highest colour */
  double metres, focal, cy, height; /* focal · baseline; 0: of the camera, not of the road */
  double cosine, sine;              /* of the pitch */
} StxOverlayLevels;

struct StxOverlay {
  StxOverlayParams params;
  uint8_t nearness[STX_OVERLAY_MAX_DISPARITY * STX_STEPS_PER_PIXEL + 1]; /* disparity -> colour */
  double strength;                                                       /* of stx_overlay_fade */
  StxOverlayLevels levels;
  unsigned seen;    /* kinds or labels that the legend lists */
  int edge;         /* thickness of outlines in pixels, 0: none */
  StxPaint *paints; /* STX_PAINTS of each step of dimming */
  int *left;        /* columns + 1: first frame pixel of each column */
  int *row_edge;    /* height + 1: first frame row of each image row */
  int *column;      /* frame width: the image column that a pixel shows, … */
  int *row;         /* frame height: … the row: -1 before the image, its width or height behind */
};
