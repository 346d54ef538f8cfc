/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Labelled LiDAR scans: SemanticKITTI's folders, or the synthetic street. */
#pragma once

#include <glib.h>

#include "common/scene/scene.h"

/* All data owned by the scan. */
typedef struct {
  char name[64];
  size_t count;
  float *points;    /* count · 4 */
  uint32_t *labels; /* count */
} LidarScan;

void lidar_scan_free(LidarScan *scan);

typedef struct {
  char name[256];
  size_t count;     /* scans */
  GPtrArray *paths; /* of a folder */
  StxScene *scene;  /* of the street, */
  StxSceneLidar sensor;
} LidarSet;

/*
 * Every scan below `folder` that has labels: NAME/velodyne/X.bin with NAME/labels/X.label, in the
 * folder itself, in its sub-folders or in sequences/. Sorted by path. Errors say what was looked
 * for, and where.
 */
bool lidar_set_open(LidarSet *set, const char *folder, StxError *error);

/* `count` scans of the synthetic street by a sensor of so many beams, ten frames apart. */
bool lidar_set_open_street(LidarSet *set, uint64_t seed, int beams, size_t count, StxError *error);

bool lidar_set_load(LidarSet *set, size_t index, LidarScan *scan, StxError *error);

void lidar_set_close(LidarSet *set);
