/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/shared/png_io.h"

#include "common/luma/luma_math.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIDE 32768

/* The context of libpng's errors: the file they belong to and the text to fill. */
typedef struct {
  const char *path;
  StxError *error;
} Context;

static void on_error(png_structp png, png_const_charp message)
{
  Context *context = png_get_error_ptr(png);
  stx_fail(context->error, "%s: %s", context->path, message);
  png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
  (void)png;
  (void)message;
}

/* ---- Reading ------------------------------------------------------------------------------ */

typedef enum { READ_ANY_8, READ_GRAY_8, READ_GRAY_16 } Want;

/* A decoded file: rows of `channels` samples of 1 or 2 bytes. */
typedef struct {
  uint8_t *data;
  int width, height, channels;
  bool deep; /* read as 8 bits, but of 2 bytes so far */
} Pixels;

static const char *type_name(int type)
{
  switch (type) {
  case PNG_COLOR_TYPE_GRAY:
    return "gray";
  case PNG_COLOR_TYPE_GRAY_ALPHA:
    return "gray with alpha";
  case PNG_COLOR_TYPE_PALETTE:
    return "palette";
  default:
    return "colour";
  }
}

/* Stops with an error if the file does not hold what is wanted. */
static void demand(png_structp png, png_infop info, Want want)
{
  int depth = png_get_bit_depth(png, info), type = png_get_color_type(png, info);
  int wanted = want == READ_GRAY_16 ? 16 : 8;
  if (want == READ_ANY_8 || (type == PNG_COLOR_TYPE_GRAY && depth == wanted))
    return;
  char message[96];
  snprintf(message, sizeof message, "is %d-bit %s, expected %d-bit gray", depth, type_name(type),
      wanted);
  png_error(png, message);
}

/* Gray of 16 bits, whose used bits the file does not say. */
static bool is_deep_gray(png_structp png, png_infop info)
{
  return png_get_bit_depth(png, info) == 16 &&
         !(png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR);
}

static void set_transforms(png_structp png, png_infop info, Want want)
{
  bool deep = want == READ_ANY_8 && is_deep_gray(png, info);
  if ((want == READ_GRAY_16 || deep) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    png_set_swap(png);
  if (want == READ_ANY_8) {
    png_set_expand(png);
    if (!deep)
      png_set_scale_16(png);
    png_set_strip_alpha(png);
  }
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
}

/* Decodes into *pixels. libpng leaves through longjmp on errors; nothing here lives on after that
 * but what *pixels already points to, which the caller releases. */
static bool decode(png_structp png, png_infop info, FILE *file, Want want, Pixels *pixels)
{
  if (setjmp(png_jmpbuf(png)))
    return false;
  png_init_io(png, file);
  png_set_user_limits(png, MAX_SIDE, MAX_SIDE);
  png_read_info(png, info);
  demand(png, info, want);
  set_transforms(png, info, want);
  pixels->width = (int)png_get_image_width(png, info);
  pixels->height = (int)png_get_image_height(png, info);
  pixels->channels = png_get_channels(png, info);
  pixels->deep = want == READ_ANY_8 && is_deep_gray(png, info);
  size_t stride = png_get_rowbytes(png, info);
  pixels->data = malloc(stride * (size_t)pixels->height);
  if (pixels->data == NULL)
    png_error(png, "out of memory");
  for (int pass = png_get_interlace_type(png, info) == PNG_INTERLACE_NONE ? 1 : 7; pass > 0; pass--)
    for (int y = 0; y < pixels->height; y++)
      png_read_row(png, pixels->data + (size_t)y * stride, NULL);
  png_read_end(png, NULL);
  return true;
}

static bool read_file(const char *path, Want want, Pixels *pixels, StxError *error)
{
  *pixels = (Pixels){0};
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return stx_fail(error, "%s: %m", path);
  Context context = {path, error};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &context, on_error, on_warning);
  png_infop info = png == NULL ? NULL : png_create_info_struct(png);
  bool good = info == NULL ? stx_fail(error, "%s: out of memory", path)
                           : decode(png, info, file, want, pixels);
  png_destroy_read_struct(&png, &info, NULL);
  fclose(file);
  if (!good)
    free(pixels->data);
  return good;
}

/* Luma as the elements make it, in place: the gray value of a pixel never lies behind its
 * colours. */
static void colour_to_gray(Pixels *pixels)
{
  size_t count = (size_t)pixels->width * (size_t)pixels->height;
  for (size_t i = 0; i < count; i++) {
    const uint8_t *rgb = pixels->data + 3 * i;
    pixels->data[i] = stx_luma_of_colours(rgb[0], rgb[1], rgb[2]);
  }
}

/* 16 bits to 8, in place, as stereo-sgm does with gray-bits=auto: the upper 8 of as many as the
 * largest value needs (luma.h). */
static void deep_to_gray(Pixels *pixels)
{
  size_t count = (size_t)pixels->width * (size_t)pixels->height;
  const uint16_t *words = (const uint16_t *)(void *)pixels->data;
  int most = 0, shift = 0;
  for (size_t i = 0; i < count; i++)
    most |= words[i];
  while (most >> shift > 255)
    shift++;
  for (size_t i = 0; i < count; i++)
    pixels->data[i] = (uint8_t)(words[i] >> shift);
}

static StxImage8 as_image8(const Pixels *pixels)
{
  return (StxImage8){pixels->data, pixels->width, pixels->width, pixels->height};
}

bool png_load_gray8(const char *path, StxImage8 *image, StxError *error)
{
  Pixels pixels;
  if (!read_file(path, READ_ANY_8, &pixels, error))
    return false;
  if (pixels.channels == 3)
    colour_to_gray(&pixels);
  if (pixels.deep)
    deep_to_gray(&pixels);
  *image = as_image8(&pixels);
  return true;
}

bool png_load_ids8(const char *path, StxImage8 *image, StxError *error)
{
  Pixels pixels;
  if (!read_file(path, READ_GRAY_8, &pixels, error))
    return false;
  *image = as_image8(&pixels);
  return true;
}

bool png_load_gray16(const char *path, StxImage16 *image, StxError *error)
{
  Pixels pixels;
  if (!read_file(path, READ_GRAY_16, &pixels, error))
    return false;
  *image =
      (StxImage16){(uint16_t *)(void *)pixels.data, pixels.width * 2, pixels.width, pixels.height};
  return true;
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* A picture to write: a gray image of 8 or 16 bits, or RGB of 8. */
typedef struct {
  uint8_t *data;
  ptrdiff_t stride;
  int width, height, depth, colour; /* colour: as png.h calls it */
} Picture;

static bool encode(png_structp png, png_infop info, FILE *file, const Picture *picture)
{
  if (setjmp(png_jmpbuf(png)))
    return false;
  png_init_io(png, file);
  png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, picture->depth,
      picture->colour, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  if (picture->depth == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    png_set_swap(png);
  for (int y = 0; y < picture->height; y++)
    png_write_row(png, picture->data + y * picture->stride);
  png_write_end(png, NULL);
  return true;
}

static bool write_file(const char *path, const Picture *picture, StxError *error)
{
  FILE *file = fopen(path, "wb");
  if (file == NULL)
    return stx_fail(error, "%s: %m", path);
  Context context = {path, error};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &context, on_error, on_warning);
  png_infop info = png == NULL ? NULL : png_create_info_struct(png);
  bool good =
      info == NULL ? stx_fail(error, "%s: out of memory", path) : encode(png, info, file, picture);
  png_destroy_write_struct(&png, &info);
  if (fclose(file) != 0 && good)
    good = stx_fail(error, "%s: %m", path);
  return good;
}

bool png_save_gray8(const char *path, const StxImage8 *image, StxError *error)
{
  Picture picture = {
      image->data, image->stride, image->width, image->height, 8, PNG_COLOR_TYPE_GRAY};
  return write_file(path, &picture, error);
}

bool png_save_gray16(const char *path, const StxImage16 *image, StxError *error)
{
  Picture picture = {
      (uint8_t *)image->data, image->stride, image->width, image->height, 16, PNG_COLOR_TYPE_GRAY};
  return write_file(path, &picture, error);
}
