/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/pipeline.h"

#include <stdlib.h>
#include <time.h>

const char *const stage_names[STAGE_COUNT] = {"sgm", "colmean", "roadline", "satdp"};

double now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static size_t larger(size_t a, size_t b)
{
  return a > b ? a : b;
}

static bool check(const PipelineSettings *settings, StxError *error)
{
  return stx_sgm_check(&settings->sgm, error) && stx_colmean_check(&settings->colmean, error) &&
         stx_satdp_check(&settings->satdp, error);
}

static bool pick(Pipeline *pipeline, StxError *error)
{
  StxBackend backend = pipeline->settings.backend;
  pipeline->sgm = stx_impl_pick(&stx_sgm_impls, backend);
  pipeline->colmean = stx_impl_pick(&stx_colmean_impls, backend);
  pipeline->satdp = stx_impl_pick(&stx_satdp_impls, backend);
  if (pipeline->sgm == NULL || pipeline->colmean == NULL || pipeline->satdp == NULL)
    return stx_fail(error, "this build has no implementation of that backend for every stage");
  return true;
}

/* The stages run one after another: they share one scratch block. */
static size_t scratch_size(const Pipeline *pipeline)
{
  const PipelineSettings *s = &pipeline->settings;
  size_t size = pipeline->sgm->scratch_size(&s->sgm, pipeline->threads);
  size = larger(size, pipeline->colmean->scratch_size(&s->colmean, pipeline->threads));
  size = larger(size, stx_roadline_scratch(&s->satdp.grid));
  return larger(size, pipeline->satdp->scratch_size(&s->satdp, pipeline->threads));
}

static void *allocate(size_t size)
{
  return aligned_alloc(STX_ALIGN, stx_align(size + 1));
}

static bool allocate_all(Pipeline *p, StxError *error)
{
  const StxGrid *grid = &p->settings.satdp.grid;
  size_t pixels = (size_t)grid->width * (size_t)grid->height;
  size_t cells = (size_t)stx_grid_columns(grid) * (size_t)stx_grid_rows(grid);
  p->disparity = (StxImage16){allocate(2 * pixels), 2 * grid->width, grid->width, grid->height};
  p->confidence = (StxImage8){allocate(pixels), grid->width, grid->width, grid->height};
  p->columns = allocate(stx_grid_bytes(grid));
  p->stixels = allocate(cells * sizeof *p->stixels);
  p->scratch = allocate(scratch_size(p));
  if (p->disparity.data && p->confidence.data && p->columns && p->stixels && p->scratch)
    return true;
  pipeline_close(p);
  return stx_fail(
      error, "not enough memory for frames of %d × %d pixels", grid->width, grid->height);
}

bool pipeline_open(
    Pipeline *pipeline, const PipelineSettings *settings, int width, int height, StxError *error)
{
  *pipeline = (Pipeline){.settings = *settings, .threads = stx_threads(settings->threads)};
  PipelineSettings *s = &pipeline->settings;
  s->sgm.width = s->colmean.grid.width = width;
  s->sgm.height = s->colmean.grid.height = height;
  s->satdp.grid = s->colmean.grid;
  if (!check(s, error) || !pick(pipeline, error) || !allocate_all(pipeline, error))
    return false;
  stx_colmean_prepare(&pipeline->colmean_tables);
  return true;
}

void pipeline_close(Pipeline *pipeline)
{
  free(pipeline->disparity.data);
  free(pipeline->confidence.data);
  free(pipeline->columns);
  free(pipeline->stixels);
  free(pipeline->scratch);
  *pipeline = (Pipeline){0};
}

/* ---- Stages ------------------------------------------------------------------------------- */

static void run_sgm(Pipeline *p, const StxImage8 *left, const StxImage8 *right)
{
  p->sgm->run(&p->settings.sgm, left, right, &p->disparity, &p->confidence, p->scratch, p->threads);
}

static void run_colmean(Pipeline *p, const StxImage8 *labels)
{
  StxColmeanInput input = {.disparity = p->disparity};
  if (p->settings.use_confidence)
    input.confidence = p->confidence;
  if (p->settings.colmean.semantics == STX_SEMANTICS_LABELS)
    input.labels = *labels;
  p->colmean->run(
      &p->settings.colmean, &p->colmean_tables, &input, p->columns, p->scratch, p->threads);
}

static void run_roadline(Pipeline *p, const StxCamera *camera)
{
  GroundMode mode = p->settings.ground;
  StxRoadLine known;
  bool is_known = mode != GROUND_NONE && stx_roadline_from_camera(camera, &known);
  bool search = mode == GROUND_ESTIMATE || (mode == GROUND_AUTO && !is_known);
  p->has_line = search && stx_roadline_estimate(&p->settings.satdp.grid, p->columns,
                              is_known ? &known : NULL, &p->line, p->scratch);
  if (!p->has_line && is_known) {
    p->line = known;
    p->has_line = true;
  }
}

static bool run_satdp(Pipeline *p, const StxCamera *camera, StxError *error)
{
  if (!stx_satdp_prepare(
          &p->settings.satdp, camera, p->has_line ? &p->line : NULL, &p->satdp_tables, error))
    return false;
  p->stixel_count = p->satdp->run(&p->settings.satdp, &p->satdp_tables, p->columns, NULL, p->stixels,
      &p->stats, p->scratch, p->threads);
  return true;
}

bool pipeline_run(Pipeline *p, const StxImage8 *left, const StxImage8 *right,
    const StxImage8 *labels, const StxCamera *camera, StxError *error)
{
  double t[STAGE_COUNT + 1];
  t[0] = now_ms();
  run_sgm(p, left, right);
  t[1] = now_ms();
  run_colmean(p, labels);
  t[2] = now_ms();
  run_roadline(p, camera);
  t[3] = now_ms();
  bool good = run_satdp(p, camera, error);
  t[4] = now_ms();
  for (int i = 0; i < STAGE_COUNT; i++)
    p->ms[i] = t[i + 1] - t[i];
  return good;
}
