/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/death/unwound.h"

#if UNWOUND_HERE

#define UNWOUND_CLEANUP	 2 /* _UA_CLEANUP_PHASE: the frames are being left now */
#define UNWOUND_CONTINUE 8 /* _URC_CONTINUE_UNWIND: nothing here for this exception */

__thread struct unwound *unwound_innermost;

/*
 * The personality routine, which the unwinder calls for every frame of unwound_enter, innermost
 * first.
 */
__attribute__((visibility("hidden"), used)) int unwound_personality(
	int version, int actions, uint64_t kind, void *exception, void *context);
int unwound_personality(int version, int actions, uint64_t kind, void *exception, void *context)
{
	struct unwound *left = unwound_innermost;

	(void)version, (void)kind, (void)exception, (void)context;
	if ((actions & UNWOUND_CLEANUP) && left) {
		unwound_innermost = left->outer;
		left->close(left);
	}
	return UNWOUND_CONTINUE;
}

__attribute__((visibility("hidden"))) uint64_t unwound_enter(const void *fn, const uint64_t *args);

/* The seventh word goes by the stack. 0x1b: the routine's address relative to here, 32 bits. */
__asm__(".text\n"
	".p2align 4\n"
	".globl unwound_enter\n"
	".hidden unwound_enter\n"
	".type unwound_enter, @function\n"
	"unwound_enter:\n"
	"	.cfi_startproc\n"
	"	.cfi_personality 0x1b, unwound_personality\n"
	"	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	subq $16, %rsp\n"
	"	movq 48(%rsi), %rax\n"
	"	movq %rax, (%rsp)\n"
	"	movq %rdi, %rax\n"
	"	movq %rsi, %r11\n"
	"	movq (%r11), %rdi\n"
	"	movq 8(%r11), %rsi\n"
	"	movq 16(%r11), %rdx\n"
	"	movq 24(%r11), %rcx\n"
	"	movq 32(%r11), %r8\n"
	"	movq 40(%r11), %r9\n"
	"	call *%rax\n"
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size unwound_enter, . - unwound_enter\n");

uint64_t unwound_call(struct unwound *self, const void *fn, const uint64_t args[UNWOUND_ARGS])
{
	uint64_t result;

	self->outer = unwound_innermost;
	unwound_innermost = self;
	result = unwound_enter(fn, args);
	unwound_innermost = self->outer;
	return result;
}

#endif
