/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which vertices there are, for whatever file. */
#include "common/mesh/mesh_private.h"

#include <math.h>

enum {
  GLB_VERTEX = 12 + 8,
  PLY_VERTEX = 12 + 3 + 4,
  INDICES = 6 * 4, /* of a stixel; a face of PLY has fewer */
};

size_t stx_mesh_stixels_size(size_t count)
{
  return STX_MESH_HEAD + count * (STX_CORNERS * GLB_VERTEX + INDICES);
}

size_t stx_mesh_points_size(size_t count)
{
  return STX_MESH_HEAD + count * GLB_VERTEX;
}

_Static_assert(PLY_VERTEX <= GLB_VERTEX, "sizes are those of GLB");

/* In the axes of scans: x forward, y to the left, z up. */
static bool place(const StxMesh *mesh, const double scan[3], StxMeshVertex *vertex)
{
  bool glb = mesh->params->format == STX_MESH_GLB;
  const double file[3] = {
      glb ? -scan[1] : scan[0], glb ? scan[2] : scan[1], glb ? -scan[0] : scan[2]};
  for (int k = 0; k < 3; k++) {
    if (!(fabs(file[k]) <= STX_MESH_MAX_PLACE))
      return false;
    vertex->at[k] = (int32_t)floor(file[k] * STX_MESH_STEPS + .5);
  }
  return true;
}

static int stixel_vertices(const StxMesh *mesh, const StxStixel *s, StxMeshVertex *vertex)
{
  StxFacet facet;
  if (!stx_facet(mesh->image, s, &facet))
    return 0;
  for (int i = 0; i < STX_CORNERS; i++) {
    const double *corner = facet.corner[i];
    const double scan[3] = {corner[2], -corner[0], -corner[1]};
    if (!place(mesh, scan, &vertex[i]))
      return 0;
    vertex[i].colour = stx_facet_colour(&mesh->params->colours, s, corner[2]);
  }
  return STX_CORNERS;
}

static int point_vertices(const StxMesh *mesh, size_t i, StxMeshVertex *vertex)
{
  const float *point = mesh->points + 4 * i;
  const double scan[3] = {point[0], point[1], point[2]};
  if (!place(mesh, scan, vertex))
    return 0;
  vertex->colour = stx_facet_point_colour(
      &mesh->params->colours, point, mesh->labels != NULL ? &mesh->labels[i] : NULL);
  vertex->intensity = point[3];
  return 1;
}

int stx_mesh_vertices(const StxMesh *mesh, size_t i, StxMeshVertex vertex[STX_CORNERS])
{
  return mesh->image != NULL ? stixel_vertices(mesh, &mesh->records[i], vertex)
                             : point_vertices(mesh, i, vertex);
}

static void find_bounds(StxMesh *mesh)
{
  StxMeshVertex vertex[STX_CORNERS];
  for (int k = 0; k < 3; k++) {
    mesh->low[k] = INT32_MAX;
    mesh->high[k] = INT32_MIN;
  }
  for (size_t i = 0; i < mesh->count; i++) {
    int n = stx_mesh_vertices(mesh, i, vertex);
    mesh->vertices += (size_t)n;
    for (int v = 0; v < n; v++)
      for (int k = 0; k < 3; k++) {
        int32_t at = vertex[v].at[k];
        mesh->low[k] = at < mesh->low[k] ? at : mesh->low[k];
        mesh->high[k] = at > mesh->high[k] ? at : mesh->high[k];
      }
  }
}

static size_t write_file(StxMesh *mesh, void *memory)
{
  find_bounds(mesh);
  return mesh->params->format == STX_MESH_GLB ? stx_mesh_glb(mesh, memory)
                                              : stx_mesh_ply(mesh, memory);
}

size_t stx_mesh_stixels(const StxMeshParams *params, const StxFacetImage *image,
    const StxStixel *records, size_t count, void *memory)
{
  StxMesh mesh = {.params = params, .image = image, .records = records, .count = count};
  return write_file(&mesh, memory);
}

size_t stx_mesh_points(const StxMeshParams *params, const float *points, const uint32_t *labels,
    size_t count, void *memory)
{
  StxMesh mesh = {.params = params, .points = points, .labels = labels, .count = count};
  return write_file(&mesh, memory);
}
