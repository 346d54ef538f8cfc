/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fibers; compiled without sanitizers, but for programs that may have them. */
#include "tests/emu/emu_fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Weak: there only in sanitized programs. */
#define STX_EMU_WEAK __attribute__((weak))
extern "C" {
STX_EMU_WEAK void __sanitizer_start_switch_fiber(void **, const void *, size_t);
STX_EMU_WEAK void __sanitizer_finish_switch_fiber(void *, const void **, size_t *);
STX_EMU_WEAK void __sanitizer_set_death_callback(void (*)());
STX_EMU_WEAK void *__tsan_get_current_fiber();
STX_EMU_WEAK void *__tsan_create_fiber(unsigned);
STX_EMU_WEAK void __tsan_set_fiber_name(void *, const char *);
STX_EMU_WEAK void __tsan_destroy_fiber(void *);
STX_EMU_WEAK void __tsan_switch_to_fiber(void *, unsigned);
STX_EMU_WEAK void __tsan_acquire(void *);
STX_EMU_WEAK void __tsan_release(void *);
STX_EMU_WEAK void AnnotateIgnoreReadsBegin(const char *, int);
STX_EMU_WEAK void AnnotateIgnoreReadsEnd(const char *, int);
STX_EMU_WEAK void AnnotateIgnoreWritesBegin(const char *, int);
STX_EMU_WEAK void AnnotateIgnoreWritesEnd(const char *, int);
}

namespace stx_emu
{

#define STACK_SIZE (256u << 10)
#define TSAN_STACK_SIZE (64u << 10)
#define TSAN_NO_SYNC 1u

/* Bytes at the end of a stack that are not used: all stacks are a multiple of a page apart, and
 * their ends would fight for the same lines of the cache. */
static size_t unused()
{
  static unsigned stacks;
  return stacks++ % 32 * 128;
}

/* A stack above a guard page, once for all. */
static bool reserve_stack(Fiber *fiber)
{
  if (fiber->stack != NULL)
    return true;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void *base = mmap(NULL, STACK_SIZE + page, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return false;
  mprotect(base, page, PROT_NONE);
  fiber->stack = (char *)base + page;
  fiber->stack_size = STACK_SIZE - unused();
  return true;
}

/* ---- Threads of the thread sanitizer -------------------------------------------------------- */

/* A thread of the sanitizer costs it some 30 pages of memory, taken and given back: ten times what
 * a small kernel does. So those that have ended wait here, with their stacks, for another use, as
 * long as possible: it sees no race between two uses of one. Their order is that in which they
 * ended. */
struct Spare {
  char *stack;
  void *tsan;
};
enum { SPARES = 2048, FEWEST = 64 }; /* ever; until there are so many none is used again */
static Spare spares[SPARES];
static unsigned oldest, spare_count;

static bool take_spare(Fiber *fiber)
{
  Spare spare = {NULL, NULL};
  if (spare_count > FEWEST) {
    spare = spares[oldest];
    oldest = (oldest + 1) % SPARES;
    spare_count--;
  } else {
    unwatch(); /* to the sanitizer an allocation is a write of this thread */
    spare.stack = (char *)malloc(TSAN_STACK_SIZE);
    watch();
    spare.tsan = spare.stack != NULL ? __tsan_create_fiber(0) : NULL;
  }
  fiber->stack = spare.stack;
  fiber->stack_size = TSAN_STACK_SIZE - unused();
  fiber->tsan = spare.tsan;
  return spare.stack != NULL;
}

/* One that never ended has functions on its stack that it never left: it is of no more use. */
static void give_spare(Fiber *fiber, bool ended)
{
  if (ended && spare_count < SPARES) {
    spares[(oldest + spare_count++) % SPARES] = {fiber->stack, fiber->tsan};
  } else {
    __tsan_destroy_fiber(fiber->tsan);
    unwatch();
    free(fiber->stack);
    watch();
  }
  fiber->stack = NULL;
  fiber->tsan = NULL;
}

/* ---- Switching ------------------------------------------------------------------------------ */

#if STX_EMU_SWAP
/* Saves what a callee must keep, and takes it from the other stack. */
extern "C" void stx_emu_swap(void **from, void *to);
__asm__(".text\n"
        ".globl stx_emu_swap\n"
        ".hidden stx_emu_swap\n"
        ".type stx_emu_swap, @function\n"
        "stx_emu_swap:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size stx_emu_swap, .-stx_emu_swap\n");

static void place(Fiber *fiber, void (*entry)())
{
  /* Six registers, then the address to return to: entry finds the stack as a call leaves it. */
  uintptr_t top = ((uintptr_t)fiber->stack + fiber->stack_size) & ~(uintptr_t)15;
  void **at = (void **)(top - 64);
  memset(at, 0, 64);
  at[6] = (void *)entry;
  fiber->pointer = at;
}

static void swap(Fiber *from, Fiber *to)
{
  stx_emu_swap(&from->pointer, to->pointer);
}
#else
static void place(Fiber *fiber, void (*entry)())
{
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = fiber->stack;
  fiber->context.uc_stack.ss_size = fiber->stack_size;
  fiber->context.uc_link = NULL;
  makecontext(&fiber->context, entry, 0);
}

static void swap(Fiber *from, Fiber *to)
{
  swapcontext(&from->context, &to->context);
}
#endif

bool fiber_begin(Fiber *fiber, void (*entry)(), const char *name)
{
  fiber->fake_stack = NULL;
  fiber->tsan = NULL;
  if (!(has_thread_sanitizer() ? take_spare(fiber) : reserve_stack(fiber)))
    return false;
  if (fiber->tsan != NULL)
    __tsan_set_fiber_name(fiber->tsan, name);
  place(fiber, entry);
  return true;
}

void fiber_end(Fiber *fiber, bool ended)
{
  if (fiber->tsan != NULL)
    give_spare(fiber, ended);
}

/* The stack's bounds are learnt when the first fiber is entered. */
void fiber_adopt(Fiber *self)
{
  self->stack = NULL;
  self->fake_stack = NULL;
  self->tsan = has_thread_sanitizer() ? __tsan_get_current_fiber() : NULL;
}

static void arrived(Fiber *self, Fiber *from)
{
  const void *base = NULL;
  size_t size = 0;
  if (!__sanitizer_finish_switch_fiber)
    return;
  __sanitizer_finish_switch_fiber(self != NULL ? self->fake_stack : NULL, &base, &size);
  if (from != NULL && from->stack == NULL) {
    from->stack = (char *)base;
    from->stack_size = size;
  }
}

void fiber_switch(Fiber *from, Fiber *to, bool last)
{
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(last ? NULL : &from->fake_stack, to->stack, to->stack_size);
  if (to->tsan != NULL)
    __tsan_switch_to_fiber(to->tsan, TSAN_NO_SYNC);
  swap(from, to);
  arrived(from, NULL);
}

void fiber_entered(Fiber *from)
{
  arrived(NULL, from);
}

/* ---- Sanitizers ----------------------------------------------------------------------------- */

bool has_thread_sanitizer()
{
  return __tsan_create_fiber != NULL;
}

void on_death(void (*callback)())
{
  if (__sanitizer_set_death_callback)
    __sanitizer_set_death_callback(callback);
}

/* Freed memory is what makes the sanitizer forget a token. */
void *token_new()
{
  if (!has_thread_sanitizer())
    return NULL;
  unwatch();
  void *token = malloc(1);
  watch();
  return token;
}

void token_free(void *token)
{
  unwatch();
  free(token);
  watch();
}

void release(void *token)
{
  if (token != NULL && has_thread_sanitizer())
    __tsan_release(token);
}

void acquire(void *token)
{
  if (token != NULL && has_thread_sanitizer())
    __tsan_acquire(token);
}

void unwatch()
{
  if (!has_thread_sanitizer())
    return;
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}

void watch()
{
  if (!has_thread_sanitizer())
    return;
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
}

} /* namespace stx_emu */
