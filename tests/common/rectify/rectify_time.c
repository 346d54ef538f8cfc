/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For time_opencv.py: how long a picture takes, least of many runs.
 *
 *   rectify-time WIDTH HEIGHT BYTES THREADS
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

static void time_all(const StxRectifyMap *map, int bytes, int threads)
{
  size_t size = (size_t)map->width * (size_t)map->height * (size_t)bytes;
  uint8_t *from = malloc(size), *to = malloc(size);
  StxImage8 source = {from, map->width * bytes, map->width, map->height};
  StxImage8 target = {to, map->width * bytes, map->width, map->height};
  const StxRectifySample sample = {bytes, {0}};
  const StxPlace place = {.threads = threads};
  for (size_t i = 0; i < size; i++)
    from[i] = (uint8_t)(i * 31 >> 3);
  for (size_t i = 0; i < stx_rectify_impls.count; i++) {
    const StxRectifyImpl *impl = (const void *)stx_impl_at(&stx_rectify_impls, i);
    double least = 1e9;
    for (int run = 0; run < RUNS && stx_impl_usable(&impl->info); run++) {
      double begin = now_ms();
      impl->run(map, &sample, &source, &target, &place, NULL);
      double took = now_ms() - begin;
      least = took < least ? took : least;
    }
    if (least < 1e9)
      printf("%s %.4f\n", impl->info.name, least);
  }
  free(from);
  free(to);
}

int main(int count, char **arguments)
{
  int numbers[4];
  for (int i = 0; i < 4; i++)
    numbers[i] = count == 5 ? atoi(arguments[1 + i]) : 0;
  if (numbers[0] < 16 || numbers[1] < 16 || numbers[2] < 1 || numbers[2] > 4 || numbers[3] < 1) {
    fprintf(stderr, "usage: rectify-time WIDTH HEIGHT BYTES THREADS\n");
    return 1;
  }
  StxRectifyView view = view_of(numbers[0], numbers[1]);
  void *memory = aligned_alloc(STX_ALIGN, stx_rectify_map_bytes(&view, 0, 0));
  double begin = now_ms();
  stx_rectify_map_fill(&view, 0, 0, memory, numbers[3]);
  printf("map %.4f\n", now_ms() - begin);
  StxRectifyMap map = stx_rectify_map_in(&view, 0, 0, memory);
  time_all(&map, numbers[2], numbers[3]);
  free(memory);
  return 0;
}
