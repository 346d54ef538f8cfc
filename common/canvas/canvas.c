/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The canvas itself: its tiles, how a shape's ink gets on them, boxes that are claimed. */
#include "common/canvas/canvas_private.h"

#include <math.h>
#include <string.h>

bool stx_canvas_check(const StxCanvasParams *p, StxError *error)
{
  if (p->format == NULL)
    return stx_fail(error, "no pixel format given");
  if (p->width < 1 || p->width > STX_CANVAS_MAX_SIDE)
    return stx_fail(error, "width is %d, must be 1…%d pixels", p->width, STX_CANVAS_MAX_SIDE);
  if (p->height < 1 || p->height > STX_CANVAS_MAX_SIDE)
    return stx_fail(error, "height is %d, must be 1…%d pixels", p->height, STX_CANVAS_MAX_SIDE);
  if ((unsigned)p->matrix > STX_MATRIX_BT2020)
    return stx_fail(error, "matrix is %d, must be bt601, bt709 or bt2020", (int)p->matrix);
  return true;
}

/* ---- Memory ------------------------------------------------------------------------------- */

static int tiles(int pixels)
{
  return (pixels + STX_CANVAS_TILE - 1) / STX_CANVAS_TILE;
}

/* Memory that is touched little by little comes last. */
static size_t lay_out(const StxCanvasParams *params, StxCanvas *canvas, void *memory)
{
  StxLayout at = {.memory = memory};
  size_t most = (size_t)tiles(params->width) * tiles(params->height);
  stx_take(&at, sizeof *canvas);
  STX_TAKE(&at, canvas->slot, most);
  STX_TAKE(&at, canvas->row, params->width);
  STX_TAKE(&at, canvas->covered, most);
  STX_TAKE(&at, canvas->shape, most);
  STX_TAKE(&at, canvas->cover, most);
  STX_TAKE(&at, canvas->tile, most);
  return at.size;
}

size_t stx_canvas_size(const StxCanvasParams *params)
{
  StxCanvas layout;
  return lay_out(params, &layout, NULL);
}

StxCanvas *stx_canvas_init(void *memory, const StxCanvasParams *params)
{
  StxCanvas *canvas = memory;
  memset(canvas, 0, sizeof *canvas);
  canvas->params = *params;
  canvas->across = tiles(params->width);
  canvas->down = tiles(params->height);
  lay_out(params, canvas, memory);
  memset(canvas->slot, -1, (size_t)canvas->across * canvas->down * sizeof *canvas->slot);
  memset(canvas->row, 0, params->width * sizeof *canvas->row);
  return canvas;
}

void stx_canvas_clear(StxCanvas *canvas)
{
  for (uint32_t i = 0; i < canvas->count; i++)
    canvas->slot[canvas->tile[i].number] = -1;
  canvas->changes += canvas->count > 0;
  canvas->count = 0;
  canvas->claims = 0;
  memset(canvas->legends, 0, sizeof canvas->legends);
}

const StxCanvasParams *stx_canvas_params(const StxCanvas *canvas)
{
  return &canvas->params;
}

bool stx_canvas_is_empty(const StxCanvas *canvas)
{
  return canvas->count == 0;
}

const void *stx_canvas_tiles(const StxCanvas *canvas)
{
  return canvas->tile;
}

size_t stx_canvas_tiles_size(const StxCanvas *canvas)
{
  return canvas->count * sizeof *canvas->tile;
}

uint64_t stx_canvas_changes(const StxCanvas *canvas)
{
  return canvas->changes;
}

/* ---- Tiles -------------------------------------------------------------------------------- */

static uint32_t new_slot(StxCanvas *canvas, int number)
{
  static const StxPaint clear = {STX_CLEAR_KEEP, {STX_CLEAR_ADD, STX_CLEAR_ADD, STX_CLEAR_ADD}};
  uint32_t slot = canvas->count++;
  canvas->slot[number] = (int32_t)slot;
  canvas->tile[slot].number = (uint32_t)number;
  canvas->tile[slot].reserved = 0;
  canvas->covered[slot] = false;
  memset(&canvas->cover[slot], 0, sizeof canvas->cover[slot]);
  for (int i = 0; i < STX_TILE_PIXELS; i++)
    canvas->tile[slot].paint[i] = clear;
  return slot;
}

uint32_t stx_canvas_slot(StxCanvas *canvas, int number)
{
  int32_t known = canvas->slot[number];
  return known >= 0 ? (uint32_t)known : new_slot(canvas, number);
}

uint8_t *stx_canvas_cover_row(StxCanvas *canvas, int tile_x, int y)
{
  uint32_t slot = stx_canvas_slot(canvas, y / STX_CANVAS_TILE * canvas->across + tile_x);
  if (!canvas->covered[slot]) {
    canvas->covered[slot] = true;
    canvas->shape[canvas->shapes++] = slot;
  }
  return canvas->cover[slot].cover + y % STX_CANVAS_TILE * STX_CANVAS_TILE;
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
      paint[i] = stx_canvas_over(paint[i], paint_of(fluid, cover[i]));
  memset(cover, 0, sizeof any);
}

static Fluid fluid_of(const StxCanvasParams *params, StxInk ink)
{
  Fluid fluid = {.weight = (int)(fmin(fmax(ink.opacity, 0), 1) * 256 + .5)}; /* NaN: 0 */
  stx_colour_channels(
      params->format, params->matrix, params->full_range, ink.colour, fluid.channel);
  fluid.whole = stx_paint(fluid.channel, fluid.weight);
  return fluid;
}

void stx_canvas_ink_columns(StxCanvas *canvas, int left, int count, const StxRgb *colours)
{
  for (uint32_t i = 0; i < canvas->shapes; i++) {
    canvas->covered[canvas->shape[i]] = false;
    StxTile *tile = &canvas->tile[canvas->shape[i]];
    uint8_t *cover = canvas->cover[canvas->shape[i]].cover;
    int first = (int)(tile->number % (uint32_t)canvas->across) * STX_CANVAS_TILE - left;
    for (int x = 0; x < STX_CANVAS_TILE; x++) {
      if (first + x < 0 || first + x >= count) /* beyond the colours nothing is covered */
        continue;
      Fluid fluid = fluid_of(&canvas->params, (StxInk){colours[first + x], 1});
      for (int k = x; k < STX_TILE_PIXELS; k += STX_CANVAS_TILE)
        if (cover[k] != 0)
          tile->paint[k] = stx_canvas_over(tile->paint[k], paint_of(&fluid, cover[k]));
    }
    memset(cover, 0, STX_TILE_PIXELS);
  }
  canvas->changes += canvas->shapes > 0;
  canvas->shapes = 0;
}

void stx_canvas_ink(StxCanvas *canvas, StxInk ink)
{
  Fluid fluid = fluid_of(&canvas->params, ink);
  for (uint32_t i = 0; i < canvas->shapes; i++) {
    uint32_t slot = canvas->shape[i];
    canvas->covered[slot] = false;
    for (int k = 0; k < STX_TILE_PIXELS; k += 8)
      ink_pixels(&canvas->tile[slot].paint[k], &canvas->cover[slot].cover[k], &fluid);
  }
  canvas->changes += canvas->shapes > 0;
  canvas->shapes = 0;
}

/* ---- Claims ------------------------------------------------------------------------------- */

static bool do_meet(const StxBox *a, const StxBox *b)
{
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
         b->y < a->y + a->height;
}

bool stx_canvas_claim(StxCanvas *canvas, StxBox box)
{
  const StxCanvasParams *params = &canvas->params;
  bool inside = box.x >= 0 && box.y >= 0 && box.width >= 0 && box.height >= 0 &&
                box.x + box.width <= params->width && box.y + box.height <= params->height;
  if (!inside || canvas->claims == STX_CANVAS_CLAIMS)
    return false;
  for (size_t i = 0; i < canvas->claims; i++)
    if (do_meet(&canvas->claim[i], &box))
      return false;
  canvas->claim[canvas->claims++] = box;
  return true;
}

/* ---- Sizes -------------------------------------------------------------------------------- */

StxCanvasUnit stx_canvas_unit(int width, int height)
{
  int side = width < height ? width : height;
  return (StxCanvasUnit){.text = fmin(fmax(floor(side / 40.), 9), STX_CANVAS_TEXT),
      .line = fmax(1.5, fmin(side / 480., 4.5))};
}
