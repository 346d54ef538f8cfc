/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The output of gst-inspect-1.0 for the plugin and each of its elements: all there, in one
 * style. */
#include "tests/gst/fixtures/util.h"

#include <string.h>

/* GStreamer's words for kinds of elements, as far as they may fit one of ours. */
static const char *const kinds[] = {"Source", "Sink", "Filter", "Effect", "Converter", "Analyzer",
    "Codec", "Parser", "Decoder", "Encoder", "Bin", "Video", "Metadata"};

static void each_element(void (*check)(GstElementFactory *factory))
{
  g_auto(GStrv) names = stx_test_elements();

  for (gchar **name = names; *name != NULL; name++) {
    g_autoptr(GstElementFactory) factory = gst_element_factory_find(*name);
    g_autoptr(GstPluginFeature) loaded = gst_plugin_feature_load(GST_PLUGIN_FEATURE(factory));

    check(GST_ELEMENT_FACTORY(loaded));
  }
}

static gboolean is_url(const gchar *text)
{
  return text != NULL && strstr(text, "://") != NULL &&
         g_uri_is_valid(text, G_URI_FLAGS_NONE, NULL);
}

STX_TEST(plugin_says_where_it_comes_from)
{
  g_autoptr(GstPlugin) plugin = gst_registry_find_plugin(gst_registry_get(), "stixels");

  ck_assert_msg(is_url(gst_plugin_get_origin(plugin)), "origin %s", gst_plugin_get_origin(plugin));
  ck_assert(strlen(gst_plugin_get_package(plugin)) > 0);
  ck_assert_str_eq(gst_plugin_get_license(plugin), "LGPL");
}

/* ---- Texts --------------------------------------------------------------------------------- */

/* Begins with a capital, or a word that has none, and does not end like a sentence. */
static void check_text(const gchar *owner, const gchar *text)
{
  ck_assert_msg(text != NULL && strlen(text) > 1, "%s: no text", owner);
  ck_assert_msg(!g_ascii_islower(text[0]), "%s: '%s' begins with a small letter", owner, text);
  ck_assert_msg(text[strlen(text) - 1] != '.', "%s: '%s' ends with a full stop", owner, text);
}

static void check_kind(const gchar *owner, const gchar *klass)
{
  g_auto(GStrv) words = g_strsplit(klass, "/", -1);

  for (gchar **word = words; *word != NULL; word++) {
    gboolean known = FALSE;

    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
      known |= g_str_equal(*word, kinds[i]);
    ck_assert_msg(known, "%s: %s in %s", owner, *word, klass);
  }
}

/* The page is installed under that name, and is in the tree. */
static void check_page(const gchar *owner, const gchar *uri)
{
  g_autofree gchar *end = g_strdup_printf("/docs/elements/%s.md", owner);
  g_autofree gchar *path = g_strconcat(g_getenv("STX_SOURCE_DIR"), end, NULL);

  ck_assert_msg(is_url(uri) && g_str_has_suffix(uri, end), "%s: %s", owner, uri);
  ck_assert_msg(g_file_test(path, G_FILE_TEST_EXISTS), "no %s", path);
}

static void check_element(GstElementFactory *factory)
{
  const gchar *name = GST_OBJECT_NAME(factory);
  const gchar *description = gst_element_factory_get_metadata(factory, "description");

  check_text(name, gst_element_factory_get_metadata(factory, "long-name"));
  check_text(name, description);
  ck_assert_msg(strstr(description, "s ") != NULL && strchr(description, ' ')[-1] == 's',
      "%s: '%s' does not begin with what it does", name, description);
  ck_assert_str_eq(
      gst_element_factory_get_metadata(factory, "author"), "The gst-stixels developers");
  check_kind(name, gst_element_factory_get_metadata(factory, "klass"));
  check_page(name, gst_element_factory_get_metadata(factory, "doc-uri"));
}

static void check_factory(const GValue *value, gpointer owner)
{
  GstElement *part = g_value_get_object(value);

  ck_assert_msg(gst_element_get_factory(part) != NULL, "%s in %s has no factory",
      GST_OBJECT_NAME(part), (const gchar *)owner);
}

/* Programs that draw a pipeline ask each element of each bin. */
static void check_parts(GstElementFactory *factory)
{
  g_autoptr(GstElement) element = gst_element_factory_create(factory, NULL);
  g_autoptr(GstIterator) parts =
      GST_IS_BIN(element) ? gst_bin_iterate_recurse(GST_BIN(element)) : NULL;

  if (parts != NULL)
    gst_iterator_foreach(parts, check_factory, GST_OBJECT_NAME(factory));
}

STX_TEST(all_parts_of_bins_have_factories)
{
  each_element(check_parts);
}

STX_TEST(elements_describe_themselves)
{
  each_element(check_element);
}

/* decodebin and playbin take no element by accident: only those that read what typefind knows. */
static void check_rank(GstElementFactory *factory)
{
  guint rank = gst_plugin_feature_get_rank(GST_PLUGIN_FEATURE(factory));
  gboolean reads_files = g_str_equal(GST_OBJECT_NAME(factory), "lidar-parse");

  ck_assert_msg(rank == (reads_files ? GST_RANK_PRIMARY : GST_RANK_NONE), "%s: rank %u",
      GST_OBJECT_NAME(factory), rank);
}

STX_TEST(ranks_keep_elements_out_of_players)
{
  each_element(check_rank);
}

/* ---- Properties and pads ------------------------------------------------------------------- */

/* Properties of GStreamer's base classes are not ours. */
static gboolean is_ours(GType type)
{
  const gchar *name = g_type_name(type);

  return g_str_has_prefix(name, "GstStx") || g_str_has_prefix(name, "GstStereo") ||
         g_str_has_prefix(name, "GstStixel") || g_str_has_prefix(name, "GstLidar") ||
         g_str_has_prefix(name, "GstStreet") || g_str_has_prefix(name, "GstSatDp") ||
         g_str_has_prefix(name, "GstRdp") || g_str_has_prefix(name, "GstDownsample");
}

static void check_property(const gchar *owner, GParamSpec *spec)
{
  g_autofree gchar *name = g_strdup_printf("%s: %s", owner, spec->name);
  const gchar *text = g_param_spec_get_blurb(spec);

  check_text(name, g_param_spec_get_nick(spec));
  check_text(name, text);
  /* A lens's field of view is in degrees on every data sheet. */
  ck_assert_msg(strstr(text, "degree") == NULL || g_str_equal(spec->name, "fov"),
      "%s: angles are radians", name);
  if (G_IS_PARAM_SPEC_ENUM(spec) || G_IS_PARAM_SPEC_FLAGS(spec))
    ck_assert_msg(gst_type_is_plugin_api(spec->value_type, NULL), "%s: %s is in no page", name,
        g_type_name(spec->value_type));
}

static void check_properties(GstElementFactory *factory)
{
  GType type = gst_element_factory_get_element_type(factory);
  GObjectClass *klass = g_type_class_ref(type);
  guint count;
  g_autofree GParamSpec **specs = g_object_class_list_properties(klass, &count);

  for (guint i = 0; i < count; i++)
    if (is_ours(specs[i]->owner_type))
      check_property(GST_OBJECT_NAME(factory), specs[i]);
  g_type_class_unref(klass);
}

STX_TEST(properties_describe_themselves)
{
  each_element(check_properties);
}

/* An element is found by the formats that it takes. */
static void check_pads(GstElementFactory *factory)
{
  const GList *templates = gst_element_factory_get_static_pad_templates(factory);

  ck_assert(templates != NULL);
  for (; templates != NULL; templates = templates->next) {
    GstStaticPadTemplate *pad = templates->data;
    g_autoptr(GstCaps) caps = gst_static_caps_get(&pad->static_caps);

    ck_assert_msg(!gst_caps_is_any(caps) && !gst_caps_is_empty(caps),
        "%s: %s takes %" GST_PTR_FORMAT, GST_OBJECT_NAME(factory), pad->name_template, caps);
  }
}

STX_TEST(pads_say_what_they_take)
{
  each_element(check_pads);
}
