/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What messages speak of. */
typedef struct {
  const char *name, *expected;
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

/* ---- Reading ------------------------------------------------------------------------------ */

/* Opens it and says how many bytes to make room for, one more than it has; some systems do not say,
 * and say 0. O_NONBLOCK: opening a pipe must not hang; it is refused right after. */
static int open_regular(const char *path, size_t *room, const Source *source)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0) {
    stx_fail(
        source->error, "cannot open calibration file \"%s\": %s", source->name, strerror(errno));
  } else if (!S_ISREG(status.st_mode)) {
    stx_fail(source->error, "calibration file \"%s\" is a %s; expected a text file", source->name,
        S_ISDIR(status.st_mode) ? "directory" : "device or pipe");
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

static bool check_text(const char *text, ssize_t size, const Source *source)
{
  if (size < 0)
    return stx_fail(
        source->error, "cannot read calibration file \"%s\": %s", source->name, strerror(errno));
  if (size == 0)
    return stx_fail(source->error, "calibration file \"%s\" is empty", source->name);
  if (size > STX_TEXT_FILE_MAX)
    return stx_fail(source->error, "calibration file \"%s\" is larger than %d bytes; expected %s",
        source->name, STX_TEXT_FILE_MAX, source->expected);
  if (memchr(text, 0, (size_t)size) != NULL)
    return stx_fail(source->error, "calibration file \"%s\" holds binary data; expected %s",
        source->name, source->expected);
  return true;
}

char *stx_text_file_load(const char *path, const char *expected, StxError *error)
{
  const Source source = {stx_text_file_name(path), expected, error};
  size_t room = 0;
  int fd = open_regular(path, &room, &source);
  if (fd < 0)
    return NULL;
  char *text = malloc(room + 1);
  ssize_t size = -1;
  if (text == NULL)
    errno = ENOMEM;
  else
    size = read_all(fd, text, room);
  bool good = check_text(text, size, &source);
  close(fd);
  if (good && size > 0) {
    text[size] = 0;
    return text;
  }
  free(text);
  return NULL;
}
