/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/columns/columns.h"

#include <string.h>

#define STEPS "disparity-steps"

typedef struct {
  const char *name;
  int *value;
} Field;

static const GstStructure *structure_named(const GstCaps *caps, const char *name, StxError *error)
{
  gboolean named = !gst_caps_is_empty(caps) && !gst_caps_is_any(caps);
  const GstStructure *structure = named ? gst_caps_get_structure(caps, 0) : NULL;

  if (named && gst_structure_has_name(structure, name))
    return structure;
  stx_fail(error, "expected %s, not %s", name,
      named ? gst_structure_get_name(structure) : "caps without a media type");
  return NULL;
}

static gboolean check_count(const char *name, int stated, int expected, StxError *error)
{
  return stated == expected ||
         stx_fail(error, "caps say %s=%d, but their sizes make %d", name, stated, expected);
}

GstCaps *gst_stx_columns_caps_new(
    const StxGrid *grid, const StxCamera *camera, const GstCaps *timing)
{
  GstCaps *caps;
  gint numerator = 0, denominator = 1;

  if (timing != NULL)
    gst_structure_get_fraction(
        gst_caps_get_structure(timing, 0), "framerate", &numerator, &denominator);
  caps = gst_caps_new_simple(GST_STX_COLUMNS_MEDIA_TYPE, "width", G_TYPE_INT, grid->width, "height",
      G_TYPE_INT, grid->height, "stixel-width", G_TYPE_INT, grid->cell_width, "stixel-height",
      G_TYPE_INT, grid->cell_height, "columns", G_TYPE_INT, stx_grid_columns(grid), "rows",
      G_TYPE_INT, stx_grid_rows(grid), "classes", G_TYPE_INT, grid->classes, "framerate",
      GST_TYPE_FRACTION, numerator, denominator, NULL);
  gst_stx_camera_to_structure(camera, gst_caps_get_structure(caps, 0));
  if (grid->coarse > 0)
    gst_caps_set_simple(caps, STEPS, G_TYPE_INT, stx_grid_steps(grid), NULL);
  return caps;
}

gboolean gst_stx_columns_caps_parse(const GstCaps *caps, StxGrid *grid, StxError *error)
{
  const GstStructure *structure = structure_named(caps, GST_STX_COLUMNS_MEDIA_TYPE, error);
  StxGrid read = {0};
  int columns, rows, steps;
  const Field fields[] = {
      {"width", &read.width},
      {"height", &read.height},
      {"stixel-width", &read.cell_width},
      {"stixel-height", &read.cell_height},
      {"classes", &read.classes},
      {"columns", &columns},
      {"rows", &rows},
  };

  if (structure == NULL)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(fields); i++)
    if (!gst_structure_get_int(structure, fields[i].name, fields[i].value))
      return stx_fail(error, "caps %s lack the integer field '%s'",
          gst_structure_get_name(structure), fields[i].name);
  if (gst_structure_get_int(structure, STEPS, &steps) && !stx_grid_set_steps(&read, steps, error))
    return FALSE; /* caps without the field are of 256 */
  if (!stx_grid_check(&read, error))
    return FALSE;
  if (!check_count("columns", columns, stx_grid_columns(&read), error) ||
      !check_count("rows", rows, stx_grid_rows(&read), error))
    return FALSE;
  *grid = read;
  return TRUE;
}

/* The library reads them; elements post its text. */
static gboolean read_info(const GstCaps *caps, GstStxStixelInfo *info, StxError *error)
{
  g_autoptr(GError) reason = NULL;

  if (gst_stx_stixel_info_from_caps(info, caps, &reason))
    return TRUE;
  stx_fail(error, "%s", reason->message);
  return FALSE;
}

gboolean gst_stx_stixels_caps_parse(const GstCaps *caps, GstStxStixelInfo *info, StxError *error)
{
  return structure_named(caps, GST_STX_STIXELS_MEDIA_TYPE, error) != NULL &&
         read_info(caps, info, error);
}

gboolean gst_stx_obstacles_caps_parse(const GstCaps *caps, GstStxStixelInfo *info, StxError *error)
{
  return structure_named(caps, GST_STX_OBSTACLES_MEDIA_TYPE, error) != NULL &&
         read_info(caps, info, error);
}

static gboolean is_shared(const char *name)
{
  static const char *const shared[] = {"width", "height", "stixel-width", "columns", "framerate"};

  if (g_str_has_prefix(name, "camera-"))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS(shared); i++)
    if (strcmp(name, shared[i]) == 0)
      return TRUE;
  return FALSE;
}

void gst_stx_columns_keep(GstStructure *structure, gboolean (*keeps)(const char *name))
{
  for (gint i = gst_structure_n_fields(structure) - 1; i >= 0; i--) {
    const char *name = gst_structure_nth_field_name(structure, (guint)i);

    if (!keeps(name))
      gst_structure_remove_field(structure, name);
  }
}

GstStructure *gst_stx_columns_rename(const GstStructure *from, const char *name)
{
  GstStructure *to = gst_structure_copy(from);

  gst_stx_columns_keep(to, is_shared);
  gst_structure_set_name(to, name);
  return to;
}
