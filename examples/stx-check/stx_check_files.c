/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pictures that an argument of stx-check names. */
#include "examples/stx-check/stx_check.h"

#include <string.h>

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

static bool list(GPtrArray *paths, const char *what, StxError *error)
{
  if (g_file_test(what, G_FILE_TEST_IS_DIR))
    return list_folder(paths, what, error);
  if (g_file_test(what, G_FILE_TEST_EXISTS)) {
    g_ptr_array_add(paths, g_strdup(what));
    return true;
  }
  if (strchr(what, '%') != NULL)
    return list_pattern(paths, what, error);
  return stx_fail(error, "%.150s: no such file or folder", what);
}

bool check_files_find(CheckFiles *files, const char *left, const char *right, StxError *error)
{
  *files = (CheckFiles){g_ptr_array_new_with_free_func(g_free), NULL};
  files->right = g_ptr_array_new_with_free_func(g_free);
  if (!list(files->left, left, error) || !list(files->right, right, error))
    return false;
  return files->left->len == files->right->len ||
         stx_fail(error, "%u pictures in %.80s, but %u in %.80s", files->left->len, left,
             files->right->len, right);
}

void check_files_clear(CheckFiles *files)
{
  g_clear_pointer(&files->left, g_ptr_array_unref);
  g_clear_pointer(&files->right, g_ptr_array_unref);
}
