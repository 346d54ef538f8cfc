/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long it takes to draw all that there is on a frame of 1242×375: three stixels in each of 156
 * columns, dimmed, with legend, free space, corridor and the labels of 20 obstacles.
 * overlay-time [THREADS [FORMAT]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/overlay/overlay_marks.h"

enum { WIDTH = 1242, HEIGHT = 375, COLUMNS = 156, OBSTACLES = 20, TURNS = 201 };

/* What is drawn, and memory for it. */
typedef struct {
  StxOverlayParams params;
  StxOverlayFacts facts;
  StxFrame frame;
  StxOverlay *overlay;
  StxSheet *sheet;
  void *marks, *scratch;
  int threads;
} Scene;

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static StxStixel record(int column, int top, int bottom, StxKind kind, double far, double near)
{
  return (StxStixel){.column = (uint16_t)column,
      .top = (uint16_t)top,
      .bottom = (uint16_t)bottom,
      .kind = (uint8_t)kind,
      .disparity_top = (float)(389 / far),
      .disparity_bottom = (float)(389 / near),
      .confidence = (float)(column % 10) / 10};
}

/* A road up to an object at 10 to 40 m, and another one 10 m behind it. */
static void fill(StxStixel *records, StxObstacle *obstacles)
{
  for (int c = 0; c < COLUMNS; c++) {
    double near = 10 + c * 37 % 31;
    records[3 * c] = record(c, 220, 374, STX_KIND_GROUND, near, 5);
    records[3 * c + 1] = record(c, 150, 219, STX_KIND_OBJECT, near, near);
    records[3 * c + 2] = record(c, 50, 149, STX_KIND_OBJECT, near + 10, near + 10);
  }
  for (int i = 0; i < OBSTACLES; i++)
    obstacles[i] = (StxObstacle){.id = (uint32_t)i + 1,
        .left = (uint16_t)(60 * i),
        .right = (uint16_t)(60 * i + 50),
        .top = 150,
        .bottom = 220,
        .label = 13,
        .z = (float)(10 + i)};
}

static void *reserve(size_t size)
{
  void *memory = aligned_alloc(STX_ALIGN, stx_align(size));
  if (memory == NULL)
    exit(1);
  return memory;
}

static StxOverlayParams params_of(const char *format)
{
  StxOverlayParams params = STX_OVERLAY_DEFAULTS;
  params.dim = .8;
  params.labels = STX_OVERLAY_LABEL_DISTANCE | STX_OVERLAY_LABEL_CLASS | STX_OVERLAY_LABEL_ID;
  params.free_space = true;
  params.corridor_width = 2.4;
  params.camera =
      (StxCamera){.focal = 720, .cx = 620.5, .cy = 172, .baseline = .54, .height = 1.65};
  params.width = params.frame_width = WIDTH;
  params.height = params.frame_height = HEIGHT;
  params.stixel_width = 8;
  params.columns = COLUMNS;
  params.format = stx_pixel_format(format);
  return params;
}

static void open_scene(Scene *scene, const StxOverlayImpl *impl)
{
  const StxOverlayParams *params = &scene->params;
  StxSheetParams glass = {WIDTH, HEIGHT, params->format, params->matrix, params->full_range};
  scene->overlay = stx_overlay_init(reserve(stx_overlay_size(params)), params);
  scene->sheet = stx_sheet_init(reserve(stx_sheet_size(&glass)), &glass);
  scene->marks = reserve(stx_overlay_mark_scratch(params));
  scene->scratch = reserve(impl->scratch_size(params, scene->facts.stixel_count, scene->threads));
}

static void draw(Scene *scene, const StxOverlayImpl *impl, const StxSheetImpl *lay)
{
  StxPlace place = {.threads = scene->threads};
  stx_overlay_draw_all(impl, scene->overlay, &scene->frame, scene->facts.stixels,
      scene->facts.stixel_count, scene->scratch, scene->threads);
  stx_sheet_clear(scene->sheet);
  stx_overlay_draw_lines(scene->sheet, &scene->params, &scene->facts, scene->marks);
  stx_overlay_draw_legend(scene->overlay, NULL, scene->sheet);
  stx_overlay_draw_labels(scene->sheet, &scene->params, &scene->facts, scene->marks);
  lay->lay(scene->sheet, stx_sheet_tiles(scene->sheet), &scene->frame, &place, NULL);
}

int main(int argc, char **argv)
{
  static StxStixel records[3 * COLUMNS];
  static StxObstacle obstacles[OBSTACLES];
  static uint8_t pixels[3][WIDTH * HEIGHT * 4];
  const StxOverlayImpl *impl = (const void *)stx_impl_at(&stx_overlay_impls, 0);
  const StxSheetImpl *lay = (const void *)stx_impl_at(&stx_sheet_impls, 0);
  Scene scene = {.params = params_of(argc > 2 ? argv[2] : "RGBA"),
      .facts = {records, 3 * COLUMNS, obstacles, OBSTACLES, NULL, 0},
      .frame = {{pixels[0], pixels[1], pixels[2]}, {WIDTH * 4, WIDTH * 4, WIDTH * 4}},
      .threads = argc > 1 ? atoi(argv[1]) : 1};
  StxError error;
  double times[TURNS];
  if (!stx_overlay_check(&scene.params, &error)) {
    fprintf(stderr, "overlay-time: %s\n", error.text);
    return 1;
  }
  fill(records, obstacles);
  open_scene(&scene, impl);
  for (int i = 0; i < TURNS; i++) {
    double begin = now();
    draw(&scene, impl, lay);
    times[i] = now() - begin;
  }
  qsort(times, TURNS, sizeof times[0], compare);
  printf("%.2f ms, median %.2f ms\n", times[0], times[TURNS / 2]);
  return 0;
}
