/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Those functions of ONNX Runtime's C interface that runtime.c calls. The library hands out a table
 * of functions to which later versions only append: what an entry does is known by its index, for
 * ever. So no header of the library is needed to build. An entry is
 *
 *   ENTRY(index, result, name, (parameters))
 *
 * A function that can fail returns a status: NULL, or a reason that the caller releases.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define GST_STX_ONNX_VERSION                                                                       \
  12 /* of the interface that is asked for: ONNX Runtime 1.12 and newer */

typedef struct OnnxStatus OnnxStatus;
typedef struct OnnxEnv OnnxEnv;
typedef struct OnnxOptions OnnxOptions;
typedef struct OnnxSession OnnxSession;
typedef struct OnnxValue OnnxValue;
typedef struct OnnxType OnnxType;
typedef struct OnnxShape OnnxShape;
typedef struct OnnxMemory OnnxMemory;
typedef struct OnnxAllocator OnnxAllocator;
typedef struct OnnxCuda OnnxCuda;
typedef struct OnnxTensorrt OnnxTensorrt;
typedef const char *const *OnnxTexts;

/* The result of OrtGetApiBase, the library's only symbol. */
typedef struct {
  const void *(*get_api)(uint32_t version);
  const char *(*get_version)(void);
} OnnxBase;

#define ONNX_ENTRIES(ENTRY)                                                                        \
  ENTRY(2, const char *, message_of, (const OnnxStatus *))                                         \
  ENTRY(93, void, release_status, (OnnxStatus *))                                                  \
  ENTRY(3, OnnxStatus *, create_env, (int severity, const char *name, OnnxEnv **))                 \
  ENTRY(92, void, release_env, (OnnxEnv *))                                                        \
  ENTRY(10, OnnxStatus *, create_options, (OnnxOptions **))                                        \
  ENTRY(100, void, release_options, (OnnxOptions *))                                               \
  ENTRY(24, OnnxStatus *, set_threads, (OnnxOptions *, int threads))                               \
  ENTRY(130, OnnxStatus *, set_option, (OnnxOptions *, const char *key, const char *value))        \
  ENTRY(125, OnnxStatus *, get_providers, (char ***names, int *count))                             \
  ENTRY(126, OnnxStatus *, release_providers, (char **names, int count))                           \
  ENTRY(216, OnnxStatus *, add_provider,                                                           \
      (OnnxOptions *, const char *name, OnnxTexts keys, OnnxTexts values, size_t count))           \
  ENTRY(205, OnnxStatus *, create_cuda, (OnnxCuda **))                                             \
  ENTRY(206, OnnxStatus *, set_cuda, (OnnxCuda *, OnnxTexts keys, OnnxTexts values, size_t count)) \
  ENTRY(204, OnnxStatus *, add_cuda, (OnnxOptions *, const OnnxCuda *))                            \
  ENTRY(208, void, release_cuda, (OnnxCuda *))                                                     \
  ENTRY(171, OnnxStatus *, create_tensorrt, (OnnxTensorrt **))                                     \
  ENTRY(172, OnnxStatus *, set_tensorrt,                                                           \
      (OnnxTensorrt *, OnnxTexts keys, OnnxTexts values, size_t count))                            \
  ENTRY(170, OnnxStatus *, add_tensorrt, (OnnxOptions *, const OnnxTensorrt *))                    \
  ENTRY(174, void, release_tensorrt, (OnnxTensorrt *))                                             \
  ENTRY(7, OnnxStatus *, create_session,                                                           \
      (const OnnxEnv *, const char *path, const OnnxOptions *, OnnxSession **))                    \
  ENTRY(95, void, release_session, (OnnxSession *))                                                \
  ENTRY(30, OnnxStatus *, count_inputs, (const OnnxSession *, size_t *))                           \
  ENTRY(31, OnnxStatus *, count_outputs, (const OnnxSession *, size_t *))                          \
  ENTRY(36, OnnxStatus *, name_of_input, (const OnnxSession *, size_t, OnnxAllocator *, char **))  \
  ENTRY(37, OnnxStatus *, name_of_output, (const OnnxSession *, size_t, OnnxAllocator *, char **)) \
  ENTRY(33, OnnxStatus *, type_of_input, (const OnnxSession *, size_t, OnnxType **))               \
  ENTRY(34, OnnxStatus *, type_of_output, (const OnnxSession *, size_t, OnnxType **))              \
  ENTRY(98, void, release_type, (OnnxType *))                                                      \
  ENTRY(55, OnnxStatus *, shape_of_type, (const OnnxType *, const OnnxShape **))                   \
  ENTRY(65, OnnxStatus *, shape_of_value, (const OnnxValue *, OnnxShape **))                       \
  ENTRY(99, void, release_shape, (OnnxShape *))                                                    \
  ENTRY(60, OnnxStatus *, element_of, (const OnnxShape *, int *type))                              \
  ENTRY(61, OnnxStatus *, rank_of, (const OnnxShape *, size_t *))                                  \
  ENTRY(62, OnnxStatus *, sides_of, (const OnnxShape *, int64_t *sides, size_t count))             \
  ENTRY(78, OnnxStatus *, get_allocator, (OnnxAllocator **))                                       \
  ENTRY(76, OnnxStatus *, free_text, (OnnxAllocator *, void *))                                    \
  ENTRY(69, OnnxStatus *, create_memory, (int allocator, int kind, OnnxMemory **))                 \
  ENTRY(94, void, release_memory, (OnnxMemory *))                                                  \
  ENTRY(49, OnnxStatus *, create_value,                                                            \
      (const OnnxMemory *, void *data, size_t size, const int64_t *shape, size_t rank, int type,   \
          OnnxValue **))                                                                           \
  ENTRY(51, OnnxStatus *, data_of, (OnnxValue *, void **))                                         \
  ENTRY(96, void, release_value, (OnnxValue *))                                                    \
  ENTRY(9, OnnxStatus *, run,                                                                      \
      (OnnxSession *, const void *options, OnnxTexts inputs, const OnnxValue *const *values,       \
          size_t count, OnnxTexts outputs, size_t wanted, OnnxValue **results))

#define ONNX_DECLARE(index, result, name, parameters) result(*name) parameters;
typedef struct GstStxOnnxApi {
  ONNX_ENTRIES(ONNX_DECLARE)
} GstStxOnnxApi;
#undef ONNX_DECLARE
