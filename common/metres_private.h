/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Refuses frames of stixels that cannot be placed in metres. */
#pragma once

#include "common/metres.h"
#include "common/stx.h"

/* The room for a frame, and who asks: "obstacles are" in metres, "obstacles need" stixels. */
typedef struct {
  size_t stixels, columns;
  const char *are, *need;
  bool upwards; /* columns must be sorted from the bottom up */
} StxStixelsRoom;

/* size: of the image, and of a column. */
bool stx_stixels_check(const StxStixel *stixels, size_t count, const int size[3],
    const StxCamera *camera, const StxStixelsRoom *room, StxError *error);
