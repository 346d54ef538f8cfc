/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every element gives its buffers in the memory that downstream offers: unixfdsink takes no other
 * than that of file descriptors. */
#include "tests/gst/fixtures/util.h"

/* ---- An allocator that is not the system's -------------------------------------------------- */

typedef struct {
  GstMemory parent;
  gpointer data;
} Special;
typedef GstAllocator SpecialAllocator;
typedef GstAllocatorClass SpecialAllocatorClass;
GType special_allocator_get_type(void);
G_DEFINE_TYPE(SpecialAllocator, special_allocator, GST_TYPE_ALLOCATOR)

static GstMemory *allocate(GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  Special *memory = g_new0(Special, 1);
  gsize whole = size + params->prefix + params->padding;

  memory->data = g_aligned_alloc0(1, MAX(whole, 1), MAX(params->align + 1, 64));
  gst_memory_init(
      GST_MEMORY_CAST(memory), 0, allocator, NULL, whole, params->align, params->prefix, size);
  return GST_MEMORY_CAST(memory);
}

static void release(GstAllocator *allocator, GstMemory *memory)
{
  g_aligned_free(((Special *)memory)->data);
  g_free(memory);
}

static gpointer map(GstMemory *memory, gsize size, GstMapFlags flags)
{
  return ((Special *)memory)->data;
}

static void unmap(GstMemory *memory)
{
}

static void special_allocator_class_init(SpecialAllocatorClass *klass)
{
  klass->alloc = allocate;
  klass->free = release;
}

static void special_allocator_init(SpecialAllocator *self)
{
  self->mem_type = "special";
  self->mem_map = map;
  self->mem_unmap = unmap;
}

/* ---- The end of a line that offers it -------------------------------------------------------- */

typedef struct {
  GstAllocator *allocator;
  guint good, bad;
} Found;

static GstPadProbeReturn offer(GstPad *pad, GstPadProbeInfo *probe, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY(probe);

  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_param(query, ((Found *)data)->allocator, NULL);
  return GST_PAD_PROBE_HANDLED;
}

static GstPadProbeReturn judge(GstPad *pad, GstPadProbeInfo *probe, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(probe);
  Found *found = data;
  gboolean good = TRUE;

  for (guint i = 0; i < gst_buffer_n_memory(buffer); i++)
    good &= gst_buffer_peek_memory(buffer, i)->allocator == found->allocator;
  found->good += good;
  found->bad += !good;
  return GST_PAD_PROBE_OK;
}

#define SIZE ",width=320,height=96,framerate=10/1"
#define VIEW(view) "street-scene-src num-buffers=3 view=" view " ! video/x-raw" SIZE
#define SCAN "street-scene-src num-buffers=3 view=lidar"
#define STIXELS VIEW("disparity") " ! downsample-transpose ! sat-dp-stixels"
#define OUT " ! fakesink name=out "

static const char *const lines[] = {
    VIEW("left") OUT,
    VIEW("disparity") OUT,
    SCAN OUT,
    SCAN " ! lidar-ground" OUT,
    SCAN " ! lidar-ground ! application/x-point-labels" OUT,
    SCAN " ! lidar-ground ! stixel-obstacles" OUT,
    SCAN " ! lidar-bev ! video/x-raw,format=RGB" OUT,
    SCAN " ! lidar-encode" OUT,
    SCAN " ! lidar-encode ! lidar-decode" OUT,
    SCAN " ! lidar-parse format=kitti framing=buffer" OUT,
    STIXELS OUT,
    STIXELS " ! stixel-json" OUT,
    STIXELS " ! stixel-obstacles" OUT,
    STIXELS " ! stixel-obstacles ! application/x-obstacles" OUT,
    STIXELS " ! stixel-bev" OUT,
    STIXELS " ! occupancy-grid ! application/x-occupancy-grid" OUT,
    STIXELS " ! occupancy-grid ! video/x-raw" OUT,
    VIEW("disparity") " ! downsample-transpose" OUT,
    VIEW("disparity") " ! downsample-transpose ! rdp-columns" OUT,
    VIEW("disparity") " ! disparity-colour" OUT,
    VIEW("left") " ! sgm.sink_left " VIEW("right") " ! sgm.sink_right stereo-sgm name=sgm" OUT,
    VIEW("left") " ! s.sink_left " VIEW("right") " ! s.sink_right stereo-stixels name=s" OUT,
    VIEW("left") " ! o.sink " STIXELS " ! o.stixels stixel-overlay name=o" OUT,
    VIEW("left") " ! o.sink " STIXELS " ! o.stixels stixel-overlay name=o alpha=0" OUT,
};

STX_TEST_LOOP(buffers_are_in_the_memory_that_downstream_offers, G_N_ELEMENTS(lines))
{
  Found found = {g_object_ref_sink(g_object_new(special_allocator_get_type(), NULL)), 0, 0};
  g_autoptr(GstElement) pipeline = stx_test_parse(lines[_i]);

  stx_test_probe(pipeline, "out", "sink", GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, offer, &found);
  stx_test_probe(pipeline, "out", "sink", GST_PAD_PROBE_TYPE_BUFFER, judge, &found);
  stx_test_play(pipeline);
  ck_assert_msg(
      found.good > 0 && found.bad == 0, "%u good, %u bad: %s", found.good, found.bad, lines[_i]);
  gst_object_unref(found.allocator);
}
