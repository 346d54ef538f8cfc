/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LZF, the compression of PCD's binary_compressed, after the description of its format in Marc
 * Lehmann's liblzf:
 *
 *   000LLLLL <L + 1 bytes>            these bytes                    L 0…31
 *   LLLooooo oooooooo                 L + 2 bytes from o + 1 back    L 1…6
 *   111ooooo LLLLLLLL oooooooo        L + 9 bytes from o + 1 back    L 0…255
 *
 * Written here rather than linked: liblzf has no pkg-config file and is missing on most machines,
 * so that the formats a build can read would depend on where it was built, for thirty lines.
 */
#include "common/lidar_file/lidar_file_private.h"

#include <string.h>

/* Copies forward byte by byte: source and target overlap where a pattern repeats. */
static void copy_back(uint8_t *to, size_t back, size_t length)
{
  const uint8_t *from = to - back;
  if (back >= length) {
    memcpy(to, from, length);
    return;
  }
  for (size_t i = 0; i < length; i++)
    to[i] = from[i];
}

bool stx_lidar_unpack_lzf(
    const uint8_t *from, size_t packed, uint8_t *to, size_t size, size_t origin, StxError *error)
{
  size_t in = 0, out = 0;
  while (in < packed) {
    size_t begin = in, control = from[in++], back = 0, length = control + 1;
    bool copies = control >= 32;
    if (copies) {
      length = control / 32 + 2;
      size_t needed = control / 32 == 7 ? 2 : 1;
      if (needed > packed - in)
        return stx_fail(
            error, "the compressed points end within a step at byte %zu", origin + begin);
      if (needed == 2)
        length += from[in++];
      back = control % 32 * 256 + from[in++] + 1;
    } else if (length > packed - in) {
      return stx_fail(error,
          "the compressed points end within a step at byte %zu: %zu bytes of %zu", origin + begin,
          packed - in, length);
    }
    if (length > size - out)
      return stx_fail(error,
          "the compressed points give more than the expected %zu bytes at byte %zu", size,
          origin + begin);
    if (back > out)
      return stx_fail(error,
          "the compressed points refer %zu bytes back at byte %zu; possible: 1 … %zu", back,
          origin + begin, out);
    if (copies) {
      copy_back(to + out, back, length);
    } else {
      memcpy(to + out, from + in, length);
      in += length;
    }
    out += length;
  }
  if (out < size)
    return stx_fail(error,
        "the compressed points, %zu bytes from byte %zu on, give %zu bytes; expected %zu", packed,
        origin, out, size);
  return true;
}
