/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/satdp/satdp_prior.h"

#include <stdlib.h>
#include <string.h>

#include "common/satdp/satdp_explain.h"

#define SURE (STX_WEIGHT_ONE / 16 * 15) /* least weight of a cell that can tell */
#define MOVED 16                        /* one in so many of these moves, at most */

/* The memory of a stream: scratch, two channels of both frames, the kinds, and the prior. */
typedef struct {
  int32_t *queue;
  uint16_t *road, *then, *now;
  uint8_t *kinds, *prior;
  size_t cells;
} Memory;

static size_t lay_out(const StxGrid *grid, void *base, Memory *m)
{
  StxLayout at = {.memory = base};
  m->cells = (size_t)stx_grid_columns(grid) * (size_t)stx_grid_rows(grid);
  STX_TAKE(&at, m->queue, m->cells);
  STX_TAKE(&at, m->road, m->cells);
  STX_TAKE(&at, m->then, 2 * m->cells);
  STX_TAKE(&at, m->now, 2 * m->cells);
  STX_TAKE(&at, m->kinds, m->cells);
  STX_TAKE(&at, m->prior, m->cells);
  return at.size;
}

size_t stx_satdp_prior_size(const StxGrid *grid)
{
  Memory m;
  return lay_out(grid, NULL, &m);
}

/* Makes the kinds of the frame before the prior; false if the camera moves. */
static bool keep_kinds(const Memory *m, int near)
{
  size_t moved = 0, sure = 0;
  for (size_t i = 0; i < m->cells; i++) {
    int d = m->now[i], was = m->then[i];
    bool known = d != STX_DISPARITY_UNKNOWN && was != STX_DISPARITY_UNKNOWN;
    bool is_sure = known && m->now[m->cells + i] >= SURE && m->then[m->cells + i] >= SURE;
    bool is_moved = is_sure && abs(d - was) > near + d / 64;
    m->prior[i] = is_moved ? 0 : m->kinds[i];
    moved += is_moved;
    sure += is_sure;
  }
  return MOVED * moved <= sure;
}

const uint8_t *stx_satdp_prior(StxSatdpPrior *prior, const StxSatdpParams *params,
    const void *columns, const StxRoadLine *line)
{
  const StxGrid *grid = &params->grid;
  Memory m;
  lay_out(grid, prior->memory, &m);
  memcpy(m.now, columns, 2 * m.cells * sizeof *m.now);
  bool known = params->change_cost > 0 && prior->known && keep_kinds(&m, stx_grid_steps(grid) / 4);
  if (!known)
    memset(m.prior, 0, m.cells);
  if (params->raised_cost > 0 && line != NULL && line->noise > 0)
    known |= stx_satdp_find_raised(grid, m.now, line, m.prior, m.road, m.queue);
  return known ? m.prior : NULL;
}

void stx_satdp_remember(
    StxSatdpPrior *prior, const StxGrid *grid, const StxStixel *records, size_t count)
{
  Memory m;
  lay_out(grid, prior->memory, &m);
  int rows = stx_grid_rows(grid);
  for (size_t i = 0; i < count; i++) {
    StxSatdpPiece piece = stx_satdp_piece(grid, &records[i]);
    uint8_t *column = m.kinds + (size_t)records[i].column * (size_t)rows;
    memset(column + rows - 1 - piece.last, records[i].kind, (size_t)(piece.last - piece.first + 1));
  }
  memcpy(m.then, m.now, 2 * m.cells * sizeof *m.now);
  prior->known = true;
}
