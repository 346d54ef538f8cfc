/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints what users see: stixels beside a scan's points, by frame and by range, and the sky. */
#include <jansson.h>

#include "examples/stx-eval/stx_eval.h"

/* ---- Text --------------------------------------------------------------------------------- */

/* A share in %, or a dash where there is none (negative). */
static void print_share(FILE *out, int digits, double share)
{
  if (share < 0)
    fprintf(out, " %9s", "-");
  else
    fprintf(out, " %9.*f", digits, 100 * share);
}

static void print_points(FILE *out, const char *name, const EvalSeen *seen, int range)
{
  fprintf(out, "%-16s %9llu", name, (unsigned long long)eval_seen_points(seen, range));
  print_share(out, 2, eval_seen_right(seen, STX_KIND_GROUND, range));
  print_share(out, 2, eval_seen_right(seen, STX_KIND_OBJECT, range));
  print_share(out, 1, eval_seen_median(seen, range));
  print_share(out, 2, eval_seen_far_off(seen, range));
}

static double sky_share(const EvalSeen *seen, uint64_t part)
{
  return seen->sky > 0 ? stx_rate(part, seen->sky) : -1;
}

static void print_frame(FILE *out, const EvalResult *r)
{
  print_points(out, r->name, &r->seen, EVAL_ALL_RANGES);
  fprintf(out, " %9llu", (unsigned long long)r->seen.sky);
  print_share(out, 2, sky_share(&r->seen, r->seen.sky_as_sky));
  print_share(out, 2, sky_share(&r->seen, r->seen.sky_as_near));
  fputc('\n', out);
}

static void print_ranges(FILE *out, const EvalSeen *seen)
{
  for (int i = 0; i < EVAL_RANGES; i++) {
    char name[32];
    if (i + 1 < EVAL_RANGES)
      snprintf(name, sizeof name, "%g to %g m", eval_ranges[i], eval_ranges[i + 1]);
    else
      snprintf(name, sizeof name, "from %g m", eval_ranges[i]);
    print_points(out, name, seen, i);
    fputc('\n', out);
  }
}

void eval_print_seen(FILE *out, const EvalResult *frames, size_t count, const EvalResult *total)
{
  bool has_points = eval_seen_points(&total->seen, EVAL_ALL_RANGES) > 0;
  if (!has_points && total->seen.sky == 0)
    return;
  fprintf(out, "\n%-16s %9s %19s %19s %29s\n", "What is seen", "points", "seen as such, %  ",
      "distance, %     ", "sky, %             ");
  fprintf(out, "%-16s %9s %9s %9s %9s %9s %9s %9s %9s\n", "frame", "of scan", "ground", "object",
      "median", "over 10", "pixels", "as sky", "as near");
  for (size_t i = 0; i < count; i++)
    print_frame(out, &frames[i]);
  print_frame(out, total);
  if (has_points)
    print_ranges(out, &total->seen);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static json_t *number(double value)
{
  return value < 0 ? json_null() : json_real(value);
}

static json_t *points_json(const EvalSeen *seen, int range)
{
  return json_pack("{s:I, s:o, s:o, s:o, s:o}", "points", (json_int_t)eval_seen_points(seen, range),
      "ground_as_ground", number(eval_seen_right(seen, STX_KIND_GROUND, range)), "object_as_object",
      number(eval_seen_right(seen, STX_KIND_OBJECT, range)), "distance_median",
      number(eval_seen_median(seen, range)), "distance_far_off",
      number(eval_seen_far_off(seen, range)));
}

void *eval_seen_json(const EvalSeen *seen)
{
  json_t *object = points_json(seen, EVAL_ALL_RANGES), *ranges = json_array();
  for (int i = 0; i < EVAL_RANGES; i++) {
    json_t *range = points_json(seen, i);
    json_object_set_new(range, "from", json_real(eval_ranges[i]));
    json_array_append_new(ranges, range);
  }
  json_object_set_new(object, "ranges", ranges);
  json_object_set_new(object, "sky", json_integer((json_int_t)seen->sky));
  json_object_set_new(object, "sky_as_sky", number(sky_share(seen, seen->sky_as_sky)));
  json_object_set_new(object, "sky_as_near", number(sky_share(seen, seen->sky_as_near)));
  return object;
}
