/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIST_SIZE 160 /* of a refusal: bytes of its choices */

/* ---- Choices ------------------------------------------------------------------------------ */

const StxFieldChoice *stx_field_choice(const StxFieldChoice *choices, int value)
{
  for (; choices->nick != NULL; choices++)
    if (choices->value == value)
      return choices;
  return NULL;
}

const StxFieldChoice *stx_field_choice_named(const StxFieldChoice *choices, const char *nick)
{
  for (; choices->nick != NULL; choices++)
    if (strcmp(choices->nick, nick) == 0)
      return choices;
  return NULL;
}

/* ---- Values ------------------------------------------------------------------------------- */

static bool is_unsigned(const StxField *field)
{
  return field->type == STX_FIELD_UINT || field->type == STX_FIELD_FLAGS;
}

/* Any type of number, as it is stored. */
static double stored(const StxField *field, const void *params)
{
  const char *at = (const char *)params + field->offset;
  double real;
  unsigned bits;
  bool truth;
  if (field->type == STX_FIELD_DOUBLE) {
    memcpy(&real, at, sizeof real);
    return real;
  }
  if (field->type == STX_FIELD_BOOL) {
    memcpy(&truth, at, sizeof truth);
    return truth;
  }
  memcpy(&bits, at, sizeof bits);
  return is_unsigned(field) ? (double)bits : (double)(int)bits;
}

static unsigned missing_bits(const StxField *field, const void *params)
{
  unsigned bits;
  memcpy(&bits, (const char *)params + field->missing_at, sizeof bits);
  return bits;
}

bool stx_field_is_missing(const StxField *field, const void *params)
{
  if (field->missing != 0)
    return (missing_bits(field, params) & field->missing) != 0;
  return stored(field, params) == 0;
}

double stx_field_get(const StxField *field, const void *params)
{
  if (field->missing != 0 && stx_field_is_missing(field, params))
    return field->unset;
  return field->scale > 0 ? stored(field, params) / field->scale : stored(field, params);
}

void stx_field_set(const StxField *field, void *params, double value)
{
  char *at = (char *)params + field->offset;
  if (field->missing != 0) {
    bool given = value != field->unset;
    unsigned bits = missing_bits(field, params);
    bits = given ? bits & ~field->missing : bits | field->missing;
    memcpy((char *)params + field->missing_at, &bits, sizeof bits);
    value = given ? value : 0; /* what stands there instead is 0 */
  }
  bool truth = value != 0;
  if (field->type == STX_FIELD_DOUBLE) {
    memcpy(at, &value, sizeof value);
  } else if (field->type == STX_FIELD_BOOL) {
    memcpy(at, &truth, sizeof truth);
  } else if (is_unsigned(field)) {
    unsigned bits = (unsigned)value;
    memcpy(at, &bits, sizeof bits);
  } else {
    int whole = (int)lround(field->scale > 0 ? value * field->scale : value);
    memcpy(at, &whole, sizeof whole);
  }
}

double stx_field_low(const StxField *field)
{
  if (field->negative != NULL)
    return -1;
  if (field->missing != 0)
    return field->unset;
  return field->scale > 0 ? ceil(field->low / field->scale) : field->low;
}

double stx_field_high(const StxField *field)
{
  return field->scale > 0 ? floor(field->high / field->scale) : field->high;
}

const StxField *stx_fields_find(const StxFields *table, const char *name)
{
  for (size_t i = 0; i < table->count; i++)
    if (table->fields[i].name != NULL && strcmp(table->fields[i].name, name) == 0)
      return &table->fields[i];
  return NULL;
}

/* ---- Refusals ----------------------------------------------------------------------------- */

typedef struct {
  char text[32];
} Number;

static Number number(const StxField *field, double value)
{
  Number n;
  snprintf(n.text, sizeof n.text, field->type == STX_FIELD_DOUBLE ? "%g" : "%.0f", value);
  return n;
}

/* "0 (mean), 1 (weighted) or 2 (median)" */
static void list_choices(const StxFieldChoice *choices, char list[LIST_SIZE])
{
  size_t used = 0;
  list[0] = '\0';
  for (const StxFieldChoice *c = choices; c->nick != NULL && used < LIST_SIZE; c++) {
    const char *before = c == choices ? "" : c[1].nick != NULL ? ", " : " or ";
    char value[16];
    snprintf(value, sizeof value, "%d", c->value);
    const char *called = strcmp(value, c->nick) != 0 ? c->nick : c->called;
    bool is_called = called != NULL;
    used += (size_t)snprintf(list + used, LIST_SIZE - used, "%s%s%s%s%s", before, value,
        is_called ? " (" : "", is_called ? called : "", is_called ? ")" : "");
  }
}

static bool refuse_range(
    const StxFields *table, const StxField *field, double value, StxError *error)
{
  char unit[32] = "";
  if (field->unit != NULL && field->scale > 0)
    snprintf(unit, sizeof unit, ", in 1/%d %s", field->scale, field->unit);
  else if (field->unit != NULL && !table->bare)
    snprintf(unit, sizeof unit, " %s", field->unit);
  return stx_fail(error, "%s is %s%s%s to %s%s%s%s", field->field, number(field, value).text,
      table->must != NULL ? table->must : ", must be ", number(field, field->low).text,
      number(field, field->high).text, unit, field->negative != NULL ? ", or negative: " : "",
      field->negative != NULL ? field->negative : "");
}

bool stx_field_check(
    const StxFields *table, const StxField *field, const void *params, StxError *error)
{
  if (field->type > STX_FIELD_UINT && field->type != STX_FIELD_CHOICE)
    return true;
  double value = stored(field, params);
  if (field->type == STX_FIELD_CHOICE && stx_field_choice(field->choices, (int)value) == NULL) {
    bool with_unit = field->unit != NULL && !table->bare;
    char list[LIST_SIZE];
    list_choices(field->choices, list);
    return stx_fail(error, "%s is %s%s%s%s%s", field->field, number(field, value).text,
        with_unit ? " " : "", with_unit ? field->unit : "",
        table->choose != NULL ? table->choose : ", must be ", list);
  }
  if (field->type == STX_FIELD_CHOICE)
    return true;
  double low = field->negative != NULL ? -INFINITY : field->low;
  return (value >= low && value <= field->high) || refuse_range(table, field, value, error);
}

bool stx_fields_check(const StxFields *table, const void *params, StxError *error)
{
  if (error != NULL)
    error->text[0] = '\0';
  for (size_t i = 0; i < table->count; i++)
    if (!stx_field_check(table, &table->fields[i], params, error))
      return false;
  return true;
}
