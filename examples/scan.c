/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Obstacles of a LiDAR scan, without GStreamer: ground and clusters of its points, then one line of
 * text for each thing that stands there.
 *
 *   cc scan.c $(pkg-config --cflags --libs stixels) -o scan
 *   ./scan 000000.bin
 */
#include <stdio.h>
#include <stdlib.h>

#include <stixels/ground.h>
#include <stixels/lidar_file.h>
#include <stixels/memory.h>
#include <stixels/obstacles.h>

static StxError error;

/* Ends the program where something was refused. */
static void must(bool good)
{
  if (good)
    return;
  fprintf(stderr, "%s\n", error.text);
  exit(EXIT_FAILURE);
}

/* The points of a file that was read whole: KITTI's, nuScenes' or PCD. */
static float *points_of(const void *bytes, size_t size, size_t *count)
{
  StxLidarFile file;
  must(stx_lidar_file_probe(bytes, size, STX_LIDAR_AUTO, &file, &error));
  float *points = malloc(file.points * STX_LIDAR_POINT_FLOATS * sizeof *points + 1);
  void *scratch = malloc(file.scratch_size + 1);
  must(stx_lidar_file_read(&file, bytes, points, scratch, &error));
  free(scratch);
  *count = file.points;
  return points;
}

/* Every algorithm of the library is called so: the best implementation of a table, scratch of the
 * size that it asks for, and a place, the threads to work on. */
static uint32_t *labels_of(const float *points, size_t count)
{
  const StxGroundImpl *ground = stx_impl_pick(&stx_ground_impls, STX_BACKEND_AUTO);
  const StxPlace place = {.threads = stx_threads(0)};
  StxGroundParams params = STX_GROUND_DEFAULTS;
  StxGroundResult result;
  uint32_t *labels = malloc(count * sizeof *labels + 1);
  void *scratch = stx_allocate(ground->scratch_size(&params, count, place.threads));
  must(ground->run(&params, points, count, labels, &result, scratch, &place, &error));
  printf("# %u points of the ground, %u of obstacles; the sensor stands %.2f m above it\n",
      result.ground, result.obstacles, result.height);
  free(scratch);
  return labels;
}

static void print_obstacles(const float *points, const uint32_t *labels, size_t count)
{
  StxObstacles *state = stx_obstacles_new();
  StxObstaclesParams params = STX_OBSTACLES_DEFAULTS;
  StxObstaclesScan scan = {points, labels, count, STX_OBSTACLES_NO_TIME};
  StxObstaclesResult result;
  must(stx_obstacles_prepare(state, &params, count, 0, &error) &&
       stx_obstacles_of_scan(state, &scan, &result, &error));
  printf("# metres to the right and ahead, width, height, points\n");
  for (size_t i = 0; i < result.count; i++) {
    const StxObstacle *o = &result.obstacles[i];
    printf("%.2f %.2f %.2f %.2f %u\n", o->x, o->z, o->width, o->height, o->count);
  }
  stx_obstacles_free(state);
}

int main(int argc, char **argv)
{
  static char bytes[64 << 20];
  FILE *stream = argc == 2 ? fopen(argv[1], "rb") : NULL;
  size_t size, count;
  if (stream == NULL) {
    fprintf(stderr, "usage: scan SCAN, a file of LiDAR points of at most 64 MiB\n");
    return EXIT_FAILURE;
  }
  size = fread(bytes, 1, sizeof bytes, stream);
  fclose(stream);
  float *points = points_of(bytes, size, &count);
  uint32_t *labels = labels_of(points, count);
  print_obstacles(points, labels, count);
  free(labels);
  free(points);
  return EXIT_SUCCESS;
}
