/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hesai AT128: 128 channels that look to one side, swept by a turning mirror with three faces. A
 * packet has two blocks of an azimuth in 1/25600 degree and a shot of each channel.
 *
 * Each face begins at an angle of its own, and the beam turns twice as fast as the mirror. The
 * sensor's correction file has those angles, and of each channel its two angles and how far they
 * are off at every second degree of the mirror. A turn is one face's sweep.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/lidar_packet/lidar_packet_private.h"
#include "common/text_file.h"

#define CHANNELS 128
#define BLOCKS 2
#define BLOCK (3 + 4 * CHANNELS)
#define HEADER 12
#define TAIL (HEADER + BLOCKS * BLOCK + 4)
#define LEAST (TAIL + 32)
#define MOST (LEAST + 4 + 4 + 32)
#define STEPS 180
#define STEP (STX_LIDAR_TURN / STEPS)
#define NEAR 1 /* metre */
#define FILE_HEAD 16

/* ---- The correction file ------------------------------------------------------------------- */

static int32_t signed_at(const uint8_t *bytes, unsigned number)
{
  return (int32_t)stx_le32(bytes + 4 * number);
}

static bool take_file(
    StxLidarSensor *sensor, const uint8_t *file, size_t size, const char *name, StxError *error)
{
  StxLidarMirror *mirror = &sensor->mirror;
  unsigned faces = size >= FILE_HEAD ? file[6] : 0, unit = size >= FILE_HEAD ? file[15] : 0;
  size_t wanted = FILE_HEAD + 8 * faces + 8 * CHANNELS + 2 * CHANNELS * STEPS;
  if (size < FILE_HEAD || stx_le16(file) != 0xFFEE || file[3] != 5 || file[4] != CHANNELS ||
      faces < 1 || faces > STX_LIDAR_FACES || unit < 1 || unit > 16 || size < wanted)
    return stx_fail(error, "%s: expected the correction file of an AT128, version 1.5, %zu bytes",
        name, (size_t)FILE_HEAD + 24 + 8 * CHANNELS + 2 * CHANNELS * STEPS);
  const uint8_t *at = file + FILE_HEAD;
  mirror->faces = faces;
  for (unsigned f = 0; f < faces; f++) {
    mirror->begin[f] = (int32_t)((uint64_t)stx_le32(at + 4 * f) * unit % STX_LIDAR_TURN);
    mirror->end[f] = (int32_t)((uint64_t)stx_le32(at + 4 * (faces + f)) * unit % STX_LIDAR_TURN);
  }
  at += 8 * faces;
  for (unsigned c = 0; c < CHANNELS; c++) {
    double azimuth = (double)signed_at(at, c) * unit;
    double elevation = (double)signed_at(at, CHANNELS + c) * unit;
    if (fabs(azimuth) > STX_LIDAR_TURN / 8. || fabs(elevation) > STX_LIDAR_TURN / 8.)
      return stx_fail(error, "%s: channel %u looks aside by more than 45 degrees", name, c + 1);
    mirror->rise[c] = (int32_t)elevation;
    stx_lidar_beam_angles(&sensor->beam[c], -azimuth / 25600, elevation / 25600);
    sensor->beam[c].ring = (uint16_t)c;
  }
  at += 8 * CHANNELS;
  for (size_t i = 0; i < CHANNELS * STEPS; i++) {
    mirror->azimuth[i] = (int16_t)((int8_t)at[i] * (int)unit);
    mirror->elevation[i] = (int16_t)((int8_t)at[CHANNELS * STEPS + i] * (int)unit);
    int32_t most = 256 * abs(mirror->azimuth[i]);
    mirror->most = most > mirror->most ? most : mirror->most;
  }
  return true;
}

static bool open(StxLidarSensor *sensor, const char *calibration, StxError *error)
{
  static const char *const needed = "needs its correction file, PandarAT128.dat: each of these "
                                    "sensors has its own angles";
  sensor->beams = CHANNELS;
  if (calibration == NULL)
    return stx_fail(error, "%s %s", sensor->info->name, needed);
  size_t size;
  uint8_t *file =
      stx_binary_file_load(calibration, "the correction file of an AT128", &size, error);
  bool good = file != NULL && take_file(sensor, file, size, stx_text_file_name(calibration), error);
  free(file);
  return good;
}

/* ---- Packets ------------------------------------------------------------------------------- */

static bool begins(const uint8_t *bytes, size_t size)
{
  return size >= HEADER && bytes[0] == 0xEE && bytes[1] == 0xFF && bytes[2] == 4 &&
         bytes[6] == CHANNELS && bytes[7] == BLOCKS;
}

static bool probe(const StxLidarSensorInfo *info, const uint8_t *bytes, size_t size)
{
  (void)info;
  return begins(bytes, size) && size >= LEAST && size <= MOST;
}

static const uint8_t *block_at(const uint8_t *bytes, unsigned block)
{
  return bytes + HEADER + block * BLOCK;
}

/* 1/25600 degree, of the mirror. */
static uint32_t azimuth_of(const uint8_t *block)
{
  return stx_le16(block) << 8 | block[2];
}

/* The sweep of the face, twice the mirror's angle since it began; -1: no face does. */
static int32_t sweep_of(const StxLidarMirror *mirror, uint32_t azimuth)
{
  for (unsigned f = 0; f < mirror->faces; f++) {
    int32_t since = ((int32_t)azimuth - mirror->begin[f] + STX_LIDAR_TURN) % STX_LIDAR_TURN;
    int32_t all = (mirror->end[f] - mirror->begin[f] + STX_LIDAR_TURN) % STX_LIDAR_TURN;
    if (since <= all)
      return since * 2 % STX_LIDAR_TURN;
  }
  return -1;
}

/* A channel's correction at an azimuth, 1/25600 degree: the table has 1/100 degree, and is rounded
 * to that between its steps, as the maker does. */
static int32_t off(const int16_t *table, unsigned channel, uint32_t azimuth)
{
  unsigned i = azimuth / STEP;
  float part = (float)(azimuth % STEP) / STEP;
  const int16_t *row = table + channel * STEPS;
  return (int32_t)lrintf((1 - part) * row[i] + part * row[(i + 1) % STEPS]) * 256;
}

/* Fields that are equal in all of a packet. */
typedef struct {
  const StxLidarSensor *sensor;
  const uint8_t *bytes;
  unsigned returns;
  double unit;
  int32_t sweep[BLOCKS];
} Packet;

static bool is_sound(Packet *packet)
{
  const uint8_t *tail = packet->bytes + TAIL;
  packet->returns = stx_hesai_returns(tail[24]);
  packet->unit = packet->bytes[9] / 1000.;
  for (unsigned b = 0; b < BLOCKS; b++) {
    uint32_t azimuth = azimuth_of(block_at(packet->bytes, b));
    packet->sweep[b] = azimuth < STX_LIDAR_TURN ? sweep_of(&packet->sensor->mirror, azimuth) : -1;
    if (packet->sweep[b] < 0)
      return false;
  }
  return packet->returns >= 1 && packet->returns <= 2 && packet->unit > 0 && packet->unit <= 0.02 &&
         stx_le32(tail + 20) <= 1000000;
}

static void add_block(const Packet *packet, unsigned block, StxLidarPacket *out)
{
  const StxLidarSensor *sensor = packet->sensor;
  const uint8_t *own = block_at(packet->bytes, block), *shot = own + 3;
  const uint8_t *first = packet->returns == 2 && block == 1 ? shot - BLOCK : NULL;
  uint32_t azimuth = azimuth_of(own), near = (uint32_t)ceil(NEAR / packet->unit - 1e-6);
  uint32_t time = packet->returns == 1 ? block * 41666 : 0;
  for (unsigned c = 0; c < CHANNELS; c++, shot += 4) {
    uint32_t units = stx_le16(shot);
    if (units < near || (first != NULL && memcmp(shot, first + 4 * c, 3) == 0))
      continue;
    int32_t aside =
        packet->sweep[block] + sensor->turn[c] + off(sensor->mirror.azimuth, c, azimuth);
    int32_t rise = sensor->mirror.rise[c] + off(sensor->mirror.elevation, c, azimuth);
    float cosine, sine, level, up, distance = (float)(units * packet->unit);
    float *point = out->points[out->count];
    stx_lidar_direction(aside, &cosine, &sine);
    stx_lidar_direction(rise, &level, &up);
    point[0] = distance * level * sine;
    point[1] = distance * level * cosine;
    point[2] = distance * up;
    point[3] = shot[2];
    out->marks[out->count] = (StxLidarMark){
        .time = time, .ring = (uint16_t)c, .echo = (uint8_t)(packet->returns == 2 ? block : 0)};
    out->at[out->count++] = aside - packet->sweep[0];
  }
}

static void describe(const Packet *packet, size_t size, StxLidarPacket *out)
{
  const uint8_t *tail = packet->bytes + TAIL;
  uint64_t seconds = 0;
  int32_t further = packet->sweep[1] - packet->sweep[0];
  for (unsigned i = 27; i < 32; i++)
    seconds = seconds << 8 | tail[i];
  out->turns = true;
  out->gap = 0;
  out->span = 41666 * BLOCKS / packet->returns;
  out->time =
      seconds % UINT64_C(10000000000) * UINT64_C(1000000000) + stx_le32(tail + 20) * UINT64_C(1000);
  out->time_modulus = seconds > 0 ? 0 : UINT64_C(1000000000);
  out->order = size >= LEAST + 4 ? stx_le32(tail + 32) : out->time / 1000;
  out->order_modulus = size >= LEAST + 4 ? UINT64_C(1) << 32 : out->time_modulus / 1000;
  out->step = size >= LEAST + 4 ? 1 : out->span / 1000;
  out->azimuth = (uint32_t)packet->sweep[0];
  out->ahead = packet->sensor->turn_high + packet->sensor->mirror.most;
  out->low = packet->sensor->turn_low - packet->sensor->mirror.most + (further < 0 ? further : 0);
  out->high = out->ahead + (further > 0 ? further : 0);
  out->count = 0;
}

static StxLidarVerdict decode(
    StxLidarSensor *sensor, const uint8_t *bytes, size_t size, StxLidarPacket *out)
{
  Packet packet = {.sensor = sensor, .bytes = bytes};
  if (!begins(bytes, size) || size > MOST)
    return STX_LIDAR_FOREIGN;
  if (size < LEAST)
    return STX_LIDAR_TRUNCATED;
  if (!is_sound(&packet))
    return STX_LIDAR_FORGED;
  describe(&packet, size, out);
  for (unsigned block = 0; block < BLOCKS; block++)
    add_block(&packet, block, out);
  return STX_LIDAR_GOOD;
}

const StxLidarSensorInfo stx_lidar_at128 = {"pandar-at128", NULL, probe, open, decode};
