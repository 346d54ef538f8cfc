/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The device layer itself. */
#include <string.h>

#include "tests/cuda_case.h"

START_TEST(probe_copies_every_byte)
{
  static const size_t sizes[] = {0, 1, 15, 16, 17, 4095, 4096, 4097, 70001};
  StxCuda *cuda = stx_case_cuda();
  StxRandom random = {1};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    uint8_t *expected = stx_guarded_alloc(sizes[i]), *actual = stx_guarded_alloc(sizes[i]);
    for (size_t k = 0; k < sizes[i]; k++)
      expected[k] = (uint8_t)stx_random(&random);
    void *from = stx_device_copy_of(expected, sizes[i]), *to = stx_device_alloc(sizes[i]);
    StxError error;
    stx_case_ok(stx_cuda_probe_copy(cuda, to, from, sizes[i], stx_case_stream(), &error), &error,
        "probe");
    stx_device_download(actual, to, sizes[i]);
    stx_expect_same(expected, actual, sizes[i], "probe");
    stx_device_free(from);
    stx_device_free(to);
    stx_guarded_free(expected);
    stx_guarded_free(actual);
  }
}
END_TEST

static const StxTest tests[] = {{&probe_copies_every_byte}};
STX_CUDA_TESTING_MAIN("cuda", tests)
