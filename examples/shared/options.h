/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Command-line options shared by stx-eval and stx-bench; errors name the option and its value. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <glib.h>

#include "common/fields.h"

/* Parses the command line, leaving what is no option in argc and argv, and frees the context.
 * Every program has --version by it. */
bool options_parse(GOptionContext *context, int *argc, char ***argv, StxError *error);

/* Index of `value` among the choices (NULL-terminated), or -1 and an error that lists them. */
int options_choose(
    const char *option, const char *value, const char *const *choices, StxError *error);

/* "WxH", or "N" for both where a single number is allowed. */
bool options_size(
    const char *option, const char *text, bool single, int *width, int *height, StxError *error);

/* The names of a folder's files that end so, in order, to be unreferenced; NULL: there is no such
 * folder. */
GPtrArray *list_files(const char *folder, const char *suffix);

/* ---- Options made from tables of fields ---------------------------------------------------- */

/* A table, and the struct in which its options set the fields. */
typedef struct {
  const StxFields *table;
  void *params;
} OptionFields;

/* Another name of an option, not shown by --help. A list ends with NULL. */
typedef struct {
  const char *alias, *name;
} OptionAlias;

#define OPTION_TABLES 2 /* in a group, at most */

/* A group of options, shown by --help-NAME: one for each field that has a name. */
typedef struct {
  const char *name, *title, *text; /* as in g_option_group_new */
  OptionFields fields[OPTION_TABLES];
  const OptionAlias *aliases; /* or NULL; outlives the context */
} OptionGroup;

/*
 * Adds the group. "--p1 10" sets a number, "--reduction mean" a choice, "--no-level" switches off
 * what is on by default, "--class-kinds ground=0;sky=10" is read by the stem. Values are refused
 * while the command line is parsed, in the words of the table's check.
 */
void options_add_group(GOptionContext *context, const OptionGroup *group);

/* Refuses a number of threads that is none. */
bool options_check_threads(int threads, StxError *error);

#endif
