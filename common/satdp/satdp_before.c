/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/satdp/satdp_before.h"

#include <stdlib.h>
#include <string.h>

#include "common/satdp/satdp_explain.h"

#define SURE (STX_WEIGHT_ONE / 16 * 15) /* least weight of a cell that can tell */
#define MOVED 16                        /* one in so many of these moves, at most */

/* The memory of a stream: two channels of both frames, the kinds, and the prior made of them. */
typedef struct {
  uint16_t *then, *now;
  uint8_t *kinds, *prior;
  size_t cells;
} Memory;

static size_t cells_of(const StxGrid *grid)
{
  return (size_t)stx_grid_columns(grid) * (size_t)stx_grid_rows(grid);
}

static Memory lay_out(const StxSatdpBefore *before, const StxGrid *grid)
{
  size_t cells = cells_of(grid);
  uint16_t *then = before->memory;
  uint8_t *kinds = (uint8_t *)(then + 4 * cells);
  return (Memory){then, then + 2 * cells, kinds, kinds + cells, cells};
}

size_t stx_satdp_before_size(const StxGrid *grid)
{
  return cells_of(grid) * (4 * sizeof(uint16_t) + 2);
}

const uint8_t *stx_satdp_before(StxSatdpBefore *before, const StxGrid *grid, const void *columns)
{
  Memory m = lay_out(before, grid);
  size_t moved = 0, sure = 0;
  int near = stx_grid_steps(grid) / 4;
  memcpy(m.now, columns, 2 * m.cells * sizeof *m.now);
  for (size_t i = 0; before->known && i < m.cells; i++) {
    int d = m.now[i], was = m.then[i];
    bool known = d != STX_DISPARITY_UNKNOWN && was != STX_DISPARITY_UNKNOWN;
    bool is_sure = known && m.now[m.cells + i] >= SURE && m.then[m.cells + i] >= SURE;
    bool is_moved = is_sure && abs(d - was) > near + d / 64;
    m.prior[i] = is_moved ? 0 : m.kinds[i];
    moved += is_moved;
    sure += is_sure;
  }
  return before->known && MOVED * moved <= sure ? m.prior : NULL;
}

void stx_satdp_remember(
    StxSatdpBefore *before, const StxGrid *grid, const StxStixel *records, size_t count)
{
  Memory m = lay_out(before, grid);
  int rows = stx_grid_rows(grid);
  for (size_t i = 0; i < count; i++) {
    StxSatdpPiece piece = stx_satdp_piece(grid, &records[i]);
    uint8_t *column = m.kinds + (size_t)records[i].column * (size_t)rows;
    memset(column + rows - 1 - piece.last, records[i].kind, (size_t)(piece.last - piece.first + 1));
  }
  memcpy(m.then, m.now, 2 * m.cells * sizeof *m.now);
  before->known = true;
}
