/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pictures that an argument of stx-check names. */
#include "examples/stx-check/stx_check.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define DECODED "300" /* pictures of a video: 10 s of 30 a second */

static gint compare(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All PNG files of a folder, by name. */
static bool list_folder(GPtrArray *paths, const char *folder, StxError *error)
{
  GDir *dir = g_dir_open(folder, 0, NULL);
  const char *name;
  if (dir == NULL)
    return stx_fail(error, "%.150s: cannot read this folder", folder);
  while ((name = g_dir_read_name(dir)) != NULL)
    if (g_str_has_suffix(name, ".png") || g_str_has_suffix(name, ".PNG"))
      g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
  g_dir_close(dir);
  g_ptr_array_sort(paths, compare);
  return paths->len > 0 || stx_fail(error, "%.150s: no PNG files in this folder", folder);
}

/* Finds the beginning and the end of "%d" or "%0Nd"; there may be one only. False: this is no
 * pattern. */
static bool find_number(const char *pattern, const char **begin, const char **end, int *digits)
{
  *begin = strchr(pattern, '%');
  if (*begin == NULL)
    return false;
  *digits = (int)g_ascii_strtoull(*begin + 1, (char **)end, 10);
  if (**end != 'd' || *digits > 20)
    return false;
  (*end)++;
  return strchr(*end, '%') == NULL;
}

/* The numbers from 0 or 1 on, as long as there are files. */
static bool list_pattern(GPtrArray *paths, const char *pattern, StxError *error)
{
  const char *begin, *end;
  int digits;
  if (!find_number(pattern, &begin, &end, &digits))
    return stx_fail(error, "%.150s: a pattern has one number, such as %%d or %%06d", pattern);
  for (int number = 0;; number++) {
    char *path =
        g_strdup_printf("%.*s%0*d%s", (int)(begin - pattern), pattern, digits, number, end);
    bool there = g_file_test(path, G_FILE_TEST_EXISTS);
    if (there)
      g_ptr_array_add(paths, path);
    else
      g_free(path);
    if (!there && (number > 0 || paths->len > 0))
      break;
  }
  return paths->len > 0 || stx_fail(error, "%.150s: no file with the number 0 or 1", pattern);
}

static bool is_png(const char *path)
{
  static const char magic[8] = "\x89PNG\r\n\x1a\n";
  char begin[8] = "";
  FILE *file = g_fopen(path, "rb");
  bool png = file != NULL && fread(begin, 1, 8, file) == 8 && memcmp(begin, magic, 8) == 0;
  if (file != NULL)
    fclose(file);
  return png || g_str_has_suffix(path, ".png") || g_str_has_suffix(path, ".PNG");
}

/* The message of the element that failed: "ERROR: from element …: message". */
static bool fail_as(const char *said, const char *path, StxError *error)
{
  const char *begin = said != NULL ? strstr(said, "ERROR: from element") : NULL;
  begin = begin != NULL ? strstr(begin, ": ") : NULL;
  begin = begin != NULL ? strstr(begin + 2, ": ") : NULL;
  return stx_fail(error, "%.80s: no PNG, and no video that GStreamer decodes: %.*s", path,
      begin != NULL ? (int)strcspn(begin + 2, "\n") : 20,
      begin != NULL ? begin + 2 : "gst-launch-1.0 fails");
}

/* Decodes the first pictures of a video into a folder of its own, turned as its tags say. A link
 * stands for its name, which could mean something in a pipeline. */
static bool decode(const char *path, char **folder, StxError *error)
{
  static const char line[] =
      "gst-launch-1.0 -q filesrc location=video ! decodebin expose-all-streams=false "
      "caps=video/x-raw(ANY) ! queue ! identity eos-after=" DECODED " ! videoconvert ! "
      "videoflip video-direction=auto ! videoconvert ! video/x-raw,format=GRAY8 ! "
      "pngenc compression-level=1 ! multifilesink location=%06d.png";
  *folder = g_dir_make_tmp("stx-check-XXXXXX", NULL);
  if (*folder == NULL)
    return stx_fail(error, "no folder for the pictures of %.80s: %m", path);
  char *whole = g_canonicalize_filename(path, NULL), *said = NULL;
  char *link = g_build_filename(*folder, "video", NULL), **words = g_strsplit(line, " ", -1);
  int status = 0;
  bool good = symlink(whole, link) == 0 &&
              g_spawn_sync(*folder, words, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL,
                  NULL, NULL, NULL, &said, &status, NULL) &&
              status == 0;
  g_unlink(link);
  if (!good)
    fail_as(said, path, error);
  g_strfreev(words);
  g_free(link);
  g_free(said);
  g_free(whole);
  return good;
}

static bool list(GPtrArray *paths, char **decoded, const char *what, StxError *error)
{
  if (g_file_test(what, G_FILE_TEST_IS_DIR))
    return list_folder(paths, what, error);
  if (g_file_test(what, G_FILE_TEST_EXISTS)) {
    if (!is_png(what))
      return decode(what, decoded, error) && list_folder(paths, *decoded, error);
    g_ptr_array_add(paths, g_strdup(what));
    return true;
  }
  if (strchr(what, '%') != NULL)
    return list_pattern(paths, what, error);
  return stx_fail(error, "%.150s: no such file or folder", what);
}

bool check_files_find(CheckFiles *files, const char *left, const char *right, StxError *error)
{
  *files = (CheckFiles){g_ptr_array_new_with_free_func(g_free), NULL, {NULL, NULL}};
  files->right = g_ptr_array_new_with_free_func(g_free);
  return list(files->left, &files->decoded[0], left, error) &&
         list(files->right, &files->decoded[1], right, error);
}

static void remove_decoded(char *folder)
{
  GDir *dir = folder != NULL ? g_dir_open(folder, 0, NULL) : NULL;
  const char *name;
  while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
    char *path = g_build_filename(folder, name, NULL);
    g_unlink(path);
    g_free(path);
  }
  g_clear_pointer(&dir, g_dir_close);
  if (folder != NULL)
    g_rmdir(folder);
  g_free(folder);
}

void check_files_clear(CheckFiles *files)
{
  g_clear_pointer(&files->left, g_ptr_array_unref);
  g_clear_pointer(&files->right, g_ptr_array_unref);
  for (int i = 0; i < 2; i++)
    remove_decoded(g_steal_pointer(&files->decoded[i]));
}
