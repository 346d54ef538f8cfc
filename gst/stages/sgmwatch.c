/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stages/sgmwatch.h"

#include "cuda/stxcuda.h"

#define UNTIMED (100 * GST_MSECOND) /* what a pair without a time stands for */

typedef struct {
  GstStxStage *stage;
  const GstSgmPair *pair;
  StxPairFinding finding;
} Task;

/* Never fails: what cannot be read is for the matcher to refuse. */
static GstFlowReturn work(GstElement *element, gpointer frame, StxError *error)
{
  Task *task = frame;

  if (!gst_sgm_stage_examine(task->stage, task->pair, &task->finding, error))
    GST_DEBUG_OBJECT(element, "this pair is not examined: %s", error->text);
  return GST_FLOW_OK;
}

static const GstStxStageClass stage_class = {
    .host = &stx_sgm_impls, .device = &stx_sgm_cuda_impls, .work = work};

void gst_sgm_watch_init(GstSgmWatch *self, GstStxPairing *element)
{
  self->element = element;
  gst_stx_stage_init(&self->stage, GST_ELEMENT(element), &stage_class);
}

void gst_sgm_watch_start(GstSgmWatch *self)
{
  gst_stx_stage_follow(&self->stage, gst_stx_pairing_stage(self->element));
  GST_OBJECT_LOCK(self->element);
  self->warnings = 0;
  GST_OBJECT_UNLOCK(self->element);
}

void gst_sgm_watch_stop(GstSgmWatch *self)
{
  gst_stx_stage_stop(&self->stage);
}

void gst_sgm_watch_reset(GstSgmWatch *self)
{
  GST_OBJECT_LOCK(self->element);
  self->watch = (StxPairWatch){0};
  GST_OBJECT_UNLOCK(self->element);
}

static void warn(GstSgmWatch *self, const StxPairFinding *finding)
{
  char text[256];

  stx_pair_describe(finding, text);
  GST_ELEMENT_WARNING_WITH_DETAILS(self->element, STREAM, FORMAT, ("Implausible pair: %s", text),
      ("pair=%s, for a second; stx-check looks at single pictures",
          stx_pair_name(finding->verdict)),
      ("pair", G_TYPE_STRING, stx_pair_name(finding->verdict), "pair-rows", G_TYPE_INT,
          finding->evidence.model.shift, NULL));
}

static void note(GstSgmWatch *self, gint64 time, const StxPairFinding *finding)
{
  StxPairNews news;

  GST_OBJECT_LOCK(self->element);
  news = stx_pair_watch_note(&self->watch, time, finding);
  self->warnings += news == STX_PAIR_WARN;
  GST_OBJECT_UNLOCK(self->element);
  if (news == STX_PAIR_WARN)
    warn(self, finding);
  else if (news == STX_PAIR_CLEARED)
    GST_ELEMENT_INFO(
        self->element, STREAM, FORMAT, ("The pairs are plausible again"), ("for a second"));
}

void gst_sgm_watch_see(GstSgmWatch *self, const GstSgmPair *pair)
{
  GstClockTime time = gst_stx_pairing_time(self->element);
  Task task = {&self->stage, pair, {0}};
  guint64 number = self->pairs++;

  if (!GST_CLOCK_TIME_IS_VALID(time))
    time = number * UNTIMED;
  if (!stx_pair_watch_is_due(&self->watch, (gint64)time))
    return;
  gst_stx_stage_run(&self->stage, &task);
  note(self, (gint64)time, &task.finding);
  GST_LOG_OBJECT(self->element, "%s: %d points, %d found, %d in their row",
      stx_pair_name(task.finding.verdict), task.finding.evidence.points[0],
      task.finding.evidence.matched, task.finding.evidence.level);
}

void gst_sgm_watch_tell(const GstSgmWatch *self, GstStructure *stats)
{
  const StxPairFinding *finding = &self->watch.finding;

  gst_structure_set(stats, "pair", G_TYPE_STRING, stx_pair_name(finding->verdict), "pair-rows",
      G_TYPE_INT, finding->evidence.model.shift, "pair-warnings", G_TYPE_UINT64, self->warnings,
      NULL);
}
