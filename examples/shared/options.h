/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Command-line options of programs in C; errors name the option and its value. */
#pragma once

#include <glib.h>

#include "common/stx.h"

/* Parses the command line, leaving what is no option in argc and argv, and frees the context.
 * Every program has --version by it. */
bool options_parse(GOptionContext *context, int *argc, char ***argv, StxError *error);

/* Index of `value` among the choices (NULL-terminated), or -1 and an error that lists them. */
int options_choose(
    const char *option, const char *value, const char *const *choices, StxError *error);

/* "WxH", or "N" for both where a single number is allowed. */
bool options_size(
    const char *option, const char *text, bool single, int *width, int *height, StxError *error);

/* Refuses a number of threads that is none. */
bool options_check_threads(int threads, StxError *error);
