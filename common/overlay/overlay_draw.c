/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drawing stixels, row by row of the frame.
 *
 *   for each row y
 *     for each column c whose look changes at y:  write its paint into the row's paint
 *     out[i] = (in[i]·keep[i] + add[i]) >> 8      over the bytes i of the row, all planes
 *
 * keep and add (overlay.h's 256 − a and colour·a + 128) are kept per byte of a full-size plane's
 * row, whatever its format, so that one loop on 16-bit numbers blends them all and vectorises.
 * What changes from row to row is little: a stixel's first rows (its outline), its body, and
 * each step of colour along a slanted stixel.
 *
 * Rows do not depend on each other, so a frame is drawn in bands of rows, one per thread.
 *
 * Tried and rejected: one rectangle after another: rows of 2048 pixels of 4 bytes are 8192 bytes
 * apart, so that the rows of a column all compete for the same few lines of the cache, and
 * subsampled planes see one pixel of a block at a time.
 */
#include "common/colour/colour_rows.h"
#include "common/overlay/overlay_math.h"
#include "common/parallel.h"

#include <limits.h>
#include <string.h>

#define PIXELS_PER_BAND (1 << 18) /* fewer are not worth waking a thread for */

enum { NONE = -1 };

/* One column on its way down the frame, with what is needed to draw its current record. */
typedef struct {
  int next;    /* the record to draw after this one, or NONE */
  bool filled; /* false: no record from here to `wake` */
  int wake;    /* next frame row at which something changes */
  int paint;   /* number of the paint that its part of the row has, or NONE */
  StxOverlayBody body;
} Cursor;

/* Shared by the steps and the bands of one frame. */
typedef struct {
  const StxOverlay *overlay;
  StxOverlayTables tables;
  const StxFrame *frame;
  const StxStixel *records;
  int bands;
  char *canvases;     /* scratch of the threads' bands, */
  size_t canvas_size; /* so many bytes each */
  int *next;  /* from `link`, in scratch; per record: the one below it in its column, or NONE */
  int *front; /* likewise; per column: its top record, or NONE */
} Scene;

/* One band: the rows [first, end) of the frame, `first` even, and scratch of its own. */
typedef struct {
  const Scene *scene;
  const StxOverlay *overlay; /* the scene's */
  int first, end;
  Cursor *cursor;             /* per column */
  uint16_t *keep[3], *add[3]; /* per byte of the row; full-size planes only */
  StxPaint *now, *above;      /* per pixel of this row and the one before; subsampled formats */
  StxPaint *block;            /* per sample of a subsampled plane's row */
} Canvas;

/* ---- Scratch ------------------------------------------------------------------------------ */

static bool is_subsampled(const StxPixelFormat *format)
{
  return format->plane[format->planes - 1].shift_x > 0;
}

static size_t lay_out_scene(
    const StxOverlayParams *params, size_t count, Scene *scene, char *memory)
{
  StxLayout at = {.memory = memory};
  STX_TAKE(&at, scene->next, count);
  STX_TAKE(&at, scene->front, params->columns);
  return at.size;
}

static size_t lay_out_canvas(const StxOverlayParams *params, Canvas *canvas, char *memory)
{
  const StxPixelFormat *format = params->format;
  StxLayout at = {.memory = memory};
  size_t width = params->frame_width, paints = is_subsampled(format) ? width : 0;
  STX_TAKE(&at, canvas->cursor, params->columns);
  for (int p = 0; p < format->planes; p++) {
    size_t bytes = format->plane[p].shift_x > 0 ? 0 : width * format->plane[p].pixel_stride;
    STX_TAKE(&at, canvas->keep[p], bytes);
    STX_TAKE(&at, canvas->add[p], bytes);
  }
  STX_TAKE(&at, canvas->now, paints);
  STX_TAKE(&at, canvas->above, paints);
  STX_TAKE(&at, canvas->block, paints);
  return at.size;
}

/* Returns the number of bands of a frame; one thread draws it as one. */
static int count_bands(const StxOverlayParams *params, int threads)
{
  int64_t pixels = (int64_t)params->frame_width * params->frame_height;
  return threads > 1 ? (int)(1 + pixels / PIXELS_PER_BAND) : 1;
}

/* Threads that find a band. */
static int count_drawers(const StxOverlayParams *params, int threads)
{
  int bands = count_bands(params, threads);
  return bands < threads ? bands : threads;
}

static size_t scratch_size(const StxOverlayParams *params, size_t count, int threads)
{
  Scene scene;
  Canvas canvas;
  return lay_out_scene(params, count, &scene, NULL) +
         count_drawers(params, threads) * lay_out_canvas(params, &canvas, NULL);
}

/* ---- Records ------------------------------------------------------------------------------ */

/* Links the valid records of each column from the top down: front[c] is the top one.
 * Records come from the bottom up, so each goes in front, if it lies above the one in front. */
static StxOverlayResult link_records(const Scene *scene, size_t count)
{
  const StxOverlayParams *params = &scene->overlay->params;
  StxOverlayResult found = {0};
  for (int c = 0; c < params->columns; c++)
    scene->front[c] = NONE;
  for (size_t i = 0; i < count; i++) {
    const StxStixel *stixel = &scene->records[i];
    int *front = stx_overlay_is_valid(params, stixel) ? &scene->front[stixel->column] : NULL;
    if (front == NULL || (*front != NONE && stixel->bottom >= scene->records[*front].top)) {
      found.skipped++;
      continue;
    }
    scene->next[i] = *front;
    *front = (int)i;
    found.seen |= stx_overlay_legend_bit(params, stixel);
    found.drawn++;
  }
  return found;
}

static bool link_scene(const StxOverlay *overlay, const void *prepared, const StxStixel *records,
    size_t count, StxOverlayResult *result, void *scratch, const StxPlace *place, StxError *error)
{
  Scene scene = {.overlay = overlay, .records = records};
  lay_out_scene(&overlay->params, count, &scene, scratch);
  *result = link_records(&scene, count);
  return true;
}

/* ---- Paint of the row --------------------------------------------------------------------- */

/* Paints the pixels [x0, x1) of the row alike. */
static void set_span(Canvas *canvas, int x0, int x1, const StxPaint *paint)
{
  const StxPixelFormat *format = canvas->overlay->params.format;
  for (int p = 0; p < format->planes && format->plane[p].shift_x == 0; p++) {
    const StxPlane *plane = &format->plane[p];
    size_t first = (size_t)x0 * plane->pixel_stride;
    stx_rows_expand(canvas->keep[p] + first, canvas->add[p] + first, plane, paint, 0, x1 - x0);
  }
  if (is_subsampled(format))
    for (int x = x0; x < x1; x++)
      canvas->now[x] = *paint;
}

static const StxPaint clear_paint = {STX_CLEAR_KEEP, {STX_CLEAR_ADD, STX_CLEAR_ADD, STX_CLEAR_ADD}};

/* Goes on to the column's first record that is shown and reaches below row y. */
static void load_next(Canvas *canvas, Cursor *cursor, int y)
{
  const StxOverlayParams *params = &canvas->overlay->params;
  for (cursor->filled = false; cursor->next != NONE && !cursor->filled;) {
    const StxStixel *stixel = &canvas->scene->records[cursor->next];
    cursor->next = canvas->scene->next[cursor->next];
    if (!stx_overlay_is_shown(params, stixel))
      continue;
    cursor->body = stx_overlay_body(params, &canvas->scene->tables, stixel);
    cursor->filled = cursor->body.bottom > y;
  }
  cursor->paint = NONE;
}

/* Brings a column and its part of the row's paint to row y, and sets the next row to wake at. */
static void wake(Canvas *canvas, int column, int y)
{
  const StxOverlay *overlay = canvas->overlay;
  Cursor *cursor = &canvas->cursor[column];
  const StxOverlayBody *body = &cursor->body;
  int x0 = overlay->left[column], x1 = overlay->left[column + 1];
  if (y >= body->bottom)
    load_next(canvas, cursor, y);
  if (!cursor->filled || y < body->top) {
    set_span(canvas, x0, x1, &clear_paint);
    cursor->wake = cursor->filled ? body->top : INT_MAX;
    return;
  }
  int paint = stx_overlay_row_paint(&canvas->scene->tables, body, y);
  if (paint != cursor->paint) {
    int side = stx_overlay_side_paint(paint);
    cursor->paint = paint;
    set_span(canvas, x0, x1, &overlay->paints[paint]);
    if (side != paint && stx_overlay_has_side(overlay->edge, x0, x1))
      set_span(canvas, x0, x0 + overlay->edge, &overlay->paints[side]);
  }
  bool graded = body->hatch >= 0 || body->colour == STX_COLOUR_BY_HEIGHT ||
                (body->colour == STX_COLOUR_BY_NEARNESS && body->slope != 0);
  bool outline = stx_overlay_in_top_edge(body, overlay->edge, y);
  cursor->wake = outline ? body->top + overlay->edge : graded ? y + 1 : body->bottom;
}

/* ---- Blending ----------------------------------------------------------------------------- */

/* Row y of plane p. */
static uint8_t *plane_row(const Canvas *canvas, int p, int y)
{
  const StxFrame *frame = canvas->scene->frame;
  int memory = canvas->overlay->params.format->shared ? 0 : p;
  return frame->data[memory] + y * frame->stride[memory];
}

static void blend_pixels(Canvas *canvas, int y)
{
  const StxOverlayParams *params = &canvas->overlay->params;
  const StxPixelFormat *format = params->format;
  for (int p = 0; p < format->planes && format->plane[p].shift_x == 0; p++)
    stx_rows_blend(plane_row(canvas, p, y), canvas->keep[p], canvas->add[p],
        (size_t)params->frame_width * format->plane[p].pixel_stride);
}

/* The subsampled planes under row y of paint, and the one above, if the blocks are two rows high.
 */
static void blend_blocks(Canvas *canvas, int y)
{
  const StxPixelFormat *format = canvas->overlay->params.format;
  int width = canvas->overlay->params.frame_width;
  bool two_rows = format->plane[format->planes - 1].shift_y > 0;
  if (two_rows && y % 2 == 0 && y + 1 < canvas->end) { /* wait for the lower row */
    memcpy(canvas->above, canvas->now, width * sizeof(StxPaint));
    return;
  }
  const StxPaint *upper = two_rows && y % 2 == 1 ? canvas->above : canvas->now;
  stx_rows_average(canvas->block, upper, canvas->now, 0, width);
  for (int p = 1; p < format->planes; p++)
    stx_rows_blend_samples(plane_row(canvas, p, y >> format->plane[p].shift_y), &format->plane[p],
        canvas->block, (width + 1) / 2);
}

/* ---- Drawing ------------------------------------------------------------------------------ */

static void draw_stixels(Canvas *canvas)
{
  const StxOverlayParams *params = &canvas->overlay->params;
  set_span(canvas, 0, params->frame_width, &clear_paint);
  for (int c = 0; c < params->columns; c++)
    canvas->cursor[c] = (Cursor){.next = canvas->scene->front[c]};
  for (int y = canvas->first; y < canvas->end; y++) {
    for (int c = 0; c < params->columns; c++)
      if (canvas->cursor[c].wake <= y)
        wake(canvas, c, y);
    blend_pixels(canvas, y);
    if (is_subsampled(params->format))
      blend_blocks(canvas, y);
  }
}

static void draw_band(void *data, int band, int worker)
{
  const Scene *scene = data;
  const StxOverlayParams *params = &scene->overlay->params;
  int pairs = (params->frame_height + 1) / 2;
  int end = 2 * (int)((int64_t)pairs * (band + 1) / scene->bands);
  Canvas canvas = {.scene = scene, .overlay = scene->overlay};
  canvas.first = 2 * (int)((int64_t)pairs * band / scene->bands);
  canvas.end = end < params->frame_height ? end : params->frame_height;
  lay_out_canvas(params, &canvas, scene->canvases + (size_t)worker * scene->canvas_size);
  draw_stixels(&canvas);
}

static bool draw(const StxOverlay *overlay, const void *prepared, const StxFrame *frame,
    const StxStixel *records, size_t count, void *scratch, const StxPlace *place, StxError *error)
{
  const StxOverlayParams *params = &overlay->params;
  Scene scene = {.overlay = overlay, .frame = frame, .records = records};
  Canvas unused;
  scene.tables = (StxOverlayTables){.row = overlay->row,
      .row_edge = overlay->row_edge,
      .nearness = overlay->nearness,
      .levels = overlay->levels,
      .edge = overlay->edge};
  scene.canvases = (char *)scratch + lay_out_scene(params, count, &scene, scratch);
  scene.canvas_size = lay_out_canvas(params, &unused, NULL);
  scene.bands = count_bands(params, place->threads);
  stx_parallel(count_drawers(params, place->threads), scene.bands, draw_band, &scene);
  return true;
}

StxOverlayResult stx_overlay_draw_all(const StxOverlayImpl *impl, StxOverlay *overlay,
    const StxFrame *frame, const StxStixel *records, size_t count, void *scratch, int threads)
{
  StxPlace place = {.threads = threads};
  StxOverlayResult result;
  impl->link(overlay, overlay, records, count, &result, scratch, &place, NULL);
  stx_overlay_see(overlay, result.seen);
  impl->draw(overlay, overlay, frame, records, count, scratch, &place, NULL);
  return result;
}

static const StxOverlayImpl impls[] = {
    {{"omp", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, scratch_size, NULL, link_scene, draw},
};
const StxImplTable stx_overlay_impls = {impls, sizeof impls / sizeof impls[0], sizeof impls[0]};
