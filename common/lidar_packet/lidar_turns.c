/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/lidar_packet/lidar_turns.h"

#include <math.h>
#include <string.h>

#define TURN STX_LIDAR_TURN
#define LONGEST 1000000000          /* nanoseconds that no turn takes: the sensor stands still */
#define OFF INT64_C(500000000)      /* by which a clock and the number of packets may differ, */
#define SILENT INT64_C(10000000000) /* and that no sensor pauses */
#define FASTEST (TURN / 1e6)        /* azimuth in a nanosecond: a thousand turns a second */
#define MOST_TURNS 10000            /* that are counted on in a gap */

/* new − old, of numbers that begin again after `modulus`. */
static int64_t difference(uint64_t new, uint64_t old, uint64_t modulus)
{
  int64_t more = (int64_t)(new - old), half = (int64_t)(modulus / 2);
  if (modulus == 0)
    return more;
  more %= (int64_t)modulus;
  return more >= half ? more - (int64_t)modulus : more < -half ? more + (int64_t)modulus : more;
}

/* The turn in which a beam looks into this direction. */
static int64_t turn_at(const StxLidarTurns *turns, int64_t position)
{
  int64_t from = position - turns->cut;
  return from / TURN - (from % TURN < 0);
}

/* ---- Where a packet belongs ---------------------------------------------------------------- */

/* The sensor's azimuth if packets may be missing: as many turns further as its speed suggests. */
static int64_t turn_on(const StxLidarTurns *turns, const StxLidarPacket *packet, int64_t missing)
{
  int64_t ahead = ((int64_t)packet->azimuth - turns->position) % TURN;
  double time = (double)(int64_t)(turns->now - turns->clock);
  ahead += ahead < 0 ? TURN : 0;
  if (missing > 0 && turns->rate > 0 && time > 0 && time < 1e15) {
    double more = (turns->rate * time - (double)ahead) / TURN;
    ahead += more > 0.5 ? (int64_t)lrint(fmin(more, MOST_TURNS)) * TURN : 0;
  } else if (missing == 0 && ahead > TURN * INT64_C(3) / 4) {
    ahead -= TURN; /* it trembles */
  }
  return turns->position + ahead;
}

/* Whether what is missing are azimuths that the sensor was told to leave out: it showed such a gap
 * within a packet. */
static bool is_left_out(const StxLidarTurns *turns, const StxLidarPacket *packet)
{
  int64_t ahead = ((int64_t)packet->azimuth - turns->position) % TURN;
  ahead += ahead < 0 ? TURN : 0;
  return turns->gap > 0 && ahead >= turns->gap && ahead < turns->gap + TURN / 64;
}

/* A turn that takes this long has all points that the sensor can give. */
static bool is_full(const StxLidarTurns *turns)
{
  const StxLidarTurn *turn = &turns->open[0];
  bool lasts = turn->count > 0 && (int64_t)(turns->now - turn->time) > LONGEST;
  return turn->packets > 0 && (lasts || turn->spans > LONGEST);
}

static void take_newest(StxLidarTurns *turns, const StxLidarPacket *packet, uint64_t order)
{
  turns->orders[turns->packets++ % STX_LIDAR_ORDERS] = order;
  turns->order = order;
  turns->wrapped_order = packet->order;
  turns->clock = turns->now;
  turns->wrapped_clock = packet->time;
  turns->position = turns->place;
  turns->span = packet->span;
  turns->step = packet->step > 0 ? packet->step : 1;
  turns->low = packet->low;
  turns->gap = packet->gap > 0 ? packet->gap : turns->gap;
  turns->running = true;
}

/* The turn that a packet of a counting sensor belongs to, and packets of it that are missing. */
static void place_counted(StxLidarTurns *turns, const StxLidarPacket *packet, int64_t missing)
{
  StxLidarTurn *turn = &turns->open[0];
  turns->lowest = (int64_t)(turns->order / packet->pieces);
  if (missing > 0 && turn->packets > 0)
    turn->lost += turns->lowest > (int64_t)turn->number ? packet->pieces - 1 - turns->piece
                                                        : (uint32_t)missing;
  turns->piece = packet->piece;
}

/* The open turns are those from the lowest on. */
static void open_turns(StxLidarTurns *turns)
{
  for (unsigned t = 0; t < 2; t++)
    if (turns->open[t].packets == 0) {
      int64_t number = turns->lowest + t;
      turns->open[t] = (StxLidarTurn){
          .number = (uint64_t)number, .begun = number > turn_at(turns, turns->whole - 1)};
    }
}

static void begin(StxLidarTurns *turns, const StxLidarPacket *packet)
{
  int64_t past = turns->running ? turns->position / TURN + 2 : 1;
  turns->place = past * TURN + packet->azimuth;
  turns->whole = turns->place + packet->ahead;
  turns->now = packet->time;
  turns->rate = 0;
  turns->lowest = turn_at(turns, turns->place + packet->low);
  turns->packets = 0;
  /* Two periods more: numbers that begin again do not get below 0. */
  take_newest(turns, packet, packet->order + 2 * packet->order_modulus);
  if (!packet->turns)
    place_counted(turns, packet, 0);
}

/* A packet that the newest one has overtaken: it joins an open turn. */
static StxLidarFate place_late(
    StxLidarTurns *turns, const StxLidarPacket *packet, uint64_t order, int64_t steps)
{
  StxLidarTurn *turn = &turns->open[0];
  int64_t first = (int64_t)(order / (packet->turns ? 1 : packet->pieces)), last = first;
  turns->late++;
  if (packet->turns) {
    double turned = turns->rate * (double)(int64_t)(turns->now - turns->clock);
    int64_t ahead = difference(packet->azimuth, (uint64_t)(turns->position % TURN), TURN);
    turns->place = turns->position + ahead;
    if (fabs(turned - (double)ahead) < 2. * TURN)
      turns->place += lrint((turned - (double)ahead) / TURN) * TURN;
    first = turn_at(turns, turns->place + packet->low);
    last = turn_at(turns, turns->place + packet->high);
  }
  if (steps > STX_LIDAR_ORDERS / 2 || first < (int64_t)turn->number || turn->packets == 0 ||
      is_full(turns))
    return STX_LIDAR_FATE_LATE;
  turns->orders[turns->packets++ % STX_LIDAR_ORDERS] = order;
  turns->lost -= turns->lost > 0;
  if (last == (int64_t)turn->number)
    turn->lost -= turn->lost > 0;
  return STX_LIDAR_FATE_TAKEN;
}

/* One that follows, perhaps after a gap. */
static void place_next(
    StxLidarTurns *turns, const StxLidarPacket *packet, uint64_t order, int64_t missing)
{
  turns->lost += (uint64_t)missing;
  if (packet->turns) {
    turns->place = turn_on(turns, packet, missing);
    if (is_full(turns)) {
      turns->place += TURN;
      turns->whole = turns->place + TURN;
      turns->open[0].begun = turns->open[1].begun = false;
    }
    turns->lowest = turn_at(turns, turns->place + packet->low);
    double time = (double)(int64_t)(turns->now - turns->clock);
    int64_t ahead = turns->place - turns->position;
    if (missing == 0 && time > 0 && ahead > 0 && ahead < TURN / 4)
      turns->rate = fmin((double)ahead / time, FASTEST);
    if (missing > 0) {
      turns->open[0].lost += (uint32_t)missing;
      turns->whole = turns->place + packet->ahead;
      turns->open[1].begun = turns->open[1].begun && turns->open[1].packets == 0;
    }
  }
  take_newest(turns, packet, order);
  if (!packet->turns)
    place_counted(turns, packet, missing);
}

/* Is this packet, `more` ahead of the newest one, not of its sensor and its clock? Between two
 * packets of a sensor lies a span, or, of late ones, one at least. */
static bool is_strange(const StxLidarTurns *turns, const StxLidarPacket *packet, int64_t more)
{
  int64_t time = difference(packet->time, turns->wrapped_clock, packet->time_modulus);
  double expected = fabs((double)more / turns->step * turns->span), least = 0.75 * turns->span;
  if (more < -(int64_t)turns->step * (STX_LIDAR_ORDERS / 2) || time > SILENT)
    return true;
  if (fabs((double)time) < least && turns->gap == 0)
    return more != 0;
  return more < 0 ? time > OFF || (double)time < -OFF - 2 * expected
                  : time < -OFF || (double)time > OFF + 2 * expected;
}

StxLidarFate stx_lidar_turns_place(StxLidarTurns *turns, const StxLidarPacket *packet)
{
  int64_t step = turns->step;
  int64_t more = difference(packet->order, turns->wrapped_order, packet->order_modulus);
  uint64_t order = turns->order + (uint64_t)more;
  turns->ended = 0;
  for (unsigned i = 0; turns->running && i < STX_LIDAR_ORDERS && i < turns->packets; i++)
    if (turns->orders[i] == order) {
      turns->doubled++;
      return STX_LIDAR_FATE_DOUBLED;
    }
  bool strange = turns->running && is_strange(turns, packet, more);
  turns->strangers = strange ? turns->strangers + 1 : 0;
  if (strange && turns->strangers < STX_LIDAR_STRANGERS) {
    turns->strange++;
    return STX_LIDAR_FATE_STRANGE;
  }
  if (!turns->running || strange) {
    turns->restarts += strange;
    turns->strangers = 0;
    if (strange)
      stx_lidar_turns_finish(turns);
    begin(turns, packet);
  } else {
    turns->now = turns->clock +
                 (uint64_t)difference(packet->time, turns->wrapped_clock, packet->time_modulus);
    if (more < 0)
      return place_late(turns, packet, order, -more / step);
    int64_t missing = (int64_t)(((uint64_t)more + (uint64_t)step / 2) / (uint64_t)step) - 1;
    place_next(turns, packet, order, missing > 0 && !is_left_out(turns, packet) ? missing : 0);
    turns->ended = 0;
    for (unsigned t = 0; t < 2; t++) {
      StxLidarTurn *turn = &turns->open[t];
      if (turn->packets == 0 || (int64_t)turn->number >= turns->lowest)
        continue;
      turn->complete = turn->begun && turn->lost == 0;
      turns->ended = t + 1;
    }
  }
  if (turns->ended == 0)
    open_turns(turns);
  return STX_LIDAR_FATE_TAKEN;
}

/* ---- Points -------------------------------------------------------------------------------- */

static void add_points(StxLidarTurn *turn, const StxLidarPacket *packet, size_t from, size_t count,
    uint64_t now, float *points, StxLidarMark *marks)
{
  if (count == 0)
    return;
  if (turn->count == 0)
    turn->time = now + packet->marks[from].time;
  int64_t shift = (int64_t)(now - turn->time);
  shift = shift < -(int64_t)UINT32_MAX ? -(int64_t)UINT32_MAX : shift;
  shift = shift > UINT32_MAX ? UINT32_MAX : shift;
  memcpy(points + 4 * turn->count, packet->points[from], count * sizeof packet->points[0]);
  for (size_t i = 0; i < count; i++) {
    StxLidarMark mark = packet->marks[from + i];
    int64_t time = shift + mark.time;
    mark.time = (uint32_t)(time < 0 ? 0 : time > UINT32_MAX ? UINT32_MAX : time);
    marks[turn->count + i] = mark;
  }
  turn->count += count;
}

void stx_lidar_turns_add(StxLidarTurns *turns, const StxLidarPacket *packet, unsigned which,
    float *points, StxLidarMark *marks)
{
  StxLidarTurn *turn = &turns->open[which];
  int64_t number = (int64_t)turn->number;
  bool inside = which == 0;
  if (packet->turns) {
    int64_t first = turn_at(turns, turns->place + packet->low);
    int64_t last = turn_at(turns, turns->place + packet->high);
    if (number < first || number > last)
      return;
    inside = first == last;
  } else if (which > 0) {
    return;
  }
  if (turn->packets++ == 0 && !packet->turns) {
    turn->begun = packet->piece == 0;
    turn->lost = packet->piece;
  }
  int64_t from = number * TURN + turns->cut - turns->place, to = from + TURN;
  if (inside)
    add_points(turn, packet, 0, packet->count, turns->now, points, marks);
  else
    for (size_t i = 0, begin; i < packet->count; i++) { /* runs of points that look between them */
      for (begin = i; i < packet->count && packet->at[i] >= from && packet->at[i] < to; i++)
        ;
      add_points(turn, packet, begin, i - begin, turns->now, points, marks);
    }
  turn->spans += packet->span;
  turn->end = turns->now + packet->span;
  if (!packet->turns && turns->piece + 1 == packet->pieces) {
    turn->complete = turn->lost == 0;
    turns->ended = 1;
  }
}

void stx_lidar_turns_close(StxLidarTurns *turns)
{
  turns->open[0] = turns->open[1];
  turns->open[1] = (StxLidarTurn){.number = turns->open[0].number + 1};
  turns->ended--;
  if (turns->ended == 0) {
    if (turns->lowest < (int64_t)turns->open[0].number)
      turns->lowest = (int64_t)turns->open[0].number;
    open_turns(turns);
  }
}

void stx_lidar_turns_finish(StxLidarTurns *turns)
{
  /* The expected start of the next packet, and an eighth more for the jitter of rates. */
  int64_t next = turns->position + (int64_t)(turns->rate * (double)turns->span * 9 / 8);
  turns->ended = 0;
  for (unsigned t = 0; t < 2; t++) {
    StxLidarTurn *turn = &turns->open[t];
    if (turn->packets == 0)
      continue;
    turn->complete = turn->begun && turn->lost == 0 && turns->span > 0 &&
                     turn_at(turns, next + turns->low) > (int64_t)turn->number;
    turns->ended = t + 1;
  }
}

/* ---- Motion -------------------------------------------------------------------------------- */

/* Sensor and points turn together by `angle` while it drives `way` ahead on an arc. */
void stx_lidar_move(
    const StxLidarMotion *motion, size_t count, const StxLidarMark *marks, float *points)
{
  bool still = motion->speed == 0 && motion->yaw_rate == 0;
  float cosine = (float)cos(motion->yaw), sine = (float)sin(motion->yaw);
  for (size_t i = 0; i < count; i++, points += 4) {
    float x = points[0] * cosine - points[1] * sine, y = points[0] * sine + points[1] * cosine;
    points[0] = x;
    points[1] = y;
    if (still)
      continue;
    double time = marks[i].time * 1e-9, angle = motion->yaw_rate * time;
    double way = motion->speed * time, c = cos(angle), s = sin(angle);
    double along = fabs(angle) < 1e-6 ? 1 : s / angle,
           aside = fabs(angle) < 1e-6 ? angle / 2 : (1 - c) / angle;
    points[0] = (float)(x * c - y * s + way * along);
    points[1] = (float)(x * s + y * c + way * aside);
  }
}
