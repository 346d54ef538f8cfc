/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/skew.h"

#define MEMORY 32 /* pairs that the skew is about the mean of */
#define FIRST 8   /* what the first pair counts less than, so that it is not taken for the rule */
#define WAVER 32  /* part of a frame by which the skew may exceed half of one */

static gboolean is_tracked(const GstStxSkew *self)
{
  return self->period > 0 &&
         (self->tolerance < 0 || 2 * (guint64)self->tolerance * GST_MSECOND >= self->period);
}

GstClockTimeDiff gst_stx_skew_of(const GstStxSkew *self, guint role)
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
