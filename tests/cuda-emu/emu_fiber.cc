/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fibers; compiled without sanitizers, but for programs that have them. */
#include "tests/cuda-emu/emu_fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Weak: there only in sanitized programs. */
extern "C" {
void __sanitizer_start_switch_fiber(void **, const void *, size_t) __attribute__((weak));
void __sanitizer_finish_switch_fiber(void *, const void **, size_t *) __attribute__((weak));
void __asan_unpoison_memory_region(void const volatile *, size_t) __attribute__((weak));
void *__tsan_get_current_fiber() __attribute__((weak));
void *__tsan_create_fiber(unsigned) __attribute__((weak));
void __tsan_destroy_fiber(void *) __attribute__((weak));
void __tsan_switch_to_fiber(void *, unsigned) __attribute__((weak));
void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));
}

namespace stx_emu {

#define STACK_SIZE (256u << 10)
#define TSAN_NO_SYNC 1u

bool stack_new(Stack *stack)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void *base = mmap(NULL, STACK_SIZE + page, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return false;
  mprotect(base, page, PROT_NONE);
  stack->base = (char *)base + page;
  stack->size = STACK_SIZE;
  return true;
}

void stack_free(Stack *stack)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  munmap(stack->base - page, stack->size + page);
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
  uintptr_t top = ((uintptr_t)fiber->stack.base + fiber->stack.size) & ~(uintptr_t)15;
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
  fiber->context.uc_stack.ss_sp = fiber->stack.base;
  fiber->context.uc_stack.ss_size = fiber->stack.size;
  fiber->context.uc_link = NULL;
  makecontext(&fiber->context, entry, 0);
}

static void swap(Fiber *from, Fiber *to)
{
  swapcontext(&from->context, &to->context);
}
#endif

void fiber_begin(Fiber *fiber, Stack stack, void (*entry)())
{
  fiber->stack = stack;
  fiber->fake_stack = NULL;
  if (__asan_unpoison_memory_region)
    __asan_unpoison_memory_region(stack.base, stack.size);
  fiber->tsan = __tsan_create_fiber ? __tsan_create_fiber(0) : NULL;
  place(fiber, entry);
}

void fiber_end(Fiber *fiber)
{
  if (fiber->tsan != NULL)
    __tsan_destroy_fiber(fiber->tsan);
  fiber->tsan = NULL;
}

/* The stack's bounds are learnt when the first fiber is entered. */
void fiber_adopt(Fiber *self)
{
  self->stack = {NULL, 0};
  self->fake_stack = NULL;
  self->tsan = __tsan_get_current_fiber ? __tsan_get_current_fiber() : NULL;
}

static void arrived(Fiber *self, Fiber *from)
{
  const void *base = NULL;
  size_t size = 0;
  if (!__sanitizer_finish_switch_fiber)
    return;
  __sanitizer_finish_switch_fiber(self != NULL ? self->fake_stack : NULL, &base, &size);
  if (from != NULL && from->stack.base == NULL) {
    from->stack.base = (char *)base;
    from->stack.size = size;
  }
}

void fiber_switch(Fiber *from, Fiber *to, bool last)
{
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(last ? NULL : &from->fake_stack, to->stack.base, to->stack.size);
  if (to->tsan != NULL)
    __tsan_switch_to_fiber(to->tsan, TSAN_NO_SYNC);
  swap(from, to);
  arrived(from, NULL);
}

void fiber_entered(Fiber *from)
{
  arrived(NULL, from);
}

void release(void *token)
{
  if (__tsan_release)
    __tsan_release(token);
}

void acquire(void *token)
{
  if (__tsan_acquire)
    __tsan_acquire(token);
}

} /* namespace stx_emu */
