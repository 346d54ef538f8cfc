/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fibers: stacks that take turns on one thread, announced to the sanitizers. A switch costs some
 * 10 ns (registers are swapped by hand on x86-64; elsewhere ucontext does it).
 *
 * For the thread sanitizer each fiber is a thread of its own, and switching orders nothing: only
 * what the emulator announces with release and acquire does.
 */
#pragma once

#include <stddef.h>

#ifdef __x86_64__
#define STX_EMU_SWAP 1
#else
#define STX_EMU_SWAP 0
#include <ucontext.h>
#endif

namespace stx_emu
{

struct Fiber {
#if STX_EMU_SWAP
  void *pointer; /* the saved stack pointer */
#else
  ucontext_t context;
#endif
  char *stack; /* its lowest byte */
  size_t stack_size;
  void *fake_stack; /* address sanitizer */
  void *tsan;       /* thread sanitizer */
};

/* Makes a fiber that begins with entry (), which must never return. `fiber` is zero, or was ended:
 * it keeps its stack. `name` (copied) is what the thread sanitizer's reports call it. False without
 * memory. */
bool fiber_begin(Fiber *fiber, void (*entry)(), const char *name);
/* After the fiber was left for the last time; `ended`: of its own accord. */
void fiber_end(Fiber *fiber, bool ended);

/* The thread that is running becomes `self`, so that fibers can come back to it. */
void fiber_adopt(Fiber *self);

/* Leaves `from` for `to`; `last`: never to return. */
void fiber_switch(Fiber *from, Fiber *to, bool last);
/* First thing on a new fiber, which was entered from `from`. */
void fiber_entered(Fiber *from);

/* ---- The sanitizers of the program ---------------------------------------------------------- */

bool has_thread_sanitizer();
/* Calls this before a sanitizer ends the program. */
void on_death(void (*callback)());

/* Tokens order events: a release happens before a later acquisition. Only token_free ends this.
 * NULL without the thread sanitizer. */
void *token_new();
void token_free(void *token);
void release(void *token);
void acquire(void *token);

/* Until `watch`, this fiber may do to memory what it likes: for what the emulator does on behalf of
 * no thread. Not across switches. */
void unwatch();
void watch();

} /* namespace stx_emu */
