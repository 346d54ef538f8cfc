/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stages/sgmoverlap.h"

#include "cuda/stxcuda.h"
#include "gst/live/deferred.h"

/* Pairs wait for the matcher if the next one comes within this part of the time that one takes. */
#define AT_ONCE 4

/* As many as are matched, and one that waits, so that nobody has to wait for the next. */
#define GIVEN_MAX (GST_SGM_TRACKS + 1)

/* Pairs of all pipelines of this process that are put off, each with a thread: where there are many
 * pipelines, they keep all cores at work without. */
static gint given_by_all; /* atomic */

/* ---- A pair on a track --------------------------------------------------------------------- */

typedef struct {
  GstStxStage *stage;
  const GstSgmPair *pair;
} Task;

static GstFlowReturn work(GstElement *element, gpointer frame, StxError *error)
{
  const Task *task = frame;

  return gst_sgm_stage_match(task->stage, task->pair, error) ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static const GstStxStageClass stage_class = {
    .host = &stx_sgm_impls, .device = &stx_sgm_cuda_impls, .work = work};

static GstFlowReturn match(GstSgmTrack *track, const GstSgmPair *pair, int threads)
{
  Task task = {&track->stage, pair};

  track->stage.place.threads = threads;
  return gst_stx_stage_run(&track->stage, &task);
}

static int all_threads(const GstSgmOverlap *self)
{
  return stx_threads(self->track[0].stage.run.threads);
}

/* With the lock. */
static void release(GstSgmOverlap *self, GstSgmTrack *track, GstClockTime begin)
{
  track->busy = FALSE;
  self->took = (gint64)(gst_util_get_timestamp() - begin);
  g_cond_broadcast(&self->changed);
}

/* ---- Now ----------------------------------------------------------------------------------- */

/* With all threads, unless somebody else is still at work. */
static GstFlowReturn match_now(GstSgmOverlap *self, const GstSgmPair *pair)
{
  GstSgmTrack *track = &self->track[0];
  GstClockTime begin = gst_util_get_timestamp();
  int threads = all_threads(self);
  GstFlowReturn flow;

  g_mutex_lock(&self->lock);
  while (track->busy)
    g_cond_wait(&self->changed, &self->lock);
  track->busy = TRUE;
  threads -= self->given > 0 ? threads / 2 : 0;
  g_mutex_unlock(&self->lock);
  flow = match(track, pair, threads);
  g_mutex_lock(&self->lock);
  release(self, track, begin);
  g_mutex_unlock(&self->lock);
  return flow;
}

/* ---- Put off ------------------------------------------------------------------------------- */

/* All that it needs: the element may be at other caps and settings by then. Of the buffer that
 * stands for it, and of whoever matches it. */
typedef struct {
  GstStxDeferred deferred;
  GstSgmOverlap *overlap;
  GstStereoSgmViews views;
  StxSgmParams params;
  GstVideoInfo output;
  GstBuffer *set[GST_STEREO_SGM_ROLES];
  GstSgmPair pair; /* with references */
  gint owners;     /* atomic */
  gboolean done;   /* under the lock */
  GstFlowReturn flow;
} Given;

static void give_up(Given *given)
{
  if (!g_atomic_int_dec_and_test(&given->owners))
    return;
  for (guint role = 0; role < GST_STEREO_SGM_ROLES; role++)
    gst_clear_buffer(&given->set[role]);
  gst_clear_buffer(&given->pair.disparity);
  gst_clear_buffer(&given->pair.confidence);
  gst_object_unref(given->overlap->element);
  g_free(given);
}

static GstSgmTrack *take_track(GstSgmOverlap *self)
{
  for (guint i = GST_SGM_TRACKS; i-- > 0;)
    if (!self->track[i].busy)
      return &self->track[i];
  return NULL;
}

/* In a thread of the pool. */
static void match_given(gpointer data, gpointer user_data)
{
  Given *given = data;
  GstSgmOverlap *self = user_data;
  GstClockTime begin;
  GstSgmTrack *track;
  int threads = all_threads(self);

  g_mutex_lock(&self->lock);
  while ((track = take_track(self)) == NULL)
    g_cond_wait(&self->changed, &self->lock);
  track->busy = TRUE;
  g_mutex_unlock(&self->lock);
  begin = gst_util_get_timestamp();
  given->flow =
      match(track, &given->pair, track == self->track ? threads - threads / 2 : threads / 2);
  gst_stx_pairing_note_work(self->element, begin);
  g_mutex_lock(&self->lock);
  given->done = TRUE;
  self->given--;
  g_atomic_int_add(&given_by_all, -1);
  release(self, track, begin);
  g_mutex_unlock(&self->lock);
  give_up(given);
}

static GstBuffer *finish_given(GstStxDeferred *deferred)
{
  Given *given = (Given *)deferred;
  GstSgmOverlap *self = given->overlap;

  g_mutex_lock(&self->lock);
  while (!given->done)
    g_cond_wait(&self->changed, &self->lock);
  g_mutex_unlock(&self->lock);
  if (given->flow != GST_FLOW_OK)
    return NULL;
  gst_sgm_stage_attach(&given->pair);
  return g_steal_pointer(&given->pair.disparity);
}

static void drop_given(GstStxDeferred *deferred)
{
  give_up((Given *)deferred);
}

static GstBuffer *put_off(GstSgmOverlap *self, const GstSgmPair *pair)
{
  Given *given = g_new0(Given, 1);

  given->deferred = (GstStxDeferred){finish_given, drop_given};
  given->overlap = self;
  given->owners = 1;
  given->views = *pair->views;
  given->params = *pair->params;
  given->output = *pair->output;
  for (guint role = 0; role < GST_STEREO_SGM_ROLES; role++)
    gst_buffer_replace(&given->set[role], pair->set[role]);
  given->pair = (GstSgmPair){.views = &given->views,
      .params = &given->params,
      .gray_bits = pair->gray_bits,
      .output = &given->output,
      .set = given->set};
  gst_buffer_replace(&given->pair.disparity, pair->disparity);
  gst_buffer_replace(&given->pair.confidence, pair->confidence);
  gst_object_ref(self->element);
  gst_stx_pairing_put_off(self->element);
  return gst_stx_deferred_new(&given->deferred);
}

void gst_sgm_overlap_leave(GstSgmOverlap *self, GstBuffer *buffer)
{
  Given *given = (Given *)gst_stx_deferred_of(buffer);

  if (given != NULL) {
    g_mutex_lock(&self->lock);
    while (self->given >= GIVEN_MAX)
      g_cond_wait(&self->changed, &self->lock);
    self->given++;
    g_atomic_int_inc(&given_by_all);
    g_mutex_unlock(&self->lock);
    g_atomic_int_inc(&given->owners);
    if (self->pool == NULL)
      self->pool = g_thread_pool_new(match_given, self, GST_SGM_TRACKS, FALSE, NULL);
    g_thread_pool_push(self->pool, given, NULL);
  }
  self->ended = (gint64)gst_util_get_timestamp();
}

void gst_sgm_overlap_settle(GstSgmOverlap *self)
{
  g_mutex_lock(&self->lock);
  while (self->given > 0)
    g_cond_wait(&self->changed, &self->lock);
  g_mutex_unlock(&self->lock);
}

/* ---- Now or later -------------------------------------------------------------------------- */

static gboolean is_better_later(GstSgmOverlap *self)
{
  GstStxOverlap overlap = gst_stx_deferred_allowed(GST_AGGREGATOR_SRC_PAD(self->element));
  gint64 waited = (gint64)gst_util_get_timestamp() - self->ended;
  gboolean at_once;

  if (overlap == GST_STX_OVERLAP_OFF || all_threads(self) < 2)
    return FALSE;
  g_mutex_lock(&self->lock);
  at_once = self->given > 0 || waited < self->took / AT_ONCE;
  at_once = at_once && g_atomic_int_get(&given_by_all) - (gint)self->given < all_threads(self);
  g_mutex_unlock(&self->lock);
  return overlap == GST_STX_OVERLAP_ON || (at_once && !gst_stx_pairing_is_live(self->element));
}

GstFlowReturn gst_sgm_overlap_take(GstSgmOverlap *self, const GstSgmPair *pair, GstBuffer **later)
{
  *later = is_better_later(self) ? put_off(self, pair) : NULL;
  return *later == NULL ? match_now(self, pair) : GST_FLOW_OK;
}

/* ---- Life ---------------------------------------------------------------------------------- */

void gst_sgm_overlap_init(GstSgmOverlap *self, GstStxPairing *element)
{
  self->element = element;
  g_mutex_init(&self->lock);
  g_cond_init(&self->changed);
  for (guint i = 0; i < GST_SGM_TRACKS; i++)
    gst_stx_stage_init(&self->track[i].stage, GST_ELEMENT(element), &stage_class);
}

void gst_sgm_overlap_start(GstSgmOverlap *self)
{
  for (guint i = 0; i < GST_SGM_TRACKS; i++)
    gst_stx_stage_follow(&self->track[i].stage, gst_stx_pairing_stage(self->element));
  self->took = 0;
}

void gst_sgm_overlap_stop(GstSgmOverlap *self)
{
  if (self->pool != NULL)
    g_thread_pool_free(g_steal_pointer(&self->pool), FALSE, TRUE);
  for (guint i = 0; i < GST_SGM_TRACKS; i++)
    gst_stx_stage_stop(&self->track[i].stage);
}

void gst_sgm_overlap_clear(GstSgmOverlap *self)
{
  g_cond_clear(&self->changed);
  g_mutex_clear(&self->lock);
}
