/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/stixelinfo.h"

#include "common/camera_fields.h"
#include "common/columns.h"
#include "gst/stixels/cameracaps.h"
#include "gst/stixels/mediatypes.h"
#include "gst/stixels/meta_private.h"

G_DEFINE_BOXED_TYPE(
    GstStxStixelInfo, gst_stx_stixel_info, gst_stx_stixel_info_copy, gst_stx_stixel_info_free)

GstStxStixelInfo *gst_stx_stixel_info_copy(const GstStxStixelInfo *info)
{
  g_return_val_if_fail(info != NULL, NULL);

  return g_memdup2(info, sizeof *info);
}

void gst_stx_stixel_info_free(GstStxStixelInfo *info)
{
  g_free(info);
}

gboolean gst_stx_stixel_info_get_metres(
    const GstStxStixelInfo *info, const StxStixel *stixel, StxMetres *metres)
{
  g_return_val_if_fail(info != NULL && stixel != NULL && metres != NULL, FALSE);

  return stx_metres(&info->camera, (gint)info->width, (gint)info->stixel_width, stixel, metres);
}

static const GstStructure *structure_of(const GstCaps *caps, StxError *error)
{
  gboolean named = !gst_caps_is_empty(caps) && !gst_caps_is_any(caps);
  const GstStructure *structure = named ? gst_caps_get_structure(caps, 0) : NULL;

  if (named && (gst_structure_has_name(structure, GST_STX_STIXELS_MEDIA_TYPE) ||
                   gst_structure_has_name(structure, GST_STX_OBSTACLES_MEDIA_TYPE)))
    return structure;
  stx_fail(error, "expected %s, not %s", GST_STX_STIXELS_MEDIA_TYPE,
      named ? gst_structure_get_name(structure) : "caps without a media type");
  return NULL;
}

static gboolean read_field(
    const GstStructure *structure, const gchar *field, gint *value, StxError *error)
{
  return gst_structure_get_int(structure, field, value) ||
         stx_fail(error, "caps %s lack the integer field '%s'", gst_structure_get_name(structure),
             field);
}

/* Sizes, and the columns that they make. */
static gboolean read_grid(const GstStructure *structure, StxGrid *grid, StxError *error)
{
  gint columns;

  *grid = (StxGrid){.cell_height = 1};
  if (!read_field(structure, "width", &grid->width, error) ||
      !read_field(structure, "height", &grid->height, error) ||
      !read_field(structure, "stixel-width", &grid->cell_width, error) ||
      !read_field(structure, "columns", &columns, error) || !stx_grid_check(grid, error))
    return FALSE;
  return columns == stx_grid_columns(grid) ||
         stx_fail(error, "caps say columns=%d, but their sizes make %d", columns,
             stx_grid_columns(grid));
}

static gboolean read_info(const GstCaps *caps, GstStxStixelInfo *info, StxError *error)
{
  const GstStructure *structure = structure_of(caps, error);
  StxCamera camera;
  StxGrid grid;

  if (structure == NULL)
    return FALSE;
  if (gst_structure_has_name(structure, GST_STX_OBSTACLES_MEDIA_TYPE) &&
      !gst_structure_has_field(structure, "width")) {
    *info = (GstStxStixelInfo){0};
    return TRUE;
  }
  if (!read_grid(structure, &grid, error))
    return FALSE;
  gst_stx_camera_from_caps(caps, &camera);
  if (!stx_camera_of_data(&camera, grid.width, grid.height, error))
    return FALSE;
  *info =
      (GstStxStixelInfo){grid.width, grid.height, grid.cell_width, stx_grid_columns(&grid), camera};
  return TRUE;
}

gboolean gst_stx_stixel_info_from_caps(GstStxStixelInfo *info, const GstCaps *caps, GError **error)
{
  StxError text;

  g_return_val_if_fail(info != NULL && GST_IS_CAPS(caps), FALSE);

  return read_info(caps, info, &text) || gst_stx_fail(error, "%s", text.text);
}

GstCaps *gst_stx_stixel_info_to_caps(
    const GstStxStixelInfo *info, gint framerate_numerator, gint framerate_denominator)
{
  GstCaps *caps;

  g_return_val_if_fail(info != NULL && framerate_denominator > 0, NULL);

  caps = gst_caps_new_simple(GST_STX_STIXELS_MEDIA_TYPE, "width", G_TYPE_INT, (gint)info->width,
      "height", G_TYPE_INT, (gint)info->height, "stixel-width", G_TYPE_INT,
      (gint)info->stixel_width, "columns", G_TYPE_INT, (gint)info->columns, "framerate",
      GST_TYPE_FRACTION, framerate_numerator, framerate_denominator, NULL);
  gst_stx_camera_to_structure(&info->camera, gst_caps_get_structure(caps, 0));
  return caps;
}
