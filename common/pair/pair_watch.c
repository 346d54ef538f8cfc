/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/pair/pair_watch.h"

#include <string.h>

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

/* The most frequent one; the first of several. */
static StxPairVerdict leading(const StxPairWatch *watch)
{
  StxPairVerdict most = STX_PAIR_UNKNOWN;

  for (int v = STX_PAIR_PLAUSIBLE; v < STX_PAIR_VERDICTS; v++)
    if (watch->seen_as[v] > watch->seen_as[most])
      most = (StxPairVerdict)v;
  return most;
}

static void plan(StxPairWatch *watch, int64_t time)
{
  bool bad = is_bad(watch->finding.verdict), said = watch->said != STX_PAIR_UNKNOWN;
  bool doubts = watch->seen > 0 ? bad != said : watch->unknown > 0 && watch->unknown <= UNKNOWN;

  watch->next = time + (doubts ? DOUBTING : SURE);
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

/* What there is to tell after a pair of which something could be said. */
static StxPairNews decide(StxPairWatch *watch, int64_t time)
{
  bool bad = is_bad(watch->finding.verdict);

  if (watch->seen < ENOUGH || time - watch->since < LASTING ||
      bad == (watch->said != STX_PAIR_UNKNOWN))
    return STX_PAIR_NO_NEWS;
  if (!bad) {
    watch->said = STX_PAIR_UNKNOWN;
    return STX_PAIR_CLEARED;
  }
  if (watch->finding.verdict != leading(watch))
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
  if (finding->verdict != STX_PAIR_UNKNOWN) {
    count(watch, time, finding);
    news = decide(watch, time);
  }
  plan(watch, time);
  return news;
}
