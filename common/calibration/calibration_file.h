/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calibration files as trees of jansson's, whatever they are written in: JSON, YAML, INI, KITTI's
 * lines. */
#pragma once

#include <jansson.h>

#include "common/stx.h"

/* The content of a file, to be given back with json_decref; NULL with an error that names it. Every
 * object has the lines of its keys under STX_CALIBRATION_LINES, where they are known. */
#define STX_CALIBRATION_LINES "\n"
json_t *stx_calibration_tree(const char *path, StxError *error);
