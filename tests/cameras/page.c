/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/cameras/page.h"

#include <string.h>

#include "tests/gst/fixtures/util.h"

#define PROGRAM "gst-launch-1.0 "

void page_free_section(PageSection *section)
{
  g_free(section->heading);
  g_ptr_array_unref(section->lines);
  g_free(section);
}

static PageSection *new_section(const char *heading)
{
  PageSection *section = g_new(PageSection, 1);

  section->heading = g_strdup(heading);
  section->lines = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
  return section;
}

/* Splits a line as the shell does. */
static gchar **split(const char *line)
{
  gchar **words = NULL;
  GError *error = NULL;

  if (!g_shell_parse_argv(line + strlen(PROGRAM), NULL, &words, &error))
    g_error("%s: %s", line, error->message);
  return words;
}

/* A backslash at the end goes on with the next line. */
static gchar *read_joined(const char *path)
{
  g_autofree gchar *text = NULL;
  gchar *joined;
  GError *error = NULL;
  GRegex *regex = g_regex_new("\\\\\n\\s*", 0, 0, NULL);

  if (!g_file_get_contents(path, &text, NULL, &error))
    g_error("%s", error->message);
  joined = g_regex_replace_literal(regex, text, -1, 0, "", 0, NULL);
  g_regex_unref(regex);
  return joined;
}

static void add_section(GPtrArray *sections, PageSection *section)
{
  if (section->lines->len > 0)
    g_ptr_array_add(sections, section);
  else
    page_free_section(section);
}

void page_read(GPtrArray *sections, const char *path, const char *word)
{
  g_autofree gchar *text = read_joined(path);
  gchar **rows = g_strsplit(text, "\n", -1);
  PageSection *section = new_section("");
  gboolean code = FALSE; /* where # begins a comment */

  for (gchar **row = rows; *row != NULL; row++) {
    code ^= g_str_has_prefix(*row, "```");
    if (!code && g_str_has_prefix(*row, "#")) {
      add_section(sections, section);
      section = new_section(*row + strspn(*row, "# "));
    } else if (g_str_has_prefix(*row, PROGRAM) && strstr(*row, word) != NULL) {
      g_ptr_array_add(section->lines, split(*row));
    }
  }
  add_section(sections, section);
  g_strfreev(rows);
}

PageSection *page_find(const char *path, const char *heading)
{
  GPtrArray *sections = g_ptr_array_new_with_free_func((GDestroyNotify)page_free_section);
  PageSection *found = NULL;

  page_read(sections, path, "");
  for (guint i = 0; i < sections->len && found == NULL; i++)
    if (g_str_equal(((PageSection *)g_ptr_array_index(sections, i))->heading, heading))
      found = g_ptr_array_steal_index(sections, i);
  ck_assert_msg(found != NULL, "%s: no lines under \"%s\"", path, heading);
  g_ptr_array_unref(sections);
  return found;
}

static gboolean is_option(const gchar *word)
{
  return g_str_equal(word, "-e") || g_str_equal(word, "-q") || g_str_equal(word, "-v");
}

gboolean page_ends_stream(gchar **words)
{
  return g_strv_contains((const gchar *const *)words, "-e");
}

GstElement *page_parse(gchar **words)
{
  GError *error = NULL;
  GstElement *pipeline;
  g_autofree gchar *line = g_strjoinv(" ", words);

  while (*words != NULL && is_option(*words))
    words++;
  pipeline = gst_parse_launchv((const gchar **)words, &error);
  ck_assert_msg(error == NULL, "%s: %s", line, error ? error->message : "");
  return pipeline;
}
