/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/endurance/gauge.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED TRUE
#else
#define SANITIZED FALSE
#endif

gboolean endurance_is_full(void)
{
  return g_strcmp0(g_getenv("STX_ENDURANCE"), "full") == 0;
}

guint endurance_length(guint quick, guint full)
{
  return endurance_is_full() ? full : quick;
}

guint endurance_rounds(guint quick, guint full)
{
  return endurance_length(SANITIZED ? MAX(quick / 4, 2) : quick, full);
}

/* ---- Reading ------------------------------------------------------------------------------- */

static guint count_entries(const gchar *folder)
{
  GDir *dir = g_dir_open(folder, 0, NULL);
  guint count = 0;

  fail_unless(dir != NULL, "%s", folder);
  while (g_dir_read_name(dir) != NULL)
    count++;
  g_dir_close(dir);
  return count;
}

static gdouble resident(void)
{
  g_autofree gchar *text = NULL;
  guint64 pages;

  fail_unless(g_file_get_contents("/proc/self/statm", &text, NULL, NULL));
  pages = g_ascii_strtoull(strchr(text, ' '), NULL, 10);
  return (gdouble)pages * (gdouble)sysconf(_SC_PAGESIZE) / (1 << 20);
}

static gdouble seconds_of(struct timeval time)
{
  return (gdouble)time.tv_sec + (gdouble)time.tv_usec / 1e6;
}

Gauge gauge_read(void)
{
  struct rusage usage;

  getrusage(RUSAGE_SELF, &usage);
  return (Gauge){
      .memory = resident(),
      .descriptors = count_entries("/proc/self/fd"),
      .threads = count_entries("/proc/self/task"),
      .seconds = (gdouble)g_get_monotonic_time() / 1e6,
      .work = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
  };
}

/* ---- A run --------------------------------------------------------------------------------- */

void gauge_step(GaugeRun *run)
{
  run->done++;
  if (run->done == run->length / 10)
    run->at[0] = gauge_read();
  if (run->done == run->length / 2)
    run->at[1] = gauge_read();
  if (run->done == run->length)
    run->at[2] = gauge_read();
}

static void report(const GaugeRun *run)
{
  static const guint percents[] = {10, 50, 100};
  const Gauge *at = run->at;

  for (guint i = 0; i < G_N_ELEMENTS(percents); i++)
    g_print("%s: %u %% of %u: %.1f MiB, %u descriptors, %u threads\n", run->name, percents[i],
        run->length, at[i].memory, at[i].descriptors, at[i].threads);
  g_print("%s: %.1f per second, %.3f ms of work each; then %.1f per second, %.3f ms\n", run->name,
      run->length * .4 / (at[1].seconds - at[0].seconds),
      (at[1].work - at[0].work) / (run->length * .4) * 1000,
      run->length * .5 / (at[2].seconds - at[1].seconds),
      (at[2].work - at[1].work) / (run->length * .5) * 1000);
}

void gauge_judge(const GaugeRun *run)
{
  const Gauge *at = run->at;
  gdouble most = run->most > 0 ? run->most : GAUGE_MOST_GROWTH;

  fail_unless(
      run->done >= run->length, "%s: %u of %u were done", run->name, run->done, run->length);
  report(run);
  /* A sanitizer keeps what was freed for a while. */
  fail_unless(SANITIZED || at[2].memory < at[0].memory + most, "%s: %.1f MiB became %.1f",
      run->name, at[0].memory, at[2].memory);
  fail_unless(at[2].descriptors <= at[0].descriptors, "%s: %u descriptors became %u", run->name,
      at[0].descriptors, at[2].descriptors);
  if (endurance_is_full())
    fail_unless(at[2].work - at[1].work < 2 * (at[1].work - at[0].work) * 5 / 4,
        "%s: the second half took %.0f s of work, the first %.0f", run->name,
        at[2].work - at[1].work, (at[1].work - at[0].work) * 5 / 4);
}
