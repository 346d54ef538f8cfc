/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PNG files as the images of common/. Every loader allocates image->data (release it with free())
 * with tightly packed rows; on failure nothing is allocated, *image is untouched and error names
 * the file and what is wrong with it. Images up to 32768 × 32768.
 */
#pragma once

#include "common/stx.h"

/* Intensity of any PNG: colour becomes luma as the elements make it (common/luma/luma.h); 16 bits
 * become 8, of gray the upper 8 of as many as the largest value needs, as with stereo-sgm's
 * gray-bits=auto; transparency is dropped. */
bool png_load_gray8(const char *path, StxImage8 *image, StxError *error);

/* Values of an 8-bit gray PNG as they are: label images. Refuses any other type. */
bool png_load_ids8(const char *path, StxImage8 *image, StxError *error);
