/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GstStxMatcher: base class of the elements that make a disparity map of two views. It has their
 * pads, finds the views in what comes, the camera and the caps of the source pad, looks whether the
 * views can be a pair at all, and finds the camera's own motion. The element matches.
 *
 * Properties it brings: those of the camera, layout, confidence, motion.
 */
#pragma once

#include "common/pair/pair_watch.h"
#include "gst/base/pairing.h"
#include "gst/core/camera.h"
#include "gst/stereo/sgmmotion.h"
#include "gst/stereo/sgmviews.h"

#define GST_TYPE_STX_MATCHER (gst_stx_matcher_get_type())
#define GST_STX_MATCHER(object)                                                                    \
  (G_TYPE_CHECK_INSTANCE_CAST((object), GST_TYPE_STX_MATCHER, GstStxMatcher))
#define GST_STX_MATCHER_CLASS(klass)                                                               \
  (G_TYPE_CHECK_CLASS_CAST((klass), GST_TYPE_STX_MATCHER, GstStxMatcherClass))
#define GST_STX_MATCHER_GET_CLASS(object)                                                          \
  (G_TYPE_INSTANCE_GET_CLASS((object), GST_TYPE_STX_MATCHER, GstStxMatcherClass))

typedef struct _GstStxMatcher GstStxMatcher;
typedef struct _GstStxMatcherClass GstStxMatcherClass;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GstStxMatcher, gst_object_unref)
GType gst_stx_matcher_get_type(void);

typedef enum {
  GST_STX_MOTION_FALSE, /* the value of a boolean */
  GST_STX_MOTION_TRUE,  /* the value of a boolean */
  GST_STX_MOTION_AUTO
} GstStxMotionWanted;

typedef struct {
  GstStereoSgmLayout layout;
  bool confidence;           /* attach GstStxConfidenceMeta */
  GstStxMotionWanted motion; /* … GstStxMotionMeta */
} GstStxMatcherSettings;

/* The element's plan. */
typedef struct {
  gint reach;          /* the largest disparity that pairs are expected to have, pixels; may be
                          left to `match` */
  gint depth;          /* what depths in millimetres are scaled with; 0: disparities come out */
  gint gray_bits;      /* as in luma.h */
  gboolean confidence; /* one is written */
  gboolean sky;        /* which says where the sky is */
  GstStxMotionWanted motion; /* FALSE also for AUTO without a known camera */
} GstStxMatcherPlan;

/* The inputs and outputs of a match. */
typedef struct {
  StxImage8 picture[2]; /* first plane of left and right; of both views in one, the frame, twice */
  StxImage16 disparity; /* of the size of a view */
  StxImage8 confidence; /* without data: none is wanted */
} GstStxMatcherPair;

struct _GstStxMatcher {
  GstStxPairing parent;

  /* Properties, guarded by the object lock. Every change sets `changed`. */
  GstStxCameraSettings camera;
  GstStxMatcherSettings settings;
  gboolean changed;

  /* Used by the streaming thread only: the result of the current caps and properties. */
  GstStereoSgmViews views;
  GstStxMatcherPlan plan;

  /* Used by matcher.c only. */
  GstVideoInfo output;
  StxCamera view_camera;
  gboolean differ;                /* the views do, since a while: the user knows */
  GstBufferPool *confidence_pool; /* NULL: no confidence wanted */
  gboolean has_gray;              /* `gray` is that of this frame */
  StxImage8 gray[2];

  /* Checks that these are views of a stereo camera. */
  StxPairWatch watch;         /* written under the object lock */
  guint64 warnings;           /* of it, under the object lock */
  guint64 pairs;              /* seen */
  GstStxScratch pair_scratch; /* on the host, wherever the element matches */

  StxEgomotion *egomotion; /* NULL: never wanted so far */
  gdouble offset[2];       /* of the last pair, by its motion: StxEgomotionResult; 0: unknown */
  gboolean restart;        /* the next frame has none before it; under the object lock */
  GstClockTime last;       /* of the frame before; under the object lock */
};

/*
 * formats  of the pads, for messages: "{ RGB, BGR }"
 *
 * make_plan
 *   After a change of caps or properties, when `views` is known: fills in `plan`, of which `motion`
 *   and `confidence` are already what the user wants. FALSE with the reason in `error`.
 *
 * match
 *   One pair, where the stage works. FALSE with the reason in `error`.
 *
 * tell (optional)
 *   As in GstStxPairingClass, which the base class has taken.
 */
struct _GstStxMatcherClass {
  GstStxPairingClass parent_class;

  const gchar *formats;
  gboolean (*make_plan)(GstStxMatcher *self, const StxCamera *camera, StxError *error);
  gboolean (*match)(
      GstStxMatcher *self, GstStxStage *stage, const GstStxMatcherPair *pair, StxError *error);
  void (*tell)(GstStxMatcher *self, GstStructure *stats);
};

/* Slots of the stage: those of an element begin with GST_STX_MATCHER_SLOTS. */
enum {
  GST_STX_MATCHER_LEAD,
  GST_STX_MATCHER_RIGHT,
  GST_STX_MATCHER_DISPARITY,
  GST_STX_MATCHER_CONFIDENCE,
  GST_STX_MATCHER_LEAD_GRAY,
  GST_STX_MATCHER_RIGHT_GRAY,
  GST_STX_MATCHER_LUMA,
  GST_STX_MATCHER_HOST_LEFT,
  GST_STX_MATCHER_HOST_RIGHT,
  GST_STX_MATCHER_MOTION,
  GST_STX_MATCHER_SLOTS
};

/* In class_init: properties of the element's own, whose change makes a new plan, and sink pads that
 * take `caps`. */
void gst_stx_matcher_class_install(
    GstStxMatcherClass *klass, const GstStxPropertyGroup *groups, guint count, const gchar *caps);

/* For match: finds the gray pictures of both views, made once for each pair. */
gboolean gst_stx_matcher_find_gray(GstStxMatcher *self, GstStxStage *stage,
    const GstStxMatcherPair *pair, StxImage8 *left, StxImage8 *right, StxError *error);

/* The same on the host, for a look besides; the stage waits for them. */
gboolean gst_stx_matcher_bring_gray(GstStxMatcher *self, GstStxStage *stage,
    const GstStxMatcherPair *pair, StxImage8 *left, StxImage8 *right, StxError *error);
