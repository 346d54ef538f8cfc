/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/calibration/calibration_faults.h"

#include <stdlib.h>
#include <string.h>

#include "tests/common/calibration/calibration_case.h"

const CalibrationFault calibration_faults[] = {
    {"OpenCV", "size", CASE_INTRINSICS CASE_POSE, NULL, NULL, "M1:", "image_size: [300, 480]\nM1:",
        {":3: \"image_size\"", "(320.5, 240.25)", "300x480", "calibrate again"}},
    {"OpenCV", "matrix", CASE_INTRINSICS CASE_POSE, NULL, NULL, "500.", "0.",
        {":3: ", "\"M1\" is no camera matrix", "0 0 320.5", "fx and fy > 0", "calibrate again"}},
    {"OpenCV", "NaN", CASE_INTRINSICS CASE_POSE, NULL, NULL, "501.", ".nan",
        {":3: ", "number 5 of \"M1\" is \".nan\"", "finite", "calibrate again"}},
    {"OpenCV", "swapped", CASE_INTRINSICS CASE_POSE, NULL, NULL, "-0.12", "0.12",
        {":29: \"T\"", "swapped", "0.12 m to the left", "exchange"}},
    {"OpenCV", "no R", CASE_INTRINSICS CASE_POSE, NULL, NULL, "R: !!", "X: !!",
        {"no \"R\"", "calibration-right", "stereoCalibrate"}},
    {"OpenCV", "no rotation", CASE_INTRINSICS CASE_POSE, NULL, "R: !!", "[ 1.", "[ 2.",
        {":24: \"R\"", "no rotation", "calibrate again"}},
    {"ROS", "size", CASE_ROS_LEFT, CASE_ROS_RIGHT, NULL, "image_width: 640", "image_width: 300",
        {":1: \"image_width\"", "(320.5, 240.25)", "300x480", "both cameras together"}},
    {"ROS", "matrix", CASE_ROS_LEFT, CASE_ROS_RIGHT, NULL, "501", "0",
        {":4: ", "\"camera_matrix\" is no camera matrix", "320.5 0 0 240.25", "fx and fy > 0",
            "both cameras together"}},
    {"ROS", "NaN", CASE_ROS_LEFT, CASE_ROS_RIGHT, NULL, "501", ".nan",
        {":4: ", "number 5 of \"camera_matrix\" is \".nan\"", "finite", "both cameras together"}},
    {"ROS", "swapped", CASE_ROS_RIGHT, CASE_ROS_LEFT, NULL, "camera_name", "camera_name",
        {":17: \"projection_matrix\"", "swapped", "0.12 m to the left", "exchange"}},
    {"ROS", "no R", CASE_ROS_LEFT, CASE_ROS_RIGHT, NULL, "rectification_matrix", "x",
        {"no \"rectification_matrix\"", "both cameras together"}},
    {"ROS", "no rotation", CASE_ROS_LEFT, CASE_ROS_RIGHT, "rectification_matrix", "[1, 0", "[1, 1",
        {":13: \"rectification_matrix\"", "no rotation", "both cameras together"}},
    {"Kalibr", "size", CASE_KALIBR, NULL, NULL, "resolution: [640", "resolution: [300",
        {":7: cam0: \"resolution\"", "(330, 235)", "300x480", "for both cameras again"}},
    {"Kalibr", "matrix", CASE_KALIBR, NULL, NULL, "[380.0", "[0",
        {":6: cam0: \"intrinsics\"", "focal lengths are 0 and 381", "more than 0",
            "for both cameras again"}},
    {"Kalibr", "swapped", CASE_KALIBR, NULL, NULL, "-0.11]", "0.11]",
        {":10: cam1: \"T_cn_cnm1\"", "swapped", "0.11 m to the left", "exchange"}},
    {"Kalibr", "no R", CASE_KALIBR, NULL, NULL, "T_cn_cnm1", "T_other",
        {":9: cam1: no \"T_cn_cnm1\"", "for both cameras again"}},
    {"Kalibr", "no rotation", CASE_KALIBR, NULL, NULL, "[1.0, 0.0", "[1.0, 0.5",
        {":10: cam1: \"T_cn_cnm1\"", "no rotation", "for both cameras again"}},
    {"KITTI", "size", CASE_KITTI, NULL, NULL, "S_02: 1.392000e+03", "S_02: 3e+02",
        {":19: \"S_02\"", "(690, 233.197)", "300x512", "as it was downloaded"}},
    {"KITTI", "matrix", CASE_KITTI, NULL, NULL, "K_02: 9.842439e+02", "K_02: 0",
        {":20: ", "\"K_02\" is no camera matrix", "0 0 690", "fx and fy > 0",
            "as it was downloaded"}},
    {"KITTI", "NaN", CASE_KITTI, NULL, NULL, "K_02: 9.842439e+02", "K_02: nan",
        {":20: ", "number 1 of \"K_02\" is nan", "finite", "as it was downloaded"}},
    {"KITTI", "swapped", CASE_KITTI, NULL, "P_rect_03", "-338.4", "338.4",
        {":34: \"P_rect_03\"", "swapped", "m to the left", "exchange"}},
    {"KITTI", "no R", CASE_KITTI, NULL, NULL, "R_rect_02", "X_rect_02",
        {"no \"R_rect_02\"", "as it was downloaded"}},
    {"KITTI", "no rotation", CASE_KITTI, NULL, "R_rect_03", "1 0 0", "1 1 0",
        {":33: \"R_rect_03\"", "no rotation", "as it was downloaded"}},
    {"ZED", "size", CASE_ZED, NULL, NULL, "cx=1104", "cx=3000",
        {":4: left_cam_2k: \"cx\"", "(3000, 360.5)", "2208x1242", "camera's serial number again"}},
    {"ZED", "matrix", CASE_ZED, NULL, NULL, "fx=1400", "fx=0",
        {":2: left_cam_2k: \"fx\"", "focal lengths are 0 and 1400", "more than 0",
            "camera's serial number again"}},
    {"ZED", "NaN", CASE_ZED, NULL, NULL, "fx=1400", "fx=nan",
        {":2: left_cam_2k", "number 1 of \"fx\" is nan", "finite", "camera's serial number again"}},
    {"ZED", "swapped", CASE_ZED, NULL, NULL, "Baseline=119.9", "Baseline=-119.9",
        {":46: stereo: \"baseline\"", "swapped", "0.1197 m", "exchange"}},
    {"ZED", "no R", CASE_ZED, NULL, NULL, "CV_2K", "XX_2K",
        {":45: stereo: no \"cv_2k\"", "camera's serial number again"}},
    {"DepthAI", "size", CASE_OAK("-7.5", "2", "0"), NULL, "[0.2", "\"width\": 1280",
        "\"width\": 300",
        {":13: socket 1: \"width\"", "(662.9, 382.2)", "300x800", "eepromToJsonFile ()"}},
    {"DepthAI", "matrix", CASE_OAK("-7.5", "2", "0"), NULL, "[0.2", "[[799.7", "[[0",
        {":12: socket 1", "\"intrinsicMatrix\" is no camera matrix", "0 0 662.9", "fx and fy > 0",
            "eepromToJsonFile ()"}},
    {"DepthAI", "NaN", CASE_OAK("-7.5", "2", "0"), NULL, "[0.2", "[[799.7", "[[NaN",
        {":12:", "not valid JSON", "NaN", "write it again"}},
    {"DepthAI", "word", CASE_OAK("-7.5", "2", "0"), NULL, "[0.2", "[[799.7", "[[\"none\"",
        {":12: socket 1", "number 1 of \"intrinsicMatrix\" is \"none\"", "eepromToJsonFile ()"}},
    {"DepthAI", "swapped", CASE_OAK("-7.5", "2", "0"), NULL, "[0.2", "-7.5", "7.5",
        {":10: socket 1: \"extrinsics\"", "swapped", "0.075 m to the left", "exchange"}},
    {"DepthAI", "no R", CASE_OAK("-7.5", "2", "0"), NULL, "[0.2", "rotationMatrix", "other",
        {":10: extrinsics of socket 1: no \"rotationMatrix\"", "eepromToJsonFile ()"}},
    {"DepthAI", "no rotation", CASE_OAK("-7.5", "2", "0"), NULL, "[0.2", "[[1, 0", "[[1, 1",
        {":10: socket 1: \"extrinsics\"", "no rotation", "eepromToJsonFile ()"}},
};
const size_t calibration_fault_count = sizeof calibration_faults / sizeof calibration_faults[0];

char *calibration_fault_text(const CalibrationFault *fault)
{
  const char *begin = fault->after != NULL ? strstr(fault->first, fault->after) : fault->first;
  const char *at = begin != NULL ? strstr(begin, fault->from) : NULL;
  char *text = calloc(1, strlen(fault->first) + strlen(fault->to) + 1);
  if (at == NULL || text == NULL)
    abort(); /* the list is wrong */
  memcpy(text, fault->first, (size_t)(at - fault->first));
  strcat(text, fault->to);
  strcat(text, at + strlen(fault->from));
  return text;
}
