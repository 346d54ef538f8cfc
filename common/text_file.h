/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text files that people hand us, calibrations above all: read whole and bounded, whatever the path
 * turns out to be.
 */
#ifndef STX_TEXT_FILE_H
#define STX_TEXT_FILE_H

#include "common/stx.h"

#define STX_TEXT_FILE_MAX (1 << 20) /* bytes */

/* The end of a path, for messages: it says more than the beginning, and the text of an error is
 * short. */
const char *stx_text_file_name(const char *path);

/*
 * The file's text, zero-terminated, to be freed. `expected` goes into messages: "KITTI's
 * calib.txt". NULL with an error that names the file if it cannot be read, is no regular file, is
 * empty or larger than STX_TEXT_FILE_MAX, or holds a zero byte.
 */
char *stx_text_file_load(const char *path, const char *expected, StxError *error);

#endif
