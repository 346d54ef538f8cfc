/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/stx-eval/stx_eval_obstacles.h"

#include <jansson.h>
#include <math.h>

ThingScore thing_total(const ObstacleScore *score)
{
  ThingScore all = {0};
  for (int t = THING_VEHICLE; t < THINGS; t++) {
    const ThingScore *thing = &score->thing[t];
    all.counted += thing->counted;
    all.found += thing->found;
    all.possible += thing->possible;
    all.again += thing->again;
    all.kept += thing->kept;
    all.speeds += thing->speeds;
    all.speed_error += thing->speed_error;
    for (int i = 0; i < ERROR_BINS; i++)
      all.errors[i] += thing->errors[i];
  }
  return all;
}

static double share(uint64_t part, uint64_t all)
{
  return all > 0 ? (double)part / (double)all : NAN;
}

/* What a share of the errors does not exceed; the share of errors of up to 3 %; their mean. */
static double error_of(const ThingScore *thing, double part)
{
  uint64_t sum = 0;
  for (int i = 0; i < ERROR_BINS; i++)
    if ((double)(sum += thing->errors[i]) >= part * (double)thing->found)
      return thing->found > 0 ? (i + 1) / 1000. : NAN;
  return NAN;
}

static double within(const ThingScore *thing)
{
  uint64_t sum = 0;
  for (int i = 0; i < 30; i++)
    sum += thing->errors[i];
  return share(sum, thing->found);
}

static double mean_error(const ThingScore *thing)
{
  double sum = 0;
  for (int i = 0; i < ERROR_BINS; i++)
    sum += (i + .5) / 1000 * (double)thing->errors[i];
  return thing->found > 0 ? sum / (double)thing->found : NAN;
}

static double speed_error(const ThingScore *thing)
{
  return thing->speeds > 0 ? thing->speed_error / (double)thing->speeds : NAN;
}

/* Of all obstacles; and as if only those counted that are found, or are wrong. */
static double precision(const ObstacleScore *score)
{
  return 1 - share(score->ghosts + score->parts, score->obstacles);
}

static double strict_precision(const ObstacleScore *score)
{
  uint64_t found = thing_total(score).found;
  return share(found, found + score->ghosts + score->parts);
}

static void print_percent(FILE *out, double value)
{
  if (isnan(value))
    fprintf(out, "%10s", "-");
  else
    fprintf(out, "%9.1f%%", 100 * value);
}

static void print_thing(FILE *out, const char *name, const ThingScore *thing)
{
  fprintf(out, "%-12s%10llu", name, (unsigned long long)thing->counted);
  print_percent(out, share(thing->found, thing->counted));
  print_percent(out, share(thing->possible, thing->counted));
  print_percent(out, share(thing->kept, thing->again));
  print_percent(out, error_of(thing, .5));
  print_percent(out, mean_error(thing));
  print_percent(out, error_of(thing, .9));
  print_percent(out, within(thing));
  if (thing->speeds > 0)
    fprintf(out, "%10.2f\n", speed_error(thing));
  else
    fprintf(out, "%10s\n", "-");
}

void obstacle_print(FILE *out, const char *name, const ObstacleScore *score)
{
  ThingScore all = thing_total(score);
  fprintf(out, "%s, %llu frames\n\n", name, (unsigned long long)score->frames);
  fprintf(out, "%-12s%10s%10s%10s%10s%10s%10s%10s%10s%10s\n", "", "counted", "recall", "possible",
      "id kept", "median", "mean", "9 in 10", "within 3%", "speed m/s");
  print_thing(out, "vehicles", &score->thing[THING_VEHICLE]);
  print_thing(out, "people", &score->thing[THING_PERSON]);
  print_thing(out, "all", &all);
  fprintf(out,
      "\n%llu obstacles, %llu where nothing stands, %llu parts of objects: precision %.1f%%, "
      "among what is found or wrong %.1f%%; %.3f ms per frame\n",
      (unsigned long long)score->obstacles, (unsigned long long)score->ghosts,
      (unsigned long long)score->parts, 100 * precision(score), 100 * strict_precision(score),
      score->ms / (double)score->frames);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* JSON has no NaN. */
static json_t *number(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

static json_t *thing_json(const ThingScore *thing)
{
  return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "counted",
      (json_int_t)thing->counted, "recall", number(share(thing->found, thing->counted)), "possible",
      number(share(thing->possible, thing->counted)), "id_kept",
      number(share(thing->kept, thing->again)), "distance_median", number(error_of(thing, .5)),
      "distance_mean", number(mean_error(thing)), "distance_9_in_10", number(error_of(thing, .9)),
      "distance_within_3_percent", number(within(thing)), "speed_error",
      number(speed_error(thing)));
}

void obstacle_print_json(FILE *out, const char *name, const ObstacleScore *score)
{
  ThingScore all = thing_total(score);
  json_t *root = json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "data", name,
      "frames", (json_int_t)score->frames, "obstacles", (json_int_t)score->obstacles, "ghosts",
      (json_int_t)score->ghosts, "parts", (json_int_t)score->parts, "precision",
      number(precision(score)), "strict_precision", number(strict_precision(score)), "ms",
      number(score->ms / (double)score->frames), "vehicles",
      thing_json(&score->thing[THING_VEHICLE]), "people", thing_json(&score->thing[THING_PERSON]),
      "all", thing_json(&all));
  json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
  fputc('\n', out);
  json_decref(root);
}
