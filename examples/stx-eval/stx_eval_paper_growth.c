/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stx-eval paper: how the time of the dynamic programmes grows with the number of rows, Figure 9.
 *
 * The cells of one picture, always of the same width, of several heights. The references, "c", look
 * at every start row of every end row and at every cell of every stixel; the fastest codes leave
 * out what exact bounds allow. One thread's processor time, so that other work on the machine does
 * not count, on columns evenly spread over the picture, as many as fill the widest vectors.
 */
#include "examples/stx-eval/stx_eval_paper.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/fulldp/fulldp.h"

#define CELL_WIDTH 4
#define COLUMNS 32
#define ENOUGH_MS 2000.0 /* no further run of what took so long */
#define LEAST_MS 20.0    /* runs go on until then */

static const int heights[] = {16, 8, 4, 2, 1};
#define HEIGHTS (sizeof heights / sizeof heights[0])
#define LAST 3 /* the largest of them, for the exponent of the end of the curve */

/* Both models, pruned and not. */
static const struct {
  PaperModel model;
  StxBackend backend;
} codes[] = {{PAPER_OURS, STX_BACKEND_C}, {PAPER_OURS, STX_BACKEND_AUTO},
    {PAPER_ORIGINAL, STX_BACKEND_C}, {PAPER_ORIGINAL, STX_BACKEND_AUTO}};
#define CODES (sizeof codes / sizeof codes[0])

/* What is segmented. */
typedef struct {
  StxSatdpParams params;
  StxSatdpTables tables;
  uint16_t *columns;
} Work;

typedef struct {
  const char *code;
  int rows;
  double us, evaluated; /* a column; share of the triples */
} Time;

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

static bool make_work(
    const PaperHow *how, const EvalFrame *frame, int height, Work *work, StxError *error)
{
  StxPipelineSettings settings = paper_settings(how, PAPER_OURS);
  StxPipelineInput input = {.left = frame->left, .right = frame->right, .camera = frame->camera};
  StxPipelineOutput output;
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

static double thread_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double shortest_run(const PaperHow *how, const Work *work, const StxSatdpImpl *impl,
    StxSatdpResult *result, StxStixel *stixels, void *scratch)
{
  const StxPlace place = {.threads = 1};
  double best = INFINITY, sum = 0;
  for (int run = 0; (run < how->repeat && sum < ENOUGH_MS) || sum < LEAST_MS; run++) {
    double begin = thread_ms();
    impl->run(&work->params, &work->tables, work->tables.has_ground, work->columns, NULL, stixels,
        result, scratch, &place, NULL);
    double ms = thread_ms() - begin;
    sum += ms;
    best = ms < best ? ms : best;
  }
  return best;
}

static Time time_code(const PaperHow *how, const Work *work, size_t code)
{
  const StxImplTable *table =
      codes[code].model == PAPER_OURS ? &stx_satdp_impls : &stx_fulldp_impls;
  const StxSatdpImpl *impl = stx_impl_pick(table, codes[code].backend);
  const StxGrid *grid = &work->params.grid;
  size_t columns = (size_t)stx_grid_columns(grid), rows = (size_t)stx_grid_rows(grid);
  StxStixel *stixels = g_new(StxStixel, columns * rows);
  void *scratch = aligned_alloc(STX_ALIGN, stx_align(impl->scratch_size(&work->params, 1)));
  StxSatdpResult result;
  if (scratch == NULL)
    g_error("not enough memory for %zu rows", rows);
  double ms = shortest_run(how, work, impl, &result, stixels, scratch);
  uint64_t pairs = stx_satdp_pairs(grid, work->tables.has_ground);
  free(scratch);
  g_free(stixels);
  return (Time){
      impl->info.name, (int)rows, 1e3 * ms / (double)columns, stx_rate(result.evaluated, pairs)};
}

/* ---- Exponents ------------------------------------------------------------------------------ */

double paper_exponent(const double *x, const double *y, size_t count)
{
  double mx = 0, my = 0, xx = 0, xy = 0;
  for (size_t i = 0; i < count; i++) {
    mx += log(x[i]) / (double)count;
    my += log(y[i]) / (double)count;
  }
  for (size_t i = 0; i < count; i++) {
    double dx = log(x[i]) - mx;
    xx += dx * dx;
    xy += dx * (log(y[i]) - my);
  }
  return xx > 0 ? xy / xx : NAN;
}

static json_t *exponent_json(const Time *times, size_t count)
{
  double x[HEIGHTS], y[HEIGHTS];
  for (size_t i = 0; i < count; i++) {
    x[i] = times[i].rows;
    y[i] = times[i].us;
  }
  double exponent = paper_exponent(x, y, count);
  return isfinite(exponent) ? json_real(exponent) : json_null();
}

static json_t *exponent_row(const char *data, size_t code, const Time *times, size_t count)
{
  size_t skip = count > LAST ? count - LAST : 0;
  return json_pack("{s:s, s:s, s:s, s:b, s:o, s:o}", "data", data, "model",
      paper_model_name(codes[code].model), "code", times[0].code, "pruned",
      codes[code].backend != STX_BACKEND_C, "exponent", exponent_json(times, count),
      "exponent_last", exponent_json(times + skip, count - skip));
}

static json_t *time_row(const char *data, size_t code, const Time *time)
{
  return json_pack("{s:s, s:i, s:s, s:s, s:b, s:f, s:f}", "data", data, "rows", time->rows, "model",
      paper_model_name(codes[code].model), "code", time->code, "pruned",
      codes[code].backend != STX_BACKEND_C, "us_per_column", time->us, "pairs_evaluated",
      time->evaluated);
}

/* The first frame of the first data set. */
bool paper_growth(
    const PaperHow *how, PaperDataList *list, json_t *rows, json_t *exponents, StxError *error)
{
  PaperData *data = &list->data[0];
  Time times[CODES][HEIGHTS];
  EvalFrame frame;
  size_t count = 0;
  bool good = data->set.load(&data->set, 0, &frame, error);
  for (size_t i = 0; good && i < HEIGHTS; i++) {
    Work work;
    if ((frame.left.height + heights[i] - 1) / heights[i] > STX_MAX_ROWS)
      continue;
    good = make_work(how, &frame, heights[i], &work, error);
    for (size_t code = 0; good && code < CODES; code++) {
      times[code][count] = time_code(how, &work, code);
      json_array_append_new(rows, time_row(data->name, code, &times[code][count]));
    }
    g_free(work.columns);
    count++;
  }
  eval_frame_free(&frame);
  for (size_t code = 0; good && code < CODES; code++)
    json_array_append_new(exponents, exponent_row(data->name, code, times[code], count));
  return good;
}
