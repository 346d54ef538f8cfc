/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The times of the stages that stx-bench does not know, milliseconds, least of many runs:
 *
 *   stage-time STAGE [WIDTH HEIGHT THREADS]      of 1242 × 375 with one thread
 *
 * luma: a line for each format; colormap: for a map and errors, each in pixels of four and three
 * bytes, and the histogram of range=frame; both with a column for each implementation that this
 * machine has. overlay: three stixels in each column, dimmed, with legend, free space, corridor and
 * the labels of 20 obstacles, in RGBA and RGB; bev: the same stixels and obstacles from above,
 * 800 × 800 in RGBA.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/bev/bev_stixels.h"
#include "common/colormap/colormap.h"
#include "common/luma/luma.h"
#include "common/overlay/overlay_marks.h"

enum { RUNS = 201, OBSTACLES = 20, CELL = 8, FB = 389 };

typedef struct {
  int width, height;
  StxPlace place;
  const StxImplInfo *impl;
  void *state; /* what the stage keeps from run to run */
} Run;

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* Of what is allocated nothing is given back: the program ends. */
static void *reserve(size_t size)
{
  void *memory = aligned_alloc(STX_ALIGN, stx_align(size));
  if (memory == NULL)
    exit(1);
  return memory;
}

static void *noise(size_t size)
{
  uint8_t *bytes = reserve(size);
  for (size_t i = 0; i < size; i++)
    bytes[i] = (uint8_t)(i * 31 >> 3);
  return bytes;
}

static void print_least(const Run *run, void (*once)(const Run *run))
{
  double least = 1e9;
  for (int i = 0; i < RUNS; i++) {
    double begin = now();
    once(run);
    double took = now() - begin;
    least = took < least ? took : least;
  }
  printf(" %s %.3f", run->impl != NULL ? run->impl->name : "", least);
}

static void print_all(
    Run *run, const char *what, const StxImplTable *impls, void (*once)(const Run *))
{
  printf("%-10s", what);
  for (size_t i = 0; i < impls->count; i++) {
    run->impl = stx_impl_at(impls, i);
    if (stx_impl_usable(run->impl))
      print_least(run, once);
  }
  printf("\n");
}

/* ---- luma ---------------------------------------------------------------------------------- */

typedef struct {
  const StxLumaFormat *format;
  StxImage8 picture, gray;
  void *scratch;
} Luma;

static void luma_once(const Run *run)
{
  const Luma *l = run->state;
  const StxLumaImpl *impl = (const StxLumaImpl *)run->impl;
  impl->run(l->format, 0, &l->picture, &l->gray, l->scratch, &run->place, NULL);
}

static void time_luma(Run *run)
{
  char names[] = STX_LUMA_FORMATS;
  int width = run->width, height = run->height;
  for (char *name = strtok(names, ", "); name != NULL; name = strtok(NULL, ", ")) {
    const StxLumaFormat *format = stx_luma_format(name);
    size_t pixels = (size_t)width * (size_t)height;
    Luma l = {format, {noise(pixels * format->pixel), width * format->pixel, width, height},
        {reserve(pixels), width, width, height}, reserve(STX_LUMA_SCRATCH)};
    run->state = &l;
    print_all(run, name, &stx_luma_impls, luma_once);
  }
}

/* ---- colormap ------------------------------------------------------------------------------ */

typedef struct {
  StxColormapInput input;
  StxColormapPicture picture;
  StxColormapTable table;
  StxColormapHistogram histogram;
} Colormap;

static void paint_once(const Run *run)
{
  Colormap *m = run->state;
  StxColormapCount count;
  const StxColormapImpl *impl = (const StxColormapImpl *)run->impl;
  impl->paint(&m->input, &m->table, &m->picture, &count, &run->place, NULL);
}

static void spread_once(const Run *run)
{
  Colormap *m = run->state;
  const StxColormapImpl *impl = (const StxColormapImpl *)run->impl;
  impl->spread(&m->input, &m->table, &m->histogram, &run->place, NULL);
}

/* Steps of a street: a road below, something that stands out in every part of it, holes. */
static void time_colormap(Run *run)
{
  static const char *const rows[][2] = {
      {"map", "RGBA"}, {"map", "RGB"}, {"error", "RGBA"}, {"error", "RGB"}, {"histogram", "RGBA"}};
  static Colormap m;
  int width = run->width, height = run->height;
  size_t pixels = (size_t)width * (size_t)height;
  uint16_t *map = reserve(2 * pixels), *truth = reserve(2 * pixels);
  for (int y = 0, at = 0; y < height; y++)
    for (int x = 0; x < width; x++, at++) {
      truth[at] = (uint16_t)(256 * 5 + y * 40 + x / 40 % 7 * 900 + (x * 7919 & 127));
      map[at] = (uint16_t)(x / 9 % 11 == 0 ? 0 : truth[at] + (x * 13 & 511));
    }
  m.input.map = (StxImage16){map, 2 * (ptrdiff_t)width, width, height};
  run->state = &m;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    bool error = rows[i][0][0] == 'e';
    const StxPixelFormat *format = stx_pixel_format(rows[i][1]);
    StxColormapParams params = STX_COLORMAP_DEFAULTS;
    params.mode = error ? STX_COLORMAP_ERROR : STX_COLORMAP_DISPARITY;
    m.input.truth = (StxImage16){error ? truth : NULL, 2 * (ptrdiff_t)width, width, height};
    stx_colormap_table(&params, stx_colormap_span(&params), format, &m.table);
    int pixel = format->plane[0].pixel_stride;
    m.picture =
        (StxColormapPicture){reserve(4 * pixels), (ptrdiff_t)width * pixel, width, height, pixel};
    print_all(
        run, rows[i][0], &stx_colormap_impls, rows[i][0][0] == 'h' ? spread_once : paint_once);
  }
}

/* ---- overlay and bev ------------------------------------------------------------------------ */

static const StxCamera camera = {
    .focal = 720, .cx = 620.5, .cy = 172, .baseline = .54, .height = 1.65};

static StxStixel record(int column, int top, int bottom, StxKind kind, double far, double near)
{
  return (StxStixel){.column = (uint16_t)column,
      .top = (uint16_t)top,
      .bottom = (uint16_t)bottom,
      .kind = (uint8_t)kind,
      .disparity_top = (float)(FB / far),
      .disparity_bottom = (float)(FB / near),
      .confidence = (float)(column % 10) / 10};
}

/* A road up to an object at 10 to 40 m, and another one 10 m behind it. */
static StxOverlayFacts facts_of(int width, int height)
{
  int columns = (width + CELL - 1) / CELL;
  StxStixel *records = reserve(3 * (size_t)columns * sizeof *records);
  StxObstacle *obstacles = reserve(OBSTACLES * sizeof *obstacles);
  for (int c = 0; c < columns; c++) {
    double near = 10 + c * 37 % 31;
    records[3 * c] = record(c, height * 3 / 5, height - 1, STX_KIND_GROUND, near, 5);
    records[3 * c + 1] = record(c, height * 2 / 5, height * 3 / 5 - 1, STX_KIND_OBJECT, near, near);
    records[3 * c + 2] =
        record(c, height / 7, height * 2 / 5 - 1, STX_KIND_OBJECT, near + 10, near + 10);
  }
  for (int i = 0; i < OBSTACLES; i++)
    obstacles[i] = (StxObstacle){.id = (uint32_t)i + 1,
        .left = (uint16_t)(width / 21 * i),
        .right = (uint16_t)(width / 21 * i + width / 25),
        .top = (uint16_t)(height * 2 / 5),
        .bottom = (uint16_t)(height * 3 / 5),
        .label = 13,
        .x = (float)(i - 10),
        .z = (float)(10 + i),
        .width = 2,
        .depth = 1,
        .closing_speed = 10};
  return (StxOverlayFacts){records, 3 * (size_t)columns, obstacles, OBSTACLES, NULL, 0};
}

typedef struct {
  StxOverlayParams params;
  StxOverlayFacts facts;
  StxFrame frame;
  StxOverlay *overlay;
  StxCanvas *canvas;
  void *marks, *scratch;
} Overlay;

static void overlay_once(const Run *run)
{
  Overlay *o = run->state;
  const StxOverlayImpl *impl = (const StxOverlayImpl *)run->impl;
  const StxCanvasImpl *lay = (const void *)stx_impl_at(&stx_canvas_impls, 0);
  stx_overlay_draw_all(impl, o->overlay, &o->frame, o->facts.stixels, o->facts.stixel_count,
      o->scratch, run->place.threads);
  stx_canvas_clear(o->canvas);
  stx_overlay_draw_lines(o->canvas, &o->params, &o->facts, o->marks);
  stx_overlay_draw_legend(o->overlay, NULL, o->canvas);
  stx_overlay_draw_labels(o->canvas, &o->params, &o->facts, o->marks);
  lay->lay(o->canvas, stx_canvas_tiles(o->canvas), &o->frame, &run->place, NULL);
}

static void time_overlay(Run *run)
{
  static const char *const formats[] = {"RGBA", "RGB"};
  for (int i = 0; i < 2; i++) {
    Overlay o = {.params = STX_OVERLAY_DEFAULTS, .facts = facts_of(run->width, run->height)};
    StxOverlayParams *p = &o.params;
    p->dim = .8;
    p->labels = STX_OVERLAY_LABEL_DISTANCE | STX_OVERLAY_LABEL_CLASS | STX_OVERLAY_LABEL_ID;
    p->free_space = true;
    p->corridor_width = 2.4;
    p->camera = camera;
    p->width = p->frame_width = run->width;
    p->height = p->frame_height = run->height;
    p->stixel_width = CELL;
    p->columns = (run->width + CELL - 1) / CELL;
    p->format = stx_pixel_format(formats[i]);
    StxCanvasParams glass = {run->width, run->height, p->format, p->matrix, p->full_range};
    const StxOverlayImpl *impl = (const void *)stx_impl_at(&stx_overlay_impls, 0);
    o.frame = (StxFrame){{noise(4 * (size_t)run->width * (size_t)run->height)}, {4 * run->width}};
    o.overlay = stx_overlay_init(reserve(stx_overlay_size(p)), p);
    o.canvas = stx_canvas_init(reserve(stx_canvas_size(&glass)), &glass);
    o.marks = reserve(stx_overlay_mark_scratch(p));
    o.scratch = reserve(impl->scratch_size(p, o.facts.stixel_count, run->place.threads));
    run->state = &o;
    print_all(run, formats[i], &stx_overlay_impls, overlay_once);
  }
}

typedef struct {
  StxBev *bev;
  StxBevStixelsParams params;
  StxBevStixels frame;
  StxFrame picture;
} Bev;

static void bev_once(const Run *run)
{
  Bev *b = run->state;
  stx_bev_begin(b->bev);
  stx_bev_put_stixels(b->bev, &b->params, &b->frame);
  stx_bev_finish(b->bev, &b->picture, run->place.threads);
}

static void time_bev(Run *run)
{
  StxBevParams params = STX_BEV_AHEAD_DEFAULTS;
  StxOverlayFacts facts = facts_of(run->width, run->height);
  params.format = stx_pixel_format("RGBA");
  Bev b = {stx_bev_init(reserve(stx_bev_size(&params)), &params), STX_BEV_STIXELS_DEFAULTS,
      {.stixels = facts.stixels,
          .count = facts.stixel_count,
          .width = run->width,
          .height = run->height,
          .stixel_width = CELL,
          .camera = camera,
          .obstacles = facts.obstacles,
          .obstacle_count = OBSTACLES},
      {{reserve(800 * 800 * 4)}, {800 * 4}}};
  run->state = &b;
  print_least(run, bev_once);
  printf("\n");
}

int main(int count, char **arguments)
{
  static const struct {
    const char *name;
    void (*time)(Run *run);
  } stages[] = {{"luma", time_luma}, {"colormap", time_colormap}, {"overlay", time_overlay},
      {"bev", time_bev}};
  Run run = {1242, 375, {.threads = 1}, NULL, NULL};
  if (count == 5) {
    run.width = atoi(arguments[2]);
    run.height = atoi(arguments[3]);
    run.place.threads = atoi(arguments[4]);
  }
  for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
    if (count > 1 && strcmp(arguments[1], stages[i].name) == 0 && run.width >= 16 &&
        run.height >= 16 && run.place.threads > 0) {
      stages[i].time(&run);
      return 0;
    }
  fprintf(stderr, "usage: stage-time luma|colormap|overlay|bev [WIDTH HEIGHT THREADS]\n");
  return 1;
}
