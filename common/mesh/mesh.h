/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of meshes that viewers open: stixels as quads (facet.h), scans as points, both in colours.
 *
 * GLB     glTF 2.0 in one file (Khronos, "glTF 2.0 Specification", chapter 4): a chunk of JSON, a
 *         chunk of numbers. Axes are glTF's: x to the right, y up, z towards the viewer. So whoever
 *         looks along −z from the origin, as viewers do, sees what the camera saw. One mesh of one
 *         primitive: stixels are TRIANGLES, two each, points are POINTS. Vertices have POSITION
 *         (float32) and COLOR_0 (uint16, normalised, linear light, as the format wants them). The
 *         material is seen from both sides, and unlit where a viewer knows KHR_materials_unlit.
 * PLY     binary_little_endian 1.0 (G. Turk, "The PLY Polygon File Format"): vertices x, y, z
 *         (float32) and red, green, blue (uint8, sRGB), of points also intensity (float32); a face
 *         with four corners per stixel. Axes are those of scans: x forward, y to the left, z up.
 *
 * The origin is the camera, or the sensor. Places are whole numbers of 1/1024 m, rounded half up:
 * float32 and the JSON's decimals hold them exactly. Corners of a stixel, in this order: lower
 * left, lower right, upper right, upper left, as the camera sees it. Left out are stixels without a
 * facet, and points that are not finite or farther than STX_MESH_MAX_PLACE along an axis. A file in
 * which nothing is left is complete and has an empty scene, or no vertices.
 *
 * The same input gives the same bytes. Files hold no time: their number is their moment.
 */
#ifndef STX_MESH_H
#define STX_MESH_H

#include "common/facet/facet.h"
#include "common/facet/facet_colour.h"

#define STX_MESH_MAX_PLACE 8191 /* metres */
#define STX_MESH_MAX_COUNT (1 << 24)

typedef enum { STX_MESH_GLB, STX_MESH_PLY } StxMeshFormat;

typedef struct {
  StxMeshFormat format;
  StxFacetColours colours;
} StxMeshParams;

#define STX_MESH_DEFAULTS                                                                          \
  {                                                                                                \
    .format = STX_MESH_GLB, .colours = STX_FACET_COLOURS_DEFAULTS                                  \
  }

/* Bytes that a file of so many stixels, or points, has at most. */
size_t stx_mesh_stixels_size(size_t count);
size_t stx_mesh_points_size(size_t count);

/*
 * Writes a file; returns its bytes.
 *
 * records  `count` of them, STX_MESH_MAX_COUNT at most; may be NULL if count is 0
 * memory   stx_mesh_stixels_size bytes, aligned to 4
 */
size_t stx_mesh_stixels(const StxMeshParams *params, const StxFacetImage *image,
    const StxStixel *records, size_t count, void *memory);

/*
 * The same of a scan.
 *
 * points  count · 4 floats, aligned to 4 bytes, any values
 * labels  count words, or NULL
 */
size_t stx_mesh_points(const StxMeshParams *params, const float *points, const uint32_t *labels,
    size_t count, void *memory);

#endif
