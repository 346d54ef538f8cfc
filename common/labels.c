/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/labels.h"

#include <string.h>

typedef struct {
  uint8_t label_id;
  const char *name;
} Class;

/* By train id. */
static const Class classes[STX_LABEL_CLASSES] = {
    {7, "road"},
    {8, "sidewalk"},
    {11, "building"},
    {12, "wall"},
    {13, "fence"},
    {17, "pole"},
    {19, "traffic light"},
    {20, "traffic sign"},
    {21, "vegetation"},
    {22, "terrain"},
    {23, "sky"},
    {24, "person"},
    {25, "rider"},
    {26, "car"},
    {27, "truck"},
    {28, "bus"},
    {31, "train"},
    {32, "motorcycle"},
    {33, "bicycle"},
};

void stx_labels_from_cityscapes(uint8_t map[256])
{
  memset(map, STX_LABEL_NONE, 256);
  for (int k = 0; k < STX_LABEL_CLASSES; k++)
    map[classes[k].label_id] = (uint8_t)k;
}

void stx_labels_identity(uint8_t map[256])
{
  memset(map, STX_LABEL_NONE, 256);
  for (int k = 0; k < STX_LABEL_CLASSES; k++)
    map[k] = (uint8_t)k;
}

const char *stx_label_name(int train_id)
{
  return train_id >= 0 && train_id < STX_LABEL_CLASSES ? classes[train_id].name : "none";
}
