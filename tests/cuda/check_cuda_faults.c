/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The device layer when the driver fails, with the driver of tests/emu/, which reads its settings
 * when it is loaded, so each case is a process of its own, this program with the name of a scenario
 * as argument. A scenario ends with
 *   0    everything worked, with the right bytes
 *   10   a call returned false with a text, which is printed
 * and with 1 when something was not released (STX_FAKE_CUDA_LEAKS) or anything else is wrong.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/driver/launch.h"
#include "tests/testing.h"

enum { WORKED = 0, WRONG = 1, REFUSED = 10, SIZE = 1000 };

/* ---- Scenarios ----------------------------------------------------------------------------- */

static int refused(const StxError *error)
{
  puts(error->text);
  return error->text[0] != '\0' ? REFUSED : WRONG;
}

/* All that a user of the device layer holds. */
typedef struct {
  StxCuda *cuda;
  StxCudaStream stream;
  void *from, *to, *locked;
  StxCudaEvent begin, end;
  StxCudaGraph graph;
} Things;

static bool make_things(Things *t, StxError *error)
{
  t->cuda = stx_cuda_open(0, error);
  return t->cuda != NULL && stx_cuda_stream_new(t->cuda, &t->stream, error) &&
         stx_cuda_alloc(t->cuda, SIZE, &t->from, error) &&
         stx_cuda_alloc(t->cuda, SIZE, &t->to, error) &&
         stx_cuda_alloc_host(t->cuda, SIZE, &t->locked, error) &&
         stx_cuda_event_new(t->cuda, &t->begin, error) &&
         stx_cuda_event_new(t->cuda, &t->end, error);
}

static void free_things(Things *t)
{
  if (t->cuda == NULL)
    return;
  stx_cuda_graph_free(t->cuda, t->graph);
  stx_cuda_event_free(t->cuda, t->begin);
  stx_cuda_event_free(t->cuda, t->end);
  stx_cuda_free_host(t->cuda, t->locked);
  stx_cuda_free(t->cuda, t->from);
  stx_cuda_free(t->cuda, t->to);
  stx_cuda_stream_free(t->cuda, t->stream);
  stx_cuda_close(t->cuda);
}

STX_AUTO_VALUE(Things, free_things)

static bool record_graph(Things *t, StxError *error)
{
  if (!stx_cuda_graph_begin(t->cuda, t->stream, error))
    return false;
  bool recorded = stx_cuda_probe_copy(t->cuda, t->to, t->from, SIZE, t->stream, error);
  bool ended = stx_cuda_graph_end(t->cuda, t->stream, &t->graph, recorded ? error : NULL);
  return recorded && ended;
}

static bool use_things(Things *t, const uint8_t *bytes, StxError *error)
{
  StxCudaCopy up = {t->from, 100, (void *)bytes, 100, 100, SIZE / 100};
  StxCudaCopy down = {t->to, 100, (char *)t->locked + SIZE - 100, -100, 100, SIZE / 100};
  float time;
  return stx_cuda_upload_bytes(t->cuda, t->from, bytes, SIZE, t->stream, error) &&
         stx_cuda_fill_bytes(t->cuda, t->to, 0, SIZE, t->stream, error) && record_graph(t, error) &&
         stx_cuda_upload(t->cuda, &up, t->stream, error) &&
         stx_cuda_event_record(t->cuda, t->begin, t->stream, error) &&
         stx_cuda_graph_launch(t->cuda, t->graph, t->stream, error) &&
         stx_cuda_event_record(t->cuda, t->end, t->stream, error) &&
         stx_cuda_event_elapsed(t->cuda, t->begin, t->end, &time, error) &&
         stx_cuda_download(t->cuda, &down, t->stream, error) &&
         stx_cuda_synchronize(t->cuda, t->stream, error);
}

/* Everything once. */
static int everything(void)
{
  STX_AUTO(Things) t = {NULL};
  StxError error = {""};
  uint8_t bytes[SIZE];
  for (int i = 0; i < SIZE; i++)
    bytes[i] = (uint8_t)(i / 100);
  int status = WORKED;
  if (!make_things(&t, &error) || !use_things(&t, bytes, &error))
    status = refused(&error);
  for (int i = 0; i < SIZE && status == WORKED; i++)
    if (((uint8_t *)t.locked)[i] != 9 - i / 100)
      status = WRONG;
  return status;
}

/* Says how many devices there are, or why none. */
static int count(void)
{
  StxError error = {""};
  StxCuda *cuda = stx_cuda_open(0, NULL);
  int devices = stx_cuda_count(&error);
  stx_cuda_close(cuda);
  if (devices == 0)
    return cuda == NULL ? refused(&error) : WRONG;
  printf("%d devices\n", devices);
  return cuda != NULL ? WORKED : WRONG;
}

/* A kernel that reads the host's memory. After it nothing works in this context, but another is
 * not affected. */
static int fault(void)
{
  StxError error = {""}, later = {""};
  uint8_t host[16] = {0};
  Things t = {NULL}, other = {NULL};
  if (!make_things(&t, &error) || !make_things(&other, &error))
    return WRONG;
  stx_cuda_probe_copy(t.cuda, t.to, host, sizeof host, t.stream, &error);
  bool failed = !stx_cuda_synchronize(t.cuda, t.stream, &error);
  void *memory = NULL;
  failed = failed && !stx_cuda_alloc(t.cuda, 1, &memory, &later) && memory == NULL &&
           !stx_cuda_upload_bytes(t.cuda, t.to, host, sizeof host, t.stream, &later) &&
           !stx_cuda_probe_copy(t.cuda, t.to, t.from, 1, t.stream, &later);
  bool unharmed = stx_cuda_probe_copy(other.cuda, other.to, other.from, SIZE, NULL, &later) &&
                  stx_cuda_synchronize(other.cuda, NULL, &later);
  free_things(&t);
  free_things(&other);
  return failed && unharmed ? refused(&error) : WRONG;
}

/* Mistakes of a program that the driver of tests/emu/ has to notice. */

static int unsynchronized(void)
{
  Things t = {NULL};
  StxError error = {""};
  uint8_t byte = 1;
  if (!make_things(&t, &error) || !stx_cuda_fill_bytes(t.cuda, t.to, 0, 1, t.stream, &error) ||
      !stx_cuda_download_bytes(t.cuda, &byte, t.to, 1, t.stream, &error))
    return WRONG;
  bool early = byte == 0;
  bool ok = stx_cuda_synchronize(t.cuda, t.stream, &error) && byte == 0;
  free_things(&t);
  puts(early ? "the bytes were there at once" : "the bytes came after waiting");
  return ok ? WORKED : WRONG;
}

static int overrun(void)
{
  Things t = {NULL};
  StxError error = {""};
  uint8_t bytes[SIZE + 1] = {0};
  if (!make_things(&t, &error))
    return WRONG;
  bool noticed = !stx_cuda_upload_bytes(t.cuda, t.to, bytes, SIZE + 1, t.stream, &error) &&
                 !stx_cuda_upload_bytes(t.cuda, bytes, bytes, 1, t.stream, &error) &&
                 !stx_cuda_download_bytes(t.cuda, t.from, t.to, SIZE, t.stream, &error);
  free_things(&t);
  return noticed ? refused(&error) : WRONG;
}

static int leak(void)
{
  Things t = {NULL};
  StxError error = {""};
  if (!make_things(&t, &error))
    return REFUSED;
  t.to = NULL;
  free_things(&t);
  return WORKED;
}

static const struct {
  const char *name;
  int (*run)(void);
} scenarios[] = {{"everything", everything}, {"count", count}, {"fault", fault},
    {"unsynchronized", unsynchronized}, {"overrun", overrun}, {"leak", leak}};

static int run_scenario(const char *name)
{
  for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
    if (strcmp(scenarios[i].name, name) == 0)
      return scenarios[i].run();
  fprintf(stderr, "there is no scenario %s\n", name);
  return WRONG;
}

/* ---- Tests --------------------------------------------------------------------------------- */

typedef struct {
  int status;
  char output[4096]; /* both streams */
} Outcome;

/* Runs a scenario with additions to the environment, as for env(1). */
static Outcome outcome(const char *scenario, const char *environment)
{
  char self[PATH_MAX] = "", command[2 * PATH_MAX];
  ck_assert(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  snprintf(command, sizeof command, "env STX_FAKE_CUDA_LEAKS=1 %s '%s' %s 2>&1", environment, self,
      scenario);
  FILE *pipe = popen(command, "r");
  ck_assert_ptr_nonnull(pipe);
  Outcome o = {.status = -1};
  size_t size = fread(o.output, 1, sizeof o.output - 1, pipe);
  o.output[size] = '\0';
  int status = pclose(pipe);
  if (WIFEXITED(status))
    o.status = WEXITSTATUS(status);
  return o;
}

static void expect(const char *scenario, const char *environment, int status, const char *part)
{
  Outcome o = outcome(scenario, environment);
  if (o.status != status || strstr(o.output, part) == NULL)
    ck_abort_msg("%s with %s: status %d, expected %d with \"%s\":\n%s", scenario, environment,
        o.status, status, part, o.output);
}

/* The calls of a scenario, from the file that the driver writes: how many there are, the number of
 * the first one of `name` from 1 on, how many are of that name. Without a name all are. */
typedef struct {
  int all, first, of_name;
} Calls;

static Calls calls_of(const char *scenario, const char *name)
{
  char path[] = "/tmp/stx-calls-XXXXXX", environment[PATH_MAX], line[256];
  int descriptor = mkstemp(path);
  Calls calls = {0, 0, 0};
  ck_assert_int_ge(descriptor, 0);
  close(descriptor);
  snprintf(environment, sizeof environment, "STX_FAKE_CUDA_COUNT=%s", path);
  expect(scenario, environment, WORKED, "");
  FILE *file = fopen(path, "r");
  ck_assert_ptr_nonnull(file);
  while (fgets(line, sizeof line, file) != NULL) {
    bool mine = name == NULL || strncmp(line, name, strlen(name)) == 0;
    calls.all++;
    calls.of_name += mine;
    if (mine && calls.first == 0)
      calls.first = calls.all;
  }
  fclose(file);
  unlink(path);
  return calls;
}

/* Every call fails once, or the GPU is gone from it on: the scenario works all the same, or it is
 * told why not; nothing is left behind. */
static void try_every_call(const char *scenario, const char *setting, int at_least_refused)
{
  int calls = calls_of(scenario, NULL).all, refusals = 0;
  ck_assert_int_gt(calls, 50);
  int step = stx_test_small() ? 7 : 1;
  for (int i = 1; i <= calls; i += step) {
    char environment[64];
    snprintf(environment, sizeof environment, "%s=%d", setting, i);
    Outcome o = outcome(scenario, environment);
    if (o.status != WORKED && o.status != REFUSED)
      ck_abort_msg(
          "%s with %s of %d: status %d:\n%s", scenario, environment, calls, o.status, o.output);
    refusals += o.status == REFUSED;
  }
  ck_assert_int_ge(refusals, at_least_refused / step);
}

STX_TEST(survives_a_failure_of_every_call)
{
  try_every_call("everything", "STX_FAKE_CUDA_FAIL", 40);
}

STX_TEST(survives_a_lost_device_at_every_call)
{
  try_every_call("everything", "STX_FAKE_CUDA_LOST", 50);
}

STX_TEST(says_what_failed)
{
  expect("everything", "STX_FAKE_CUDA_MEMORY=1500", REFUSED,
      "cuMemAlloc of 1000 bytes: CUDA_ERROR_OUT_OF_MEMORY\n");
  expect("fault", "A=", REFUSED, "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS\n");
}

STX_TEST(says_why_there_is_no_device)
{
  char folder[] = "/tmp/stx-driver-XXXXXX", path[64], environment[128];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/libcuda.so.1", folder);
  snprintf(environment, sizeof environment, "LD_LIBRARY_PATH=%s", folder);
  fclose(fopen(path, "w")); /* nor the driver of this machine, if there is one */
  expect("count", environment, REFUSED, "no NVIDIA driver: ");
  unlink(path);
  rmdir(folder);
  expect("count", "STX_FAKE_CUDA_DEVICES=0", REFUSED, "cuInit: CUDA_ERROR_NO_DEVICE\n");
  expect("count", "STX_FAKE_CUDA_DEVICES=3", WORKED, "3 devices\n");
}

STX_TEST(says_which_kernels_the_gpu_needs)
{
  expect("everything", "STX_FAKE_CUDA_CAPABILITY=6.1", REFUSED,
      "the kernels need a GPU of compute capability 7.5 or newer; this one has 6.1");
  char environment[64];
  snprintf(environment, sizeof environment, "STX_FAKE_CUDA_CAPABILITY=8.7 STX_FAKE_CUDA_FAIL=%d",
      calls_of("everything", "cuModuleLoadData").first);
  expect("everything", environment, REFUSED,
      "no kernels for compute capability 8.7 in this build: configure it with -Dcuda-archs=87");
}

STX_TEST(says_that_the_driver_is_too_old)
{
  expect("everything", "STX_FAKE_CUDA_DRIVER=11040", REFUSED,
      "the NVIDIA driver knows CUDA up to 11.4, these kernels are of ");
  expect("everything", "STX_FAKE_CUDA_DRIVER=11040", REFUSED, ": install driver ");
}

STX_TEST(works_without_what_reports_alone_need)
{
  expect("everything", "STX_FAKE_CUDA_SILENT=1", WORKED, "");
}

STX_TEST(the_drivers_checks_notice)
{
  expect("leak", "A=", WRONG, "not released: device memory of 1000 bytes\n");
  expect("overrun", "A=", REFUSED, "cuMemcpyDtoHAsync of 1000 bytes: CUDA_ERROR_INVALID_VALUE\n");
  expect("unsynchronized", "STX_FAKE_CUDA_LAZY=1", WORKED, "the bytes came after waiting\n");
  expect("unsynchronized", "STX_FAKE_CUDA_LAZY=0", WORKED, "the bytes were there at once\n");
}

int main(int count_of_arguments, char **arguments)
{
  if (count_of_arguments > 1)
    return run_scenario(arguments[1]);
  return stx_testing_main("cuda-faults");
}
