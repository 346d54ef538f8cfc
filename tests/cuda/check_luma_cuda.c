/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Luma on the GPU against the reference, byte for byte. */
#include "tests/common/luma/luma_case.h"
#include "tests/common/oracle.h"
#include "tests/cuda/cuda_case.h"

#include <stdio.h>
#include <string.h>

static StxImage8 on_host(const LumaCase *c)
{
  const StxLumaImpl *impl = oracle(&stx_luma_impls);
  StxImage8 gray = stx_test_image8(c->picture.width, c->picture.height, 0);
  impl->run(c->format, c->bits, &c->picture, &gray, NULL, &(StxPlace){.threads = 1}, NULL);
  return gray;
}

static void compare(const LumaCase *c, int padding, const char *what)
{
  const StxLumaImpl *impl = stx_impl_named(&stx_luma_cuda_impls, "cuda");
  const int width = c->picture.width, height = c->picture.height;
  StxImage8 expected = on_host(c), actual = stx_test_image8(width, height, 1), host = c->picture;
  STX_DEVICE8 StxImage8 gray = stx_device_image8(width, height, padding);
  StxImage8 bytes = stx_device_image8(width * c->format->pixel, height, padding), picture = bytes;
  STX_ON_DEVICE void *scratch = stx_device_alloc(STX_LUMA_SCRATCH);
  StxError error = {""};
  host.width *= c->format->pixel;
  picture.width = width;
  stx_device_upload8(&bytes, &host);
  stx_case_ok(impl->run(c->format, c->bits, &picture, &gray, scratch, stx_case_place(), &error),
      &error, what);
  stx_case_wait(what);
  stx_device_download8(&actual, &gray);
  stx_expect_same_image8(&expected, &actual, what);
  stx_test_image8_free(&expected);
  stx_test_image8_free(&actual);
  stx_device_free8(&bytes);
}

STX_TEST(agrees_with_the_reference)
{
  for (int format = 0; format < LUMA_CASE_FORMATS; format++)
    for (uint64_t seed = 0; seed < 4; seed++) {
      STX_AUTO(LumaCase) c = luma_case_new(format, seed, 200);
      char what[64];
      snprintf(what, sizeof what, "%s, bits %d, seed %d", c.format->name, c.bits, (int)seed);
      compare(&c, (int)seed, what);
    }
}

/* The largest word is that of the last pixel. */
STX_TEST(sees_the_last_pixel)
{
  for (int format = 0; format < LUMA_CASE_FORMATS; format++) {
    STX_AUTO(LumaCase) c = luma_case_new(format, 3, 70);
    const size_t row = (size_t)c.picture.width * c.format->pixel;
    for (int y = 0; y < c.picture.height; y++)
      memset(stx_row8(&c.picture, y), 1, row);
    memset(
        stx_row8(&c.picture, c.picture.height - 1) + row - c.format->pixel, 0xff, c.format->pixel);
    c.bits = 0;
    compare(&c, 0, c.format->name);
  }
}
