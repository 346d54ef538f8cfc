/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of the pages that need cameras, run as they are printed, those under one heading one after
 * the other in the same folder, where calibrations lie. Cameras and windows are stand-ins
 * (stand_ins.h); what has no end is stopped after some frames. No warning may come but that frames
 * are missing, pictures have to, and stixels must stand where the street has something.
 */
#include "tests/cameras/page.h"
#include "tests/cameras/stand_ins.h"
#include "tests/cameras/watch.h"
#include "tests/gst/fixtures/util.h"

#include <glib/gstdio.h>
#include <string.h>

#include "tests/cameras/pictures.h"

#define FRAMES 12 /* at least; of stixels SETS */
#define SETS 6
#define DRAWN 3      /* pictures with stixels */
#define OBJECTS 100  /* at least */
#define MOST_OFF .05 /* a distance */
#define SECONDS 60   /* of a line */

/* Which lines of which pages. */
static const struct {
  const char *path, *word;
} pages[] = {
    {STX_SOURCE_DIR "/docs/cameras.md", ""},
    {STX_SOURCE_DIR "/README.md", "v4l2src"},
    {STX_SOURCE_DIR "/docs/elements/stereo-rectify.md", "v4l2src"},
    {STX_SOURCE_DIR "/docs/elements/stereo-sgm.md", "v4l2src"},
    {STX_SOURCE_DIR "/docs/elements/stereo-stixels.md", "v4l2src"},
};

static GPtrArray *sections;

/* ---- The folder ---------------------------------------------------------------------------- */

#define WIDTH 1280
#define HEIGHT 720

static void write_text(const char *name, gchar *text)
{
  ck_assert(g_file_set_contents(name, text, -1, NULL));
  g_free(text);
}

/* The cameras of these tests, which are a rectified pair as they come, in the form of OpenCV, of
 * ZED and of KITTI. */
static void write_calibrations(void)
{
  StxCamera camera = picture_camera(WIDTH, HEIGHT);
  gchar *k = g_strdup_printf(
      "[%g, 0, %g, 0, %g, %g, 0, 0, 1]", camera.focal, camera.cx, camera.focal, camera.cy);
  gchar *lens = g_strdup_printf(
      "fx=%g\nfy=%g\ncx=%g\ncy=%g\nk1=0\nk2=0\n", camera.focal, camera.focal, camera.cx, camera.cy);

  write_text(
      "stereo.yml", g_strdup_printf("%%YAML:1.0\n---\nimage_width: %d\nimage_height: %d\nK1: %s\n"
                                    "D1: [0, 0, 0, 0, 0]\nK2: %s\nD2: [0, 0, 0, 0, 0]\n"
                                    "R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [%g, 0, 0]\n",
                        WIDTH, HEIGHT, k, k, -camera.baseline));
  write_text("SN12345678.conf",
      g_strdup_printf("[LEFT_CAM_HD]\n%s[RIGHT_CAM_HD]\n%s[STEREO]\nBaseline=%g\n", lens, lens,
          1000 * camera.baseline));
  write_text("calib.txt",
      g_strdup_printf("P0: %g 0 %g 0 0 %g %g 0 0 0 1 0\nP1: %g 0 %g %g 0 %g %g 0 0 0 1 0\n",
          camera.focal, camera.cx, camera.focal, camera.cy, camera.focal, camera.cx,
          -camera.focal * camera.baseline, camera.focal, camera.cy));
  g_free(lens);
  g_free(k);
}

static gchar *enter_folder(void)
{
  gchar *folder = g_dir_make_tmp("stx-cameras-XXXXXX", NULL);

  ck_assert(folder != NULL && g_chdir(folder) == 0);
  write_calibrations();
  return folder;
}

static void leave_folder(gchar *folder)
{
  GDir *files = g_dir_open(folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name(files)) != NULL)
    g_unlink(name);
  g_dir_close(files);
  g_rmdir(folder);
  g_free(folder);
}

/* ---- Running a line ------------------------------------------------------------------------ */

typedef struct {
  gchar *text;
  gboolean stixels, stereo, overlay; /* what is in it */
} Line;

static gboolean has(const Line *line, const gchar *word)
{
  return strstr(line->text, word) != NULL;
}

/* Frames are lost on purpose: who misses them says once that it counts them. Nothing else may be
 * said. */
static void expect_nothing_worse(const Line *line, GstMessage *message)
{
  GError *error = NULL;
  gchar *debug = NULL;

  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
    gst_message_parse_error(message, &error, &debug);
  else
    gst_message_parse_warning(message, &error, &debug);
  ck_assert_msg(
      GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING && strstr(debug, " counts") != NULL,
      "%s\n%s: %s (%s)", line->text, GST_MESSAGE_SRC_NAME(message), error->message, debug);
  g_error_free(error);
  g_free(debug);
}

static gboolean is_enough(const Line *line, Watch *watch)
{
  WatchCounts counts = watch_counts(watch);

  return counts.frames >= FRAMES && (!line->stixels || counts.sets >= SETS) &&
         (!line->overlay || counts.pictures >= DRAWN);
}

/* Until the end, or until it is enough; then, with -e, to the end of the stream. */
static void play(const Line *line, GstElement *pipeline, Watch *watch, gboolean ends_stream)
{
  gint64 last = g_get_monotonic_time() + SECONDS * G_USEC_PER_SEC;
  GstBus *bus = gst_element_get_bus(pipeline);
  gboolean ended = FALSE, ending = FALSE;

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  while (!ended && g_get_monotonic_time() < last) {
    GstMessage *message = gst_bus_timed_pop_filtered(
        bus, 20 * GST_MSECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);

    if (message != NULL && GST_MESSAGE_TYPE(message) != GST_MESSAGE_EOS)
      expect_nothing_worse(line, message);
    ended = message != NULL && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
    gst_clear_message(&message);
    if (ending || !is_enough(line, watch))
      continue;
    ending = ends_stream;
    ended = ended || !ends_stream;
    if (ending)
      gst_element_send_event(pipeline, gst_event_new_eos());
  }
  gst_object_unref(bus);
  ck_assert_msg(ended, "%s\nhas not ended after %d s, and %u frames", line->text, SECONDS,
      watch_counts(watch).frames);
}

static void judge(const Line *line, const WatchCounts *counts)
{
  g_print("  %u frames, %u with stixels; %u sets, %u pairs, %u wrong; %u objects, off by %.4f\n",
      counts->frames, counts->pictures, counts->sets, counts->pairs, counts->wrong_pairs,
      counts->objects, counts->off);
  ck_assert_uint_ge(counts->frames, FRAMES);
  ck_assert_uint_eq(counts->wrong_pairs, 0);
  if (line->overlay)
    ck_assert_uint_ge(counts->pictures, DRAWN);
  if (line->stereo)
    ck_assert_uint_ge(counts->pairs, SETS);
  if (!line->stixels)
    return;
  ck_assert_uint_ge(counts->objects, OBJECTS);
  ck_assert(counts->off < MOST_OFF);
}

static void run(gchar **words)
{
  Line line = {.text = g_strjoinv(" ", words)};
  GstElement *pipeline;
  WatchCounts counts;
  Watch *watch;

  line.stixels = has(&line, "stixels ");
  line.stereo = line.stixels && has(&line, "stereo-s");
  line.overlay =
      has(&line, "stixel-overlay") || (has(&line, "stereo-stixels") && !has(&line, "output="));
  g_print("%s\n", line.text);
  pipeline = page_parse(words);
  watch = watch_new(pipeline);
  play(&line, pipeline, watch, page_ends_stream(words));
  gst_element_set_state(pipeline, GST_STATE_NULL);
  counts = watch_counts(watch);
  judge(&line, &counts);
  gst_object_unref(pipeline);
  watch_free(watch);
  g_free(line.text);
}

/* ---- Tests --------------------------------------------------------------------------------- */

GST_START_TEST(lines_run_as_printed)
{
  const PageSection *section = g_ptr_array_index(sections, __i__);
  gchar *folder = enter_folder();

  g_print("%s\n", section->heading);
  stand_ins_register();
  for (guint i = 0; i < section->lines->len; i++)
    run(g_ptr_array_index(section->lines, i));
  leave_folder(folder);
}
GST_END_TEST

static Suite *pages_suite(void)
{
  Suite *suite = suite_create("pages");
  TCase *tests = tcase_create("pages");

  sections = g_ptr_array_new_with_free_func((GDestroyNotify)page_free_section);
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++)
    page_read(sections, pages[i].path, pages[i].word);
  suite_add_tcase(suite, tests);
  tcase_set_timeout(tests, 4 * SECONDS);
  if (sections->len < G_N_ELEMENTS(pages))
    g_error("only %u sections with lines", sections->len);
  tcase_add_loop_test(tests, lines_run_as_printed, 0, (int)sections->len);
  return suite;
}
GST_CHECK_MAIN(pages)
