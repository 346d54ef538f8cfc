/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PLY: a header of text, all vertices, all faces. */
#include <stdio.h>
#include <string.h>

#include "common/mesh/mesh_private.h"

static char *put(char *at, const void *bytes, size_t size)
{
  memcpy(at, bytes, size);
  return at + size;
}

static char *write_header(const StxMesh *mesh, char *at)
{
  bool faces = mesh->image != NULL;
  at += snprintf(at, STX_MESH_HEAD,
      "ply\nformat binary_little_endian 1.0\ncomment gst-stixels: metres, x forward, y left, z up\n"
      "element vertex %zu\nproperty float x\nproperty float y\nproperty float z\n%s"
      "property uchar red\nproperty uchar green\nproperty uchar blue\n",
      mesh->vertices, faces ? "" : "property float intensity\n");
  if (faces)
    at += snprintf(at, STX_MESH_HEAD / 2,
        "element face %zu\nproperty list uchar int vertex_indices\n", mesh->vertices / STX_CORNERS);
  return put(at, "end_header\n", strlen("end_header\n"));
}

static char *write_vertex(const StxMesh *mesh, const StxMeshVertex *vertex, char *at)
{
  for (int k = 0; k < 3; k++) {
    float metres = (float)vertex->at[k] / STX_MESH_STEPS;
    at = put(at, &metres, sizeof metres);
  }
  if (mesh->image == NULL)
    at = put(at, &vertex->intensity, sizeof vertex->intensity);
  return put(at, &vertex->colour, sizeof vertex->colour);
}

size_t stx_mesh_ply(const StxMesh *mesh, char *memory)
{
  StxMeshVertex vertex[STX_CORNERS];
  char *at = write_header(mesh, memory);
  for (size_t i = 0; i < mesh->count; i++) {
    int n = stx_mesh_vertices(mesh, i, vertex);
    for (int v = 0; v < n; v++)
      at = write_vertex(mesh, &vertex[v], at);
  }
  if (mesh->image == NULL)
    return (size_t)(at - memory);
  for (size_t first = 0; first < mesh->vertices; first += STX_CORNERS) {
    const int32_t f = (int32_t)first, corners[STX_CORNERS] = {f, f + 1, f + 2, f + 3};
    *at++ = STX_CORNERS;
    at = put(at, corners, sizeof corners);
  }
  return (size_t)(at - memory);
}
