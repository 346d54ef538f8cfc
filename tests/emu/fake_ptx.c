/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/emu/fake_ptx.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ptx/ptx.h"

static StxPtx *ptx; /* loaded, and never again */

static bool last_block;

void stx_fake_cuda_last_block(bool last)
{
  last_block = last;
}

bool fake_ptx_wanted(void)
{
  return getenv("STX_PTX") != NULL;
}

/* ---- Loading ------------------------------------------------------------------------------ */

static char *read_file(const char *path)
{
  FILE *file = fopen(path, "rb");
  size_t size = 0, room = 1 << 20;
  char *text = malloc(room + 1);
  while (file != NULL && text != NULL) {
    size += fread(text + size, 1, room - size, file);
    if (size < room)
      break;
    room *= 2;
    text = realloc(text, room + 1);
  }
  if (file == NULL || text == NULL) {
    free(text);
    return NULL;
  }
  fclose(file);
  text[size] = '\0';
  return text;
}

/* Is it PTX of the device's architecture? nvcc calls it sgm.compute_75.ptx, or sgm.ptx where there
 * is one architecture. */
static bool is_ptx(const char *name, const char *text)
{
  char target[64];
  int digits = fake_settings()->major * 10 + fake_settings()->minor;
  const char *end = strchr(name, '.');
  if (end == NULL || (strcmp(end, ".ptx") != 0 && strncmp(end, ".compute_", 9) != 0))
    return false;
  snprintf(target, sizeof target, "\n.target sm_%d\n", digits);
  return strstr(text, target) != NULL;
}

/* Adds a file if it is the device's PTX, and counts it. */
static bool add_file(const char *folder, const char *name, int *files)
{
  char path[4096], error[512] = "cannot be read";
  size_t length = strlen(name);
  if (length < 4 || strcmp(name + length - 4, ".ptx") != 0)
    return true;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  char *text = read_file(path);
  bool wanted = text == NULL || is_ptx(name, text);
  bool good = !wanted || (text != NULL && stx_ptx_add(ptx, name, text, error, sizeof error));
  *files += wanted;
  if (!good)
    fprintf(stderr, "fake libcuda: %s: %s\n", path, error);
  free(text);
  return good;
}

bool fake_ptx_load(void)
{
  const char *folder = getenv("STX_PTX");
  int files = 0;
  bool good = true;
  if (ptx != NULL)
    return true;
  ptx = stx_ptx_new();
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir != NULL && good && (entry = readdir(dir)) != NULL;)
    good = add_file(folder, entry->d_name, &files);
  if (dir != NULL)
    closedir(dir);
  if (files == 0)
    fprintf(stderr, "fake libcuda: STX_PTX=%s: no folder with PTX of capability %d.%d\n", folder,
        fake_settings()->major, fake_settings()->minor);
  if (good && files > 0)
    return true;
  stx_ptx_free(ptx);
  ptx = NULL;
  return false;
}

size_t fake_ptx_args_size(const char *kernel)
{
  return ptx != NULL ? stx_ptx_args_size(ptx, kernel) : 0;
}

/* ---- Launches ----------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
  uintptr_t x = (uintptr_t)((const StxPtxMemory *)a)->base;
  uintptr_t y = (uintptr_t)((const StxPtxMemory *)b)->base;
  return x < y ? -1 : x > y;
}

bool fake_ptx_launch(const FakeOp *op, char *error, size_t size)
{
  const char *seed = getenv("STX_PTX_SEED"), *late = getenv("STX_PTX_LATE");
  size_t count = fake_device_memories(NULL, 0);
  StxPtxMemory *memory = malloc((count + 1) * sizeof *memory);
  if (memory == NULL)
    abort();
  fake_device_memories(memory, count);
  qsort(memory, count, sizeof *memory, by_address);
  StxPtxLaunch launch = {
      .kernel = op->function->name,
      .shared = op->shared,
      .args = op->args,
      .memory = memory,
      .memories = count,
      .seed = seed != NULL ? strtoull(seed, NULL, 0) : 0,
      .last = last_block,
      .late = late != NULL && *late == '1',
  };
  memcpy(launch.grid, op->grid, sizeof launch.grid);
  memcpy(launch.block, op->block, sizeof launch.block);
  bool done = stx_ptx_launch(ptx, &launch, error, size);
  free(memory);
  return done;
}

/* ---- The end ------------------------------------------------------------------------------ */

void fake_ptx_end(void)
{
  stx_ptx_free(ptx);
  ptx = NULL;
}
