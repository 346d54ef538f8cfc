/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference: every pixel asks every quad. */
#include "common/orbit/orbit_math.h"

typedef struct {
  StxOrbitFrame *frame;
  uint64_t *keys; /* a row */
} Scratch;

static size_t lay_out(const StxOrbitParams *params, size_t count, Scratch *s, void *memory)
{
  StxLayout at = {.memory = memory};
  StxOrbitFrame layout, *frame = memory != NULL ? memory : &layout;
  STX_TAKE(&at, s->frame, 1);
  STX_TAKE(&at, frame->quads, count);
  STX_TAKE(&at, frame->rows, count);
  STX_TAKE(&at, s->keys, params->width);
  return at.size;
}

static size_t stx_orbit_scratch_size_c(const StxOrbitParams *params, size_t count, int threads)
{
  Scratch s;
  (void)threads;
  return lay_out(params, count, &s, NULL);
}

static uint64_t key_of_pixel(const StxOrbitFrame *frame, int x, int y)
{
  uint64_t best = 0;
  for (size_t i = 0; i < frame->scene->count; i++) {
    int first, end;
    if (y < frame->rows[i].first || y >= frame->rows[i].end)
      continue;
    stx_orbit_span(&frame->quads[i], y, &first, &end);
    if (x < first || x >= end)
      continue;
    uint64_t key = stx_orbit_key(&frame->quads[i], (uint32_t)i, x, y);
    best = key > best ? key : best;
  }
  return best;
}

static bool stx_orbit_draw_c(const StxOrbitParams *params, const StxOrbitScene *scene,
    const StxFrame *view, void *scratch, const StxPlace *place, StxError *error)
{
  Scratch s;
  (void)place, (void)error;
  lay_out(params, scene->count, &s, scratch);
  stx_orbit_frame(s.frame, params, scene);
  for (size_t i = 0; i < scene->count; i++)
    stx_orbit_quad(s.frame, i);
  for (int y = 0; y < params->height; y++) {
    for (int x = 0; x < params->width; x++)
      s.keys[x] = key_of_pixel(s.frame, x, y);
    stx_orbit_row(s.frame, s.keys, y, view);
  }
  return true;
}

const StxOrbitImpl oracle_orbit = {
    {"c", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, stx_orbit_scratch_size_c, stx_orbit_draw_c};
