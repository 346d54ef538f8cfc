/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages of memory that can be neither read nor written, and what else tests take from POSIX. */
#pragma once

#ifdef _WIN32
#include <windows.h>
#define MAP_FAILED NULL
#define PROT_NONE PAGE_NOACCESS
#define PROT_READ PAGE_READWRITE
#define PROT_WRITE PAGE_READWRITE
#define mmap(at, size, rights, ...) VirtualAlloc(at, size, MEM_COMMIT | MEM_RESERVE, rights)
#define mprotect(at, size, rights) !VirtualProtect(at, size, rights, &(DWORD){0})
#define munmap(at, size) VirtualFree(at, 0, MEM_RELEASE)
#define setenv(name, value, always) _putenv_s(name, value)
#define unsetenv(name) _putenv_s(name, "")
#define STX_WEAK /* weak functions are not found */
#else
#define STX_WEAK __attribute__((weak))
#include <sys/mman.h>
#endif
