/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rdp-columns refuses what it cannot segment. What comes out: tests/frames/records.txt. */
#include <string.h>

#include "tests/gst/fixtures/util.h"

#define COLUMNS "application/x-stixel-columns,framerate=10/1,"
#define SMALL COLUMNS "width=16,height=16,stixel-width=8,stixel-height=8,columns=2,rows=2,classes=0"
#define SMALL_BYTES (2 * 2 * 2 * 2)

/* ---- Refusals ------------------------------------------------------------------------------ */

static const Refusal refusals[] = {
    {COLUMNS "width=1,height=16385,stixel-width=1,stixel-height=1,columns=1,rows=16385,classes=0",
        4 * 16385, {"16385", "16384", "stixel-height=2"}},
    {COLUMNS "width=16,height=16,stixel-width=8,stixel-height=8,columns=2,rows=2", 1,
        {"classes", "lack"}},
    {COLUMNS "width=16,height=16,stixel-width=8,stixel-height=8,columns=3,rows=2,classes=0", 1,
        {"columns=3", "2"}},
    {COLUMNS "width=16,height=16,stixel-width=8,stixel-height=8,columns=2,rows=3,classes=0", 1,
        {"rows=3", "2"}},
    {COLUMNS "width=0,height=16,stixel-width=8,stixel-height=8,columns=0,rows=2,classes=0", 1,
        {"width", "32768"}},
    {"video/x-raw,format=GRAY16_LE,width=16,height=16", 1,
        {"video/x-raw", "application/x-stixel-columns"}},
    {SMALL, SMALL_BYTES - 1, {"15 bytes", "16"}},
    {SMALL, 0, {"0 bytes", "16"}},
};

STX_TEST_LOOP(refuses_with_a_reason, G_N_ELEMENTS(refusals))
{
  stx_test_refuses("rdp-columns", refusals[_i].caps, refusals[_i].bytes, refusals[_i].words);
}

STX_TEST(refuses_other_medians)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GstElement) element = gst_parse_launch("rdp-columns median=4", &error);

  ck_assert_msg(error != NULL, "median=4 was taken");
  ck_assert_msg(strstr(error->message, "median") != NULL, "%s", error->message);
}
