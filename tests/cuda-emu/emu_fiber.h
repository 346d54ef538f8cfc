/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fibers: stacks that take turns on one thread, announced to the sanitizers. A switch costs some
 * 10 ns (registers are swapped by hand on x86-64; elsewhere ucontext does it).
 *
 * For the thread sanitizer each fiber is a thread, and switching orders nothing: only what the
 * emulator announces with stx_emu_release and stx_emu_acquire does.
 */
#ifndef STX_EMU_FIBER_H
#define STX_EMU_FIBER_H

#include <stddef.h>

#ifdef __x86_64__
#define STX_EMU_SWAP 1
#else
#define STX_EMU_SWAP 0
#include <ucontext.h>
#endif

namespace stx_emu {

struct Stack {
  char *base;   /* above the guard page */
  size_t size;
};

struct Fiber {
#if STX_EMU_SWAP
  void *pointer; /* the saved stack pointer */
#else
  ucontext_t context;
#endif
  Stack stack;
  void *fake_stack; /* address sanitizer */
  void *tsan;       /* thread sanitizer */
};

/* A stack with a guard page below; false without memory. */
bool stack_new(Stack *stack);
void stack_free(Stack *stack);

/* Makes a fiber that begins with entry () on `stack`. `entry` must never return. */
void fiber_begin(Fiber *fiber, Stack stack, void (*entry)());
/* After the fiber was left for the last time. */
void fiber_end(Fiber *fiber);

/* The thread that is running becomes `self`, so that fibers can come back to it. */
void fiber_adopt(Fiber *self);

/* Leaves `from` for `to`; `last`: never to return. */
void fiber_switch(Fiber *from, Fiber *to, bool last);
/* First thing on a new fiber, which was entered from `from`. */
void fiber_entered(Fiber *from);

/* What happened before the release of a token happened before its acquisition. */
void release(void *token);
void acquire(void *token);

} /* namespace stx_emu */

#endif
