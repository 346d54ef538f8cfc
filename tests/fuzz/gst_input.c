/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/gst_input.h"

#include <string.h>

static gboolean muted;

/* GStreamer's libraries warn of caps that they do not understand. */
static gboolean is_opinion(GLogLevelFlags level, const GLogField *fields, gsize count)
{
  for (gsize i = 0; i < count && level & G_LOG_LEVEL_WARNING; i++)
    if (strcmp(fields[i].key, "GLIB_DOMAIN") == 0)
      return strcmp(fields[i].value, "GStreamer-Video") == 0;
  return FALSE;
}

static GLogWriterOutput write_log(
    GLogLevelFlags level, const GLogField *fields, gsize count, gpointer data)
{
  const GLogLevelFlags bad = G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING;

  if (muted || is_opinion(level, fields, count))
    return G_LOG_WRITER_HANDLED;
  g_log_writer_standard_streams(level, fields, count, data);
  stx_fuzz_expect((level & bad) == 0, "a warning or a critical of GLib");
  return G_LOG_WRITER_HANDLED;
}

void stx_fuzz_watch_glib(void)
{
  g_log_set_writer_func(write_log, NULL, NULL);
}

GstCaps *stx_fuzz_caps(StxFuzzInput *input)
{
  char text[1024];
  GstCaps *caps;

  stx_fuzz_text(input, text, sizeof text);
  if (!g_utf8_validate(text, -1, NULL))
    return NULL;
  muted = TRUE;
  caps = gst_caps_from_string(text);
  if (caps != NULL && !gst_caps_is_any(caps) && !gst_caps_is_empty(caps))
    caps = gst_caps_fixate(caps);
  muted = FALSE;
  if (caps != NULL && !gst_caps_is_fixed(caps))
    gst_clear_caps(&caps);
  return caps;
}

#define CAMERA                                                                                     \
  ",camera-focal=(double)721.5,camera-cx=(double)609.5,camera-cy=(double)172.8,"                   \
  "camera-baseline=(double)0.54,camera-height=(double)1.65,camera-pitch=(double)-0.01"
#define COLUMNS(width, height, columns, rows, classes)                                             \
  "application/x-stixel-columns,width=" #width ",height=" #height                                  \
  ",stixel-width=8,stixel-height=8,columns=" #columns ",rows=" #rows ",classes=" #classes          \
  ",framerate=10/1"

const char *const stx_fuzz_caps_texts[] = {
    "video/x-raw,format=GRAY16_LE,width=16,height=12,framerate=10/1",
    "video/x-raw,format=GRAY8,width=16,height=12,framerate=0/1" CAMERA,
    "video/x-raw,format=GRAY8,width=16,height=12,framerate=30/1,multiview-mode=side-by-side,"
    "multiview-flags=0:ffffffff:right-view-first",
    "video/x-raw,format=I420,width=17,height=13,framerate=25/2,interlace-mode=interleaved",
    "video/x-raw,format=RGBA,width=16,height=12,framerate=10/1,multiview-mode=top-bottom",
    "video/x-raw,format=NV12,width=16,height=12,pixel-aspect-ratio=4/3,colorimetry=bt709",
    "video/x-raw(memory:CUDAMemory),format=GRAY8,width=16,height=12,framerate=10/1",
    "other/tensors,format=static,num_tensors=1,types=uint8,dimensions=(string)19:16:12:1",
    "other/tensors,format=static,num_tensors=1,types=float32,dimensions=(string)16:12:3:1",
    "other/tensors,format=static,num_tensors=1,types=float16,dimensions=(string)8:6:3:1",
    "other/tensors,format=static,num_tensors=1,types=float32,dimensions=(string)16:12:1:1",
    COLUMNS(16, 12, 2, 2, 0),
    COLUMNS(17, 12, 3, 2, 19) CAMERA,
    "application/x-stixels,width=16,height=12,stixel-width=8,columns=2,framerate=10/1" CAMERA,
    "application/x-lidar,framerate=10/1",
    "application/x-point-labels,framerate=10/1",
    "application/x-json",
    "video/x-raw,format=YUY2,width=38,height=17,framerate=30/1,multiview-mode=side-by-side",
    "video/x-raw(memory:CUDAMemory),format=NV12,width=17,height=34,multiview-mode=top-bottom",
    NULL,
};

const char *const stx_fuzz_caps_words[] = {"video/x-raw", "application/x-stixels",
    "application/x-stixel-columns", "application/x-lidar", "other/tensors",
    "application/x-point-labels", ",width=", ",height=", ",stixel-width=", ",stixel-height=",
    ",columns=", ",rows=", ",classes=", ",framerate=", ",format=", "GRAY8", "GRAY16_LE", "NV12",
    "YUY2", "RGB", ",types=", "uint8", "int8", "float32", ",dimensions=(string)",
    ",num_tensors=", ",camera-focal=(double)", ",camera-pitch=(double)", ",camera-cx=(double)",
    ",multiview-mode=", "side-by-side", "top-bottom", "(int)", "(double)", "(fraction)", "(string)",
    "0", "1", "8", "12", "16", "32768", "32769", "2147483647", "-1", "-2147483648", "1e308", "nan",
    "inf", "0/1", "1/0", "2147483647/1", "1/2147483647", "-10/1", ":", ",", ";", "[ 1, 2 ]",
    "(memory:CUDAMemory)", "(memory:SystemMemory)", "=", NULL};

/* ---- Cameras ------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  double usual;
} camera_fields[] = {{"camera-focal", 721.5}, {"camera-cx", 8}, {"camera-cy", 5},
    {"camera-baseline", 0.54}, {"camera-height", 1.65}, {"camera-pitch", 0.01}};

void stx_fuzz_add_camera(StxFuzzInput *input, GstCaps *caps)
{
  guint8 present = stx_fuzz_byte(input), own = present >> 6 == 3 ? stx_fuzz_byte(input) : 0;

  for (guint i = 0; i < G_N_ELEMENTS(camera_fields); i++)
    if (present & 1u << i)
      gst_caps_set_simple(caps, camera_fields[i].name, G_TYPE_DOUBLE,
          own & 1u << i ? stx_fuzz_double(input) : camera_fields[i].usual, NULL);
}

void stx_fuzz_put_camera(StxBytes *seed, StxFuzzCamera camera)
{
  const double tiny = 1e-310;

  if (camera != STX_FUZZ_LOW_CAMERA) {
    stx_fuzz_put_byte(seed, camera == STX_FUZZ_CAMERA ? 0x3F : 0);
    return;
  }
  stx_fuzz_put_byte(seed, 0xC0 | 1 | 1 << 3 | 1 << 4);
  stx_fuzz_put_byte(seed, 1 << 3 | 1 << 4);
  stx_bytes_put(seed, &tiny, sizeof tiny);
  stx_bytes_put(seed, &tiny, sizeof tiny);
}
