/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/satdp/satdp_carrier.h"

#include <stdlib.h>
#include <string.h>

#include "common/camera.h"

/* ---- Where it is --------------------------------------------------------------------------- */

bool stx_carrier_from_rows(const StxGrid *grid, const char *text, uint16_t *cells, StxError *error)
{
  char *end;
  long rows = strtol(text, &end, 10);
  if (end == text || *end != '\0' || rows < 0 || rows > grid->height)
    return stx_fail(error, "carrier=%.200s is neither a PGM file nor a number of rows from 0 to %d",
        text, grid->height);
  int first = grid->height - (int)rows, count = 0, all = stx_grid_rows(grid);
  while (count < all &&
         stx_grid_top(grid, all - count - 1) + stx_grid_top(grid, all - count) >= 2 * first)
    count++;
  for (int column = 0; column < stx_grid_columns(grid); column++)
    cells[column] = (uint16_t)count;
  return true;
}

/* A number of the header, behind white space and comments; −1: none. */
static int read_number(const uint8_t **at, const uint8_t *end)
{
  int number = -1;
  while (*at < end && (**at == ' ' || (**at >= '\t' && **at <= '\r') || **at == '#'))
    if (*(*at)++ == '#')
      while (*at < end && **at != '\n')
        (*at)++;
  for (; *at < end && **at >= '0' && **at <= '9' && number <= UINT16_MAX; (*at)++)
    number = (number < 0 ? 0 : number * 10) + **at - '0';
  return number;
}

static bool read_pgm(const uint8_t *at, size_t size, StxImage8 *mask)
{
  const uint8_t *end = at + size;
  if (size < 2 || memcmp(at, "P5", 2) != 0)
    return false;
  at += 2;
  int width = read_number(&at, end), height = read_number(&at, end), most = read_number(&at, end);
  if (width < 1 || height < 1 || width > UINT16_MAX || height > UINT16_MAX || most < 1 ||
      most > UINT8_MAX || (size_t)(end - at) < 1 + (size_t)width * (size_t)height)
    return false;
  *mask = (StxImage8){(uint8_t *)at + 1, width, width, height};
  return true;
}

/* True if at least half of a cell's pixels belong to the carrier. */
static bool is_carrier(const StxGrid *grid, const StxImage8 *mask, int column, int row)
{
  int left = column * grid->cell_width, right = left + grid->cell_width, inside = 0, all = 0;
  for (int y = stx_grid_top(grid, row); y < stx_grid_top(grid, row + 1); y++)
    for (int x = left; x < right && x < grid->width; x++, all++)
      inside += stx_row8(mask, (int)((int64_t)y * mask->height /
                                     grid->height))[(int64_t)x * mask->width / grid->width] > 0;
  return 2 * inside >= all;
}

bool stx_carrier_from_pgm(const StxGrid *grid, const char *name, const void *bytes, size_t size,
    uint16_t *cells, StxError *error)
{
  StxImage8 mask;
  if (!read_pgm(bytes, size, &mask))
    return stx_fail(error,
        "%.200s is no binary PGM (P5) of 8 bits, or ends early: save the carrier's mask as one",
        name);
  if (!stx_same_shape(mask.width, mask.height, grid->width, grid->height))
    return stx_fail(error, "%.200s has %d x %d pixels, the picture %d x %d: they differ in shape",
        name, mask.width, mask.height, grid->width, grid->height);
  for (int column = 0; column < stx_grid_columns(grid); column++) {
    int rows = stx_grid_rows(grid), count = 0;
    while (count < rows && is_carrier(grid, &mask, column, rows - 1 - count))
      count++;
    cells[column] = (uint16_t)count;
  }
  return true;
}

/* ---- Frames -------------------------------------------------------------------------------- */

void stx_carrier_hide(const StxGrid *grid, const uint16_t *cells, void *columns)
{
  for (int channel = 0; channel < 2; channel++)
    for (int column = 0; column < stx_grid_columns(grid); column++)
      memset(stx_column(grid, columns, channel, column) + stx_grid_rows(grid) - cells[column], 0,
          cells[column] * sizeof(uint16_t));
}

/* A record without its rows from `first` on. */
static StxStixel cut_off(StxStixel record, int first)
{
  float rows = (float)(record.bottom - record.top);
  float span = record.disparity_bottom - record.disparity_top;
  if (record.bottom < first)
    return record;
  record.bottom = (uint16_t)(first - 1);
  if (rows > 0)
    record.disparity_bottom =
        record.disparity_top + span * ((float)(record.bottom - record.top) / rows);
  return record;
}

size_t stx_carrier_mark(const StxGrid *grid, const uint16_t *cells, const StxStixel *records,
    size_t count, StxStixel *marked)
{
  size_t written = 0;
  for (size_t i = 0; i < count; i++) {
    int column = records[i].column;
    int first = stx_grid_top(grid, stx_grid_rows(grid) - cells[column]);
    if (first < grid->height && (i == 0 || records[i - 1].column != column))
      marked[written++] = (StxStixel){.column = records[i].column,
          .top = (uint16_t)first,
          .bottom = (uint16_t)(grid->height - 1),
          .kind = STX_KIND_CARRIER,
          .label = STX_LABEL_NONE,
          .confidence = 1};
    if (records[i].top < first)
      marked[written++] = cut_off(records[i], first);
  }
  return written;
}
