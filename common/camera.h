/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The camera of a rectified stereo pair: what turns disparity into metres and says where the
 * road should be. Read from KITTI's calib.txt or Cityscapes' camera.json, or given by hand.
 */
#ifndef STX_CAMERA_H
#define STX_CAMERA_H

#include "common/stx.h"

typedef struct {
  double focal;    /* focal length, pixels; > 0, or 0: unknown camera */
  double cx, cy;   /* principal point, pixels from the centre of the top left pixel */
  double baseline; /* metres between the two cameras; > 0, or 0: unknown */
  double height;   /* metres of the camera above the road; > 0, or 0: unknown */
  double pitch;    /* radians; positive looks down, so that the horizon moves up */
} StxCamera;

/* True if disparities can be turned into metres (focal and baseline known). */
static inline bool stx_camera_is_metric(const StxCamera *camera)
{
  return camera->focal > 0 && camera->baseline > 0;
}

/* True if the road's disparity can be predicted (metric, and height known). */
static inline bool stx_camera_has_ground(const StxCamera *camera)
{
  return stx_camera_is_metric(camera) && camera->height > 0;
}

/*
 * Reads `path`, whose content (not its name) decides the format:
 *   KITTI: lines "P0:" … "P3:" (raw recordings: "P_rect_00:" … "P_rect_03:") of 12 finite
 *     numbers, a 3×4 projection row by row; any other line is skipped. `pair` chooses the cameras:
 *     0 the gray pair (P0, P1), 2 the colour pair (P2, P3), -1 the colour pair if the file has
 *     either of its lines, else gray. baseline = (P[3] of the left − P[3] of the right) / focal;
 *     the two cameras must agree in focal length, cx and cy to half a pixel. Height and pitch are
 *     not in such files: KITTI's 1.65 m and 0 are filled in.
 *   Cityscapes: JSON with intrinsic {fx, u0, v0} and extrinsic {baseline, pitch, z}, pitch within
 *     ±45° (it is in radians, and has the sign of StxCamera). `pair` does not matter.
 * Line ends of any kind, a byte order mark and the process's locale make no difference. A file may
 * have up to 1 MiB.
 *
 * On failure *camera is untouched and error names the file, the line or key, and what was
 * expected: a missing or truncated file, a directory, binary data, a missing or doubled line, a
 * count other than 12, a number that is not finite, focal, baseline or height not positive.
 *
 * Allocates while it runs; any number of threads may load at the same time.
 */
STX_API bool stx_camera_load(const char *path, int pair, StxCamera *camera, StxError *error);

#endif
