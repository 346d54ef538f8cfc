/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/cuda/cuda_case.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_GUARD 256 /* bytes on either side; keeps the alignment */

#define SKIPPED 77

/* One device for the whole program: making a context takes a real one a good part of a second. */
static StxCuda *the_cuda;
static StxCudaStream the_stream;

/* None where a device sees each access outside of a block itself. */
static size_t guard(void)
{
#ifdef __SANITIZE_ADDRESS__
  return 0;
#else
  return getenv("STX_PTX") != NULL ? 0 : MOST_GUARD;
#endif
}

typedef struct Block {
  struct Block *next;
  uint8_t *start; /* what the tests see */
  size_t size;
} Block;

static Block *blocks;

/* ---- Device ------------------------------------------------------------------------------- */

static int device_number(void)
{
  const char *text = getenv("STX_CUDA_DEVICE");
  return text != NULL ? atoi(text) : 0;
}

static void close_device(void)
{
  while (blocks != NULL) { /* of tests that failed */
    STX_MALLOCED Block *block = blocks;
    blocks = block->next;
    stx_cuda_free(the_cuda, block->start - guard());
  }
  if (the_cuda != NULL)
    stx_cuda_stream_free(the_cuda, the_stream);
  stx_cuda_close(the_cuda);
}

/* ---- Modes -------------------------------------------------------------------------------- */

static void set(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void set(const char *name, const char *format, ...)
{
  char value[PATH_MAX];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(value, sizeof value, format, arguments);
  va_end(arguments);
  setenv(name, value, 0);
}

/* Sets a mode of cuda_case.h; `folder`: the program's, build/tests/cuda. */
static void set_mode(const char *mode, const char *folder)
{
  const char *seed = strchr(mode, ':');
  int arch = 0;
  setenv("CK_FORK", "no", 1);
  set("LD_LIBRARY_PATH", "%s/../emu", folder);
  set("STX_FAKE_CUDA_DEVICES", "2");
  set("STX_FAKE_CUDA_LEAKS", "1");
  set("STX_FAKE_CUDA_MEMORY", "%lld", 64LL << 30);
  if (strcmp(mode, "reverse") == 0 && getenv("STX_CUDA_MODES") == NULL)
    set("STX_CHECK_SIZES", "small");
  if (sscanf(mode, "ptx-%d", &arch) == 1) {
    set("STX_FAKE_CUDA_CAPABILITY", "%d.%d", arch / 10, arch % 10);
    set("STX_PTX", "%s/../../cuda/kept", folder);
    set("STX_PTX_SEED", "%s", seed != NULL ? seed + 1 : "0");
    set("STX_PTX_LATE", "%d", strstr(mode, "-late") != NULL);
    set("STX_PTX_COPIES", "1");
    set("STX_CHECK_SIZES", "small");
  } else {
    set("STX_EMU_ORDER", "%s", mode);
    set("STX_FAKE_CUDA_LAZY", "%d", strcmp(mode, "reverse") == 0);
    if (strncmp(mode, "random", 6) == 0)
      set("STX_EMU_REDUCE", "1");
  }
}

/* The driver reads its settings when it is loaded: hence a process. Returns its exit status. */
static int run_mode(const char *mode)
{
  char program[PATH_MAX] = "", folder[PATH_MAX];
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
    return EXIT_FAILURE;
  strcpy(folder, program);
  *strrchr(folder, '/') = '\0';
  printf("mode %s\n", mode);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    set_mode(mode, folder);
    execl(program, program, (char *)NULL);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

static bool is_wanted(const char *mode, bool more)
{
  const char *wanted = getenv("STX_CUDA_MODES");
  if (wanted == NULL)
    return !more;
  return strcmp(wanted, "all") == 0 || strcmp(wanted, mode) == 0;
}

/* Skipped if all of them are. */
static int run_modes(char *const *modes)
{
  int result = SKIPPED;
  bool more = false;
  for (; *modes != NULL; modes++) {
    bool is_mode = strcmp(*modes, "--more") != 0;
    more = more || !is_mode;
    int status = is_mode && is_wanted(*modes, more) ? run_mode(*modes) : SKIPPED;
    if (status != SKIPPED && result != EXIT_FAILURE)
      result = status == EXIT_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  return result;
}

int main(int count, char **arguments)
{
  StxError error;
  if (count > 1)
    return run_modes(arguments + 1);
  if (stx_cuda_count(&error) == 0) {
    printf("%s: skipped: %s\n", arguments[0], error.text);
    return SKIPPED;
  }
  int status = stx_testing_main(arguments[0]);
  close_device();
  return status;
}

StxCuda *stx_case_cuda(void)
{
  StxError error;
  if (the_cuda == NULL) {
    the_cuda = stx_cuda_open(device_number(), &error);
    stx_case_ok(the_cuda != NULL, &error, "opening the GPU");
    stx_case_ok(stx_cuda_stream_new(the_cuda, &the_stream, &error), &error, "a stream");
  }
  return the_cuda;
}

StxCudaStream stx_case_stream(void)
{
  stx_case_cuda();
  return the_stream;
}

const StxPlace *stx_case_place(void)
{
  static StxPlace place;
  place = stx_cuda_place(stx_case_cuda(), stx_case_stream());
  return &place;
}

/* libcheck reports every assertion to its parent process: only failures are worth that. */
void stx_case_ok(bool ok, const StxError *error, const char *what)
{
  if (!ok)
    ck_abort_msg("%s: %s", what, error->text);
}

void stx_case_wait(const char *what)
{
  StxError error;
  stx_case_ok(stx_cuda_synchronize(stx_case_cuda(), stx_case_stream(), &error), &error, what);
}

/* ---- Blocks ------------------------------------------------------------------------------- */

static void fill(void *device, int value, size_t size)
{
  StxError error;
  stx_case_ok(stx_cuda_fill_bytes(stx_case_cuda(), device, value, size, stx_case_stream(), &error),
      &error, "filling device memory");
}

void *stx_device_alloc(size_t size)
{
  StxError error;
  void *base;
  stx_case_ok(
      stx_cuda_alloc(stx_case_cuda(), size + 2 * guard(), &base, &error), &error, "device memory");
  Block *block = malloc(sizeof *block);
  ck_assert_ptr_nonnull(block);
  *block = (Block){blocks, (uint8_t *)base + guard(), size};
  blocks = block;
  fill(base, 0xA5, guard());
  fill(block->start, 0xCD, size);
  fill(block->start + size, 0xA5, guard());
  return block->start;
}

static Block **find_block(const void *start)
{
  Block **link = &blocks;
  while (*link != NULL && (*link)->start != start)
    link = &(*link)->next;
  if (*link == NULL)
    ck_abort_msg("%p is no block of stx_device_alloc", start);
  return link;
}

static void check_guards(const Block *block)
{
  uint8_t before[MOST_GUARD], after[MOST_GUARD];
  size_t count = guard();
  if (count == 0)
    return;
  stx_device_download(before, block->start - count, count);
  stx_device_download(after, block->start + block->size, count);
  for (size_t i = 0; i < count; i++)
    if (before[i] != 0xA5)
      ck_abort_msg("wrote %zu bytes before a block of device memory", count - i);
  for (size_t i = 0; i < count; i++)
    if (after[i] != 0xA5)
      ck_abort_msg("wrote %zu bytes after a block of %zu of device memory", i, block->size);
}

void stx_device_check(const void *start)
{
  const Block *block = *find_block(start);
  stx_case_wait("before the guard bytes are looked at");
  check_guards(block);
}

void stx_device_free(void *start)
{
  if (start == NULL)
    return;
  stx_device_check(start);
  Block **link = find_block(start), *block = *link;
  *link = block->next;
  stx_cuda_free(stx_case_cuda(), block->start - guard());
  free(block);
}

/* ---- Bytes -------------------------------------------------------------------------------- */

void stx_device_upload(void *device, const void *host, size_t size)
{
  StxError error;
  stx_case_ok(stx_cuda_upload_bytes(stx_case_cuda(), device, host, size, stx_case_stream(), &error),
      &error, "upload");
  stx_case_wait("upload");
}

void stx_device_download(void *host, const void *device, size_t size)
{
  StxError error;
  stx_case_ok(
      stx_cuda_download_bytes(stx_case_cuda(), host, device, size, stx_case_stream(), &error),
      &error, "download");
  stx_case_wait("download");
}

void stx_device_end(void *pointer)
{
  stx_device_free(*(void **)pointer);
}

void *stx_device_copy_of(const void *host, size_t size)
{
  void *device = stx_device_alloc(size);
  stx_device_upload(device, host, size);
  return device;
}

/* ---- Images ------------------------------------------------------------------------------- */

StxImage8 stx_device_image8(int width, int height, int padding)
{
  ptrdiff_t stride = width + padding;
  return (StxImage8){stx_device_alloc((size_t)stride * height), stride, width, height};
}

StxImage16 stx_device_image16(int width, int height, int padding)
{
  ptrdiff_t stride = 2 * width + padding;
  return (StxImage16){stx_device_alloc((size_t)stride * height), stride, width, height};
}

static StxCudaCopy copy8(const StxImage8 *device, const StxImage8 *host)
{
  ck_assert(device->width == host->width && device->height == host->height);
  return (StxCudaCopy){.device = device->data,
      .device_stride = (size_t)device->stride,
      .host = host->data,
      .host_stride = host->stride,
      .row_bytes = (size_t)device->width,
      .rows = (size_t)device->height};
}

static StxCudaCopy copy16(const StxImage16 *device, const StxImage16 *host)
{
  return copy8(
      &(StxImage8){(uint8_t *)device->data, device->stride, 2 * device->width, device->height},
      &(StxImage8){(uint8_t *)host->data, host->stride, 2 * host->width, host->height});
}

static void upload(StxCudaCopy copy)
{
  StxError error;
  stx_case_ok(stx_cuda_upload(stx_case_cuda(), &copy, stx_case_stream(), &error), &error,
      "upload of an image");
  stx_case_wait("upload of an image");
}

static void download(StxCudaCopy copy)
{
  StxError error;
  stx_case_ok(stx_cuda_download(stx_case_cuda(), &copy, stx_case_stream(), &error), &error,
      "download of an image");
  stx_case_wait("download of an image");
}

void stx_device_upload8(const StxImage8 *device, const StxImage8 *host)
{
  upload(copy8(device, host));
}

void stx_device_upload16(const StxImage16 *device, const StxImage16 *host)
{
  upload(copy16(device, host));
}

void stx_device_download8(const StxImage8 *host, const StxImage8 *device)
{
  download(copy8(device, host));
}

void stx_device_download16(const StxImage16 *host, const StxImage16 *device)
{
  download(copy16(device, host));
}

static void check_padding(const void *device, ptrdiff_t stride, size_t row, int height)
{
  size_t size = (size_t)stride * (size_t)height;
  STX_MALLOCED uint8_t *bytes = malloc(size > 0 ? size : 1);
  ck_assert_ptr_nonnull(bytes);
  stx_device_download(bytes, device, size);
  for (int y = 0; y < height; y++)
    for (size_t x = row; x < (size_t)stride; x++)
      if (bytes[y * stride + (ptrdiff_t)x] != 0xCD)
        ck_abort_msg("row %d: wrote into the padding on the device, byte %zu", y, x - row);
}

void stx_device_free8(StxImage8 *image)
{
  check_padding(image->data, image->stride, (size_t)image->width, image->height);
  stx_device_free(image->data);
  image->data = NULL;
}

void stx_device_free16(StxImage16 *image)
{
  check_padding(image->data, image->stride, 2 * (size_t)image->width, image->height);
  stx_device_free(image->data);
  image->data = NULL;
}
