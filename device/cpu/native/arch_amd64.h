// x86-64: the guarded call, and how a signal handler leaves it.
#pragma once
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>
#include "runtime.h"

// kiln_enter calls fn(arg) and returns its result. It notes in g what a fault
// handler needs to end the call from any point inside: the stack pointer below
// the saved registers, and the control words of the vector and x87 units. A
// call that is ended resumes at kiln_abandon with g in rdx.
int32_t kiln_enter(void *arg, uint64_t fn, struct guard *g);
extern const char kiln_returned[] __attribute__((visibility("hidden")));
extern const char kiln_abandon[] __attribute__((visibility("hidden")));

_Static_assert(offsetof(struct guard, sp) == 0, "kiln_enter");
_Static_assert(offsetof(struct guard, vector_control) == 8, "kiln_enter");
_Static_assert(offsetof(struct guard, float_control) == 12, "kiln_enter");

__asm__(".text\n"
        ".p2align 5\n"
        ".type kiln_enter, @function\n"
        "kiln_enter:\n"
        ".cfi_startproc\n"
        "  pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "  movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "  pushq %rbx\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  subq $8, %rsp\n"
        ".cfi_offset %rbx, -24\n"
        ".cfi_offset %r12, -32\n"
        ".cfi_offset %r13, -40\n"
        ".cfi_offset %r14, -48\n"
        ".cfi_offset %r15, -56\n"
        "  stmxcsr 8(%rdx)\n"
        "  fnstcw 12(%rdx)\n"
        "  movq %rsp, (%rdx)\n"
        "  callq *%rsi\n"
        "kiln_returned:\n"
        "  addq $8, %rsp\n"
        "  popq %r15\n"
        "  popq %r14\n"
        "  popq %r13\n"
        "  popq %r12\n"
        "  popq %rbx\n"
        "  popq %rbp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "  retq\n"
        ".cfi_def_cfa %rbp, 16\n"
        "kiln_abandon:\n"
        "  fninit\n"
        "  fldcw 12(%rdx)\n"
        "  ldmxcsr 8(%rdx)\n"
        "  jmp kiln_returned\n"
        ".cfi_endproc\n"
        ".size kiln_enter, . - kiln_enter\n");

static inline uintptr_t thread_pointer(void) {
  uintptr_t p;
  __asm__("movq %%fs:0, %0" : "=r"(p));
  return p;
}

static inline uint64_t ticks(void) { return __builtin_ia32_rdtsc(); }

static inline void relax(void) { __builtin_ia32_pause(); }

static inline uint64_t context_pc(const ucontext_t *c) { return (uint64_t)c->uc_mcontext.gregs[REG_RIP]; }

static inline uint64_t context_sp(const ucontext_t *c) { return (uint64_t)c->uc_mcontext.gregs[REG_RSP]; }

// context_caller is the return address of a function that has just been entered.
static inline uint64_t context_caller(const ucontext_t *c) { return *(const uint64_t *)context_sp(c); }

// context_abandon lets the handler return to kiln_abandon. The flags that
// string instructions, alignment checks and single steps depend on are cleared.
static inline void context_abandon(ucontext_t *c, struct guard *g) {
  const greg_t trap = 1 << 8, direction = 1 << 10, alignment = 1 << 18;
  c->uc_mcontext.gregs[REG_EFL] &= ~(trap | direction | alignment);
  c->uc_mcontext.gregs[REG_RIP] = (greg_t)kiln_abandon;
  c->uc_mcontext.gregs[REG_RSP] = (greg_t)g->sp;
  c->uc_mcontext.gregs[REG_RDX] = (greg_t)g;
  c->uc_mcontext.gregs[REG_RAX] = 0;
}
