/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval paper: every model on every data set, Tables 2 and 3 and Figure 7. */
#include "examples/stx-eval/stx_eval_paper.h"

#include <glib.h>

static const StxPipelineModel models[PAPER_MODELS] = {
    [PAPER_ORIGINAL] = STX_PIPELINE_FULLDP,
    [PAPER_OURS] = STX_PIPELINE_SATDP,
    [PAPER_SEGMENTS] = STX_PIPELINE_RDP,
};

/* One line of the tables. */
typedef struct {
  int cell;
  bool printed, labels;
  PaperModel model;
} Line;

const char *paper_model_name(PaperModel model)
{
  static const char *const names[PAPER_MODELS] = {"gaussian-uniform", "gaussian", "rdp"};
  return names[model];
}

StxPipelineSettings paper_settings(const PaperHow *how, PaperModel model)
{
  StxPipelineSettings settings = stx_pipeline_defaults();
  settings.model = models[model];
  settings.threads = how->threads;
  return settings;
}

void paper_use_labels(StxPipelineSettings *settings)
{
  settings->colmean.semantics = STX_SEMANTICS_LABELS;
  settings->colmean.grid.classes = STX_LABEL_CLASSES;
}

void paper_as_printed(StxPipelineSettings *settings)
{
  settings->colmean.reduction = STX_REDUCE_MEAN;
  settings->colmean.fill_width = 0;
  settings->use_confidence = false;
  settings->sgm.sky = false;
  settings->satdp.object_sigma_slope = 0;
}

static StxPipelineSettings settings_of(const PaperHow *how, const Line *line)
{
  StxPipelineSettings settings = paper_settings(how, line->model);
  settings.colmean.grid.cell_width = settings.colmean.grid.cell_height = line->cell;
  if (line->labels)
    paper_use_labels(&settings);
  if (line->printed)
    paper_as_printed(&settings);
  return settings;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static void set_text(json_t *row, const char *key, const char *value)
{
  json_object_set_new(row, key, json_string(value));
}

/* A rate, or null where there is none. */
static void set_rate(json_t *row, const char *key, double value)
{
  json_object_set_new(row, key, value < 0 ? json_null() : json_real(value));
}

static json_t *new_row(const PaperData *data, const Line *line)
{
  json_t *row = json_object();
  set_text(row, "data", data->name);
  json_object_set_new(row, "cell", json_integer(line->cell));
  set_text(row, "settings", line->printed ? "paper" : "defaults");
  set_text(row, "labels", line->labels ? "true" : "none");
  set_text(row, "model", paper_model_name(line->model));
  return row;
}

/* The errors of one map, by both rules. */
static void add_error(json_t *row, const char *key, const EvalResult *r, Truth truth, Map map)
{
  const StxDisparityScore *score = &r->score[truth][map];
  char *or_key = g_strconcat(key, "_or", NULL), *and_key = g_strconcat(key, "_and", NULL);
  set_rate(row, or_key, r->has_truth[truth] ? stx_rate(score->bad_or, score->truth) : -1);
  set_rate(row, and_key, r->has_truth[truth] ? stx_rate(score->bad_and, score->truth) : -1);
  g_free(or_key);
  g_free(and_key);
}

static void add_measures(json_t *row, const EvalResult *r, const StxPipelineSettings *settings)
{
  add_error(row, "input", r, TRUTH_NOC, MAP_FILLED);
  add_error(row, "error", r, TRUTH_NOC, MAP_STIXELS);
  set_rate(row, "ratio_and", eval_ratio(r, TRUTH_NOC));
  add_error(row, "input_all", r, TRUTH_ALL, MAP_FILLED);
  add_error(row, "error_all", r, TRUTH_ALL, MAP_STIXELS);
  set_rate(row, "iou_kinds", r->has_kinds ? stx_confusion_mean_iou(&r->kinds) : -1);
  set_rate(row, "iou_classes", r->has_classes ? stx_confusion_mean_iou(&r->classes) : -1);
  set_rate(row, "iou_cells", r->has_labels ? stx_confusion_mean_iou(&r->majority) : -1);
  set_rate(row, "pixels_per_stixel", stx_rate(r->pixels, r->stixels));
  set_rate(row, "stixels_per_frame", (double)r->stixels / r->frames);
  set_rate(row, "pairs_evaluated", r->pairs > 0 ? stx_rate(r->evaluated, r->pairs) : -1);
  for (int i = 0; i < STX_STAGE_COUNT; i++) {
    char *key = g_strconcat("ms_", stx_stage_name(i), NULL);
    set_rate(row, key, stx_pipeline_has(settings, i) ? r->ms[i] / r->frames : -1);
    g_free(key);
  }
}

static json_t *frame_row(const PaperData *data, const Line *line, const EvalResult *r)
{
  json_t *row = new_row(data, line);
  set_text(row, "frame", r->name);
  add_error(row, "input", r, TRUTH_NOC, MAP_FILLED);
  add_error(row, "error", r, TRUTH_NOC, MAP_STIXELS);
  set_rate(row, "pixels_per_stixel", stx_rate(r->pixels, r->stixels));
  return row;
}

/* ---- All lines ------------------------------------------------------------------------------ */

static bool measure(const PaperHow *how, PaperData *data, const Line *line, json_t *rows,
    json_t *frames, StxError *error)
{
  size_t count = data->set.count;
  EvalResult *results = g_new0(EvalResult, count + 1), *total = &results[count];
  StxPipelineSettings settings = settings_of(how, line);
  settings.ground = data->ground;
  if (data->max_disparity > 0)
    settings.sgm.max_disparity = data->max_disparity;
  bool good = eval_run(&settings, how->repeat, &data->set, results, total, error);
  if (good) {
    json_t *row = new_row(data, line);
    json_object_set_new(row, "frames", json_integer((json_int_t)count));
    add_measures(row, total, &settings);
    json_array_append_new(rows, row);
    for (size_t i = 0; i < count; i++)
      json_array_append_new(frames, frame_row(data, line, &results[i]));
  }
  g_free(results);
  return good;
}

/* Segments know no classes. */
static bool applies(const PaperData *data, const Line *line)
{
  return !line->labels || (data->set.has_labels && line->model != PAPER_SEGMENTS);
}

bool paper_compare(
    const PaperHow *how, PaperDataList *list, json_t *rows, json_t *frames, StxError *error)
{
  static const int cells[] = {8, 4};
  bool good = true;
  for (size_t i = 0; i < list->count; i++)
    for (int variant = 0; variant < 8; variant++)
      for (int model = 0; model < PAPER_MODELS; model++) {
        Line line = {cells[variant >> 2], variant >> 1 & 1, variant & 1, (PaperModel)model};
        if (good && applies(&list->data[i], &line))
          good = measure(how, &list->data[i], &line, rows, frames, error);
      }
  return good;
}
