/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Masks that were drawn by hand: what surely is sky, and what surely is a wall. A file in JSON has
 * an object for each frame, by name, and in it a list of areas for each mask:
 *   {"000000_10": {"sky":  [{"gray": [240, 255], "outline": [[390, 0], [605, 0], [605, 110]]}],
 *                  "wall": [{"outline": [[850, 62], [940, 25], [1062, 0], [850, 145]]}]}}
 * An area has the pixels inside of its outline whose gray values, and for the sky those of the
 * 5 × 5 pixels around them, lie in the range, from 0 to 255 where there is none.
 */
#include <glib.h>
#include <stdlib.h>

#include "examples/stx-eval/stx_eval.h"

enum { SKY_RADIUS = 2 };

#define MOST_POINTS 64

typedef struct {
  double x[MOST_POINTS], y[MOST_POINTS];
  size_t count;
  int low, high, radius;
} Area;

/* Whether a line from (x, y) to the right crosses the outline an odd number of times. */
static bool is_inside(const Area *a, double x, double y)
{
  bool inside = false;
  for (size_t i = 0, j = a->count - 1; i < a->count; j = i++)
    if ((a->y[i] > y) != (a->y[j] > y) &&
        x < a->x[i] + (y - a->y[i]) * (a->x[j] - a->x[i]) / (a->y[j] - a->y[i]))
      inside = !inside;
  return inside;
}

static bool has_grays(const Area *area, const StxImage8 *image, int x, int y)
{
  int r = area->radius;
  for (int v = MAX(y - r, 0); v <= MIN(y + r, image->height - 1); v++)
    for (int u = MAX(x - r, 0); u <= MIN(x + r, image->width - 1); u++)
      if (stx_row8(image, v)[u] < area->low || stx_row8(image, v)[u] > area->high)
        return false;
  return true;
}

static void draw(const Area *area, const StxImage8 *image, EvalMask mask, uint8_t *masks)
{
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      if (is_inside(area, x, y) && has_grays(area, image, x, y))
        masks[(size_t)y * (size_t)image->width + (size_t)x] = (uint8_t)mask;
}

static bool read_area(json_t *entry, Area *area)
{
  json_t *outline = NULL;
  if (json_unpack(entry, "{s:o, s?[ii]}", "outline", &outline, "gray", &area->low, &area->high) !=
      0)
    return false;
  area->count = json_array_size(outline);
  bool good = area->count >= 3 && area->count <= MOST_POINTS;
  for (size_t i = 0; i < area->count && good; i++)
    good = json_unpack(json_array_get(outline, i), "[FF]", &area->x[i], &area->y[i]) == 0;
  return good;
}

bool eval_draw_masks(const json_t *file, EvalFrame *frame, StxError *error)
{
  static const char *const names[] = {[EVAL_SKY] = "sky", [EVAL_WALL] = "wall"};
  const json_t *masks = json_object_get(file, frame->name);
  if (masks == NULL)
    return true;
  frame->masks = calloc((size_t)frame->left.width, (size_t)frame->left.height);
  if (frame->masks == NULL)
    return stx_fail(error, "no memory");
  for (EvalMask mask = EVAL_SKY; mask <= EVAL_WALL; mask++) {
    json_t *of_mask = json_object_get(masks, names[mask]), *entry;
    size_t i;
    json_array_foreach(of_mask, i, entry)
    {
      Area area = {.high = UINT8_MAX, .radius = mask == EVAL_SKY ? SKY_RADIUS : 0};
      if (!read_area(entry, &area))
        return stx_fail(error, "%s: area %d of mask %s has no \"outline\" of 3 to %d points [x, y]",
            frame->name, (int)i, names[mask], MOST_POINTS);
      draw(&area, &frame->left, mask, frame->masks);
    }
  }
  return true;
}
