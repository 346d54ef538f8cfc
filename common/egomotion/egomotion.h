/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The motion of a stereo camera, from its left pictures and their disparities: visual odometry from
 * one frame to the next, and the points that were matched for it. Records: motion.h. The page
 * docs/algorithms/motion.md has the sources.
 *
 *   StxEgomotion *state = stx_egomotion_new();
 *   stx_egomotion_prepare(state, STX_BACKEND_AUTO, width, height, &error)
 *   each frame:
 *     stx_egomotion_frame(state, &frame, &result, &error)
 *   stx_egomotion_free(state);
 *
 * After stx_pipeline_run (pipeline.h), `frame` takes the input's left picture, and the output's
 * disparity and camera; StxObstaclesFrame takes the result's motion, points and interval.
 *
 * Computed from every frame
 *   half      the picture of half the size: h(x, y) = (sum of 2 × 2 pixels + 2) >> 2
 *   relief    what stands out from its surroundings: g = 128 + (k · (49·h − s) >> 10) within
 *             1 … 255, where s is the sum over the 7 × 7 pixels around; 128 within 3 pixels of the
 *             border. k = ⌊10240 / m⌋ within 16 … 512, where m / 16 is the mean difference of two
 *             pixels two columns apart (⌊⌋; of every fourth row, from the third on). So a change of
 *             brightness or contrast leaves it alone
 *   corners   of the 5 × 5 pixels around each of h, the sums of products of central differences
 *             a = Σ gx·gx, b = Σ gy·gy, c = Σ gx·gy and the score ⌊(a·b − c·c) / (a + b + 1)⌋,
 *             about the lesser eigenvalue. The largest in each cell of 8 × 8 pixels of h is a
 *             corner if it reaches STX_EGOMOTION_TEXTURE; ties go to the first by rows
 *
 * From the frame before to this one
 *   place     in full pixels, regression of the patch of 11 × 11 pixels T of the picture before,
 *             its central differences, and a constant on the picture now, J: the displacement with
 *             gain and offset (Lucas and Kanade with illumination), from where the corner is
 *             expected until it stays where it is
 *   search    where that fails, block matching on the relief, 8 × 8 pixels around a corner: the
 *             place of the least sum of absolute differences in a window; ties go to the first by
 *             rows. The sum must be less than half of the patch's texture, less than at all other
 *             places by a share, and the search must lead back. The regression starts from there
 *   motion    three points at a time, a fixed sequence of them: the motion with which most points
 *             agree; then all, by their image position and their disparity now, the error of the
 *             disparity before taken into account, with weights that fall with the error
 *   offset    with it a parabola across the picture by which disparities are off, which is kept
 *             from frame to frame
 * Some corners come first, and their motion says where all are to be expected. What is searched
 * then may move itself.
 *
 * The same input gives the same bytes on every machine and for any number of threads: what is
 * summed over pixels is an integer; the rest are + − × ÷ √ of doubles in a fixed order.
 */
#ifndef STX_EGOMOTION_H
#define STX_EGOMOTION_H

#include "common/camera.h"
#include "common/egomotion/motion.h"

#define STX_EGOMOTION_MAX_SIZE 16384  /* pixels, width and height */
#define STX_EGOMOTION_MAX_POINTS 2048 /* of more corners so many, evenly */
#define STX_EGOMOTION_TEXTURE 300     /* least score of a corner */
#define STX_EGOMOTION_NO_TIME UINT64_MAX

/* Pictures, corners, the last motion, and memory. Opaque; serves one thread at a time. */
typedef struct StxEgomotion StxEgomotion;

/* NULL if there is no memory. Free with stx_egomotion_free(), which accepts NULL. */
STX_API StxEgomotion *stx_egomotion_new(void);
STX_API void stx_egomotion_free(StxEgomotion *state);

/* The steps that read pixels: a record of stx_egomotion_impls, or of a device
 * (stx_egomotion_cuda_impls). Opaque, but for the StxImplInfo that it begins with. */
typedef struct StxEgomotionImpl StxEgomotionImpl;
extern const StxImplTable stx_egomotion_impls;

/* Allocates for frames of this size; to be called before the first frame, and whenever the size
 * or the memory of the implementation changes. If they do, the next frame begins a stream. False
 * with an error: a size that is not allowed, or no memory; the state is then as before. */
bool stx_egomotion_prepare_for(
    StxEgomotion *state, const StxEgomotionImpl *impl, int width, int height, StxError *error);

/* The same for the best one of a backend of the host; false also if it has none. */
STX_API bool stx_egomotion_prepare(
    StxEgomotion *state, StxBackend backend, int width, int height, StxError *error);

/* Bytes of a device's memory that frames of this size need; 0 on the host. */
size_t stx_egomotion_device_bytes(const StxEgomotionImpl *impl, int width, int height);

/* The next frame begins a new stream: it has none before it. */
STX_API void stx_egomotion_reset(StxEgomotion *state);

/* The place of a device's implementation. A frame waits for it twice, or three times if the motion
 * is not as expected: for the matches of some corners, and of all. */
typedef struct {
  StxPlace place;
  void *memory; /* stx_egomotion_device_bytes; it keeps what is in it until the next frame, or that
                   one begins a stream */
  void *ring;   /* StxCudaRing of that stream */
} StxEgomotionDevice;

typedef struct {
  StxImage8 left;
  StxImage16 disparity; /* of the left picture, 1/256 pixel, 0 = unknown; of the same size */
  int depth;            /* of stx_sgm_depth_scale: it holds millimetres; 0: disparities */
  StxCamera camera;     /* of these pixels; focal length, baseline, cx and cy must be known */
  uint64_t time;        /* ns of any clock, or STX_EGOMOTION_NO_TIME */
  int threads;          /* >= 1 */
  const StxEgomotionDevice *device; /* has the images; NULL: the host has */
} StxEgomotionFrame;

typedef struct {
  StxMotion motion;
  const StxMotionPoint *points; /* by rows of cells of the frame before; the state's, until its next
                                   call. All that were found, also of what moves itself */
  size_t count;
  uint64_t interval; /* ns since the frame before, or STX_EGOMOTION_NO_TIME: unknown */
  /* Pixels by which disparities are too large, in the mean over the picture, by the frames of the
   * stream so far, and its standard deviation. */
  double offset, offset_deviation;
} StxEgomotionResult;

/*
 * Finds the motion of the next frame of a stream. Keeps nothing of the images. A stream begins anew
 * (STX_MOTION_FIRST) after a reset, with another camera, with a time before the last one, and with
 * one a second or more after it. Only the expected motion depends on times, so frames without one,
 * or with that of the last, are matched all the same. After STX_MOTION_STILL the next frame is
 * compared with the same one again.
 *
 * On failure *result is all zero, with the state "known" not set: STX_MOTION_FIRST. Fails if the
 * images are not of the size that was prepared, the camera lacks a number, or a device fails; the
 * next frame then begins a stream.
 */
STX_API bool stx_egomotion_frame(StxEgomotion *state, const StxEgomotionFrame *frame,
    StxEgomotionResult *result, StxError *error);

#endif
