/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stx-growth: how the time of the dynamic programmes grows with the number of rows, Figure 9 of
 * D. Hernandez-Juarez et al., "3D Perception with Slanted Stixels on GPU", TPDS 32(10), 2021.
 * stx-paper.py runs it.
 *
 * The cells of one picture, always of the same width, of several heights. The references, "c", look
 * at every start row of every end row and at every cell of every stixel; the fastest codes leave
 * out what exact bounds allow. One thread's processor time, so that other work on the machine does
 * not count, on columns evenly spread over the picture, as many as fill the widest vectors.
 */
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/fulldp/fulldp.h"
#include "examples/shared/clock.h"
#include "examples/shared/options.h"
#include "examples/stx-eval/stx_eval.h"

#define CELL_WIDTH 4
#define COLUMNS 32
#define ENOUGH_MS 2000.0 /* no further run of what took so long */
#define LEAST_MS 20.0    /* runs go on until then */

static const int heights[] = {16, 8, 4, 2, 1};

/* Both models, pruned and not. */
static const struct {
  const char *model;
  const StxImplTable *table;
  StxBackend backend;
} codes[] = {{"gaussian", &stx_satdp_impls, STX_BACKEND_C},
    {"gaussian", &stx_satdp_impls, STX_BACKEND_AUTO},
    {"gaussian-uniform", &stx_fulldp_impls, STX_BACKEND_C},
    {"gaussian-uniform", &stx_fulldp_impls, STX_BACKEND_AUTO}};

/* The columns to segment. */
typedef struct {
  StxSatdpParams params;
  StxSatdpTables tables;
  uint16_t *columns;
} Work;

/* ---- Columns -------------------------------------------------------------------------------- */

/* COLUMNS of the output's columns (fewer if there are fewer), in the same layout. */
static void pick_columns(Work *work, const StxPipelineOutput *output)
{
  const StxGrid *from = &output->grid;
  StxGrid *to = &work->params.grid;
  int all = stx_grid_columns(from), count = all < COLUMNS ? all : COLUMNS;
  size_t bytes = (size_t)stx_grid_rows(from) * sizeof(uint16_t);
  *to = *from;
  to->width = count * from->cell_width;
  work->columns = g_malloc(stx_grid_bytes(to));
  for (int channel = 0; channel < 2; channel++)
    for (int i = 0; i < count; i++)
      memcpy(stx_column(to, work->columns, channel, i),
          stx_column(from, (void *)output->columns, channel, i * all / count), bytes);
}

static bool make_work(const EvalFrame *frame, int height, Work *work, StxError *error)
{
  StxPipelineSettings settings = stx_pipeline_defaults();
  StxPipelineInput input = {.left = frame->left, .right = frame->right, .camera = frame->camera};
  StxPipelineOutput output;
  settings.threads = 1;
  settings.colmean.grid.cell_width = CELL_WIDTH;
  settings.colmean.grid.cell_height = height;
  StxPipeline *pipeline = stx_pipeline_new(&settings, frame->left.width, frame->left.height, error);
  bool good = pipeline != NULL && stx_pipeline_run(pipeline, &input, &output, error);
  work->params = settings.satdp;
  work->columns = NULL;
  if (good) {
    pick_columns(work, &output);
    good = stx_satdp_prepare(&work->params, &frame->camera, output.line, &work->tables, error);
  }
  if (good)
    stx_fulldp_prepare(&work->params, &work->tables);
  stx_pipeline_free(pipeline);
  return good;
}

/* ---- Times ---------------------------------------------------------------------------------- */

static double shortest_run(int repeat, const Work *work, const StxSatdpImpl *impl,
    StxSatdpResult *result, StxStixel *stixels, void *scratch)
{
  const StxPlace place = {.threads = 1};
  double best = INFINITY, sum = 0;
  for (int run = 0; (run < repeat && sum < ENOUGH_MS) || sum < LEAST_MS; run++) {
    double begin = clock_ms(CLOCK_THREAD_CPUTIME_ID);
    impl->run(&work->params, &work->tables, work->tables.has_ground, work->columns, NULL, stixels,
        result, scratch, &place, NULL);
    double ms = clock_ms(CLOCK_THREAD_CPUTIME_ID) - begin;
    sum += ms;
    best = ms < best ? ms : best;
  }
  return best;
}

static json_t *time_code(int repeat, const Work *work, size_t code)
{
  const StxSatdpImpl *impl = stx_impl_pick(codes[code].table, codes[code].backend);
  const StxGrid *grid = &work->params.grid;
  size_t columns = (size_t)stx_grid_columns(grid), rows = (size_t)stx_grid_rows(grid);
  StxStixel *stixels = g_new(StxStixel, columns * rows);
  void *scratch = aligned_alloc(STX_ALIGN, stx_align(impl->scratch_size(&work->params, 1)));
  StxSatdpResult result;
  if (scratch == NULL)
    g_error("not enough memory for %zu rows", rows);
  double ms = shortest_run(repeat, work, impl, &result, stixels, scratch);
  uint64_t pairs = stx_satdp_pairs(grid, work->tables.has_ground);
  free(scratch);
  g_free(stixels);
  return json_pack("{s:i, s:s, s:s, s:b, s:f, s:f}", "rows", (int)rows, "model", codes[code].model,
      "code", impl->info.name, "pruned", codes[code].backend != STX_BACKEND_C, "us_per_column",
      1e3 * ms / (double)columns, "pairs_evaluated", stx_rate(result.evaluated, pairs));
}

static bool time_frame(const EvalFrame *frame, int repeat, json_t *rows, StxError *error)
{
  bool good = true;
  for (size_t i = 0; good && i < G_N_ELEMENTS(heights); i++) {
    Work work;
    if ((frame->left.height + heights[i] - 1) / heights[i] > STX_MAX_ROWS)
      continue;
    good = make_work(frame, heights[i], &work, error);
    for (size_t code = 0; good && code < G_N_ELEMENTS(codes); code++)
      json_array_append_new(rows, time_code(repeat, &work, code));
    g_free(work.columns);
  }
  return good;
}

/* The first frame of a folder in KITTI's layout, or of a street. */
static bool load(
    const char *folder, const StxSceneParams *street, EvalFrame *frame, StxError *error)
{
  DataSet set;
  if (!(folder != NULL ? eval_open_kitti(&set, folder, NULL, error)
                       : eval_open_street(&set, street, 1, EVAL_FRAMES, error)))
    return false;
  bool good = set.load(&set, 0, frame, error);
  set.close(&set);
  return good;
}

int main(int argc, char **argv)
{
  StxSceneParams street = {.width = 1242, .height = 375};
  gint64 seed = 1;
  char *size = NULL;
  int repeat = 1;
  const GOptionEntry entries[] = {
      {"size", 0, 0, G_OPTION_ARG_STRING, &size, "of the street (1242x375)", "WxH"},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &seed, "of the street (1)", "N"},
      {"repeat", 0, 0, G_OPTION_ARG_INT, &repeat, "runs; the fastest counts (1)", "N"},
      {NULL},
  };
  GOptionContext *context =
      g_option_context_new("[FOLDER] - times the dynamic programmes over the number of rows");
  StxError error = {""};
  setlocale(LC_CTYPE, "");
  g_option_context_add_main_entries(context, entries, NULL);
  json_t *rows = json_array();
  EvalFrame frame = {0};
  bool good =
      options_parse(context, &argc, &argv, &error) &&
      (size == NULL || options_size("size", size, false, &street.width, &street.height, &error));
  street.seed = (uint64_t)seed;
  good = good && load(argc > 1 ? argv[1] : NULL, &street, &frame, &error) &&
         time_frame(&frame, repeat, rows, &error);
  if (good)
    json_dumpf(rows, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
  else
    fprintf(stderr, "stx-growth: %s\n", error.text);
  eval_frame_free(&frame);
  json_decref(rows);
  g_free(size);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
