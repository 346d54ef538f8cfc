/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Marks over the stixels besides their legend: the free space, the corridor, distances of
 * obstacles. All of it goes on a canvas (common/canvas/canvas.h), which lies over the frame.
 */
#ifndef STX_OVERLAY_MARKS_H
#define STX_OVERLAY_MARKS_H

#include "common/obstacle.h"
#include "common/overlay/overlay.h"
#include "common/velocity.h"

/* The inputs of a frame: all of the image of the StxOverlayParams. */
typedef struct {
  const StxStixel *stixels; /* sorted by column, then from the bottom up; others are passed over */
  size_t stixel_count;
  const StxObstacle *obstacles; /* NULL: not searched */
  size_t obstacle_count;
  const StxFreeSpace *free_space; /* by column; NULL: not searched */
  size_t free_count;

  /* Over ground, of every obstacle and of every stixel; NULL: unknown. */
  const StxVelocity *velocities, *stixel_velocities;
} StxOverlayFacts;

#define STX_METRES_TEXT 32

/* A depth as labels have it, in any locale: "8.3 m", "25 m"; "≈ 90 m" with a deviation of a tenth
 * and more; "> 150 m", two deviations of the disparity nearer, from a third on. Deviations that are
 * not numbers count as 0. */
STX_API void stx_metres_spell(double depth, double deviation, char text[STX_METRES_TEXT]);

/* Does such a frame have any marks? */
STX_API bool stx_overlay_has_marks(const StxOverlayParams *params);

/* Bytes of scratch for the two below; params have passed the check. */
STX_API size_t stx_overlay_mark_scratch(const StxOverlayParams *params);

/*
 * Lines, to be drawn before the legend:
 *   free space  along the lower edge of the nearest obstacle of each column: where
 *               facts->free_space says that something stands or, without it, of the lowest object.
 *               Columns without one have a gap
 *   corridor    its two sides on the road, from the image's lower edge, and its end. The road is a
 *               plane: through the stixels of the ground or, if these are few, as the camera's
 *               height and pitch say; without either there is none
 *   velocities  arrows from the feet of stixels and obstacles that move to where these will be in
 *               half a second, and a key to their length. They take a camera in metres
 *   boxes       frames of params->labels_max obstacles, in the order of the labels, and of all
 *               that road-hazards found
 */
STX_API void stx_overlay_draw_lines(
    StxCanvas *canvas, const StxOverlayParams *params, const StxOverlayFacts *facts, void *scratch);

/*
 * Labels, after the legend, whose place they leave alone: at most params->labels_max, in the order
 * of stx_label_next (labels.h), above the obstacle's upper edge or, where that is taken, near it.
 * Without room there is none. Without facts->obstacles the distances of objects that are a few
 * columns wide, the nearest first, in pixels of disparity if the camera is unknown.
 */
STX_API void stx_overlay_draw_labels(
    StxCanvas *canvas, const StxOverlayParams *params, const StxOverlayFacts *facts, void *scratch);

#endif
