/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For time_opencv.py: how long a picture takes, least of many runs.
 *
 *   rectify-time WIDTH HEIGHT BYTES THREADS     BYTES: of a sample, 0 for packed 4:2:2
 *
 * A camera of the usual kind, turned by a hundredth of a radian. Prints a line "name milliseconds"
 * for the map, and one for each implementation that this machine has.
 */
#include "common/rectify/rectify.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RUNS 100
#define TURN .01

static double now_ms(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static StxRectifyView view_of(int width, int height)
{
  double f = .55 * width;
  return (StxRectifyView){
      .lens = {f, f, width / 2.0, height / 2.0, STX_LENS_BROWN, {-.17, .025, .001, -.002}},
      .source_width = width,
      .source_height = height,
      .r = {1, -TURN, 0, TURN, 1, 0, 0, 0, 1},
      .fx = .97 * f,
      .fy = .97 * f,
      .cx = width / 2.0,
      .cy = height / 2.0,
      .width = width,
      .height = height,
      .scale = 1};
}

/* What is timed: samples with the map of the pixels, or packed pixels with both. */
typedef struct {
  StxRectifyMap pixels, colours;
  int bytes; /* 0: packed */
} Timed;

static void run_once(const Timed *t, const StxRectifyImpl *impl, const StxImage8 *source,
    const StxImage8 *target, const StxPlace *place)
{
  if (t->bytes > 0)
    impl->run(&t->pixels, &(StxRectifySample){t->bytes, {0}}, source, target, place, NULL);
  else
    impl->run_packed(
        &t->pixels, &t->colours, &(StxRectifyPacked){0, {0, 128}}, source, target, place, NULL);
}

static void time_all(const Timed *t, int threads)
{
  const StxRectifyMap *map = &t->pixels;
  int stride = t->bytes > 0 ? map->width * t->bytes : (map->width + 1) / 2 * 4;
  size_t size = (size_t)stride * (size_t)map->height;
  uint8_t *from = malloc(size), *to = malloc(size);
  StxImage8 source = {from, stride, map->width, map->height};
  StxImage8 target = {to, stride, map->width, map->height};
  const StxPlace place = {.threads = threads};
  for (size_t i = 0; i < size; i++)
    from[i] = (uint8_t)(i * 31 >> 3);
  for (size_t i = 0; i < stx_rectify_impls.count; i++) {
    const StxRectifyImpl *impl = (const void *)stx_impl_at(&stx_rectify_impls, i);
    double least = 1e9;
    for (int run = 0; run < RUNS && stx_impl_usable(&impl->info); run++) {
      double begin = now_ms();
      run_once(t, impl, &source, &target, &place);
      double took = now_ms() - begin;
      least = took < least ? took : least;
    }
    if (least < 1e9)
      printf("%s %.4f\n", impl->info.name, least);
  }
  free(from);
  free(to);
}

/* The map of a plane, which is never given back. */
static StxRectifyMap map_of(const StxRectifyView *view, int shift_x, int threads)
{
  void *memory = aligned_alloc(STX_ALIGN, stx_rectify_map_bytes(view, shift_x, 0));
  double begin = now_ms();
  stx_rectify_map_fill(view, shift_x, 0, memory, threads);
  if (shift_x == 0)
    printf("map %.4f\n", now_ms() - begin);
  return stx_rectify_map_in(view, shift_x, 0, memory);
}

int main(int count, char **arguments)
{
  int numbers[4];
  for (int i = 0; i < 4; i++)
    numbers[i] = count == 5 ? atoi(arguments[1 + i]) : 0;
  if (numbers[0] < 16 || numbers[1] < 16 || numbers[2] < 0 || numbers[2] > 4 || numbers[3] < 1) {
    fprintf(stderr, "usage: rectify-time WIDTH HEIGHT BYTES THREADS\n");
    return 1;
  }
  StxRectifyView view = view_of(numbers[0], numbers[1]);
  Timed timed = {map_of(&view, 0, numbers[3]), map_of(&view, 1, numbers[3]), numbers[2]};
  time_all(&timed, numbers[3]);
  return 0;
}
