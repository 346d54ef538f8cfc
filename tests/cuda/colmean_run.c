/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/cuda/colmean_run.h"

#include "tests/cuda/cuda_case.h"

static const StxColmeanImpl *cuda_impl(void)
{
  return (const void *)stx_impl_at(&stx_colmean_cuda_impls, 0);
}

static uint8_t *upload(const ColmeanBytes *bytes, int shift)
{
  if (bytes->map == NULL)
    return NULL;
  uint8_t *block = stx_device_alloc(bytes->size + shift);
  stx_device_upload(block + shift, bytes->data, bytes->size);
  return block;
}

ColmeanDevice colmean_upload(const ColmeanCase *c, int shift)
{
  ColmeanDevice device = {.input = c->input,
      .disparity = upload(&c->disparity, shift & ~1),
      .floats = upload(&c->floats, shift & ~3),
      .confidence = upload(&c->confidence, shift),
      .labels = upload(&c->labels, shift),
      .scores = upload(&c->scores, shift)};
  device.input.disparity.data = (uint16_t *)(device.disparity + (shift & ~1));
  device.input.floats.data =
      device.floats ? (const float *)(const void *)(device.floats + (shift & ~3)) : NULL;
  device.input.confidence.data = device.confidence ? device.confidence + shift : NULL;
  device.input.labels.data = device.labels ? device.labels + shift : NULL;
  device.input.scores = device.scores ? device.scores + shift : NULL;
  return device;
}

void colmean_free_device(ColmeanDevice *device)
{
  stx_device_free(device->disparity);
  stx_device_free(device->floats);
  stx_device_free(device->confidence);
  stx_device_free(device->labels);
  stx_device_free(device->scores);
}

uint16_t *colmean_run_cuda(
    const StxColmeanParams *params, const StxColmeanInput *input, const char *what)
{
  StxColmeanTables tables;
  StxError error = {""};
  stx_colmean_prepare(&tables);
  size_t size = stx_grid_bytes(&params->grid), scratch_size = cuda_impl()->scratch_size(params, 1);
  STX_ON_DEVICE void *device_tables = stx_device_copy_of(&tables, sizeof tables);
  STX_ON_DEVICE void *columns = stx_device_alloc(size);
  STX_ON_DEVICE void *scratch = scratch_size > 0 ? stx_device_alloc(scratch_size) : NULL;
  stx_case_ok(
      cuda_impl()->run(params, device_tables, input, columns, scratch, stx_case_place(), &error),
      &error, what);
  uint16_t *result = stx_guarded_alloc(size);
  stx_device_download(result, columns, size);
  return result;
}

void colmean_expect_cuda(const ColmeanCase *c, int shift, const char *what)
{
  STX_GUARDED uint16_t *expected = colmean_run(colmean_reference(), c, 1);
  ColmeanDevice device = colmean_upload(c, shift);
  STX_GUARDED uint16_t *actual = colmean_run_cuda(&c->params, &device.input, what);
  colmean_free_device(&device);
  stx_expect_same(expected, actual, stx_grid_bytes(&c->params.grid), what);
}
