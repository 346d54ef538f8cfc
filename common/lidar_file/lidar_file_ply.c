/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The header of a .ply file, and the way over what lies between it and the points:
 *
 *   ply
 *   format binary_little_endian 1.0
 *   element face 12                       any elements, before and after
 *   property list uchar int vertex_index
 *   element vertex 8
 *   property float x
 *   …
 *   end_header
 *
 * The header is read twice: once to check it and to find the vertices, and once more along with the
 * data of the elements before them. So any number of elements needs no memory.
 */
#include "common/lidar_file/lidar_file_private.h"

#include <string.h>

#define MAX_PROPERTIES 256 /* of an element that has lists */

typedef struct {
  StxLidarText name;
  StxLidarType type;
  StxLidarType length; /* type of the number before a list; ABSENT: a single value */
} Property;

typedef struct {
  StxLidarLines lines; /* of the header */
  StxLidarFile *file;
  StxError *error;
  StxLidarFound found, numbered; /* fields at their bytes or columns; by their property's number */
  size_t properties;             /* of the vertices, so far */
  enum { START, BEFORE, VERTEX, AFTER } place;
  bool has_format;
} Ply;

static const struct {
  const char *name;
  StxLidarEncoding encoding;
} encodings[] = {
    {"ascii", STX_LIDAR_TEXT},
    {"binary_little_endian", STX_LIDAR_LITTLE},
    {"binary_big_endian", STX_LIDAR_BIG},
};
#define ENCODINGS (sizeof encodings / sizeof encodings[0])

static bool matches(const uint8_t *bytes, size_t size)
{
  return size > 3 && memcmp(bytes, "ply", 3) == 0 && (bytes[3] == '\n' || bytes[3] == '\r');
}

/* The magic line, comments, and how numbers are written. */
static bool recognizes(const uint8_t *bytes, size_t size)
{
  StxLidarLines lines = {{(const char *)bytes, (const char *)bytes + size}, 0};
  StxLidarText line, word;
  if (!matches(bytes, size) || !stx_lidar_next_line(&lines, &line))
    return false;
  while (stx_lidar_next_whole_line(&lines, &line)) {
    stx_lidar_next_word(&line, &word);
    if (stx_lidar_word_is(word, "format")) {
      bool known = false;
      for (size_t i = 0; i < ENCODINGS; i++)
        known = known || stx_lidar_line_has(line, encodings[i].name);
      return known && stx_lidar_line_has(line, "1.0");
    }
    if (!stx_lidar_word_is(word, "comment") && !stx_lidar_word_is(word, "obj_info"))
      return false;
  }
  return false;
}

/* ---- Words of a line ----------------------------------------------------------------------- */

static StxLidarType type_of(StxLidarText word)
{
  static const struct {
    const char *names[2];
    StxLidarType type;
  } types[] = {
      {{"float", "float32"}, STX_LIDAR_F32},
      {{"double", "float64"}, STX_LIDAR_F64},
      {{"char", "int8"}, STX_LIDAR_I8},
      {{"uchar", "uint8"}, STX_LIDAR_U8},
      {{"short", "int16"}, STX_LIDAR_I16},
      {{"ushort", "uint16"}, STX_LIDAR_U16},
      {{"int", "int32"}, STX_LIDAR_I32},
      {{"uint", "uint32"}, STX_LIDAR_U32},
  };
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (stx_lidar_word_is(word, types[i].names[0]) || stx_lidar_word_is(word, types[i].names[1]))
      return types[i].type;
  return STX_LIDAR_ABSENT;
}

static bool read_type(
    StxLidarText *line, size_t number, bool integer, StxLidarType *type, StxError *error)
{
  StxLidarText word;
  stx_lidar_next_word(line, &word);
  *type = type_of(word);
  if (*type != STX_LIDAR_ABSENT && !(integer && (*type == STX_LIDAR_F32 || *type == STX_LIDAR_F64)))
    return true;
  return stx_fail(error,
      "line %zu: type \"%s\"; possible: char uchar short ushort int uint%s, or the same as int8 …",
      number, stx_lidar_show(word).text, integer ? "" : " float double");
}

/* Reads the rest of a line "property". */
static bool read_property(StxLidarText line, size_t number, Property *property, StxError *error)
{
  StxLidarText ahead = line, word;
  property->length = STX_LIDAR_ABSENT;
  if (stx_lidar_next_word(&ahead, &word) && stx_lidar_word_is(word, "list")) {
    line = ahead;
    if (!read_type(&line, number, true, &property->length, error))
      return false;
  }
  if (!read_type(&line, number, false, &property->type, error))
    return false;
  if (!stx_lidar_next_word(&line, &property->name))
    return stx_fail(error, "line %zu: a property without a name", number);
  return true;
}

/* Reads the rest of a line "element". */
static bool read_element(
    StxLidarText line, size_t number, StxLidarText *name, size_t *count, StxError *error)
{
  static const size_t limit = SIZE_MAX / (STX_LIDAR_POINT_FLOATS * sizeof(float));
  StxLidarText word;
  stx_lidar_next_word(&line, name);
  stx_lidar_next_word(&line, &word);
  if (stx_lidar_word_count(word, limit, count))
    return true;
  return stx_fail(error, "line %zu: element \"%s\" is there \"%s\" times; possible: 0 … %zu",
      number, stx_lidar_show(*name).text, stx_lidar_show(word).text, limit);
}

/* ---- Header -------------------------------------------------------------------------------- */

static bool take_format(Ply *ply, StxLidarText line)
{
  StxLidarText word;
  stx_lidar_next_word(&line, &word);
  for (size_t i = 0; i < ENCODINGS && ply->place == START && !ply->has_format; i++)
    if (stx_lidar_word_is(word, encodings[i].name)) {
      ply->file->encoding = encodings[i].encoding;
      ply->has_format = true;
      return true;
    }
  return stx_fail(ply->error,
      "line %zu: format \"%s\"; possible: ascii, binary_little_endian or binary_big_endian, once "
      "and before the first element",
      ply->lines.line, stx_lidar_show(word).text);
}

static bool take_element(Ply *ply, StxLidarText line)
{
  StxLidarText name;
  size_t count;
  if (!read_element(line, ply->lines.line, &name, &count, ply->error))
    return false;
  if (!stx_lidar_word_is(name, "vertex")) {
    ply->place = ply->place == START || ply->place == BEFORE ? BEFORE : AFTER;
    return true;
  }
  if (ply->place == VERTEX || ply->place == AFTER)
    return stx_fail(ply->error, "line %zu: element vertex a second time", ply->lines.line);
  ply->place = VERTEX;
  ply->file->points = count;
  return true;
}

static bool take_property(Ply *ply, StxLidarText line)
{
  StxLidarFile *file = ply->file;
  Property property;
  if (ply->place == START)
    return stx_fail(ply->error, "line %zu: a property before the first element", ply->lines.line);
  if (!read_property(line, ply->lines.line, &property, ply->error))
    return false;
  if (ply->place != VERTEX)
    return true;
  bool list = property.length != STX_LIDAR_ABSENT;
  StxLidarType least = list ? property.length : property.type;
  StxLidarField field = {property.type, file->record}, numbered = {property.type, ply->properties};
  if (!list && (!stx_lidar_offer_field(&ply->found, property.name, field) ||
                   !stx_lidar_offer_field(&ply->numbered, property.name, numbered)))
    return stx_fail(ply->error, "line %zu: property \"%s\" a second time", ply->lines.line,
        stx_lidar_show(property.name).text);
  file->lists = file->lists || list;
  file->record += file->encoding == STX_LIDAR_TEXT ? 1 : stx_lidar_type_size(least);
  ply->properties++;
  return true;
}

static bool read_header(Ply *ply)
{
  StxLidarText line, word;
  if (!stx_lidar_next_line(&ply->lines, &line) || !stx_lidar_next_word(&line, &word) ||
      !stx_lidar_word_is(word, "ply"))
    return stx_fail(ply->error, "line 1: not the word \"ply\", with which such a file begins");
  for (;;) {
    if (!stx_lidar_next_full_line(&ply->lines, &line))
      return stx_fail(ply->error, "line %zu: the file ends within the header, before end_header",
          ply->lines.line);
    stx_lidar_next_word(&line, &word);
    if (stx_lidar_word_is(word, "end_header"))
      break;
    if (stx_lidar_word_is(word, "comment") || stx_lidar_word_is(word, "obj_info"))
      continue;
    bool is_format = stx_lidar_word_is(word, "format");
    if (!is_format && !ply->has_format)
      return stx_fail(ply->error, "line %zu: \"%s\" before the line \"format\"", ply->lines.line,
          stx_lidar_show(word).text);
    if (!is_format && !stx_lidar_word_is(word, "element") && !stx_lidar_word_is(word, "property"))
      return stx_fail(ply->error,
          "line %zu: \"%s\"; possible: comment, obj_info, format, element, property and end_header",
          ply->lines.line, stx_lidar_show(word).text);
    if (!(is_format                              ? take_format(ply, line)
            : stx_lidar_word_is(word, "element") ? take_element(ply, line)
                                                 : take_property(ply, line)))
      return false;
  }
  if (ply->place == START || ply->place == BEFORE)
    return stx_fail(
        ply->error, "the header (lines 1 … %zu) has no element vertex", ply->lines.line);
  return stx_lidar_take_fields(
      ply->file->lists ? &ply->numbered : &ply->found, "element vertex", ply->file, ply->error);
}

/* ---- Elements before the vertices ---------------------------------------------------------- */

/* The properties of one element of the header, in turn; false after the last one. Other lines are
 * passed over; all have been checked before. */
static bool next_property(StxLidarLines *header, Property *property)
{
  StxLidarLines ahead = *header;
  StxLidarText line, word;
  while (stx_lidar_next_full_line(&ahead, &line)) {
    stx_lidar_next_word(&line, &word);
    if (stx_lidar_word_is(word, "element") || stx_lidar_word_is(word, "end_header"))
      return false;
    *header = ahead;
    if (stx_lidar_word_is(word, "property"))
      return read_property(line, ahead.line, property, NULL);
  }
  return false;
}

/* Moves file->data on by `count` values of `size` bytes. */
static bool skip_bytes(StxLidarFile *file, size_t count, size_t size, size_t line, StxError *error)
{
  size_t room = file->size - file->data;
  if (size > 0 && count > room / size)
    return stx_fail(error,
        "line %zu: the file ends within this element: %zu values of %zu bytes from byte %zu on, of "
        "%zu",
        line, count, size, file->data, file->size);
  file->data += count * size;
  return true;
}

static bool skip_list(
    const uint8_t *bytes, const Property *list, StxLidarFile *file, size_t line, StxError *error)
{
  size_t at = file->data;
  if (!skip_bytes(file, 1, stx_lidar_type_size(list->length), line, error))
    return false;
  int64_t length = stx_lidar_integer(bytes + at, list->length, file->encoding == STX_LIDAR_BIG);
  if (length < 0)
    return stx_fail(
        error, "byte %zu: a list of %lld values; possible: 0 or more", at, (long long)length);
  return skip_bytes(file, (size_t)length, stx_lidar_type_size(list->type), line, error);
}

/* The properties of an element with lists. They are taken from the header once: it may be long. */
static bool list_properties(
    StxLidarLines header, Property properties[MAX_PROPERTIES + 1], size_t *used, StxError *error)
{
  size_t line = header.line;
  *used = 0;
  while (*used <= MAX_PROPERTIES && next_property(&header, &properties[*used]))
    ++*used;
  return *used <= MAX_PROPERTIES ||
         stx_fail(error, "line %zu: more than %d properties, with lists among them", line,
             MAX_PROPERTIES);
}

/* Records that differ in length. */
static bool skip_lists(
    const uint8_t *bytes, StxLidarLines header, size_t count, StxLidarFile *file, StxError *error)
{
  Property properties[MAX_PROPERTIES + 1];
  size_t line = header.line, used;
  if (!list_properties(header, properties, &used, error))
    return false;
  for (size_t i = 0; i < count; i++)
    for (size_t p = 0; p < used; p++) {
      bool list = properties[p].length != STX_LIDAR_ABSENT;
      size_t size = stx_lidar_type_size(properties[p].type);
      if (!(list ? skip_list(bytes, &properties[p], file, line, error)
                 : skip_bytes(file, 1, size, line, error)))
        return false;
    }
  return true;
}

/* `properties` are the header's lines behind the element's. */
static bool skip_records(const uint8_t *bytes, StxLidarLines properties, size_t count,
    StxLidarFile *file, StxError *error)
{
  StxLidarLines header = properties;
  Property property;
  size_t record = 0;
  while (next_property(&header, &property)) {
    if (property.length != STX_LIDAR_ABSENT)
      return skip_lists(bytes, properties, count, file, error);
    record += stx_lidar_type_size(property.type);
  }
  return skip_bytes(file, count, record, properties.line, error);
}

/* Skips a text file's elements: each is a line, unless it has no properties. */
static bool skip_lines(const uint8_t *bytes, StxLidarLines properties, size_t count,
    StxLidarFile *file, StxError *error)
{
  const char *text = (const char *)bytes;
  StxLidarLines lines = {{text + file->data, text + file->size}, file->lines};
  StxLidarLines header = properties;
  StxLidarText line;
  Property property;
  if (!next_property(&header, &property))
    return true;
  for (size_t i = 0; i < count; i++)
    if (!stx_lidar_next_full_line(&lines, &line))
      return stx_fail(error,
          "line %zu: the file ends within the element of line %zu, before the "
          "vertices",
          lines.line, properties.line);
  file->data = (size_t)(lines.rest.at - text);
  file->lines = lines.line;
  return true;
}

static bool skip_elements(const uint8_t *bytes, StxLidarFile *file, StxError *error)
{
  StxLidarLines header = {{(const char *)bytes, (const char *)bytes + file->data}, 0};
  StxLidarText line, word, name;
  size_t count;
  while (stx_lidar_next_full_line(&header, &line)) {
    stx_lidar_next_word(&line, &word);
    if (!stx_lidar_word_is(word, "element"))
      continue;
    if (!read_element(line, header.line, &name, &count, error))
      return false;
    if (stx_lidar_word_is(name, "vertex"))
      break;
    bool skipped = file->encoding == STX_LIDAR_TEXT
                       ? skip_lines(bytes, header, count, file, error)
                       : skip_records(bytes, header, count, file, error);
    if (!skipped)
      return false;
  }
  return true;
}

/* ---- Vertices with lists ------------------------------------------------------------------- */

/* Reads one of text; the list's values behind its length are passed over. */
static bool read_line(const StxLidarFile *file, const Property *properties, size_t used,
    StxLidarText line, size_t number, float *point, StxError *error)
{
  StxLidarText word;
  for (size_t p = 0; p < used; p++) {
    bool list = properties[p].length != STX_LIDAR_ABSENT;
    bool good = stx_lidar_next_word(&line, &word);
    size_t length = 0;
    if (list)
      good = good && stx_lidar_word_count(word, file->size, &length);
    for (int c = 0; c < STX_LIDAR_POINT_FLOATS && !list && good; c++)
      if (file->fields[c].type != STX_LIDAR_ABSENT && file->fields[c].at == p)
        good = stx_lidar_word_number(word, &point[c]);
    if (!good)
      return stx_fail(error, "line %zu: %s %s is \"%s\"; expected a number", number,
          list ? "the length of list" : "property", stx_lidar_show(properties[p].name).text,
          stx_lidar_show(word).text);
    while (length > 0 && stx_lidar_next_word(&line, &word))
      length--;
    if (length > 0)
      return stx_fail(error, "line %zu ends %zu values before the end of list %s", number, length,
          stx_lidar_show(properties[p].name).text);
  }
  return !stx_lidar_next_word(&line, &word) ||
         stx_fail(error, "line %zu has values behind its last property, from \"%s\" on", number,
             stx_lidar_show(word).text);
}

/* Reads one of bytes, and moves file->data on. */
static bool read_record(const uint8_t *bytes, const Property *properties, size_t used, size_t line,
    StxLidarFile *file, float *point, StxError *error)
{
  for (size_t p = 0; p < used; p++) {
    size_t at = file->data;
    if (properties[p].length != STX_LIDAR_ABSENT) {
      if (!skip_list(bytes, &properties[p], file, line, error))
        return false;
      continue;
    }
    if (!skip_bytes(file, 1, stx_lidar_type_size(properties[p].type), line, error))
      return false;
    for (int c = 0; c < STX_LIDAR_POINT_FLOATS; c++)
      if (file->fields[c].type != STX_LIDAR_ABSENT && file->fields[c].at == p)
        point[c] = stx_lidar_value(bytes + at, properties[p].type, file->encoding == STX_LIDAR_BIG);
  }
  return true;
}

/* The header's lines behind "element vertex", which is there. */
static StxLidarLines find_vertex(const StxLidarFile *file, const uint8_t *bytes)
{
  StxLidarLines header = {{(const char *)bytes, (const char *)bytes + file->size}, 0};
  StxLidarText line, word, name;
  while (stx_lidar_next_full_line(&header, &line)) {
    stx_lidar_next_word(&line, &word);
    stx_lidar_next_word(&line, &name);
    if (stx_lidar_word_is(word, "element") && stx_lidar_word_is(name, "vertex"))
      break;
  }
  return header;
}

static bool read_points(
    const StxLidarFile *file, const uint8_t *bytes, float *points, void *scratch, StxError *error)
{
  if (!file->lists)
    return stx_lidar_read_points(file, bytes, points, scratch, error);
  const char *text = (const char *)bytes;
  StxLidarLines lines = {{text + file->data, text + file->size}, file->lines};
  StxLidarLines header = find_vertex(file, bytes);
  StxLidarFile ahead = *file;
  StxLidarText line;
  Property properties[MAX_PROPERTIES + 1];
  size_t used;
  if (!list_properties(header, properties, &used, error))
    return false;
  bool good = true;
  memset(points, 0, file->points * STX_LIDAR_POINT_FLOATS * sizeof *points);
  for (size_t i = 0; i < file->points && good; i++, points += STX_LIDAR_POINT_FLOATS)
    if (file->encoding != STX_LIDAR_TEXT)
      good = read_record(bytes, properties, used, header.line, &ahead, points, error);
    else if (stx_lidar_next_full_line(&lines, &line))
      good = read_line(file, properties, used, line, lines.line, points, error);
    else
      good = stx_fail(error, "line %zu: the file ends after %zu points; its header announces %zu",
          lines.line, i, file->points);
  return good;
}

static bool probe(const uint8_t *bytes, StxLidarFile *file, StxError *error)
{
  const char *text = (const char *)bytes;
  Ply ply = {.lines = {{text, text + file->size}, 0}, .file = file, .error = error};
  if (!read_header(&ply))
    return false;
  file->data = (size_t)(ply.lines.rest.at - text);
  file->lines = ply.lines.line;
  if (file->points == 0)
    return true;
  return skip_elements(bytes, file, error) && stx_lidar_check_points(file, error);
}

const StxLidarFormatInfo stx_lidar_ply = {
    "ply", "application/x-ply", NULL, matches, recognizes, probe, read_points};
