/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stereo pairs with labelled LiDAR scans, in the folders of KITTI's odometry benchmark and
 * SemanticKITTI:
 *
 *   NN/image_2 NN/image_3 (or image_0, image_1)   X.png, left and right
 *   NN/velodyne NN/labels                         X.bin, X.label
 *   NN/calib.txt                                  P0 … P3 and Tr, 3×4: LiDAR to camera 0
 *
 * Every point of the scan becomes a pixel of the left picture with a disparity and a kind.
 */
#include "examples/stx-eval/stx_eval.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/ground/ground.h"
#include "examples/shared/lidar_scans.h"
#include "examples/shared/png_io.h"

#define OUTLIER 1 /* 0: without a label */
#define VEGETATION 70

/* A point is hidden if another one within so many pixels is nearer by more than a fifth: the
 * scanner stands higher than the camera, and looks behind what hides the point from that. */
#define HIDING_WIDTH 4
#define HIDING_HEIGHT 6
#define HIDING_SHARE 1.2f

typedef struct {
  LidarSet scans;
  char *calibration; /* one file for all, or NULL */
} Scans;

/* ---- Calibration -------------------------------------------------------------------------- */

static bool read_matrix(
    const char *path, const char *text, const char *key, double matrix[12], StxError *error)
{
  const char *at = g_str_has_prefix(text, key) ? text : NULL;
  for (const char *line = text; at == NULL && (line = strchr(line, '\n')) != NULL;)
    at = g_str_has_prefix(++line, key) ? line : NULL;
  if (at == NULL)
    return stx_fail(error, "%s: no line \"%s\"", path, key);
  at += strlen(key);
  for (int i = 0; i < 12; i++) {
    char *end;
    matrix[i] = g_ascii_strtod(at, &end);
    if (end == at || !isfinite(matrix[i]))
      return stx_fail(error, "%s: \"%s\" needs 12 numbers, and has %d", path, key, i);
    at = end;
  }
  return true;
}

/* The scanner looks straight ahead: 8 cm above KITTI's cameras, 27 cm behind them. */
static const double straight[12] = {0, -1, 0, 0, 0, 0, -1, -.08, 1, 0, 0, -.27};

static bool load_projection(
    const char *path, int pair, bool needs_scan, EvalProjection *projection, StxError *error)
{
  GError *reason = NULL;
  char *text = NULL;
  if (!g_file_get_contents(path, &text, NULL, &reason)) {
    stx_fail(error, "%s", reason->message);
    g_error_free(reason);
    return false;
  }
  bool good = read_matrix(path, text, pair == 2 ? "P2:" : "P0:", projection->left, error) &&
              read_matrix(path, text, pair == 2 ? "P3:" : "P1:", projection->right, error);
  if (good && !needs_scan && !g_str_has_prefix(text, "Tr:") && strstr(text, "\nTr:") == NULL)
    memcpy(projection->to_camera, straight, sizeof straight);
  else
    good = good && read_matrix(path, text, "Tr:", projection->to_camera, error);
  g_free(text);
  return good;
}

/* ---- Points ------------------------------------------------------------------------------- */

static void multiply(const double m[12], const double in[3], double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = m[4 * i] * in[0] + m[4 * i + 1] * in[1] + m[4 * i + 2] * in[2] + m[4 * i + 3];
}

/* False if the point is not in the picture. */
static bool project(
    const EvalProjection *p, const float *point, int width, int height, EvalPoint *projected)
{
  double in[3] = {point[0], point[1], point[2]}, camera[3], left[3], right[3];
  multiply(p->to_camera, in, camera);
  multiply(p->left, camera, left);
  multiply(p->right, camera, right);
  if (!(left[2] > 0.5 && right[2] > 0.5)) /* behind the camera, or not a number */
    return false;
  double x = floor(left[0] / left[2] + 0.5), y = floor(left[1] / left[2] + 0.5);
  if (x < 0 || y < 0 || x >= width || y >= height)
    return false;
  *projected = (EvalPoint){.x = (int)x,
      .y = (int)y,
      .disparity = (float)(left[0] / left[2] - right[0] / right[2]),
      .depth = (float)left[2]};
  return projected->disparity > 0;
}

/* The largest disparity of a point at each pixel. */
static float *nearest_points(const EvalFrame *frame)
{
  float *nearest = g_new0(float, (size_t)frame->left.width *(size_t)frame->left.height);
  for (size_t i = 0; i < frame->point_count; i++) {
    const EvalPoint *p = &frame->points[i];
    float *at = &nearest[(size_t)p->y * (size_t)frame->left.width + (size_t)p->x];
    *at = fmaxf(*at, p->disparity);
  }
  return nearest;
}

static bool is_hidden(const EvalFrame *frame, const float *nearest, const EvalPoint *p)
{
  int width = frame->left.width;
  for (int y = MAX(p->y - HIDING_HEIGHT, 0); y <= MIN(p->y + HIDING_HEIGHT, frame->left.height - 1);
       y++)
    for (int x = MAX(p->x - HIDING_WIDTH, 0); x <= MIN(p->x + HIDING_WIDTH, width - 1); x++)
      if (nearest[(size_t)y * (size_t)width + (size_t)x] > HIDING_SHARE * p->disparity)
        return true;
  return false;
}

static void drop_hidden(EvalFrame *frame)
{
  float *nearest = nearest_points(frame);
  size_t kept = 0;
  for (size_t i = 0; i < frame->point_count; i++)
    if (!is_hidden(frame, nearest, &frame->points[i]))
      frame->points[kept++] = frame->points[i];
  frame->point_count = kept;
  g_free(nearest);
}

/* Vegetation is ground or object as it pleases, and hides nothing for sure. */
static bool counts(uint32_t label, bool all)
{
  uint32_t point_class = label & 0xFFFF;
  return point_class > OUTLIER && (all || point_class != VEGETATION);
}

bool eval_add_scan(EvalFrame *frame, const EvalProjection *projection, const float *points,
    const uint32_t *labels, size_t count, bool all)
{
  frame->points = malloc((count + 1) * sizeof *frame->points);
  for (size_t i = 0; frame->points != NULL && i < count; i++) {
    EvalPoint point;
    if (counts(labels[i], all) &&
        project(projection, points + 4 * i, frame->left.width, frame->left.height, &point)) {
      point.label = labels[i];
      point.kind = stx_point_is_ground(labels[i]) ? STX_KIND_GROUND : STX_KIND_OBJECT;
      frame->points[frame->point_count++] = point;
    }
  }
  if (frame->points != NULL)
    drop_hidden(frame);
  return frame->points != NULL;
}

/* ---- Frames ------------------------------------------------------------------------------- */

/* A file of the sequence that a scan belongs to; folder NULL: right in it. To be freed. */
static char *file_beside(const char *scan, const char *folder, const char *name)
{
  char *velodyne = g_path_get_dirname(scan), *sequence = g_path_get_dirname(velodyne);
  char *path = folder != NULL ? g_build_filename(sequence, folder, name, NULL)
                              : g_build_filename(sequence, name, NULL);
  g_free(velodyne);
  g_free(sequence);
  return path;
}

/* The picture of a scan. */
static char *picture_beside(const char *scan, const char *folder)
{
  char *base = g_path_get_basename(scan);
  strcpy(strrchr(base, '.'), ".png"); /* as long as .bin */
  char *path = file_beside(scan, folder, base);
  g_free(base);
  return path;
}

static bool has_picture(const char *scan, const char *folder)
{
  char *path = picture_beside(scan, folder);
  bool found = g_file_test(path, G_FILE_TEST_IS_REGULAR);
  g_free(path);
  return found;
}

/* 2: the colour pair, 0: the gray pair, −1: none. */
static int pair_of(const char *scan)
{
  if (has_picture(scan, "image_2") && has_picture(scan, "image_3"))
    return 2;
  return has_picture(scan, "image_0") && has_picture(scan, "image_1") ? 0 : -1;
}

static bool load_picture(const char *scan, const char *folder, StxImage8 *image, StxError *error)
{
  char *path = picture_beside(scan, folder);
  bool good = png_load_gray8(path, image, error);
  g_free(path);
  return good;
}

/* The calibration's matrices are not scaled: they are for pictures of its own size. */
static bool fit_camera(EvalFrame *frame, const char *path, StxError *error)
{
  StxCamera given = frame->camera;
  StxError note;
  if (!stx_camera_fit(&frame->camera, frame->left.width, frame->left.height, &note))
    return stx_fail(error, "%s: %.150s", path, note.text);
  return given.focal == frame->camera.focal ||
         stx_fail(error, "%s: the calibration is for pictures of %d × %d pixels, not %d × %d", path,
             given.image_width, given.image_height, frame->left.width, frame->left.height);
}

bool eval_load_beside(const char *path, const char *calibration, bool needs_scan,
    EvalProjection *projection, EvalFrame *frame, StxError *error)
{
  int pair = pair_of(path);
  char *calib = calibration != NULL ? g_strdup(calibration) : file_beside(path, NULL, "calib.txt");
  bool good = load_picture(path, pair == 2 ? "image_2" : "image_0", &frame->left, error) &&
              load_picture(path, pair == 2 ? "image_3" : "image_1", &frame->right, error) &&
              stx_camera_load(calib, pair, &frame->camera, error) &&
              load_projection(calib, pair, needs_scan, projection, error);
  g_free(calib);
  if (good &&
      (frame->left.width != frame->right.width || frame->left.height != frame->right.height))
    good = stx_fail(error, "%s: the left picture has %d × %d pixels, the right one %d × %d", path,
        frame->left.width, frame->left.height, frame->right.width, frame->right.height);
  return good && fit_camera(frame, path, error);
}

static bool scans_load(DataSet *set, size_t index, EvalFrame *frame, StxError *error)
{
  Scans *scans = set->data;
  const char *path = g_ptr_array_index(scans->scans.paths, index);
  LidarScan scan = {0};
  EvalProjection projection;
  *frame = (EvalFrame){0};
  bool good = eval_load_beside(path, scans->calibration, true, &projection, frame, error) &&
              lidar_set_load(&scans->scans, index, &scan, error);
  if (good) {
    g_strlcpy(frame->name, scan.name, sizeof frame->name);
    *strrchr(frame->name, '.') = 0;
    good = eval_add_scan(frame, &projection, scan.points, scan.labels, scan.count, false) ||
           stx_fail(error, "%s: not enough memory", path);
  }
  lidar_scan_free(&scan);
  if (!good)
    eval_frame_free(frame);
  return good;
}

static void scans_close(DataSet *set)
{
  Scans *scans = set->data;
  lidar_set_close(&scans->scans);
  g_free(scans->calibration);
  g_free(scans);
}

bool eval_open_scans(DataSet *set, const char *folder, const char *calibration, StxError *error)
{
  Scans *scans = g_new0(Scans, 1);
  if (!lidar_set_open(&scans->scans, folder, error)) {
    g_free(scans);
    return false;
  }
  GPtrArray *paths = scans->scans.paths;
  for (guint i = paths->len; i-- > 0;)
    if (pair_of(g_ptr_array_index(paths, i)) < 0)
      g_ptr_array_remove_index(paths, i); /* and free it */
  scans->calibration = g_strdup(calibration);
  scans->scans.count = paths->len;
  *set = (DataSet){.count = paths->len, .load = scans_load, .close = scans_close, .data = scans};
  g_strlcpy(set->name, folder, sizeof set->name);
  if (paths->len > 0)
    return true;
  scans_close(set);
  return stx_fail(error,
      "%s: no scan here has stereo pictures of its name: looked beside velodyne/ for image_2/ and "
      "image_3/, or image_0/ and image_1/",
      folder);
}
