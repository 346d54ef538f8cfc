/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calibrations as texts, made by hand in the form that tools write, and files of them. */
#pragma once

#include "common/calibration/calibration.h"

#define CASE_MATRIX(name, rows, cols, data)                                                        \
  name ": !!opencv-matrix\n   rows: " #rows "\n   cols: " #cols "\n   dt: d\n   data: [ " data     \
       " ]\n"

/* 640×480, focal lengths 500 and 510; the right camera 0.12 m to the right. */
#define CASE_INTRINSICS                                                                            \
  "%YAML:1.0\n---\n" CASE_MATRIX("M1", 3, 3, "500., 0., 320.5, 0., 501., 240.25, 0.,\n 0., 1.")    \
      CASE_MATRIX("D1", 1, 5, "-0.3, 0.1, 0.001, -0.002, 0.01")                                    \
          CASE_MATRIX("M2", 3, 3, "510., 0., 318., 0., 511., 242., 0., 0., 1.")                    \
              CASE_MATRIX("D2", 1, 8, "-0.28, 0.09, 0., 0., 0.02, 1.e-02, 0.002, 0.003")
#define CASE_POSE                                                                                  \
  CASE_MATRIX("R", 3, 3, "1., 0., 0., 0., 1., 0., 0., 0., 1.")                                     \
  CASE_MATRIX("T", 3, 1, "-0.12, 0.001, 0.002")
#define CASE_EXTRINSICS "%YAML:1.0\n---\n" CASE_POSE
#define CASE_RECTIFIED                                                                             \
  CASE_MATRIX("R1", 3, 3, "1., 0., 0., 0., 1., 0., 0., 0., 1.")                                    \
  CASE_MATRIX("R2", 3, 3, "0.8, -0.6, 0., 0.6, 0.8, 0., 0., 0., 1.")                               \
  CASE_MATRIX("P1", 3, 4, "480., 0., 310., 0., 0., 480., 230., 0., 0., 0., 1., 0.")                \
  CASE_MATRIX("P2", 3, 4, "480., 0., 310., -57.6, 0., 480., 230., 0., 0., 0., 1., 0.")

#define CASE_ROS(side, model, d, p3)                                                               \
  "image_width: 640\nimage_height: 480\ncamera_name: " side                                        \
  "\ncamera_matrix:\n  rows: 3\n  cols: 3\n  data: [500, 0, 320.5, 0, 501, 240.25, 0, 0, 1]\n"     \
  "distortion_model: " model "\ndistortion_coefficients:\n  rows: 1\n  cols: 5\n  data: [" d       \
  "]\nrectification_matrix:\n  rows: 3\n  cols: 3\n  data: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n"          \
  "projection_matrix:\n  rows: 3\n  cols: 4\n  data: [480, 0, 310, " p3                            \
  ", 0, 480, 230, 0, 0, 0, 1, 0]\n"
#define CASE_ROS_LEFT CASE_ROS("left", "plumb_bob", "-0.3, 0.1, 0.001, -0.002, 0.01", "0")
#define CASE_ROS_RIGHT CASE_ROS("right", "plumb_bob", "-0.3, 0.1, 0.001, -0.002, 0.01", "-57.6")

#define CASE_KALIBR                                                                                \
  "cam0:\n  cam_overlaps: [1]\n  camera_model: pinhole\n"                                          \
  "  distortion_coeffs: [-0.01, 0.02, -0.03, 0.04]\n  distortion_model: equidistant\n"             \
  "  intrinsics: [380.0, 381.0, 330.0, 235.0]\n  resolution: [640, 480]\n  rostopic: /cam0\n"      \
  "cam1:\n  T_cn_cnm1:\n  - [1.0, 0.0, 0.0, -0.11]\n  - [0.0, 1.0, 0.0, 0.001]\n"                  \
  "  - [0.0, 0.0, 1.0, -0.002]\n  - [0.0, 0.0, 0.0, 1.0]\n  cam_overlaps: [0]\n"                   \
  "  camera_model: pinhole\n  distortion_coeffs: [-0.011, 0.021, -0.031, 0.041]\n"                 \
  "  distortion_model: equidistant\n  intrinsics: [382.0, 383.0, 331.0, 236.0]\n"                  \
  "  resolution: [640, 480]\n  rostopic: /cam1\n"

#define CASE_KITTI_CAMERA(n, bx)                                                                   \
  "S_" n ": 1.392000e+03 5.120000e+02\nK_" n                                                       \
  ": 9.842439e+02 0.0 6.900000e+02 0.0 9.808141e+02 2.331966e+02 0.0 0.0 1.0\nD_" n                \
  ": -3.728755e-01 2.037299e-01 2.219027e-03 1.383707e-03 -7.233722e-02\nR_" n                     \
  ": 1 0 0 0 1 0 0 0 1\nT_" n ": " bx " 0 0\nS_rect_" n ": 1.242000e+03 3.750000e+02\nR_rect_" n   \
  ": 1 0 0 0 1 0 0 0 1\nP_rect_" n ": 7.2e+02 0 6.1e+02 " bx " 0 7.2e+02 1.7e+02 0 0 0 1 0\n"
#define CASE_KITTI                                                                                 \
  "calib_time: 09-Jan-2012 13:57:47\ncorner_dist: 9.950000e-02\n" CASE_KITTI_CAMERA("00", "0")     \
      CASE_KITTI_CAMERA("01", "-388.8") CASE_KITTI_CAMERA("02", "36")                              \
          CASE_KITTI_CAMERA("03", "-338.4")

#define CASE_ZED_CAMERA(side, mode, f, c)                                                          \
  "[" side "_CAM_" mode "]\nfx=" f "\nfy=" f "\ncx=" c                                             \
  "\ncy=360.5\nk1=-0.17\nk2=0.025\np1=0.001\np2=-0.002\nk3=0.003\n\n"
#define CASE_ZED                                                                                   \
  CASE_ZED_CAMERA("LEFT", "2K", "1400", "1104")                                                    \
  CASE_ZED_CAMERA("RIGHT", "2K", "1401", "1105")                                                   \
  CASE_ZED_CAMERA("LEFT", "HD", "700", "640.5")                                                    \
  CASE_ZED_CAMERA("RIGHT", "HD", "701", "641.5")                                                   \
  "[STEREO]\nBaseline=119.9\nTY=0.1\nTZ_HD=-0.2\nTZ_2K=9\nCV_HD=0.01\nRX_HD=0\nRZ_HD=0\n"          \
  "CV_2K=0.02\nRX_2K=0\nRZ_2K=0\n"

#define CASE_OAK_CAMERA(socket, k1, x, to, type)                                                   \
  "[" socket ", {\n\"cameraType\": " type ",\n\"distortionCoeff\": [" k1                           \
  ", 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0],\n\"extrinsics\": {\"rotationMatrix\": "            \
  "[[1, 0, 0], [0, 1, 0], [0, 0, 1]], \"specTranslation\": {\"x\": 0, \"y\": 0, \"z\": 0}, "       \
  "\"toCameraSocket\": " to ", \"translation\": {\"x\": " x ", \"y\": 0.01, \"z\": 0.02}},\n"      \
  "\"height\": 800,\n\"intrinsicMatrix\": [[799.7, 0, 662.9], [0, 799.3, 382.2], [0, 0, 1]],\n"    \
  "\"lensPosition\": 0, \"specHfovDeg\": 71.8, \"width\": 1280}]"
#define CASE_OAK(left_x, left_to, type)                                                            \
  "{\"boardName\": \"made\", \"cameraData\": [" CASE_OAK_CAMERA("0", "0.1", "0", "-1",             \
      "0") ", " CASE_OAK_CAMERA("1", "0.2", left_x, left_to, type) ", " CASE_OAK_CAMERA("2",       \
      "0.3", "3.75", "0",                                                                          \
      type) "], \"stereoRectificationData\": "                                                     \
            "{\"leftCameraSocket\": 1, \"rightCameraSocket\": 2, \"rectifiedRotationLeft\": [], "  \
            "\"rectifiedRotationRight\": []}, \"version\": 7}"

/* Writes the texts to files (second: may be NULL), loads them, and removes the files. */
bool calibration_case_load(const char *first, const char *second, int pair, double unit, int width,
    int height, StxCalibration *calibration, StxError *error);
