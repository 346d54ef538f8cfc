/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Running programs as a user does. `variable` is the environment variable that holds
 * the program's path; tests run through meson have it.
 */
#pragma once

#include "tests/testing.h"

#include <glib.h>
#include <jansson.h>

/* Runs "$variable arguments"; *output and *errors are to be freed. Returns the exit status. */
int run_program(const char *variable, const char *arguments, char **output, char **errors);

/* The program must succeed; what it prints, to be released. */
json_t *run_json(const char *variable, const char *arguments);

/* The program must fail and name `words` in its error. */
void expect_error(const char *variable, const char *arguments, const char *words);

/* The number at a path like "total.all.raw.error_and". */
double number_at(json_t *root, const char *path);

/* FOLDER/sub/name, with the folders that it needs; to be freed. */
char *path_in(const char *folder, const char *sub, const char *name);

/* Writes gray values of 8 or 16 bits. */
void save_png8(const char *path, const StxImage8 *image);
void save_png16(const char *path, const StxImage16 *image);

/* Removes a folder with all that is in it, and frees its name. */
void remove_folder(char *folder);
