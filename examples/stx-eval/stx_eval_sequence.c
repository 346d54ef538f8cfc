/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of a sequence with the camera's poses. */
#include "examples/stx-eval/stx_eval_sequence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text_file.h"
#include "examples/shared/options.h"

#define FRAMES_PER_SECOND 10
#define POSE 12

/* ---- Names and numbers ---------------------------------------------------------------------- */

static bool find_pictures(EvalSequence *sequence, const char *folder)
{
  char *path = g_build_filename(sequence->folder, folder, NULL);
  GPtrArray *files = list_files(path, ".png");
  for (guint i = 0; files != NULL && i < files->len; i++) {
    const char *file = g_ptr_array_index(files, i);
    g_ptr_array_add(sequence->names, g_strndup(file, strlen(file) - 4));
  }
  if (files != NULL)
    g_ptr_array_unref(files);
  g_free(path);
  return sequence->names->len > 0;
}

/* `columns` numbers for each frame; NULL with an error. To be freed. */
static double *read_numbers(
    const EvalSequence *sequence, const char *file, size_t columns, StxError *error)
{
  size_t count = sequence->names->len * columns, i = 0;
  char *path = g_build_filename(sequence->folder, file, NULL);
  char *text = stx_text_file_load(path, "the numbers of a sequence", error);
  double *numbers = g_new(double, count);
  char *at = text, *end;
  for (; text != NULL && i < count; i++, at = end) {
    numbers[i] = g_ascii_strtod(at, &end);
    if (end == at || !isfinite(numbers[i]))
      break;
  }
  if (text != NULL && i < count)
    stx_fail(error, "%s: %u frames need %zu numbers each, and number %zu is missing or not finite",
        path, sequence->names->len, columns, i + 1);
  free(text);
  g_free(path);
  if (i == count)
    return numbers;
  g_free(numbers);
  return NULL;
}

static bool read_times(EvalSequence *sequence, StxError *error)
{
  char *path = g_build_filename(sequence->folder, "times.txt", NULL);
  bool given = g_file_test(path, G_FILE_TEST_EXISTS);
  g_free(path);
  if (given)
    return (sequence->times = read_numbers(sequence, "times.txt", 1, error)) != NULL;
  sequence->times = g_new(double, sequence->names->len);
  for (guint i = 0; i < sequence->names->len; i++)
    sequence->times[i] = (double)i / FRAMES_PER_SECOND;
  return true;
}

bool eval_sequence_open(
    EvalSequence *sequence, const char *folder, const char *calibration, StxError *error)
{
  StxError none;
  *sequence = (EvalSequence){.folder = g_strdup(folder),
      .calibration = calibration,
      .names = g_ptr_array_new_with_free_func(g_free)};
  g_strlcpy(sequence->name, folder, sizeof sequence->name);
  bool good = find_pictures(sequence, "image_2") || find_pictures(sequence, "image_0") ||
              stx_fail(error, "%s: no pictures in image_2 or image_0", folder);
  good = good && (sequence->poses = read_numbers(sequence, "poses.txt", POSE, error)) != NULL &&
         read_times(sequence, error);
  if (!good)
    eval_sequence_close(sequence);
  else if (!lidar_set_open(&sequence->scans, folder, &none))
    sequence->scans = (LidarSet){.paths = NULL};
  return good;
}

void eval_sequence_close(EvalSequence *sequence)
{
  if (sequence->scans.paths != NULL)
    lidar_set_close(&sequence->scans);
  if (sequence->names != NULL)
    g_ptr_array_unref(sequence->names);
  g_free(sequence->folder);
  g_free(sequence->poses);
  g_free(sequence->times);
  *sequence = (EvalSequence){.folder = NULL};
}

/* ---- A frame -------------------------------------------------------------------------------- */

/* The path of a frame's scan, if there is one. To be freed. */
static char *scan_of(const EvalSequence *sequence, size_t index)
{
  const char *name = g_ptr_array_index(sequence->names, index);
  char *file = g_strconcat(name, ".bin", NULL);
  char *path = g_build_filename(sequence->folder, "velodyne", file, NULL);
  g_free(file);
  return path;
}

static bool add_scan(EvalSequence *sequence, const char *path, const EvalProjection *projection,
    EvalFrame *frame, StxError *error)
{
  LidarScan scan = {.count = 0};
  for (guint i = 0; sequence->scans.paths != NULL && i < sequence->scans.paths->len; i++) {
    if (strcmp(g_ptr_array_index(sequence->scans.paths, i), path) != 0)
      continue;
    bool good = lidar_set_load(&sequence->scans, i, &scan, error) &&
                (eval_add_scan(frame, projection, scan.points, scan.labels, scan.count, true) ||
                    stx_fail(error, "%s: not enough memory", path));
    lidar_scan_free(&scan);
    return good;
  }
  return true;
}

bool eval_sequence_load(EvalSequence *sequence, size_t index, EvalFrame *frame, StxError *error)
{
  char *path = scan_of(sequence, index);
  EvalProjection projection;
  *frame = (EvalFrame){.points = NULL};
  g_strlcpy(frame->name, g_ptr_array_index(sequence->names, index), sizeof frame->name);
  bool good = eval_load_beside(path, sequence->calibration, false, &projection, frame, error) &&
              add_scan(sequence, path, &projection, frame, error);
  g_free(path);
  if (!good)
    eval_frame_free(frame);
  return good;
}

/* now⁻¹ · before, of poses that turn and move. */
StxMotion eval_sequence_motion(const EvalSequence *sequence, size_t index)
{
  StxMotion motion = {.state = STX_MOTION_FIRST};
  if (index == 0)
    return motion;
  const double *now = sequence->poses + POSE * index, *before = now - POSE;
  motion.state = STX_MOTION_KNOWN;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      motion.translation[i] += now[4 * k + i] * (before[4 * k + 3] - now[4 * k + 3]);
      for (int j = 0; j < 3; j++)
        motion.rotation[3 * i + j] += now[4 * k + i] * before[4 * k + j];
    }
  return motion;
}
