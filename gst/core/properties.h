/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties made from tables of fields (common/fields.h): of a stem's parameters, or of what only
 * an element has. An element lists its tables and where in it their structs lie:
 *
 *   static const GstStxPropertyGroup groups[] = {
 *     GST_STX_RUN_PROPERTIES (GstStereoSgm, run),
 *     {&stx_sgm_fields, offsetof (GstStereoSgm, params), GST_PARAM_MUTABLE_PLAYING,
 *         "GstStereoSgm"},
 *   };
 *   gst_stx_properties_install (object_class, groups, G_N_ELEMENTS (groups));
 *
 * and copies what it needs under the object lock before it works on a buffer.
 */
#pragma once

#include <gst/gst.h>

#include "common/fields.h"

typedef struct {
  const StxFields *fields; /* those without a title are left out */
  gssize offset;           /* from the instance to the struct of the fields, bytes */
  GParamFlags change;      /* GST_PARAM_MUTABLE_…; fields that are `at_start`: always READY */
  const char *prefix;      /* of the names of the types of its choices: "GstStereoSgm" */
} GstStxPropertyGroup;

/* Ids from here on belong to properties from tables; what a class adds by hand is below. */
#define GST_STX_PROPERTY_FIRST 256

/*
 * In class_init: adds the properties, registers the types of their choices (prefix and name of the
 * field in camel case, or its type_name), and makes the two functions below the class's.
 */
void gst_stx_properties_install(
    gpointer object_class, const GstStxPropertyGroup *groups, guint count);

/* GObjectClass.set_property and get_property for properties from tables. Both take the object lock.
 * A class that needs more sets functions of its own after _install, which call these. */
void gst_stx_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec);
void gst_stx_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec);
