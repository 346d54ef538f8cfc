/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a frame may bring to a pipeline: refused here, with a name, before any stage sees it. */
#include "common/pipeline/pipeline_private.h"

#include <math.h>
#include <stdlib.h>

/* An image of either kind. */
typedef struct {
  const char *name;
  const void *data;
  ptrdiff_t stride;
  int width, height, pixel; /* pixel: bytes of one */
} Picture;

static Picture picture8(const char *name, const StxImage8 *image)
{
  return (Picture){name, image->data, image->stride, image->width, image->height, 1};
}

static Picture picture16(const char *name, const StxImage16 *image)
{
  return (Picture){name, image->data, image->stride, image->width, image->height, 2};
}

static Picture picture_float(const char *name, const StxImageFloat *image)
{
  return (Picture){name, image->data, image->stride, image->width, image->height, 4};
}

static bool check_picture(Picture picture, const StxGrid *grid, StxError *error)
{
  ptrdiff_t row = (ptrdiff_t)grid->width * picture.pixel;
  if (picture.data == NULL)
    return stx_fail(error, "%s: there is none, but these settings need one", picture.name);
  if (picture.width != grid->width || picture.height != grid->height)
    return stx_fail(error, "%s has %d × %d pixels; the pipeline is one for %d × %d", picture.name,
        picture.width, picture.height, grid->width, grid->height);
  if (picture.height > 1 && picture.stride < row && picture.stride > -row)
    return stx_fail(error, "%s: its rows are %td bytes apart (stride) and %td long", picture.name,
        picture.stride, row);
  if (((uintptr_t)picture.data | (uintptr_t)picture.stride) % (unsigned)picture.pixel != 0)
    return stx_fail(error, "%s: address %p or stride %td is no multiple of the %d bytes of a value",
        picture.name, picture.data, picture.stride, picture.pixel);
  return true;
}

static bool check_absent(const char *name, const void *data, const char *source, StxError *error)
{
  return data == NULL || stx_fail(error, "%s: this pipeline is one for %s", name, source);
}

static bool check_pair(const StxPipelineInput *in, const StxGrid *grid, StxError *error)
{
  return check_picture(picture8("left", &in->left), grid, error) &&
         check_picture(picture8("right", &in->right), grid, error) &&
         check_absent("disparity", in->disparity.data, "pairs", error) &&
         check_absent("confidence", in->confidence.data, "pairs", error);
}

static bool check_disparity(
    const StxColmeanParams *params, const StxPipelineInput *in, StxError *error)
{
  const StxGrid *grid = &params->grid;
  Picture map = stx_disparity_is_float(params->disparity.encoding)
                    ? picture_float("floats", &in->floats)
                    : picture16("disparity", &in->disparity);
  return check_picture(map, grid, error) &&
         (in->confidence.data == NULL ||
             check_picture(picture8("confidence", &in->confidence), grid, error)) &&
         check_absent("left", in->left.data, "disparities", error) &&
         check_absent("right", in->right.data, "disparities", error);
}

static bool check_semantics(
    const StxColmeanParams *params, const StxPipelineInput *in, StxError *error)
{
  if (params->semantics == STX_SEMANTICS_NONE)
    return true;
  if (params->semantics == STX_SEMANTICS_LABELS)
    return check_picture(picture8("labels", &in->labels), &params->grid, error);
  if (in->scores == NULL)
    return stx_fail(error, "scores: there are none, but these settings need some");
  if (in->score_shift < 0 || in->score_shift > STX_SCORE_SHIFT_MAX)
    return stx_fail(error, "scores: score_shift is %d; it must be 0 (full size) to %d (1/%d)",
        in->score_shift, STX_SCORE_SHIFT_MAX, 1 << STX_SCORE_SHIFT_MAX);
  return in->pixel_stride != 0 ||
         stx_fail(error, "scores: pixel_stride is 0; it is the bytes from one pixel to the next");
}

static bool check_camera(const StxCamera *c, const StxGrid *grid, StxError *error)
{
  StxCamera whole = *c;
  const struct {
    const char *name;
    double value, low, high;
  } fields[] = {
      {"focal", c->focal, 0, HUGE_VAL},
      {"cx", c->cx, -HUGE_VAL, HUGE_VAL},
      {"cy", c->cy, -HUGE_VAL, HUGE_VAL},
      {"baseline", c->baseline, 0, HUGE_VAL},
      {"height", c->height, 0, HUGE_VAL},
      {"pitch", c->pitch, -M_PI_2, M_PI_2},
  };
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
    if (!isfinite(fields[i].value) || fields[i].value < fields[i].low ||
        fields[i].value > fields[i].high)
      return stx_fail(error, "camera: %s is %g; it must be finite, and from %g to %g",
          fields[i].name, fields[i].value, fields[i].low, fields[i].high);
  whole.image_width = grid->width;
  return stx_camera_check(
      &whole, "camera", "give baseline and height in metres, pitch in radians", error);
}

bool stx_pipeline_check_input(
    const StxPipelineSettings *settings, const StxPipelineInput *in, StxError *error)
{
  const StxGrid *grid = &settings->colmean.grid;
  return (settings->source == STX_PIPELINE_PAIRS
                 ? check_pair(in, grid, error)
                 : check_disparity(&settings->colmean, in, error)) &&
         check_semantics(&settings->colmean, in, error) && check_camera(&in->camera, grid, error);
}
