/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The header of a .pcd file: lines of a keyword and its values, up to DATA. Four of them have one
 * value per field,
 *
 *   FIELDS x y z intensity
 *   SIZE   4 4 4 4
 *   TYPE   F F F F
 *   COUNT  1 1 1 1                 optional: 1
 *
 * which are read side by side, so that any number of fields needs no memory.
 */
#include "common/lidar_file/lidar_file_private.h"

#include <string.h>

#define MAX_COUNT ((size_t)1 << 24)  /* values of one field */
#define MAX_RECORD ((size_t)1 << 30) /* bytes or columns of one point */

enum { FIELDS, SIZE, TYPE, COUNT, WIDTH, HEIGHT, POINTS, DATA, VERSION, VIEWPOINT, KEYWORDS };

static const char *const keywords[KEYWORDS] = {
    "fields", "size", "type", "count", "width", "height", "points", "data", "version", "viewpoint"};

typedef struct {
  StxLidarText values[KEYWORDS]; /* what follows the keyword */
  size_t line[KEYWORDS];         /* 0: not in the file */
  StxLidarLines lines;
  StxError *error;
} Header;

/* ---- Lines --------------------------------------------------------------------------------- */

static int keyword_of(StxLidarText word)
{
  if (stx_lidar_word_is(word, "columns")) /* what FIELDS was called before 0.7 */
    return FIELDS;
  for (int i = 0; i < KEYWORDS; i++)
    if (stx_lidar_word_is(word, keywords[i]))
      return i;
  return -1;
}

static bool matches(const uint8_t *bytes, size_t size)
{
  StxLidarLines lines = {{(const char *)bytes, (const char *)bytes + size}, 0};
  StxLidarText line, word;
  while (stx_lidar_next_full_line(&lines, &line))
    if (*line.at != '#')
      return stx_lidar_next_word(&line, &word) && keyword_of(word) >= 0;
  return false;
}

/* Comments, then VERSION, if it is there, then fields that make points: a letter that begins with
 * "data" is no file of points. */
static bool recognizes(const uint8_t *bytes, size_t size)
{
  StxLidarLines lines = {{(const char *)bytes, (const char *)bytes + size}, 0};
  StxLidarText line, word;
  while (stx_lidar_next_whole_line(&lines, &line)) {
    if (*line.at == '#')
      continue;
    stx_lidar_next_word(&line, &word);
    int key = keyword_of(word);
    if (key == FIELDS)
      return stx_lidar_line_has(line, "x") && stx_lidar_line_has(line, "y") &&
             stx_lidar_line_has(line, "z");
    if (key != VERSION)
      return false;
  }
  return false;
}

static bool read_lines(Header *header)
{
  StxLidarText line, word;
  while (header->line[DATA] == 0) {
    if (!stx_lidar_next_full_line(&header->lines, &line))
      return stx_fail(header->error, "line %zu: the file ends within the header, before DATA",
          header->lines.line);
    stx_lidar_next_word(&line, &word);
    int key = keyword_of(word);
    if (key < 0)
      continue;
    if (header->line[key] != 0)
      return stx_fail(header->error, "line %zu: %s a second time (first in line %zu)",
          header->lines.line, stx_lidar_show(word).text, header->line[key]);
    header->values[key] = line;
    header->line[key] = header->lines.line;
  }
  return true;
}

/* ---- Numbers of points --------------------------------------------------------------------- */

/* The only value of a line, or `missing` if there is no such line. */
static bool read_count(const Header *header, int key, size_t missing, size_t *value)
{
  static const size_t limit = SIZE_MAX / (STX_LIDAR_POINT_FLOATS * sizeof(float));
  StxLidarText line = header->values[key], word, second;
  *value = missing;
  if (header->line[key] == 0)
    return true;
  stx_lidar_next_word(&line, &word);
  if (stx_lidar_word_count(word, limit, value) && !stx_lidar_next_word(&line, &second))
    return true;
  word.end = line.end; /* the whole line, from its first word on */
  return stx_fail(header->error, "line %zu: \"%s\" is no number of points; possible: 0 … %zu",
      header->line[key], stx_lidar_show(word).text, limit);
}

static bool read_points(const Header *header, StxLidarFile *file)
{
  size_t width, height;
  if (header->line[POINTS] == 0 && header->line[WIDTH] == 0)
    return stx_fail(header->error,
        "the header (lines 1 … %zu) has neither POINTS nor WIDTH: the number of points is unknown",
        header->line[DATA]);
  if (!read_count(header, HEIGHT, 1, &height) || !read_count(header, WIDTH, 0, &width) ||
      !read_count(header, POINTS, 0, &file->points))
    return false;
  bool fits = width == 0 || height <= SIZE_MAX / (STX_LIDAR_POINT_FLOATS * sizeof(float)) / width;
  if (fits && header->line[POINTS] == 0)
    file->points = width * height;
  if (fits && (header->line[WIDTH] == 0 || width * height == file->points))
    return true;
  if (header->line[POINTS] == 0)
    return stx_fail(header->error, "line %zu: WIDTH %zu times HEIGHT %zu is too much",
        header->line[WIDTH], width, height);
  return stx_fail(header->error, "line %zu: POINTS is %zu, but WIDTH %zu times HEIGHT %zu is not",
      header->line[POINTS], file->points, width, height);
}

/* ---- Fields -------------------------------------------------------------------------------- */

static StxLidarType type_of(StxLidarText type, size_t size)
{
  static const StxLidarType of_size[3][9] = {
      {[4] = STX_LIDAR_F32, [8] = STX_LIDAR_F64},
      {[1] = STX_LIDAR_I8, [2] = STX_LIDAR_I16, [4] = STX_LIDAR_I32, [8] = STX_LIDAR_I64},
      {[1] = STX_LIDAR_U8, [2] = STX_LIDAR_U16, [4] = STX_LIDAR_U32, [8] = STX_LIDAR_U64},
  };
  static const char *const letters[3] = {"f", "i", "u"};
  for (int i = 0; i < 3; i++)
    if (stx_lidar_word_is(type, letters[i]) && size <= 8)
      return of_size[i][size];
  return STX_LIDAR_ABSENT;
}

/* One word from each of the four lines, the first of which has one. */
static bool read_field(const Header *header, StxLidarText rest[4], StxLidarText *name,
    StxLidarType *type, size_t *count)
{
  static const char *const shown[] = {"name", "SIZE", "TYPE", "COUNT"};
  StxLidarText words[4];
  size_t size;
  for (int i = FIELDS; i <= COUNT; i++)
    if (!stx_lidar_next_word(&rest[i], &words[i]) && (i != COUNT || header->line[COUNT] != 0))
      return stx_fail(header->error, "line %zu: field \"%s\" has no %s",
          header->line[header->line[i] > 0 ? i : DATA], stx_lidar_show(words[FIELDS]).text,
          shown[i]);
  *name = words[FIELDS];
  *type = STX_LIDAR_ABSENT;
  if (stx_lidar_word_count(words[SIZE], 8, &size))
    *type = type_of(words[TYPE], size);
  if (*type == STX_LIDAR_ABSENT)
    return stx_fail(header->error,
        "lines %zu and %zu: field \"%s\" has SIZE %s and TYPE %s; possible: 4 and 8 for F, 1, 2, 4 "
        "and 8 for I and U",
        header->line[SIZE], header->line[TYPE], stx_lidar_show(*name).text,
        stx_lidar_show(words[SIZE]).text, stx_lidar_show(words[TYPE]).text);
  *count = 1;
  if (header->line[COUNT] != 0 &&
      (!stx_lidar_word_count(words[COUNT], MAX_COUNT, count) || *count == 0))
    return stx_fail(header->error, "line %zu: field \"%s\" has COUNT %s; possible: 1 … %zu",
        header->line[COUNT], stx_lidar_show(*name).text, stx_lidar_show(words[COUNT]).text,
        MAX_COUNT);
  return true;
}

static bool read_fields(const Header *header, StxLidarFile *file)
{
  StxLidarText rest[4], name;
  StxLidarFound found = {0};
  StxLidarType type = STX_LIDAR_ABSENT;
  size_t count = 1;
  memcpy(rest, header->values, sizeof rest);
  for (StxLidarText ahead = rest[FIELDS]; stx_lidar_next_word(&ahead, &name);) {
    if (!read_field(header, rest, &name, &type, &count))
      return false;
    /* A position with several values is none. */
    if (count == 1 && !stx_lidar_offer_field(&found, name, (StxLidarField){type, file->record}))
      return stx_fail(header->error, "line %zu: field \"%s\" a second time", header->line[FIELDS],
          stx_lidar_show(name).text);
    file->record += count * (file->encoding == STX_LIDAR_TEXT ? 1 : stx_lidar_type_size(type));
    if (file->record > MAX_RECORD)
      return stx_fail(header->error, "line %zu: a point has more than %zu bytes or numbers",
          header->line[FIELDS], MAX_RECORD);
  }
  for (int i = SIZE; i <= COUNT; i++)
    if (stx_lidar_next_word(&rest[i], &name))
      return stx_fail(header->error, "line %zu: \"%s\" belongs to no field of line %zu",
          header->line[i], stx_lidar_show(name).text, header->line[FIELDS]);
  return stx_lidar_take_fields(&found, "FIELDS", file, header->error);
}

/* ---- Data ---------------------------------------------------------------------------------- */

static bool read_encoding(const Header *header, StxLidarFile *file)
{
  StxLidarText line = header->values[DATA], word;
  stx_lidar_next_word(&line, &word);
  if (stx_lidar_word_is(word, "ascii"))
    file->encoding = STX_LIDAR_TEXT;
  else if (stx_lidar_word_is(word, "binary"))
    file->encoding = STX_LIDAR_LITTLE;
  else if (stx_lidar_word_is(word, "binary_compressed"))
    file->encoding = STX_LIDAR_LZF;
  else
    return stx_fail(header->error,
        "line %zu: DATA is \"%s\"; possible: ascii, binary and binary_compressed",
        header->line[DATA], stx_lidar_show(word).text);
  return true;
}

/* Before compressed points stand two u32: their number of bytes, and what that will be unpacked. */
static bool probe_packed(const uint8_t *bytes, StxLidarFile *file, StxError *error)
{
  size_t room = file->size - file->data;
  if (room < 8)
    return stx_fail(error,
        "%zu bytes follow the header at byte %zu; expected the two sizes of the compressed points, "
        "8 bytes",
        room, file->data);
  file->packed = stx_lidar_u32(bytes + file->data);
  file->scratch_size = stx_lidar_u32(bytes + file->data + 4);
  if (file->packed > room - 8)
    return stx_fail(error, "byte %zu: %zu bytes of compressed points, but only %zu bytes follow",
        file->data, file->packed, room - 8);
  if (file->scratch_size % file->record != 0 || file->scratch_size / file->record != file->points)
    return stx_fail(error,
        "byte %zu: the compressed points will be %zu bytes, but the header announces %zu points "
        "of %zu bytes",
        file->data + 4, file->scratch_size, file->points, file->record);
  if ((file->scratch_size - 1) / STX_LIDAR_LZF_MAX_RATIO >= file->packed)
    return stx_fail(error,
        "byte %zu: %zu bytes of compressed points cannot become %zu; possible: at most %d times as "
        "many",
        file->data, file->packed, file->scratch_size, STX_LIDAR_LZF_MAX_RATIO);
  file->data += 8;
  return true;
}

static bool probe(const uint8_t *bytes, StxLidarFile *file, StxError *error)
{
  const char *text = (const char *)bytes;
  Header header = {.lines = {{text, text + file->size}, 0}, .error = error};
  if (!read_lines(&header) || !read_encoding(&header, file) || !read_fields(&header, file) ||
      !read_points(&header, file))
    return false;
  file->data = (size_t)(header.lines.rest.at - text);
  file->lines = header.lines.line;
  if (file->points == 0)
    return true;
  if (file->encoding == STX_LIDAR_LZF)
    return probe_packed(bytes, file, error);
  return stx_lidar_check_points(file, error);
}

const StxLidarFormatInfo stx_lidar_pcd = {
    "pcd", "application/x-pcd", NULL, matches, recognizes, probe};
