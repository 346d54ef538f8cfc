/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs before all other element tests: the plugin loads and has elements. On the way it writes the
 * registry that they read; scanning the system's plugins once per test would be slow, and their
 * leaks would be taken for ours where a sanitizer looks on.
 */
#include "tests/gst/fixtures/util.h"

GST_START_TEST(plugin_loads_and_has_elements)
{
  GstPlugin *plugin = gst_registry_find_plugin(gst_registry_get(), "stixels");
  gchar **names;

  fail_unless(plugin != NULL, "no plugin stixels in %s", g_getenv("GST_PLUGIN_PATH_1_0"));
  names = stx_test_elements();
  for (gchar **name = names; *name != NULL; name++) {
    GstElement *element = gst_element_factory_make(*name, NULL);

    fail_unless(element != NULL, "cannot make a %s", *name);
    gst_object_unref(gst_object_ref_sink(element));
  }
  g_strfreev(names);
  gst_object_unref(plugin);
}
GST_END_TEST;

static Suite *registry_suite(void)
{
  Suite *suite = suite_create("registry");
  TCase *tests = tcase_create("registry");

  suite_add_tcase(suite, tests);
  tcase_add_test(tests, plugin_loads_and_has_elements);
  return suite;
}

GST_CHECK_MAIN(registry)
