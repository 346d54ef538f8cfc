/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/stx-eval/stx_eval.h"

#include <jansson.h>
#include <string.h>

static const char *const truth_names[TRUTH_COUNT] = {"non_occluded", "all"};
static const char *const map_names[MAP_COUNT] = {"raw", "filled", "stixels"};
static const char *const reductions[] = {"mean", "weighted", "median"};
static const char *const semantics[] = {[STX_SEMANTICS_NONE] = "depth only",
    [STX_SEMANTICS_LABELS] = "with true labels",
    [STX_SEMANTICS_SCORES_F32] = "with a network's scores"};
static const char *const models[] = {"satdp", "rdp", "gaussian-uniform"};
static const char *const cuts[] = {"all", "rdp"};
static const char *const grounds[] = {"auto", "calibration", "estimate", "none", "piecewise"};

typedef enum { MEASURE_AND, MEASURE_OR } Measure;

static uint64_t bad(const StxDisparityScore *score, Measure measure)
{
  return measure == MEASURE_AND ? score->bad_and : score->bad_or;
}

static double error_rate(const StxDisparityScore *score, Measure measure)
{
  return stx_rate(bad(score, measure), score->truth);
}

static double ratio(const EvalResult *result, Truth truth, Measure measure)
{
  uint64_t input = bad(&result->score[truth][MAP_FILLED], measure);
  return input == 0 ? -1 : stx_rate(bad(&result->score[truth][MAP_STIXELS], measure), input);
}

double eval_ratio(const EvalResult *result, Truth truth)
{
  return ratio(result, truth, MEASURE_AND);
}

/* What cuts columns, or tells satdp where it may. */
static const StxRdpParams *rdp_of(const StxPipelineSettings *settings)
{
  return settings->model == STX_PIPELINE_RDP ? &settings->rdp : &settings->cuts_rdp;
}

/* ---- Text --------------------------------------------------------------------------------- */

/* A number in a column, or a dash where there is none (negative). */
static void print_cell(FILE *out, int width, int digits, double value)
{
  if (value < 0)
    fprintf(out, " %*s", width, "-");
  else
    fprintf(out, " %*.*f", width, digits, value);
}

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

static void print_error_row(FILE *out, const EvalResult *r, Measure measure)
{
  fprintf(out, "%-16s", r->name);
  for (int map = 0; map < MAP_COUNT; map++)
    for (int t = 0; t < TRUTH_COUNT; t++)
      print_cell(out, 8, 2, r->has_truth[t] ? 100 * error_rate(&r->score[t][map], measure) : -1);
  for (int t = 0; t < TRUTH_COUNT; t++)
    print_cell(out, 8, 3, r->has_truth[t] ? ratio(r, t, measure) : -1);
  fputc('\n', out);
}

static void print_errors(
    FILE *out, Measure measure, const EvalResult *frames, size_t count, const EvalResult *total)
{
  fprintf(out, "Disparity error, %%: more than 3 px %s more than 5 %% off; a hole is an error\n",
      measure == MEASURE_AND ? "and" : "or");
  fprintf(out, "%16s %17s %17s %17s %17s\n", "", "input, raw   ", "input, filled  ", "stixels     ",
      "stixels / filled");
  fprintf(out, "%-16s", "frame");
  for (int i = 0; i < MAP_COUNT + 1; i++)
    fprintf(out, " %8s %8s", "non-occ", "all");
  fputc('\n', out);
  for (size_t i = 0; i < count; i++)
    print_error_row(out, &frames[i], measure);
  print_error_row(out, total, measure);
  fputc('\n', out);
}

static void print_stixel_row(FILE *out, const StxPipelineSettings *settings, const EvalResult *r)
{
  fprintf(out, "%-16s", r->name);
  print_cell(out, 8, 1, 100 * stx_rate(r->known, r->pixels));
  print_cell(out, 8, 0, (double)r->stixels / r->frames);
  print_cell(out, 9, 1, stx_rate(r->pixels, r->stixels));
  print_cell(out, 8, 1, r->pairs > 0 ? 100 * stx_rate(r->evaluated, r->pairs) : -1);
  print_cell(out, 8, 2, r->has_kinds ? 100 * stx_confusion_mean_iou(&r->kinds) : -1);
  print_cell(out, 8, 2, r->has_classes ? 100 * stx_confusion_mean_iou(&r->classes) : -1);
  print_cell(out, 8, 2, r->has_labels ? 100 * stx_confusion_mean_iou(&r->majority) : -1);
  fputs("  ", out);
  for (int i = 0; i < STX_STAGE_COUNT; i++)
    print_cell(out, 8, 2, stx_pipeline_has(settings, i) ? r->ms[i] / r->frames : -1);
  fputc('\n', out);
}

static void print_stixels(FILE *out, const StxPipelineSettings *settings, const EvalResult *frames,
    size_t count, const EvalResult *total)
{
  fprintf(out, "%-16s %8s %8s %9s %8s %26s %46s\n", "", "density", "stixels", "px per", "pairs",
      "mean IoU, %        ", "time, ms         ");
  fprintf(out, "%-16s %8s %8s %9s %8s %8s %8s %8s  ", "frame", "%", "a frame", "stixel", "left, %",
      "kinds", "classes", "cells");
  for (int i = 0; i < STX_STAGE_COUNT; i++)
    fprintf(out, " %8s", stx_stage_name(i));
  fputc('\n', out);
  for (size_t i = 0; i < count; i++)
    print_stixel_row(out, settings, &frames[i]);
  print_stixel_row(out, settings, total);
}

static void print_classes(FILE *out, const EvalResult *total)
{
  static const char *const kinds[] = {"segment", "ground", "object", "sky"};
  fprintf(out, "\n%-16s %8s %8s\n", "IoU, %", "stixels", "cells");
  for (int k = STX_KIND_GROUND; total->has_kinds && k <= STX_KIND_SKY; k++) {
    fprintf(out, "%-16s", kinds[k]);
    print_cell(out, 8, 2, 100 * stx_confusion_iou(&total->kinds, k));
    fputc('\n', out);
  }
  for (int k = 0; k < STX_LABEL_CLASSES; k++) {
    double cells = stx_confusion_iou(&total->majority, k);
    double iou = total->has_classes ? stx_confusion_iou(&total->classes, k) : -1;
    if (cells < 0 && iou < 0)
      continue;
    fprintf(out, "%-16s", stx_label_name(k));
    print_cell(out, 8, 2, 100 * iou);
    print_cell(out, 8, 2, 100 * cells);
    fputc('\n', out);
  }
}

void eval_print_text(FILE *out, const DataSet *set, const StxPipelineSettings *settings,
    const EvalResult *frames, size_t count, const EvalResult *total)
{
  print_head(out, set, settings);
  if (total->has_truth[TRUTH_NOC] || total->has_truth[TRUTH_ALL]) {
    print_errors(out, MEASURE_AND, frames, count, total);
    print_errors(out, MEASURE_OR, frames, count, total);
  }
  print_stixels(out, settings, frames, count, total);
  if (stx_pipeline_has(settings, STX_STAGE_SATDP))
    eval_print_seen(out, frames, count, total);
  if (total->has_labels)
    print_classes(out, total);
}

/* ---- JSON --------------------------------------------------------------------------------- */

/* A rate, or null where there is none. */
static json_t *number(double value)
{
  return value < 0 ? json_null() : json_real(value);
}

static json_t *score_json(const StxDisparityScore *score)
{
  return json_pack("{s:I, s:I, s:f, s:f}", "pixels", (json_int_t)score->truth, "known",
      (json_int_t)score->known, "error_and", error_rate(score, MEASURE_AND), "error_or",
      error_rate(score, MEASURE_OR));
}

static json_t *truth_json(const EvalResult *r, Truth truth)
{
  if (!r->has_truth[truth])
    return json_null();
  json_t *object = json_object();
  for (int map = 0; map < MAP_COUNT; map++)
    json_object_set_new(object, map_names[map], score_json(&r->score[truth][map]));
  json_object_set_new(object, "ratio_and", number(ratio(r, truth, MEASURE_AND)));
  json_object_set_new(object, "ratio_or", number(ratio(r, truth, MEASURE_OR)));
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
      number(r->pairs > 0 ? stx_rate(r->evaluated, r->pairs) : -1));
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

void eval_print_json(FILE *out, const DataSet *set, const StxPipelineSettings *settings,
    const EvalResult *frames, size_t count, const EvalResult *total)
{
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list, result_json(settings, &frames[i]));
  json_t *root = json_pack("{s:s, s:o, s:o, s:o}", "data", set->name, "settings",
      settings_json(settings), "frames", list, "total", result_json(settings, total));
  json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
  fputc('\n', out);
  json_decref(root);
}
