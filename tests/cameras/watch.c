/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/cameras/watch.h"

#include <math.h>

#include "gst/stixels/stixels.h"
#include "tests/cameras/pictures.h"

#define FARTHEST 40. /* metres; beyond, a pixel of disparity is too many of them */
#define SIDES 2      /* left and right */
#define SAME 1000    /* ns: less than that apart is one time */

/* A picture that came to stereo-sgm. */
typedef struct {
  GstClockTime time; /* running time */
  gint number;
} Seen;

struct Watch {
  GMutex lock;
  WatchCounts counts;
  GArray *seen[SIDES];
  GArray *pairs;           /* likewise; number -1: a wrong one */
  GArray *offs;            /* double */
  GHashTable *disparities; /* number → a hash of the bytes */
};

/* ---- What comes to the matcher ------------------------------------------------------------- */

static GstClockTime running_time(GstPad *pad, GstBuffer *buffer)
{
  g_autoptr(GstEvent) event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  GstClockTime time;

  if (event == NULL)
    return GST_CLOCK_TIME_NONE;
  gst_event_parse_segment(event, &segment);
  time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  return time;
}

static gboolean map_frame(GstPad *pad, GstBuffer *buffer, GstVideoFrame *frame)
{
  GstCaps *caps = gst_pad_get_current_caps(pad);
  GstVideoInfo info;
  gboolean mapped = caps != NULL && gst_video_info_from_caps(&info, caps) &&
                    gst_video_frame_map(frame, &info, buffer, GST_MAP_READ);

  gst_clear_caps(&caps);
  return mapped;
}

static void see(Watch *watch, guint side, GstClockTime time, gint number)
{
  Seen seen = {time, number};

  g_mutex_lock(&watch->lock);
  g_array_append_val(watch->seen[side], seen);
  g_mutex_unlock(&watch->lock);
}

/* A frame that holds both views. */
static void see_both(Watch *watch, const GstVideoFrame *frame, GstClockTime time)
{
  int width = GST_VIDEO_FRAME_WIDTH(frame), height = GST_VIDEO_FRAME_HEIGHT(frame);
  gboolean wide = width >= 2 * height;

  see(watch, 0, time, picture_number(frame, 0, 0));
  see(watch, 1, time, picture_number(frame, wide ? width / 2 : 0, wide ? 0 : height / 2));
}

static GstPadProbeReturn look_at_picture(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstClockTime time = running_time(pad, buffer);
  GstVideoFrame frame;

  if (!map_frame(pad, buffer, &frame))
    return GST_PAD_PROBE_OK;
  if (g_str_equal(GST_PAD_NAME(pad), "sink"))
    see_both(data, &frame, time);
  else
    see(data, g_str_equal(GST_PAD_NAME(pad), "sink_right"), time, picture_number(&frame, 0, 0));
  gst_video_frame_unmap(&frame);
  return GST_PAD_PROBE_OK;
}

/* ---- Disparities --------------------------------------------------------------------------- */

/* The number that all pictures of a side have that lie less than `reach` from that time; -1 if one
 * of them has none, or another: times begin anew when a camera in the network has told its own. */
static gint number_at(const GArray *seen, GstClockTime time, GstClockTime reach)
{
  gint number = -1;

  for (guint i = 0; i < seen->len; i++) {
    const Seen *one = &g_array_index(seen, Seen, i);

    if (ABS(GST_CLOCK_DIFF(one->time, time)) >= (GstClockTimeDiff)reach)
      continue;
    if (one->number < 0 || (number >= 0 && one->number != number))
      return -1;
    number = one->number;
  }
  return number;
}

/* By the caps; a thirtieth of a second where they do not say it. */
static GstClockTime frame_time(GstPad *pad)
{
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  gint fps_n = 0, fps_d = 1;

  gst_structure_get_fraction(gst_caps_get_structure(caps, 0), "framerate", &fps_n, &fps_d);
  return fps_n > 0 ? (GstClockTime)fps_d * GST_SECOND / (GstClockTime)fps_n : GST_SECOND / 30;
}

/* The number of both pictures; -1: they have not the same one. */
static gint judge_pair(Watch *watch, GstClockTime time, GstClockTime frame)
{
  gint left = number_at(watch->seen[0], time, SAME);
  gint right = number_at(watch->seen[1], time, frame / 2);
  Seen pair = {time, left == right ? left : -1};

  g_array_append_val(watch->pairs, pair);
  if (pair.number >= 0) {
    watch->counts.pairs++;
    watch->counts.in_a_row++;
  } else {
    watch->counts.wrong_pairs++;
    watch->counts.in_a_row = 0;
  }
  return pair.number;
}

static GstPadProbeReturn look_at_disparity(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstClockTime time = running_time(pad, buffer);
  Watch *watch = data;
  g_autoptr(GBytes) bytes = NULL;
  GstMapInfo map;
  gint number;

  if (!gst_buffer_map(buffer, &map, GST_MAP_READ))
    return GST_PAD_PROBE_OK;
  bytes = g_bytes_new_static(map.data, map.size);
  g_mutex_lock(&watch->lock);
  number = judge_pair(watch, time, frame_time(pad));
  if (number >= 0)
    g_hash_table_insert(
        watch->disparities, GINT_TO_POINTER(number), GUINT_TO_POINTER(g_bytes_hash(bytes)));
  g_mutex_unlock(&watch->lock);
  gst_buffer_unmap(buffer, &map);
  return GST_PAD_PROBE_OK;
}

void watch_compare(Watch *one, Watch *other, guint *common, guint *differ)
{
  GHashTableIter iter;
  gpointer number, hash, other_hash;

  *common = *differ = 0;
  g_hash_table_iter_init(&iter, one->disparities);
  while (g_hash_table_iter_next(&iter, &number, &hash))
    if (g_hash_table_lookup_extended(other->disparities, number, NULL, &other_hash)) {
      ++*common;
      *differ += hash != other_hash;
    }
}

/* ---- Stixels ------------------------------------------------------------------------------- */

/* Caps of stixels, as far as they are needed here. */
typedef struct {
  gint width, height, stixel_width;
  double focal, baseline;
  GstClockTime frame;
} Image;

static gboolean parse_caps(GstPad *pad, Image *image)
{
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  const GstStructure *fields = gst_caps_get_structure(caps, 0);
  gboolean known = gst_structure_get(fields, "width", G_TYPE_INT, &image->width, "height",
      G_TYPE_INT, &image->height, "stixel-width", G_TYPE_INT, &image->stixel_width, "camera-focal",
      G_TYPE_DOUBLE, &image->focal, "camera-baseline", G_TYPE_DOUBLE, &image->baseline, NULL);

  image->frame = frame_time(pad);
  return known;
}

static void compare(Watch *watch, const Image *image, const StxStixel *stixel, gint number)
{
  const guint16 *truth = picture_truth(image->width, image->height, (guint64)number);
  StxCamera camera = picture_camera(image->width, image->height);
  int x = stixel->column * image->stixel_width + image->stixel_width / 2;
  int y = (stixel->top + stixel->bottom) / 2;
  guint16 disparity = x < image->width ? truth[y * image->width + x] : 0;
  double real = camera.focal * camera.baseline * 256 / disparity;
  double measured =
      image->focal * image->baseline * 2 / (stixel->disparity_top + stixel->disparity_bottom);
  double off = fabs(measured / real - 1);

  if (stixel->kind == STX_KIND_OBJECT && disparity > 0 && real < FARTHEST)
    g_array_append_val(watch->offs, off);
}

/* Of what may be compared, else -1. Without a matcher the picture is not checked: then its time is
 * its number. */
static gint number_of(const Watch *watch, const Image *image, GstClockTime time)
{
  if (watch->seen[0]->len > 0)
    return number_at(watch->pairs, time, SAME);
  return (gint)((time + image->frame / 4) / image->frame);
}

static GstPadProbeReturn look_at_stixels(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  Watch *watch = data;
  GstMapInfo map;
  Image image = {0};
  gboolean metric = parse_caps(pad, &image);
  gint number;

  g_mutex_lock(&watch->lock);
  watch->counts.sets++;
  number = number_of(watch, &image, running_time(pad, buffer));
  if (number >= 0 && metric && gst_buffer_map(buffer, &map, GST_MAP_READ)) {
    const StxStixel *stixels = (const StxStixel *)(gconstpointer)map.data;

    for (gsize i = 0; i < map.size / sizeof *stixels; i++)
      compare(watch, &image, &stixels[i], number);
    gst_buffer_unmap(buffer, &map);
  }
  g_mutex_unlock(&watch->lock);
  return GST_PAD_PROBE_OK;
}

/* ---- Sinks --------------------------------------------------------------------------------- */

static GstPadProbeReturn look_at_sink(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Watch *watch = data;

  g_mutex_lock(&watch->lock);
  watch->counts.frames++;
  watch->counts.pictures += gst_buffer_get_stx_stixel_meta(GST_PAD_PROBE_INFO_BUFFER(info)) != NULL;
  g_mutex_unlock(&watch->lock);
  return GST_PAD_PROBE_OK;
}

/* ---- Elements ------------------------------------------------------------------------------ */

typedef struct {
  Watch *watch;
  GstPadProbeCallback look;
} Place;

static gboolean place_on(GstElement *element, GstPad *pad, gpointer data)
{
  Place *place = data;

  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, place->look, place->watch, NULL);
  return TRUE;
}

/* In a bin the matcher gets its pads when the bin starts. */
static void on_pad(GstElement *matcher, GstPad *pad, gpointer data)
{
  if (GST_PAD_IS_SINK(pad))
    place_on(matcher, pad, &(Place){data, look_at_picture});
}

static const gchar *kind_of(GstElement *element)
{
  GstElementFactory *factory = element != NULL ? gst_element_get_factory(element) : NULL;

  return factory != NULL ? GST_OBJECT_NAME(factory) : "";
}

static void look_at_element(Watch *watch, GstElement *element)
{
  const gchar *name = kind_of(element);

  if (g_str_equal(name, "stereo-sgm")) {
    gst_element_foreach_src_pad(element, place_on, &(Place){watch, look_at_disparity});
    gst_element_foreach_sink_pad(element, place_on, &(Place){watch, look_at_picture});
    g_signal_connect(element, "pad-added", G_CALLBACK(on_pad), watch);
  } else if (g_str_equal(name, "sat-dp-stixels") || g_str_equal(name, "rdp-columns")) {
    gst_element_foreach_src_pad(element, place_on, &(Place){watch, look_at_stixels});
  } else if (GST_OBJECT_FLAG_IS_SET(element, GST_ELEMENT_FLAG_SINK) && !GST_IS_BIN(element)) {
    gst_element_foreach_sink_pad(element, place_on, &(Place){watch, look_at_sink});
  }
}

static void on_added(GstBin *bin, GstBin *inner, GstElement *element, gpointer data)
{
  look_at_element(data, element);
}

static void on_found(const GValue *item, gpointer data)
{
  look_at_element(data, g_value_get_object(item));
}

Watch *watch_new(GstElement *pipeline)
{
  Watch *watch = g_new0(Watch, 1);
  g_autoptr(GstIterator) elements = gst_bin_iterate_recurse(GST_BIN(pipeline));

  g_mutex_init(&watch->lock);
  for (guint side = 0; side < SIDES; side++)
    watch->seen[side] = g_array_new(FALSE, FALSE, sizeof(Seen));
  watch->pairs = g_array_new(FALSE, FALSE, sizeof(Seen));
  watch->offs = g_array_new(FALSE, FALSE, sizeof(double));
  watch->disparities = g_hash_table_new(NULL, NULL);
  g_signal_connect(pipeline, "deep-element-added", G_CALLBACK(on_added), watch);
  gst_iterator_foreach(elements, on_found, watch);
  return watch;
}

void watch_free(Watch *watch)
{
  for (guint side = 0; side < SIDES; side++)
    g_array_unref(watch->seen[side]);
  g_array_unref(watch->pairs);
  g_array_unref(watch->offs);
  g_hash_table_unref(watch->disparities);
  g_mutex_clear(&watch->lock);
  g_free(watch);
}

static int by_size(gconstpointer a, gconstpointer b)
{
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

WatchCounts watch_counts(Watch *watch)
{
  WatchCounts counts;

  g_mutex_lock(&watch->lock);
  counts = watch->counts;
  counts.objects = watch->offs->len;
  g_array_sort(watch->offs, by_size);
  if (counts.objects > 0)
    counts.off = g_array_index(watch->offs, double, counts.objects / 2);
  g_mutex_unlock(&watch->lock);
  return counts;
}
