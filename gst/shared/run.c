/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/shared/run.h"

static const StxFieldChoice backends[] = {
    {STX_BACKEND_AUTO, "auto", "The fastest that the machine has"},
    {STX_BACKEND_CUDA, "cuda", "An NVIDIA GPU"},
    {STX_BACKEND_OMP, "omp", "All CPU cores, with the widest vectors they have"},
    {STX_BACKEND_C, "c", "The readable reference, slow"},
    {0},
};

static const StxField run_fields[] = {
    {"backend", "Backend", "Which implementation does the work; all give the same bytes",
        STX_FIELD(CHOICE, GstStxRun, backend), .choices = backends},
    {"threads", "Threads", "CPU threads of backend=omp (0 = as many as there are cores)",
        STX_FIELD(INT, GstStxRun, threads), .high = 256},
    {"cuda-device-id", "CUDA device",
        "Number of the GPU that backend=cuda and auto work on (-1 = the pipeline's, or the first)",
        STX_FIELD(INT, GstStxRun, cuda_device_id), .low = -1, .high = G_MAXINT},
};
static const GstStxRun run_defaults = GST_STX_RUN_DEFAULTS;
const StxFields gst_stx_run_fields = {STX_FIELDS_OF(run_fields), &run_defaults};
