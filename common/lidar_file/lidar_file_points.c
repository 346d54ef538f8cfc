/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of a point, whatever the format: which are wanted, and how they become float32. */
#include "common/lidar_file/lidar_file_private.h"

#include <string.h>

/* ---- LZF ----------------------------------------------------------------------------------- */

/*
 * LZF, the compression of PCD's binary_compressed, after the description of its format in Marc
 * Lehmann's liblzf:
 *
 *   000LLLLL <L + 1 bytes>            these bytes                    L 0…31
 *   LLLooooo oooooooo                 L + 2 bytes from o + 1 back    L 1…6
 *   111ooooo LLLLLLLL oooooooo        L + 9 bytes from o + 1 back    L 0…255
 *
 * Written here rather than linked: liblzf has no pkg-config file and is missing on most machines,
 * so that the formats a build can read would depend on where it was built, for thirty lines.
 */

/*
 * Unpacks `packed` bytes of LZF, which must give exactly `size` bytes. Otherwise false, with the
 * byte of the file in error (`origin` is where the packed bytes lie in it).
 */
static bool unpack_lzf(
    const uint8_t *from, size_t packed, uint8_t *to, size_t size, size_t origin, StxError *error)
{
  size_t in = 0, out = 0;
  while (in < packed) {
    size_t begin = in, control = from[in++], back = 0, length = control + 1;
    bool copies = control >= 32;
    if (copies) {
      length = control / 32 + 2;
      size_t needed = control / 32 == 7 ? 2 : 1;
      if (needed > packed - in)
        return stx_fail(
            error, "the compressed points end within a step at byte %zu", origin + begin);
      if (needed == 2)
        length += from[in++];
      back = control % 32 * 256 + from[in++] + 1;
    } else if (length > packed - in) {
      return stx_fail(error,
          "the compressed points end within a step at byte %zu: %zu bytes of %zu", origin + begin,
          packed - in, length);
    }
    if (length > size - out)
      return stx_fail(error,
          "the compressed points give more than the expected %zu bytes at byte %zu", size,
          origin + begin);
    if (back > out)
      return stx_fail(error,
          "the compressed points refer %zu bytes back at byte %zu; possible: 1 … %zu", back,
          origin + begin, out);
    if (copies && back >= length) {
      memcpy(to + out, to + out - back, length);
    } else if (copies) { /* forward byte by byte: they overlap where a pattern repeats */
      for (size_t i = 0; i < length; i++)
        to[out + i] = to[out + i - back];
    } else {
      memcpy(to + out, from + in, length);
      in += length;
    }
    out += length;
  }
  if (out < size)
    return stx_fail(error,
        "the compressed points, %zu bytes from byte %zu on, give %zu bytes; expected %zu", packed,
        origin, out, size);
  return true;
}

#define CHANNELS STX_LIDAR_POINT_FLOATS

static const bool host_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

/* ---- Which fields -------------------------------------------------------------------------- */

/* Names of each channel, the best first. */
static const char *const names[CHANNELS][7] = {{"x"}, {"y"}, {"z"},
    {"intensity", "i", "reflectance", "reflectivity", "remission", "scalar_intensity"}};

size_t stx_lidar_type_size(StxLidarType type)
{
  static const uint8_t sizes[STX_LIDAR_TYPE_COUNT] = {
      [STX_LIDAR_F32] = 4,
      [STX_LIDAR_F64] = 8,
      [STX_LIDAR_I8] = 1,
      [STX_LIDAR_I16] = 2,
      [STX_LIDAR_I32] = 4,
      [STX_LIDAR_I64] = 8,
      [STX_LIDAR_U8] = 1,
      [STX_LIDAR_U16] = 2,
      [STX_LIDAR_U32] = 4,
      [STX_LIDAR_U64] = 8,
  };
  return sizes[type];
}

bool stx_lidar_offer_field(StxLidarFound *found, StxLidarText name, StxLidarField field)
{
  int rank = 0, channel = 0;
  for (int c = 0; c < CHANNELS; c++)
    for (int i = 0; names[c][i] != NULL; i++)
      if (stx_lidar_word_is(name, names[c][i])) {
        rank = i + 1;
        channel = c;
      }
  if (rank == 0)
    return true;
  if (rank == found->rank[channel])
    return false;
  if (found->rank[channel] == 0 || rank < found->rank[channel]) {
    found->rank[channel] = rank;
    found->fields[channel] = field;
  }
  return true;
}

bool stx_lidar_take_fields(
    const StxLidarFound *found, const char *where, StxLidarFile *file, StxError *error)
{
  for (int c = 0; c < 3; c++)
    if (found->rank[c] == 0)
      return stx_fail(error, "%s has no %s; expected x, y and z", where, names[c][0]);
  memcpy(file->fields, found->fields, sizeof file->fields);
  return true;
}

/* A line of n numbers has n characters and n − 1 blanks, or an end that the last line lacks. */
bool stx_lidar_check_points(const StxLidarFile *file, StxError *error)
{
  bool text = file->encoding == STX_LIDAR_TEXT;
  size_t room = file->size - file->data + (text ? 1 : 0);
  size_t least = file->record * (text ? 2 : 1);
  if (file->points > room / least)
    return stx_fail(error,
        "the header announces %zu points of %zu %s, but only %zu bytes follow from byte %zu on: at "
        "most %zu points",
        file->points, file->record, text ? "numbers" : "bytes", file->size - file->data, file->data,
        room / least);
  return true;
}

/* ---- Records ------------------------------------------------------------------------------- */

/* Files are little-endian. */
static uint64_t load_bits(const uint8_t *from, size_t size)
{
  uint64_t u64;
  uint32_t u32;
  uint16_t u16;
  switch (size) {
  case 1:
    return *from;
  case 2:
    memcpy(&u16, from, sizeof u16);
    return host_is_big ? __builtin_bswap16(u16) : u16;
  case 4:
    memcpy(&u32, from, sizeof u32);
    return host_is_big ? __builtin_bswap32(u32) : u32;
  default:
    memcpy(&u64, from, sizeof u64);
    return host_is_big ? __builtin_bswap64(u64) : u64;
  }
}

static int64_t integer(uint64_t bits, StxLidarType type)
{
  switch (type) {
  case STX_LIDAR_I8:
    return (int8_t)bits;
  case STX_LIDAR_I16:
    return (int16_t)bits;
  case STX_LIDAR_I32:
    return (int32_t)bits;
  default:
    return (int64_t)bits;
  }
}

uint32_t stx_lidar_u32(const uint8_t *from)
{
  return (uint32_t)load_bits(from, 4);
}

/* The nearest float; a float32 bit by bit, so that even the kind of a NaN stays. */
static void store(uint64_t bits, StxLidarType type, float *to)
{
  uint32_t low = (uint32_t)bits;
  double wide;
  switch (type) {
  case STX_LIDAR_F32:
    memcpy(to, &low, sizeof low);
    break;
  case STX_LIDAR_F64:
    memcpy(&wide, &bits, sizeof bits);
    *to = (float)wide;
    break;
  case STX_LIDAR_U64:
    *to = (float)bits;
    break;
  default:
    *to = (float)integer(bits, type);
  }
}

float stx_lidar_value(const uint8_t *from, StxLidarType type)
{
  float value;
  store(load_bits(from, stx_lidar_type_size(type)), type, &value);
  return value;
}

/* `base` is where the first record, or the array of the first field, is. */
static void read_records(const StxLidarFile *file, const uint8_t *base, float *points)
{
  bool packed = file->record == CHANNELS * sizeof(float) && file->encoding == STX_LIDAR_LITTLE &&
                !host_is_big; /* a record is a point */
  for (size_t c = 0; c < CHANNELS; c++)
    packed =
        packed && file->fields[c].type == STX_LIDAR_F32 && file->fields[c].at == c * sizeof(float);
  if (packed) {
    memcpy(points, base, file->points * file->record);
    return;
  }
  for (size_t c = 0; c < CHANNELS; c++) {
    StxLidarField field = file->fields[c];
    size_t stride = file->record, at = field.at;
    if (file->encoding == STX_LIDAR_LZF) {
      stride = stx_lidar_type_size(field.type);
      at *= file->points;
    }
    const uint8_t *from = base + at;
    float *to = points + c;
    if (field.type != STX_LIDAR_ABSENT)
      for (size_t i = 0, size = stx_lidar_type_size(field.type); i < file->points;
           i++, from += stride, to += CHANNELS)
        store(load_bits(from, size), field.type, to);
    else
      for (size_t i = 0; i < file->points; i++)
        points[CHANNELS * i + c] = 0;
  }
}

/* ---- Text ---------------------------------------------------------------------------------- */

static bool read_line(
    const StxLidarFile *file, StxLidarText line, size_t number, float *point, StxError *error)
{
  size_t column = 0;
  StxLidarText word;
  for (; stx_lidar_next_word(&line, &word); column++)
    for (size_t c = 0; c < CHANNELS; c++)
      if (file->fields[c].at == column && file->fields[c].type != STX_LIDAR_ABSENT &&
          !stx_lidar_word_number(word, &point[c]))
        return stx_fail(error, "line %zu: %s is \"%s\"; expected a number", number, names[c][0],
            stx_lidar_show(word).text);
  if (column != file->record)
    return stx_fail(error, "line %zu has %zu values; expected %zu, one per field", number, column,
        file->record);
  return true;
}

static bool read_text(
    const StxLidarFile *file, const uint8_t *bytes, float *points, StxError *error)
{
  const char *text = (const char *)bytes;
  StxLidarLines lines = {{text + file->data, text + file->size}, file->lines};
  StxLidarText line;
  bool good = true;
  for (size_t i = 0; i < file->points && good; i++) {
    float *point = points + CHANNELS * i;
    memset(point, 0, CHANNELS * sizeof *point);
    if (!stx_lidar_next_full_line(&lines, &line))
      good = stx_fail(error, "line %zu: the file ends after %zu points; its header announces %zu",
          lines.line, i, file->points);
    else
      good = read_line(file, line, lines.line, point, error);
  }
  return good;
}

bool stx_lidar_read_points(
    const StxLidarFile *file, const uint8_t *bytes, float *points, void *scratch, StxError *error)
{
  const uint8_t *data = bytes + file->data;
  if (file->encoding == STX_LIDAR_TEXT)
    return read_text(file, bytes, points, error);
  if (file->encoding == STX_LIDAR_LZF) {
    if (!unpack_lzf(data, file->packed, scratch, file->scratch_size, file->data, error))
      return false;
    data = scratch;
  }
  read_records(file, data, points);
  return true;
}
