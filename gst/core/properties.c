/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/core/properties.h"

#include "gst/core/element.h"

/* The table row of a property, kept with its GParamSpec. */
typedef struct {
  const StxField *field;
  const StxFields *fields; /* its table */
  gssize offset;           /* from the instance to the struct */
} Place;

GST_STX_QUARK(place)

/* ---- Types of choices ---------------------------------------------------------------------- */

/* "GstStereoSgm" and "max-disparity" make "GstStereoSgmMaxDisparity". */
static gchar *type_name(const StxField *field, const char *prefix)
{
  GString *name = g_string_new(field->type_name != NULL ? field->type_name : prefix);
  gboolean begins = TRUE;

  if (field->type_name != NULL)
    return g_string_free(name, FALSE);
  for (const char *c = field->name; *c != '\0'; c++) {
    if (*c != '-')
      g_string_append_c(name, begins ? g_ascii_toupper(*c) : *c);
    begins = *c == '-';
  }
  return g_string_free(name, FALSE);
}

/* Several elements may have the same field. GLib runs one class_init at a time. */
static GType choices_type(const StxField *field, const char *prefix)
{
  g_autofree gchar *name = type_name(field, prefix);
  GType type = g_type_from_name(name);
  GArray *values;
  gpointer kept; /* by GLib, for ever; those of flags have the same members */

  if (type != 0)
    return type;
  values = g_array_new(TRUE, TRUE, sizeof(GEnumValue));
  for (const StxFieldChoice *choice = field->choices; choice->nick != NULL; choice++)
    g_array_append_val(values, ((GEnumValue){choice->value, choice->text, choice->nick}));
  kept = g_array_free(values, FALSE);
  type = field->type == STX_FIELD_FLAGS ? g_flags_register_static(name, kept)
                                        : g_enum_register_static(name, kept);
  gst_type_mark_as_plugin_api(type, 0);
  return type;
}

/* ---- Installing ---------------------------------------------------------------------------- */

static GParamSpec *number_spec_new(
    const StxField *field, const StxFields *fields, const char *prefix, GParamFlags flags)
{
  const char *name = field->name, *nick = field->title, *blurb = field->text;
  gdouble low = stx_field_low(field), high = stx_field_high(field);
  gdouble standard = stx_field_get(field, fields->defaults);

  if (field->type == STX_FIELD_DOUBLE || field->scale > 0)
    return g_param_spec_double(name, nick, blurb, low, high, standard, flags);
  switch (field->type) {
  case STX_FIELD_UINT:
    return g_param_spec_uint(name, nick, blurb, (guint)low, (guint)high, (guint)standard, flags);
  case STX_FIELD_BOOL:
    return g_param_spec_boolean(name, nick, blurb, standard != 0, flags);
  case STX_FIELD_CHOICE:
    return g_param_spec_enum(name, nick, blurb, choices_type(field, prefix), (gint)standard, flags);
  case STX_FIELD_FLAGS:
    return g_param_spec_flags(
        name, nick, blurb, choices_type(field, prefix), (guint)standard, flags);
  default:
    return g_param_spec_int(name, nick, blurb, (gint)low, (gint)high, (gint)standard, flags);
  }
}

static GParamSpec *spec_new(const StxField *field, const GstStxPropertyGroup *group)
{
  const char *name = field->name, *nick = field->title, *blurb = field->text;
  GParamFlags change = field->at_start ? GST_PARAM_MUTABLE_READY : group->change;
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | change;

  if (field->type == STX_FIELD_TEXT)
    return g_param_spec_string(name, nick, blurb, NULL, flags);
  if (field->type == STX_FIELD_SPELLED) {
    gchar text[STX_SPELLING_SIZE];

    field->spelling->write(group->fields->defaults, text);
    return g_param_spec_string(name, nick, blurb, text, flags);
  }
  if (field->type == STX_FIELD_COUNT)
    return g_param_spec_uint64(
        name, nick, blurb, 0, G_MAXUINT64, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  if (field->type == STX_FIELD_FRACTION) {
    const gint *standard = (const gint *)((const gchar *)group->fields->defaults + field->offset);

    return gst_param_spec_fraction(name, nick, blurb, (gint)field->low, 1, (gint)field->high, 1,
        standard[0], standard[1], flags);
  }
  return number_spec_new(field, group->fields, group->prefix, flags);
}

void gst_stx_properties_install(
    gpointer object_class, const GstStxPropertyGroup *groups, guint count)
{
  GObjectClass *klass = G_OBJECT_CLASS(object_class);
  guint id = GST_STX_PROPERTY_FIRST;

  klass->set_property = gst_stx_set_property;
  klass->get_property = gst_stx_get_property;
  for (const GstStxPropertyGroup *group = groups; group < groups + count; group++)
    for (gsize i = 0; i < group->fields->count; i++) {
      const StxField *field = &group->fields->fields[i];
      GParamSpec *spec;
      Place *place;

      if (field->title == NULL)
        continue;
      spec = spec_new(field, group);
      place = g_new(Place, 1);
      *place = (Place){field, group->fields, group->offset};
      g_param_spec_set_qdata_full(spec, place_quark(), place, g_free);
      g_object_class_install_property(klass, id++, spec);
    }
}

/* ---- Setting and getting ------------------------------------------------------------------- */

static gdouble number_of(const GValue *value)
{
  switch (G_TYPE_FUNDAMENTAL(G_VALUE_TYPE(value))) {
  case G_TYPE_DOUBLE:
    return g_value_get_double(value);
  case G_TYPE_UINT:
    return g_value_get_uint(value);
  case G_TYPE_BOOLEAN:
    return g_value_get_boolean(value);
  case G_TYPE_ENUM:
    return g_value_get_enum(value);
  case G_TYPE_FLAGS:
    return g_value_get_flags(value);
  default:
    return g_value_get_int(value);
  }
}

static void take_number(GValue *value, gdouble number)
{
  switch (G_TYPE_FUNDAMENTAL(G_VALUE_TYPE(value))) {
  case G_TYPE_DOUBLE:
    g_value_set_double(value, number);
    break;
  case G_TYPE_UINT:
    g_value_set_uint(value, (guint)number);
    break;
  case G_TYPE_BOOLEAN:
    g_value_set_boolean(value, number != 0);
    break;
  case G_TYPE_ENUM:
    g_value_set_enum(value, (gint)number);
    break;
  case G_TYPE_FLAGS:
    g_value_set_flags(value, (guint)number);
    break;
  default:
    g_value_set_int(value, (gint)number);
  }
}

static void set_field(const StxField *field, gpointer params, const GValue *value)
{
  gpointer at = (gchar *)params + field->offset;
  const gchar *text;
  StxError error;

  if (field->type == STX_FIELD_TEXT) {
    g_free(*(gchar **)at);
    *(gchar **)at = g_value_dup_string(value);
  } else if (field->type == STX_FIELD_SPELLED) {
    text = g_value_get_string(value);
    /* The element refuses unreadable and forbidden values when it starts. */
    if (!field->spelling->read(text != NULL ? text : "", params, &error))
      GST_WARNING("%s", error.text);
  } else if (field->type == STX_FIELD_FRACTION) {
    ((gint *)at)[0] = gst_value_get_fraction_numerator(value);
    ((gint *)at)[1] = gst_value_get_fraction_denominator(value);
  } else {
    stx_field_set(field, params, number_of(value));
  }
}

static void get_field(const StxField *field, gconstpointer params, GValue *value)
{
  gconstpointer at = (const gchar *)params + field->offset;
  gchar text[STX_SPELLING_SIZE];

  if (field->type == STX_FIELD_SPELLED) {
    field->spelling->write(params, text);
    g_value_set_string(value, text);
  } else if (field->type == STX_FIELD_TEXT)
    g_value_set_string(value, *(gchar *const *)at);
  else if (field->type == STX_FIELD_FRACTION)
    gst_value_set_fraction(value, ((const gint *)at)[0], ((const gint *)at)[1]);
  else if (field->type == STX_FIELD_COUNT)
    g_value_set_uint64(value, *(const guint64 *)at);
  else
    take_number(value, stx_field_get(field, params));
}

/* Sets a value. What makes good values bad, together with another property, would end a stream
 * that is under way, and is taken back then; before, it is refused when the stream begins. */
static gboolean try_field(
    const Place *place, gpointer params, const GValue *value, gboolean runs, StxError *error)
{
  GValue before = G_VALUE_INIT;
  gboolean good = TRUE;

  runs = runs && place->fields->check != NULL && place->fields->check(params, error);
  if (runs) {
    g_value_init(&before, G_VALUE_TYPE(value));
    get_field(place->field, params, &before);
  }
  set_field(place->field, params, value);
  if (!runs)
    return TRUE;
  good = place->fields->check(params, error);
  if (!good)
    set_field(place->field, params, &before);
  g_value_unset(&before);
  return good;
}

void gst_stx_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  const Place *place = g_param_spec_get_qdata(spec, place_quark());
  gboolean good;
  StxError error;

  if (place == NULL) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    return;
  }
  GST_OBJECT_LOCK(object);
  good = try_field(
      place, (gchar *)object + place->offset, value, GST_STATE(object) >= GST_STATE_PAUSED, &error);
  GST_OBJECT_UNLOCK(object);
  if (!good)
    GST_ELEMENT_WARNING(
        object, RESOURCE, SETTINGS, ("%s; the value before stays", error.text), (NULL));
}

void gst_stx_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  const Place *place = g_param_spec_get_qdata(spec, place_quark());

  if (place == NULL) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    return;
  }
  GST_STX_LOCKED(object, get_field(place->field, (const gchar *)object + place->offset, value));
}
