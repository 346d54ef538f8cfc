/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What elements that show stixels in space (common/facet/facet.h) take: stixels, video with
 * stixels, and of scans their points. What lies on a GPU comes to the host when it is mapped. */
#ifndef GST_FACET_STAGE_H
#define GST_FACET_STAGE_H

#include "common/facet/facet.h"
#include "gst/cuda/cuda.h"
#include "gst/shared/memory.h"
#include "gst/stixels/stixels.h"

G_BEGIN_DECLS

typedef enum { GST_FACET_STIXELS, GST_FACET_VIDEO, GST_FACET_SCANS } GstFacetKind;

/* What a stream brings. Zero it to begin with. */
typedef struct {
  GstFacetKind kind;
  GstStxStixelInfo info; /* of stixels; of video that of its last frame that had some */
  StxCamera camera;      /* of video, of whatever size: for stixels that have none */
  gboolean missed;       /* the user knows of frames that bring nothing */
  GstStxScratch data, labels;
} GstFacetInput;

/* A stream begins. `what` begins the text of a camera that is not known: "a mesh is". FALSE with
 * the reason in `error`. */
gboolean gst_facet_input_configure(
    GstFacetInput *self, const GstCaps *caps, const gchar *what, StxError *error);

/* The stixels of a buffer; NULL: it is a frame of video without any, and the element warned of the
 * first such. */
GstBuffer *gst_facet_input_stixels(GstFacetInput *self, GstElement *element, GstBuffer *buffer);

/* The image of the stixels. FALSE with the reason in `error`: the camera is not known. */
gboolean gst_facet_input_image(const GstFacetInput *self, const gchar *what, gdouble reach,
    StxFacetImage *image, StxError *error);

void gst_facet_input_clear(GstFacetInput *self);

G_END_DECLS

#endif
