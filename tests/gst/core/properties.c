/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every property of every element: it begins as announced, and setting it sets it and no other. */
#include "tests/gst/fixtures/util.h"

static gchar **factories;

/* ---- Values -------------------------------------------------------------------------------- */

/* Is it a property of the plugin, not of GStreamer's base classes, and one with a default? */
static gboolean is_ours(const GParamSpec *spec)
{
  static const gchar *const others[] = {
      "GstObject", "GstElement", "GstAggregator", "GstBaseTransform", "GstBaseSrc", "GstBin", NULL};

  return !g_strv_contains(others, g_type_name(spec->owner_type)) &&
         spec->value_type != GST_TYPE_STRUCTURE;
}

static GValue value_of(GstElement *element, const GParamSpec *spec)
{
  GValue value = G_VALUE_INIT;

  g_value_init(&value, spec->value_type);
  g_object_get_property(G_OBJECT(element), spec->name, &value);
  return value;
}

static void expect_default(GstElement *element, GParamSpec *spec, const gchar *when)
{
  GValue value = value_of(element, spec);
  g_autofree gchar *text = g_strdup_value_contents(&value);

  fail_unless(g_param_value_defaults(spec, &value), "%s.%s is %s %s", GST_OBJECT_NAME(element),
      spec->name, text, when);
  g_value_unset(&value);
}

#define OTHER_NUMBER(Spec, spec_type, set)                                                         \
  if (spec_type(spec)) {                                                                           \
    set(value, Spec(spec)->default_value == Spec(spec)->maximum ? Spec(spec)->minimum              \
                                                                : Spec(spec)->maximum);            \
    return TRUE;                                                                                   \
  }

/* The first choice that is not the default. */
static gboolean other_choice(GParamSpec *spec, GValue *value)
{
  GEnumClass *klass = G_PARAM_SPEC_ENUM(spec)->enum_class;

  for (guint i = 0; i < klass->n_values; i++)
    if (klass->values[i].value != G_PARAM_SPEC_ENUM(spec)->default_value) {
      g_value_set_enum(value, klass->values[i].value);
      return TRUE;
    }
  return FALSE;
}

/* A value that is allowed and not the default; FALSE: there is none. */
static gboolean other_value(GParamSpec *spec, GValue *value)
{
  g_value_init(value, spec->value_type);
  OTHER_NUMBER(G_PARAM_SPEC_DOUBLE, G_IS_PARAM_SPEC_DOUBLE, g_value_set_double)
  OTHER_NUMBER(G_PARAM_SPEC_INT, G_IS_PARAM_SPEC_INT, g_value_set_int)
  OTHER_NUMBER(G_PARAM_SPEC_UINT, G_IS_PARAM_SPEC_UINT, g_value_set_uint)
  if (G_IS_PARAM_SPEC_ENUM(spec))
    return other_choice(spec, value);
  if (G_IS_PARAM_SPEC_BOOLEAN(spec))
    g_value_set_boolean(value, !G_PARAM_SPEC_BOOLEAN(spec)->default_value);
  else if (G_IS_PARAM_SPEC_FLAGS(spec))
    g_value_set_flags(value, G_PARAM_SPEC_FLAGS(spec)->default_value & ~2u);
  else if (G_IS_PARAM_SPEC_STRING(spec))
    g_value_set_string(value, G_PARAM_SPEC_STRING(spec)->default_value != NULL
                                  ? "ground=road,wall;sky=19,31"
                                  : "calib.txt");
  else
    gst_value_set_fraction(value, 30000, 1001);
  return TRUE;
}

/* ---- Tests --------------------------------------------------------------------------------- */

static void expect_set(GstElement *element, GParamSpec *spec, const GValue *value)
{
  GValue now;

  g_object_set_property(G_OBJECT(element), spec->name, value);
  now = value_of(element, spec);
  fail_unless(g_param_values_cmp(spec, &now, value) == 0 || gst_value_compare(&now, value) == 0,
      "%s.%s does not keep its value", GST_OBJECT_NAME(element), spec->name);
  g_value_unset(&now);
}

static void check_property(GstElement *element, GParamSpec **specs, guint count, GParamSpec *spec)
{
  GValue value = G_VALUE_INIT, standard = value_of(element, spec);

  if (other_value(spec, &value)) {
    expect_set(element, spec, &value);
    for (guint i = 0; i < count; i++)
      if (specs[i] != spec && is_ours(specs[i]))
        expect_default(element, specs[i], spec->name);
    expect_set(element, spec, &standard);
  }
  g_value_unset(&value);
  g_value_unset(&standard);
}

STX_TEST_LOOP(every_property_is_its_own, (gint)g_strv_length(factories))
{
  g_autoptr(GstElement) element =
      gst_object_ref_sink(gst_element_factory_make(factories[_i], factories[_i]));
  guint count;
  GParamSpec **specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);

  for (guint i = 0; i < count; i++)
    if (is_ours(specs[i]))
      expect_default(element, specs[i], "at first");
  for (guint i = 0; i < count; i++)
    if (is_ours(specs[i]) && specs[i]->flags & G_PARAM_WRITABLE)
      check_property(element, specs, count, specs[i]);
  g_free(specs);
}

double stx_test_prepare(void)
{
  factories = stx_test_elements();
  return 0;
}
