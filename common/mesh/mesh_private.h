/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files mesh*.c share; nobody else includes it. */
#ifndef STX_MESH_PRIVATE_H
#define STX_MESH_PRIVATE_H

#include "common/mesh/mesh.h"

#define STX_MESH_HEAD 2048  /* bytes that JSON or a header have at most, with what frames them */
#define STX_MESH_STEPS 1024 /* of a metre */

/* In the axes of the file, in steps. */
typedef struct {
  int32_t at[3];
  StxRgb colour;
  float intensity; /* of points */
} StxMeshVertex;

/* A file while it is written. Its bounds are found first: JSON holds them. */
typedef struct {
  const StxMeshParams *params;
  const StxFacetImage *image; /* NULL: points */
  const StxStixel *records;
  const float *points;
  const uint32_t *labels;
  size_t count; /* of records or points */

  size_t vertices;
  int32_t low[3], high[3];
} StxMesh;

/* The vertices of record or point `i`: 0, 1 or STX_CORNERS. */
int stx_mesh_vertices(const StxMesh *mesh, size_t i, StxMeshVertex vertex[STX_CORNERS]);

/* Each returns the bytes of the file. */
size_t stx_mesh_glb(const StxMesh *mesh, char *memory);
size_t stx_mesh_ply(const StxMesh *mesh, char *memory);

#endif
