/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * common/lidar_packet: whatever the bytes of packets are, points that are finite and of beams that
 * the sensor has, in turns that hold no more than came; whatever the bytes of a calibration are, an
 * error or a sensor that can be read. The first byte says of which kind the packets are, and if the
 * rest is a calibration.
 */
#define _GNU_SOURCE /* memfd_create */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/lidar_packet/lidar_turns.h"
#include "tests/common/lidar_packet/packet_case.h"
#include "tests/fuzz/fuzz.h"

#define CALIBRATION 0x80
#define ROOM 200000 /* points of the turns of an input */

static StxLidarSensor sensor, known[32];
static StxLidarPacket packet;
static bool is_known[32];
static float points[2][4 * ROOM];
static StxLidarMark marks[2][ROOM];

/* ---- Sensors ------------------------------------------------------------------------------- */

static bool open_file(StxLidarSensor *to, const StxPacketKind *kind, const void *text, size_t size)
{
  StxLidarSensorKind sensor_kind =
      (StxLidarSensorKind)stx_field_choice_named(stx_lidar_sensors, kind->sensor)->value;
  StxError error = {""};
  char path[32];
  int fd = memfd_create("calibration", 0);
  stx_fuzz_expect(fd >= 0 && write(fd, text, size) == (ssize_t)size, "no memory for a file");
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  bool good = stx_lidar_sensor_open(to, sensor_kind, path, STX_LIDAR_FIRING_MAKER, &error);
  close(fd);
  if (!good)
    stx_fuzz_expect_text(error.text);
  return good;
}

static size_t file_of(const StxPacketKind *kind, char *text, size_t size)
{
  size_t at = 0;
  unsigned beams = strstr(kind->sensor, "64e") != NULL ? 64 : kind->shots;
  if (kind->profile != NULL)
    return stx_packet_metadata(kind, text, size);
  if (strstr(kind->sensor, "at128") != NULL) {
    stx_packet_correction((uint8_t *)text);
    return STX_PACKET_CORRECTION;
  }
  if (strstr(kind->sensor, "pandar") != NULL) {
    for (unsigned b = 1; b <= beams; b++)
      at += (size_t)snprintf(text + at, size - at, "%u,%d,1.5\n", b, 20 - (int)(b % 40));
    return at;
  }
  beams = strstr(kind->sensor, "vls") != NULL                            ? 128
          : strstr(kind->sensor, "16") != NULL || kind->sensor[0] == 'p' ? 16
                                                                         : beams;
  at += (size_t)snprintf(text, size, "lasers:\n");
  for (unsigned b = 0; b < beams; b++)
    at += (size_t)snprintf(text + at, size - at,
        "- {laser_id: %u, vert_correction: 0.%02u, dist_correction_x: 0.1, dist_correction_y: 0.1, "
        "focal_slope: 1}\n",
        b, b % 100);
  return at;
}

static StxLidarSensor *sensor_of(size_t k)
{
  static char text[STX_PACKET_CORRECTION];
  if (!is_known[k])
    stx_fuzz_expect(open_file(&known[k], &stx_packet_kinds[k], text,
                        file_of(&stx_packet_kinds[k], text, sizeof text)),
        "a good calibration was refused");
  is_known[k] = true;
  return &known[k];
}

/* ---- Packets ------------------------------------------------------------------------------- */

static void check_packet(const StxLidarSensor *of)
{
  stx_fuzz_expect(packet.count <= STX_LIDAR_PACKET_POINTS, "too many points");
  stx_fuzz_expect(packet.azimuth < STX_LIDAR_TURN, "an azimuth of %u", packet.azimuth);
  for (size_t i = 0; i < packet.count; i++) {
    const float *p = packet.points[i];
    stx_fuzz_expect(isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]) && p[3] >= 0 && p[3] <= 255,
        "a point that makes no sense");
    stx_fuzz_expect(packet.marks[i].ring < of->beams && packet.marks[i].echo < 3, "no such beam");
    stx_fuzz_expect(!packet.turns || (packet.at[i] >= packet.low && packet.at[i] <= packet.high),
        "beyond the bounds of the packet");
  }
}

static void hand_over(StxLidarTurns *turns)
{
  for (; turns->ended > 0; stx_lidar_turns_close(turns)) {
    size_t next = turns->open[1].count;
    memcpy(points[0], points[1], 16 * next);
    memcpy(marks[0], marks[1], sizeof(StxLidarMark) * next);
  }
}

static void read_packets(size_t k, const uint8_t *data, size_t size)
{
  static StxLidarTurns turns;
  StxLidarSensor *of = sensor_of(k);
  memset(&turns, 0, sizeof turns);
  for (size_t at = 0; at < size; at += stx_packet_kinds[k].size) {
    size_t rest = size - at, length = stx_packet_kinds[k].size;
    uint8_t *exact = malloc(rest < length ? rest : length);
    memcpy(exact, data + at, rest < length ? rest : length);
    StxLidarVerdict verdict =
        stx_lidar_packet_decode(of, exact, rest < length ? rest : length, &packet);
    stx_lidar_sensor_find(exact, rest < length ? rest : length);
    free(exact);
    if (verdict != STX_LIDAR_GOOD)
      continue;
    check_packet(of);
    StxLidarFate fate = stx_lidar_turns_place(&turns, &packet);
    hand_over(&turns);
    for (unsigned t = 0; t < 2 && fate == STX_LIDAR_FATE_TAKEN; t++) {
      stx_fuzz_expect(turns.open[t].count + packet.count <= ROOM, "more points than came");
      stx_lidar_turns_add(&turns, &packet, t, points[t], marks[t]);
    }
    hand_over(&turns);
  }
  stx_lidar_turns_finish(&turns);
  hand_over(&turns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  size_t k = (data[0] & ~CALIBRATION) % stx_packet_kind_count;
  if ((data[0] & CALIBRATION) == 0) {
    read_packets(k, data + 1, size - 1);
  } else if (open_file(&sensor, &stx_packet_kinds[k], data + 1, size - 1)) {
    uint8_t bytes[STX_PACKET_CASE_SIZE] = {0};
    stx_packet_write(&stx_packet_kinds[k], 0, bytes);
    stx_packet_return(&stx_packet_kinds[k], 0, 0, 0, 5000, 1, bytes);
    if (stx_lidar_packet_decode(&sensor, bytes, stx_packet_kinds[k].size, &packet) ==
        STX_LIDAR_GOOD)
      check_packet(&sensor);
  }
  return 0;
}

bool stx_fuzz_seed(size_t number, StxBytes *seed)
{
  size_t k = number / 2;
  char text[STX_PACKET_CORRECTION];
  uint8_t first, bytes[STX_PACKET_CASE_SIZE];
  if (k >= stx_packet_kind_count)
    return false;
  first = (uint8_t)(k | (number % 2 ? CALIBRATION : 0));
  stx_bytes_put(seed, &first, 1);
  if (number % 2)
    stx_bytes_put(seed, text, file_of(&stx_packet_kinds[k], text, sizeof text));
  for (unsigned p = 0; p < 3 && number % 2 == 0; p++) {
    stx_packet_write(&stx_packet_kinds[k], p, bytes);
    stx_packet_return(&stx_packet_kinds[k], 0, p, 0, 1000, 50, bytes);
    stx_bytes_put(seed, bytes, stx_packet_kinds[k].size);
  }
  return true;
}

static const char *const words[] = {"\xFF\xEE", "\xFF\xDD", "\xFF\xCC", "\x39", "\xFF\xFF",
    "lasers", "laser_id", "vert_correction", "-1", "1e300", "nan", "beam_altitude_angles",
    "beam_azimuth_angles", "column_window", "columns_per_packet", "udp_profile_lidar", "[[", "{}",
    "LEGACY", "\n", NULL};
const StxFuzzTarget stx_fuzz_target = {words, 20000};
