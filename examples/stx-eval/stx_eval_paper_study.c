/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval paper: what each parameter does to error and compression, all others at their
 * defaults; cells of 8 × 8 pixels. */
#include "examples/stx-eval/stx_eval_paper.h"

#include <glib.h>

#define VALUES 5

/* The tables of fields that are studied, and where their structs lie in the settings. */
typedef enum { OF_SGM, OF_COLMEAN, OF_SATDP } Where;

/* A parameter and the values to try beside the default, up to END. */
#define END (-99.0)
typedef struct {
  const char *name;
  Where where;
  double values[VALUES + 1];
  bool labels; /* with true labels as input */
  PaperModel model;
} Parameter;

static const Parameter parameters[] = {
    {"stixel-cost", OF_SATDP, {1, 3, 10, 20, END}, false, PAPER_OURS},
    {"sigma-disparity-ground", OF_SATDP, {0.35, 1.5, 4, END}, false, PAPER_OURS},
    {"sigma-disparity-object", OF_SATDP, {0.6, 2.4, 4.8, END}, false, PAPER_OURS},
    {"sigma-disparity-sky", OF_SATDP, {0.5, 2, 4, END}, false, PAPER_OURS},
    {"sigma-weight", OF_SATDP, {0.5, 1, END}, false, PAPER_OURS},
    {"sigma-height", OF_SATDP, {0, 0.02, 0.2, END}, false, PAPER_OURS},
    {"sigma-angle", OF_SATDP, {0, 0.01, 0.02, END}, false, PAPER_OURS},
    {"sigma-depth", OF_SATDP, {0, 0.2, END}, false, PAPER_OURS},
    {"ground-sigma-intercept", OF_SATDP, {1, 5, 100, END}, false, PAPER_OURS},
    {"ground-sigma-slope", OF_SATDP, {0.05, 0.1, 1.5, END}, false, PAPER_OURS},
    {"object-sigma-slope", OF_SATDP, {0, 0.003, 0.03, 0.1, END}, false, PAPER_OURS},
    {"pair-cost", OF_SATDP, {0, 1, 4, END}, false, PAPER_OURS},
    {"pair-slope", OF_SATDP, {0, 0.4, 1.6, END}, false, PAPER_OURS},
    {"pair-tolerance", OF_SATDP, {0.5, 8, END}, false, PAPER_OURS},
    {"horizon-cost", OF_SATDP, {0, 1, 9, END}, false, PAPER_OURS},
    {"unknown-cost", OF_SATDP, {0, 1, END}, false, PAPER_OURS},
    {"sky-cost", OF_SATDP, {0, 1, 16, END}, false, PAPER_OURS},
    {"first-object-cost", OF_SATDP, {2, 8, END}, false, PAPER_OURS},
    {"first-sky-cost", OF_SATDP, {2, 8, END}, false, PAPER_OURS},
    {"reduction", OF_COLMEAN, {STX_REDUCE_MEAN, STX_REDUCE_MEDIAN, END}, false, PAPER_OURS},
    {"fill-width", OF_COLMEAN, {0, 8, 128, END}, false, PAPER_OURS},
    {"sky", OF_SGM, {0, END}, false, PAPER_OURS},
    {"stixel-cost", OF_SATDP, {3, 6, 20, END}, true, PAPER_OURS},
    {"semantic-weight", OF_SATDP, {0.5, 5, END}, true, PAPER_OURS},
    {"outlier-share-ground", OF_SATDP, {0.05, 0.3, END}, false, PAPER_ORIGINAL},
    {"outlier-share-object", OF_SATDP, {0.05, 0.3, END}, false, PAPER_ORIGINAL},
    {"outlier-share-sky", OF_SATDP, {0.15, 0.6, END}, false, PAPER_ORIGINAL},
};

static const StxField *field_of(const Parameter *p, StxPipelineSettings *s, void **params)
{
  const StxFields *tables[] = {&stx_sgm_fields, &stx_colmean_fields, &stx_satdp_fields};
  void *structs[] = {&s->sgm, &s->colmean, &s->satdp};
  *params = structs[p->where];
  const StxField *field = stx_fields_find(tables[p->where], p->name);
  if (field == NULL)
    g_error("there is no parameter %s", p->name);
  return field;
}

static char *text_of(const StxField *field, double value)
{
  if (field->type == STX_FIELD_CHOICE)
    return g_strdup(stx_field_choice(field->choices, (int)value)->nick);
  if (field->type == STX_FIELD_BOOL)
    return g_strdup(value != 0 ? "on" : "off");
  return value < 0 && field->negative != NULL ? g_strdup("auto") : g_strdup_printf("%g", value);
}

/* Runs the settings on all data sets that have what they need. */
static bool try_settings(const StxPipelineSettings *settings, const Parameter *p,
    const char *standard, const char *value, PaperDataList *list, json_t *rows, StxError *error)
{
  bool good = true;
  for (size_t i = 0; good && i < list->count; i++) {
    PaperData *data = &list->data[i];
    EvalResult *results = g_new0(EvalResult, data->set.count + 1);
    EvalResult *total = &results[data->set.count];
    if (!p->labels || data->set.has_labels) {
      good = eval_run(settings, 1, &data->set, results, total, error);
      const StxDisparityScore *score = &total->score[TRUTH_NOC][MAP_STIXELS];
      double ratio = eval_ratio(total, TRUTH_NOC);
      json_array_append_new(
          rows, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:o, s:f}", "model",
                    paper_model_name(p->model), "labels", p->labels ? "true" : "none", "parameter",
                    p->name, "default", standard, "value", value, "data", data->name, "error_or",
                    stx_rate(score->bad_or, score->truth), "error_and",
                    stx_rate(score->bad_and, score->truth), "ratio_and",
                    ratio < 0 ? json_null() : json_real(ratio), "pixels_per_stixel",
                    stx_rate(total->pixels, total->stixels)));
    }
    g_free(results);
  }
  return good;
}

static StxPipelineSettings base_of(const PaperHow *how, const Parameter *p)
{
  StxPipelineSettings settings = paper_settings(how, p->model);
  if (p->labels)
    paper_use_labels(&settings);
  return settings;
}

static bool study_parameter(
    const PaperHow *how, const Parameter *p, PaperDataList *list, json_t *rows, StxError *error)
{
  StxPipelineSettings settings = base_of(how, p);
  void *params;
  const StxField *field = field_of(p, &settings, &params);
  char *standard = text_of(field, stx_field_get(field, params));
  bool good = true;
  for (const double *value = p->values; good && *value != END; value++) {
    char *text = text_of(field, *value);
    stx_field_set(field, params, *value);
    good = try_settings(&settings, p, standard, text, list, rows, error);
    g_free(text);
  }
  g_free(standard);
  return good;
}

/* Not a field of a stage: whether the matcher's confidence counts. */
static bool study_confidence(
    const PaperHow *how, PaperDataList *list, json_t *rows, StxError *error)
{
  const Parameter p = {.name = "confidence", .model = PAPER_OURS};
  StxPipelineSettings settings = base_of(how, &p);
  settings.use_confidence = false;
  return try_settings(&settings, &p, "on", "off", list, rows, error);
}

bool paper_study(const PaperHow *how, PaperDataList *list, json_t *rows, StxError *error)
{
  static const Parameter bases[] = {{.name = "defaults", .model = PAPER_OURS},
      {.name = "defaults", .labels = true, .model = PAPER_OURS},
      {.name = "defaults", .model = PAPER_ORIGINAL}};
  bool good = true;
  for (size_t i = 0; good && i < G_N_ELEMENTS(bases); i++) {
    StxPipelineSettings settings = base_of(how, &bases[i]);
    good = try_settings(&settings, &bases[i], "", "", list, rows, error);
  }
  for (size_t i = 0; good && i < G_N_ELEMENTS(parameters); i++)
    good = study_parameter(how, &parameters[i], list, rows, error);
  return good && study_confidence(how, list, rows, error);
}
