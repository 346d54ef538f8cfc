/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A calibration as OpenCV's FileStorage writes it in JSON: what calibration_opencv.c reads. */
#include "common/calibration/calibration_lens.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* A cv::Mat of doubles. */
static json_t *matrix(int rows, int columns, const double *numbers)
{
  json_t *data = json_array();
  for (int i = 0; i < rows * columns; i++)
    json_array_append_new(data, json_real(numbers[i])); /* none of what is not finite */
  return json_pack("{s:s, s:i, s:i, s:s, s:o}", "type_id", "opencv-matrix", "rows", rows, "cols",
      columns, "dt", "d", "data", data);
}

static void put_camera(json_t *file, int side, const StxCalibratedCamera *camera, bool rectified)
{
  static const char *const names[][4] = {{"K1", "D1", "R1", "P1"}, {"K2", "D2", "R2", "P2"}};
  const StxLens *lens = &camera->lens;
  const double k[9] = {lens->fx, 0, lens->cx, 0, lens->fy, lens->cy, 0, 0, 1};
  unsigned counts = stx_lens_kinds[lens->model].counts;
  int count = STX_LENS_COEFFICIENTS; /* the most that the model has */
  while (!(counts >> count & 1))
    count--;
  json_object_set_new(file, names[side][0], matrix(3, 3, k));
  json_object_set_new(file, names[side][1], matrix(1, count, lens->d));
  if (!rectified)
    return;
  json_object_set_new(file, names[side][2], matrix(3, 3, camera->r));
  json_object_set_new(file, names[side][3], matrix(3, 4, camera->p));
}

static bool are_finite(const double *numbers, int count)
{
  for (int i = 0; i < count; i++)
    if (!isfinite(numbers[i]))
      return false;
  return true;
}

static bool check(const StxCalibration *c, StxError *error)
{
  const StxCalibratedCamera *left = &c->camera[0], *right = &c->camera[1];
  for (int i = 0; i < 2; i++) {
    const StxLens *lens = &c->camera[i].lens;
    const double k[4] = {lens->fx, lens->fy, lens->cx, lens->cy};
    if (!are_finite(k, 4) || !are_finite(lens->d, STX_LENS_COEFFICIENTS) || lens->fx <= 0 ||
        lens->fy <= 0)
      return stx_fail(error,
          "the %s lens has fx %g, fy %g, cx %g, cy %g; it needs focal lengths above 0, and finite "
          "numbers",
          i == 0 ? "left" : "right", lens->fx, lens->fy, lens->cx, lens->cy);
    if (c->rectified && (!are_finite(c->camera[i].r, 9) || !are_finite(c->camera[i].p, 12)))
      return stx_fail(error, "R%d or P%d has numbers that are not finite", i + 1, i + 1);
  }
  if (left->width != right->width || left->height != right->height)
    return stx_fail(error,
        "the left camera has %d × %d pixels and the right one %d × %d: OpenCV's "
        "files have one size for both",
        left->width, left->height, right->width, right->height);
  if (left->lens.model != right->lens.model)
    return stx_fail(error, "the lenses have different models: OpenCV's files have one for both");
  return c->rectified || (are_finite(c->r, 9) && are_finite(c->t, 3)) ||
         stx_fail(error, "R or T has numbers that are not finite");
}

bool stx_calibration_save(const StxCalibration *c, const char *path, StxError *error)
{
  if (!check(c, error))
    return false;
  json_t *file = json_object();
  for (int i = 0; i < 2; i++)
    put_camera(file, i, &c->camera[i], c->rectified);
  if (!c->rectified) {
    json_object_set_new(file, "R", matrix(3, 3, c->r));
    json_object_set_new(file, "T", matrix(3, 1, c->t));
  }
  if (c->camera[0].width > 0) {
    json_object_set_new(file, "image_width", json_integer(c->camera[0].width));
    json_object_set_new(file, "image_height", json_integer(c->camera[0].height));
  }
  const char *names = stx_lens_kinds[c->camera[0].lens.model].names;
  json_object_set_new(file, "distortion_model", json_stringn(names, strcspn(names, "|")));
  bool good = json_dump_file(file, path, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0;
  json_decref(file);
  return good || stx_fail_as(error, STX_ERROR_OUTPUT) ||
         stx_fail(error, "%s cannot be written", path);
}
