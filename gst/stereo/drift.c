/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stereo/drift.h"

#include <math.h>

#define EVERY (GST_SECOND / 4)
#define LATER (GST_SECOND / 5)
#define LOST GST_SECOND
#define TOLERANCE (20 * GST_MSECOND)
#define TELLING GST_SECOND
#define REACH 128 /* pixels of disparity */
#define DEGREES (180 / G_PI)

const StxFieldChoice gst_stx_refine_modes[] = {
    {GST_STX_REFINE_OFF, "off", "The calibration is taken as it is"},
    {GST_STX_REFINE_REPORT, "report", "Drift is measured: stats, and a message once a second"},
    {GST_STX_REFINE_APPLY, "apply", "Drift is measured, and the right view is turned back"},
    {0},
};

/* ---- Moments --------------------------------------------------------------------------------- */

static GstStxDriftMoment *moment_at(GstStxDrift *self, guint number)
{
  return &self->moment[number % GST_STX_DRIFT_MOMENTS];
}

/* Waits for a thread that is at work. */
static void end_moment(GstStxDriftMoment *moment)
{
  g_clear_pointer(&moment->worker, g_thread_join);
  moment->width[0] = moment->width[1] = 0;
  moment->failed = FALSE;
}

static void drop_moments(GstStxDrift *self)
{
  for (guint i = 0; i < GST_STX_DRIFT_MOMENTS; i++)
    end_moment(&self->moment[i]);
  self->begun = self->taken = self->next[0] = self->next[1] = 0;
  self->due = 0;
}

static gpointer look(gpointer data)
{
  GstStxDriftMoment *moment = data;
  StxImage8 view[2];

  for (guint i = 0; i < 2; i++)
    view[i] =
        (StxImage8){moment->view[i].data, moment->width[i], moment->width[i], moment->height[i]};
  stx_pair_examine(REACH, &view[0], &view[1], moment->scratch.data, &moment->pair.finding);
  moment->pair.count = stx_pair_is_small(view[0].width, view[0].height)
                           ? 0
                           : stx_pair_matches(moment->scratch.data, moment->pair.matches);
  return NULL;
}

/* ---- Both lanes ------------------------------------------------------------------------------ */

/* Is the lane's frame that of a moment that the other lane has begun? */
static gboolean joins(GstStxDrift *self, guint lane, GstClockTime time)
{
  for (; self->next[lane] < self->begun; self->next[lane]++) {
    GstStxDriftMoment *moment = moment_at(self, self->next[lane]);

    if (time + TOLERANCE < moment->time)
      return FALSE;
    if (time <= moment->time + TOLERANCE && !moment->failed)
      return TRUE;
    moment->failed = TRUE;
  }
  return FALSE;
}

static gboolean begins(GstStxDrift *self, guint lane, GstClockTime time)
{
  GstClockTime frame;

  if (self->next[lane] < self->begun || time < self->due ||
      self->begun - self->taken >= GST_STX_DRIFT_MOMENTS)
    return FALSE;
  moment_at(self, self->begun++)->time = time;
  /* A look costs a share of a frame: slow streams are looked at every eighth frame. */
  frame = time - self->last[lane];
  self->due = time + (frame < LOST ? MAX(EVERY, 15 * frame / 2) : EVERY);
  return TRUE;
}

gboolean gst_stx_drift_wants(GstStxDrift *self, guint lane, GstClockTime time)
{
  gboolean wanted;

  if (!GST_CLOCK_TIME_IS_VALID(time))
    return FALSE;
  g_mutex_lock(&self->lock);
  if (self->mode != GST_STX_REFINE_OFF && time < self->last[lane]) /* after a seek */
    drop_moments(self);
  self->next[lane] = MAX(self->next[lane], self->taken);
  wanted =
      self->mode != GST_STX_REFINE_OFF && (joins(self, lane, time) || begins(self, lane, time));
  self->last[lane] = time;
  g_mutex_unlock(&self->lock);
  return wanted;
}

void gst_stx_drift_put(
    GstStxDrift *self, guint lane, const StxImage8 *picture, gint step, const StxRectifyView *view)
{
  GstStxDriftMoment *moment;
  gsize size = (gsize)picture->width * (gsize)picture->height;
  guint8 *to;

  g_mutex_lock(&self->lock);
  moment = moment_at(self, self->next[lane]);
  if (self->next[lane] < self->begun && gst_stx_scratch_reserve(&moment->view[lane], size, NULL)) {
    self->next[lane]++;
    to = moment->view[lane].data;
    for (gint y = 0; y < picture->height; y++)
      for (gint x = 0; x < picture->width; x++)
        *to++ = stx_row8(picture, y)[x * step];
    moment->width[lane] = picture->width;
    moment->height[lane] = picture->height;
    if (view != NULL) {
      moment->pair.applied = self->applied;
      moment->pair.fx = view->fx;
      moment->pair.fy = view->fy;
      moment->pair.cx = view->cx;
      moment->pair.cy = view->cy;
    }
    if (moment->width[!lane] > 0) {
      size = stx_pair_scratch(moment->width[0], moment->height[0]);
      moment->failed = moment->width[0] != moment->width[1] ||
                       moment->height[0] != moment->height[1] ||
                       !gst_stx_scratch_reserve(&moment->scratch, size, NULL);
      if (!moment->failed)
        moment->worker = g_thread_try_new("stx-drift", look, moment, NULL);
      moment->failed = moment->worker == NULL;
    }
  }
  g_mutex_unlock(&self->lock);
}

/* ---- The right lane -------------------------------------------------------------------------- */

static void take(GstStxDrift *self, GstStxDriftMoment *moment)
{
  gdouble since = moment->time > self->time ? (gdouble)(moment->time - self->time) / GST_SECOND : 0;

  g_clear_pointer(&moment->worker, g_thread_join);
  self->pair = moment->pair;
  stx_drift_update(&self->drift, &self->pair, since);
  self->time = moment->time;
  self->pair.applied = self->applied;
  if (self->mode == GST_STX_REFINE_APPLY)
    self->target = stx_drift_target(&self->drift, &self->pair);
}

static gboolean take_what_is_due(GstStxDrift *self, GstClockTime time)
{
  gboolean any = FALSE;

  for (; self->taken < self->begun; self->taken++) {
    GstStxDriftMoment *moment = moment_at(self, self->taken);

    if (time < moment->time + LATER)
      break;
    if (moment->worker == NULL && !moment->failed && time < moment->time + LOST)
      break;
    if (moment->worker != NULL) {
      take(self, moment);
      any = TRUE;
    }
    end_moment(moment);
  }
  return any;
}

static GstStructure *tell(const GstStxDrift *self)
{
  const StxDrift *drift = &self->drift;
  const StxRectifyTurn whole = {{drift->state[STX_DRIFT_PITCH], 0, drift->state[STX_DRIFT_ROLL]},
      drift->state[STX_DRIFT_RATIO]};
  gdouble deviation[STX_DRIFT_TERMS];

  for (guint i = 0; i < STX_DRIFT_TERMS; i++)
    deviation[i] = sqrt(drift->covariance[i][i]);
  return gst_structure_new("stereo-rectify-drift", "time", G_TYPE_UINT64, self->time, "pitch",
      G_TYPE_DOUBLE, drift->state[STX_DRIFT_PITCH] * DEGREES, "yaw", G_TYPE_DOUBLE,
      drift->state[STX_DRIFT_YAW] * DEGREES, "roll", G_TYPE_DOUBLE,
      drift->state[STX_DRIFT_ROLL] * DEGREES, "focal-ratio", G_TYPE_DOUBLE,
      1 + drift->state[STX_DRIFT_RATIO], "pitch-deviation", G_TYPE_DOUBLE,
      deviation[STX_DRIFT_PITCH] * DEGREES, "yaw-deviation", G_TYPE_DOUBLE,
      deviation[STX_DRIFT_YAW] * DEGREES, "roll-deviation", G_TYPE_DOUBLE,
      deviation[STX_DRIFT_ROLL] * DEGREES, "focal-ratio-deviation", G_TYPE_DOUBLE,
      deviation[STX_DRIFT_RATIO], "rows", G_TYPE_DOUBLE,
      drift->used > 0 ? stx_drift_reach(&self->pair, &whole) : 0, "applied-pitch", G_TYPE_DOUBLE,
      self->applied.angle[STX_DRIFT_PITCH] * DEGREES, "applied-roll", G_TYPE_DOUBLE,
      self->applied.angle[STX_DRIFT_ROLL] * DEGREES, "applied-focal-ratio", G_TYPE_DOUBLE,
      1 + self->applied.ratio, "pairs", G_TYPE_INT, drift->used, "points", G_TYPE_INT,
      drift->agreeing, "pair", G_TYPE_STRING, stx_pair_name(drift->verdict), NULL);
}

gboolean gst_stx_drift_step(
    GstStxDrift *self, GstClockTime time, StxRectifyTurn *turn, GstStructure **news)
{
  gboolean changed = FALSE;

  *news = NULL;
  if (!GST_CLOCK_TIME_IS_VALID(time))
    return FALSE;
  g_mutex_lock(&self->lock);
  if (take_what_is_due(self, time) &&
      (self->told == GST_CLOCK_TIME_NONE || self->time >= self->told + TELLING ||
          self->time < self->told)) {
    self->told = self->time;
    *news = tell(self);
  }
  if (self->mode == GST_STX_REFINE_APPLY)
    changed = stx_drift_step(&self->pair, &self->target, &self->applied);
  *turn = self->applied;
  g_mutex_unlock(&self->lock);
  return changed;
}

StxRectifyTurn gst_stx_drift_hold(GstStxDrift *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&self->lock);

  return self->target = self->applied;
}

GstStructure *gst_stx_drift_tell(GstStxDrift *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&self->lock);

  return self->mode != GST_STX_REFINE_OFF ? tell(self) : NULL;
}

/* ---- Life ------------------------------------------------------------------------------------ */

void gst_stx_drift_init(GstStxDrift *self)
{
  g_mutex_init(&self->lock);
}

void gst_stx_drift_start(GstStxDrift *self, GstStxRefine mode)
{
  g_mutex_lock(&self->lock);
  drop_moments(self);
  self->mode = mode;
  self->last[0] = self->last[1] = self->time = 0;
  self->told = GST_CLOCK_TIME_NONE;
  self->drift = (StxDrift){0};
  self->pair = (StxDriftPair){0};
  self->target = self->applied = (StxRectifyTurn){0};
  g_mutex_unlock(&self->lock);
}

void gst_stx_drift_clear(GstStxDrift *self)
{
  drop_moments(self);
  for (guint i = 0; i < GST_STX_DRIFT_MOMENTS; i++) {
    gst_stx_scratch_clear(&self->moment[i].view[0]);
    gst_stx_scratch_clear(&self->moment[i].view[1]);
    gst_stx_scratch_clear(&self->moment[i].scratch);
  }
  g_mutex_clear(&self->lock);
}
