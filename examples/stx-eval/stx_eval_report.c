/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/stx-eval/stx_eval.h"

#include <glib.h>
#include <math.h>

#include "examples/shared/table.h"

static const char *const truth_names[TRUTH_COUNT] = {"non_occluded", "all"};
static const char *const map_names[MAP_COUNT] = {"raw", "filled", "stixels"};
static const char *const reductions[] = {"mean", "weighted", "median"};
static const char *const semantics[] = {[STX_SEMANTICS_NONE] = "depth only",
    [STX_SEMANTICS_LABELS] = "with true labels",
    [STX_SEMANTICS_SCORES_F32] = "with a network's scores"};
static const char *const models[] = {"satdp", "rdp", "gaussian-uniform"};
static const char *const cuts[] = {"all", "rdp"};
static const char *const grounds[] = {"auto", "calibration", "estimate", "none", "piecewise"};

/* The settings of rdp if it cuts columns, or restricts satdp's start rows. */
static const StxRdpParams *rdp_of(const StxPipelineSettings *settings)
{
  return settings->model == STX_PIPELINE_RDP ? &settings->rdp : &settings->cuts_rdp;
}

/* ---- JSON --------------------------------------------------------------------------------- */

/* A rate, or null where there is none. */
static json_t *number(double value)
{
  return value < 0 ? json_null() : json_real(value);
}

static json_t *share(uint64_t part, uint64_t whole)
{
  return whole > 0 ? json_real(stx_rate(part, whole)) : json_null();
}

static json_t *score_json(const StxDisparityScore *score)
{
  return json_pack("{s:I, s:I, s:f, s:f}", "pixels", (json_int_t)score->truth, "known",
      (json_int_t)score->known, "error_and", stx_rate(score->bad_and, score->truth), "error_or",
      stx_rate(score->bad_or, score->truth));
}

static json_t *truth_json(const EvalResult *r, Truth truth)
{
  if (!r->has_truth[truth])
    return json_null();
  json_t *object = json_object();
  for (int map = 0; map < MAP_COUNT; map++)
    json_object_set_new(object, map_names[map], score_json(&r->score[truth][map]));
  const StxDisparityScore *filled = &r->score[truth][MAP_FILLED];
  const StxDisparityScore *stixels = &r->score[truth][MAP_STIXELS];
  json_object_set_new(object, "ratio_and", share(stixels->bad_and, filled->bad_and));
  json_object_set_new(object, "ratio_or", share(stixels->bad_or, filled->bad_or));
  return object;
}

static json_t *iou_json(const StxConfusion *confusion)
{
  json_t *classes = json_array();
  for (int k = 0; k < confusion->classes; k++)
    json_array_append_new(classes, number(stx_confusion_iou(confusion, k)));
  return json_pack(
      "{s:o, s:o}", "mean", number(stx_confusion_mean_iou(confusion)), "each", classes);
}

static json_t *result_json(const StxPipelineSettings *settings, const EvalResult *r)
{
  json_t *object = json_pack("{s:s, s:i, s:f, s:f, s:f, s:o}", "name", r->name, "frames", r->frames,
      "density", stx_rate(r->known, r->pixels), "stixels_per_frame", (double)r->stixels / r->frames,
      "pixels_per_stixel", stx_rate(r->pixels, r->stixels), "pairs_evaluated",
      share(r->evaluated, r->pairs));
  for (int t = 0; t < TRUTH_COUNT; t++)
    json_object_set_new(object, truth_names[t], truth_json(r, t));
  json_object_set_new(object, "iou_kinds", r->has_kinds ? iou_json(&r->kinds) : json_null());
  json_object_set_new(object, "iou_classes", r->has_classes ? iou_json(&r->classes) : json_null());
  json_object_set_new(object, "iou_cells", r->has_labels ? iou_json(&r->majority) : json_null());
  json_object_set_new(object, "seen",
      stx_pipeline_has(settings, STX_STAGE_SATDP) ? eval_seen_json(&r->seen) : json_null());
  json_t *ms = json_object();
  for (int i = 0; i < STX_STAGE_COUNT; i++)
    json_object_set_new(
        ms, stx_stage_name(i), number(stx_pipeline_has(settings, i) ? r->ms[i] / r->frames : -1));
  json_object_set_new(object, "ms", ms);
  return object;
}

static json_t *settings_json(const StxPipelineSettings *s)
{
  const StxGrid *grid = &s->colmean.grid;
  json_t *object = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:s, s:s, s:i}", "paths", s->sgm.paths,
      "max_disparity", s->sgm.max_disparity, "p1", s->sgm.p1, "p2", s->sgm.p2, "cell_width",
      grid->cell_width, "cell_height", grid->cell_height, "reduction",
      reductions[s->colmean.reduction], "ground", grounds[s->ground], "classes", grid->classes);
  json_object_set_new(object, "model", json_string(models[s->model]));
  json_object_set_new(object, "cut_candidates", json_string(cuts[s->cuts]));
  if (stx_pipeline_has(s, STX_STAGE_RDP)) {
    double epsilon = (double)rdp_of(s)->epsilon / STX_DISPARITY_ONE;
    json_object_set_new(object, "epsilon", json_real(epsilon));
    json_object_set_new(object, "median", json_integer(rdp_of(s)->median));
  }
  return object;
}

/* ---- Text --------------------------------------------------------------------------------- */

static void print_head(FILE *out, const DataSet *set, const StxPipelineSettings *s)
{
  const StxGrid *grid = &s->colmean.grid;
  fprintf(out, "%s: %zu frame%s\n", set->name, set->count, set->count == 1 ? "" : "s");
  fprintf(out, "sgm: %d paths, %d disparities, P1 %d, P2 %d, left-right %d px, median %s\n",
      s->sgm.paths, s->sgm.max_disparity, s->sgm.p1, s->sgm.p2, s->sgm.lr_max_diff,
      s->sgm.median ? "on" : "off");
  fprintf(out, "cells: %d×%d, reduction %s\n", grid->cell_width, grid->cell_height,
      reductions[s->colmean.reduction]);
  if (stx_pipeline_has(s, STX_STAGE_RDP))
    fprintf(out, "%s: rdp, epsilon %g px, median %d\n",
        stx_pipeline_has(s, STX_STAGE_SATDP) ? "cut candidates" : "stixels",
        (double)rdp_of(s)->epsilon / STX_DISPARITY_ONE, rdp_of(s)->median);
  if (stx_pipeline_has(s, STX_STAGE_SATDP))
    fprintf(out, "stixels: %s, ground %s, %s\n", models[s->model], grounds[s->ground],
        semantics[s->colmean.semantics]);
  fputc('\n', out);
}

static const json_t *at(const json_t *object, const char *key)
{
  return json_object_get(object, key);
}

/* A line for every frame and for their sum. */
static void print_lines(FILE *out, const json_t *root, const TableCell *cells)
{
  const json_t *frame, *total = at(root, "total");
  size_t i;
  json_array_foreach(at(root, "frames"), i, frame)
      table_line(out, 16, json_string_value(at(frame, "name")), frame, cells);
  table_line(out, 16, "total", total, cells);
}

static void print_errors(FILE *out, const json_t *root, const char *word, const TableCell *cells)
{
  fprintf(
      out, "Disparity error, %%: more than 3 px %s more than 5 %% off; a hole is an error\n", word);
  fprintf(out, "%16s %17s %17s %17s %17s\n", "", "input, raw   ", "input, filled  ", "stixels     ",
      "stixels / filled");
  fprintf(out, "%-16s", "frame");
  for (int i = 0; i < MAP_COUNT + 1; i++)
    fprintf(out, " %8s %8s", "non-occ", "all");
  fputc('\n', out);
  print_lines(out, root, cells);
  fputc('\n', out);
}

static void print_stixels(FILE *out, const json_t *root)
{
  static const TableCell cells[] = {{"density", 100, 8, 1}, {"stixels_per_frame", 1, 8, 0},
      {"pixels_per_stixel", 1, 9, 1}, {"pairs_evaluated", 100, 8, 1}, {"iou_kinds.mean", 100, 8, 2},
      {"iou_classes.mean", 100, 8, 2}, {"iou_cells.mean", 100, 8, 2}, {"ms.sgm", 1, 10, 2},
      {"ms.colmean", 1, 8, 2}, {"ms.roadline", 1, 8, 2}, {"ms.rdp", 1, 8, 2}, {"ms.satdp", 1, 8, 2},
      {NULL}};
  _Static_assert(G_N_ELEMENTS(cells) == 7 + STX_STAGE_COUNT + 1, "one for every stage");
  fprintf(out, "%-16s %8s %8s %9s %8s %26s %46s\n", "", "density", "stixels", "px per", "pairs",
      "mean IoU, %        ", "time, ms         ");
  fprintf(out, "%-16s %8s %8s %9s %8s %8s %8s %8s  ", "frame", "%", "a frame", "stixel", "left, %",
      "kinds", "classes", "cells");
  for (int i = 0; i < STX_STAGE_COUNT; i++)
    fprintf(out, " %8s", stx_stage_name(i));
  fputc('\n', out);
  print_lines(out, root, cells);
}

/* Intersection over union of each class: of the stixels and, but for kinds, of whole cells. */
static void print_classes(FILE *out, const json_t *total)
{
  static const TableCell cells[] = {{"stixels", 100, 8, 2}, {"cells", 100, 8, 2}, {NULL}};
  static const char *const kinds[] = {"segment", "ground", "object", "sky"};
  const json_t *of_kinds = at(at(total, "iou_kinds"), "each");
  const json_t *of_classes = at(at(total, "iou_classes"), "each");
  const json_t *of_cells = at(at(total, "iou_cells"), "each");
  if (of_cells == NULL)
    return;
  fprintf(out, "\n%-16s %8s %8s\n", "IoU, %", "stixels", "cells");
  for (size_t k = STX_KIND_GROUND; k < json_array_size(of_kinds); k++) {
    json_t *row = json_pack("{s:O}", "stixels", json_array_get(of_kinds, k));
    table_line(out, 16, kinds[k], row, (const TableCell[]){cells[0], {NULL}});
    json_decref(row);
  }
  for (size_t k = 0; k < STX_LABEL_CLASSES; k++) {
    json_t *row = json_pack("{s:O*, s:O}", "stixels", json_array_get(of_classes, k), "cells",
        json_array_get(of_cells, k));
    if (isfinite(table_number(row, &cells[0])) || isfinite(table_number(row, &cells[1])))
      table_line(out, 16, stx_label_name((int)k), row, cells);
    json_decref(row);
  }
}

/* Of the points of scans: beside the cells of a frame or range are those of a frame's sky. */
#define POINT_CELLS(of)                                                                            \
  {of "points", 1, 9, 0}, {of "ground_as_ground", 100, 9, 2}, {of "object_as_object", 100, 9, 2},  \
      {of "distance_median", 100, 9, 1}, {of "distance_90", 100, 9, 1},                            \
      {of "distance_far_off", 100, 9, 2}, {of "metres_median", 1, 9, 2},                           \
  {                                                                                                \
    of "metres_90", 1, 9, 2                                                                        \
  }

/* Prints stixels beside a scan's points, by frame and by range, and the sky. */
static void print_seen(FILE *out, const json_t *root)
{
  static const TableCell frame_cells[] = {POINT_CELLS("seen."), {"seen.sky", 1, 9, 0},
      {"seen.sky_as_sky", 100, 9, 2}, {"seen.sky_as_near", 100, 9, 2},
      {"seen.wall_as_sky", 100, 9, 2}, {NULL}};
  static const TableCell range_cells[] = {POINT_CELLS(""), {NULL}};
  static const TableCell kind_cells[] = {
      {"ground", 100, 9, 2}, {"object", 100, 9, 2}, {"sky", 100, 9, 2}, {NULL}};
  const json_t *seen = at(at(root, "total"), "seen"), *range, *kind;
  const char *name;
  char words[32];
  size_t i;
  bool has_points = json_integer_value(at(seen, "points")) > 0;
  if (!has_points && json_integer_value(at(seen, "sky")) == 0)
    return;
  fprintf(out, "\n%-16s %9s %19s %29s %19s %29s %9s\n", "What is seen", "points",
      "seen as such, %  ", "distance off by, %     ", "by, m        ", "sky, %             ",
      "walls, %");
  fprintf(out, "%-16s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "frame", "of scan",
      "ground", "object", "median", "90 %", "over 10", "median", "90 %", "pixels", "as sky",
      "as near", "as sky");
  print_lines(out, root, frame_cells);
  if (!has_points)
    return;
  json_array_foreach(at(seen, "ranges"), i, range)
  {
    if (i + 1 < EVAL_RANGES)
      snprintf(words, sizeof words, "%g to %g m", eval_ranges[i], eval_ranges[i + 1]);
    else
      snprintf(words, sizeof words, "from %g m", eval_ranges[i]);
    table_line(out, 16, words, range, range_cells);
  }
  fprintf(out, "\n%-16s %9s %9s %9s\n", "Points seen as, %", "ground", "object", "sky");
  json_object_foreach((json_t *)at(seen, "kinds"), name, kind)
      table_line(out, 17, name, kind, kind_cells);
}

/* The errors of all maps, and what stixels make of the filled one. */
#define ERROR_CELLS(rule)                                                                          \
  {"non_occluded.raw.error_" rule, 100, 8, 2}, {"all.raw.error_" rule, 100, 8, 2},                 \
      {"non_occluded.filled.error_" rule, 100, 8, 2}, {"all.filled.error_" rule, 100, 8, 2},       \
      {"non_occluded.stixels.error_" rule, 100, 8, 2}, {"all.stixels.error_" rule, 100, 8, 2},     \
      {"non_occluded.ratio_" rule, 1, 8, 3}, {"all.ratio_" rule, 1, 8, 3},                         \
  {                                                                                                \
    NULL                                                                                           \
  }

static void print_text(
    FILE *out, const DataSet *set, const StxPipelineSettings *settings, const json_t *root)
{
  static const TableCell cells_and[] = {ERROR_CELLS("and")}, cells_or[] = {ERROR_CELLS("or")};
  const json_t *total = at(root, "total");
  print_head(out, set, settings);
  if (json_is_object(at(total, "non_occluded")) || json_is_object(at(total, "all"))) {
    print_errors(out, root, "and", cells_and);
    print_errors(out, root, "or", cells_or);
  }
  print_stixels(out, root);
  print_seen(out, root);
  print_classes(out, total);
}

void eval_print(FILE *out, const DataSet *set, const StxPipelineSettings *settings,
    const EvalResult *frames, size_t count, const EvalResult *total, bool json)
{
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list, result_json(settings, &frames[i]));
  json_t *root = json_pack("{s:s, s:o, s:o, s:o}", "data", set->name, "settings",
      settings_json(settings), "frames", list, "total", result_json(settings, total));
  if (json) {
    table_dump(out, root);
  } else {
    print_text(out, set, settings, root);
    json_decref(root);
  }
}
