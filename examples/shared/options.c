/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/shared/options.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gboolean print_version(
    const char *option, const char *value, gpointer data, GError **problem)
{
  printf("%s (gst-stixels) %s\n", g_get_prgname(), STX_VERSION);
  exit(EXIT_SUCCESS);
}

bool options_parse(GOptionContext *context, int *argc, char ***argv, StxError *error)
{
  const GOptionEntry entries[] = {{"version", 0, G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK,
                                      (gpointer)(guintptr)print_version, "print it", NULL},
      {NULL}};
  GError *problem = NULL;
  g_option_context_add_main_entries(context, entries, NULL);
  bool good = g_option_context_parse(context, argc, argv, &problem);
  g_option_context_free(context);
  if (!good) {
    stx_fail(error, "%s (see --help)", problem->message);
    g_error_free(problem);
  }
  return good;
}

int options_choose(
    const char *option, const char *value, const char *const *choices, StxError *error)
{
  for (int i = 0; choices[i] != NULL; i++)
    if (strcmp(value, choices[i]) == 0)
      return i;
  char *all = g_strjoinv(", ", (char **)choices);
  stx_fail(error, "--%s=%s: choose one of %s", option, value, all);
  g_free(all);
  return -1;
}

bool options_size(
    const char *option, const char *text, bool single, int *width, int *height, StxError *error)
{
  char rest;
  if (sscanf(text, "%dx%d%c", width, height, &rest) == 2)
    return true;
  if (single && sscanf(text, "%d%c", width, &rest) == 1) {
    *height = *width;
    return true;
  }
  return stx_fail(error, "--%s=%s: write it as %s", option, text, single ? "N or WxH" : "WxH");
}

static int by_name(gconstpointer a, gconstpointer b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *list_files(const char *folder, const char *suffix)
{
  GDir *dir = g_dir_open(folder, 0, NULL);
  if (dir == NULL)
    return NULL;
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  for (const char *name; (name = g_dir_read_name(dir)) != NULL;)
    if (g_str_has_suffix(name, suffix))
      g_ptr_array_add(names, g_strdup(name));
  g_dir_close(dir);
  g_ptr_array_sort(names, by_name);
  return names;
}

/* ---- Options made from tables of fields ---------------------------------------------------- */

/* The data of a group's entries and its callback. */
typedef struct {
  OptionGroup group;
  GPtrArray *strings; /* texts of the entries */
} GroupData;

static void free_data(gpointer data)
{
  g_ptr_array_free(((GroupData *)data)->strings, TRUE);
  g_free(data);
}

static const char *keep(GroupData *data, char *text)
{
  g_ptr_array_add(data->strings, text);
  return text;
}

/* On by default: the option switches it off. */
static bool is_on(const StxFields *table, const StxField *field)
{
  return field->type == STX_FIELD_BOOL && stx_field_get(field, table->defaults) != 0;
}

/* The field of an option "--p1", "--no-level" or of another name of it. */
static const StxField *find_field(const GroupData *data, const char *name, OptionFields *found)
{
  for (const OptionAlias *a = data->group.aliases; a != NULL && a->alias != NULL; a++)
    if (strcmp(name, a->alias) == 0)
      name = a->name;
  for (size_t i = 0; i < OPTION_TABLES && data->group.fields[i].table != NULL; i++) {
    *found = data->group.fields[i];
    const StxField *field = stx_fields_find(found->table, name);
    if (field == NULL && g_str_has_prefix(name, "no-"))
      field = stx_fields_find(found->table, name + strlen("no-"));
    if (field != NULL)
      return field;
  }
  return NULL;
}

/* ---- Values */

static bool parse_number(const char *text, double *number)
{
  char *end;
  *number = g_ascii_strtod(text, &end);
  return end != text && *end == '\0';
}

static bool refuse_number(
    const StxField *field, const char *name, const char *text, StxError *error)
{
  return stx_fail(error, "--%s=%s: must be %s%g to %g%s%s", name, text,
      field->type == STX_FIELD_INT && field->scale == 0 ? "a whole number, " : "",
      stx_field_low(field), stx_field_high(field), field->unit != NULL ? " " : "",
      field->unit != NULL ? field->unit : "");
}

/* Whether the number can be stored; its range is the check's. */
static bool fits(const StxField *field, double number)
{
  if (field->type == STX_FIELD_DOUBLE)
    return true;
  if (field->scale > 0)
    return number >= stx_field_low(field) && number <= stx_field_high(field);
  return number == floor(number) && fabs(number) <= INT_MAX;
}

static bool parse_choice(
    const StxField *field, const char *name, const char *text, double *number, StxError *error)
{
  const StxFieldChoice *choice = stx_field_choice_named(field->choices, text);
  if (choice != NULL)
    *number = choice->value;
  if (choice != NULL || (parse_number(text, number) && fits(field, *number)))
    return true;
  GPtrArray *nicks = g_ptr_array_new();
  for (choice = field->choices; choice->nick != NULL; choice++)
    g_ptr_array_add(nicks, (gpointer)choice->nick);
  g_ptr_array_add(nicks, NULL);
  options_choose(name, text, (const char *const *)nicks->pdata, error);
  g_ptr_array_free(nicks, TRUE);
  return false;
}

static bool parse_value(const OptionFields *fields, const StxField *field, const char *name,
    const char *text, double *number, StxError *error)
{
  if (field->type == STX_FIELD_BOOL) {
    *number = !is_on(fields->table, field);
    return true;
  }
  if (field->type == STX_FIELD_CHOICE)
    return parse_choice(field, name, text, number, error);
  return (parse_number(text, number) && fits(field, *number)) ||
         refuse_number(field, name, text, error);
}

static bool set_field(const OptionFields *fields, const StxField *field, const char *name,
    const char *text, StxError *error)
{
  double number;
  if (field->type == STX_FIELD_SPELLED)
    return field->spelling->read(text, fields->params, error);
  if (!parse_value(fields, field, name, text, &number, error))
    return false;
  stx_field_set(field, fields->params, number);
  return stx_field_check(fields->table, field, fields->params, error);
}

/* GOptionArgFunc */
static gboolean set_option(const char *option, const char *text, gpointer data, GError **problem)
{
  const char *name = option + strspn(option, "-");
  OptionFields fields;
  const StxField *field = find_field(data, name, &fields);
  StxError error;
  if (set_field(&fields, field, name, text, &error))
    return TRUE;
  g_set_error_literal(problem, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, error.text);
  return FALSE;
}

/* ---- Entries */

/* The text with default and range or choices. */
static char *describe(const StxFields *table, const StxField *field)
{
  char spelled[STX_SPELLING_SIZE];
  if (field->type == STX_FIELD_SPELLED) {
    field->spelling->write(table->defaults, spelled);
    return g_strdup_printf("%s [%s]", field->text, spelled);
  }
  double standard = stx_field_get(field, table->defaults);
  GString *text = g_string_new(field->text);
  if (field->type == STX_FIELD_CHOICE) {
    g_string_append_printf(text, " [%s;", stx_field_choice(field->choices, (int)standard)->nick);
    for (const StxFieldChoice *c = field->choices; c->nick != NULL; c++)
      g_string_append_printf(text, "%s %s", c == field->choices ? "" : ",", c->nick);
    g_string_append_c(text, ']');
  } else if (field->type <= STX_FIELD_UINT) {
    g_string_append_printf(text, " [%g; %g to %g%s%s]", standard, stx_field_low(field),
        stx_field_high(field), field->unit != NULL ? " " : "",
        field->unit != NULL ? field->unit : "");
  }
  return g_string_free(text, FALSE);
}

static GOptionEntry entry_of(GroupData *data, const StxFields *table, const StxField *field)
{
  const bool is_switch = field->type == STX_FIELD_BOOL;
  GOptionEntry entry = {.long_name = field->name,
      .flags = is_switch ? G_OPTION_FLAG_NO_ARG : 0,
      .arg = G_OPTION_ARG_CALLBACK,
      .arg_data = (gpointer)set_option,
      .description = keep(data, describe(table, field)),
      .arg_description = field->type == STX_FIELD_CHOICE    ? "CHOICE"
                         : field->type == STX_FIELD_SPELLED ? field->spelling->form
                                                            : "N"};
  if (is_on(table, field)) {
    entry.long_name = keep(data, g_strconcat("no-", field->name, NULL));
    entry.description = keep(data, g_strconcat("off: ", field->text, NULL));
  }
  if (is_switch)
    entry.arg_description = NULL;
  return entry;
}

static void add_table(GOptionGroup *group, GroupData *data, const StxFields *table)
{
  for (size_t i = 0; i < table->count; i++) {
    if (table->fields[i].name == NULL)
      continue;
    GOptionEntry entries[] = {entry_of(data, table, &table->fields[i]), {NULL}};
    g_option_group_add_entries(group, entries);
    for (const OptionAlias *a = data->group.aliases; a != NULL && a->alias != NULL; a++)
      if (strcmp(a->name, table->fields[i].name) == 0) {
        entries[0].long_name = a->alias;
        entries[0].flags |= G_OPTION_FLAG_HIDDEN;
        g_option_group_add_entries(group, entries);
      }
  }
}

void options_add_group(GOptionContext *context, const OptionGroup *group)
{
  GroupData *data = g_new0(GroupData, 1);
  *data = (GroupData){*group, g_ptr_array_new_with_free_func(g_free)};
  GOptionGroup *added = g_option_group_new(group->name, group->title, group->text, data, free_data);
  for (size_t i = 0; i < OPTION_TABLES && group->fields[i].table != NULL; i++)
    add_table(added, data, group->fields[i].table);
  g_option_context_add_group(context, added);
}

bool options_check_threads(int threads, StxError *error)
{
  if (threads < 0 || threads > 256)
    return stx_fail(error, "--threads=%d: must be 0 (all cores) to 256", threads);
  return true;
}
