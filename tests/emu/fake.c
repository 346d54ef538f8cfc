/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/emu/fake.h"
#include "tests/emu/fake_ptx.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#define MAX_DEPTH 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FakeSettings settings;
static long fail_at, lost_at, calls;
static const char **names; /* of the calls so far */
static long names_room;
static FakeObject *objects; /* alive, newest first */
static bool leaked;

static _Thread_local FakeContext *stack[MAX_DEPTH];
static _Thread_local int depth;
static _Thread_local bool spared;

/* ---- Settings ----------------------------------------------------------------------------- */

static long number(const char *name, long otherwise)
{
  const char *text = getenv(name);
  return text != NULL && *text != '\0' ? strtol(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void read_settings(void)
{
  settings.devices = (int)number("STX_FAKE_CUDA_DEVICES", 1);
  if (settings.devices > FAKE_MAX_DEVICES)
    settings.devices = FAKE_MAX_DEVICES;
  settings.memory = (size_t)number("STX_FAKE_CUDA_MEMORY", 4L << 30);
  settings.driver = (int)number("STX_FAKE_CUDA_DRIVER", CUDA_VERSION);
  settings.silent = number("STX_FAKE_CUDA_SILENT", 0) != 0;
  settings.late = number("STX_FAKE_CUDA_LATE", 0) != 0;
  settings.lazy = number("STX_FAKE_CUDA_LAZY", 0) != 0;
  const char *capability = getenv("STX_FAKE_CUDA_CAPABILITY");
  if (capability == NULL || sscanf(capability, "%d.%d", &settings.major, &settings.minor) != 2) {
    settings.major = 7;
    settings.minor = 5;
  }
  fail_at = number("STX_FAKE_CUDA_FAIL", 0);
  lost_at = number("STX_FAKE_CUDA_LOST", 0);
  settings.faults = fail_at > 0 || lost_at > 0;
}

const FakeSettings *fake_settings(void)
{
  return &settings;
}

/* ---- Calls -------------------------------------------------------------------------------- */

static void note_call(const char *function)
{
  if (calls == names_room) {
    names_room = names_room > 0 ? 2 * names_room : 1024;
    names = realloc(names, (size_t)names_room * sizeof *names);
    if (names == NULL)
      abort();
  }
  names[calls++] = function;
}

void stx_fake_cuda_spare(bool spare)
{
  spared = spare;
}

CUresult fake_begin(const char *function, CUresult injected)
{
  pthread_mutex_lock(&lock);
  if (spared)
    return CUDA_SUCCESS;
  note_call(function);
  if (lost_at > 0 && calls >= lost_at)
    return objects == NULL ? CUDA_ERROR_DEVICE_UNAVAILABLE : CUDA_ERROR_ILLEGAL_ADDRESS;
  return calls == fail_at ? injected : CUDA_SUCCESS;
}

CUresult fake_end(CUresult result)
{
  pthread_mutex_unlock(&lock);
  return result;
}

/* ---- Objects ------------------------------------------------------------------------------ */

static const char *const kind_names[FAKE_KINDS] = {"context", "device memory", "page-locked memory",
    "stream", "event", "module", "function", "graph", "executable graph"};

void *fake_new(FakeKind kind, FakeContext *context, size_t size)
{
  FakeObject *object = calloc(1, size);
  if (object == NULL)
    return NULL;
  *object = (FakeObject){.kind = kind, .context = context, .next = objects};
  objects = object;
  return object;
}

void *fake_find(FakeKind kind, const void *handle)
{
  for (FakeObject *o = objects; o != NULL; o = o->next)
    if (o == handle && o->kind == kind)
      return o;
  return NULL;
}

FakeStream *fake_capturing(const FakeContext *context)
{
  for (FakeObject *o = objects; o != NULL; o = o->next) {
    FakeStream *stream = (FakeStream *)o;
    if (o->kind == FAKE_STREAM && o->context == context && stream->capture != NULL &&
        !(stream->flags & CU_STREAM_NON_BLOCKING))
      return stream;
  }
  return NULL;
}

static void delete_at(FakeObject **link)
{
  FakeObject *object = *link;
  *link = object->next;
  if (object->destroy != NULL)
    object->destroy(object);
  free(object);
}

void fake_delete(void *object)
{
  for (FakeObject **link = &objects; *link != NULL; link = &(*link)->next) {
    if (*link == object) {
      delete_at(link);
      return;
    }
  }
}

/* Functions need no release, or what was on a GPU that is gone. */
static bool is_leak(const FakeObject *object)
{
  return object->kind != FAKE_FUNCTION && (lost_at == 0 || object->kind == FAKE_CONTEXT);
}

static void report_leak(const FakeObject *object)
{
  if (!is_leak(object) || number("STX_FAKE_CUDA_LEAKS", 0) == 0)
    return;
  leaked = true;
  if (object->kind == FAKE_DEVICE_MEMORY || object->kind == FAKE_HOST_MEMORY)
    fprintf(stderr, "fake libcuda: not released: %s of %zu bytes\n", kind_names[object->kind],
        ((const FakeMemory *)object)->size);
  else
    fprintf(stderr, "fake libcuda: not released: %s\n", kind_names[object->kind]);
}

void fake_delete_context(FakeContext *context)
{
  fake_queue_clear(&context->queue);
  for (FakeObject **link = &objects; *link != NULL;) {
    if ((*link)->context == context) {
      report_leak(*link);
      delete_at(link);
    } else {
      link = &(*link)->next;
    }
  }
  fake_delete(context);
}

/* ---- Memory ------------------------------------------------------------------------------- */

FakeMemory *fake_memory_at(FakeKind kind, const void *address, size_t size)
{
  uintptr_t first = (uintptr_t)address;
  for (FakeObject *o = objects; o != NULL; o = o->next) {
    FakeMemory *memory = (FakeMemory *)o;
    if (o->kind == kind && first >= (uintptr_t)memory->base &&
        first - (uintptr_t)memory->base <= memory->size &&
        size <= memory->size - (first - (uintptr_t)memory->base))
      return memory;
  }
  return NULL;
}

size_t fake_device_memories(StxPtxMemory *to, size_t most)
{
  size_t count = 0;
  for (FakeObject *o = objects; o != NULL; o = o->next) {
    const FakeMemory *memory = (FakeMemory *)o;
    if (o->kind != FAKE_DEVICE_MEMORY)
      continue;
    if (count < most)
      to[count] = (StxPtxMemory){memory->base, memory->size, memory->known};
    count++;
  }
  return count;
}

size_t fake_memory_used(int device)
{
  size_t used = 0;
  for (FakeObject *o = objects; o != NULL; o = o->next)
    if (o->kind == FAKE_DEVICE_MEMORY && o->context->device == device)
      used += ((FakeMemory *)o)->size;
  return used;
}

void fake_memory_open(void)
{
#ifdef __SANITIZE_ADDRESS__
  for (FakeObject *o = objects; o != NULL; o = o->next)
    if (o->kind == FAKE_DEVICE_MEMORY)
      ASAN_UNPOISON_MEMORY_REGION(((FakeMemory *)o)->base, ((FakeMemory *)o)->size);
#endif
}

void fake_memory_close(void)
{
#ifdef __SANITIZE_ADDRESS__
  for (FakeObject *o = objects; o != NULL; o = o->next)
    if (o->kind == FAKE_DEVICE_MEMORY)
      ASAN_POISON_MEMORY_REGION(((FakeMemory *)o)->base, ((FakeMemory *)o)->size);
#endif
}

/* ---- The thread's stack of contexts ------------------------------------------------------- */

CUresult fake_current(FakeContext **context)
{
  *context = NULL;
  if (depth == 0 || stack[depth - 1] == NULL)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (fake_find(FAKE_CONTEXT, stack[depth - 1]) == NULL)
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  *context = stack[depth - 1];
  return (*context)->sticky;
}

CUresult fake_push(FakeContext *context)
{
  if (depth == MAX_DEPTH)
    return CUDA_ERROR_INVALID_VALUE;
  stack[depth++] = context;
  return CUDA_SUCCESS;
}

FakeContext *fake_pop(void)
{
  return depth > 0 ? stack[--depth] : NULL;
}

/* ---- At exit ------------------------------------------------------------------------------ */

static void write_calls(const char *path)
{
  FILE *file = fopen(path, "w");
  if (file == NULL) {
    perror(path);
    return;
  }
  for (long i = 0; i < calls; i++)
    fprintf(file, "%s\n", names[i]);
  fclose(file);
}

/* After everybody's exit handlers and the leak sanitizer, so that ending here skips nothing. */
__attribute__((destructor)) static void report(void)
{
  const char *path = getenv("STX_FAKE_CUDA_COUNT");
  if (path != NULL && *path != '\0')
    write_calls(path);
  for (FakeObject *o = objects; o != NULL; o = o->next)
    report_leak(o);
  fake_ptx_end();
  free(names);
  if (leaked) {
    fflush(NULL);
    _exit(EXIT_FAILURE);
  }
}
