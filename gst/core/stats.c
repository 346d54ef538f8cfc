/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/core/stats.h"

#include "gst/core/element.h"
#include "gst/core/properties.h"

/* The property's id: those of properties from tables are above. */
#define STATS 1

static GstDebugCategory *category(void)
{
  static gsize registered = 0;

  if (g_once_init_enter(&registered)) {
    GstDebugCategory *stats = NULL;

    GST_DEBUG_CATEGORY_INIT(stats, "stx-stats", 0, "what elements have done, at their end");
    g_once_init_leave(&registered, (gsize)stats);
  }
  return (GstDebugCategory *)registered;
}

GST_STX_QUARK(tell)

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  if (id != STATS) {
    gst_stx_get_property(object, id, value, spec);
    return;
  }
  GST_OBJECT_LOCK(object);
  g_value_take_boxed(
      value, (*(GstStxStatsTell *)g_param_spec_get_qdata(spec, tell_quark()))(object));
  GST_OBJECT_UNLOCK(object);
}

void gst_stx_stats_install(GObjectClass *klass, GstStxStatsTell tell)
{
  GParamSpec *spec = g_param_spec_boxed("stats", "Statistics",
      "Frames, drops, gaps, processing times and skews, nanoseconds", GST_TYPE_STRUCTURE,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);

  category();
  g_param_spec_set_qdata_full(spec, tell_quark(), g_memdup2(&tell, sizeof tell), g_free);
  g_object_class_install_property(klass, STATS, spec);
  klass->get_property = get_property;
}

void gst_stx_stats_reset(GstStxStats *self, GstElement *element)
{
  GST_STX_LOCKED(element, *self = (GstStxStats){0});
}

/* ---- Counting ------------------------------------------------------------------------------ */

static void add(GstStxSpread *spread, gint64 value, GstElement *element)
{
  GST_OBJECT_LOCK(element);
  spread->last = value;
  spread->sum += value;
  spread->count++;
  if (ABS(value) > ABS(spread->furthest))
    spread->furthest = value;
  GST_OBJECT_UNLOCK(element);
}

GstClockTime gst_stx_stats_frame(GstStxStats *self, GstElement *element, GstClockTime begin)
{
  GstClockTime time = gst_util_get_timestamp() - begin;

  add(&self->time, (gint64)time, element);
  return time;
}

void gst_stx_stats_skew(GstStxStats *self, GstElement *element, GstClockTimeDiff skew)
{
  add(&self->skew, skew, element);
}

void gst_stx_stats_count(guint64 *count, GstElement *element)
{
  GST_STX_LOCKED(element, ++*count);
}

/* ---- Telling ------------------------------------------------------------------------------- */

static gint64 mean(const GstStxSpread *spread)
{
  return spread->count > 0 ? spread->sum / (gint64)spread->count : 0;
}

GstStructure *gst_stx_stats_to_structure(const GstStxStats *self, gboolean paired)
{
  GstStructure *structure = gst_structure_new("application/x-stixel-stats", "frames", G_TYPE_UINT64,
      self->time.count, "dropped-qos", G_TYPE_UINT64, self->dropped, "gaps", G_TYPE_UINT64,
      self->gaps, "processing-time-last", G_TYPE_INT64, self->time.last, "processing-time-mean",
      G_TYPE_INT64, mean(&self->time), "processing-time-max", G_TYPE_INT64, self->time.furthest,
      NULL);

  if (paired)
    gst_structure_set(structure, "skew-last", G_TYPE_INT64, self->skew.last, "skew-mean",
        G_TYPE_INT64, mean(&self->skew), "skew-max", G_TYPE_INT64, self->skew.furthest, "slips",
        G_TYPE_UINT64, self->slips, "odd-times", G_TYPE_UINT64, self->odd, "clock-steps",
        G_TYPE_UINT64, self->steps, NULL);
  return structure;
}

void gst_stx_stats_log(GstElement *element)
{
  g_autoptr(GstStructure) structure = NULL;

  g_object_get(element, "stats", &structure, NULL);
  GST_CAT_INFO_OBJECT(category(), element, "%" GST_PTR_FORMAT, structure);
}
