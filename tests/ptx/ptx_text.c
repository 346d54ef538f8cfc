/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A text of PTX, cut into words. */
#include "tests/ptx/ptx_private.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void ptx_fail(PtxParser *parser, const char *format, ...)
{
  if (parser->failed)
    return;
  parser->failed = true;
  int at = parser->at < parser->words ? parser->at : parser->words - 1;
  int line = at >= 0 ? parser->word[at].line : 0;
  int used = snprintf(parser->error, parser->error_size, "%s:%d: ", parser->file, line);
  va_list args;
  va_start(args, format);
  if (used >= 0 && (size_t)used < parser->error_size)
    vsnprintf(parser->error + used, parser->error_size - (size_t)used, format, args);
  va_end(args);
}

void *ptx_grow(void *array, int count, size_t element)
{
  if (count > 0 && (count & (count - 1)) != 0)
    return array; /* holds the next power of two */
  void *larger = realloc(array, (count > 0 ? 2 * (size_t)count : 1) * element);
  if (larger == NULL)
    abort();
  return larger;
}

static bool in_word(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

static int word_length(const char *text)
{
  int length = 0;
  if (*text == '"') {
    const char *end = strchr(text + 1, '"');
    return end == NULL ? 0 : (int)(end - text) + 1;
  }
  while (in_word(text[length]))
    length++;
  if (length == 0 && strchr(",;:{}()[]<>|@!+-=", *text) != NULL)
    length = 1;
  return length;
}

static const char *skip_blank(const char *text, int *line)
{
  for (;;) {
    while (isspace((unsigned char)*text))
      *line += *text++ == '\n';
    if (text[0] != '/' || text[1] != '/')
      return text;
    text += strcspn(text, "\n");
  }
}

bool ptx_read_words(PtxParser *parser, const char *text)
{
  int line = 1;
  for (text = skip_blank(text, &line); *text != '\0'; text = skip_blank(text, &line)) {
    int length = word_length(text);
    parser->word = ptx_grow(parser->word, parser->words, sizeof *parser->word);
    parser->word[parser->words++] = (PtxWord){text, length, line};
    parser->at = parser->words - 1;
    if (length == 0) {
      ptx_fail(parser, "%.20s… is no PTX", text);
      return false;
    }
    text += length;
  }
  parser->at = 0;
  return true;
}

bool ptx_is(const PtxWord *word, const char *text)
{
  return (size_t)word->length == strlen(text) &&
         memcmp(word->start, text, (size_t)word->length) == 0;
}

PtxWord *ptx_next(PtxParser *parser)
{
  static PtxWord nothing = {"", 0, 0};
  if (parser->at >= parser->words) {
    ptx_fail(parser, "the text ends too early");
    return &nothing;
  }
  return &parser->word[parser->at++];
}

bool ptx_accept(PtxParser *parser, const char *text)
{
  if (parser->at >= parser->words || !ptx_is(&parser->word[parser->at], text))
    return false;
  parser->at++;
  return true;
}

void ptx_expect(PtxParser *parser, const char *text)
{
  if (parser->failed || ptx_accept(parser, text))
    return;
  const PtxWord *word = parser->at < parser->words ? &parser->word[parser->at] : NULL;
  ptx_fail(parser, "expected %s, not %.*s", text, word != NULL ? word->length : 3,
      word != NULL ? word->start : "end");
}

char *ptx_copy(const PtxWord *word)
{
  char *copy = strndup(word->start, (size_t)word->length);
  if (copy == NULL)
    abort();
  return copy;
}
