/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the check programs of the kernels, on top of testing.h: main, the device, guarded
 * memory on it, copies. Everything here fails the test with the driver's text when something goes
 * wrong; without a device a program says why and ends with 77, which Meson counts as skipped.
 *
 *   STX_TEST(equals_reference)
 *   {
 *     StxImage8 left = stx_device_image8(width, height, padding);
 *     stx_device_upload8(&left, &host_left);
 *     stx_case_ok(impl->run(…, stx_case_place(), &error), &error, what);
 *     stx_device_download16(&host_disparity, &disparity);
 *     stx_device_free8(&left);
 *   }
 *
 * A program runs once for each mode among its arguments, in a process of its own with what the
 * driver of tests/emu reads from the environment; what is set there already stays.
 *
 *   forward, reverse, random     the emulator, in that order of a block's threads; reverse with a
 *                                stream whose work waits until the host does (small cases, if
 *                                STX_CUDA_MODES is not set), random with the instructions that
 *                                GPUs have from sm_80 on
 *   random:7                     another seed
 *   ptx-90, ptx-90:3             the PTX of the build for that architecture, with a seed
 *   ptx-75-late:75               the same with stores that others see late
 *   --more                       those behind it run if STX_CUDA_MODES is "all"
 *
 * $STX_CUDA_MODES names those of the arguments that are to run. Without arguments: here and now,
 * on whatever driver there is, with CK_FORK=no: a CUDA context does not survive a fork.
 */
#pragma once

#include "cuda/stxcuda.h"
#include "tests/testing.h"

/* Device 0, or $STX_CUDA_DEVICE, and one stream on it: the same in all tests of the program. */
StxCuda *stx_case_cuda(void);
StxCudaStream stx_case_stream(void);
const StxPlace *stx_case_place(void); /* both, for a stage */

/* Fails the test with `what` (variant, size, seed: whatever repeats the case) and the error. */
void stx_case_ok(bool ok, const StxError *error, const char *what);
/* Waits for the stream of the tests. */
void stx_case_wait(const char *what);

/* ---- Guarded device memory ---------------------------------------------------------------- */

/* A block of `size` bytes of device memory, 256-byte aligned, filled with 0xCD, with guard bytes
 * on either side. (With the address sanitizer, and on PTX, reads are seen, too, and there is no
 * guard: the device has a block of exactly this size.) Check: waits, and fails the test when a
 * guard byte changed. Free: checks, then frees. NULL is fine. */
void *stx_device_alloc(size_t size);
void stx_device_check(const void *block);
void stx_device_free(void *block);

/* Frees it where its block ends: STX_ON_DEVICE void *scratch = …; and images, see below. */
#define STX_ON_DEVICE __attribute__((cleanup(stx_device_end)))
#define STX_DEVICE8 __attribute__((cleanup(stx_device_free8)))
void stx_device_end(void *pointer); /* of a pointer to the block */

/* A guarded block with a copy of the host's bytes. */
void *stx_device_copy_of(const void *host, size_t size);

/* Contiguous bytes; both wait. */
void stx_device_upload(void *device, const void *host, size_t size);
void stx_device_download(void *host, const void *device, size_t size);

/* Images in guarded device memory with `padding` extra bytes per row that must not be touched;
 * padding even for 16 bits. Upload and download move width × height pixels between images of any
 * strides. Free fails the test if padding or guards were touched. */
StxImage8 stx_device_image8(int width, int height, int padding);
StxImage16 stx_device_image16(int width, int height, int padding);
void stx_device_upload8(const StxImage8 *device, const StxImage8 *host);
void stx_device_upload16(const StxImage16 *device, const StxImage16 *host);
void stx_device_download8(const StxImage8 *host, const StxImage8 *device);
void stx_device_download16(const StxImage16 *host, const StxImage16 *device);
void stx_device_free8(StxImage8 *image);
void stx_device_free16(StxImage16 *image);
