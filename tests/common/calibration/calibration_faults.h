/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Faults of calibrations, for every format: sizes that are not those of the pictures, a singular
 * camera matrix, NaN, left and right swapped, no rotation. What is said has to name file, line, key
 * and value, and what to do. Tests of the reader and of the element share the list.
 */
#pragma once

#include <stddef.h>

typedef struct {
  const char *format, *fault;
  const char *first, *second;    /* good files; second: may be NULL */
  const char *after, *from, *to; /* in the first one, behind `after` (NULL: anywhere) */
  const char *words[6];          /* of the message, besides the file's name; NULL ends them */
} CalibrationFault;

extern const CalibrationFault calibration_faults[];
extern const size_t calibration_fault_count;

/* The first file with the fault in it, to be freed. */
char *calibration_fault_text(const CalibrationFault *fault);
