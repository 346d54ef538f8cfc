/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A libnvcuvid.so.1 that decodes nothing: GStreamer's plugin nvcodec registers cudaupload and
 * cudadownload only where it finds the library of a decoder, or of an encoder, by its functions. */
#define UNKNOWN(name)                                                                              \
  int name(void);                                                                                  \
  __attribute__((visibility("default"))) int name(void)                                            \
  {                                                                                                \
    return 801; /* CUDA_ERROR_NOT_SUPPORTED */                                                     \
  }

UNKNOWN(cuvidCtxLockCreate)
UNKNOWN(cuvidCtxLockDestroy)
UNKNOWN(cuvidCtxLock)
UNKNOWN(cuvidCtxUnlock)
UNKNOWN(cuvidGetDecoderCaps)
UNKNOWN(cuvidCreateDecoder)
UNKNOWN(cuvidReconfigureDecoder)
UNKNOWN(cuvidDestroyDecoder)
UNKNOWN(cuvidDecodePicture)
UNKNOWN(cuvidCreateVideoParser)
UNKNOWN(cuvidParseVideoData)
UNKNOWN(cuvidDestroyVideoParser)
UNKNOWN(cuvidMapVideoFrame)
UNKNOWN(cuvidMapVideoFrame64)
UNKNOWN(cuvidUnmapVideoFrame)
UNKNOWN(cuvidUnmapVideoFrame64)
