/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE /* strtod_l */
#include "common/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The subject of messages. */
typedef struct {
  const char *name, *expected, *kind;
  StxError *error;
} Source;

const char *stx_text_file_name(const char *path)
{
  size_t length = strlen(path);
  if (length > 100)
    path += length - 100;
  while ((*path & 0xC0) == 0x80) /* not from the middle of a UTF-8 character */
    path++;
  return path;
}

char *stx_text_file_plain(char *text)
{
  for (char *at = text; *at != 0; at++)
    if ((unsigned char)*at < ' ' || (unsigned char)*at >= 127)
      *at = '?';
  return text;
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* Opens it and says how many bytes to allocate, one more than it has; some systems do not say,
 * and say 0. O_NONBLOCK: opening a pipe must not hang; it is refused right after. */
static int open_regular(const char *path, size_t *room, const Source *source)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0) {
    stx_fail(
        source->error, "cannot open calibration file \"%s\": %s", source->name, strerror(errno));
  } else if (!S_ISREG(status.st_mode)) {
    stx_fail(source->error, "calibration file \"%s\" is a %s; expected a %s", source->name,
        S_ISDIR(status.st_mode) ? "directory" : "device or pipe", source->kind);
  } else {
    bool known = status.st_size > 0 && status.st_size < STX_TEXT_FILE_MAX;
    *room = (known ? (size_t)status.st_size : STX_TEXT_FILE_MAX) + 1;
    return fd;
  }
  if (fd >= 0)
    close(fd);
  return -1;
}

/* Bytes read, at most `room`, or -1. */
static ssize_t read_all(int fd, char *text, size_t room)
{
  size_t size = 0;
  while (size < room) {
    ssize_t got = read(fd, text + size, room - size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -1;
    if (got == 0)
      break;
    size += (size_t)got;
  }
  return (ssize_t)size;
}

static bool check_size(ssize_t size, const Source *source)
{
  if (size < 0)
    return stx_fail(
        source->error, "cannot read calibration file \"%s\": %s", source->name, strerror(errno));
  if (size == 0)
    return stx_fail(source->error, "calibration file \"%s\" is empty", source->name);
  if (size > STX_TEXT_FILE_MAX)
    return stx_fail(source->error, "calibration file \"%s\" is larger than %d bytes; expected %s",
        source->name, STX_TEXT_FILE_MAX, source->expected);
  return true;
}

/* The file's bytes and a 0 behind them; NULL with an error. */
static char *load(const char *path, const Source *source, size_t *size)
{
  size_t room = 0;
  int fd = open_regular(path, &room, source);
  if (fd < 0)
    return NULL;
  char *bytes = malloc(room + 1);
  ssize_t got = -1;
  if (bytes == NULL)
    errno = ENOMEM;
  else
    got = read_all(fd, bytes, room);
  bool good = check_size(got, source);
  close(fd);
  if (good && got > 0) {
    bytes[got] = 0;
    *size = (size_t)got;
    return bytes;
  }
  free(bytes);
  return NULL;
}

char *stx_text_file_load(const char *path, const char *expected, StxError *error)
{
  const Source source = {stx_text_file_name(path), expected, "text file", error};
  size_t size;
  char *text = load(path, &source, &size);
  if (text == NULL || memchr(text, 0, size) == NULL)
    return text;
  stx_fail(error, "calibration file \"%s\" holds binary data; expected %s", source.name, expected);
  free(text);
  return NULL;
}

void *stx_binary_file_load(const char *path, const char *expected, size_t *size, StxError *error)
{
  const Source source = {stx_text_file_name(path), expected, "regular file", error};
  return load(path, &source, size);
}

double stx_text_number(const char *text, char **end)
{
  /* This locale is a constant of the C library: nothing is allocated. */
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  double value = strtod_l(text, end, c_locale);
  freelocale(c_locale);
  return value;
}

/* ---- Keys and numbers --------------------------------------------------------------------- */

#define BLANKS " \t\r\f\v"

const char *stx_keyed_find(const StxKeyedText *file, const char *key, int *line)
{
  size_t length = strlen(key);
  const char *at = file->text;
  for (*line = 1; at != NULL; (*line)++) {
    at += strspn(at, BLANKS);
    if (strncmp(at, key, length) == 0 && at[length] == ':')
      return at + length + 1;
    at = strchr(at, '\n');
    at = at == NULL ? NULL : at + 1;
  }
  return NULL;
}

bool stx_keyed_numbers(const StxKeyedText *file, const char *key, int count, double *numbers)
{
  int line, found = 0;
  const char *at = stx_keyed_find(file, key, &line);
  bool good = true;
  for (at += strspn(at, BLANKS); good && *at != '\n' && *at != '\0'; found++) {
    char *end;
    double value = stx_text_number(at, &end);
    char word[24];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(at, BLANKS "\n"), at);
    if (end == at || !isfinite(value) || strchr(BLANKS "\n", *end) == NULL)
      good =
          stx_fail(file->error, "%s:%d: number %d of \"%s:\" is \"%s\"; expected a finite number",
              file->name, line, found + 1, key, stx_text_file_plain(word));
    else if (found < count)
      numbers[found] = value;
    at = end + strspn(end, BLANKS);
  }
  if (good && found != count)
    good = stx_fail(file->error, "%s:%d: \"%s:\" has %d numbers; expected %d", file->name, line,
        key, found, count);
  return good;
}
