/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long a map takes to be coloured, milliseconds, least of many runs:
 *
 *   tint-time WIDTH HEIGHT THREADS
 *
 * A line for a map and for errors, each in pixels of four and three bytes, and for the histogram of
 * range=frame; a column for each implementation that this machine has.
 */
#include "common/tint/tint.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RUNS 100

typedef struct {
  StxTintInput input;
  StxTintPicture picture;
  StxTintTable table;
  StxTintHistogram histogram;
  StxPlace place;
} Bench;

static double now_ms(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double least_of(Bench *bench, const StxTintImpl *impl, bool spreads)
{
  StxTintCount count;
  double least = 1e9;
  for (int run = 0; run < RUNS; run++) {
    double begin = now_ms();
    if (spreads)
      impl->spread(&bench->input, &bench->table, &bench->histogram, &bench->place, NULL);
    else
      impl->paint(&bench->input, &bench->table, &bench->picture, &count, &bench->place, NULL);
    double took = now_ms() - begin;
    least = took < least ? took : least;
  }
  return least;
}

static void time_mode(Bench *bench, StxTintMode mode, const char *format, bool spreads)
{
  const StxPixelFormat *pixels = stx_pixel_format(format);
  StxTintParams params = STX_TINT_DEFAULTS;
  StxTintInput input = bench->input;
  params.mode = mode;
  if (mode != STX_TINT_ERROR)
    bench->input.truth.data = NULL;
  stx_tint_table(&params, stx_tint_span(&params), pixels, &bench->table);
  bench->picture.pixel = pixels->plane[0].pixel_stride;
  bench->picture.stride = (ptrdiff_t)bench->picture.width * bench->picture.pixel;
  printf("%-9s %-5s",
      spreads                  ? "histogram"
      : mode == STX_TINT_ERROR ? "error"
                               : "map",
      spreads ? "" : format);
  for (size_t i = 0; i < stx_tint_impls.count; i++) {
    const StxTintImpl *impl = (const void *)stx_impl_at(&stx_tint_impls, i);
    if (stx_impl_usable(&impl->info))
      printf(" %s %.3f", impl->info.name, least_of(bench, impl, spreads));
  }
  printf("\n");
  bench->input = input;
}

/* Steps of a street: a road below, something that stands out in every part of it, holes. */
static void fill(uint16_t *map, uint16_t *truth, int width, int height)
{
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      size_t at = (size_t)y * (size_t)width + (size_t)x;
      truth[at] = (uint16_t)(256 * 5 + y * 40 + x / 40 % 7 * 900 + (x * 7919 & 127));
      map[at] = (uint16_t)(x / 9 % 11 == 0 ? 0 : truth[at] + (x * 13 & 511));
    }
}

int main(int count, char **arguments)
{
  static Bench bench;
  int numbers[3];
  for (int i = 0; i < 3; i++)
    numbers[i] = count == 4 ? atoi(arguments[1 + i]) : 0;
  if (numbers[0] < 1 || numbers[1] < 1 || numbers[2] < 1) {
    fprintf(stderr, "usage: tint-time WIDTH HEIGHT THREADS\n");
    return 1;
  }
  int width = numbers[0], height = numbers[1];
  size_t pixels = (size_t)width * (size_t)height;
  uint16_t *map = malloc(2 * pixels), *truth = malloc(2 * pixels);
  fill(map, truth, width, height);
  bench.input.map = (StxImage16){map, 2 * (ptrdiff_t)width, width, height};
  bench.input.truth = (StxImage16){truth, 2 * (ptrdiff_t)width, width, height};
  bench.picture = (StxTintPicture){malloc(4 * pixels), 0, width, height, 4};
  bench.place.threads = numbers[2];
  time_mode(&bench, STX_TINT_DISPARITY, "RGBA", false);
  time_mode(&bench, STX_TINT_DISPARITY, "RGB", false);
  time_mode(&bench, STX_TINT_ERROR, "RGBA", false);
  time_mode(&bench, STX_TINT_ERROR, "RGB", false);
  time_mode(&bench, STX_TINT_DISPARITY, "RGBA", true);
  free(bench.picture.data);
  free(truth);
  free(map);
  return 0;
}
