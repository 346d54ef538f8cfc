/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/stx-eval/stx_eval_obstacles.h"

#include <glib.h>
#include <math.h>

#include "examples/shared/table.h"

static ThingScore thing_total(const ObstacleScore *score)
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
    all.moving += thing->moving;
    all.said += thing->said;
    all.contacts += thing->contacts;
    for (int i = 0; i < ERROR_BINS; i++) {
      all.contact_errors[i] += thing->contact_errors[i];
      all.errors[i] += thing->errors[i];
      all.moving_errors[i] += thing->moving_errors[i];
    }
  }
  return all;
}

static double share(uint64_t part, uint64_t all)
{
  return all > 0 ? (double)part / (double)all : NAN;
}

/* A quantile of `count` errors, in steps. */
static double quantile(const uint64_t errors[ERROR_BINS], uint64_t count, double part)
{
  uint64_t sum = 0;
  for (int i = 0; i < ERROR_BINS && count > 0; i++)
    if ((double)(sum += errors[i]) >= part * (double)count)
      return i + 1;
  return NAN;
}

/* Of distances; the share of errors of up to 3 %; their mean. */
static double error_of(const ThingScore *thing, double part)
{
  return quantile(thing->errors, thing->found, part) / 1000;
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

/* m/s, of what moves. */
static double moving_error(const ThingScore *thing, double part)
{
  return quantile(thing->moving_errors, thing->said, part) / 100;
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

static json_t *thing_json(const ThingScore *thing)
{
  return json_pack(
      "{s:I, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:I, s:o}", "counted",
      (json_int_t)thing->counted, "recall", table_json(share(thing->found, thing->counted)),
      "possible", table_json(share(thing->possible, thing->counted)), "id_kept",
      table_json(share(thing->kept, thing->again)), "id_changes",
      (json_int_t)(thing->again - thing->kept), "distance_median", table_json(error_of(thing, .5)),
      "distance_mean", table_json(mean_error(thing)), "distance_9_in_10",
      table_json(error_of(thing, .9)), "distance_within_3_percent", table_json(within(thing)),
      "speed_error", table_json(speed_error(thing)), "moving", (json_int_t)thing->moving,
      "moving_said", table_json(share(thing->said, thing->moving)), "moving_speed_median",
      table_json(moving_error(thing, .5)), "moving_speed_9_in_10",
      table_json(moving_error(thing, .9)), "contacts", (json_int_t)thing->contacts,
      "contact_median", table_json(quantile(thing->contact_errors, thing->contacts, .5) / 1000));
}

static json_t *states_json(const ObstacleScore *score)
{
  static const char *const names[] = {NULL, "standing", "moving", "oncoming"};
  json_t *states = json_object();
  for (int i = STX_MOVES_NOT; i <= STX_MOVES_ONCOMING; i++) {
    const StateScore *s = &score->state[i];
    json_object_set_new(states, names[i],
        json_pack("{s:I, s:o, s:o}", "all", (json_int_t)s->all, "said",
            table_json(share(s->said, s->all)), "right", table_json(share(s->right, s->said))));
  }
  return states;
}

/* Of what stands, states, and the camera. */
static json_t *motion_json(const ObstacleScore *score)
{
  double motions = (double)score->motions;
  return json_pack("{s:o, s:o, s:I, s:o, s:o}", "speeds", eval_speed_json(&score->standing, "all"),
      "states", states_json(score), "motions", (json_int_t)score->motions, "turn_error",
      table_json(sqrt(score->motion_error[0] / motions) * 180 / G_PI), "shift_error",
      table_json(sqrt(score->motion_error[1] / motions)));
}

static void print_motion(FILE *out, json_t *motion)
{
  static const TableCell speeds[] = {{"standing", 1, 9, 0}, {"closing.said", 100, 8, 1, "%"},
      {"closing.off_1_5", 100, 8, 1, "%"}, {"closing.off_3", 100, 8, 1, "%"},
      {"lateral.said", 100, 8, 1, "%"}, {"lateral.off_1_5", 100, 8, 1, "%"},
      {"lateral.off_3", 100, 8, 1, "%"}, {NULL}};
  static const TableCell cells[] = {
      {"all", 1, 9, 0}, {"said", 100, 8, 1, "%"}, {"right", 100, 8, 1, "%"}, {NULL}};
  const char *name;
  json_t *row;
  fprintf(out, "\n%-12s%10s%10s%10s%10s%10s%10s%10s\n", "speeds of", "standing", "closing",
      ">1.5 m/s", ">3 m/s", "lateral", ">1.5 m/s", ">3 m/s");
  table_line(out, 12, "", json_object_get(motion, "speeds"), speeds);
  fprintf(out, "\n%-12s%10s%10s%10s\n", "state", "obstacles", "said", "right");
  json_object_foreach(json_object_get(motion, "states"), name, row)
      table_line(out, 12, name, row, cells);
  fprintf(out, "\nthe camera's motion, of %d frames, is off by %.3f degrees and %.4f m a frame\n",
      (int)json_integer_value(json_object_get(motion, "motions")),
      table_number(motion, &(TableCell){"turn_error", 1, 0, 0, NULL}),
      table_number(motion, &(TableCell){"shift_error", 1, 0, 0, NULL}));
}

static void print_text(FILE *out, const json_t *root, const ObstacleScore *score)
{
  static const TableCell cells[] = {{"counted", 1, 9, 0}, {"recall", 100, 8, 1, "%"},
      {"possible", 100, 8, 1, "%"}, {"id_kept", 100, 8, 1, "%"},
      {"distance_median", 100, 8, 1, "%"}, {"distance_mean", 100, 8, 1, "%"},
      {"distance_9_in_10", 100, 8, 1, "%"}, {"distance_within_3_percent", 100, 8, 1, "%"},
      {"speed_error", 1, 9, 2}, {"moving", 1, 9, 0}, {"moving_said", 100, 8, 1, "%"},
      {"moving_speed_median", 1, 9, 2}, {"moving_speed_9_in_10", 1, 9, 2},
      {"contact_median", 100, 8, 1, "%"}, {NULL}};
  static const char *const things[] = {"vehicles", "people", "all"};
  fprintf(out, "%s, %llu frames\n\n", json_string_value(json_object_get(root, "data")),
      (unsigned long long)score->frames);
  fprintf(out, "%-12s%10s%10s%10s%10s%10s%10s%10s%10s%10s%10s%10s%10s%10s%10s\n", "", "counted",
      "recall", "possible", "id kept", "median", "mean", "9 in 10", "within 3%", "speed m/s",
      "moving", "said", "median", "9 in 10", "contact");
  for (size_t i = 0; i < G_N_ELEMENTS(things); i++)
    table_line(out, 12, things[i], json_object_get(root, things[i]), cells);
  fprintf(out,
      "\n%llu obstacles, %llu where nothing stands, %llu parts of objects: precision %.1f%%, "
      "among what is found or wrong %.1f%%; %.3f ms per frame\n",
      (unsigned long long)score->obstacles, (unsigned long long)score->ghosts,
      (unsigned long long)score->parts, 100 * precision(score), 100 * strict_precision(score),
      score->ms / (double)score->frames);
  print_motion(out, json_object_get(root, "motion"));
}

void obstacle_print(FILE *out, const char *name, const ObstacleScore *score, bool json)
{
  ThingScore all = thing_total(score);
  json_t *root = json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "data",
      name, "frames", (json_int_t)score->frames, "obstacles", (json_int_t)score->obstacles,
      "ghosts", (json_int_t)score->ghosts, "parts", (json_int_t)score->parts, "precision",
      table_json(precision(score)), "strict_precision", table_json(strict_precision(score)), "ms",
      table_json(score->ms / (double)score->frames), "vehicles",
      thing_json(&score->thing[THING_VEHICLE]), "people", thing_json(&score->thing[THING_PERSON]),
      "all", thing_json(&all), "motion", motion_json(score));
  if (json) {
    table_dump(out, root);
  } else {
    print_text(out, root, score);
    json_decref(root);
  }
}
