/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets to points, on one thread: the street's scans as a VLP-16 and an Ouster send them, decoded
 * and put into turns again and again. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/lidar_packet/lidar_encode.h"
#include "common/lidar_packet/lidar_turns.h"
#include "examples/stx-bench/stx_bench_lidar.h"

#define ASKED 2.4e6 /* points a second that the share of a core is given for */
#define TURN UINT64_C(100000000)

/* A sensor that sends the same turn for ever, and what reads it. */
typedef struct {
  StxLidarEncoder encoder;
  StxLidarSensor sensor;
  StxLidarPacket packet;
  StxLidarTurns turns;
  uint8_t *bytes; /* of a turn */
  float *points[2];
  StxLidarMark *marks[2];
} Rig;

static bool open_sensor(Rig *rig, StxError *error)
{
  char text[STX_LIDAR_ENCODE_METADATA], *path = NULL;
  size_t size = stx_lidar_encode_metadata(text, sizeof text);
  if (rig->encoder.kind == STX_LIDAR_ENCODE_VLP_16)
    return stx_lidar_sensor_open(
        &rig->sensor, STX_LIDAR_SENSOR_VLP_16, NULL, STX_LIDAR_FIRING_MAKER, error);
  int fd = g_file_open_tmp("stx-bench-XXXXXX", &path, NULL);
  bool good = fd >= 0 && write(fd, text, size) == (ssize_t)size;
  good = good ? stx_lidar_sensor_open(
                    &rig->sensor, STX_LIDAR_SENSOR_OUSTER, path, STX_LIDAR_FIRING_MAKER, error)
              : stx_fail(error, "no temporary file");
  if (fd >= 0)
    close(fd);
  if (path != NULL)
    unlink(path);
  g_free(path);
  return good;
}

static void close_rig(Rig *rig)
{
  for (int t = 0; t < 2; t++) {
    g_free(rig->points[t]);
    g_free(rig->marks[t]);
  }
  g_free(rig->bytes);
  g_free(rig);
}

static Rig *open_rig(StxLidarEncodeKind kind, const LidarScan *scan, StxError *error)
{
  Rig *rig = g_new0(Rig, 1);
  stx_lidar_encode_open(&rig->encoder, kind);
  stx_lidar_encode_turn(&rig->encoder, scan->points, scan->count);
  rig->bytes = g_malloc(rig->encoder.packets * rig->encoder.size);
  for (int t = 0; t < 2; t++) {
    rig->points[t] = g_malloc(16 * STX_LIDAR_ENCODE_CELLS * 2);
    rig->marks[t] = g_malloc(sizeof(StxLidarMark) * STX_LIDAR_ENCODE_CELLS * 2);
  }
  if (open_sensor(rig, error))
    return rig;
  close_rig(rig);
  return NULL;
}

static void hand_over(Rig *rig)
{
  for (; rig->turns.ended > 0; stx_lidar_turns_close(&rig->turns)) {
    float *points = rig->points[0];
    StxLidarMark *marks = rig->marks[0];
    rig->points[0] = rig->points[1];
    rig->marks[0] = rig->marks[1];
    rig->points[1] = points;
    rig->marks[1] = marks;
  }
}

/* Milliseconds that a turn takes; its points. */
static double run_turn(Rig *rig, uint64_t number, size_t *points)
{
  StxLidarEncoder *encoder = &rig->encoder;
  for (unsigned p = 0; p < encoder->packets; p++)
    stx_lidar_encode_packet(
        encoder, p, number, (number + 10) * TURN, TURN, rig->bytes + p * encoder->size);
  double begin = now_ms();
  *points = 0;
  for (unsigned p = 0; p < encoder->packets; p++) {
    if (stx_lidar_packet_decode(&rig->sensor, rig->bytes + p * encoder->size, encoder->size,
            &rig->packet) != STX_LIDAR_GOOD)
      continue;
    *points += rig->packet.count;
    StxLidarFate fate = stx_lidar_turns_place(&rig->turns, &rig->packet);
    hand_over(rig);
    for (unsigned t = 0; t < 2 && fate == STX_LIDAR_FATE_TAKEN; t++)
      stx_lidar_turns_add(&rig->turns, &rig->packet, t, rig->points[t], rig->marks[t]);
    hand_over(rig);
  }
  return now_ms() - begin;
}

static int by_size(const void *a, const void *b)
{
  double first = *(const double *)a, second = *(const double *)b;
  return (first > second) - (first < second);
}

static bool time_kind(StxLidarEncodeKind kind, const LidarScan *scan, double budget,
    LidarPacketsRow *row, StxError *error)
{
  double ms[1000], sum = 0;
  int runs = 0;
  Rig *rig = open_rig(kind, scan, error);
  if (rig == NULL)
    return false;
  for (; runs < 1000 && (runs < 5 || sum < budget); runs++)
    sum += ms[runs] = run_turn(rig, (uint64_t)runs, &row->points);
  qsort(ms, (size_t)runs, sizeof ms[0], by_size);
  row->sensor = stx_lidar_encode_kinds[kind].nick;
  row->packets = rig->encoder.packets;
  row->median = ms[runs / 2];
  row->minimum = ms[0];
  row->rate = (double)row->points / row->median / 1e3;
  row->share = ASKED / (row->rate * 1e6) * 100;
  close_rig(rig);
  return true;
}

bool lidar_time_packets(double budget, LidarPacketsRow rows[2], StxError *error)
{
  for (int kind = 0; kind < 2; kind++) {
    LidarSet set;
    LidarScan scan;
    if (!lidar_set_open_street(&set, 1, kind == STX_LIDAR_ENCODE_VLP_16 ? 16 : 32, 1, error))
      return false;
    bool good = lidar_set_load(&set, 0, &scan, error);
    if (good) {
      good = time_kind((StxLidarEncodeKind)kind, &scan, budget, &rows[kind], error);
      lidar_scan_free(&scan);
    }
    lidar_set_close(&set);
    if (!good)
      return false;
  }
  return true;
}
