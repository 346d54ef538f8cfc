/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads calibrations of stereo cameras as calibration tools and camera makers write them: the
 * lenses, the pose of the right camera, and the rectification if the file has one.
 *
 * The formats, recognised by the content of a file, not by its name:
 *
 *   OpenCV     FileStorage as YAML, JSON or XML, one file or two (intrinsics, extrinsics): K1 D1 K2
 *              D2 (M1 …, cameraMatrix1 distCoeffs1 …), R, T, and R1 R2 P1 P2 if there are any;
 *              image_width, image_height; distortion_model, or fisheye_model: 1
 *   ROS        camera_info, a file per camera, as camera_calibration writes it (YAML or ost.txt) or
 *              `ros2 topic echo` prints it; roi and binning as REP 104 has them
 *   Kalibr     camchain.yaml: cam0, cam1, and T_cn_cnm1, or T_cam_imu or T_imu_cam of both
 *   EuRoC      sensor.yaml of each camera: intrinsics, T_BS
 *   ORB-SLAM   settings: LEFT.K … RIGHT.P, or Camera1.fx … Stereo.T_c1_c2
 *   Basalt     JSON: value0 with T_imu_cam, intrinsics, resolution
 *   VINS       configuration with body_T_cam0, body_T_cam1, and the cameras' files that it names
 *   KITTI      calib_cam_to_cam.txt of raw recordings: S_ K_ D_ R_rect_ P_rect_ of a pair
 *   ZED        SN….conf: LEFT_CAM_…, RIGHT_CAM_…, STEREO, for the resolution of the pictures; or
 *              the OpenCV file of the maker's calibrator: K_LEFT …
 *   DepthAI    JSON of an OAK camera: cameraData, stereoRectificationData
 *
 * Lengths are in metres, or in the format's usual unit (ZED millimetres, DepthAI centimetres),
 * unless the caller gives the length of the file's unit.
 *
 * Cameras look along z, x points right and y down, as with OpenCV: a point X of the left camera is
 * R·X + T in the right one, so that T's x is negative where the right camera stands to the right.
 * Matrices lie row by row. Pixels are counted from the centre of the top left one.
 */
#ifndef STX_CALIBRATION_H
#define STX_CALIBRATION_H

#include "common/camera.h"

#define STX_LENS_COEFFICIENTS 14
#define STX_CALIBRATION_PLACE 128      /* bytes of what says where something stands */
#define STX_CALIBRATION_MAX_SIDE 65536 /* pixels */

/*
 * Lens models, with their coefficients in order; what the file does not have is 0. Their formulas
 * are in calibration_lens.h.
 *   BROWN          k1 k2 p1 p2 k3 k4 k5 k6 s1 s2 s3 s4 tx ty, as OpenCV has them: radial polynomial
 *                  or quotient, tangential, thin prism, tilted sensor
 *   FISHEYE        k1 k2 k3 k4 of the angle to the axis (Kannala-Brandt, "equidistant")
 *   DOUBLE_SPHERE  xi alpha (Usenko, Demmel and Cremers)
 *   EXTENDED       alpha beta: the extended unified model (Khomutenko, Garcia and Martinet)
 *   OMNI           xi k1 k2 p1 p2 k3: a sphere in front of BROWN (Mei and Rives)
 *   FOV            w (Devernay and Faugeras)
 */
typedef enum {
  STX_LENS_BROWN,
  STX_LENS_FISHEYE,
  STX_LENS_DOUBLE_SPHERE,
  STX_LENS_EXTENDED,
  STX_LENS_OMNI,
  STX_LENS_FOV,
  STX_LENS_MODELS
} StxLensModel;

typedef struct {
  double fx, fy, cx, cy; /* pixels; the focal lengths are > 0 */
  StxLensModel model;
  double d[STX_LENS_COEFFICIENTS];
} StxLens;

typedef struct {
  StxLens lens;
  int width, height;  /* of the pictures that it was made with; 0: the file does not say */
  double r[9], p[12]; /* rectifying rotation and projection, if the calibration is `rectified` */
  char place[STX_CALIBRATION_PLACE]; /* where the size stands, or without one the camera matrix, for
                                        messages: "left.yaml:1: \"image_width\"" */
} StxCalibratedCamera;

typedef struct {
  StxCalibratedCamera camera[2]; /* left, right */
  bool rectified;                /* r and p are there, else r_stereo and t */
  double r[9], t[3];             /* from the left to the right camera; metres */
  int width, height;             /* of the rectified pictures; 0: as the camera's own */
  const char *format;            /* what the file was taken for: "OpenCV" */
} StxCalibration;

typedef struct {
  const char *path;
  const char *second; /* of a calibration of two files, OpenCV's in any order; NULL or "": none */
  int pair;    /* KITTI: 0 the gray cameras, 2 the colour ones; -1: those if they are there */
  double unit; /* metres per unit of length in the file; 0: as the format has it */
} StxCalibrationFiles;

/*
 * Is the content of this file, good or not, of one of the formats above? False with an error, too,
 * where it cannot be read. Allocates while it runs; any thread.
 */
STX_API bool stx_calibration_is_known(const char *path, StxError *error);

/*
 * Reads a calibration for pictures of width × height pixels (0: any), which choose among those of a
 * file that holds several.
 *
 * On failure *calibration is untouched, and error names the file, the line, the key, the value,
 * what was expected and what to do: a file that cannot be read, no format of the above, a missing
 * key, a wrong number of coefficients, numbers that are not finite, a singular camera matrix, a
 * rotation that is none, cameras that stand one above the other, left and right swapped, a baseline
 * of no length or in another unit (stx_camera_check).
 *
 * Allocates while it runs; any number of threads may load at the same time.
 */
STX_API bool stx_calibration_load(const StxCalibrationFiles *files, int width, int height,
    StxCalibration *calibration, StxError *error);

/* As stx_camera_load () reads the camera of a rectified pair. The error about a file of lenses
 * names the elements that take it. */
STX_API bool stx_calibration_load_pair(
    const char *path, int pair, StxCamera *camera, StxError *error);

/* Checks a calibration that was read from no file as stx_calibration_load () checks one: principal
 * points, focal lengths, rotations, and where the cameras stand. `error` names the value. */
STX_API bool stx_calibration_check(const StxCalibration *calibration, StxError *error);

/*
 * Writes a calibration, of any origin, to `path` as OpenCV's FileStorage does in JSON: K1 D1 K2 D2,
 * R and T or, of one that is `rectified`, R1 R2 P1 P2, and the size of the pictures. What is read
 * from it again is the same, but the size of rectified pictures, for which OpenCV has no name.
 *
 * Fails, with the reason in `error`, where the file cannot be written, for numbers that are not
 * finite, and where the two cameras differ in their lens model or size.
 */
STX_API bool stx_calibration_save(
    const StxCalibration *calibration, const char *path, StxError *error);

#endif
