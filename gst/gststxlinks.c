/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxlinks.h"

#define CLASS(self) GST_STX_PAIRING_GET_CLASS(self)

/* ---- Pads ---------------------------------------------------------------------------------- */

static GstAggregatorPad *new_pad(GstPadTemplate *templ, const gchar *name)
{
  return g_object_new(
      GST_TYPE_AGGREGATOR_PAD, "name", name, "direction", GST_PAD_SINK, "template", templ, NULL);
}

GstAggregatorPad *gst_stx_links_create_pad(
    GstAggregator *aggregator, GstPadTemplate *templ, const gchar *name, const GstCaps *caps)
{
  const gchar *role = GST_PAD_TEMPLATE_NAME_TEMPLATE(templ);
  GstPad *pad = gst_element_get_static_pad(GST_ELEMENT(aggregator), role);

  if (pad != NULL) {
    GST_WARNING_OBJECT(aggregator, "there is only one pad %s", role);
    gst_object_unref(pad);
    return NULL;
  }
  return new_pad(templ, role);
}

void gst_stx_pairing_add_pad(GstStxPairing *self, guint role)
{
  const gchar *name = CLASS(self)->roles[role];
  GstPadTemplate *templ = gst_element_class_get_pad_template(GST_ELEMENT_CLASS(CLASS(self)), name);

  gst_element_add_pad(GST_ELEMENT(self), GST_PAD(new_pad(templ, name)));
}

GstAggregatorPad *gst_stx_pairing_get_pad(GstStxPairing *self, guint role)
{
  return (GstAggregatorPad *)gst_element_get_static_pad(
      GST_ELEMENT(self), CLASS(self)->roles[role]);
}

/* ---- What suffices ------------------------------------------------------------------------- */

/* The i-th set of roles that suffices, 0: there are no more. Without a list, the first role. */
static guint sufficient(GstStxPairing *self, guint i)
{
  const guint *sets = CLASS(self)->sufficient;

  if (i >= G_N_ELEMENTS(CLASS(self)->sufficient))
    return 0;
  return sets[0] == 0 && i == 0 ? 1u : sets[i];
}

static gboolean suffices(GstStxPairing *self, guint roles)
{
  guint set;

  for (guint i = 0; (set = sufficient(self, i)) != 0; i++)
    if ((set & ~roles) == 0)
      return TRUE;
  return FALSE;
}

gboolean gst_stx_links_suffice(GstStxPairing *self, const GstStxHeads *heads)
{
  guint roles = 0;

  for (guint role = 0; role < heads->count; role++)
    roles |= heads->head[role].pad != NULL ? 1u << role : 0;
  if (suffices(self, roles))
    return TRUE;
  g_usleep(G_USEC_PER_SEC / 200);
  return FALSE;
}

/* ---- What is said about it ----------------------------------------------------------------- */

static void append_names(GstStxPairing *self, guint roles, GString *text)
{
  const gchar *separator = "";

  for (guint role = 0; role < GST_STX_PAIRING_ROLES; role++) {
    if (!(roles & 1u << role))
      continue;
    g_string_append_printf(text, "%s%s", separator, CLASS(self)->roles[role]);
    separator = " and ";
  }
}

/* "Pad sink_right is not linked, only sink_left; needed is sink, or sink_left and sink_right". */
static gchar *describe_missing(GstStxPairing *self, guint linked)
{
  GString *text = g_string_new(linked == 0 ? "No input is linked" : "Pad ");
  guint set, nearest = sufficient(self, 0);

  for (guint i = 0; (set = sufficient(self, i)) != 0; i++)
    if ((set & linked) != 0)
      nearest = set;
  if (linked != 0) {
    append_names(self, nearest & ~linked, text);
    g_string_append(text, " is not linked, only ");
    append_names(self, linked, text);
  }
  for (guint i = 0; (set = sufficient(self, i)) != 0; i++) {
    g_string_append(text, i == 0 ? "; needed is " : ", or ");
    append_names(self, set, text);
  }
  return g_string_free(text, FALSE);
}

static void post_missing(GstStxLinks *links, GstStxPairing *self, guint linked)
{
  gchar *text = describe_missing(self, linked);

  if (g_atomic_int_get(&links->fed)) {
    g_atomic_int_set(&links->given_up, TRUE);
    GST_ELEMENT_ERROR(self, STREAM, FAILED, ("%s", text),
        ("waited %u s for the link since data came", (guint)(GST_STX_LINKS_PATIENCE / GST_SECOND)));
  } else {
    GST_ELEMENT_WARNING(self, STREAM, FAILED, ("%s. Nothing comes out before that", text), (NULL));
  }
  g_free(text);
}

static void post_waiting(GstStxPairing *self, guint role)
{
  GST_ELEMENT_WARNING(self, STREAM, FAILED,
      ("Pad %s has brought nothing for %u s, and the other pads wait for it",
          CLASS(self)->roles[role], (guint)(GST_STX_LINKS_PATIENCE / GST_SECOND)),
      ("in live pipelines the property latency limits how long optional pads are waited for"));
}

void gst_stx_links_judge(GstStxLinks *links, GstStxPairing *self)
{
  guint linked = 0, full = 0, role;

  for (role = 0; CLASS(self)->roles[role] != NULL; role++) {
    GstAggregatorPad *pad = gst_stx_pairing_get_pad(self, role);

    if (pad == NULL)
      continue;
    linked |= gst_pad_is_linked(GST_PAD(pad)) ? 1u << role : 0;
    full |= gst_aggregator_pad_has_buffer(pad) || gst_aggregator_pad_is_eos(pad) ? 1u << role : 0;
    gst_object_unref(pad);
  }
  if (!suffices(self, linked))
    post_missing(links, self, linked);
  else if (full != 0 && (linked & ~full) != 0 && !g_atomic_int_get(&links->moved))
    post_waiting(self, g_bit_nth_lsf(linked & ~full, -1));
}

void gst_stx_links_warn_untimed(GstStxLinks *links, GstStxPairing *self, const GstStxHeads *heads)
{
  guint pads = 0, untimed = 0;

  for (guint role = 0; role < heads->count; role++) {
    pads += heads->head[role].pad != NULL;
    untimed |= heads->head[role].buffer != NULL && !heads->head[role].timed ? 1u << role : 0;
  }
  if (pads < 2 || untimed == 0 || links->told_untimed)
    return;
  links->told_untimed = TRUE;
  GST_ELEMENT_WARNING(self, STREAM, FAILED,
      ("Buffers of pad %s have no timestamps: pairing the pads by the order of arrival.",
          CLASS(self)->roles[g_bit_nth_lsf(untimed, -1)]),
      ("give the source timestamps, for instance by a framerate in its caps"));
}

void gst_stx_links_warn_orphan(
    GstStxLinks *links, GstStxPairing *self, guint role, GstBuffer *buffer)
{
  if (links->told_orphan)
    return;
  links->told_orphan = TRUE;
  GST_ELEMENT_WARNING(self, STREAM, FAILED,
      ("The buffer of pad %s at %" GST_TIME_FORMAT " is dropped, as will others: the other pads "
       "have none of its time",
          CLASS(self)->roles[role], GST_TIME_ARGS(GST_BUFFER_PTS(buffer))),
      ("the sources lose frames, or their timestamps do not agree; the property unpaired counts"));
}

/* ---- The timer ----------------------------------------------------------------------------- */

static gboolean expire(GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  GstStxPairing *self = g_weak_ref_get(data);

  if (self != NULL && time != GST_CLOCK_TIME_NONE) {
    gst_stx_pairing_judge_links(self);
    gst_object_unref(self);
  }
  return TRUE;
}

static void free_weak_ref(gpointer data)
{
  g_weak_ref_clear(data);
  g_free(data);
}

static void arm(GstStxLinks *links, GstStxPairing *self)
{
  GstClock *clock = gst_system_clock_obtain();
  GWeakRef *weak = g_new(GWeakRef, 1);

  gst_stx_links_end(links);
  g_weak_ref_init(weak, self);
  links->timer =
      gst_clock_new_single_shot_id(clock, gst_clock_get_time(clock) + GST_STX_LINKS_PATIENCE);
  gst_clock_id_wait_async(links->timer, expire, weak, free_weak_ref);
  gst_object_unref(clock);
}

void gst_stx_links_begin(GstStxLinks *links, GstStxPairing *self)
{
  g_atomic_int_set(&links->fed, FALSE);
  g_atomic_int_set(&links->moved, FALSE);
  g_atomic_int_set(&links->given_up, FALSE);
  links->told_untimed = links->told_orphan = FALSE;
  arm(links, self);
}

void gst_stx_links_end(GstStxLinks *links)
{
  if (links->timer == NULL)
    return;
  gst_clock_id_unschedule(links->timer);
  gst_clock_id_unref(links->timer);
  links->timer = NULL;
}

void gst_stx_links_feed(GstStxLinks *links, GstStxPairing *self)
{
  if (g_atomic_int_compare_and_exchange(&links->fed, FALSE, TRUE))
    arm(links, self);
}
