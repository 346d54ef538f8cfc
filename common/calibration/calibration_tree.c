/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files to trees. JSON is jansson's; YAML becomes the same kind of tree by way of libyaml, and so
 * do the sections of an INI file. KITTI's lines "key: numbers" are YAML as they stand.
 */
#define _GNU_SOURCE /* strtod_l: files have a decimal point whatever the locale */
#include "common/calibration/calibration_private.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "common/text_file.h"

#define EXPECTED "a calibration of OpenCV, ROS, Kalibr, KITTI, ZED or DepthAI"
#define MOST_DEPTH 16
#define MOST_NODES 65536 /* with those that an alias repeats */
#define MOST_NAMES 256   /* anchors and directives: libyaml compares each with all before it */

/* What messages of jansson quote of a file may be anything. */
static json_t *refuse_json(const char *name, json_error_t *where, StxError *error)
{
  for (char *at = where->text; *at != 0; at++)
    if ((uint8_t)*at < ' ' || (uint8_t)*at >= 127)
      *at = '?';
  stx_fail(error, "%s:%d:%d: not valid JSON: %.100s: write it again with the tool that made it",
      name, where->line, where->column, where->text);
  return NULL;
}

/* A number if the whole text is one, else the text. */
static json_t *scalar(const char *text, size_t length)
{
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  double value = NAN;
  char *end = NULL;
  if (c_locale != (locale_t)0 && length > 0 && strchr("+-.0123456789", *text) != NULL)
    value = strtod_l(text, &end, c_locale);
  if (c_locale != (locale_t)0)
    freelocale(c_locale);
  if (end == text + length && isfinite(value))
    return json_real(value);
  return json_stringn(text, length);
}

/* Takes the value; a key that is there already gets it anew. */
static bool set_value(json_t *object, const char *key, json_t *value, size_t line)
{
  json_t *lines = json_object_get(object, STX_CALIBRATION_LINES);
  if (lines == NULL) {
    lines = json_object();
    if (json_object_set_new(object, STX_CALIBRATION_LINES, lines) != 0) {
      json_decref(value);
      return false;
    }
  }
  return json_object_set_new(object, key, value) == 0 &&
         json_object_set_new(lines, key, json_integer((json_int_t)line)) == 0;
}

/* ---- YAML: trees --------------------------------------------------------------------------- */

typedef struct {
  yaml_document_t document;
  const char *name;
  StxError *error;
  int nodes;
} Yaml;

static json_t *convert(Yaml *yaml, int index, int depth);

static json_t *refuse_node(const Yaml *yaml, const yaml_node_t *node, const char *what)
{
  stx_fail(yaml->error, "%s:%zu: %s", yaml->name, node->start_mark.line + 1, what);
  return NULL;
}

static json_t *sequence(Yaml *yaml, const yaml_node_t *node, int depth)
{
  json_t *array = json_array();
  const yaml_node_item_t *item = node->data.sequence.items.start;
  for (; array != NULL && item < node->data.sequence.items.top; item++) {
    json_t *value = convert(yaml, *item, depth + 1);
    if (value == NULL || json_array_append_new(array, value) != 0) {
      json_decref(array);
      return NULL;
    }
  }
  return array;
}

static bool add_pair(Yaml *yaml, const yaml_node_pair_t *pair, int depth, json_t *object)
{
  const yaml_node_t *key = yaml_document_get_node(&yaml->document, pair->key);
  if (key->type != YAML_SCALAR_NODE)
    return refuse_node(yaml, key, "a key that is no plain text") != NULL;
  if (json_object_get(object, (const char *)key->data.scalar.value) != NULL)
    return refuse_node(yaml, key, "a key a second time") != NULL;
  json_t *value = convert(yaml, pair->value, depth + 1);
  return value != NULL && (set_value(object, (const char *)key->data.scalar.value, value,
                               key->start_mark.line + 1) ||
                              refuse_node(yaml, key, "a key that cannot be read") != NULL);
}

static json_t *mapping(Yaml *yaml, const yaml_node_t *node, int depth)
{
  json_t *object = json_object();
  const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
  for (; object != NULL && pair < node->data.mapping.pairs.top; pair++)
    if (!add_pair(yaml, pair, depth, object)) {
      json_decref(object);
      return NULL;
    }
  return object;
}

/* Aliases are followed, but not for ever. */
static json_t *convert(Yaml *yaml, int index, int depth)
{
  const yaml_node_t *node = yaml_document_get_node(&yaml->document, index);
  if (depth > MOST_DEPTH || yaml->nodes++ > MOST_NODES)
    return refuse_node(yaml, node, "nested or repeated too often for a calibration");
  json_t *value;
  switch (node->type) {
  case YAML_SEQUENCE_NODE:
    return sequence(yaml, node, depth);
  case YAML_MAPPING_NODE:
    return mapping(yaml, node, depth);
  default:
    value = scalar((const char *)node->data.scalar.value, node->data.scalar.length);
    return value != NULL ? value : refuse_node(yaml, node, "a text that cannot be read");
  }
}

/* ---- YAML: what is too much ---------------------------------------------------------------- */

/* The time libyaml takes grows with the square of depth, anchors and directives: of a megabyte, to
 * minutes. So all of it is looked at, event by event, before any is kept. */
typedef struct {
  int depth, events, anchors;
} Amount;

static bool has_anchor(const yaml_event_t *event)
{
  switch (event->type) {
  case YAML_SCALAR_EVENT:
    return event->data.scalar.anchor != NULL;
  case YAML_SEQUENCE_START_EVENT:
    return event->data.sequence_start.anchor != NULL;
  case YAML_MAPPING_START_EVENT:
    return event->data.mapping_start.anchor != NULL;
  default:
    return false;
  }
}

static bool is_too_much(const yaml_event_t *event, Amount *amount)
{
  amount->depth +=
      event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT;
  amount->depth -= event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;
  amount->anchors += has_anchor(event);
  return amount->depth > MOST_DEPTH || amount->events++ > 2 * MOST_NODES ||
         amount->anchors > MOST_NAMES;
}

/* What is no YAML is let through: whoever reads it says so. */
static bool check_events(yaml_parser_t *parser, const char *name, StxError *error)
{
  Amount amount = {0};
  yaml_event_t event;
  for (bool ended = false; !ended && yaml_parser_parse(parser, &event);) {
    size_t line = event.start_mark.line + 1;
    bool refused = is_too_much(&event, &amount);
    ended = event.type == YAML_DOCUMENT_END_EVENT || event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
    if (refused)
      return stx_fail(error, "%s:%zu: nested or repeated too often for a calibration", name, line);
  }
  return true;
}

static bool check_directives(const char *text, const char *name, StxError *error)
{
  int found = 0, line = 1;
  for (; text != NULL; text = strchr(text, '\n'), line++) {
    text += *text == '\n';
    found += *text == '%';
    if (found > MOST_NAMES)
      return stx_fail(error, "%s:%d: more directives (%%) than a calibration has", name, line);
  }
  return true;
}

static bool check_amount(const char *text, const char *name, StxError *error)
{
  yaml_parser_t parser;
  if (!check_directives(text, name, error))
    return false;
  if (!yaml_parser_initialize(&parser))
    return stx_fail(error, "%s: no memory to read it", name);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
  bool good = check_events(&parser, name, error);
  yaml_parser_delete(&parser);
  return good;
}

/* ---- YAML: reading ------------------------------------------------------------------------- */

/* OpenCV's first line, "%YAML:1.0", is none of YAML's directives. */
static const char *skip_directive(const char *text)
{
  return strncmp(text, "%YAML:", 6) == 0 ? text + strcspn(text, "\r\n") : text;
}

static json_t *read_document(yaml_parser_t *parser, const char *name, StxError *error)
{
  Yaml yaml = {.name = name, .error = error};
  json_t *tree = NULL;
  if (!yaml_parser_load(parser, &yaml.document)) {
    stx_fail(error, "%s:%zu: not valid YAML: %s", name, parser->problem_mark.line + 1,
        parser->problem != NULL ? parser->problem : "no memory");
    return NULL;
  }
  if (yaml_document_get_root_node(&yaml.document) == NULL)
    stx_fail(error, "%s holds nothing; expected " EXPECTED, name);
  else
    tree = convert(&yaml, 1, 0);
  yaml_document_delete(&yaml.document);
  return tree;
}

static json_t *read_yaml(const char *text, const char *name, StxError *error)
{
  yaml_parser_t parser;
  text = skip_directive(text);
  if (!check_amount(text, name, error))
    return NULL;
  if (!yaml_parser_initialize(&parser)) {
    stx_fail(error, "%s: no memory to read it", name);
    return NULL;
  }
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
  json_t *tree = read_document(&parser, name, error);
  yaml_parser_delete(&parser);
  return tree;
}

/* ---- INI ---------------------------------------------------------------------------------- */

static char *trim(char *text)
{
  text += strspn(text, " \t\r");
  for (size_t length = strlen(text); length > 0 && strchr(" \t\r", text[length - 1]) != NULL;)
    text[--length] = 0;
  return text;
}

/* Names of sections and keys have small letters in some files and capitals in others. */
static void lower(char *text)
{
  for (; *text != 0; text++)
    if (*text >= 'A' && *text <= 'Z')
      *text += 'a' - 'A';
}

/* A line of an INI file; *section is the object of the section that it stands in. */
static bool take_line(char *line, size_t number, json_t *tree, json_t **section)
{
  line = trim(line);
  char *equals = strchr(line, '='), *bracket = strchr(line, ']');
  if (*line == '[' && bracket != NULL) {
    *bracket = 0;
    lower(line);
    *section = json_object();
    return set_value(tree, line + 1, *section, number);
  }
  if (*line == '#' || *line == ';' || equals == NULL || *section == NULL)
    return true;
  *equals = 0;
  lower(line);
  const char *value = trim(equals + 1);
  return set_value(*section, trim(line), scalar(value, strlen(value)), number);
}

static json_t *read_ini(char *text, const char *name, StxError *error)
{
  json_t *tree = json_object(), *section = NULL;
  size_t number = 0;
  for (char *next; text != NULL; text = next) {
    number++;
    next = strchr(text, '\n');
    if (next != NULL)
      *next++ = 0;
    if (take_line(text, number, tree, &section))
      continue;
    stx_fail(error, "%s:%zu: a line that cannot be read in the section before it", name, number);
    json_decref(tree);
    return NULL;
  }
  return tree;
}

/* ---- JSON --------------------------------------------------------------------------------- */

/* jansson says what is wrong with it, but not where keys stand. JSON is YAML, too, but for letters
 * beyond 16 bits: then lines stay unknown. */
static json_t *read_json(const char *text, const char *name, StxError *error)
{
  json_error_t where;
  json_t *tree = json_loads(text, JSON_REJECT_DUPLICATES, &where);
  if (tree == NULL)
    return refuse_json(name, &where, error);
  json_t *with_lines = read_yaml(text, name, error);
  if (with_lines == NULL)
    return tree;
  json_decref(tree);
  return with_lines;
}

/* ---- Entry -------------------------------------------------------------------------------- */

static bool is_ini(const char *text)
{
  return strstr(text, "[LEFT_CAM_") != NULL || strstr(text, "[left_cam_") != NULL;
}

static json_t *parse(char *text, const char *name, StxError *error)
{
  if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
    text += 3;
  const char *start = text + strspn(text, " \t\r\n");
  if (*start == '<') {
    stx_fail(error, "%s is XML; expected " EXPECTED ": have OpenCV write it as .yml", name);
    return NULL;
  }
  if (*start == '{')
    return read_json(text, name, error);
  return is_ini(text) ? read_ini(text, name, error) : read_yaml(text, name, error);
}

json_t *stx_calibration_tree(const char *path, StxError *error)
{
  char *text = stx_text_file_load(path, EXPECTED, error);
  json_t *tree = text != NULL ? parse(text, stx_text_file_name(path), error) : NULL;
  free(text);
  if (tree == NULL || json_is_object(tree))
    return tree;
  json_decref(tree);
  stx_fail(error, "%s has no keys; expected " EXPECTED, stx_text_file_name(path));
  return NULL;
}
