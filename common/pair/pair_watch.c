/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/pair/pair_watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Chosen on every second frame of KITTI stereo 2012, see docs/algorithms/pair.md. */
static const struct {
  int quick_reach;             /* rows of the first look */
  int quick_level, quick_seen; /* per cent of the matches, of the points: then it is plausible */
  int seen;                    /* matches without which nothing can be said */
  int textured, dark;          /* points of one view; as many times fewer in the other */
  int same;                    /* per cent of the points */
  int fitted;                  /* per cent of the matches: a model explains them */
  int loose;                   /* per cent within a row of their own: too many to be chance */
  int behind, ahead;           /* per cent of the matches of swapped views, at least and at most */
  int shift, slope;            /* rows that are too many, in the centre, at the border */
  int found, alike;            /* per cent of the points: matches of other scenes, at most; what
                                  looks a little like them there, at least */
  int scale;                   /* per mille: a rig's focal lengths do not differ by more */
} limits = {
    .quick_reach = 3,
    .quick_level = 85,
    .quick_seen = 20,
    .seen = 8,
    .textured = STX_PAIR_CELLS / 4,
    .dark = 8,
    .same = 95,
    .fitted = 75,
    .loose = 50,
    .behind = 60,
    .ahead = 10,
    .shift = 2,
    .slope = 3,
    .found = 5,
    .alike = 30,
    .scale = 15,
};

const char *stx_pair_name(StxPairVerdict verdict)
{
  static const char *const names[STX_PAIR_VERDICTS] = {"unknown", "plausible", "swapped", "rows",
      "unrectified", "scaled", "turned", "moment", "unrelated", "dark-left", "dark-right", "blank",
      "same"};
  return names[verdict];
}

/* ---- One pair ------------------------------------------------------------------------------ */

static bool is_part(int part, int percent, int whole)
{
  return 100 * part >= percent * whole;
}

/* The matches agree on a model. */
static StxPairVerdict judge_model(const StxPairEvidence *evidence)
{
  const StxPairModel *model = &evidence->model;
  if (is_part(evidence->behind, limits.behind, evidence->matched) &&
      !is_part(evidence->ahead, limits.ahead, evidence->matched))
    return STX_PAIR_SWAPPED;
  if (abs(model->stretch) >= limits.slope)
    return STX_PAIR_SCALED;
  if (abs(model->shift) >= limits.shift || abs(model->lean) >= limits.slope)
    return STX_PAIR_ROWS;
  return STX_PAIR_PLAUSIBLE;
}

/* The matches agree on the angles of a rig: more of them than its six numbers fit anyway. */
static bool is_geometry(const StxPairEvidence *evidence)
{
  const StxPairGeometry *geometry = &evidence->geometry;
  int free = STX_PAIR_TERMS;
  return evidence->matched >= 2 * free &&
         is_part(geometry->fitted - free, limits.fitted, evidence->matched - free) &&
         fabs(geometry->scale) * 1000 <= limits.scale;
}

/* Two pictures with much to see and hardly a match, though not for noise. */
static bool is_unrelated(const StxPairEvidence *evidence)
{
  int left = evidence->points[0];
  return left >= limits.textured && evidence->points[1] >= limits.textured &&
         100 * evidence->matched <= limits.found * left &&
         is_part(evidence->alike, limits.alike, left);
}

StxPairVerdict stx_pair_judge(const StxPairEvidence *evidence)
{
  int left = evidence->points[0], right = evidence->points[1];
  /* A view without anything to see beside one with much. */
  if (right >= limits.textured && limits.dark * left <= right)
    return STX_PAIR_DARK_LEFT;
  if (left >= limits.textured && limits.dark * right <= left)
    return STX_PAIR_DARK_RIGHT;
  if (left == 0 && right == 0)
    return STX_PAIR_BLANK;
  if (left < limits.seen)
    return STX_PAIR_UNKNOWN;
  if (is_part(evidence->same, limits.same, evidence->points[0]))
    return STX_PAIR_SAME;
  if (is_unrelated(evidence))
    return STX_PAIR_UNRELATED;
  if (evidence->matched < limits.seen)
    return STX_PAIR_UNKNOWN;
  if (is_part(evidence->fitted, limits.fitted, evidence->matched))
    return judge_model(evidence);
  if (is_part(evidence->level, limits.loose, evidence->matched))
    return STX_PAIR_UNKNOWN;
  if (is_geometry(evidence))
    return STX_PAIR_UNRECTIFIED;
  return is_part(evidence->upright, limits.fitted, evidence->matched) ? STX_PAIR_TURNED
                                                                      : STX_PAIR_MOMENT;
}

/* The first look has sufficed. */
static bool is_clear(const StxPairFinding *finding)
{
  const StxPairEvidence *evidence = &finding->evidence;
  if (finding->verdict != STX_PAIR_PLAUSIBLE)
    return evidence->points[0] < limits.seen || finding->verdict >= STX_PAIR_DARK_LEFT;
  return is_part(evidence->level, limits.quick_level, evidence->matched) &&
         is_part(evidence->matched, limits.quick_seen, evidence->points[0]);
}

void stx_pair_examine(int max_disparity, const StxImage8 *left, const StxImage8 *right,
    void *scratch, StxPairFinding *finding)
{
  StxPairParams params = {max_disparity, limits.quick_reach, false};
  *finding = (StxPairFinding){.width = left->width, .height = left->height};
  if (stx_pair_is_small(left->width, left->height))
    return;
  stx_pair_measure(&params, left, right, scratch, &finding->evidence);
  finding->verdict = stx_pair_judge(&finding->evidence);
  if (is_clear(finding))
    return;
  params.reach = STX_PAIR_MAX_REACH;
  params.distinct = true;
  stx_pair_measure(&params, left, right, scratch, &finding->evidence);
  finding->verdict = stx_pair_judge(&finding->evidence);
}

/* ---- In words ------------------------------------------------------------------------------ */

static void describe_rows(const StxPairModel *model, char text[256])
{
  const char *cure = "rectify the pair, or calibrate the cameras again";
  int left = model->shift - model->lean, right = model->shift + model->lean;
  if (model->lean == 0)
    snprintf(text, 256, "the views are not rectified: the right view lies %d rows %s; %s",
        abs(model->shift), model->shift > 0 ? "lower" : "higher", cure);
  else
    snprintf(text, 256,
        "the views are not rectified: the right view lies %d rows %s at the left border, %d rows "
        "%s "
        "at the right one; %s",
        abs(left), left > 0 ? "lower" : "higher", abs(right), right > 0 ? "lower" : "higher", cure);
}

#define DEGREES (180 / M_PI)

StxPairAngles stx_pair_angles(const StxPairFinding *finding)
{
  const StxPairGeometry *geometry = &finding->evidence.geometry;
  return (StxPairAngles){
      atan(geometry->shift / finding->width) * DEGREES, geometry->roll * DEGREES};
}

static void describe_geometry(const StxPairFinding *finding, char text[256])
{
  const StxPairEvidence *evidence = &finding->evidence;
  StxPairAngles angles = stx_pair_angles(finding);
  double shift = evidence->geometry.shift;
  snprintf(text, 256,
      "the views are not rectified: the right view lies %.0f rows %s in the centre, is rolled by "
      "%.1f degrees, and %d of %d points fit to that and to further angles; rectify the pair with "
      "a "
      "calibration of these cameras",
      fabs(shift), shift > 0 ? "lower" : "higher", fabs(angles.roll), evidence->geometry.fitted,
      evidence->matched);
}

static void describe_scale(const StxPairFinding *finding, char text[256])
{
  int stretch = finding->evidence.model.stretch;
  int permille = 2000 * abs(stretch) / finding->height;
  snprintf(text, 256,
      "the right view is %d.%d %% %s than the left one: rectify the pair with a calibration of "
      "these "
      "lenses and this size; or it was taken %s, while the camera moved ahead",
      permille / 10, permille % 10, stretch > 0 ? "larger" : "smaller",
      stretch > 0 ? "later" : "earlier");
}

static void describe_dark(const char *dark, const char *other, int gray, char text[256])
{
  snprintf(text, 256,
      "the %s view shows nothing (mean gray %d of 255), the %s one does: is the lens covered, or "
      "the picture dark or overexposed?",
      dark, gray, other);
}

void stx_pair_describe(const StxPairFinding *finding, char text[256])
{
  const StxPairEvidence *evidence = &finding->evidence;
  switch (finding->verdict) {
  case STX_PAIR_SWAPPED:
    snprintf(text, 256,
        "the views are swapped: %d of %d points of the left view lie further to the right in the "
        "right one; exchange the two%s",
        evidence->behind, evidence->matched,
        abs(evidence->model.shift) < limits.shift ? "" : ", and rectify them");
    break;
  case STX_PAIR_ROWS:
    describe_rows(&evidence->model, text);
    break;
  case STX_PAIR_SCALED:
    describe_scale(finding, text);
    break;
  case STX_PAIR_UNRECTIFIED:
    describe_geometry(finding, text);
    break;
  case STX_PAIR_TURNED:
    snprintf(text, 256,
        "the cameras stand one above the other: of %d points found in both, %d lie in the same "
        "column; put them side by side, or turn both pictures by a quarter (videoflip) if they "
        "were taken upright",
        evidence->matched, evidence->upright);
    break;
  case STX_PAIR_MOMENT:
    snprintf(text, 256,
        "the views are not of one moment: of %d points found in both, %d lie in the same row, and "
        "no angle between two cameras explains the others; synchronise the cameras, or correct the "
        "timestamps",
        evidence->matched, evidence->level);
    break;
  case STX_PAIR_UNRELATED:
    snprintf(text, 256,
        "the views have hardly anything in common: of %d points of the left view, %d are found in "
        "the right one; give both views of one pair; if they are, rectify them, or set a larger "
        "max-disparity",
        evidence->points[0], evidence->matched);
    break;
  case STX_PAIR_DARK_LEFT:
    describe_dark("left", "right", evidence->gray[0], text);
    break;
  case STX_PAIR_DARK_RIGHT:
    describe_dark("right", "left", evidence->gray[1], text);
    break;
  case STX_PAIR_BLANK:
    snprintf(text, 256,
        "neither view shows anything that can be matched (mean gray %d and %d of 255): are the "
        "lenses covered, or the pictures dark, overexposed, out of focus or of fog?",
        evidence->gray[0], evidence->gray[1]);
    break;
  case STX_PAIR_SAME:
    snprintf(text, 256, "both views are the same picture: connect the other camera");
    break;
  case STX_PAIR_PLAUSIBLE:
    snprintf(text, 256, "the views can be a rectified pair: %d of %d points lie in the same row",
        evidence->level, evidence->matched);
    break;
  default:
    snprintf(text, 256,
        "nothing can be said: %d of %d places of the left view have texture, %d of these are "
        "found in the right view",
        evidence->points[0], STX_PAIR_CELLS, evidence->matched);
  }
}

/* ---- Over time ------------------------------------------------------------------------------ */

#define MS ((int64_t)1000000)

/* When it looks again, how long it waits before it speaks, and before it forgets. */
#define SURE (1000 * MS)
#define DOUBTING (200 * MS)
#define LASTING (1000 * MS)
#define FORGETTING (2000 * MS)
#define ENOUGH 3  /* pairs */
#define UNKNOWN 5 /* pairs at the start, until it looks seldom */

bool stx_pair_watch_is_due(const StxPairWatch *watch, int64_t time)
{
  return time >= watch->next || time < watch->next - SURE;
}

static bool is_bad(StxPairVerdict verdict)
{
  return verdict > STX_PAIR_PLAUSIBLE;
}

static void forget(StxPairWatch *watch)
{
  watch->seen = 0;
  memset(watch->seen_as, 0, sizeof watch->seen_as);
}

/* A pair of which something can be said. */
static void count(StxPairWatch *watch, int64_t time, const StxPairFinding *finding)
{
  if (watch->seen > 0 && is_bad(watch->finding.verdict) != is_bad(finding->verdict))
    forget(watch);
  if (watch->seen == 0)
    watch->since = time;
  watch->seen++;
  watch->seen_as[finding->verdict]++;
  watch->last = time;
  watch->unknown = 0;
  watch->finding = *finding;
}

/* The message that is due after a pair that could be judged. */
static StxPairNews decide(StxPairWatch *watch, int64_t time)
{
  bool bad = is_bad(watch->finding.verdict);
  StxPairVerdict leading = STX_PAIR_UNKNOWN;
  if (watch->seen < ENOUGH || time - watch->since < LASTING ||
      bad == (watch->said != STX_PAIR_UNKNOWN))
    return STX_PAIR_NO_NEWS;
  if (!bad) {
    watch->said = STX_PAIR_UNKNOWN;
    return STX_PAIR_CLEARED;
  }
  for (int v = STX_PAIR_PLAUSIBLE; v < STX_PAIR_VERDICTS; v++) /* the most frequent one; */
    if (watch->seen_as[v] > watch->seen_as[leading])           /* ties go to the first */
      leading = (StxPairVerdict)v;
  if (watch->finding.verdict != leading)
    return STX_PAIR_NO_NEWS;
  watch->said = watch->finding.verdict;
  return STX_PAIR_WARN;
}

StxPairNews stx_pair_watch_note(StxPairWatch *watch, int64_t time, const StxPairFinding *finding)
{
  StxPairNews news = STX_PAIR_NO_NEWS;
  if (watch->seen > 0 && (time < watch->last || time - watch->last > FORGETTING))
    forget(watch);
  watch->unknown++;
  watch->looks++;
  watch->bad += is_bad(finding->verdict);
  watch->plausible |= finding->verdict == STX_PAIR_PLAUSIBLE;
  if (finding->verdict != STX_PAIR_UNKNOWN) {
    count(watch, time, finding);
    news = decide(watch, time);
  }
  bool bad = is_bad(watch->finding.verdict), said = watch->said != STX_PAIR_UNKNOWN;
  bool doubts = watch->seen > 0 ? bad != said : watch->unknown > 0 && watch->unknown <= UNKNOWN;
  watch->next = time + (doubts ? DOUBTING : SURE);
  return news;
}

StxPairNews stx_pair_watch_end(StxPairWatch *watch)
{
  if (watch->plausible || watch->said != STX_PAIR_UNKNOWN || 2 * watch->bad <= watch->looks)
    return STX_PAIR_NO_NEWS;
  watch->said = watch->finding.verdict;
  return STX_PAIR_WARN;
}
