/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets to turns: every point in its turn, whatever is lost, late or doubled; what is encoded
 * comes back; motion within a turn. */
#include "common/lidar_packet/lidar_turns.h"

#include "common/lidar_packet/lidar_encode.h"
#include "tests/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TENTH UINT64_C(100000000)
#define MOST 32 /* turns */

/* ---- Helpers ------------------------------------------------------------------------------- */

/* A sensor, what reads it, and the turns that came out. */
typedef struct {
  StxLidarEncoder encoder;
  StxLidarSensor sensor;
  StxLidarPacket packet;
  StxLidarTurns turns;
  float *points[2];
  StxLidarMark *marks[2];
  size_t count;
  StxLidarTurn turn[MOST];
  float *kept[MOST];
  StxLidarMark *kept_marks[MOST];
} Rig;

static Rig *rig_of(StxLidarEncodeKind kind)
{
  Rig *rig = calloc(1, sizeof *rig);
  char text[STX_LIDAR_ENCODE_METADATA], path[] = "/tmp/stx-turns-XXXXXX";
  StxError error = {""};
  size_t size = stx_lidar_encode_metadata(text, sizeof text);
  int fd = mkstemp(path);
  ck_assert(size < sizeof text && write(fd, text, size) == (ssize_t)size);
  close(fd);
  stx_lidar_encode_open(&rig->encoder, kind);
  bool good = stx_lidar_sensor_open(&rig->sensor,
      kind == STX_LIDAR_ENCODE_OUSTER ? STX_LIDAR_SENSOR_OUSTER : STX_LIDAR_SENSOR_VLP_16,
      kind == STX_LIDAR_ENCODE_OUSTER ? path : NULL, STX_LIDAR_FIRING_MAKER, &error);
  ck_assert_msg(good, "%s", error.text);
  unlink(path);
  for (int t = 0; t < 2; t++) {
    rig->points[t] = malloc(16 * 400000);
    rig->marks[t] = malloc(sizeof(StxLidarMark) * 400000);
  }
  return rig;
}

static void free_rig(Rig *rig)
{
  for (int t = 0; t < 2; t++) {
    free(rig->points[t]);
    free(rig->marks[t]);
  }
  for (size_t t = 0; t < rig->count; t++) {
    free(rig->kept[t]);
    free(rig->kept_marks[t]);
  }
  free(rig);
}

STX_AUTO_POINTER(Rig, free_rig)

static void hand_over(Rig *rig)
{
  for (; rig->turns.ended > 0; stx_lidar_turns_close(&rig->turns)) {
    size_t count = rig->turns.open[0].count;
    float *points = rig->points[0];
    StxLidarMark *marks = rig->marks[0];
    ck_assert_uint_lt(rig->count, MOST);
    rig->turn[rig->count] = rig->turns.open[0];
    rig->kept[rig->count] = malloc(16 * count + 1);
    memcpy(rig->kept[rig->count], points, 16 * count);
    rig->kept_marks[rig->count] = malloc(sizeof *marks * count + 1);
    memcpy(rig->kept_marks[rig->count++], marks, sizeof *marks * count);
    rig->points[0] = rig->points[1];
    rig->marks[0] = rig->marks[1];
    rig->points[1] = points;
    rig->marks[1] = marks;
  }
}

static StxLidarFate take(Rig *rig, const uint8_t *bytes)
{
  ck_assert_int_eq(
      (int)stx_lidar_packet_decode(&rig->sensor, bytes, rig->encoder.size, &rig->packet),
      STX_LIDAR_GOOD);
  StxLidarFate fate = stx_lidar_turns_place(&rig->turns, &rig->packet);
  hand_over(rig);
  for (unsigned t = 0; t < 2 && fate == STX_LIDAR_FATE_TAKEN; t++)
    stx_lidar_turns_add(&rig->turns, &rig->packet, t, rig->points[t], rig->marks[t]);
  hand_over(rig);
  return fate;
}

/* Packet `number` of all, from turn 0 on. */
static StxLidarFate send(Rig *rig, unsigned number)
{
  uint8_t bytes[STX_LIDAR_ENCODE_SIZE];
  unsigned turn = number / rig->encoder.packets;
  stx_lidar_encode_packet(&rig->encoder, number % rig->encoder.packets, turn,
      UINT64_C(3599900000000) + turn * TENTH, TENTH, bytes); /* the hour ends with turn 0 */
  return take(rig, bytes);
}

/* A ring of points at 10 m for each beam of a VLP-16, at each of its 1800 firings. */
static void fill(Rig *rig)
{
  for (unsigned c = 0; c < rig->encoder.columns * rig->encoder.beams; c++)
    rig->encoder.range[c] = rig->encoder.kind == STX_LIDAR_ENCODE_OUSTER ? 10000 : 5000;
}

static double azimuth_of(const float *point)
{
  double degrees = -atan2((double)point[1], (double)point[0]) * 180 / M_PI;
  return degrees < 0 ? degrees + 360 : degrees;
}

static const char *kind_name(int kind)
{
  return stx_lidar_encode_kinds[kind].nick;
}

/* ---- In order ------------------------------------------------------------------------------ */

STX_TEST_LOOP(whole_turns, 2)
{
  STX_AUTO(Rig) *rig = rig_of((StxLidarEncodeKind)_i);
  unsigned packets = rig->encoder.packets;
  fill(rig);
  for (unsigned p = 0; p < 3 * packets; p++)
    ck_assert_int_eq((int)send(rig, p), STX_LIDAR_FATE_TAKEN);
  stx_lidar_turns_finish(&rig->turns);
  hand_over(rig);
  ck_assert_msg(rig->count == 3, "%s: %zu turns", kind_name(_i), rig->count);
  for (size_t t = 0; t < 3; t++) {
    const StxLidarTurn *turn = &rig->turn[t];
    size_t all = (size_t)rig->encoder.columns * rig->encoder.beams;
    ck_assert_msg(turn->complete, "turn %zu is incomplete", t);
    /* Lasers fire up to .125 degree behind the azimuth of their round: less than a step. */
    ck_assert_msg(turn->count == all, "turn %zu has %zu points of %zu", t, turn->count, all);
    ck_assert_uint_eq(turn->lost, 0);
    ck_assert_uint_lt(turn->end - turn->time - 99000000, 2000000);
    if (t > 0)
      ck_assert_uint_eq(turn->number, rig->turn[t - 1].number + 1);
    if (t > 0)
      ck_assert_uint_lt(turn->time - rig->turn[t - 1].time - 99990000, 20000);
  }
}

/* Turns begin where the cut is: each beam by itself. */
STX_TEST(a_cut_elsewhere)
{
  STX_AUTO(Rig) *rig = rig_of(STX_LIDAR_ENCODE_VLP_16);
  rig->turns.cut = 90 * 25600 + 12800;
  fill(rig);
  for (unsigned p = 0; p < 3 * 75; p++)
    send(rig, p);
  stx_lidar_turns_finish(&rig->turns);
  hand_over(rig);
  ck_assert_uint_eq(rig->count, 4);
  ck_assert(!rig->turn[0].begun && rig->turn[1].complete && rig->turn[2].complete);
  ck_assert_uint_eq(rig->turn[1].count, 28800);
  ck_assert_uint_eq(rig->turn[0].count + rig->turn[3].count, 28800);
  for (size_t i = 0; i < rig->turn[0].count; i++)
    ck_assert_double_lt(azimuth_of(rig->kept[0] + 4 * i), 90.5);
  /* The first shot of each beam looks just behind the cut, and its time is small. */
  for (size_t i = 0, seen = 0; seen != 0xFFFF; i++) {
    StxLidarMark mark = rig->kept_marks[1][i];
    if ((seen >> mark.ring & 1) == 0) {
      ck_assert_double_lt(fabs(azimuth_of(rig->kept[1] + 4 * i) - 90.6), 0.11);
      ck_assert_uint_lt(mark.time, 112000);
    }
    seen |= (size_t)1 << mark.ring;
  }
}

/* ---- Not in order -------------------------------------------------------------------------- */

STX_TEST_LOOP(lost_late_and_doubled, 2)
{
  STX_AUTO(Rig) *rig = rig_of((StxLidarEncodeKind)_i);
  unsigned packets = rig->encoder.packets;
  size_t each;
  fill(rig);
  each = (size_t)rig->encoder.columns * rig->encoder.beams / packets;
  for (unsigned p = 0; p < 5 * packets; p++) {
    unsigned at = p % packets, turn = p / packets;
    if (turn == 1 && (at == 20 || at == 21)) /* lost */
      continue;
    if (turn == 2 && at == 30) { /* late by one */
      send(rig, p + 1);
      ck_assert_int_eq((int)send(rig, p++), STX_LIDAR_FATE_TAKEN);
      continue;
    }
    send(rig, p);
    if (turn == 0 && at == 60) { /* it was there; after some more that is not known */
      ck_assert_int_eq((int)send(rig, 2), STX_LIDAR_FATE_DOUBLED);
      while (packets > 70 && p < 70)
        send(rig, ++p);
      if (packets > 70)
        ck_assert_int_eq((int)send(rig, 2), STX_LIDAR_FATE_STRANGE);
    }
    if (turn == 3 && at == 40)
      ck_assert_int_eq((int)send(rig, p), STX_LIDAR_FATE_DOUBLED);
    if (turn == 3 && at == 45) /* of a turn that is gone */
      ck_assert_int_eq((int)send(rig, packets + 20), STX_LIDAR_FATE_STRANGE);
  }
  stx_lidar_turns_finish(&rig->turns);
  hand_over(rig);
  ck_assert_uint_eq(rig->count, 5);
  ck_assert(!rig->turn[1].complete && rig->turn[2].complete && rig->turn[3].complete);
  ck_assert_uint_eq(rig->turn[1].lost, 2);
  ck_assert_uint_eq(rig->turn[1].count, (packets - 2) * each);
  for (int t = 2; t < 5; t++)
    ck_assert_msg(rig->turn[t].count == packets * each, "turn %d: %zu", t, rig->turn[t].count);
  ck_assert_uint_eq(rig->turns.lost, 2);
  ck_assert_uint_eq(rig->turns.late, 1);
  ck_assert_uint_eq(rig->turns.strange, packets > 70 ? 2 : 1);
  ck_assert_uint_eq(rig->turns.doubled, 2);
}

/* A gap across the end of a turn, one of several turns: nothing of two turns is ever in one. */
STX_TEST_LOOP(long_gaps, 2)
{
  STX_AUTO(Rig) *rig = rig_of((StxLidarEncodeKind)_i);
  unsigned packets = rig->encoder.packets;
  fill(rig);
  for (unsigned p = 0; p < 8 * packets; p++) {
    bool first = p >= 2 * packets - 10 && p < 2 * packets + 10;
    bool second = p >= 4 * packets - 30 && p < 6 * packets + 5;
    if (!first && !second)
      send(rig, p);
  }
  stx_lidar_turns_finish(&rig->turns);
  hand_over(rig);
  static const bool complete[] = {false, false, false, false, false, true};
  ck_assert_msg(rig->count == 6, "%zu turns", rig->count); /* 0 1 2 3 6 7 */
  for (size_t t = 0; t < 6; t++) {
    size_t points =
        rig->turn[t].count * packets / ((size_t)rig->encoder.columns * rig->encoder.beams);
    static const unsigned missing[] = {0, 10, 10, 30, 5, 0};
    ck_assert_msg(points == packets - missing[t], "turn %zu has %zu packets of points", t, points);
    if (t > 0)
      ck_assert_int_eq(rig->turn[t].complete, complete[t]);
    ck_assert_uint_eq(rig->turn[t].number - rig->turn[0].number, t < 4 ? t : t + 2);
  }
  /* By a clock whose packets are half a percent too long: */
  ck_assert_uint_le(rig->turns.lost - (20 + 2 * packets + 35), 1);
}

/* A motor that stands still: turns end all the same, and are never complete. */
STX_TEST(a_sensor_that_stands_still)
{
  STX_AUTO(Rig) *rig = rig_of(STX_LIDAR_ENCODE_VLP_16);
  uint8_t bytes[STX_LIDAR_ENCODE_SIZE];
  fill(rig);
  stx_lidar_encode_packet(&rig->encoder, 10, 0, 0, TENTH, bytes);
  for (unsigned b = 1; b < 12; b++)
    memcpy(bytes + 100 * b + 2, bytes + 2, 2);
  for (uint32_t p = 0; p < 2000; p++) {
    memcpy(bytes + 1200, (uint32_t[]){p * 1327}, 4);
    take(rig, bytes);
  }
  ck_assert_uint_eq(rig->count, 2);
  for (size_t t = 0; t < 2; t++) {
    ck_assert(!rig->turn[t].complete);
    ck_assert_uint_lt(rig->turn[t].count - 384 * 750, 384 * 10);
  }
}

/* A Velodyne that was told to look at half of the turn leaves the rest out: nothing is lost. The
 * jump lies within a packet, and once between two. */
STX_TEST(a_part_of_the_turn)
{
  STX_AUTO(Rig) *rig = rig_of(STX_LIDAR_ENCODE_VLP_16);
  uint8_t bytes[STX_LIDAR_ENCODE_SIZE], all[1206];
  unsigned blocks = 0;
  fill(rig);
  for (unsigned block = 0; block < 6 * 900; block++) { /* of 0.4 degree */
    unsigned at = block % 900, jumps = block / 900 == 3 ? 300 : 305;
    if (at >= jumps && at < 700)
      continue;
    stx_lidar_encode_packet(&rig->encoder, at / 12, 0, block * UINT64_C(110592), TENTH, all);
    memcpy(bytes + 100 * blocks, all + 100 * (at % 12), 100);
    if (blocks == 0)
      memcpy(bytes + 1200, (uint32_t[]){block * 110592 / 1000}, 4);
    memcpy(bytes + 1204, all + 1204, 2);
    if (++blocks == 12)
      take(rig, bytes);
    blocks %= 12;
  }
  ck_assert_uint_eq(rig->turns.lost, 0);
  ck_assert_uint_ge(rig->count, 4);
  for (size_t t = 1; t < rig->count; t++)
    ck_assert_msg(rig->turn[t].complete, "turn %zu is incomplete", t);
}

/* Azimuth and clock stand still, and only the numbers go on: no turn has more than a second. */
STX_TEST(a_clock_that_stands_still)
{
  STX_AUTO(Rig) *rig = rig_of(STX_LIDAR_ENCODE_VLP_16);
  uint8_t bytes[STX_LIDAR_ENCODE_SIZE];
  fill(rig);
  stx_lidar_encode_packet(&rig->encoder, 10, 0, 0, TENTH, bytes);
  stx_lidar_packet_decode(&rig->sensor, bytes, rig->encoder.size, &rig->packet);
  rig->packet.order_modulus = 0;
  for (uint32_t p = 0; p < 3000; p++) {
    rig->packet.order += rig->packet.step;
    rig->packet.time += p % 2 ? 1000000 : UINT64_C(3600000000000) - 1000000; /* of an hour */
    stx_lidar_turns_place(&rig->turns, &rig->packet);
    hand_over(rig);
    for (unsigned t = 0; t < 2; t++)
      stx_lidar_turns_add(&rig->turns, &rig->packet, t, rig->points[t], rig->marks[t]);
    hand_over(rig);
  }
  ck_assert_uint_ge(rig->count, 3);
  for (size_t t = 0; t < rig->count; t++)
    ck_assert_uint_le(rig->turn[t].count, 384 * 760);
}

/* Packets whose times and azimuths are anything: nothing overflows, and no turn is endless. */
STX_TEST_LOOP(any_times, 4)
{
  STX_AUTO(Rig) *rig = rig_of((StxLidarEncodeKind)(_i % 2));
  StxRandom random = {(uint64_t)_i + 7};
  fill(rig);
  send(rig, 0);
  for (int p = 0; p < 20000; p++) {
    StxLidarPacket *packet = &rig->packet;
    uint64_t jump = UINT64_C(1) << stx_random_below(&random, 64);
    packet->order += stx_random_below(&random, 3) ? packet->step : jump;
    packet->time += stx_random_below(&random, 3) ? packet->span : jump;
    packet->time_modulus = stx_random_below(&random, 2) ? 0 : UINT64_C(3600000000000);
    packet->order_modulus = stx_random_below(&random, 2) ? 0 : UINT64_C(1) << 32;
    packet->azimuth = (uint32_t)stx_random_below(&random, STX_LIDAR_TURN);
    if (stx_lidar_turns_place(&rig->turns, packet) == STX_LIDAR_FATE_TAKEN) {
      for (; rig->turns.ended > 0; stx_lidar_turns_close(&rig->turns))
        ck_assert_uint_le(rig->turns.open[0].count, 400000);
      for (unsigned t = 0; t < 2; t++)
        stx_lidar_turns_add(&rig->turns, packet, t, rig->points[t], rig->marks[t]);
    }
    for (; rig->turns.ended > 0; stx_lidar_turns_close(&rig->turns))
      ;
  }
}

/* Two sensors send to one port, whose clocks agree or not: the turns are those of one. */
STX_TEST_LOOP(two_sensors, 4)
{
  StxLidarEncodeKind kind = (StxLidarEncodeKind)(_i % 2);
  STX_AUTO(Rig) *rig = rig_of(kind);
  unsigned packets = rig->encoder.packets;
  uint8_t bytes[STX_LIDAR_ENCODE_SIZE];
  fill(rig);
  for (unsigned p = 0; p < 3 * packets; p++) {
    unsigned other = (p + packets / 3) % packets, turn = p / packets;
    send(rig, p);
    stx_lidar_encode_packet(
        &rig->encoder, other, turn, UINT64_C(3599900000000) + turn * TENTH, TENTH, bytes);
    stx_lidar_packet_decode(&rig->sensor, bytes, rig->encoder.size, &rig->packet);
    rig->packet.time = UINT64_C(3599900000000) + p * TENTH / packets + 300000;
    rig->packet.time += _i < 2 ? 0 : UINT64_C(100000000000);
    if (kind == STX_LIDAR_ENCODE_VLP_16)
      rig->packet.order = rig->packet.time / 1000 % UINT64_C(3600000000);
    rig->packet.time %= rig->packet.time_modulus > 0 ? rig->packet.time_modulus : UINT64_MAX;
    ck_assert_int_ne((int)stx_lidar_turns_place(&rig->turns, &rig->packet), STX_LIDAR_FATE_TAKEN);
  }
  stx_lidar_turns_finish(&rig->turns);
  hand_over(rig);
  ck_assert_uint_eq(rig->count, 3);
  for (size_t t = 0; t < 3; t++)
    ck_assert(rig->turn[t].complete);
  ck_assert_uint_ge(rig->turns.strange + rig->turns.doubled + rig->turns.late, 3 * packets);
}

/* One packet has a time of its own: it is left out, and the turn goes on. */
STX_TEST_LOOP(an_odd_time, 4)
{
  static const int64_t off[] = {-3600, -1, 1, 36000};
  STX_AUTO(Rig) *rig = rig_of(STX_LIDAR_ENCODE_OUSTER);
  unsigned packets = rig->encoder.packets;
  uint8_t bytes[STX_LIDAR_ENCODE_SIZE];
  fill(rig);
  for (unsigned p = 0; p < 3 * packets; p++) {
    if (p != packets && p != packets + 5) {
      send(rig, p);
      continue;
    }
    stx_lidar_encode_packet(&rig->encoder, p % packets, 1,
        UINT64_C(3600000000000) + (uint64_t)(off[_i] * INT64_C(1000000000)), TENTH, bytes);
    ck_assert_int_eq((int)take(rig, bytes), STX_LIDAR_FATE_STRANGE);
  }
  stx_lidar_turns_finish(&rig->turns);
  hand_over(rig);
  ck_assert_uint_eq(rig->count, 3);
  ck_assert_uint_eq(rig->turn[1].lost, 2);
  for (size_t t = 1; t < 3; t++)
    ck_assert_uint_lt(rig->turn[t].time - rig->turn[t - 1].time - 97000000, 6000000);
}

/* The sensor begins anew: its clock or its numbers jump back. That costs a few packets. */
STX_TEST_LOOP(a_restart, 2)
{
  STX_AUTO(Rig) *rig = rig_of((StxLidarEncodeKind)_i);
  unsigned packets = rig->encoder.packets;
  fill(rig);
  for (unsigned p = 40 * packets; p < 41 * packets + 10; p++)
    send(rig, p);
  for (unsigned p = 0; p < packets; p++)
    ck_assert_int_eq((int)send(rig, 2 * packets + p),
        p + 1 < STX_LIDAR_STRANGERS ? STX_LIDAR_FATE_STRANGE : STX_LIDAR_FATE_TAKEN);
  stx_lidar_turns_finish(&rig->turns);
  hand_over(rig);
  ck_assert_uint_eq(rig->count, 3);
  ck_assert(!rig->turn[1].complete);
  ck_assert_uint_eq(rig->turn[2].count, (size_t)rig->encoder.columns * rig->encoder.beams *
                                            (packets - STX_LIDAR_STRANGERS + 1) / packets);
  ck_assert_uint_eq(rig->turns.restarts, 1);
  ck_assert_uint_eq(rig->turns.lost, 0);
}

/* Any order at all: points are never in two turns, never twice, and nothing is overrun. */
STX_TEST_LOOP(any_order, 6)
{
  STX_AUTO(Rig) *rig = rig_of((StxLidarEncodeKind)(_i % 2));
  StxRandom random = {(uint64_t)_i + 1};
  fill(rig);
  unsigned p = 0, end = 10 * rig->encoder.packets;
  while (p < end) {
    int what = stx_random_below(&random, 20);
    unsigned back = (unsigned)stx_random_below(&random, 90);
    if (what == 0)
      send(rig, p > back ? p - back : 0);
    else if (what == 1)
      p += back / 10;
    else
      send(rig, p++);
  }
  stx_lidar_turns_finish(&rig->turns);
  hand_over(rig);
  size_t whole = (size_t)rig->encoder.columns * rig->encoder.beams;
  for (size_t t = 0; t < rig->count; t++) {
    ck_assert_uint_le(rig->turn[t].count, whole);
    ck_assert(!rig->turn[t].complete || rig->turn[t].count == whole);
    ck_assert(t == 0 || rig->turn[t].number > rig->turn[t - 1].number);
  }
}

/* ---- There and back ------------------------------------------------------------------------ */

/* Points become shots and points again: half a step of azimuth and a unit of range beside. */
STX_TEST_LOOP(there_and_back, 2)
{
  STX_AUTO(Rig) *rig = rig_of((StxLidarEncodeKind)_i);
  unsigned beams = rig->encoder.beams;
  float points[4 * 1000];
  StxRandom random = {7};
  for (size_t i = 0; i < 1000; i++) {
    double a = stx_random_below(&random, 360000) / 1000. * M_PI / 180;
    unsigned beam = (unsigned)stx_random_below(&random, (int)beams);
    double h = (_i == 0 ? -15 + 2. * beam : 32. / 3 - 4. / 3 * beam) * M_PI / 180;
    double range = 2 + stx_random_below(&random, 50000) / 1000.;
    points[4 * i] = (float)(range * cos(h) * cos(a));
    points[4 * i + 1] = (float)(range * cos(h) * sin(a));
    points[4 * i + 2] = (float)(range * sin(h) + (_i == 1 ? .03618 : 0));
    points[4 * i + 3] = (float)(i % 200) + 2;
  }
  size_t taken = stx_lidar_encode_turn(&rig->encoder, points, 1000);
  ck_assert_uint_gt(taken, 950); /* few meet in one shot */
  for (unsigned p = 0; p < rig->encoder.packets; p++)
    send(rig, p);
  stx_lidar_turns_finish(&rig->turns);
  hand_over(rig);
  ck_assert_uint_eq(rig->turn[0].count, taken);
  size_t near = 0;
  for (size_t i = 0; i < taken; i++) {
    const float *p = rig->kept[0] + 4 * i;
    double best = 1e9, range = hypot(hypot((double)p[0], (double)p[1]), (double)p[2]);
    for (size_t j = 0; j < 1000; j++) {
      const float *q = points + 4 * j;
      double away =
          hypot(hypot((double)(p[0] - q[0]), (double)(p[1] - q[1])), (double)(p[2] - q[2]));
      best = p[3] == q[3] && away < best ? away : best;
    }
    near += best < .004 + range * (_i == 0 ? .1 : .18) * M_PI / 180 * 1.05;
  }
  ck_assert_uint_eq(near, taken);
}

/* ---- Motion -------------------------------------------------------------------------------- */

STX_TEST(points_move_to_the_turns_beginning)
{
  const StxLidarMark marks[] = {{.time = 0}, {.time = 50000000}};
  float still[] = {1, 2, 3, 4, 1, 2, 3, 4};
  StxLidarMotion motion = {.speed = 10};
  stx_lidar_move(&motion, 2, marks, still);
  const float ahead[] = {1, 2, 3, 4, 1.5F, 2, 3, 4};
  stx_expect_same(ahead, still, sizeof ahead, "half a metre in 50 ms");

  /* A quarter of a circle of radius 2 m in 50 ms: a point 1 m ahead of the sensor, which then is 2
   * m ahead and 2 m to the left, is 3 m to the left of where it began. */
  float turn[] = {0, 0, 0, 0, 1, 0, 0, 0};
  motion = (StxLidarMotion){.speed = 2 * M_PI / 2 / .05, .yaw_rate = M_PI / 2 / .05};
  stx_lidar_move(&motion, 2, marks, turn);
  ck_assert_float_eq_tol(turn[4], 2, 1e-5F);
  ck_assert_float_eq_tol(turn[5], 3, 1e-5F);

  float yaw[] = {1, 0, 5, 6};
  motion = (StxLidarMotion){.yaw = M_PI / 2};
  stx_lidar_move(&motion, 1, marks, yaw);
  ck_assert_float_eq_tol(yaw[0], 0, 1e-6F);
  ck_assert_float_eq_tol(yaw[1], 1, 1e-6F);
}
