/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations shared by the readers of the formats. Whatever a file is written in, it is read from
 * a tree of jansson's: objects, arrays, numbers, texts. Each reader takes the tree of its format.
 */
#pragma once

#include "common/calibration/calibration.h"
#include "common/calibration/calibration_file.h"

/* ---- Values (calibration_values.c) --------------------------------------------------------- */

/* A tree, and how messages speak of it. */
typedef struct StxCalibrationPart {
  const json_t *tree;
  const struct StxCalibrationPart *more; /* has the keys that are not here; NULL: nothing has */
  char file[48], group[32]; /* the end of the path; "cam1", or "" for all of the file */
  int line;                 /* where the group begins; 0: not known */
  const char *cure;         /* what to do about bad values: "calibrate again" */
  StxError *error;
} StxCalibrationPart;

/* The beginning of messages: "camchain.yaml:12: cam1". */
typedef struct {
  char text[STX_CALIBRATION_PLACE];
} StxCalibrationPlace;

/* Returns the place of the first key that the file has, else (or if `keys` is NULL) the group's. */
StxCalibrationPlace stx_calibration_place(const StxCalibrationPart *part, const char *keys);

/* The same with the key behind it: "street.yml:3: \"M1\"". */
StxCalibrationPlace stx_calibration_place_of(const StxCalibrationPart *part, const char *keys);

/* `keys`: names of the same thing, separated by '|': "K1|M1|cameraMatrix1". The first that is
 * there, or NULL. */
const json_t *stx_calibration_find(const StxCalibrationPart *part, const char *keys);

/* The object of that key as a part of its own; or an error that names the first of the keys. */
bool stx_calibration_part(
    const StxCalibrationPart *part, const char *keys, StxCalibrationPart *found);

/*
 * Numbers of an array, of an array of arrays, of an object with the array `data` (a matrix of
 * OpenCV or ROS), or of a text with blanks between. Their count, at most `room`; -1 with an error
 * for what is missing, no number, not finite or more.
 */
int stx_calibration_numbers(
    const StxCalibrationPart *part, const char *keys, double *numbers, int room);

/* Exactly `count` of them. */
bool stx_calibration_exactly(
    const StxCalibrationPart *part, const char *keys, double *numbers, int count);

/* A number; without the key `otherwise`, or, if that is NAN, an error. */
bool stx_calibration_number(
    const StxCalibrationPart *part, const char *keys, double otherwise, double *number);

/* Width and height, as two numbers of one key or of two; 0 and 0 where there are none. */
bool stx_calibration_size(const StxCalibrationPart *part, const char *both, const char *width,
    const char *height, int size[2]);

/* The text of the first key that is there, or `otherwise`. */
const char *stx_calibration_text(
    const StxCalibrationPart *part, const char *keys, const char *otherwise);

/* Does this model, "equi", bear one of its names? */
bool stx_calibration_model(const StxCalibrationPart *part, const char *name, StxLens *lens);

/* Numbers that have keys of their own, a name of `names` (separated by blanks) behind `prefix`.
 * Without its key the first is `otherwise`, or, if that is NAN, an error; the others are 0. */
bool stx_calibration_each(const StxCalibrationPart *part, const char *prefix, const char *names,
    double otherwise, double *numbers);

/* ---- Cameras (calibration_values.c) -------------------------------------------------------- */

/* Things that messages name by their place in a file. */
typedef enum {
  STX_CALIBRATION_MATRIX, /* of a side, like the next three */
  STX_CALIBRATION_SIZE,
  STX_CALIBRATION_RECTIFICATION,
  STX_CALIBRATION_PROJECTION,
  STX_CALIBRATION_POSE, /* between the cameras, on either side */
  STX_CALIBRATION_THINGS
} StxCalibrationThing;

/* Input of every reader; `second` has no tree if there is no second file. */
typedef struct {
  StxCalibrationPart first, second;
  const char *path; /* of the first */
  int pair, width, height;
  StxCalibrationPlace places[STX_CALIBRATION_THINGS][2]; /* of what has been read */
} StxCalibrationInput;

/* The first of the keys is where this comes from. */
void stx_calibration_note(StxCalibrationInput *input, StxCalibrationThing thing, int side,
    const StxCalibrationPart *part, const char *keys);

/* The keys of a camera's numbers; NULL: the format has none. */
typedef struct {
  const char *model, *otherwise; /* the name of the lens's model; without it this one */
  const char *matrix;            /* nine numbers; or four, fx fy cx cy, behind leading ones */
  const char *own;               /* or each has a key of its own: what "fx", "k1" begin with, "" */
  const char *coefficients;      /* a list of them; NULL: as `own` */
  bool spare;                    /* of a fisheye lens the first four count, whatever follows */
  const char *both, *width, *height;
  const char *r, *p; /* of a rectified calibration */
} StxCameraKeys;

/* Reads the camera of a side as these keys have it. */
bool stx_calibration_camera(StxCalibrationInput *input, const StxCalibrationPart *part,
    const StxCameraKeys *keys, int side, StxCalibration *c);

/* A rotation and a translation. */
typedef struct {
  double r[9], t[3];
} StxCalibrationPose;

/* Reads a pose from 12 or 16 numbers, rows of four, and notes where it stood. */
bool stx_calibration_pose(StxCalibrationInput *input, const StxCalibrationPart *part,
    const char *keys, int side, StxCalibrationPose *pose);

/* Finds the pose from left to right camera by both poses to a third frame, or from it. */
void stx_calibration_between(
    const StxCalibrationPose pose[2], bool from_cameras, StxCalibration *c);
extern const StxCalibrationPose stx_calibration_no_turn;

/* Opens a file as a part, whose tree is to be given back with json_decref. */
bool stx_calibration_open(const char *path, StxCalibrationPart *part);

/* Refuses ORB-SLAM's settings of pictures that are rectified, with the properties that take them;
 * false: they are none. */
bool stx_calibration_refuse_settings(const StxCalibrationPart *part);

/* ---- Formats ------------------------------------------------------------------------------- */

/*
 * keys     a tree with one of them, separated by '|', is of the format; messages show the first
 * read     fills all but `format` and `place`, and notes the places; lengths in the format's unit.
 *          False with an error
 * unit     metres
 * cure     what to do about bad values in it
 */
typedef struct {
  const char *name, *keys;
  bool (*read)(StxCalibrationInput *input, StxCalibration *calibration);
  double unit;
  const char *cure;
} StxCalibrationFormat;

/* All of them, in the order in which a file is tried. A format is a line here and a record
 * stx_calibration_‹name›. */
#define STX_CALIBRATION_FORMATS(FORMAT)                                                            \
  FORMAT(depthai)                                                                                  \
  FORMAT(basalt)                                                                                   \
  FORMAT(kalibr)                                                                                   \
  FORMAT(euroc)                                                                                    \
  FORMAT(orbslam)                                                                                  \
  FORMAT(vins)                                                                                     \
  FORMAT(zed)                                                                                      \
  FORMAT(zed_opencv)                                                                               \
  FORMAT(kitti)                                                                                    \
  FORMAT(opencv)                                                                                   \
  FORMAT(ros)

#define STX_CALIBRATION_DECLARE(name) extern const StxCalibrationFormat stx_calibration_##name;
STX_CALIBRATION_FORMATS(STX_CALIBRATION_DECLARE)

/* "a calibration of DepthAI, Kalibr, … or ROS", for messages. */
const char *stx_calibration_expected(char text[160]);
