/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rectification: pictures of two real cameras become those of two ideal ones that look in the same
 * direction, side by side, so that a point has the same row in both.
 *
 * Source: J.-Y. Bouguet, Camera Calibration Toolbox for Matlab (rectification of a stereo pair);
 * D. C. Brown, "Close-range camera calibration", 1971 (radial and tangential distortion);
 * J. Kannala and S. S. Brandt, "A generic camera model", PAMI 2006 (fisheye); the documentation of
 * OpenCV's stereoRectify and initUndistortRectifyMap, whose conventions these are.
 *
 * For every pixel (u, v) of the rectified picture the position in the camera's picture:
 *
 *   ray       R'·((u − cx)/f, (v − cy)/f, 1)
 *   position  its image by the lens (StxLens)
 *
 * computed once, in double, and rounded to 1/64 pixel. All that follows is integers: with the four
 * pixels around a position, and its fractions fx, fy in 64ths,
 *
 *   out = ((p00·(64 − fx) + p01·fx)·(64 − fy) + (p10·(64 − fx) + p11·fx)·fy + 2048) >> 12
 *
 * which is below 2^20 before the shift. A position is inside if it lies between the centres of the
 * outermost pixels; elsewhere the output has the border's value. Nothing outside is ever read.
 *
 * Subsampled planes: sample u of a plane at half the width lies at pixel 2u + 1/2, in both
 * pictures. It is inside up to half a pixel beyond the outermost centres, so that the last sample
 * of an odd width is; its position is moved to the centres of the outermost samples where it lies
 * beyond them.
 */
#ifndef STX_RECTIFY_H
#define STX_RECTIFY_H

#include "common/calibration/calibration.h"
#include "common/camera.h"
#include "common/fields.h"

#define STX_RECTIFY_ONE 64      /* a pixel, in the positions of a map */
#define STX_RECTIFY_MIN_SIDE 16 /* pixels of either picture */
#define STX_RECTIFY_MAX_SIDE 16384
#define STX_RECTIFY_OUTSIDE 0xFFFFFFFFu /* the place of what the camera does not see */

/* ---- What is wanted ----------------------------------------------------------------------- */

/* Ranges, units and texts of these: stx_rectify_fields. */
typedef struct {
  int width, height; /* of the rectified pictures; 0: as the calibration and the pictures have it */
  double alpha;      /* of calibrations without R and P: 0 no pixel that is not seen, 1 all that is
                        seen, between them in between; below 0: the cameras' focal length */
  double fov;        /* of the same: degrees from the left to the right edge; 0: alpha decides */
} StxRectifyParams;

#define STX_RECTIFY_DEFAULTS                                                                       \
  {                                                                                                \
    .width = 0, .height = 0, .alpha = 0, .fov = 0                                                  \
  }

STX_API const StxFields stx_rectify_fields;

/* ---- From a calibration to a view --------------------------------------------------------- */

/* One camera, for pictures of one size. */
typedef struct {
  StxLens lens; /* of the camera's pictures, source_width × source_height */
  int source_width, source_height;
  double r[9];           /* rectifying rotation */
  double fx, fy, cx, cy; /* of the rectified pictures, width × height */
  int width, height;
  double scale; /* source_width over that in the calibration: 1 if they are of one size */
} StxRectifyView;

/*
 * The left (0) or right (1) camera of a calibration, with pictures of width × height pixels, which
 * may be scaled as a whole. `rectified` gets focal, cx, cy and baseline of the rectified pair, the
 * same for both cameras; height and pitch are 0.
 *
 * With R and P in the calibration those are taken, the left camera's P for both, so that what is
 * infinitely far has disparity 0. Without them Bouguet's rotations: each camera turns by half of
 * what lies between them, then both until the baseline is horizontal.
 *
 * False, with the values in `error`, for what the table does not allow, pictures of another shape
 * than the calibration's, and cameras that do not look in the same direction.
 */
STX_API bool stx_rectify_view(const StxCalibration *calibration, const StxRectifyParams *params,
    int camera, int width, int height, StxRectifyView *view, StxCamera *rectified, StxError *error);

/* The difference of a camera from its calibration. */
typedef struct {
  double angle[3]; /* radians about the axes of the rectified view: pitch, yaw, roll. A view that is
                      turned by pitch shows things farther down, by roll turned to the left */
  double ratio;    /* its focal length over that in the calibration, minus 1 */
} StxRectifyTurn;

/* The view with a calibration that is put right by so much. */
StxRectifyView stx_rectify_turned(const StxRectifyView *view, const StxRectifyTurn *turn);

/* ---- Maps --------------------------------------------------------------------------------- */

/* The sources of the samples of a plane, row by row without padding. The upper left one of the four
 * samples: x in the low half of `place`, y in the high one, or STX_RECTIFY_OUTSIDE; fractions 0 …
 * 64, fx in the low byte, fy in the high one. All four lie within the source. */
typedef struct {
  int width, height;               /* of the rectified plane, samples */
  int source_width, source_height; /* of the camera's */
  const uint32_t *place;
  const uint16_t *fraction;
} StxRectifyMap;

/* Bytes of a map of the view for a plane whose sides are halved `shift_x`, `shift_y` times (0 or
 * 1, rounded up). Maps are bytes: they may be copied. */
STX_API size_t stx_rectify_map_bytes(const StxRectifyView *view, int shift_x, int shift_y);

/* The map that lies, or will lie, in `memory`, which is aligned to STX_ALIGN. */
STX_API StxRectifyMap stx_rectify_map_in(
    const StxRectifyView *view, int shift_x, int shift_y, const void *memory);

/* The share of a map's samples that the camera does not see, in memory of the host. */
STX_API double stx_rectify_black(const StxRectifyMap *map);

/* Fills it, with so many threads. */
STX_API void stx_rectify_map_fill(
    const StxRectifyView *view, int shift_x, int shift_y, void *memory, int threads);

/* The same in a fourth of the time, for a view that changes: every eighth sample of a row is exact,
 * and those between them lie in a straight line. */
void stx_rectify_map_refill(
    const StxRectifyView *view, int shift_x, int shift_y, void *memory, int threads);

/* ---- Pictures ----------------------------------------------------------------------------- */

/* A sample: 1 … 4 bytes, each of which is interpolated, and what they are outside. */
typedef struct {
  int bytes;
  uint8_t border[4];
} StxRectifySample;

/* Packed 4:2:2: a pair of pixels is four bytes. `luma` and luma + 2 are the pixels' own, the other
 * two the colours of both: 0 for YUY2 and YVYU, 1 for UYVY and VYUY. Behind the last pixel of an
 * odd width there is another, which is not read. */
typedef struct {
  int luma;
  uint8_t border[2]; /* of a pixel's own byte, and of the colours */
} StxRectifyPacked;

/*
 * source, target  of the map's sizes in samples, packed ones in pixels; strides in bytes, of either
 *                 sign. They do not overlap. The bytes between the target's rows are not touched.
 *
 * Nothing needs scratch. For the rest see StxPlace.
 */
typedef struct {
  StxImplInfo info;

  /* Rectifies a plane. */
  bool (*run)(const StxRectifyMap *map, const StxRectifySample *sample, const StxImage8 *source,
      const StxImage8 *target, const StxPlace *place, StxError *error);

  /* Rectifies a picture in packed 4:2:2, with the maps of a plane at full size and of one at half
   * the width. The byte behind the last pixel of an odd width is set to 0. */
  bool (*run_packed)(const StxRectifyMap *pixels, const StxRectifyMap *colours,
      const StxRectifyPacked *packed, const StxImage8 *source, const StxImage8 *target,
      const StxPlace *place, StxError *error);
} StxRectifyImpl;

/* Host implementations, best first. */
STX_API const StxImplTable stx_rectify_impls;

#endif
