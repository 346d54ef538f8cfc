/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the marks share; nobody else includes it. */
#ifndef STX_OVERLAY_MARKS_PRIVATE_H
#define STX_OVERLAY_MARKS_PRIVATE_H

#include "common/overlay/overlay_marks.h"
#include "common/overlay/overlay_private.h"

/* A frame's marks while they are drawn. */
typedef struct {
  StxSheet *sheet;
  const StxOverlayParams *params;
  const StxOverlayFacts *facts;
  StxPlacement at; /* of the image in the frame */
  double text, line;
} StxOverlayMarks;

/* A point of the image, from its top left corner, in the frame. */
StxSpot stx_overlay_spot(const StxOverlayMarks *marks, double u, double v);

/* A line that shows on any picture. */
void stx_overlay_stroke(
    const StxOverlayMarks *marks, const StxSpot *points, size_t count, StxMeaning meaning);

/* Row of the image, from the centre of the first, by disparity. */
typedef struct {
  double horizon, slope;
} StxOverlayRoad;

bool stx_overlay_find_road(
    const StxCamera *camera, const StxOverlayFacts *facts, StxOverlayRoad *road);

/* overlay_labels.c */
size_t stx_overlay_label_scratch(const StxOverlayParams *params);
void stx_overlay_label(const StxOverlayMarks *marks, void *scratch);

#endif
