/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/lidar_packet/packet_case.h"

#include <stdio.h>
#include <string.h>

#define VELODYNE 1206, 0, 100, 4, 3, 12, 32
#define OUSTER(pixels, pixel)                                                                      \
  64 + 16 * (12 + pixels * pixel), 32, 12 + pixels *pixel, 12, pixel, 16, pixels

const StxPacketKind stx_packet_kinds[] = {
    {"vlp-16", NULL, VELODYNE},
    {"puck-hi-res", NULL, VELODYNE},
    {"vlp-32c", NULL, VELODYNE},
    {"hdl-32e", NULL, VELODYNE},
    {"hdl-64e-s3", NULL, VELODYNE},
    {"vls-128", NULL, VELODYNE},
    {"pandar-xt16", NULL, 568, 12, 66, 2, 4, 8, 16},
    {"pandar-xt32", NULL, 1080, 12, 130, 2, 4, 8, 32},
    {"pandar-xt32m", NULL, 820, 12, 130, 2, 4, 6, 32},
    {"pandar-qt64", NULL, 1072, 12, 258, 2, 4, 4, 64},
    {"pandar-qt128", NULL, 1095, 12, 514, 2, 4, 2, 128},
    {"pandar-40p", NULL, 1262, 0, 124, 4, 3, 10, 40},
    {"pandar-64", NULL, 1194, 8, 194, 2, 3, 6, 64},
    {"pandar-128", NULL, 861, 12, 386, 2, 3, 2, 128},
    {"pandar-at128", NULL, 1082, 12, 515, 3, 4, 2, 128},
    {"ouster", "LEGACY", 6464, 0, 404, 16, 12, 16, 32},
    {"ouster", "RNG19_RFL8_SIG16_NIR16", OUSTER(32, 12)},
    {"ouster", "RNG19_RFL8_SIG16_NIR16_DUAL", OUSTER(64, 16)},
    {"ouster", "RNG15_RFL8_NIR8", OUSTER(128, 4)},
    {"ouster", "FUSA_RNG15_RFL8_NIR8_DUAL", OUSTER(16, 8)},
};
const size_t stx_packet_kind_count = sizeof stx_packet_kinds / sizeof stx_packet_kinds[0];

void stx_packet_put(uint8_t *at, uint64_t value, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    at[i] = (uint8_t)(value >> 8 * i);
}

static bool is(const StxPacketKind *kind, const char *word)
{
  return strstr(kind->sensor, word) != NULL;
}

/* ---- Velodyne ------------------------------------------------------------------------------ */

/* Blocks of a round of all lasers, and nanoseconds of it. */
static unsigned group_of(const StxPacketKind *kind, unsigned *time)
{
  *time = is(kind, "hdl-32e")   ? 46080
          : is(kind, "hdl-64e") ? 57600
          : is(kind, "vls-128") ? 53300
          : is(kind, "vlp-32c") ? 55296
                                : 110592;
  return is(kind, "hdl-64e") ? 2 : is(kind, "vls-128") ? 4 : 1;
}

static void write_velodyne(const StxPacketKind *kind, unsigned number, uint8_t *bytes)
{
  static const uint16_t flags[] = {0xEEFF, 0xDDFF, 0xCCFF, 0xBBFF};
  unsigned time, group = group_of(kind, &time), groups = 12 / group;
  for (unsigned b = 0; b < 12; b++) {
    stx_packet_put(bytes + 100 * b, flags[b % group], 2);
    stx_packet_put(bytes + 100 * b + 2, (number * groups + b / group) * 20 % 36000, 2);
  }
  stx_packet_put(bytes + 1200, UINT64_C(1000000) + (uint64_t)number * groups * time / 1000, 4);
  bytes[1204] = 0x37;
  bytes[1205] = is(kind, "hdl-32e")   ? 0x21
                : is(kind, "vlp-16")  ? 0x22
                : is(kind, "hi-res")  ? 0x24
                : is(kind, "vlp-32c") ? 0x28
                : is(kind, "vls-128") ? 0xA1
                                      : 0;
}

/* ---- Hesai --------------------------------------------------------------------------------- */

/* From where the tail begins: return mode, date, microseconds, number. */
static void write_tail(const StxPacketKind *kind, unsigned number, uint8_t *tail)
{
  bool old = is(kind, "40p") || is(kind, "r-64"), qt64 = is(kind, "qt64");
  bool long_tail = is(kind, "128");
  unsigned mode = old ? 14 : qt64 ? 16 : long_tail ? 12 : 10;
  unsigned date = old ? 16 : qt64 ? 18 : mode + 3;
  unsigned micros = old ? 10 : qt64 ? 12 : date + 6;
  uint64_t time = 500000 + (uint64_t)number * 1000;
  tail[mode] = 0x37;
  tail[date] = old ? 26 : 126;
  tail[date + 1] = 11;
  tail[date + 2] = 24;
  tail[date + 3] = 10;
  tail[date + 5] = (uint8_t)(time / 1000000);
  stx_packet_put(tail + micros, time % 1000000, 4);
  if (!old)
    stx_packet_put(tail + (long_tail ? 26 : 24), number, 4);
}

static void write_hesai(const StxPacketKind *kind, unsigned number, uint8_t *bytes)
{
  unsigned counts = is(kind, "r-64") ? 2 : 6;
  size_t tail = kind->first + kind->blocks * kind->next;
  if (kind->first > 0) {
    stx_packet_put(bytes, 0xFFEE, 2);
    bytes[counts] = (uint8_t)kind->shots;
    bytes[counts + 1] = (uint8_t)kind->blocks;
    bytes[counts + 3] = 4; /* millimetres */
  }
  for (unsigned b = 0; b < kind->blocks; b++) {
    uint8_t *block = bytes + kind->first + b * kind->next;
    if (kind->first == 0)
      stx_packet_put(block, 0xEEFF, 2);
    stx_packet_put(block + kind->before - 2, (number * kind->blocks + b) * 20 % 36000, 2);
  }
  if (is(kind, "128"))
    tail += 4 + 17; /* the sum of the blocks, functional safety */
  write_tail(kind, number, bytes + tail);
}

static void write_at128(unsigned number, uint8_t *bytes)
{
  uint8_t *tail = bytes + 1046;
  stx_packet_put(bytes, 0xFFEE, 2);
  bytes[2] = 4;
  bytes[6] = 128;
  bytes[7] = 2;
  bytes[9] = 4;
  for (unsigned b = 0; b < 2; b++) { /* a tenth of a degree each, and half of one 1/100 */
    stx_packet_put(bytes + 12 + 515 * b, 1000 + (number * 2 + b) * 10 % 6000, 2);
    bytes[12 + 515 * b + 2] = 128;
  }
  stx_packet_put(tail + 20, number % 1000 * 1000, 4);
  tail[24] = 0x37;
  tail[30] = 1; /* seconds, highest first */
  tail[31] = (uint8_t)(number / 1000);
  stx_packet_put(tail + 32, number, 4);
}

void stx_packet_correction(uint8_t *file)
{
  memset(file, 0, STX_PACKET_CORRECTION);
  stx_packet_put(file, 0xFFEE, 2);
  file[2] = 1;
  file[3] = 5;
  file[4] = 128;
  file[5] = file[6] = 3;
  file[15] = 2; /* units of 1/25600 degree */
  for (unsigned f = 0; f < 3; f++) {
    stx_packet_put(file + 16 + 4 * f, (10 + 120 * f) * 12800, 4);
    stx_packet_put(file + 28 + 4 * f, (70 + 120 * f) * 12800, 4);
  }
  for (unsigned c = 0; c < 128; c++) {
    stx_packet_put(file + 40 + 4 * c, 12800, 4);
    stx_packet_put(file + 552 + 4 * c, 1280 * c, 4);
    file[1064 + 180 * c + 5] = file[1064 + 180 * c + 6] = 3;
  }
}

/* ---- Ouster -------------------------------------------------------------------------------- */

static void write_ouster(const StxPacketKind *kind, unsigned number, uint8_t *bytes)
{
  bool legacy = kind->first == 0, fusa = strncmp(kind->profile, "FUSA", 4) == 0;
  unsigned frame = 7 + number / 32;
  if (!legacy) {
    bytes[0] = 1;
    stx_packet_put(bytes + (fusa ? 4 : 2), frame, fusa ? 4 : 2);
  }
  for (unsigned c = 0; c < 16; c++) {
    uint8_t *column = bytes + kind->first + c * kind->next;
    stx_packet_put(column, UINT64_C(5000000000) + (number * 16 + c) * UINT64_C(195312), 8);
    stx_packet_put(column + 8, (number * 16 + c) % 512, 2);
    stx_packet_put(column + 10, legacy ? frame : 1, 2);
    if (legacy)
      stx_packet_put(column + kind->next - 4, 0xFFFFFFFF, 4);
  }
}

size_t stx_packet_metadata(const StxPacketKind *kind, char *text, size_t size)
{
  size_t at = (size_t)snprintf(text, size,
      "{\"config_params\": {\"udp_profile_lidar\": \"%s\"},\n \"lidar_data_format\": "
      "{\"columns_per_frame\": 512, \"columns_per_packet\": 16, \"pixels_per_column\": %u},\n"
      " \"beam_intrinsics\": {\"lidar_origin_to_beam_origin_mm\": 20,\n",
      kind->profile, kind->shots);
  for (int altitude = 0; altitude < 2; altitude++) {
    at += (size_t)snprintf(
        text + at, size - at, "\"beam_%s_angles\": [", altitude ? "altitude" : "azimuth");
    for (unsigned b = 0; b < kind->shots; b++)
      at += (size_t)snprintf(
          text + at, size - at, "%s%d", b > 0 ? ", " : "", altitude ? 60 - (int)b : -1);
    at += (size_t)snprintf(text + at, size - at, altitude ? "]}}\n" : "],\n");
  }
  return at;
}

/* ---- All ----------------------------------------------------------------------------------- */

void stx_packet_write(const StxPacketKind *kind, unsigned number, uint8_t *bytes)
{
  memset(bytes, 0, kind->size);
  if (kind->profile != NULL)
    write_ouster(kind, number, bytes);
  else if (is(kind, "at128"))
    write_at128(number, bytes);
  else if (is(kind, "pandar"))
    write_hesai(kind, number, bytes);
  else
    write_velodyne(kind, number, bytes);
}

void stx_packet_return(const StxPacketKind *kind, unsigned block, unsigned shot, unsigned echo,
    uint32_t distance, uint8_t intensity, uint8_t *bytes)
{
  uint8_t *at = bytes + kind->first + block * kind->next + kind->before + shot * kind->shot;
  if (kind->profile == NULL) {
    stx_packet_put(at, distance, 2);
    at[2] = intensity;
    return;
  }
  bool low = strstr(kind->profile, "RNG15") != NULL, dual = strstr(kind->profile, "DUAL") != NULL;
  at += 4 * echo;
  stx_packet_put(at, distance, low ? 2 : 3);
  at[low ? 2 : dual ? 3 : 4] = intensity;
}
