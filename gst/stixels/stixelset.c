/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/stixelset.h"

#include "common/lookup/lookup.h"
#include "gst/stixels/frame_private.h"
#include "gst/stixels/mediatypes.h"
#include "gst/stixels/meta_private.h"
#include "gst/stixels/stixelmeta.h"

struct _GstStxStixels {
  GstStxRecords records;
  GstStxFrame frame;
};

G_DEFINE_BOXED_TYPE(GstStxStixels, gst_stx_stixels, gst_stx_stixels_ref, gst_stx_stixels_unref)

static GstStxStixels *new_of(GstBuffer *records, const GstStxFrame *frame, GError **error)
{
  g_autoptr(GstStxStixels) self = g_atomic_rc_box_new0(GstStxStixels);

  self->frame = *frame;
  return gst_stx_records_open(&self->records, records, sizeof(StxStixel), "stixels", error)
             ? g_steal_pointer(&self)
             : NULL;
}

GstStxStixels *gst_stx_stixels_new(GstBuffer *records, const GstStxStixelInfo *info, GError **error)
{
  GstStxFrame frame;

  g_return_val_if_fail(GST_IS_BUFFER(records) && info != NULL, NULL);

  gst_stx_frame_is_image(&frame, info);
  return new_of(records, &frame, error);
}

static GstStxStixels *new_of_meta(GstBuffer *buffer, const GstCaps *caps, GError **error)
{
  GstStxStixelMeta *meta = gst_buffer_get_stx_stixel_meta(buffer);
  GstStxFrame frame;

  if (meta == NULL) {
    gst_stx_fail(error, "the frame carries no stixels: stixel-overlay attaches them, and elements "
                        "that change a frame without saying how take them away");
    return NULL;
  }
  frame.info = meta->info;
  if (!gst_stx_placement_in_frame(
          &meta->info, gst_stx_placement_of(meta), buffer, caps, &frame.placement, error))
    return NULL;
  return new_of(meta->stixels, &frame, error);
}

GstStxStixels *gst_stx_stixels_new_from_buffer(
    GstBuffer *buffer, const GstCaps *caps, GError **error)
{
  GstStxStixelInfo info;

  g_return_val_if_fail(GST_IS_BUFFER(buffer), NULL);

  if (!gst_stx_caps_are(caps, GST_STX_STIXELS_MEDIA_TYPE))
    return new_of_meta(buffer, caps, error);
  if (!gst_stx_stixel_info_from_caps(&info, caps, error))
    return NULL;
  return gst_stx_stixels_new(buffer, &info, error);
}

GstStxStixels *gst_stx_stixels_new_from_sample(GstSample *sample, GError **error)
{
  g_return_val_if_fail(GST_IS_SAMPLE(sample), NULL);

  if (gst_sample_get_buffer(sample) == NULL) {
    gst_stx_fail(error, "the sample has no buffer");
    return NULL;
  }
  return gst_stx_stixels_new_from_buffer(
      gst_sample_get_buffer(sample), gst_sample_get_caps(sample), error);
}

GstStxStixels *gst_stx_stixels_ref(GstStxStixels *self)
{
  g_return_val_if_fail(self != NULL, NULL);

  return g_atomic_rc_box_acquire(self);
}

static void clear(gpointer self)
{
  gst_stx_records_clear(&((GstStxStixels *)self)->records);
}

void gst_stx_stixels_unref(GstStxStixels *self)
{
  g_return_if_fail(self != NULL);

  g_atomic_rc_box_release_full(self, clear);
}

/* ---- Reading ------------------------------------------------------------------------------- */

const GstStxStixelInfo *gst_stx_stixels_get_info(const GstStxStixels *self)
{
  g_return_val_if_fail(self != NULL, NULL);

  return &self->frame.info;
}

GstBuffer *gst_stx_stixels_get_buffer(const GstStxStixels *self)
{
  g_return_val_if_fail(self != NULL, NULL);

  return self->records.buffer;
}

guint gst_stx_stixels_get_count(const GstStxStixels *self)
{
  g_return_val_if_fail(self != NULL, 0);

  return self->records.count;
}

const StxStixel *gst_stx_stixels_get_records(const GstStxStixels *self)
{
  g_return_val_if_fail(self != NULL, NULL);

  return (const StxStixel *)self->records.map.data;
}

gboolean gst_stx_stixels_get_stixel(const GstStxStixels *self, guint index, StxStixel *stixel)
{
  g_return_val_if_fail(self != NULL && stixel != NULL, FALSE);

  return gst_stx_records_get(&self->records, index, stixel, sizeof *stixel);
}

gboolean gst_stx_stixels_get_metres(const GstStxStixels *self, guint index, StxMetres *metres)
{
  StxStixel stixel;

  g_return_val_if_fail(self != NULL && metres != NULL, FALSE);

  gst_stx_stixels_get_stixel(self, index, &stixel);
  return gst_stx_stixel_info_get_metres(&self->frame.info, &stixel, metres);
}

/* ---- The frame ----------------------------------------------------------------------------- */

static StxCut cut_of(const GstStxStixels *self)
{
  const GstStxStixelInfo *info = &self->frame.info;

  return (StxCut){(gint)info->width, (gint)info->height, (gint)info->stixel_width};
}

gboolean gst_stx_stixels_get_rectangle(
    const GstStxStixels *self, guint index, gdouble *x, gdouble *y, gdouble *width, gdouble *height)
{
  StxRectangle area = {0};
  StxStixel stixel;
  StxCut cut;

  g_return_val_if_fail(self != NULL, FALSE);
  g_return_val_if_fail(x != NULL && y != NULL && width != NULL && height != NULL, FALSE);

  cut = cut_of(self);
  if (gst_stx_stixels_get_stixel(self, index, &stixel))
    area = stx_stixel_area(&cut, &stixel);
  return gst_stx_frame_rectangle(&self->frame, &area, x, y, width, height);
}

gint gst_stx_stixels_find_at(const GstStxStixels *self, gdouble x, gdouble y)
{
  gdouble u, v;
  StxCut cut;
  gsize index;

  g_return_val_if_fail(self != NULL, -1);

  cut = cut_of(self);
  if (!gst_stx_frame_back(&self->frame, x, y, &u, &v) ||
      !stx_stixel_at(&cut, gst_stx_stixels_get_records(self), self->records.count, u, v, &index))
    return -1;
  return (gint)index;
}

gint gst_stx_stixels_find_nearest(const GstStxStixels *self, guint column)
{
  gsize index;

  g_return_val_if_fail(self != NULL, -1);

  if (column > G_MAXUINT16 || !stx_stixel_nearest(gst_stx_stixels_get_records(self),
                                  self->records.count, (gint)column, &index))
    return -1;
  return (gint)index;
}

void gst_stx_stixels_get_position(
    const GstStxStixels *self, gdouble u, gdouble v, gdouble *x, gdouble *y)
{
  g_return_if_fail(self != NULL && x != NULL && y != NULL);

  stx_placement_point(&self->frame.placement, u, v, x, y);
}

gboolean gst_stx_stixels_get_camera(const GstStxStixels *self, StxCamera *camera)
{
  g_return_val_if_fail(self != NULL && camera != NULL, FALSE);

  return gst_stx_frame_camera(&self->frame, camera);
}
