/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pipelines on the GPU that tests/emu pretends to have. It reads its settings when it is
 * loaded, which is at the first use in a process: a test that wants faults sets them first, and
 * runs in a process of its own.
 */
#pragma once

#include "tests/gst/fixtures/util.h"

#define CUDA_MEMORY "memory:CUDAMemory"
#define COLUMNS_CAPS "application/x-stixel-columns"
#define STIXELS_CAPS "application/x-stixels"

/* From a street to stixels. `source`, `cells` and `stixels` are fields of the elements, `between`
 * and `behind` features of caps, like "(memory:CUDAMemory)", or "". `segmentation` is the element
 * that writes the stixels; NULL: sat-dp-stixels. The sink is called out. */
typedef struct {
  const char *source, *cells, *between, *stixels, *behind;
  guint frames;
  const char *segmentation;
} CudaLine;

/* The output, and how it came out. */
typedef struct {
  GByteArray *bytes; /* of all buffers at the sink, each after its size; of the 8-bit samples of
                        pictures */
  guint buffers;     /* at the sink */
  GArray *frames;    /* a CudaFrame for each of them */
  guint device_between, device_behind; /* buffers in CUDAMemory */
  guint unreadable; /* buffers at the sink that could not be mapped as they are */
  guint contexts;   /* that elements made */
  gint warnings; /* lines of category stx-cuda in the log: one per element that gives up its GPU */
  guint told;    /* warnings on the bus */
  GError *error; /* or NULL: ended by EOS */
} CudaOutcome;

/* The end of a buffer's bytes, and its time stamp. */
typedef struct {
  GstClockTime time;
  guint end;
} CudaFrame;

/* Runs it to its end, which must come within a minute. */
CudaOutcome cuda_run(const CudaLine *line);

/* The same for any gst-launch line with a sink called out: `device_between` counts at these pads,
 * up to an element NULL. _once: a second time in a program gives the same bytes without a run. */
typedef struct {
  const char *element, *pad;
} CudaPlace;

CudaOutcome cuda_run_text(const char *text, const CudaPlace *between);
/* … with what the function does to the pipeline before it runs; NULL: nothing. */
typedef void (*CudaSetUp)(GstElement *pipeline);
CudaOutcome cuda_run_text_with(const char *text, const CudaPlace *between, CudaSetUp set_up);
CudaOutcome cuda_run_text_once(const char *text);
/* Its %1$s is the backend of what is before the element, its %2$s features of what comes to it. */
CudaOutcome cuda_run_format(
    const char *format, const char *backend, const char *features, const CudaPlace *between);
void cuda_outcome_clear(CudaOutcome *outcome);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CudaOutcome, cuda_outcome_clear)

/* Between TRUE and FALSE no call of this thread is made to fail: a test reads what came out, and
 * GstCuda does not look whether the wait of its own download failed. */
void cuda_spare(gboolean spare);

gboolean cuda_is_on_device(GstBuffer *buffer);

/* Fails the test unless both ended by EOS with the same bytes. */
void cuda_expect_same(const CudaOutcome *actual, const CudaOutcome *expected, const char *what);
/* The same where frames may be missing: what came out is what came out there at that time. */
void cuda_expect_some(const CudaOutcome *actual, const CudaOutcome *expected, const char *what);

/* The bytes, or the error, of the same line on the CPU alone, whatever its backends say. It runs
 * once in a program: later tests get the same bytes. */
CudaOutcome cuda_run_on_cpu(const CudaLine *line);
