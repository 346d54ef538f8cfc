/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of gst-launch lines that the tests of endurance share. */
#pragma once

/* From what the tee `tee` gets, in colour, and the pad sgm.sink_right to the picture at `out`. */
#define ENDURANCE_WHOLE_TO(more)                                                                   \
  "stereo-sgm name=sgm max-disparity=64 ! downsample-transpose name=cells ! "                      \
  "sat-dp-stixels name=stixels ! overlay.stixels "                                                 \
  "stixel-overlay name=overlay ! " more "fakesink name=out sync=false "                            \
  "tee name=tee ! queue ! videoconvert ! sgm.sink_left tee. ! queue ! overlay.sink "
#define ENDURANCE_WHOLE ENDURANCE_WHOLE_TO("")
#define ENDURANCE_OBSTACLES ENDURANCE_WHOLE_TO("stixel-obstacles ! ")

/* The two cameras, `left` and `right`, of the synthetic street. */
#define ENDURANCE_STREET(properties, size)                                                         \
  "street-scene-src name=left view=left " properties " ! video/x-raw,format=RGB," size " ! tee. "  \
  "street-scene-src name=right view=right " properties " ! video/x-raw,format=GRAY8," size         \
  " ! queue ! sgm.sink_right "
