/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/links.h"

#include <string.h>

#include "gst/core/element.h"

/* ---- What suffices ------------------------------------------------------------------------- */

/* The i-th set of roles that suffices, 0: there are no more. Without a list, the first role. */
static guint sufficient(const GstStxRoles *roles, guint i)
{
  const guint *sets = roles->sufficient;

  if (i >= G_N_ELEMENTS(roles->sufficient))
    return 0;
  return sets[0] == 0 && i == 0 ? 1u : sets[i];
}

static gboolean suffices(const GstStxRoles *roles, guint present)
{
  guint set;

  for (guint i = 0; (set = sufficient(roles, i)) != 0; i++)
    if ((set & ~present) == 0)
      return TRUE;
  return FALSE;
}

gboolean gst_stx_links_suffice(const GstStxLinks *links, const GstStxQueued *queued)
{
  guint present = 0;

  for (guint role = 0; role < queued->count; role++)
    present |= queued->head[role].pad != NULL ? 1u << role : 0;
  if (suffices(links->roles, present))
    return TRUE;
  g_usleep(G_USEC_PER_SEC / 200);
  return FALSE;
}

/* ---- What is said about it ----------------------------------------------------------------- */

static void append_names(const GstStxRoles *roles, guint which, GString *text)
{
  const gchar *separator = "";

  for (guint role = 0; role < GST_STX_ROLES_MAX; role++) {
    if (!(which & 1u << role))
      continue;
    g_string_append_printf(text, "%s%s", separator, roles->names[role]);
    separator = " and ";
  }
}

static gchar *names_of(const GstStxRoles *roles, guint which)
{
  GString *text = g_string_new(NULL);

  append_names(roles, which, text);
  return g_string_free(text, FALSE);
}

/* "Pad sink_right is not linked, only sink_left; expected sink, or sink_left and sink_right". */
static gchar *describe_missing(const GstStxRoles *roles, guint linked)
{
  GString *text = g_string_new(linked == 0 ? "No input is linked" : "Pad ");
  guint set, nearest = sufficient(roles, 0);

  for (guint i = 0; (set = sufficient(roles, i)) != 0; i++)
    if ((set & linked) != 0)
      nearest = set;
  if (linked != 0) {
    append_names(roles, nearest & ~linked, text);
    g_string_append(text, " is not linked, only ");
    append_names(roles, linked, text);
  }
  for (guint i = 0; (set = sufficient(roles, i)) != 0; i++) {
    g_string_append(text, i == 0 ? "; expected " : ", or ");
    append_names(roles, set, text);
  }
  return g_string_free(text, FALSE);
}

static void post_missing(GstStxLinks *links, guint linked)
{
  g_autofree gchar *text = describe_missing(links->roles, linked);

  if (g_atomic_int_get(&links->fed)) {
    g_atomic_int_set(&links->given_up, TRUE);
    GST_ELEMENT_ERROR(links->element, STREAM, FAILED, ("%s", text),
        ("waited %u s for the link since data came", (guint)(GST_STX_LINKS_DEADLINE / GST_SECOND)));
  } else {
    GST_ELEMENT_WARNING(
        links->element, STREAM, FAILED, ("%s. Nothing comes out before that", text), (NULL));
  }
}

/* The clock's thread, when the deadline is over; posts what is wrong, if anything is. */
static void judge(GstStxLinks *links)
{
  guint linked = 0, full = 0, role;

  for (role = 0; links->roles->names[role] != NULL; role++) {
    g_autoptr(GstPad) pad = gst_element_get_static_pad(links->element, links->roles->names[role]);
    GstAggregatorPad *taking = (GstAggregatorPad *)pad;

    if (pad == NULL)
      continue;
    linked |= gst_pad_is_linked(pad) ? 1u << role : 0;
    if (gst_aggregator_pad_has_buffer(taking) || gst_aggregator_pad_is_eos(taking))
      full |= 1u << role;
  }
  if (!suffices(links->roles, linked))
    post_missing(links, linked);
  else if (full != 0 && (linked & ~full) != 0 && !g_atomic_int_get(&links->moved))
    GST_ELEMENT_WARNING(links->element, STREAM, FAILED,
        ("Pad %s has brought nothing for %u s, and the other pads wait for it",
            links->roles->names[g_bit_nth_lsf(linked & ~full, -1)],
            (guint)(GST_STX_LINKS_DEADLINE / GST_SECOND)),
        ("in live pipelines the property latency limits how long optional pads are waited for"));
}

void gst_stx_links_warn_untimed(GstStxLinks *links, const GstStxQueued *queued)
{
  guint pads = 0, untimed = 0;

  for (guint role = 0; role < queued->count; role++) {
    pads += queued->head[role].pad != NULL;
    untimed |= queued->head[role].buffer != NULL && !queued->head[role].timed ? 1u << role : 0;
  }
  if (pads < 2 || untimed == 0 || links->told_untimed)
    return;
  links->told_untimed = TRUE;
  GST_ELEMENT_WARNING(links->element, STREAM, FAILED,
      ("Buffers of pad %s have no timestamps: pairing the pads by the order of arrival.",
          links->roles->names[g_bit_nth_lsf(untimed, -1)]),
      ("give the source timestamps, for instance by a framerate in its caps"));
}

void gst_stx_links_warn_orphan(GstStxLinks *links, guint role, GstBuffer *buffer)
{
  if (links->told_orphan)
    return;
  links->told_orphan = TRUE;
  GST_ELEMENT_WARNING(links->element, STREAM, FAILED,
      ("The buffer of pad %s at %" GST_TIME_FORMAT " is dropped: the other pads have none of its "
       "time; more of this kind are only counted",
          links->roles->names[role], GST_TIME_ARGS(GST_BUFFER_PTS(buffer))),
      ("the sources lose frames, or their timestamps do not agree; the property unpaired counts"));
}

#define HOLE 8   /* what a hole counts, and a frame without one counts 1 less */
#define HOLES 24 /* so many are no accident */

void gst_stx_links_see(GstStxLinks *links, guint role, const GstStxHead *head, GstClockTime frame)
{
  guint *holes = &links->holes[role];

  if (!head->timed || frame == 0)
    return;
  if (head->time - links->last[role] > (GstClockTimeDiff)(frame + frame / 2))
    *holes = MIN(*holes + HOLE, 4 * HOLES);
  else
    *holes -= *holes > 0;
  links->last[role] = head->time;
}

void gst_stx_links_warn_slow(
    GstStxLinks *links, const GstStxQueued *queued, GstClockTime work, GstClockTime frame)
{
  gboolean lacks = TRUE;

  for (guint role = 0; role < queued->count; role++)
    if (queued->head[role].pad != NULL && queued->head[role].required)
      lacks = lacks && links->holes[role] >= HOLES;
  if (links->told_slow || (work == 0 && !lacks))
    return;
  links->told_slow = links->told_orphan = TRUE;
  if (work > 0)
    GST_ELEMENT_WARNING(links->element, STREAM, FAILED,
        ("The machine is too slow: a set takes %u ms, but a frame lasts %u ms; frames that find no "
         "partner in time are dropped. Choose a lower frame rate or smaller pictures",
            (guint)(work / GST_MSECOND), (guint)(frame / GST_MSECOND)),
        (NULL));
  else
    GST_ELEMENT_WARNING(links->element, STREAM, FAILED,
        ("Frames are missing on all pads, and those that come find no partner: the machine, or "
         "what connects the sources, is too slow for them. Choose a lower frame rate or smaller "
         "pictures"),
        (NULL));
}

void gst_stx_links_warn_stalled(GstStxLinks *links, guint roles)
{
  g_autofree gchar *names = names_of(links->roles, roles);

  GST_ELEMENT_WARNING(links->element, STREAM, FAILED,
      ("Pad %s is silent: what comes on the other pads goes on without it", names),
      ("the source has stalled; it may come back at any time"));
}

void gst_stx_links_warn_ended(GstStxLinks *links, guint roles)
{
  g_autofree gchar *names = names_of(links->roles, roles);

  if (links->told_ended)
    return;
  links->told_ended = TRUE;
  GST_ELEMENT_WARNING(links->element, STREAM, FAILED,
      ("Pad %s has ended: what comes on the other pads is dropped until a new stream begins on it",
          names),
      (NULL));
}

void gst_stx_links_warn_empty(GstStxLinks *links, guint roles)
{
  g_autofree gchar *names = names_of(links->roles, roles);

  links->told_ended = TRUE;
  GST_ELEMENT_WARNING(links->element, STREAM, FAILED,
      ("No frame came before the end on pad %s: nothing was computed", names),
      ("the source is empty, or its decoder takes no such files"));
}

void gst_stx_links_tell_back(GstStxLinks *links, guint roles)
{
  g_autofree gchar *names = names_of(links->roles, roles);

  GST_STX_ELEMENT_INFO(links->element, STREAM, FAILED, ("Pad %s is back", names));
}

void gst_stx_links_tell_step(GstStxLinks *links, guint role, GstClockTimeDiff step, gboolean live)
{
  if (!links->told_step)
    GST_STX_ELEMENT_INFO(links->element, STREAM, FAILED,
        ("The time stamps of pad %s jump by %.3f s and go on from there: %s; more of this kind is "
         "only counted (stats: clock-steps)",
            links->roles->names[role], (double)step * 1e-9,
            live ? "its clock was set, and frames are paired as if it had not been"
                 : "frames without a partner of their time are dropped"));
  links->told_step = TRUE;
}

/* ---- The timer ----------------------------------------------------------------------------- */

/* The links live as long as the element. */
typedef struct {
  GWeakRef element;
  GstStxLinks *links;
} Watch;

static gboolean expire(GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  Watch *watch = data;
  g_autoptr(GstElement) element = g_weak_ref_get(&watch->element);

  if (element != NULL && time != GST_CLOCK_TIME_NONE)
    judge(watch->links);
  return TRUE;
}

static void free_watch(gpointer data)
{
  Watch *watch = data;

  g_weak_ref_clear(&watch->element);
  g_free(watch);
}

static void arm(GstStxLinks *links)
{
  g_autoptr(GstClock) clock = gst_system_clock_obtain();
  Watch *watch = g_new(Watch, 1);

  gst_stx_links_end(links);
  g_weak_ref_init(&watch->element, links->element);
  watch->links = links;
  links->timer =
      gst_clock_new_single_shot_id(clock, gst_clock_get_time(clock) + GST_STX_LINKS_DEADLINE);
  gst_clock_id_wait_async(links->timer, expire, watch, free_watch);
}

void gst_stx_links_init(GstStxLinks *links, GstElement *element, const GstStxRoles *roles)
{
  *links = (GstStxLinks){.element = element, .roles = roles};
}

void gst_stx_links_begin(GstStxLinks *links)
{
  g_atomic_int_set(&links->fed, FALSE);
  g_atomic_int_set(&links->moved, FALSE);
  g_atomic_int_set(&links->given_up, FALSE);
  links->told_untimed = links->told_orphan = links->told_slow = links->told_step =
      links->told_ended = FALSE;
  memset(links->holes, 0, sizeof(links->holes));
  arm(links);
}

void gst_stx_links_end(GstStxLinks *links)
{
  if (links->timer == NULL)
    return;
  gst_clock_id_unschedule(links->timer);
  gst_clock_id_unref(links->timer);
  links->timer = NULL;
}

void gst_stx_links_feed(GstStxLinks *links)
{
  if (g_atomic_int_compare_and_exchange(&links->fed, FALSE, TRUE))
    arm(links);
}
