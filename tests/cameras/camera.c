/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/cameras/camera.h"

#include <string.h>

#include "tests/cameras/pictures.h"
#include "tests/gst/fixtures/util.h"

#define JITTER (10 * GST_MSECOND) /* how much later a frame comes, at most */
#define AGAIN 4
#define TREMBLE GST_MSECOND /* how far its time is off, at most */

static GstClockTime epoch; /* 0: that of the pipeline */

typedef struct {
  GstVideoInfo info; /* of JPEG, what is encoded */
  GstHarness *jpeg;  /* the encoder, or NULL */
  CameraView view;
  GstClockTime delay;
  guint64 next;
  GMutex lock;
  GCond wake;
  gboolean flushing;
} CameraPrivate;

G_DEFINE_TYPE_WITH_PRIVATE(Camera, camera, GST_TYPE_PUSH_SRC)
#define PRIVATE(self) ((CameraPrivate *)camera_get_instance_private(self))

/* ---- Caps ---------------------------------------------------------------------------------- */

/* Of one view. */
static void find_size(const CameraPrivate *priv, gint *width, gint *height)
{
  *width = priv->info.width / (priv->view == CAMERA_SIDE_BY_SIDE ? 2 : 1);
  *height = priv->info.height;
  if (priv->view == CAMERA_TOP_BOTTOM || priv->view == CAMERA_LEFT_DEPTH)
    *height /= 2;
  else if (priv->view == CAMERA_COLOUR_DEPTH)
    *height = *height * 3 / 5;
}

static gboolean set_caps(GstBaseSrc *base, GstCaps *caps)
{
  Camera *self = TEST_CAMERA(base);
  CameraPrivate *priv = PRIVATE(self);
  const GstStructure *fields = gst_caps_get_structure(caps, 0);
  gint width, height, fps_n, fps_d;
  GstCaps *raw;

  g_clear_pointer(&priv->jpeg, gst_harness_teardown);
  if (!gst_structure_has_name(fields, "image/jpeg")) {
    if (!gst_video_info_from_caps(&priv->info, caps))
      return FALSE;
  } else {
    gst_structure_get(fields, "width", G_TYPE_INT, &width, "height", G_TYPE_INT, &height,
        "framerate", GST_TYPE_FRACTION, &fps_n, &fps_d, NULL);
    gst_video_info_set_format(&priv->info, GST_VIDEO_FORMAT_I420, (guint)width, (guint)height);
    priv->info.fps_n = fps_n;
    priv->info.fps_d = fps_d;
    raw = gst_video_info_to_caps(&priv->info);
    priv->jpeg = gst_harness_new("jpegenc");
    gst_harness_set_src_caps(priv->jpeg, raw);
  }
  priv->view = TEST_CAMERA_GET_CLASS(self)->choose(self, priv->info.width, priv->info.height);
  find_size(priv, &width, &height);
  picture_truth(width, height, 0); /* draws all, which takes its time */
  return TRUE;
}

/* Cameras are asked for a size; what is left open is that of the first caps. */
static GstCaps *fixate(GstBaseSrc *base, GstCaps *caps)
{
  GstStructure *fields;

  caps = gst_caps_make_writable(gst_caps_truncate(caps));
  fields = gst_caps_get_structure(caps, 0);
  gst_structure_fixate_field_nearest_int(fields, "width", 640);
  gst_structure_fixate_field_nearest_int(fields, "height", 480);
  gst_structure_fixate_field_nearest_fraction(fields, "framerate", 30, 1);
  return GST_BASE_SRC_CLASS(camera_parent_class)->fixate(base, caps);
}

/* ---- Pictures ------------------------------------------------------------------------------ */

/* A view into the frame, with its upper left corner at (x0, y0): gray, in whatever format. */
static void put(
    GstVideoFrame *frame, int x0, int y0, int width, int height, gboolean right, guint64 number)
{
  g_autofree guint8 *luma = picture_new(width, height, right, number);

  for (int y = 0; y < height; y++)
    for (guint c = 0; c < MIN(GST_VIDEO_FRAME_N_COMPONENTS(frame), 3u); c++) {
      gint step = GST_VIDEO_FRAME_COMP_PSTRIDE(frame, c);
      guint8 *row = GST_VIDEO_FRAME_COMP_DATA(frame, c);

      if (c > 0 && !GST_VIDEO_INFO_IS_RGB(&frame->info))
        break;
      row += (y0 + y) * GST_VIDEO_FRAME_COMP_STRIDE(frame, c) + x0 * step;
      for (int x = 0; x < width; x++)
        row[x * step] = luma[y * width + x];
    }
}

/* Millimetres, 0: unknown. */
static guint depth(const StxCamera *camera, guint16 disparity)
{
  double millimetres = disparity ? 1000 * camera->focal * camera->baseline * 256 / disparity : 0;

  return millimetres < 65535 ? (guint)(millimetres + .5) : 0;
}

/* Pixels of `bytes` bytes each, from `data` on. */
static void put_depth(guint8 *data, int stride, int width, int height, int bytes, guint64 number)
{
  const guint16 *truth = picture_truth(width, height, number);
  StxCamera camera = picture_camera(width, height);

  for (int y = 0; y < height; y++, data += stride)
    for (int x = 0; x < width; x++)
      if (bytes == 2)
        GST_WRITE_UINT16_LE(data + 2 * x, depth(&camera, truth[y * width + x]));
      else
        GST_WRITE_UINT32_LE(data + 4 * x, depth(&camera, truth[y * width + x]));
}

static void show(const CameraPrivate *priv, GstVideoFrame *frame, guint64 number)
{
  guint8 *below = GST_VIDEO_FRAME_PLANE_DATA(frame, 0);
  gint width, height, stride = GST_VIDEO_FRAME_PLANE_STRIDE(frame, 0);

  find_size(priv, &width, &height);
  below += priv->view == CAMERA_DEPTH ? 0 : height * stride;
  if (priv->view != CAMERA_DEPTH)
    put(frame, 0, 0, width, height, priv->view == CAMERA_RIGHT, number);
  if (priv->view == CAMERA_SIDE_BY_SIDE)
    put(frame, width, 0, width, height, TRUE, number);
  else if (priv->view == CAMERA_TOP_BOTTOM)
    put(frame, 0, height, width, height, TRUE, number);
  else if (priv->view == CAMERA_LEFT_DEPTH)
    put_depth(below, stride, width, height, 4, number);
  else if (priv->view == CAMERA_DEPTH || priv->view == CAMERA_COLOUR_DEPTH)
    put_depth(below, 2 * width, width, height, 2, number);
}

static GstBuffer *new_frame(CameraPrivate *priv)
{
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, priv->info.size, NULL);
  GstVideoFrame frame;

  gst_buffer_memset(buffer, 0, 128, priv->info.size);
  ck_assert(gst_video_frame_map(&frame, &priv->info, buffer, GST_MAP_READWRITE));
  show(priv, &frame, priv->next);
  gst_video_frame_unmap(&frame);
  return priv->jpeg ? gst_harness_push_and_pull(priv->jpeg, buffer) : buffer;
}

/* ---- Time ---------------------------------------------------------------------------------- */

/* Like chance, but the same in every run. */
static guint noise(CameraView view, guint64 number)
{
  guint64 mixed = (number * 8 + view + 1) * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15);

  return (guint)(mixed >> 40);
}

gboolean camera_loses(CameraView view, guint64 number)
{
  return number == (view == CAMERA_RIGHT ? 5 : 9) || noise(view, number) % 100 == 0;
}

static GstClockTime duration_of(const CameraPrivate *priv, guint64 frames)
{
  return gst_util_uint64_scale(
      frames, (guint64)priv->info.fps_d * GST_SECOND, (guint64)priv->info.fps_n);
}

/* Running time at which a frame begins; 0 for those before the pipeline. */
static GstClockTime time_of(Camera *self, guint64 number)
{
  GstClockTime begin = gst_element_get_base_time(GST_ELEMENT(self));
  GstClockTime time = duration_of(PRIVATE(self), number) + (epoch == 0 ? begin : epoch);

  return time > begin ? time - begin : 0;
}

/* FALSE: the pipeline stops meanwhile. */
static gboolean sleep_until(Camera *self, GstClockTime running_time)
{
  CameraPrivate *priv = PRIVATE(self);
  g_autoptr(GstClock) clock = gst_element_get_clock(GST_ELEMENT(self));
  gboolean goes_on = TRUE;

  g_mutex_lock(&priv->lock);
  while (goes_on) {
    GstClockTime now = gst_clock_get_time(clock) - gst_element_get_base_time(GST_ELEMENT(self));

    goes_on = !priv->flushing;
    if (now >= running_time)
      break;
    if (goes_on)
      g_cond_wait_until(&priv->wake, &priv->lock,
          g_get_monotonic_time() + (gint64)((running_time - now) / 1000) + 1);
  }
  g_mutex_unlock(&priv->lock);
  return goes_on;
}

/* A camera goes on taking pictures while no element has time for them. All begin again with a
 * multiple of AGAIN: what comes from two cameras to a machine that is too slow are pairs, though
 * few. */
static void catch_up(Camera *self)
{
  CameraPrivate *priv = PRIVATE(self);
  g_autoptr(GstClock) clock = gst_element_get_clock(GST_ELEMENT(self));
  GstClockTime now = gst_clock_get_time(clock) - gst_element_get_base_time(GST_ELEMENT(self));
  gboolean skips = FALSE;

  now -= MIN(now, priv->delay);
  while (time_of(self, priv->next + 1) + JITTER < now || time_of(self, priv->next) == 0 ||
         (skips && priv->next % AGAIN != 0)) {
    priv->next++;
    skips = TRUE;
  }
  while (camera_loses(priv->view, priv->next))
    priv->next++;
}

static GstFlowReturn create(GstPushSrc *base, GstBuffer **buffer)
{
  Camera *self = TEST_CAMERA(base);
  CameraPrivate *priv = PRIVATE(self);
  GstClockTime begin, tremble;
  guint chance;

  catch_up(self);
  chance = noise(priv->view, priv->next);
  begin = time_of(self, priv->next);
  *buffer = new_frame(priv);
  if (!sleep_until(
          self, time_of(self, priv->next + 1) + priv->delay + chance % 1000 * (JITTER / 1000)))
    goto flushing;
  tremble = chance % 997 * (TREMBLE / 997);
  GST_BUFFER_PTS(*buffer) = begin + tremble;
  GST_BUFFER_DURATION(*buffer) = duration_of(priv, 1);
  GST_BUFFER_OFFSET(*buffer) = priv->next++;
  return GST_FLOW_OK;

flushing:
  gst_clear_buffer(buffer);
  return GST_FLOW_FLUSHING;
}

/* ---- Life ---------------------------------------------------------------------------------- */

static void set_flushing(Camera *self, gboolean flushing)
{
  CameraPrivate *priv = PRIVATE(self);

  g_mutex_lock(&priv->lock);
  priv->flushing = flushing;
  g_cond_broadcast(&priv->wake);
  g_mutex_unlock(&priv->lock);
}

static gboolean unlock(GstBaseSrc *base)
{
  set_flushing(TEST_CAMERA(base), TRUE);
  return TRUE;
}

static gboolean unlock_stop(GstBaseSrc *base)
{
  set_flushing(TEST_CAMERA(base), FALSE);
  return TRUE;
}

static gboolean start(GstBaseSrc *base)
{
  PRIVATE(TEST_CAMERA(base))->next = 0;
  return TRUE;
}

/* The latency that v4l2src reports: at least a frame, at most what its buffers hold. */
static gboolean query(GstBaseSrc *base, GstQuery *query)
{
  CameraPrivate *priv = PRIVATE(TEST_CAMERA(base));

  if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY)
    return GST_BASE_SRC_CLASS(camera_parent_class)->query(base, query);
  if (priv->info.fps_n == 0)
    return FALSE;
  gst_query_set_latency(
      query, TRUE, duration_of(priv, 1) + priv->delay, duration_of(priv, 4) + priv->delay);
  return TRUE;
}

static void finalize(GObject *object)
{
  CameraPrivate *priv = PRIVATE(TEST_CAMERA(object));

  g_clear_pointer(&priv->jpeg, gst_harness_teardown);
  g_mutex_clear(&priv->lock);
  g_cond_clear(&priv->wake);
  G_OBJECT_CLASS(camera_parent_class)->finalize(object);
}

void camera_set_delay(Camera *self, GstClockTime delay)
{
  PRIVATE(self)->delay = delay;
}

void camera_share_numbers(void)
{
  g_autoptr(GstClock) clock = gst_system_clock_obtain();

  epoch = gst_clock_get_time(clock);
}

static void camera_init(Camera *self)
{
  CameraPrivate *priv = PRIVATE(self);

  gst_video_info_init(&priv->info);
  priv->info.fps_n = 0;
  g_mutex_init(&priv->lock);
  g_cond_init(&priv->wake);
  gst_base_src_set_live(GST_BASE_SRC(self), TRUE);
  gst_base_src_set_format(GST_BASE_SRC(self), GST_FORMAT_TIME);
}

static void camera_class_init(CameraClass *class)
{
  GstBaseSrcClass *base = GST_BASE_SRC_CLASS(class);

  G_OBJECT_CLASS(class)->finalize = finalize;
  base->set_caps = set_caps;
  base->fixate = fixate;
  base->query = query;
  base->start = start;
  base->unlock = unlock;
  base->unlock_stop = unlock_stop;
  GST_PUSH_SRC_CLASS(class)->create = create;
}
