/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/shared/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gboolean print_version(
    const char *option, const char *value, gpointer data, GError **problem)
{
  printf("%s (gst-stixels) %s\n", g_get_prgname(), STX_VERSION);
  exit(EXIT_SUCCESS);
}

bool options_parse(GOptionContext *context, int *argc, char ***argv, StxError *error)
{
  const GOptionEntry entries[] = {{"version", 0, G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK,
                                      (gpointer)(guintptr)print_version, "print it", NULL},
      {NULL}};
  GError *problem = NULL;
  g_option_context_add_main_entries(context, entries, NULL);
  bool good = g_option_context_parse(context, argc, argv, &problem);
  g_option_context_free(context);
  if (!good) {
    stx_fail(error, "%s (see --help)", problem->message);
    g_error_free(problem);
  }
  return good;
}

int options_choose(
    const char *option, const char *value, const char *const *choices, StxError *error)
{
  for (int i = 0; choices[i] != NULL; i++)
    if (strcmp(value, choices[i]) == 0)
      return i;
  char *all = g_strjoinv(", ", (char **)choices);
  stx_fail(error, "--%s=%s: choose one of %s", option, value, all);
  g_free(all);
  return -1;
}

bool options_size(
    const char *option, const char *text, bool single, int *width, int *height, StxError *error)
{
  char rest;
  if (sscanf(text, "%dx%d%c", width, height, &rest) == 2)
    return true;
  if (single && sscanf(text, "%d%c", width, &rest) == 1) {
    *height = *width;
    return true;
  }
  return stx_fail(error, "--%s=%s: write it as %s", option, text, single ? "N or WxH" : "WxH");
}

bool options_check_threads(int threads, StxError *error)
{
  if (threads < 0 || threads > 256)
    return stx_fail(error, "--threads=%d: must be 0 (all cores) to 256", threads);
  return true;
}
