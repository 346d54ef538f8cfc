/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long the gray picture of each format takes, milliseconds, least of many runs:
 *
 *   luma-time WIDTH HEIGHT THREADS
 *
 * A line for each format, a column for each implementation that this machine has.
 */
#include "common/luma/luma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS 60

static double now_ms(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double least_of(const StxLumaImpl *impl, const StxLumaFormat *format,
    const StxImage8 *picture, const StxImage8 *gray, int threads)
{
  _Alignas(STX_ALIGN) uint8_t scratch[STX_LUMA_SCRATCH];
  const StxPlace place = {.threads = threads};
  double least = 1e9;
  for (int run = 0; run < RUNS; run++) {
    double begin = now_ms();
    impl->run(format, 0, picture, gray, scratch, &place, NULL);
    double took = now_ms() - begin;
    least = took < least ? took : least;
  }
  return least;
}

static void time_format(const char *name, int width, int height, int threads)
{
  const StxLumaFormat *format = stx_luma_format(name);
  size_t size = (size_t)width * height * format->pixel;
  uint8_t *from = malloc(size), *to = malloc((size_t)width * height);
  StxImage8 picture = {from, width * format->pixel, width, height};
  StxImage8 gray = {to, width, width, height};
  for (size_t i = 0; i < size; i++)
    from[i] = (uint8_t)(i * 31 >> 3);
  printf("%-10s", name);
  for (size_t i = 0; i < stx_luma_impls.count; i++) {
    const StxLumaImpl *impl = (const void *)stx_impl_at(&stx_luma_impls, i);
    if (stx_impl_usable(&impl->info))
      printf(" %s %.3f", impl->info.name, least_of(impl, format, &picture, &gray, threads));
  }
  printf("\n");
  free(from);
  free(to);
}

int main(int count, char **arguments)
{
  char names[] = STX_LUMA_FORMATS;
  int numbers[3];
  for (int i = 0; i < 3; i++)
    numbers[i] = count == 4 ? atoi(arguments[1 + i]) : 0;
  if (numbers[0] < 1 || numbers[1] < 1 || numbers[2] < 1) {
    fprintf(stderr, "usage: luma-time WIDTH HEIGHT THREADS\n");
    return 1;
  }
  for (char *name = strtok(names, ", "); name != NULL; name = strtok(NULL, ", "))
    time_format(name, numbers[0], numbers[1], numbers[2]);
  return 0;
}
