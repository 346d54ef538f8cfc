/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval lidar: what its files share. */
#ifndef STX_EVAL_LIDAR_H
#define STX_EVAL_LIDAR_H

#include "common/stx.h"
#include "examples/shared/lidar_scans.h"

/* What a point is, as far as it counts. */
typedef enum { TRUTH_IGNORED, TRUTH_GROUND, TRUTH_OTHER } PointTruth;

/*
 * Writes a PNG of the scan from above, x up and y to the left, 1000 × 1000 pixels of 10 cm around
 * the sensor: ground that was found green, what is no ground white, what is and was not found blue,
 * what was taken for ground red, points that do not count gray. What is wrong lies over what is
 * right, and that over what does not count. truth, labels: one for each point.
 */
bool lidar_save_picture(const char *path, const LidarScan *scan, const PointTruth *truth,
    const uint32_t *labels, StxError *error);

#endif
