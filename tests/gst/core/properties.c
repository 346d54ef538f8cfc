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

/* ---- Pairs --------------------------------------------------------------------------------- */

/* A value that its partner does not allow, what the warning says of both, and one that is good. */
typedef struct {
  const char *factory, *set, *to, *property, *bad, *says, *good;
} Dependent;

static const Dependent dependents[] = {
    {"stereo-sgm", "p2", "20", "p1", "50", "p1 is 50, but must not exceed p2, which is 20", "15"},
    {"stereo-sgm", "p1", "20", "p2", "15", "p1 is 20, but must not exceed p2, which is 15", "30"},
    {"road-hazards", "max-height", ".2", "min-height", ".5",
        "min_height is 0.5 m, must be at most max_height, which is 0.2 m", ".1"},
    {"lidar-ground", "r-max", "30", "r-min", "30", "r_max is 30 m and r_min 30 m", "3"},
    {"lidar-ground", "r-max", "100", "cluster-cell", ".02",
        "at least 0.0976562 m, for a grid of at most 2048 cells over twice r_max", ".2"},
    {"occupancy-grid", "clearance", "1", "min-height", "1.5",
        "min-height is 1.5 m, above the clearance of 1 m", ".5"},
    {"occupancy-grid", "size", "400", "resolution", ".1", "400 m in cells of 0.1 m", ".5"},
    {"disparity-colour", "range", "fixed", "min", "64", "min is 64, must be below max", "2"},
    {"sat-dp-stixels", "class-kinds", "ground=3", "class-kinds", "ground=3;sky=3",
        "is ground and sky in class_kinds", "ground=4"},
};

STX_TEST_LOOP(a_value_that_its_partner_forbids_is_refused_in_paused, G_N_ELEMENTS(dependents))
{
  const Dependent *one = &dependents[_i];
  g_autoptr(GstElement) element = gst_element_factory_make(one->factory, NULL);
  g_autoptr(Watch) bus = stx_test_watch(element);
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), one->property);
  GValue before, after;

  gst_util_set_object_arg(G_OBJECT(element), one->set, one->to);
  gst_element_set_state(element, GST_STATE_PAUSED);
  before = value_of(element, spec);
  gst_util_set_object_arg(G_OBJECT(element), one->property, one->bad);
  after = value_of(element, spec);
  ck_assert_int_eq(g_param_values_cmp(spec, &before, &after), 0);
  g_value_unset(&after);
  stx_test_expect_warning(bus, one->says);
  gst_util_set_object_arg(G_OBJECT(element), one->property, one->good);
  after = value_of(element, spec);
  ck_assert_int_ne(g_param_values_cmp(spec, &before, &after), 0);
  g_value_unset(&after);
  g_value_unset(&before);
  stx_test_expect_silence(bus);
  gst_element_set_state(element, GST_STATE_NULL);
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
