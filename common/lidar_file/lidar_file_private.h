/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the formats of lidar_file.h: text, types, and the fields of a point. */
#pragma once

#include "common/lidar_file/lidar_file.h"

/* ---- Text (lidar_file_text.c) -------------------------------------------------------------- */

/* The characters at … end − 1 of another text. */
typedef struct {
  const char *at, *end;
} StxLidarText;

/* A text that is read line by line; `line` is the number of the last one, the first is 1. */
typedef struct {
  StxLidarText rest;
  size_t line;
} StxLidarLines;

/* The next line that has a word, without its end. False at the end of the text. */
bool stx_lidar_next_full_line(StxLidarLines *lines, StxLidarText *line);

/* The same, if its end is there, too: of a text that may have been cut. */
bool stx_lidar_next_whole_line(StxLidarLines *lines, StxLidarText *line);

/* Takes the next word off the line; a word ends at a blank. False, and an empty word, at the end of
 * the line. */
bool stx_lidar_next_word(StxLidarText *line, StxLidarText *word);

/* True if the word is `name`, which is in small letters; the word may have capitals. */
bool stx_lidar_word_is(StxLidarText word, const char *name);

/* Decimal digits alone, at most `limit`. */
bool stx_lidar_word_count(StxLidarText word, size_t limit, size_t *value);

/* True if one of the line's words is that name. */
bool stx_lidar_line_has(StxLidarText line, const char *name);

/* A number as strtod reads it in the C locale, hexadecimal numbers excepted. */
bool stx_lidar_word_number(StxLidarText word, float *value);

/* A word for an error text: printable ASCII, shortened. */
typedef struct {
  char text[32];
} StxLidarShown;
StxLidarShown stx_lidar_show(StxLidarText word);

/* ---- Fields (lidar_file_points.c) ---------------------------------------------------------- */

/* Bytes of one value; 0 for ABSENT. */
size_t stx_lidar_type_size(StxLidarType type);

/* The nearest float of a value. */
float stx_lidar_value(const uint8_t *from, StxLidarType type);

/* An unsigned integer of 4 bytes. */
uint32_t stx_lidar_u32(const uint8_t *from);

/* The fields of a point that were found so far, and how good their names are: 1 the best, 0 none.
 * Zero it to begin with. */
typedef struct {
  StxLidarField fields[STX_LIDAR_POINT_FLOATS];
  int rank[STX_LIDAR_POINT_FLOATS];
} StxLidarFound;

/* Offers a field of the file: it is taken if its name is one of a point's and better than those
 * before. False if the same name was offered before. */
bool stx_lidar_offer_field(StxLidarFound *found, StxLidarText name, StxLidarField field);

/* Puts the fields into the file. False, with an error that speaks of `where`, unless x, y and z
 * were found. */
bool stx_lidar_take_fields(
    const StxLidarFound *found, const char *where, StxLidarFile *file, StxError *error);

/* Checks file->points against the bytes from file->data on. */
bool stx_lidar_check_points(const StxLidarFile *file, StxError *error);

/* Reads points, of which there is at least one, by their encoding. */
bool stx_lidar_read_points(
    const StxLidarFile *file, const uint8_t *bytes, float *points, void *scratch, StxError *error);

/* The most bytes that one byte of LZF stands for: three give 264. */
#define STX_LIDAR_LZF_MAX_RATIO 88
