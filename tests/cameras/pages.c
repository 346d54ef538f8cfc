/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of the pages that need cameras, run as they are printed, those under one heading one after
 * the other in the same folder, where calibrations lie. Cameras and windows are stand-ins
 * (stand_ins.h). What a line has to do says lines.h.
 */
#include "tests/cameras/folder.h"
#include "tests/cameras/lines.h"
#include "tests/cameras/page.h"
#include "tests/cameras/pictures.h"
#include "tests/cameras/stand_ins.h"
#include "tests/gst/fixtures/util.h"

/* Which lines of which pages. */
static const struct {
  const char *path, *word;
} pages[] = {
    {STX_SOURCE_DIR "/docs/cameras.md", ""},
    {STX_SOURCE_DIR "/README.md", "v4l2src"},
    {STX_SOURCE_DIR "/docs/calibration.md", "v4l2src"},
    {STX_SOURCE_DIR "/docs/elements/stereo-rectify.md", "v4l2src"},
    {STX_SOURCE_DIR "/docs/elements/stereo-stixels.md", "v4l2src"},
};

static GPtrArray *sections;

/* Expects that a recording plays the pictures that were seen during the recording, if they were. */
static void expect_same(Watch *seen, Watch *played)
{
  guint common, differ;

  if (watch_counts(seen).sets == 0)
    return;
  watch_compare(seen, played, &common, &differ);
  g_print("  %u common pairs, %u differ\n", common, differ);
  ck_assert_uint_ge(common, 5);
  ck_assert_uint_eq(differ, 0);
}

/* ---- Tests --------------------------------------------------------------------------------- */

STX_TEST_LOOP(lines_run_as_printed, sections->len)
{
  const PageSection *section = g_ptr_array_index(sections, _i);
  gchar *folder = folder_enter();
  Watch *before = NULL, *watch;

  g_print("%s\n", section->heading);
  stand_ins_register();
  for (guint i = 0; i < section->lines->len; i++) {
    gchar **words = g_ptr_array_index(section->lines, i);

    watch = line_run(words);
    if (before != NULL && g_strv_contains((const gchar *const *)words, "filesrc"))
      expect_same(before, watch);
    g_clear_pointer(&before, watch_free);
    before = watch;
  }
  watch_free(before);
  folder_leave(folder);
}

double stx_test_prepare(void)
{
  sections = g_ptr_array_new_with_free_func((GDestroyNotify)page_free_section);
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++)
    page_read(sections, pages[i].path, pages[i].word);
  if (sections->len < G_N_ELEMENTS(pages))
    g_error("only %u sections with lines", sections->len);
  picture_truth(FOLDER_WIDTH, FOLDER_HEIGHT, 0); /* drawn once for all tests */
  return 600;
}
