/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/pipeline.h"

#include <stdlib.h>
#include <time.h>

const char *const stage_names[STAGE_COUNT] = {"sgm", "colmean", "roadline", "rdp", "satdp"};

double now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

bool pipeline_has(const PipelineSettings *settings, Stage stage)
{
  bool satdp = settings->model == MODEL_SATDP;
  if (stage == STAGE_SATDP || stage == STAGE_ROADLINE)
    return satdp;
  return stage != STAGE_RDP || !satdp || settings->candidates == CANDIDATES_RDP;
}

static size_t larger(size_t a, size_t b)
{
  return a > b ? a : b;
}

static bool check(const PipelineSettings *settings, StxError *error)
{
  return stx_sgm_check(&settings->sgm, error) && stx_colmean_check(&settings->colmean, error) &&
         (!pipeline_has(settings, STAGE_SATDP) || stx_satdp_check(&settings->satdp, error)) &&
         (!pipeline_has(settings, STAGE_RDP) || stx_rdp_check(&settings->rdp, error));
}

static bool pick(Pipeline *pipeline, StxError *error)
{
  StxBackend backend = pipeline->settings.backend;
  pipeline->sgm = stx_impl_pick(&stx_sgm_impls, backend);
  pipeline->colmean = stx_impl_pick(&stx_colmean_impls, backend);
  pipeline->satdp = stx_impl_pick(&stx_satdp_impls, backend);
  pipeline->rdp = stx_impl_pick(&stx_rdp_impls, backend);
  if (pipeline->sgm == NULL || pipeline->colmean == NULL ||
      (pipeline->satdp == NULL && pipeline_has(&pipeline->settings, STAGE_SATDP)) ||
      (pipeline->rdp == NULL && pipeline_has(&pipeline->settings, STAGE_RDP)))
    return stx_fail(error, "this build has no implementation of that backend for every stage");
  return true;
}

/* The stages run one after another: they share one scratch block. */
static size_t scratch_size(const Pipeline *pipeline)
{
  const PipelineSettings *s = &pipeline->settings;
  size_t size = pipeline->sgm->scratch_size(&s->sgm, pipeline->threads);
  size = larger(size, pipeline->colmean->scratch_size(&s->colmean, pipeline->threads));
  if (pipeline_has(s, STAGE_RDP))
    size = larger(size, pipeline->rdp->scratch_size(&s->rdp, pipeline->threads));
  if (!pipeline_has(s, STAGE_SATDP))
    return size;
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
  p->starts = allocate(cells);
  p->stixels = allocate(cells * sizeof *p->stixels);
  p->scratch = allocate(scratch_size(p));
  if (p->disparity.data && p->confidence.data && p->columns && p->starts && p->stixels &&
      p->scratch)
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
  s->satdp.grid = s->rdp.grid = s->colmean.grid;
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
  free(pipeline->starts);
  free(pipeline->stixels);
  free(pipeline->scratch);
  *pipeline = (Pipeline){0};
}

/* ---- Stages ------------------------------------------------------------------------------- */

static bool run_sgm(Pipeline *p, const StxImage8 *left, const StxImage8 *right, StxError *error)
{
  StxPlace place = {.threads = p->threads};
  return p->sgm->run(
      &p->settings.sgm, left, right, &p->disparity, &p->confidence, p->scratch, &place, error);
}

static bool run_colmean(Pipeline *p, const StxImage8 *labels, StxError *error)
{
  StxPlace place = {.threads = p->threads};
  StxColmeanInput input = {.disparity = p->disparity};
  if (p->settings.use_confidence)
    input.confidence = p->confidence;
  if (p->settings.colmean.semantics == STX_SEMANTICS_LABELS)
    input.labels = *labels;
  return p->colmean->run(
      &p->settings.colmean, &p->colmean_tables, &input, p->columns, p->scratch, &place, error);
}

static bool run_roadline(Pipeline *p, const StxCamera *camera, StxError *error)
{
  if (!stx_road_track_reset(&p->road, p->settings.ground, camera, error))
    return false;
  p->line = stx_road_track_follow(&p->road, &p->settings.satdp.grid, p->columns, p->scratch);
  return true;
}

/* Segments are the result if nothing comes after them; otherwise only the start rows count. */
static bool run_rdp(Pipeline *p, StxError *error)
{
  bool final = !pipeline_has(&p->settings, STAGE_SATDP);
  StxPlace place = {.threads = p->threads};
  StxRdpResult result;
  if (!p->rdp->run(&p->settings.rdp, p->columns, final ? p->stixels : NULL,
          final ? NULL : p->starts, &result, p->scratch, &place, error))
    return false;
  if (final)
    p->stixel_count = result.count;
  return true;
}

static bool run_satdp(Pipeline *p, const StxCamera *camera, StxError *error)
{
  if (!stx_satdp_prepare(&p->settings.satdp, camera, p->line, &p->satdp_tables, error))
    return false;
  const uint8_t *starts = pipeline_has(&p->settings, STAGE_RDP) ? p->starts : NULL;
  StxPlace place = {.threads = p->threads};
  if (!p->satdp->run(&p->settings.satdp, &p->satdp_tables, p->satdp_tables.has_ground, p->columns,
          starts, p->stixels, &p->result, p->scratch, &place, error))
    return false;
  p->stixel_count = p->result.count;
  return true;
}

static bool run_stage(Pipeline *p, Stage stage, const StxImage8 *left, const StxImage8 *right,
    const StxImage8 *labels, const StxCamera *camera, StxError *error)
{
  switch (stage) {
  case STAGE_SGM:
    return run_sgm(p, left, right, error);
  case STAGE_COLMEAN:
    return run_colmean(p, labels, error);
  case STAGE_ROADLINE:
    return run_roadline(p, camera, error);
  case STAGE_RDP:
    return run_rdp(p, error);
  default:
    return run_satdp(p, camera, error);
  }
}

bool pipeline_run(Pipeline *p, const StxImage8 *left, const StxImage8 *right,
    const StxImage8 *labels, const StxCamera *camera, StxError *error)
{
  for (int stage = 0; stage < STAGE_COUNT; stage++) {
    p->ms[stage] = 0;
    if (!pipeline_has(&p->settings, stage))
      continue;
    double start = now_ms();
    if (!run_stage(p, stage, left, right, labels, camera, error))
      return false;
    p->ms[stage] = now_ms() - start;
  }
  return true;
}
