/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/gst/lidar/dlstreamer_stub.h"

const GstMetaInfo *lidar_meta_get_info(void);

static gboolean begin(GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  StubLidarMeta *self = (StubLidarMeta *)meta;

  self->lidar_point_count = 0;
  self->frame_id = 0;
  self->exit_source_timestamp = GST_CLOCK_TIME_NONE;
  self->exit_g3dinference_timestamp = GST_CLOCK_TIME_NONE;
  self->stream_id = 0;
  return TRUE;
}

const GstMetaInfo *lidar_meta_get_info(void)
{
  static const gchar *tags[] = {"lidar", NULL};
  static gsize info = 0;

  if (g_once_init_enter(&info)) {
    GType api = gst_meta_api_type_register(STUB_API, tags);

    g_once_init_leave(
        &info, (gsize)gst_meta_register(api, STUB_NAME, sizeof(StubLidarMeta), begin, NULL, NULL));
  }
  return (const GstMetaInfo *)info;
}

#if HAVE_ANALYTICS
static gboolean keep(
    GstBuffer *to, GstAnalyticsMtd *mtd, GstBuffer *from, GQuark type, gpointer data)
{
  return TRUE;
}

static const GstAnalyticsMtdImpl box_impl = {"3d-object-detection", keep, NULL, {NULL}};

GstAnalyticsMtdType gst_analytics_3d_od_mtd_get_mtd_type(void)
{
  return (GstAnalyticsMtdType)&box_impl;
}

gboolean gst_analytics_relation_meta_add_3d_od_mtd(GstAnalyticsRelationMeta *relations, gfloat x,
    gfloat y, gfloat z, gfloat length, gfloat width, gfloat height, gfloat yaw, gfloat pitch,
    gfloat roll, gint type, gfloat confidence, guint modality, GstAnalyticsMtd *mtd)
{
  StubBox *box = gst_analytics_relation_meta_add_mtd(relations, &box_impl, sizeof *box, mtd);

  *box =
      (StubBox){{x, y, z}, {length, width, height}, {yaw, pitch, roll}, type, confidence, modality};
  return TRUE;
}
#endif
