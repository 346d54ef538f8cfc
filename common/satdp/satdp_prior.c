/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/satdp/satdp_prior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/satdp/satdp_explain.h"
#include "common/satdp/satdp_private.h"

#define SURE (STX_WEIGHT_ONE / 16 * 15) /* least weight of a cell that can tell */
#define MOVED 16                        /* one in so many of these moves, at most */
#define NOISE 6                         /* times a road's noise: no cell on it is off so far */
#define SLACK 16                        /* a road's unevenness is the camera's height by that */
#define BEHIND 8                        /* px by which a ghost lies behind the road, */
#define BEYOND 5                        /* … and one in so many: a dip is less deep */
#define AGREE 2                         /* px: what matches agrees with what is around it */

/* The memory of a stream: scratch, two channels of the frame before, all of this one, the kinds,
 * and the prior. */
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
  STX_TAKE(&at, m->now, stx_grid_bytes(grid) / sizeof *m->now);
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

/* The road's disparity at each cell that is farther down than where it has a pixel; else 0. */
static void draw_road(const StxGrid *grid, const StxRoadLine *line, uint16_t *road)
{
  int columns = stx_grid_columns(grid), rows = stx_grid_rows(grid);
  double pixel = stx_grid_steps(grid), most = UINT16_MAX / pixel;
  for (int column = 0; column < columns; column++) {
    StxRoadLine own = stx_roadline_in_column(line, (column + 0.5) * grid->cell_width - 0.5);
    for (int row = 0; row < rows; row++) {
      double centre = (stx_grid_top(grid, row) + stx_grid_top(grid, row + 1) - 1) / 2.0;
      double d = own.bends > 0 ? stx_roadline_at(&own, centre) : own.slope * (centre - own.horizon);
      *road++ = d < 1 ? 0 : (uint16_t)(d < most ? pixel * d + 0.5 : UINT16_MAX);
    }
  }
}

/* By how much a cell on the road may miss it: a pixel, or NOISE times its noise. */
static int scatter_of(const StxGrid *grid, const StxRoadLine *line)
{
  return (int)fmin(fmax(1, NOISE * line->noise) * stx_grid_steps(grid), UINT16_MAX);
}

/* True if two thirds of the cells around one have its disparity. */
static bool has_witnesses(const StxGrid *grid, const uint16_t *disparity, int column, int row)
{
  int columns = stx_grid_columns(grid), rows = stx_grid_rows(grid), all = -1, count = -1; /* own */
  int own = disparity[column * rows + row], most = AGREE * stx_grid_steps(grid);
  for (int x = column < 2 ? 0 : column - 2; x <= column + 2 && x < columns; x++)
    for (int y = row < 2 ? 0 : row - 2; y <= row + 2 && y < rows; y++) {
      int other = disparity[x * rows + y];
      all++;
      count += other != STX_DISPARITY_UNKNOWN && abs(other - own) <= most;
    }
  return 3 * count >= 2 * all;
}

/* Makes ghosts unknown; false if there are none. `columns`: with the ghosts. */
static bool drop_ghosts(const StxGrid *grid, const Memory *m, int scatter, const uint16_t *columns)
{
  int rows = stx_grid_rows(grid), least = BEHIND * stx_grid_steps(grid);
  bool found = false;
  least = least > scatter ? least : scatter;
  for (int i = 0; i < (int)m->cells; i++) {
    int behind = m->road[i] - columns[i];
    if (columns[i] == STX_DISPARITY_UNKNOWN || behind <= least || BEYOND * behind <= m->road[i] ||
        has_witnesses(grid, columns, i / rows, i % rows))
      continue;
    m->now[i] = STX_DISPARITY_UNKNOWN;
    m->now[m->cells + (size_t)i] = 0;
    found = true;
  }
  return found;
}

/* True if a cell is near the road, and the disparity grows around it as the road's does: by half to
 * twice as much. */
static bool is_on_road(const uint16_t *disparity, const uint16_t *road, int scatter)
{
  if (disparity[-1] == STX_DISPARITY_UNKNOWN || *disparity == STX_DISPARITY_UNKNOWN ||
      disparity[1] == STX_DISPARITY_UNKNOWN || road[-1] == 0)
    return false;
  int off = abs(*disparity - *road), growth = disparity[1] - disparity[-1];
  int expected = road[1] - road[-1];
  return (off < scatter || off < *road / SLACK) && 2 * growth >= expected && growth <= 2 * expected;
}

/* Makes the cells on the road ground where nothing else is known of them; true if there are any. */
static bool mark_ground(const StxGrid *grid, const Memory *m, int scatter)
{
  int rows = stx_grid_rows(grid);
  bool found = false;
  for (size_t i = 0; i < m->cells; i++) {
    int row = (int)(i % (size_t)rows);
    if (m->prior[i] != 0 || row == 0 || row + 1 == rows ||
        !is_on_road(m->now + i, m->road + i, scatter))
      continue;
    m->prior[i] = STX_KIND_GROUND;
    found = true;
  }
  return found;
}

const uint8_t *stx_satdp_prior(StxSatdpPrior *prior, const StxSatdpParams *params,
    const void *columns, const StxRoadLine *line)
{
  const StxGrid *grid = &params->grid;
  Memory m;
  lay_out(grid, prior->memory, &m);
  memcpy(m.now, columns, stx_grid_bytes(grid));
  prior->columns = columns;
  bool has_road = line != NULL && line->noise > 0;
  int scatter = has_road ? scatter_of(grid, line) : 0;
  if (has_road) {
    draw_road(grid, line, m.road);
    if (drop_ghosts(grid, &m, scatter, columns))
      prior->columns = m.now;
  }
  bool known = params->change_cost > 0 && prior->known && keep_kinds(&m, stx_grid_steps(grid) / 4);
  if (!known)
    memset(m.prior, 0, m.cells);
  if (has_road && params->raised_cost > 0)
    known |= stx_satdp_find_raised(grid, m.now, m.road, scatter, m.prior, m.queue);
  if (has_road && params->change_cost > 0 &&
      !(line->slope <= STX_SATDP_LEANING * params->object_sigma_slope))
    known |= mark_ground(grid, &m, scatter);
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
