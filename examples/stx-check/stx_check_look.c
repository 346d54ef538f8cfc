/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking at pairs of files, as they are or as they would be if something were put right. */
#include "examples/stx-check/stx_check.h"

#include <stdlib.h>
#include <string.h>

#include "common/rectify/rectify.h"
#include "examples/shared/png_io.h"

static bool load(const char *path, StxImage8 *image, StxError *error)
{
  char *lower = g_ascii_strdown(path, -1);
  bool named = g_str_has_suffix(lower, ".png");
  g_free(lower);
  return png_load_gray8(path, image, named ? error : NULL) ||
         (!named && stx_fail(error,
                        "%.80s: only PNG files are read: gst-launch-1.0 filesrc location=FILE ! "
                        "decodebin ! videoconvert ! pngenc ! multifilesink location=left-%%04d.png "
                        "makes them of a video or JPEG",
                        path));
}

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

static bool look_at(const char *left, const char *right, const CheckTry *attempt, int max_disparity,
    StxPairFinding *finding, StxError *error)
{
  StxImage8 image[2] = {{NULL}, {NULL}};
  bool good = load(left, &image[0], error) && load(right, &image[1], error);
  for (int i = 0; i < 2 && good && attempt->rectify != NULL; i++)
    good = rectify(attempt->rectify, i, &image[i], error);
  if (good)
    good = examine(&image[attempt->swap], &image[!attempt->swap], attempt->rows, max_disparity,
        finding, error);
  free(image[0].data);
  free(image[1].data);
  return good;
}

bool check_look(const CheckFiles *files, const CheckTry *attempt, int max_disparity, int most,
    CheckResult *result, StxError *error)
{
  int count = (int)files->left->len - abs(attempt->later);
  int begin = attempt->later < 0 ? -attempt->later : 0;
  int pairs = count < most ? count : most;
  *result = (CheckResult){0};
  for (int i = 0; i < pairs; i++) {
    int at = begin + (int)((int64_t)i * count / pairs);
    StxPairFinding finding;
    if (!look_at(files->left->pdata[at], files->right->pdata[at + attempt->later], attempt,
            max_disparity, &finding, error))
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
