/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/cameras/stand_ins.h"

#include <gst/base/gstbasesink.h>

#include "tests/cameras/camera.h"
#include "tests/cameras/vendors.h"

#define ANY_SIZE "width=[256,8192],height=[16,8192],framerate=[1/1,120/1]"

/* ---- v4l2src ------------------------------------------------------------------------------- */

typedef struct {
  Camera parent;
  gchar *device;
} V4l2;

typedef struct {
  CameraClass parent_class;
} V4l2Class;

static GType v4l2_get_type(void);
G_DEFINE_TYPE(V4l2, v4l2, TYPE_CAMERA)

static GstStaticPadTemplate v4l2_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS("video/x-raw,format={YUY2,NV12,GRAY8}," ANY_SIZE ";image/jpeg," ANY_SIZE));

static CameraView choose_v4l2(Camera *self, int width, int height)
{
  const gchar *device = ((V4l2 *)self)->device;

  if (width >= 2 * height)
    return CAMERA_SIDE_BY_SIDE;
  return g_strcmp0(device, "/dev/video2") == 0 ? CAMERA_RIGHT : CAMERA_LEFT;
}

static void set_device(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  V4l2 *self = (V4l2 *)object;

  g_free(self->device);
  self->device = g_value_dup_string(value);
}

static void v4l2_finalize(GObject *object)
{
  g_free(((V4l2 *)object)->device);
  G_OBJECT_CLASS(v4l2_parent_class)->finalize(object);
}

static void v4l2_init(V4l2 *self)
{
}

static void v4l2_class_init(V4l2Class *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS(class);

  object_class->set_property = set_device;
  object_class->finalize = v4l2_finalize;
  g_object_class_install_property(object_class, 1,
      g_param_spec_string("device", "", "", NULL, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  gst_element_class_add_static_pad_template(GST_ELEMENT_CLASS(class), &v4l2_template);
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(class), "Stand-in", "Source/Video", "A camera", "gst-stixels");
  ((CameraClass *)class)->choose = choose_v4l2;
}

/* ---- autovideosink ------------------------------------------------------------------------- */

typedef struct {
  GstBaseSink parent;
} Window;

typedef struct {
  GstBaseSinkClass parent_class;
} WindowClass;

static GType window_get_type(void);
G_DEFINE_TYPE(Window, window, GST_TYPE_BASE_SINK)

/* Formats of windows of X. */
static GstStaticPadTemplate window_template = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK,
    GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE("{BGRx,BGRA,RGBx,RGB16}")));

static void window_init(Window *self)
{
}

static void window_class_init(WindowClass *class)
{
  gst_element_class_add_static_pad_template(GST_ELEMENT_CLASS(class), &window_template);
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(class), "Stand-in", "Sink/Video", "No window", "gst-stixels");
}

/* ---- All ----------------------------------------------------------------------------------- */

void stand_ins_register(void)
{
  g_assert(gst_element_register(NULL, "v4l2src", GST_RANK_NONE, v4l2_get_type()));
  g_assert(gst_element_register(NULL, "autovideosink", GST_RANK_NONE, window_get_type()));
  stand_ins_register_vendors();
}
