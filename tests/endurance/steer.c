/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every property that may be set while the pipeline plays is set from another thread, as fast as it
 * goes, and every one is read, while frames flow: nothing fails and nothing stops. What two threads
 * do to each other then is for the thread sanitizer to see (see_glib.c).
 */
#include "tests/endurance/gauge.h"
#include "tests/endurance/lines.h"
#include "tests/gst/fixtures/util.h"

#define SIZE "width=64,height=48,framerate=30/1"
#define SECONDS (endurance_is_full() ? 3000 : 300)

static const gchar *const lines[] = {
    ENDURANCE_OBSTACLES ENDURANCE_STREET("",
        SIZE) "street-scene-src view=semantics ! video/x-raw," SIZE " ! queue ! cells.semantics ",
    "street-scene-src view=disparity ! video/x-raw," SIZE " ! downsample-transpose ! rdp-columns ! "
    "stixel-json ! fakesink name=out",
    "street-scene-src view=lidar beams=8 azimuth-steps=100 ! lidar-ground ! stixel-obstacles ! "
    "queue ! lidar-bev ! "
    "video/x-raw,width=96,height=96 ! fakesink name=out",
};

/* ---- Which properties ---------------------------------------------------------------------- */

typedef struct {
  GObject *object;
  GParamSpec *spec;
} Handle;

static gboolean is_ours(GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory(element);

  return factory != NULL && /* elements inside others have none */
         g_strcmp0(gst_plugin_feature_get_plugin_name(GST_PLUGIN_FEATURE(factory)), "stixels") == 0;
}

static void add_handles(const GValue *item, gpointer data)
{
  GObject *object = g_value_get_object(item);
  g_autofree GParamSpec **specs = NULL;
  guint count;

  if (!is_ours(GST_ELEMENT(object)))
    return;
  specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(object), &count);
  for (guint i = 0; i < count; i++) {
    Handle handle = {object, specs[i]};

    g_array_append_val((GArray *)data, handle);
  }
}

static GArray *find_handles(GstElement *pipeline)
{
  GArray *handles = g_array_new(FALSE, FALSE, sizeof(Handle));
  g_autoptr(GstIterator) elements = gst_bin_iterate_elements(GST_BIN(pipeline));

  gst_iterator_foreach(elements, add_handles, handles);
  return handles;
}

/* ---- Turning them -------------------------------------------------------------------------- */

/* From the default an eighth of the way to the upper limit: what several properties must agree on
 * stays so. */
static gdouble near(gdouble standard, gdouble high, GRand *chance)
{
  return standard + (high - standard) / 8 * g_rand_double(chance);
}

static void choose(GParamSpec *spec, GValue *value, GRand *chance)
{
  if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
    g_value_set_boolean(value, g_rand_boolean(chance));
  } else if (G_IS_PARAM_SPEC_ENUM(spec)) {
    GEnumClass *choices = G_PARAM_SPEC_ENUM(spec)->enum_class;
    gint32 one = g_rand_int_range(chance, 0, (gint32)choices->n_values);

    g_value_set_enum(value, choices->values[one].value);
  } else if (G_IS_PARAM_SPEC_FLAGS(spec)) {
    g_value_set_flags(value, g_rand_int(chance) & G_PARAM_SPEC_FLAGS(spec)->flags_class->mask);
  } else if (G_IS_PARAM_SPEC_DOUBLE(spec)) {
    GParamSpecDouble *number = G_PARAM_SPEC_DOUBLE(spec);

    g_value_set_double(value, near(number->default_value, number->maximum, chance));
  } else if (G_IS_PARAM_SPEC_INT(spec)) {
    GParamSpecInt *number = G_PARAM_SPEC_INT(spec);

    g_value_set_int(value, (gint)near(number->default_value, number->maximum, chance));
  } else if (G_IS_PARAM_SPEC_UINT(spec)) {
    GParamSpecUInt *number = G_PARAM_SPEC_UINT(spec);

    g_value_set_uint(value, (guint)near(number->default_value, number->maximum, chance));
  } else if (g_str_equal(spec->name, "class-kinds")) {
    static const char *const kinds[] = {"ground=road;sky=sky", "ground=0,1,9", "sky=10"};

    g_value_set_static_string(value, kinds[g_rand_int_range(chance, 0, G_N_ELEMENTS(kinds))]);
  } else {
    fail("%s is of a type that is not turned here", spec->name);
  }
}

static void turn(const Handle *handle, GRand *chance)
{
  GValue value = G_VALUE_INIT;

  g_value_init(&value, handle->spec->value_type);
  if ((handle->spec->flags & GST_PARAM_MUTABLE_PLAYING) == GST_PARAM_MUTABLE_PLAYING) {
    choose(handle->spec, &value, chance);
    g_object_set_property(handle->object, handle->spec->name, &value);
  }
  g_object_get_property(handle->object, handle->spec->name, &value);
  g_value_unset(&value);
}

typedef struct {
  GArray *handles;
  gint enough;
  guint turned;
} Steering;

static gpointer steer(gpointer data)
{
  Steering *steering = data;
  g_autoptr(GRand) chance = g_rand_new_with_seed(1);

  while (!g_atomic_int_get(&steering->enough))
    for (guint i = 0; i < steering->handles->len; i++, steering->turned++)
      turn(&g_array_index(steering->handles, Handle, i), chance);
  return NULL;
}

/* ---- While frames flow --------------------------------------------------------------------- */

static void await_frames(GstElement *pipeline, gint *frames, gint enough)
{
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);

  for (gint i = 0; i < SECONDS * 10 && g_atomic_int_get(frames) < enough; i++) {
    GstMessage *error = gst_bus_timed_pop_filtered(bus, GST_SECOND / 10, GST_MESSAGE_ERROR);

    fail_unless(error == NULL);
  }
  fail_unless(g_atomic_int_get(frames) >= enough, "only %d frames", g_atomic_int_get(frames));
}

STX_TEST_LOOP(all_properties_while_playing, G_N_ELEMENTS(lines))
{
  g_autoptr(GstElement) pipeline = stx_test_parse(lines[_i]);
  Steering steering = {find_handles(pipeline), FALSE, 0};
  gint frames = 0;
  GThread *thread;

  stx_test_probe(pipeline, "out", "sink", GST_PAD_PROBE_TYPE_BUFFER, stx_test_count_one, &frames);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  thread = g_thread_new("steer", steer, &steering);
  await_frames(pipeline, &frames, (gint)endurance_rounds(60, 20000));
  g_atomic_int_set(&steering.enough, TRUE);
  g_thread_join(thread);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  g_print("%u properties, turned %u times in %d frames\n", steering.handles->len, steering.turned,
      frames);
  g_array_free(steering.handles, TRUE);
}

double stx_test_prepare(void)
{
  return 2 * SECONDS;
}
