/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-check: can these be the views of a stereo camera, and if not, what is wrong with them? */
#pragma once

#include <glib.h>

#include "common/calibration/calibration.h"
#include "common/pair/pair_watch.h"
#include "common/sgm/sgm_range.h"

/* ---- Files: stx_check_files.c -------------------------------------------------------------- */

/* Both views of some moments, as paths of PNG files, in order. */
typedef struct {
  GPtrArray *left, *right; /* of char * */
  char *decoded[2]; /* folders with the pictures of videos, removed by check_files_clear () */
} CheckFiles;

/* `left`, `right`: a PNG file, a folder of these, a pattern such as left-%04d.png, or what
 * GStreamer decodes: a video or JPEG, of which the first pictures are taken. False with an error
 * that names what is missing. */
bool check_files_find(CheckFiles *files, const char *left, const char *right, StxError *error);
void check_files_clear(CheckFiles *files);

/* ---- Pictures: stx_check_look.c ------------------------------------------------------------ */

/* Findings of several pairs of pictures together. */
typedef struct {
  int pairs, seen_as[STX_PAIR_VERDICTS];
  StxPairFinding finding; /* of the first pair of the verdict */
  StxSgmRange range;      /* of the plausible pairs, as a stream */
} CheckResult;

/* Changes to the pictures before the check. */
typedef struct {
  bool swap;                     /* left for right */
  int rows;                      /* the right view is shown so many rows higher */
  int later;                     /* each left picture with the right one so many moments later */
  const StxCalibration *rectify; /* NULL: as they are */
} CheckTry;

/* Up to `most` pairs, spread over all there are. */
bool check_look(const CheckFiles *files, const CheckTry *attempt, int max_disparity, int most,
    CheckResult *result, StxError *error);

/* Finds how many pictures later than the left ones, at most `most`, below 0 earlier, the right ones
 * show the same motion. False where that cannot be told. */
bool check_lag(const CheckFiles *files, int most, int *lag);
