/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Warns of what stands in the corridor ahead, frame by frame, and counts at the end.
 *
 *   cc corridor.c $(pkg-config --cflags --libs gststixels-1.0 gstreamer-app-1.0) -lm -o corridor
 *   ./corridor [PIPELINE]
 *
 * PIPELINE is written as for gst-launch-1.0, ends in stixel-obstacles or an element that has it
 * inside, and has no sink. Without one it is one second of the synthetic street. The corridor is
 * that of the element: its properties corridor-width, -length and -offset.
 */
#include <gst/app/gstappsink.h>
#include <gst/stixels/stixels.h>
#include <math.h>
#include <stdio.h>

#define STREET                                                                                     \
  "street-scene-src view=left num-buffers=10 ! stixels.sink_left "                                 \
  "street-scene-src view=right num-buffers=10 ! stixels.sink_right "                               \
  "stereo-stixels name=stixels obstacles=true"
#define SOON 2 /* seconds to contact that are worth a warning */
#define NEAR 8 /* metres, likewise */

typedef struct {
  guint frames, without, occupied, warnings, obstacles;
  float nearest; /* metres */
} Statistics;

static gboolean is_urgent(const StxObstacle *obstacle)
{
  return obstacle->z < NEAR ||
         (obstacle->closing_speed > 0 && obstacle->z / obstacle->closing_speed < SOON);
}

static void tell(GstClockTime time, const StxObstacle *obstacle, Statistics *statistics)
{
  gboolean is_warning = is_urgent(obstacle);

  printf("%.2f s: %sobstacle %u, %.2f m ahead, %.2f m wide", time / 1e9,
      is_warning ? "WARNING, " : "", obstacle->id, obstacle->z, obstacle->width);
  if (isfinite(obstacle->closing_speed))
    printf(", closing at %.1f m/s", obstacle->closing_speed);
  printf("\n");
  statistics->occupied++;
  statistics->warnings += is_warning;
  statistics->nearest = MIN(statistics->nearest, obstacle->z);
}

/* Obstacles are sorted: the first one in the corridor is the nearest. */
static void look(GstClockTime time, const GstStxObstacles *obstacles, Statistics *statistics)
{
  StxObstacle obstacle;

  statistics->obstacles += gst_stx_obstacles_get_count(obstacles);
  for (guint i = 0; gst_stx_obstacles_get_obstacle(obstacles, i, &obstacle); i++)
    if (obstacle.flags & STX_OBSTACLE_IN_CORRIDOR) {
      tell(time, &obstacle, statistics);
      return;
    }
}

/* A frame without obstacles' meta says nothing of the road ahead: it is not free. */
static void read_frame(GstSample *sample, Statistics *statistics)
{
  GstStxObstacles *obstacles = gst_stx_obstacles_new_from_sample(sample, NULL);

  statistics->frames++;
  if (obstacles == NULL) {
    statistics->without++;
    return;
  }
  look(GST_BUFFER_PTS(gst_sample_get_buffer(sample)), obstacles, statistics);
  gst_stx_obstacles_unref(obstacles);
}

static void print_statistics(const Statistics *statistics)
{
  printf("%u frames, %u of them without obstacles' meta; %.1f obstacles per frame\n",
      statistics->frames, statistics->without,
      statistics->frames > 0 ? (double)statistics->obstacles / statistics->frames : 0);
  printf("corridor occupied in %u frames, %u warnings", statistics->occupied, statistics->warnings);
  if (isfinite(statistics->nearest))
    printf(", nearest %.2f m", statistics->nearest);
  printf("\n");
}

/* The reason why a pipeline ended, if it was no good one. */
static gboolean has_failed(GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
  GError *error = NULL;

  gst_object_unref(bus);
  if (message == NULL)
    return FALSE;
  gst_message_parse_error(message, &error, NULL);
  fprintf(stderr, "%s\n", error->message);
  g_error_free(error);
  gst_message_unref(message);
  return TRUE;
}

static gboolean run(GstElement *pipeline)
{
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  Statistics statistics = {.nearest = INFINITY};
  GstSample *sample;
  gboolean failed;

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample(GST_APP_SINK(sink))) != NULL) {
    read_frame(sample, &statistics);
    gst_sample_unref(sample);
  }
  failed = has_failed(pipeline);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(sink);
  print_statistics(&statistics);
  return !failed;
}

int main(int argc, char **argv)
{
  GError *error = NULL;
  GstElement *pipeline;
  gboolean is_good;
  gchar *words, *line;

  gst_init(&argc, &argv);
  words = argc > 1 ? g_strjoinv(" ", argv + 1) : g_strdup(STREET);
  line = g_strdup_printf("%s ! appsink name=sink sync=false", words);
  pipeline = gst_parse_launch(line, &error);
  g_free(words);
  g_free(line);
  if (error != NULL) {
    fprintf(stderr, "%s\n", error->message);
    return 1;
  }
  is_good = run(pipeline);
  gst_object_unref(pipeline);
  return is_good ? 0 : 1;
}
