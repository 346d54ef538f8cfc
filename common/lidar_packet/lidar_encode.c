/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/lidar_packet/lidar_encode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/decimal/decimal.h"
#include "common/lidar_packet/lidar_packet_private.h"

#define DEGREE (M_PI / 180)
#define BLOCK 100
#define ROUND 55296 /* nanoseconds of all 16 lasers of a VLP-16 */
#define SHOT 2304
#define PIXEL 12
#define PER_PACKET 16            /* columns of an Ouster's packet */
#define COLUMN (12 + 32 * PIXEL) /* its bytes */
#define ORIGIN 0.015806          /* where its beams begin, metres */
#define UP 0.03618               /* how high */
#define TOP (32. / 3)            /* of its beams, degrees */
#define STEP (4. / 3)

const StxFieldChoice stx_lidar_encode_kinds[] = {
    {STX_LIDAR_ENCODE_VLP_16, "vlp-16", "Velodyne VLP-16, 1206 bytes a packet"},
    {STX_LIDAR_ENCODE_OUSTER, "ouster", "Ouster with 32 beams and 1024 columns, 6400 bytes"}, {0}};

void stx_lidar_encode_open(StxLidarEncoder *encoder, StxLidarEncodeKind kind)
{
  bool velodyne = kind == STX_LIDAR_ENCODE_VLP_16;
  encoder->kind = kind;
  encoder->beams = velodyne ? 16 : 32;
  encoder->columns = velodyne ? 1800 : 1024;
  encoder->packets = velodyne ? 75 : 1024 / PER_PACKET;
  encoder->size = velodyne ? 1206 : 64 + PER_PACKET * COLUMN;
}

/* ---- Points to shots ----------------------------------------------------------------------- */

/* Beam, clockwise angle in turns and distance in units of a point. False: no beam sees it. */
static bool look(
    const StxLidarEncoder *encoder, const float *point, unsigned *beam, double *turn, double *units)
{
  double x = point[0], y = point[1], z = point[2];
  double flat = hypot(x, y), range, rank;
  if (encoder->kind == STX_LIDAR_ENCODE_OUSTER) {
    flat -= ORIGIN;
    z -= UP;
    range = hypot(flat, z) + ORIGIN;
    rank = (TOP - atan2(z, flat) / DEGREE) / STEP;
    *turn = 0.5 - atan2(y, x) / (2 * M_PI);
    *units = range * 1000;
  } else {
    range = hypot(flat, z);
    rank = (atan2(z, flat) / DEGREE + 15) / 2;
    *turn = -atan2(y, x) / (2 * M_PI);
    *units = range * 500;
  }
  *turn -= floor(*turn);
  *beam = rank > -0.5 && rank < encoder->beams - 0.5 ? (unsigned)lrint(rank) : 0;
  return range >= 0.1 && *units < 65535 && rank > -0.5 && rank < encoder->beams - 0.5;
}

/* Returns the laser of a VLP-16 that is number `ring` from below. */
static unsigned laser_of(unsigned ring)
{
  return ring < 8 ? 2 * ring : 2 * (ring - 8) + 1;
}

/* The firing that looks there: lasers of a VLP-16 fire later in their round, when it has turned. */
static unsigned column_at(const StxLidarEncoder *encoder, unsigned beam, double turn)
{
  double column = turn * encoder->columns;
  if (encoder->kind == STX_LIDAR_ENCODE_VLP_16)
    column -= laser_of(beam) * (double)SHOT / ROUND;
  return (unsigned)(lrint(column) + encoder->columns) % encoder->columns;
}

size_t stx_lidar_encode_turn(StxLidarEncoder *encoder, const float *points, size_t count)
{
  size_t taken = 0;
  memset(encoder->range, 0, sizeof encoder->range);
  for (size_t i = 0; i < count; i++, points += 4) {
    double turn, units;
    unsigned beam;
    bool finite = isfinite(points[0]) && isfinite(points[1]) && isfinite(points[2]);
    if (!finite || !look(encoder, points, &beam, &turn, &units))
      continue;
    size_t cell = (size_t)column_at(encoder, beam, turn) * encoder->beams + beam;
    uint32_t range = (uint32_t)lrint(units);
    taken += encoder->range[cell] == 0;
    if (encoder->range[cell] == 0 || range < encoder->range[cell]) {
      float bright = points[3] <= 1 ? points[3] * 255 : points[3]; /* files have 0…1 or 0…255 */
      encoder->range[cell] = range;
      encoder->intensity[cell] = bright > 0 ? (uint8_t)(bright > 255 ? 255 : bright + 0.5F) : 0;
    }
  }
  return taken;
}

/* ---- Packets ------------------------------------------------------------------------------- */

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    at[i] = (uint8_t)(value >> 8 * i);
}

static void put_velodyne(
    const StxLidarEncoder *encoder, unsigned number, uint64_t time, uint8_t *bytes)
{
  for (unsigned b = 0; b < 12; b++) {
    uint8_t *block = bytes + b * BLOCK;
    unsigned column = number * 24 + 2 * b;
    put(block, 0xEEFF, 2);
    put(block + 2, column * 20, 2);
    for (unsigned shot = 0; shot < 32; shot++) {
      unsigned laser = shot % 16, ring = laser % 2 == 0 ? laser / 2 : 8 + laser / 2;
      size_t cell = (size_t)(column + shot / 16) * 16 + ring;
      put(block + 4 + 3 * shot, encoder->range[cell], 2);
      block[6 + 3 * shot] = encoder->intensity[cell];
    }
  }
  put(bytes + 1200, time / 1000 % (UINT64_C(3600) * 1000000), 4);
  bytes[1204] = 0x37; /* the strongest return */
  bytes[1205] = 0x22; /* VLP-16 */
}

static void put_ouster(const StxLidarEncoder *encoder, unsigned number, uint64_t turn,
    uint64_t time, uint64_t duration, uint8_t *bytes)
{
  put(bytes, 1, 2);
  put(bytes + 2, turn, 2);
  for (unsigned c = 0; c < PER_PACKET; c++) {
    uint8_t *column = bytes + 32 + c * COLUMN;
    unsigned m = number * PER_PACKET + c;
    put(column, time + c * duration / encoder->columns, 8);
    put(column + 8, m, 2);
    put(column + 10, 1, 2);
    for (unsigned beam = 0; beam < 32; beam++) {
      size_t cell = (size_t)m * 32 + beam;
      put(column + 12 + beam * PIXEL, encoder->range[cell], 4);
      column[12 + beam * PIXEL + 4] = encoder->intensity[cell];
    }
  }
  put(bytes + encoder->size - 8, stx_lidar_sum(bytes, encoder->size - 8), 8);
}

void stx_lidar_encode_packet(const StxLidarEncoder *encoder, unsigned number, uint64_t turn,
    uint64_t time, uint64_t duration, uint8_t *bytes)
{
  uint64_t begin = time + number * duration / encoder->packets;
  memset(bytes, 0, encoder->size);
  if (encoder->kind == STX_LIDAR_ENCODE_VLP_16)
    put_velodyne(encoder, number, begin, bytes);
  else
    put_ouster(encoder, number, turn, begin, duration, bytes);
}

/* ---- Metadata ------------------------------------------------------------------------------ */

size_t stx_lidar_encode_metadata(char *text, size_t size)
{
  int at = snprintf(text, size,
      "{\n\"prod_line\": \"OS-1-32\",\n\"lidar_mode\": \"1024x10\",\n"
      "\"config_params\": {\"udp_profile_lidar\": \"RNG19_RFL8_SIG16_NIR16\"},\n"
      "\"data_format\": {\"columns_per_frame\": 1024, \"columns_per_packet\": 16,\n"
      "  \"pixels_per_column\": 32, \"column_window\": [0, 1023]},\n"
      "\"lidar_origin_to_beam_origin_mm\": 15.806,\n"
      "\"lidar_to_sensor_transform\": [-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 36.18, 0, 0, 0, 1],\n"
      "\"beam_azimuth_angles\": [0");
  for (int beam = 1; beam < 32; beam++)
    at += snprintf(text + at, size - (size_t)at, ", 0");
  at += snprintf(text + at, size - (size_t)at, "],\n\"beam_altitude_angles\": [");
  for (int beam = 0; beam < 32; beam++) {
    char number[STX_DECIMAL_SIZE];
    stx_decimal_write(TOP - STEP * beam, number);
    at += snprintf(text + at, size - (size_t)at, "%s%s", beam > 0 ? ", " : "", number);
  }
  return (size_t)(at + snprintf(text + at, size - (size_t)at, "]\n}\n"));
}
