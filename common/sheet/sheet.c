/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sheet itself: its tiles, how a shape's ink gets on them, boxes that are claimed. */
#include "common/sheet/sheet_private.h"

#include <math.h>
#include <string.h>

bool stx_sheet_check(const StxSheetParams *p, StxError *error)
{
  if (p->format == NULL)
    return stx_fail(error, "no pixel format given");
  if (p->width < 1 || p->width > STX_SHEET_MAX_SIDE)
    return stx_fail(error, "width is %d, must be 1…%d pixels", p->width, STX_SHEET_MAX_SIDE);
  if (p->height < 1 || p->height > STX_SHEET_MAX_SIDE)
    return stx_fail(error, "height is %d, must be 1…%d pixels", p->height, STX_SHEET_MAX_SIDE);
  if ((unsigned)p->matrix > STX_MATRIX_BT2020)
    return stx_fail(error, "matrix is %d, must be bt601, bt709 or bt2020", (int)p->matrix);
  return true;
}

/* ---- Memory ------------------------------------------------------------------------------- */

static int tiles(int pixels)
{
  return (pixels + STX_SHEET_TILE - 1) / STX_SHEET_TILE;
}

/* What is touched little by little comes last. */
static size_t lay_out(const StxSheetParams *params, StxSheet *sheet, void *memory)
{
  StxLayout at = {.memory = memory};
  size_t most = (size_t)tiles(params->width) * tiles(params->height);
  stx_take(&at, sizeof *sheet);
  STX_TAKE(&at, sheet->slot, most);
  STX_TAKE(&at, sheet->row, params->width);
  STX_TAKE(&at, sheet->covered, most);
  STX_TAKE(&at, sheet->shape, most);
  STX_TAKE(&at, sheet->cover, most);
  STX_TAKE(&at, sheet->tile, most);
  return at.size;
}

size_t stx_sheet_size(const StxSheetParams *params)
{
  StxSheet layout;
  return lay_out(params, &layout, NULL);
}

StxSheet *stx_sheet_init(void *memory, const StxSheetParams *params)
{
  StxSheet *sheet = memory;
  memset(sheet, 0, sizeof *sheet);
  sheet->params = *params;
  sheet->across = tiles(params->width);
  sheet->down = tiles(params->height);
  lay_out(params, sheet, memory);
  memset(sheet->slot, -1, (size_t)sheet->across * sheet->down * sizeof *sheet->slot);
  memset(sheet->row, 0, params->width * sizeof *sheet->row);
  return sheet;
}

void stx_sheet_clear(StxSheet *sheet)
{
  for (uint32_t i = 0; i < sheet->count; i++)
    sheet->slot[sheet->tile[i].number] = -1;
  sheet->changes += sheet->count > 0;
  sheet->count = 0;
  sheet->claims = 0;
  memset(sheet->legends, 0, sizeof sheet->legends);
}

const StxSheetParams *stx_sheet_params(const StxSheet *sheet)
{
  return &sheet->params;
}

bool stx_sheet_is_empty(const StxSheet *sheet)
{
  return sheet->count == 0;
}

const void *stx_sheet_tiles(const StxSheet *sheet)
{
  return sheet->tile;
}

size_t stx_sheet_tiles_size(const StxSheet *sheet)
{
  return sheet->count * sizeof *sheet->tile;
}

uint64_t stx_sheet_changes(const StxSheet *sheet)
{
  return sheet->changes;
}

/* ---- Tiles -------------------------------------------------------------------------------- */

static uint32_t new_slot(StxSheet *sheet, int number)
{
  static const StxPaint clear = {STX_CLEAR_KEEP, {STX_CLEAR_ADD, STX_CLEAR_ADD, STX_CLEAR_ADD}};
  uint32_t slot = sheet->count++;
  sheet->slot[number] = (int32_t)slot;
  sheet->tile[slot].number = (uint32_t)number;
  sheet->tile[slot].reserved = 0;
  sheet->covered[slot] = false;
  memset(&sheet->cover[slot], 0, sizeof sheet->cover[slot]);
  for (int i = 0; i < STX_TILE_PIXELS; i++)
    sheet->tile[slot].paint[i] = clear;
  return slot;
}

uint32_t stx_sheet_slot(StxSheet *sheet, int number)
{
  int32_t known = sheet->slot[number];
  return known >= 0 ? (uint32_t)known : new_slot(sheet, number);
}

uint8_t *stx_sheet_cover_row(StxSheet *sheet, int tile_x, int y)
{
  uint32_t slot = stx_sheet_slot(sheet, y / STX_SHEET_TILE * sheet->across + tile_x);
  if (!sheet->covered[slot]) {
    sheet->covered[slot] = true;
    sheet->shape[sheet->shapes++] = slot;
  }
  return sheet->cover[slot].cover + y % STX_SHEET_TILE * STX_SHEET_TILE;
}

/* ---- Ink ---------------------------------------------------------------------------------- */

/* Channels and weight of an ink, and its paint where a pixel is covered wholly. */
typedef struct {
  uint8_t channel[3];
  int weight; /* 0…256 */
  StxPaint whole;
} Fluid;

static inline StxPaint paint_of(const Fluid *fluid, int cover)
{
  return cover == 255 ? fluid->whole
                      : stx_paint(fluid->channel, (fluid->weight * cover + 127) / 255);
}

/* Lays it on eight pixels, of which most shapes leave most alone. */
static inline void ink_pixels(StxPaint *paint, uint8_t *cover, const Fluid *fluid)
{
  uint64_t any;
  memcpy(&any, cover, sizeof any);
  if (any == 0)
    return;
  for (int i = 0; i < 8; i++)
    if (cover[i] != 0)
      paint[i] = stx_sheet_over(paint[i], paint_of(fluid, cover[i]));
  memset(cover, 0, sizeof any);
}

static Fluid fluid_of(const StxSheetParams *params, StxInk ink)
{
  Fluid fluid = {.weight = (int)(fmin(fmax(ink.opacity, 0), 1) * 256 + .5)}; /* NaN: 0 */
  stx_colour_channels(
      params->format, params->matrix, params->full_range, ink.colour, fluid.channel);
  fluid.whole = stx_paint(fluid.channel, fluid.weight);
  return fluid;
}

/* Those of a tile, from its first column on; beyond the colours nothing is covered. */
static void ink_tile_columns(
    StxSheet *sheet, uint32_t slot, int left, int count, const StxRgb *colours)
{
  StxPaint *paint = sheet->tile[slot].paint;
  uint8_t *cover = sheet->cover[slot].cover;
  int first = (int)(sheet->tile[slot].number % (uint32_t)sheet->across) * STX_SHEET_TILE - left;
  for (int x = 0; x < STX_SHEET_TILE; x++) {
    if (first + x < 0 || first + x >= count)
      continue;
    Fluid fluid = fluid_of(&sheet->params, (StxInk){colours[first + x], 1});
    for (int k = x; k < STX_TILE_PIXELS; k += STX_SHEET_TILE)
      if (cover[k] != 0)
        paint[k] = stx_sheet_over(paint[k], paint_of(&fluid, cover[k]));
  }
  memset(cover, 0, STX_TILE_PIXELS);
}

void stx_sheet_ink_columns(StxSheet *sheet, int left, int count, const StxRgb *colours)
{
  for (uint32_t i = 0; i < sheet->shapes; i++) {
    sheet->covered[sheet->shape[i]] = false;
    ink_tile_columns(sheet, sheet->shape[i], left, count, colours);
  }
  sheet->changes += sheet->shapes > 0;
  sheet->shapes = 0;
}

void stx_sheet_ink(StxSheet *sheet, StxInk ink)
{
  Fluid fluid = fluid_of(&sheet->params, ink);
  for (uint32_t i = 0; i < sheet->shapes; i++) {
    uint32_t slot = sheet->shape[i];
    sheet->covered[slot] = false;
    for (int k = 0; k < STX_TILE_PIXELS; k += 8)
      ink_pixels(&sheet->tile[slot].paint[k], &sheet->cover[slot].cover[k], &fluid);
  }
  sheet->changes += sheet->shapes > 0;
  sheet->shapes = 0;
}

/* ---- Claims ------------------------------------------------------------------------------- */

static bool do_meet(const StxBox *a, const StxBox *b)
{
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
         b->y < a->y + a->height;
}

bool stx_sheet_claim(StxSheet *sheet, StxBox box)
{
  const StxSheetParams *params = &sheet->params;
  bool inside = box.x >= 0 && box.y >= 0 && box.width >= 0 && box.height >= 0 &&
                box.x + box.width <= params->width && box.y + box.height <= params->height;
  if (!inside || sheet->claims == STX_SHEET_CLAIMS)
    return false;
  for (size_t i = 0; i < sheet->claims; i++)
    if (do_meet(&sheet->claim[i], &box))
      return false;
  sheet->claim[sheet->claims++] = box;
  return true;
}

/* ---- Sizes -------------------------------------------------------------------------------- */

StxSheetUnit stx_sheet_unit(int width, int height)
{
  int side = width < height ? width : height;
  return (StxSheetUnit){.text = fmin(fmax(floor(side / 40.), 9), STX_SHEET_TEXT),
      .line = fmax(1.5, fmin(side / 480., 4.5))};
}
