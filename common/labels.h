/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The 19 classes of Cityscapes' benchmark: their names, and the two numberings in use.
 *
 * Source: M. Cordts et al., "The Cityscapes Dataset for Semantic Urban Scene Understanding",
 * CVPR 2016. Label ids (0…33) number everything that was annotated and are what label images
 * store, KITTI's semantic/ folder included; train ids (0…18) number the classes that are
 * evaluated and are what this project works with.
 */
#ifndef STX_LABELS_H
#define STX_LABELS_H

#include <stdint.h>

#include "common/obstacle.h"
#include "common/stixel.h"
#include "common/velocity.h"
#include "common/stx.h"

#define STX_LABEL_CLASSES 19

/* map[label id] = train id, or STX_LABEL_NONE for what is not evaluated (ego vehicle, parking,
 * rail track, … and every value above 33). */
STX_API void stx_labels_from_cityscapes(uint8_t map[256]);

/* map[train id] = itself, or STX_LABEL_NONE from STX_LABEL_CLASSES on. */
STX_API void stx_labels_identity(uint8_t map[256]);

/* "road" … "bicycle"; "none" for anything that is no train id. */
STX_API const char *stx_label_name(int train_id);

/* The train id of a name, or STX_LABEL_NONE. Upper case is as lower case, and "traffic_light" and
 * "traffic-light" as "traffic light". */
uint8_t stx_label_named(const char *name);

/* ---- Which obstacles are labelled -------------------------------------------------------- */

#define STX_LABELS_MAX 12   /* labels on a picture, if nothing else is asked for, */
#define STX_LABELS_MOST 200 /* … and at most */

/*
 * The order in which obstacles are labelled on a picture: the nearest first, where what moves over
 * ground, what stands in the corridor and the things of road-hazards count as half as far, and what
 * is two of these as a quarter. Ties go to the first. Obstacles without a distance are left out.
 *
 * Returns the index of the obstacle after `last`, or `count` if there is none; `last` = `count`
 * asks for the first. velocities: one for every obstacle, or NULL.
 */
size_t stx_label_next(
    const StxObstacle *obstacles, const StxVelocity *velocities, size_t count, size_t last);

/*
 * Draws a map of regions on labels: stretched over the rectangle (x, y, width, height) of `to`, in
 * pixels, and cut at its border, each pixel of `to` gets map[region under its middle], or keeps
 * what it has where that is STX_LABEL_NONE.
 */
void stx_labels_draw(const StxImage8 *regions, const uint8_t map[256], double x, double y,
    double width, double height, const StxImage8 *to);

#endif
