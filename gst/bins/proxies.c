/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/bins/proxies.h"

#define MOST_PARTS 32

/* ---- Installing ---------------------------------------------------------------------------- */

#define COPY_NUMBER(Type, Spec, type)                                                              \
  if (G_IS_PARAM_SPEC_##Type(from)) {                                                              \
    Spec *spec = G_PARAM_SPEC_##Type(from);                                                        \
                                                                                                   \
    return g_param_spec_##type(                                                                    \
        name, nick, text, spec->minimum, spec->maximum, spec->default_value, flags);               \
  }

/* A spec belongs to one class for ever, so each class needs one of its own. */
static GParamSpec *copy_spec(GParamSpec *from, const gchar *own_text)
{
  const gchar *name = from->name, *nick = g_param_spec_get_nick(from);
  const gchar *text = own_text != NULL ? own_text : g_param_spec_get_blurb(from);
  GParamFlags flags = from->flags;

  COPY_NUMBER(INT, GParamSpecInt, int)
  COPY_NUMBER(UINT, GParamSpecUInt, uint)
  COPY_NUMBER(DOUBLE, GParamSpecDouble, double)
  if (G_IS_PARAM_SPEC_BOOLEAN(from))
    return g_param_spec_boolean(name, nick, text, G_PARAM_SPEC_BOOLEAN(from)->default_value, flags);
  if (G_IS_PARAM_SPEC_ENUM(from))
    return g_param_spec_enum(
        name, nick, text, from->value_type, G_PARAM_SPEC_ENUM(from)->default_value, flags);
  if (G_IS_PARAM_SPEC_FLAGS(from))
    return g_param_spec_flags(
        name, nick, text, from->value_type, G_PARAM_SPEC_FLAGS(from)->default_value, flags);
  return g_param_spec_string(name, nick, text, G_PARAM_SPEC_STRING(from)->default_value, flags);
}

static guint first_child(const GstStxProxy *proxy)
{
  guint index = 0;

  while ((proxy->children >> index & 1) == 0)
    index++;
  return index;
}

/* The class of a factory of ours; its registration has loaded it. A new reference. */
static GObjectClass *take_class(const gchar *factory)
{
  GstElementFactory *found = gst_element_factory_find(factory);
  GObjectClass *klass = g_type_class_ref(gst_element_factory_get_element_type(found));

  gst_object_unref(found);
  return klass;
}

void gst_stx_proxies_install(
    GObjectClass *klass, const GstStxProxy *proxies, guint count, const GstStxPart *parts)
{
  for (guint i = 0; i < count; i++) {
    GObjectClass *child = take_class(parts[first_child(&proxies[i])].factory);
    GParamSpec *spec = g_object_class_find_property(child, proxies[i].name);

    g_object_class_install_property(klass, i + 1, copy_spec(spec, proxies[i].text));
    g_type_class_unref(child);
  }
}

/* ---- Values -------------------------------------------------------------------------------- */

void gst_stx_proxy_set(const GstStxProxy *proxy, GstElement *const *children, const GValue *value)
{
  for (guint i = 0; i < MOST_PARTS; i++)
    if (proxy->children >> i & 1)
      g_object_set_property(G_OBJECT(children[i]), proxy->name, value);
}

void gst_stx_proxy_get(const GstStxProxy *proxy, GstElement *const *children, GValue *value)
{
  g_object_get_property(G_OBJECT(children[first_child(proxy)]), proxy->name, value);
}
