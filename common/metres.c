/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/metres.h"

void stx_metres_of_all(const StxCamera *camera, int width, int stixel_width,
    const StxStixel *stixels, size_t count, StxMetres *metres)
{
  for (size_t i = 0; i < count; i++)
    stx_metres(camera, width, stixel_width, &stixels[i], &metres[i]);
}
