/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Acts on the queued buffers of the pads, as queued.c has judged them. */
#include "gst/base/pairing_private.h"

#include "gst/base/inputs.h"
#include "gst/core/element.h"
#include "gst/stixels/motionmeta.h"

GST_DEBUG_CATEGORY_EXTERN(gst_stx_pairing_debug);
#define GST_CAT_DEFAULT gst_stx_pairing_debug

#define PRIVATE(self) (gst_stx_pairing_private((GstStxPairing *)(self)))
#define CLASS(self) GST_STX_PAIRING_GET_CLASS(self)

/* ---- Gaps ---------------------------------------------------------------------------------- */

/* Roles that have pads, 0 if one of them has not had caps. */
static guint known_roles(GstStxPairing *self, const GstStxQueued *queued)
{
  guint roles = 0;

  for (guint role = 0; role < queued->count; role++) {
    if (queued->head[role].pad == NULL)
      continue;
    if (PRIVATE(self)->caps[role] == NULL)
      return 0;
    roles |= 1u << role;
  }
  return roles;
}

/* A gap comes after caps and segment, also where it comes before any buffer of that segment. */
static GstFlowReturn begin_stream(GstStxPairing *self, const GstStxQueued *queued)
{
  GstPad *src = GST_AGGREGATOR_SRC_PAD(self);
  g_autoptr(GstEvent) sent = gst_pad_get_sticky_event(src, GST_EVENT_SEGMENT, 0);
  gboolean begun = sent != NULL && !PRIVATE(self)->segment;
  guint roles = known_roles(self, queued);
  GstFlowReturn flow;
  StxError error;

  if (begun)
    return GST_FLOW_OK;
  if (roles == 0)
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  flow = CLASS(self)->announce(self, roles, &error);
  if (flow == GST_FLOW_OK) {
    gst_stx_pairing_push_event(self, gst_event_new_segment(&GST_AGGREGATOR_PAD(src)->segment));
    PRIVATE(self)->segment = FALSE;
  }
  return flow;
}

/* A failure without an element error repeats with one at the first set. */
GstFlowReturn gst_stx_pairing_push_gap(
    GstStxPairing *self, const GstStxQueued *queued, GstBuffer *lead, gboolean late)
{
  GstClockTime frame = PRIVATE(self)->frame, duration = GST_BUFFER_DURATION(lead);
  GstFlowReturn flow;
  GstEvent *gap;

  if (!GST_BUFFER_PTS_IS_VALID(lead))
    return GST_FLOW_OK;
  if (!GST_CLOCK_TIME_IS_VALID(duration) && frame > 0)
    duration = frame;
  flow = begin_stream(self, queued);
  if (flow == GST_FLOW_OK) {
    gap = gst_event_new_gap(GST_BUFFER_PTS(lead), duration);
    if (late)
      gst_stx_qos_mark_gap(gap);
    gst_stx_pairing_push_event(self, gap);
    gst_stx_stats_count(&PRIVATE(self)->stats.gaps, GST_ELEMENT(self));
  }
  return flow == GST_FLOW_ERROR || flow == GST_AGGREGATOR_FLOW_NEED_DATA ||
                 flow == GST_STX_PAIRING_FLOW_NOTHING
             ? GST_FLOW_OK
             : flow;
}

static gboolean is_doubted(GstStxPairing *self, const GstStxHead *head, guint role)
{
  return PRIVATE(self)->timelines[role].doubted || (head->held != NULL && !head->held->believed);
}

void gst_stx_pairing_count_unpaired(GstStxPairing *self, guint role)
{
  GST_STX_LOCKED(self, PRIVATE(self)->unpaired++; PRIVATE(self)->unpaired_of[role]++);
}

/* A buffer that is no gap, and was no use. */
static void count_orphan(GstStxPairing *self, const GstStxQueued *queued, guint role)
{
  GstStxPairingPrivate *priv = PRIVATE(self);
  const GstStxHead *head = &queued->head[role];
  GstClockTime work = gst_stx_load_is_over(&priv->load, priv->frame) ? priv->load.busy : 0;

  gst_stx_pairing_count_unpaired(self, role);
  if (head->required && gst_stx_pairing_is_live(self))
    gst_stx_links_warn_slow(&priv->links, queued, work, priv->frame);
  if (head->required)
    gst_stx_links_warn_orphan(&priv->links, role, head->buffer);
  else if (CLASS(self)->too_late != NULL && head->timed && head->time >= 0 &&
           !is_doubted(self, head, role))
    CLASS(self)->too_late(self, role, head->buffer, (GstClockTime)head->time);
}

/* ---- Times that are not believed ----------------------------------------------------------- */

#define OFF_CLOCK (GST_SECOND / 4)

/* The distance from what was expected that needs no reason. */
static gint64 limit_of(GstStxPairing *self, GstClockTime running)
{
  return GST_CLOCK_TIME_IS_VALID(running) ? (gint64)MAX(OFF_CLOCK, 2 * PRIVATE(self)->skew.period)
                                          : GST_STX_TIME_APART;
}

/* The hole in a stream that may lie in front of a head without a reason. A recording can be asked
 * what comes next, at no cost. */
static gint64 hole_of(GstStxPairing *self, GstClockTime running)
{
  GstClockTime period = PRIVATE(self)->skew.period;

  return period > 0 && !GST_CLOCK_TIME_IS_VALID(running) ? 2 * (gint64)period
                                                         : limit_of(self, running);
}

/* A live source stamps frames when they come: what it stamped ahead of now, or before what it had
 * stamped before, is not when. A file may have gaps that others do not; of two that disagree, the
 * one that is `ahead` has to be followed by its next frame. */
static gboolean is_plausible(GstStxPairing *self, const GstStxHead *head,
    const GstStxTimeline *timeline, gboolean ahead, GstClockTime running)
{
  if (timeline->running && head->time < timeline->last)
    return FALSE;
  if (!ahead || !GST_CLOCK_TIME_IS_VALID(running))
    return !ahead;
  return head->time - limit_of(self, running) <= (GstClockTimeDiff)running;
}

/* The clock of a live source was set: its frames are paired as if it had not been. It has gone on
 * for as many frames as the time that passed. */
static void shift(GstStxPairing *self, guint role, GstClockTimeDiff expected, GstClockTimeDiff time)
{
  GstStxPairingPrivate *priv = PRIVATE(self);

  priv->skew.shift[role] += time - expected;
  priv->timelines[role].last = expected;
}

/* Where the next frame of a role is expected, which was `last` before: in a live pipeline now, in a
 * recording a frame after the odd one. */
static GstClockTimeDiff next_of(
    GstStxPairing *self, guint role, GstClockTimeDiff last, GstClockTime running)
{
  GstClockTime period = PRIVATE(self)->skew.period, taken = PRIVATE(self)->taken[role];
  GstClockTime passed = running > taken ? running - taken : 0;

  if (!GST_CLOCK_TIME_IS_VALID(running))
    return last + 2 * PRIVATE(self)->timelines[role].step;
  if (period > 0)
    passed = (passed + period / 2) / period * period;
  return last + (GstClockTimeDiff)passed;
}

/* Takes a head off its pad until the next one tells, or the end, whether its time is right: a file
 * may have gaps. In a live pipeline the clock has told. FALSE: it is lost. */
static gboolean hold(GstStxPairing *self, const GstStxHead *head, guint role, gboolean live)
{
  if (head->held != NULL || (live && head->required))
    return FALSE;
  PRIVATE(self)->held[role] = (GstStxHeld){gst_aggregator_pad_pop_buffer(head->pad), FALSE};
  return TRUE;
}

/* Older heads wait for a held one off their pads, too: one thread may feed all of them. */
static void keep(GstStxPairing *self, const GstStxQueued *queued, guint roles)
{
  for (guint role = 0; role < queued->count; role++)
    if (roles & 1u << role && queued->head[role].held == NULL)
      PRIVATE(self)->held[role] =
          (GstStxHeld){gst_aggregator_pad_pop_buffer(queued->head[role].pad), TRUE};
}

/* The clock of a source was set, or nothing came from it for long. */
static void tell_step(GstStxPairing *self, guint role, GstClockTimeDiff step, gboolean live)
{
  gst_stx_stats_count(&PRIVATE(self)->stats.steps, GST_ELEMENT(self));
  gst_stx_links_tell_step(&PRIVATE(self)->links, role, step, live);
}

/* A recording: its clock had been set, and is right again, as the times were before that. */
static gboolean is_set_back(
    GstStxPairing *self, const GstStxTimeline *timeline, const GstStxHead *head, guint role)
{
  GstClockTimeDiff shift = PRIVATE(self)->skew.shift[role];

  return shift != 0 &&
         !gst_stx_times_are_apart(head->time + shift, timeline->last, GST_STX_TIME_APART);
}

/* Looks at the time of a head that does not fit the others. SET: its clock was, which is said. */
static GstStxTimeVerdict doubt(GstStxPairing *self, const GstStxQueued *queued, guint role,
    gboolean ahead, GstClockTime running)
{
  GstStxPairingPrivate *priv = PRIVATE(self);
  GstStxTimeline *timeline = &priv->timelines[role];
  const GstStxHead *head = &queued->head[role];
  gboolean live = GST_CLOCK_TIME_IS_VALID(running), plausible, back;
  gint64 limit = ahead ? hole_of(self, running) : limit_of(self, running);
  GstClockTimeDiff last;
  GstStxTimeVerdict verdict;

  if (!timeline->running && live &&
      gst_stx_times_are_apart(head->time, (gint64)running, GST_STX_TIME_APART)) {
    timeline->running = TRUE;
    timeline->last = MIN(head->time, (gint64)running);
    priv->taken[role] = running;
  }
  last = timeline->last;
  if (ahead && !live && timeline->running && is_set_back(self, timeline, head, role)) {
    tell_step(self, role, priv->skew.shift[role], TRUE);
    priv->skew.shift[role] = 0;
    return GST_STX_TIME_SET;
  }
  plausible = is_plausible(self, head, timeline, ahead, running);
  if (ahead && !plausible && !timeline->running && hold(self, head, role, FALSE))
    return GST_STX_TIME_ODD;
  verdict = gst_stx_timeline_see(timeline, head->time, limit, plausible);
  if (verdict == GST_STX_TIME_ODD && !(ahead && hold(self, head, role, live)))
    gst_stx_stats_count(&priv->stats.odd, GST_ELEMENT(self));
  if (verdict != GST_STX_TIME_SET)
    return verdict;
  back = head->time < last;
  tell_step(self, role, head->time - last, live || back);
  if (live || back)
    shift(self, role, next_of(self, role, last, running), head->time);
  return verdict;
}

/* The required heads that lie apart from this one, and after it. */
static guint find_ahead(const GstStxQueued *queued, const GstStxHead *oldest, gint64 limit)
{
  guint ahead = 0;

  for (guint role = 0; role < queued->count; role++) {
    const GstStxHead *head = &queued->head[role];

    if (head->buffer != NULL && head->required && head->time > oldest->time &&
        gst_stx_times_are_apart(head->time, oldest->time, limit))
      ahead |= 1u << role;
  }
  return ahead;
}

/* The heads of `roles` shall be dropped, since others are newer. Which shall be instead, if times
 * are not believed; 0: look again. */
static guint doubt_times(GstStxPairing *self, const GstStxQueued *queued, guint roles)
{
  /* Known in a live pipeline. */
  GstClockTime running = gst_stx_pairing_is_live(self)
                             ? gst_element_get_current_running_time(GST_ELEMENT(self))
                             : GST_CLOCK_TIME_NONE;
  gint64 limit = hole_of(self, running);
  guint ahead = 0, odd = 0, held = 0;

  for (guint role = 0; role < queued->count; role++)
    if (roles & 1u << role && queued->head[role].required && queued->head[role].timed) {
      ahead |= find_ahead(queued, &queued->head[role], limit);
      if (doubt(self, queued, role, FALSE, running) == GST_STX_TIME_SET)
        return 0;
    } else if (roles & 1u << role && queued->head[role].timed) {
      gst_stx_timeline_see(&PRIVATE(self)->timelines[role], queued->head[role].time, limit, TRUE);
    }
  for (guint role = 0; role < queued->count; role++)
    if (ahead & ~roles & 1u << role)
      switch (doubt(self, queued, role, TRUE, running)) {
      case GST_STX_TIME_ODD:
        *(PRIVATE(self)->held[role].buffer != NULL ? &held : &odd) |= 1u << role;
        break;
      case GST_STX_TIME_SET:
        return 0;
      case GST_STX_TIME_GOOD:
        break;
      }
  if (held != 0)
    keep(self, queued, roles & ~odd);
  return (odd | held) != 0 ? odd : roles;
}

/* Holds the optional heads that lie ahead of the set at hand by times that are not believed: they
 * would keep their pads from bringing what belongs to sets until then. */
static gboolean hold_odd(GstStxPairing *self, const GstStxQueued *queued)
{
  const GstStxHead *lead = &queued->head[queued->lead];
  gboolean held = FALSE;

  for (guint role = 0; role < queued->count; role++) {
    const GstStxHead *head = &queued->head[role];

    if (lead->timed && head->buffer != NULL && !head->required && head->timed &&
        head->time > lead->time &&
        gst_stx_times_are_apart(head->time, lead->time, GST_STX_TIME_APART) &&
        doubt(self, queued, role, TRUE, GST_CLOCK_TIME_NONE) == GST_STX_TIME_ODD)
      held = TRUE;
  }
  return held;
}

/* The length of the recording that a pad belongs to; 0: unknown. */
static gint64 length_of(const GstStxHead *head)
{
  gint64 length = 0;

  if (head->pad == NULL ||
      !gst_pad_peer_query_duration(GST_PAD(head->pad), GST_FORMAT_TIME, &length))
    return 0;
  return MAX(length, 0);
}

/* A recording goes on after a step ahead: one that is longer than its partners by that step, not by
 * another length, has no hole there: its clock was set. */
static gboolean is_longer(const GstStxQueued *queued, guint role, GstClockTimeDiff step)
{
  gint64 own = length_of(&queued->head[role]), other = 0;

  for (guint i = 0; i < queued->count; i++)
    if (i != role && queued->head[i].required)
      other = MAX(other, length_of(&queued->head[i]));
  return other > 0 && ABS(own - other - step) < step / 4;
}

/* The next buffer on the pad follows a head that is held, or none comes. */
static gboolean is_confirmed(GstStxPairing *self, const GstStxQueued *queued, guint role)
{
  GstStxTimeline *timeline = &PRIVATE(self)->timelines[role];
  const GstStxHead *head = &queued->head[role];
  GstBuffer *next = gst_aggregator_pad_peek_buffer(head->pad);
  GstClockTimeDiff last = timeline->running ? timeline->last : head->time, time = head->time + 1;
  gboolean set = FALSE;

  if (next != NULL && gst_stx_running_time(head->pad, next, &time))
    time -= PRIVATE(self)->skew.shift[role];
  gst_clear_buffer(&next);
  timeline->doubted = FALSE; /* that next one is looked at when it is the head */
  if (time <= head->time) {  /* it goes back behind an odd one, not on */
    gst_stx_stats_count(&PRIVATE(self)->stats.odd, GST_ELEMENT(self));
    return FALSE;
  }
  if (gst_stx_times_are_apart(head->time, last, GST_STX_TIME_APART)) {
    set = is_longer(queued, role, head->time - last);
    tell_step(self, role, head->time - last, set);
  }
  if (set)
    shift(self, role, last + timeline->step, head->time);
  else
    gst_stx_timeline_see(timeline, head->time, GST_STX_TIME_APART, TRUE);
  return TRUE;
}

/* The heads that were held for nothing. */
static guint find_refuted(GstStxPairing *self, const GstStxQueued *queued)
{
  guint refuted = 0;

  for (guint role = 0; role < queued->count; role++) {
    const GstStxHead *head = &queued->head[role];

    if (head->buffer == NULL || head->held == NULL || head->held->believed)
      continue;
    head->held->believed = is_confirmed(self, queued, role);
    refuted |= head->held->believed ? 0 : 1u << role;
  }
  return refuted;
}

/* The times of a set are believed. */
static void believe(GstStxPairing *self, const GstStxQueued *queued, guint roles)
{
  GstStxPairingPrivate *priv = PRIVATE(self);
  GstClockTime running = gst_element_get_current_running_time(GST_ELEMENT(self));

  for (guint role = 0; role < queued->count; role++)
    if (roles & 1u << role && queued->head[role].timed) {
      gst_stx_timeline_see(
          &priv->timelines[role], queued->head[role].time, GST_STX_TIME_APART, TRUE);
      priv->taken[role] = running;
    }
}

/* ---- Acting on it -------------------------------------------------------------------------- */

/* The queued of these roles; `late`: not given up, but come too late. */
static GstFlowReturn drop(
    GstStxPairing *self, const GstStxQueued *queued, guint roles, gboolean late, GstClockTime now)
{
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint role = 0; role < queued->count; role++) {
    const GstStxHead *head = &queued->head[role];

    if (!(roles & 1u << role))
      continue;
    GST_DEBUG_OBJECT(head->pad, "no partner: dropping %" GST_PTR_FORMAT, head->buffer);
    if (late)
      gst_stx_deadline_late(&PRIVATE(self)->deadline, queued, role, now);
    else if (head->required)
      gst_stx_deadline_leave(&PRIVATE(self)->deadline, head, now);
    gst_stx_head_drop(head);
    gst_stx_links_see(&PRIVATE(self)->links, role, head, PRIVATE(self)->skew.period);
    if (!gst_stx_is_gap(head->buffer))
      count_orphan(self, queued, role);
    if (role == queued->lead && !is_doubted(self, head, role))
      flow = gst_stx_pairing_push_gap(self, queued, head->buffer, FALSE);
  }
  return flow;
}

/* Returns those of `roles` whose pads bring only a gap; `dropped`: one that qos made upstream. */
static guint gaps_of(GstStxPairing *self, const GstStxQueued *queued, guint roles, gboolean dropped)
{
  guint gaps = 0;

  for (guint role = 0; role < queued->count; role++) {
    GstBuffer *buffer = queued->head[role].buffer;

    if (roles & 1u << role && gst_stx_is_gap(buffer) &&
        (!dropped || GST_BUFFER_PTS(buffer) == PRIVATE(self)->dropped[role]))
      gaps |= 1u << role;
  }
  return gaps;
}

/* In a live pipeline: to drop the newest set there is would only make the element wait. Once a
 * newer one is there, that is enough reason for one that does not keep up. */
static gboolean is_outdated(GstStxPairing *self, const GstStxHead *lead, gboolean late)
{
  GstStxPairingPrivate *priv = PRIVATE(self);
  GstClockTime now = gst_element_get_current_running_time(GST_ELEMENT(self));
  GstClockTimeDiff age = (GstClockTimeDiff)now - lead->time;

  return gst_stx_load_is_outdated(&priv->load, age, priv->frame) &&
         (late || gst_stx_load_is_over(&priv->load, priv->frame));
}

/* Would this set be shown too late, or was a part of it dropped for that? */
static gboolean is_late(
    GstStxPairing *self, const GstStxQueued *queued, guint roles, GstClockTime now)
{
  GstStxQos *qos = &PRIVATE(self)->qos;
  const GstStxHead *lead = &queued->head[queued->lead];
  GstStxQosMode mode;
  gboolean late;

  GST_STX_LOCKED(self, mode = qos->mode);
  if (!lead->timed)
    return FALSE;
  if (gaps_of(self, queued, roles, TRUE) != 0)
    return TRUE;
  if ((gaps_of(self, queued, roles, FALSE) & ~CLASS(self)->roles.optional) != 0)
    return FALSE;
  late = gst_stx_qos_is_late(qos, GST_ELEMENT(self), lead->time);
  if (mode == GST_STX_QOS_AUTO)
    late = CLASS(self)->drops_late && GST_CLOCK_TIME_IS_VALID(now) && is_outdated(self, lead, late);
  return gst_stx_qos_drops(qos, late && mode != GST_STX_QOS_FALSE, lead->time);
}

/* Notes the time differences within a set, for the next one. */
static void note_skew(GstStxPairing *self, const GstStxQueued *queued, guint roles)
{
  GstStxPairingPrivate *priv = PRIVATE(self);
  const GstStxHead *lead = &queued->head[queued->lead];

  for (guint role = queued->lead + 1; role < queued->count; role++) {
    const GstStxHead *head = &queued->head[role];
    GstClockTimeDiff skew = head->time - lead->time;

    if (!(roles & 1u << role) || !head->timed || !lead->timed || gst_stx_is_gap(head->buffer))
      continue;
    gst_stx_stats_skew(&priv->stats, GST_ELEMENT(self), skew);
    if (!head->required || !gst_stx_skew_note(&priv->skew, role, skew))
      continue;
    gst_stx_stats_count(&priv->stats.slips, GST_ELEMENT(self));
    GST_INFO_OBJECT(head->pad, "has drifted by half a frame: other partners are nearer");
  }
}

static GstFlowReturn push(GstStxPairing *self, GstBuffer *out, GstBuffer *stamp)
{
  GstStxPairingPrivate *priv = PRIVATE(self);
  GstFlowReturn flow;

  out = gst_stx_offer(GST_ELEMENT(self), GST_AGGREGATOR_SRC_PAD(self), out);
  out = gst_buffer_make_writable(out);
  gst_buffer_copy_into(out, stamp, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  if (gst_buffer_get_stx_motion_meta(out) == NULL)
    gst_buffer_copy_stx_motion_meta(out, stamp);
  if (priv->discont)
    GST_BUFFER_FLAG_SET(out, GST_BUFFER_FLAG_DISCONT);
  priv->discont = priv->segment = FALSE; /* finish_buffer sends the segment */
  /* The driver of a stream reports why it ends. */
  flow = gst_aggregator_finish_buffer(GST_AGGREGATOR(self), out);
  if (flow == GST_FLOW_NOT_LINKED || flow == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR(self, flow);
  return flow;
}

static GstFlowReturn compute(GstStxPairing *self, GstBuffer **set, GstBuffer **out)
{
  GstClockTime begin = gst_util_get_timestamp(), time;
  GstStxPairingFrame frame = {.set = set};
  gboolean changed;
  GstFlowReturn flow;
  StxError error;

  /* Elements that do all on the CPU read their inputs without the stage, which would see this. */
  for (guint role = 0; role < GST_STX_ROLES_MAX; role++)
    if ((!gst_stx_stage_has_device(gst_stx_pairing_stage(self)) || CLASS(self)->stage.on_host) &&
        set[role] != NULL && gst_stx_input_is_lost(set[role], PRIVATE(self)->caps[role])) {
      stx_fail(&error, GST_STX_CUDA_LOST);
      return gst_stx_stage_leave_out(gst_stx_pairing_stage(self), &error);
    }
  if (CLASS(self)->process != NULL) {
    flow = CLASS(self)->process(self, set, out);
  } else {
    flow = gst_stx_stage_run(gst_stx_pairing_stage(self), &frame);
    *out = frame.out;
  }
  time = gst_stx_stats_frame(&PRIVATE(self)->stats, GST_ELEMENT(self), begin);
  GST_STX_LOCKED(self, changed = gst_stx_delay_note(&PRIVATE(self)->delay, time));
  if (changed)
    gst_stx_pairing_plan_latency(self);
  return flow == GST_STX_PAIRING_FLOW_NOTHING ? GST_FLOW_OK : flow;
}

/* `stamp`: flags and times of the leading buffer. */
static GstFlowReturn process(
    GstStxPairing *self, const GstStxQueued *queued, guint roles, GstBuffer *stamp, gboolean late)
{
  GstBuffer *set[GST_STX_ROLES_MAX] = {NULL}, *out = NULL;
  GstClockTime begin = gst_util_get_timestamp();
  GstFlowReturn flow = GST_FLOW_OK;

  if (gst_stx_queued_take(queued, roles, set) && !late) {
    gst_aggregator_selected_samples(GST_AGGREGATOR(self), GST_BUFFER_PTS(stamp),
        GST_BUFFER_DTS(stamp), GST_BUFFER_DURATION(stamp), NULL);
    flow = compute(self, set, &out);
  }
  if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED) { /* its memory is gone with a GPU */
    gst_clear_buffer(&out);
    PRIVATE(self)->discont = TRUE;
    flow = GST_FLOW_OK;
  }
  if (set[queued->lead] != NULL && late) {
    GST_DEBUG_OBJECT(self, "late: dropped the set of %" GST_PTR_FORMAT, stamp);
    gst_stx_stats_count(&PRIVATE(self)->stats.dropped, GST_ELEMENT(self));
    gst_stx_qos_post(
        &PRIVATE(self)->qos, GST_ELEMENT(self), stamp, queued->head[queued->lead].time);
    PRIVATE(self)->discont = TRUE;
  }
  if (flow == GST_FLOW_OK && out != NULL) {
    flow = push(self, g_steal_pointer(&out), stamp);
    gst_stx_load_note(&PRIVATE(self)->load, gst_util_get_timestamp() - begin);
  } else if (flow == GST_FLOW_OK) {
    flow = gst_stx_pairing_push_gap(self, queued, stamp, late);
  }
  gst_clear_buffer(&out);
  for (guint role = 0; role < queued->count; role++)
    gst_clear_buffer(&set[role]);
  return flow;
}

static GstFlowReturn take(GstStxPairing *self, GstStxQueued *queued, guint roles)
{
  const GstStxHead *lead = &queued->head[queued->lead];
  GstClockTime now = gst_stx_deadline_now(GST_AGGREGATOR(self));
  gboolean late = is_late(self, queued, roles, now);
  /* Flags, times and motion without the buffer, which the element may want writable. */
  g_autoptr(GstBuffer) stamp = gst_buffer_new();

  gst_buffer_copy_into(
      stamp, lead->buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  gst_buffer_copy_stx_motion_meta(stamp, lead->buffer);
  PRIVATE(self)->time =
      lead->timed && lead->time >= 0 ? (GstClockTime)lead->time : GST_CLOCK_TIME_NONE;
  for (guint role = 0; role < queued->count; role++)
    if (roles & 1u << role) {
      gst_stx_deadline_in_time(&PRIVATE(self)->deadline, queued, role, now);
      gst_stx_links_see(
          &PRIVATE(self)->links, role, &queued->head[role], PRIVATE(self)->skew.period);
    }
  gst_stx_deadline_leave(&PRIVATE(self)->deadline, lead, now);
  believe(self, queued, roles);
  note_skew(self, queued, roles);
  g_atomic_int_set(&PRIVATE(self)->links.moved, TRUE);
  gst_stx_links_warn_untimed(&PRIVATE(self)->links, queued);
  /* Only the pads may hold the buffers now, so that a leading one can be written in place. */
  for (guint role = 0; role < queued->count; role++)
    gst_clear_buffer(&queued->head[role].buffer);
  return process(self, queued, roles, stamp, late);
}

static void look_at_queued(GstStxPairing *self, GstStxQueued *queued)
{
  GstStxPairingPrivate *priv = PRIVATE(self);

  GST_STX_LOCKED(self, priv->skew.tolerance = priv->tolerance);
  gst_stx_queued_collect(queued, GST_ELEMENT(self), &CLASS(self)->roles, &priv->skew, priv->held);
}

/* Tells the user about pads that fall silent in a live pipeline, and that are back: they may begin
 * at any other moment. */
static void watch_silence(
    GstStxPairing *self, const GstStxQueued *queued, gboolean timeout, GstClockTime now)
{
  GstStxPairingPrivate *priv = PRIVATE(self);
  guint back = gst_stx_deadline_see(&priv->deadline, queued, now);
  guint stalled = timeout ? gst_stx_deadline_find_stalled(&priv->deadline, queued, now) : 0;

  if (stalled != 0)
    gst_stx_links_warn_stalled(&priv->links, stalled);
  if (back != 0)
    gst_stx_links_tell_back(&priv->links, back);
  if (back != 0)
    gst_stx_skew_forget(&priv->skew, ~0u);
}

/* The decision about queued buffers. *timeout: whether their time is over. */
static GstStxVerdict judge(
    GstStxPairing *self, const GstStxQueued *queued, gboolean *timeout, guint *roles)
{
  GstStxPairingPrivate *priv = PRIVATE(self);
  GstStxVerdict verdict;

  *roles = gst_stx_deadline_find_late(&priv->deadline, queued, &priv->skew);
  if (*roles != 0) {
    *timeout = FALSE;
    return GST_STX_VERDICT_DROP;
  }
  verdict = gst_stx_queued_judge(queued, &priv->skew, *timeout, roles);
  if (*timeout && verdict != GST_STX_VERDICT_WAIT)
    gst_stx_deadline_end(&priv->deadline, queued, verdict == GST_STX_VERDICT_DROP ? *roles : 0);
  return verdict;
}

/* Drops what has no partner, until there is something else to do; *roles of a set. */
static GstStxVerdict sort_out(
    GstStxPairing *self, GstStxQueued *queued, gboolean timeout, guint *roles, GstFlowReturn *flow)
{
  GstStxVerdict verdict;
  GstClockTime now;
  gboolean odd;

  while (TRUE) {
    look_at_queued(self, queued);
    now = gst_stx_deadline_now(GST_AGGREGATOR(self));
    if (!gst_stx_links_suffice(&PRIVATE(self)->links, queued))
      return GST_STX_VERDICT_WAIT;
    watch_silence(self, queued, timeout, now);
    if (gst_stx_queued_ended(queued))
      return GST_STX_VERDICT_EOS;
    *roles = find_refuted(self, queued);
    odd = *roles != 0;
    verdict = odd ? GST_STX_VERDICT_DROP : judge(self, queued, &timeout, roles);
    if (verdict == GST_STX_VERDICT_TAKE && hold_odd(self, queued)) {
      gst_stx_queued_clear(queued);
      timeout = FALSE;
      continue;
    }
    if (verdict != GST_STX_VERDICT_WAIT)
      gst_stx_pairing_resume(self);
    if (verdict != GST_STX_VERDICT_DROP)
      return verdict;
    if (!timeout && !odd)
      *roles = doubt_times(self, queued, *roles);
    *flow = drop(self, queued, *roles, !timeout, now);
    if (*flow != GST_FLOW_OK)
      return verdict;
    gst_stx_queued_clear(queued);
    timeout = FALSE; /* of the next head nothing is known */
  }
}

GstFlowReturn gst_stx_pairing_aggregate(GstAggregator *aggregator, gboolean timeout)
{
  GstStxPairing *self = GST_STX_PAIRING(aggregator);
  GstFlowReturn flow = GST_FLOW_OK;
  GstStxVerdict verdict;
  GstStxQueued queued;
  guint roles;

  if (PRIVATE(self)->refused)
    return GST_FLOW_NOT_NEGOTIATED;
  if (g_atomic_int_get(&PRIVATE(self)->links.given_up))
    return GST_FLOW_ERROR;
  verdict = sort_out(self, &queued, timeout, &roles, &flow);
  if (verdict == GST_STX_VERDICT_EOS)
    flow = gst_stx_pairing_end(self, &queued);
  else if (verdict == GST_STX_VERDICT_TAKE)
    flow = take(self, &queued, roles);
  else if (flow == GST_FLOW_OK)
    flow = GST_AGGREGATOR_FLOW_NEED_DATA;
  gst_stx_queued_clear(&queued);
  return flow;
}

/* ---- What lies on the pads ----------------------------------------------------------------- */

/* Frames that lie wholly outside of the segment are not for display. They go as they come: one that
 * waited for the other pads would keep those waiting that feed the other pads, too. */
GstPadProbeReturn gst_stx_pairing_clip(GstPad *pad, GstPadProbeInfo *info, gpointer nothing)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstClockTime start = GST_BUFFER_PTS(buffer), stop = start;
  g_autoptr(GstEvent) event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  gboolean inside = TRUE;

  if (event == NULL)
    return GST_PAD_PROBE_OK;
  gst_event_parse_segment(event, &segment);
  if (GST_BUFFER_DURATION_IS_VALID(buffer))
    stop += GST_BUFFER_DURATION(buffer);
  if (GST_CLOCK_TIME_IS_VALID(start) && segment->format == GST_FORMAT_TIME)
    inside = gst_segment_clip(segment, GST_FORMAT_TIME, start, stop, NULL, NULL);
  if (inside)
    return GST_PAD_PROBE_OK;
  GST_DEBUG_OBJECT(pad, "outside of the segment: dropping %" GST_PTR_FORMAT, buffer);
  return GST_PAD_PROBE_DROP;
}

/* The deadline of live pipelines. */
GstClockTime gst_stx_pairing_get_next_time(GstAggregator *aggregator)
{
  GstStxPairing *self = GST_STX_PAIRING(aggregator);
  GstClockTime next;
  guint64 latency;
  guint timeout;
  GstStxQueued queued;

  g_object_get(self, "latency", &latency, "timeout", &timeout, NULL);
  look_at_queued(self, &queued);
  next = gst_stx_deadline_time(&PRIVATE(self)->deadline, &queued, timeout, latency);
  gst_stx_queued_clear(&queued);
  return next;
}
