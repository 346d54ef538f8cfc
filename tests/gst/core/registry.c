/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs before all other element tests: the plugin loads and has elements. On the way it writes the
 * registry that they read; scanning the system's plugins once per test would be slow, and their
 * leaks would be taken for ours where a sanitizer looks on.
 */
#include "tests/gst/fixtures/util.h"

STX_TEST(plugin_loads_and_has_elements)
{
  g_autoptr(GstPlugin) plugin = gst_registry_find_plugin(gst_registry_get(), "stixels");
  g_auto(GStrv) names = NULL;

  fail_unless(plugin != NULL, "no plugin stixels in %s", g_getenv("GST_PLUGIN_PATH_1_0"));
  names = stx_test_elements();
  for (gchar **name = names; *name != NULL; name++) {
    GstElement *element = gst_element_factory_make(*name, NULL);

    fail_unless(element != NULL, "cannot make a %s", *name);
    gst_object_unref(gst_object_ref_sink(element));
  }
}
