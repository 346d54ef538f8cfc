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

/* Metres, or a dash. */
static void print_metres(FILE *out, double metres)
{
  if (metres < 0)
    fprintf(out, " %9s", "-");
  else
    fprintf(out, " %9.2f", metres);
}

static double share_right(const EvalSeen *seen, StxKind kind, int range)
{
  return eval_seen_as(seen, kind, kind, range);
}

static void print_points(FILE *out, const char *name, const EvalSeen *seen, int range)
{
  fprintf(out, "%-16s %9llu", name, (unsigned long long)eval_seen_points(seen, range));
  print_share(out, 2, share_right(seen, STX_KIND_GROUND, range));
  print_share(out, 2, share_right(seen, STX_KIND_OBJECT, range));
  print_share(out, 1, eval_seen_error(seen, range, .5));
  print_share(out, 1, eval_seen_error(seen, range, .9));
  print_share(out, 2, eval_seen_far_off(seen, range));
  print_metres(out, eval_seen_metres(seen, range, .5));
  print_metres(out, eval_seen_metres(seen, range, .9));
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

static const StxKind kinds[] = {STX_KIND_GROUND, STX_KIND_OBJECT, STX_KIND_SKY};
static const char *const kind_names[] = {"ground", "object", "sky"};
enum { POINT_KINDS = 2, SEEN_KINDS = 3 }; /* no point of a scan is sky */

/* What the points of each kind are seen as. */
static void print_kinds(FILE *out, const EvalSeen *seen)
{
  fprintf(out, "\n%-16s %9s %9s %9s\n", "Points seen as, %", "ground", "object", "sky");
  for (int k = 0; k < POINT_KINDS; k++) {
    fprintf(out, "%-17s", kind_names[k]);
    for (int as = 0; as < SEEN_KINDS; as++)
      print_share(out, 2, eval_seen_as(seen, kinds[k], kinds[as], EVAL_ALL_RANGES));
    fputc('\n', out);
  }
}

void eval_print_seen(FILE *out, const EvalResult *frames, size_t count, const EvalResult *total)
{
  bool has_points = eval_seen_points(&total->seen, EVAL_ALL_RANGES) > 0;
  if (!has_points && total->seen.sky == 0)
    return;
  fprintf(out, "\n%-16s %9s %19s %29s %19s %29s\n", "What is seen", "points", "seen as such, %  ",
      "distance off by, %     ", "by, m        ", "sky, %             ");
  fprintf(out, "%-16s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "frame", "of scan", "ground",
      "object", "median", "90 %", "over 10", "median", "90 %", "pixels", "as sky", "as near");
  for (size_t i = 0; i < count; i++)
    print_frame(out, &frames[i]);
  print_frame(out, total);
  if (!has_points)
    return;
  print_ranges(out, &total->seen);
  print_kinds(out, &total->seen);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static json_t *number(double value)
{
  return value < 0 ? json_null() : json_real(value);
}

static json_t *points_json(const EvalSeen *seen, int range)
{
  return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "points",
      (json_int_t)eval_seen_points(seen, range), "ground_as_ground",
      number(share_right(seen, STX_KIND_GROUND, range)), "object_as_object",
      number(share_right(seen, STX_KIND_OBJECT, range)), "distance_median",
      number(eval_seen_error(seen, range, .5)), "distance_90",
      number(eval_seen_error(seen, range, .9)), "distance_far_off",
      number(eval_seen_far_off(seen, range)), "metres_median",
      number(eval_seen_metres(seen, range, .5)), "metres_90",
      number(eval_seen_metres(seen, range, .9)));
}

/* By what points are, and then by what they are seen as. */
static json_t *kinds_json(const EvalSeen *seen)
{
  json_t *all = json_object();
  for (int k = 0; k < POINT_KINDS; k++) {
    json_t *of_kind = json_object();
    for (int as = 0; as < SEEN_KINDS; as++)
      json_object_set_new(of_kind, kind_names[as],
          number(eval_seen_as(seen, kinds[k], kinds[as], EVAL_ALL_RANGES)));
    json_object_set_new(all, kind_names[k], of_kind);
  }
  return all;
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
  json_object_set_new(object, "kinds", kinds_json(seen));
  json_object_set_new(object, "sky", json_integer((json_int_t)seen->sky));
  json_object_set_new(object, "sky_as_sky", number(sky_share(seen, seen->sky_as_sky)));
  json_object_set_new(object, "sky_as_near", number(sky_share(seen, seen->sky_as_near)));
  return object;
}
