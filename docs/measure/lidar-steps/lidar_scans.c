/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "docs/measure/lidar-steps/lidar_scans.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/lidar_file/lidar_file.h"

#define FRAMES_APART 10

void lidar_scan_free(LidarScan *scan)
{
  free(scan->points);
  free(scan->labels);
  *scan = (LidarScan){0};
}

/* ---- Folders ------------------------------------------------------------------------------ */

/* The path of a scan's labels. */
static char *labels_path(const char *scan)
{
  char *folder = g_path_get_dirname(scan), *sequence = g_path_get_dirname(folder);
  char *base = g_path_get_basename(scan);
  strcpy(strrchr(base, '.'), ".lab"); /* as long as .bin */
  char *name = g_strconcat(base, "el", NULL);
  char *path = g_build_filename(sequence, "labels", name, NULL);
  g_free(folder), g_free(sequence), g_free(base), g_free(name);
  return path;
}

static void add_sequence(LidarSet *set, const char *sequence)
{
  char *folder = g_build_filename(sequence, "velodyne", NULL);
  GDir *dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
    char *path = g_build_filename(folder, name, NULL);
    char *labels = g_str_has_suffix(name, ".bin") ? labels_path(path) : NULL;
    if (labels != NULL && g_file_test(labels, G_FILE_TEST_IS_REGULAR))
      g_ptr_array_add(set->paths, g_strdup(path));
    g_free(labels);
    g_free(path);
  }
  if (dir != NULL)
    g_dir_close(dir);
  g_free(folder);
}

/* The folder's own scans, and those of its sub-folders. */
static void add_folder(LidarSet *set, const char *folder)
{
  GDir *dir = g_dir_open(folder, 0, NULL);
  const char *name;
  add_sequence(set, folder);
  while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
    char *path = g_build_filename(folder, name, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_DIR))
      add_sequence(set, path);
    g_free(path);
  }
  if (dir != NULL)
    g_dir_close(dir);
}

static int compare_paths(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

bool lidar_set_open(LidarSet *set, const char *folder, StxError *error)
{
  char *sequences = g_build_filename(folder, "sequences", NULL);
  *set = (LidarSet){.paths = g_ptr_array_new_with_free_func(g_free)};
  g_strlcpy(set->name, folder, sizeof set->name);
  add_folder(set, folder);
  add_folder(set, sequences);
  g_free(sequences);
  g_ptr_array_sort(set->paths, compare_paths);
  set->count = set->paths->len;
  if (set->count > 0)
    return true;
  lidar_set_close(set);
  return stx_fail(error,
      "no scans in %s: looked for velodyne/*.bin with labels/*.label in it, in its sub-folders and "
      "in sequences/",
      folder);
}

/* NULL with the reason in `error`; else to be freed. */
static char *read_file(const char *path, size_t *size, StxError *error)
{
  GError *reason = NULL;
  char *bytes = NULL;
  if (g_file_get_contents(path, &bytes, size, &reason))
    return bytes;
  stx_fail(error, "%s", reason->message);
  g_error_free(reason);
  return NULL;
}

static bool read_points(const char *path, LidarScan *scan, StxError *error)
{
  StxLidarFile file;
  size_t size;
  char *bytes = read_file(path, &size, error);
  bool good = bytes != NULL && stx_lidar_file_probe(bytes, size, STX_LIDAR_KITTI, &file, error);
  if (good) {
    scan->count = file.points;
    scan->points = malloc(size + 1);
    good = scan->points != NULL ? stx_lidar_file_read(&file, bytes, scan->points, NULL, error)
                                : stx_fail(error, "not enough memory for %s", path);
  }
  g_free(bytes);
  return good;
}

static bool read_labels(const char *path, LidarScan *scan, StxError *error)
{
  size_t size, expected = scan->count * sizeof *scan->labels;
  char *bytes = read_file(path, &size, error);
  bool good = bytes != NULL &&
              (size == expected || stx_fail(error, "%s has %zu bytes, but %zu points need %zu",
                                       path, size, scan->count, expected));
  if (good) {
    free(scan->labels);
    scan->labels = malloc(size + 1);
    good = scan->labels != NULL || stx_fail(error, "not enough memory for %s", path);
  }
  if (good)
    memcpy(scan->labels, bytes, size);
  g_free(bytes);
  return good;
}

static bool load_files(LidarSet *set, size_t index, LidarScan *scan, StxError *error)
{
  const char *path = g_ptr_array_index(set->paths, index);
  char *labels = labels_path(path), **parts = g_strsplit(path, G_DIR_SEPARATOR_S, -1);
  guint n = g_strv_length(parts);
  snprintf(scan->name, sizeof scan->name, "%.20s/%.30s", n > 2 ? parts[n - 3] : "", parts[n - 1]);
  bool good = read_points(path, scan, error) && read_labels(labels, scan, error);
  g_strfreev(parts);
  g_free(labels);
  return good;
}

/* ---- The street --------------------------------------------------------------------------- */

bool lidar_set_open_street(LidarSet *set, uint64_t seed, int beams, size_t count, StxError *error)
{
  StxSceneParams params = {.seed = seed, .width = 64, .height = 64, .speed = 10};
  *set = (LidarSet){.count = count, .sensor = stx_scene_lidar(beams)};
  snprintf(set->name, sizeof set->name, "synthetic street, %d beams, seed %llu", beams,
      (unsigned long long)seed);
  if (!stx_scene_lidar_check(&set->sensor, error))
    return false;
  set->scene = stx_scene_new(&params, error);
  return set->scene != NULL;
}

static bool load_street(LidarSet *set, size_t index, LidarScan *scan, StxError *error)
{
  size_t rays = (size_t)set->sensor.beams * (size_t)set->sensor.steps;
  snprintf(scan->name, sizeof scan->name, "frame %zu", index * FRAMES_APART);
  scan->points = malloc(rays * 4 * sizeof(float));
  scan->labels = malloc(rays * sizeof(uint32_t));
  if (scan->points == NULL || scan->labels == NULL)
    return stx_fail(error, "not enough memory for a scan of %zu points", rays);
  stx_scene_move(set->scene, index * FRAMES_APART);
  scan->count =
      stx_scene_scan(set->scene, &set->sensor, (float(*)[4])(void *)scan->points, scan->labels);
  return true;
}

/* ---- Both --------------------------------------------------------------------------------- */

bool lidar_set_load(LidarSet *set, size_t index, LidarScan *scan, StxError *error)
{
  *scan = (LidarScan){0};
  if ((set->scene != NULL ? load_street : load_files)(set, index, scan, error))
    return true;
  lidar_scan_free(scan);
  return false;
}

void lidar_set_close(LidarSet *set)
{
  if (set->paths != NULL)
    g_ptr_array_free(set->paths, TRUE);
  if (set->scene != NULL)
    stx_scene_free(set->scene);
  *set = (LidarSet){0};
}
