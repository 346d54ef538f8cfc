/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/queued.h"

#include "gst/core/element.h"

/* ---- Skew ---------------------------------------------------------------------------------- */

#define MEMORY 32 /* pairs that the skew is about the mean of */
#define FIRST 8   /* what the first pair counts less than, so that it is not taken for the rule */
#define WAVER 32  /* part of a frame by which the skew may exceed half of one */

static gboolean is_tracked(const GstStxSkew *self)
{
  return self->period > 0 &&
         (self->tolerance < 0 || 2 * (guint64)self->tolerance * GST_MSECOND >= self->period);
}

/* Returns by how much a role's times are expected to lie behind the leading role's. */
static GstClockTimeDiff skew_of(const GstStxSkew *self, guint role)
{
  return is_tracked(self) ? self->skew[role] : 0;
}

static GstClockTime most_distance(const GstStxSkew *self)
{
  if (self->tolerance >= 0)
    return (GstClockTime)self->tolerance * GST_MSECOND;
  return self->period > 0 ? self->period : GST_MSECOND;
}

gboolean gst_stx_skew_matches(
    const GstStxSkew *self, GstClockTimeDiff moments, GstClockTimeDiff times)
{
  return (GstClockTime)ABS(times) <= most_distance(self) &&
         (self->period == 0 || 2 * (GstClockTime)ABS(moments) < self->period);
}

gboolean gst_stx_skew_note(GstStxSkew *self, guint role, GstClockTimeDiff times)
{
  GstClockTimeDiff period = (GstClockTimeDiff)self->period, most = period / 2 + period / WAVER;
  GstClockTimeDiff *skew = &self->skew[role];
  guint *pairs = &self->pairs[role];

  if (!is_tracked(self))
    return FALSE;
  *pairs = MIN(MAX(*pairs, FIRST) + 1, MEMORY);
  *skew += (times - *skew) / (GstClockTimeDiff)*pairs;
  if (ABS(*skew) <= most)
    return FALSE;
  *skew += *skew > 0 ? -period : period;
  return TRUE;
}

void gst_stx_skew_forget(GstStxSkew *self, guint roles)
{
  for (guint role = 0; role < GST_STX_ROLES_MAX; role++)
    if (roles & 1u << role) {
      self->skew[role] = 0;
      self->pairs[role] = 0;
    }
}

/* ---- Heads --------------------------------------------------------------------------------- */

gboolean gst_stx_running_time(GstAggregatorPad *pad, GstBuffer *buffer, GstClockTimeDiff *time)
{
  guint64 value = 0;
  gint sign = 0;

  if (!GST_BUFFER_PTS_IS_VALID(buffer))
    return FALSE;
  GST_OBJECT_LOCK(pad);
  if (pad->segment.format == GST_FORMAT_TIME)
    sign = gst_segment_to_running_time_full(
        &pad->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer), &value);
  GST_OBJECT_UNLOCK(pad);
  *time = sign < 0 ? -(GstClockTimeDiff)value : (GstClockTimeDiff)value;
  return sign != 0;
}

static void see_head(GstStxHead *head, GstStxHeld *held)
{
  head->eos = gst_aggregator_pad_is_eos(head->pad) || gst_stx_pad_is_parked(head->pad);
  if (held->buffer == NULL) {
    head->buffer = gst_aggregator_pad_peek_buffer(head->pad);
  } else {
    head->held = held;
    if (held->believed || head->eos || gst_aggregator_pad_has_buffer(head->pad))
      head->buffer = gst_buffer_ref(held->buffer);
  }
  head->timed = head->buffer != NULL && gst_stx_running_time(head->pad, head->buffer, &head->time);
  /* A flush may have taken it away since, and the segment with it: it is not without a time. */
  if (!head->timed && head->held == NULL && !gst_aggregator_pad_has_buffer(head->pad))
    gst_clear_buffer(&head->buffer);
  head->eos = head->buffer == NULL && head->eos;
}

void gst_stx_queued_collect(GstStxQueued *queued, GstElement *element, const GstStxRoles *roles,
    const GstStxSkew *skew, GstStxHeld *held)
{
  *queued = (GstStxQueued){.count = g_strv_length((gchar **)roles->names)};
  queued->lead = queued->count;
  for (guint role = 0; role < queued->count; role++) {
    GstStxHead *head = &queued->head[role];

    head->required = !(roles->optional & 1u << role);
    head->pad = (GstAggregatorPad *)gst_element_get_static_pad(element, roles->names[role]);
    if (head->pad == NULL)
      continue;
    queued->lead = MIN(queued->lead, role);
    see_head(head, &held[role]);
    head->time -= head->timed ? skew->shift[role] : 0;
    head->moment = head->time - skew_of(skew, role);
  }
}

/* NULL: it was flushed meanwhile. */
static GstBuffer *pop_head(const GstStxHead *head)
{
  return head->held != NULL ? g_steal_pointer(&head->held->buffer)
                            : gst_aggregator_pad_pop_buffer(head->pad);
}

void gst_stx_head_drop(const GstStxHead *head)
{
  GstBuffer *buffer = pop_head(head);

  gst_clear_buffer(&buffer);
}

void gst_stx_queued_clear(GstStxQueued *queued)
{
  for (guint role = 0; role < queued->count; role++) {
    gst_clear_buffer(&queued->head[role].buffer);
    gst_clear_object(&queued->head[role].pad);
  }
}

GST_STX_QUARK(parked)

void gst_stx_pad_set_parked(GstAggregatorPad *pad, gboolean parked)
{
  g_object_set_qdata(G_OBJECT(pad), parked_quark(), GINT_TO_POINTER(parked));
}

gboolean gst_stx_pad_is_parked(GstAggregatorPad *pad)
{
  return g_object_get_qdata(G_OBJECT(pad), parked_quark()) != NULL;
}

/* ---- The decision -------------------------------------------------------------------------- */

gboolean gst_stx_queued_ended(const GstStxQueued *queued)
{
  for (guint role = 0; role < queued->count; role++)
    if (queued->head[role].eos && queued->head[role].required)
      return TRUE;
  return FALSE;
}

/* Roles with a buffer, or why there is nothing to decide yet. */
static GstStxVerdict judge_presence(
    const GstStxQueued *queued, gboolean timeout, guint *present, guint *untimed)
{
  gboolean wait = FALSE;

  *present = *untimed = 0;
  for (guint role = 0; role < queued->count; role++) {
    const GstStxHead *head = &queued->head[role];

    if (head->pad == NULL)
      continue;
    if (head->buffer != NULL) {
      *present |= 1u << role;
      *untimed |= head->timed ? 0 : 1u << role;
    } else if (!head->eos && (head->required || !timeout)) {
      wait = TRUE;
    }
  }
  if (gst_stx_queued_ended(queued))
    return GST_STX_VERDICT_EOS;
  return wait || *present == 0 ? GST_STX_VERDICT_WAIT : GST_STX_VERDICT_TAKE;
}

static gboolean is_required(const GstStxHead *head)
{
  return head->buffer != NULL && head->required;
}

/* Required buffers of the same moment as `other`; not `same`: all others. */
static guint find_required(
    const GstStxQueued *queued, const GstStxSkew *skew, const GstStxHead *other, gboolean same)
{
  guint found = 0;

  for (guint role = 0; role < queued->count; role++) {
    const GstStxHead *head = &queued->head[role];

    if (is_required(head) &&
        gst_stx_skew_matches(skew, head->moment - other->moment, head->time - other->time) == same)
      found |= 1u << role;
  }
  return found;
}

/* The required buffer of the oldest, or of the newest moment; NULL: there is none. */
static const GstStxHead *find_outermost(const GstStxQueued *queued, gboolean newest)
{
  const GstStxHead *found = NULL;

  for (guint role = 0; role < queued->count; role++) {
    const GstStxHead *head = &queued->head[role];

    if (is_required(head) &&
        (found == NULL || (newest ? head->moment > found->moment : head->moment < found->moment)))
      found = head;
  }
  return found;
}

/* All required buffers belong together: which optional ones do, or else which are too old. */
static GstStxVerdict judge_optional(
    const GstStxQueued *queued, const GstStxSkew *skew, guint *roles)
{
  const GstStxHead *lead = &queued->head[queued->lead];
  guint set = 0, old = 0;

  for (guint role = 0; role < queued->count; role++) {
    const GstStxHead *head = &queued->head[role];
    GstClockTimeDiff after = head->time - lead->time;

    if (head->buffer == NULL)
      continue;
    if (head->required || gst_stx_skew_matches(skew, head->moment - lead->moment, after))
      set |= 1u << role;
    else if (after < 0)
      old |= 1u << role;
  }
  *roles = old != 0 ? old : set;
  return old != 0 ? GST_STX_VERDICT_DROP : GST_STX_VERDICT_TAKE;
}

GstStxVerdict gst_stx_queued_judge(
    const GstStxQueued *queued, const GstStxSkew *skew, gboolean timeout, guint *roles)
{
  const GstStxHead *oldest = find_outermost(queued, FALSE), *newest = find_outermost(queued, TRUE);
  guint present, untimed;
  GstStxVerdict verdict = judge_presence(queued, timeout, &present, &untimed);

  if (verdict == GST_STX_VERDICT_WAIT && timeout && untimed == 0 && oldest != NULL) {
    *roles = find_required(queued, skew, oldest, TRUE);
    return GST_STX_VERDICT_DROP;
  }
  if (verdict != GST_STX_VERDICT_TAKE)
    return verdict;
  *roles = present;
  if (untimed != 0)
    return GST_STX_VERDICT_TAKE;
  if (newest != NULL && (*roles = find_required(queued, skew, newest, FALSE)) != 0)
    return GST_STX_VERDICT_DROP;
  return judge_optional(queued, skew, roles);
}

/* ---- Taking ---------------------------------------------------------------------------------- */

gboolean gst_stx_is_gap(GstBuffer *buffer)
{
  return GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_GAP) && gst_buffer_get_size(buffer) == 0;
}

gboolean gst_stx_queued_take(const GstStxQueued *queued, guint roles, GstBuffer **set)
{
  gboolean complete = TRUE;

  for (guint role = 0; role < queued->count; role++) {
    const GstStxHead *head = &queued->head[role];

    set[role] = roles & 1u << role ? pop_head(head) : NULL;
    if (set[role] != NULL && gst_stx_is_gap(set[role]))
      gst_clear_buffer(&set[role]);
    if (head->pad != NULL && head->required && set[role] == NULL)
      complete = FALSE;
  }
  return complete;
}
