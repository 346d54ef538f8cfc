/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long a picture of stixels from above takes, 800×800 in RGBA: 156 columns of a picture of
 * 1242×375 with road and two objects each, and 20 obstacles. bev-time [THREADS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/bev/bev_stixels.h"

enum { COLUMNS = 156, OBSTACLES = 20, TURNS = 201 };

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

/* A road up to an object at 10 to 40 m, and another one 10 m behind it. */
static void fill(StxStixel *records, StxObstacle *obstacles)
{
  for (int c = 0; c < COLUMNS; c++) {
    float near = 10 + (float)(c * 37 % 31), unit = 389;
    StxStixel *r = records + 3 * c;
    r[0] = (StxStixel){.column = (uint16_t)c,
        .top = 220,
        .bottom = 374,
        .kind = STX_KIND_GROUND,
        .disparity_top = unit / near,
        .disparity_bottom = unit / 5};
    r[1] = (StxStixel){.column = (uint16_t)c,
        .top = 150,
        .bottom = 219,
        .kind = STX_KIND_OBJECT,
        .disparity_top = unit / near,
        .disparity_bottom = unit / near};
    r[2] = (StxStixel){.column = (uint16_t)c,
        .top = 50,
        .bottom = 149,
        .kind = STX_KIND_OBJECT,
        .disparity_top = unit / (near + 10),
        .disparity_bottom = unit / (near + 10)};
  }
  for (int i = 0; i < OBSTACLES; i++)
    obstacles[i] = (StxObstacle){.id = (uint32_t)i + 1,
        .x = (float)(i - 10),
        .z = (float)(10 + i),
        .width = 2,
        .depth = 1,
        .closing_speed = 10};
}

int main(int argc, char **argv)
{
  static StxStixel records[3 * COLUMNS];
  static StxObstacle obstacles[OBSTACLES];
  static uint8_t pixels[800 * 800 * 4];
  StxBevParams params = STX_BEV_AHEAD_DEFAULTS;
  StxBevStixelsParams stixels = STX_BEV_STIXELS_DEFAULTS;
  StxFrame picture = {{pixels}, {800 * 4}};
  StxBevStixels frame = {.stixels = records,
      .count = 3 * COLUMNS,
      .width = 1242,
      .height = 375,
      .stixel_width = 8,
      .camera = {.focal = 720, .cx = 620.5, .cy = 172, .baseline = .54},
      .obstacles = obstacles,
      .obstacle_count = OBSTACLES};
  double times[TURNS];
  params.format = stx_pixel_format("RGBA");
  StxBev *bev = aligned_alloc(STX_ALIGN, stx_align(stx_bev_size(&params)));
  if (bev == NULL)
    return 1;
  stx_bev_init(bev, &params);
  fill(records, obstacles);
  for (int i = 0; i < TURNS; i++) {
    double begin = now();
    stx_bev_begin(bev);
    stx_bev_put_stixels(bev, &stixels, &frame);
    stx_bev_finish(bev, &picture, argc > 1 ? atoi(argv[1]) : 1);
    times[i] = now() - begin;
  }
  qsort(times, TURNS, sizeof times[0], compare);
  printf("least %.2f ms, median %.2f ms\n", times[0], times[TURNS / 2]);
  free(bev);
  return 0;
}
