/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tells the thread sanitizer what GLib and GStreamer do to let one thread see what another one has
 * done. They are not compiled for it, and lock by futexes and count by atomics that it does not
 * see: without this, all that goes from thread to thread looks like a race.
 *
 * Only what orders accesses in truth is told, and as narrowly as it is: a lock orders those who
 * take the same lock, the last reference to an object those who had others, a mapping those who
 * have had the same memory mapped. So a race between two places in our code, one of them without
 * its lock, is seen.
 *
 * A program that links this and exports its symbols has these functions called in place of those of
 * the libraries by everybody but the libraries themselves, which were linked to call their own.
 */
#include <dlfcn.h>
#include <gst/gst.h>
#include <sanitizer/tsan_interface.h>

#define BLIND __attribute__((no_sanitize_thread))

/* The function that this one stands for. */
#define REAL(name)                                                                                 \
  static __typeof__(&name) real;                                                                   \
  if (real == NULL)                                                                                \
  real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* ---- Locks --------------------------------------------------------------------------------- */

BLIND void g_mutex_lock(GMutex *mutex)
{
  REAL(g_mutex_lock);
  real(mutex);
  __tsan_acquire(mutex);
}

BLIND gboolean g_mutex_trylock(GMutex *mutex)
{
  REAL(g_mutex_trylock);
  if (!real(mutex))
    return FALSE;
  __tsan_acquire(mutex);
  return TRUE;
}

BLIND void g_mutex_unlock(GMutex *mutex)
{
  REAL(g_mutex_unlock);
  __tsan_release(mutex);
  real(mutex);
}

BLIND void g_cond_wait(GCond *cond, GMutex *mutex)
{
  REAL(g_cond_wait);
  __tsan_release(mutex);
  real(cond, mutex);
  __tsan_acquire(mutex);
}

BLIND gboolean g_cond_wait_until(GCond *cond, GMutex *mutex, gint64 end)
{
  gboolean woken;
  REAL(g_cond_wait_until);
  __tsan_release(mutex);
  woken = real(cond, mutex, end);
  __tsan_acquire(mutex);
  return woken;
}

/* ---- References ---------------------------------------------------------------------------- */

/* The thread that releases the last reference comes after all that released one before. */
BLIND static void let_go(gpointer object, const gint *count)
{
  if (__atomic_load_n(count, __ATOMIC_RELAXED) == 1)
    __tsan_acquire(object);
  __tsan_release(object);
}

BLIND void g_object_unref(gpointer object)
{
  REAL(g_object_unref);
  let_go(object, (const gint *)&((GObject *)object)->ref_count);
  real(object);
}

BLIND void gst_mini_object_unref(GstMiniObject *object)
{
  REAL(gst_mini_object_unref);
  let_go(object, &object->refcount);
  real(object);
}

/* The only owner may write. */
BLIND gboolean gst_mini_object_is_writable(const GstMiniObject *object)
{
  gboolean writable;
  REAL(gst_mini_object_is_writable);
  writable = real(object);
  if (writable)
    __tsan_acquire((gpointer)object);
  return writable;
}

BLIND GstMiniObject *gst_mini_object_make_writable(GstMiniObject *object)
{
  REAL(gst_mini_object_make_writable);
  object = real(object);
  __tsan_acquire(object);
  return object;
}

/* ---- Buffers ------------------------------------------------------------------------------- */

/* A used one, from its last user. */
BLIND GstFlowReturn gst_buffer_pool_acquire_buffer(
    GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *params)
{
  GstFlowReturn flow;
  REAL(gst_buffer_pool_acquire_buffer);
  flow = real(pool, buffer, params);
  if (flow == GST_FLOW_OK)
    __tsan_acquire(*buffer);
  return flow;
}

BLIND gboolean gst_buffer_map(GstBuffer *buffer, GstMapInfo *info, GstMapFlags flags)
{
  REAL(gst_buffer_map);
  if (!real(buffer, info, flags))
    return FALSE;
  __tsan_acquire(info->data);
  return TRUE;
}

BLIND gboolean gst_buffer_map_range(
    GstBuffer *buffer, guint index, gint length, GstMapInfo *info, GstMapFlags flags)
{
  REAL(gst_buffer_map_range);
  if (!real(buffer, index, length, info, flags))
    return FALSE;
  __tsan_acquire(info->data);
  return TRUE;
}

BLIND void gst_buffer_unmap(GstBuffer *buffer, GstMapInfo *info)
{
  REAL(gst_buffer_unmap);
  __tsan_release(info->data);
  real(buffer, info);
}

BLIND gboolean gst_memory_map(GstMemory *memory, GstMapInfo *info, GstMapFlags flags)
{
  REAL(gst_memory_map);
  if (!real(memory, info, flags))
    return FALSE;
  __tsan_acquire(info->data);
  return TRUE;
}

BLIND void gst_memory_unmap(GstMemory *memory, GstMapInfo *info)
{
  REAL(gst_memory_unmap);
  __tsan_release(info->data);
  real(memory, info);
}
