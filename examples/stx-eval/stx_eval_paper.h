/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stx-eval paper: the experiments of D. Hernandez-Juarez et al., "3D Perception with Slanted
 * Stixels on GPU", TPDS 32(10), 2021, §5, on frames that there are. See docs/benchmarks/stixels.md.
 *
 * Everything measured is a list of rows, objects of JSON whose values are strings, numbers,
 * booleans or null (does not apply); every row of a list has the same keys in the same order. Rates
 * are 0…1, times milliseconds or, where the key says so, microseconds.
 *   comparison   Tables 2 and 3: one row for each data set, cell size, settings, labels and model
 *   frames       Figure 7: the same frame by frame
 *   growth       Figure 9: time of the dynamic programmes over the number of rows of cells
 *   exponents    the lines of least squares through that, both axes logarithmic
 *   study        what each parameter does
 */
#ifndef STX_EVAL_PAPER_H
#define STX_EVAL_PAPER_H

#include <jansson.h>

#include "examples/stx-eval/stx_eval.h"

/* ---- Data ---------------------------------------------------------------------------------- */

typedef struct {
  char name[64];
  DataSet set;
  int max_disparity;  /* of the matcher; 0: its default */
  StxRoadMode ground; /* where the road comes from */
} PaperData;

/* A data set and its name in the tables; at most this many. */
#define PAPER_DATA 16

typedef struct {
  PaperData data[PAPER_DATA];
  size_t count;
} PaperDataList;

/* Appends a folder in KITTI's layout, from "NAME=FOLDER", or a street for each kind of scene (of
 * those that are studied): the first frames of `count` streets with seeds from `seed` on. All
 * frames are loaded once and stay in memory; each stands alone. */
bool paper_add_folder(PaperDataList *list, const char *text, StxError *error);
bool paper_add_streets(PaperDataList *list, int width, int height, uint64_t seed, size_t count,
    bool study, StxError *error);

/* One street of the size at which the paper measures time, with twice the disparities. */
bool paper_add_large_street(PaperDataList *list, uint64_t seed, StxError *error);
void paper_close(PaperDataList *list);

/* ---- Measuring ------------------------------------------------------------------------------ */

typedef enum { PAPER_ORIGINAL, PAPER_OURS, PAPER_SEGMENTS, PAPER_MODELS } PaperModel;

typedef struct {
  int repeat, threads; /* runs of which the shortest counts; threads of the pipeline */
} PaperHow;

/* The names in rows: "gaussian-uniform", "gaussian", "rdp". */
const char *paper_model_name(PaperModel model);

/* The defaults with one of the models. */
StxPipelineSettings paper_settings(const PaperHow *how, PaperModel model);

/* Turns the settings to true labels as input, and to what the paper describes: the mean of a cell's
 * valid pixels, no filling, all pixels certain, no search for the sky, upright objects. */
void paper_use_labels(StxPipelineSettings *settings);
void paper_as_printed(StxPipelineSettings *settings);

/* All of these append rows. */
bool paper_compare(
    const PaperHow *how, PaperDataList *list, json_t *rows, json_t *frames, StxError *error);
bool paper_growth(
    const PaperHow *how, PaperDataList *list, json_t *rows, json_t *exponents, StxError *error);
bool paper_study(const PaperHow *how, PaperDataList *list, json_t *rows, StxError *error);

/* The slope of the line of least squares through (ln x, ln y); NAN for fewer than two x. */
double paper_exponent(const double *x, const double *y, size_t count);

/* ---- Report --------------------------------------------------------------------------------- */

/* `root` has the lists of rows; those that are empty print nothing. Markdown tables stand between
 * lines by which docs/make-plots.py finds them. */
void paper_print(FILE *out, const json_t *root, bool markdown);

/* Writes the lists as stixels-LIST.csv into a folder. */
bool paper_write_csv(const char *folder, const json_t *root, StxError *error);

#endif
