#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compiles the kernels with the device compiler of CUDA 12, for GPUs and drivers that CUDA 13 left.

usage: nvrtc.py KERNEL.cu...        in the source folder

Xavier (sm_72) and Volta (sm_70) need CUDA 12, and JetPack 6 on Orin (sm_87) has no other. PyPI has
no nvcc of CUDA 12, but NVRTC, which is the same compiler as a library: nvidia-cuda-nvrtc-cu12. The
folder STX_CUDA12 has libnvrtc.so.12; without it this ends with 77: skipped.

A compiler error fails. Before a release (STX_ENDURANCE=full) machine code is made, too, and a
kernel that spills more than FEW bytes of registers fails, but for those that SPILLS allows to.
"""
import concurrent.futures
import ctypes
import os
import pathlib
import re
import sys

# Orin in every run, as far as the language goes; before a release Volta and Xavier, too.
FULL = os.environ.get("STX_ENDURANCE") == "full"
ARCHITECTURES = [70, 72, 87] if FULL else [87]
SKIPPED = 77
# Columns that are too high for shared memory are rare.
SPILLS = re.compile(r"_high_columns")
FEW = 16  # bytes: a pointer or two, read once in a while

# NVRTC knows neither the C library's headers nor where they are.
HEADERS = {
    "assert.h": "",
    "float.h": """
        #define FLT_MAX 3.40282347e+38f
        #define FLT_MIN 1.17549435e-38f""",
    "math.h": "#define NAN __int_as_float(0x7fffffff)",
    "stdbool.h": "",
    "stddef.h": "typedef unsigned long size_t;",
    "stdint.h": """
        typedef signed char int8_t;
        typedef unsigned char uint8_t;
        typedef short int16_t;
        typedef unsigned short uint16_t;
        typedef int int32_t;
        typedef unsigned uint32_t;
        typedef long int64_t;
        typedef unsigned long uint64_t;
        typedef unsigned long uintptr_t;
        #define INT16_MIN (-32767 - 1)
        #define INT32_MAX 0x7fffffff
        #define UINT16_MAX 0xffff
        #define UINT32_MAX 0xffffffffu
        #define UINT64_C(number) number##ul
        #define UINT64_MAX 0xfffffffffffffffful
        #define INT64_MAX 0x7fffffffffffffffl""",
    "string.h": "",
}
# As cuda/meson.build has them. Designated initializers are C++20 to NVRTC, and what has no
# __device__ is the host's unless it is told otherwise.
OPTIONS = ["-std=c++20", "-fmad=false", "-default-device", "-I.", "-diag-suppress=177,1097,20044",
           "--ptxas-options=-v" if FULL else "-fdevice-syntax-only"]


def strings(texts):
    return (ctypes.c_char_p * len(texts))(*[text.encode() for text in texts])


def log_of(nvrtc, program):
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    return log.value.decode()


def spilled(log):
    """(kernel, bytes) of those that spill, by what ptxas says of each."""
    found = re.findall(r"Function properties for (\w+)\n[^\n]*?(\d+) bytes spill stores", log)
    return [(name, int(count)) for name, count in found if int(count) > 0]


def compile_kernel(nvrtc, path, arch):
    """(what to print, whether that is a fault)"""
    program = ctypes.c_void_p()
    source = pathlib.Path(path).read_bytes()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, str(path).encode(), len(HEADERS),
                             strings(HEADERS.values()), strings(HEADERS.keys()))
    options = OPTIONS + [f"-arch=sm_{arch}"]
    status = nvrtc.nvrtcCompileProgram(program, len(options), strings(options))
    log = log_of(nvrtc, program)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    spills = spilled(log)
    bad = [name for name, count in spills if count > FEW and not SPILLS.search(name)]
    text = f"sm_{arch} {path}: " + ("ok" if status == 0 else "FAILED\n" + log)
    text += "".join(f", {name} spills {count} bytes" for name, count in spills)
    return text, status != 0 or bool(bad)


def main(paths):
    folder = os.environ.get("STX_CUDA12", "")
    library = pathlib.Path(folder) / "libnvrtc.so.12"
    if not folder or not library.exists():
        print("skipped: no libnvrtc.so.12 in STX_CUDA12")
        return SKIPPED
    nvrtc = ctypes.CDLL(str(library))
    version = [ctypes.c_int(), ctypes.c_int()]
    nvrtc.nvrtcVersion(*map(ctypes.byref, version))
    print(f"NVRTC {version[0].value}.{version[1].value}")
    jobs = [(path, arch) for path in paths for arch in ARCHITECTURES]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda job: compile_kernel(nvrtc, *job), jobs))
    print("\n".join(text for text, _ in results))
    return 1 if any(bad for _, bad in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
