/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * glTF 2.0 in one file: 12 bytes of head; JSON, padded with spaces; numbers: all places, then all
 * colours, then, of stixels, the corners of their triangles.
 *
 * A viewer multiplies colours with light as numbers of it, not as sRGB (IEC 61966-2-1) that screens
 * show: the format wants what is left when that curve is taken away.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/mesh/mesh_private.h"

enum { HEAD = 12, CHUNK = 8, PLACE = 12, COLOUR = 8, TRIANGLES = 6 };
enum { FLOAT32 = 5126, UINT16 = 5123, UINT32 = 5125 };       /* componentType */
enum { MODE_POINTS = 0, MODE_TRIANGLES = 4 };                /* mode */
enum { ARRAY_BUFFER = 34962, ELEMENT_ARRAY_BUFFER = 34963 }; /* target */

typedef struct {
  char *bytes;
  size_t length;
} Text;

static void __attribute__((format(printf, 2, 3))) add(Text *text, const char *format, ...)
{
  va_list values;
  va_start(values, format);
  text->length +=
      (size_t)vsnprintf(text->bytes + text->length, STX_MESH_HEAD - text->length, format, values);
  va_end(values);
}

/* A place: its steps as the decimal that they are, in every locale. */
static void add_places(Text *text, const char *name, const int32_t at[3])
{
  enum { STEP = 9765625 }; /* 10^10 / STX_MESH_STEPS */
  add(text, ",\"%s\":[", name);
  for (int k = 0; k < 3; k++) {
    int64_t steps = at[k], size = steps < 0 ? -steps : steps;
    add(text, "%s%s%d.%010lld", k > 0 ? "," : "", steps < 0 ? "-" : "",
        (int)(size / STX_MESH_STEPS), (long long)(size % STX_MESH_STEPS * STEP));
  }
  add(text, "]");
}

static size_t indices(const StxMesh *mesh)
{
  return mesh->image != NULL ? mesh->vertices / STX_CORNERS * TRIANGLES : 0;
}

static size_t numbers_size(const StxMesh *mesh)
{
  return mesh->vertices * (PLACE + COLOUR) + indices(mesh) * 4;
}

static void add_mesh(Text *text, const StxMesh *mesh)
{
  bool faces = mesh->image != NULL;
  add(text, ",\"nodes\":[{\"name\":\"%s\",\"mesh\":0}]", faces ? "stixels" : "points");
  add(text, ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"COLOR_0\":1}");
  if (faces)
    add(text, ",\"indices\":2");
  add(text, ",\"material\":0,\"mode\":%d}]}]", faces ? MODE_TRIANGLES : MODE_POINTS);
  add(text, ",\"materials\":[{\"pbrMetallicRoughness\":{\"metallicFactor\":0},"
            "\"doubleSided\":true,\"extensions\":{\"KHR_materials_unlit\":{}}}]"
            ",\"extensionsUsed\":[\"KHR_materials_unlit\"]");
}

static void add_accessors(Text *text, const StxMesh *mesh)
{
  add(text,
      ",\"accessors\":[{\"bufferView\":0,\"componentType\":%d,\"count\":%zu,\"type\":"
      "\"VEC3\"",
      FLOAT32, mesh->vertices);
  add_places(text, "min", mesh->low);
  add_places(text, "max", mesh->high);
  add(text,
      "},{\"bufferView\":1,\"componentType\":%d,\"normalized\":true,\"count\":%zu,\"type\":"
      "\"VEC4\"}",
      UINT16, mesh->vertices);
  if (indices(mesh) > 0)
    add(text, ",{\"bufferView\":2,\"componentType\":%d,\"count\":%zu,\"type\":\"SCALAR\"}", UINT32,
        indices(mesh));
  add(text, "]");
}

static void add_views(Text *text, const StxMesh *mesh)
{
  size_t places = mesh->vertices * PLACE, colours = mesh->vertices * COLOUR;
  add(text,
      ",\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu,\"target\":%d},"
      "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":%d}",
      places, ARRAY_BUFFER, places, colours, ARRAY_BUFFER);
  if (indices(mesh) > 0)
    add(text, ",{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":%d}",
        places + colours, indices(mesh) * 4, ELEMENT_ARRAY_BUFFER);
  add(text, "],\"buffers\":[{\"byteLength\":%zu}]", numbers_size(mesh));
}

static void add_json(Text *text, const StxMesh *mesh)
{
  bool empty = mesh->vertices == 0;
  add(text, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"gst-stixels\"},\"scene\":0");
  add(text, ",\"scenes\":[{%s}]", empty ? "" : "\"nodes\":[0]");
  if (!empty) {
    add_mesh(text, mesh);
    add_accessors(text, mesh);
    add_views(text, mesh);
  }
  add(text, "}");
  while (text->length % 4 != 0)
    add(text, " ");
}

/* ---- Numbers ------------------------------------------------------------------------------ */

static void light_of_srgb(uint16_t light[256])
{
  for (int i = 0; i < 256; i++) {
    double value = i / 255., linear = value / 12.92;
    if (value > .04045)
      linear = pow((value + .055) / 1.055, 2.4);
    light[i] = (uint16_t)(65535 * linear + .5);
  }
}

static void write_vertices(const StxMesh *mesh, char *at)
{
  StxMeshVertex vertex[STX_CORNERS];
  uint16_t light[256];
  char *place = at, *colour = at + mesh->vertices * PLACE;
  light_of_srgb(light);
  for (size_t i = 0; i < mesh->count; i++) {
    int n = stx_mesh_vertices(mesh, i, vertex);
    for (int v = 0; v < n; v++, place += PLACE, colour += COLOUR) {
      StxRgb c = vertex[v].colour;
      const uint16_t rgba[4] = {light[c.r], light[c.g], light[c.b], 65535};
      float metres[3];
      for (int k = 0; k < 3; k++)
        metres[k] = (float)vertex[v].at[k] / STX_MESH_STEPS;
      memcpy(place, metres, PLACE);
      memcpy(colour, rgba, COLOUR);
    }
  }
}

static void write_triangles(const StxMesh *mesh, char *at)
{
  static const uint32_t corners[TRIANGLES] = {STX_LOWER_LEFT, STX_LOWER_RIGHT, STX_UPPER_RIGHT,
      STX_LOWER_LEFT, STX_UPPER_RIGHT, STX_UPPER_LEFT};
  for (size_t i = 0; i < indices(mesh); i++) {
    uint32_t index = (uint32_t)(i / TRIANGLES * STX_CORNERS) + corners[i % TRIANGLES];
    memcpy(at + 4 * i, &index, 4);
  }
}

static void write_words(char *at, uint32_t first, uint32_t second)
{
  memcpy(at, &first, 4);
  memcpy(at + 4, &second, 4);
}

size_t stx_mesh_glb(const StxMesh *mesh, char *memory)
{
  static const uint32_t magic = 0x46546C67, json = 0x4E4F534A, bin = 0x004E4942;
  Text text = {memory + HEAD + CHUNK, 0};
  size_t numbers = numbers_size(mesh), size;
  add_json(&text, mesh);
  char *body = text.bytes + text.length;
  size = HEAD + CHUNK + text.length + (numbers > 0 ? CHUNK + numbers : 0);
  write_words(memory, magic, 2);
  write_words(memory + 8, (uint32_t)size, (uint32_t)text.length);
  memcpy(memory + HEAD + 4, &json, 4);
  if (numbers == 0)
    return size;
  write_words(body, (uint32_t)numbers, bin);
  write_vertices(mesh, body + CHUNK);
  write_triangles(mesh, body + CHUNK + mesh->vertices * (PLACE + COLOUR));
  return size;
}
