// One use of every relocation that an AArch64 assembler writes for static code.
// The symbols near, far, wide, small and tiny are given by who links: within
// reach of a branch, of ADRP, of nothing, 32 bits, 16 bits.
	.text
	.globl start
start:
	// Data.
	.xword wide + 5
	.word small + 3
	.hword tiny - 2
	.hword 0
	.xword inside - .
	.word inside - .
	.hword forward - .
	.hword 0
	.word forward@plt - .
	.word near@gotpcrel
	// Addresses in parts.
	movz x0, #:abs_g0:tiny
	movk x0, #:abs_g0_nc:wide
	movz x0, #:abs_g1:small
	movk x0, #:abs_g1_nc:wide
	movz x0, #:abs_g2:far
	movk x0, #:abs_g2_nc:wide
	movz x0, #:abs_g3:wide
	movz x0, #:abs_g0_s:tiny
	movz x0, #:abs_g0_s:negative
	movn x0, #:abs_g0_s:tiny
	movz x0, #:abs_g1_s:negative
	movz x0, #:abs_g2_s:far
	movz x0, #:abs_g2_s:negative
	movz x0, #:prel_g0:forward
	movz x0, #:prel_g0:start
	movz x0, #:prel_g0:forward - 0x400
	movk x0, #:prel_g0_nc:inside
	movz x0, #:prel_g1:inside
	movk x0, #:prel_g1_nc:far
	movz x0, #:prel_g2:far
	movk x0, #:prel_g2_nc:wide
	movz x0, #:prel_g3:wide
	// Addresses from the place.
	ldr x0, inside
	ldr x0, inside + 8
	adr x0, inside + 3
	adr x0, start
	adrp x0, inside
	adrp x0, far
	adrp x0, start - 0x10000
	.reloc ., R_AARCH64_ADR_PREL_PG_HI21_NC, wide
	adrp x0, 0
	add x0, x0, :lo12:inside + 1
	add x0, x0, :lo12:wide
	ldrb w0, [x0, :lo12:inside + 7]
	ldrh w0, [x0, :lo12:inside + 6]
	ldr w0, [x0, :lo12:inside + 4]
	ldr x0, [x0, :lo12:inside + 8]
	ldr x0, [x0, :lo12:wide]
	ldr q0, [x0, :lo12:inside + 16]
	// Branches.
	tbz x0, #3, forward
	tbnz x0, #63, start
	cbz x0, forward
	b.ne start
	b near
	bl near
	bl start
	b forward + 8
	// The global offset table.
	ldr x0, :got:near
	adrp x0, :got:far
	ldr x0, [x0, :got_lo12:far]
	adrp x0, :got:inside
	ldr x0, [x0, :got_lo12:inside]
	adrp x0, _GLOBAL_OFFSET_TABLE_
	ldr x0, [x0, :gotpage_lo15:far]
	ldr x0, [x0, :gotpage_lo15:wide]

	.section .text.behind, "ax"
	.globl forward
forward:
	nop
	ret

	.data
	.p2align 4
	.xword 0, 0
	.globl inside
inside:
	.xword start
	.xword forward + 4
	.word small
	.word start - .
