/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A LiDAR scan as a camera sees it: what lidar-overlay draws on a frame.
 *
 * The matrix of common/extrinsics/extrinsics.h takes a point of the scan to q, on the camera's
 * axes: x to the right, y down, z forward. It is seen at
 *
 *   u = focal·q_x/q_z + cx,   v = focal·q_y/q_z + cy      pixels, from the centre of the first one
 *
 * in a rectified picture. Points that are not finite, less than 0.1 m in front of the camera, or
 * out of the picture by more than the size of a dot are not seen. A nearer dot lies over a farther
 * one, whatever the order of the points; of equal ones that which is farther to the right, lower,
 * or of a brighter colour. Nothing is known of what hides a point from the camera but not from the
 * sensor above it: such points shine through.
 *
 * Memory: one block belongs to the caller, see stx_scanview_size. Threads: one block per thread.
 */
#pragma once

#include "common/camera.h"
#include "common/obstacle.h"
#include "common/canvas/canvas.h"

/* ---- Parameters ---------------------------------------------------------------------------- */

/* CLUSTERS: a colour per cluster, another for obstacles in none; LABELS: ground, obstacle, none.
 * Without labels both are RANGE: near red … far blue. HEIGHT: blue at 2 m below the sensor … red at
 * 2 m above. INTENSITY: 0…1, or 0…255 where a point of the scan exceeds 1. */
typedef enum {
  STX_SCANVIEW_CLUSTERS,
  STX_SCANVIEW_LABELS,
  STX_SCANVIEW_RANGE,
  STX_SCANVIEW_HEIGHT,
  STX_SCANVIEW_INTENSITY
} StxScanviewMode;

/* Ranges, units and texts of these: stx_scanview_fields. */
typedef struct {
  StxScanviewMode mode;
  double point_size; /* of a dot, pixels; 0: what suits the frame */
  double alpha;      /* opacity of the dots */
  double max_range;  /* metres: this and more is the farthest colour */
  StxLegend legend;
  bool obstacles; /* as boxes, with their distance */
} StxScanviewParams;

#define STX_SCANVIEW_DEFAULTS                                                                      \
  {                                                                                                \
    .mode = STX_SCANVIEW_CLUSTERS, .alpha = 0.9, .max_range = 50, .legend = STX_LEGEND_TOP_LEFT,   \
    .obstacles = true                                                                              \
  }

extern const StxFields stx_scanview_fields;
bool stx_scanview_check(const StxScanviewParams *params, StxError *error);

/* ---- Drawing ------------------------------------------------------------------------------- */

/* The projection of a frame: its camera, of which focal, cx and cy count, and where the sensor
 * stands. */
typedef struct {
  StxCamera camera;
  double extrinsics[12];
} StxScanviewLens;

/* `labels` are SemanticKITTI's (common/ground/ground.h), NULL: none. */
typedef struct {
  const float *points; /* count · 4, any values; may be NULL if count is 0 */
  const uint32_t *labels;
  size_t count;
} StxScan;

/* Bytes of the block for scans of so many points. */
size_t stx_scanview_size(size_t points);

/* The dots of a scan on a frame of width × height pixels, the farthest first, and if `depths` is
 * not NULL their metres along the optical axis; both are in `memory` (aligned to STX_ALIGN).
 * Returns how many there are. */
size_t stx_scanview_dots(const StxScanviewParams *params, const StxScanviewLens *lens, int width,
    int height, const StxScan *scan, void *memory, const StxCanvasDot **dots, const float **depths);

/* Draws dots and the legend; `strength`, 0…1, is that of a scan that is not of this moment. Returns
 * the number of dots. Up to `threads` draw. */
size_t stx_scanview_draw(const StxScanviewParams *params, const StxScanviewLens *lens,
    const StxScan *scan, double strength, int threads, void *memory, StxCanvas *canvas);

/* Draws boxes around obstacles of a scan, and writes the distances of at most STX_LABELS_MAX of
 * them, in the order of stx_label_next. Obstacles of unknown place or size, behind the camera in
 * part, or whose middle is not in the picture are passed over. */
void stx_scanview_boxes(const StxScanviewLens *lens, const StxObstacle *obstacles, size_t count,
    double strength, StxCanvas *canvas);
