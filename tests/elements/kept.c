/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/elements/kept.h"

#include <string.h>
#include <sys/mman.h>

#define ROOM ((gsize)64 << 20)

/* One after another: the head, the key with its 0, the bytes. A key of no length ends the list. */
typedef struct {
  guint32 key, bytes;
} Head;

static guint8 *room; /* of this process and of all that it will fork; zero at first */

__attribute__((constructor)) static void make_room(void)
{
  void *memory =
      mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  room = memory == MAP_FAILED ? NULL : memory;
}

static Head head_at(const guint8 *at)
{
  Head head;

  memcpy(&head, at, sizeof head);
  return head;
}

/* The entry with this key, or the end of the list. */
static guint8 *find(const gchar *key)
{
  guint8 *at = room;

  for (Head head = head_at(at); head.key > 0; head = head_at(at)) {
    if (strcmp((const gchar *)at + sizeof head, key) == 0)
      return at;
    at += sizeof head + head.key + head.bytes;
  }
  return at;
}

gboolean stx_test_recall(const gchar *key, GByteArray *bytes)
{
  const guint8 *at = room != NULL ? find(key) : NULL;
  Head head = at != NULL ? head_at(at) : (Head){0, 0};

  if (head.key > 0)
    g_byte_array_append(bytes, at + sizeof head + head.key, head.bytes);
  return head.key > 0;
}

void stx_test_keep(const gchar *key, const GByteArray *bytes)
{
  guint8 *at = room != NULL ? find(key) : NULL;
  Head head = {(guint32)strlen(key) + 1, bytes->len};
  gsize size = sizeof head + head.key + head.bytes;

  if (at == NULL || head_at(at).key > 0 || (gsize)(at - room) + size + sizeof head > ROOM)
    return;
  memcpy(at + sizeof head, key, head.key);
  memcpy(at + sizeof head + head.key, bytes->data, bytes->len);
  memcpy(at, &head, sizeof head); /* last: now it is in the list */
}
