/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ouster: columns of pixels, one for each beam, at a fixed number of encoder positions a turn. What
 * a pixel looks like is the sensor's lidar profile, which its metadata name; the packet does not.
 *
 * A beam begins at a distance from the axis, where it turns with the encoder; ranges are measured
 * from the axis. With n that distance, r the range, e the encoder's angle, a and h the beam's
 * azimuth and altitude:
 *
 *   x = (r − n) cos (e + a) cos h + n cos e     y likewise with sines     z = (r − n) sin h
 *
 * and from there to the sensor's frame by lidar_to_sensor_transform.
 */
#include "common/lidar_packet/lidar_packet_private.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/calibration/calibration_file.h"
#include "common/text_file.h"

#define HEADER 32 /* of a packet, and its end; none with the legacy profile */
#define COLUMN_HEADER 12
#define LEGACY_HEADER 16 /* of a column, and 4 bytes behind it */

/* A pixel: its bytes, how many returns, where the reflectivity stands; of the low data rate ranges
 * are 15 bits of 8 mm. A second return follows after 4 bytes. */
typedef struct {
  const char *name;
  uint8_t size, returns, reflectivity;
  bool low_rate;
} Profile;

static const Profile profiles[] = {
    {"LEGACY", 12, 1, 4, false},
    {"RNG19_RFL8_SIG16_NIR16", 12, 1, 4, false},
    {"RNG19_RFL8_SIG16_NIR16_DUAL", 16, 2, 3, false},
    {"RNG15_RFL8_NIR8", 4, 1, 2, true},
    {"RNG15_RFL8_WIN8", 4, 1, 2, true},
    {"RNG15_RFL8_NIR8_DUAL", 8, 2, 2, true},
    {"FUSA_RNG15_RFL8_NIR8_DUAL", 8, 2, 2, true},
    {"FIVE_WORD_PIXEL", 20, 2, 3, false},
    {"RNG15_RFL8_NIR8_ZONE16", 8, 1, 2, true},
    {"RNG19_RFL8_SIG16_NIR16_ZONE16", 12, 1, 4, false},
    {"RNG19_RFL8_SIG16_ZONE16_DUAL", 16, 2, 3, false},
    {"RNG19_RFL8_SIG16_NIR16_RGB16", 16, 1, 3, false},
    {"RNG19_RFL8_SIG16_NIR16_RGB16_DUAL", 20, 2, 3, false},
};
#define PROFILES (sizeof profiles / sizeof profiles[0])

static size_t packet_size(bool legacy, size_t pixels, size_t pixel, size_t columns)
{
  if (legacy)
    return columns * (LEGACY_HEADER + pixels * pixel + 4);
  return 2 * HEADER + columns * (COLUMN_HEADER + pixels * pixel);
}

/* ---- Metadata ------------------------------------------------------------------------------ */

/* The sensor's file, and how messages speak of it. */
typedef struct {
  const json_t *tree;
  const char *name;
  StxError *error;
} Metadata;

/* Firmware 3 has groups where older ones have all keys side by side: the key of the file or of any
 * of its groups. */
static const json_t *find(const Metadata *metadata, const char *key)
{
  const json_t *value = json_object_get(metadata->tree, key), *group;
  const char *name;
  if (value != NULL)
    return value;
  json_object_foreach((json_t *)metadata->tree, name, group)
  {
    value = json_object_get(group, key);
    if (value != NULL)
      return value;
  }
  return NULL;
}

/* The numbers of an array, exactly so many. Without the key true, and nothing is written, unless
 * they are `needed`. */
static bool numbers(
    const Metadata *metadata, const char *key, size_t count, bool needed, double *to)
{
  const json_t *array = find(metadata, key);
  if (array == NULL && !needed)
    return true;
  if (json_array_size(array) != count)
    return stx_fail(metadata->error, "%s: \"%s\" has %zu numbers; expected %zu", metadata->name,
        key, json_array_size(array), count);
  for (size_t i = 0; i < count; i++) {
    const json_t *value = json_array_get(array, i);
    to[i] = json_number_value(value);
    if (!json_is_number(value) || fabs(to[i]) > 1e6)
      return stx_fail(metadata->error, "%s: number %zu of \"%s\" is none, or too large",
          metadata->name, i + 1, key);
  }
  return true;
}

static bool whole(const Metadata *metadata, const char *key, unsigned otherwise, unsigned low,
    unsigned high, unsigned *to)
{
  const json_t *value = find(metadata, key);
  double number = json_is_number(value) ? json_number_value(value) : otherwise;
  if (value == NULL && otherwise < low)
    return stx_fail(metadata->error,
        "%s has no \"%s\"; expected an Ouster's metadata, from "
        "http://SENSOR/api/v1/sensor/metadata",
        metadata->name, key);
  if ((value != NULL && !json_is_number(value)) || !(number >= low && number <= high))
    return stx_fail(metadata->error, "%s: \"%s\" is %.15g; expected %u to %u", metadata->name, key,
        number, low, high);
  *to = (unsigned)number;
  return true;
}

static const Profile *find_profile(const Metadata *metadata)
{
  const char *name = json_string_value(find(metadata, "udp_profile_lidar"));
  for (size_t i = 0; i < PROFILES; i++)
    if (name == NULL || strcmp(profiles[i].name, name) == 0)
      return &profiles[i];
  stx_fail(metadata->error,
      "%s: udp_profile_lidar is \"%.40s\"; known are those of firmware 2 to 4", metadata->name,
      name);
  return NULL;
}

static bool read_format(StxLidarSensor *sensor, const Metadata *metadata)
{
  const Profile *profile = find_profile(metadata);
  const char *mode = json_string_value(find(metadata, "lidar_mode"));
  const char *header = json_string_value(find(metadata, "header_type"));
  unsigned columns = mode != NULL ? (unsigned)atoi(mode) : 1024;
  double window[2] = {0, STX_LIDAR_COLUMNS};
  if (profile == NULL ||
      !whole(metadata, "columns_per_frame", columns, 16, STX_LIDAR_COLUMNS, &sensor->columns) ||
      !whole(metadata, "columns_per_packet", 16, 1, 16, &sensor->columns_per_packet) ||
      !whole(metadata, "pixels_per_column",
          (unsigned)json_array_size(find(metadata, "beam_altitude_angles")), 1, STX_LIDAR_BEAMS,
          &sensor->beams))
    return false;
  sensor->legacy = profile == profiles;
  sensor->fusa = strncmp(profile->name, "FUSA", 4) == 0 ||
                 (header != NULL && strcmp(header, "FUSA") == 0 && !sensor->legacy);
  sensor->low_rate = profile->low_rate;
  sensor->returns = profile->returns;
  sensor->pixel_size = profile->size;
  sensor->reflectivity = profile->reflectivity;
  sensor->packet_size = (unsigned)packet_size(
      sensor->legacy, sensor->beams, profile->size, sensor->columns_per_packet);
  if (!numbers(metadata, "column_window", 2, false, window))
    return false;
  for (int i = 0; i < 2; i++)
    sensor->window[i] = (unsigned)(window[i] < 0 ? 0 : fmin(window[i], sensor->columns - 1));
  return sensor->packet_size <= STX_LIDAR_PACKET_MAX ||
         stx_fail(metadata->error, "%s: a packet would have %u bytes; expected 65535 at most",
             metadata->name, sensor->packet_size);
}

/* Offsets of the beams by family, for metadata without them. */
static double origin_of(const Metadata *metadata)
{
  static const struct {
    const char *line;
    double origin;
  } families[] = {{"OS-0-", 27.67}, {"OS-1-", 15.806}, {"OS-2-", 13.762}};
  const json_t *value = find(metadata, "lidar_origin_to_beam_origin_mm");
  const char *line = json_string_value(find(metadata, "prod_line"));
  for (int f = 0; f < 3 && !json_is_number(value) && line != NULL; f++)
    if (strncmp(line, families[f].line, 5) == 0)
      return families[f].origin;
  return json_is_number(value) ? json_number_value(value) : 12.163; /* the first ones */
}

/* Rows of four numbers; millimetres become metres. */
static bool read_transforms(StxLidarSensor *sensor, const Metadata *metadata)
{
  double beam[16] = {[3] = origin_of(metadata)};
  double to_sensor[16] = {-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 36.18, 0, 0, 0, 1};
  if (!numbers(metadata, "lidar_to_sensor_transform", 16, false, to_sensor) ||
      !numbers(metadata, "beam_to_lidar_transform", 16, false, beam))
    return false;
  memcpy(sensor->to_sensor, to_sensor, sizeof sensor->to_sensor);
  sensor->origin = beam[3] / 1000;
  sensor->origin_up = beam[11] / 1000;
  for (int row = 0; row < 3; row++)
    sensor->to_sensor[4 * row + 3] /= 1000;
  return fabs(beam[3]) <= 1000 ||
         stx_fail(metadata->error, "%s: beams begin %g mm from the axis", metadata->name, beam[3]);
}

/* The direction of a beam in the sensor's frame is cos e · u + sin e · v + w: nine numbers. */
static void set_rays(StxLidarSensor *sensor)
{
  for (unsigned b = 0; b < sensor->beams; b++) {
    const StxLidarBeam *beam = &sensor->beam[b];
    double level = cos(beam->elevation), rise = sin(beam->elevation);
    double c = cos(-beam->azimuth), s = sin(-beam->azimuth);
    for (int row = 0; row < 3; row++) {
      const double *to = sensor->to_sensor + 4 * row;
      sensor->ray[b][row] = (float)(level * (to[0] * c + to[1] * s));
      sensor->ray[b][3 + row] = (float)(level * (to[1] * c - to[0] * s));
      sensor->ray[b][6 + row] = (float)(rise * to[2]);
    }
  }
  for (unsigned m = 0; m < sensor->columns; m++) {
    double angle = 2 * M_PI * (1 - (double)m / sensor->columns);
    double c = cos(angle), s = sin(angle), n = sensor->origin;
    sensor->encoder[m][0] = (float)c;
    sensor->encoder[m][1] = (float)s;
    for (int row = 0; row < 3; row++) {
      const double *to = sensor->to_sensor + 4 * row;
      sensor->encoder[m][2 + row] =
          (float)(n * (to[0] * c + to[1] * s) + to[2] * sensor->origin_up + to[3]);
    }
  }
}

static bool read_metadata(StxLidarSensor *sensor, const Metadata *metadata)
{
  double azimuth[STX_LIDAR_BEAMS], altitude[STX_LIDAR_BEAMS];
  if (json_is_array(json_array_get(find(metadata, "beam_altitude_angles"), 0)))
    return stx_fail(metadata->error, "%s: sensors that do not turn are not known", metadata->name);
  if (!read_format(sensor, metadata) ||
      !numbers(metadata, "beam_altitude_angles", sensor->beams, true, altitude) ||
      !numbers(metadata, "beam_azimuth_angles", sensor->beams, true, azimuth))
    return false;
  for (unsigned b = 0; b < sensor->beams; b++) {
    if (fabs(altitude[b]) > 90 || fabs(azimuth[b]) > 180)
      return stx_fail(metadata->error,
          "%s: beam %u has altitude %g and azimuth %g; expected degrees", metadata->name, b,
          altitude[b], azimuth[b]);
    stx_lidar_beam_angles(&sensor->beam[b], azimuth[b], altitude[b]);
    sensor->beam[b].ring = (uint16_t)b;
  }
  if (!read_transforms(sensor, metadata))
    return false;
  set_rays(sensor);
  return true;
}

static bool open(StxLidarSensor *sensor, const char *calibration, StxError *error)
{
  StxError own;
  Metadata metadata = {.error = error != NULL ? error : &own};
  if (calibration == NULL)
    return stx_fail(error, "ouster needs the sensor's metadata: only they say what a packet holds; "
                           "name its JSON file, from http://SENSOR/api/v1/sensor/metadata");
  json_t *tree = stx_calibration_tree(calibration, metadata.error);
  if (tree == NULL)
    return false;
  metadata.tree = tree;
  metadata.name = stx_text_file_name(calibration);
  bool good = read_metadata(sensor, &metadata);
  json_decref(tree);
  return good;
}

/* ---- Packets ------------------------------------------------------------------------------- */

/* Sizes alone, and the type: what it really is, the metadata say. */
static bool probe(const StxLidarSensorInfo *info, const uint8_t *bytes, size_t size)
{
  (void)info;
  for (size_t pixels = 16; pixels <= 128; pixels *= 2)
    for (size_t p = 0; p < PROFILES; p++)
      if (size == packet_size(p == 0, pixels, profiles[p].size, 16) && (p == 0 || bytes[0] == 1))
        return true;
  return false;
}

/* CRC-64 of ECMA-182, bits reversed, eight bytes at a time (M. Kounavis, F. Berry, ISCC 2005). */
static uint64_t crc_tables[8][256];

static void make_crc_tables(void)
{
  for (unsigned i = 0; i < 256; i++) {
    uint64_t crc = i;
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (UINT64_C(0xC96C5795D7870F42) & (0 - (crc & 1)));
    crc_tables[0][i] = crc;
  }
  for (unsigned t = 1; t < 8; t++)
    for (unsigned i = 0; i < 256; i++) {
      uint64_t crc = crc_tables[t - 1][i];
      crc_tables[t][i] = crc >> 8 ^ crc_tables[0][crc & 255];
    }
}

uint64_t stx_lidar_sum(const uint8_t *bytes, size_t size)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  uint64_t crc = ~UINT64_C(0);
  pthread_once(&once, make_crc_tables);
  for (; size >= 8; size -= 8, bytes += 8) {
    uint64_t word = crc ^ stx_le64(bytes);
    crc = 0;
    for (unsigned i = 0; i < 8; i++)
      crc ^= crc_tables[7 - i][word >> 8 * i & 255];
  }
  for (; size > 0; size--, bytes++)
    crc = crc >> 8 ^ crc_tables[0][(crc ^ *bytes) & 255];
  return ~crc;
}

/* Firmware before 3.1 has zeros, or always the same, where newer one has the sum. */
#define NO_SUM UINT64_C(0xDEADBEEF0000C0DE)
static const uint8_t *column_of(const StxLidarSensor *sensor, const uint8_t *bytes, unsigned column)
{
  size_t begin = sensor->legacy ? 0 : HEADER;
  size_t pixels = (size_t)sensor->beams * sensor->pixel_size;
  return bytes + begin +
         column * (sensor->legacy ? LEGACY_HEADER + pixels + 4 : COLUMN_HEADER + pixels);
}

static bool is_valid(const StxLidarSensor *sensor, const uint8_t *column)
{
  size_t pixels = (size_t)sensor->beams * sensor->pixel_size;
  const uint8_t *status = column + (sensor->legacy ? LEGACY_HEADER + pixels : 10);
  return (status[0] & 1) != 0;
}

static void add_column(
    const StxLidarSensor *sensor, const uint8_t *column, uint32_t time, StxLidarPacket *out)
{
  const float *encoder = sensor->encoder[stx_le16(column + 8)];
  const uint8_t *pixel = column + (sensor->legacy ? LEGACY_HEADER : COLUMN_HEADER);
  float origin = (float)hypot(sensor->origin, sensor->origin_up);
  uint32_t mask = sensor->low_rate ? 0x7FFF : sensor->legacy ? 0xFFFFF : 0x7FFFF;
  size_t n = out->count;
  for (unsigned b = 0; b < sensor->beams; b++, pixel += sensor->pixel_size) {
    const float *ray = sensor->ray[b];
    uint32_t before = 0;
    for (unsigned echo = 0; echo < sensor->returns; echo++) {
      const uint8_t *part = pixel + 4 * echo;
      uint32_t units = stx_le32(part) & mask;
      if (units == 0 || units == before)
        continue;
      before = units;
      float range = (float)(sensor->low_rate ? units * 8 : units) * 0.001F - origin;
      for (int i = 0; i < 3; i++)
        out->points[n][i] =
            range * (encoder[0] * ray[i] + encoder[1] * ray[3 + i] + ray[6 + i]) + encoder[2 + i];
      out->points[n][3] = part[sensor->reflectivity];
      out->marks[n++] = (StxLidarMark){.time = time, .ring = (uint16_t)b, .echo = (uint8_t)echo};
    }
  }
  out->count = n;
}

/* Which packet of the turn: of those that the window lets the sensor send. */
static void describe(const StxLidarSensor *sensor, const uint8_t *bytes, StxLidarPacket *out)
{
  const uint8_t *column = column_of(sensor, bytes, 0);
  unsigned per = sensor->columns_per_packet, all = (sensor->columns + per - 1) / per;
  unsigned first = sensor->window[0] / per, last = sensor->window[1] / per;
  unsigned piece = (stx_le16(column + 8) / per + all - first) % all;
  out->turns = false;
  out->pieces = (last + all - first) % all + 1;
  if (sensor->window[0] > sensor->window[1] && first == last)
    out->pieces = all;
  if (piece >= out->pieces) /* it sends more than it says */
    out->pieces = all;
  out->piece = piece;
  out->frame = sensor->legacy ? stx_le16(column + 10)
               : sensor->fusa ? stx_le32(bytes + 4)
                              : stx_le16(bytes + 2);
  out->step = 1;
  out->order = out->frame * out->pieces + piece;
  out->order_modulus = (sensor->fusa ? UINT64_C(1) << 32 : UINT64_C(1) << 16) * out->pieces;
  out->time_modulus = 0;
  out->count = 0;
}

static StxLidarVerdict decode(
    StxLidarSensor *sensor, const uint8_t *bytes, size_t size, StxLidarPacket *out)
{
  uint64_t begin = 0, end = 0;
  if (size < 2 || size > sensor->packet_size)
    return STX_LIDAR_FOREIGN;
  if (!sensor->legacy && (sensor->fusa ? bytes[0] != 1 : stx_le16(bytes) != 1))
    return STX_LIDAR_FOREIGN;
  if (size < sensor->packet_size)
    return sensor->legacy ? STX_LIDAR_FOREIGN : STX_LIDAR_TRUNCATED;
  for (unsigned c = 0; c < sensor->columns_per_packet; c++)
    if (stx_le16(column_of(sensor, bytes, c) + 8) >= sensor->columns)
      return STX_LIDAR_FORGED;
  const size_t place = sensor->packet_size - 8;
  const uint64_t sum = sensor->legacy || sensor->fusa ? 0 : stx_le64(bytes + place);
  if (sum != 0 && sum != NO_SUM && sum != stx_lidar_sum(bytes, place))
    return STX_LIDAR_FORGED;
  describe(sensor, bytes, out);
  for (unsigned c = 0; c < sensor->columns_per_packet; c++) {
    const uint8_t *column = column_of(sensor, bytes, c);
    uint64_t time = stx_le64(column);
    if (!is_valid(sensor, column) || time < begin)
      continue;
    begin = begin == 0 ? time : begin;
    end = time;
    add_column(sensor, column, time - begin < 1000000000 ? (uint32_t)(time - begin) : 0, out);
  }
  out->time = begin > 0 ? begin : stx_le64(column_of(sensor, bytes, 0));
  out->span = end > begin && sensor->columns_per_packet > 1
                  ? (uint32_t)((end - begin) * sensor->columns_per_packet /
                               (sensor->columns_per_packet - 1))
                  : 0;
  return STX_LIDAR_GOOD;
}

const StxLidarSensorInfo stx_lidar_ouster = {"ouster", NULL, probe, open, decode};
