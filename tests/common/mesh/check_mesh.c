/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of meshes, byte by byte. Readers that are not ours: tests/pipeline/check_mesh_readers.py */
#include "tests/testing.h"

#include <math.h>
#include <string.h>

#include "common/mesh/mesh.h"

static const StxFacetImage image = {
    .camera = {.focal = 64, .baseline = 1, .cx = 7.5, .cy = 7.5},
    .width = 16,
    .height = 16,
    .stixel_width = 4,
    .reach = 100,
};

/* The first has a facet, 8 m ahead. */
static const StxStixel records[] = {
    {.column = 1,
        .top = 4,
        .bottom = 11,
        .kind = STX_KIND_OBJECT,
        .disparity_top = 8,
        .disparity_bottom = 8},
    {.column = 1, .top = 0, .bottom = 3, .kind = STX_KIND_SKY},
};

static const float points[][4] = {
    {2, 1, -1.5f, .25f}, {NAN, 0, 0, 1}, {0, 8192, 0, 1},
    {1.0004f, -1.0005f, 1, 0}, /* rounded to 1/1024 m */
};

static StxMeshParams params_of(StxMeshFormat format)
{
  return (StxMeshParams){.format = format,
      .colours = {.mode = STX_FACET_DISTANCE, .palette = STX_PALETTE_GRAY, .max_distance = 40}};
}

typedef struct {
  uint8_t *bytes;
  size_t size;
} File;

static File stixels_file(StxMeshFormat format, size_t count)
{
  StxMeshParams params = params_of(format);
  File file = {stx_guarded_alloc(stx_mesh_stixels_size(count)), 0};
  file.size = stx_mesh_stixels(&params, &image, count > 0 ? records : NULL, count, file.bytes);
  return file;
}

static File points_file(StxMeshFormat format, size_t count)
{
  StxMeshParams params = params_of(format);
  File file = {stx_guarded_alloc(stx_mesh_points_size(count)), 0};
  file.size = stx_mesh_points(&params, count > 0 ? &points[0][0] : NULL, NULL, count, file.bytes);
  return file;
}

static uint32_t word(const File *file, size_t at)
{
  uint32_t value;
  ck_assert_uint_le(at + 4, file->size);
  memcpy(&value, file->bytes + at, 4);
  return value;
}

/* The JSON of a GLB, after what frames it was checked; returns where the numbers begin, or 0. */
static size_t expect_json(const File *file, const char *expected)
{
  size_t length = strlen(expected), chunk = (length + 3) / 4 * 4;
  ck_assert_int_eq(memcmp(file->bytes, "glTF\2\0\0\0", 8), 0);
  ck_assert_uint_eq(word(file, 8), file->size);
  ck_assert_uint_eq(word(file, 12), chunk);
  ck_assert_int_eq(memcmp(file->bytes + 16, "JSON", 4), 0);
  ck_assert_msg(memcmp(file->bytes + 20, expected, length) == 0, "%.*s", (int)chunk,
      (const char *)file->bytes + 20);
  for (size_t i = length; i < chunk; i++)
    ck_assert_int_eq(file->bytes[20 + i], ' ');
  if (file->size == 20 + chunk)
    return 0;
  ck_assert_uint_eq(word(file, 20 + chunk), file->size - 28 - chunk);
  ck_assert_int_eq(memcmp(file->bytes + 24 + chunk, "BIN\0", 4), 0);
  return 28 + chunk;
}

static void expect_numbers(const File *file, size_t at, const void *expected, size_t size)
{
  ck_assert_uint_le(at + size, file->size);
  stx_expect_same(expected, file->bytes + at, size, "numbers");
}

static const char stixel_json[] =
    "{\"asset\":{\"version\":\"2.0\",\"generator\":\"gst-stixels\"},\"scene\":0,\"scenes\":["
    "{\"nodes\":[0]}],\"nodes\":[{\"name\":\"stixels\",\"mesh\":0}],\"meshes\":[{\"primitives\":[{"
    "\"attributes\":{\"POSITION\":0,\"COLOR_0\":1},\"indices\":2,\"material\":0,\"mode\":4}]}],"
    "\"materials\":[{\"pbrMetallicRoughness\":{\"metallicFactor\":0},\"doubleSided\":true,"
    "\"extensions\":{\"KHR_materials_unlit\":{}}}],\"extensionsUsed\":[\"KHR_materials_unlit\"],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\","
    "\"min\":[-0.5000000000,-0.5000000000,-8.0000000000],\"max\":[0.0000000000,0.5000000000,"
    "-8.0000000000]},{\"bufferView\":1,\"componentType\":5123,\"normalized\":true,\"count\":4,"
    "\"type\":\"VEC4\"},{\"bufferView\":2,\"componentType\":5125,\"count\":6,\"type\":\"SCALAR\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48,\"target\":34962},{\"buffer\":0,"
    "\"byteOffset\":48,\"byteLength\":32,\"target\":34962},{\"buffer\":0,\"byteOffset\":80,"
    "\"byteLength\":24,\"target\":34963}],\"buffers\":[{\"byteLength\":104}]}";

/* x to the right, y up, z towards the viewer. 8 of 40 m are gray 204 of 255, of light .6038. */
START_TEST(glb_of_a_stixel)
{
  static const float places[] = {-.5f, -.5f, -8, 0, -.5f, -8, 0, .5f, -8, -.5f, .5f, -8};
  static const uint16_t colour[4] = {39572, 39572, 39572, 65535};
  static const uint32_t corners[] = {0, 1, 2, 0, 2, 3};
  File file = stixels_file(STX_MESH_GLB, 2);
  size_t at = expect_json(&file, stixel_json);
  expect_numbers(&file, at, places, sizeof places);
  for (size_t i = 0; i < 4; i++)
    expect_numbers(&file, at + sizeof places + i * sizeof colour, colour, sizeof colour);
  expect_numbers(&file, at + 80, corners, sizeof corners);
  ck_assert_uint_eq(file.size, at + 104);
  stx_guarded_free(file.bytes);
}
END_TEST

/* 1.0004 m are 1024.41 steps, 1.0005 m 1024.51; written with all their digits. */
START_TEST(glb_of_points)
{
  static const float places[] = {-1, -1.5f, -2, 1025 / 1024.f, 1, -1};
  File file = points_file(STX_MESH_GLB, 4);
  const char *json = (const char *)file.bytes + 20;
  size_t at = 28 + word(&file, 12);
  ck_assert_ptr_nonnull(strstr(json, "\"min\":[-1.0000000000,-1.5000000000,-2.0000000000],"
                                     "\"max\":[1.0009765625,1.0000000000,-1.0000000000]"));
  ck_assert_ptr_nonnull(strstr(json, "\"mode\":0}"));
  ck_assert_ptr_nonnull(strstr(json, "\"count\":2"));
  ck_assert_ptr_null(strstr(json, "indices"));
  expect_numbers(&file, at, places, sizeof places);
  ck_assert_uint_eq(file.size, at + 2 * (12 + 8));
  stx_guarded_free(file.bytes);
}
END_TEST

START_TEST(nothing_is_an_empty_scene)
{
  static const char json[] = "{\"asset\":{\"version\":\"2.0\",\"generator\":\"gst-stixels\"},"
                             "\"scene\":0,\"scenes\":[{}]}";
  File files[] = {stixels_file(STX_MESH_GLB, 0), points_file(STX_MESH_GLB, 0)};
  for (size_t i = 0; i < 2; i++) {
    ck_assert_uint_eq(expect_json(&files[i], json), 0);
    stx_guarded_free(files[i].bytes);
  }
  File ply = stixels_file(STX_MESH_PLY, 0);
  ck_assert_ptr_nonnull(strstr((const char *)ply.bytes, "element vertex 0\n"));
  ck_assert_ptr_nonnull(strstr((const char *)ply.bytes, "element face 0\n"));
  stx_guarded_free(ply.bytes);
}
END_TEST

static size_t expect_header(const File *file, const char *expected)
{
  size_t length = strlen(expected);
  ck_assert_uint_le(length, file->size);
  ck_assert_msg(
      memcmp(file->bytes, expected, length) == 0, "%.*s", (int)length, (const char *)file->bytes);
  return length;
}

/* x forward, y to the left, z up. */
START_TEST(ply_of_a_stixel)
{
  static const float places[][3] = {{8, .5f, -.5f}, {8, 0, -.5f}, {8, 0, .5f}, {8, .5f, .5f}};
  static const uint8_t face[] = {4, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};
  File file = stixels_file(STX_MESH_PLY, 2);
  size_t at = expect_header(&file,
      "ply\nformat binary_little_endian 1.0\ncomment gst-stixels: metres, x forward, y left, z "
      "up\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty uchar "
      "red\nproperty uchar green\nproperty uchar blue\nelement face 1\nproperty list uchar int "
      "vertex_indices\nend_header\n");
  for (size_t i = 0; i < 4; i++, at += 15) {
    expect_numbers(&file, at, places[i], 12);
    expect_numbers(&file, at + 12, (uint8_t[]){204, 204, 204}, 3);
  }
  expect_numbers(&file, at, face, sizeof face);
  ck_assert_uint_eq(file.size, at + sizeof face);
  stx_guarded_free(file.bytes);
}
END_TEST

START_TEST(ply_of_points)
{
  static const float places[][4] = {{2, 1, -1.5f, .25f}, {1, -1025 / 1024.f, 1, 0}};
  File file = points_file(STX_MESH_PLY, 4);
  size_t at = expect_header(&file,
      "ply\nformat binary_little_endian 1.0\ncomment gst-stixels: metres, x forward, y left, z "
      "up\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nproperty float "
      "intensity\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n");
  for (size_t i = 0; i < 2; i++, at += 19)
    expect_numbers(&file, at, places[i], 16);
  ck_assert_uint_eq(file.size, at);
  stx_guarded_free(file.bytes);
}
END_TEST

/* The longest numbers that a JSON can hold still leave room for what frames it. */
START_TEST(the_largest_places_fit)
{
  StxMeshParams params = params_of(STX_MESH_GLB);
  const float far[][4] = {{8191, 8191, 8191, 0}, {-8191, -8191, -8191, 0}};
  File file = {stx_guarded_alloc(stx_mesh_points_size(2)), 0};
  file.size = stx_mesh_points(&params, &far[0][0], NULL, 2, file.bytes);
  ck_assert_uint_lt(word(&file, 12), 1900);
  ck_assert_ptr_nonnull(strstr((const char *)file.bytes + 20, "\"min\":[-8191.0000000000,"));
  stx_guarded_free(file.bytes);
}
END_TEST

static const StxTest tests[] = {
    {&glb_of_a_stixel},
    {&glb_of_points},
    {&nothing_is_an_empty_scene},
    {&ply_of_a_stixel},
    {&ply_of_points},
    {&the_largest_places_fit},
};
STX_TESTING_MAIN("mesh", tests)
