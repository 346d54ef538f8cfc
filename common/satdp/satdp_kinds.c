/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kinds of classes as users write them: "ground=road,sidewalk,9;sky=10". A kind that is not named
 * has no classes; every other class is an object.
 */
#include "common/labels.h"
#include "common/satdp/satdp_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 32 }; /* bits of a mask */
#define NOT_UNDERSTOOD UINT32_MAX

typedef struct {
  const char *begin;
  size_t length;
} Word;

/* The text before the first of `ends`, or all of it; moves *text behind it. */
static Word take_word(const char **text, const char *ends)
{
  Word word = {*text, strcspn(*text, ends)};
  *text += word.length;
  *text += **text != '\0';
  return word;
}

static bool is(Word word, const char *text)
{
  return strlen(text) == word.length && memcmp(word.begin, text, word.length) == 0;
}

/* The class of this name or number, −1: none. */
static int find_class(Word word)
{
  char number[8];
  for (int k = 0; k < CLASSES; k++) {
    snprintf(number, sizeof number, "%d", k);
    if (is(word, number) || (k < STX_LABEL_CLASSES && is(word, stx_label_name(k))))
      return k;
  }
  return -1;
}

/* "road,1,9" */
static bool read_classes(Word list, uint32_t *mask, StxError *error)
{
  const char *at = list.begin, *end = at + list.length;
  while (at < end) {
    Word word = take_word(&at, ",;");
    int k = find_class(word);
    if (k < 0)
      return stx_fail(error,
          "class_kinds: there is no class %.*s, must be a name of Cityscapes or 0 to %d",
          (int)word.length, word.begin, CLASSES - 1);
    *mask |= 1u << k;
  }
  return true;
}

static bool read_kinds(const char *text, StxSatdpParams *params, StxError *error)
{
  while (*text != '\0') {
    Word part = take_word(&text, ";");
    const char *at = part.begin;
    Word kind = take_word(&at, "=;");
    uint32_t *mask = is(kind, "ground") ? &params->ground_classes
                     : is(kind, "sky")  ? &params->sky_classes
                                        : NULL;
    if (mask == NULL || kind.length == part.length)
      return stx_fail(error, "class_kinds: %.*s, must be ground=CLASS,... or sky=CLASS,...",
          (int)part.length, part.begin);
    Word list = {at, part.length - kind.length - 1};
    if (!read_classes(list, mask, error))
      return false;
  }
  return stx_class_kinds_check(params, error);
}

static bool spelling_read(const char *text, void *params, StxError *error)
{
  StxSatdpParams *satdp = params;
  satdp->ground_classes = satdp->sky_classes = 0;
  bool good = read_kinds(text, satdp, error);
  if (!good && (satdp->ground_classes & satdp->sky_classes) == 0)
    satdp->ground_classes = satdp->sky_classes = NOT_UNDERSTOOD;
  return good;
}

static size_t write_classes(uint32_t mask, char *text, size_t size)
{
  size_t used = 0;
  for (int k = 0; k < CLASSES; k++) {
    if (!(mask >> k & 1))
      continue;
    const char *comma = used > 0 ? "," : "";
    used += (size_t)(k < STX_LABEL_CLASSES
                         ? snprintf(text + used, size - used, "%s%s", comma, stx_label_name(k))
                         : snprintf(text + used, size - used, "%s%d", comma, k));
  }
  return used;
}

/* Holds all 32 classes twice. */
static void spelling_write(const void *params, char text[STX_SPELLING_SIZE])
{
  const StxSatdpParams *satdp = params;
  size_t used = (size_t)sprintf(text, "ground=");
  used += write_classes(satdp->ground_classes, text + used, STX_SPELLING_SIZE - used);
  used += (size_t)snprintf(text + used, STX_SPELLING_SIZE - used, ";sky=");
  write_classes(satdp->sky_classes, text + used, STX_SPELLING_SIZE - used);
}

const StxSpelling stx_class_kinds = {"KIND=CLASS,...;...", spelling_read, spelling_write};

bool stx_class_kinds_check(const StxSatdpParams *params, StxError *error)
{
  uint32_t both = params->ground_classes & params->sky_classes;
  if (both == NOT_UNDERSTOOD)
    return stx_fail(
        error, "class_kinds is not understood, must be like ground=road,sidewalk,9;sky=10");
  if (both == 0)
    return true;
  int k = __builtin_ctz(both);
  return stx_fail(error, "class %d (%s) is ground and sky in class_kinds, may be one of them", k,
      stx_label_name(k));
}
