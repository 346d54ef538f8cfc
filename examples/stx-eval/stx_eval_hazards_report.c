/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/stx-eval/stx_eval_hazards.h"

#include <math.h>

#include "examples/shared/table.h"

static double share(uint64_t part, uint64_t all)
{
  return all > 0 ? (double)part / (double)all : NAN;
}

static double median(const uint64_t *bins, double unit)
{
  uint64_t all = 0, below = 0;
  for (int i = 0; i < HAZARD_BINS; i++)
    all += bins[i];
  for (int i = 0; i < HAZARD_BINS; i++)
    if (all > 0 && 2 * (below += bins[i]) >= all)
      return (i + .5) * unit;
  return NAN;
}

static json_t *sizes_json(const HazardScore *score)
{
  json_t *sizes = json_array();
  for (int s = 0; s < HAZARD_SIZES; s++) {
    json_t *size = json_object(), *ranges = json_array();
    json_object_set_new(size, "height", json_real(hazard_sizes[s] / 100.));
    for (int r = 0; r < HAZARD_RANGES; r++) {
      json_t *range = json_object();
      json_object_set_new(range, "from", json_real(hazard_ranges[r]));
      json_object_set_new(range, "to", json_real(hazard_ranges[r + 1]));
      json_object_set_new(range, "seen", json_integer((json_int_t)score->seen[s][r]));
      json_object_set_new(range, "found", table_json(share(score->found[s][r], score->seen[s][r])));
      json_array_append_new(ranges, range);
    }
    json_object_set_new(size, "ranges", ranges);
    json_array_append_new(sizes, size);
  }
  return sizes;
}

static void print_json(
    FILE *out, const char *name, const HazardScore *score, bool street, bool judged)
{
  json_t *root = json_object();
  json_object_set_new(root, "data", json_string(name));
  json_object_set_new(root, "frames", json_integer((json_int_t)score->frames));
  json_object_set_new(root, "with-ground", json_integer((json_int_t)score->with_ground));
  json_object_set_new(root, "small-in-lane", json_integer((json_int_t)score->records[0]));
  json_object_set_new(root, "holes-in-lane", json_integer((json_int_t)score->records[1]));
  json_object_set_new(root, "ms", table_json(score->ms / (double)score->frames));
  if (judged)
    json_object_set_new(root, "false", json_integer((json_int_t)score->nothing));
  if (street) {
    json_object_set_new(root, "sizes", sizes_json(score));
    json_object_set_new(root, "other-kind", json_integer((json_int_t)score->other_kind));
    json_object_set_new(root, "height-error", table_json(median(score->heights, .001)));
    json_object_set_new(root, "distance-error", table_json(median(score->distances, .01)));
  }
  table_dump(out, root);
}

static void print_sizes(FILE *out, const HazardScore *score)
{
  fprintf(out, "  %-10s", "");
  for (int r = 0; r < HAZARD_RANGES; r++)
    fprintf(out, "     %2.0f to %2.0f m", hazard_ranges[r], hazard_ranges[r + 1]);
  fprintf(out, "\n");
  for (int s = 0; s < HAZARD_SIZES; s++) {
    fprintf(out, "  %3d cm %-4s", hazard_sizes[s] > 0 ? hazard_sizes[s] : -hazard_sizes[s],
        hazard_sizes[s] > 0 ? "high" : "deep");
    for (int r = 0; r < HAZARD_RANGES; r++)
      fprintf(out, "%5.1f %% of %3llu", 100 * share(score->found[s][r], score->seen[s][r]),
          (unsigned long long)score->seen[s][r]);
    fprintf(out, "\n");
  }
  fprintf(out, "  %llu in the lane where there is nothing, %llu at one of the other kind\n",
      (unsigned long long)score->nothing, (unsigned long long)score->other_kind);
  fprintf(out, "  medians of the errors: %.1f cm in height, %.2f m in distance\n",
      100 * median(score->heights, .001), median(score->distances, .01));
}

void hazard_print(
    FILE *out, const char *name, const HazardScore *score, bool street, bool judged, bool json)
{
  if (json) {
    print_json(out, name, score, street, judged);
    return;
  }
  fprintf(out, "%s: %llu frames, ground in %llu\n", name, (unsigned long long)score->frames,
      (unsigned long long)score->with_ground);
  if (street)
    print_sizes(out, score);
  fprintf(out, "  in the lane: %llu small things, %llu holes\n",
      (unsigned long long)score->records[0], (unsigned long long)score->records[1]);
  if (judged && !street)
    fprintf(
        out, "  of these, %llu where nothing is known to be\n", (unsigned long long)score->nothing);
  fprintf(out, "  %.2f ms per frame, of hazards alone\n", score->ms / (double)score->frames);
}
