/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of points: literal ones, every kind as tests/common/lidar_file/lidar_file_case.h writes it,
 * and what is damaged. */
#include "tests/common/lidar_file/lidar_file_case.h"
#include "tests/testing.h"

#include <math.h>
#include <string.h>

/* ---- Helpers ------------------------------------------------------------------------------- */

/* Reads from a copy without a spare byte, at an odd address, into guarded memory; NULL: refused,
 * with a reason in `error`. The caller frees the points with stx_guarded_free. */
static float *read_points(
    const void *bytes, size_t size, StxLidarFormat format, StxLidarFile *file, StxError *error)
{
  uint8_t *copy = (uint8_t *)stx_guarded_alloc(size + 1) + 1;
  float *points = NULL;
  if (size > 0)
    memcpy(copy, bytes, size);
  error->text[0] = 0;
  if (stx_lidar_file_probe(copy, size, format, file, error)) {
    points = stx_guarded_alloc(16 * file->points);
    uint8_t *scratch = (uint8_t *)stx_guarded_alloc(file->scratch_size + 1) + 1;
    bool good = stx_lidar_file_read(file, copy, points, scratch, error);
    stx_guarded_free(scratch - 1);
    if (!good) {
      stx_guarded_free(points);
      points = NULL;
    }
  }
  if (size > 0 && memcmp(copy, bytes, size) != 0)
    ck_abort_msg("the file was written to");
  stx_guarded_free(copy - 1);
  if ((points == NULL) != (error->text[0] != 0))
    ck_abort_msg("read: %d, error: \"%s\"", points != NULL, error->text);
  return points;
}

static void expect_points(const void *bytes, size_t size, StxLidarFormat format,
    StxLidarFormat found, const float *expected, size_t count, const char *what)
{
  StxLidarFile file;
  StxError error;
  STX_GUARDED float *points = read_points(bytes, size, format, &file, &error);
  ck_assert_msg(points != NULL, "%s: %s", what, error.text);
  ck_assert_uint_eq(file.points, count);
  ck_assert_int_eq((int)file.format, (int)found);
  stx_expect_same(expected, points, 16 * count, what);
}

static void expect_refusal(
    const void *bytes, size_t size, StxLidarFormat format, const char *reason)
{
  StxLidarFile file;
  StxError error;
  float *points = read_points(bytes, size, format, &file, &error);
  ck_assert_msg(points == NULL, "accepted; expected \"%s\"", reason);
  stx_expect_words(&error, reason);
}

/* ---- Literal files ------------------------------------------------------------------------- */

#define PCD4 "FIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\n"
#define PCD3 "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n"

#define LZF PCD4 "POINTS 1\nDATA binary_compressed\n"
#define ONE PCD4 "POINTS 1\nDATA ascii\n"

#define TEXT(text) text, sizeof(text) - 1

static const struct {
  const char *text;
  size_t size, count;
  float points[8];
} literals[] = {
    {TEXT("# .PCD v.7\nVERSION .7\n" PCD4
          "COUNT 1 1 1 1\nWIDTH 2\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\n"
          "POINTS 2\nDATA ascii\n1 2 3 .5\n-4 +5.25e1 6E-1 0\n"),
        2, {1, 2, 3, .5F, -4, 52.5F, .6F, 0}},
    {TEXT(PCD4 "POINTS 1\r\nDATA ascii\r\n\r\n 1\t2 3 4 \r\n"), 1, {1, 2, 3, 4}},
    {TEXT(PCD4 "WIDTH 1\nDATA ascii\n1 2 3 4"), 1, {1, 2, 3, 4}},
    {TEXT(PCD4 "WIDTH 1\nHEIGHT 2\nDATA ascii\n1 2 3 4\n5 6 7 8\nnot read\n"), 2,
        {1, 2, 3, 4, 5, 6, 7, 8}},
    {TEXT("\n#\n# COUNT\nCOLUMNS z x y\nTYPE F F F\nSIZE 4 4 4\nSENSOR 3\nPOINTS 1\nDATA ascii\n1 "
          "2 3\n"),
        1, {2, 3, 1, 0}},
    {TEXT("VERSION 0.6\nFIELDS i intensity remission x y z\nSIZE 1 2 4 4 8 4\nTYPE U I U F F F\n"
          "COUNT 1 1 1 1 1 1\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n9 8 7 1 2 3\n"),
        1, {1, 2, 3, 8}},
    {TEXT("FIELDS a x y z\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 3 1 1 1\nPOINTS 1\nDATA ascii\n"
          "? - nothing 1 2 3\n"),
        1, {1, 2, 3, 0}},
    {TEXT(PCD4 "POINTS 0\nDATA ascii\n"), 0, {0}},
    {TEXT(PCD4 "POINTS 0\nDATA binary_compressed\n"), 0, {0}},
    {TEXT(PCD4 "WIDTH 0\nHEIGHT 99999999999\nDATA binary"), 0, {0}},
    {TEXT(PCD3 "POINTS 1\nDATA binary\n\0\0\x80?\0\0\0@\0\0@@ and more"), 1, {1, 2, 3, 0}},
    {TEXT("FIELDS x y z\nSIZE 2 2 2\nTYPE I I U\nPOINTS 1\nDATA binary\n\x2C\1\0\xFF\0\xFF"), 1,
        {300, -256, 65280, 0}},
};

STX_TEST(literal_files)
{
  for (size_t i = 0; i < sizeof literals / sizeof literals[0]; i++) {
    const char *text = literals[i].text;
    expect_points(text, literals[i].size, STX_LIDAR_AUTO, STX_LIDAR_PCD, literals[i].points,
        literals[i].count, text);
  }
}

/* Twelve points in binary_compressed; what follows the header was packed by liblzf 3.6. */
STX_TEST(packed_by_others)
{
  static const uint8_t packed[] = {36, 0, 0, 0, 192, 0, 0, 0, 0x04, 0x00, 0x00, 0xC0, 0x3F, 0x00,
      0xE0, 0x24, 0x03, 0x05, 0x00, 0xC0, 0x00, 0x00, 0x80, 0xBF, 0x20, 0x07, 0x40, 0x00, 0xE0,
      0x1B, 0x0B, 0xE0, 0x3E, 0x00, 0x00, 0x80, 0x20, 0xA7, 0xE0, 0x07, 0x03, 0x01, 0x80, 0x3F};
  float expected[48];
  STX_AUTO(StxBytes) bytes = {0};
  stx_bytes_print(&bytes, PCD4 "POINTS 12\nDATA binary_compressed\n");
  stx_bytes_put(&bytes, packed, sizeof packed);
  for (int i = 0; i < 12; i++) {
    float point[4] = {1.5F, (float)(i % 3 - 2), 0, (float)(i / 6)};
    memcpy(expected + 4 * i, point, sizeof point);
  }
  expect_points(
      bytes.data, bytes.size, STX_LIDAR_AUTO, STX_LIDAR_PCD, expected, 12, "packed by liblzf");
}

/* ---- Every kind ---------------------------------------------------------------------------- */

#define MANY 300

/* Makes the points as the kind gives them back: without an intensity if it has none. */
static void make_points(const StxLidarKind *kind, float *points, size_t count, uint32_t seed)
{
  stx_lidar_case_points(points, count, seed);
  for (size_t i = 0; i < count && stx_lidar_case_is_flat(kind); i++)
    points[4 * i + 3] = 0;
}

/* A few points of `auto` in files without a header may look like either; they are not asked for. */
STX_TEST(every_kind_comes_back)
{
  static const size_t counts[] = {0, 1, 2, 7, MANY};
  float points[4 * MANY];
  STX_AUTO(StxBytes) bytes = {0};
  for (size_t k = 0; k < stx_lidar_kind_count; k++)
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
      const StxLidarKind *kind = &stx_lidar_kinds[k];
      make_points(kind, points, counts[i], (uint32_t)i);
      stx_lidar_case_write(&bytes, kind, points, counts[i]);
      expect_points(
          bytes.data, bytes.size, kind->format, kind->format, points, counts[i], kind->name);
      if (bytes.size > 0)
        expect_points(
            bytes.data, bytes.size, STX_LIDAR_AUTO, kind->format, points, counts[i], kind->name);
    }
}

/* The fewest bytes that may hold all points: of text the last number may lack digits unseen, and of
 * any file what stands behind the points. */
static size_t whole_size(const StxBytes *bytes, const StxLidarKind *kind)
{
  size_t size = bytes->size;
  if (kind->encoding != STX_LIDAR_TEXT)
    return size;
  while (bytes->data[size - 1] <= ' ')
    size--;
  while (bytes->data[size - 1] > ' ')
    size--;
  return size + 1;
}

/* A file that lacks bytes says so, wherever it ends. */
STX_TEST(no_truncated_file_passes)
{
  float points[4 * 3];
  STX_AUTO(StxBytes) bytes = {0};
  for (size_t k = 0; k < stx_lidar_kind_count; k++) {
    const StxLidarKind *kind = &stx_lidar_kinds[k];
    make_points(kind, points, 3, 5);
    stx_lidar_case_write(&bytes, kind, points, 3);
    for (size_t size = 0; size < whole_size(&bytes, kind); size++) {
      StxLidarFile file;
      StxError error;
      float *read = read_points(bytes.data, size, kind->format, &file, &error);
      bool fewer = kind->columns[0].name == NULL && file.points * file.record == size;
      if ((read != NULL) != fewer)
        ck_abort_msg("%s: %zu of %zu bytes: %s", kind->name, size, bytes.size, error.text);
      if (read != NULL)
        stx_guarded_free(read);
    }
  }
}

/* Whatever bits turn over: an error, or as many points as announced. */
STX_TEST(turned_bits_do_no_harm)
{
  StxRandom random = {42};
  float points[4 * 6];
  STX_AUTO(StxBytes) bytes = {0};
  for (size_t round = 0; round < 400 * stx_lidar_kind_count; round++) {
    const StxLidarKind *kind = &stx_lidar_kinds[round % stx_lidar_kind_count];
    StxLidarFile file;
    StxError error;
    stx_lidar_case_points(points, 6, (uint32_t)round);
    stx_lidar_case_write(&bytes, kind, points, 6);
    for (int i = stx_random_below(&random, 4); i >= 0; i--)
      bytes.data[stx_random_below(&random, (int)bytes.size)] ^= 1 << stx_random_below(&random, 8);
    float *read = read_points(
        bytes.data, bytes.size, (StxLidarFormat)(round % STX_LIDAR_FORMAT_COUNT), &file, &error);
    if (read != NULL)
      stx_guarded_free(read);
  }
}

/* No value is touched in records of float32: kinds of NaN, infinities, denormals. */
STX_TEST(points_that_are_not_finite_stay)
{
  static const uint32_t bits[8] = {
      0x7FC00001, 0x7F800001, 0xFFC00000, 0x7F800000, 0xFF800000, 1, 0x80000000, 0x7F7FFFFF};
  STX_AUTO(StxBytes) bytes = {0};
  stx_bytes_put(&bytes, bits, sizeof bits);
  expect_points(
      bytes.data, bytes.size, STX_LIDAR_KITTI, STX_LIDAR_KITTI, (const float *)bits, 2, "bin");
  bytes.size = 0;
  stx_bytes_print(&bytes, PCD4 "POINTS 2\nDATA binary\n");
  stx_bytes_put(&bytes, bits, sizeof bits);
  expect_points(
      bytes.data, bytes.size, STX_LIDAR_AUTO, STX_LIDAR_PCD, (const float *)bits, 2, "pcd");
  bytes.size = 0;
  stx_bytes_print(
      &bytes, "FIELDS intensity x y z\nSIZE 1 4 4 4\nTYPE U F F F\nPOINTS 1\nDATA binary\n");
  stx_bytes_put(&bytes, "\0", 1);
  stx_bytes_put(&bytes, bits, 12);
  uint32_t expected[4] = {bits[0], bits[1], bits[2], 0};
  expect_points(
      bytes.data, bytes.size, STX_LIDAR_AUTO, STX_LIDAR_PCD, (const float *)expected, 1, "mixed");
}

/* ---- Refusals ------------------------------------------------------------------------------ */

static const struct {
  const char *text;
  size_t size;
  const char *reason;
  StxLidarFormat format; /* if it is not AUTO */
} refusals[] = {
    /* PCD: header */
    {TEXT(PCD4 "POINTS 1\n"), "line 4: the file ends within the header, before DATA"},
    {TEXT(""), "line 0: the file ends within the header", STX_LIDAR_PCD},
    {TEXT(PCD4 "POINTS 1\nPOINTS 1\n"), "line 5: POINTS a second time (first in line 4)"},
    {TEXT(PCD4 "POINTS 1\nDATA text\n"),
        "line 5: DATA is \"text\"; possible: ascii, binary and binary_compressed"},
    {TEXT(PCD4 "DATA ascii\n1 2 3 4\n"), "has neither POINTS nor WIDTH"},
    {TEXT(PCD4 "POINTS -1\nDATA ascii\n"), "line 4: \"-1\" is no number of points"},
    {TEXT(PCD4 "POINTS 1 2\nDATA ascii\n"), "\"1 2\" is no number of points"},
    {TEXT(PCD4 "POINTS 3\nWIDTH 2\nHEIGHT 2\nDATA ascii\n"),
        "line 4: POINTS is 3, but WIDTH 2 times HEIGHT 2 is not"},
    {TEXT("POINTS 1\nDATA ascii\n1\n"), "FIELDS has no x; expected x, y and z"},
    {TEXT("FIELDS x z\nSIZE 4 4\nTYPE F F\nPOINTS 1\nDATA ascii\n1 2\n"), "no y"},
    {TEXT("FIELDS x x\nSIZE 4 4\nTYPE F F\nPOINTS 1\nDATA ascii\n"),
        "line 1: field \"x\" a second time"},
    {TEXT("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 2 1 1\nPOINTS 1\nDATA ascii\n"), "no x"},
    {TEXT("FIELDS x y\nSIZE 4 2\nTYPE F F\nPOINTS 1\nDATA ascii\n"),
        "lines 2 and 3: field \"y\" has SIZE 2 and TYPE F; possible: 4 and 8 for F"},
    {TEXT("FIELDS x\nSIZE 4\nTYPE Q\nPOINTS 1\nDATA ascii\n"), "TYPE Q"},
    {TEXT("FIELDS x\nSIZE -4\nTYPE F\nPOINTS 1\nDATA ascii\n"), "SIZE -4"},
    {TEXT("FIELDS x y\nSIZE 4\nTYPE F F\nPOINTS 1\nDATA ascii\n"),
        "line 2: field \"y\" has no SIZE"},
    {TEXT("FIELDS x\nSIZE 4\nPOINTS 1\nDATA ascii\n"), "field \"x\" has no TYPE"},
    {TEXT("FIELDS x\nSIZE 4 4\nTYPE F\nPOINTS 1\nDATA ascii\n"),
        "line 2: \"4\" belongs to no field of line 1"},
    {TEXT("FIELDS x\nSIZE 4\nTYPE F\nCOUNT 0\nPOINTS 1\nDATA ascii\n"),
        "line 4: field \"x\" has COUNT 0; possible: 1 "},
    {TEXT("FIELDS a b c d e f g h i j\nSIZE 8 8 8 8 8 8 8 8 8 8\nTYPE U U U U U U U U U U\nCOUNT "
          "16777216 16777216 16777216 16777216 16777216 16777216 16777216 16777216 16777216 "
          "16777216\n"
          "POINTS 1\nDATA binary\n"),
        "line 1: a point has more than 1073741824 bytes"},
    /* Counts that are too large, or overflow */
    {TEXT(PCD4 "POINTS 18446744073709551617\nDATA binary\n"), "is no number of points"},
    {TEXT(PCD4 "POINTS 1152921504606846975\nDATA binary\n"),
        "announces 1152921504606846975 points of 16 bytes, but only 0 bytes follow"},
    {TEXT(PCD4 "WIDTH 4294967296\nHEIGHT 4294967296\nDATA binary\n"), "is too much"},
    {TEXT(PCD4 "WIDTH 4294967296\nHEIGHT 4294967296\nPOINTS 0\nDATA ascii\n"),
        "POINTS is 0, but WIDTH"},
    {TEXT(PCD4 "POINTS 3\nDATA ascii\n1 2 3 4\n5 6 7 8\n"),
        "announces 3 points of 4 numbers, but only 16 bytes follow from byte 69 on: at most 2 "
        "points"},
    {TEXT(PCD4 "POINTS 99999\nDATA binary_compressed\n\1\0\0\0\xF0\x69\x18\0?"),
        "1 bytes of compressed points cannot become 1599984; possible: at most 88 times as many"},
    {TEXT(LZF "\0\0\0\0\0\0\0"), "7 bytes follow the header at byte 81; expected the two sizes"},
    {TEXT(LZF "\2\0\0\0\x10\0\0\0?"),
        "byte 81: 2 bytes of compressed points, but only 1 bytes follow"},
    {TEXT(PCD4 "POINTS 2\nDATA binary_compressed\n\1\0\0\0\x10\0\0\0?"),
        "byte 85: the compressed points will be 16 bytes, but the header announces 2 points of 16"},
    {TEXT(LZF "\1\0\0\0\x11\0\0\0?"), "will be 17 bytes, but the header announces 1 points of 16"},
    /* LZF */
    {TEXT(LZF "\2\0\0\0\x10\0\0\0\1?"), "end within a step at byte 89: 1 bytes of 2"},
    {TEXT(LZF "\1\0\0\0\x10\0\0\0\x20"), "end within a step at byte 89"},
    {TEXT(LZF "\2\0\0\0\x10\0\0\0\xE0\1"), "end within a step at byte 89"},
    {TEXT(LZF "\4\0\0\0\x10\0\0\0\0?\x20\1"), "refer 2 bytes back at byte 91; possible: 1 … 1"},
    {TEXT(LZF "\5\0\0\0\x10\0\0\0\0?\xE0\5\0"), "give 15 bytes; expected 16"},
    {TEXT(LZF "\5\0\0\0\x10\0\0\0\0?\xE0\7\0"), "give more than the expected 16 bytes at byte 91"},
    {TEXT(LZF "\2\0\0\0\x10\0\0\0\0?"), "2 bytes from byte 89 on, give 1 bytes; expected 16"},
    /* Text */
    {TEXT(ONE "1 2 3,5 4\n"), "line 6: z is \"3,5\"; expected a"},
    {TEXT(PCD4 "POINTS 2\nDATA ascii\n\n1 2 3 4\n\n1 2 3\n4\n"), "line 9 has 3 values; expected 4"},
    {TEXT(ONE "1 2 3 4 5\n"), "line 6 has 5 values; expected 4"},
    {TEXT(PCD4 "POINTS 2\nDATA ascii\n1.00 2.000 3.00 4.00\n"),
        "line 6: the file ends after 1 points; its header announces 2"},
    {TEXT(ONE "1 \xFF\x01 3 4\n"), "y is \"?\?\""},
    {TEXT(ONE "abcdefghijklmnopqrstuvwxyzabcdefgh 2 3 4\n"), "\"abcdefghijklmnopqrstuvwxyzab...\""},
    /* No header */
    {TEXT("a text file, of 32 bytes, no scan"), "do not look like"},
    {TEXT("ply\nformat ascii 1.0\n"), "a PLY file"},
    {TEXT("seventeen bytes.."),
        "17 bytes are no whole number of points of 16 bytes (4 float32, format=kitti): 1 bytes too "
        "many "
        "from byte 16 on",
        STX_LIDAR_KITTI},
    {TEXT("seventeen bytes.."), "points of 20 bytes (5 float32, format=nuscenes)",
        STX_LIDAR_NUSCENES},
};

STX_TEST(refusals_name_place_value_and_choices)
{
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
    expect_refusal(refusals[i].text, refusals[i].size, refusals[i].format, refusals[i].reason);
  for (int format = 0; format < STX_LIDAR_FORMAT_COUNT; format++)
    expect_refusal("any", 3, (StxLidarFormat)99, stx_lidar_format_name((StxLidarFormat)format));
}

/* 80 bytes are 5 points of KITTI or 4 of nuScenes. All zero they may be either. */
STX_TEST(what_may_be_either_must_be_chosen)
{
  float values[20] = {0};
  StxLidarFile file;
  StxError error;
  expect_refusal(values, sizeof values, STX_LIDAR_AUTO, "set format");
  expect_refusal(values, sizeof values, STX_LIDAR_AUTO, "as well as");
  ck_assert(stx_lidar_file_probe(values, sizeof values, STX_LIDAR_KITTI, &file, &error));
  ck_assert_uint_eq(file.points, 5);
  ck_assert(stx_lidar_file_probe(values, sizeof values, STX_LIDAR_NUSCENES, &file, &error));
  ck_assert_uint_eq(file.points, 4);
  values[4] = .5F; /* no ring */
  ck_assert(stx_lidar_file_probe(values, sizeof values, STX_LIDAR_AUTO, &file, &error));
  ck_assert_int_eq((int)file.format, (int)STX_LIDAR_KITTI);
  values[4] = 31, values[3] = -1; /* no intensity */
  expect_refusal(values, sizeof values, STX_LIDAR_AUTO, "do not look like");
  values[3] = 0, values[7] = -1; /* a fourth value of KITTI, a z of nuScenes */
  ck_assert(stx_lidar_file_probe(values, sizeof values, STX_LIDAR_AUTO, &file, &error));
  ck_assert_int_eq((int)file.format, (int)STX_LIDAR_NUSCENES);
  values[1] = 2e6F;
  expect_refusal(values, sizeof values, STX_LIDAR_AUTO, "do not look like");
  values[1] = 1e-9F;
  expect_refusal(values, sizeof values, STX_LIDAR_AUTO, "do not look like");
  values[1] = NAN;
  ck_assert(stx_lidar_file_probe(values, sizeof values, STX_LIDAR_AUTO, &file, &error));
  ck_assert(stx_lidar_file_probe(NULL, 0, STX_LIDAR_AUTO, &file, &error));
  ck_assert(file.points == 0 && file.format == STX_LIDAR_KITTI);
  ck_assert(stx_lidar_file_read(&file, NULL, NULL, NULL, &error));
}
