/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PNG files as programs in C read them. */
#include "tests/tools/programs.h"

#include <glib/gstdio.h>
#include <string.h>

#include "examples/shared/png_io.h"

STX_TEST(png_files_keep_their_values)
{
  StxRandom random = {1};
  StxError error;
  StxImage8 bytes = stx_test_image8(37, 5, 3), bytes_back;
  stx_fill8(&bytes, STX_FILL_NOISE, &random);
  save_png8("bytes.png", &bytes);
  ck_assert_msg(png_load_ids8("bytes.png", &bytes_back, &error), "%s", error.text);
  stx_expect_same_image8(&bytes, &bytes_back, "8 bit");
  free(bytes_back.data);
  ck_assert_msg(png_load_gray8("bytes.png", &bytes_back, &error), "%s", error.text);
  stx_expect_same_image8(&bytes, &bytes_back, "gray");
  free(bytes_back.data);
  stx_test_image8_free(&bytes);
  g_remove("bytes.png");
}

/* A camera of 12 bits; and one of 8 in 16. */
STX_TEST(deep_gray_keeps_its_upper_bits)
{
  uint16_t values[] = {0, 15, 16, 4095}, few[] = {0, 1, 254, 255};
  StxImage16 deep = {values, 8, 4, 1}, flat = {few, 8, 4, 1};
  StxError error;
  StxImage8 gray;
  save_png16("deep.png", &deep);
  ck_assert_msg(png_load_gray8("deep.png", &gray, &error), "%s", error.text);
  ck_assert(memcmp(gray.data, (uint8_t[]){0, 0, 1, 255}, 4) == 0);
  free(gray.data);
  save_png16("deep.png", &flat);
  ck_assert_msg(png_load_gray8("deep.png", &gray, &error), "%s", error.text);
  ck_assert(memcmp(gray.data, (uint8_t[]){0, 1, 254, 255}, 4) == 0);
  free(gray.data);
  g_remove("deep.png");
}

STX_TEST(colour_becomes_luma)
{
  /* 2 × 1 pixels, 8-bit RGB: (255, 0, 0) and (0, 10, 200). */
  static const uint8_t png[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00,
      0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02,
      0x00, 0x00, 0x00, 0x7b, 0x40, 0xe8, 0xdd, 0x00, 0x00, 0x00, 0x0f, 0x49, 0x44, 0x41, 0x54,
      0x78, 0xda, 0x63, 0xf8, 0xcf, 0xc0, 0xc0, 0xc0, 0x75, 0x02, 0x00, 0x06, 0xdd, 0x01, 0xd2,
      0xda, 0x27, 0x44, 0xf4, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60,
      0x82};
  StxError error;
  StxImage8 gray;
  ck_assert(g_file_set_contents("colour.png", (const char *)png, sizeof png, NULL));
  ck_assert_msg(png_load_gray8("colour.png", &gray, &error), "%s", error.text);
  ck_assert_int_eq(gray.width, 2);
  ck_assert_uint_eq(gray.data[0], 76); /* 76.7, cut */
  ck_assert_uint_eq(gray.data[1], 28); /* 28.5, cut */
  free(gray.data);
  ck_assert(!png_load_ids8("colour.png", &gray, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "colour.png: is 8-bit colour, expected 8-bit gray"));
  g_remove("colour.png");
}

STX_TEST(broken_files_are_refused)
{
  StxError error;
  StxImage8 image;
  StxRandom random = {2};
  ck_assert(!png_load_gray8("no-such.png", &image, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "no-such.png: No such file"));
  ck_assert(g_file_set_contents("text.png", "not a picture", -1, NULL));
  ck_assert(!png_load_gray8("text.png", &image, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "text.png: "));

  StxImage8 noise = stx_test_image8(64, 64, 0);
  stx_fill8(&noise, STX_FILL_NOISE, &random);
  save_png8("whole.png", &noise);
  char *content;
  gsize length;
  ck_assert(g_file_get_contents("whole.png", &content, &length, NULL));
  ck_assert(g_file_set_contents("half.png", content, (gssize)length / 2, NULL));
  ck_assert(!png_load_gray8("half.png", &image, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "half.png: "));
  g_free(content);
  stx_test_image8_free(&noise);
  g_remove("text.png");
  g_remove("whole.png");
  g_remove("half.png");
}
