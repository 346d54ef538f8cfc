/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables of fields: for every field of a struct of parameters its name, range, unit, default and
 * text, once. A stem's check refuses values that its table does not allow. The properties of
 * elements and the options of programs are made from the same table, and a test compares the pages
 * with it.
 *
 * Conditions on several fields, such as p1 <= p2, are the stem's check, which the table may name.
 */
#ifndef STX_FIELDS_H
#define STX_FIELDS_H

#include "common/stx.h"

/* The type of a field. */
typedef enum {
  STX_FIELD_DOUBLE,  /* double, low … high */
  STX_FIELD_INT,     /* int, low … high */
  STX_FIELD_UINT,    /* unsigned, low … high */
  STX_FIELD_BOOL,    /* bool */
  STX_FIELD_CHOICE,  /* int or an enum: one of `choices` */
  STX_FIELD_FLAGS,   /* unsigned: a sum of `choices`. Other bits mean nothing and are not refused */
  STX_FIELD_SPELLED, /* what `spelling` reads and writes as text, at `offset` and wherever else */
  STX_FIELD_FRACTION, /* int[2], low/1 … high/1: not checked */
  STX_FIELD_TEXT,     /* char *, owned by its setter; NULL: none */
  STX_FIELD_COUNT     /* uint64_t that only its owner counts up */
} StxFieldType;

/* A list of choices ends with one whose nick is NULL. */
typedef struct {
  int value;
  const char *nick, *text; /* what the user types, and what that means */
  const char *called;      /* in refusals, in place of a nick that is a number; or NULL */
} StxFieldChoice;

/* A value that users write as text, which may set several members of the struct. */
#define STX_SPELLING_SIZE 512 /* bytes of a text, its end included */

typedef struct {
  const char *form; /* of the text, where --help cannot show more: "KIND=CLASS,..." */

  /* Sets what the text says; if it says nothing that can be understood, what the stem's check
   * refuses. Values that are not allowed are the check's. */
  bool (*read)(const char *text, void *params, StxError *error);
  void (*write)(const void *params, char text[STX_SPELLING_SIZE]); /* in one way only */
} StxSpelling;

typedef struct {
  const char *name;     /* of property and option: "max-slope"; NULL: it comes with the data */
  const char *title;    /* of the property; NULL: there is no property, but an option */
  const char *text;     /* what it is, unit and special values included; no full stop */
  const char *field;    /* what refusals call it: as in the struct, where that is one word */
  StxFieldType type;    /* these two by STX_FIELD or STX_STORED */
  size_t offset;        /* in the struct, bytes */
  double low, high;     /* as stored */
  const char *unit;     /* "m", "px"; NULL: none */
  int scale;            /* INT: the user sees a number of units, stored times this; 0: an int */
  const char *negative; /* what numbers below 0 mean, which are allowed then; users write -1 */
  const StxFieldChoice *choices;
  const StxSpelling *spelling;
  const char *type_name; /* of the choices, where they do not go by the field's name */
  bool at_start;         /* read once, when the work begins: later changes wait for the next time */
  unsigned missing;      /* the bit at `missing_at` that marks a missing value */
  size_t missing_at;     /* offset of an unsigned in the struct; 0: no value is marked missing */
  double unset;          /* what users read and write for that, not above `low` */
} StxField;

/* The end of a row: how `member` of the struct `params` is stored; `kind`: DOUBLE, INT, … Does not
 * compile if it is stored otherwise. */
#define STX_STORED(kind, params, member)                                                           \
  .type = STX_FIELD_##kind,                                                                        \
  .offset = offsetof(params, member) + 0 * STX_SAME_SIZE(((params *)0)->member, STX_AS_##kind)
#define STX_FIELD(kind, params, member) .field = #member, STX_STORED(kind, params, member)

#define STX_SAME_SIZE(member, type)                                                                \
  sizeof(struct {                                                                                  \
    int nothing;                                                                                   \
    _Static_assert(sizeof(member) == sizeof(type), "this kind of field is stored otherwise");      \
  })
#define STX_AS_DOUBLE double
#define STX_AS_INT int
#define STX_AS_UINT unsigned
#define STX_AS_BOOL bool
#define STX_AS_CHOICE int
#define STX_AS_FLAGS unsigned
#define STX_AS_SPELLED unsigned /* the first of its members */
#define STX_AS_FRACTION int[2]
#define STX_AS_TEXT char *
#define STX_AS_COUNT uint64_t

typedef struct {
  const StxField *fields;
  size_t count;
  const void *defaults; /* a struct of parameters */
  const char *must, *choose; /* refusals: "‹field› is ‹value›‹must›…", of choices ‹choose›; NULL:
                                ", must be " */
  bool bare;                 /* refusals do without units */
  bool (*check)(const void *params, StxError *error); /* of several fields, or NULL */
} StxFields;

/* The stem's `check` as the table takes it: check##_any. */
#define STX_FIELDS_CHECK(check)                                                                    \
  static bool check##_any(const void *params, StxError *error)                                     \
  {                                                                                                \
    return check(params, error);                                                                   \
  }

#define STX_FIELDS_OF(array) array, sizeof(array) / sizeof(array)[0]

/* Refuses the first field of `params` that is not allowed; the text names it, its value and the
 * range or choices. Empties the text first. */
bool stx_fields_check(const StxFields *table, const void *params, StxError *error);

/* The same for one field of the table. */
STX_API bool stx_field_check(
    const StxFields *table, const StxField *field, const void *params, StxError *error);

/* The field that users know by this name, or NULL. */
STX_API const StxField *stx_fields_find(const StxFields *table, const char *name);

/* The value as users see it: 0 or 1 of a BOOL, `unset` of what is missing. Not of SPELLED,
 * FRACTION, TEXT and COUNT. */
STX_API double stx_field_get(const StxField *field, const void *params);

/* Stores it, rounded where the field is whole; it must fit what the field is stored in, but need
 * not be allowed. It is missing no more, or again after `unset`. */
STX_API void stx_field_set(const StxField *field, void *params, double value);

/* True if no value was given; for a field that does not record this, if the value is 0. */
bool stx_field_is_missing(const StxField *field, const void *params);

/* The range as users see it: from -1 where negative numbers are allowed, from `unset` where a value
 * may be missing, of scaled fields in whole units. */
STX_API double stx_field_low(const StxField *field);
STX_API double stx_field_high(const StxField *field);

/* The choice of this value, or of this nick; NULL: there is none. */
STX_API const StxFieldChoice *stx_field_choice(const StxFieldChoice *choices, int value);
STX_API const StxFieldChoice *stx_field_choice_named(
    const StxFieldChoice *choices, const char *nick);

#endif
