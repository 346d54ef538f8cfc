/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking at pairs of files, as they are or as they would be if something were put right. */
#include "examples/stx-check/stx_check.h"

#include <math.h>
#include <stdlib.h>

#include "common/rectify/rectify.h"
#include "examples/shared/png_io.h"

/* Replaces the picture of camera 0 or 1 by the rectified one. */
static bool rectify(
    const StxCalibration *calibration, int camera, StxImage8 *image, StxError *error)
{
  StxRectifyParams params = STX_RECTIFY_DEFAULTS;
  const StxRectifyImpl *impl = stx_impl_pick(&stx_rectify_impls, STX_BACKEND_AUTO);
  StxRectifySample sample = {.bytes = 1};
  StxPlace place = {.threads = stx_threads(0)};
  StxRectifyView view;
  StxCamera rectified;
  if (!stx_rectify_view(
          calibration, &params, camera, image->width, image->height, &view, &rectified, error))
    return false;
  StxImage8 target = {
      malloc((size_t)view.width * (size_t)view.height), view.width, view.width, view.height};
  void *memory = aligned_alloc(STX_ALIGN, stx_align(stx_rectify_map_bytes(&view, 0, 0)));
  bool good = target.data != NULL && memory != NULL;
  if (good) {
    StxRectifyMap map = stx_rectify_map_in(&view, 0, 0, memory);
    stx_rectify_map_fill(&view, 0, 0, memory, place.threads);
    good = impl->run(&map, &sample, image, &target, &place, error);
  } else {
    stx_fail(error, "no memory for pictures of %d × %d pixels", view.width, view.height);
  }
  free(memory);
  if (!good) {
    free(target.data);
    return false;
  }
  free(image->data);
  *image = target;
  return true;
}

/* Looks at what both pictures show if the right one is moved up; negative: down. */
static bool examine(const StxImage8 *left, const StxImage8 *right, int rows, int max_disparity,
    StxPairFinding *finding, StxError *error)
{
  int height = left->height - abs(rows);
  StxImage8 upper = *left, lower = *right;
  if (left->width != right->width || left->height != right->height)
    return stx_fail(error,
        "the left picture has %d × %d pixels, the right one %d × %d: both must "
        "be of one size",
        left->width, left->height, right->width, right->height);
  if (height < 1)
    height = 1;
  upper.height = lower.height = height;
  if (rows > 0)
    lower.data += rows * lower.stride;
  else
    upper.data -= rows * upper.stride;
  void *scratch = aligned_alloc(STX_ALIGN, stx_align(stx_pair_scratch(left->width, height)));
  if (scratch == NULL)
    return stx_fail(error, "no memory for pictures of %d × %d pixels", left->width, height);
  stx_pair_examine(max_disparity, &upper, &lower, scratch, finding);
  free(scratch);
  return true;
}

/* The range of disparities of a pair, and where infinity is. */
static bool reach(
    const StxImage8 *left, const StxImage8 *right, StxSgmRange *range, StxError *error)
{
  StxSgmParams params = STX_SGM_DEFAULTS;
  StxPlace place = {.threads = stx_threads(0)};
  params.width = left->width;
  params.height = left->height;
  size_t size = stx_sgm_range_scratch(&params, range, place.threads);
  void *scratch = aligned_alloc(STX_ALIGN, stx_align(size));
  bool good =
      scratch != NULL
          ? stx_sgm_range_look(&params, left, right, scratch, &place, range, error)
          : stx_fail(error, "no memory for pictures of %d × %d pixels", left->width, left->height);
  free(scratch);
  return good;
}

static bool look_at(const char *left, const char *right, const CheckTry *attempt, int max_disparity,
    StxPairFinding *finding, StxSgmRange *range, StxError *error)
{
  StxImage8 image[2] = {{NULL}, {NULL}};
  bool good = png_load_gray8(left, &image[0], error) && png_load_gray8(right, &image[1], error);
  for (int i = 0; i < 2 && good && attempt->rectify != NULL; i++)
    good = rectify(attempt->rectify, i, &image[i], error);
  if (good)
    good = examine(&image[attempt->swap], &image[!attempt->swap], attempt->rows, max_disparity,
        finding, error);
  if (good && finding->verdict == STX_PAIR_PLAUSIBLE && attempt->rows == 0)
    good = reach(&image[attempt->swap], &image[!attempt->swap], range, error);
  free(image[0].data);
  free(image[1].data);
  return good;
}

bool check_look(const CheckFiles *files, const CheckTry *attempt, int max_disparity, int most,
    CheckResult *result, StxError *error)
{
  int begin = attempt->later < 0 ? -attempt->later : 0, left = (int)files->left->len;
  int right = (int)files->right->len - attempt->later;
  int count = (left < right ? left : right) - begin;
  int pairs = count < most ? count : most;
  *result = (CheckResult){0};
  for (int i = 0; i < pairs; i++) {
    int at = begin + (int)((int64_t)i * count / pairs);
    StxPairFinding finding;
    if (!look_at(files->left->pdata[at], files->right->pdata[at + attempt->later], attempt,
            max_disparity, &finding, &result->range, error))
      return false;
    result->pairs++;
    /* A known verdict goes before an unknown one, then the more frequent. */
    int seen = ++result->seen_as[finding.verdict];
    StxPairVerdict so_far = result->finding.verdict;
    if (finding.verdict != STX_PAIR_UNKNOWN &&
        (so_far == STX_PAIR_UNKNOWN || seen > result->seen_as[so_far]))
      result->finding = finding;
    else if (i == 0)
      result->finding = finding;
  }
  return true;
}

/* ---- Moments ------------------------------------------------------------------------------- */

#define SIDE 32  /* samples of a picture across and down */
#define LEAST 20 /* pictures that both views must show at a lag */
#define ALIKE .6 /* the least correlation of their motion */

/* Samples of a picture, each the mean of a small square. */
static bool sample(const char *path, int samples[SIDE * SIDE])
{
  StxImage8 image;
  if (!png_load_gray8(path, &image, NULL))
    return false;
  for (int i = 0; i < SIDE * SIDE; i++) {
    int x = i % SIDE * image.width / SIDE, y = i / SIDE * image.height / SIDE;
    samples[i] = 0;
    for (int k = 0; k < 16; k++)
      samples[i] +=
          stx_row8(&image, MIN(y + k / 4, image.height - 1))[MIN(x + k % 4, image.width - 1)];
  }
  free(image.data);
  return true;
}

/* Sums up the changes from each picture to the next; NULL if one cannot be read. */
static double *motion_of(const GPtrArray *paths)
{
  double *motion = g_new0(double, paths->len);
  int samples[2][SIDE * SIDE];
  for (guint i = 0; i < paths->len; i++) {
    if (!sample(paths->pdata[i], samples[i % 2])) {
      g_free(motion);
      return NULL;
    }
    for (int k = 0; i > 0 && k < SIDE * SIDE; k++)
      motion[i] += abs(samples[0][k] - samples[1][k]);
  }
  return motion;
}

/* Pearson's correlation. */
static double correlation(const double *a, const double *b, int count)
{
  double sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
  for (int i = 0; i < count; i++) {
    sum_a += a[i];
    sum_b += b[i];
  }
  for (int i = 0; i < count; i++) {
    double x = a[i] - sum_a / count, y = b[i] - sum_b / count;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

bool check_lag(const CheckFiles *files, int most, int *lag)
{
  double *left = motion_of(files->left), *right = motion_of(files->right), best = ALIKE;
  bool found = false;
  for (int later = -most; later <= most && left != NULL && right != NULL; later++) {
    int begin = later < 0 ? 1 - later : 1; /* nothing moved until the first picture */
    int count = MIN((int)files->left->len, (int)files->right->len - later) - begin;
    double alike = count < LEAST ? 0 : correlation(left + begin, right + begin + later, count);
    if (alike > best) {
      best = alike;
      *lag = later;
      found = true;
    }
  }
  g_free(left);
  g_free(right);
  return found;
}
