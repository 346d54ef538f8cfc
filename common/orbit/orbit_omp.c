/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fast one; compiled once per instruction set. First all quads, then bands of rows, each by the
 * worker that takes it: keys of the nearest, quad by quad, then what they show.
 */
#include <string.h>

#include "common/cpu.h"
#include "common/orbit/orbit_math.h"
#include "common/parallel.h"

enum { CHUNK = 64, BAND = 8 }; /* records, rows */

typedef struct {
  StxOrbitFrame *frame;
  const StxFrame *view;
  uint64_t *keys; /* a band for each worker */
  size_t keys_of_worker;
} Job;

static size_t lay_out(
    const StxOrbitParams *params, size_t count, int threads, Job *job, void *memory)
{
  StxLayout at = {.memory = memory};
  StxOrbitFrame layout, *frame = memory != NULL ? memory : &layout;
  STX_TAKE(&at, job->frame, 1);
  STX_TAKE(&at, frame->quads, count);
  STX_TAKE(&at, frame->rows, count);
  job->keys_of_worker = stx_align((size_t)params->width * BAND);
  STX_TAKE(&at, job->keys, job->keys_of_worker * (size_t)threads);
  return at.size;
}

size_t STX_VARIANT(stx_orbit_scratch_size)(const StxOrbitParams *params, size_t count, int threads)
{
  Job job;
  return lay_out(params, count, threads, &job, NULL);
}

static void make_quads(void *data, int piece, int worker)
{
  StxOrbitFrame *frame = ((Job *)data)->frame;
  size_t first = (size_t)piece * CHUNK, end = first + CHUNK;
  (void)worker;
  for (size_t i = first; i < end && i < frame->scene->count; i++)
    stx_orbit_quad(frame, i);
}

static void fill_span(
    const StxOrbitQuad *quad, uint32_t index, int y, int first, int end, uint64_t *keys)
{
#pragma omp simd
  for (int x = first; x < end; x++) {
    uint64_t key = stx_orbit_key(quad, index, x, y);
    keys[x] = key > keys[x] ? key : keys[x];
  }
}

static void fill_quad(
    const StxOrbitFrame *frame, size_t i, int band_first, int band_end, uint64_t *keys)
{
  const StxOrbitQuad *quad = &frame->quads[i];
  int from = frame->rows[i].first > band_first ? frame->rows[i].first : band_first;
  int to = frame->rows[i].end < band_end ? frame->rows[i].end : band_end;
  for (int y = from; y < to; y++) {
    int first, end;
    stx_orbit_span(quad, y, &first, &end);
    fill_span(quad, (uint32_t)i, y, first, end,
        keys + (size_t)(y - band_first) * (size_t)frame->params->width);
  }
}

static void draw_band(void *data, int piece, int worker)
{
  Job *job = data;
  const StxOrbitFrame *frame = job->frame;
  size_t width = (size_t)frame->params->width;
  int first = piece * BAND, end = first + BAND;
  uint64_t *keys = job->keys + job->keys_of_worker * (size_t)worker;
  end = end < frame->params->height ? end : frame->params->height;
  memset(keys, 0, width * BAND * sizeof *keys);
  for (size_t i = 0; i < frame->scene->count; i++)
    if (frame->rows[i].first < end && frame->rows[i].end > first)
      fill_quad(frame, i, first, end, keys);
  for (int y = first; y < end; y++)
    stx_orbit_row(frame, keys + (size_t)(y - first) * width, y, job->view);
}

bool STX_VARIANT(stx_orbit_draw)(const StxOrbitParams *params, const StxOrbitScene *scene,
    const StxFrame *view, void *scratch, const StxPlace *place, StxError *error)
{
  Job job = {.view = view};
  (void)error;
  lay_out(params, scene->count, place->threads, &job, scratch);
  stx_orbit_frame(job.frame, params, scene);
  stx_parallel(place->threads, (int)((scene->count + CHUNK - 1) / CHUNK), make_quads, &job);
  stx_parallel(place->threads, (params->height + BAND - 1) / BAND, draw_band, &job);
  return true;
}
