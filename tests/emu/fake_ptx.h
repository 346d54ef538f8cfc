/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The test driver's kernels as PTX, in place of the emulator's (tests/ptx/README.md).
 *
 *   STX_PTX=DIR           the folder of their PTX, sgm.compute_75.ptx and so on for a device of
 *                         capability 7.5; without it the emulator runs them
 *   STX_PTX_SEED=n        who runs when; default 0, in order
 *   STX_PTX_LATE=1        stores reach other blocks late
 *   STX_PTX_COPIES=1      what is copied to the host must have been written
 */
#pragma once

#include "tests/emu/fake.h"

bool fake_ptx_wanted(void);
/* False, with a line on stderr: the folder has no PTX that the machine can run. */
bool fake_ptx_load(void);
size_t fake_ptx_args_size(const char *kernel);
bool fake_ptx_launch(const FakeOp *op, char *error, size_t size);
/* At the end of the process. */
void fake_ptx_end(void);
