/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text files that people hand us, calibrations above all: read whole and bounded, whatever the path
 * turns out to be.
 */
#pragma once

#include "common/stx.h"

#define STX_TEXT_FILE_MAX (1 << 20) /* bytes */

/* The end of a path, for messages: it says more than the beginning, and the text of an error is
 * short. */
const char *stx_text_file_name(const char *path);

/* Puts '?' for what is not plain ASCII, for messages that quote a file; returns the text. */
char *stx_text_file_plain(char *text);

/*
 * The file's text, zero-terminated, to be freed. `expected` goes into messages: "KITTI's
 * calib.txt". NULL with an error that names the file if it cannot be read, is no regular file, is
 * empty or larger than STX_TEXT_FILE_MAX, or holds a zero byte.
 */
char *stx_text_file_load(const char *path, const char *expected, StxError *error);

/* The same of a file of bytes, `size` of them: zero bytes may be among them. */
void *stx_binary_file_load(const char *path, const char *expected, size_t *size, StxError *error);

/* strtod in the locale "C": files have a decimal point everywhere. */
double stx_text_number(const char *text, char **end);

/* A text of lines "key: numbers", as KITTI writes calibrations. Other lines are passed over. */
typedef struct {
  const char *name, *text; /* of the file, for messages; its content */
  StxError *error;
} StxKeyedText;

/* The text after "key:" at the beginning of a line, to the end of the text, and that line's number,
 * from 1; NULL: there is none. */
const char *stx_keyed_find(const StxKeyedText *file, const char *key, int *line);

/* The `count` numbers of that key, which must be there: finite ones, and no more of them, with a
 * decimal point in every locale. False with an error that names file, line, key and number. */
bool stx_keyed_numbers(const StxKeyedText *file, const char *key, int count, double *numbers);
