/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One frame or scan as a line of JSON. docs/elements/stixel-json.md describes the line,
 * docs/stixel-json-1.schema.json is its schema.
 */
#pragma once

#include "common/obstacle.h"
#include "common/velocity.h"
#include "gst/stixels/motionmeta.h"
#include "gst/stixels/obstaclesmeta.h"

#define GST_STX_JSON_VERSION 1 /* of the schema; a new key is no new version */

typedef enum {
  GST_STX_JSON_STIXELS = 1,
  GST_STX_JSON_OBSTACLES = 2,
  GST_STX_JSON_FREE_SPACE = 4,
  GST_STX_JSON_POINTS = 8,
  GST_STX_JSON_MOTION = 16,
} GstStxJsonParts;

/* Records lie anywhere in memory, aligned or not. */
typedef struct {
  gconstpointer data;
  gsize count; /* records */
} GstStxJsonRecords;

typedef struct {
  GstClockTime pts;
  const GstStxStixelInfo *info; /* NULL: of no image */
  guint parts;                  /* GstStxJsonParts: of which there are records */
  gboolean metres;              /* for every stixel */

  const GstStxMotionMeta *motion;
  GstStxJsonRecords stixels, obstacles, free_space;
  GstStxJsonRecords points, labels; /* as many of both */

  /* As many as obstacles and stixels, StxVelocity; or none. */
  GstStxJsonRecords obstacle_velocities, stixel_velocities;
} GstStxJsonFrame;

/* Text that grows. Begin with {0}, or with bytes to begin in. */
typedef struct {
  gchar *bytes; /* no 0 at the end */
  gsize length, size;
} GstStxJsonText;

/* Adds the line, newline included. */
void gst_stx_json_frame(GstStxJsonText *text, const GstStxJsonFrame *frame);
