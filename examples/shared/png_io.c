/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* By libpng's simplified interface. */
#include "examples/shared/png_io.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/luma/luma_math.h"

#define MAX_SIDE 32768
#define HEAD 26 /* bytes of a file, up to its bit depth and colour type */

/* Tightly packed rows of `channels` samples; `deep`: 16 bits of gray, else 8 of anything. */
typedef struct {
  void *data;
  int width, height, channels;
  bool deep;
} Pixels;

static const char *type_name(int type)
{
  return type == PNG_COLOR_TYPE_GRAY         ? "gray"
         : type == PNG_COLOR_TYPE_GRAY_ALPHA ? "gray with alpha"
         : type == PNG_COLOR_TYPE_PALETTE    ? "palette"
                                             : "colour";
}

/* Every value as the file has it, whatever gamma it says; `bits`: of a sample in the file. */
static bool decode(png_image *image, const char *path, int bits, Pixels *pixels, StxError *error)
{
  const bool colour = image->format & PNG_FORMAT_FLAG_COLOR, deep = bits == 16 && !colour;
  const png_uint_32 alpha = image->format & PNG_FORMAT_FLAG_ALPHA;
  image->format =
      alpha | (colour ? PNG_FORMAT_FLAG_COLOR : 0) | (deep ? PNG_FORMAT_FLAG_LINEAR : 0);
  image->flags |= bits == 16 && colour ? PNG_IMAGE_FLAG_16BIT_sRGB : 0;
  *pixels = (Pixels){malloc(PNG_IMAGE_SIZE(*image)), (int)image->width, (int)image->height,
      (int)PNG_IMAGE_PIXEL_CHANNELS(image->format), deep};
  if (pixels->data == NULL)
    return stx_fail(error, "%s: out of memory", path);
  if (png_image_finish_read(image, NULL, pixels->data, 0, NULL))
    return true;
  free(pixels->data);
  return stx_fail(error, "%s: %s", path, image->message);
}

/* `expected`: bits of gray values; 0: any file. */
static bool read_file(const char *path, int expected, Pixels *pixels, StxError *error)
{
  png_image image = {.version = PNG_IMAGE_VERSION};
  unsigned char head[HEAD] = {0};
  FILE *file = fopen(path, "rb");
  bool good = false;
  if (file == NULL)
    return stx_fail(error, "%s: %m", path);
  const size_t bytes = fread(head, 1, HEAD, file);
  const int bits = head[HEAD - 2], type = head[HEAD - 1];
  rewind(file);
  if (!png_image_begin_read_from_stdio(&image, file))
    stx_fail(error, "%s: %s", path, image.message);
  else if (bytes < HEAD || (expected > 0 && (bits != expected || type != PNG_COLOR_TYPE_GRAY)))
    stx_fail(
        error, "%s: is %d-bit %s, expected %d-bit gray", path, bits, type_name(type), expected);
  else if (image.width > MAX_SIDE || image.height > MAX_SIDE)
    stx_fail(error, "%s: %u × %u pixels are too many", path, image.width, image.height);
  else
    good = decode(&image, path, bits, pixels, error);
  png_image_free(&image);
  fclose(file);
  return good;
}

/* In place: the gray value of a pixel never lies behind its samples. Colour becomes luma; of 16
 * bits stay the upper 8 of as many as the largest value needs. */
static void to_gray(const Pixels *pixels)
{
  const size_t count = (size_t)pixels->width * (size_t)pixels->height;
  const size_t step = (size_t)pixels->channels;
  uint8_t *bytes = pixels->data;
  const uint16_t *words = pixels->data;
  int most = 0, shift = 0;
  for (size_t i = 0; pixels->deep && i < count; i++)
    most |= words[i * step];
  while (most >> shift > 255)
    shift++;
  for (size_t i = 0; i < count; i++)
    bytes[i] = pixels->deep ? (uint8_t)(words[i * step] >> shift)
               : step < 3
                   ? bytes[i * step]
                   : stx_luma_of_colours(bytes[i * step], bytes[i * step + 1], bytes[i * step + 2]);
}

static bool load(const char *path, int expected, StxImage8 *image, StxError *error)
{
  Pixels pixels;
  if (!read_file(path, expected, &pixels, error))
    return false;
  to_gray(&pixels);
  *image = (StxImage8){pixels.data, pixels.width, pixels.width, pixels.height};
  return true;
}

bool png_load_gray8(const char *path, StxImage8 *image, StxError *error)
{
  return load(path, 0, image, error);
}

bool png_load_ids8(const char *path, StxImage8 *image, StxError *error)
{
  return load(path, 8, image, error);
}
