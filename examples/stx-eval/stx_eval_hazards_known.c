/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of what real frames have. */
#include "examples/stx-eval/stx_eval_hazards.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "common/text_file.h"

#define NUMBERS 4

typedef struct {
  char *frames;
  double at[NUMBERS]; /* x0, x1, z0, z1 */
} Line;

struct HazardKnown {
  GArray *lines;
};

static void clear_line(void *line)
{
  g_free(((Line *)line)->frames);
}

void hazard_known_free(HazardKnown *known)
{
  if (known != NULL)
    g_array_unref(known->lines);
  g_free(known);
}

/* False: it is no such line. */
static bool parse(const char *text, Line *line)
{
  size_t length = strcspn(text, " \t");
  const char *at = text + length;
  for (int i = 0; i < NUMBERS; i++) {
    char *end;
    line->at[i] = g_ascii_strtod(at, &end);
    if (end == at || !(line->at[i] >= -1000 && line->at[i] <= 1000))
      return false;
    at = end;
  }
  if (line->at[0] > line->at[1] || line->at[2] > line->at[3])
    return false;
  line->frames = g_strndup(text, length);
  return true;
}

HazardKnown *hazard_known_load(const char *path, StxError *error)
{
  char *text = stx_text_file_load(path, "a list of what frames have", error);
  if (text == NULL)
    return NULL;
  HazardKnown *known = g_new0(HazardKnown, 1);
  known->lines = g_array_new(FALSE, FALSE, sizeof(Line));
  g_array_set_clear_func(known->lines, clear_line);
  char **lines = g_strsplit(text, "\n", 0);
  bool good = true;
  for (int i = 0; good && lines[i] != NULL; i++) {
    const char *begin = g_strstrip(lines[i]);
    Line line;
    if (*begin == '#' || *begin == 0)
      continue;
    good = parse(begin, &line) ||
           stx_fail(error,
               "%s: line %d: must be FRAMES X0 X1 Z0 Z1, metres, X0 up to X1 and Z0 up to Z1",
               stx_text_file_name(path), i + 1);
    if (good)
      g_array_append_val(known->lines, line);
  }
  g_strfreev(lines);
  free(text);
  if (good)
    return known;
  hazard_known_free(known);
  return NULL;
}

bool hazard_is_known(const HazardKnown *known, const char *frame, const StxObstacle *r)
{
  for (guint i = 0; known != NULL && i < known->lines->len; i++) {
    const Line *line = &g_array_index(known->lines, Line, i);
    double half = .5 * (double)r->width;
    if (g_str_has_prefix(frame, line->frames) && r->x + half >= line->at[0] &&
        r->x - half <= line->at[1] && r->z + r->depth >= line->at[2] && r->z <= line->at[3])
      return true;
  }
  return known == NULL;
}
