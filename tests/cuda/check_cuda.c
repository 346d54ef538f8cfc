/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The device layer itself, on a GPU or with the emulator. Faults: check_cuda_faults.c. */
#include <pthread.h>
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/driver/launch.h"
#include "cuda/driver/probe_args.h"
#include "tests/cuda/cuda_case.h"

STX_CUDA_MODULE(probe);
static const StxCudaKernel probe_copy = {&module, "stx_probe_copy"};

static void fill_random(uint8_t *bytes, size_t size, uint64_t seed)
{
  StxRandom random = {seed};
  for (size_t i = 0; i < size; i += 4) {
    uint32_t four = stx_random(&random);
    memcpy(bytes + i, &four, size - i < 4 ? size - i : 4);
  }
}

static void expect_text(const StxError *error, const char *part)
{
  if (strstr(error->text, part) == NULL)
    ck_abort_msg("\"%s\" does not say \"%s\"", error->text, part);
}

/* ---- Devices ------------------------------------------------------------------------------ */

STX_TEST(describes_the_device)
{
  const StxCudaInfo *info = stx_cuda_info(stx_case_cuda());
  ck_assert_uint_gt(strlen(info->name), 0);
  ck_assert_int_ge(info->major, 7);
  ck_assert_int_gt(info->processors, 0);
  ck_assert_uint_gt(info->memory, 0);
  ck_assert_uint_ge(info->shared_optin, 48 << 10);
  ck_assert_uint_gt(info->l2_cache, 0);
}

STX_TEST(names_devices_that_are_not_there)
{
  static const int numbers[] = {-1, 1000};
  for (int i = 0; i < 2; i++) {
    StxError error;
    ck_assert_ptr_null(stx_cuda_open(numbers[i], &error));
    expect_text(&error, i == 0 ? "no GPU -1" : "no GPU 1000");
  }
}

/* ---- Memory ------------------------------------------------------------------------------- */

STX_TEST(out_of_memory_names_the_size)
{
  StxError error;
  void *memory = &error;
  ck_assert(!stx_cuda_alloc(stx_case_cuda(), (size_t)1 << 50, &memory, &error));
  ck_assert_ptr_null(memory);
  ck_assert_str_eq(error.text, "cuMemAlloc of 1125899906842624 bytes: CUDA_ERROR_OUT_OF_MEMORY");
}

STX_TEST(nothing_is_something)
{
  StxCuda *cuda = stx_case_cuda();
  StxError error;
  void *memory;
  stx_case_ok(stx_cuda_alloc(cuda, 0, &memory, &error), &error, "no bytes");
  ck_assert_ptr_nonnull(memory);
  StxCudaCopy none = {.row_bytes = 0, .rows = 5};
  stx_case_ok(stx_cuda_upload(cuda, &none, NULL, &error), &error, "no bytes");
  stx_case_ok(stx_cuda_download_bytes(cuda, NULL, memory, 0, NULL, &error), &error, "no bytes");
  stx_cuda_free(cuda, memory);
  stx_cuda_free(cuda, NULL);
  stx_cuda_free_host(cuda, NULL);
  stx_cuda_stream_free(cuda, NULL);
  stx_cuda_event_free(cuda, NULL);
  stx_cuda_graph_free(cuda, NULL);
  stx_cuda_close(NULL);
}

/* Up with one stride and down with another; the bytes between the rows stay. A negative stride
 * begins at the last row. */
static void copy_there_and_back(
    size_t row, size_t rows, size_t device_stride, ptrdiff_t up, ptrdiff_t down)
{
  size_t up_size = (size_t)labs(up) * rows, down_size = (size_t)labs(down) * rows;
  STX_GUARDED uint8_t *from = stx_guarded_alloc(up_size), *to = stx_guarded_alloc(down_size);
  fill_random(from, up_size, row * 31 + rows);
  STX_ON_DEVICE uint8_t *device = stx_device_alloc(device_stride * rows);
  StxCudaCopy copy = {
      device, device_stride, up < 0 ? from - up * (ptrdiff_t)(rows - 1) : from, up, row, rows};
  StxError error;
  stx_case_ok(stx_cuda_upload(stx_case_cuda(), &copy, stx_case_stream(), &error), &error, "upload");
  copy.host = down < 0 ? to - down * (ptrdiff_t)(rows - 1) : to;
  copy.host_stride = down;
  stx_case_ok(
      stx_cuda_download(stx_case_cuda(), &copy, stx_case_stream(), &error), &error, "download");
  stx_case_wait("download");
  for (size_t y = 0; y < rows; y++) {
    size_t y_up = up < 0 ? rows - 1 - y : y, y_down = down < 0 ? rows - 1 - y : y;
    const uint8_t *row_down = to + y_down * (size_t)labs(down);
    stx_expect_same(from + y_up * (size_t)labs(up), row_down, row, "row");
    for (size_t x = row; x < (size_t)labs(down); x++)
      if (row_down[x] != 0xCD)
        ck_abort_msg("wrote into the padding of the host");
  }
}

STX_TEST(copies_with_strides)
{
  copy_there_and_back(1, 1, 1, 1, 1);
  copy_there_and_back(17, 1, 17, 17, 17);
  copy_there_and_back(17, 5, 17, 17, 17);
  copy_there_and_back(17, 5, 32, 17, 40);
  copy_there_and_back(17, 5, 19, 64, 18);
  copy_there_and_back(17, 5, 24, -20, 20);
  copy_there_and_back(17, 5, 24, 20, -20);
  copy_there_and_back(1241, 33, 1280, -1244, -1241);
}

STX_TEST(refuses_strides_within_a_row)
{
  StxError error;
  uint8_t bytes[64] = {0};
  STX_ON_DEVICE uint8_t *device = stx_device_alloc(64);
  StxCudaCopy copy = {device, 8, bytes, 16, 16, 2};
  ck_assert(!stx_cuda_upload(stx_case_cuda(), &copy, NULL, &error));
  ck_assert_str_eq(error.text, "upload of rows of 16 bytes: the device's stride is only 8");
  copy.device_stride = 16;
  copy.host_stride = -8;
  ck_assert(!stx_cuda_download(stx_case_cuda(), &copy, NULL, &error));
  ck_assert_str_eq(error.text, "download of rows of 16 bytes: the host's stride is only -8");
}

/* The host's memory may change as soon as a ring has taken it, page-locked or not; and what comes
 * back is there at once. */
static void copy_by_ring(uint8_t *host, ptrdiff_t stride, size_t row, size_t rows)
{
  StxCuda *cuda = stx_case_cuda();
  StxCudaRing ring = {0};
  StxError error;
  size_t size = row * rows;
  uint8_t *expected = stx_guarded_alloc(size), *device = stx_device_alloc(size);
  STX_GUARDED uint8_t *got = stx_guarded_alloc(size);
  StxCudaCopy copy = {device, row, host, stride, row, rows};
  for (size_t turn = 0; turn < 2; turn++) {
    fill_random(expected, size, turn + rows);
    for (size_t y = 0; y < rows; y++)
      memcpy(host + (ptrdiff_t)y * stride, expected + y * row, row);
    stx_case_ok(stx_cuda_ring_upload(cuda, &ring, &copy, stx_case_stream(), &error), &error, "up");
    for (size_t y = 0; y < rows; y++)
      memset(host + (ptrdiff_t)y * stride, 0xEE, row);
    stx_device_download(got, device, size);
    stx_expect_same(expected, got, size, "up by a ring");
    stx_case_ok(
        stx_cuda_ring_download(cuda, &ring, &copy, stx_case_stream(), &error), &error, "down");
    for (size_t y = 0; y < rows; y++)
      memcpy(got + y * row, host + (ptrdiff_t)y * stride, row);
    stx_expect_same(expected, got, size, "down by a ring");
  }
  stx_case_wait("ring");
  stx_cuda_ring_free(cuda, &ring);
  stx_device_free(device);
  stx_guarded_free(expected);
}

/* Two rows to a piece: more pieces than the ring has slots. A row that is larger than a piece. */
STX_TEST(copies_by_a_ring)
{
  enum { LONG = 1400000, ROWS = 2 * STX_CUDA_SLOTS + 3 };
  StxError error;
  void *locked = NULL;
  STX_MALLOCED uint8_t *pageable = malloc((size_t)LONG * ROWS);
  stx_case_ok(
      stx_cuda_alloc_host(stx_case_cuda(), (size_t)LONG * ROWS, &locked, &error), &error, "locked");
  copy_by_ring(locked, 37, 37, 1);
  copy_by_ring(locked, 64, 37, 5);
  copy_by_ring(locked, LONG, LONG, ROWS);
  copy_by_ring(pageable + 4 * 64, -64, 37, 5);
  copy_by_ring(pageable, 5000000, 5000000, 3);
  StxCudaRing ring = {0};
  StxCudaCopy nothing = {NULL, 0, NULL, 0, 0, 0};
  stx_case_ok(stx_cuda_ring_upload(stx_case_cuda(), &ring, &nothing, stx_case_stream(), &error),
      &error, "nothing up");
  stx_case_ok(stx_cuda_ring_download(stx_case_cuda(), &ring, &nothing, stx_case_stream(), &error),
      &error, "nothing down");
  stx_cuda_ring_free(stx_case_cuda(), &ring);
  stx_cuda_free_host(stx_case_cuda(), locked);
}

/* Pageable memory may change as soon as the upload returns; page-locked memory carries copies in
 * both directions without waiting. */
STX_TEST(uploads_from_both_kinds_of_host_memory)
{
  enum { SIZE = 5000 };
  StxCuda *cuda = stx_case_cuda();
  StxCudaStream stream = stx_case_stream();
  StxError error;
  uint8_t expected[SIZE], pageable[SIZE];
  fill_random(expected, SIZE, 3);
  void *locked = NULL, *device = stx_device_alloc(SIZE), *other = stx_device_alloc(SIZE);
  stx_case_ok(stx_cuda_alloc_host(cuda, SIZE, &locked, &error), &error, "page-locked memory");
  memcpy(pageable, expected, SIZE);
  bool ok = stx_cuda_upload_bytes(cuda, device, pageable, SIZE, stream, &error);
  memset(pageable, 0, SIZE);
  ok = ok && stx_cuda_copy_bytes(cuda, other, device, SIZE, stream, &error) &&
       stx_cuda_fill_bytes(cuda, device, 7, SIZE, stream, &error) &&
       stx_cuda_download_bytes(cuda, locked, other, SIZE, stream, &error) &&
       stx_cuda_synchronize(cuda, stream, &error);
  stx_case_ok(ok, &error, "copies");
  stx_expect_same(expected, locked, SIZE, "through the device");
  stx_device_download(pageable, device, SIZE);
  memset(expected, 7, SIZE);
  stx_expect_same(expected, pageable, SIZE, "filled");
  stx_cuda_free_host(cuda, locked);
  stx_device_free(device);
  stx_device_free(other);
}

/* ---- Launches ----------------------------------------------------------------------------- */

STX_TEST(probe_copies_every_byte)
{
  static const size_t sizes[] = {0, 1, 15, 16, 17, 4095, 4096, 4097, 70001, 200000, 600000};
  StxCuda *cuda = stx_case_cuda();
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    STX_GUARDED uint8_t *expected = stx_guarded_alloc(sizes[i]),
                        *actual = stx_guarded_alloc(sizes[i]);
    fill_random(expected, sizes[i], i);
    STX_ON_DEVICE void *from = stx_device_copy_of(expected, sizes[i]),
                       *to = stx_device_alloc(sizes[i]);
    StxError error;
    stx_case_ok(
        stx_cuda_probe_copy(cuda, to, from, sizes[i], stx_case_stream(), &error), &error, "probe");
    stx_device_download(actual, to, sizes[i]);
    stx_expect_same(expected, actual, sizes[i], "probe");
  }
}

static bool launch(
    const StxCudaKernel *kernel, unsigned blocks, unsigned threads, size_t shared, StxError *error)
{
  StxProbeCopyArgs args = {.size = 0};
  return stx_cuda_launch(stx_case_place(), kernel, (StxCudaSize){blocks, 1, 1},
      (StxCudaSize){threads, 1, 1}, shared, &args, error);
}

STX_TEST(launches_with_much_shared_memory)
{
  StxError error;
  size_t most = stx_cuda_info(stx_case_cuda())->shared_optin;
  stx_case_ok(launch(&probe_copy, 1, 32, most, &error), &error, "all shared memory");
  stx_case_ok(launch(&probe_copy, 1, 32, 100, &error), &error, "little afterwards");
  stx_case_ok(launch(&probe_copy, 0, 32, most + 1, &error), &error, "no block at all");
  stx_case_wait("kernels");
  ck_assert(!launch(&probe_copy, 1, 32, most + 1, &error));
  expect_text(&error, "stx_probe_copy needs");
}

STX_TEST(failed_launches_say_why)
{
  static const StxCudaKernel absent = {&module, "stx_probe_absent"};
  StxError error;
  ck_assert(!launch(&absent, 1, 32, 0, &error));
  ck_assert_str_eq(error.text, "cuModuleGetFunction of stx_probe_absent: CUDA_ERROR_NOT_FOUND");
  ck_assert(!launch(&probe_copy, 3, 2048, 0, &error));
  ck_assert_str_eq(error.text,
      "cuLaunchKernel of stx_probe_copy (grid 3x1x1, block 2048x1x1, 0 bytes shared): "
      "CUDA_ERROR_INVALID_VALUE");
  ck_assert(!stx_cuda_probe_copy(stx_case_cuda(), (void *)8, NULL, 1, NULL, &error));
  expect_text(&error, "multiples of 16");
  ck_assert_uint_eq(stx_case_cuda()->module_count, 1); /* loaded once for both kernels */
  stx_case_ok(launch(&probe_copy, 1, 32, 0, &error), &error, "afterwards");
  stx_case_wait("afterwards");
}

/* ---- Several threads, contexts and devices ------------------------------------------------- */

enum { THREADS = 4, THREAD_BYTES = 3001 };

typedef struct {
  pthread_t thread;
  StxCuda *cuda; /* NULL: one of its own on `device` */
  int device;
  StxError error;
  bool ok;
} Worker;

/* Its own bytes to the device, through the kernel, and back. */
static bool one_round(StxCuda *cuda, StxCudaStream stream, uint64_t seed, StxError *error)
{
  uint8_t expected[THREAD_BYTES], actual[THREAD_BYTES];
  void *from = NULL, *to = NULL;
  fill_random(expected, sizeof expected, seed);
  bool ok = stx_cuda_alloc(cuda, sizeof expected, &from, error) &&
            stx_cuda_alloc(cuda, sizeof expected, &to, error) &&
            stx_cuda_upload_bytes(cuda, from, expected, sizeof expected, stream, error) &&
            stx_cuda_probe_copy(cuda, to, from, sizeof expected, stream, error) &&
            stx_cuda_download_bytes(cuda, actual, to, sizeof actual, stream, error) &&
            stx_cuda_synchronize(cuda, stream, error);
  if (ok && memcmp(expected, actual, sizeof expected) != 0)
    ok = stx_fail(error, "other bytes came back");
  stx_cuda_free(cuda, from);
  stx_cuda_free(cuda, to);
  return ok;
}

static void *work(void *data)
{
  Worker *worker = data;
  StxCuda *cuda =
      worker->cuda != NULL ? worker->cuda : stx_cuda_open(worker->device, &worker->error);
  StxCudaStream stream = NULL;
  worker->ok = cuda != NULL && stx_cuda_stream_new(cuda, &stream, &worker->error);
  int rounds = stx_test_small() ? 2 : 10;
  for (int i = 0; worker->ok && i < rounds; i++)
    worker->ok = one_round(cuda, stream, (uintptr_t)worker + (uint64_t)i, &worker->error);
  if (cuda != NULL)
    stx_cuda_stream_free(cuda, stream);
  if (worker->cuda == NULL)
    stx_cuda_close(cuda);
  return NULL;
}

static void run_workers(Worker *workers)
{
  for (int i = 0; i < THREADS; i++)
    ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join(workers[i].thread, NULL);
  for (int i = 0; i < THREADS; i++)
    stx_case_ok(workers[i].ok, &workers[i].error, "thread");
}

STX_TEST(threads_share_a_context)
{
  StxError error;
  StxCuda *cuda = stx_cuda_open(0, &error); /* whose kernels nobody loaded yet */
  stx_case_ok(cuda != NULL, &error, "context");
  Worker workers[THREADS] = {{.cuda = cuda}, {.cuda = cuda}, {.cuda = cuda}, {.cuda = cuda}};
  run_workers(workers);
  ck_assert_uint_eq(cuda->module_count, 1);
  ck_assert_uint_eq(cuda->kernel_count, 1);
  stx_cuda_close(cuda);
}

STX_TEST(threads_have_contexts_and_devices)
{
  int last = stx_cuda_count(NULL) - 1;
  Worker workers[THREADS] = {{.device = 0}, {.device = last}, {.device = 0}, {.device = last}};
  run_workers(workers);
}

STX_TEST(works_in_a_foreign_context)
{
  StxError error;
  StxDriver driver;
  CUcontext context, popped;
  stx_case_ok(stx_driver_open(&driver, &error), &error, "driver");
  ck_assert_int_eq(driver.p_cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
  StxCuda *cuda = stx_cuda_wrap(context, &error);
  stx_case_ok(cuda != NULL, &error, "wrap");
  ck_assert_str_eq(stx_cuda_info(cuda)->name, stx_cuda_info(stx_case_cuda())->name);
  stx_case_ok(one_round(cuda, NULL, 5, &error), &error, "in a foreign context");
  /* Work in another context leaves the caller's current, and so does closing. */
  stx_case_ok(one_round(stx_case_cuda(), NULL, 6, &error), &error, "in another one");
  stx_cuda_close(cuda);
  ck_assert_int_eq(driver.p_cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);
  ck_assert_ptr_eq(popped, context);
  ck_assert_int_eq(driver.p_cuCtxDestroy_v2(context), CUDA_SUCCESS);
  stx_driver_close(&driver);
  ck_assert_ptr_null(stx_cuda_wrap(NULL, &error));
  expect_text(&error, "no CUDA context");
}

/* ---- Events and graphs --------------------------------------------------------------------- */

STX_TEST(events_measure_time)
{
  StxCuda *cuda = stx_case_cuda();
  StxCudaStream stream = stx_case_stream();
  StxCudaEvent begin = NULL, end = NULL;
  StxError error;
  float time = -1;
  stx_case_ok(stx_cuda_event_new(cuda, &begin, &error) && stx_cuda_event_new(cuda, &end, &error),
      &error, "events");
  ck_assert(!stx_cuda_event_elapsed(cuda, begin, end, &time, &error));
  ck_assert_str_eq(error.text, "cuEventElapsedTime: CUDA_ERROR_INVALID_HANDLE");
  stx_case_ok(stx_cuda_event_record(cuda, begin, stream, &error), &error, "record");
  stx_case_ok(launch(&probe_copy, 1, 32, 0, &error), &error, "between");
  stx_case_ok(stx_cuda_event_record(cuda, end, stream, &error), &error, "record");
  stx_case_ok(stx_cuda_event_elapsed(cuda, begin, end, &time, &error), &error, "elapsed");
  ck_assert_float_ge(time, 0);
  stx_cuda_event_free(cuda, begin);
  stx_cuda_event_free(cuda, end);
}

STX_TEST(graphs_repeat_what_was_recorded)
{
  enum { SIZE = 1000 };
  StxCuda *cuda = stx_case_cuda();
  StxCudaStream stream = stx_case_stream();
  StxCudaGraph graph;
  StxError error;
  uint8_t expected[SIZE], actual[SIZE], untouched[SIZE];
  memset(untouched, 0xCD, SIZE);
  STX_ON_DEVICE void *from = stx_device_alloc(SIZE), *between = stx_device_alloc(SIZE),
                     *to = stx_device_alloc(SIZE);
  stx_case_ok(stx_cuda_graph_begin(cuda, stream, &error) &&
                  stx_cuda_probe_copy(cuda, between, from, SIZE, stream, &error) &&
                  stx_cuda_copy_bytes(cuda, to, between, SIZE, stream, &error) &&
                  stx_cuda_graph_end(cuda, stream, &graph, &error),
      &error, "recording");
  stx_device_download(actual, to, SIZE);
  stx_expect_same(untouched, actual, SIZE, "recorded, not run");
  for (uint64_t seed = 0; seed < 3; seed++) {
    fill_random(expected, SIZE, seed);
    stx_device_upload(from, expected, SIZE);
    stx_case_ok(stx_cuda_graph_launch(cuda, graph, stream, &error), &error, "graph");
    stx_device_download(actual, to, SIZE);
    stx_expect_same(expected, actual, SIZE, "graph");
  }
  stx_cuda_graph_free(cuda, graph);
}

STX_TEST(recording_is_refused_where_it_cannot_be)
{
  StxCuda *cuda = stx_case_cuda();
  StxCudaGraph graph;
  StxError error;
  ck_assert(!stx_cuda_graph_begin(cuda, NULL, &error));
  ck_assert_str_eq(error.text, "cuStreamBeginCapture: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED");
  ck_assert(!stx_cuda_graph_end(cuda, stx_case_stream(), &graph, &error));
  expect_text(&error, "cuStreamEndCapture: CUDA_ERROR_ILLEGAL_STATE");
  stx_case_ok(stx_cuda_graph_begin(cuda, stx_case_stream(), &error), &error, "recording");
  ck_assert(!stx_cuda_synchronize(cuda, stx_case_stream(), &error));
  ck_assert(!stx_cuda_graph_end(cuda, stx_case_stream(), &graph, &error));
  expect_text(&error, "cuStreamEndCapture: CUDA_ERROR_STREAM_CAPTURE_INVALIDATED");
  ck_assert_ptr_null(graph);
}
