/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files to trees. JSON is jansson's; YAML becomes the same kind of tree by way of libyaml, and so
 * do the sections of an INI file. KITTI's lines "key: numbers" are YAML as they stand.
 */
#include "common/calibration/calibration_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "common/text_file.h"

#define MOST_DEPTH 16
#define MOST_NODES 65536 /* with those that an alias repeats */
#define MOST_NAMES 256   /* anchors and directives: libyaml compares each with all before it */

/* A number if the whole text is one, else the text. */
static json_t *scalar(const char *text, size_t length)
{
  if (length > 0 && strchr("+-.0123456789", *text) != NULL) {
    char *end;
    double value = stx_text_number(text, &end);
    if (end == text + length && isfinite(value))
      return json_real(value);
  }
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

/* ---- YAML ---------------------------------------------------------------------------------- */

/* A file that is read event by event: the time in which libyaml makes trees grows with the square
 * of depth and of anchors: of a megabyte, to minutes. */
typedef struct {
  yaml_parser_t parser;
  yaml_event_t event; /* that comes next; to be deleted by its taker */
  const char *name;
  StxError *error;
  json_t *anchors; /* by name: the value and how many nodes it has */
  int nodes, names;
} Yaml;

static json_t *value_of(Yaml *yaml, int depth);

static json_t *refuse(const Yaml *yaml, const yaml_event_t *event, const char *what)
{
  stx_fail(yaml->error, "%s:%zu: %s", yaml->name, event->start_mark.line + 1, what);
  return NULL;
}

static bool next_event(Yaml *yaml)
{
  const yaml_parser_t *parser = &yaml->parser;
  return yaml_parser_parse(&yaml->parser, &yaml->event) ||
         stx_fail(yaml->error, "%s:%zu: not valid YAML: %s", yaml->name,
             parser->problem_mark.line + 1,
             parser->problem != NULL ? parser->problem : "no memory");
}

static bool add_pair(Yaml *yaml, int depth, json_t *object)
{
  yaml_event_t key = yaml->event;
  const char *text = (const char *)key.data.scalar.value;
  json_t *value;
  bool good = false;
  if (key.type != YAML_SCALAR_EVENT)
    refuse(yaml, &key, "a key that is no plain text");
  else if (json_object_get(object, text) != NULL)
    refuse(yaml, &key, "a key a second time");
  else if (next_event(yaml) && (value = value_of(yaml, depth)) != NULL)
    good = set_value(object, text, value, key.start_mark.line + 1) ||
           refuse(yaml, &key, "a key that cannot be read") != NULL;
  yaml_event_delete(&key);
  return good;
}

static bool add_item(Yaml *yaml, int depth, json_t *array)
{
  json_t *value = value_of(yaml, depth);
  return value != NULL && json_array_append_new(array, value) == 0;
}

/* A sequence or a mapping, up to its end. */
static json_t *items(Yaml *yaml, int depth, json_t *into, yaml_event_type_t end,
    bool (*add)(Yaml *yaml, int depth, json_t *into))
{
  bool good = into != NULL && next_event(yaml);
  while (good && yaml->event.type != end)
    good = add(yaml, depth + 1, into) && next_event(yaml);
  if (good)
    return into;
  json_decref(into);
  return NULL;
}

/* The value of an anchor, which counts as if it were written out. */
static json_t *repeat(Yaml *yaml, const yaml_event_t *event)
{
  const json_t *known = json_object_get(yaml->anchors, (const char *)event->data.alias.anchor);
  if (known == NULL)
    return refuse(yaml, event, "an alias of nothing, or nested in what it stands for");
  yaml->nodes += (int)json_integer_value(json_array_get(known, 1));
  return json_incref(json_array_get(known, 0));
}

/* The value that begins with the next event. */
static json_t *value_of(Yaml *yaml, int depth)
{
  yaml_event_t event = yaml->event;
  const char *anchor = (const char *)event.data.alias.anchor; /* first in each kind of event */
  bool opens = event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
  int before = yaml->nodes++;
  json_t *value;
  yaml->names += anchor != NULL && event.type != YAML_ALIAS_EVENT;
  if ((opens && depth >= MOST_DEPTH) || yaml->nodes > MOST_NODES || yaml->names > MOST_NAMES)
    value = refuse(yaml, &event, "nested or repeated too often for a calibration");
  else if (event.type == YAML_ALIAS_EVENT)
    value = repeat(yaml, &event);
  else if (event.type == YAML_SEQUENCE_START_EVENT)
    value = items(yaml, depth, json_array(), YAML_SEQUENCE_END_EVENT, add_item);
  else if (event.type == YAML_MAPPING_START_EVENT)
    value = items(yaml, depth, json_object(), YAML_MAPPING_END_EVENT, add_pair);
  else if ((value = scalar((char *)event.data.scalar.value, event.data.scalar.length)) == NULL)
    refuse(yaml, &event, "a text that cannot be read");
  if (value != NULL && anchor != NULL && event.type != YAML_ALIAS_EVENT)
    json_object_set_new(yaml->anchors, anchor, json_pack("[O, i]", value, yaml->nodes - before));
  yaml_event_delete(&event);
  return value;
}

/* The first document; NULL with an error. */
static json_t *read_document(Yaml *yaml)
{
  json_t *tree = NULL;
  if (!next_event(yaml) || !next_event(yaml)) /* where the stream and the document begin */
    return NULL;
  if (yaml->event.type == YAML_STREAM_END_EVENT) {
    stx_fail(yaml->error, "%s holds nothing; expected %s", yaml->name,
        stx_calibration_expected((char[160]){""}));
    return NULL;
  }
  yaml_event_delete(&yaml->event);
  if (next_event(yaml))
    tree = value_of(yaml, 0);
  if (tree == NULL || next_event(yaml))
    return tree;
  json_decref(tree);
  return NULL;
}

static json_t *read_yaml(const char *text, const char *name, StxError *error)
{
  Yaml yaml = {.name = name, .error = error};
  if (strncmp(text, "%YAML", 5) == 0) /* OpenCV's "%YAML:1.0", or "%YAML 1.0", libyaml refuses */
    text += strcspn(text, "\r\n");
  int found = 0, line = 1; /* libyaml compares each directive with all before it */
  for (const char *at = text; at != NULL; at = strchr(at, '\n'), line++) {
    at += *at == '\n';
    found += *at == '%';
    if (found <= MOST_NAMES)
      continue;
    stx_fail(error, "%s:%d: more directives (%%) than a calibration has", name, line);
    return NULL;
  }
  yaml.anchors = json_object();
  if (!yaml_parser_initialize(&yaml.parser)) {
    stx_fail(error, "%s: no memory to read it", name);
    json_decref(yaml.anchors);
    return NULL;
  }
  yaml_parser_set_input_string(&yaml.parser, (const unsigned char *)text, strlen(text));
  json_t *tree = read_document(&yaml);
  yaml_parser_delete(&yaml.parser);
  json_decref(yaml.anchors);
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

/* ---- ost.txt ------------------------------------------------------------------------------- */

/* ROS's camera_calibration: a name in a line of its own ("camera matrix", "width", "[left]"), its
 * numbers in those that follow. With each "[image]" a camera begins. */
static json_t *read_ost(char *text, const char *name, StxError *error)
{
  json_t *cameras[2] = {NULL, NULL}, *value = NULL;
  int count = 0;
  size_t number = 0;
  bool good = true;
  for (char *next, *line; good && text != NULL; text = next) {
    number++;
    next = strchr(text, '\n');
    if (next != NULL)
      *next++ = 0;
    line = trim(text);
    if (strcmp(line, "[image]") == 0 && count < 2)
      cameras[count++] = json_object();
    if (*line == 0 || *line == '#' || *line == '[' || count == 0)
      continue;
    if (strchr("+-.0123456789", *line) == NULL) {
      char key[48];
      snprintf(key, sizeof key, "%s%.40s", *line == 'w' || *line == 'h' ? "image_" : "", line);
      if (strcmp(line, "distortion") == 0)
        snprintf(key, sizeof key, "distortion_coefficients");
      else if (strcmp(line, "rectification") == 0 || strcmp(line, "projection") == 0)
        snprintf(key, sizeof key, "%s_matrix", line);
      for (char *blank = key; (blank = strchr(blank, ' ')) != NULL;)
        *blank = '_';
      value = json_array();
      good = set_value(cameras[count - 1], key, value, number);
    }
    for (char *word = strtok_r(line, " \t", &line);
         good && word != NULL && value != NULL && strchr("+-.0123456789", *word) != NULL;
         word = strtok_r(NULL, " \t", &line))
      good = json_array_size(value) < MOST_DEPTH &&
             json_array_append_new(value, scalar(word, strlen(word))) == 0;
  }
  if (!good || count == 0)
    stx_fail(error, "%s:%zu: a line that cannot be read", name, number);
  if (good && count == 2)
    return json_pack("{s:o, s:o}", "left", cameras[0], "right", cameras[1]);
  json_decref(cameras[1]);
  if (good)
    return cameras[0];
  json_decref(cameras[0]);
  return NULL;
}

/* ---- XML ---------------------------------------------------------------------------------- */

/* OpenCV's elements hold others, or a text of numbers. Attributes and comments say nothing. */
typedef struct {
  const char *name, *begin, *at;
  StxError *error;
  int nodes;
} Xml;

static json_t *refuse_xml(const Xml *xml, const char *what)
{
  int line = 1;
  for (const char *c = xml->begin; c < xml->at; c++)
    line += *c == '\n';
  stx_fail(xml->error, "%s:%d: %s", xml->name, line, what);
  return NULL;
}

/* Up to what an element holds next: "<", not of a comment, or its text. */
static bool skip_xml(Xml *xml)
{
  for (;;) {
    xml->at += strspn(xml->at, " \t\r\n");
    const char *end = strncmp(xml->at, "<!--", 4) == 0 ? "-->"
                      : strncmp(xml->at, "<?", 2) == 0 ? "?>"
                                                       : NULL;
    const char *found = end != NULL ? strstr(xml->at, end) : NULL;
    if (end == NULL)
      return true;
    if (found == NULL)
      return false;
    xml->at = found + strlen(end);
  }
}

/* The value of an element whose opening tag is behind: an object, or a text. */
static json_t *read_element(Xml *xml, int depth)
{
  json_t *object = json_object();
  while (skip_xml(xml) && *xml->at == '<' && xml->at[1] != '/') {
    char key[64];
    const char *tag = xml->at + 1, *close = strchr(tag, '>');
    size_t length = strcspn(tag, " \t\r\n/>"), line = 1;
    json_t *value = NULL;
    if (close == NULL || length == 0 || length >= sizeof key)
      break;
    if (++xml->nodes > MOST_NODES || depth >= MOST_DEPTH) {
      json_decref(object);
      return refuse_xml(xml, "nested or repeated too often for a calibration");
    }
    snprintf(key, sizeof key, "%.*s", (int)length, tag);
    for (const char *c = xml->begin; xml->nodes < MOST_NAMES && c < tag; c++)
      line += *c == '\n';
    xml->at = close + 1;
    value = close[-1] == '/' ? json_string("") : read_element(xml, depth + 1);
    if (value == NULL || !set_value(object, key, value, line)) {
      json_decref(object);
      return value == NULL ? NULL : refuse_xml(xml, "not valid XML");
    }
  }
  size_t length = strcspn(xml->at, "<");
  json_t *text = scalar(xml->at, length);
  xml->at += length;
  const char *close = strchr(xml->at, '>');
  bool ends = depth == 0 ? *xml->at == 0 : xml->at[0] == '<' && xml->at[1] == '/' && close != NULL;
  ends = ends && text != NULL; /* of valid UTF-8 */
  xml->at = close != NULL ? close + 1 : xml->at;
  bool empty = json_object_size(object) == 0;
  json_decref(empty ? object : text);
  if (ends)
    return empty ? text : object;
  json_decref(empty ? text : object);
  return refuse_xml(xml, "not valid XML");
}

/* The text's line ends are blanks, as its numbers are read. */
static json_t *read_xml(char *text, const char *name, StxError *error)
{
  Xml xml = {name, text, text, error, 0};
  json_t *tree = read_element(&xml, 0);
  json_t *storage = json_incref(json_object_get(tree, "opencv_storage"));
  if (tree != NULL && storage == NULL)
    stx_fail(error, "%s is XML, but not OpenCV's: it has no <opencv_storage>", name);
  json_decref(tree);
  return storage;
}

/* ---- JSON --------------------------------------------------------------------------------- */

/* jansson says what is wrong with it, but not where keys stand. JSON is YAML, too, but for letters
 * beyond 16 bits: then lines stay unknown. */
static json_t *read_json(const char *text, const char *name, StxError *error)
{
  json_error_t where;
  json_t *tree = json_loads(text, JSON_REJECT_DUPLICATES, &where);
  if (tree == NULL) {
    stx_fail(error, "%s:%d:%d: not valid JSON: %.100s: write it again with the tool that made it",
        name, where.line, where.column, stx_text_file_plain(where.text));
    return NULL;
  }
  json_t *with_lines = read_yaml(text, name, error);
  if (with_lines == NULL)
    return tree;
  json_decref(tree);
  return with_lines;
}

/* ---- Entry -------------------------------------------------------------------------------- */

static json_t *parse(char *text, const char *name, StxError *error)
{
  if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
    text += 3;
  const char *start = text + strspn(text, " \t\r\n");
  if (*start == '<')
    return read_xml(text, name, error);
  if (*start == '{')
    return read_json(text, name, error);
  bool is_ini = strstr(text, "[LEFT_CAM_") != NULL || strstr(text, "[left_cam_") != NULL;
  if (strstr(text, "[image]") != NULL)
    return read_ost(text, name, error);
  return is_ini ? read_ini(text, name, error) : read_yaml(text, name, error);
}

json_t *stx_calibration_tree(const char *path, StxError *error)
{
  char expected[160];
  char *text = stx_text_file_load(path, stx_calibration_expected(expected), error);
  json_t *tree = text != NULL ? parse(text, stx_text_file_name(path), error) : NULL;
  free(text);
  if (tree == NULL || json_is_object(tree))
    return tree;
  json_decref(tree);
  stx_fail(error, "%s has no keys; expected %s", stx_text_file_name(path), expected);
  return NULL;
}
