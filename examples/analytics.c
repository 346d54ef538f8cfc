/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Video analytics: the things before a stereo camera as boxes with distance, speed and class, drawn
 * into analytics.mkv and, one line of JSON per frame, to the standard output.
 *
 *   cc analytics.c $(pkg-config --cflags --libs gststixels-1.0 gstreamer-app-1.0) -lm -o analytics
 *   ./analytics                                     one second of the synthetic street
 *   ./analytics LEFT RIGHT CALIBRATION [NETWORK]    videos, or cameras: /dev/video0 /dev/video2
 *
 * CALIBRATION is a file for stereo-stixels, NETWORK one for onnx-semantics; things have no class
 * without a network.
 */
#include <gst/app/gstappsink.h>
#include <gst/stixels/stixels.h>
#include <math.h>
#include <stdio.h>

#define GRAPH                                                                                      \
  "motion=true pair.src_left ! tee name=left "                                                     \
  "pair.src_disparity ! downsample-transpose name=cells ! sat-dp-stixels ! stixel-obstacles "      \
  "! overlay.stixels left. ! queue ! videoconvert "                                                \
  "! stixel-overlay name=overlay labels=box+distance+speed+class ! tee name=drawn "                \
  "drawn. ! queue ! videoconvert ! jpegenc ! matroskamux ! filesink location=analytics.mkv "       \
  "drawn. ! queue ! appsink name=sink sync=false "
#define STREET                                                                                     \
  "street-scene-src view=left num-buffers=10 ! pair.sink_left "                                    \
  "street-scene-src view=right num-buffers=10 ! pair.sink_right "                                  \
  "street-scene-src view=semantics num-buffers=10 ! cells.semantics"
#define CLASSES "left. ! queue ! videoconvert ! onnx-semantics model=\"%s\" ! cells.semantics"

/* The classes of Cityscapes, by train id. */
static const char *const classes[] = {"road", "sidewalk", "building", "wall", "fence", "pole",
    "traffic light", "traffic sign", "vegetation", "terrain", "sky", "person", "rider", "car",
    "truck", "bus", "train", "motorcycle", "bicycle"};

/* A number of JSON. */
static const char *number(char text[32], double value)
{
  if (!isfinite(value))
    return "null";
  g_ascii_formatd(text, 32, "%.2f", value);
  return text;
}

/* Its box in pixels, metres, metres per second; whether it stands in the corridor. */
static void print_thing(const GstStxObstacles *obstacles, guint i, const StxObstacle *thing,
    const StxVelocity *velocity)
{
  double x = 0, y = 0, width = 0, height = 0, over_ground = NAN; /* unknown */
  char distance[32], speed[32];

  if (velocity != NULL && velocity->moves != STX_MOVES_UNKNOWN)
    over_ground = velocity->moves == STX_MOVES_NOT ? 0 : hypot(velocity->x, velocity->z);
  gst_stx_obstacles_get_rectangle(obstacles, i, &x, &y, &width, &height);
  printf("%s{\"id\": %u, \"class\": \"%s\", \"box\": [%.0f, %.0f, %.0f, %.0f], \"distance\": %s, "
         "\"speed\": %s, \"ahead\": %s}",
      i > 0 ? ", " : "", thing->id,
      thing->label < G_N_ELEMENTS(classes) ? classes[thing->label] : "unknown", x, y, width, height,
      number(distance, thing->z), number(speed, over_ground),
      thing->flags & STX_OBSTACLE_IN_CORRIDOR ? "true" : "false");
}

/* A frame whose things are unknown, not one without things, has null. */
static void print_frame(GstSample *sample)
{
  GstBuffer *picture = gst_sample_get_buffer(sample);
  g_autoptr(GstStxObstacles) obstacles = gst_stx_obstacles_new_from_sample(sample, NULL);
  GstStxVelocitiesMeta *meta = gst_buffer_get_stx_velocities_meta(picture);
  GstMapInfo map = {.size = 0};
  StxObstacle thing;

  printf("{\"time\": %.3f, \"things\": %s", GST_BUFFER_PTS(picture) / 1e9,
      obstacles == NULL ? "null}\n" : "[");
  if (obstacles == NULL)
    return;
  if (meta != NULL)
    gst_buffer_map(meta->obstacles, &map, GST_MAP_READ);
  for (guint i = 0; gst_stx_obstacles_get_obstacle(obstacles, i, &thing); i++)
    print_thing(obstacles, i, &thing,
        (i + 1) * sizeof(StxVelocity) <= map.size ? (const StxVelocity *)map.data + i : NULL);
  printf("]}\n");
  if (map.size > 0)
    gst_buffer_unmap(meta->obstacles, &map);
}

/* A file, or a camera. */
static gchar *source(const char *path)
{
  return g_strdup_printf("%s=\"%s\" ! decodebin ! videoconvert",
      g_str_has_prefix(path, "/dev/") ? "v4l2src device" : "filesrc location", path);
}

static gchar *pipeline_of(int argc, char **argv)
{
  g_autofree gchar *left = argc > 3 ? source(argv[1]) : NULL;
  g_autofree gchar *right = argc > 3 ? source(argv[2]) : NULL;
  g_autofree gchar *classes = argc > 4 ? g_strdup_printf(CLASSES, argv[4]) : g_strdup("");

  if (argc < 4)
    return g_strdup("stereo-stixels name=pair " GRAPH STREET);
  return g_strdup_printf("stereo-stixels name=pair calibration=\"%s\" " GRAPH
                         "%s ! pair.sink_left %s ! pair.sink_right %s",
      argv[3], left, right, classes);
}

/* Until the end of both outputs, or an error. */
static gboolean run(GstElement *pipeline)
{
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  g_autoptr(GstMessage) end = NULL;
  GstSample *sample;
  GError *error = NULL;

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample(GST_APP_SINK(sink))) != NULL) {
    print_frame(sample);
    gst_sample_unref(sample);
  }
  end = gst_bus_timed_pop_filtered(bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE(end) == GST_MESSAGE_ERROR) {
    gst_message_parse_error(end, &error, NULL);
    fprintf(stderr, "%s\n", error->message);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return error == NULL;
}

int main(int argc, char **argv)
{
  GError *error = NULL;
  g_autofree gchar *line = NULL;
  g_autoptr(GstElement) pipeline = NULL;

  gst_init(&argc, &argv);
  line = pipeline_of(argc, argv);
  pipeline = gst_parse_launch(line, &error);
  if (error != NULL) {
    fprintf(stderr, "%s\n", error->message);
    return 1;
  }
  return run(pipeline) ? 0 : 1;
}
