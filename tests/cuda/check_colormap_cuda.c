/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colormap on the GPU against the reference, byte for byte. */
#include "tests/common/colormap/colormap_case.h"
#include "tests/common/oracle.h"
#include "tests/cuda/cuda_case.h"

#include <stdio.h>

/* A case's input on the device. */
typedef struct {
  StxColormapInput input;
  StxColormapTable *table;
} OnDevice;

static OnDevice to_device(const ColormapCase *c)
{
  OnDevice d = {.table = stx_device_copy_of(c->table, sizeof *c->table)};
  if (c->input.bytes.data != NULL) {
    d.input.bytes = stx_device_image8(c->width, c->height, 3);
    stx_device_upload8(&d.input.bytes, &c->input.bytes);
  }
  if (c->input.map.data == NULL)
    return d;
  d.input.map = stx_device_image16(c->width, c->height, 2);
  stx_device_upload16(&d.input.map, &c->input.map);
  return d;
}

static void free_device(OnDevice *d)
{
  stx_device_free(d->table);
  if (d->input.bytes.data != NULL)
    stx_device_free8(&d->input.bytes);
  if (d->input.map.data != NULL)
    stx_device_free16(&d->input.map);
}

STX_AUTO_VALUE(OnDevice, free_device)

static void expect_picture(const ColormapCase *c, const OnDevice *d, const char *what)
{
  const StxColormapImpl *cuda = stx_impl_named(&stx_colormap_cuda_impls, "cuda");
  const StxColormapImpl *host = oracle(&stx_colormap_impls);
  const int pixel = colormap_case_pixel(c);
  STX_AUTO(StxImage8) expected = stx_test_image8(c->width * pixel, c->height, 0);
  STX_AUTO(StxImage8) actual = stx_test_image8(c->width * pixel, c->height, 1);
  STX_DEVICE8 StxImage8 bytes = stx_device_image8(c->width * pixel, c->height, pixel == 4 ? 4 : 1);
  StxColormapPicture picture = {
      expected.data, expected.stride, c->width, c->height, pixel, c->square};
  StxError error = {""};
  host->paint(&c->input, c->table, &picture, &(StxPlace){.threads = 1}, NULL);
  picture.data = bytes.data;
  picture.stride = bytes.stride;
  stx_case_ok(cuda->paint(&d->input, d->table, &picture, stx_case_place(), &error), &error, what);
  stx_case_wait(what);
  stx_device_download8(&actual, &bytes);
  stx_expect_same_image8(&expected, &actual, what);
}

static void expect_histogram(const ColormapCase *c, const OnDevice *d, const char *what)
{
  const StxColormapImpl *cuda = stx_impl_named(&stx_colormap_cuda_impls, "cuda");
  const StxColormapImpl *host = oracle(&stx_colormap_impls);
  static StxColormapHistogram wanted, histogram;
  STX_ON_DEVICE StxColormapHistogram *on_device = stx_device_alloc(sizeof histogram);
  StxError error = {""};
  host->spread(&c->input, c->table, &wanted, &(StxPlace){.threads = 1}, NULL);
  stx_case_ok(cuda->spread(&d->input, d->table, on_device, stx_case_place(), &error), &error, what);
  stx_case_wait(what);
  stx_device_download(&histogram, on_device, sizeof histogram);
  stx_expect_same(&wanted, &histogram, sizeof histogram, what);
}

STX_TEST(agrees_with_the_reference)
{
  for (int kind = 0; kind < COLORMAP_CASES; kind++)
    for (uint64_t seed = 0; seed < 6; seed++) {
      STX_AUTO(ColormapCase) c = colormap_case_new(kind, seed, stx_test_small() ? 9 : 70);
      STX_AUTO(OnDevice) d = to_device(&c);
      char what[64];
      snprintf(what, sizeof what, "kind %d, seed %d", kind, (int)seed);
      expect_picture(&c, &d, what);
      expect_histogram(&c, &d, what);
    }
}
