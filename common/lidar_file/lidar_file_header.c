/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which format it is, from the first bytes alone, and without a doubt: what reads any file of
 * anybody's must not take a letter that begins with "data" for points. */
#include "common/lidar_file/lidar_file_private.h"

/* A line that somebody has ended. */
static bool next_whole_line(StxLidarLines *lines, StxLidarText *line)
{
  return stx_lidar_next_full_line(lines, line) && line->end < lines->rest.end;
}

static bool has_word(StxLidarText line, const char *name)
{
  StxLidarText word;
  while (stx_lidar_next_word(&line, &word))
    if (stx_lidar_word_is(word, name))
      return true;
  return false;
}

/* Comments, then VERSION, if it is there, then fields that make points. */
static bool is_pcd(StxLidarLines lines)
{
  StxLidarText line, word;
  while (next_whole_line(&lines, &line)) {
    if (*line.at == '#')
      continue;
    stx_lidar_next_word(&line, &word);
    if (stx_lidar_word_is(word, "fields") || stx_lidar_word_is(word, "columns"))
      return has_word(line, "x") && has_word(line, "y") && has_word(line, "z");
    if (!stx_lidar_word_is(word, "version"))
      return false;
  }
  return false;
}

/* The magic line, comments, and how numbers are written. */
static bool is_ply(const uint8_t *bytes, size_t size, StxLidarLines lines)
{
  StxLidarText line, word;
  if (!stx_lidar_is_ply(bytes, size))
    return false;
  stx_lidar_next_line(&lines, &line);
  while (next_whole_line(&lines, &line)) {
    stx_lidar_next_word(&line, &word);
    if (stx_lidar_word_is(word, "format"))
      return has_word(line, "1.0") &&
             (has_word(line, "ascii") || has_word(line, "binary_little_endian") ||
                 has_word(line, "binary_big_endian"));
    if (!stx_lidar_word_is(word, "comment") && !stx_lidar_word_is(word, "obj_info"))
      return false;
  }
  return false;
}

StxLidarFormat stx_lidar_file_recognize(const void *bytes, size_t size)
{
  const char *begin = bytes;
  StxLidarLines lines = {{begin, begin + size}, 0};
  if (size == 0)
    return STX_LIDAR_AUTO;
  if (is_ply(bytes, size, lines))
    return STX_LIDAR_PLY;
  return is_pcd(lines) ? STX_LIDAR_PCD : STX_LIDAR_AUTO;
}
