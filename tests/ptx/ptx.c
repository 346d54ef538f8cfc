/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels by name, and what they have done. */
#include "tests/ptx/ptx_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* From the system itself: to free memory of malloc may be to write all of it, in tests. */
uint8_t *stx_ptx_zeros(size_t size)
{
  void *zeros =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (zeros == MAP_FAILED)
    abort();
  return zeros;
}

void stx_ptx_zeros_free(uint8_t *zeros, size_t size)
{
  if (zeros != NULL)
    munmap(zeros, size);
}

StxPtx *stx_ptx_new(void)
{
  StxPtx *ptx = calloc(1, sizeof *ptx);
  if (ptx == NULL)
    abort();
  return ptx;
}

static void free_kernel(PtxKernel *kernel)
{
  for (int i = 0; i < kernel->instructions; i++)
    free((char *)kernel->code[i].text);
  for (int i = 0; i < kernel->shareds; i++)
    free(kernel->shared[i].name);
  free(kernel->code);
  free(kernel->shared);
  free(kernel->constant);
  free(kernel->name);
  free(kernel->file);
  free(kernel->param);
  free(kernel);
}

void stx_ptx_free(StxPtx *ptx)
{
  if (ptx == NULL)
    return;
  for (int i = 0; i < ptx->kernels; i++)
    free_kernel(ptx->kernel[i]);
  free(ptx->kernel);
  free(ptx);
}

bool stx_ptx_add(StxPtx *ptx, const char *name, const char *text, char *error, size_t size)
{
  PtxParser parser = {.file = name, .error = error, .error_size = size};
  if (ptx_read_words(&parser, text))
    ptx_parse(&parser, ptx);
  for (int i = 0; i < parser.shareds; i++)
    free(parser.shared[i].name);
  free(parser.shared);
  free(parser.word);
  return !parser.failed;
}

static PtxKernel *find(const StxPtx *ptx, const char *name)
{
  for (int i = 0; i < ptx->kernels; i++)
    if (strcmp(ptx->kernel[i]->name, name) == 0)
      return ptx->kernel[i];
  return NULL;
}

size_t stx_ptx_args_size(const StxPtx *ptx, const char *kernel)
{
  const PtxKernel *found = find(ptx, kernel);
  return found != NULL ? found->args_size : 0;
}

bool stx_ptx_launch(StxPtx *ptx, const StxPtxLaunch *launch, char *error, size_t size)
{
  PtxKernel *kernel = find(ptx, launch->kernel);
  if (kernel != NULL)
    return ptx_run(kernel, launch, error, size);
  snprintf(error, size, "there is no kernel %s", launch->kernel);
  return false;
}
