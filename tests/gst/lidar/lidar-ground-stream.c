/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lidar-ground in streams: refusals, files of labels. */
#include <string.h>

#include "tests/gst/fixtures/scan_fixture.h"

#define STREET "street-scene-src view=lidar num-buffers=3 "

static const StxGroundParams defaults = STX_GROUND_DEFAULTS;

/* ---- Refusals ------------------------------------------------------------------------------ */

static const struct {
  const char *line, *caps;
  gsize bytes;
  const char *words[4];
} refusals[] = {
    {"lidar-ground", "application/octet-stream", 16,
        {"application/x-lidar", "application/octet-stream", "put lidar-parse before lidar-ground"}},
    {"lidar-ground ! capsfilter caps=application/x-lidar",
        "video/x-raw,format=RGB,width=16,height=16", 768,
        {"application/x-lidar", "video/x-raw", "lidar-parse"}},
    {"lidar-ground", NULL, 16,
        {"application/x-lidar", "without caps", "put lidar-parse before lidar-ground"}},
    {"lidar-ground", SCAN_CAPS, 24, {"24 bytes", "16", "whole number"}},
    {"lidar-ground", SCAN_CAPS, 1, {"1 bytes", "16", "whole number"}},
    {"lidar-ground r-min=20 r-max=20", SCAN_CAPS, 16, {"r_max is 20", "r_min 20", "0.1"}},
    {"lidar-ground cluster-cell=0.01 r-max=100", SCAN_CAPS, 16,
        {"cluster_cell is 0.01", "0.0976562", "r_max"}},
};

STX_TEST_LOOP(refuses_with_a_reason, G_N_ELEMENTS(refusals))
{
  stx_test_refuses(refusals[_i].line, refusals[_i].caps, refusals[_i].bytes, refusals[_i].words);
}

/* The next element requires another frame rate: the element that cannot make it says so. */
static const char *const rates[] = {
    "street-scene-src view=lidar num-buffers=1 ! lidar-parse ! lidar-bev ! "
    "video/x-raw,framerate=7/1 ! fakesink",
    "street-scene-src view=lidar num-buffers=1 ! lidar-parse ! lidar-ground ! "
    "application/x-lidar,framerate=7/1 ! fakesink",
    "street-scene-src view=lidar num-buffers=1 ! lidar-parse ! stixel-obstacles ! "
    "application/x-obstacles,framerate=7/1 ! fakesink",
    "street-scene-src view=lidar num-buffers=1 ! lidar-parse ! "
    "application/x-lidar,framerate=7/1 ! fakesink",
};

STX_TEST_LOOP(another_rate_is_refused_by_name, G_N_ELEMENTS(rates))
{
  stx_test_breaks(rates[_i], "The next element takes", "(fraction)7/1", NULL);
}

/* ---- Files --------------------------------------------------------------------------------- */

static gchar *read_file(const gchar *format, guint index, gsize *size)
{
  g_autofree gchar *name = g_strdup_printf(format, index);
  gchar *bytes = NULL;

  ck_assert_msg(g_file_get_contents(name, &bytes, size, NULL), "no %s", name);
  return bytes;
}

/* Files of labels beside files of points: a word per point, in the same order. */
STX_TEST(writes_label_files)
{
  stx_test_folder();
  stx_test_runs(STREET "! tee name=scans ! queue ! multifilesink location=%06d.bin "
                       "scans. ! queue ! lidar-ground ! application/x-point-labels ! "
                       "multifilesink location=%06d.label");
  for (guint i = 0; i < 3; i++) {
    gsize size, label_size;
    g_autofree gchar *points = read_file("%06u.bin", i, &size);
    g_autofree gchar *labels = read_file("%06u.label", i, &label_size);
    g_autofree guint32 *expected =
        scan_reference(&defaults, (const gfloat *)(gpointer)points, size / 16, NULL);

    ck_assert_uint_gt(size, 16 * 10000);
    ck_assert_uint_eq(label_size, size / 4);
    ck_assert_int_eq(memcmp(labels, expected, label_size), 0);
  }
}
