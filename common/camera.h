/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The camera of a rectified stereo pair. It converts disparity into metres and gives the expected
 * position of the road. It is read from KITTI's or Middlebury's calib.txt or Cityscapes'
 * camera.json, or given by hand.
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

  int image_width, image_height; /* pixels, for which focal, cx and cy hold; 0: unknown */
  unsigned missing;              /* StxCameraNumber: unknown ones; they are 0 */
} StxCamera;

/* Numbers of which 0 is a value like any other. */
typedef enum {
  STX_CAMERA_CX = 1,
  STX_CAMERA_CY = 2,
  STX_CAMERA_PITCH = 4,
  STX_CAMERA_ALL = 7,
} StxCameraNumber;

/* True if disparities can be turned into metres (focal and baseline known). */
static inline bool stx_camera_is_metric(const StxCamera *camera)
{
  return camera->focal > 0 && camera->baseline > 0;
}

/* True if the road's disparity can be predicted (metric, height and cy known). An unknown pitch
 * counts as 0. */
static inline bool stx_camera_has_ground(const StxCamera *camera)
{
  return stx_camera_is_metric(camera) && camera->height > 0 && !(camera->missing & STX_CAMERA_CY);
}

static inline bool stx_camera_is_same(const StxCamera *a, const StxCamera *b)
{
  return a->focal == b->focal && a->cx == b->cx && a->cy == b->cy && a->baseline == b->baseline &&
         a->height == b->height && a->pitch == b->pitch && a->image_width == b->image_width &&
         a->image_height == b->image_height && a->missing == b->missing;
}

/* Range of a baseline, metres. */
#define STX_CAMERA_LEAST_BASELINE 0.0005
#define STX_CAMERA_MOST_BASELINE 10.0

/* ---- Another image ------------------------------------------------------------------------- */

/* A column or row, counted from the centre of the first pixel, in an image of `factor` times the
 * size: images are scaled from edge to edge, half a pixel before that centre. */
static inline double stx_scaled_centre(double centre, double factor)
{
  return (centre + .5) * factor - .5;
}

/* Are two sizes, of which no side is 0, of one shape? Up to a pixel on either side, since sides are
 * rounded, but of tiny images not more than a tenth. */
STX_INLINE bool stx_same_shape(int width, int height, int other_width, int other_height)
{
  double pixel_across = 1.0 / (width < other_width ? width : other_width);
  double pixel_down = 1.0 / (height < other_height ? height : other_height);
  double most = pixel_across + pixel_down < .1 ? pixel_across + pixel_down : .1;
  double off = (double)width / other_width / ((double)height / other_height) - 1;
  return off <= most && off >= -most;
}

#ifndef __GI_SCANNER__ /* of the library stixels alone, for programs without GStreamer */
/*
 * Scales the camera to an image of width × height pixels that shows the same view: focal length and
 * principal point change if `camera` names another size. An image whose aspect ratio is off by more
 * than a pixel on either side is refused: its pixels would not be square, or it was cut.
 *
 * A camera that names no size is taken for the image's, unless its principal point says that it
 * cannot be: refused if it would be in the middle of a smaller or larger image of the same shape.
 *
 * `note` says what was wrong, or what is to be known: that numbers were scaled, or that a
 * principal point far from the middle makes one doubt; else it is empty. After a failure the camera
 * is as before. One without a focal length is not doubted.
 */
STX_API bool stx_camera_fit(StxCamera *camera, int width, int height, StxError *note);

/* A camera without a focal length becomes `known`, of whatever size, as far as that fits an image
 * of width × height pixels. */
void stx_camera_complete(StxCamera *camera, const StxCamera *known, int width, int height);

/* Makes it that of the width × height pixels from column `left` and row `top` on; no more is left
 * of the image. */
STX_API void stx_camera_cut(StxCamera *camera, int left, int top, int width, int height);

/*
 * Refuses numbers that no camera has, and so are of another unit: a baseline outside of 0.5 mm to
 * 10 m; a camera above the road by less than 2 cm, a 64th of that, or more than 100 m; a pitch
 * beyond 45 degrees; a focal length above 1e6 px or, of an image whose size is known, below a 20th
 * of its width. What is unknown, 0, is not judged. `place` is where the text in `error` begins,
 * `cure` where it ends: what the user can do about it there.
 */
STX_API bool stx_camera_check(
    const StxCamera *camera, const char *place, const char *cure, StxError *error);

/* ---- Files --------------------------------------------------------------------------------- */

/*
 * Reads `path`, whose content (not its name) decides the format:
 *   KITTI: lines "P0:" … "P3:" (raw recordings: "P_rect_00:" … "P_rect_03:") of 12 finite
 *     numbers, a 3×4 projection row by row; any other line is skipped. `pair` chooses the cameras:
 *     0 the gray pair (P0, P1), 2 the colour pair (P2, P3), -1 the colour pair if the file has
 *     either of its lines, else gray. baseline = (P[3] of the left − P[3] of the right) / focal;
 *     the two cameras must agree in focal length, cx and cy to half a pixel. Height and pitch are
 *     not in such files: KITTI's 1.65 m is filled in, and the pitch is missing. The image's size is
 *     that of the left camera's "S_rect_00:" …, or that which KITTI's recordings with this focal
 *     length and cx have; else it is not known.
 *   Cityscapes: JSON with intrinsic {fx, u0, v0} and extrinsic {baseline, pitch, z}, pitch within
 *     ±45° (it is in radians, and has the sign of StxCamera). `pair` does not matter. The image's
 *     size is "width" and "height" of intrinsic, which Cityscapes' own files lack; these are told
 *     by their numbers, and hold for 2048×1024.
 *   Middlebury: calib.txt with cam0, doffs, which must be 0, baseline in millimetres, width and
 *     height. The camera's height and pitch are not in such files.
 * Line ends of any kind, a byte order mark and the process's locale make no difference. A file may
 * have up to 1 MiB.
 *
 * On failure *camera is untouched and error names the file, the line or key, and what was
 * expected: a missing or truncated file, a directory, binary data, a missing or doubled line, a
 * count other than 12, a number that is not finite, focal, baseline or height not positive, or
 * numbers in another unit (stx_camera_check).
 *
 * Allocates while it runs; any number of threads may load at the same time.
 */
STX_API bool stx_camera_load(const char *path, int pair, StxCamera *camera, StxError *error);

#endif /* __GI_SCANNER__ */

#endif
