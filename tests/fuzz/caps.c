/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Caps, as gst/formats/ and gst/stereo/sgmviews.h read them: two of them, written as text, each
 * read as every kind that the plugin knows, then together, as the caps of two pads. What is
 * accepted is within its limits, and comes out of what is written of it.
 */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "gst/core/camera.h"
#include "gst/columns/cellcaps.h"
#include "gst/columns/columns.h"
#include "gst/stereo/sgmviews.h"
#include "tests/fuzz/gst_input.h"

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  gst_init(NULL, NULL);
  stx_fuzz_watch_glib();
  return 0;
}

/* ---- One caps ------------------------------------------------------------------------------ */

static StxCamera check_camera(const GstCaps *caps)
{
  StxCamera camera;
  StxError error;

  gst_stx_camera_from_caps(caps, &camera);
  stx_fuzz_expect(stx_fields_check(&stx_camera_fields, &camera, &error),
      "a camera out of range: %s", error.text);
  return camera;
}

static void check_columns(const GstCaps *caps, const StxCamera *camera)
{
  StxGrid grid, again;
  StxCamera found;
  StxError error = {""};
  g_autoptr(GstCaps) written = NULL;

  if (!gst_stx_columns_caps_parse(caps, &grid, &error)) {
    stx_fuzz_expect_text(error.text);
    return;
  }
  stx_fuzz_expect(stx_grid_check(&grid, &error), "columns: %s", error.text);
  written = gst_stx_columns_caps_new(&grid, camera, caps);
  stx_fuzz_expect(gst_stx_columns_caps_parse(written, &again, &error) &&
                      memcmp(&grid, &again, sizeof grid) == 0,
      "columns written and read: %s", error.text);
  found = check_camera(written);
  stx_fuzz_expect(stx_camera_is_same(&found, camera), "another camera");
}

static void check_stixels(const GstCaps *caps)
{
  GstStxStixelInfo info;
  StxError error = {""};

  if (gst_stx_stixels_caps_parse(caps, &info, &error))
    stx_fuzz_expect(info.width >= 1 && info.width <= STX_GRID_MAX_SIDE && info.height >= 1 &&
                        info.height <= STX_GRID_MAX_SIDE && info.stixel_width >= 1 &&
                        info.columns == (info.width - 1) / info.stixel_width + 1,
        "stixels out of range");
  else
    stx_fuzz_expect_text(error.text);
}

static void check_names(const GstCaps *caps)
{
  for (guint i = 0; i < gst_caps_get_size(caps); i++)
    gst_structure_free(gst_stx_columns_rename(
        gst_caps_get_structure(caps, i), i % 2 ? "application/x-stixels" : "application/x-a"));
}

/* ---- Two caps ------------------------------------------------------------------------------ */

/* The last byte that these strides lead to lies in the buffer. */
static void check_layout(
    const GstStxSemantics *semantics, const StxColmeanParams *params, const StxColmeanInput *layout)
{
  int shift = layout->score_shift;
  gsize last =
      (gsize)layout->pixel_stride * (gsize)(stx_score_side(params->grid.width, shift) - 1) +
      (gsize)layout->row_stride * (gsize)(stx_score_side(params->grid.height, shift) - 1) +
      (gsize)layout->class_stride * (gsize)(params->grid.classes - 1);
  gsize size = stx_colmean_score_size(semantics->kind);

  stx_fuzz_expect(params->grid.classes >= 1 && params->grid.classes <= STX_MAX_CLASSES,
      "%d classes", params->grid.classes);
  stx_fuzz_expect(last + size == gst_stx_semantics_score_bytes(semantics), "scores end elsewhere");
}

static void check_cells(const GstCaps *first, const GstCaps *second)
{
  GstStxCellCaps cells = {0};
  StxColmeanParams params = STX_COLMEAN_DEFAULTS;
  StxColmeanInput layout = {0};
  StxError error = {""};
  guint roles = 1u << GST_STX_CELL_DISPARITY;

  for (guint role = 0; role < GST_STX_CELL_ROLES; role++) {
    if (gst_stx_cell_caps_set(
            &cells, role, role == GST_STX_CELL_DISPARITY ? first : second, &error))
      roles |= 1u << role;
    else if (stx_fuzz_expect_text(error.text), role == GST_STX_CELL_DISPARITY)
      return;
  }
  if (!gst_stx_cell_caps_layout(&cells, roles, &params, &layout, &error)) {
    stx_fuzz_expect_text(error.text);
    return;
  }
  if (roles & 1u << GST_STX_CELL_SEMANTICS && params.semantics != STX_SEMANTICS_LABELS)
    check_layout(&cells.semantics, &params, &layout);
  if (!stx_colmean_check(&params, &error))
    stx_fuzz_expect_text(error.text);
}

static void check_views(const GstCaps *first, const GstCaps *second, guint roles)
{
  GstStereoSgmViews views = {0};
  StxError error = {""};

  if (!gst_video_info_from_caps(&views.info[GST_STEREO_SGM_BOTH], first) ||
      !gst_video_info_from_caps(&views.info[GST_STEREO_SGM_RIGHT], second))
    return;
  views.info[GST_STEREO_SGM_LEFT] = views.info[GST_STEREO_SGM_BOTH];
  if (gst_stereo_sgm_views_plan(&views, roles, GST_STEREO_SGM_LAYOUT_AUTO, &error))
    stx_fuzz_expect(views.width >= 0 && views.width <= GST_VIDEO_INFO_WIDTH(&views.info[0]) &&
                        views.height >= 0 && views.height <= GST_VIDEO_INFO_HEIGHT(&views.info[0]),
        "%dx%d", views.width, views.height);
  else
    stx_fuzz_expect_text(error.text);
}

/* ---- The target ---------------------------------------------------------------------------- */

static void check_one(const GstCaps *caps)
{
  StxCamera camera = check_camera(caps);

  check_columns(caps, &camera);
  check_stixels(caps);
  check_names(caps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  StxFuzzInput input = {data, data + size};
  GstCaps *caps[2];

  for (guint i = 0; i < 2; i++)
    caps[i] = stx_fuzz_caps(&input);
  for (guint i = 0; i < 2; i++)
    if (caps[i] != NULL)
      check_one(caps[i]);
  if (caps[0] != NULL && caps[1] != NULL) {
    check_cells(caps[0], caps[1]);
    check_views(caps[0], caps[1], 1u << GST_STEREO_SGM_BOTH);
    check_views(caps[0], caps[1], 1u << GST_STEREO_SGM_LEFT | 1u << GST_STEREO_SGM_RIGHT);
  }
  for (guint i = 0; i < 2; i++)
    gst_clear_caps(&caps[i]);
  return 0;
}

bool stx_fuzz_seed(size_t number, StxBytes *seed)
{
  size_t count = 0;

  while (stx_fuzz_caps_texts[count] != NULL)
    count++;
  if (number >= count * count)
    return false;
  stx_fuzz_put_text(seed, stx_fuzz_caps_texts[number / count]);
  stx_fuzz_put_text(seed, stx_fuzz_caps_texts[number % count]);
  return true;
}

const StxFuzzTarget stx_fuzz_target = {stx_fuzz_caps_words, 30000};
