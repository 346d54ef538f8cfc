/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pose of a LiDAR sensor relative to the left camera: by six numbers, or as in KITTI's files.
 *
 * Both lead to a matrix of 3 rows of 4 that takes a point of a scan (x ahead, y to the left, z up,
 * 1) to the camera's axes (metres.h: x to the right, y down, z ahead).
 */
#ifndef STX_EXTRINSICS_H
#define STX_EXTRINSICS_H

#include "common/fields.h"

/* The sensor's place and how it is turned, in axes of the camera that look as those of a scan do: x
 * ahead, y to the left, z up. It is rolled about its x axis, then pitched about y, then turned
 * about z, each the right-handed way: right side down, front down, front to the left. */
typedef struct {
  double x, y, z;          /* metres */
  double roll, pitch, yaw; /* radians */
} StxExtrinsics;

#define STX_EXTRINSICS_MAX_SHIFT 100                    /* metres */
#define STX_EXTRINSICS_MAX_ANGLE 3.14159265358979323846 /* π */

/* Every field, as sensor-x … sensor-yaw. All 0: in the place of the camera. */
STX_API const StxFields stx_extrinsics_fields;

/* False, with a text that names field, value and range, for what the table does not allow. */
STX_API bool stx_extrinsics_check(const StxExtrinsics *extrinsics, StxError *error);

STX_API void stx_extrinsics_matrix(const StxExtrinsics *extrinsics, double matrix[12]);

/* The same place in the axes of a scan: rows for x ahead, y to the left, z up. */
STX_API void stx_extrinsics_to_scan_axes(const double matrix[12], double scan[12]);

typedef enum {
  STX_EXTRINSICS_FOUND,
  STX_EXTRINSICS_MISSING,
  STX_EXTRINSICS_FAILED
} StxExtrinsicsFile;

/*
 * Reads `path`, KITTI's calib.txt: "Tr:" (odometry) or "Tr_velo_to_cam:" (objects), 12 finite
 * numbers, takes points to camera 0, after "R0_rect:" (9 numbers), where there is one. What leads
 * on to the left camera is the last column of its projection "P0:" … "P3:". `pair` chooses it as
 * stx_camera_load() does: 0, 2, or -1 for P2 if there is one, else P0.
 *
 * MISSING: the file has no such line, as Cityscapes' have none. FAILED: `error` names the file, the
 * line and what was expected; also where the file cannot be read. *matrix is written if FOUND.
 * Allocates while it runs.
 */
STX_API StxExtrinsicsFile stx_extrinsics_load(
    const char *path, int pair, double matrix[12], StxError *error);

#endif
