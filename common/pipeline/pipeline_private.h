/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Private to pipeline.c (stages) and pipeline_input.c (what a frame may bring). */
#ifndef STX_PIPELINE_PRIVATE_H
#define STX_PIPELINE_PRIVATE_H

#include "common/pipeline/pipeline.h"

struct StxPipeline {
  StxPipelineSettings settings; /* with all sizes filled in */
  StxRdpParams rdp_params;      /* of the segments or of the cuts */
  StxPlace place;

  /* NULL: the stage is not needed. */
  const StxSgmImpl *sgm;
  const StxColmeanImpl *colmean;
  const StxRdpImpl *rdp;
  const StxSatdpImpl *satdp;

  StxImage16 disparity; /* of sgm, else without data */
  StxImage8 confidence; /* the same, and only where it is used */
  void *columns;
  uint8_t *starts; /* what rdp keeps, for satdp */
  StxStixel *stixels;
  void *scratch;
  StxColmeanTables colmean_tables;
  StxSatdpTables satdp_tables;

  bool follows; /* the next frame follows one of this camera, on this road */
  StxCamera camera;
  StxRoadTrack road;
};

/* Whether a frame has what these settings, sizes filled in, need, and nothing that they do not
 * provide for. */
bool stx_pipeline_check_input(
    const StxPipelineSettings *settings, const StxPipelineInput *input, StxError *error);

#endif
