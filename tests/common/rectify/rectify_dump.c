/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For check_opencv.py: what rectify makes of a calibration and a picture.
 *
 *   rectify-dump CALIBRATION CAMERA WIDTH HEIGHT ALPHA PICTURE
 *
 * CAMERA 0 or 1; PICTURE width × height bytes. To standard output, without padding: 14 doubles
 * (rotation, fx, fy, cx, cy, baseline), two 32-bit numbers (width and height of the rectified
 * picture), x and y of its pixels in 64ths as pairs of 32-bit numbers (-1: outside), its bytes.
 */
#include "common/rectify/rectify.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
  StxRectifyView view;
  StxCamera camera;
  StxImage8 picture;
} Job;

static void die(const char *what)
{
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static void read_job(char **arguments, Job *job)
{
  const StxCalibrationFiles files = {arguments[1], NULL, -1, 0};
  const StxRectifyParams params = {.alpha = atof(arguments[5])};
  int width = atoi(arguments[3]), height = atoi(arguments[4]);
  StxCalibration calibration;
  StxError error;
  if (!stx_calibration_load(&files, width, height, &calibration, &error) ||
      !stx_rectify_view(&calibration, &params, atoi(arguments[2]), width, height, &job->view,
          &job->camera, &error))
    die(error.text);
  FILE *file = fopen(arguments[6], "rb");
  size_t size = (size_t)width * (size_t)height;
  job->picture = (StxImage8){malloc(size), width, width, height};
  if (file == NULL || fread(job->picture.data, 1, size, file) != size)
    die("no picture");
  fclose(file);
}

static void write_positions(const StxRectifyMap *map)
{
  for (int i = 0; i < map->width * map->height; i++) {
    int32_t at[2] = {-1, -1};
    if (map->place[i] != STX_RECTIFY_OUTSIDE) {
      at[0] = (int32_t)(map->place[i] & 0xFFFF) * STX_RECTIFY_ONE + (map->fraction[i] & 0xFF);
      at[1] = (int32_t)(map->place[i] >> 16) * STX_RECTIFY_ONE + (map->fraction[i] >> 8);
    }
    fwrite(at, sizeof at, 1, stdout);
  }
}

static void write_job(const Job *job)
{
  const StxRectifyView *view = &job->view;
  const StxRectifyImpl *impl = stx_impl_pick(&stx_rectify_impls, STX_BACKEND_AUTO);
  const double numbers[] = {view->fx, view->fy, view->cx, view->cy, job->camera.baseline};
  const int32_t size[] = {view->width, view->height};
  const StxPlace place = {.threads = 1};
  void *memory = aligned_alloc(STX_ALIGN, stx_rectify_map_bytes(view, 0, 0));
  uint8_t *out = malloc((size_t)(view->width * view->height));
  stx_rectify_map_fill(view, 0, 0, memory, 1);
  StxRectifyMap map = stx_rectify_map_in(view, 0, 0, memory);
  StxImage8 target = {out, view->width, view->width, view->height};
  impl->run(&map, &(StxRectifySample){1, {0}}, &job->picture, &target, &place, NULL);
  fwrite(view->r, sizeof view->r, 1, stdout);
  fwrite(numbers, sizeof numbers, 1, stdout);
  fwrite(size, sizeof size, 1, stdout);
  write_positions(&map);
  fwrite(out, 1, (size_t)(view->width * view->height), stdout);
  free(out);
  free(memory);
}

int main(int count, char **arguments)
{
  Job job;
  if (count != 7)
    die("usage: rectify-dump CALIBRATION CAMERA WIDTH HEIGHT ALPHA PICTURE");
  read_job(arguments, &job);
  write_job(&job);
  free(job.picture.data);
  return 0;
}
