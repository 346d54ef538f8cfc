/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations shared by the readers of the formats. Whatever a file is written in, it is read from
 * a tree of jansson's: objects, arrays, numbers, texts. Each reader takes the tree of its format.
 */
#ifndef STX_CALIBRATION_PRIVATE_H
#define STX_CALIBRATION_PRIVATE_H

#include "common/calibration/calibration.h"
#include "common/calibration/calibration_file.h"

/* ---- Values (calibration_values.c) --------------------------------------------------------- */

/* A tree, and how messages speak of it. */
typedef struct {
  const json_t *tree;
  char file[48], group[32]; /* the end of the path; "cam1", or "" for all of the file */
  int line;                 /* where the group begins; 0: not known */
  const char *cure;         /* what to do about bad values: "calibrate again" */
  StxError *error;
} StxCalibrationPart;

/* The beginning of messages: "camchain.yaml:12: cam1". */
typedef struct {
  char text[STX_CALIBRATION_PLACE];
} StxCalibrationPlace;

/* Of the first of the keys that is there, else of the group; NULL: of the group. */
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

/* A camera matrix of 9 numbers. */
bool stx_calibration_matrix(const StxCalibrationPart *part, const char *keys, StxLens *lens);

/* Coefficients of the lens, whose model is known. */
bool stx_calibration_coefficients(const StxCalibrationPart *part, const char *keys, StxLens *lens);

/* The text of the first key that is there, or `otherwise`. */
const char *stx_calibration_text(
    const StxCalibrationPart *part, const char *keys, const char *otherwise);

/* The model that this name means: "plumb_bob", "equidistant", … */
bool stx_calibration_model(const StxCalibrationPart *part, const char *name, StxLens *lens);

/* ---- Formats ------------------------------------------------------------------------------- */

/* The place of a value in a file, for messages. */
typedef enum {
  STX_CALIBRATION_MATRIX, /* of a side, like the next three */
  STX_CALIBRATION_SIZE,
  STX_CALIBRATION_RECTIFICATION,
  STX_CALIBRATION_PROJECTION,
  STX_CALIBRATION_ROTATION, /* between the cameras */
  STX_CALIBRATION_TRANSLATION
} StxCalibrationThing;

/* Input of every reader; `second` has no tree if there is no second file. */
typedef struct {
  StxCalibrationPart first, second;
  int pair, width, height;
} StxCalibrationInput;

/*
 * keys     a tree with one of them, separated by '|', is of the format; messages show the first
 * read     fills all but `format` and `place`; lengths in the format's unit. False with an error
 * unit     metres
 * cure     what to do about bad values in it
 * locate   where it is that `read` has taken something from
 */
typedef struct {
  const char *name, *keys;
  bool (*read)(const StxCalibrationInput *input, StxCalibration *calibration);
  double unit;
  const char *cure;
  StxCalibrationPlace (*locate)(
      const StxCalibrationInput *input, StxCalibrationThing thing, int side);
} StxCalibrationFormat;

/* All of them, in the order in which a file is tried. A format is a line here and a record
 * stx_calibration_‹name› in a file of its own. */
#define STX_CALIBRATION_FORMATS(FORMAT)                                                            \
  FORMAT(depthai)                                                                                  \
  FORMAT(kalibr)                                                                                   \
  FORMAT(zed)                                                                                      \
  FORMAT(kitti)                                                                                    \
  FORMAT(opencv)                                                                                   \
  FORMAT(ros)

#define STX_CALIBRATION_DECLARE(name) extern const StxCalibrationFormat stx_calibration_##name;
STX_CALIBRATION_FORMATS(STX_CALIBRATION_DECLARE)

/* "a calibration of DepthAI, Kalibr, … or ROS", for messages. */
const char *stx_calibration_expected(char text[128]);

#endif
