/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/deadline.h"

void gst_stx_deadline_reset(GstStxDeadline *self)
{
  self->given_up = 0;
  self->over = G_MININT64;
  self->waited = 0;
  self->stalled = 0;
  for (guint role = 0; role < GST_STX_ROLES_MAX; role++) {
    self->lag[role] = 0;
    self->seen[role] = GST_CLOCK_TIME_NONE;
  }
}

/* Roles whose pads are empty, but may still bring something. */
static guint missing_roles(const GstStxQueued *queued)
{
  guint missing = 0;

  for (guint role = 0; role < queued->count; role++) {
    const GstStxHead *head = &queued->head[role];

    if (head->pad != NULL && head->buffer == NULL && !head->eos)
      missing |= 1u << role;
  }
  return missing;
}

/* Returns how long to wait: longer than `timeout` for pads that are late, but little longer than
 * for the moment before. A pad that was given up and is only late keeps the delay that has been
 * reached, otherwise its next buffer would come too late again. */
static GstClockTime wait_for(const GstStxDeadline *self, guint missing, guint timeout)
{
  GstClockTime wait = timeout * GST_MSECOND, lag = 0;

  for (guint role = 0; role < GST_STX_ROLES_MAX; role++)
    lag = missing & 1u << role ? MAX(lag, self->lag[role]) : lag;
  if (!(missing & self->given_up))
    return MAX(wait, MIN(wait + 2 * lag, self->waited + GST_STX_DEADLINE_STEP));
  return lag > wait && !(missing & self->stalled) ? MIN(wait + 2 * lag, self->waited) : 0;
}

GstClockTime gst_stx_deadline_time(
    const GstStxDeadline *self, const GstStxQueued *queued, guint timeout, GstClockTime latency)
{
  const GstStxHead *oldest = NULL; /* that is required */
  GstClockTime wait;

  for (const GstStxHead *head = queued->head; head < queued->head + queued->count; head++)
    if (head->required && head->timed && (oldest == NULL || head->moment < oldest->moment))
      oldest = head;
  if (oldest == NULL || (timeout == 0 && latency == 0))
    return GST_CLOCK_TIME_NONE;
  wait = latency > 0 ? 0 : wait_for(self, missing_roles(queued), timeout);
  return (GstClockTime)MAX(oldest->time, 0) + wait;
}

void gst_stx_deadline_end(GstStxDeadline *self, const GstStxQueued *queued, guint dropped)
{
  self->given_up |= missing_roles(queued);
  for (guint role = 0; role < queued->count; role++)
    if (dropped & 1u << role)
      self->over = MAX(self->over, queued->head[role].moment);
}

guint gst_stx_deadline_find_late(
    const GstStxDeadline *self, const GstStxQueued *queued, const GstStxSkew *skew)
{
  guint late = 0;

  if (self->over == G_MININT64)
    return 0;
  for (guint role = 0; role < queued->count; role++) {
    const GstStxHead *head = &queued->head[role];
    GstClockTimeDiff after = head->moment - self->over;

    if (head->required && head->timed && (after <= 0 || gst_stx_skew_matches(skew, after, after)))
      late |= 1u << role;
  }
  return late;
}

guint gst_stx_deadline_see(GstStxDeadline *self, const GstStxQueued *queued, GstClockTime now)
{
  guint back = 0;

  for (guint role = 0; role < queued->count; role++)
    if (queued->head[role].buffer != NULL) {
      self->given_up &= ~(1u << role);
      self->seen[role] = now;
      back |= self->stalled & 1u << role;
    }
  self->stalled &= ~back;
  return back;
}

guint gst_stx_deadline_find_stalled(
    GstStxDeadline *self, const GstStxQueued *queued, GstClockTime now)
{
  guint missing = missing_roles(queued) & ~self->stalled, stalled = 0;

  for (guint role = 0; role < queued->count; role++)
    if (missing & 1u << role && GST_CLOCK_TIME_IS_VALID(now) &&
        GST_CLOCK_TIME_IS_VALID(self->seen[role]) &&
        now > self->seen[role] + GST_STX_DEADLINE_STALL)
      stalled |= 1u << role;
  self->stalled |= stalled;
  return stalled;
}

GstClockTime gst_stx_deadline_now(GstAggregator *aggregator)
{
  GstClockTime latency = gst_aggregator_get_latency(aggregator), now = GST_CLOCK_TIME_NONE, begin;
  g_autoptr(GstClock) clock = gst_element_get_clock(GST_ELEMENT(aggregator));

  if (clock != NULL && GST_CLOCK_TIME_IS_VALID(latency)) {
    begin = gst_element_get_base_time(GST_ELEMENT(aggregator)) + latency;
    now = gst_clock_get_time(clock);
    now = now > begin ? now - begin : 0;
  }
  return now;
}

/* FALSE if that cannot be said. */
static gboolean lateness(const GstStxHead *head, GstClockTime now, GstClockTime *late)
{
  GstClockTime due = (GstClockTime)MAX(head->time, 0);

  if (!head->timed || gst_stx_is_gap(head->buffer) || !GST_CLOCK_TIME_IS_VALID(now))
    return FALSE;
  *late = now > due ? now - due : 0;
  return TRUE;
}

void gst_stx_deadline_leave(GstStxDeadline *self, const GstStxHead *head, GstClockTime now)
{
  GstClockTime late;

  if (lateness(head, now, &late))
    self->waited = late;
}

void gst_stx_deadline_late(
    GstStxDeadline *self, const GstStxQueued *queued, guint role, GstClockTime now)
{
  GstClockTime late;

  if (lateness(&queued->head[role], now, &late))
    self->lag[role] = late;
}

void gst_stx_deadline_in_time(
    GstStxDeadline *self, const GstStxQueued *queued, guint role, GstClockTime now)
{
  GstClockTime late;

  if (lateness(&queued->head[role], now, &late))
    self->lag[role] = MIN(self->lag[role], late);
}
